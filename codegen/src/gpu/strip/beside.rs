//! A 1-D kernel within a lane, along the middle one of three axes: a lane holds a block of neighbouring rows of a
//! slice in registers, as many more as the kernel reads, and exchanges nothing.
//!
//! What neighbouring lanes of other strips hold, too, is computed twice: rows that two strips read come from the ring of
//! their block or are found in the cache, and arithmetic is not what a strip waits for.

use super::StripError;
use crate::dag::{Contraction, Dag, Place};
use crate::kernel::{Kernel, Side};

/// Neighbouring rows of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first one: of a signal counted from the even row of the block's first pair, of bands from that pair.
    pub first: i32,
    /// How many.
    pub count: usize,
}

/// A kernel within a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// All outputs of a block's pairs of rows, for one column. Leaves are planes and pairs of the input, stores
    /// output channels and pairs.
    pub dag: Dag,
    /// The side that is read.
    pub input: Side,
    /// The rows that are read: of a signal one run, of bands one for each side.
    pub runs: Vec<Run>,
    /// Pairs of rows that a block brings to an end.
    pub pairs: usize,
    /// Whether this transform is the first of the three; else it is the second one.
    pub first: bool,
}

impl Beside {
    pub(super) fn new(kernel: &Kernel, pairs: usize, first: bool) -> Result<Self, StripError> {
        let contraction = match kernel.element.is_integer() {
            true => Contraction::Separate,
            false => Contraction::Fused,
        };
        let places: Vec<Place> = (0..2)
            .flat_map(|plane| (0..pairs as i32).map(move |k| Place { plane, offset: [k, 0, 0] }))
            .collect();
        let dag = Dag::some_outputs(kernel, 0, &places)?.optimised(contraction);
        let input = kernel.operation.input();
        let rows: Vec<(usize, i32)> = dag.leaves().map(|place| row(input, &place)).collect();
        let run = |side: usize| {
            let rows = || rows.iter().filter(|(of, _)| *of == side).map(|(_, row)| *row);
            let first = rows().min().unwrap_or(0);
            let count = rows().max().map_or(0, |last| (last - first + 1).unsigned_abs() as usize);
            Run { first, count }
        };
        let sides = if input == Side::Signal { 1 } else { 2 };
        let runs: Vec<Run> = (0..sides).map(run).collect();
        if runs.iter().any(|run| run.count == 0) {
            return Err(StripError::Lines { lines: 0 });
        }
        Ok(Self { dag, input, runs, pairs, first })
    }

    /// Rows of a block before its transform, all runs one after the other.
    pub fn read(&self) -> usize {
        self.runs.iter().map(|run| run.count).sum()
    }

    /// Rows after it: those of the first channel, then those of the second.
    pub fn made(&self) -> usize {
        2 * self.pairs
    }

    /// The row before the transform that a leaf is.
    pub fn source(&self, place: &Place) -> usize {
        let (side, row) = row(self.input, place);
        let before: usize = self.runs.iter().take(side).map(|run| run.count).sum();
        let first = self.runs.get(side).map_or(0, |run| run.first);
        before + (row - first).unsigned_abs() as usize
    }

    /// The row after it that a store is.
    pub fn target(&self, place: &Place) -> usize {
        place.plane * self.pairs + place.offset[0].unsigned_abs() as usize
    }

    /// The plane or channel of a row before the transform.
    pub fn side(&self, row: usize) -> usize {
        let first = self.runs.first();
        match self.input {
            Side::Signal => {
                (i64::from(first.map_or(0, |run| run.first)) + row as i64).rem_euclid(2) as usize
            }
            Side::Bands => usize::from(first.is_some_and(|run| row >= run.count)),
        }
    }

    /// Pairs of rows that a block reads before its first pair and after its last one.
    pub(super) fn reach(&self) -> [i64; 2] {
        let step = if self.input == Side::Signal { 2 } else { 1 };
        let before = self.runs.iter().map(|run| i64::from(-run.first.div_euclid(step)));
        let after = self.runs.iter().map(|run| {
            let last = run.first + run.count as i32 - 1;
            i64::from(last.div_euclid(step)) - (self.pairs as i64 - 1)
        });
        [before.max().unwrap_or(0).max(0), after.max().unwrap_or(0).max(0)]
    }

    /// Operations of a position.
    pub(super) fn operations(&self) -> usize {
        self.dag.counts().operations().div_ceil(self.pairs)
    }
}

/// The array's side and the row of it that a place of the input is.
fn row(input: Side, place: &Place) -> (usize, i32) {
    match input {
        Side::Signal => (0, 2 * place.offset[0] + place.plane as i32),
        Side::Bands => (place.plane, place.offset[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Element, Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn beside(name: &str, operation: Operation, pairs: usize) -> Beside {
        let wavelet = catalogue::wavelet(name).unwrap();
        let scheme = wavelet.scheme(SchemeKind::Lifting, 1).unwrap();
        let element = if wavelet.is_rounded() { Element::I32 } else { Element::F32 };
        let kernel = lower(&scheme, operation, element, Exchange::Stream).unwrap();
        Beside::new(&kernel, pairs, true).unwrap()
    }

    /// The rows beyond a block are those that the filters reach, no more.
    #[test]
    fn halos_are_the_reach_of_filters() {
        for (name, halo) in [("haar", 0), ("bior2.2", 3), ("rev53", 3), ("irr97", 7), ("db2", 2)] {
            for pairs in [2, 4] {
                let forward = beside(name, Operation::Forward, pairs);
                assert_eq!(forward.read(), 2 * pairs + halo, "{name}");
                let inverse = beside(name, Operation::Inverse, pairs);
                assert_eq!(inverse.read(), 2 * pairs + halo, "{name}");
                assert_eq!(forward.runs.len(), 1);
                assert_eq!(inverse.runs.len(), 2);
            }
        }
    }

    #[test]
    fn rows_are_numbered_one_by_one() {
        for operation in Operation::ALL {
            let beside = beside("irr97", operation, 4);
            let mut sources: Vec<usize> =
                beside.dag.leaves().map(|place| beside.source(&place)).collect();
            sources.sort_unstable();
            assert_eq!(sources, (0..beside.read()).collect::<Vec<_>>(), "{operation:?}");
            let stores = beside.dag.stores().iter().map(|store| beside.target(&store.place));
            assert_eq!(stores.collect::<Vec<_>>(), (0..beside.made()).collect::<Vec<_>>());
            let [before, after] = beside.reach();
            assert!(before + after <= 4, "{operation:?} {before} {after}");
        }
    }
}
