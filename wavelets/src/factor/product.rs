//! From factors to taps: products of factors for analysis, of their inverses for synthesis.

use crate::algebra::{Laurent, PolyphaseMatrix, Rational, rational_to_f64};
use crate::bank::FilterBank;
use crate::lattice::Lattice;
use crate::lifting::Lifting;
use crate::verify;

/// A sum of products counts as zero if rounding alone could have made it: if it is below this part
/// of the sum of the products' absolute values.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A product of factors together with the product of their absolute values, which tells exact
/// zeros from rounding errors.
struct Tracked {
    value: PolyphaseMatrix,
    bound: PolyphaseMatrix,
}

impl Tracked {
    fn identity() -> Self {
        let unit = PolyphaseMatrix::identity(2);
        Self { value: unit.clone(), bound: unit }
    }

    /// `factor · self`.
    fn then(self, factor: &PolyphaseMatrix) -> Self {
        let absolute = factor.map_entries(|entry| entry.map(|tap| tap.abs()));
        Self { value: factor.times(&self.value), bound: absolute.times(&self.bound) }
    }

    /// The product without the terms that only rounding has left.
    fn finish(self) -> PolyphaseMatrix {
        PolyphaseMatrix::from_fn(2, |row, column| {
            let (value, bound) = (self.value.entry(row, column), self.bound.entry(row, column));
            value.filter(|e| value.coefficient(e).abs() > ROUNDING * bound.coefficient(e))
        })
    }
}

/// The inverse of a constant 2 × 2 matrix, of a unit-triangular one, or of a monomial one: of any
/// matrix whose determinant is one term.
fn inverse(matrix: &PolyphaseMatrix) -> PolyphaseMatrix {
    let determinant = matrix.determinant();
    // Every factor was checked to be invertible; a determinant of several terms is rounding.
    let largest = determinant.terms().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let (exponent, value) = largest.map_or(([0; 3], 1.0), |(e, v)| (*e, *v));
    let scale = Laurent::monomial(exponent.map(|e| -e), 1.0 / value);
    PolyphaseMatrix::from_fn(2, |row, column| match row == column {
        true => matrix.entry(1 - row, 1 - row).times(&scale),
        false => matrix.entry(row, column).times(&scale).scaled(&-1.0),
    })
}

/// The bank of a chain of factors (first applied first), and its pairs of delay.
fn bank_of(factors: &[PolyphaseMatrix]) -> (FilterBank, i32) {
    let analysis = factors.iter().fold(Tracked::identity(), Tracked::then);
    let inverses = factors.iter().rev().map(inverse);
    let synthesis = inverses.fold(Tracked::identity(), |product, factor| product.then(&factor));
    FilterBank::from_polyphase(&analysis.finish(), &synthesis.finish())
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
