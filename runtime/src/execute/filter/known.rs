//! Stages that have loops of their own, as common numbers of taps have: what a stage does is a constant
//! there, and so are the rounding and the shift.

use super::cascade::{Cascade, Kind, Stage};
use crate::element::Element;
use crate::execute::program::Round;

/// A stage without factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fixed {
    pub(super) kind: Kind,
    pub(super) delay: Option<usize>,
    pub(super) round: Option<Round<i8>>,
}

/// Most stages of a list.
pub(super) const MOST_FIXED: usize = 3;

/// A list of stages, for compilers.
pub(super) trait Known {
    /// How many there are; none, if they are found in the cascade alone.
    const COUNT: usize;
    /// The stages, and behind them such that do nothing.
    const STAGES: [Fixed; MOST_FIXED];
}

/// A list of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stages {
    /// See [`Analysis`].
    Analysis,
    /// See [`Synthesis`].
    Synthesis,
}

/// A stage that only delays, or does nothing.
const fn rest(delay: Option<usize>) -> Fixed {
    Fixed { kind: Kind::Rest, delay, round: None }
}

/// A stage that adds a plain sum.
const fn lift(target: usize, delayed: bool, offset: i8, shift: u32, subtract: bool) -> Fixed {
    let round = Some(Round { offset, shift, subtract });
    Fixed { kind: Kind::Lift { target, delayed }, delay: None, round }
}

/// The halved sum of two even samples is subtracted from the odd one between, a quarter of that of two
/// odd ones added to the even one.
pub(super) struct Analysis;

impl Known for Analysis {
    const COUNT: usize = 3;
    const STAGES: [Fixed; MOST_FIXED] =
        [rest(Some(1)), lift(1, true, 0, 1, true), lift(0, false, 2, 2, false)];
}

/// The same back.
pub(super) struct Synthesis;

impl Known for Synthesis {
    const COUNT: usize = 2;
    const STAGES: [Fixed; MOST_FIXED] =
        [lift(0, true, 2, 2, true), lift(1, true, 0, 1, false), rest(None)];
}

/// All others.
pub(super) struct Any;

impl Known for Any {
    const COUNT: usize = 0;
    const STAGES: [Fixed; MOST_FIXED] = [rest(None); MOST_FIXED];
}

impl Stages {
    /// The list that a cascade's stages are.
    pub(super) fn find<T: Element>(cascade: &Cascade<T>) -> Option<Self> {
        if !T::ROUNDS || cascade.outputs != [0, 1] {
            return None;
        }
        if is::<T, Analysis>(cascade) {
            return Some(Self::Analysis);
        }
        is::<T, Synthesis>(cascade).then_some(Self::Synthesis)
    }
}

/// Whether a cascade consists of the stages of a list.
fn is<T: Element, K: Known>(cascade: &Cascade<T>) -> bool {
    let list = K::STAGES.iter().take(K::COUNT).map(Fixed::stage::<T>);
    cascade.stages.iter().copied().eq(list)
}

impl Fixed {
    /// Whether a plane is lifted.
    pub(super) const fn lifts(&self, plane: usize) -> bool {
        matches!(self.kind, Kind::Lift { target, .. } if target == plane)
    }

    /// Whether the plane that is read stays delayed.
    pub(super) const fn lags(&self) -> bool {
        matches!(self.kind, Kind::Lift { delayed: true, .. })
    }

    /// Whether a plane is delayed behind the stage.
    pub(super) const fn delays(&self, plane: usize) -> bool {
        matches!(self.delay, Some(delayed) if delayed == plane)
    }

    /// Whether the sum is subtracted.
    pub(super) const fn subtracts(&self) -> bool {
        matches!(self.round, Some(Round { subtract: true, .. }))
    }

    /// The stage.
    #[inline(always)]
    pub(super) fn stage<T: From<i8>>(&self) -> Stage<T> {
        let factor = |stage: &Self| T::from(i8::from(stage.round.is_some()));
        let round = self.round.map(|Round { offset, shift, subtract }| Round {
            offset: T::from(offset),
            shift,
            subtract,
        });
        Stage {
            kind: self.kind,
            factors: [factor(self), factor(self)],
            delay: self.delay,
            round,
            plain: self.round.is_some(),
        }
    }
}
