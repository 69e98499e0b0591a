//! Filtering along an axis that lies across memory: a window of rows.

use super::fit::Work;
use super::pairs::{Ahead, MOST as MOST_NEAR};
use super::past::{columns, columns_room, phase};
use super::pour::{LONG, alike, pours};
use super::store::Line;
use super::sums::{self, Apart, Sink, Sums};
use super::taps::{Filter, PLANES, Taps};
use crate::edges::{Axis, Edge};
use crate::element::Element;
use crate::ends::Ends;
use crate::line::add_weighted;
use crate::seam::{Passage, past_caches};
use pulp::Simd;
use std::ops::Range;

/// Most rows of a window, per plane.
pub(super) const MOST_ROWS: usize = 64;

/// Most lines of a window.
pub(super) const MOST_LINES: usize = PLANES * MOST_ROWS;

/// Most pairs of rows that are filtered together.
pub(super) const BATCH: usize = 4;

/// Bytes of rows that are filtered together: a window of so much stays in the first-level cache.
const COLUMN_BYTES: usize = 1024;

/// The rows that some neighbouring pairs read.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Index of every row in its array, or the number of a row beyond the ends that has to be made.
    rows: [[usize; MOST_ROWS]; PLANES],
    /// The array of every row, if it is not made.
    arrays: [[Option<usize>; MOST_ROWS]; PLANES],
    /// The first pair read, and the number of pairs.
    first: i64,
    count: usize,
}

/// The axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outer<'a, T> {
    pub(super) filter: &'a Filter<T>,
    pub(super) axis: &'a Axis,
}

/// The same columns of all rows of a window.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    arrays: [&'a [T]; PLANES],
    /// Elements of a row of an array.
    pitch: usize,
    /// The first column.
    column: usize,
    /// Rows beyond the ends.
    made: &'a [Line<T>],
}

impl<T: Element> Outer<'_, T> {
    /// Most pairs of a window's outputs.
    pub(super) fn most(&self) -> usize {
        MOST_ROWS - self.filter.reach()
    }

    /// Rows beyond the ends that any window can have.
    pub(super) fn most_made(&self) -> usize {
        self.axis.loads.len().min(PLANES * MOST_ROWS)
    }

    fn array(&self, bit: usize) -> usize {
        if matches!(self.axis.input(), Ends::Signal(_)) { 0 } else { bit }
    }

    /// The row of the input that a pair's row is; `None` beyond the ends, where it is a sum of rows
    /// with weights.
    pub(super) fn lone(&self, bit: usize, k: i64) -> Option<(usize, usize)> {
        let ends = self.axis.input();
        if ends.interior(bit).contains(&k) {
            return Some((bit, ends.index(bit, k)));
        }
        match self.axis.loads(bit, &(k..k + 1)) {
            [Edge { place: Some(place), .. }] if place.weight == 1 => {
                Some((place.bit, place.index))
            }
            _ => None,
        }
    }

    /// The window of some pairs.
    pub(super) fn window(&self, pairs: &Range<i64>) -> Window {
        let ends = self.axis.input();
        let first = pairs.start + self.filter.low;
        let count = (pairs.end + self.filter.high - first).clamp(0, MOST_ROWS as i64) as usize;
        let mut window = Window {
            rows: [[0; MOST_ROWS]; PLANES],
            arrays: [[None; MOST_ROWS]; PLANES],
            first,
            count,
        };
        let mut made = 0;
        for bit in 0..PLANES {
            let interior = ends.interior(bit);
            let own = self.array(bit);
            for (index, k) in (0..count).zip(first..) {
                let (array, row) = if interior.contains(&k) {
                    (Some(own), ends.index(bit, k))
                } else {
                    match self.axis.loads(bit, &(k..k + 1)) {
                        [Edge { place: Some(place), .. }] if place.weight == 1 => {
                            (Some(self.array(place.bit)), place.index)
                        }
                        _ => {
                            made += 1;
                            (None, made - 1)
                        }
                    }
                };
                window.rows[bit][index] = row;
                window.arrays[bit][index] = array;
            }
        }
        window
    }

    /// The given columns of all rows.
    pub(super) fn rows<'b>(
        &self,
        window: &Window,
        arrays: [&'b [T]; PLANES],
        pitch: usize,
        columns: &Range<usize>,
        made: &'b mut [Line<T>],
    ) -> Rows<'b, T> {
        for bit in 0..PLANES {
            let rows = window.rows[bit].iter().zip(&window.arrays[bit]).take(window.count);
            for (k, (line, array)) in (window.first..).zip(rows) {
                if array.is_some() {
                    continue;
                }
                let row = made[*line].get_mut(columns.len());
                row.fill(T::default());
                for place in self.axis.loads(bit, &(k..k + 1)).iter().filter_map(|e| e.place) {
                    let from = place.index * pitch;
                    let array = arrays[self.array(place.bit)];
                    let values = &array[from + columns.start..from + columns.end];
                    add_weighted(row, values, place.weight);
                }
            }
        }
        Rows { arrays, pitch, column: columns.start, made }
    }

    /// Both sums of a window's pair.
    pub(super) fn sums(
        &self,
        window: &Window,
        rows: &Rows<'_, T>,
        pair: usize,
        [low, high]: [&mut [T]; 2],
    ) {
        let len = low.len();
        let taps = &self.filter.taps;
        let count = PLANES * (self.filter.reach() + 1);
        let mut lines: [&[T]; MOST_LINES] = [&[]; MOST_LINES];
        for (at, line) in lines.iter_mut().enumerate().take(count) {
            let (plane, shift) = (at % PLANES, at / PLANES);
            let row = window.rows[plane][pair + shift];
            *line = match window.arrays[plane][pair + shift] {
                Some(array) => {
                    let from = row * rows.pitch + rows.column;
                    &rows.arrays[array][from..from + len]
                }
                None => rows.made[row].get(len),
            };
        }
        let (lines, ahead) = (&lines[..count], Ahead::default());
        let (outs, past, stage) = (&mut [[low, high]], [None; PLANES], &mut [][..]);
        T::across(Across { taps, lines, outs, ahead, past, stage });
    }
}

