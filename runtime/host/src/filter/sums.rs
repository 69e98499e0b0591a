//! The inner loop: two sums over a window, for a run of neighbouring values.

use super::taps::Taps;
use super::vectors::Vectors;
use pulp::Simd;
use pulp::bytemuck::cast_slice;

/// Where two sums go.
pub trait Sink<S: Simd, T: Vectors> {
    /// Places for sums.
    fn len(&self) -> usize;

    /// Places before the first from which on whole vectors, `bytes` long, lie well.
    fn skew(&self, bytes: usize) -> usize;

    /// Neighbouring places.
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T>;

    /// Stores neighbouring values of both sums.
    fn put(&mut self, at: usize, sums: [&[T]; 2]);

    /// Stores neighbouring registers of both sums.
    fn put_whole<const B: usize>(&mut self, at: usize, sums: [[T::Vector<S>; B]; 2]);
}

/// Each sum to an array of its own, of the same length.
pub struct Apart<'a, T>(pub [&'a mut [T]; 2]);

/// One sum after the other in turn.
pub struct Joined<'a, T>(pub &'a mut [T]);

#[allow(clippy::needless_range_loop, clippy::manual_memcpy)]
impl<S: Simd, T: Vectors> Sink<S, T> for Apart<'_, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0[0].len().min(self.0[1].len())
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        self.0[0].as_ptr().align_offset(bytes)
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        let [low, high] = &mut self.0;
        Apart([&mut low[from..from + len], &mut high[from..from + len]])
    }

    #[inline(always)]
    fn put(&mut self, at: usize, sums: [&[T]; 2]) {
        let [low, high] = &mut self.0;
        low[at..at + sums[0].len()].copy_from_slice(sums[0]);
        high[at..at + sums[1].len()].copy_from_slice(sums[1]);
    }

    #[inline(always)]
    fn put_whole<const B: usize>(&mut self, at: usize, sums: [[T::Vector<S>; B]; 2]) {
        let len = B * T::lanes::<S>();
        let [low, high] = &mut self.0;
        let (low, high) = (&mut low[at..at + len], &mut high[at..at + len]);
        let (low, high) = (T::vectors_mut::<S>(low), T::vectors_mut::<S>(high));
        let (low, high) = (&mut low[..B], &mut high[..B]);
        for v in 0..B {
            low[v] = sums[0][v];
        }
        for v in 0..B {
            high[v] = sums[1][v];
        }
    }
}

#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Vectors> Sink<S, T> for Joined<'_, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len() / 2
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        in_pairs(self.0.as_ptr().align_offset(bytes))
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        Joined(&mut self.0[2 * from..2 * (from + len)])
    }

    #[inline(always)]
    fn put(&mut self, at: usize, sums: [&[T]; 2]) {
        let [even, odd] = sums;
        let len = even.len().min(odd.len());
        let (even, odd) = (&even[..len], &odd[..len]);
        let pairs = &mut self.0[2 * at..2 * (at + len)].as_chunks_mut::<2>().0[..len];
        let mut pair = 0;
        while pair < len {
            pairs[pair] = [even[pair], odd[pair]];
            pair += 1;
        }
    }

    #[inline(always)]
    fn put_whole<const B: usize>(&mut self, at: usize, sums: [[T::Vector<S>; B]; 2]) {
        let pairs = &mut self.0[2 * at..2 * (at + B * T::lanes::<S>())];
        let pairs = &mut T::vectors_mut::<S>(pairs)[..2 * B];
        for v in 0..B {
            [pairs[2 * v], pairs[2 * v + 1]] = T::merge::<S>([sums[0][v], sums[1][v]]);
        }
    }
}

/// Stores neighbouring values of both sums: `B` registers, or a part of one.
#[inline(always)]
pub(super) fn put<S: Simd, T: Vectors, const B: usize>(
    out: &mut impl Sink<S, T>,
    at: usize,
    len: usize,
    sums: [[T::Vector<S>; B]; 2],
) {
    if B > 1 || len == T::lanes::<S>() {
        out.put_whole(at, sums);
    } else {
        let sums: [&[T]; 2] = [cast_slice(&sums[0]), cast_slice(&sums[1])];
        out.put(at, [&sums[0][..len], &sums[1][..len]]);
    }
}

