//! Two axes at once: rows are filtered along the last axis into a ring of lines, and the ring is
//! filtered across into the output. Sums of two samples need no ring: see [`super::squares`].

use super::across::{Across, BATCH, MOST_LINES, Outer};
use super::along::{Along, Last, count, intersection, outside};
use super::lines::{Course, Lines, unit};
use super::pairs::Ahead;
use super::past::Leave;
use super::row::{Lone, Samples, Step};
use super::share::Target;
use super::store::{ALIGNMENT, Store};
use super::taps::PLANES;
use crate::element::Element;
use crate::line::add_weighted;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Most rows that become lines in one call.
const MOST_FILLED: usize = PLANES * BATCH;

/// Bytes of signals that the second-level cache is not expected to keep.
const FAR_BYTES: usize = 2 << 20;

/// Lines of windows of common numbers of taps.
const FEW_LINES: usize = 16;

/// The two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planar<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) last: Last<'a, T>,
    pub(super) leave: Leave<'a>,
}

impl<'a, T: Element> Planar<'a, T> {
    fn batch(&self) -> usize {
        BATCH.min(self.outer.most()).max(1)
    }

    /// Lines kept per plane.
    fn capacity(&self) -> usize {
        self.batch() + self.outer.filter.reach()
    }

    /// Places of all lines of a pitch.
    fn places(&self, pitch: usize) -> usize {
        PLANES * self.capacity() * pitch
    }

    /// The numbers of the lines of pairs from one on, planes in turn.
    fn slots(&self, k: i64) -> impl Iterator<Item = usize> + use<T> {
        let all = PLANES * self.capacity();
        let mut next = PLANES * k.rem_euclid(self.capacity() as i64) as usize;
        std::iter::from_fn(move || {
            let slot = next;
            next = if next + 1 < all { next + 1 } else { 0 };
            Some(slot)
        })
    }

    /// Whether the signal is so large that rows are asked for before they are read. Smaller ones lie in a near cache
    /// when they are transformed again and again, where the machine's own prefetching is in time.
    fn is_far(&self) -> bool {
        let [rows, columns] =
            [self.outer.axis, self.last.axis].map(|axis| axis.geometry.signal.len);
        rows.saturating_mul(columns) > FAR_BYTES / T::TYPE.bytes()
    }

    /// Grows a store.
    pub(super) fn provide(&self, store: &mut Store<T>) {
        let (pitch, planes) = (Course::most_pitch(&self.last), Course::planes(&self.last));
        let ring = PLANES * self.places(pitch);
        store.provide(self.last.filter.reach(), planes, PLANES * pitch, ring);
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
        let direct = match (beyond, add) {
            (false, None) => self.squares(pairs),
            _ => pairs.start..pairs.start,
        };
        if !direct.is_empty() {
            self.square(&direct, input, target);
        }
        for pairs in outside(pairs, &direct).iter().filter(|pairs| !pairs.is_empty()) {
            self.by_ring(pairs, beyond, input, target, add, store);
        }
    }

    /// The same, by the ring.
    fn by_ring(
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
        let batch = self.batch() as i64;
        let skew = target.arrays.first().map_or(0, |array| array.as_ptr().align_offset(ALIGNMENT));
        let course = Course::new(self.last, skew.wrapping_neg() % unit::<T>());
        for start in pairs.clone().step_by(batch as usize) {
            let end = (start + batch).min(pairs.end);
            let needed = filled..end + filter.high;
            filled = needed.end;
            self.fill(&needed, &course, input, store);
            let next = filled..filled + batch;
            let ahead = match self.is_far() {
                true => Ahead::rows(&self.outer, &self.last, &next, input),
                false => Ahead::default(),
            };
            self.across(&(start..end), beyond, &course, target, add, ahead, store);
        }
    }

