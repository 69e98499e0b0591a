//! Vectors of both planes through all stages of a cascade, in registers.
//!
//! Vectors that pass together are neighbours along a row, or the same columns of neighbouring rows.
//! Along a row a delay moves values by a place, across rows it takes a whole vector of the row before.

use super::cascade::{Cascade, Kind, Stage};
use super::exchange::follow;
use super::known::{Factors, Known};
use super::taps::PLANES;
use super::vectors::Vectors;
use crate::program::Round;
use pulp::Simd;

/// What is done between the stages of a pass.
pub(super) trait Meanwhile {
    /// The next part of it.
    fn step(&mut self);
}

/// Nothing.
impl Meanwhile for () {
    #[inline(always)]
    fn step(&mut self) {}
}

/// Passes vectors; what comes out is low and high. `behind` is, per stage, the last vector of what it
/// delays. `ROWS` says that vectors are those of neighbouring rows.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub(super) fn pass<S: Simd, T: Vectors + Default, K: Known, const B: usize, const ROWS: bool>(
    simd: S,
    (cascade, factors): (&Cascade<T>, &Factors<S, T>),
    behind: &mut [T::Vector<S>],
    mut planes: [[T::Vector<S>; B]; PLANES],
    meanwhile: &mut impl Meanwhile,
) -> [[T::Vector<S>; B]; PLANES] {
    if const { K::COUNT > 0 } {
        // Spelled out: compilers need not unroll a loop to see that stages are constants.
        let behind = &mut behind[..K::COUNT];
        let mut passing = Passing::<S, T, B, ROWS> { simd, planes: &mut planes };
        passing.known::<K, 0>(factors, &mut behind[0]);
        meanwhile.step();
        if const { K::COUNT > 1 } {
            passing.known::<K, 1>(factors, &mut behind[1]);
            meanwhile.step();
        }
        if const { K::COUNT > 2 } {
            passing.known::<K, 2>(factors, &mut behind[2]);
            meanwhile.step();
        }
        if const { K::COUNT > 3 } {
            passing.known::<K, 3>(factors, &mut behind[3]);
            meanwhile.step();
        }
        if const { K::COUNT > 4 } {
            passing.known::<K, 4>(factors, &mut behind[4]);
            meanwhile.step();
        }
        if const { K::CROSSED } {
            planes.swap(0, 1);
        }
        return if K::ROUNDS { planes } else { gained::<S, T, B>(simd, factors.gains, planes) };
    }
    for (stage, behind) in cascade.stages.iter().zip(behind) {
        Passing::<S, T, B, ROWS> { simd, planes: &mut planes }.stage(*stage, behind);
        meanwhile.step();
    }
    let [mut low, mut high] = planes;
    if cascade.outputs[0] != 0 {
        (low, high) = (high, low);
    }
    if T::ROUNDS {
        return [low, high];
    }
    let gains = [T::splat(simd, cascade.gains[0]), T::splat(simd, cascade.gains[1])];
    gained::<S, T, B>(simd, gains, [low, high])
}

/// Values times gains.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn gained<S: Simd, T: Vectors + Default, const B: usize>(
    simd: S,
    gains: [T::Vector<S>; PLANES],
    mut planes: [[T::Vector<S>; B]; PLANES],
) -> [[T::Vector<S>; B]; PLANES] {
    let zero = T::splat(simd, T::default());
    for plane in 0..PLANES {
        for v in 0..B {
            planes[plane][v] = T::mul_add(simd, gains[plane], planes[plane][v], zero);
        }
    }
    planes
}

