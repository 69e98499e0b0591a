//! What was found, as rows of a table, as JSON and as CSV.

use super::work::{Claim, Place, Work};
use serde_json::{Value, json};
use waveloom::codegen::kernel::Operation;
use waveloom::measure::Spread;

/// All findings of a work.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The work.
    pub work: Work,
    /// One line for every method and operation.
    pub lines: Vec<Line>,
    /// Ratios of methods.
    pub comparisons: Vec<Comparison>,
    /// Largest error of forward and inverse.
    pub round_trip: Option<f64>,
}

/// A method's time for an operation, or why there is none.
#[derive(Clone, Debug)]
pub struct Line {
    /// The method's name.
    pub method: String,
    /// Where it ran.
    pub place: Place,
    /// Scheme, strategy, launches; for a library its version.
    pub how: String,
    /// What it did.
    pub operation: Operation,
    /// The times, or why there are none.
    pub outcome: Result<Measured, String>,
}

/// Times of a method.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Seconds of one run.
    pub seconds: Spread,
    /// The same as multiples of a copy in the same round.
    pub copies: Spread,
    /// Seconds of the copy.
    pub copy_seconds: Spread,
    /// Number of rounds.
    pub rounds: usize,
}

/// One method's time over another's.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The numerator.
    pub over: String,
    /// The denominator.
    pub under: String,
    /// Which operation.
    pub operation: Operation,
    /// The ratio; `None` if a method is not available.
    pub measured: Option<Spread>,
    /// What was published.
    pub claim: Option<Claim>,
}

impl Measured {
    /// Bytes read and written in GB/s.
    pub fn rate(&self, bytes: usize) -> f64 {
        2.0 * bytes as f64 / self.seconds.median / 1e9
    }
}

impl Findings {
    /// Nothing found yet.
    pub fn of(work: Work) -> Self {
        Self { work, lines: Vec::new(), comparisons: Vec::new(), round_trip: None }
    }

    /// Fills in the ratios: those that papers claim, those against the work's yardstick, and those
    /// of other libraries against the first method.
    pub fn compare(&mut self, ratio: impl Fn(&str, &str, Operation) -> Option<Spread>) {
        let mut pairs: Vec<(String, String, Option<Claim>)> = Vec::new();
        for claim in &self.work.claims {
            pairs.push((claim.over.clone(), claim.under.clone(), Some(claim.clone())));
        }
        let names: Vec<&str> =
            self.work.methods.iter().map(|method| method.name.as_str()).collect();
        if let Some(against) = &self.work.against {
            for name in names.iter().filter(|name| *name != against) {
                pairs.push(((*name).to_owned(), against.clone(), None));
            }
        }
        if let Some(ours) = names.first() {
            let mut peers: Vec<&str> = self.lines.iter().map(|line| line.method.as_str()).collect();
            peers.dedup();
            for peer in peers.iter().filter(|peer| !names.contains(peer)) {
                pairs.push(((*peer).to_owned(), (*ours).to_owned(), None));
            }
        }
        for (over, under, claim) in pairs {
            for operation in self.work.operations {
                let measured = ratio(&over, &under, *operation);
                let (over, under, claim) = (over.clone(), under.clone(), claim.clone());
                let operation = *operation;
                self.comparisons.push(Comparison { over, under, operation, measured, claim });
            }
        }
    }

    /// The goal as `at most / aim` and whether it is met; empty where there is none.
    fn goal(&self, line: &Line, measured: &Measured) -> (String, &'static str) {
        let applies = self.work.against.is_none()
            && self.work.methods.iter().any(|method| method.name == line.method);
        match self.work.goal.filter(|_| applies) {
            None => (String::new(), ""),
            Some(goal) => (goal_text(goal), verdict(measured.copies.median, goal)),
        }
    }

    /// Rows of the table of times.
    pub fn rows(&self) -> Vec<String> {
        let row = |line: &Line| match &line.outcome {
            Ok(measured) => {
                let (goal, verdict) = self.goal(line, measured);
                format!(
                    "| {} | {} | {} | {} | {} | {:.1} | {goal} | {verdict} | {} |",
                    self.work,
                    line.method,
                    line.operation.name(),
                    spread(measured.copies),
                    seconds(measured.seconds.median),
                    measured.rate(self.work.bytes()),
                    line.how
                )
            }
            Err(reason) => format!(
                "| {} | {} | {} | not available | | | | | {reason} |",
                self.work,
                line.method,
                line.operation.name()
            ),
        };
        self.lines.iter().map(row).collect()
    }

