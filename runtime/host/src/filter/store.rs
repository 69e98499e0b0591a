//! Memory of a filter in progress.

use super::across::BATCH;
use super::along::LINE_PAIRS;
use super::past::columns_room;
use super::taps::PLANES;
use crate::element::Element;

/// Bytes of a vector register, and of a line of the cache.
pub(super) const ALIGNMENT: usize = 64;

/// Outputs that are made at the same time, at most.
pub(super) const STAGES: usize = 2 * BATCH;

/// A row of values that begins at a multiple of 64 bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line<T> {
    values: Vec<T>,
}

impl<T: Element> Line<T> {
    /// Grows to a length.
    pub(super) fn provide(&mut self, len: usize) {
        let len = len + ALIGNMENT / T::TYPE.bytes();
        if self.values.len() < len {
            self.values.resize(len, T::default());
        }
    }

    fn skew(&self, len: usize) -> usize {
        let skew = self.values.as_ptr().align_offset(ALIGNMENT);
        skew.min(self.values.len().saturating_sub(len))
    }

    /// The first `len` values.
    pub(super) fn get(&self, len: usize) -> &[T] {
        let skew = self.skew(len);
        &self.values[skew..skew + len]
    }

    /// The first `len` values.
    pub(super) fn get_mut(&mut self, len: usize) -> &mut [T] {
        let skew = self.skew(len);
        &mut self.values[skew..skew + len]
    }

    /// All values.
    pub(super) fn all_mut(&mut self) -> &mut [T] {
        let skew = self.skew(0);
        &mut self.values[skew..]
    }

    /// Twice `len` values.
    pub(super) fn split(&mut self, len: usize) -> [&mut [T]; 2] {
        let (low, high) = self.get_mut(2 * len).split_at_mut(len);
        [low, high]
    }
}

/// Memory of one part of a level's outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Store<T> {
    /// The planes of a strip along the last axis.
    pub(super) planes: [Line<T>; PLANES],
    /// Rows that were filtered along the last axis.
    pub(super) ring: Line<T>,
    /// A row on its way to a sum of rows.
    pub(super) sum: Line<T>,
    /// Outputs on their way to elsewhere.
    pub(super) spare: Line<T>,
    /// Outputs on their way past the caches.
    pub(super) stage: Line<T>,
    /// Per part of a row: what stages of an outer axis delay.
    pub(super) state: [Line<T>; PLANES],
    /// A bound of the magnitude of integers that were read, if they are examined: at most twice the
    /// largest.
    pub(crate) examined: Option<u64>,
    /// Slices of the outermost of three axes beyond its ends.
    pub(super) made: Vec<Line<T>>,
    /// Per phase of the outermost of three axes: slices, one per channel of the axes behind it.
    pub(super) slices: [[Line<T>; 4]; 2],
}

impl<T: Element> Store<T> {
    /// Grows to windows of `reach` more pairs than the first, planes of `plane` elements, lines of
    /// `line`, and a ring of `ring`.
    pub(super) fn provide(&mut self, reach: usize, plane: usize, line: usize, ring: usize) {
        let strip = LINE_PAIRS + (reach + 1).next_multiple_of(ALIGNMENT);
        for values in &mut self.planes {
            values.provide(strip.max(plane));
        }
        self.ring.provide(ring);
        self.sum.provide(line);
        self.spare.provide(2 * line.max(LINE_PAIRS));
        self.stage.provide(STAGES * columns_room::<T>());
    }
}
