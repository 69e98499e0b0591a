//! Facts in words.

use crate::samples::SampleType;
use crate::settings::Settings;
use std::time::Duration;
use waveloom::wavelets::SchemeKind;
use waveloom::wavelets::wavelet::Symmetry;

/// `512 × 512 uint8, bior4.4 symmetric, 3 levels, separable-lifting in f64`
pub fn transform(
    settings: &Settings,
    scheme: SchemeKind,
    kind: SampleType,
    shape: &[usize],
) -> String {
    format!(
        "{} {kind}, {} {}, {}, {scheme} in {}",
        size(shape),
        settings.chosen.name,
        settings.mode,
        counted(settings.levels, "level"),
        settings.element.name()
    )
}

/// `1 level`, `2 levels`
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// `3 × 512 × 512`
pub fn size(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// Three digits and a unit.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1e-3 {
        format!("{} µs", three_digits(seconds * 1e6))
    } else if seconds < 1.0 {
        format!("{} ms", three_digits(seconds * 1e3))
    } else {
        format!("{} s", three_digits(seconds))
    }
}

/// Bytes per second in MB/s or GB/s.
pub fn rate(bytes: usize, duration: Duration) -> String {
    let rate = bytes as f64 / duration.as_secs_f64().max(1e-9);
    if rate < 1e9 {
        format!("{} MB/s", three_digits(rate / 1e6))
    } else {
        format!("{} GB/s", three_digits(rate / 1e9))
    }
}

/// A symmetry in one or two words.
pub fn symmetry(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::WholeSample => "whole-sample",
        Symmetry::HalfSample => "half-sample",
        Symmetry::None => "none",
    }
}

/// A positive number with three significant digits.
pub fn three_digits(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        assert_eq!(duration(Duration::from_micros(15)), "15.0 µs");
        assert_eq!(duration(Duration::from_micros(1234)), "1.23 ms");
        assert_eq!(duration(Duration::from_millis(99_960)), "100 s");
        assert_eq!(rate(2_500_000, Duration::from_millis(1)), "2.50 GB/s");
        assert_eq!(size(&[3, 5]), "3 × 5");
        assert_eq!([0, 1, 2].map(|n| counted(n, "band")), ["0 bands", "1 band", "2 bands"]);
    }
}
