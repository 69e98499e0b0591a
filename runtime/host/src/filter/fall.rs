//! Filtering along an axis that lies across memory, by stages: rows enter pair by pair, and what stages
//! delay waits in a line for the next ones.

use super::cascade::Cascade;
use super::known::{Factors, Known, Listed};
use super::pairs::Ahead;
use super::pass::pass;
use super::past::{columns, columns_room};
use super::pour::{Pour, alike, pours};
use super::store::ALIGNMENT;
use super::taps::PLANES;
use crate::element::Element;
use crate::seam::{Passage, past_caches};
use pulp::Simd;
use pulp::bytemuck::cast_slice;
use waveloom_codegen::kernel::Side;

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
    /// For both outputs, whether they may go past the caches, and room for them on the way.
    pub(super) past: [Option<&'b Passage>; PLANES],
    pub(super) stage: &'b mut [T],
    /// A bound of the magnitude of integers that entered, if they are examined.
    pub(super) examined: &'b mut Option<u64>,
}

/// Elements of the state of rows.
pub(super) fn state<T: Element>(cascade: &Cascade<T>, len: usize) -> usize {
    cascade.stages.len() * (len + 2 * ALIGNMENT / T::TYPE.bytes())
}

impl<T: Element> Listed<T> for Fall<'_, '_, T> {
    const OUTPUT: Option<Side> = None;

