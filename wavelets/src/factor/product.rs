//! From factors to taps: products of factors for analysis, of their inverses for synthesis.

use super::dyadic::Dyadic;
use crate::algebra::{Exponent, Laurent, PolyphaseMatrix, Rational, rational_to_f64};
use crate::bank::FilterBank;
use crate::lattice::Lattice;
use crate::lifting::Lifting;
use crate::verify;
use num_traits::One;

/// A tap counts as zero if rounded coefficients alone could have made it: if it is below this part
/// of the sum of absolute products, and negligible beside the largest tap.
const ROUNDING: (f64, f64) = (256.0 * f64::EPSILON, 3e-15);

/// An exact product of factors together with the product of their absolute values.
struct Product {
    value: PolyphaseMatrix<Dyadic>,
    bound: PolyphaseMatrix,
}

impl Product {
    fn identity() -> Self {
        Self { value: PolyphaseMatrix::identity(2), bound: PolyphaseMatrix::identity(2) }
    }

    /// `factor · self`.
    fn then(self, factor: &PolyphaseMatrix) -> Self {
        let exact = factor.map_entries(|entry| entry.map(|tap| Dyadic::from_f64(*tap)));
        let absolute = factor.map_entries(|entry| entry.map(|tap| tap.abs()));
        Self { value: exact.times(&self.value), bound: absolute.times(&self.bound) }
    }

    /// The product times `scale`, rounded, without the terms that should have cancelled.
    fn finish(&self, scale: &Dyadic) -> PolyphaseMatrix {
        let value = self.value.map_entries(|entry| entry.map(|tap| tap.to_f64()));
        let largest = value.entries().map(|(_, _, e)| e.magnitude()).fold(0.0, f64::max);
        let scale = scale.to_f64();
        PolyphaseMatrix::from_fn(2, |row, column| {
            let (entry, bound) = (value.entry(row, column), self.bound.entry(row, column));
            let negligible = |e: &Exponent| {
                let limit = (ROUNDING.0 * bound.coefficient(e)).min(ROUNDING.1 * largest);
                entry.coefficient(e).abs() <= limit
            };
            entry.filter(|e| !negligible(e)).map(|tap| tap / scale)
        })
    }
}

/// The adjugate of a 2 × 2 matrix: its inverse times its determinant.
fn adjugate(matrix: &PolyphaseMatrix) -> PolyphaseMatrix {
    PolyphaseMatrix::from_fn(2, |row, column| match row == column {
        true => matrix.entry(1 - row, 1 - row).clone(),
        false => matrix.entry(row, column).scaled(&-1.0),
    })
}

/// The bank of a chain of factors (first applied first), and its pairs of delay. Every factor is
/// constant, unit-triangular or monomial, so that its determinant is one term.
fn bank_of(factors: &[PolyphaseMatrix]) -> (FilterBank, i32) {
    let analysis = factors.iter().fold(Product::identity(), Product::then);
    let adjugates = factors.iter().rev().map(adjugate);
    let synthesis = adjugates.fold(Product::identity(), |product, factor| product.then(&factor));
    let (mut delay, mut determinant) = (0, Dyadic::one());
    for factor in factors {
        let exact = factor.map_entries(|entry| entry.map(|tap| Dyadic::from_f64(*tap)));
        if let Some((exponent, value)) = exact.determinant().as_monomial() {
            delay += exponent[0];
            determinant = determinant * value;
        }
    }
    let advance = |entry: &Laurent| entry.shifted(&[-delay, 0, 0]);
    let synthesis = synthesis.finish(&determinant).map_entries(advance);
    FilterBank::from_polyphase(&analysis.finish(&Dyadic::one()), &synthesis)
}

/// The bank of a lifting in the smallest frame, and the lifting moved to that frame. Rounding is
/// left out of the bank.
pub fn bank_of_lifting(lifting: &Lifting) -> (FilterBank, Lifting) {
    let mut factors: Vec<PolyphaseMatrix> =
        lifting.steps.iter().map(|step| step.matrix()).collect();
    factors.push(lifting.output_matrix());
    let (bank, pairs) = bank_of(&factors);
    (bank, delayed_lifting(lifting.clone(), pairs))
}

/// The bank of a lattice in the smallest frame, and the lattice moved to that frame.
pub fn bank_of_lattice(lattice: &Lattice) -> (FilterBank, Lattice) {
    let mut factors = Vec::new();
    for (index, stage) in lattice.stages.iter().enumerate() {
        if index > 0 {
            factors.push(Lattice::exchange());
        }
        factors.push(Lattice::butterfly(stage));
    }
    factors.extend(lattice.lead_matrix());
    factors.push(lattice.advance_matrix());
    let (bank, pairs) = bank_of(&factors);
    (bank, delayed_lattice(lattice.clone(), pairs))
}

/// The bank of a rational analysis polyphase matrix in the smallest frame, with the exact inverse
/// as synthesis, and its pairs of delay; `None` without an inverse of finite length.
pub fn bank_of_exact(analysis: &PolyphaseMatrix<Rational>) -> Option<(FilterBank, i32)> {
    let synthesis = verify::inverse(analysis)?;
    let rounded =
        |matrix: &PolyphaseMatrix<Rational>| matrix.map_entries(|entry| entry.map(rational_to_f64));
    Some(FilterBank::from_polyphase(&rounded(analysis), &rounded(&synthesis)))
}

/// The lifting whose bands come `pairs` later.
pub fn delayed_lifting(mut lifting: Lifting, pairs: i32) -> Lifting {
    lifting.low.advance -= pairs;
    lifting.high.advance -= pairs;
    lifting
}

/// The lattice whose bands come `pairs` later.
pub fn delayed_lattice(mut lattice: Lattice, pairs: i32) -> Lattice {
    lattice.advance = lattice.advance.map(|advance| advance - pairs);
    lattice
}
