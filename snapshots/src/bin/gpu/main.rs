//! Everything that needs a card, in one program for a machine without a toolchain. `gpu --help` tells
//! how it is called.

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

const HELP: &str = "\
gpu COMMAND [OPTION]...

  conformance   the suite on the card, for each --strategy: shared, global, trapezoid unless given.
                Texts are compiled first, several at once; every failure is printed when it is found
  compile       only compiles what conformance would need, into the kernel cache; --part K/N is of texts,
                so that N processes share the work
  stress        sizes around tiles, batches, beyond 2^31 elements, streams, capture, memory
  cache         time of the first plan: compiled, from the cache, loaded; on a machine that compiled
                nothing before, or with CUDA_CACHE_DISABLE=1, for NVRTC may keep results of its own
  bench         time of transforms as a multiple of a copy
  texts         compile time, registers and spills of every kind of text; needs NVRTC and ptxas, no card

  --device N            the card
  --strategy NAME       may be repeated: default, shared, global, trapezoid, shared-split, ..., and small,
                        small-global and the like with small blocks (more of them in short lines)
  --align-rows N        rows of bands begin at multiples of N elements
  --breadth quick|broad the list of cases
  --sample K            K cases of the list, spread over all kinds
  --part K/N            every N-th case, beginning with the K-th
  --skip-to N, --limit N  a stretch of what is left
  --seconds LIMIT       stop after so many seconds, and say how much was done
  --threads N           for compilation and for reference computations; at most 16 unless given
  --only TEXT           cases, checks, rows whose name contains TEXT; may be repeated
  --skip TEXT           not those
  --list                names only (stress, bench, texts), numbers only (compile)
  --reps N, --json FILE bench

The exit code is 1 if anything failed. WAVELOOM_CACHE_DIR names the kernel cache.
";

fn main() -> ExitCode {
    let (command, options) = match Options::read(std::env::args().skip(1)) {
        Ok(read) => read,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    match command.as_str() {
        "--help" | "-h" | "help" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        "texts" => return finish(texts::run(&options)),
        "compile" if options.list => {
            return finish(conformance::compile_only(&Device::cpu(), &options));
        }
        "conformance" | "compile" | "stress" | "cache" | "bench" => {}
        other => {
            eprintln!("error: unknown command '{other}'; gpu --help lists them");
            return ExitCode::from(2);
        }
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
        "compile" => conformance::compile_only(&device, &options),
        "stress" => stress::run(&device, &options),
        "cache" => cache::run(&options),
        _ => bench::run(&device, &options),
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
