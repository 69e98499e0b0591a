//! Lattice to lifting, in closed form.

use crate::lattice::{Butterfly, Lattice};
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep};
use std::collections::BTreeMap;

/// One arm of the lattice: `gain · z^shift` times a physical channel.
#[derive(Clone, Copy)]
struct Arm {
    channel: Channel,
    shift: i32,
    gain: f64,
}

/// The lifting that computes a lattice: each stage becomes two updates, of which the first joins
/// the second of the stage before. `M/2 + 1` steps with `M` coefficients for `M/2` stages.
///
/// Exchanges and scales only relabel the arms. Stages whose off-diagonal is the larger get their
/// arms swapped, so that no coefficient of a rotation exceeds 1 before scaling. Either channel may
/// be updated first; the choice with the smaller largest coefficient is taken (odd channel first
/// if they agree). `None` for singular stages and where gains leave the range of `f64`.
pub fn lifting_of_lattice(lattice: &Lattice) -> Option<Lifting> {
    let candidates = [Channel::Odd, Channel::Even].map(|first| starting_with(lattice, first));
    candidates.into_iter().flatten().min_by(|left, right| {
        // Differences by rounding are no reason to prefer the second.
        let rounded = |lifting: &Lifting| (lifting.largest_coefficient() * 1e9).round();
        rounded(left).total_cmp(&rounded(right))
    })
}

fn starting_with(lattice: &Lattice, first: Channel) -> Option<Lifting> {
    let arm = |channel| Arm { channel, shift: 0, gain: 1.0 };
    let mut chain =
        Chain { arms: [arm(Channel::Even), arm(Channel::Odd)], last: first, steps: Vec::new() };
    for (index, stage) in lattice.stages.iter().enumerate() {
        if index > 0 {
            chain.exchange();
        }
        chain.stage(stage);
    }
    if let Some((target, q)) = &lattice.lead {
        for (exponent, tap) in q.terms() {
            chain.update((*target).min(1), *tap, exponent[0]);
        }
    }
    let output = |band: usize| BandOutput {
        channel: chain.arms[band].channel,
        advance: chain.arms[band].shift + lattice.advance[band],
        gain: chain.arms[band].gain,
    };
    let lifting = Lifting { low: output(0), high: output(1), steps: chain.steps };
    let taps = lifting.steps.iter().flat_map(|step| step.taps.values());
    let gains = [lifting.low.gain, lifting.high.gain];
    let usable = taps.chain(&gains).all(|value| value.is_finite()) && !gains.contains(&0.0);
    usable.then_some(lifting)
}

/// Lifting steps under construction.
struct Chain {
    /// What the lattice's upper and lower arm are at the moment.
    arms: [Arm; 2],
    /// The channel updated last.
    last: Channel,
    steps: Vec<LiftingStep>,
}

impl Chain {
    /// `(s, v) -> (v, z s)`.
    fn exchange(&mut self) {
        self.arms.swap(0, 1);
        self.arms[1].shift += 1;
    }

    /// `arms[target] += tap · z^advance · other arm`.
    fn update(&mut self, target: usize, tap: f64, advance: i32) {
        let (to, from) = (self.arms[target], self.arms[1 - target]);
        let tap = tap * from.gain / to.gain;
        if tap == 0.0 {
            return;
        }
        let exponent = from.shift - to.shift + advance;
        match self.steps.last_mut() {
            Some(step) if step.target == to.channel => {
                *step.taps.entry(exponent).or_insert(0.0) += tap;
            }
            _ => self.steps.push(LiftingStep {
                target: to.channel,
                taps: BTreeMap::from([(exponent, tap)]),
                rounding: None,
            }),
        }
    }

    fn stage(&mut self, stage: &Butterfly) {
        let [[mut a, mut b], [mut c, mut d]] = *stage;
        if (b * c).abs() > (a * d).abs() {
            self.arms.swap(0, 1);
            ([a, b], [c, d]) = ([b, a], [d, c]);
        }
        let determinant = a * d - b * c;
        if self.arms[0].channel == self.last {
            self.update(0, b / a, 0);
            self.arms[0].gain *= a;
            self.arms[1].gain *= determinant / a;
            self.update(1, c / a, 0);
            self.last = self.arms[1].channel;
        } else {
            self.update(1, c / d, 0);
            self.arms[1].gain *= d;
            self.arms[0].gain *= determinant / d;
            self.update(0, b / d, 0);
            self.last = self.arms[0].channel;
        }
    }
}
