//! Rows from end to end through stages along the last axis: vectors of pairs on a grid, and what stands
//! beyond the ends in short planes of its own.

use super::along::Last;
use super::cascade::{Cascade, MOST_STAGES};
use super::grid::{Frame, Grid, Window};
use super::known::{Analysis, Any, Known, Stages, Synthesis};
use super::pass::pass;
use super::row::Arrays;
use super::store::Line;
use super::taps::PLANES;
use crate::element::Element;
use crate::execute::edges::Edge;
use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Vectors of both planes that pass together.
const BLOCK: usize = 4;

/// A row on its way along the last axis.
pub struct Course<'r, T> {
    /// A signal, or two bands.
    pub(super) input: [&'r [T]; PLANES],
    pub(super) output: Arrays<'r, T>,
}

/// Rows that pass one after the other.
pub struct Courses<'a, 'b, 'r, T> {
    pub(super) last: Last<'a, T>,
    pub(super) cascade: &'a Cascade<T>,
    pub(super) rows: &'b mut [Option<Course<'r, T>>],
    /// Room for what stands at the ends: more than all windows of a row.
    pub(super) planes: &'b mut [Line<T>; PLANES],
    /// A bound of the magnitude of integers that were read, if they are examined.
    pub(super) examined: &'b mut Option<u64>,
}

impl<T: Element> WithSimd for Courses<'_, '_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if const { !T::ROUNDS } {
            return self.rows::<S, Any, false>(simd);
        }
        match (self.cascade.known, self.examined.is_some()) {
            (Some(Stages::Analysis), true) => self.rows::<S, Analysis, true>(simd),
            (Some(Stages::Analysis), false) => self.rows::<S, Analysis, false>(simd),
            (Some(Stages::Synthesis), true) => self.rows::<S, Synthesis, true>(simd),
            (Some(Stages::Synthesis), false) => self.rows::<S, Synthesis, false>(simd),
            (None, _) => self.rows::<S, Any, true>(simd),
        }
    }
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop)]
impl<T: Element> Courses<'_, '_, '_, T> {
    #[inline(always)]
    fn rows<S: Simd, K: Known, const WATCH: bool>(self, simd: S) {
        let Self { last, cascade, rows, planes, examined } = self;
        let frame = Frame::new(&last);
        let [even, odd] = planes;
        let (even, odd) = (even.all_mut(), odd.all_mut());
        let zero = T::splat(simd, T::default());
        let (behind, seen) = ([zero; MOST_STAGES], zero);
        let mut flow =
            Flow::<S, T, WATCH> { simd, cascade, frame: &frame, planes: [even, odd], behind, seen };
        let bytes = size_of::<T::Vector<S>>();
        // Rows of one phase lie alike.
        let mut grids = [frame.grid(T::lanes::<S>(), 0), frame.grid(T::lanes::<S>(), 0)];
        for at in 0..rows.len() {
            let Some(Course { input, output }) = &mut rows[at] else { continue };
            let first = match output {
                Arrays::Signal(signal) => &signal[..],
                Arrays::Bands([low, _]) => &low[..],
            };
            let skew = frame.skew(first, bytes);
            let grid = &mut grids[at % PLANES];
            if skew != grid.skew {
                *grid = frame.grid(T::lanes::<S>(), skew);
            }
            match output {
                Arrays::Signal(signal) => {
                    flow.row::<K, true>(grid, *input, [&mut **signal, &mut []]);
                }
                Arrays::Bands([low, high]) => {
                    flow.row::<K, false>(grid, *input, [&mut **low, &mut **high]);
                }
            }
        }
        if let Some(largest) = examined {
            *largest = (*largest).max(T::reached::<S>(flow.seen));
        }
    }
}

/// Stages along rows; `WATCH` says that integers are examined.
struct Flow<'a, 'b, S: Simd, T: Element, const WATCH: bool> {
    simd: S,
    cascade: &'a Cascade<T>,
    frame: &'b Frame<'a>,
    /// Both windows at the ends of a row, one in each half.
    planes: [&'b mut [T]; PLANES],
    /// Per stage: the last vector of what it delays.
    behind: [T::Vector<S>; MOST_STAGES],
    /// See [`super::vectors::Vectors::watch`].
    seen: T::Vector<S>,
}

#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Element, const WATCH: bool> Flow<'_, '_, S, T, WATCH> {
    /// A row; `JOINED` says that outputs are those of a signal.
    #[inline(always)]
    fn row<K: Known, const JOINED: bool>(
        &mut self,
        grid: &Grid<'_>,
        input: [&[T]; PLANES],
        mut output: [&mut [T]; PLANES],
    ) {
        let windows = [&grid.head, &grid.tail];
        for end in 0..2 {
            self.end::<K, JOINED>(windows[end], end, input, &mut output);
            if end == 0 {
                self.middle::<K, JOINED>(&grid.middle, input, &mut output);
            }
        }
    }

