//! One level of a rounded lifting on one line: the steps of the definition, run with integers on
//! the extended signal or, backwards, on the extended bands.

use super::ReferenceError;
use crate::extension::Extension;
use crate::geometry::AxisGeometry;
use crate::lifting::{BandOutput, Lifting, LiftingStep};

/// `target[k] += floor((Σ taps[e] · other[k+e] + offset) / 2^shift)`.
#[derive(Clone, Debug)]
struct IntegerStep {
    target: usize,
    taps: Vec<(i64, i128)>,
    offset: i128,
    shift: u32,
}

/// A lifting with integer taps, and where its bands are read off.
#[derive(Clone, Debug)]
pub(super) struct IntegerLifting {
    steps: Vec<IntegerStep>,
    /// Channel and advance of the approximation and of the detail.
    outputs: [(usize, i64); 2],
}

/// Values of a channel at consecutive indices from `start` on.
struct Channel {
    start: i64,
    values: Vec<i64>,
}

impl Channel {
    fn collect(
        range: std::ops::Range<i64>,
        value: impl Fn(i64) -> Result<i64, ReferenceError>,
    ) -> Result<Self, ReferenceError> {
        Ok(Self { start: range.start, values: range.map(value).collect::<Result<_, _>>()? })
    }

    fn end(&self) -> i64 {
        self.start + self.values.len() as i64
    }

    /// The value at an index that the margins keep within the channel.
    fn at(&self, index: i64) -> i64 {
        let known = usize::try_from(index - self.start).ok().and_then(|i| self.values.get(i));
        *known.expect("the margin covers the reach of all steps")
    }
}

impl IntegerLifting {
    /// Turns the taps into integers.
    pub(super) fn new(lifting: &Lifting) -> Result<Self, ReferenceError> {
        let steps = lifting.steps.iter().enumerate();
        let steps = steps.map(|(number, step)| IntegerStep::new(number, step));
        let output = |band: BandOutput| match band.gain {
            1.0 => Ok((band.channel.index(), i64::from(band.advance))),
            tap => Err(ReferenceError::NotInteger { step: lifting.steps.len(), tap, shift: 0 }),
        };
        Ok(Self {
            steps: steps.collect::<Result<_, _>>()?,
            outputs: [output(lifting.low)?, output(lifting.high)?],
        })
    }

    /// Signal to bands.
    pub(super) fn forward(
        &self,
        axis: &AxisGeometry,
        signal: &[i64],
    ) -> Result<[Vec<i64>; 2], ReferenceError> {
        let spans = [axis.low, axis.high];
        if let Some(gain) = axis.integer_single() {
            let value = |x: &i64| fit(i128::from(*x) * i128::from(gain));
            let values = signal.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            return Ok(spans.map(|span| values.iter().take(span.len).copied().collect()));
        }
        let margin = self.margin();
        let first = axis.low.start.min(axis.high.start) - margin;
        let last = axis.low.end().max(axis.high.end()) + margin;
        let channel = |phase: i64| {
            Channel::collect(first..last, |k| {
                let index = 2 * k + phase - axis.signal.start;
                extended(&axis.signal_extension, index, |j| signal[j])
            })
        };
        let mut channels = [channel(0)?, channel(1)?];
        for step in &self.steps {
            step.apply(&mut channels, 1)?;
        }
        Ok([0, 1].map(|phase| {
            let (channel, advance) = self.outputs[phase];
            let span = spans[phase];
            (span.start..span.end()).map(|k| channels[channel].at(k + advance)).collect()
        }))
    }

