//! Does synthesis undo analysis, and if not, which identity breaks?

use super::VerifyError;
use super::input::FILTERS;
use crate::bank::{Filter, FilterBank};
use crate::wavelet::Reconstruction;

/// Defects up to this count as perfect reconstruction.
pub const PERFECT_LIMIT: f64 = 1e-10;

/// Defects up to this are accepted where the definition says `approximate`.
pub const APPROXIMATE_LIMIT: f64 = 1e-2;

/// The identity of perfect reconstruction that deviates most.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// For example `Σ lo[n] rec_lo[n+2k] at k=1`.
    pub identity: String,
    /// What the sum is.
    pub found: f64,
    /// What it should be: 1 for a filter with its own partner at k = 0, else 0.
    pub expected: f64,
}

impl Broken {
    /// How far off it is. NaN (an overflow) counts as infinitely far.
    pub fn deviation(&self) -> f64 {
        let deviation = (self.found - self.expected).abs();
        if deviation.is_nan() { f64::INFINITY } else { deviation }
    }
}

/// `Σ_n f[n] g[n + shift]`.
fn correlation(f: &Filter, g: &Filter, shift: i32) -> f64 {
    (f.first()..).zip(f.taps()).map(|(n, tap)| tap * g.at(n + shift)).sum()
}

/// The worst of the identities `Σ f[n] g[n+2k] = 1 or 0` between analysis and synthesis filters.
pub fn broken_identity(bank: &FilterBank) -> Broken {
    let analysis = [bank.analysis_low(), bank.analysis_high()];
    let synthesis = [bank.synthesis_low(), bank.synthesis_high()];
    let mut worst = Broken { identity: String::new(), found: 1.0, expected: 1.0 };
    for (row, f) in analysis.into_iter().enumerate() {
        for (column, g) in synthesis.into_iter().enumerate() {
            // k = 0 is always looked at: filters that never meet must not pass for silence.
            let from = (g.first() - f.last()).div_euclid(2).min(0);
            let to = (g.last() - f.first()).div_euclid(2).max(0);
            for k in from..=to {
                let expected = if row == column && k == 0 { 1.0 } else { 0.0 };
                let found = correlation(f, g, 2 * k);
                let candidate = Broken { identity: String::new(), found, expected };
                if candidate.deviation() > worst.deviation() || worst.identity.is_empty() {
                    let (f, g) = (FILTERS[row], FILTERS[2 + column]);
                    let identity = format!("Σ {f}[n] {g}[n+2k] at k={k}");
                    worst = Broken { identity, ..candidate };
                }
            }
        }
    }
    worst
}

/// How far a bank of `f64` filters is from perfect reconstruction.
pub(crate) fn defect(bank: &FilterBank) -> f64 {
    broken_identity(bank).deviation().max(bank.reconstruction_defect())
}

/// Accepts or refuses a bank by its reconstruction defect.
pub(crate) fn judge(bank: &FilterBank, approximate: bool) -> Result<Reconstruction, VerifyError> {
    let broken = broken_identity(bank);
    let defect = broken.deviation().max(bank.reconstruction_defect());
    if defect <= PERFECT_LIMIT {
        return Ok(Reconstruction::Perfect { defect });
    }
    if approximate && defect <= APPROXIMATE_LIMIT {
        return Ok(Reconstruction::Approximate { defect });
    }
    let mut hint = hint(bank);
    if hint.is_none() && defect <= APPROXIMATE_LIMIT {
        hint = Some("a bank that is meant to be approximate must say so".to_owned());
    }
    let limit = if approximate { APPROXIMATE_LIMIT } else { PERFECT_LIMIT };
    let Broken { identity, found, expected } = broken;
    Err(VerifyError::NotReconstructing { identity, found, expected, defect, limit, hint })
}

/// A change that would make the bank reconstruct: the likely slip of whoever wrote it down.
fn hint(bank: &FilterBank) -> Option<String> {
    let length = bank.length();
    let reversed = |filter: &Filter| {
        let taps: Vec<f64> = filter.taps().iter().rev().copied().collect();
        Filter::new(length as i32 - 1 - filter.last(), &taps)
    };
    let (lo, hi) = (bank.analysis_low(), bank.analysis_high());
    let (rec_lo, rec_hi) = (bank.synthesis_low(), bank.synthesis_high());
    let works = |lo: &Filter, hi: &Filter, rec_lo: &Filter, rec_hi: &Filter| {
        let [lo, hi, rec_lo, rec_hi] = [lo, hi, rec_lo, rec_hi].map(Filter::clone);
        let bank = FilterBank::in_frame(length, lo, hi, rec_lo, rec_hi);
        broken_identity(&bank).deviation() <= 1e-6
    };
    if works(&reversed(lo), &reversed(hi), rec_lo, rec_hi) {
        return Some(
            "the analysis filters look time-reversed against the synthesis filters".into(),
        );
    }
    if works(hi, lo, rec_lo, rec_hi) {
        return Some("low-pass and high-pass look exchanged on one side".into());
    }
    let negated = |filter: &Filter| {
        let taps: Vec<f64> = filter.taps().iter().map(|tap| -tap).collect();
        Filter::new(filter.first(), &taps)
    };
    if works(lo, hi, rec_lo, &negated(rec_hi)) {
        return Some("a high-pass filter has the wrong sign".into());
    }
    let scale = correlation(lo, rec_lo, 0);
    let scaled = |filter: &Filter| {
        let taps: Vec<f64> = filter.taps().iter().map(|tap| tap / scale).collect();
        Filter::new(filter.first(), &taps)
    };
    if scale != 0.0 && works(lo, hi, &scaled(rec_lo), &scaled(rec_hi)) {
        return Some(format!("the synthesis filters look {scale} times too large"));
    }
    // Every move costs the square of the length; nobody misplaces a filter by more than its length.
    let reach = if length <= 128 { length as i32 / 2 } else { 0 };
    let late = (-reach..=reach).find(|distance| {
        let distance = 2 * distance;
        works(lo, hi, &rec_lo.delayed(distance), &rec_hi.delayed(distance))
    });
    if let Some(distance) = late {
        let (amount, way) = (2 * distance.abs(), if distance > 0 { "later" } else { "earlier" });
        return Some(format!("the synthesis filters should stand {amount} samples {way}"));
    }
    let odd = (-reach..=reach).find(|distance| {
        let distance = 2 * distance + 1;
        works(lo, &hi.delayed(distance), rec_lo, &rec_hi.delayed(distance))
    });
    odd.map(|distance| {
        let distance = 2 * distance + 1;
        let (amount, way) = (distance.abs(), if distance > 0 { "later" } else { "earlier" });
        format!("the high-pass filters should stand {amount} samples {way}")
    })
}
