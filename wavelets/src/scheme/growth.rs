//! Proved growth of integer transforms: how large every intermediate value can get.
//!
//! With inputs of magnitude at most `B`, every value of a rounded lifting is at most
//! `gain · B + slack`: `gain` is the L1 norm of the value's linear impulse response to the original
//! signal (all levels cascaded), `slack` collects what the floors add.

use crate::geometry::Decomposition;
use crate::lifting::{Lifting, LiftingStep};

/// `gain · B + slack`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Growth {
    /// Factor on the input's magnitude.
    pub gain: f64,
    /// What rounding can add.
    pub slack: f64,
}

impl Growth {
    /// The bound for inputs of magnitude at most `magnitude`.
    pub fn bound(&self, magnitude: f64) -> f64 {
        self.gain * magnitude + self.slack
    }

    /// The larger of two, part by part.
    pub fn or(self, other: Self) -> Self {
        Self { gain: self.gain.max(other.gain), slack: self.slack.max(other.slack) }
    }

    /// The largest input magnitude for which the bound stays within `limit`.
    pub fn largest_input(&self, limit: f64) -> f64 {
        ((limit - self.slack) / self.gain).floor()
    }
}

/// Growth on one axis, at one level.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct LevelGrowth {
    /// The approximation.
    pub low: Growth,
    /// The detail.
    pub high: Growth,
    /// The largest value met on the way, sums inside the steps before their shift included.
    pub peak: Growth,
}

impl LevelGrowth {
    /// Growth at levels `1..=levels` of a rounded lifting along one axis; the cascade is followed
    /// exactly (iterated filters), not bounded level by level. At most [`Decomposition::MOST_LEVELS`] of them.
    pub fn cascade(lifting: &Lifting, levels: usize) -> Vec<LevelGrowth> {
        let mut input = Filter { first: 0, taps: vec![1.0] };
        let mut slack = 0.0;
        let levels = levels.min(Decomposition::MOST_LEVELS);
        let mut all = Vec::with_capacity(levels);
        for level in 0..levels {
            // Past a few levels the iterated filter's norm has converged to machine accuracy;
            // keeping it avoids filters as long as 2^levels.
            if level > MOST_CASCADED {
                let last = all.last().copied().unwrap_or_default();
                all.push(last);
                continue;
            }
            let (growth, low) = one_level(lifting, &input, slack, 1 << level);
            slack = growth.low.slack;
            input = low;
            all.push(growth);
        }
        all
    }
}

const MOST_CASCADED: usize = 12;

#[derive(Clone, Debug)]
struct Filter {
    first: i64,
    taps: Vec<f64>,
}

impl Filter {
    fn l1(&self) -> f64 {
        self.taps.iter().map(|tap| tap.abs()).sum()
    }

    fn add(&mut self, other: &Filter, advance: i64, factor: f64) {
        let first = self.first.min(other.first + advance);
        let end = (self.first + self.taps.len() as i64)
            .max(other.first + advance + other.taps.len() as i64);
        let mut taps = vec![0.0; (end - first) as usize];
        for (j, tap) in self.taps.iter().enumerate() {
            taps[(self.first - first) as usize + j] += tap;
        }
        for (j, tap) in other.taps.iter().enumerate() {
            taps[(other.first + advance - first) as usize + j] += factor * tap;
        }
        *self = Filter { first, taps };
    }
}

/// One level on top of the iterated filter `input`, whose samples are `stride` original samples
/// apart.
fn one_level(lifting: &Lifting, input: &Filter, slack: f64, stride: i64) -> (LevelGrowth, Filter) {
    let odd = Filter { first: input.first + stride, taps: input.taps.clone() };
    let mut channels = [input.clone(), odd];
    let mut slacks = [slack, slack];
    let mut peak = Growth { gain: input.l1(), slack };
    for step in &lifting.steps {
        let (target, source) = (step.target.index(), step.target.other().index());
        let mut increment = Filter { first: 0, taps: Vec::new() };
        for (exponent, tap) in &step.taps {
            increment.add(&channels[source], 2 * stride * i64::from(*exponent), *tap);
        }
        let added = step_slack(step, slacks[source]);
        peak = peak.or(accumulator(step, channels[source].l1(), slacks[source]));
        slacks[target] += added;
        let addend = increment;
        channels[target].add(&addend, 0, 1.0);
        peak = peak.or(Growth { gain: channels[target].l1(), slack: slacks[target] });
    }
    let band = |index: usize| Growth { gain: channels[index].l1(), slack: slacks[index] };
    let (low, high) = (lifting.low.channel.index(), lifting.high.channel.index());
    let growth = LevelGrowth { low: band(low), high: band(high), peak };
    let mut iterated = channels[low].clone();
    iterated.first += 2 * stride * i64::from(lifting.low.advance);
    (growth, iterated)
}

/// What a step's rounding adds to its target's slack: its sources' slack through the taps, and the
/// distance of the floor from the unrounded value.
fn step_slack(step: &LiftingStep, source: f64) -> f64 {
    let through: f64 = step.taps.values().map(|tap| tap.abs()).sum::<f64>() * source;
    let rounding = step.rounding.map_or(0.0, |rounding| {
        let unit = f64::from(2.0_f32).powi(rounding.shift as i32);
        // floor((v + offset)/unit) - v/unit lies in (offset/unit - 1, offset/unit].
        let offset = rounding.offset as f64 / unit;
        offset.abs().max((offset - 1.0).abs())
    });
    through + rounding
}

/// The sum inside a step, before its shift. Each sample is bounded by the sources' bound.
fn accumulator(step: &LiftingStep, gain: f64, slack: f64) -> Growth {
    let Some(rounding) = step.rounding else {
        return Growth::default();
    };
    let unit = 2.0_f64.powi(rounding.shift as i32);
    let sum: f64 = step.taps.values().map(|tap| tap.abs() * unit).sum();
    Growth { gain: sum * gain, slack: sum * slack + (rounding.offset.abs() as f64) }
}
