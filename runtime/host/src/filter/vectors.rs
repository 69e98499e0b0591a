//! Vectors of values: one interface to the registers of every element type.

use crate::program::Round;
use pulp::Simd;
use pulp::bytemuck::{Pod, cast, cast_slice};
use std::slice::from_ref;

/// Values that are computed in vectors. Integers of other than 32 bits have vectors of one.
pub trait Vectors: Pod + From<i8> {
    /// Whether there are stages that round, as those of integers do.
    const ROUNDS: bool;

    /// A register.
    type Vector<S: Simd>: Pod;

    /// Values of a register.
    fn lanes<S: Simd>() -> usize {
        size_of::<Self::Vector<S>>() / size_of::<Self>()
    }

    /// The same value everywhere.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;

    /// `a · b + c`.
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// At most a register of values, zero behind them.
    fn partial<S: Simd>(simd: S, values: &[Self]) -> Self::Vector<S>;

    /// Stores the first values of a register, at most all.
    fn store<S: Simd>(simd: S, places: &mut [Self], values: Self::Vector<S>);

    /// Values one place later; the first is the last of those `before`.
    fn follow<S: Simd>(before: Self::Vector<S>, values: Self::Vector<S>) -> Self::Vector<S>;

    /// The values at even and those at odd places of two registers.
    fn split<S: Simd>(simd: S, values: [Self::Vector<S>; 2]) -> [Self::Vector<S>; 2];

    /// The values of two registers in turn.
    fn merge<S: Simd>(values: [Self::Vector<S>; 2]) -> [Self::Vector<S>; 2];

    /// Adds to the bits in which integers differ from their sign; see [`Vectors::reached`].
    fn watch<S: Simd>(simd: S, seen: Self::Vector<S>, values: Self::Vector<S>) -> Self::Vector<S>;

    /// A bound of the magnitude of all values that were watched: at most twice the largest.
    fn reached<S: Simd>(seen: Self::Vector<S>) -> u64;

    /// `target` and what a rounded sum of two values adds to it or subtracts from it. `UNITS` says
    /// that both factors are 1. Types whose stages do not round return `target`.
    fn rounded<S: Simd, const UNITS: bool, const SUBTRACT: bool>(
        simd: S,
        factors: [Self; 2],
        round: Round<Self>,
        values: [Self::Vector<S>; 2],
        target: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// All whole registers of a run.
    fn vectors<S: Simd>(values: &[Self]) -> &[Self::Vector<S>];

    /// All whole registers of a run.
    fn vectors_mut<S: Simd>(values: &mut [Self]) -> &mut [Self::Vector<S>];
}

/// Registers that wait in memory, at a multiple of 64 bytes. One that begins within a line of the cache may end in the next:
/// what is read back soon would wait for both to be stored, and for all that was stored before.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Aligned<V>(pub(super) V);

/// Whether registers hold several values.
pub(super) const fn wide<S: Simd, T: Vectors>() -> bool {
    size_of::<T::Vector<S>>() > size_of::<T>()
}

/// The values of a register one place later.
#[inline(always)]
fn later<T: Copy, const N: usize>(before: [T; N], values: [T; N]) -> [T; N] {
    let mut later = values;
    later[0] = before[N - 1];
    let mut at = 1;
    while at < N {
        later[at] = values[at - 1];
        at += 1;
    }
    later
}

/// Two registers' values at even and at odd places. Spelled out, compilers see an exchange of
/// registers.
macro_rules! halves {
    ($type:ty, $count:literal, $values:expr, [$($at:literal)*]) => {{
        let values: [[$type; $count]; 2] = [cast($values[0]), cast($values[1])];
        [
            cast([$(values[2 * $at / $count][2 * $at % $count]),*]),
            cast([$(values[(2 * $at + 1) / $count][(2 * $at + 1) % $count]),*]),
        ]
    }};
}

/// The values of two registers in turn, spelled out as well.
macro_rules! turns {
    ($type:ty, $count:literal, $values:expr, [$($at:literal)*]) => {{
        let values: [[$type; $count]; 2] = [cast($values[0]), cast($values[1])];
        [
            cast([$(values[$at % 2][$at / 2]),*]),
            cast([$(values[$at % 2][$count / 2 + $at / 2]),*]),
        ]
    }};
}

macro_rules! float_vectors {
    ($type:ty, $vector:ident, $splat:ident, $mul_add:ident, $partial:ident, $store:ident,
     $as_simd:ident, $as_mut_simd:ident) => {
        impl Vectors for $type {
            const ROUNDS: bool = false;

            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn rounded<S: Simd, const UNITS: bool, const SUBTRACT: bool>(
                _simd: S,
                _factors: [Self; 2],
                _round: Round<Self>,
                _values: [S::$vector; 2],
                target: S::$vector,
            ) -> S::$vector {
                target
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }

            #[inline(always)]
            fn mul_add<S: Simd>(
                simd: S,
                a: S::$vector,
                b: S::$vector,
                c: S::$vector,
            ) -> S::$vector {
                simd.$mul_add(a, b, c)
            }

            #[inline(always)]
            fn partial<S: Simd>(simd: S, values: &[Self]) -> S::$vector {
                simd.$partial(values)
            }

            #[inline(always)]
            fn store<S: Simd>(simd: S, places: &mut [Self], values: S::$vector) {
                simd.$store(places, values);
            }

            #[inline(always)]
            fn follow<S: Simd>(before: S::$vector, values: S::$vector) -> S::$vector {
                // Compilers make one instruction of each of these.
                match Self::lanes::<S>() {
                    16 => cast(later::<Self, 16>(cast(before), cast(values))),
                    8 => cast(later::<Self, 8>(cast(before), cast(values))),
                    4 => cast(later::<Self, 4>(cast(before), cast(values))),
                    2 => cast(later::<Self, 2>(cast(before), cast(values))),
                    _ => before,
                }
            }

            #[allow(clippy::manual_div_ceil)]
            #[inline(always)]
            fn split<S: Simd>(_simd: S, values: [S::$vector; 2]) -> [S::$vector; 2] {
                match Self::lanes::<S>() {
                    16 => halves!(Self, 16, values, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]),
                    8 => halves!(Self, 8, values, [0 1 2 3 4 5 6 7]),
                    4 => halves!(Self, 4, values, [0 1 2 3]),
                    2 => halves!(Self, 2, values, [0 1]),
                    _ => values,
                }
            }

            #[inline(always)]
            fn merge<S: Simd>(values: [S::$vector; 2]) -> [S::$vector; 2] {
                match Self::lanes::<S>() {
                    16 => turns!(Self, 16, values, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]),
                    8 => turns!(Self, 8, values, [0 1 2 3 4 5 6 7]),
                    4 => turns!(Self, 4, values, [0 1 2 3]),
                    2 => turns!(Self, 2, values, [0 1]),
                    _ => values,
                }
            }

            #[inline(always)]
            fn watch<S: Simd>(_simd: S, seen: S::$vector, _values: S::$vector) -> S::$vector {
                seen
            }

            #[inline(always)]
            fn reached<S: Simd>(_seen: S::$vector) -> u64 {
                0
            }

            #[inline(always)]
            fn vectors<S: Simd>(values: &[Self]) -> &[S::$vector] {
                S::$as_simd(values).0
            }

            #[inline(always)]
            fn vectors_mut<S: Simd>(values: &mut [Self]) -> &mut [S::$vector] {
                S::$as_mut_simd(values).0
            }
        }
    };
}