/// Elements before whole vectors as pairs; none, if they are no pairs.
#[inline(always)]
pub(super) fn in_pairs(skew: usize) -> usize {
    if skew.is_multiple_of(2) { skew / 2 } else { 0 }
}

/// Vectors that are computed together: with factors in registers, and with others.
const BLOCK: usize = 4;
const LARGE_BLOCK: usize = 8;

/// Two sums with `N` taps in both and `A` in sum `C` alone; any number, if `N` is zero.
pub struct Sums<'a, S: Simd, T: Vectors, const N: usize, const A: usize, const C: usize> {
    pub(super) simd: S,
    pub(super) taps: &'a Taps<T>,
    pub(super) both: [[T::Vector<S>; 2]; N],
    pub(super) alone: [T::Vector<S>; A],
}

/// Where the values of taps are.
pub trait Window<'b, T> {
    /// The values of a position of the window for all places.
    fn values(&self, position: usize) -> &'b [T];

    /// Asks for what is read later than at some places, as far as that is known.
    #[inline(always)]
    fn ask(&self, _at: usize, _len: usize) {}
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop, clippy::manual_memcpy)]
impl<'a, S: Simd, T: Vectors + Default, const N: usize, const A: usize, const C: usize>
    Sums<'a, S, T, N, A, C>
{
    #[inline(always)]
    pub(super) fn new(simd: S, taps: &'a Taps<T>) -> Self {
        let zero = T::splat(simd, T::default());
        let mut sums = Self { simd, taps, both: [[zero; 2]; N], alone: [zero; A] };
        for n in 0..N {
            let [low, high] = taps.factors(n);
            sums.both[n] = [T::splat(simd, low), T::splat(simd, high)];
        }
        for n in 0..A {
            sums.alone[n] = T::splat(simd, taps.factors(N + n)[C]);
        }
        sums
    }

    /// Computes both sums at every place of `out`.
    #[inline(always)]
    pub fn run<'b>(&self, window: impl Window<'b, T>, mut out: impl Sink<S, T>)
    where
        T: 'b,
    {
        let len = out.len();
        let (both, alone) = self.values(&window, len);
        if const { N > 0 } {
            self.places::<BLOCK>(&window, &both, &alone, &mut out);
        } else {
            self.places::<LARGE_BLOCK>(&window, &both, &alone, &mut out);
        }
    }

    /// Computes both sums at every place of `out`, which are whole vectors.
    #[inline(always)]
    pub fn whole<'b>(&self, window: impl Window<'b, T>, mut out: impl Sink<S, T>)
    where
        T: 'b,
    {
        let (len, lanes) = (out.len(), T::lanes::<S>());
        let len = len / lanes * lanes;
        let (both, alone) = self.values(&window, len);
        let (window, both, alone, out) = (&window, &both, &alone, &mut out);
        let sums = Self::new(self.simd, self.taps);
        let mut at = 0;
        while N == 0 && at + LARGE_BLOCK * lanes <= len {
            sums.block::<LARGE_BLOCK>(at, LARGE_BLOCK * lanes, window, both, alone, out);
            at += LARGE_BLOCK * lanes;
        }
        while at + BLOCK * lanes <= len {
            sums.block::<BLOCK>(at, BLOCK * lanes, window, both, alone, out);
            at += BLOCK * lanes;
        }
        while at + lanes <= len {
            sums.block::<1>(at, lanes, window, both, alone, out);
            at += lanes;
        }
    }

    /// The values of all taps for the first `len` places, if their number is known. Others are looked
    /// up block by block: a list of them would be made anew for every run.
    #[inline(always)]
    fn values<'b>(&self, window: &impl Window<'b, T>, len: usize) -> ([&'b [T]; N], [&'b [T]; A])
    where
        T: 'b,
    {
        let mut both: [&[T]; N] = [&[]; N];
        for n in 0..N {
            both[n] = &window.values(self.taps.position(n))[..len];
        }
        let mut alone: [&[T]; A] = [&[]; A];
        for n in 0..A {
            alone[n] = &window.values(self.taps.position(N + n))[..len];
        }
        (both, alone)
    }

    /// All places: vectors that lie well, and at the ends such that share some places with these.
    #[inline(always)]
    fn places<'b, const B: usize>(
        &self,
        window: &impl Window<'b, T>,
        both: &[&[T]; N],
        alone: &[&[T]; A],
        out: &mut impl Sink<S, T>,
    ) where
        T: 'b,
    {
        let sums = Self::new(self.simd, self.taps);
        let (len, lanes) = (out.len(), T::lanes::<S>());
        let mut at = out.skew(size_of::<T::Vector<S>>()).min(lanes);
        let mut head = at > 0 && len > 0;
        while at + B * lanes <= len {
            sums.block::<B>(at, B * lanes, window, both, alone, out);
            at += B * lanes;
        }
        while head || at < len {
            let from = if head { 0 } else { at.min(len.saturating_sub(lanes)) };
            sums.block::<1>(from, lanes.min(len), window, both, alone, out);
            at += if head { 0 } else { lanes };
            head = false;
        }
    }

    /// Neighbouring places: `B` vectors, or a part of one.
    #[inline(always)]
    fn block<'b, const B: usize>(
        &self,
        at: usize,
        len: usize,
        window: &impl Window<'b, T>,
        both: &[&[T]; N],
        alone: &[&[T]; A],
        out: &mut impl Sink<S, T>,
    ) where
        T: 'b,
    {
        let simd = self.simd;
        window.ask(at, len);
        let mut low = [T::splat(simd, T::default()); B];
        let mut high = low;
        if N > 0 {
            for n in 0..N {
                let values = self.load::<B>(&both[n][at..at + len]);
                for v in 0..B {
                    low[v] = T::mul_add(simd, self.both[n][0], values[v], low[v]);
                    high[v] = T::mul_add(simd, self.both[n][1], values[v], high[v]);
                }
            }
            for n in 0..A {
                let values = self.load::<B>(&alone[n][at..at + len]);
                let sums = if C == 0 { &mut low } else { &mut high };
                for v in 0..B {
                    sums[v] = T::mul_add(simd, self.alone[n], values[v], sums[v]);
                }
            }
        } else {
            // Neighbours need no list of places.
            let (first, front) = self.taps.neighbours();
            let near = front == Some(0);
            for n in 0..self.taps.both() {
                let position = if near { first + n } else { self.taps.position(n) };
                let values = self.load::<B>(&window.values(position)[at..at + len]);
                let factors = self.taps.factors(n);
                let factors = [T::splat(simd, factors[0]), T::splat(simd, factors[1])];
                for v in 0..B {
                    low[v] = T::mul_add(simd, factors[0], values[v], low[v]);
                    high[v] = T::mul_add(simd, factors[1], values[v], high[v]);
                }
            }
            for n in self.taps.alone(0) {
                let values = &window.values(self.taps.position(n))[at..at + len];
                self.add_alone(n, 0, values, &mut low);
            }
            for n in self.taps.alone(1) {
                let values = &window.values(self.taps.position(n))[at..at + len];
                self.add_alone(n, 1, values, &mut high);
            }
        }
        put::<S, T, B>(out, at, len, [low, high]);
    }

    /// Adds the products of a tap that is in one sum.
    #[inline(always)]
    fn add_alone<const B: usize>(
        &self,
        tap: usize,
        channel: usize,
        values: &[T],
        sums: &mut [T::Vector<S>; B],
    ) {
        let values = self.load::<B>(values);
        let factor = T::splat(self.simd, self.taps.factors(tap)[channel]);
        for v in 0..B {
            sums[v] = T::mul_add(self.simd, factor, values[v], sums[v]);
        }
    }

    /// `B` vectors, or a part of one.
    #[inline(always)]
    fn load<const B: usize>(&self, values: &[T]) -> [T::Vector<S>; B] {
        let mut vectors = [T::splat(self.simd, T::default()); B];
        let from = T::vectors::<S>(values);
        if B > 1 || from.len() == B {
            let from = &from[..B];
            for v in 0..B {
                vectors[v] = from[v];
            }
        } else {
            vectors[0] = T::partial(self.simd, values);
        }
        vectors
    }
}
