//! Vectors of both planes through all stages of a cascade, in registers.
//!
//! Vectors that pass together are neighbours along a row, or the same columns of neighbouring rows.
//! Along a row a delay moves values by a place, across rows it takes a whole vector of the row before.

use super::cascade::{Cascade, Kind, Stage};
use super::taps::PLANES;
use super::vectors::Vectors;
use pulp::Simd;

/// Passes vectors; what comes out is low and high. `behind` is, per stage, the last vector of what it
/// delays. `ROWS` says that vectors are those of neighbouring rows.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub(super) fn pass<S: Simd, T: Vectors + Default, const B: usize, const ROWS: bool>(
    simd: S,
    cascade: &Cascade<T>,
    behind: &mut [T::Vector<S>],
    [mut first, mut second]: [[T::Vector<S>; B]; PLANES],
) -> [[T::Vector<S>; B]; PLANES] {
    for (stage, behind) in cascade.stages.iter().zip(behind) {
        let factors = [T::splat(simd, stage.factors[0]), T::splat(simd, stage.factors[1])];
        match stage.kind {
            Kind::Turn => {
                for v in 0..B {
                    let sum = T::mul_add(simd, factors[0], second[v], first[v]);
                    second[v] = T::mul_add(simd, factors[1], first[v], second[v]);
                    first[v] = sum;
                }
            }
            Kind::Push { target: 0 } => {
                add::<S, T, B>(simd, stage, &mut first, [&second, &second]);
            }
            Kind::Push { .. } => add::<S, T, B>(simd, stage, &mut second, [&first, &first]),
            Kind::Lift { target: 0, delayed } => {
                let older = delay::<S, T, B, ROWS>(second, behind);
                add::<S, T, B>(simd, stage, &mut first, [&second, &older]);
                if delayed {
                    second = older;
                }
            }
            Kind::Lift { delayed, .. } => {
                let older = delay::<S, T, B, ROWS>(first, behind);
                add::<S, T, B>(simd, stage, &mut second, [&first, &older]);
                if delayed {
                    first = older;
                }
            }
            Kind::Rest => {}
        }
        match stage.delay {
            Some(0) => first = delay::<S, T, B, ROWS>(first, behind),
            Some(_) => second = delay::<S, T, B, ROWS>(second, behind),
            None => {}
        }
    }
    let crossed = cascade.outputs[0] != 0;
    let (mut low, mut high) = (first, second);
    if crossed {
        (low, high) = (second, first);
    }
    if T::ROUNDS {
        return [low, high];
    }
    let zero = T::splat(simd, T::default());
    let gains = [T::splat(simd, cascade.gains[0]), T::splat(simd, cascade.gains[1])];
    for v in 0..B {
        low[v] = T::mul_add(simd, gains[0], low[v], zero);
        high[v] = T::mul_add(simd, gains[1], high[v], zero);
    }
    [low, high]
}

/// Adds a stage's sum: of the newer and, in a lift, the older values of the other plane.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn add<S: Simd, T: Vectors + Default, const B: usize>(
    simd: S,
    stage: &Stage<T>,
    target: &mut [T::Vector<S>; B],
    [newer, older]: [&[T::Vector<S>; B]; 2],
) {
    let lifts = matches!(stage.kind, Kind::Lift { .. });
    if !T::ROUNDS {
        let factors = [T::splat(simd, stage.factors[0]), T::splat(simd, stage.factors[1])];
        for v in 0..B {
            target[v] = T::mul_add(simd, factors[0], newer[v], target[v]);
            if lifts {
                target[v] = T::mul_add(simd, factors[1], older[v], target[v]);
            }
        }
        return;
    }
    let Some(round) = stage.round else { return };
    // A push has no second factor.
    match (stage.plain, round.subtract) {
        (true, false) => {
            for v in 0..B {
                let values = [newer[v], older[v]];
                target[v] =
                    T::rounded::<S, true, false>(simd, stage.factors, round, values, target[v]);
            }
        }
        (true, true) => {
            for v in 0..B {
                let values = [newer[v], older[v]];
                target[v] =
                    T::rounded::<S, true, true>(simd, stage.factors, round, values, target[v]);
            }
        }
        (false, false) => {
            for v in 0..B {
                let values = [newer[v], older[v]];
                target[v] =
                    T::rounded::<S, false, false>(simd, stage.factors, round, values, target[v]);
            }
        }
        (false, true) => {
            for v in 0..B {
                let values = [newer[v], older[v]];
                target[v] =
                    T::rounded::<S, false, true>(simd, stage.factors, round, values, target[v]);
            }
        }
    }
}

/// Vectors one place, or one row, later; what leaves is kept for the next ones.
#[allow(clippy::manual_memcpy)]
#[inline(always)]
fn delay<S: Simd, T: Vectors, const B: usize, const ROWS: bool>(
    values: [T::Vector<S>; B],
    behind: &mut T::Vector<S>,
) -> [T::Vector<S>; B] {
    let mut later = values;
    if ROWS {
        later[0] = *behind;
        for v in 1..B {
            later[v] = values[v - 1];
        }
    } else {
        later[0] = T::follow::<S>(*behind, values[0]);
        for v in 1..B {
            later[v] = T::follow::<S>(values[v - 1], values[v]);
        }
    }
    *behind = values[B - 1];
    later
}
