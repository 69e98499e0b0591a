//! `fuse`, `split_constant`, `invert`, `transpose`, `tensor`: schemes from schemes.

use super::{Factor, FactorKind, RoundedFactor, Scheme, SchemeError};
use crate::algebra::{Laurent, PolyphaseMatrix};

/// Constants of a product may differ this much from what it was split into.
const SAME: f64 = 1e-13;

/// A determinant's other terms must be this small for it to count as a single term.
const MONOMIAL: f64 = 1e-9;

impl Factor {
    /// An unrounded factor.
    pub fn new(kind: FactorKind, matrix: PolyphaseMatrix) -> Self {
        Self { kind, matrix, inverse: None, rounding: None }
    }

    /// The same factor on one axis of several: the other axes' channels pass through.
    pub fn on_axis(&self, axis: usize, axes: usize) -> Self {
        let embed = |matrix: &PolyphaseMatrix| {
            let moved = matrix.map_entries(|entry| entry.on_axis(axis));
            let before = PolyphaseMatrix::identity(1 << axis);
            before.kronecker(&moved).kronecker(&PolyphaseMatrix::identity(1 << (axes - 1 - axis)))
        };
        Self {
            kind: self.kind,
            matrix: embed(&self.matrix),
            inverse: self.inverse.as_ref().map(embed),
            rounding: self.rounding,
        }
    }

    /// The inverse of this factor; `index` names it in the error.
    pub fn inverted(&self, index: usize) -> Result<Self, SchemeError> {
        let matrix = match &self.inverse {
            Some(inverse) => inverse.clone(),
            None => invert_matrix(&self.matrix).map_err(|determinant| {
                SchemeError::NotInvertible { index, determinant: determinant.to_string() }
            })?,
        };
        Ok(Self {
            kind: self.kind,
            matrix,
            inverse: Some(self.matrix.clone()),
            rounding: self
                .rounding
                .map(|r| RoundedFactor { rounding: r.rounding, subtract: !r.subtract }),
        })
    }
}

impl Scheme {
    /// Whether any factor rounds.
    pub fn is_rounded(&self) -> bool {
        self.factors.iter().any(|factor| factor.rounding.is_some())
    }

    /// The product of all factors.
    pub fn matrix(&self) -> PolyphaseMatrix {
        let identity = PolyphaseMatrix::identity(1 << self.axes);
        self.factors.iter().fold(identity, |product, factor| factor.matrix.times(&product))
    }

    /// The scheme that undoes this one exactly: factors inverted, in reverse order.
    pub fn invert(&self) -> Result<Self, SchemeError> {
        let factors = self.factors.iter().enumerate().rev();
        let factors = factors.map(|(index, factor)| factor.inverted(index));
        Ok(Self { factors: factors.collect::<Result<_, _>>()?, ..*self })
    }

    /// The adjoint scheme: factors transposed with `z -> 1/z`, in reverse order.
    pub fn transpose(&self) -> Result<Self, SchemeError> {
        if self.is_rounded() {
            return Err(SchemeError::Rounded { what: "transposed" });
        }
        let adjoint = |factor: &Factor| Factor {
            kind: match factor.kind {
                FactorKind::Predict => FactorKind::Update,
                FactorKind::Update => FactorKind::Predict,
                other => other,
            },
            matrix: factor.matrix.adjoint(),
            inverse: factor.inverse.as_ref().map(PolyphaseMatrix::adjoint),
            rounding: None,
        };
        Ok(Self { factors: self.factors.iter().rev().map(adjoint).collect(), ..*self })
    }

    /// All factors multiplied into one, of the given kind.
    pub fn fuse(&self, kind: FactorKind) -> Result<Self, SchemeError> {
        if self.is_rounded() {
            return Err(SchemeError::Rounded { what: "fused" });
        }
        Ok(Self { factors: fuse_factors(&self.factors, kind).into_iter().collect(), ..*self })
    }

    /// A 1-D scheme on several axes: each factor once per axis. Without rounding, the copies of a
    /// factor stand side by side (they commute); with rounding, `order` lists the axes and each
    /// gets all its factors before the next.
    pub fn tensor(&self, axes: usize, order: &[usize]) -> Self {
        let mut factors = Vec::with_capacity(self.factors.len() * axes);
        if self.is_rounded() {
            for axis in order {
                factors.extend(self.factors.iter().map(|factor| factor.on_axis(*axis, axes)));
            }
        } else {
            for factor in &self.factors {
                factors.extend(order.iter().map(|axis| factor.on_axis(*axis, axes)));
            }
        }
        Self { kind: self.kind, axes, factors }
    }

    /// The same product with the factors of an axis next to each other: every factor moves forward
    /// until it stands behind one that it does not commute with. Rounded factors stay where they are.
    pub fn axis_by_axis(&self) -> Self {
        if self.is_rounded() {
            return self.clone();
        }
        let commute =
            |a: &Factor, b: &Factor| a.matrix.times(&b.matrix) == b.matrix.times(&a.matrix);
        let mut factors: Vec<Factor> = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            let last = factors.iter().rposition(|earlier| !commute(earlier, factor));
            factors.insert(last.map_or(0, |last| last + 1), factor.clone());
        }
        Self { factors, ..*self }
    }

    /// Splits the constant part off every lifting factor: `T = T1 · T0`, where `T0` (one factor per
    /// axis) needs no neighbour and so no cut (Barina et al., section 3: `P = P0 + P1`).
    pub fn split_constant(&self) -> Result<Self, SchemeError> {
        if self.is_rounded() {
            return Err(SchemeError::Rounded { what: "split" });
        }
        let factors = self.factors.iter().flat_map(|factor| match factor.kind {
            FactorKind::Predict | FactorKind::Update => split_factor(factor, self.axes),
            _ => vec![factor.clone()],
        });
        Ok(Self { factors: factors.collect(), ..*self })
    }
}

