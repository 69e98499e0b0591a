//! Puchala and Stokfiszewski, *Highly effective GPU realization of discrete wavelet transform for
//! big-data problems*: one-dimensional lattices against convolution, GTX 960 and RTX 2060.

use crate::bench::report::Findings;
use crate::bench::work::{Claim, FORWARD, Method, Place, Work};
use waveloom::wavelets::{Mode, SchemeKind};

/// Wavelets by filter length `M`.
const FILTERS: [(usize, &str); 5] =
    [(4, "db2"), (8, "db4"), (16, "db8"), (24, "db12"), (32, "db16")];

/// From 1024 to 1024 · 10^5, and beyond.
const LENGTHS: [usize; 7] = [1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 24, 102_400_000, 1 << 28];

/// Where one thread of the processor is compared with the card.
const SHORT: [usize; 8] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 16, 1 << 20, 1 << 24];

const RATIOS: &str = "puchala";
const CROSSOVER: &str = "puchala crossover";

/// Figures 6 and 7, then the comparison with the processor.
pub fn works() -> Vec<Work> {
    let mut works = Vec::new();
    for (taps, wavelet) in FILTERS {
        for len in LENGTHS {
            works.push(ratios(taps, wavelet, len));
        }
    }
    for (_, wavelet) in FILTERS {
        for len in SHORT {
            works.push(crossover(wavelet, len));
        }
    }
    works
}

fn ratios(taps: usize, wavelet: &'static str, len: usize) -> Work {
    let methods = [
        Method::on_card("convolution", SchemeKind::Convolution, "global"),
        Method::on_card("convolution, taps in memory", SchemeKind::Convolution, "global-taps"),
        Method::on_card("naive lattice", SchemeKind::Lattice, "launch"),
        Method::on_card("trapezoid lattice", SchemeKind::Lattice, "trapezoid"),
        Method::on_card("lattice in registers", SchemeKind::Lattice, "stream"),
    ];
    let trapezoid = "trapezoid lattice";
    let mut claims = Vec::new();
    let mut add = |over: &str, under: &str, published, source| {
        claims.push(Claim::new(over, under, published, source));
    };
    for convolution in ["convolution", "convolution, taps in memory"] {
        match taps {
            4 => {
                add(convolution, trapezoid, (1.0, 1.25), "Fig. 7(b), RTX 2060");
                add(convolution, trapezoid, (1.9, 1.9), "Fig. 7(a), GTX 960, N > 10^4");
            }
            8 => {
                add(convolution, trapezoid, (1.0, 1.5), "Fig. 7(b), RTX 2060");
                add(convolution, trapezoid, (3.4, 3.4), "Fig. 7(a), GTX 960, N > 10^4");
            }
            24 => {
                add(convolution, trapezoid, (5.0, f64::INFINITY), "Fig. 7(a), GTX 960, long data")
            }
            32 => {
                add(convolution, trapezoid, (2.0, 2.0), "Fig. 7(b), RTX 2060, long data");
                add(convolution, trapezoid, (5.0, f64::INFINITY), "Fig. 7(a), GTX 960, long data");
            }
            _ => {}
        }
        add("naive lattice", convolution, (1.0 / 0.3, 10.0), "section 4, RTX 2060");
    }
    let work = Work::new(RATIOS, &[len], wavelet, Mode::Circular).methods(methods).claims(claims);
    Work { operations: FORWARD, ..work }
}

fn crossover(wavelet: &'static str, len: usize) -> Work {
    let host =
        |name: &str, scheme| Method { scheme: Some(scheme), ..Method::new(name, Place::Host) };
    let methods = [
        host("one thread, convolution", SchemeKind::Convolution),
        host("one thread, lattice", SchemeKind::Lattice),
        Method::on_card("trapezoid lattice", SchemeKind::Lattice, "trapezoid"),
    ];
    let claims = [
        Claim::new(
            "one thread, convolution",
            "trapezoid lattice",
            (0.2, 200.0),
            "section 4, RTX 2060 and i7-9700; below 1 for MN <= 16384",
        ),
        Claim::new(
            "one thread, lattice",
            "trapezoid lattice",
            (0.2, 120.0),
            "section 4, RTX 2060 and i7-9700; below 1 for MN <= 32768",
        ),
    ];
    let work =
        Work::new(CROSSOVER, &[len], wavelet, Mode::Circular).methods(methods).claims(claims);
    Work { operations: FORWARD, ..work }
}

/// The M · N from which on the card is faster than one thread, for every method of the processor
/// and every filter length, as far as it was measured.
pub fn overtaking(findings: &[Findings]) -> Vec<String> {
    let mut lines = Vec::new();
    for (method, published) in
        [("one thread, convolution", 16_384), ("one thread, lattice", 32_768)]
    {
        for (taps, wavelet) in FILTERS {
            let mut ratios: Vec<(usize, f64)> = findings
                .iter()
                .filter(|found| found.work.section == CROSSOVER && found.work.wavelet == wavelet)
                .filter_map(|found| {
                    let one = found.comparisons.iter().find(|one| one.over == method)?;
                    Some((found.work.shape.iter().product(), one.measured?.median))
                })
                .collect();
            ratios.sort_by_key(|(len, _)| *len);
            if ratios.is_empty() {
                continue;
            }
            // Behind the last length at which the processor still wins.
            let slower = ratios.iter().rposition(|(_, ratio)| *ratio < 1.0);
            let from = ratios.get(slower.map_or(0, |last| last + 1));
            let from = from.map_or("no length measured".to_owned(), |(len, _)| {
                format!("N = {len} (M N = {})", taps * len)
            });
            let most = ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
            lines.push(format!(
                "M = {taps}, {method}: the card overtakes from {from} on (published: M N > {published}), at most {most:.1} times faster"
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom::measure::Spread;

    #[test]
    fn the_crossing_is_behind_the_last_length_that_the_processor_wins() {
        let found: Vec<Findings> = SHORT
            .iter()
            .map(|len| {
                let mut findings = Findings::of(crossover("db4", *len));
                let median = *len as f64 / 5000.0;
                findings.compare(|_, _, _| Some(Spread { low: median, median, high: median }));
                findings
            })
            .collect();
        let lines = overtaking(&found);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("N = 8192 (M N = 65536)"), "{}", lines[0]);
    }
}
