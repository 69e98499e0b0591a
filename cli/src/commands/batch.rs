//! `waveloom batch`: many commands, one process.

use crate::args::{self, BatchArgs, Command, Parsed};
use crate::console::{Console, counting_bar};
use crate::error::{End, Failure};
use crate::session::Session;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// The result of a job, one JSON object a line.
#[derive(Serialize)]
struct Report {
    /// What the command's exit code would have been.
    rc: u8,
    /// What it would have printed to standard error: notes, and where it failed the error.
    stderr: String,
    /// What it printed to standard output, if anything.
    #[serde(skip_serializing_if = "String::is_empty")]
    stdout: String,
}

/// Runs every line of a file, or of standard input, as a command. A report follows each line at
/// once. Lines that are empty or begin with `#` are skipped. A job's failure does not end the batch.
pub fn run(args: &BatchArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    let (lines, count): (Box<dyn BufRead>, u64) = if args.jobs.as_os_str() == "-" {
        (Box::new(io::stdin().lock()), 0)
    } else {
        let text =
            std::fs::read(&args.jobs).map_err(|error| Failure::unreadable(&args.jobs, error))?;
        let count = text.iter().filter(|byte| **byte == b'\n').count() as u64;
        let file =
            File::open(&args.jobs).map_err(|error| Failure::unreadable(&args.jobs, error))?;
        (Box::new(BufReader::new(file)), count)
    };
    let mut bar = counting_bar(console, count);
    for line in lines.split(b'\n') {
        let line = line.map_err(|error| Failure::of_file(&args.jobs, error))?;
        let report = match std::str::from_utf8(&line) {
            // Lines may end as on other systems.
            Ok(text) if is_job(text) => job(text.trim_end_matches('\r'), session),
            Ok(_) => continue,
            Err(_) => failed("the line is not UTF-8 text".to_owned()),
        };
        console.line(serde_json::to_string(&report).map_err(Failure::plain)?)?;
        console.flush()?;
        bar.advance();
    }
    Ok(())
}

fn is_job(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn failed(message: String) -> Report {
    Report { rc: 2, stderr: format!("error: {message}"), stdout: String::new() }
}

fn job(line: &str, session: &mut Session) -> Report {
    let Some(words) = shlex::split(line) else {
        return failed("a quotation mark is not closed".to_owned());
    };
    let words = std::iter::once("waveloom".to_owned()).chain(words).map(Into::into);
    let cli = match args::parse(words) {
        Ok(Parsed::Command(cli)) => cli,
        Ok(Parsed::Text(text)) => return Report { rc: 0, stderr: String::new(), stdout: text },
        Err(failure) => return failed(failure.to_string()),
    };
    if matches!(cli.command, Command::Batch(_)) {
        return failed("batch: a batch cannot run another".to_owned());
    }
    let mut out = Vec::new();
    let mut console = Console::new(&mut out, cli.global.quiet, false);
    let device = session.device;
    if let Some(asked) = cli.global.device {
        session.device = asked;
    }
    let done = super::run(&cli.command, session, &mut console);
    session.device = device;
    let notes = console.into_notes();
    let stdout = String::from_utf8_lossy(&out).into_owned();
    match done {
        Ok(()) | Err(End::BrokenPipe) => {
            Report { rc: 0, stderr: notes.trim_end().to_owned(), stdout }
        }
        Err(End::Failure(failure)) => {
            let report = failed(failure.to_string());
            Report { stdout, stderr: notes + &report.stderr, ..report }
        }
    }
}
