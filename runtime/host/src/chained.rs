//! The middle of a row, where neither end is near: blocks of pairs go through a chain of updates, and
//! what they leave for their neighbours is a value per update.

use super::ahead;
use super::edges::Axis;
use super::rows::{CHAIN_BLOCK, KEPT, ROW_BLOCK, Stream, block, one, vectorised};
use super::sweep::{Chain, Link, PLANES, Sweep};
use crate::element::Element;
use pulp::{Simd, WithSimd};
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// How far ahead memory is asked for, in elements.
const AHEAD: usize = 1024;

/// Rows whose middle goes through a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Middle<'a, T> {
    chain: &'a Chain<T>,
    sweep: &'a Sweep<T>,
    axis: &'a Axis,
}

/// The middle of some rows.
struct Run<'a, 'b, T, const N: usize> {
    middle: &'a Middle<'a, T>,
    links: &'a [Link<T>; N],
    /// Pairs.
    pairs: Range<i64>,
    rows: usize,
    input: [&'a [T]; 2],
    output: [&'b mut [T]; 2],
}

impl<'a, T: Element> Middle<'a, T> {
    pub(crate) fn new(sweep: &'a Sweep<T>, axis: &'a Axis) -> Option<Self> {
        let middle = Self { chain: sweep.chain.as_ref()?, sweep, axis };
        middle.skew().map(|_| middle)
    }

    /// Iterations between a pair and the one that gives its outputs.
    fn lag(&self) -> i64 {
        let [low, high] = self.sweep.outputs;
        self.sweep.delay - low.age.min(high.age) as i64
    }

    /// Pairs that are read before those computed, and after.
    fn reach(&self) -> [i64; 2] {
        let [newest, own] = self.chain.reads.map(|read| read.age as i64);
        let begin = (self.chain.links.len() + 1).max(KEPT) as i64;
        [begin + newest.max(own) - self.lag(), self.lag() - newest.min(own)]
    }

    /// How much older the last update's but one results are than the last one's; `None` if a value
    /// would be needed that is not kept.
    fn skew(&self) -> Option<(usize, usize)> {
        let [.., first, last] = &self.sweep.advances[..] else { return None };
        let channel = first.output?;
        let (first, last) = (self.sweep.outputs[channel], self.sweep.outputs[last.output?]);
        let skew = first.age.checked_sub(last.age)?;
        let [newest, own] = self.chain.reads.map(|read| read.age);
        // As many values are kept before a block.
        let kept = skew.max(newest.abs_diff(own) + 1) <= KEPT;
        kept.then_some((channel, skew))
    }

    /// The pairs that are computed here: whole blocks of them, far enough from the ends.
    pub(crate) fn pairs(&self) -> Range<i64> {
        let (input, output) = (self.axis.input(), self.axis.output());
        let [before, after] = self.reach();
        let mut pairs = self.axis.pairs.clone();
        for bit in 0..PLANES {
            let (inside, computed) = (input.interior(bit), output.interior(bit));
            pairs.start = pairs.start.max(inside.start + before.max(0)).max(computed.start);
            pairs.end = pairs.end.min(inside.end - after.max(0)).min(computed.end);
        }
        let blocks = (pairs.end - pairs.start).max(0) / CHAIN_BLOCK as i64;
        pairs.start..pairs.start + blocks * CHAIN_BLOCK as i64
    }

    /// Transforms the middle of `rows` rows, which lie one after the other in their arrays.
    pub(crate) fn run(&self, rows: usize, input: [&[T]; 2], output: [&mut [T]; 2]) {
        match self.chain.links.len() {
            2 => self.linked::<2>(rows, input, output),
            4 => self.linked::<4>(rows, input, output),
            _ => {}
        }
    }

    fn linked<const N: usize>(&self, rows: usize, input: [&[T]; 2], output: [&mut [T]; 2]) {
        let Some(links) = self.chain.links.first_chunk::<N>() else { return };
        let pairs = self.pairs();
        vectorised(Run { middle: self, links, pairs, rows, input, output });
    }

    /// Elements of a row of each array.
    fn lens(&self, side: Side) -> [usize; PLANES] {
        let geometry = &self.axis.geometry;
        match side {
            Side::Signal => [geometry.signal.len; PLANES],
            Side::Bands => [geometry.low.len, geometry.high.len],
        }
    }
}

impl<T: Element, const N: usize> WithSimd for Run<'_, '_, T, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _simd: S) {
        let Run { middle, links, rows, input, .. } = self;
        let (first, end) = (self.pairs.start, self.pairs.end);
        let mut planes = [Stream::<T>::new(); PLANES];
        let mut streams = [Stream::<T>::new(); N];
        for row in 0..rows {
            let place = Place { middle, row };
            let begin = first + middle.lag();
            place.begin::<S, N>(links, begin, input, &mut planes, &mut streams);
            let mut pair = first;
            while pair + ROW_BLOCK as i64 <= end {
                self.block::<S, ROW_BLOCK>(place, pair, &mut planes, &mut streams);
                pair += ROW_BLOCK as i64;
            }
            while pair < end {
                self.block::<S, CHAIN_BLOCK>(place, pair, &mut planes, &mut streams);
                pair += CHAIN_BLOCK as i64;
            }
        }
    }
}

