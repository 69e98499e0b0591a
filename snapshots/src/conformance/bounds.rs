//! What to demand: error bounds relative to the largest extended sample.
//!
//! The units are measured worst cases of one level on one axis with some room; a transform of
//! several axes and levels is allowed as many of them as it has passes.

use super::{Case, Samples};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_wavelets::extension::Extension;
use waveloom_wavelets::geometry::AxisGeometry;
use waveloom_wavelets::reference::{Reference, Request};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// Relative error allowed to one pass over one axis, against the convolution in `f64`.
pub fn unit(wavelet: &Wavelet, element: Element) -> f64 {
    match element {
        Element::F32 => 2e-6 * conditioning(wavelet),
        Element::F64 => 5e-14,
        Element::I16 | Element::I32 | Element::I64 => 0.0,
    }
}

/// Relative error allowed to one level on one axis, forward and back.
pub fn round_trip_unit(wavelet: &Wavelet, element: Element) -> f64 {
    let defect = wavelet.properties().reconstruction.defect();
    match element {
        Element::F32 => 3e-6 * conditioning(wavelet) + defect,
        Element::F64 => 1e-13 + 2.0 * defect,
        Element::I16 | Element::I32 | Element::I64 => 0.0,
    }
}

/// The 5.5 pair has lifting coefficients up to 5.6 and gets twice the room in `f32`.
fn conditioning(wavelet: &Wavelet) -> f64 {
    match wavelet.lifting().map(|lifting| lifting.largest_coefficient()) {
        Some(largest) if largest > 5.0 => 2.0,
        _ => 1.0,
    }
}

/// The error allowed to `operation` on `input`.
pub fn tolerance(case: &Case, operation: Operation, input: &Samples, output: &Samples) -> f64 {
    let unit = unit(&case.wavelet, case.element) * axes_factor(case);
    match operation {
        Operation::Forward => unit * accumulated(case, input, output),
        _ => unit * case.levels.max(1) as f64 * scale(case, operation, input, output),
    }
}

/// The error allowed to a round trip that starts from `signal`.
pub fn round_trip_tolerance(case: &Case, signal: &Samples, bands: &Samples) -> f64 {
    let unit = round_trip_unit(&case.wavelet, case.element) * axes_factor(case);
    unit * accumulated(case, signal, bands)
}

/// The size of the numbers that an operation handles: largest extended sample of any level for the
/// forward transform; for the others the largest value at either end, times the weight with which
/// an adjoint folds the extension back.
pub fn scale(case: &Case, operation: Operation, input: &Samples, output: &Samples) -> f64 {
    let ends = input.magnitude().max(output.magnitude());
    match operation {
        Operation::Forward => {
            let levels = extended_levels(case, input);
            levels.into_iter().fold(ends, |largest, level| largest.max(level.largest))
        }
        Operation::Inverse => ends,
        Operation::AdjointForward => ends.max(input.magnitude() * fold_weight(case, true)),
        Operation::AdjointInverse => ends.max(input.magnitude() * fold_weight(case, false)),
    }
}

/// One unit per axis. A fused lifting factor of several axes is the product of one step per axis:
/// with each further axis, what it adds up and takes away again can be larger by the gain of a step.
pub(super) fn axes_factor(case: &Case) -> f64 {
    let axes = case.axes.len().max(1);
    let gain = match (case.scheme, case.wavelet.lifting()) {
        (Some(SchemeKind::NonseparableLifting), Some(lifting)) => {
            let gains = lifting.steps.iter().map(|step| 1.0 + step.polynomial().l1_norm());
            gains.fold(1.0, f64::max)
        }
        _ => 1.0,
    };
    axes as f64 * gain.powi(axes as i32 - 1)
}

