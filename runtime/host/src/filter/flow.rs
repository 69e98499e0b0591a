//! The inner loop of a cascade along a row: both planes of a strip pass through all stages.

use super::along::Planes;
use super::cascade::{Cascade, MOST_REACH, MOST_STAGES};
use super::exchange::Halves;
use super::known::{Any, Factors, Known, Listed};
use super::pass::{Meanwhile, pass};
use super::store::ALIGNMENT;
use super::strips::Inner;
use super::sums::Sink;
use super::taps::PLANES;
use super::vectors::{Aligned, Vectors};
use crate::ahead::fetch_later;
use pulp::Simd;
use std::marker::PhantomData;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Vectors of each plane that pass together: on machines with wide vectors, which have 32 of them,
/// and on others, where those of both planes leave as many registers as stages need, if there are 16.
const BLOCK: usize = 8;
const SMALL_BLOCK: usize = 5;

/// Where registers are few and stages are in a list: as many as stay in registers from stage to stage.
const KNOWN_BLOCK: usize = 3;
const FEW_REGISTERS: usize = 16;

/// Most pairs before the first whole vector of outputs: those that it depends on, and outputs that
/// do not fill a vector.
const MOST_BEFORE: usize = MOST_REACH + ALIGNMENT;

/// A cascade on its way along a strip.
pub(super) struct Flow<'a, S: Simd, T: Vectors> {
    simd: S,
    cascade: &'a Cascade<T>,
    /// Pairs before the newest that outputs depend on.
    reach: usize,
    /// Per stage: the last vector of what it delays.
    behind: Aligned<[T::Vector<S>; MOST_STAGES]>,
    halves: Halves<S, T>,
    /// Pairs that are asked for between two stages.
    asked: usize,
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop, clippy::manual_memcpy)]
impl<'a, S: Simd, T: Vectors + Default> Flow<'a, S, T> {
    #[inline(always)]
    pub(super) fn new(simd: S, cascade: &'a Cascade<T>, reach: usize) -> Self {
        let behind = Aligned([T::splat(simd, T::default()); MOST_STAGES]);
        let (stages, block) = (cascade.stages.len().max(1), BLOCK * T::lanes::<S>());
        let asked = block.div_ceil(stages).next_multiple_of(ALIGNMENT / size_of::<T>());
        Self { simd, cascade, reach, behind, halves: Halves::new(simd), asked }
    }

    /// Neighbouring vectors pass through all stages; what comes out is low and high.
    #[inline(always)]
    fn pass<const B: usize>(
        &mut self,
        first: [T::Vector<S>; B],
        second: [T::Vector<S>; B],
    ) -> [[T::Vector<S>; B]; 2] {
        let factors = Factors::new::<Any>(self.simd, self.cascade);
        let factors = (self.cascade, &factors);
        pass::<S, T, Any, B, false>(
            self.simd,
            factors,
            &mut self.behind.0,
            [first, second],
            &mut (),
        )
    }

    /// Whole vectors of both planes from a place on, and their outputs.
    #[inline(always)]
    fn block<const B: usize>(&mut self, feed: &impl Feed<T>, at: usize, out: &mut impl Sink<S, T>) {
        let factors = Factors::new::<Any>(self.simd, self.cascade);
        self.vectors::<Any, B>(&factors, feed, at, out);
    }

    /// The same through stages that are in a list, or that the cascade says.
    #[inline(always)]
    fn vectors<K: Known, const B: usize>(
        &mut self,
        factors: &Factors<S, T>,
        feed: &impl Feed<T>,
        at: usize,
        out: &mut impl Sink<S, T>,
    ) {
        let len = B * T::lanes::<S>();
        let planes = feed.load::<S, B>(&self.halves, at + self.reach);
        let factors = (self.cascade, factors);
        let (from, part) = (at + self.reach, self.asked);
        let meanwhile = &mut Asking { feed, from, left: len, part, values: PhantomData };
        let behind = &mut self.behind.0;
        let [low, high] = pass::<S, T, K, B, false>(self.simd, factors, behind, planes, meanwhile);
        out.put_whole(at, [low, high]);
    }