/// Filtering pairs of rows.
pub struct Across<'a, 'b, 'c, T> {
    pub(super) taps: &'a Taps<T>,
    /// The lines of the window of all pairs, planes in turn.
    pub(super) lines: &'b [&'b [T]],
    /// The outputs of every pair.
    pub(super) outs: &'b mut [[&'c mut [T]; 2]],
    /// What is read next.
    pub(super) ahead: Ahead<'b, T>,
    /// For both outputs, whether they may go past the caches, and room for them on the way.
    pub(super) past: [Option<&'b Passage>; PLANES],
    pub(super) stage: &'b mut [T],
}

/// Columns of the lines of a pair's taps.
struct Part<'b, 'c, T> {
    lines: &'c [&'b [T]],
    from: usize,
    len: usize,
}

impl<'b, T: Copy> sums::Window<'b, T> for Part<'b, '_, T> {
    #[inline(always)]
    fn values(&self, position: usize) -> &'b [T] {
        &self.lines[position][self.from..self.from + self.len]
    }
}

impl<'a, T: Element> Work<'a, T> for Across<'a, '_, '_, T> {
    fn taps(&self) -> &'a Taps<T> {
        self.taps
    }

    #[inline(always)]
    fn work<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        mut self,
        sums: &Sums<'a, S, T, N, A, C>,
    ) {
        let Some([low, _]) = self.outs.first_mut() else { return };
        let bytes = size_of::<T::Vector<S>>();
        let skew = low.as_ptr().align_offset(bytes);
        let len = low.len();
        if const { N > 0 } && len >= T::lanes::<S>() {
            let (mut lines, outs) = (&self.lines[self.taps.neighbours().0..], self.outs);
            let (whole, rest) = outs.as_chunks_mut::<BATCH>();
            for outs in whole {
                sums.pairs::<BATCH, F>(lines, skew, outs, &mut self.ahead);
                lines = lines.get(PLANES * BATCH..).unwrap_or_default();
            }
            for outs in rest.as_chunks_mut::<1>().0 {
                sums.pairs::<1, F>(lines, skew, outs, &mut self.ahead);
                lines = lines.get(PLANES..).unwrap_or_default();
            }
            return;
        }
        let mut columns = COLUMN_BYTES / size_of::<T>() + skew;
        let mut from = 0;
        while from < len {
            let count = columns.min(len - from);
            for (pair, [low, high]) in self.outs.iter_mut().enumerate() {
                let lines = &self.lines[PLANES * pair..];
                let mut out = Apart([&mut **low, &mut **high]);
                sums.run(Part { lines, from, len: count }, out.part(from, count));
            }
            from += count;
            columns = COLUMN_BYTES / size_of::<T>();
        }
    }
}

/// Rows that go past the caches, or whose vectors are put together to whole lines of the cache. Loops of their own
/// leave those of other rows as short as they are.
pub(super) struct Poured<'a, 'b, 'c, T>(pub(super) Across<'a, 'b, 'c, T>);