float_vectors!(
    f32,
    f32s,
    splat_f32s,
    mul_add_e_f32s,
    partial_load_f32s,
    partial_store_f32s,
    as_simd_f32s,
    as_mut_simd_f32s
);
float_vectors!(
    f64,
    f64s,
    splat_f64s,
    mul_add_e_f64s,
    partial_load_f64s,
    partial_store_f64s,
    as_simd_f64s,
    as_mut_simd_f64s
);

impl Vectors for i32 {
    const ROUNDS: bool = true;

    type Vector<S: Simd> = S::i32s;

    #[inline(always)]
    fn rounded<S: Simd, const UNITS: bool, const SUBTRACT: bool>(
        simd: S,
        factors: [Self; 2],
        round: Round<Self>,
        [newer, older]: [S::i32s; 2],
        target: S::i32s,
    ) -> S::i32s {
        let (mut newer, mut older) =
            (simd.transmute_u32s_i32s(newer), simd.transmute_u32s_i32s(older));
        if !UNITS {
            newer = simd.mul_u32s(simd.splat_u32s(factors[0] as u32), newer);
            older = simd.mul_u32s(simd.splat_u32s(factors[1] as u32), older);
        }
        let sum = simd.add_u32s(newer, older);
        let sum = simd.add_u32s(sum, simd.splat_u32s(round.offset as u32));
        // Shifts are those of numbers without a sign: what they leave of the sign is put right behind.
        // Where the shift is a constant compilers see that of numbers with a sign.
        let shift = round.shift % u32::BITS;
        let sign = simd.splat_u32s((1 << (u32::BITS - 1)) >> shift);
        let sum = simd.wrapping_dyn_shr_u32s(sum, simd.splat_u32s(shift));
        let sum = simd.sub_u32s(simd.xor_u32s(sum, sign), sign);
        let target = simd.transmute_u32s_i32s(target);
        let target = if SUBTRACT { simd.sub_u32s(target, sum) } else { simd.add_u32s(target, sum) };
        simd.transmute_i32s_u32s(target)
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::i32s {
        simd.splat_i32s(value)
    }

    #[inline(always)]
    fn mul_add<S: Simd>(simd: S, a: S::i32s, b: S::i32s, c: S::i32s) -> S::i32s {
        let product = simd.mul_u32s(simd.transmute_u32s_i32s(a), simd.transmute_u32s_i32s(b));
        simd.transmute_i32s_u32s(simd.add_u32s(product, simd.transmute_u32s_i32s(c)))
    }

    #[inline(always)]
    fn partial<S: Simd>(simd: S, values: &[Self]) -> S::i32s {
        simd.partial_load_i32s(values)
    }

    #[inline(always)]
    fn store<S: Simd>(simd: S, places: &mut [Self], values: S::i32s) {
        simd.partial_store_i32s(places, values);
    }

    #[inline(always)]
    fn follow<S: Simd>(before: S::i32s, values: S::i32s) -> S::i32s {
        cast(f32::follow::<S>(cast(before), cast(values)))
    }

    #[inline(always)]
    fn split<S: Simd>(simd: S, values: [S::i32s; 2]) -> [S::i32s; 2] {
        // Compilers take what was loaded apart, number by number, but not what was computed.
        let zero = simd.splat_i32s(0);
        let values = [simd.or_i32s(values[0], zero), simd.or_i32s(values[1], zero)];
        let [even, odd] = f32::split::<S>(simd, [cast(values[0]), cast(values[1])]);
        [cast(even), cast(odd)]
    }

    #[inline(always)]
    fn merge<S: Simd>(values: [S::i32s; 2]) -> [S::i32s; 2] {
        let [first, second] = f32::merge::<S>([cast(values[0]), cast(values[1])]);
        [cast(first), cast(second)]
    }

    #[inline(always)]
    fn watch<S: Simd>(simd: S, seen: S::i32s, values: S::i32s) -> S::i32s {
        // Bits that differ from the bit below: the highest is where the sign begins.
        let (seen, values) = (simd.transmute_u32s_i32s(seen), simd.transmute_u32s_i32s(values));
        let steps = simd.xor_u32s(values, simd.add_u32s(values, values));
        simd.transmute_i32s_u32s(simd.or_u32s(seen, steps))
    }

    #[inline(always)]
    fn reached<S: Simd>(seen: S::i32s) -> u64 {
        let seen: &[u32] = cast_slice(from_ref(&seen));
        seen.iter().fold(0, |all, seen| all | seen).checked_ilog2().map_or(0, |bit| 1 << bit)
    }

    #[inline(always)]
    fn vectors<S: Simd>(values: &[Self]) -> &[S::i32s] {
        S::as_simd_i32s(values).0
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(values: &mut [Self]) -> &mut [S::i32s] {
        S::as_mut_simd_i32s(values).0
    }
}

macro_rules! integer_vectors {
    ($($type:ty),*) => {
        $(impl Vectors for $type {
            const ROUNDS: bool = false;

            type Vector<S: Simd> = Self;

            #[inline(always)]
            fn rounded<S: Simd, const UNITS: bool, const SUBTRACT: bool>(
                _simd: S,
                _factors: [Self; 2],
                _round: Round<Self>,
                _values: [Self; 2],
                target: Self,
            ) -> Self {
                target
            }

            #[inline(always)]
            fn splat<S: Simd>(_simd: S, value: Self) -> Self {
                value
            }

            #[inline(always)]
            fn mul_add<S: Simd>(_simd: S, a: Self, b: Self, c: Self) -> Self {
                a.wrapping_mul(b).wrapping_add(c)
            }

            #[inline(always)]
            fn partial<S: Simd>(_simd: S, values: &[Self]) -> Self {
                values.first().copied().unwrap_or_default()
            }

            #[inline(always)]
            fn store<S: Simd>(_simd: S, places: &mut [Self], values: Self) {
                if let Some(place) = places.first_mut() {
                    *place = values;
                }
            }

            #[inline(always)]
            fn follow<S: Simd>(before: Self, _values: Self) -> Self {
                before
            }

            #[inline(always)]
            fn split<S: Simd>(_simd: S, values: [Self; 2]) -> [Self; 2] {
                values
            }

            #[inline(always)]
            fn merge<S: Simd>(values: [Self; 2]) -> [Self; 2] {
                values
            }

            #[inline(always)]
            fn watch<S: Simd>(_simd: S, seen: Self, _values: Self) -> Self {
                seen
            }

            #[inline(always)]
            fn reached<S: Simd>(_seen: Self) -> u64 {
                0
            }

            #[inline(always)]
            fn vectors<S: Simd>(values: &[Self]) -> &[Self] {
                values
            }

            #[inline(always)]
            fn vectors_mut<S: Simd>(values: &mut [Self]) -> &mut [Self] {
                values
            }
        })*
    };
}

integer_vectors!(i16, i64);

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Scalar;

    #[test]
    fn what_was_watched_is_bounded_by_twice_the_largest() {
        let powers =
            (0..31).flat_map(|bit| [(1 << bit) - 1, 1 << bit, -(1 << bit), -(1 << bit) - 1]);
        for value in powers.chain([i32::MAX, i32::MIN]) {
            let seen = i32::watch(Scalar::new(), 0, value);
            let (bound, largest) = (i32::reached::<Scalar>(seen), u64::from(value.unsigned_abs()));
            assert!(largest <= bound && bound <= 2 * largest, "{value} {bound}");
            assert_eq!(i32::reached::<Scalar>(i32::watch(Scalar::new(), seen, 0)), bound);
        }
    }
}
