//! Numbers that know what cancelled in them, so that rounding noise can be told from a small value.

use super::{Laurent, PolyphaseMatrix, Scalar};
use num_traits::{One, Zero};
use std::ops::{Add, Mul, Neg, Sub};

/// A sum this small, relative to the magnitudes that were added up, is their rounding error.
const NOISE: f64 = 1e-14;

/// A value and the sum of the magnitudes that it was added up from: the scale of its rounding error,
/// however small the value came out. A product that was never added to anything has its own
/// magnitude, and so is never noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracked {
    value: f64,
    mass: f64,
}

impl Tracked {
    /// A number that is right to its last bit.
    pub fn exact(value: f64) -> Self {
        Self { value, mass: value.abs() }
    }

    /// The value; `None` if all of it may be rounding error.
    pub fn significant(&self) -> Option<f64> {
        (self.value.abs() > NOISE * self.mass).then_some(self.value)
    }
}

impl Zero for Tracked {
    fn zero() -> Self {
        Self::exact(0.0)
    }
    /// What cancelled is not nothing: its mass still counts.
    fn is_zero(&self) -> bool {
        self.mass == 0.0
    }
}

impl One for Tracked {
    fn one() -> Self {
        Self::exact(1.0)
    }
}

impl Add for Tracked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, mass: self.mass + other.mass }
    }
}

impl Sub for Tracked {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, mass: self.mass + other.mass }
    }
}

impl Mul for Tracked {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, mass: self.mass * other.mass }
    }
}

impl Neg for Tracked {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, mass: self.mass }
    }
}

impl Scalar for Tracked {
    fn magnitude(&self) -> f64 {
        self.value.abs()
    }
    fn is_finite(&self) -> bool {
        self.value.is_finite()
    }
    fn reciprocal(&self) -> Option<Self> {
        self.value.reciprocal().map(Self::exact)
    }
}

impl Laurent<f64> {
    /// The same polynomial, ready for products that are to be freed of their rounding noise.
    pub fn tracked(&self) -> Laurent<Tracked> {
        self.map(|value| Tracked::exact(*value))
    }
}

impl Laurent<Tracked> {
    /// The terms that are not rounding noise.
    ///
    /// ```
    /// use waveloom_wavelets::algebra::Laurent;
    /// // (1 + z)(0.1 + 0.2 z) - (0.3 z) leaves 5.6e-17 z of rounding error; 1e-20 z^3 is a value.
    /// let p = Laurent::from_taps(0, &[1.0, 1.0]).tracked();
    /// let q = Laurent::from_taps(0, &[0.1, 0.2]).tracked();
    /// let r = Laurent::from_taps(1, &[0.3, 0.0, -1e-20]).tracked();
    /// let difference = p.times(&q).minus(&r);
    /// assert_eq!(difference.significant(), Laurent::from_taps(0, &[0.1, 0.0, 0.2, 1e-20]));
    /// ```
    pub fn significant(&self) -> Laurent<f64> {
        let terms = self.terms();
        Laurent::from_terms(terms.filter_map(|(e, value)| Some((*e, value.significant()?))))
    }
}

impl PolyphaseMatrix<f64> {
    /// The same matrix, ready for products that are to be freed of their rounding noise.
    pub fn tracked(&self) -> PolyphaseMatrix<Tracked> {
        self.map_entries(Laurent::tracked)
    }
}

impl PolyphaseMatrix<Tracked> {
    /// The terms that are not rounding noise.
    pub fn significant(&self) -> PolyphaseMatrix<f64> {
        self.map_entries(Laurent::significant)
    }
}
