//! Two axes at once: rows are filtered along the last axis into a ring of lines, and the ring is
//! filtered across into the output.

use super::across::{MOST_ROWS, Outer};
use super::along::{Job, Last, Row, Strip};
use super::share::Target;
use super::store::Store;
use super::sums::Out;
use super::taps::PLANES;
use crate::element::Element;
use crate::execute::edges::Edge;
use crate::execute::line::add_weighted;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Most pairs of lines that are filtered together.
const BATCH: usize = 4;

/// Lines begin at multiples of so many elements, and lie an odd number of these apart: a window's
/// lines must not compete for the same places of a cache.
const UNIT: usize = 32;

/// The two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planar<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) last: Last<'a, T>,
}

/// Lines that are written: the low and the high part of a row, or one line.
fn parts(lens: [usize; 2], side: Side) -> [Range<usize>; 2] {
    let [low, high] = lens;
    let second = low.next_multiple_of(UNIT);
    match side {
        Side::Signal => [0..low, 0..0],
        Side::Bands => [0..low, second..second + high],
    }
}

impl<T: Element> Planar<'_, T> {
    fn batch(&self) -> usize {
        BATCH.min(self.outer.most())
    }

    /// Lines kept per plane.
    fn capacity(&self) -> usize {
        self.batch() + self.outer.filter.reach()
    }

    /// The parts of a line of the ring.
    fn line(&self) -> [Range<usize>; 2] {
        parts(self.last.lens(self.last.axis.operation.output()), self.last.axis.operation.output())
    }

    /// Elements from one line of the ring to the next.
    fn pitch(&self) -> usize {
        let [low, high] = self.line();
        (low.end.max(high.end).div_ceil(UNIT) | 1) * UNIT
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
        for start in pairs.clone().step_by(batch) {
            let end = (start + batch as i64).min(pairs.end);
            let needed = filled..end + filter.high;
            filled = needed.end;
            self.clear(&needed, store);
            if self.last.accumulates() {
                for strip in self.last.all_strips() {
                    self.fill(&needed, &strip, input, store);
                }
            }
            for strip in self.last.strips(&self.last.axis.pairs, false) {
                if !self.last.accumulates() {
                    self.fill(&needed, &strip, input, store);
                }
                self.across(&(start..end), &strip, beyond, target, add, store);
            }
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

    /// Makes lines zero that are sums of rows.
    fn clear(&self, pairs: &Range<i64>, store: &mut Store<T>) {
        let pitch = self.pitch();
        let ring = store.ring.get_mut(PLANES * self.capacity() * pitch);
        for bit in 0..PLANES {
            for k in pairs.clone().filter(|k| self.lone(bit, *k).is_none()) {
                let start = self.start(bit, k);
                ring[start..start + pitch].fill(T::default());
            }
        }
    }

    /// Filters a strip of the rows of some pairs along the last axis.
    fn fill(&self, pairs: &Range<i64>, strip: &Strip<'_>, input: &[&[T]], store: &mut Store<T>) {
        let pitch = self.pitch();
        let Store { planes, ring, spare, .. } = store;
        let ring = ring.get_mut(PLANES * self.capacity() * pitch);
        let line = self.line();
        for k in pairs.clone() {
            for bit in 0..PLANES {
                let start = self.start(bit, k);
                let slot = &mut ring[start..start + pitch];
                let mut row = match self.last.axis.operation.output() {
                    Side::Signal => Row::Signal(&mut slot[line[0].clone()]),
                    Side::Bands => {
                        let (low, high) = slot.split_at_mut(line[1].start);
                        let high = &mut high[..line[1].len()];
                        Row::Bands([&mut low[line[0].clone()], high])
                    }
                };
                let later = k + pairs.end - pairs.start;
                let ahead = self.lone(bit, later).map(|place| self.row(place, input));
                let ahead = ahead.unwrap_or_default();
                let mut filter = |place: (usize, usize), add: Option<i64>| {
                    let job = Job { strip, ahead, first: [0; PLANES], add };
                    self.last.run(&job, self.row(place, input), &mut row, planes, spare);
                };
                match self.lone(bit, k) {
                    Some(place) => filter(place, None),
                    None => {
                        let edges = self.outer.axis.loads(bit, &(k..k + 1));
                        for place in edges.iter().filter_map(|edge| edge.place) {
                            filter((place.bit, place.index), Some(place.weight));
                        }
                    }
                }
            }
        }
    }

    /// A row of the input: of the signal, or one of each band along the last axis.
    fn row<'b>(&self, (bit, index): (usize, usize), input: &[&'b [T]]) -> [&'b [T]; PLANES] {
        let side = self.last.axis.operation.input();
        let lens = self.last.lens(side);
        let row = |array: usize, len: usize| &input[array][index * len..(index + 1) * len];
        match side {
            Side::Signal => [row(0, lens[0]), &[]],
            Side::Bands => [row(PLANES * bit, lens[0]), row(PLANES * bit + 1, lens[1])],
        }
    }

    /// Filters the ring's lines across, where a strip has filled them.
    fn across(
        &self,
        pairs: &Range<i64>,
        strip: &Strip<'_>,
        beyond: bool,
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        store: &mut Store<T>,
    ) {
        let filter = self.outer.filter;
        let Store { ring, spare, .. } = store;
        let ring = ring.get(PLANES * self.capacity() * self.pitch());
        let mut starts = [[0; MOST_ROWS]; PLANES];
        let first = pairs.start + filter.low;
        for (bit, starts) in starts.iter_mut().enumerate() {
            for (k, start) in (first..pairs.end + filter.high).zip(starts) {
                *start = self.start(bit, k);
            }
        }
        let side = self.last.axis.operation.output();
        let parts = self.line().into_iter().zip(self.last.columns(strip)).enumerate();
        for (part, (line, columns)) in parts.filter(|(_, (_, columns))| !columns.is_empty()) {
            for (index, k) in pairs.clone().enumerate() {
                let column = line.start + columns.start;
                let lines = Lines { ring, starts: &starts, first: index, column };
                let [low, high] = spare.split(columns.len());
                let place = Columns { part, columns: columns.clone(), len: line.len(), side };
                self.pair(lines, k, beyond, &place, target, add, [low, high]);
            }
        }
    }

    /// Filters a pair of lines across.
    #[allow(clippy::too_many_arguments)]
    fn pair(
        &self,
        lines: Lines<'_, T>,
        k: i64,
        beyond: bool,
        place: &Columns,
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        [low, high]: [&mut [T]; 2],
    ) {
        let len = place.columns.len();
        let run = |plane: usize, shift: usize| {
            let start = lines.starts[plane][lines.first + shift] + lines.column;
            &lines.ring[start..start + len]
        };
        let filter = self.outer.filter;
        let axis = self.outer.axis;
        let ends = axis.output();
        if beyond {
            filter.sums(run, [&[]; 2], Out::Apart([&mut *low, &mut *high]));
            for (phase, sums) in [low, high].into_iter().enumerate() {
                for edge in axis.folds(phase, k).iter().filter_map(|edge| edge.place) {
                    let weight = edge.weight * add.unwrap_or(1);
                    if let Some(row) = place.row(edge.bit, edge.index, target) {
                        add_weighted(row, sums, weight);
                    }
                }
            }
            return;
        }
        let index =
            [0, 1].map(|phase| ends.interior(phase).contains(&k).then(|| ends.index(phase, k)));
        if let ([Some(first), Some(second)], None) = (index, add) {
            if let Some((rows, ahead)) = place.rows([first, second], target) {
                filter.sums(run, ahead, Out::Apart(rows));
            }
            return;
        }
        filter.sums(run, [&[]; 2], Out::Apart([&mut *low, &mut *high]));
        for (phase, (index, sums)) in index.into_iter().zip([low, high]).enumerate() {
            let Some(row) = index.and_then(|index| place.row(phase, index, target)) else {
                continue;
            };
            match add {
                None => row.copy_from_slice(sums),
                Some(weight) => add_weighted(row, sums, weight),
            }
        }
    }
}

