//! What is measured of a bank: orthogonality, symmetry, vanishing moments, gains.

use crate::bank::{Filter, FilterBank};
use crate::wavelet::Symmetry;

/// Relative deviation up to which taps count as mirrored.
const SYMMETRIC: f64 = 1e-10;

/// Sizes, relative to `Σ|taps|`, up to which a moment counts as vanished: at least and at most this,
/// in between ten times the reconstruction defect, since taps that are off by so much have moments
/// that are. Of the catalogue's, true zeros stay below 1e-14 and other moments above 1e-12.
const VANISHED: (f64, f64) = (1e-13, 1e-7);

/// Largest difference between synthesis and the transpose of analysis; 0 when orthogonal.
pub fn orthogonality_defect(bank: &FilterBank) -> f64 {
    let pairs = [
        (bank.analysis_low(), bank.synthesis_low()),
        (bank.analysis_high(), bank.synthesis_high()),
    ];
    let positions = 0..bank.length() as i32;
    let differences = pairs.into_iter().flat_map(|(f, g)| {
        positions.clone().map(move |position| (f.at(position) - g.at(position)).abs())
    });
    differences.fold(0.0, f64::max)
}

/// Whether taps are symmetric (`1`) or antisymmetric (`-1`) about their middle.
fn mirror_sign(filter: &Filter) -> Option<i8> {
    let taps = filter.taps();
    let largest = taps.iter().fold(0.0_f64, |largest, tap| largest.max(tap.abs()));
    let mirrored = |sign: f64| {
        let mut pairs = taps.iter().zip(taps.iter().rev());
        pairs.all(|(left, right)| (left - sign * right).abs() <= SYMMETRIC * largest)
    };
    if mirrored(1.0) { Some(1) } else { mirrored(-1.0).then_some(-1) }
}

/// The symmetry of the analysis filters.
pub fn symmetry(bank: &FilterBank) -> Symmetry {
    let (low, high) = (bank.analysis_low(), bank.analysis_high());
    let odd = |filter: &Filter| filter.taps().len() % 2 == 1;
    match (mirror_sign(low), mirror_sign(high)) {
        (Some(1), Some(1)) if odd(low) && odd(high) => Symmetry::WholeSample,
        (Some(1), Some(_)) if !odd(low) && !odd(high) => Symmetry::HalfSample,
        _ => Symmetry::None,
    }
}

/// How many of the moments `Σ n^p f[n]`, p = 0, 1, …, vanish.
///
/// They are measured with Chebyshev polynomials on the filter's support instead of powers: powers
/// of up to 38 differ so little on the scale of rounding that zeros could not be told apart.
/// `defect` is the reconstruction defect of the filter's bank.
pub fn vanishing_moments(filter: &Filter, defect: f64) -> usize {
    let tolerance = (10.0 * defect).clamp(VANISHED.0, VANISHED.1);
    let taps = filter.taps();
    let size: f64 = taps.iter().map(|tap| tap.abs()).sum();
    let span = (taps.len() as f64 - 1.0).max(1.0);
    let places: Vec<f64> = (0..taps.len()).map(|j| 2.0 * j as f64 / span - 1.0).collect();
    let mut previous = vec![0.0; taps.len()];
    let mut current = vec![1.0; taps.len()];
    for degree in 0..taps.len() {
        let moment: f64 = taps.iter().zip(&current).map(|(tap, value)| tap * value).sum();
        if moment.abs() > tolerance * size {
            return degree;
        }
        let factor = if degree == 0 { 1.0 } else { 2.0 };
        let next = (0..taps.len()).map(|j| factor * places[j] * current[j] - previous[j]).collect();
        previous = std::mem::replace(&mut current, next);
    }
    taps.len()
}

/// Gain of a constant: `Σ lo[n]`.
pub fn low_gain(bank: &FilterBank) -> f64 {
    bank.analysis_low().taps().iter().sum()
}

/// Gain of an alternating signal: `|Σ (-1)^n hi[n]|`.
pub fn high_gain(bank: &FilterBank) -> f64 {
    let signs = [1.0, -1.0].into_iter().cycle();
    let sum: f64 = bank.analysis_high().taps().iter().zip(signs).map(|(tap, s)| tap * s).sum();
    sum.abs()
}
