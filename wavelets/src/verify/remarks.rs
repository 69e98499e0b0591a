//! Remarks for people: true of the wavelet, worth knowing, no reason to refuse it.

use crate::bank::FilterBank;
use crate::catalogue;
use crate::factor::F32_LIMIT;
use crate::wavelet::{Properties, Reconstruction};

/// Gains this close to √2 count as normalised.
const NORMALISED: f64 = 1e-6;

/// Factors that multiply back to the taps within this need no remark.
const CLOSE: f64 = 1e-13;

/// The remarks on a measured bank.
pub(crate) fn remarks(name: &str, bank: &FilterBank, properties: &Properties) -> Vec<String> {
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
    for (what, residual) in residuals {
        if let Some(residual) = residual.filter(|residual| *residual > CLOSE) {
            remarks
                .push(format!("the {what} multiplies back to the taps only within {residual:.1e}"));
        }
    }
    let errors = [
        ("lifting", "convolution or lattice", properties.lifting_f32_error),
        ("lattice", "convolution or lifting", properties.lattice_f32_error),
    ];
    for (what, instead, error) in errors {
        if let Some(error) = error.filter(|error| *error > F32_LIMIT) {
            remarks.push(format!(
                "the {what} is badly conditioned for f32 (relative error {error:.1e}, accepted {F32_LIMIT:.0e}): it is never chosen by default; use {instead}"
            ));
        }
    }
    remarks
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
