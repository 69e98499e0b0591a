//! Two axes at once, by stages: rows pass through the stages of the outer axis as they come, and each
//! passes along before or behind.
//!
//! What the outer axis needs of rows before is kept where stages delay it: there is no ring. Rounded
//! stages of two axes must follow each other in the order of the transform.

use super::across::Outer;
use super::along::{Along, Last, Strip};
use super::fall::{FALL, Fall, state};
use super::row::{Arrays, Lone, Row, Rows, Samples, Step};
use super::share::Target;
use super::store::{ALIGNMENT, Store};
use super::strips::MOST_STRIPS;
use super::taps::PLANES;
use crate::element::Element;
use crate::execute::line::add_weighted;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Rows of a batch.
const ROWS: usize = PLANES * FALL;

/// The two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) last: Last<'a, T>,
    /// Whether the outer axis comes first.
    pub(super) outer_first: bool,
}

/// Rows in a list.
struct Listed<'a, 'b, T> {
    rows: &'b mut [Option<Step<'a, T>>],
    at: usize,
}

impl<T> Rows<T> for Listed<'_, '_, T> {
    fn next(&mut self) -> Option<Step<'_, T>> {
        while let Some(row) = self.rows.get_mut(self.at) {
            self.at += 1;
            if row.is_some() {
                return row.take();
            }
        }
        None
    }
}

/// The rows of an array that is written, taken in ascending order.
#[derive(Default)]
struct Taken<'b, T> {
    rest: &'b mut [T],
    /// Index of the first row left.
    next: usize,
}

impl<'b, T> Taken<'b, T> {
    fn row(&mut self, index: usize, len: usize) -> &'b mut [T] {
        let rest = std::mem::take(&mut self.rest);
        let (row, rest) = rest[(index - self.next) * len..].split_at_mut(len);
        (self.rest, self.next) = (rest, index + 1);
        row
    }
}

/// Finds the largest magnitude of integers, if it is asked for.
fn examine<T: Element>(examined: &mut Option<u64>, values: &[T]) {
    if let Some(largest) = examined {
        *largest = (*largest).max(T::largest(values));
    }
}

impl<'a, T: Element> Staged<'a, T> {
    /// Elements of the parts of rows on a side of the last axis, and how many parts there are.
    fn parts(&self, side: Side) -> ([usize; PLANES], usize) {
        (self.last.lens(side), if side == Side::Signal { 1 } else { PLANES })
    }

    /// The side on which rows pass across.
    fn across(&self) -> Side {
        let operation = self.last.axis.operation;
        if self.outer_first { operation.input() } else { operation.output() }
    }

    /// Elements before the second part of a row between the axes.
    fn second(&self) -> usize {
        self.last.lens(Side::Bands)[0].next_multiple_of(ALIGNMENT / T::KIND.bytes())
    }

    /// Elements from a row between the axes to the next: an odd number of lines of the cache.
    fn pitch(&self) -> usize {
        let unit = ALIGNMENT / T::KIND.bytes();
        let bands = self.second() + self.last.lens(Side::Bands)[1];
        let row = bands.max(self.last.lens(Side::Signal)[0]);
        (row.div_ceil(unit) | 1) * unit
    }

    /// Grows a store.
    pub(super) fn provide(&self, store: &mut Store<T>) {
        let pitch = self.pitch();
        store.provide(self.last.filter.reach(), 0, ROWS * pitch, ROWS * pitch);
        let (lens, parts) = self.parts(self.across());
        let Some(cascade) = &self.outer.filter.cascade else { return };
        for (line, len) in store.state.iter_mut().zip(lens).take(parts) {
            line.provide(state(cascade, len));
        }
    }

    /// Filters pairs of the outer axis.
    pub(super) fn run(
        &self,
        pairs: &Range<i64>,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        if pairs.is_empty() {
            return;
        }
        let filter = self.outer.filter;
        for line in &mut store.state {
            line.all_mut().fill(T::default());
        }
        let step = FALL as i64;
        let begin = pairs.start + filter.low;
        let first = pairs.start + filter.high;
        let mut at = begin;
        while at < first {
            let next = (at + step).min(first);
            self.batch(&(at..next), false, input, target, store);
            at = next;
        }
        let end = pairs.end + filter.high;
        while at < end {
            let next = (at + step).min(end);
            self.batch(&(at..next), true, input, target, store);
            at = next;
        }
    }

    /// Pairs that enter. Their outputs have places, or are not wanted.
    fn batch(
        &self,
        entering: &Range<i64>,
        wanted: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        if self.outer_first {
            self.outer_first(entering, wanted, input, target, store);
        } else {
            self.last_first(entering, wanted, input, target, store);
        }
    }