impl<T: Element> Across<'_, '_, '_, T> {
    /// Whether rows are such.
    pub(super) fn is_poured(&self) -> bool {
        let Some(outs) = self.outs.first_chunk::<BATCH>() else { return false };
        let passes = self.past[0].is_some() || self.past[1].is_some();
        passes || outs[0][0].len() >= LONG && alike(outs).is_none()
    }
}

impl<'a, T: Element> Work<'a, T> for Poured<'a, '_, '_, T> {
    fn taps(&self) -> &'a Taps<T> {
        self.0.taps
    }

    #[inline(always)]
    fn work<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        self,
        sums: &Sums<'a, S, T, N, A, C>,
    ) {
        let Across { taps, lines, outs, mut ahead, past, stage } = self.0;
        let Some([low, _]) = outs.first_mut() else { return };
        let len = low.len();
        if const { N == 0 } || len < T::lanes::<S>() {
            let past = [None; PLANES];
            return Across { taps, lines, outs, ahead, past, stage }.work::<S, N, A, C, F>(sums);
        }
        let skew = low.as_ptr().align_offset(size_of::<T::Vector<S>>());
        let passes = past[0].is_some() || past[1].is_some();
        let mut lines = &lines[taps.neighbours().0..];
        let (whole, rest) = outs.as_chunks_mut::<BATCH>();
        for outs in whole {
            if const { pours::<S, T>() } {
                match alike(outs) {
                    Some(skew) => sums.pour::<F, false>(lines, skew, outs, past, &mut ahead),
                    None => sums.pour::<F, true>(lines, 0, outs, past, &mut ahead),
                }
            } else if passes {
                let part = Part { lines, from: 0, len };
                part.pass::<S, N, A, C, F>(sums, outs, past, stage, &mut ahead);
            } else {
                sums.pairs::<BATCH, F>(lines, skew, outs, &mut ahead);
            }
            lines = lines.get(PLANES * BATCH..).unwrap_or_default();
        }
        for outs in rest.as_chunks_mut::<1>().0 {
            sums.pairs::<1, F>(lines, skew, outs, &mut ahead);
            lines = lines.get(PLANES..).unwrap_or_default();
        }
    }
}

// Compiled for the instruction set of the work around it, which reaches only what is inlined for certain.
#[allow(clippy::needless_range_loop)]
impl<T: Element> Part<'_, '_, T> {
    /// Filters rows whose outputs go past the caches, some columns at a time.
    #[inline(always)]
    fn pass<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        self,
        sums: &Sums<'_, S, T, N, A, C>,
        outs: &mut [[&mut [T]; 2]; BATCH],
        past: [Option<&Passage>; PLANES],
        stage: &mut [T],
        ahead: &mut Ahead<'_, T>,
    ) {
        let (lines, len) = (&self.lines[..MOST_NEAR.min(self.lines.len())], self.len);
        let lanes = T::lanes::<S>();
        let mut from = 0;
        while from < len {
            // Parts begin where the first row's lines do; the last one has what would be less than a vector.
            let before = phase(&outs[0][0][from..]);
            let mut count = columns::<T>() - before;
            if len - from < count + lanes {
                count = len - from;
            }
            let mut values: [&[T]; MOST_NEAR] = [&[]; MOST_NEAR];
            for line in 0..lines.len() {
                values[line] = lines[line].get(from..from + count).unwrap_or_default();
            }
            let mut made: [[&mut [T]; 2]; BATCH] = Default::default();
            let mut rest = &mut *stage;
            for (made, outs) in made.iter_mut().zip(&mut *outs) {
                for (phase, (made, out)) in made.iter_mut().zip(outs).enumerate() {
                    let room = rest.len().min(columns_room::<T>());
                    let (row, behind) = rest.split_at_mut(room);
                    rest = behind;
                    *made = match past[phase] {
                        Some(_) => &mut row[before..before + count],
                        None => &mut out[from..from + count],
                    };
                }
            }
            let skew = made[0][0].as_ptr().align_offset(size_of::<T::Vector<S>>());
            sums.pairs::<BATCH, F>(&values, skew, &mut made, ahead);
            for (pair, outs) in outs.iter_mut().enumerate() {
                for phase in 0..PLANES {
                    if let Some(passage) = past[phase] {
                        let row = (PLANES * pair + phase) * columns_room::<T>() + before;
                        let to = &mut outs[phase][from..from + count];
                        past_caches(passage, to, &stage[row..row + count]);
                    }
                }
            }
            from += count;
        }
    }
}
