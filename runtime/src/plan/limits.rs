//! Ranges of integer transforms: which values can be proved not to overflow.

use waveloom_wavelets::Mode;
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::AxisGeometry;
use waveloom_wavelets::lifting::Lifting;
use waveloom_wavelets::scheme::{Growth, LevelGrowth};

/// Largest magnitudes for which every intermediate value fits the element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Of the signal, in the forward transform.
    pub(crate) forward: i64,
    /// Of the coefficients, in the inverse; beyond it every operation is checked.
    pub(crate) inverse: i64,
}

/// Gains are sums of rounded numbers: a little more makes them bounds.
const GUARD: f64 = 1.0 + 1e-9;

impl Limits {
    /// For values up to `largest`; `levels` holds the axes of every level, finest first, and `halo`
    /// the pairs that the forward kernel reads before and after its own.
    pub(crate) fn new(
        lifting: &Lifting,
        halo: [i64; 2],
        mode: Mode,
        levels: &[&[AxisGeometry]],
        largest: i64,
    ) -> Self {
        let limit = largest as f64 / GUARD;
        let bound = |growth: Growth| growth.largest_input(limit).clamp(0.0, limit) as i64;
        let forward = match mode {
            _ if levels.is_empty() => return Self { forward: largest, inverse: largest },
            // The extension of every level is that of the signal, filtered: filters iterate.
            Mode::Jpeg2000 => forward_cascaded(lifting, levels),
            _ => forward_stepwise(lifting, halo, levels),
        };
        Self { forward: bound(forward), inverse: bound(inverse(lifting, levels)) }
    }
}

/// Growth of a value of magnitude `input` that passes through `next`.
fn through(input: Growth, next: Growth) -> Growth {
    Growth { gain: input.gain * next.gain, slack: input.slack * next.gain + next.slack }
}

fn linear(gain: f64) -> Growth {
    Growth { gain, slack: 0.0 }
}

/// The largest value anywhere in the forward transform when the filters of all levels may be
/// cascaded; what rounding adds is followed pass by pass.
fn forward_cascaded(lifting: &Lifting, levels: &[&[AxisGeometry]]) -> Growth {
    let cascade = LevelGrowth::cascade(lifting, levels.len());
    let single = LevelGrowth::cascade(lifting, 1).first().copied().unwrap_or_default();
    let mut peak = linear(1.0);
    let (mut low, mut noise) = (1.0_f64, 0.0_f64);
    for (axes, level) in levels.iter().zip(&cascade) {
        let either = level.low.gain.max(level.high.gain);
        let (mut detail_noise, mut low_noise) = (noise, noise);
        for (done, axis) in axes.iter().enumerate() {
            // Axes already done are low or high, the one at work is at its peak, the others have
            // the gain of the level above.
            let rest = (axes.len() - 1 - done) as i32;
            let others = either.powi(done as i32) * low.powi(rest);
            let lone = low * axis.single.map_or(0.0, f64::abs);
            peak = peak.or(linear(level.peak.gain.max(lone) * others));
            let noisy = |noise: f64, growth: Growth| growth.gain * noise + growth.slack;
            let during = noisy(detail_noise, single.peak);
            peak = peak.or(Growth { gain: 0.0, slack: during });
            detail_noise = noisy(detail_noise, single.low.or(single.high));
            low_noise = noisy(low_noise, single.low);
        }
        noise = low_noise;
        low = low.max(level.low.gain);
    }
    peak
}

/// The same, bounded level by level, with what the extension can add.
fn forward_stepwise(lifting: &Lifting, halo: [i64; 2], levels: &[&[AxisGeometry]]) -> Growth {
    let level = LevelGrowth::cascade(lifting, 1).first().copied().unwrap_or_default();
    let (mut peak, mut input) = (linear(1.0), linear(1.0));
    for axes in levels {
        let (mut value, mut approximation) = (input, input);
        for axis in *axes {
            let extended = linear(extension_gain(axis, halo));
            let single = linear(axis.single.map_or(0.0, f64::abs));
            let wide = through(value, extended);
            peak = peak.or(wide).or(through(wide, level.peak)).or(through(value, single));
            value = through(wide, level.low.or(level.high)).or(through(value, single));
            let wide = through(approximation, extended);
            approximation = through(wide, level.low).or(through(approximation, single));
        }
        peak = peak.or(value);
        // Details go no further.
        input = approximation;
    }
    peak
}

/// The largest value anywhere in the inverse of coefficients of one magnitude.
fn inverse(lifting: &Lifting, levels: &[&[AxisGeometry]]) -> Growth {
    let (mut peak, mut value) = (linear(1.0), linear(1.0));
    let axes: usize = levels.iter().map(|axes| axes.len()).sum();
    for _ in 0..axes {
        // Bands are extended by zeros, mirrored or repeated: that adds nothing.
        let mut channels = [value, value];
        for step in lifting.steps.iter().rev() {
            let (target, source) = (step.target.index(), step.target.other().index());
            let taps: f64 = step.taps.values().map(|tap| tap.abs()).sum();
            let unit = step.rounding.map_or(1.0, |r| 2.0_f64.powi(r.shift as i32));
            let offset = step.rounding.map_or(0.0, |r| r.offset.abs() as f64);
            let sum = Growth { gain: taps * unit, slack: offset };
            peak = peak.or(through(channels[source], sum));
            let step = Growth { gain: taps, slack: offset / unit + 1.0 };
            let added = through(channels[source], step);
            channels[target].gain += added.gain;
            channels[target].slack += added.slack;
            peak = peak.or(channels[target]);
        }
        value = channels[0].or(channels[1]).or(value);
    }
    peak
}

/// The largest sum of absolute weights of an extended sample that a kernel with `halo` pairs before
/// and after the coefficients reads.
fn extension_gain(axis: &AxisGeometry, halo: [i64; 2]) -> f64 {
    let extension = &axis.signal_extension;
    if !matches!(extension.kind(), ExtensionKind::Smooth | ExtensionKind::Antireflect) {
        return 1.0;
    }
    let first = 2 * (axis.low.start.min(axis.high.start) - halo[0]) - axis.signal.start;
    let last = 2 * (axis.low.end().max(axis.high.end()) + halo[1]) - axis.signal.start;
    let sums = (first..0).chain(axis.signal.len as i64..last).map(|i| {
        let weights = extension.weights(i);
        weights.terms().iter().map(|(_, weight)| weight.unsigned_abs() as f64).sum::<f64>()
    });
    sums.fold(1.0, f64::max)
}