    fn outer_first(
        &self,
        entering: &Range<i64>,
        wanted: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let Some(cascade) = &self.outer.filter.cascade else { return };
        let count = (entering.end - entering.start) as usize;
        let (pitch, second) = (self.pitch(), self.second());
        let (lens, parts) = self.parts(self.across());
        let Store { ring, sum, state, planes, spare, examined, .. } = store;
        let between = ring.get_mut(ROWS * pitch);
        for (part, len) in lens.into_iter().enumerate().take(parts) {
            let made = sum.get_mut(ROWS * pitch);
            for (row, made) in made.chunks_exact_mut(pitch).enumerate().take(PLANES * count) {
                let (bit, k) = (row % PLANES, entering.start + (row / PLANES) as i64);
                if self.outer.lone(bit, k).is_none() {
                    let made = &mut made[..len];
                    made.fill(T::default());
                    for place in self.outer.axis.loads(bit, &(k..k + 1)).iter() {
                        let Some(place) = place.place else { continue };
                        let row = self.row((place.bit, place.index), part, len, input);
                        add_weighted(made, row, place.weight);
                    }
                }
            }
            let made = sum.get(ROWS * pitch);
            let mut lines: [[&[T]; PLANES]; FALL] = [[&[]; PLANES]; FALL];
            for (index, line) in lines.iter_mut().enumerate().take(count) {
                for (bit, line) in line.iter_mut().enumerate() {
                    *line = match self.outer.lone(bit, entering.start + index as i64) {
                        Some(place) => {
                            let row = self.row(place, part, len, input);
                            examine(examined, row);
                            row
                        }
                        None => &made[(PLANES * index + bit) * pitch..][..len],
                    };
                }
            }
            let mut outs: [[&mut [T]; PLANES]; FALL] = Default::default();
            let from = part * second;
            let mut rows = between.chunks_exact_mut(pitch);
            for (out, row) in outs.iter_mut().flatten().zip(&mut rows) {
                *out = &mut row[from..from + len];
            }
            let outs = if wanted { &mut outs[..count] } else { &mut outs[..0] };
            let state = state[part].all_mut();
            T::fall(Fall { cascade, state, skew: 0, lines: &lines[..count], outs });
        }
        if !wanted {
            return;
        }
        let between = ring.get(ROWS * pitch);
        let last = self.last;
        let mut all = last.strips(&last.axis.pairs);
        while let Some(strips) = Self::next(&mut all) {
            let places = self.places(entering, target);
            let mut list: [Option<Step<'_, T>>; ROWS] = Default::default();
            for ((step, place), row) in
                list.iter_mut().zip(places).zip(between.chunks_exact(pitch)).take(PLANES * count)
            {
                let Some(arrays) = place else { continue };
                let from = (parts - 1) * second;
                let input = [&row[..lens[0]], &row[from..from + lens[1]]];
                *step = Some(self.step(input, arrays));
            }
            let rows = &mut Listed { rows: &mut list, at: 0 };
            let (planes, spare) = (&mut *planes, &mut *spare);
            T::along(Along { last, strips: &strips, rows, planes, spare });
        }
    }

    fn last_first(
        &self,
        entering: &Range<i64>,
        wanted: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let Some(cascade) = &self.outer.filter.cascade else { return };
        let count = (entering.end - entering.start) as usize;
        let (pitch, second) = (self.pitch(), self.second());
        let (lens, parts) = self.parts(self.across());
        let Store { ring, sum, state, planes, spare, examined, .. } = store;
        let between = ring.get_mut(ROWS * pitch);
        let rows = |row: usize| (row % PLANES, entering.start + (row / PLANES) as i64);
        for row in 0..PLANES * count {
            let (bit, k) = rows(row);
            if let (Some(_), Some(place)) = (&examined, self.outer.lone(bit, k)) {
                let (_, parts) = self.parts(self.last.axis.operation.input());
                self.rows(place, input)[..parts].iter().for_each(|row| examine(examined, row));
            }
        }
        let last = self.last;
        let mut all = last.strips(&last.axis.pairs);
        while let Some(strips) = Self::next(&mut all) {
            let rest = between.chunks_exact_mut(pitch).take(PLANES * count);
            let mut list: [Option<Step<'_, T>>; ROWS] = Default::default();
            for (row, (step, line)) in list.iter_mut().zip(rest).enumerate() {
                let (bit, k) = rows(row);
                if let Some(place) = self.outer.lone(bit, k) {
                    *step = Some(self.step(self.rows(place, input), self.split(line)));
                }
            }
            let rows = &mut Listed { rows: &mut list, at: 0 };
            let (planes, spare) = (&mut *planes, &mut *spare);
            T::along(Along { last, strips: &strips, rows, planes, spare });
        }
        for (row, line) in between.chunks_exact_mut(pitch).enumerate().take(PLANES * count) {
            let (bit, k) = rows(row);
            if self.outer.lone(bit, k).is_some() {
                continue;
            }
            line.fill(T::default());
            for place in self.outer.axis.loads(bit, &(k..k + 1)).iter() {
                let Some(place) = place.place else { continue };
                let made = sum.get_mut(pitch);
                made.fill(T::default());
                let input = self.rows((place.bit, place.index), input);
                for strip in last.strips(&last.axis.pairs) {
                    let rows = &mut Lone(Some(self.step(input, self.split(&mut *made))));
                    let (strips, planes) = (&[Some(strip)][..], &mut *planes);
                    T::along(Along { last, strips, rows, planes, spare: &mut *spare });
                }
                add_weighted(line, made, place.weight);
            }
        }
        let between = ring.get(ROWS * pitch);
        for (part, len) in lens.into_iter().enumerate().take(parts) {
            let from = part * second;
            let mut lines: [[&[T]; PLANES]; FALL] = [[&[]; PLANES]; FALL];
            for (line, row) in lines.iter_mut().flatten().zip(between.chunks_exact(pitch)) {
                *line = &row[from..from + len];
            }
            let mut outs: [[&mut [T]; PLANES]; FALL] = Default::default();
            let nowhere = sum.get_mut(ROWS * pitch).chunks_exact_mut(pitch);
            let mut skew = 0;
            if let Some(array) = target.arrays.get(part) {
                skew = array.as_ptr().align_offset(ALIGNMENT);
            }
            let places = match wanted {
                true => self.places(entering, target),
                false => Default::default(),
            };
            for ((out, place), nowhere) in outs.iter_mut().flatten().zip(places).zip(nowhere) {
                *out = match place {
                    Some(Arrays::Signal(row)) => row,
                    Some(Arrays::Bands([low, high])) => [low, high][part],
                    None => &mut nowhere[..len],
                };
            }
            let outs = if wanted { &mut outs[..count] } else { &mut outs[..0] };
            let state = state[part].all_mut();
            T::fall(Fall { cascade, state, skew, lines: &lines[..count], outs });
        }
    }

    /// The places of the outputs of pairs that enter, phases in turn, as far as they have any.
    fn places<'b>(
        &self,
        entering: &Range<i64>,
        target: &'b mut Target<'_, '_, T>,
    ) -> [Option<Arrays<'b, T>>; ROWS] {
        let ends = self.outer.axis.output();
        let side = self.last.axis.operation.output();
        let lens = self.last.lens(side);
        let first = target.first;
        let mut taken: [Taken<'b, T>; 2 * PLANES] = Default::default();
        for (at, (taken, array)) in taken.iter_mut().zip(target.arrays.iter_mut()).enumerate() {
            *taken = Taken { rest: array, next: first[at / PLANES] };
        }
        let mut places: [Option<Arrays<'b, T>>; ROWS] = Default::default();
        let high = self.outer.filter.high;
        for (row, place) in places.iter_mut().enumerate() {
            let (phase, k) = (row % PLANES, entering.start + (row / PLANES) as i64);
            let k = k - high;
            if k >= entering.end - high || !ends.interior(phase).contains(&k) {
                continue;
            }
            let index = ends.index(phase, k);
            *place = Some(match side {
                Side::Signal => Arrays::Signal(taken[0].row(index, lens[0])),
                Side::Bands => {
                    let [low, high] = [0, 1].map(|part| PLANES * phase + part);
                    Arrays::Bands([taken[low].row(index, lens[0]), taken[high].row(index, lens[1])])
                }
            });
        }
        places
    }

    /// A row of a part of the input.
    fn row<'b>(
        &self,
        (bit, index): (usize, usize),
        part: usize,
        len: usize,
        input: &[&'b [T]],
    ) -> &'b [T] {
        let array = if input.len() == 1 { 0 } else { PLANES * bit + part };
        &input[array][index * len..(index + 1) * len]
    }

    /// All parts of a row of the input.
    fn rows<'b>(&self, place: (usize, usize), input: &[&'b [T]]) -> [&'b [T]; PLANES] {
        let (lens, parts) = self.parts(self.last.axis.operation.input());
        [0, parts - 1].map(|part| self.row(place, part, lens[part], input))
    }

    /// A row between the axes as the last one's outputs.
    fn split<'b>(&self, row: &'b mut [T]) -> Arrays<'b, T> {
        let side = self.last.axis.operation.output();
        let lens = self.last.lens(side);
        if side == Side::Signal {
            return Arrays::Signal(&mut row[..lens[0]]);
        }
        let (low, high) = row.split_at_mut(self.second());
        Arrays::Bands([&mut low[..lens[0]], &mut high[..lens[1]]])
    }

    fn step<'b>(&self, input: [&'b [T]; PLANES], arrays: Arrays<'b, T>) -> Step<'b, T> {
        let row = Row { arrays, origin: self.last.origin() };
        Step { input: input.map(Samples::whole), ahead: Samples::none(), row }
    }

    /// The next strips along the last axis.
    fn next<'s>(
        strips: &mut impl Iterator<Item = Strip<'s>>,
    ) -> Option<[Option<Strip<'s>>; MOST_STRIPS]> {
        let mut some = [Some(strips.next()?), None, None, None];
        for (strip, next) in some[1..].iter_mut().zip(strips) {
            *strip = Some(next);
        }
        Some(some)
    }
}
