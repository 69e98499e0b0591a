//! Exact sums and products of `f64` numbers: `mantissa · 2^exponent`.
//!
//! The product of many factors with large coefficients may cancel to small taps. Multiplied out in
//! dyadic numbers, which need no common divisors, the taps come out correctly rounded however badly
//! conditioned the factors are.

use crate::algebra::Scalar;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use std::ops::{Add, Mul, Neg, Sub};

/// `mantissa · 2^exponent`.
#[derive(Clone, Debug)]
pub(super) struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl Dyadic {
    /// The exact value of a finite number; zero for others, which no verified factor contains.
    pub(super) fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = match biased {
            0 => (fraction, -1074),
            0x7ff => (0, 0),
            _ => (fraction | 1 << 52, biased as i64 - 1075),
        };
        let mantissa = BigInt::from(mantissa);
        Self { mantissa: if value < 0.0 { -mantissa } else { mantissa }, exponent }
    }

    /// The nearest `f64`.
    pub(super) fn to_f64(&self) -> f64 {
        // 64 bits, the last of them set if anything below is, round as all bits would.
        let magnitude = self.mantissa.magnitude();
        let excess = magnitude.bits().saturating_sub(64);
        let mut top = (magnitude >> excess).to_u64().unwrap_or(u64::MAX);
        if magnitude.trailing_zeros().is_some_and(|zeros| zeros < excess) {
            top |= 1;
        }
        let exponent = (self.exponent + excess as i64).clamp(-2200, 2200) as i32;
        let half = exponent / 2;
        let value = top as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half);
        if self.mantissa.sign() == num_bigint::Sign::Minus { -value } else { value }
    }
}

impl Add for Dyadic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (low, high) =
            if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        let shift = (high.exponent - low.exponent) as u64;
        Self { mantissa: (high.mantissa << shift) + low.mantissa, exponent: low.exponent }
    }
}

impl Neg for Dyadic {
    type Output = Self;

    fn neg(self) -> Self {
        Self { mantissa: -self.mantissa, exponent: self.exponent }
    }
}

impl Sub for Dyadic {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dyadic {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let exponent = self.exponent + other.exponent;
        Self { mantissa: self.mantissa * other.mantissa, exponent }
    }
}

impl Zero for Dyadic {
    fn zero() -> Self {
        Self { mantissa: BigInt::zero(), exponent: 0 }
    }

    fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }
}

impl One for Dyadic {
    fn one() -> Self {
        Self { mantissa: BigInt::one(), exponent: 0 }
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        (self.clone() - other.clone()).is_zero()
    }
}

impl Scalar for Dyadic {
    fn magnitude(&self) -> f64 {
        self.to_f64().abs()
    }

    fn is_finite(&self) -> bool {
        true
    }

    /// Exists for powers of two only.
    fn reciprocal(&self) -> Option<Self> {
        let zeros = self.mantissa.trailing_zeros()?;
        let odd = &self.mantissa >> zeros;
        let unit = *odd.magnitude() == num_bigint::BigUint::one();
        unit.then(|| Self { mantissa: odd, exponent: -self.exponent - zeros as i64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        let values = [1.0, -0.1, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 0.0];
        for value in values {
            assert_eq!(Dyadic::from_f64(value).to_f64(), value);
        }
    }

    #[test]
    fn sums_that_cancel_keep_every_digit() {
        let tiny = 1.2345678901234567e-200;
        let sum = Dyadic::from_f64(1e200) + Dyadic::from_f64(tiny) - Dyadic::from_f64(1e200);
        assert_eq!(sum.to_f64(), tiny);
        let third = Dyadic::from_f64(1.0 / 3.0);
        let square = third.clone() * third.clone();
        assert_eq!(square.to_f64(), (1.0 / 3.0) * (1.0 / 3.0));
        assert_eq!(square.clone() - square, Dyadic::zero());
    }

    #[test]
    fn rounding_is_to_the_nearest() {
        let half = Dyadic::from_f64(f64::EPSILON / 2.0);
        let one = Dyadic::one();
        assert_eq!((one.clone() + half.clone()).to_f64(), 1.0);
        let more = one + half + Dyadic::from_f64(1e-60);
        assert_eq!(more.to_f64(), 1.0 + f64::EPSILON);
    }
}
