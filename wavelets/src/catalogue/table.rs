//! The tabulated filters.

use crate::bank::{Filter, FilterBank};

/// Low-pass filters, one wavelet a line.
const TAPS: &str = include_str!("taps.txt");

/// PyWavelets' discrete wavelets, family by family.
pub(super) const NAMES: [&str; 106] = [
    "haar", "db1", "db2", "db3", "db4", "db5", "db6", "db7", "db8", "db9", "db10", "db11", "db12",
    "db13", "db14", "db15", "db16", "db17", "db18", "db19", "db20", "db21", "db22", "db23", "db24",
    "db25", "db26", "db27", "db28", "db29", "db30", "db31", "db32", "db33", "db34", "db35", "db36",
    "db37", "db38", "sym2", "sym3", "sym4", "sym5", "sym6", "sym7", "sym8", "sym9", "sym10",
    "sym11", "sym12", "sym13", "sym14", "sym15", "sym16", "sym17", "sym18", "sym19", "sym20",
    "coif1", "coif2", "coif3", "coif4", "coif5", "coif6", "coif7", "coif8", "coif9", "coif10",
    "coif11", "coif12", "coif13", "coif14", "coif15", "coif16", "coif17", "bior1.1", "bior1.3",
    "bior1.5", "bior2.2", "bior2.4", "bior2.6", "bior2.8", "bior3.1", "bior3.3", "bior3.5",
    "bior3.7", "bior3.9", "bior4.4", "bior5.5", "bior6.8", "rbio1.1", "rbio1.3", "rbio1.5",
    "rbio2.2", "rbio2.4", "rbio2.6", "rbio2.8", "rbio3.1", "rbio3.3", "rbio3.5", "rbio3.7",
    "rbio3.9", "rbio4.4", "rbio5.5", "rbio6.8", "dmey",
];

/// The lines of the table: name, and `lo` or `lo ; rec_lo`.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    TAPS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

fn numbers(text: &str) -> Vec<f64> {
    let number = |word: &str| {
        word.parse().expect("the table holds numbers only: a test reads every line of it")
    };
    text.split_whitespace().map(number).collect()
}

/// The high-pass filter that goes with the other side's low-pass: `hi[n] = (-1)^n lo[M-1-n]`.
pub(super) fn alternating_flip(low: &[f64]) -> Vec<f64> {
    let signs = [1.0, -1.0].into_iter().cycle();
    low.iter().rev().zip(signs).map(|(tap, sign)| sign * tap).collect()
}

/// The bank of two low-pass filters of one frame: `hi` is the alternating flip of `rec_lo`,
/// `rec_hi` that of `lo`.
pub(super) fn bank_of(lo: &[f64], rec_lo: &[f64]) -> FilterBank {
    FilterBank::in_frame(
        lo.len(),
        Filter::new(0, lo),
        Filter::new(0, &alternating_flip(rec_lo)),
        Filter::new(0, rec_lo),
        Filter::new(0, &alternating_flip(lo)),
    )
}

/// The bank of one of [`NAMES`].
pub(super) fn bank(name: &str) -> Option<FilterBank> {
    let listed = match name {
        "haar" | "bior1.1" | "rbio1.1" => "db1".to_owned(),
        "sym2" => "db2".to_owned(),
        "sym3" => "db3".to_owned(),
        _ => name.replace("rbio", "bior"),
    };
    let (_, text) = lines().find(|(line, _)| *line == listed)?;
    let (lo, rec_lo) = text.split_once(';').unwrap_or((text, text));
    let (lo, rec_lo) = (numbers(lo), numbers(rec_lo));
    // The reverse biorthogonal wavelets exchange analysis and synthesis.
    Some(if name.starts_with("rbio") { bank_of(&rec_lo, &lo) } else { bank_of(&lo, &rec_lo) })
}

/// Name and analysis low-pass filter of every line.
pub(crate) fn low_passes() -> impl Iterator<Item = (&'static str, Vec<f64>)> {
    lines().map(|(name, text)| (name, numbers(text.split(';').next().unwrap_or(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_belongs_to_a_name() {
        let mut count = 0;
        for (name, text) in lines() {
            assert!(NAMES.contains(&name), "{name}");
            let halves: Vec<Vec<f64>> = text.split(';').map(numbers).collect();
            assert!(halves.len() <= 2 && halves[0].len().is_multiple_of(2), "{name}");
            assert!(halves.iter().all(|half| half.len() == halves[0].len()), "{name}");
            count += 1;
        }
        assert_eq!(count, 106 - 5 - 14);
        assert_eq!(low_passes().count(), count);
    }
}
