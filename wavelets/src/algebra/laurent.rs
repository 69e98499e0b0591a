//! Laurent polynomials with one exponent per axis.

use super::Scalar;
use std::collections::BTreeMap;
use std::fmt;

/// The largest number of axes a scheme can have.
pub const MAX_AXES: usize = 3;

/// Exponents of the shift operators, one per axis, axis 0 first; unused axes are 0.
/// Positive means advance: `z^e u [k] = u[k+e]`.
pub type Exponent = [i32; MAX_AXES];

/// `Σ c_e z^e` with finitely many non-zero coefficients. Terms are kept in ascending order of
/// their exponents, so that iteration is deterministic; zero coefficients are never stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Laurent<T = f64> {
    terms: BTreeMap<Exponent, T>,
}

impl<T: Scalar> Laurent<T> {
    /// The zero polynomial.
    pub fn zero() -> Self {
        Self { terms: BTreeMap::new() }
    }

    /// The constant 1.
    pub fn one() -> Self {
        Self::constant(T::one())
    }

    /// A constant.
    pub fn constant(value: T) -> Self {
        Self::monomial([0; MAX_AXES], value)
    }

    /// One term `value · z^exponent`.
    pub fn monomial(exponent: Exponent, value: T) -> Self {
        Self::from_terms([(exponent, value)])
    }

    /// A sum of terms; equal exponents are added up.
    pub fn from_terms(terms: impl IntoIterator<Item = (Exponent, T)>) -> Self {
        let mut sum = Self::zero();
        for (exponent, value) in terms {
            sum.add_term(exponent, value);
        }
        sum
    }

    /// A polynomial of the first axis: `Σ taps[j] z^(first+j)`.
    pub fn from_taps(first: i32, taps: &[T]) -> Self {
        Self::from_terms(
            taps.iter().enumerate().map(|(j, tap)| ([first + j as i32, 0, 0], tap.clone())),
        )
    }

    /// Adds `value · z^exponent` in place.
    pub fn add_term(&mut self, exponent: Exponent, value: T) {
        let sum = match self.terms.remove(&exponent) {
            Some(old) => old + value,
            None => value,
        };
        if !sum.is_zero() {
            self.terms.insert(exponent, sum);
        }
    }

    /// The terms in ascending order of exponent.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Exponent, &T)> {
        self.terms.iter()
    }

    /// Number of non-zero terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether this is the zero polynomial.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Same as [`Laurent::is_zero`], in the collection's words.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The coefficient of `z^exponent` (zero where there is none).
    pub fn coefficient(&self, exponent: &Exponent) -> T {
        self.terms.get(exponent).cloned().unwrap_or_else(T::zero)
    }

    /// Whether only the exponent 0 occurs (the zero polynomial included).
    pub fn is_constant(&self) -> bool {
        self.terms.keys().all(|exponent| *exponent == [0; MAX_AXES])
    }

    /// Whether this is exactly the constant 1.
    pub fn is_one(&self) -> bool {
        *self == Self::one()
    }

    /// The single term of a monomial.
    pub fn as_monomial(&self) -> Option<(Exponent, T)> {
        let (exponent, value) = self.terms.first_key_value()?;
        (self.terms.len() == 1).then(|| (*exponent, value.clone()))
    }

    /// Smallest and largest exponent on `axis`; `None` for zero.
    pub fn range(&self, axis: usize) -> Option<(i32, i32)> {
        let exponents = || self.terms.keys().map(|exponent| exponent[axis]);
        Some((exponents().min()?, exponents().max()?))
    }

    /// The part for which `keep` holds.
    pub fn filter(&self, mut keep: impl FnMut(&Exponent) -> bool) -> Self {
        let kept = self.terms.iter().filter(|(exponent, _)| keep(exponent));
        Self { terms: kept.map(|(e, v)| (*e, v.clone())).collect() }
    }

    /// Applies `map` to every exponent.
    pub fn map_exponents(&self, map: impl Fn(&Exponent) -> Exponent) -> Self {
        Self::from_terms(self.terms.iter().map(|(e, v)| (map(e), v.clone())))
    }

    /// Converts the coefficients.
    pub fn map<U: Scalar>(&self, map: impl Fn(&T) -> U) -> Laurent<U> {
        Laurent::from_terms(self.terms.iter().map(|(e, v)| (*e, map(v))))
    }

    /// `z -> 1/z` on every axis: the impulse response run backwards.
    pub fn time_reversed(&self) -> Self {
        self.map_exponents(|e| e.map(|component| -component))
    }

    /// Multiplies by `z^exponent`.
    pub fn shifted(&self, exponent: &Exponent) -> Self {
        self.map_exponents(|e| std::array::from_fn(|axis| e[axis] + exponent[axis]))
    }

    /// Moves a polynomial of axis 0 to `axis`.
    pub fn on_axis(&self, axis: usize) -> Self {
        self.map_exponents(|e| {
            let mut moved = [0; MAX_AXES];
            moved[axis] = e[0];
            moved
        })
    }

    /// Multiplies by a number.
    pub fn scaled(&self, factor: &T) -> Self {
        Self::from_terms(self.terms.iter().map(|(e, v)| (*e, v.clone() * factor.clone())))
    }

    /// Sum.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (exponent, value) in &other.terms {
            sum.add_term(*exponent, value.clone());
        }
        sum
    }

    /// Difference.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scaled(&-T::one()))
    }

    /// Product.
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero();
        for (ea, va) in &self.terms {
            for (eb, vb) in &other.terms {
                let exponent = std::array::from_fn(|axis| ea[axis] + eb[axis]);
                product.add_term(exponent, va.clone() * vb.clone());
            }
        }
        product
    }

    /// Largest absolute coefficient; 0 for the zero polynomial.
    pub fn magnitude(&self) -> f64 {
        self.terms.values().map(Scalar::magnitude).fold(0.0, f64::max)
    }

    /// Sum of absolute coefficients: the largest gain from `max|x|` to `max|y|`.
    pub fn l1_norm(&self) -> f64 {
        self.terms.values().map(Scalar::magnitude).sum()
    }

    /// Drops coefficients of magnitude at most `tolerance`.
    pub fn pruned(&self, tolerance: f64) -> Self {
        let kept = self.terms.iter().filter(|(_, value)| value.magnitude() > tolerance);
        Self { terms: kept.map(|(e, v)| (*e, v.clone())).collect() }
    }
}

impl<T: Scalar + fmt::Display> fmt::Display for Laurent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return write!(f, "0");
        }
        for (position, (exponent, value)) in self.terms.iter().enumerate() {
            if position > 0 {
                write!(f, " + ")?;
            }
            write!(f, "{value}")?;
            for (axis, component) in exponent.iter().enumerate().filter(|(_, c)| **c != 0) {
                write!(f, " z{axis}^{component}")?;
            }
        }
        Ok(())
    }
}
