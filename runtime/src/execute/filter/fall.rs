//! Filtering along an axis that lies across memory, by stages: rows enter pair by pair, and what stages
//! delay waits in a line for the next ones.

use super::cascade::Cascade;
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
}

/// Elements of the state of rows.
pub(super) fn state<T: Element>(cascade: &Cascade<T>, len: usize) -> usize {
    cascade.stages.len() * (len + 2 * ALIGNMENT / T::KIND.bytes())
}

impl<T: Element> WithSimd for Fall<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let warm = self.lines.len() - self.outs.len();
        let outs = std::mem::take(&mut self.outs);
        let (early, lines) = self.lines.split_at(warm);
        for line in early {
            self.rows::<S, 1>(simd, &[*line], &mut []);
        }
        let (whole, rest) = lines.as_chunks::<FALL>();
        let (whole_outs, rest_outs) = outs.as_chunks_mut::<FALL>();
        for (lines, outs) in whole.iter().zip(whole_outs) {
            self.rows::<S, FALL>(simd, lines, outs);
        }
        for (line, outs) in rest.iter().zip(rest_outs.as_chunks_mut::<1>().0) {
            self.rows::<S, 1>(simd, &[*line], outs);
        }
    }
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop)]
impl<T: Element> Fall<'_, '_, T> {
    /// `B` pairs of rows; without outputs, if none are given.
    #[inline(always)]
    fn rows<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        lines: &[[&[T]; PLANES]; B],
        outs: &mut [[&mut [T]; PLANES]],
    ) {
        let (len, lanes) = (lines[0][0].len(), T::lanes::<S>());
        let skew = if lanes > 1 { (self.skew % lanes).min(len) } else { 0 };
        let count = (len - skew) / lanes;
        let end = skew + count * lanes;
        self.some::<S, B>(simd, lines, outs, (0, skew), 0);
        self.whole::<S, B>(simd, lines, outs, (skew, count));
        self.some::<S, B>(simd, lines, outs, (end, len - end), count + 1);
    }

    /// Neighbouring vectors of columns.
    #[inline(always)]
    fn whole<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        lines: &[[&[T]; PLANES]; B],
        outs: &mut [[&mut [T]; PLANES]],
        (from, count): (usize, usize),
    ) {
        if count == 0 {
            return;
        }
        let len = count * T::lanes::<S>();
        let stages = self.cascade.stages.len();
        let state = &mut T::vectors_mut::<S>(self.state)[stages..(count + 1) * stages];
        let mut values: [[&[T::Vector<S>]; PLANES]; B] = [[&[]; PLANES]; B];
        for v in 0..B {
            for plane in 0..PLANES {
                let line = &lines[v][plane][from..from + len];
                values[v][plane] = &T::vectors::<S>(line)[..count];
            }
        }
        let mut places: [[&mut [T::Vector<S>]; PLANES]; FALL] = Default::default();
        let wanted = !outs.is_empty();
        if wanted {
            let outs = &mut outs[..B];
            for (place, [low, high]) in places.iter_mut().zip(outs) {
                *place = [
                    &mut T::vectors_mut::<S>(&mut low[from..from + len])[..count],
                    &mut T::vectors_mut::<S>(&mut high[from..from + len])[..count],
                ];
            }
        }
        for at in 0..count {
            let (mut first, mut second) = ([values[0][0][at]; B], [values[0][1][at]; B]);
            for v in 1..B {
                [first[v], second[v]] = [values[v][0][at], values[v][1][at]];
            }
            let behind = &mut state[at * stages..(at + 1) * stages];
            let [low, high] = pass::<S, T, B, true>(simd, self.cascade, behind, [first, second]);
            if wanted {
                for v in 0..B {
                    [places[v][0][at], places[v][1][at]] = [low[v], high[v]];
                }
            }
        }
    }

    /// Columns that are no whole vector.
    #[inline(always)]
    fn some<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        lines: &[[&[T]; PLANES]; B],
        outs: &mut [[&mut [T]; PLANES]],
        (from, len): (usize, usize),
        vector: usize,
    ) {
        if len == 0 {
            return;
        }
        let stages = self.cascade.stages.len();
        let behind = &mut T::vectors_mut::<S>(self.state)[vector * stages..(vector + 1) * stages];
        let mut values = [[T::splat(simd, T::default()); B]; PLANES];
        for plane in 0..PLANES {
            for v in 0..B {
                values[plane][v] = T::partial(simd, &lines[v][plane][from..from + len]);
            }
        }
        let results = pass::<S, T, B, true>(simd, self.cascade, behind, values);
        for (v, outs) in outs.iter_mut().enumerate() {
            for plane in 0..PLANES {
                let values: &[T] = cast_slice(&results[plane][v..v + 1]);
                outs[plane][from..from + len].copy_from_slice(&values[..len]);
            }
        }
    }
}
