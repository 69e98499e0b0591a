//! Sums of the two samples of a pair alone: nothing is split before, and nothing overlaps.

use super::exchange::Halves;
use super::flow::{Feed, Pairs};
use super::store::ALIGNMENT;
use super::sums::{Sink, Sums, put};
use super::taps::PLANES;
use super::vectors::Vectors;
use pulp::Simd;

/// Vectors of both sums that are made together.
const BLOCK: usize = 4;

// Compiled for the instruction set of the work around it, which reaches only what is inlined for certain.
#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Vectors + Default, const N: usize, const A: usize, const C: usize>
    Sums<'_, S, T, N, A, C>
{
    /// Computes both sums at every place of `out`: vectors that lie well, and at the ends such that share
    /// some places with these.
    #[inline(always)]
    pub(super) fn twos(&self, pairs: &Pairs<'_, T>, out: &mut impl Sink<S, T>) {
        let sums = Self::new(self.simd, self.taps);
        let halves = Halves::new(self.simd);
        let (len, lanes) = (out.len(), T::lanes::<S>());
        if len < lanes {
            let mut planes = [[T::default(); ALIGNMENT]; PLANES];
            let [even, odd] = &mut planes;
            pairs.copy(0, [&mut even[..len], &mut odd[..len]]);
            let [even, odd] = [0, 1].map(|plane| T::vectors::<S>(&planes[plane][..lanes])[0]);
            sums.two([[even], [odd]], 0, len, out);
            return;
        }
        let mut at = out.skew(size_of::<T::Vector<S>>()).min(lanes);
        if at > 0 {
            sums.two(pairs.load::<S, 1>(&halves, 0), 0, lanes, out);
        }
        while at + BLOCK * lanes <= len {
            pairs.ask(at, BLOCK * lanes);
            sums.two(pairs.load::<S, BLOCK>(&halves, at), at, BLOCK * lanes, out);
            at += BLOCK * lanes;
        }
        while at < len {
            let from = at.min(len - lanes);
            sums.two(pairs.load::<S, 1>(&halves, from), from, lanes, out);
            at += lanes;
        }
    }

    /// Both sums of some vectors, in the order of [`Sums::run`].
    #[inline(always)]
    fn two<const B: usize>(
        &self,
        values: [[T::Vector<S>; B]; PLANES],
        at: usize,
        len: usize,
        out: &mut impl Sink<S, T>,
    ) {
        let mut low = [T::splat(self.simd, T::default()); B];
        let mut high = low;
        for n in 0..N.min(PLANES) {
            for v in 0..B {
                low[v] = T::mul_add(self.simd, self.both[n][0], values[n][v], low[v]);
                high[v] = T::mul_add(self.simd, self.both[n][1], values[n][v], high[v]);
            }
        }
        put::<S, T, B>(out, at, len, [low, high]);
    }
}
