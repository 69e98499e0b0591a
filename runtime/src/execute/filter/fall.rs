//! Filtering along an axis that lies across memory, by stages: rows enter pair by pair, and what stages
//! delay waits in a line for the next ones.

use super::cascade::Cascade;
use super::known::{Factors, Known, Listed, Stages};
use super::pairs::Ahead;
use super::pass::pass;
use super::store::ALIGNMENT;
use super::taps::PLANES;
use crate::element::Element;
use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

/// Most pairs of rows that pass together.
pub(super) const FALL: usize = 4;

/// Pairs of rows on their way through the stages.
pub struct Fall<'b, 'c, T> {
    pub(super) cascade: &'b Cascade<T>,
    /// What is delayed, a vector per stage and vector of columns. The same for all rows of an axis.
    pub(super) state: &'b mut [T],
    /// Columns before the first whole vector. The same for all rows of an axis.
    pub(super) skew: usize,
    /// Pairs of rows that enter.
    pub(super) lines: &'b [[&'b [T]; PLANES]],
    /// The outputs of the last of them; of those before, outputs are not wanted.
    pub(super) outs: &'b mut [[&'c mut [T]; PLANES]],
    /// What is read next.
    pub(super) ahead: Ahead<'b, T>,
    /// A bound of the magnitude of integers that entered, if they are examined.
    pub(super) examined: &'b mut Option<u64>,
}

/// Elements of the state of rows.
pub(super) fn state<T: Element>(cascade: &Cascade<T>, len: usize) -> usize {
    cascade.stages.len() * (len + 2 * ALIGNMENT / T::KIND.bytes())
}

impl<T: Element> WithSimd for Fall<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        Stages::run::<T>(self.cascade.known, List { fall: self, simd });
    }
}

/// Rows, and the machine.
struct List<'b, 'c, S, T> {
    fall: Fall<'b, 'c, T>,
    simd: S,
}

impl<S: Simd, T: Element> Listed for List<'_, '_, S, T> {
    #[inline(always)]
    fn run<K: Known>(self) {
        if const { !T::ROUNDS } {
            return self.fall.all::<S, K, false>(self.simd);
        }
        // Where there is no list there is one loop.
        if K::COUNT == 0 || self.fall.examined.is_some() {
            self.fall.all::<S, K, true>(self.simd);
        } else {
            self.fall.all::<S, K, false>(self.simd);
        }
    }
}

/// Pairs of rows that pass together; `WATCH` says that integers are examined.
struct Rows<'b, 'c, 'd, S: Simd, T: Element, const B: usize> {
    simd: S,
    cascade: &'b Cascade<T>,
    factors: Factors<S, T>,
    state: &'b mut [T::Vector<S>],
    lines: &'b [[&'b [T]; PLANES]; B],
    /// None, if outputs are not wanted.
    outs: &'b mut [[&'c mut [T]; PLANES]],
    ahead: &'b mut Ahead<'d, T>,
    /// See [`super::vectors::Vectors::watch`].
    seen: &'b mut T::Vector<S>,
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
impl<T: Element> Fall<'_, '_, T> {
    #[inline(always)]
    fn all<S: Simd, K: Known, const WATCH: bool>(self, simd: S) {
        let Self { cascade, state, skew, lines, outs, mut ahead, examined } = self;
        let state = T::vectors_mut::<S>(state);
        let factors = Factors::new::<K>(simd, cascade);
        let mut seen = T::splat(simd, T::default());
        let warm = lines.len() - outs.len();
        let mut at = 0;
        while at < lines.len() {
            let (state, ahead, seen) = (&mut *state, &mut ahead, &mut seen);
            match lines[at..].first_chunk::<FALL>() {
                Some(lines) if at >= warm => {
                    let outs = &mut outs[at - warm..at - warm + FALL];
                    Rows { simd, cascade, factors, state, lines, outs, ahead, seen }
                        .pass::<K, WATCH>(skew);
                    at += FALL;
                }
                _ => {
                    let wanted = at.saturating_sub(warm)..(at + 1).saturating_sub(warm);
                    let (lines, outs) = (&[lines[at]], &mut outs[wanted]);
                    Rows { simd, cascade, factors, state, lines, outs, ahead, seen }
                        .pass::<K, WATCH>(skew);
                    at += 1;
                }
            }
        }
        if let Some(largest) = examined {
            *largest = (*largest).max(T::reached::<S>(seen));
        }
    }
}

