//! The suite on the card.

use crate::options::Options;
use crate::table::say;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use waveloom::device::Device;
use waveloom_codegen::gpu::Strategy;
use waveloom_snapshots::conformance::{
    Backend, Case, DeviceBackend, Stream, device_text, lists, run_parallel,
};

type Named = (String, Option<Strategy>);

fn strategies(options: &Options) -> Vec<Named> {
    if !options.strategies.is_empty() {
        return options.strategies.clone();
    }
    let names = ["shared", "global", "trapezoid"];
    names.map(|name| (name.to_owned(), Strategy::named(name))).to_vec()
}

/// What is left of the list by `--sample`, `--part`, `--skip-to` and `--limit`, in that order.
fn chosen(options: &Options, backend: &DeviceBackend) -> Result<Vec<Case>, String> {
    let mut cases = lists::cases(options.breadth, &backend.tile_lengths())
        .map_err(|error| error.to_string())?;
    cases.retain(|case| options.wants(&case.to_string()));
    if let Some(count) = options.sample {
        // By a number that has nothing to do with the case, so that every kind gets its share.
        let order = |case: &Case| Stream::for_text(&case.to_string()).below(1 << 30);
        cases.sort_by_cached_key(order);
        cases.truncate(count);
    }
    let (part, parts) = options.part;
    let cases = cases.into_iter().enumerate().filter(|(index, _)| index % parts == part);
    Ok(cases.map(|(_, case)| case).skip(options.skip_to).take(options.limit).collect())
}

/// What mostly decides about a case's text: extents only by whether there is anything to split.
fn kind(case: &Case) -> String {
    let small: Vec<usize> = case.shape.iter().map(|extent| *extent.min(&2)).collect();
    let (wavelet, element, levels) = (case.wavelet.name(), case.element, case.levels.min(2));
    format!("{wavelet} {element:?} {:?} {:?} {small:?} {levels}", case.scheme, case.axes)
}

/// Cases by the text they need, those with the longest text first. Cases without a text come last.
fn by_text(cases: &[Case], strategy: Option<Strategy>, threads: usize) -> Vec<Vec<Case>> {
    let mut kinds: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        kinds.entry(kind(case)).or_default().push(case);
    }
    let kinds: Vec<Vec<&Case>> = kinds.into_values().collect();
    let groups: Mutex<BTreeMap<String, Vec<usize>>> = Mutex::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(kind) = kinds.get(index) else { return };
                    let text = |case: &Case| match strategy {
                        Some(strategy) => device_text(case, strategy),
                        None => device_text(case, Strategy::SHARED)
                            .or_else(|| device_text(case, Strategy::GLOBAL)),
                    };
                    // Illegal cases have none.
                    let text = kind.iter().find_map(|case| text(case)).unwrap_or_default();
                    if let Ok(mut groups) = groups.lock() {
                        groups.entry(text).or_default().push(index);
                    }
                }
            });
        }
    });
    let mut groups: Vec<(String, Vec<usize>)> =
        groups.into_inner().unwrap_or_default().into_iter().collect();
    groups.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    let cases = |mut indices: Vec<usize>| {
        indices.sort_unstable();
        let kinds = indices.iter().filter_map(|index| kinds.get(*index));
        kinds.flatten().map(|case| (*case).clone()).collect()
    };
    groups.into_iter().map(|(_, indices)| cases(indices)).collect()
}

/// Compiles (or loads) one text after another, several at once. Returns how many were done.
fn compile(
    backend: &DeviceBackend,
    groups: &[Vec<Case>],
    threads: usize,
    late: &(dyn Fn() -> bool + Sync),
) -> usize {
    let (next, done, told) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Instant::now()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(cases) = groups.get(index) else { return };
                    if late() {
                        return;
                    }
                    // What is wrong with it shows when the case runs.
                    if let Some(case) = cases.iter().find(|case| case.legality().is_ok()) {
                        drop(backend.prepare(case));
                    }
                    let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                    every_ten_seconds(&told, || {
                        say(&format!("  {count} of {} texts compiled or loaded", groups.len()));
                    });
                }
            });
        }
    });
    done.into_inner()
}