    #[inline(always)]
    fn run<S: Simd, K: Known>(self, simd: S) {
        if const { !T::ROUNDS } {
            return self.all::<S, K, false, false>(simd);
        }
        // Where there is no list there is one loop.
        if const { K::COUNT == 0 } || self.examined.is_some() {
            self.all::<S, K, true, false>(simd);
        } else {
            self.all::<S, K, false, false>(simd);
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
    past: [Option<&'b Passage>; PLANES],
    stage: &'b mut [T],
    ahead: &'b mut Ahead<'d, T>,
    /// See [`super::vectors::Vectors::watch`].
    seen: &'b mut T::Vector<S>,
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
impl<T: Element> Fall<'_, '_, T> {
    /// All of them; `PLAIN` says that columns are whole vectors, and that outputs stay in the caches.
    #[inline(always)]
    pub(super) fn all<S: Simd, K: Known, const WATCH: bool, const PLAIN: bool>(self, simd: S) {
        let Self { cascade, state, skew, lines, outs, mut ahead, past, stage, examined } = self;
        let state = T::vectors_mut::<S>(state);
        let factors = Factors::new::<K>(simd, cascade);
        let mut seen = T::splat(simd, T::default());
        let warm = lines.len() - outs.len();
        let mut at = 0;
        while at < lines.len() {
            let (state, ahead, seen) = (&mut *state, &mut ahead, &mut seen);
            let stage = &mut *stage;
            match lines[at..].first_chunk::<FALL>() {
                Some(lines) if at >= warm => {
                    let outs = &mut outs[at - warm..at - warm + FALL];
                    Rows { simd, cascade, factors, state, lines, outs, past, stage, ahead, seen }
                        .pass::<K, WATCH, PLAIN>(skew);
                    at += FALL;
                }
                _ => {
                    let wanted = at.saturating_sub(warm)..(at + 1).saturating_sub(warm);
                    let (lines, outs) = (&[lines[at]], &mut outs[wanted]);
                    Rows { simd, cascade, factors, state, lines, outs, past, stage, ahead, seen }
                        .pass::<K, WATCH, PLAIN>(skew);
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
impl<'b, S: Simd, T: Element, const B: usize> Rows<'b, '_, '_, S, T, B> {
    #[inline(always)]
    fn pass<K: Known, const WATCH: bool, const PLAIN: bool>(mut self, skew: usize) {
        let (len, lanes) = (self.lines[0][0].len(), T::lanes::<S>());
        let skew = if lanes > 1 { (skew % lanes).min(len) } else { 0 };
        let count = (len - skew) / lanes;
        let end = skew + count * lanes;
        if !PLAIN {
            self.some::<K, WATCH>((0, skew), 0);
        }
        // Outputs that go past the caches are made some columns at a time, if they do not go straight there.
        let passes = !PLAIN && (self.past[0].is_some() || self.past[1].is_some());
        if !PLAIN
            && passes
            && const { B == FALL && pours::<S, T>() }
            && self.outs.len() == B
            && count > 0
        {
            self.pour::<K, WATCH>(skew, count);
            self.some::<K, WATCH>((end, len - end), count + 1);
            return;
        }
        let most = if passes { columns::<T>() / lanes } else { count };
        let mut at = 0;
        while at < count {
            let some = most.min(count - at);
            self.whole::<K, WATCH, PLAIN>((skew + at * lanes, some), at + 1);
            at += some;
        }
        if !PLAIN {
            self.some::<K, WATCH>((end, len - end), count + 1);
        }
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
        pass::<S, T, K, B, true>(self.simd, (self.cascade, &self.factors), behind, values, &mut ())
    }

    /// Neighbouring whole vectors of columns, whose outputs go past the caches straight from registers.
    #[inline(always)]
    fn pour<K: Known, const WATCH: bool>(&mut self, from: usize, count: usize) {
        let len = count * T::lanes::<S>();
        let places = std::mem::take(&mut self.outs);
        let mut outs: [[&mut [T]; PLANES]; FALL] = Default::default();
        for (outs, places) in outs.iter_mut().zip(&mut *places) {
            for (out, to) in outs.iter_mut().zip(places) {
                *out = &mut to[from..from + len];
            }
        }
        if alike(&outs) == Some(0) {
            self.vectors::<K, WATCH, false>(from, count, outs);
        } else {
            self.vectors::<K, WATCH, true>(from, count, outs);
        }
        self.outs = places;
    }

    /// The same; `SHIFT` says that they do not begin where lines of the caches do.
    #[inline(always)]
    fn vectors<K: Known, const WATCH: bool, const SHIFT: bool>(
        &mut self,
        from: usize,
        count: usize,
        outs: [[&mut [T]; PLANES]; FALL],
    ) {
        let (simd, past) = (self.simd, self.past);
        let mut pours = [0; FALL].map(|_| [0; PLANES].map(|_| Pour::none(simd)));
        for (pours, outs) in pours.iter_mut().zip(outs) {
            for (phase, (pour, out)) in pours.iter_mut().zip(outs).enumerate() {
                *pour = Pour::new::<SHIFT>(simd, out, past[phase]);
            }
        }
        let lines = self.vectors_of(from, count);
        for at in 0..count {
            let mut values = [[lines[0][0][at]; B]; PLANES];
            for v in 0..B {
                [values[0][v], values[1][v]] = [lines[v][0][at], lines[v][1][at]];
            }
            let [low, high] = self.vector::<K, WATCH>(1 + at, values);
            for v in 0..B {
                pours[v][0].put::<SHIFT>(at, low[v]);
                pours[v][1].put::<SHIFT>(at, high[v]);
            }
            self.ahead.next();
        }
        for pour in pours.into_iter().flatten() {
            pour.end();
        }
    }

    /// Neighbouring vectors of the rows that enter.
    #[inline(always)]
    fn vectors_of(&self, from: usize, count: usize) -> [[&'b [T::Vector<S>]; PLANES]; B] {
        let len = count * T::lanes::<S>();
        let mut lines: [[&[T::Vector<S>]; PLANES]; B] = [[&[]; PLANES]; B];
        for v in 0..B {
            for plane in 0..PLANES {
                let line = &self.lines[v][plane][from..from + len];
                lines[v][plane] = &T::vectors::<S>(line)[..count];
            }
        }
        lines
    }

    /// Neighbouring vectors of columns, of which the first is a vector of the state.
    #[inline(always)]
    fn whole<K: Known, const WATCH: bool, const PLAIN: bool>(
        &mut self,
        (from, count): (usize, usize),
        first: usize,
    ) {
        let len = count * T::lanes::<S>();
        let lines = self.vectors_of(from, count);
        let mut outs: [[&mut [T::Vector<S>]; PLANES]; FALL] = Default::default();
        let wanted = !self.outs.is_empty();
        let places = std::mem::take(&mut self.outs);
        let stage = std::mem::take(&mut self.stage);
        if wanted {
            let mut rest = &mut *stage;
            for (outs, places) in outs.iter_mut().zip(&mut places[..B]) {
                for (plane, (out, to)) in outs.iter_mut().zip(places).enumerate() {
                    let room = rest.len().min(columns_room::<T>());
                    let (row, behind) = rest.split_at_mut(room);
                    rest = behind;
                    let to = match self.past[plane] {
                        Some(_) if !PLAIN => &mut row[..len],
                        _ => &mut to[from..from + len],
                    };
                    *out = &mut T::vectors_mut::<S>(to)[..count];
                }
            }
        }
        for at in 0..count {
            let mut values = [[lines[0][0][at]; B]; PLANES];
            for v in 0..B {
                [values[0][v], values[1][v]] = [lines[v][0][at], lines[v][1][at]];
            }
            let [low, high] = self.vector::<K, WATCH>(first + at, values);
            if wanted {
                for v in 0..B {
                    [outs[v][0][at], outs[v][1][at]] = [low[v], high[v]];
                }
            }
            self.ahead.next();
        }
        let rows = stage.chunks(columns_room::<T>());
        for (at, (to, row)) in places.as_flattened_mut().iter_mut().zip(rows).enumerate() {
            if let (Some(passage), true) = (self.past[at % PLANES], !PLAIN) {
                past_caches(passage, &mut to[from..from + len], row);
            }
        }
        self.outs = places;
        self.stage = stage;
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