    /// Filters the rows of some pairs along the last axis.
    fn fill(
        &self,
        pairs: &Range<i64>,
        course: &Course<'a, T>,
        input: &[&[T]],
        store: &mut Store<T>,
    ) {
        let pitch = course.pitch();
        let joined = self.last.axis.operation.output() == Side::Signal;
        let Store { planes, ring, sum, spare, stage, .. } = store;
        let widths = if joined { [PLANES * pitch, 0] } else { [pitch; PLANES] };
        let ring = ring.get_mut(PLANES * self.places(pitch));
        let (low, high) = ring.split_at_mut(widths[0] / pitch * self.places(pitch));
        let mut filter = |rows: &[([&[T]; PLANES], usize)], [low, high]: [&mut [T]; 2]| {
            let lines = [&mut *low, &mut *high];
            T::lines(Lines { course, rows, lines, planes: &mut *planes });
            // What is beyond the ends of rows is added to their lines.
            for (input, slot) in rows.iter().filter(|_| !self.last.axis.folds.is_empty()) {
                for strip in self.last.folds() {
                    let row = course.row(*slot, [&mut *low, &mut *high]);
                    let input = input.map(Samples::whole);
                    let rows = &mut Lone(Some(Step { input, ahead: Samples::none(), row }));
                    let (last, strips, planes) = (self.last, &[Some(strip)][..], &mut *planes);
                    let (spare, stage) = (&mut *spare, &mut *stage);
                    T::along(Along { last, strips, rows, planes, spare, stage });
                }
            }
        };
        let mut rows: [([&[T]; PLANES], usize); MOST_FILLED] = [([&[]; PLANES], 0); MOST_FILLED];
        let mut found = 0;
        let mut slots = self.slots(pairs.start);
        let ends = self.outer.axis.input();
        let inside = intersection(&ends.interior(0), &ends.interior(1));
        for k in pairs.clone() {
            for (bit, slot) in (0..PLANES).zip(&mut slots) {
                let place = match inside.contains(&k) {
                    true => Some((bit, ends.index(bit, k))),
                    false => self.outer.lone(bit, k),
                };
                if let Some(place) = place {
                    rows[found] = (self.row(place, input), slot);
                    found += 1;
                    if found == rows.len() {
                        filter(&rows, [&mut *low, &mut *high]);
                        found = 0;
                    }
                    continue;
                }
                let (first, second) = sum.get_mut(PLANES * pitch).split_at_mut(widths[0]);
                let mut lines = [&mut *low, &mut *high];
                for (lines, width) in lines.iter_mut().zip(widths) {
                    lines[slot * width..(slot + 1) * width].fill(T::default());
                }
                let edges = self.outer.axis.loads(bit, &(k..k + 1));
                for place in edges.iter().filter_map(|edge| edge.place) {
                    let row = (self.row((place.bit, place.index), input), 0);
                    let mut values = [&mut *first, &mut *second];
                    filter(&[row], values.each_mut().map(|values| &mut **values));
                    for ((lines, values), width) in lines.iter_mut().zip(values).zip(widths) {
                        let line = &mut lines[slot * width..(slot + 1) * width];
                        add_weighted(line, values, place.weight);
                    }
                }
            }
        }
        filter(&rows[..found], [low, high]);
    }

    /// A row of the input: of the signal, or one of each band along the last axis.
    fn row<'b>(&self, (bit, index): (usize, usize), input: &[&'b [T]]) -> [&'b [T]; PLANES] {
        let side = self.last.axis.operation.input();
        let lens = self.last.lens(side);
        let row = |array: usize, len: usize| &input[array][index * len..(index + 1) * len];
        match side {
            Side::Signal => [row(0, lens[0]); PLANES],
            Side::Bands => [row(PLANES * bit, lens[0]), row(PLANES * bit + 1, lens[1])],
        }
    }

    /// Filters the ring's lines across.
    #[allow(clippy::too_many_arguments)]
    fn across(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        course: &Course<'a, T>,
        target: &mut Target<'_, '_, T>,
        add: Option<i64>,
        mut ahead: Ahead<'_, T>,
        store: &mut Store<T>,
    ) {
        let filter = self.outer.filter;
        let Store { ring, spare, stage, .. } = store;
        let pitch = course.pitch();
        let ring = ring.get(PLANES * self.places(pitch));
        let side = self.last.axis.operation.output();
        let ends = self.outer.axis.output();
        let mut direct = intersection(pairs, &intersection(&ends.interior(0), &ends.interior(1)));
        if beyond || add.is_some() {
            direct = pairs.end..pairs.end;
        }
        let first = pairs.start + filter.low;
        let count_lines = PLANES * (count(pairs) + filter.reach());
        let (mut few, mut many): ([&[T]; FEW_LINES], [&[T]; MOST_LINES]);
        let lines: &mut [&[T]] = if count_lines <= FEW_LINES {
            few = [&[]; FEW_LINES];
            &mut few[..count_lines]
        } else {
            many = [&[]; MOST_LINES];
            &mut many[..count_lines]
        };
        let (lens, columns) = (self.last.lens(side), course.columns());
        let parts = if side == Side::Signal { 1 } else { PLANES };
        let width = PLANES / parts * pitch;
        ahead.spread(&lens[..parts]);
        for (part, (len, column)) in lens.into_iter().zip(columns).enumerate().take(parts) {
            let place = Columns { part, len, side };
            let taps = &filter.taps;
            let column = part * self.places(pitch) + column;
            for (line, slot) in lines.iter_mut().zip(self.slots(first)) {
                let from = slot * width + column;
                *line = &ring[from..from + len];
            }
            let lines = |k: i64| &lines[PLANES * (k - pairs.start) as usize..];
            if !direct.is_empty() {
                let index = [0, 1].map(|phase| ends.index(phase, direct.start));
                let mut outs: [[&mut [T]; 2]; BATCH] = Default::default();
                let outs = place.rows(index, count(&direct), target, &mut outs);
                let past = match side {
                    Side::Signal => [self.leave.of(0); PLANES],
                    Side::Bands => [part, PLANES + part].map(|channel| self.leave.of(channel)),
                };
                let (lines, stage) = (lines(direct.start), stage.all_mut());
                T::across(Across { taps, lines, outs, ahead, past, stage });
                ahead = ahead.behind(len.div_ceil(unit::<T>()));
            }
            for k in pairs.clone().filter(|k| !direct.contains(k)) {
                let [low, high] = spare.split(len);
                let mut outs = [[&mut *low, &mut *high]];
                let (lines, outs, ahead) = (lines(k), &mut outs, Ahead::default());
                let (past, stage) = ([None; PLANES], &mut [][..]);
                T::across(Across { taps, lines, outs, ahead, past, stage });
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