    /// Rows of the table of ratios.
    pub fn ratio_rows(&self) -> Vec<String> {
        let row = |one: &Comparison| {
            let measured = one.measured.map_or("not available".to_owned(), spread);
            let (published, source) = match (&one.claim, self.work.goal, &self.work.against) {
                (Some(claim), ..) => (range(claim.published), claim.source.to_owned()),
                (None, Some(goal), Some(_)) => {
                    let verdict = one.measured.map_or("", |found| verdict(found.median, goal));
                    (format!("goal {}", goal_text(goal)), verdict.to_owned())
                }
                _ => match self.work.peers.filter(|_| one.over == "pywavelets") {
                    Some(times) => {
                        let met = one.measured.map(|found| found.median >= times);
                        let verdict = met.map_or("", |met| if met { "met" } else { "missed" });
                        (format!("goal {times:.0} or more"), verdict.to_owned())
                    }
                    None => (String::new(), String::new()),
                },
            };
            format!(
                "| {} | {} / {} | {} | {measured} | {published} | {source} |",
                self.work,
                one.over,
                one.under,
                one.operation.name()
            )
        };
        self.comparisons.iter().map(row).collect()
    }

    /// Everything as an object.
    pub fn json(&self) -> Value {
        let work = &self.work;
        let line = |line: &Line| {
            let mut object = json!({
                "method": line.method,
                "place": place_name(line.place),
                "how": line.how,
                "operation": line.operation.name(),
            });
            match &line.outcome {
                Ok(measured) => {
                    object["seconds"] = spread_json(measured.seconds);
                    object["copies"] = spread_json(measured.copies);
                    object["copy_seconds"] = spread_json(measured.copy_seconds);
                    object["rounds"] = json!(measured.rounds);
                    object["gigabytes_per_second"] = json!(measured.rate(work.bytes()));
                }
                Err(reason) => object["not_available"] = json!(reason),
            }
            object
        };
        let comparison = |one: &Comparison| {
            json!({
                "over": one.over,
                "under": one.under,
                "operation": one.operation.name(),
                "measured": one.measured.map(spread_json),
                "published": one.claim.as_ref().map(|claim| [claim.published.0, claim.published.1]),
                "source": one.claim.as_ref().map(|claim| claim.source),
            })
        };
        json!({
            "name": work.to_string(),
            "section": work.section,
            "array": work.array,
            "shape": work.shape,
            "axes": work.axes,
            "bytes": work.bytes(),
            "element": work.element.name(),
            "wavelet": work.wavelet,
            "mode": work.mode.to_string(),
            "levels": work.levels,
            "goal": work.goal.map(|(most, _)| most),
            "aim": work.goal.and_then(|(_, aim)| aim),
            "against": work.against,
            "round_trip": self.round_trip,
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(),
            "ratios": self.comparisons.iter().map(comparison).collect::<Vec<_>>(),
        })
    }

    /// Lines of a CSV file under [`CSV_HEAD`].
    pub fn csv(&self) -> Vec<String> {
        let work = &self.work;
        let row = |line: &Line| {
            let mut cells = vec![
                work.section.to_owned(),
                work.array.clone(),
                work.shape.iter().product::<usize>().to_string(),
                work.bytes().to_string(),
                work.wavelet.to_owned(),
                work.mode.to_string(),
                work.levels.to_string(),
                work.element.name().to_owned(),
                line.method.clone(),
                place_name(line.place).to_owned(),
                line.operation.name().to_owned(),
            ];
            match &line.outcome {
                Ok(measured) => {
                    let (s, c) = (measured.seconds, measured.copies);
                    let numbers = [s.median, s.low, s.high, c.median, c.low, c.high];
                    cells.extend(numbers.map(|number| format!("{number:e}")));
                    cells.push(format!("{}", measured.rate(work.bytes())));
                    cells.push(work.goal.map_or(String::new(), |(most, _)| most.to_string()));
                    cells.push(line.how.clone());
                }
                Err(reason) => {
                    cells.extend(std::iter::repeat_n(String::new(), 8));
                    cells.push(format!("not available: {reason}"));
                }
            }
            cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
        };
        self.lines.iter().map(row).collect()
    }
}

/// Names of the columns of the CSV file.
pub const CSV_HEAD: &str = "section,array,elements,bytes,wavelet,mode,levels,element,method,place,operation,seconds,seconds_low,seconds_high,copies,copies_low,copies_high,gigabytes_per_second,goal,how";
/// Head of the table of times.
pub const HEAD: &str = "| work | method | operation | x copy (quartiles) | time | GB/s | goal / aim | verdict | how |\n|---|---|---|---|---|---|---|---|---|";
/// Head of the table of ratios.
pub const RATIO_HEAD: &str = "| work | ratio of times | operation | measured (quartiles) | published or goal | source or verdict |\n|---|---|---|---|---|---|";

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::Host => "cpu",
        Place::Card => "card",
        Place::Transfers => "card with transfers",
        Place::Overlapped => "card with overlapped transfers",
    }
}

