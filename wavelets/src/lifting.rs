//! Lifting: alternating unit-triangular factors and a final scaling.

use crate::algebra::{Laurent, PolyphaseMatrix};
use std::collections::BTreeMap;

/// One of the two polyphase channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// Samples at even frame positions.
    Even,
    /// Samples at odd frame positions.
    Odd,
}

impl Channel {
    /// 0 for even, 1 for odd.
    pub fn index(self) -> usize {
        match self {
            Channel::Even => 0,
            Channel::Odd => 1,
        }
    }

    /// The other channel.
    pub fn other(self) -> Self {
        match self {
            Channel::Even => Channel::Odd,
            Channel::Odd => Channel::Even,
        }
    }
}

/// Rounding of a step: `target += floor((Σ n_i s_i + offset) / 2^shift)` with integers
/// `n_i = taps_i · 2^shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rounding {
    /// Added before the shift.
    pub offset: i64,
    /// Arithmetic right shift (a floor division by `2^shift`, also for negative numbers).
    pub shift: u32,
}

/// `target[k] += Σ_e taps[e] · other[k + e]`, rounded if `rounding` says so.
#[derive(Clone, Debug, PartialEq)]
pub struct LiftingStep {
    /// The channel that is changed.
    pub target: Channel,
    /// Coefficients by exponent (advance in pairs).
    pub taps: BTreeMap<i32, f64>,
    /// Integer rounding, for reversible integer transforms.
    pub rounding: Option<Rounding>,
}

impl LiftingStep {
    /// The step's coefficients as a polynomial of axis 0.
    pub fn polynomial(&self) -> Laurent {
        Laurent::from_terms(self.taps.iter().map(|(e, tap)| ([*e, 0, 0], *tap)))
    }

    /// The unit-triangular 2 × 2 matrix.
    pub fn matrix(&self) -> PolyphaseMatrix {
        let (target, source) = (self.target.index(), self.target.other().index());
        PolyphaseMatrix::from_fn(2, |row, column| {
            if row == column {
                Laurent::one()
            } else if (row, column) == (target, source) {
                self.polynomial()
            } else {
                Laurent::zero()
            }
        })
    }
}

/// How a band is read off a channel after the last step: `band[k] = gain · channel[k + advance]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandOutput {
    /// The channel read.
    pub channel: Channel,
    /// Advance in pairs.
    pub advance: i32,
    /// Final scaling; 1 in rounded liftings.
    pub gain: f64,
}

/// A complete lifting factorisation of the analysis polyphase matrix, in the wavelet's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifting {
    /// The steps, first applied first.
    pub steps: Vec<LiftingStep>,
    /// The approximation.
    pub low: BandOutput,
    /// The detail; its channel is the other one.
    pub high: BandOutput,
}

impl Lifting {
    /// Whether any step rounds.
    pub fn is_rounded(&self) -> bool {
        self.steps.iter().any(|step| step.rounding.is_some())
    }

    /// Whether every step reads its neighbours symmetrically about the sample that it changes. Only
    /// then does a rounded lifting map mirrored signals to mirrored bands.
    pub fn is_mirrored(&self) -> bool {
        self.steps.iter().all(|step| {
            // Even samples lie half a pair before the odd ones of the same index.
            let reach = if step.target == Channel::Odd { 1 } else { -1 };
            let mirrored = |(exponent, tap): (&i32, &f64)| {
                step.taps.get(&(reach - exponent)).copied().unwrap_or(0.0) == *tap
            };
            step.taps.iter().all(mirrored)
        })
    }

    /// The final scaling (with its advances and, if the channels are exchanged, the swap).
    pub fn output_matrix(&self) -> PolyphaseMatrix {
        let bands = [self.low, self.high];
        PolyphaseMatrix::from_fn(2, |row, column| {
            let band = bands[row];
            if band.channel.index() == column {
                Laurent::monomial([band.advance, 0, 0], band.gain)
            } else {
                Laurent::zero()
            }
        })
    }

    /// The product of all factors: the analysis polyphase matrix (rounding ignored).
    pub fn polyphase(&self) -> PolyphaseMatrix {
        let steps = self
            .steps
            .iter()
            .fold(PolyphaseMatrix::identity(2), |product, step| step.matrix().times(&product));
        self.output_matrix().times(&steps)
    }

    /// Largest absolute coefficient of any step: large values lose digits in `f32`.
    pub fn largest_coefficient(&self) -> f64 {
        let taps = self.steps.iter().flat_map(|step| step.taps.values());
        taps.fold(0.0, |largest, tap| largest.max(tap.abs()))
    }
}