/// Vectors on their way.
struct Passing<'p, S: Simd, T: Vectors, const B: usize, const ROWS: bool> {
    simd: S,
    planes: &'p mut [[T::Vector<S>; B]; PLANES],
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop, clippy::manual_memcpy)]
impl<S: Simd, T: Vectors + Default, const B: usize, const ROWS: bool> Passing<'_, S, T, B, ROWS> {
    #[inline(always)]
    fn stage(&mut self, stage: Stage<T>, behind: &mut T::Vector<S>) {
        match stage.kind {
            Kind::Turn => self.turn(self.factors(&stage)),
            Kind::Push { target: 0 } => self.add::<0>(&stage, self.planes[1]),
            Kind::Push { .. } => self.add::<1>(&stage, self.planes[0]),
            Kind::Lift { target: 0, delayed } => {
                let older = self.delay::<1>(behind);
                self.add::<0>(&stage, older);
                if delayed {
                    self.planes[1] = older;
                }
            }
            Kind::Lift { delayed, .. } => {
                let older = self.delay::<0>(behind);
                self.add::<1>(&stage, older);
                if delayed {
                    self.planes[0] = older;
                }
            }
            Kind::Rest => {}
        }
        match stage.delay {
            Some(0) => self.planes[0] = self.delay::<0>(behind),
            Some(_) => self.planes[1] = self.delay::<1>(behind),
            None => {}
        }
    }

    /// Stage `I` of a list. What it is not is not even compiled.
    #[inline(always)]
    fn known<K: Known, const I: usize>(
        &mut self,
        factors: &Factors<S, T>,
        behind: &mut T::Vector<S>,
    ) {
        if const { K::STAGES[I].lifts(0) } {
            self.lift::<K, I, 0, 1>(factors, behind);
        }
        if const { K::STAGES[I].lifts(1) } {
            self.lift::<K, I, 1, 0>(factors, behind);
        }
        if const { K::STAGES[I].turns() } {
            self.turn(factors.stages[I]);
        }
        if const { K::STAGES[I].delays(0) } {
            self.planes[0] = self.delay::<0>(behind);
        }
        if const { K::STAGES[I].delays(1) } {
            self.planes[1] = self.delay::<1>(behind);
        }
    }

    /// The lift of plane `P` by plane `Q` that is stage `I` of a list.
    #[inline(always)]
    fn lift<K: Known, const I: usize, const P: usize, const Q: usize>(
        &mut self,
        factors: &Factors<S, T>,
        behind: &mut T::Vector<S>,
    ) {
        let older = self.delay::<Q>(behind);
        match const { K::STAGES[I] }.rounding() {
            None => self.sum::<P, true>(factors.stages[I], older),
            Some(round) => {
                let units = [T::from(1), T::from(1)];
                if const { K::STAGES[I].subtracts() } {
                    self.round::<P, true, true>(units, round, older);
                } else {
                    self.round::<P, true, false>(units, round, older);
                }
            }
        }
        if const { K::STAGES[I].lags() } {
            self.planes[Q] = older;
        }
    }

    /// A stage's factors, in registers.
    #[inline(always)]
    fn factors(&self, stage: &Stage<T>) -> [T::Vector<S>; PLANES] {
        [T::splat(self.simd, stage.factors[0]), T::splat(self.simd, stage.factors[1])]
    }

    /// Each plane gets the other's old values times a factor.
    #[inline(always)]
    fn turn(&mut self, factors: [T::Vector<S>; PLANES]) {
        let [first, second] = &mut *self.planes;
        for v in 0..B {
            let sum = T::mul_add(self.simd, factors[0], second[v], first[v]);
            second[v] = T::mul_add(self.simd, factors[1], first[v], second[v]);
            first[v] = sum;
        }
    }

    /// Adds a stage's sum to plane `P`: of the newer and, in a lift, the older values of the other.
    #[inline(always)]
    fn add<const P: usize>(&mut self, stage: &Stage<T>, older: [T::Vector<S>; B]) {
        if T::ROUNDS {
            let Some(round) = stage.round else { return };
            // A push has no second factor.
            match (stage.plain, round.subtract) {
                (true, false) => self.round::<P, true, false>(stage.factors, round, older),
                (true, true) => self.round::<P, true, true>(stage.factors, round, older),
                (false, false) => self.round::<P, false, false>(stage.factors, round, older),
                (false, true) => self.round::<P, false, true>(stage.factors, round, older),
            }
            return;
        }
        let factors = self.factors(stage);
        match stage.kind {
            Kind::Lift { .. } => self.sum::<P, true>(factors, older),
            _ => self.sum::<P, false>(factors, older),
        }
    }

    /// The same with factors in registers; `LIFTS` says that there are older values.
    #[inline(always)]
    fn sum<const P: usize, const LIFTS: bool>(
        &mut self,
        factors: [T::Vector<S>; PLANES],
        older: [T::Vector<S>; B],
    ) {
        let newer = self.planes[1 - P];
        let target = &mut self.planes[P];
        for v in 0..B {
            target[v] = T::mul_add(self.simd, factors[0], newer[v], target[v]);
            if LIFTS {
                target[v] = T::mul_add(self.simd, factors[1], older[v], target[v]);
            }
        }
    }

    /// The same, rounded.
    #[inline(always)]
    fn round<const P: usize, const UNITS: bool, const SUBTRACT: bool>(
        &mut self,
        factors: [T; 2],
        round: Round<T>,
        older: [T::Vector<S>; B],
    ) {
        let newer = self.planes[1 - P];
        let target = &mut self.planes[P];
        for v in 0..B {
            let values = [newer[v], older[v]];
            target[v] =
                T::rounded::<S, UNITS, SUBTRACT>(self.simd, factors, round, values, target[v]);
        }
    }

    /// The vectors of plane `P` one place, or one row, later; what leaves is kept for the next ones.
    #[inline(always)]
    fn delay<const P: usize>(&self, behind: &mut T::Vector<S>) -> [T::Vector<S>; B] {
        let values = self.planes[P];
        let mut later = values;
        if ROWS {
            later[0] = *behind;
            for v in 1..B {
                later[v] = values[v - 1];
            }
        } else {
            later[0] = follow::<S, T>(self.simd, *behind, values[0]);
            for v in 1..B {
                later[v] = follow::<S, T>(self.simd, values[v - 1], values[v]);
            }
        }
        *behind = values[B - 1];
        later
    }
}