/// Errors of all levels of a forward transform together, in units: every level adds one unit of its
/// largest extended sample, and hands on what the levels before it left, times the weight that its
/// extension gives to a sample.
fn accumulated(case: &Case, input: &Samples, output: &Samples) -> f64 {
    let ends = input.magnitude().max(output.magnitude());
    let levels = extended_levels(case, input);
    if levels.is_empty() {
        return ends * case.levels.max(1) as f64;
    }
    levels.iter().fold(0.0, |sum, level| sum * level.weight + level.largest.max(ends))
}

/// One level's input as its extension makes it.
struct Extended {
    /// Largest absolute value.
    largest: f64,
    /// Largest sum of absolute weights that make one extended value.
    weight: f64,
}

/// The extended inputs of all levels. Empty unless the mode is one of the two that extrapolate: the
/// others make no value larger than the samples.
fn extended_levels(case: &Case, signal: &Samples) -> Vec<Extended> {
    let mut levels = Vec::new();
    if !matches!(case.mode, Mode::Smooth | Mode::Antireflect) || case.element.is_integer() {
        return levels;
    }
    let Ok(decomposition) = case.decomposition() else { return levels };
    let length = case.wavelet.bank().length();
    let mut current = signal.to_f64();
    let mut shape = case.shape.clone();
    for level in decomposition.levels() {
        let (mut extended, mut extents, mut weight) = (current.clone(), shape.clone(), 1.0);
        for (axis, geometry) in case.axes.iter().zip(&level.axes) {
            extended = extend(&extended, &mut extents, *axis, geometry, length);
            weight *= reach(geometry, length)
                .map(|i| total_weight(&geometry.signal_extension, i))
                .fold(1.0, f64::max);
        }
        let largest = extended.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        levels.push(Extended { largest, weight });
        let request =
            Request { shape: &shape, axes: &case.axes, levels: 1, mode: case.mode, origins: &[] };
        let bands = Reference::new(&case.wavelet, &request).and_then(|r| r.forward(&current));
        let Some(approximation) = bands.ok().and_then(|bands| bands.into_iter().next()) else {
            return levels;
        };
        (current, shape) = (approximation.data, approximation.shape);
    }
    levels
}

fn total_weight(extension: &Extension, i: i64) -> f64 {
    extension.weights(i).terms().iter().map(|(_, weight)| weight.abs() as f64).sum()
}

/// Signal positions (0 = first sample) that the filters of a level read.
fn reach(geometry: &AxisGeometry, length: usize) -> std::ops::Range<i64> {
    let first = geometry.low.start.min(geometry.high.start);
    let end = geometry.low.end().max(geometry.high.end());
    2 * first - geometry.signal.start..2 * (end - 1) + length as i64 - geometry.signal.start
}

fn extend(
    values: &[f64],
    shape: &mut [usize],
    axis: usize,
    geometry: &AxisGeometry,
    length: usize,
) -> Vec<f64> {
    let reach = reach(geometry, length);
    let old = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let mut extended = Vec::new();
    for block in 0..outer {
        for i in reach.clone() {
            let weights = geometry.signal_extension.weights(i);
            for offset in 0..inner {
                let at = |j: usize| values[(block * old + j) * inner + offset];
                extended.push(weights.terms().iter().map(|(j, w)| *w as f64 * at(*j)).sum());
            }
        }
    }
    shape[axis] = reach.count();
    extended
}

/// The largest total weight with which one sample appears in an extension, multiplied over all
/// axes and levels.
fn fold_weight(case: &Case, signal: bool) -> f64 {
    let Ok(decomposition) = case.decomposition() else { return 1.0 };
    let length = case.wavelet.bank().length() as i64;
    let largest = |extension: &Extension| {
        let mut total = vec![0.0_f64; extension.len()];
        for i in -length..extension.len() as i64 + length {
            for (j, weight) in extension.weights(i).terms() {
                total[*j] += weight.abs() as f64;
            }
        }
        total.into_iter().fold(1.0, f64::max)
    };
    let axes = decomposition.levels().iter().flat_map(|level| &level.axes);
    let extensions = axes.map(|a| if signal { &a.signal_extension } else { &a.band_extension });
    extensions.map(largest).product()
}
