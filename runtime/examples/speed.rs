//! Times transforms as multiples of a one-thread memory copy of the same bytes, copies and
//! transforms taking turns.
//!
//! `cargo run --release --example speed [--quick] [--scheme=NAME] [--length=N] [FILTER]`: `FILTER`
//! keeps the lines that contain it, and lines of one dimension have `N` samples.

use std::hint::black_box;
use std::time::{Duration, Instant};
use waveloom::codegen::Operation;
use waveloom::wavelets::{Mode, SchemeKind, catalogue};
use waveloom::{Element, Plan, Threads};

struct Line {
    wavelet: &'static str,
    shape: Vec<usize>,
    levels: usize,
    mode: Mode,
    operation: Operation,
    scheme: Option<SchemeKind>,
    threads: Threads,
    at_most: f64,
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// What was measured.
struct Measured {
    /// Multiples of memcpy: of the medians, and of the shortest times.
    multiples: [f64; 2],
    /// Nanoseconds per sample, of the shortest time.
    ns: f64,
    scheme: SchemeKind,
}

/// Times a line.
fn measure<T: Element>(line: &Line, of: impl Fn(usize) -> T, budget: f64) -> Option<Measured> {
    let wavelet = catalogue::wavelet(line.wavelet).ok()?;
    let mut builder = Plan::<T>::builder(&wavelet, &line.shape)
        .levels(line.levels)
        .mode(line.mode)
        .threads(line.threads);
    if let Some(scheme) = line.scheme {
        builder = builder.scheme(scheme);
    }
    let plan = match builder.build() {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("{}: {error}", line.wavelet);
            return None;
        }
    };
    let mut workspace = plan.workspace();
    let signal: Vec<T> = (0..plan.signal_len()).map(&of).collect();
    let mut coefficients = vec![T::default(); plan.coefficient_len()];
    plan.forward(&signal, &mut coefficients, &mut workspace).ok()?;
    let (input, mut output) = match line.operation {
        Operation::Forward | Operation::AdjointInverse => (signal.clone(), coefficients),
        _ => (coefficients, signal.clone()),
    };
    let mut copy = vec![T::default(); signal.len()];
    let (mut copies, mut transforms) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    while transforms.len() < 5
        || (begin.elapsed().as_secs_f64() < budget && transforms.len() < 2000)
    {
        copies.push(time(|| copy.copy_from_slice(black_box(&signal))));
        black_box(&copy);
        transforms.push(time(|| {
            let done = plan.execute(line.operation, black_box(&input), &mut output, &mut workspace);
            assert!(done.is_ok());
        }));
        black_box(&output);
    }
    let shortest = |times: &[Duration]| times.iter().min().map_or(0.0, Duration::as_secs_f64);
    let (copy, transform) = (shortest(&copies), shortest(&transforms));
    let ns = transform * 1e9 / plan.signal_len() as f64;
    let multiples = [median(transforms) / median(copies), transform / copy];
    Some(Measured { multiples, ns, scheme: plan.scheme() })
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick =
        arguments.iter().position(|a| a == "--quick").map(|i| arguments.remove(i)).is_some();
    let scheme = arguments.iter().position(|a| a.starts_with("--scheme="));
    let scheme = scheme.map(|i| arguments.remove(i)).and_then(|a| {
        SchemeKind::ALL.into_iter().find(|kind| a.ends_with(&format!("={}", kind.name())))
    });
    let length = arguments.iter().position(|a| a.starts_with("--length="));
    let length = length.map(|i| arguments.remove(i));
    let length = length.and_then(|a| a["--length=".len()..].parse().ok()).unwrap_or(1 << 24);
    let filter = arguments.first().cloned().unwrap_or_default();
    let budget = if quick { 0.3 } else { 2.0 };

    let mut lines = Vec::new();
    let modes = [Mode::Periodization, Mode::Symmetric];
    let mut add = |wavelet, shape: &[usize], levels, mode, operation, threads, at_most| {
        let shape = shape.to_vec();
        lines.push(Line { wavelet, shape, levels, mode, operation, scheme, threads, at_most });
    };
    let (forward, inverse) = (Operation::Forward, Operation::Inverse);
    let single = Threads::Single;
    for mode in modes {
        let long = length;
        for wavelet in ["haar", "db4", "bior4.4", "irr97"] {
            add(wavelet, &[long], 1, mode, forward, single, 1.25);
            add(wavelet, &[long], 1, mode, inverse, single, 1.25);
        }
        add("db16", &[long], 1, mode, forward, single, 1.6);
        add("db16", &[long], 1, mode, inverse, single, 1.6);
        for wavelet in ["haar", "db4", "bior4.4"] {
            add(wavelet, &[long], 5, mode, forward, single, 1.8);
            add(wavelet, &[long], 5, mode, inverse, single, 1.8);
        }
        for side in [2048, 4096] {
            for (levels, at_most) in [(1, 1.8), (4, 2.2)] {
                for wavelet in ["haar", "db4", "bior4.4", "irr97"] {
                    add(wavelet, &[side, side], levels, mode, forward, single, at_most);
                    add(wavelet, &[side, side], levels, mode, inverse, single, at_most);
                }
            }
        }
        for wavelet in ["haar", "bior2.2"] {
            add(wavelet, &[256, 256, 256], 1, mode, forward, single, 2.8);
            add(wavelet, &[256, 256, 256], 1, mode, inverse, single, 2.8);
        }
        add("bior4.4", &[512, 512], 4, mode, forward, single, 8.0);
        add("bior4.4", &[512, 512], 4, mode, inverse, single, 8.0);
        add("bior4.4", &[4096, 4096], 1, mode, forward, Threads::Count(2), 1.1);
        add("bior4.4", &[4096, 4096], 1, mode, inverse, Threads::Count(2), 1.1);
    }
    for (levels, at_most) in [(1, 2.0), (4, 2.4)] {
        add("rev53", &[2048, 2048], levels, Mode::Jpeg2000, forward, single, at_most);
        add("rev53", &[2048, 2048], levels, Mode::Jpeg2000, inverse, single, at_most);
    }
    for line in &lines {
        let name = format!(
            "{} {:?} levels {} {} {:?} {:?}",
            line.wavelet, line.shape, line.levels, line.mode, line.operation, line.threads
        );
        if !name.contains(&filter) {
            continue;
        }
        let report = |element: &str, result: Option<Measured>| {
            if let Some(Measured { multiples: [typical, best], ns, scheme }) = result {
                let verdict = if typical.min(best) <= line.at_most { "" } else { "  MISSED" };
                println!(
                    "{typical:6.2} best {best:5.2} (at most {:.2}) {ns:6.3} ns  {element} {name} \
                     {scheme}{verdict}",
                    line.at_most
                );
            }
        };
        if line.wavelet == "rev53" {
            report("i32", measure::<i32>(line, |i| (i * 7919 % 256) as i32, budget));
            report("i16", measure::<i16>(line, |i| (i * 7919 % 256) as i16, budget));
        } else {
            report("f32", measure::<f32>(line, |i| (i * 7919 % 1000) as f32, budget));
            if line.shape.len() == 1 {
                report("f64", measure::<f64>(line, |i| (i * 7919 % 1000) as f64, budget));
            }
        }
    }
}
