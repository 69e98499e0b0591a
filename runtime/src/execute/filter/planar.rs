//! Two axes at once: rows are filtered along the last axis into a ring of lines, and the ring is
//! filtered across into the output.

use super::across::{Across, BATCH, MOST_ROWS, Outer};
use super::along::{Along, Last, Strip, count, intersection};
use super::row::{Arrays, Lone, Row, Rows, Samples, Step};
use super::share::Target;
use super::store::Store;
use super::taps::{MOST_TAPS, PLANES};
use crate::element::Element;
use crate::execute::edges::Edge;
use crate::execute::line::add_weighted;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Lines begin at multiples of so many elements, and lie an odd number of these apart: a window's
/// lines must not compete for the same places of a cache.
const UNIT: usize = 32;

/// Strips of a row: its ends, what lies between, and what is beyond the ends and folded.
type Course<'a> = [Option<Strip<'a>>; 8];

/// The two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planar<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) last: Last<'a, T>,
}

impl<'a, T: Element> Planar<'a, T> {
    fn batch(&self) -> usize {
        BATCH.min(self.outer.most()).min(MOST_TAPS / self.outer.filter.taps.count().max(1)).max(1)
    }

    /// Lines kept per plane.
    fn capacity(&self) -> usize {
        self.batch() + self.outer.filter.reach()
    }

    /// The parts of a line of the ring: the low and the high outputs of all pairs of a row, or both
    /// in turn.
    fn parts(&self) -> [Range<usize>; 2] {
        let pairs = count(&self.last.axis.pairs);
        let second = pairs.next_multiple_of(UNIT);
        match self.last.axis.operation.output() {
            Side::Signal => [0..2 * pairs, 2 * pairs..2 * pairs],
            Side::Bands => [0..pairs, second..second + pairs],
        }
    }

    /// Elements from one line of the ring to the next.
    fn pitch(&self) -> usize {
        let [_, high] = self.parts();
        (high.end.div_ceil(UNIT) | 1) * UNIT
    }

    /// Where the line of a plane's pair begins.
    fn start(&self, bit: usize, k: i64) -> usize {
        let capacity = self.capacity();
        (bit * capacity + k.rem_euclid(capacity as i64) as usize) * self.pitch()
    }

    /// Grows a store.
    pub(super) fn provide(&self, store: &mut Store<T>) {
        let ring = PLANES * self.capacity() * self.pitch();
        store.provide(self.last.filter.reach(), self.pitch(), ring);
    }

    /// Filters all pairs.
    pub(super) fn all(
        &self,
        input: &[&[T]],
        output: &mut [&mut [T]],
        add: Option<i64>,
        store: &mut Store<T>,
    ) {
        let axis = self.outer.axis;
        let mut target = Target { arrays: output, first: [0; PLANES] };
        self.run(&axis.pairs, false, input, &mut target, add, store);
        for pairs in axis.folded() {
            self.run(&pairs, true, input, &mut target, add, store);
        }
    }

    /// Filters pairs of the outer axis; those beyond its ends are added where they belong.
    pub(super) fn run(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        store: &mut Store<T>,
    ) {
        let filter = self.outer.filter;
        let mut filled = pairs.start + filter.low;
        let batch = self.batch();
        let mut strips = self.last.strips(&self.last.axis.pairs, true).chain(self.last.folds());
        let course: Course<'a> = std::array::from_fn(|_| strips.next());
        debug_assert!(strips.next().is_none());
        for start in pairs.clone().step_by(batch) {
            let end = (start + batch as i64).min(pairs.end);
            let needed = filled..end + filter.high;
            filled = needed.end;
            self.fill(&needed, &course, input, store);
            self.across(&(start..end), beyond, target, add, store);
        }
    }

    /// The row of the input that a pair's row is; `None` beyond the ends, where it is a sum of rows
    /// with weights.
    fn lone(&self, bit: usize, k: i64) -> Option<(usize, usize)> {
        let ends = self.outer.axis.input();
        if ends.interior(bit).contains(&k) {
            return Some((bit, ends.index(bit, k)));
        }
        match self.outer.axis.loads(bit, &(k..k + 1)) {
            [Edge { place: Some(place), .. }] if place.weight == 1 => {
                Some((place.bit, place.index))
            }
            _ => None,
        }
    }