#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Element, const B: usize> Rows<'_, '_, '_, S, T, B> {
    #[inline(always)]
    fn pass<K: Known, const WATCH: bool>(mut self, skew: usize) {
        let (len, lanes) = (self.lines[0][0].len(), T::lanes::<S>());
        let skew = if lanes > 1 { (skew % lanes).min(len) } else { 0 };
        let count = (len - skew) / lanes;
        let end = skew + count * lanes;
        self.some::<K, WATCH>((0, skew), 0);
        self.whole::<K, WATCH>((skew, count));
        self.some::<K, WATCH>((end, len - end), count + 1);
    }

    /// A vector of columns.
    #[inline(always)]
    fn vector<K: Known, const WATCH: bool>(
        &mut self,
        at: usize,
        values: [[T::Vector<S>; B]; PLANES],
    ) -> [[T::Vector<S>; B]; PLANES] {
        if WATCH {
            let mut seen = *self.seen;
            for v in 0..B {
                seen = T::watch(self.simd, seen, values[0][v]);
                seen = T::watch(self.simd, seen, values[1][v]);
            }
            *self.seen = seen;
        }
        let stages = if K::COUNT > 0 { K::COUNT } else { self.cascade.stages.len() };
        let behind = &mut self.state[at * stages..(at + 1) * stages];
        pass::<S, T, K, B, true>(self.simd, (self.cascade, &self.factors), behind, values)
    }

    /// Neighbouring vectors of columns.
    #[inline(always)]
    fn whole<K: Known, const WATCH: bool>(&mut self, (from, count): (usize, usize)) {
        let len = count * T::lanes::<S>();
        let mut lines: [[&[T::Vector<S>]; PLANES]; B] = [[&[]; PLANES]; B];
        for v in 0..B {
            for plane in 0..PLANES {
                let line = &self.lines[v][plane][from..from + len];
                lines[v][plane] = &T::vectors::<S>(line)[..count];
            }
        }
        let mut outs: [[&mut [T::Vector<S>]; PLANES]; FALL] = Default::default();
        let wanted = !self.outs.is_empty();
        let places = std::mem::take(&mut self.outs);
        if wanted {
            for (out, [low, high]) in outs.iter_mut().zip(&mut places[..B]) {
                *out = [
                    &mut T::vectors_mut::<S>(&mut low[from..from + len])[..count],
                    &mut T::vectors_mut::<S>(&mut high[from..from + len])[..count],
                ];
            }
        }
        for at in 0..count {
            let mut values = [[lines[0][0][at]; B]; PLANES];
            for v in 0..B {
                [values[0][v], values[1][v]] = [lines[v][0][at], lines[v][1][at]];
            }
            let [low, high] = self.vector::<K, WATCH>(at + 1, values);
            if wanted {
                for v in 0..B {
                    [outs[v][0][at], outs[v][1][at]] = [low[v], high[v]];
                }
            }
            self.ahead.next();
        }
        self.outs = places;
    }

    /// Columns that are no whole vector.
    #[inline(always)]
    fn some<K: Known, const WATCH: bool>(&mut self, (from, len): (usize, usize), vector: usize) {
        if len == 0 {
            return;
        }
        let mut values = [[T::splat(self.simd, T::default()); B]; PLANES];
        for plane in 0..PLANES {
            for v in 0..B {
                values[plane][v] = T::partial(self.simd, &self.lines[v][plane][from..from + len]);
            }
        }
        let results = self.vector::<K, WATCH>(vector, values);
        for (v, outs) in self.outs.iter_mut().enumerate() {
            for plane in 0..PLANES {
                let values: &[T] = cast_slice(&results[plane][v..v + 1]);
                outs[plane][from..from + len].copy_from_slice(&values[..len]);
            }
        }
    }
}