    #[inline(always)]
    fn pass<K: Known, const B: usize>(
        &mut self,
        values: [[T::Vector<S>; B]; PLANES],
    ) -> [[T::Vector<S>; B]; PLANES] {
        if WATCH {
            for v in 0..B {
                self.seen = T::watch(self.simd, self.seen, values[0][v]);
                self.seen = T::watch(self.simd, self.seen, values[1][v]);
            }
        }
        pass::<S, T, K, B, false>(self.simd, self.cascade, &mut self.behind, values)
    }

    /// Whole vectors that read elements alone.
    #[inline(always)]
    fn middle<K: Known, const JOINED: bool>(
        &mut self,
        pairs: &Range<i64>,
        input: [&[T]; PLANES],
        output: &mut [&mut [T]; PLANES],
    ) {
        let len = (pairs.end - pairs.start) as usize;
        if len == 0 {
            return;
        }
        let count = len / T::lanes::<S>();
        let from = self.frame.from(pairs.start + self.frame.high);
        let to = self.frame.place(pairs.start);
        let [first, second] = output;
        let mut at = 0;
        if JOINED {
            let even = &T::vectors::<S>(&input[0][from[0]..from[0] + len])[..count];
            let odd = &T::vectors::<S>(&input[1][from[1]..from[1] + len])[..count];
            let pairs = T::vectors_mut::<S>(&mut first[to[0]..to[0] + 2 * len]);
            let pairs = &mut pairs[..2 * count];
            while at + BLOCK <= count {
                self.joined::<K, BLOCK>(&even[at..], &odd[at..], &mut pairs[2 * at..]);
                at += BLOCK;
            }
            while at < count {
                self.joined::<K, 1>(&even[at..], &odd[at..], &mut pairs[2 * at..]);
                at += 1;
            }
        } else {
            let pairs = &T::vectors::<S>(&input[0][from[0]..from[0] + 2 * len])[..2 * count];
            let low = &mut T::vectors_mut::<S>(&mut first[to[0]..to[0] + len])[..count];
            let high = &mut T::vectors_mut::<S>(&mut second[to[1]..to[1] + len])[..count];
            while at + BLOCK <= count {
                self.apart::<K, BLOCK>(&pairs[2 * at..], &mut low[at..], &mut high[at..]);
                at += BLOCK;
            }
            while at < count {
                self.apart::<K, 1>(&pairs[2 * at..], &mut low[at..], &mut high[at..]);
                at += 1;
            }
        }
    }

    /// Vectors of bands, to those of a signal.
    #[inline(always)]
    fn joined<K: Known, const B: usize>(
        &mut self,
        even: &[T::Vector<S>],
        odd: &[T::Vector<S>],
        pairs: &mut [T::Vector<S>],
    ) {
        let (even, odd, pairs) = (&even[..B], &odd[..B], &mut pairs[..2 * B]);
        let mut values = [[even[0]; B]; PLANES];
        for v in 0..B {
            [values[0][v], values[1][v]] = [even[v], odd[v]];
        }
        let [even, odd] = self.pass::<K, B>(values);
        for v in 0..B {
            [pairs[2 * v], pairs[2 * v + 1]] = T::merge::<S>([even[v], odd[v]]);
        }
    }

    /// Vectors of a signal, to those of bands.
    #[inline(always)]
    fn apart<K: Known, const B: usize>(
        &mut self,
        pairs: &[T::Vector<S>],
        low: &mut [T::Vector<S>],
        high: &mut [T::Vector<S>],
    ) {
        let (pairs, low, high) = (&pairs[..2 * B], &mut low[..B], &mut high[..B]);
        let mut values = [[pairs[0]; B]; PLANES];
        for v in 0..B {
            [values[0][v], values[1][v]] =
                T::split::<S>(self.simd, [pairs[2 * v], pairs[2 * v + 1]]);
        }
        let values = self.pass::<K, B>(values);
        for v in 0..B {
            [low[v], high[v]] = [values[0][v], values[1][v]];
        }
    }