fn every_ten_seconds(told: &Mutex<Instant>, tell: impl FnOnce()) {
    if let Ok(mut last) = told.lock()
        && last.elapsed() > Duration::from_secs(10)
    {
        *last = Instant::now();
        tell();
    }
}

/// Only compiles what the cases need, into the cache.
pub fn compile_only(device: &Device, options: &Options) -> Result<(), String> {
    let begin = Instant::now();
    let (part, parts) = options.part;
    // Parts are of texts here: every process takes its own.
    let all = Options { part: (0, 1), ..options.clone() };
    for (name, strategy) in strategies(options) {
        let backend = DeviceBackend::new(device, strategy, &name).align_rows(options.align_rows);
        let groups = by_text(&chosen(&all, &backend)?, strategy, options.threads);
        let total = groups.len();
        if options.list {
            let (cases, seconds) = (groups.iter().map(Vec::len).sum::<usize>(), begin.elapsed());
            say(&format!(
                "{name}: {cases} cases need {total} texts, {:.1} s",
                seconds.as_secs_f64()
            ));
            continue;
        }
        let groups: Vec<Vec<Case>> = groups.into_iter().skip(part).step_by(parts).collect();
        let done = compile(&backend, &groups, options.threads, &|| options.late(begin));
        let seconds = begin.elapsed().as_secs_f64();
        say(&format!("{name}: {done} of {} texts of {total}, {seconds:.1} s", groups.len()));
    }
    Ok(())
}

/// Runs every strategy asked for; all but the split ones if none is.
pub fn run(device: &Device, options: &Options) -> Result<(), String> {
    let begin = Instant::now();
    let mut failed = Vec::new();
    for (name, strategy) in strategies(options) {
        let backend = DeviceBackend::new(device, strategy, &name).align_rows(options.align_rows);
        let cases = chosen(options, &backend)?;
        say(&format!("{}: {} cases on {} threads", backend.name(), cases.len(), options.threads));
        let groups = by_text(&cases, strategy, options.threads);
        let texts = compile(&backend, &groups, options.threads, &|| options.late(begin));
        let seconds = begin.elapsed().as_secs_f64();
        say(&format!(
            "  {texts} of {} texts compiled or loaded after {seconds:.1} s",
            groups.len()
        ));
        let cases: Vec<Case> = match texts < groups.len() {
            // Whatever has no text yet would only be compiled now.
            true => groups.into_iter().take(texts).flatten().collect(),
            false => cases,
        };
        let told = Mutex::new(Instant::now());
        let total = cases.len();
        let report = run_parallel(&backend, &cases, options.threads, |progress| {
            every_ten_seconds(&told, || {
                let seconds = begin.elapsed().as_secs();
                say(&format!("  {} of {total} cases after {seconds} s", progress.begun));
            });
            for failure in progress.failures {
                let message: String = failure.message.chars().take(600).collect();
                say(&format!("  FAILED {}: {:?}: {message}", failure.case, failure.check));
            }
            if !progress.failures.is_empty()
                && let Some(error) = backend.lost()
            {
                say(&format!("  the card is lost at {}: {error}", progress.case));
                return false;
            }
            !options.late(begin)
        });
        let skipped: usize = report.skipped.values().sum();
        let stopped = if options.late(begin) { ", stopped by --seconds" } else { "" };
        say(&format!(
            "{report}  {} of {total} cases, {:.1} s{stopped}",
            report.run + skipped,
            begin.elapsed().as_secs_f64()
        ));
        if !report.failures.is_empty() || (report.run == 0 && stopped.is_empty()) {
            failed.push(name);
        }
        if backend.lost().is_some() || options.late(begin) {
            break;
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("conformance: {}", failed.join(", "))) }
}
