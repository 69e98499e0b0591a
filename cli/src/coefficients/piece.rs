//! Bands of a plan under names that files can hold.

use super::Key;
use crate::error::{Failure, Outcome};
use ndarray::{ArrayD, IxDyn};

/// A band of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its name.
    pub key: Key,
    /// Its level.
    pub level: usize,
    /// Its shape, axes that are not transformed included.
    pub shape: Vec<usize>,
    /// Its first coefficient in the flat buffer.
    pub offset: usize,
}

impl Piece {
    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Its coefficients within a plan's flat buffer.
    pub fn slice<'a, T>(&self, coefficients: &'a [T]) -> Outcome<&'a [T]> {
        coefficients.get(self.offset..self.offset + self.len()).ok_or_else(|| self.outside())
    }

    /// Its coefficients as an array.
    pub fn array<T: Clone>(&self, coefficients: &[T]) -> Outcome<ArrayD<T>> {
        let values = self.slice(coefficients)?.to_vec();
        ArrayD::from_shape_vec(IxDyn(&self.shape), values).map_err(Failure::plain)
    }

    fn outside(&self) -> Failure {
        Failure::of_option(self.key.to_string(), "the band lies outside the coefficients")
    }
}
