//! One level on one line, as the sums of the definition.
//!
//! Every operator is a sum over triples (coefficient `k`, frame position `p`, tap); the forward
//! transform and its adjoint read the same triples in opposite directions, and so do the inverse
//! and its adjoint.

use crate::bank::FilterBank;
use crate::geometry::AxisGeometry;

/// `a[k] = Σ_p lo[p-2k] x'[p]`, `d[k] = Σ_p hi[p-2k] x'[p]` over the extended signal.
pub(super) fn forward(bank: &FilterBank, axis: &AxisGeometry, signal: &[f64]) -> [Vec<f64>; 2] {
    let mut bands = [axis.low, axis.high].map(|span| vec![0.0; span.len]);
    if let Some(gain) = axis.single {
        for (value, sample) in bands.iter_mut().flatten().zip(signal) {
            *value = gain * sample;
        }
        return bands;
    }
    analysis_terms(bank, axis, |phase, k, j, weight| bands[phase][k] += weight * signal[j]);
    bands
}

/// The transpose of [`forward`].
pub(super) fn adjoint_of_forward(
    bank: &FilterBank,
    axis: &AxisGeometry,
    bands: [&[f64]; 2],
) -> Vec<f64> {
    let mut signal = vec![0.0; axis.signal.len];
    if let Some(gain) = axis.single {
        for (sample, value) in signal.iter_mut().zip(bands.into_iter().flatten()) {
            *sample = gain * value;
        }
        return signal;
    }
    analysis_terms(bank, axis, |phase, k, j, weight| signal[j] += weight * bands[phase][k]);
    signal
}

/// `x'[p] = Σ_k rec_lo[p-2k] a[k] + rec_hi[p-2k] d[k]` over the extended bands.
pub(super) fn inverse(bank: &FilterBank, axis: &AxisGeometry, bands: [&[f64]; 2]) -> Vec<f64> {
    let mut signal = vec![0.0; axis.signal.len];
    if let Some(gain) = axis.single {
        for (sample, value) in signal.iter_mut().zip(bands.into_iter().flatten()) {
            *sample = value / gain;
        }
        return signal;
    }
    synthesis_terms(bank, axis, |i, phase, j, weight| signal[i] += weight * bands[phase][j]);
    signal
}

/// The transpose of [`inverse`].
pub(super) fn adjoint_of_inverse(
    bank: &FilterBank,
    axis: &AxisGeometry,
    signal: &[f64],
) -> [Vec<f64>; 2] {
    let mut bands = [axis.low, axis.high].map(|span| vec![0.0; span.len]);
    if let Some(gain) = axis.single {
        for (value, sample) in bands.iter_mut().flatten().zip(signal) {
            *value = sample / gain;
        }
    } else {
        synthesis_terms(bank, axis, |i, phase, j, weight| bands[phase][j] += weight * signal[i]);
    }
    bands
}

/// Calls `term(phase, k, j, weight)` for every contribution `weight · signal[j]` to value number `k`
/// of the band, which is low for phase 0 and high for phase 1.
fn analysis_terms(
    bank: &FilterBank,
    axis: &AxisGeometry,
    mut term: impl FnMut(usize, usize, usize, f64),
) {
    let bands = [(bank.analysis_low(), axis.low), (bank.analysis_high(), axis.high)];
    for (phase, (filter, span)) in bands.into_iter().enumerate() {
        for k in 0..span.len {
            let first = 2 * (span.start + k as i64) + i64::from(filter.first());
            for (n, tap) in filter.taps().iter().enumerate() {
                let index = first + n as i64 - axis.signal.start;
                for (j, weight) in axis.signal_extension.weights(index).terms() {
                    term(phase, k, *j, tap * *weight as f64);
                }
            }
        }
    }
}

/// Calls `term(i, phase, j, weight)` for every contribution `weight · band[j]` to sample `i`, where
/// the band is low for phase 0 and high for phase 1.
fn synthesis_terms(
    bank: &FilterBank,
    axis: &AxisGeometry,
    mut term: impl FnMut(usize, usize, usize, f64),
) {
    let interleaved = axis.bands();
    let filters = [bank.synthesis_low(), bank.synthesis_high()];
    for i in 0..axis.signal.len {
        let position = axis.signal.start + i as i64;
        for (phase, filter) in filters.into_iter().enumerate() {
            for (n, tap) in filter.taps().iter().enumerate() {
                let twice_k = position - i64::from(filter.first()) - n as i64;
                if twice_k.rem_euclid(2) != 0 {
                    continue;
                }
                let index = twice_k + phase as i64 - interleaved.start;
                for (source, weight) in axis.band_extension.weights(index).terms() {
                    if let Some((source_phase, j)) = axis.band_sample(*source) {
                        term(i, source_phase, j, tap * *weight as f64);
                    }
                }
            }
        }
    }
}