/// The product of factors as one factor, without what is only rounding noise (its exact value has
/// no such term); `None` if there are none.
pub(super) fn fuse_factors(factors: &[Factor], kind: FactorKind) -> Option<Factor> {
    let (first, rest) = factors.split_first()?;
    let matrix = rest
        .iter()
        .fold(first.matrix.tracked(), |product, next| next.matrix.tracked().times(&product));
    let undone = first.inverse.as_ref().map(PolyphaseMatrix::tracked);
    let inverse = rest
        .iter()
        .fold(undone, |product, next| Some(product?.times(&next.inverse.as_ref()?.tracked())));
    Some(Factor {
        kind,
        matrix: matrix.significant(),
        inverse: inverse.map(|inverse| inverse.significant()),
        rounding: None,
    })
}

/// `[T0 per axis …, T1]`, or the factor itself if it has no constant part or is all constant.
fn split_factor(factor: &Factor, axes: usize) -> Vec<Factor> {
    let size = factor.matrix.size();
    let constant = factor.matrix.map_entries(|entry| entry.filter(|e| e.iter().all(|c| *c == 0)));
    if constant == PolyphaseMatrix::identity(size) {
        return vec![factor.clone()];
    }
    let per_axis: Vec<Factor> = (0..axes)
        .map(|axis| {
            let bit = 1 << (axes - 1 - axis);
            let matrix = PolyphaseMatrix::from_fn(size, |row, column| {
                if row == column || row ^ column == bit {
                    constant.entry(row, column).clone()
                } else {
                    Laurent::zero()
                }
            });
            Factor::new(FactorKind::Constant, matrix)
        })
        .filter(|part| part.matrix != PolyphaseMatrix::identity(size))
        .collect();
    let product = fuse_factors(&per_axis, FactorKind::Constant);
    let mut parts = match product {
        Some(product) if product.matrix.distance(&constant) <= SAME => per_axis,
        _ => vec![Factor::new(FactorKind::Constant, constant.clone())],
    };
    if let Ok(undo) = invert_matrix(&constant) {
        let rest = factor.matrix.tracked().times(&undo.tracked()).significant();
        if rest != PolyphaseMatrix::identity(size) {
            parts.push(Factor::new(factor.kind, rest));
        }
        parts
    } else {
        vec![factor.clone()]
    }
}

/// The inverse over Laurent polynomials; the determinant, if it is not a single term.
pub(super) fn invert_matrix(matrix: &PolyphaseMatrix) -> Result<PolyphaseMatrix, Laurent> {
    let size = matrix.size();
    if let Some(inverse) = invert_monomial(matrix) {
        return Ok(inverse);
    }
    if let Some(inverse) = invert_unipotent(matrix) {
        return Ok(inverse);
    }
    let determinant = matrix.determinant();
    let significant = determinant.pruned(MONOMIAL * determinant.magnitude());
    let Some((exponent, value)) = significant.as_monomial() else {
        return Err(determinant);
    };
    let undo = Laurent::monomial(exponent.map(|e| -e), 1.0 / value);
    let entries = matrix.tracked();
    Ok(PolyphaseMatrix::from_fn(size, |row, column| {
        let minor = PolyphaseMatrix::from_fn(size - 1, |r, c| {
            let (r, c) = (r + usize::from(r >= column), c + usize::from(c >= row));
            entries.entry(r, c).clone()
        });
        let sign = if (row + column) % 2 == 0 { 1.0 } else { -1.0 };
        minor.determinant().significant().times(&undo).scaled(&sign)
    }))
}

/// Inverse of a matrix with one single-term entry per row and column.
fn invert_monomial(matrix: &PolyphaseMatrix) -> Option<PolyphaseMatrix> {
    let size = matrix.size();
    let mut inverse = vec![vec![Laurent::zero(); size]; size];
    for row in 0..size {
        let mut entries = (0..size).filter(|column| !matrix.entry(row, *column).is_zero());
        let (column, None) = (entries.next()?, entries.next()) else { return None };
        let (exponent, value) = matrix.entry(row, column).as_monomial()?;
        if inverse[column].iter().any(|entry| !entry.is_zero()) {
            return None;
        }
        inverse[column][row] = Laurent::monomial(exponent.map(|e| -e), 1.0 / value);
    }
    Some(PolyphaseMatrix::from_fn(size, |row, column| inverse[row][column].clone()))
}

/// Inverse of `I + N` with nilpotent `N` (unit-triangular factors on any number of axes):
/// `I - N + N² - …`.
fn invert_unipotent(matrix: &PolyphaseMatrix) -> Option<PolyphaseMatrix> {
    let size = matrix.size();
    let identity = PolyphaseMatrix::identity(size);
    let minus = |left: &PolyphaseMatrix, right: &PolyphaseMatrix| {
        PolyphaseMatrix::from_fn(size, |r, c| left.entry(r, c).minus(right.entry(r, c)))
    };
    if (0..size).any(|row| !matrix.entry(row, row).is_one()) {
        return None;
    }
    let nilpotent = minus(&identity, matrix);
    let (mut sum, mut power) = (identity, nilpotent.clone());
    for _ in 0..size {
        if power.entries().all(|(_, _, entry)| entry.is_zero()) {
            return Some(sum);
        }
        sum = PolyphaseMatrix::from_fn(size, |r, c| sum.entry(r, c).plus(power.entry(r, c)));
        power = power.times(&nilpotent);
    }
    None
}
