//! The command line of waveloom.

mod args;
mod bench;
mod coefficients;
mod commands;
mod console;
mod describe;
mod error;
mod files;
mod mosaic;
mod notes;
mod plot;
mod samples;
mod session;
mod settings;
mod strategy;
mod transform;

use args::Parsed;
use console::Console;
use error::End;
use session::Session;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// What `waveloom` alone prints.
const GREETING: &str = "\
waveloom: specialised discrete wavelet transforms

  waveloom demo                         transform a sample photograph and look at its bands
  waveloom list                         the wavelets that are known by name
  waveloom show bior4.4 --plot w.png    one of them: filters, lifting, lattice, schemes, curves
  waveloom forward in.npy -o out.npz --wavelet db4 --levels 3
  waveloom inverse out.npz -o back.npy

Arrays (.npy, .npz), images (.png, .tif) and sounds (.wav) go in and out.
'waveloom --help' lists all commands, 'waveloom COMMAND --help' their options.
";

/// The exit code of bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    // Where signals cannot be handled, an unfinished file may stay behind; everything else works.
    if let Err(error) = files::atomic::remove_unfinished_on_signals() {
        tracing::debug!("signals are not handled: {error}");
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let done = run(&mut out).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) | Err(End::BrokenPipe) => ExitCode::SUCCESS,
        Err(End::Failure(failure)) => {
            // Results printed before the failure come first. If standard error is gone too, the
            // exit code still tells.
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn run(out: &mut dyn Write) -> Result<(), End> {
    if std::env::args_os().len() <= 1 {
        return Ok(out.write_all(GREETING.as_bytes())?);
    }
    match args::parse(std::env::args_os())? {
        Parsed::Text(text) => Ok(out.write_all(text.as_bytes())?),
        Parsed::Command(cli) => {
            let mut session = Session::new(cli.global.device.unwrap_or_default());
            let mut console = Console::new(out, cli.global.quiet, true);
            commands::run(&cli.command, &mut session, &mut console)
        }
    }
}
