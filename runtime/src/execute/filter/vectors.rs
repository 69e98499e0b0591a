//! Vectors of values: one interface to the registers of every element type.

use pulp::Simd;
use pulp::bytemuck::{Pod, cast};

/// Values that are computed in vectors. Integers have vectors of one.
pub trait Vectors: Pod {
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
            type Vector<S: Simd> = S::$vector;

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

macro_rules! integer_vectors {
    ($($type:ty),*) => {
        $(impl Vectors for $type {
            type Vector<S: Simd> = Self;

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

integer_vectors!(i16, i32, i64);
