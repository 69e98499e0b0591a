//! Puts what `waveloom bench --suite papers --json` measured into the tables of `docs/papers.md`.
//!
//!     waveloom bench --suite papers --device cuda --json papers.json
//!     cargo run -p waveloom-cli --example papers -- docs/papers.md papers.json …
//!
//! A table stands between `<!-- ratios PATTERN -->` or `<!-- times PATTERN -->` and `<!-- end -->`, the
//! cards' names after `<!-- cards -->`, the lengths at which they overtake after `<!-- overtaking -->`; the pattern is that of `--only`, looked for in the names of works. A work that
//! several files hold is taken from the last.

use serde_json::Value;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ =
                std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("error: {error}\n"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [document, reports @ ..] = &words[..] else {
        return Err("expected docs/papers.md and files of 'bench --json'".into());
    };
    let read = |path: &String| -> Result<Value, Box<dyn Error>> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?)
    };
    let reports = reports.iter().map(read).collect::<Result<Vec<Value>, _>>()?;
    let text = std::fs::read_to_string(document).map_err(|error| format!("{document}: {error}"))?;
    Ok(std::fs::write(document, filled(&text, &reports)?)?)
}

/// The document with its tables made anew.
pub fn filled(text: &str, reports: &[Value]) -> Result<String, String> {
    let mut lines = text.lines();
    let mut filled = Vec::new();
    while let Some(line) = lines.next() {
        filled.push(line.to_owned());
        let Some(block) = Block::parse(line) else { continue };
        if !lines.by_ref().any(|line| line == END) {
            return Err(format!("'{line}' has no '{END}'"));
        }
        filled.extend(block.table(reports));
        filled.push(END.to_owned());
    }
    Ok(filled.join("\n") + "\n")
}

const END: &str = "<!-- end -->";

/// What a comment asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Ratios of methods beside published ones.
    Ratios(String),
    /// Times of methods in copies.
    Times(String),
    /// From which lengths on a card is faster than the processor.
    Overtaking,
    /// Which cards were measured, by which version.
    Cards,
}

impl Block {
    /// The block that begins with a line.
    pub fn parse(line: &str) -> Option<Self> {
        let words = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
        match words.split_once(' ') {
            Some(("ratios", pattern)) => Some(Self::Ratios(pattern.to_owned())),
            Some(("times", pattern)) => Some(Self::Times(pattern.to_owned())),
            None if words == "overtaking" => Some(Self::Overtaking),
            None if words == "cards" => Some(Self::Cards),
            _ => None,
        }
    }

    fn table(&self, reports: &[Value]) -> Vec<String> {
        match self {
            Self::Ratios(pattern) => {
                let head = [
                    "| array and wavelet | slower / faster | published | where | here: forward | inverse |",
                    "|---|---|---|---|---|---|",
                ];
                let rows = works(reports, pattern).into_iter().flat_map(ratios);
                head.map(str::to_owned).into_iter().chain(rows).collect()
            }
            Self::Times(pattern) => {
                let head = [
                    "| array and wavelet | method | here, x copy: forward | inverse | GB/s, forward |",
                    "|---|---|---|---|---|",
                ];
                let rows = works(reports, pattern).into_iter().flat_map(times);
                head.map(str::to_owned).into_iter().chain(rows).collect()
            }
            Self::Overtaking => {
                let last =
                    reports.iter().rev().filter_map(|report| report["overtaking"].as_array());
                let lines = last.flatten().filter_map(Value::as_str);
                lines.map(|line| format!("- {line}")).collect()
            }
            Self::Cards => {
                let name = |report: &Value| {
                    let (device, version) = (word(&report["device"]), word(&report["version"]));
                    format!("- {device}, waveloom {version}")
                };
                let mut names: Vec<String> = reports.iter().map(name).collect();
                names.sort();
                names.dedup();
                names.retain(|name| !name.starts_with("- CPU"));
                names
            }
        }
    }
}

/// Whether the parts of a pattern stand in a name, in their order.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    pattern.split('*').all(|part| match rest.split_once(part) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// Works of the last report that has them, in the order of the first.
fn works<'a>(reports: &'a [Value], pattern: &str) -> Vec<&'a Value> {
    let mut found: Vec<&Value> = Vec::new();
    for work in reports.iter().filter_map(|report| report["works"].as_array()).flatten() {
        if !work["name"].as_str().is_some_and(|name| matches(pattern, name)) {
            continue;
        }
        match found.iter_mut().find(|known| known["name"] == work["name"]) {
            Some(known) => *known = work,
            None => found.push(work),
        }
    }
    found
}

fn ratios(work: &Value) -> Vec<String> {
    let all: Vec<&Value> = work["ratios"].as_array().into_iter().flatten().collect();
    let forward = all.iter().filter(|one| one["operation"] == "forward");
    let rows = forward.map(|one| {
        let inverse = all.iter().find(|other| {
            let same = |field| other[field] == one[field];
            other["operation"] == "inverse" && ["over", "under", "source"].into_iter().all(same)
        });
        format!(
            "| {} | {} / {} | {} | {} | {} | {} |",
            short(work),
            word(&one["over"]),
            word(&one["under"]),
            published(&one["published"]),
            word(&one["source"]),
            spread(&one["measured"]),
            inverse.map_or(String::new(), |inverse| spread(&inverse["measured"]))
        )
    });
    rows.collect()
}

fn times(work: &Value) -> Vec<String> {
    let all: Vec<&Value> = work["lines"].as_array().into_iter().flatten().collect();
    let forward = all.iter().filter(|line| line["operation"] == "forward");
    let rows = forward.map(|line| {
        let inverse = all
            .iter()
            .find(|other| other["operation"] == "inverse" && other["method"] == line["method"]);
        let why = |line: &Value| match line["not_available"].as_str() {
            // The processor was asked: nothing is known of the card.
            Some(reason) if reason.contains("needs a card") => "—".to_owned(),
            // A pipe would end the cell.
            Some(reason) => format!("— ({})", reason.replace('|', "/")),
            None => spread(&line["copies"]),
        };
        let rate = line["gigabytes_per_second"].as_f64();
        format!(
            "| {} | {} | {} | {} | {} |",
            short(work),
            word(&line["method"]),
            why(line),
            inverse.map_or(String::new(), |inverse| spread(&inverse["copies"])),
            rate.map_or(String::new(), |rate| format!("{rate:.0}"))
        )
    });
    rows.collect()
}

/// The name of a work without its section.
fn short(work: &Value) -> &str {
    let name = word(&work["name"]);
    name.split_once(": ").map_or(name, |(_, name)| name)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("—")
}

fn spread(value: &Value) -> String {
    let numbers = ["median", "low", "high"].map(|field| value[field].as_f64());
    match numbers {
        [Some(median), Some(low), Some(high)] => format!("{median:.2} ({low:.2}-{high:.2})"),
        _ => "—".to_owned(),
    }
}

/// What is not a number in JSON is infinite, or was not published.
fn published(value: &Value) -> String {
    match (value[0].as_f64(), value[1].as_f64()) {
        (Some(low), Some(high)) if low == high => format!("{low:.2}"),
        (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
        (Some(low), None) => format!("{low:.2} or more"),
        _ => "—".to_owned(),
    }
}
