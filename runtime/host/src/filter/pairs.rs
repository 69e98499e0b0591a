//! The inner loop across rows: pairs of outputs whose windows share most of their lines.
//!
//! Vectors are loaded once for all pairs: the window of four pairs with nine taps has 15 lines, which
//! four windows would load 36 times. Sums are made in the order of the lines, whatever the number of
//! pairs.

use super::across::{BATCH, Outer};
use super::along::{Last, count, intersection};
use super::lines::unit;
use super::pour::{Pour, some};
use super::sums::Sums;
use super::taps::PLANES;
use super::vectors::Vectors;
use crate::ahead::fetch;
use crate::element::Element;
use crate::seam::Passage;
use pulp::Simd;
use std::ops::Range;

/// Most lines that four pairs with nine neighbouring taps read.
pub(super) const MOST: usize = 15;

/// Runs of memory that will be read soon. Several in turn come sooner than one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'a, T> {
    pub(super) runs: [&'a [T]; BATCH],
    /// Elements of every run that are asked for at a time.
    pub(super) step: usize,
}

impl<T> Default for Ahead<'_, T> {
    fn default() -> Self {
        Self { runs: [&[]; BATCH], step: 0 }
    }
}

impl<'a, T: Element> Ahead<'a, T> {
    /// The rows of the input that some pairs' rows are, as far as they are neighbours.
    pub(super) fn rows(
        outer: &Outer<'_, T>,
        last: &Last<'_, T>,
        pairs: &Range<i64>,
        input: &[&'a [T]],
    ) -> Self {
        let ends = outer.axis.input();
        let lens = last.lens(last.axis.operation.input());
        let mut ahead = Self::default();
        for (at, run) in ahead.runs.iter_mut().enumerate() {
            // A pair of rows of the signal, or all rows of a band.
            let (bit, len, rows, pairs) = match input {
                [_] => (0, lens[0], PLANES, pairs.start + at as i64..pairs.start + at as i64 + 1),
                _ => (at / PLANES, lens[at % PLANES], 1, pairs.clone()),
            };
            let pairs = intersection(&pairs, &ends.interior(bit));
            if let (Some(array), false) = (input.get(at.min(input.len() - 1)), pairs.is_empty()) {
                let from = ends.index(bit, pairs.start) * len;
                let end = from + rows * count(&pairs) * len;
                *run = &array[from..end.min(array.len())];
            }
        }
        ahead
    }

    /// Asks for everything while all parts of rows are filtered, vector by vector.
    pub(super) fn spread(&mut self, lens: &[usize]) {
        let vectors = lens.iter().map(|len| len.div_ceil(unit::<T>())).sum::<usize>();
        let longest = self.runs.iter().map(|run| run.len()).max().unwrap_or(0);
        self.step = longest.div_ceil(vectors.max(1)).next_multiple_of(unit::<T>());
    }
}

impl<T> Ahead<'_, T> {
    /// What is left after so many vectors.
    pub(super) fn behind(mut self, vectors: usize) -> Self {
        for run in &mut self.runs {
            *run = run.get(vectors * self.step..).unwrap_or_default();
        }
        self
    }

    /// Asks for the next elements.
    #[inline(always)]
    pub(super) fn next(&mut self) {
        for run in &mut self.runs {
            if !run.is_empty() {
                let (next, rest) = run.split_at(self.step.min(run.len()));
                fetch(next);
                *run = rest;
            }
        }
    }
}

/// Does something for every number.
macro_rules! each {
    ($number:ident in [$($value:literal)*] $body:block) => {
        $({
            const $number: usize = $value;
            $body
        })*
    };
}

