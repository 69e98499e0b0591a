//! The largest input of an integer transform for which no intermediate value can overflow, whatever
//! the length of the signal.
//!
//! Under `jpeg2000` the extension of every level is that of the signal, filtered, so that the filters
//! of all levels may be cascaded: the linear gain of a value is the product of its lines' gains, of
//! the iterated low-pass filter on axes not yet visited at this level, of the cascade's filters on the
//! others. Other extensions do not commute with filtering and are bounded level by level; linear
//! extrapolations (`smooth`, `antireflect`) make the input of every axis larger than its samples, at
//! most by `1 + 2·distance`. What rounding adds is followed pass by pass.

use crate::kernel::Element;
use waveloom_wavelets::lifting::Lifting;
use waveloom_wavelets::scheme::{Growth, LevelGrowth};
use waveloom_wavelets::{Mode, Wavelet};

/// The largest magnitude that `element` holds on both sides of zero.
fn limit(element: Element) -> Option<f64> {
    match element {
        Element::I16 => Some(f64::from(i16::MAX)),
        Element::I32 => Some(f64::from(i32::MAX)),
        // Bounds are computed in f64; stay a little below 2^63.
        Element::I64 => Some(2.0_f64.powi(63) * (1.0 - 2.0_f64.powi(-50))),
        Element::F32 | Element::F64 => None,
    }
}

/// Gains are sums of rounded numbers: a little more makes them bounds.
const GUARD: f64 = 1.0 + 1e-9;

/// Inputs of a rounded transform must not be larger in magnitude; 0 if even that could overflow.
/// `None` for wavelets or elements without rounding: nothing to refuse.
pub fn largest_input(
    wavelet: &Wavelet,
    axes: usize,
    levels: usize,
    mode: Mode,
    element: Element,
) -> Option<i64> {
    let limit = limit(element)?;
    let lifting = wavelet.lifting().filter(|lifting| lifting.is_rounded())?;
    let peaks = match mode {
        Mode::Jpeg2000 => cascaded(lifting, axes, levels),
        Mode::Smooth | Mode::Antireflect => {
            stepwise(lifting, axes, levels, 1.0 + 2.0 * wavelet.bank().length() as f64)
        }
        _ => stepwise(lifting, axes, levels, 1.0),
    };
    let bounds = peaks.iter().map(|peak| peak.largest_input(limit / GUARD));
    Some(bounds.fold(limit, f64::min).max(0.0) as i64)
}

/// Growth of a value that passes through a level with growth `next`.
fn through(input: Growth, next: Growth) -> Growth {
    Growth { gain: input.gain * next.gain, slack: input.slack * next.gain + next.slack }
}

/// A bound for every pass of every level, filters cascaded over the levels.
fn cascaded(lifting: &Lifting, axes: usize, levels: usize) -> Vec<Growth> {
    let single = LevelGrowth::cascade(lifting, 1).first().copied().unwrap_or_default();
    let wider = single.low.or(single.high);
    let mut all = Vec::new();
    let (mut before, mut slack) = (1.0_f64, 0.0_f64);
    for level in LevelGrowth::cascade(lifting, levels) {
        let wide = level.low.or(level.high).gain;
        let (mut low_slack, mut wide_slack) = (slack, slack);
        for pass in 0..axes {
            let visited = wide.powi(pass as i32) * before.powi((axes - 1 - pass) as i32);
            let gain = level.peak.gain.max(before) * visited;
            all.push(Growth { gain, slack: single.peak.gain * wide_slack + single.peak.slack });
            low_slack = single.low.gain * low_slack + single.low.slack;
            wide_slack = wider.gain * wide_slack + wider.slack;
        }
        (before, slack) = (before.max(level.low.gain), low_slack);
    }
    all
}

/// The same, bounded level by level; every axis's input is `stretch` times larger than its samples.
fn stepwise(lifting: &Lifting, axes: usize, levels: usize, stretch: f64) -> Vec<Growth> {
    let level = LevelGrowth::cascade(lifting, 1).first().copied().unwrap_or_default();
    let stretch = Growth { gain: stretch, slack: 0.0 };
    let mut all = Vec::new();
    let mut input = Growth { gain: 1.0, slack: 0.0 };
    for _ in 0..levels {
        let (mut value, mut approximation) = (input, input);
        for _ in 0..axes {
            let extended = through(value, stretch);
            all.extend([extended, through(extended, level.peak)]);
            value = through(extended, level.low.or(level.high));
            approximation = through(through(approximation, stretch), level.low);
        }
        all.push(value);
        input = approximation;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_wavelets::catalogue;

    fn bound(name: &str, axes: usize, levels: usize, mode: Mode, element: Element) -> Option<i64> {
        let wavelet = catalogue::wavelet(name).unwrap();
        largest_input(&wavelet, axes, levels, mode, element)
    }

    #[test]
    fn floats_have_no_bound() {
        assert_eq!(bound("rev53", 1, 1, Mode::Jpeg2000, Element::F32), None);
        assert_eq!(bound("db2", 1, 1, Mode::Zero, Element::I32), None);
    }

    #[test]
    fn bounds_are_useful_and_shrink() {
        let [one, two] =
            [1, 2].map(|axes| bound("rev53", axes, 1, Mode::Jpeg2000, Element::I16).unwrap());
        assert!(one > 8000, "13-bit samples fit 16 bits: {one}");
        assert!(two > 2047 && two < one, "12-bit images fit 16 bits: {two}");
        let deep = bound("rev53", 2, 5, Mode::Jpeg2000, Element::I32).unwrap();
        assert!(deep > 1 << 26);
        assert!(bound("rev53", 2, 5, Mode::Smooth, Element::I32).unwrap() < deep);
    }
}
