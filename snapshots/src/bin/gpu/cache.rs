//! How long the first plan takes: compiled, found on disk, and already loaded.

use crate::options::Options;
use crate::table::{guarded, say};
use std::time::Instant;
use waveloom::Plan;
use waveloom::device::{Device, DiskCache};
use waveloom_codegen::gpu::Strategy;
use waveloom_wavelets::{SchemeKind, catalogue};

/// Prints a table.
pub fn run(options: &Options) -> Result<(), String> {
    say("| plan | strategy | text, KiB | compiled, ms | from disk, ms | loaded, ms |");
    say("|---|---|---|---|---|---|");
    let mut failed = Vec::new();
    for (name, dims, scheme) in [
        ("haar", 1, None),
        ("bior4.4", 1, None),
        ("bior4.4", 2, None),
        ("irr97", 2, Some(SchemeKind::NonseparableLifting)),
        ("db4", 2, None),
        ("db16", 1, None),
        ("db16", 2, Some(SchemeKind::SeparableConvolution)),
        ("bior4.4", 3, None),
    ] {
        for strategy in ["stream", "shared", "trapezoid"] {
            // Strips run one axis after the other.
            if strategy == "stream" && scheme.is_some_and(SchemeKind::is_nonseparable) {
                continue;
            }
            let row = guarded(|| row(options.device, name, dims, scheme, strategy));
            match row {
                Ok(line) => say(&line),
                Err(message) => {
                    say(&format!("| {name} {dims}-D | {strategy} | {message} | | | |"));
                    failed.push(name);
                }
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("cache: {}", failed.join(", "))) }
}

fn row(
    ordinal: usize,
    name: &str,
    dims: usize,
    scheme: Option<SchemeKind>,
    strategy: &str,
) -> Result<String, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let wavelet = catalogue::wavelet(name).map_err(|error| error.to_string())?;
    let open = || {
        Device::cuda_with_cache(ordinal, DiskCache::at(directory.path()))
            .map_err(|error| error.to_string())
    };
    let shape = vec![64; dims];
    let plan = |device: &Device| -> Result<(Plan<f32>, f64), String> {
        let begin = Instant::now();
        let mut builder = Plan::<f32>::builder(&wavelet, &shape).device(device);
        if let Some(scheme) = scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(strategy) = Strategy::named(strategy) {
            builder = builder.strategy(strategy);
        }
        let plan = builder.build().map_err(|error| error.to_string())?;
        Ok((plan, begin.elapsed().as_secs_f64() * 1e3))
    };
    let first = open()?;
    let (made, compiled) = plan(&first)?;
    let (_, loaded) = plan(&first)?;
    // Another context of the program's: it has loaded nothing yet.
    let (_, cached) = plan(&open()?)?;
    let bytes = made.on_card().map_or(0, |card| card.source().len());
    Ok(format!(
        "| {name} {dims}-D {} | {strategy} | {:.0} | {compiled:.0} | {cached:.1} | {loaded:.2} |",
        made.scheme(),
        bytes as f64 / 1024.0
    ))
}