    /// Bands to signal.
    pub(super) fn inverse(
        &self,
        axis: &AxisGeometry,
        bands: [&[i64]; 2],
    ) -> Result<Vec<i64>, ReferenceError> {
        if let Some(gain) = axis.integer_single() {
            let values = bands.into_iter().flatten();
            let value = |value: &i64| fit(i128::from(*value).div_euclid(i128::from(gain)));
            return values.map(value).collect();
        }
        let (margin, interleaved) = (self.margin(), axis.bands());
        let first = axis.signal.start.div_euclid(2) - margin;
        let last = axis.signal.end().div_euclid(2) + 1 + margin;
        let channel = |channel: usize| {
            let phase = usize::from(self.outputs[0].0 != channel);
            let advance = self.outputs[phase].1;
            Channel::collect(first..last, |k| {
                let index = 2 * (k - advance) + phase as i64 - interleaved.start;
                extended(&axis.band_extension, index, |source| {
                    axis.band_sample(source).map_or(0, |(phase, j)| bands[phase][j])
                })
            })
        };
        let mut channels = [channel(0)?, channel(1)?];
        for step in self.steps.iter().rev() {
            step.apply(&mut channels, -1)?;
        }
        let positions = axis.signal.start..axis.signal.end();
        Ok(positions.map(|p| channels[p.rem_euclid(2) as usize].at(p.div_euclid(2))).collect())
    }

    /// How far the steps and outputs together can read, in pairs.
    fn margin(&self) -> i64 {
        let steps = self
            .steps
            .iter()
            .flat_map(|step| step.taps.iter().map(|(exponent, _)| exponent.abs()).max());
        let outputs = self.outputs.iter().map(|(_, advance)| advance.abs()).max();
        steps.sum::<i64>() + outputs.unwrap_or(0)
    }
}

impl IntegerStep {
    fn new(number: usize, step: &LiftingStep) -> Result<Self, ReferenceError> {
        let (offset, shift) = step.rounding.map_or((0, 0), |r| (r.offset, r.shift));
        let integer = |tap: f64| {
            let scaled = tap * 2.0_f64.powi(shift.min(1000) as i32);
            match scaled.fract() == 0.0 && scaled.abs() <= i64::MAX as f64 && shift < 63 {
                true => Ok(scaled as i128),
                false => Err(ReferenceError::NotInteger { step: number, tap, shift }),
            }
        };
        let taps = step.taps.iter().map(|(e, tap)| integer(*tap).map(|tap| (i64::from(*e), tap)));
        Ok(Self {
            target: step.target.index(),
            taps: taps.collect::<Result<_, _>>()?,
            offset: i128::from(offset),
            shift,
        })
    }

    /// Adds (`sign` 1) or takes away (`sign` -1) the rounded increment. The target keeps only the
    /// indices for which all neighbours are known.
    fn apply(&self, channels: &mut [Channel; 2], sign: i64) -> Result<(), ReferenceError> {
        let (target, source) = (&channels[self.target], &channels[1 - self.target]);
        let exponents = || self.taps.iter().map(|(exponent, _)| *exponent);
        let first = exponents().map(|e| source.start - e).fold(target.start, i64::max);
        let last = exponents().map(|e| source.end() - e).fold(target.end(), i64::min);
        let changed = Channel::collect(first..last, |k| {
            let products = self.taps.iter().map(|(e, tap)| {
                tap.checked_mul(i128::from(source.at(k + e))).ok_or(ReferenceError::Overflow)
            });
            let sum = products.sum::<Result<i128, _>>()?;
            let increment = (sum + self.offset) >> self.shift;
            fit(i128::from(target.at(k)) + i128::from(sign) * increment)
        })?;
        channels[self.target] = changed;
        Ok(())
    }
}

/// The extended value at `index`.
fn extended(
    extension: &Extension,
    index: i64,
    sample: impl Fn(usize) -> i64,
) -> Result<i64, ReferenceError> {
    let weights = extension.weights(index);
    let products = weights.terms().iter().map(|(j, w)| i128::from(sample(*j)) * i128::from(*w));
    fit(products.sum())
}

fn fit(value: i128) -> Result<i64, ReferenceError> {
    i64::try_from(value).map_err(|_| ReferenceError::Overflow)
}
