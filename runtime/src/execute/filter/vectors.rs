//! Vectors of values: one interface to the registers of every element type.

use crate::execute::program::Round;
use pulp::Simd;
use pulp::bytemuck::{Pod, cast};

/// Values that are computed in vectors. Integers of other than 32 bits have vectors of one.
pub trait Vectors: Pod {
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

    /// Values one place later; the first is the last of those `before`.
    fn follow<S: Simd>(before: Self::Vector<S>, values: Self::Vector<S>) -> Self::Vector<S>;

    /// The values at even and those at odd places of two registers.
    fn split<S: Simd>(values: [Self::Vector<S>; 2]) -> [Self::Vector<S>; 2];

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

macro_rules! float_vectors {
    ($type:ty, $vector:ident, $splat:ident, $mul_add:ident, $partial:ident, $as_simd:ident,
     $as_mut_simd:ident) => {
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
            fn split<S: Simd>(values: [S::$vector; 2]) -> [S::$vector; 2] {
                match Self::lanes::<S>() {
                    16 => halves!(Self, 16, values, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]),
                    8 => halves!(Self, 8, values, [0 1 2 3 4 5 6 7]),
                    4 => halves!(Self, 4, values, [0 1 2 3]),
                    2 => halves!(Self, 2, values, [0 1]),
                    _ => values,
                }
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
    as_simd_f32s,
    as_mut_simd_f32s
);
float_vectors!(
    f64,
    f64s,
    splat_f64s,
    mul_add_e_f64s,
    partial_load_f64s,
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
        // Shifts are those of numbers without a sign: the sum is moved up before, and back behind.
        const MIDDLE: u32 = 1 << 31;
        let shift = round.shift % u32::BITS;
        let sum = simd.add_u32s(sum, simd.splat_u32s(MIDDLE.wrapping_add(round.offset as u32)));
        let sum = simd.wrapping_dyn_shr_u32s(sum, simd.splat_u32s(shift));
        let (back, target) = (simd.splat_u32s(MIDDLE >> shift), simd.transmute_u32s_i32s(target));
        let target = if SUBTRACT {
            simd.sub_u32s(simd.add_u32s(target, back), sum)
        } else {
            simd.add_u32s(simd.sub_u32s(target, back), sum)
        };
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
    fn follow<S: Simd>(before: S::i32s, values: S::i32s) -> S::i32s {
        cast(f32::follow::<S>(cast(before), cast(values)))
    }

    #[inline(always)]
    fn split<S: Simd>(values: [S::i32s; 2]) -> [S::i32s; 2] {
        let [even, odd] = f32::split::<S>([cast(values[0]), cast(values[1])]);
        [cast(even), cast(odd)]
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
            fn follow<S: Simd>(before: Self, _values: Self) -> Self {
                before
            }

            #[inline(always)]
            fn split<S: Simd>(values: [Self; 2]) -> [Self; 2] {
                values
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