    /// Filters the rows of some pairs along the last axis.
    fn fill(&self, pairs: &Range<i64>, course: &Course<'a>, input: &[&[T]], store: &mut Store<T>) {
        let pitch = self.pitch();
        let Store { planes, ring, spare, sum, .. } = store;
        let ring = ring.get_mut(PLANES * self.capacity() * pitch);
        let (last, strips) = (self.last, &course[..]);
        let next = (pairs.start, 0);
        let rows = &mut Ring { planar: self, input, ring: &mut *ring, next, end: pairs.end };
        T::along(Along { last, strips, rows, planes: &mut *planes, spare: &mut *spare });
        for k in pairs.clone() {
            for bit in (0..PLANES).filter(|bit| self.lone(*bit, k).is_none()) {
                let start = self.start(bit, k);
                let line = &mut ring[start..start + pitch];
                line.fill(T::default());
                let edges = self.outer.axis.loads(bit, &(k..k + 1));
                for place in edges.iter().filter_map(|edge| edge.place) {
                    let values = sum.get_mut(pitch);
                    let row = self.line(&mut *values);
                    let (input, ahead) =
                        (self.row((place.bit, place.index), input), Samples::none());
                    let rows = &mut Lone(Some(Step { input, ahead, row }));
                    let (planes, spare) = (&mut *planes, &mut *spare);
                    T::along(Along { last, strips, rows, planes, spare });
                    add_weighted(line, values, place.weight);
                }
            }
        }
    }

    /// A line of the ring.
    fn line<'b>(&self, line: &'b mut [T]) -> Row<'b, T> {
        let first = self.last.axis.pairs.start;
        let [low, high] = self.parts();
        match self.last.axis.operation.output() {
            Side::Signal => Row { arrays: Arrays::Signal(line), origin: [2 * first; PLANES] },
            Side::Bands => {
                let (front, back) = line.split_at_mut(high.start);
                let arrays = Arrays::Bands([&mut front[low], &mut back[..high.len()]]);
                Row { arrays, origin: [first; PLANES] }
            }
        }
    }

    /// A row of the input: of the signal, or one of each band along the last axis.
    fn row<'b>(&self, (bit, index): (usize, usize), input: &[&'b [T]]) -> [Samples<'b, T>; PLANES] {
        let side = self.last.axis.operation.input();
        let lens = self.last.lens(side);
        let row = |array: usize, len: usize| {
            Samples::whole(&input[array][index * len..(index + 1) * len])
        };
        match side {
            Side::Signal => [row(0, lens[0]); PLANES],
            Side::Bands => [row(PLANES * bit, lens[0]), row(PLANES * bit + 1, lens[1])],
        }
    }

    /// Filters the ring's lines across.
    fn across(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        store: &mut Store<T>,
    ) {
        let filter = self.outer.filter;
        let Store { ring, spare, .. } = store;
        let ring = ring.get(PLANES * self.capacity() * self.pitch());
        let first = pairs.start + filter.low;
        let mut starts = [[0; MOST_ROWS]; PLANES];
        for (bit, starts) in starts.iter_mut().enumerate() {
            for (k, start) in (first..pairs.end + filter.high).zip(starts) {
                *start = self.start(bit, k);
            }
        }
        let side = self.last.axis.operation.output();
        let ends = self.outer.axis.output();
        let mut direct = intersection(pairs, &intersection(&ends.interior(0), &ends.interior(1)));
        if beyond || add.is_some() {
            direct = pairs.end..pairs.end;
        }
        let (lens, origin) = (self.last.lens(side), self.last.origin());
        for (part, line) in
            self.parts().into_iter().enumerate().filter(|(_, line)| !line.is_empty())
        {
            let len = lens[part];
            let before = match side {
                Side::Signal => origin[0] - 2 * self.last.axis.pairs.start,
                Side::Bands => origin[part] - self.last.axis.pairs.start,
            };
            let column = line.start + before as usize;
            let place = Columns { part, len, side };
            let taps = &filter.taps;
            let count_lines = taps.count();
            let mut lines: [&[T]; MOST_TAPS] = [&[]; MOST_TAPS];
            for (at, line) in lines.iter_mut().enumerate().take(count(pairs) * count_lines) {
                let (plane, shift) = taps.place(at % count_lines);
                let start = starts[plane][at / count_lines + shift] + column;
                *line = &ring[start..start + len];
            }
            let lines = |k: i64| &lines[(k - pairs.start) as usize * count_lines..];
            if !direct.is_empty() {
                let index = [0, 1].map(|phase| ends.index(phase, direct.start));
                let mut outs: [[&mut [T]; 2]; BATCH] = Default::default();
                let outs = place.rows(index, count(&direct), target, &mut outs);
                T::across(Across { taps, lines: lines(direct.start), outs });
            }
            for k in pairs.clone().filter(|k| !direct.contains(k)) {
                let [low, high] = spare.split(len);
                let mut outs = [[&mut *low, &mut *high]];
                T::across(Across { taps, lines: lines(k), outs: &mut outs });
                self.settle(k, beyond, &place, target, add, [low, high]);
            }
        }
    }

    /// Brings the outputs of a pair that were computed aside to their places.
    fn settle(
        &self,
        k: i64,
        beyond: bool,
        place: &Columns,
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        sums: [&[T]; 2],
    ) {
        let axis = self.outer.axis;
        let ends = axis.output();
        for (phase, sums) in sums.into_iter().enumerate() {
            if beyond {
                for edge in axis.folds(phase, k).iter().filter_map(|edge| edge.place) {
                    let weight = edge.weight * add.unwrap_or(1);
                    if let Some(row) = place.row(edge.bit, edge.index, target) {
                        add_weighted(row, sums, weight);
                    }
                }
            } else if ends.interior(phase).contains(&k) {
                let Some(row) = place.row(phase, ends.index(phase, k), target) else { continue };
                match add {
                    None => row.copy_from_slice(sums),
                    Some(weight) => add_weighted(row, sums, weight),
                }
            }
        }
    }
}

