//! `waveloom bench`: what transforms cost, in copies of the same bytes.

mod papers;
mod peer;
mod report;
mod runner;
mod speed;
mod work;

pub use peer::NAMES as PEERS;
pub use report::{Findings, Line};

use crate::args::{BenchArgs, Suite};
use crate::commands::analysis::check_picture;
use crate::console::{Console, labelled_bar};
use crate::error::{End, Failure, Outcome};
use crate::files::atomic;
use crate::plot;
use crate::session::Session;
use crate::strategy;
use peer::Peer;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use waveloom::codegen::gpu::Strategy;
use waveloom::device::{Device, Selection};
use waveloom::measure::Budget;
use work::{Place, Work};

/// Compiling threads beside the one that measures.
const COMPILERS: usize = 8;

/// Lists or measures the works of a suite.
pub fn run(args: &BenchArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    if let Some(name) = args.strategy.as_deref().filter(|name| Strategy::named(name).is_none()) {
        return Err(strategy::unknown(name).into());
    }
    // A list needs no card.
    let on_card = match session.device {
        Selection::Cpu => false,
        Selection::Cuda(_) => true,
        Selection::Auto => !session.open_device()?.is_cpu(),
    };
    let works = chosen(args, on_card);
    if works.is_empty() {
        let suite = args.suite.name();
        let message = format!(
            "nothing that suite {suite} measures here has such a name; 'bench --suite {suite} --list' shows all"
        );
        return Err(Failure::of_option("--only", message).into());
    }
    if args.list {
        let files = [
            ("--json", args.json.is_some()),
            ("--csv", args.csv.is_some()),
            ("--plot", args.plot.is_some()),
        ];
        if let Some((option, _)) = files.into_iter().find(|(_, given)| *given) {
            let message = "tells what was measured, but --list measures nothing";
            return Err(Failure::of_option(option, message).into());
        }
        for work in &works {
            for method in &work.methods {
                console.line(work.name_of(method))?;
            }
        }
        return Ok(());
    }
    let device = session.open_device()?;
    if device.is_cpu() && args.strategy.is_some() {
        let message = "chooses a card's kernels, but the processor is measured";
        return Err(Failure::of_option("--strategy", message).into());
    }
    let files = [args.csv.as_deref(), args.plot.as_deref(), args.json_file()];
    for file in files.into_iter().flatten() {
        atomic::check_target(file)?;
    }
    if let Some(path) = &args.plot {
        check_picture(path, "--plot")?;
    }
    let (mut peers, missing) = peers(args, &works);
    let to_output = args.json.is_some() && args.json_file().is_none();
    if !to_output {
        head(console, args, &device, &peers, &missing)?;
    }
    let findings = measure(args, &device, &works, &mut peers, console, !to_output)?;
    if !to_output {
        ratios(console, &findings)?;
    }
    if args.json.is_some() {
        let whole = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "device": device.to_string(),
            "suite": args.suite.name(),
            "repetitions": args.repetitions.0,
            "seconds": args.seconds,
            "peers": peers.iter().map(Peer::label).collect::<Vec<_>>(),
            "peers_missing": missing,
            "works": findings.iter().map(Findings::json).collect::<Vec<_>>(),
            "overtaking": papers::overtaking(&findings),
        });
        match args.json_file() {
            Some(path) => write_text(path, &format!("{whole:#}\n"))?,
            None => console.line(whole.to_string())?,
        }
    }
    if let Some(path) = &args.csv {
        let lines = findings.iter().flat_map(Findings::csv);
        let text: Vec<String> = std::iter::once(report::CSV_HEAD.to_owned()).chain(lines).collect();
        write_text(path, &(text.join("\n") + "\n"))?;
    }
    if let Some(path) = &args.plot {
        plot::rates(path, &findings)?;
    }
    Ok(())
}

/// The works of the suite on this device, reduced to the methods that `--only` names.
fn chosen(args: &BenchArgs, on_card: bool) -> Vec<Work> {
    let mut works = match (args.suite, on_card) {
        (Suite::Speed, false) => speed::host(),
        (Suite::Speed, true) => speed::card(),
        (Suite::Papers, _) => papers::works(),
    };
    for work in &mut works {
        let named = work.clone();
        let against = work.against.clone();
        work.methods.retain(|method| {
            // A work's yardstick stays with whatever is compared to it.
            let yardstick = against.as_ref() == Some(&method.name);
            yardstick || args.only.iter().all(|only| only.matches(&named.name_of(method)))
        });
        for method in work.methods.iter_mut().filter(|method| method.place != Place::Host) {
            if args.suite == Suite::Speed {
                method.strategy = args.strategy.clone().or(method.strategy.take());
            }
        }
        if against.is_some() && work.methods.len() < 2 {
            work.methods.clear();
        }
    }
    works.retain(|work| !work.methods.is_empty());
    works
}

