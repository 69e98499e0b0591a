//! Walks that go up: the same strip of kernels whose lines run backwards.

use super::{Strip, StripError};
use crate::gpu::program::MappedKernel;

/// The direction in which a walk goes through the rows of its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From the first rows to the last ones.
    Down,
    /// From the last rows to the first ones; only inside all arrays.
    Up,
}

impl Strip {
    /// The strip of walks that go up, where walks alternate: those that read nothing twice all go down.
    pub(super) fn mirrored(&self, mapped: &MappedKernel) -> Result<Option<Box<Self>>, StripError> {
        if self.along.is_none() || self.beyond() == 0 {
            return Ok(None);
        }
        Self::nested(mapped, Way::Up).map(|strip| Some(Box::new(strip)))
    }

    /// Row pairs that a walk makes before its tile and after it for the next level, in its direction; of an
    /// inverse, iterations before its own.
    pub fn around(&self) -> [usize; 2] {
        match (self.descent(), self.rise()) {
            (Some(descent), _) => [descent.before, descent.after],
            (_, Some(rise)) => [rise.before, 0],
            _ => [0; 2],
        }
    }

    /// The iteration of a walk that leaves the first outputs of its tile.
    pub fn first_output(&self) -> usize {
        let warm = self.along.as_ref().map_or(0, |along| along.pipeline.warm());
        warm + self.around()[0]
    }

    /// Iterations of a walk beyond one for every row pair of its tile: as many row pairs are read by two walks.
    pub fn beyond(&self) -> usize {
        self.first_output() + self.around()[1]
    }
}
