//! Dense Laurent polynomials of one axis, for division.

use crate::algebra::{Laurent, Scalar};

/// `Σ taps[j] z^(first+j)`; empty is zero.
#[derive(Clone, Debug)]
pub(super) struct Polynomial<T> {
    pub(super) first: i32,
    pub(super) taps: Vec<T>,
}

impl<T: Scalar> Polynomial<T> {
    pub(super) fn new(first: i32, taps: Vec<T>) -> Self {
        Self { first, taps }
    }

    pub(super) fn from_laurent(polynomial: &Laurent<T>) -> Self {
        let Some((first, last)) = polynomial.range(0) else { return Self::new(0, Vec::new()) };
        let taps = (first..=last).map(|e| polynomial.coefficient(&[e, 0, 0])).collect();
        Self::new(first, taps)
    }

    pub(super) fn len(&self) -> usize {
        self.taps.len()
    }

    pub(super) fn at(&self, exponent: i32) -> T {
        let index = usize::try_from(exponent - self.first).ok();
        index.and_then(|index| self.taps.get(index)).cloned().unwrap_or_else(T::zero)
    }

    /// The part with exponents in `range`, without end terms of magnitude up to `zero`.
    pub(super) fn within(&self, range: std::ops::Range<i32>, zero: f64) -> Self {
        let (mut from, mut to) = (range.start, range.end);
        while from < to && self.at(from).magnitude() <= zero {
            from += 1;
        }
        while from < to && self.at(to - 1).magnitude() <= zero {
            to -= 1;
        }
        Self::new(from, (from..to).map(|exponent| self.at(exponent)).collect())
    }

    /// `self - q · other`.
    pub(super) fn minus_product(&self, q: &Self, other: &Self) -> Self {
        if q.taps.is_empty() || other.taps.is_empty() {
            return self.clone();
        }
        let end = |p: &Self| p.first + p.len() as i32;
        let product = (q.first + other.first, end(q) + end(other) - 1);
        let (from, to) = match self.taps.is_empty() {
            true => product,
            false => (self.first.min(product.0), end(self).max(product.1)),
        };
        let mut taps: Vec<T> = (from..to).map(|exponent| self.at(exponent)).collect();
        for (i, left) in q.taps.iter().enumerate() {
            for (j, right) in other.taps.iter().enumerate() {
                let index = (product.0 - from) as usize + i + j;
                taps[index] = taps[index].clone() - left.clone() * right.clone();
            }
        }
        Self::new(from, taps)
    }

    /// Sum of squares.
    pub(super) fn energy(&self) -> f64 {
        self.taps.iter().map(|tap| tap.magnitude().powi(2)).sum()
    }

    /// Largest magnitude.
    pub(super) fn magnitude(&self) -> f64 {
        self.taps.iter().map(Scalar::magnitude).fold(0.0, f64::max)
    }

    /// The quotient that removes `left` end terms of `self` on the left and the rest on the right,
    /// so that `self - quotient · divisor` is shorter than `divisor`. `self` must be no shorter.
    pub(super) fn quotient(&self, divisor: &Self, left: usize) -> Option<Self> {
        let terms = (self.len() + 1).checked_sub(divisor.len())?;
        let (head, tail) =
            (divisor.taps.first()?.reciprocal()?, divisor.taps.last()?.reciprocal()?);
        let first = self.first - divisor.first;
        let mut quotient = vec![T::zero(); terms];
        for term in 0..left.min(terms) {
            // The coefficient of self at `term`, less what the terms so far contribute.
            let done = (0..term).fold(self.taps[term].clone(), |rest, earlier| {
                match divisor.taps.get(term - earlier) {
                    Some(tap) => rest - quotient[earlier].clone() * tap.clone(),
                    None => rest,
                }
            });
            quotient[term] = done * head.clone();
        }
        for term in (left.min(terms)..terms).rev() {
            let end = divisor.len() - 1;
            let done =
                (term + 1..terms).fold(self.taps[term + end].clone(), |rest, later| {
                    match end.checked_sub(later - term) {
                        Some(index) => rest - quotient[later].clone() * divisor.taps[index].clone(),
                        None => rest,
                    }
                });
            quotient[term] = done * tail.clone();
        }
        Some(Self::new(first, quotient))
    }
}