impl<S: Simd, T: Vectors + Default, const N: usize, const A: usize, const C: usize>
    Sums<'_, S, T, N, A, C>
{
    /// Computes both sums of `B` pairs; `F` of the taps in one sum alone are before the others. Whole
    /// vectors begin `skew` places behind the first.
    #[inline(always)]
    pub(super) fn pairs<const B: usize, const F: usize>(
        &self,
        lines: &[&[T]],
        skew: usize,
        outs: &mut [[&mut [T]; 2]; B],
        ahead: &mut Ahead<'_, T>,
    ) {
        let sums = Self::new(self.simd, self.taps);
        let len = outs[0][0].len();
        let lanes = T::lanes::<S>();
        let skew = if skew < lanes { skew } else { 0 };
        let vectors = (len - skew) / lanes;
        let end = skew + vectors * lanes;
        let ends =
            [(0, usize::from(skew > 0)), (skew, vectors), (len - lanes, usize::from(end < len))];
        for (from, count) in ends {
            sums.stretch::<B, F>(lines, from, count, outs, ahead);
        }
    }

    /// The same for four pairs, outputs past the caches as far as they have leave. `SHIFT` says that whole vectors
    /// do not begin where lines of the cache do.
    #[inline(always)]
    pub(super) fn pour<const F: usize, const SHIFT: bool>(
        &self,
        lines: &[&[T]],
        skew: usize,
        outs: &mut [[&mut [T]; 2]; BATCH],
        past: [Option<&Passage>; 2],
        ahead: &mut Ahead<'_, T>,
    ) {
        let sums = Self::new(self.simd, self.taps);
        let (len, lanes) = (outs[0][0].len(), T::lanes::<S>());
        let skew = skew.min(len);
        let count = (len - skew) / lanes;
        let end = skew + count * lanes;
        if skew > 0 {
            let mut some = Few { simd: self.simd, outs: &mut *outs, places: 0..skew, from: 0 };
            sums.taken::<F>(lines, 0, 1, &mut some, ahead);
        }
        let mut pours = [0; BATCH].map(|_| [0; 2].map(|_| Pour::none(self.simd)));
        for (pours, outs) in pours.iter_mut().zip(&mut *outs) {
            for (phase, (pour, out)) in pours.iter_mut().zip(outs).enumerate() {
                *pour = Pour::new::<SHIFT>(self.simd, &mut out[skew..end], past[phase]);
            }
        }
        let mut pours = Pours::<S, T, SHIFT>(pours);
        sums.taken::<F>(lines, skew, count, &mut pours, ahead);
        for pour in pours.0.into_iter().flatten() {
            pour.end();
        }
        if end < len {
            let from = lanes - (len - end);
            let mut some = Few { simd: self.simd, outs, places: end..len, from };
            sums.taken::<F>(lines, len - lanes, 1, &mut some, ahead);
        }
    }

    /// Neighbouring vectors.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn stretch<const B: usize, const F: usize>(
        &self,
        lines: &[&[T]],
        from: usize,
        count: usize,
        outs: &mut [[&mut [T]; 2]; B],
        ahead: &mut Ahead<'_, T>,
    ) {
        if count == 0 {
            return;
        }
        let len = count * T::lanes::<S>();
        let mut values: [&[T::Vector<S>]; MOST] = [&[]; MOST];
        each!(LINE in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14] {
            if LINE < PLANES * (B - 1) + N + A {
                values[LINE] = &T::vectors::<S>(&lines[LINE][from..from + len])[..count];
            }
        });
        let mut places: [[&mut [T::Vector<S>]; 2]; BATCH] = Default::default();
        let mut rest = outs.iter_mut();
        each!(PAIR in [0 1 2 3] {
            if let Some([low, high]) = rest.next() {
                places[PAIR] = [
                    &mut T::vectors_mut::<S>(&mut low[from..from + len])[..count],
                    &mut T::vectors_mut::<S>(&mut high[from..from + len])[..count],
                ];
            }
        });
        for at in 0..count {
            let sums = self.window::<B, F>(&values, at);
            each!(PAIR in [0 1 2 3] {
                if PAIR < B {
                    [places[PAIR][0][at], places[PAIR][1][at]] = sums[PAIR];
                }
            });
            ahead.next();
        }
    }

    /// The sums of a vector of columns.
    #[inline(always)]
    fn window<const B: usize, const F: usize>(
        &self,
        values: &[&[T::Vector<S>]; MOST],
        at: usize,
    ) -> [[T::Vector<S>; 2]; BATCH] {
        let mut sums = [[T::splat(self.simd, T::default()); 2]; BATCH];
        each!(LINE in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14] {
            if LINE < PLANES * (B - 1) + N + A {
                let value = values[LINE][at];
                each!(PAIR in [0 1 2 3] {
                    if PAIR < B {
                        self.add::<F>(LINE, PAIR, value, &mut sums[PAIR]);
                    }
                });
            }
        });
        sums
    }

    /// Neighbouring vectors of four pairs, to what takes them.
    #[inline(always)]
    fn taken<const F: usize>(
        &self,
        lines: &[&[T]],
        from: usize,
        count: usize,
        to: &mut impl Takes<S, T>,
        ahead: &mut Ahead<'_, T>,
    ) {
        let len = count * T::lanes::<S>();
        let mut values: [&[T::Vector<S>]; MOST] = [&[]; MOST];
        each!(LINE in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14] {
            if LINE < PLANES * (BATCH - 1) + N + A {
                values[LINE] = &T::vectors::<S>(&lines[LINE][from..from + len])[..count];
            }
        });
        for at in 0..count {
            to.take(at, self.window::<BATCH, F>(&values, at));
            ahead.next();
        }
    }

    /// Adds the products of a pair's tap at a line of the window.
    #[inline(always)]
    fn add<const F: usize>(
        &self,
        line: usize,
        pair: usize,
        value: T::Vector<S>,
        sums: &mut [T::Vector<S>; 2],
    ) {
        let tap = line.wrapping_sub(PLANES * pair);
        if tap >= F && tap < F + N {
            let [low, high] = self.both[tap - F];
            sums[0] = T::mul_add(self.simd, low, value, sums[0]);
            sums[1] = T::mul_add(self.simd, high, value, sums[1]);
        } else if tap < N + A {
            let factor = self.alone[if tap < F { tap } else { tap - N }];
            sums[C] = T::mul_add(self.simd, factor, value, sums[C]);
        }
    }
}

