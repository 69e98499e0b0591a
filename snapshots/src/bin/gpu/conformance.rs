//! The suite on the card.

use crate::options::Options;
use crate::table::say;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use waveloom::device::Device;
use waveloom_codegen::gpu::Strategy;
use waveloom_snapshots::conformance::{Backend, DeviceBackend, lists, run_parallel};

/// Runs every strategy asked for; all but the split ones if none is.
pub fn run(device: &Device, options: &Options) -> Result<(), String> {
    let mut strategies = options.strategies.clone();
    if strategies.is_empty() {
        let named = |name: &str, strategy| (name.to_owned(), Some(strategy));
        strategies = vec![
            named("shared", Strategy::SHARED),
            named("global", Strategy::GLOBAL),
            named("trapezoid", Strategy::TRAPEZOID),
        ];
    }
    let mut failed = Vec::new();
    for (name, strategy) in strategies {
        let backend = DeviceBackend::new(device, strategy, &name);
        let cases = lists::cases(options.breadth, &backend.tile_lengths())
            .map_err(|error| error.to_string())?;
        let cases: Vec<_> = cases.into_iter().skip(options.skip_to).take(options.limit).collect();
        say(&format!("{}: {} cases on {} threads", backend.name(), cases.len(), options.threads));
        let begin = Instant::now();
        let told = Mutex::new(begin);
        let report = run_parallel(&backend, &cases, options.threads, |progress| {
            if let Ok(mut last) = told.lock()
                && last.elapsed() > Duration::from_secs(10)
            {
                *last = Instant::now();
                let seconds = begin.elapsed().as_secs();
                say(&format!("  {} of {} after {seconds} s", progress.begun, progress.total));
            }
            if !progress.failed {
                return true;
            }
            match backend.lost() {
                None => true,
                Some(error) => {
                    say(&format!("  the card is lost at {}: {error}", progress.case));
                    false
                }
            }
        });
        say(&format!("{report}  {:.1} s", begin.elapsed().as_secs_f64()));
        if report.verdict().is_err() {
            failed.push(name);
        }
        if backend.lost().is_some() {
            break;
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("conformance: {}", failed.join(", "))) }
}
