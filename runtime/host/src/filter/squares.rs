//! Sums of two samples along both of two axes: four samples and the four outputs that they make stay in
//! registers, and no ring of lines lies between the axes.

use super::along::{count, intersection};
use super::exchange::Halves;
use super::lines::unit;
use super::planar::Planar;
use super::share::Target;
use super::sums::in_pairs;
use super::taps::{PLANES, Taps};
use super::vectors::Vectors;
use crate::element::Element;
use crate::ends::Ends;
use pulp::{Simd, WithSimd};
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bands of two axes: the outer phase counts twice.
const BANDS: usize = PLANES * PLANES;

/// Pairs of rows on their way.
pub struct Squares<'a, 'b, 'c, T> {
    taps: &'a Taps<T>,
    /// Pairs of a row.
    width: usize,
    rows: usize,
    /// From the first row on: a signal, or its bands.
    input: [&'b [T]; BANDS],
    /// Bands, or a signal.
    output: [&'c mut [T]; BANDS],
    joined: bool,
}

/// Factors of both samples in both sums, in registers.
struct Factors<S: Simd, T: Vectors>([[T::Vector<S>; PLANES]; PLANES]);

impl<S: Simd, T: Vectors + Default> Factors<S, T> {
    /// Both sums of two samples, in the order of all sums.
    #[inline(always)]
    fn sums(&self, simd: S, values: [T::Vector<S>; PLANES]) -> [T::Vector<S>; PLANES] {
        let zero = T::splat(simd, T::default());
        let [first, second] = values;
        [
            T::mul_add(simd, self.0[1][0], second, T::mul_add(simd, self.0[0][0], first, zero)),
            T::mul_add(simd, self.0[1][1], second, T::mul_add(simd, self.0[0][1], first, zero)),
        ]
    }

    /// The same along the last axis, then across.
    #[inline(always)]
    fn squares(
        &self,
        simd: S,
        lines: [[T::Vector<S>; PLANES]; PLANES],
    ) -> [[T::Vector<S>; PLANES]; PLANES] {
        let [first, second] = [self.sums(simd, lines[0]), self.sums(simd, lines[1])];
        let low = self.sums(simd, [first[0], second[0]]);
        let high = self.sums(simd, [first[1], second[1]]);
        [[low[0], high[0]], [low[1], high[1]]]
    }
}

impl<T: Vectors + Default> WithSimd for Squares<'_, '_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { taps, width, rows, input, output, joined } = self;
        let factors = [taps.factors(0), taps.factors(1)];
        let factors = Factors::<S, T>([
            [T::splat(simd, factors[0][0]), T::splat(simd, factors[0][1])],
            [T::splat(simd, factors[1][0]), T::splat(simd, factors[1][1])],
        ]);
        let [low, lh, hl, hh] = output;
        let mut row = 0;
        while row < rows {
            let (begin, both) = (row * width, 2 * row * PLANES * width);
            if joined {
                let from = begin..begin + width;
                let [ll, lh, hl, hh] = input;
                let bands = [&ll[from.clone()], &lh[from.clone()], &hl[from.clone()], &hh[from]];
                let (first, second) = low[both..both + 2 * PLANES * width].split_at_mut(2 * width);
                factors.join(simd, bands, [first, second]);
            } else {
                let (first, second) = input[0][both..both + 2 * PLANES * width].split_at(2 * width);
                let to = begin..begin + width;
                let bands =
                    [&mut low[to.clone()], &mut lh[to.clone()], &mut hl[to.clone()], &mut hh[to]];
                factors.split(simd, [first, second], bands);
            }
            row += 1;
        }
    }
}

// Compiled for the instruction set of the work around it, which reaches only what is inlined for certain.
impl<S: Simd, T: Vectors + Default> Factors<S, T> {
    /// Two rows of a signal become a row of every band.
    #[inline(always)]
    fn split(&self, simd: S, rows: [&[T]; PLANES], bands: [&mut [T]; BANDS]) {
        let halves = Halves::<S, T>::new(simd);
        let (width, lanes) = (bands[0].len(), T::lanes::<S>());
        let [ll, lh, hl, hh] = bands;
        let skew = ll.as_ptr().align_offset(size_of::<T::Vector<S>>());
        let mut place = Places { width, lanes, skew, next: 0 };
        while let Some(at) = place.next() {
            let [a, b] = [&rows[0][2 * at..2 * (at + lanes)], &rows[1][2 * at..2 * (at + lanes)]];
            let (a, b) = (T::vectors::<S>(a), T::vectors::<S>(b));
            let lines = [halves.split([a[0], a[1]]), halves.split([b[0], b[1]])];
            let [low, high] = self.squares(simd, lines);
            T::vectors_mut::<S>(&mut ll[at..at + lanes])[0] = low[0];
            T::vectors_mut::<S>(&mut lh[at..at + lanes])[0] = low[1];
            T::vectors_mut::<S>(&mut hl[at..at + lanes])[0] = high[0];
            T::vectors_mut::<S>(&mut hh[at..at + lanes])[0] = high[1];
        }
    }