/// What takes vectors of sums, pair by pair.
trait Takes<S: Simd, T: Vectors> {
    /// Vectors of number `at`.
    fn take(&mut self, at: usize, sums: [[T::Vector<S>; 2]; BATCH]);
}

/// Rows on their way past the caches.
struct Pours<'a, S: Simd, T: Vectors, const SHIFT: bool>([[Pour<'a, S, T>; 2]; BATCH]);

impl<S: Simd, T: Vectors, const SHIFT: bool> Takes<S, T> for Pours<'_, S, T, SHIFT> {
    #[inline(always)]
    fn take(&mut self, at: usize, sums: [[T::Vector<S>; 2]; BATCH]) {
        each!(PAIR in [0 1 2 3] {
            let [low, high] = &mut self.0[PAIR];
            low.put::<SHIFT>(at, sums[PAIR][0]);
            high.put::<SHIFT>(at, sums[PAIR][1]);
        });
    }
}

/// Some places of rows, which the values of a vector from one on belong to.
struct Few<'a, 'b, S, T> {
    simd: S,
    outs: &'a mut [[&'b mut [T]; 2]; BATCH],
    places: Range<usize>,
    from: usize,
}

impl<S: Simd, T: Vectors> Takes<S, T> for Few<'_, '_, S, T> {
    #[inline(always)]
    fn take(&mut self, _at: usize, sums: [[T::Vector<S>; 2]; BATCH]) {
        for (outs, sums) in self.outs.iter_mut().zip(sums) {
            for (out, sum) in outs.iter_mut().zip(sums) {
                some(self.simd, &mut out[self.places.clone()], sum, self.from);
            }
        }
    }
}
