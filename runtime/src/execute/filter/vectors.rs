//! Vectors of values: one interface to the registers of every element type.

use pulp::Simd;
use pulp::bytemuck::Pod;

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

    /// All whole registers of a run.
    fn vectors<S: Simd>(values: &[Self]) -> &[Self::Vector<S>];

    /// All whole registers of a run.
    fn vectors_mut<S: Simd>(values: &mut [Self]) -> &mut [Self::Vector<S>];
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