/// A window of the ring's lines.
#[derive(Clone, Copy)]
struct Lines<'a, T> {
    ring: &'a [T],
    /// Where lines begin, per plane.
    starts: &'a [[usize; MOST_ROWS]; PLANES],
    /// The first line of the window.
    first: usize,
    /// The first column.
    column: usize,
}

/// Columns of a part of rows of the output.
struct Columns {
    /// Phase on the last axis, if the output is bands.
    part: usize,
    columns: Range<usize>,
    /// Elements of a row.
    len: usize,
    side: Side,
}

impl Columns {
    /// The columns of the row with the given phase and index on the outer axis.
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
        let row = target.arrays.get_mut(array)?.get_mut(start..start + self.len)?;
        row.get_mut(self.columns.clone())
    }

    /// The columns of the rows of both phases, and of the rows behind them, which come next.
    #[allow(clippy::type_complexity)]
    fn rows<'b, T>(
        &self,
        index: [usize; 2],
        target: &'b mut Target<'_, '_, T>,
    ) -> Option<([&'b mut [T]; 2], [&'b [T]; 2])> {
        match self.side {
            Side::Signal => {
                let start = [0, 1].map(|phase| (index[phase] - target.first[0]) * self.len);
                let array = target.arrays.first_mut()?;
                let (first, second) = (start[0].min(start[1]), start[0].max(start[1]));
                let (before, behind) = array.split_at_mut_checked(second)?;
                let (now, later) = behind.split_at_mut_checked(self.len)?;
                let before = before.get_mut(first..)?;
                let (low, high) = if start[0] < start[1] { (before, now) } else { (now, before) };
                let later = [0, self.len].map(|from| {
                    let row = later.get(from..from + self.len).unwrap_or_default();
                    row.get(self.columns.clone()).unwrap_or_default()
                });
                let columns = || self.columns.clone();
                Some(([low.get_mut(columns())?, high.get_mut(columns())?], later))
            }
            Side::Bands => {
                let (low, high) = target.arrays.split_at_mut_checked(PLANES)?;
                let start = [0, 1].map(|phase| (index[phase] - target.first[phase]) * self.len);
                let low = low.get_mut(self.part)?.get_mut(start[0]..)?;
                let high = high.get_mut(self.part)?.get_mut(start[1]..)?;
                let (low, later_low) = low.split_at_mut_checked(self.len)?;
                let (high, later_high) = high.split_at_mut_checked(self.len)?;
                let columns = || self.columns.clone();
                let later = [later_low, later_high];
                let later = later.map(|rows| rows.get(columns()).unwrap_or_default());
                Some(([low.get_mut(columns())?, high.get_mut(columns())?], later))
            }
        }
    }
}
