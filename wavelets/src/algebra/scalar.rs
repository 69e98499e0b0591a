//! The numbers that coefficients are made of: `f64`, or exact rationals.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// An exact rational number.
pub type Rational = BigRational;

/// What a coefficient must be able to do.
pub trait Scalar:
    Clone
    + Debug
    + PartialEq
    + Zero
    + One
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// Absolute value, rounded to `f64`.
    fn magnitude(&self) -> f64;
    /// Whether it is a number: floating point may have overflowed.
    fn is_finite(&self) -> bool;
    /// The multiplicative inverse, or `None` for zero.
    fn reciprocal(&self) -> Option<Self>;
}

impl Scalar for f64 {
    fn magnitude(&self) -> f64 {
        self.abs()
    }
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }
    fn reciprocal(&self) -> Option<Self> {
        (*self != 0.0).then(|| 1.0 / self)
    }
}

impl Scalar for Rational {
    fn magnitude(&self) -> f64 {
        rational_to_f64(&self.abs())
    }
    fn is_finite(&self) -> bool {
        true
    }
    fn reciprocal(&self) -> Option<Self> {
        (!self.is_zero()).then(|| self.recip())
    }
}

/// The exact value of a finite `f64`; `None` for NaN and infinities.
pub fn rational_from_f64(value: f64) -> Option<Rational> {
    BigRational::from_float(value)
}

/// The nearest `f64` of a rational.
pub fn rational_to_f64(value: &Rational) -> f64 {
    value.to_f64().unwrap_or_else(|| {
        // Only reached when the quotient leaves the range of f64.
        if value.numer().is_zero() {
            0.0
        } else if value.is_negative() == (value.denom() < &BigInt::zero()) {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        }
    })
}
