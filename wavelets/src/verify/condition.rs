//! How many digits a round trip keeps, whatever computes it: measured, not modelled.
//!
//! Noise is analysed and put together again by convolution, once with few digits and once with all of
//! `f64`. The difference grows with the norms of analysis and synthesis, level by level, as it does in
//! any scheme: what the bands cannot tell apart in so many digits, no synthesis can. Taps that
//! reconstruct only approximately do so both times, and so do not count.

use crate::bank::{Filter, FilterBank};
use crate::factor;

/// As many levels are measured; beyond them the growth of the second half goes on.
const MEASURED: usize = 8;

/// Bits that the shorter numbers lack: they have those of `f32`, with the range of `f64`.
const CUT: u32 = 29;

/// Rounding alone leaves so much after several levels of a wavelet that enlarges nothing. Only what
/// exceeds it multiplies with the number of axes.
const ROUNDING: f64 = 16.0;

/// By how much `levels` levels along `axes` axes enlarge the error of one rounding, at least 1.
pub(crate) fn condition(bank: &FilterBank, levels: usize, axes: usize) -> f64 {
    let power = |base: f64, exponent: usize| base.max(1.0).powf(exponent as f64);
    let line = match levels {
        0 => 1.0,
        levels if levels <= MEASURED => one_axis(bank, levels),
        levels => {
            let (half, last) = (one_axis(bank, MEASURED / 2), one_axis(bank, MEASURED));
            let growth = (last / half).powf(2.0 / MEASURED as f64);
            last * power(growth, levels - MEASURED)
        }
    };
    let condition = line * power(line / ROUNDING, axes.saturating_sub(1));
    if condition.is_nan() { f64::INFINITY } else { condition.max(1.0) }
}

/// The decimal digits that are left where `epsilon` is the distance from 1 to the next number.
pub fn digits(condition: f64, epsilon: f64) -> u32 {
    // A loss of all digits, and more, leaves none.
    (-(condition * epsilon / 2.0).log10()).max(0.0).floor() as u32
}

/// Error of a periodic round trip of shorter numbers in units of the largest sample's rounding;
/// infinite where it leaves the range of `f64`.
fn one_axis(bank: &FilterBank, levels: usize) -> f64 {
    let [even, odd] = factor::noise(1 << MEASURED);
    let pairs = even.iter().zip(&odd);
    let signal: Vec<f64> = pairs.flat_map(|(e, o)| [f64::from(*e), f64::from(*o)]).collect();
    let (short, full) =
        (round_trip(bank, levels, &signal, shortened), round_trip(bank, levels, &signal, |v| v));
    let errors = short.iter().zip(&full).map(|(short, full)| (short - full).abs());
    let error = errors.fold(
        0.0,
        |largest: f64, error| {
            if error.is_nan() { f64::INFINITY } else { largest.max(error) }
        },
    );
    error / (f64::EPSILON / 2.0 * f64::from(1_u32 << CUT))
}

/// The nearest number with [`CUT`] bits less.
fn shortened(value: f64) -> f64 {
    let half = 1_u64 << (CUT - 1);
    // A carry into the exponent is right: it is the next power of two.
    match value.is_finite() {
        true => f64::from_bits((value.to_bits() + half) & !(2 * half - 1)),
        false => value,
    }
}

/// Analysis and synthesis of a periodic signal, every tap, product and sum rounded by `round`.
fn round_trip(
    bank: &FilterBank,
    levels: usize,
    signal: &[f64],
    round: impl Fn(f64) -> f64 + Copy,
) -> Vec<f64> {
    let mut approximation = signal.to_vec();
    let mut details = Vec::with_capacity(levels);
    for _ in 0..levels {
        details.push(analysed(bank.analysis_high(), &approximation, round));
        approximation = analysed(bank.analysis_low(), &approximation, round);
    }
    for detail in details.iter().rev() {
        let mut next = vec![0.0; 2 * detail.len()];
        synthesised(bank.synthesis_low(), &approximation, &mut next, round);
        synthesised(bank.synthesis_high(), detail, &mut next, round);
        approximation = next;
    }
    approximation
}

fn wrapped(position: i64, len: usize) -> usize {
    position.rem_euclid(len as i64) as usize
}

/// One band of a periodic signal.
fn analysed(filter: &Filter, signal: &[f64], round: impl Fn(f64) -> f64) -> Vec<f64> {
    let coefficient = |k: usize| {
        let start = 2 * k as i64 + i64::from(filter.first());
        (start..).zip(filter.taps()).fold(0.0, |sum, (position, tap)| {
            round(sum + round(round(*tap) * signal[wrapped(position, signal.len())]))
        })
    };
    (0..signal.len() / 2).map(coefficient).collect()
}

/// Adds what a band contributes to a periodic signal.
fn synthesised(filter: &Filter, band: &[f64], signal: &mut [f64], round: impl Fn(f64) -> f64) {
    let len = signal.len();
    for (k, value) in band.iter().enumerate() {
        let start = 2 * k as i64 + i64::from(filter.first());
        for (position, tap) in (start..).zip(filter.taps()) {
            let sample = &mut signal[wrapped(position, len)];
            *sample = round(*sample + round(round(*tap) * value));
        }
    }
}