    /// What the first whole vector depends on, and outputs before it.
    #[inline(always)]
    fn begin(&mut self, feed: &impl Feed<T>, outputs: usize, out: &mut impl Sink<S, T>) {
        let lanes = T::lanes::<S>();
        let before = self.reach + outputs;
        let places = before.next_multiple_of(lanes);
        let mut lines = Aligned([[T::default(); MOST_BEFORE]; PLANES]);
        let lines = &mut lines.0;
        let [even, odd] = &mut *lines;
        feed.copy(0, [&mut even[places - before..places], &mut odd[places - before..places]]);
        let mut at = 0;
        while at < places {
            let even = T::vectors::<S>(&lines[0][at..at + lanes])[0];
            let odd = T::vectors::<S>(&lines[1][at..at + lanes])[0];
            let [low, high] = self.pass([even], [odd]);
            at += lanes;
            if at == places && outputs > 0 {
                let low: &[T] = pulp::bytemuck::cast_slice(&low);
                let high: &[T] = pulp::bytemuck::cast_slice(&high);
                out.put(0, [&low[lanes - outputs..], &high[lanes - outputs..]]);
            }
        }
    }

    /// The last outputs, fewer than a vector.
    #[inline(always)]
    fn end(&mut self, feed: &impl Feed<T>, at: usize, len: usize, out: &mut impl Sink<S, T>) {
        let mut lines = Aligned([[T::default(); ALIGNMENT]; PLANES]);
        let lines = &mut lines.0;
        let [even, odd] = &mut *lines;
        feed.copy(self.reach + at, [&mut even[..len - at], &mut odd[..len - at]]);
        let lanes = T::lanes::<S>();
        let even = T::vectors::<S>(&lines[0][..lanes])[0];
        let odd = T::vectors::<S>(&lines[1][..lanes])[0];
        let [low, high] = self.pass([even], [odd]);
        let low: &[T] = pulp::bytemuck::cast_slice(&low);
        let high: &[T] = pulp::bytemuck::cast_slice(&high);
        out.put(at, [&low[..len - at], &high[..len - at]]);
    }

    /// A strip, or a part of one that follows whole vectors.
    #[inline(always)]
    fn feed(&mut self, feed: &impl Feed<T>, follows: bool, mut out: impl Sink<S, T>) {
        let (len, lanes) = (out.len(), T::lanes::<S>());
        let mut at = 0;
        if !follows {
            at = out.skew(lanes * size_of::<T>());
            if at >= lanes || at > len {
                at = 0;
            }
            self.begin(feed, at, &mut out);
        }
        let wide = size_of::<T::Vector<S>>() == ALIGNMENT;
        if const { S::REGISTER_COUNT <= FEW_REGISTERS }
            && let Some(list) = self.cascade.known
        {
            let blocks = KNOWN_BLOCK * lanes;
            let end = at + (len - at) / blocks * blocks;
            let (simd, out) = (self.simd, &mut out);
            if list.run_in(simd, Blocks { flow: self, feed, places: at..end, out }) {
                at = end;
            }
        }
        while wide && at + BLOCK * lanes <= len {
            self.block::<BLOCK>(feed, at, &mut out);
            at += BLOCK * lanes;
        }
        while !wide && at + SMALL_BLOCK * lanes <= len {
            self.block::<SMALL_BLOCK>(feed, at, &mut out);
            at += SMALL_BLOCK * lanes;
        }
        while at + lanes <= len {
            self.block::<1>(feed, at, &mut out);
            at += lanes;
        }
        if at < len {
            self.end(feed, at, len, &mut out);
        }
    }
}

/// Whole vectors through stages that are in a list.
struct Blocks<'f, 'a, S: Simd, T: Vectors, F, O> {
    flow: &'f mut Flow<'a, S, T>,
    feed: &'f F,
    places: Range<usize>,
    out: &'f mut O,
}

impl<M: Simd, T: Vectors + Default, F: Feed<T>, O: Sink<M, T>> Listed<T>
    for Blocks<'_, '_, M, T, F, O>
{
    const OUTPUT: Option<Side> = None;

    #[inline(always)]
    fn run<S: Simd, K: Known>(self, _simd: S) {
        let Self { flow, feed, places, out } = self;
        let factors = Factors::new::<K>(flow.simd, flow.cascade);
        let mut at = places.start;
        while at < places.end {
            flow.vectors::<K, KNOWN_BLOCK>(&factors, feed, at, out);
            at += KNOWN_BLOCK * T::lanes::<M>();
        }
    }
}