impl<T: Element, const N: usize> Run<'_, '_, T, N> {
    /// Transforms the next block of a row.
    #[inline(always)]
    fn block<S: Simd, const LEN: usize>(
        &mut self,
        place: Place<'_, '_, T>,
        pair: i64,
        planes: &mut [Stream<T>; PLANES],
        streams: &mut [Stream<T>; N],
    ) {
        let middle = self.middle;
        let Some((channel, skew)) = middle.skew() else { return };
        let [newest, own] = middle.chain.reads;
        let youngest = newest.age.min(own.age);
        let t = pair + middle.lag();
        place.load::<LEN>(t - youngest as i64, self.input, planes);
        let reads = [
            planes[newest.stream].values(newest.age - youngest),
            planes[newest.stream].values(newest.age - youngest + 1),
            planes[own.stream].values(own.age - youngest),
        ];
        block::<S, T, N, LEN>(self.links, middle.chain.units, reads, streams);
        let (first, last) = (streams[N - 2].values::<LEN>(skew), streams[N - 1].values::<LEN>(0));
        let bands = if channel == 0 { [first, last] } else { [last, first] };
        place.store(pair, bands, &mut self.output);
        planes.iter_mut().for_each(Stream::keep::<LEN>);
        streams.iter_mut().for_each(Stream::keep::<LEN>);
    }
}

/// A row.
#[derive(Clone, Copy)]
struct Place<'r, 'a, T> {
    middle: &'r Middle<'a, T>,
    row: usize,
}

impl<T: Element> Place<'_, '_, T> {
    /// A value of a plane.
    #[inline(always)]
    fn value(&self, bit: usize, pair: i64, input: [&[T]; 2]) -> T {
        let axis = self.middle.axis;
        let side = axis.operation.input();
        let array = if side == Side::Signal { 0 } else { bit };
        input[array][self.row * self.middle.lens(side)[bit] + axis.input().index(bit, pair)]
    }

    /// Fills planes and streams with what was before an iteration.
    #[inline(always)]
    fn begin<S: Simd, const N: usize>(
        &self,
        links: &[Link<T>; N],
        t: i64,
        input: [&[T]; 2],
        planes: &mut [Stream<T>; PLANES],
        streams: &mut [Stream<T>; N],
    ) {
        let [newest, own] = self.middle.chain.reads;
        let youngest = newest.age.min(own.age) as i64;
        for (bit, plane) in planes.iter_mut().enumerate() {
            let kept = KEPT as i64;
            let before = |n: usize| self.value(bit, t - youngest - kept + n as i64, input);
            plane.begin(std::array::from_fn(before));
        }
        let mut before = [T::default(); N];
        let mut results = [T::default(); N];
        for t in t - N as i64 - 1..t {
            let mut new = self.value(newest.stream, t - newest.age as i64, input);
            let mut base = self.value(own.stream, t - own.age as i64, input);
            for n in 0..N {
                let old = std::mem::replace(&mut before[n], new);
                let terms = if links[n].newest_first { [new, old] } else { [old, new] };
                new = one::<S, T>(&links[n], base, terms);
                results[n] = new;
                base = old;
            }
        }
        for (stream, result) in streams.iter_mut().zip(results) {
            stream.begin([T::default(), result]);
        }
    }

    /// Loads a block of both planes.
    #[inline(always)]
    fn load<const LEN: usize>(
        &self,
        pair: i64,
        input: [&[T]; 2],
        planes: &mut [Stream<T>; PLANES],
    ) {
        let axis = self.middle.axis;
        let (ends, side) = (axis.input(), axis.operation.input());
        let lens = self.middle.lens(side);
        if side == Side::Signal {
            let start = self.row * lens[0] + ends.index(0, pair);
            let pairs = &input[0][start..start + 2 * LEN];
            let [even, odd] = planes;
            let planes = even.values_mut::<LEN>().iter_mut().zip(odd.values_mut::<LEN>());
            for ((even, odd), pair) in planes.zip(pairs.chunks_exact(2)) {
                (*even, *odd) = (pair[0], pair[1]);
            }
            return;
        }
        for (bit, plane) in planes.iter_mut().enumerate() {
            let start = self.row * lens[bit] + ends.index(bit, pair);
            if let Some(band) = input[bit][start..].first_chunk::<LEN>() {
                *plane.values_mut() = *band;
            }
        }
    }

    /// Takes the outputs of a block of pairs to their arrays.
    #[inline(always)]
    fn store<const LEN: usize>(
        &self,
        pair: i64,
        bands: [&[T; LEN]; 2],
        output: &mut [&mut [T]; 2],
    ) {
        let axis = self.middle.axis;
        let (ends, side) = (axis.output(), axis.operation.output());
        let lens = self.middle.lens(side);
        if side == Side::Signal {
            let start = self.row * lens[0] + ends.index(0, pair);
            let (now, later) = output[0][start..].split_at_mut(2 * LEN);
            let values = bands[0].iter().zip(bands[1]);
            for (pair, (even, odd)) in now.chunks_exact_mut(2).zip(values) {
                (pair[0], pair[1]) = (*even, *odd);
            }
            ask(later, lens[0], 2 * LEN);
            return;
        }
        for (bit, values) in bands.into_iter().enumerate() {
            let start = self.row * lens[bit] + ends.index(bit, pair);
            let (now, later) = output[bit][start..].split_at_mut(LEN);
            if let Some(now) = now.first_chunk_mut() {
                *now = *values;
            }
            ask(later, lens[bit], LEN);
        }
    }
}

/// Asks for what is written next, in rows of `len` elements.
#[inline(always)]
fn ask<T>(later: &[T], len: usize, count: usize) {
    let from = len.min(AHEAD).saturating_sub(count);
    if let Some(later) = later.get(from..from + count) {
        ahead::fetch(later);
    }
}