/// Rows of the input that become lines of the ring.
struct Ring<'a, 'b, T> {
    planar: &'b Planar<'a, T>,
    input: &'b [&'b [T]],
    ring: &'b mut [T],
    /// The pair and the plane that come next.
    next: (i64, usize),
    /// The pair behind the last.
    end: i64,
}

impl<T: Element> Rows<T> for Ring<'_, '_, T> {
    fn next(&mut self) -> Option<Step<'_, T>> {
        while self.next.0 < self.end {
            let (k, bit) = self.next;
            self.next = if bit + 1 < PLANES { (k, bit + 1) } else { (k + 1, 0) };
            if let Some(place) = self.planar.lone(bit, k) {
                let start = self.planar.start(bit, k);
                let line = &mut self.ring[start..start + self.planar.pitch()];
                let (k, bit) = self.next;
                let ahead =
                    self.planar.lone(bit, k).map(|place| self.planar.row(place, self.input));
                return Some(Step {
                    input: self.planar.row(place, self.input),
                    ahead: ahead.map_or(Samples::none(), |[signal, _]| signal),
                    row: self.planar.line(line),
                });
            }
        }
        None
    }
}

/// A part of rows of the output.
struct Columns {
    /// Phase on the last axis, if the output is bands.
    part: usize,
    /// Elements of a row.
    len: usize,
    side: Side,
}

impl Columns {
    /// The row with the given phase and index on the outer axis.
    fn row<'b, T>(
        &self,
        phase: usize,
        index: usize,
        target: &'b mut Target<'_, '_, T>,
    ) -> Option<&'b mut [T]> {
        let (array, first) = match self.side {
            Side::Signal => (0, target.first[0]),
            Side::Bands => (PLANES * phase + self.part, target.first[phase]),
        };
        let start = (index - first) * self.len;
        target.arrays.get_mut(array)?.get_mut(start..start + self.len)
    }

    /// The rows of both phases of so many pairs; `index` is that of the first pair's.
    fn rows<'b, 'c, T>(
        &self,
        index: [usize; 2],
        pairs: usize,
        target: &'b mut Target<'_, '_, T>,
        outs: &'c mut [[&'b mut [T]; 2]; BATCH],
    ) -> &'c mut [[&'b mut [T]; 2]] {
        let len = self.len;
        let outs = &mut outs[..pairs];
        if len == 0 {
            return &mut outs[..0];
        }
        let start = |phase: usize, first: usize| (index[phase] - first) * len;
        match self.side {
            Side::Signal => {
                let rows = &mut target.arrays[0][start(0, target.first[0])..];
                for (outs, rows) in outs.iter_mut().zip(rows.chunks_exact_mut(2 * len)) {
                    *outs = rows.split_at_mut(len).into();
                }
            }
            Side::Bands => {
                let first = target.first;
                let (low, high) = target.arrays.split_at_mut(PLANES);
                let low = low[self.part][start(0, first[0])..].chunks_exact_mut(len);
                let high = high[self.part][start(1, first[1])..].chunks_exact_mut(len);
                for (outs, rows) in outs.iter_mut().zip(low.zip(high)) {
                    *outs = rows.into();
                }
            }
        }
        outs
    }
}
