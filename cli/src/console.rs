//! Where commands speak: standard output for results, standard error for progress.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work that ends sooner than this shows no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// The outputs of one command.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    quiet: bool,
    progress: bool,
    /// Notes of a console that is not interactive, line by line.
    kept: Option<RefCell<String>>,
}

impl<'a> Console<'a> {
    /// Results go to `out`; `quiet` leaves remarks and notes out. Progress is shown only where
    /// `interactive` and standard error is a terminal; otherwise notes are kept.
    pub fn new(out: &'a mut dyn Write, quiet: bool, interactive: bool) -> Self {
        Self {
            out,
            quiet,
            progress: interactive && !quiet && io::stderr().is_terminal(),
            kept: (!interactive).then(RefCell::default),
        }
    }

    /// Tells something to be aware of on standard error, or keeps it; `--quiet` suppresses it.
    pub fn note(&self, text: impl AsRef<str>) {
        if self.quiet {
            return;
        }
        let line = format!("note: {}\n", text.as_ref());
        match &self.kept {
            Some(kept) => kept.borrow_mut().push_str(&line),
            // Where standard error is gone, nobody reads notes.
            None => drop(io::stderr().write_all(line.as_bytes())),
        }
    }

    /// The notes that were kept.
    pub fn into_notes(self) -> String {
        self.kept.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Prints a result.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Prints one line of a result.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Prints a remark, which `--quiet` suppresses.
    pub fn remark(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        if self.quiet { Ok(()) } else { self.line(text) }
    }

    /// Sends everything printed on its way.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Whether progress is shown.
    pub fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Runs a piece of work of unknown length; if it takes long, a spinner with the elapsed time
    /// says so.
    pub fn during<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        if !self.progress {
            return work();
        }
        let spinner = Spinner::start(what);
        let result = work();
        spinner.stop();
        result
    }
}

/// A spinner that appears once patience is over.
struct Spinner {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Spinner {
    fn start(what: &str) -> Self {
        let what = what.to_owned();
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_message(what)
                .with_elapsed(PATIENCE);
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout)
            {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { stop, thread }
    }

    fn stop(self) {
        // The thread ends when told, and also when the sender is gone.
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

/// A bar for `count` pieces of work, hidden until patience is over and where there is no terminal.
pub fn counting_bar(console: &Console<'_>, count: u64) -> Counting {
    let bar = if console.shows_progress() {
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
        let template = "{bar:40} {pos}/{len} {elapsed} left {eta}";
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    } else {
        ProgressBar::hidden()
    };
    Counting { bar, started: std::time::Instant::now(), done: 0 }
}

/// A bar for `count` pieces of work that tells which one is on; hidden where there is no terminal.
pub fn labelled_bar(console: &Console<'_>, count: u64) -> ProgressBar {
    if !console.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    let template = "{bar:30} {pos}/{len} {elapsed} left {eta} {msg}";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// See [`counting_bar`].
pub struct Counting {
    bar: ProgressBar,
    started: std::time::Instant,
    done: u64,
}

impl Counting {
    /// One more piece is done.
    pub fn advance(&mut self) {
        self.done += 1;
        if self.started.elapsed() > PATIENCE {
            self.bar.set_position(self.done);
        }
    }
}

impl Counting {
    /// Prints something while the bar is out of the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_keeps_results_and_drops_remarks() {
        let mut bytes = Vec::new();
        let mut console = Console::new(&mut bytes, true, false);
        console.line("result").unwrap();
        console.remark("remark").unwrap();
        assert_eq!(console.during("work", || 7), 7);
        console.note("note");
        assert_eq!(console.into_notes(), "");
        assert_eq!(bytes, b"result\n");
    }

    #[test]
    fn notes_are_kept_apart_from_results() {
        let mut bytes = Vec::new();
        let console = Console::new(&mut bytes, false, false);
        console.note("one");
        console.note("two");
        assert_eq!(console.into_notes(), "note: one\nnote: two\n");
        assert!(bytes.is_empty());
    }
}
