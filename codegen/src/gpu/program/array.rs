//! Arrays in a card's memory, on their way through the levels.

use super::super::strip::SECTOR;
use super::{Buffer, Builder, aligned};

/// Sectors of the shortest lines with gaps between them: these are less than an eighth of what is in memory.
const LEAST_SECTORS: usize = 8;

/// An array, its lines along the last axis one after the other.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) buffer: Buffer,
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    /// Elements from one line along the last axis to the next.
    pub(super) pitch: usize,
}

impl Array {
    /// Lines without gaps.
    pub(super) fn dense(buffer: Buffer, offset: usize, shape: Vec<usize>) -> Self {
        let pitch = shape.last().copied().unwrap_or(1);
        Self { buffer, offset, shape, pitch }
    }

    /// Elements, gaps included.
    pub(super) fn len(&self) -> usize {
        self.lines() * self.pitch
    }

    /// Lines along the last axis.
    pub(super) fn lines(&self) -> usize {
        self.shape.split_last().map_or(1, |(_, outer)| outer.iter().product())
    }

    /// Elements from one index of an axis to the next.
    pub(super) fn stride(&self, axis: usize) -> i64 {
        match self.shape[axis + 1..].split_last() {
            None => 1,
            Some((_, between)) => (between.iter().product::<usize>() * self.pitch) as i64,
        }
    }

    /// Elements from one index of the axes before `axis`, taken together, to the next.
    pub(super) fn stride_before(&self, axis: usize) -> i64 {
        match axis + 1 == self.shape.len() {
            true => self.pitch as i64,
            false => self.shape[axis] as i64 * self.stride(axis),
        }
    }
}

/// Whether lines of such an array may have gaps between them: what kernels take for a single axis, several in front of
/// the transformed ones or several behind them, has none inside.
pub(super) fn may_have_gaps(dims: usize, axes: &[usize]) -> bool {
    let nearest = dims.saturating_sub(2);
    dims > 0 && axes.contains(&(dims - 1)) && axes.iter().all(|axis| *axis >= nearest)
}

impl Builder<'_> {
    /// An array of intermediate memory. Every line begins with a sector if lines may have gaps and are at
    /// least [`LEAST_SECTORS`] long.
    pub(super) fn internal(&self, offset: usize, shape: Vec<usize>) -> Array {
        let mut array = Array::dense(Buffer::Workspace, offset, shape);
        let sector = SECTOR / self.request.element.bytes();
        let long = array.pitch >= LEAST_SECTORS * sector;
        if long && may_have_gaps(array.shape.len(), self.request.axes) {
            array.pitch = array.pitch.next_multiple_of(sector);
        }
        array
    }

    pub(super) fn temporary(&mut self, shape: Vec<usize>) -> Array {
        let array = self.internal(self.temporary, shape);
        self.temporary += aligned(array.len());
        self.workspace_len = self.workspace_len.max(self.temporary);
        array
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_have_gaps() {
        let mut array = Array::dense(Buffer::Signal, 0, vec![3, 5, 7]);
        assert_eq!([0, 1, 2].map(|axis| array.stride(axis)), [35, 7, 1]);
        assert_eq!([0, 1, 2].map(|axis| array.stride_before(axis)), [105, 35, 7]);
        assert_eq!((array.len(), array.lines()), (105, 15));
        array.pitch = 8;
        assert_eq!([0, 1, 2].map(|axis| array.stride(axis)), [40, 8, 1]);
        assert_eq!([0, 1, 2].map(|axis| array.stride_before(axis)), [120, 40, 8]);
        assert_eq!((array.len(), array.lines()), (120, 15));
        let line = Array::dense(Buffer::Signal, 0, vec![9]);
        assert_eq!((line.len(), line.lines(), line.stride(0)), (9, 1, 1));
    }

    #[test]
    fn gaps_are_where_no_axes_are_taken_together_across_them() {
        for (dims, axes, gaps) in [
            (1, &[0][..], true),
            (2, &[1], true),
            (2, &[0], false),
            (2, &[1, 0], true),
            (3, &[2], true),
            (3, &[1, 2], true),
            (3, &[0, 2], false),
            (3, &[0, 1], false),
            (3, &[0, 1, 2], false),
        ] {
            assert_eq!(may_have_gaps(dims, axes), gaps, "{dims} {axes:?}");
        }
    }
}