    /// A row of every band becomes two rows of a signal.
    #[inline(always)]
    fn join(&self, simd: S, bands: [&[T]; BANDS], rows: [&mut [T]; PLANES]) {
        let (width, lanes) = (bands[0].len(), T::lanes::<S>());
        let [first, second] = rows;
        let skew = in_pairs(first.as_ptr().align_offset(size_of::<T::Vector<S>>()));
        let mut place = Places { width, lanes, skew, next: 0 };
        while let Some(at) = place.next() {
            let [ll, lh, hl, hh] = bands;
            let lines = [
                [T::vectors::<S>(&ll[at..at + lanes])[0], T::vectors::<S>(&lh[at..at + lanes])[0]],
                [T::vectors::<S>(&hl[at..at + lanes])[0], T::vectors::<S>(&hh[at..at + lanes])[0]],
            ];
            let [even, odd] = self.squares(simd, lines);
            let pairs = T::vectors_mut::<S>(&mut first[2 * at..2 * (at + lanes)]);
            [pairs[0], pairs[1]] = T::merge::<S>(even);
            let pairs = T::vectors_mut::<S>(&mut second[2 * at..2 * (at + lanes)]);
            [pairs[0], pairs[1]] = T::merge::<S>(odd);
        }
    }
}

/// Where vectors of a row begin: such as lie well, and at the ends such as share some places with these.
struct Places {
    width: usize,
    lanes: usize,
    skew: usize,
    next: usize,
}

impl Places {
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let at = self.next;
        if at >= self.width {
            return None;
        }
        self.next = if at == 0 && (1..self.lanes).contains(&self.skew) {
            self.skew
        } else {
            at + self.lanes
        };
        Some(at.min(self.width - self.lanes))
    }
}

impl<'a, T: Element> Planar<'a, T> {
    /// The pairs of the outer axis, among some, whose squares are read and written where they lie. Empty, if
    /// sums are of more than two samples, rows are not whole pairs or shorter than a line of the cache, outputs are
    /// added to others, or go past the caches.
    pub(super) fn squares(&self, pairs: &Range<i64>) -> Range<i64> {
        let (filter, last) = (self.outer.filter, self.last);
        let two = filter.has_taps()
            && (filter.low, filter.high) == (0, 0)
            && (filter.taps.both(), filter.taps.neighbours()) == (PLANES, (0, Some(0)))
            && filter.taps.count() == PLANES;
        let both = |ends: Ends<'_>| intersection(&ends.interior(0), &ends.interior(1));
        let whole =
            |ends: Ends<'_>| [0, 1].iter().all(|bit| ends.interior(*bit) == last.axis.pairs);
        let rows =
            last.axis.folds.is_empty() && whole(last.axis.input()) && whole(last.axis.output());
        let apart = last.axis.operation.input() != last.axis.operation.output();
        let wide = count(&last.axis.pairs) >= unit::<T>();
        let near = (0..BANDS).all(|channel| self.leave.of(channel).is_none());
        if !(two && rows && apart && wide && near) {
            return pairs.start..pairs.start;
        }
        let axis = self.outer.axis;
        let placed = intersection(&both(axis.input()), &both(axis.output()));
        intersection(pairs, &placed)
    }

    /// Filters such pairs.
    pub(super) fn square(
        &self,
        pairs: &Range<i64>,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
    ) {
        let (width, rows) = (count(&self.last.axis.pairs), count(pairs));
        let joined = self.last.axis.operation.output() == Side::Signal;
        let (from, to) = (self.outer.axis.input(), self.outer.axis.output());
        let row = |side: Side| if side == Side::Signal { PLANES * width } else { width };
        let mut read: [&[T]; BANDS] = Default::default();
        for (channel, (read, array)) in read.iter_mut().zip(input).enumerate() {
            let first = from.index(channel / PLANES, pairs.start);
            *read = &array[first * row(self.last.axis.operation.input())..];
        }
        let mut output: [&mut [T]; BANDS] = Default::default();
        for (channel, (output, array)) in output.iter_mut().zip(&mut *target.arrays).enumerate() {
            let phase = channel / PLANES;
            let first = to.index(phase, pairs.start) - target.first[phase];
            *output = &mut array[first * row(self.last.axis.operation.output())..];
        }
        let taps = &self.outer.filter.taps;
        T::squares(Squares { taps, width, rows, input: read, output, joined });
    }
}
