//! What a card could get wrong beyond the suite: sizes, sharing, memory, capture.

mod agree;
mod huge;
mod memory;
mod sharing;

use crate::options::Options;
use crate::table::{guarded, say};
use std::time::Instant;
use waveloom::device::Device;

/// A check: what it looked at, or what was wrong.
type Check = fn(&Device, &Options) -> Result<String, String>;

const CHECKS: [(&str, Check); 12] = [
    ("tile sizes, lines", agree::tile_lines),
    ("tile sizes, planes", agree::tile_planes),
    ("1 x N and N x 1", agree::thin),
    ("batches of 70,000", agree::batches),
    ("integers across tile shapes", agree::integers),
    ("two plans on two threads and streams", |device, _| sharing::two_plans(device)),
    ("capture and replay", |device, _| sharing::capture(device)),
    ("out of memory", |device, _| memory::exhausted(device)),
    ("beyond 2^31 elements, f32", |device, _| huge::line(device)),
    ("beyond 2^31 elements, i16", |device, _| huge::integers(device)),
    ("beyond 2^31 elements, across lines", |device, _| huge::lanes(device)),
    ("more blocks than a launch has", |device, _| huge::blocks(device)),
];

/// Runs the checks that are wanted.
pub fn run(device: &Device, options: &Options) -> Result<(), String> {
    let (start, mut failed) = (Instant::now(), Vec::new());
    for (name, check) in CHECKS.into_iter().filter(|(name, _)| options.wants(name)) {
        if options.list {
            say(name);
            continue;
        }
        if options.late(start) {
            say(&format!("not run {name}: the time of --seconds is over"));
            continue;
        }
        let begin = Instant::now();
        let left = options.left(start);
        let outcome = guarded(|| check(device, &left));
        let seconds = begin.elapsed().as_secs_f64();
        match outcome {
            Ok(what) => say(&format!("ok      {name}: {what} ({seconds:.1} s)")),
            Err(what) => {
                say(&format!("FAILED  {name}: {what} ({seconds:.1} s)"));
                failed.push(name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("stress: {}", failed.join("; "))) }
}

/// Any error as text, cut to its first lines.
fn text(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().take(6).collect::<Vec<_>>().join(" ")
}
