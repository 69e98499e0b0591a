//! The numbers that are transformed.

use crate::filter::Summed;
use crate::operations::Operations;
use crate::rows::Rows;
use std::fmt::{Debug, Display};
use waveloom_codegen::Element as Kind;

/// An element type: `f32` or `f64` for any kernel, `i16`, `i32` or `i64` for such as round.
///
/// The trait is sealed: arithmetic differs between floats (fused multiply-add where the machine has
/// it) and integers (exact, or watched for overflow).
pub trait Element: Arithmetic {
    /// The type as the kernels name it.
    const TYPE: Kind;
}

macro_rules! elements {
    ($($type:ty => $kind:ident),*) => {
        $(impl Element for $type {
            const TYPE: Kind = Kind::$kind;
        })*
    };
}

elements!(f32 => F32, f64 => F64, i16 => I16, i32 => I32, i64 => I64);

/// What the executor does with elements, beyond the inner loops.
pub trait Arithmetic:
    Operations
    + Rows
    + Summed
    + Debug
    + Default
    + Display
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
{
    /// The largest integer; not used for floats.
    const LARGEST: i64;

    /// A coefficient of a step. Integers get coefficients that are whole numbers already.
    fn from_coefficient(coefficient: f64) -> Self;

    /// `self + weight · value`; integers wrap (their ranges are checked elsewhere).
    fn plus_weighted(self, weight: i64, value: Self) -> Self;

    /// `gain · self`.
    fn times_gain(self, gain: f64) -> Self;

    /// `self / gain`; integers round down.
    fn over_gain(self, gain: f64) -> Self;

    /// The largest magnitude; 0 for floats, whose range is not limited.
    fn largest(values: &[Self]) -> u64;
}

macro_rules! float {
    ($($type:ty),*) => {
        $(impl Arithmetic for $type {
            const LARGEST: i64 = i64::MAX;

            fn from_coefficient(coefficient: f64) -> Self {
                coefficient as $type
            }

            fn plus_weighted(self, weight: i64, value: Self) -> Self {
                self + weight as $type * value
            }

            fn times_gain(self, gain: f64) -> Self {
                self * gain as $type
            }

            fn over_gain(self, gain: f64) -> Self {
                self / gain as $type
            }

            fn largest(_values: &[Self]) -> u64 {
                0
            }
        })*
    };
}

macro_rules! integer {
    ($($type:ty),*) => {
        $(impl Arithmetic for $type {
            const LARGEST: i64 = <$type>::MAX as i64;

            fn from_coefficient(coefficient: f64) -> Self {
                coefficient.round() as $type
            }

            fn plus_weighted(self, weight: i64, value: Self) -> Self {
                self.wrapping_add((weight as $type).wrapping_mul(value))
            }

            fn times_gain(self, gain: f64) -> Self {
                self.wrapping_mul(gain as $type)
            }

            fn over_gain(self, gain: f64) -> Self {
                let divisor = gain as $type;
                if divisor == 0 { self } else { self.div_euclid(divisor) }
            }

            fn largest(values: &[Self]) -> u64 {
                crate::rows::largest(values)
            }
        })*
    };
}

float!(f32, f64);
integer!(i16, i32, i64);
