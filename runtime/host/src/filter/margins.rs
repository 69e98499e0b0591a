//! The ends of rows that pass through stages from end to end: what stands there is filled into short
//! planes, and what comes out is stored as far as it has a place.

use super::course::{Flow, MOST_FILLED};
use super::grid::{Grid, Window};
use super::known::Known;
use super::taps::PLANES;
use crate::edges::Edge;
use crate::element::Element;
use pulp::Simd;
use pulp::bytemuck::cast_slice;
use std::ops::Range;

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Element, const WATCH: bool> Flow<'_, '_, S, T, WATCH> {
    /// Places of a plane for a window, if several rows are filled.
    #[inline(always)]
    fn room(&self) -> usize {
        self.planes[0].len() / (2 * MOST_FILLED)
    }

    /// Whether the windows of several rows have room in the planes.
    #[inline(always)]
    pub(super) fn fits(&self, grid: &Grid<'_>) -> bool {
        // Whole vectors of elements may begin before the window, and end behind it.
        let most = grid.head.len().max(grid.tail.len());
        most + 2 * T::lanes::<S>() <= self.room()
    }

    /// The place of a window in the planes.
    #[inline(always)]
    pub(super) fn begin(&self, grid: &Grid<'_>, filled: usize, end: usize) -> usize {
        let room = if self.fits(grid) { self.room() } else { self.planes[0].len() / 2 };
        (2 * filled + end) * room + T::lanes::<S>()
    }

    /// Fills the windows of a row.
    #[inline(always)]
    pub(super) fn fill<const JOINED: bool>(
        &mut self,
        grid: &Grid<'_>,
        filled: usize,
        input: [&[T]; PLANES],
    ) {
        let windows = [&grid.head, &grid.tail];
        for end in 0..2 {
            if !windows[end].pairs.is_empty() {
                let begin = self.begin(grid, filled, end);
                self.window::<JOINED>(windows[end], begin, input);
            }
        }
    }

    /// The vectors at an end.
    #[inline(always)]
    pub(super) fn end<K: Known, const JOINED: bool>(
        &mut self,
        window: &Window<'_>,
        begin: usize,
        output: &mut [&mut [T]; PLANES],
    ) {
        let lanes = T::lanes::<S>();
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
    fn window<const JOINED: bool>(
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
                self.halves.split([pairs[0], pairs[1]])
            };
            let to = (at - first) as usize;
            for bit in 0..PLANES {
                let place = &mut self.planes[bit][to..to + lanes];
                T::vectors_mut::<S>(place)[0] = values[bit];
            }
            k += lanes as i64;
        }
        if let Some(strays) = &window.strays {
            let [even, odd] = &mut self.planes;
            strays.fill(&input, [&mut even[begin..], &mut odd[begin..]]);
            return;
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
