//! Square matrices of Laurent polynomials.

use super::{Exponent, Laurent, Scalar};

/// An `n × n` matrix over Laurent polynomials; `n = 2^axes` for two channels per axis.
///
/// Channel `c` of a `d`-axis scheme has, for axis `a`, the phase in bit `d-1-a`: axis 0 is the most
/// significant bit, so that two axes give the order `aa, ad, da, dd`.
#[derive(Clone, Debug, PartialEq)]
pub struct PolyphaseMatrix<T = f64> {
    size: usize,
    entries: Vec<Laurent<T>>,
}

impl<T: Scalar> PolyphaseMatrix<T> {
    /// Builds a matrix entry by entry.
    pub fn from_fn(size: usize, mut entry: impl FnMut(usize, usize) -> Laurent<T>) -> Self {
        let entries = (0..size * size).map(|i| entry(i / size, i % size)).collect();
        Self { size, entries }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        Self::from_fn(
            size,
            |row, column| {
                if row == column { Laurent::one() } else { Laurent::zero() }
            },
        )
    }

    /// The matrix `diag(entries)`.
    pub fn diagonal(entries: &[Laurent<T>]) -> Self {
        Self::from_fn(entries.len(), |row, column| {
            if row == column { entries[row].clone() } else { Laurent::zero() }
        })
    }

    /// A 2 × 2 matrix, row by row.
    pub fn two_by_two(entries: [[Laurent<T>; 2]; 2]) -> Self {
        Self::from_fn(2, |row, column| entries[row][column].clone())
    }

    /// Number of channels.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The entry that takes channel `column` to channel `row`.
    pub fn entry(&self, row: usize, column: usize) -> &Laurent<T> {
        &self.entries[row * self.size + column]
    }

    /// All entries with their (row, column), row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, &Laurent<T>)> {
        self.entries.iter().enumerate().map(|(i, entry)| (i / self.size, i % self.size, entry))
    }

    /// `self · right`: `right` is applied first.
    ///
    /// # Panics
    /// If the sizes differ. A scheme has one size, from its number of axes, so that no input of a
    /// user leads here.
    pub fn times(&self, right: &Self) -> Self {
        assert_eq!(self.size, right.size, "matrices of one scheme have one size");
        Self::from_fn(self.size, |row, column| {
            (0..self.size).fold(Laurent::zero(), |sum, inner| {
                let (left, right) = (self.entry(row, inner), right.entry(inner, column));
                if left.is_zero() || right.is_zero() { sum } else { sum.plus(&left.times(right)) }
            })
        })
    }

    /// The matrix of the adjoint operator: transposed, with `z -> 1/z`.
    pub fn adjoint(&self) -> Self {
        Self::from_fn(self.size, |row, column| self.entry(column, row).time_reversed())
    }

    /// Kronecker product; the channels of `self` become the more significant bits.
    pub fn kronecker(&self, right: &Self) -> Self {
        Self::from_fn(self.size * right.size, |row, column| {
            let left = self.entry(row / right.size, column / right.size);
            left.times(right.entry(row % right.size, column % right.size))
        })
    }

    /// Applies `map` to every entry.
    pub fn map_entries<U: Scalar>(
        &self,
        map: impl Fn(&Laurent<T>) -> Laurent<U>,
    ) -> PolyphaseMatrix<U> {
        PolyphaseMatrix { size: self.size, entries: self.entries.iter().map(map).collect() }
    }

    /// Determinant, by Laplace expansion (sizes up to 8).
    pub fn determinant(&self) -> Laurent<T> {
        let rows: Vec<usize> = (0..self.size).collect();
        self.minor(&rows, 0)
    }

    fn minor(&self, rows: &[usize], column: usize) -> Laurent<T> {
        if rows.is_empty() {
            return Laurent::one();
        }
        let mut sum = Laurent::zero();
        for (position, row) in rows.iter().enumerate() {
            let entry = self.entry(*row, column);
            if entry.is_zero() {
                continue;
            }
            let rest: Vec<usize> = rows.iter().copied().filter(|other| other != row).collect();
            let term = entry.times(&self.minor(&rest, column + 1));
            sum = if position % 2 == 0 { sum.plus(&term) } else { sum.minus(&term) };
        }
        sum
    }

    /// Largest absolute coefficient of `self - other`.
    ///
    /// # Panics
    /// If the sizes differ, as [`Self::times`].
    pub fn distance(&self, other: &Self) -> f64 {
        assert_eq!(self.size, other.size, "matrices of one scheme have one size");
        let pairs = self.entries.iter().zip(&other.entries);
        pairs.map(|(left, right)| left.minus(right).magnitude()).fold(0.0, f64::max)
    }

    /// Whether every entry is constant: the matrix needs no neighbour.
    pub fn is_constant(&self) -> bool {
        self.entries.iter().all(Laurent::is_constant)
    }

    /// Smallest and largest exponent on `axis` over all entries, with 0 always included.
    pub fn range(&self, axis: usize) -> (i32, i32) {
        let ranges = self.entries.iter().filter_map(|entry| entry.range(axis));
        ranges.fold((0, 0), |(low, high), (first, last)| (low.min(first), high.max(last)))
    }

    /// Every term as (row, column, exponent, coefficient), in deterministic order.
    pub fn terms(&self) -> impl Iterator<Item = (usize, usize, &Exponent, &T)> {
        self.entries().flat_map(|(row, column, entry)| {
            entry.terms().map(move |(exponent, value)| (row, column, exponent, value))
        })
    }
}
