//! One axis with many lanes: a window of lines rolls along the axis.
//!
//! Pairs are taken in batches, lanes in blocks: within a batch, all updates of a block run before
//! the next block, so that a block's window stays in the first-level cache. Lines come straight from
//! an array or are fetched from the stage before; outputs go straight to an array or are delivered
//! to the next. Several *segments* of lanes with arrays of their own can go along together.

mod advance;
mod chained;
mod deliver;
mod locate;

use super::edges::{Axis, Edge};
use super::ends::{Ends, Place};
use super::line::add_weighted;
use super::sweep::{PLANES, Sweep};
use crate::element::Element;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Memory of a sweep over one segment of lanes.
#[derive(Clone, Debug, Default, PartialEq)]
struct SegmentStore<T> {
    /// Lines fetched, and lines beyond the ends.
    loads: Vec<T>,
    /// Lines computed.
    lines: Vec<T>,
    /// Outputs of a batch.
    outputs: Vec<T>,
    /// One line.
    spare: Vec<T>,
}

/// Memory of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SweepStore<T> {
    segments: Vec<SegmentStore<T>>,
    located: Vec<Located>,
    exits: Vec<Exit>,
    /// Whether the integers of arrays are examined as they are read, and the largest magnitude so far.
    examines: bool,
    largest: u64,
}

impl<T> SweepStore<T> {
    /// Has the integers of arrays examined, or not, from now on.
    pub(crate) fn examine(&mut self, examines: bool) {
        (self.examines, self.largest) = (examines, 0);
    }

    /// The largest magnitude of what was examined; nothing is from now on.
    pub(crate) fn examined(&mut self) -> u64 {
        self.examines = false;
        self.largest
    }
}

impl<T> Default for SweepStore<T> {
    fn default() -> Self {
        let (segments, located, exits) = Default::default();
        Self { segments, located, exits, examines: false, largest: 0 }
    }
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Located {
    /// In the input arrays: phase, first element.
    Input(usize, usize),
    /// Among the loads: first element.
    Load(usize),
    /// Among the computed lines: first element.
    Line(usize),
    /// In the output arrays: phase, first element.
    Output(usize, usize),
    /// Among the outputs of the batch: first element.
    Delivery(usize),
    /// Not at all.
    Nowhere,
}

/// How computed lines lie.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rolling {
    /// Elements from one line to the next.
    pitch: usize,
    /// Elements before the first.
    skew: usize,
}

/// Bytes of a vector register, and of a line of the cache.
const ALIGNMENT: usize = 64;

/// A line that leaves the window in an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exit {
    iteration: i64,
    from: Located,
    to: Located,
    /// Added with this factor rather than copied.
    add: Option<i64>,
}

/// Gives the lines of the stage before: `(phase, first line, number of lines, a place per segment)`.
pub(crate) type Fetch<'a, T> = dyn FnMut(usize, usize, usize, &mut [&mut [T]]) + 'a;

/// Takes lines to the next stage: `(phase, first line, number of lines, lines per segment, weight)`.
pub(crate) type Deliver<'a, T> = dyn FnMut(usize, usize, usize, &[&[T]], Option<i64>) + 'a;

/// Where lines come from.
pub(crate) enum Source<'a, T> {
    /// Arrays: per segment, one for a signal, one per phase for bands.
    Arrays(&'a [[&'a [T]; 2]]),
    /// The stage before.
    Stage(&'a mut Fetch<'a, T>),
}

/// Where lines go.
pub(crate) enum Sink<'a, 'b, T> {
    /// Arrays: per segment, one for a signal, one per phase for bands.
    Arrays(&'a mut [[&'b mut [T]; 2]]),
    /// The next stage.
    Stage(&'a mut Deliver<'a, T>),
}

/// Most segments: the channels of two inner axes.
pub(crate) const MOST_SEGMENTS: usize = 4;

/// Bytes of the lines of a batch.
const BATCH_BYTES: usize = 32 << 10;
const MOST_BATCH: usize = 16;

/// Bytes of the lanes that are computed together, short of what a copy would be started differently
/// for; and a divisor of their number.
const BLOCK_BYTES: usize = 1920;
const BLOCK_UNIT: usize = 32;

/// A sweep along one axis.
pub(crate) struct Sweeping<'a, T> {
    pub(crate) sweep: &'a Sweep<T>,
    pub(crate) axis: &'a Axis,
    /// Elements of a line, per segment.
    pub(crate) lanes: &'a [usize],
    /// With a weight, outputs are multiplied by it and added.
    pub(crate) add: Option<i64>,
    /// Whether updates are watched for overflow.
    pub(crate) watched: bool,
}