impl<S: Simd, T: Vectors + Default> Inner<T> for Flow<'_, S, T> {
    type Machine = S;

    const MANY: bool = true;

    #[inline(always)]
    fn takes_pairs(_reach: usize) -> bool {
        true
    }

    #[inline(always)]
    fn machine(&self) -> S {
        self.simd
    }

    #[inline(always)]
    fn split(&self, pairs: &[T], even: &mut [T], odd: &mut [T]) {
        self.halves.planes(pairs, even, odd);
    }

    #[inline(always)]
    fn run(&mut self, window: Planes<'_, T>, follows: bool, out: impl Sink<S, T>) {
        self.feed(&window, follows, out);
    }

    #[inline(always)]
    fn pairs(&mut self, pairs: &[T], ahead: &[T], follows: bool, out: impl Sink<S, T>) {
        self.feed(&Pairs { pairs, ahead }, follows, out);
    }
}

/// Asking for what is read later, so many pairs between two stages: all at once, they would wait for the few places where
/// lines are kept on their way, and so would all that is read behind them.
struct Asking<'f, T, F> {
    feed: &'f F,
    from: usize,
    left: usize,
    part: usize,
    values: PhantomData<T>,
}

impl<T: Vectors, F: Feed<T>> Meanwhile for Asking<'_, T, F> {
    #[inline(always)]
    fn step(&mut self) {
        let count = self.part.min(self.left);
        self.feed.ask(self.from, count);
        self.from += count;
        self.left -= count;
    }
}

/// Where the values of both planes come from.
pub(super) trait Feed<T: Vectors> {
    /// Vectors of both planes from a place on.
    fn load<S: Simd, const B: usize>(
        &self,
        halves: &Halves<S, T>,
        at: usize,
    ) -> [[T::Vector<S>; B]; PLANES];

    /// Asks for what is read later.
    fn ask(&self, at: usize, len: usize);

    /// Values from a place on.
    fn copy(&self, at: usize, planes: [&mut [T]; PLANES]);
}

/// Samples of a signal, even and odd ones in turn.
pub(super) struct Pairs<'a, T> {
    pub(super) pairs: &'a [T],
    /// What is read later, as far as it is asked for.
    pub(super) ahead: &'a [T],
}

#[allow(clippy::needless_range_loop)]
impl<T: Vectors + Default> Feed<T> for Pairs<'_, T> {
    #[inline(always)]
    fn load<S: Simd, const B: usize>(
        &self,
        halves: &Halves<S, T>,
        at: usize,
    ) -> [[T::Vector<S>; B]; PLANES] {
        let len = 2 * B * T::lanes::<S>();
        let from = &T::vectors::<S>(&self.pairs[2 * at..2 * at + len])[..2 * B];
        let (mut even, mut odd) = ([from[0]; B], [from[0]; B]);
        for v in 0..B {
            [even[v], odd[v]] = halves.split([from[2 * v], from[2 * v + 1]]);
        }
        [even, odd]
    }

    #[inline(always)]
    fn ask(&self, at: usize, len: usize) {
        fetch_later(self.ahead.get(2 * at..2 * (at + len)).unwrap_or_default());
    }

    #[inline(always)]
    fn copy(&self, at: usize, [even, odd]: [&mut [T]; PLANES]) {
        let pairs = self.pairs[2 * at..].as_chunks::<2>().0;
        for (pair, (even, odd)) in pairs.iter().zip(even.iter_mut().zip(odd)) {
            [*even, *odd] = *pair;
        }
    }
}

#[allow(clippy::needless_range_loop)]
impl<T: Vectors + Default> Feed<T> for Planes<'_, T> {
    #[inline(always)]
    fn load<S: Simd, const B: usize>(
        &self,
        _halves: &Halves<S, T>,
        at: usize,
    ) -> [[T::Vector<S>; B]; PLANES] {
        let len = B * T::lanes::<S>();
        let even = &T::vectors::<S>(&self.planes[0][at..at + len])[..B];
        let odd = &T::vectors::<S>(&self.planes[1][at..at + len])[..B];
        let mut values = [[even[0]; B]; PLANES];
        for v in 0..B {
            [values[0][v], values[1][v]] = [even[v], odd[v]];
        }
        values
    }

    #[inline(always)]
    fn ask(&self, at: usize, len: usize) {
        for ahead in self.ahead {
            fetch_later(ahead.get(at..at + len).unwrap_or_default());
        }
    }

    #[inline(always)]
    fn copy(&self, at: usize, planes: [&mut [T]; PLANES]) {
        for p in 0..PLANES {
            let len = planes[p].len();
            planes[p].copy_from_slice(&self.planes[p][at..at + len]);
        }
    }
}
