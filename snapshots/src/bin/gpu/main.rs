//! Everything that needs a card, in one program for a machine without a toolchain.
//!
//! ```text
//! gpu conformance [--breadth quick|broad] [--strategy NAME]... [--threads N] [--limit N] [--skip-to N]
//! gpu stress [--only TEXT]... [--list]
//! gpu cache
//! gpu bench [--only TEXT]... [--skip TEXT]... [--reps N] [--json FILE] [--list]
//! ```
//!
//! `--device N` chooses the card. What fails is reported, and the rest goes on; the exit code is 1
//! if anything failed.

mod bench;
mod cache;
mod conformance;
mod options;
mod stress;
mod table;
mod texts;

use options::Options;
use std::process::ExitCode;
use waveloom::device::Device;

fn main() -> ExitCode {
    let (command, options) = match Options::read(std::env::args().skip(1)) {
        Ok(read) => read,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    if command == "texts" {
        return finish(texts::run(&options));
    }
    let device = match Device::cuda(options.device) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    println!("card: {device}");
    let done = match command.as_str() {
        "conformance" => conformance::run(&device, &options),
        "stress" => stress::run(&device, &options),
        "cache" => cache::run(&options),
        "bench" => bench::run(&device, &options),
        other => {
            Err(format!("unknown command '{other}'; expected conformance, stress, cache, bench"))
        }
    };
    finish(done)
}

fn finish(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("FAILED: {message}");
            ExitCode::FAILURE
        }
    }
}
