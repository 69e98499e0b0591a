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
type Check = fn(&Device) -> Result<String, String>;

const CHECKS: [(&str, Check); 12] = [
    ("tile sizes, lines", agree::tile_lines),
    ("tile sizes, planes", agree::tile_planes),
    ("1 x N and N x 1", agree::thin),
    ("batches of 70,000", agree::batches),
    ("integers across tile shapes", agree::integers),
    ("two plans on two threads and streams", sharing::two_plans),
    ("capture and replay", sharing::capture),
    ("out of memory", memory::exhausted),
    ("beyond 2^31 elements, f32", huge::line),
    ("beyond 2^31 elements, i16", huge::integers),
    ("beyond 2^31 elements, across lines", huge::lanes),
    ("more blocks than a launch has", huge::blocks),
];

/// Runs the checks that are wanted.
pub fn run(device: &Device, options: &Options) -> Result<(), String> {
    let mut failed = Vec::new();
    for (name, check) in CHECKS.into_iter().filter(|(name, _)| options.wants(name)) {
        if options.list {
            say(name);
            continue;
        }
        let begin = Instant::now();
        let outcome = guarded(|| check(device));
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