fn spread(of: Spread) -> String {
    format!("{:.2} ({:.2}-{:.2})", of.median, of.low, of.high)
}

fn range((low, high): (f64, f64)) -> String {
    match (low, high) {
        (low, _) if low.is_nan() => String::new(),
        (low, f64::INFINITY) => format!("{low} or more"),
        (low, high) if low == high => format!("{low:.2}"),
        (low, high) => format!("{low:.2} to {high:.2}"),
    }
}

fn goal_text((most, aim): (f64, Option<f64>)) -> String {
    aim.map_or(format!("{most:.2}"), |aim| format!("{most:.2} / {aim:.2}"))
}

fn verdict(ratio: f64, (most, aim): (f64, Option<f64>)) -> &'static str {
    match ratio {
        ratio if ratio.is_nan() || ratio > most => "missed",
        ratio if aim.is_some_and(|aim| ratio > aim) => "met",
        _ if aim.is_some() => "aim met",
        _ => "met",
    }
}

fn seconds(value: f64) -> String {
    crate::describe::duration(std::time::Duration::from_secs_f64(value.max(0.0)))
}

fn spread_json(of: Spread) -> Value {
    json!({ "median": of.median, "low": of.low, "high": of.high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::work::{BOTH, Method};
    use waveloom::wavelets::Mode;

    #[test]
    fn what_was_not_measured_is_not_met() {
        assert_eq!(verdict(f64::NAN, (1.5, Some(1.1))), "missed");
        assert_eq!(verdict(1.5, (1.5, Some(1.1))), "met");
        assert_eq!(verdict(1.0, (1.5, Some(1.1))), "aim met");
        assert_eq!(verdict(1.6, (1.5, None)), "missed");
    }

    fn findings() -> Findings {
        let spread = |median: f64| Spread { low: median / 2.0, median, high: median * 2.0 };
        let method = Method::new("ours", Place::Host);
        let work = Work::new("speed", &[1000], "haar", Mode::Zero).methods([method]);
        let claim = Claim::new("theirs", "ours", (5.0, 10.0), "Table 9, another card");
        let work = Work { goal: Some((1.5, Some(1.1))), ..work.claims([claim]) };
        let mut findings = Findings::of(work);
        for (method, median) in [("ours", 1e-6), ("theirs", 9e-6)] {
            for operation in BOTH {
                findings.lines.push(Line {
                    method: method.to_owned(),
                    place: Place::Host,
                    how: "x, \"y\"".to_owned(),
                    operation: *operation,
                    outcome: Ok(Measured {
                        seconds: spread(median),
                        copies: spread(median * 1e6),
                        copy_seconds: spread(1e-6),
                        rounds: 7,
                    }),
                });
            }
        }
        findings.compare(|_, _, _| Some(spread(9.0)));
        findings
    }

    #[test]
    fn rows_tell_goal_claim_and_rate() {
        let findings = findings();
        let rows = findings.rows();
        assert_eq!(rows.len(), 4);
        assert!(rows[0].contains("1.00 (0.50-2.00)") && rows[0].contains("aim met"), "{}", rows[0]);
        // 4000 bytes in and out in a microsecond.
        assert!(rows[0].contains("| 8.0 |"), "{}", rows[0]);
        assert!(!rows[2].contains("missed"), "another library has no goal: {}", rows[2]);
        let ratios = findings.ratio_rows();
        assert!(ratios[0].contains("theirs / ours") && ratios[0].contains("5.00 to 10.00"));
        assert_eq!(findings.json()["ratios"][0]["published"], json!([5.0, 10.0]));
        assert!(findings.csv()[0].ends_with("\"x, \"\"y\"\"\""));
        let columns = CSV_HEAD.split(',').count();
        assert_eq!(findings.csv()[0].split(",").count(), columns + 1);
    }

    #[test]
    fn what_is_missing_is_told() {
        let mut findings = findings();
        findings.lines[3].outcome = Err("no such strategy".to_owned());
        assert!(findings.rows()[3].contains("not available | | | | | no such strategy"));
        assert_eq!(findings.json()["lines"][3]["not_available"], "no such strategy");
        assert_eq!(findings.csv()[3].split(',').count(), CSV_HEAD.split(',').count());
        assert_eq!(verdict(1.6, (1.5, None)), "missed");
        assert_eq!(verdict(1.3, (1.5, Some(1.1))), "met");
    }
}