/// Iterations and the outputs that belong to them.
struct Batch {
    iterations: Range<i64>,
    /// First iteration of the run.
    first: i64,
    /// All pairs of the run.
    pairs: Range<i64>,
    /// Whether outputs beyond the ends are wanted, rather than those inside.
    beyond: bool,
}

impl<T: Element> Sweeping<'_, T> {
    fn batch(&self) -> usize {
        let line = self.lanes.iter().sum::<usize>() * T::TYPE.bytes();
        (BATCH_BYTES / line.max(1)).clamp(1, MOST_BATCH)
    }

    /// Elements from one computed line to the next: an odd number of lines of the cache, so that lines
    /// do not compete for the same places.
    fn pitch(&self, lanes: usize) -> usize {
        let unit = ALIGNMENT / T::TYPE.bytes();
        (lanes.div_ceil(unit) | 1) * unit
    }

    /// How the computed lines of a segment lie.
    fn rolling(&self, lanes: usize, lines: &[T]) -> Rolling {
        let pitch = self.pitch(lanes);
        let free = lines.len().saturating_sub(self.sweep.lines * pitch);
        Rolling { pitch, skew: lines.as_ptr().align_offset(ALIGNMENT).min(free) }
    }

    /// Iterations whose loads are kept.
    fn capacity(&self) -> usize {
        let batch = self.batch();
        (self.sweep.window - 1).div_ceil(batch) * batch + batch
    }

    /// Grows a store to what this sweep needs.
    pub(crate) fn provide(&self, store: &mut SweepStore<T>) {
        let grow = |values: &mut Vec<T>, len: usize| {
            if values.len() < len {
                values.resize(len, T::default());
            }
        };
        if store.segments.len() < self.lanes.len() {
            store.segments.resize_with(self.lanes.len(), SegmentStore::default);
        }
        for (segment, lanes) in store.segments.iter_mut().zip(self.lanes) {
            grow(&mut segment.loads, PLANES * self.capacity() * lanes);
            grow(&mut segment.outputs, PLANES * self.batch() * lanes);
            grow(&mut segment.spare, *lanes);
            let room = self.sweep.lines * self.pitch(*lanes) + ALIGNMENT / T::TYPE.bytes();
            grow(&mut segment.lines, room);
        }
        let reads: usize = self.sweep.advances.iter().map(|a| a.terms.len() + 3).sum();
        let wanted = self.batch() * reads;
        store.located.reserve(wanted.saturating_sub(store.located.len()));
        let exits = PLANES * self.batch() + self.axis.folds.len();
        store.exits.reserve(exits.saturating_sub(store.exits.len()));
    }

    /// Runs the sweep over all pairs of the axis; whether watched integers overflowed.
    pub(crate) fn run(
        &self,
        mut source: Source<'_, T>,
        mut sink: Sink<'_, '_, T>,
        store: &mut SweepStore<T>,
    ) -> bool {
        let mut fits = self.run_pairs(&self.axis.pairs, false, &mut source, &mut sink, store);
        for pairs in self.axis.folded() {
            if !pairs.is_empty() {
                fits &= self.run_pairs(&pairs, true, &mut source, &mut sink, store);
            }
        }
        !fits
    }

    fn run_pairs(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        source: &mut Source<'_, T>,
        sink: &mut Sink<'_, '_, T>,
        store: &mut SweepStore<T>,
    ) -> bool {
        let first = pairs.start + self.sweep.low;
        let end = if pairs.is_empty() { first } else { pairs.end + self.sweep.delay };
        let size = self.batch() as i64;
        let mut fits = true;
        let mut at = first;
        while at < end {
            // Batches start at multiples, so that their loads do not wrap around.
            let next = ((at.div_euclid(size) + 1) * size).min(end);
            let batch = Batch { iterations: at..next, first, pairs: pairs.clone(), beyond };
            if let (Source::Arrays(arrays), true, false) = (&*source, store.examines, beyond) {
                store.largest = store.largest.max(self.largest(&batch, arrays));
            }
            self.load(&batch, source, store);
            for segment in 0..self.lanes.len() {
                self.locate(&batch, segment, source, sink, store);
                fits &= self.advance(&batch, segment, source, sink, store);
            }
            if let Sink::Stage(deliver) = sink {
                self.hand_over(&batch, deliver, store);
            }
            at = next;
        }
        fits
    }

    /// The largest magnitude of the integers that a batch reads from arrays.
    fn largest(&self, batch: &Batch, arrays: &[[&[T]; 2]]) -> u64 {
        let side = self.axis.operation.input();
        let mut largest = 0;
        for bit in 0..if side == Side::Signal { 1 } else { PLANES } {
            let (lines, _) = self.run_of(side, bit, &batch.iterations);
            for (arrays, lanes) in arrays.iter().zip(self.lanes) {
                let values = &arrays[bit][lines.start * lanes..lines.end * lanes];
                largest = largest.max(T::largest(values));
            }
        }
        largest
    }

    /// The array of a phase.
    fn array(side: Side, bit: usize) -> usize {
        if side == Side::Signal { 0 } else { bit }
    }

    /// Row of a load among the lines kept.
    fn load_row(&self, bit: usize, t: i64) -> usize {
        let slot = t.rem_euclid(self.capacity() as i64) as usize;
        match self.axis.operation.input() {
            Side::Signal => PLANES * slot + bit,
            Side::Bands => bit * self.capacity() + slot,
        }
    }

    /// Lines of the arrays that belong to a range of pairs, and the row of the first: for a signal,
    /// samples of both phases in one run.
    fn run_of(&self, side: Side, bit: usize, pairs: &Range<i64>) -> (Range<usize>, usize) {
        if side == Side::Signal {
            let signal = &self.axis.geometry.signal;
            let from = 2 * pairs.start - signal.start;
            let to = (2 * pairs.end - signal.start).clamp(0, signal.len as i64);
            let inside = from.clamp(0, to);
            (inside as usize..to as usize, (inside - from) as usize)
        } else {
            let ends = Ends::new(side, &self.axis.geometry);
            let interior = ends.interior(bit);
            let from = interior.start.max(pairs.start);
            let to = interior.end.min(pairs.end);
            if from >= to {
                return (0..0, 0);
            }
            let index = ends.index(bit, from);
            (index..index + (to - from) as usize, (from - pairs.start) as usize)
        }
    }

    /// Fetches the lines of a batch, and makes those beyond the ends.
    fn load(&self, batch: &Batch, source: &mut Source<'_, T>, store: &mut SweepStore<T>) {
        let iterations = &batch.iterations;
        let side = self.axis.operation.input();
        if let Source::Stage(fetch) = source {
            for bit in 0..if side == Side::Signal { 1 } else { PLANES } {
                let (lines, skipped) = self.run_of(side, bit, iterations);
                if lines.is_empty() {
                    continue;
                }
                let row = self.load_row(bit, iterations.start) + skipped;
                let mut places: [&mut [T]; MOST_SEGMENTS] = Default::default();
                let segments = store.segments.iter_mut().zip(self.lanes);
                for (place, (segment, lanes)) in places.iter_mut().zip(segments) {
                    *place = &mut segment.loads[row * lanes..(row + lines.len()) * lanes];
                }
                fetch(bit, lines.start, lines.len(), &mut places[..self.lanes.len()]);
            }
        }
        for bit in 0..PLANES {
            let mut last = None;
            for Edge { k, place, .. } in self.axis.loads(bit, iterations) {
                let fresh = last.replace(*k) != Some(*k);
                self.edge(self.load_row(bit, *k), fresh, place.as_ref(), source, store);
            }
        }
    }

    /// Adds one place's line to a load beyond the ends.
    fn edge(
        &self,
        row: usize,
        fresh: bool,
        place: Option<&Place>,
        source: &mut Source<'_, T>,
        store: &mut SweepStore<T>,
    ) {
        let side = self.axis.operation.input();
        if let (Source::Stage(fetch), Some(place)) = (&mut *source, place) {
            let mut spares: [&mut [T]; MOST_SEGMENTS] = Default::default();
            let segments = store.segments.iter_mut().zip(self.lanes);
            for (spare, (segment, lanes)) in spares.iter_mut().zip(segments) {
                *spare = &mut segment.spare[..*lanes];
            }
            fetch(Self::array(side, place.bit), place.index, 1, &mut spares[..self.lanes.len()]);
        }
        for (index, (segment, lanes)) in store.segments.iter_mut().zip(self.lanes).enumerate() {
            let load = &mut segment.loads[row * lanes..(row + 1) * lanes];
            let Some(place) = place else {
                load.fill(T::default());
                continue;
            };
            let line = match source {
                Source::Stage(_) => &segment.spare[..*lanes],
                Source::Arrays(arrays) => {
                    &arrays[index][Self::array(side, place.bit)][place.index * lanes..][..*lanes]
                }
            };
            if fresh && place.weight == 1 {
                load.copy_from_slice(line);
                continue;
            }
            if fresh {
                load.fill(T::default());
            }
            add_weighted(load, line, place.weight);
        }
    }
}
