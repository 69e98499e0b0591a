//! Rows along the last axis: what is read, and what is written.

use super::taps::PLANES;
use crate::ends::Ends;
use crate::seam::Passage;

/// A row that is read, of which one or two runs are at hand.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a, T> {
    runs: [(usize, &'a [T]); 2],
}

impl<'a, T: Copy + Default> Samples<'a, T> {
    /// All of a row.
    pub(super) fn whole(row: &'a [T]) -> Self {
        Self::runs([(0, row), (0, &[])])
    }

    /// A run of a row, with the index of its first element.
    pub(super) fn part(first: usize, run: &'a [T]) -> Self {
        Self::runs([(first, run), (0, &[])])
    }

    /// Runs of a row, with the index of their first element.
    pub(super) fn runs(runs: [(usize, &'a [T]); 2]) -> Self {
        Self { runs }
    }

    /// Neighbouring elements; none, if they are not at hand.
    #[inline(always)]
    pub(super) fn run(&self, from: usize, len: usize) -> &'a [T] {
        for (first, run) in self.runs {
            let at = from.wrapping_sub(first);
            if let Some(values) = run.get(at..).and_then(|rest| rest.get(..len)) {
                return values;
            }
        }
        &[]
    }

    /// The same, as far as they are at hand.
    #[inline(always)]
    pub(super) fn some(&self, from: usize, len: usize) -> &'a [T] {
        for (first, run) in self.runs {
            let at = from.wrapping_sub(first);
            if let Some(rest) = run.get(at..) {
                return &rest[..len.min(rest.len())];
            }
        }
        &[]
    }

    /// None of a row.
    pub(super) fn none() -> Self {
        Self::whole(&[])
    }

    /// An element.
    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> T {
        self.run(index, 1).first().copied().unwrap_or_default()
    }
}

/// Where a row's outputs go.
pub enum Arrays<'a, T> {
    Signal(&'a mut [T]),
    Bands([&'a mut [T]; 2]),
}

impl<T> Arrays<'_, T> {
    /// The first of them.
    pub(super) fn first(&self) -> &[T] {
        match self {
            Self::Signal(signal) => signal,
            Self::Bands([low, _]) => low,
        }
    }

    /// Both; of a signal, the second is empty.
    #[inline(always)]
    pub(super) fn both(&mut self) -> [&mut [T]; 2] {
        match self {
            Self::Signal(signal) => [signal, &mut []],
            Self::Bands([low, high]) => [low, high],
        }
    }

    /// The same for a while.
    pub(super) fn reborrow(&mut self) -> Arrays<'_, T> {
        match self {
            Arrays::Signal(row) => Arrays::Signal(row),
            Arrays::Bands([low, high]) => Arrays::Bands([low, high]),
        }
    }
}

/// A row that is written, or a part of it.
pub struct Row<'a, T> {
    pub(super) arrays: Arrays<'a, T>,
    /// What the first elements are: frame position of a signal's, pairs of the bands'.
    pub(super) origin: [i64; PLANES],
    /// For each of them, whether it may go past the caches.
    pub(super) past: [Option<&'a Passage>; PLANES],
}

impl<T> Row<'_, T> {
    /// Where the output of a phase at a pair goes.
    pub(super) fn index(&self, bit: usize, k: i64) -> usize {
        let index = match self.arrays {
            Arrays::Signal(_) => 2 * k + bit as i64 - self.origin[0],
            Arrays::Bands(_) => k - self.origin[bit],
        };
        index as usize
    }

    /// Where an element of the whole row goes.
    pub(super) fn element(&mut self, ends: &Ends<'_>, bit: usize, index: usize) -> &mut T {
        let at = index as i64 - ends.index(bit, 0) as i64;
        match &mut self.arrays {
            Arrays::Signal(row) => &mut row[(at + bit as i64 - self.origin[0]) as usize],
            Arrays::Bands(rows) => &mut rows[bit][(at - self.origin[bit]) as usize],
        }
    }

    /// The array of a phase.
    pub(super) fn array(&mut self, bit: usize) -> &mut [T] {
        match &mut self.arrays {
            Arrays::Signal(row) => row,
            Arrays::Bands(rows) => &mut *rows[bit],
        }
    }
}

/// Rows that are filtered one after the other.
pub trait Rows<T> {
    /// The next one.
    fn next(&mut self) -> Option<Step<'_, T>>;
}

/// A row that is filtered.
pub struct Step<'a, T> {
    /// A signal, or two bands.
    pub(super) input: [Samples<'a, T>; PLANES],
    /// The signal that is read next, if it is known.
    pub(super) ahead: Samples<'a, T>,
    pub(super) row: Row<'a, T>,
}

/// One row.
pub(super) struct Lone<'a, T>(pub(super) Option<Step<'a, T>>);

impl<T> Rows<T> for Lone<'_, T> {
    fn next(&mut self) -> Option<Step<'_, T>> {
        self.0.take()
    }
}