    /// The vectors at an end.
    #[inline(always)]
    fn end<K: Known, const JOINED: bool>(
        &mut self,
        window: &Window<'_>,
        end: usize,
        input: [&[T]; PLANES],
        output: &mut [&mut [T]; PLANES],
    ) {
        if window.pairs.is_empty() {
            return;
        }
        let lanes = T::lanes::<S>();
        // Whole vectors of elements may begin before the window, and end behind it.
        let begin = end * (self.planes[0].len() / 2) + lanes;
        self.fill::<JOINED>(window, begin, input);
        let (mut at, mut from) = (window.pairs.start, begin);
        while at < window.pairs.end {
            let [even, odd] = &self.planes;
            let even = T::vectors::<S>(&even[from..from + lanes])[0];
            let odd = T::vectors::<S>(&odd[from..from + lanes])[0];
            let [[low], [high]] = self.pass::<K, 1>([[even], [odd]]);
            let (to, zero) = (self.frame.to, T::splat(self.simd, T::default()));
            if JOINED {
                let values = T::merge::<S>([low, high]);
                let places = [2 * at, to[0]];
                self.some::<3>([values[0], values[1], zero], &window.wanted[0], places, output[0]);
            } else {
                self.some::<2>([low, zero], &window.wanted[0], [at, to[0]], output[0]);
                self.some::<2>([high, zero], &window.wanted[1], [at, to[1]], output[1]);
            }
            at += lanes as i64;
            from += lanes;
        }
    }

    /// Stores the values that have places, of all registers but the last. The first value is that of
    /// place `at`, and place 0 is at `zero` of the output.
    #[inline(always)]
    fn some<const N: usize>(
        &self,
        values: [T::Vector<S>; N],
        wanted: &Range<i64>,
        [at, zero]: [i64; 2],
        output: &mut [T],
    ) {
        let lanes = T::lanes::<S>();
        let first = wanted.start.max(at);
        let len = wanted.end.min(at + ((N - 1) * lanes) as i64) - first;
        if len <= 0 {
            return;
        }
        let (mut from, to, len) = ((first - at) as usize, (first + zero) as usize, len as usize);
        let values: &[T] = cast_slice(&values);
        let mut output = &mut output[to..to + len];
        while output.len() >= lanes {
            let (whole, rest) = output.split_at_mut(lanes);
            let vector = T::vectors::<S>(&values[from..from + lanes])[0];
            T::vectors_mut::<S>(whole)[0] = vector;
            output = rest;
            from += lanes;
        }
        if !output.is_empty() {
            let vector = T::vectors::<S>(&values[from..from + lanes])[0];
            T::store(self.simd, output, vector);
        }
    }

    /// Fills planes with what stands at the pairs of a window.
    #[inline(always)]
    fn fill<const JOINED: bool>(
        &mut self,
        window: &Window<'_>,
        begin: usize,
        input: [&[T]; PLANES],
    ) {
        let lanes = T::lanes::<S>();
        let frame = self.frame;
        let first = window.pairs.start + frame.high - begin as i64;
        let whole = frame.both.end - frame.both.start >= lanes as i64;
        if WATCH {
            // What is not filled is examined, too.
            let zero = T::splat(self.simd, T::default());
            let end = begin + (window.pairs.end - window.pairs.start) as usize;
            for bit in 0..PLANES {
                let plane = &mut self.planes[bit];
                T::vectors_mut::<S>(&mut plane[begin..begin + lanes])[0] = zero;
                T::vectors_mut::<S>(&mut plane[end - lanes..end])[0] = zero;
            }
        }
        let mut k = window.both.start;
        while k < window.both.end {
            if !whole {
                for bit in 0..PLANES {
                    let place = frame.from(k)[bit];
                    let value = if JOINED { input[bit][place] } else { input[0][place] };
                    self.planes[bit][(k - first) as usize] = value;
                }
                k += 1;
                continue;
            }
            let at = k.min(frame.both.end - lanes as i64);
            let from = frame.from(at);
            let values = if JOINED {
                let even = &input[0][from[0]..from[0] + lanes];
                let odd = &input[1][from[1]..from[1] + lanes];
                [T::vectors::<S>(even)[0], T::vectors::<S>(odd)[0]]
            } else {
                let pairs = T::vectors::<S>(&input[0][from[0]..from[0] + 2 * lanes]);
                T::split::<S>(self.simd, [pairs[0], pairs[1]])
            };
            let to = (at - first) as usize;
            for bit in 0..PLANES {
                let place = &mut self.planes[bit][to..to + lanes];
                T::vectors_mut::<S>(place)[0] = values[bit];
            }
            k += lanes as i64;
        }
        for bit in 0..PLANES {
            for side in 0..2 {
                let lone = &window.lone[bit][side];
                let mut k = lone.start;
                while k < lone.end {
                    let array = if JOINED { input[bit] } else { input[0] };
                    self.planes[bit][(k - first) as usize] = array[frame.from(k)[bit]];
                    k += 1;
                }
            }
            let edges = window.edges[bit];
            for at in 0..edges.len() {
                let Edge { k, place, .. } = &edges[at];
                let mut value = T::default();
                if at > 0 && edges[at - 1].k == *k {
                    value = self.planes[bit][(k - first) as usize];
                }
                if let Some(place) = place {
                    let array = if JOINED { input[place.bit] } else { input[0] };
                    value = value.plus_weighted(place.weight, array[place.index]);
                }
                self.planes[bit][(k - first) as usize] = value;
            }
        }
    }
}