/// The libraries that were asked for and can be used, and why others cannot.
fn peers(args: &BenchArgs, works: &[Work]) -> (Vec<Peer>, Vec<String>) {
    let (mut peers, mut missing) = (Vec::new(), Vec::new());
    for name in &args.peer {
        if !works.iter().any(|work| work.peers.is_some()) {
            missing.push(format!("{}: this suite compares no other libraries", name.0));
            continue;
        }
        match Peer::start(name.0, &args.python) {
            Ok(peer) => peers.push(peer),
            Err(failure) => missing.push(failure.to_string()),
        }
    }
    (peers, missing)
}

fn head(
    console: &mut Console<'_>,
    args: &BenchArgs,
    device: &Device,
    peers: &[Peer],
    missing: &[String],
) -> std::io::Result<()> {
    console.line(format!(
        "{}; multiples of a copy of the same bytes in the same rounds; medians of at most {} rounds or {} s",
        if device.is_cpu() { "the processor, one thread".to_owned() } else { device.to_string() },
        args.repetitions.0,
        args.seconds
    ))?;
    for peer in peers {
        console.line(format!("beside: {}", peer.label()))?;
    }
    for reason in missing {
        console.line(format!("skipped: {reason}"))?;
    }
    console.line("")?;
    console.line(report::HEAD)?;
    console.flush()
}

fn ratios(console: &mut Console<'_>, findings: &[Findings]) -> std::io::Result<()> {
    if findings.iter().any(|found| !found.comparisons.is_empty()) {
        console.line("")?;
        console.line(report::RATIO_HEAD)?;
        for row in findings.iter().flat_map(Findings::ratio_rows) {
            console.line(row)?;
        }
    }
    let overtaking = papers::overtaking(findings);
    if !overtaking.is_empty() {
        console.line("")?;
        for line in overtaking {
            console.line(line)?;
        }
    }
    Ok(())
}

/// Measures every work; on a card, other threads compile ahead.
fn measure(
    args: &BenchArgs,
    device: &Device,
    works: &[Work],
    peers: &mut [Peer],
    console: &mut Console<'_>,
    tell: bool,
) -> Result<Vec<Findings>, End> {
    let budget =
        Budget { seconds: args.seconds, repetitions: args.repetitions.0, ..Budget::default() };
    let bar = labelled_bar(console, works.len() as u64);
    let (next, compiled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stop = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let compilers = if device.is_cpu() { 0 } else { COMPILERS.min(cores.saturating_sub(1)) };
    std::thread::scope(|scope| {
        for _ in 0..compilers {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(work) = works.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        return;
                    };
                    runner::compile(work, device);
                    compiled.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut findings = Vec::with_capacity(works.len());
        let mut told = Ok(());
        for work in works {
            bar.set_message(work.to_string());
            // The processor is measured once nobody else uses it.
            let on_host = work.methods.iter().any(|method| method.place != Place::Card);
            while on_host && compilers > 0 && compiled.load(Ordering::Relaxed) < works.len() {
                std::thread::sleep(Duration::from_millis(20));
            }
            let found = runner::run(work, device, &budget, peers);
            if tell {
                told = bar.suspend(|| {
                    found.rows().iter().try_for_each(|row| console.line(row))?;
                    console.flush()
                });
            }
            findings.push(found);
            bar.inc(1);
            if told.is_err() {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        bar.finish_and_clear();
        told?;
        Ok(findings)
    })
}

fn write_text(path: &Path, text: &str) -> Outcome<()> {
    atomic::write(path, |writer| writer.write_all(text.as_bytes()).map_err(Failure::plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> Vec<Work> {
        [speed::host(), speed::card(), papers::works()].concat()
    }

    #[test]
    fn every_method_has_a_name_of_its_own() {
        for suite in [speed::host(), speed::card(), papers::works()] {
            let mut names = BTreeSet::new();
            for work in suite {
                for method in &work.methods {
                    assert!(names.insert(work.name_of(method)), "{}", work.name_of(method));
                }
            }
            assert!(names.len() > 50, "{}", names.len());
        }
    }

    #[test]
    fn claims_and_yardsticks_name_methods_of_their_work() {
        for work in all() {
            let known = |name: &str| work.methods.iter().any(|method| method.name == name);
            for claim in &work.claims {
                assert!(known(&claim.over) && known(&claim.under), "{work}: {claim:?}");
            }
            assert!(work.against.as_deref().is_none_or(known), "{work}");
        }
    }

    #[test]
    fn every_work_is_a_transform() {
        use waveloom::wavelets::catalogue;
        use waveloom::wavelets::geometry::Decomposition;
        for work in all() {
            let wavelet = catalogue::wavelet(work.wavelet).unwrap();
            for method in &work.methods {
                let mode = method.mode.unwrap_or(work.mode);
                let lengths: Vec<usize> = work.axes.iter().map(|axis| work.shape[*axis]).collect();
                let levels = method.levels.unwrap_or(work.levels);
                let done = Decomposition::new(&wavelet.frame(), mode, &lengths, &[], levels);
                assert!(done.is_ok(), "{}: {done:?}", work.name_of(method));
                if let Some(scheme) = method.scheme {
                    let made = wavelet.scheme(scheme, work.axes.len());
                    assert!(made.is_ok(), "{}: {made:?}", work.name_of(method));
                }
                assert_eq!(wavelet.is_rounded(), work.element.is_integer(), "{work}");
            }
        }
    }
}
