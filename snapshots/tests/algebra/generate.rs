//! Random polynomials, matrices and schemes. Coefficients are small multiples of 1/4, so that sums
//! and products are exact in `f64` and laws hold to the bit.

use proptest::collection::vec;
use proptest::prelude::*;
use waveloom_wavelets::algebra::{Laurent, PolyphaseMatrix};
use waveloom_wavelets::scheme::{Factor, FactorKind, Scheme, SchemeKind};

pub fn coefficient() -> impl Strategy<Value = f64> {
    (-6_i32..=6).prop_map(|quarters| f64::from(quarters) / 4.0)
}

/// Up to four terms with exponents in -2..=2 on the first `axes` axes.
pub fn laurent(axes: usize) -> impl Strategy<Value = Laurent> {
    terms(axes, coefficient(), 4)
}

/// Up to `most` terms of these coefficients, with exponents in -2..=2 on the first `axes` axes.
fn terms(
    axes: usize,
    coefficient: impl Strategy<Value = f64>,
    most: usize,
) -> impl Strategy<Value = Laurent> {
    let term = (vec(-2_i32..=2, axes), coefficient);
    vec(term, 0..=most).prop_map(|terms| {
        Laurent::from_terms(terms.into_iter().map(|(exponents, value)| {
            let mut exponent = [0; 3];
            exponent[..exponents.len()].copy_from_slice(&exponents);
            (exponent, value)
        }))
    })
}

pub fn matrix(size: usize, axes: usize) -> impl Strategy<Value = PolyphaseMatrix> {
    vec(laurent(axes), size * size).prop_map(move |entries| {
        PolyphaseMatrix::from_fn(size, |row, column| entries[row * size + column].clone())
    })
}

/// A 1-D lifting scheme of 1 to 5 alternating factors, with a final scaling by powers of two, a
/// delay and perhaps a swap. Every step widens a number by at most `log2(4 + 4 * 6)` bits and the
/// scaling by two, so that a product of two such schemes still fits the 53 bits of `f64`.
pub fn lifting() -> impl Strategy<Value = Scheme> {
    lifting_by(laurent(1))
}

/// The same by steps of up to three terms of coefficients -1, 0 and 1, which widen a number by two
/// bits: products of four such schemes are exact, as of tensors with their inverses.
pub fn narrow_lifting() -> impl Strategy<Value = Scheme> {
    lifting_by(terms(1, (-1_i32..=1).prop_map(f64::from), 3))
}

fn lifting_by(polynomial: impl Strategy<Value = Laurent>) -> impl Strategy<Value = Scheme> {
    let taps = vec(polynomial, 1..=5);
    (taps, any::<bool>(), any::<bool>(), -1_i32..=1, -2_i32..=2).prop_map(
        |(taps, odd_first, swap, power, delay)| {
            let mut factors: Vec<Factor> = taps
                .into_iter()
                .enumerate()
                .map(|(step, polynomial)| unit_triangular((step % 2 == 0) == odd_first, polynomial))
                .collect();
            let gain = 2.0_f64.powi(power);
            let monomials = [Laurent::monomial([delay, 0, 0], gain), Laurent::constant(1.0 / gain)];
            factors.push(Factor::new(
                FactorKind::Scaling,
                PolyphaseMatrix::from_fn(2, |row, column| match (row == column) != swap {
                    true => monomials[row].clone(),
                    false => Laurent::zero(),
                }),
            ));
            Scheme { kind: SchemeKind::Lifting, axes: 1, factors }
        },
    )
}

/// `[[1, 0], [p, 1]]` (predict) or its transpose's shape (update).
pub fn unit_triangular(predict: bool, polynomial: Laurent) -> Factor {
    let (kind, target) = match predict {
        true => (FactorKind::Predict, 1),
        false => (FactorKind::Update, 0),
    };
    let matrix = PolyphaseMatrix::from_fn(2, |row, column| match (row == column, row == target) {
        (true, _) => Laurent::one(),
        (false, true) => polynomial.clone(),
        (false, false) => Laurent::zero(),
    });
    Factor::new(kind, matrix)
}
