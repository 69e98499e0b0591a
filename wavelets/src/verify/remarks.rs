//! Remarks for people: true of the wavelet, worth knowing, no reason to refuse it.

use super::digits;
use crate::bank::{Filter, FilterBank};
use crate::catalogue;
use crate::factor::F32_LIMIT;
use crate::wavelet::{Properties, Reconstruction};

/// Gains this close to √2 count as normalised.
const NORMALISED: f64 = 1e-6;

/// Factors that multiply back to the taps within this need no remark.
const CLOSE: f64 = 1e-13;

/// A condition from which on the wavelet itself, not one of its factorisations, loses digits. That of the
/// catalogue's wavelets is below 100.
const ILL_CONDITIONED: f64 = 1e3;

/// Another scheme is advised where it errs so many times less.
const CLEARLY: f64 = 10.0;

/// The remarks on a measured bank.
pub(crate) fn remarks(
    name: &str,
    bank: &FilterBank,
    rounded: bool,
    properties: &Properties,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Reconstruction::Approximate { defect } = properties.reconstruction {
        remarks.push(format!(
            "reconstructs only approximately (defect {defect:.2e}): convolution only, no lifting, no lattice"
        ));
    }
    let gains = (properties.low_gain, properties.high_gain);
    let root = std::f64::consts::SQRT_2;
    if (gains.0 - root).abs() > NORMALISED || (gains.1 - root).abs() > NORMALISED {
        remarks.push(format!(
            "not normalised: low-pass gain {}, high-pass gain {} (normalised: 1.41421 and 1.41421)",
            short(gains.0),
            short(gains.1)
        ));
    }
    if let Some(known) = backwards(name, bank) {
        remarks
            .push(format!("the taps look time-reversed: run backwards they are those of {known}"));
    }
    let residuals =
        [("lifting", properties.lifting_residual), ("lattice", properties.lattice_residual)];
    let filters = [bank.analysis_low(), bank.analysis_high()];
    let taps = filters.into_iter().flat_map(Filter::taps);
    let largest = taps.fold(1.0_f64, |largest, tap| largest.max(tap.abs()));
    for (what, residual) in residuals {
        if let Some(residual) = residual.filter(|residual| *residual > CLOSE * largest) {
            remarks
                .push(format!("the {what} multiplies back to the taps only within {residual:.1e}"));
        }
    }
    if rounded {
        // Integers lose nothing, and no other scheme than its lifting computes them.
        return remarks;
    }
    if properties.condition > ILL_CONDITIONED {
        remarks.push(format!(
            "the wavelet itself is badly conditioned: a round trip of one level along one axis enlarges rounding errors {:.1e} times, which leaves {} in f64 and {} in f32, and every further level and axis loses as many again",
            properties.condition,
            counted(digits(properties.condition, f64::EPSILON)),
            counted(digits(properties.condition, f64::from(f32::EPSILON)))
        ));
    }
    let convolution = properties.condition * f64::from(f32::EPSILON) / 2.0;
    let errors = [
        ("lifting", properties.lifting_f32_error, ("lattice", properties.lattice_f32_error)),
        ("lattice", properties.lattice_f32_error, ("lifting", properties.lifting_f32_error)),
    ];
    for (what, error, (other, other_error)) in errors {
        if let Some(error) = error.filter(|error| *error > F32_LIMIT) {
            let schemes = [("convolution", Some(convolution)), (other, other_error)];
            let better = |error_of: Option<f64>| error_of.is_some_and(|e| e * CLEARLY < error);
            let better: Vec<&str> =
                schemes.into_iter().filter(|scheme| better(scheme.1)).map(|s| s.0).collect();
            let advice = match better.as_slice() {
                [] => "no other scheme keeps more digits".to_owned(),
                names => format!("use {}", names.join(" or ")),
            };
            remarks.push(format!(
                "the {what} is badly conditioned for f32 (relative error {error:.1e}, accepted {F32_LIMIT:.0e}): it is never chosen by default; {advice}"
            ));
        }
    }
    remarks
}

/// `no digit`, `1 digit`, `7 digits`.
fn counted(digits: u32) -> String {
    match digits {
        0 => "no digit".to_owned(),
        1 => "1 digit".to_owned(),
        digits => format!("{digits} digits"),
    }
}

/// A number with six digits at most.
fn short(value: f64) -> String {
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The catalogue's wavelet whose low-pass filter this bank's is in reverse, if it is no
/// catalogue wavelet itself.
fn backwards(name: &str, bank: &FilterBank) -> Option<&'static str> {
    let taps = bank.analysis_low().taps();
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-8;
    let palindrome = taps.iter().zip(taps.iter().rev()).all(|(l, r)| close(*l, *r));
    if palindrome || catalogue::names().any(|known| known == name) {
        return None;
    }
    catalogue::low_passes().find_map(|(known, low)| {
        let same = low.len() == taps.len()
            && low.iter().zip(taps.iter().rev()).all(|(l, t)| close(*l, *t));
        same.then_some(known)
    })
}
