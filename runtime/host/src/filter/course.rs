//! Rows from end to end through stages along the last axis: vectors of pairs on a grid, and what stands
//! beyond the ends in short planes of its own.

use super::cascade::{Cascade, MOST_STAGES};
use super::exchange::Halves;
use super::grid::{Frame, Grid, Grids};
use super::known::{Factors, Known, Listed};
use super::lines::unit;
use super::pass::pass;
use super::past::phase;
use super::pour::{LONG, Pour, alike, pours};
use super::row::Arrays;
use super::store::{ALIGNMENT, Line};
use super::strips::{Kind, output};
use super::taps::PLANES;
use super::vectors::Aligned;
use crate::element::Element;
use crate::seam::{Passage, past_caches};
use pulp::Simd;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Vectors of both planes that pass together.
const BLOCK: usize = 4;

/// Most rows whose ends are filled together.
pub(super) const MOST_FILLED: usize = 8;

/// A row on its way along the last axis.
pub struct Course<'r, T> {
    /// A signal, or two bands.
    pub(super) input: [&'r [T]; PLANES],
    pub(super) output: Arrays<'r, T>,
}

/// Rows that pass one after the other.
pub struct Courses<'a, 'b, 'r, T> {
    pub(super) cascade: &'a Cascade<T>,
    /// Where the vectors of rows are, as far as that is known.
    pub(super) grids: &'b mut Grids<'a>,
    pub(super) rows: &'b mut [Option<Course<'r, T>>],
    /// Room for what stands at the ends: more than all windows of a row, usually those of several.
    pub(super) planes: &'b mut [Line<T>; PLANES],
    /// Per phase of a row: which of its outputs may go past the caches; and room for a row of them.
    pub(super) past: [[Option<&'b Passage>; PLANES]; PLANES],
    pub(super) stage: &'b mut [T],
    /// A bound of the magnitude of integers that were read, if they are examined.
    pub(super) examined: &'b mut Option<u64>,
}

/// Elements of a stage of rows.
pub(super) fn row_stage<T: Element>(elements: usize) -> usize {
    elements + 4 * ALIGNMENT / T::TYPE.bytes()
}

impl<T: Element> Courses<'_, '_, '_, T> {
    /// Whether rows become signals.
    pub(super) fn joined(&self) -> bool {
        let mut rows = self.rows.iter().flatten();
        rows.next().is_some_and(|row| matches!(row.output, Arrays::Signal(_)))
    }
}

impl<T: Element, const JOINED: bool> Listed<T> for Kind<Courses<'_, '_, '_, T>, JOINED> {
    const OUTPUT: Option<Side> = Some(output(JOINED));

    #[inline(always)]
    fn run<S: Simd, K: Known>(self, simd: S) {
        let courses = self.0;
        if const { !T::ROUNDS } {
            return courses.rows::<S, K, JOINED, false>(simd);
        }
        // Where there is no list there is one loop.
        if const { K::COUNT == 0 } || courses.examined.is_some() {
            courses.rows::<S, K, JOINED, true>(simd);
        } else {
            courses.rows::<S, K, JOINED, false>(simd);
        }
    }
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop)]
impl<T: Element> Courses<'_, '_, '_, T> {
    #[inline(always)]
    fn rows<S: Simd, K: Known, const JOINED: bool, const WATCH: bool>(self, simd: S) {
        let Self { cascade, grids, rows, planes, past, stage, examined } = self;
        let Grids { frame, grids } = grids;
        let [even, odd] = planes;
        let (even, odd) = (even.all_mut(), odd.all_mut());
        let zero = T::splat(simd, T::default());
        let (behind, seen) = (Aligned([zero; MOST_STAGES]), zero);
        let (frame, planes) = (&*frame, [even, odd]);
        let (factors, halves) = (Factors::new::<K>(simd, cascade), Halves::new(simd));
        let mut flow =
            Flow::<S, T, WATCH> { simd, cascade, factors, halves, frame, planes, behind, seen };
        let mut at = 0;
        while at < rows.len() {
            // The ends of several rows are filled before any is read: vectors would wait for values that
            // were just stored one by one.
            let first = at;
            let mut filled = 0;
            while at < rows.len() && filled < MOST_FILLED {
                let Some(Course { input, output }) = &rows[at] else {
                    at += 1;
                    continue;
                };
                let skew = frame.skew(output.first(), size_of::<T::Vector<S>>());
                let Some(grid) = grids.get_mut(skew) else { break };
                let grid = &*grid.get_or_insert_with(|| frame.grid(T::lanes::<S>(), skew));
                let fits = flow.fits(grid);
                if !fits && filled > 0 {
                    break;
                }
                flow.fill::<JOINED>(grid, filled, *input);
                filled += 1;
                at += 1;
                if !fits {
                    break;
                }
            }
            filled = 0;
            for row in first..at {
                let Some(Course { input, output }) = &mut rows[row] else { continue };
                let skew = frame.skew(output.first(), size_of::<T::Vector<S>>());
                let Some(Some(grid)) = grids.get(skew) else { continue };
                let past = past[row % PLANES];
                let mut to = output.both();
                if const { pours::<S, T>() } {
                    flow.row::<K, JOINED>((grid, filled), *input, to, past);
                    filled += 1;
                    continue;
                }
                // Outputs that go past the caches are made at places that lie alike.
                let places = [phase(to[0]), phase(to[1])];
                let mut made: [&mut [T]; PLANES] = [&mut [], &mut []];
                let mut rest = &mut *stage;
                for (plane, (made, to)) in made.iter_mut().zip(&mut to).enumerate() {
                    let (place, len) = (places[plane], to.len());
                    let mut room = 0;
                    if past[plane].is_some() {
                        room = (place + len).next_multiple_of(unit::<T>());
                    }
                    let (front, behind) = rest.split_at_mut(room);
                    rest = behind;
                    *made = if room > 0 { &mut front[place..place + len] } else { &mut **to };
                }
                flow.row::<K, JOINED>((grid, filled), *input, made, [None; PLANES]);
                let mut rest = &*stage;
                for plane in 0..PLANES {
                    if let Some(passage) = past[plane] {
                        let room = (to[plane].len() + places[plane]).next_multiple_of(unit::<T>());
                        let (front, behind) = rest.split_at(room);
                        past_caches(passage, to[plane], &front[places[plane]..]);
                        rest = behind;
                    }
                }
                filled += 1;
            }
        }
        if let Some(largest) = examined {
            *largest = (*largest).max(T::reached::<S>(flow.seen));
        }
    }
}

/// Stages along rows; `WATCH` says that integers are examined.
pub(super) struct Flow<'a, 'b, S: Simd, T: Element, const WATCH: bool> {
    pub(super) simd: S,
    pub(super) cascade: &'a Cascade<T>,
    pub(super) factors: Factors<S, T>,
    pub(super) halves: Halves<S, T>,
    pub(super) frame: &'b Frame<'a>,
    /// Windows at the ends of rows, one in each half or several.
    pub(super) planes: [&'b mut [T]; PLANES],
    /// Per stage: the last vector of what it delays.
    pub(super) behind: Aligned<[T::Vector<S>; MOST_STAGES]>,
    /// See [`super::vectors::Vectors::watch`].
    pub(super) seen: T::Vector<S>,
}

#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Element, const WATCH: bool> Flow<'_, '_, S, T, WATCH> {
    /// A row; `JOINED` says that outputs are those of a signal. What has leave goes past the caches straight from
    /// registers.
    #[inline(always)]
    fn row<K: Known, const JOINED: bool>(
        &mut self,
        (grid, filled): (&Grid<'_>, usize),
        input: [&[T]; PLANES],
        mut output: [&mut [T]; PLANES],
        past: [Option<&Passage>; PLANES],
    ) {
        let windows = [&grid.head, &grid.tail];
        for end in 0..2 {
            let begin = self.begin(grid, filled, end);
            self.end::<K, JOINED>(windows[end], begin, &mut output);
            if end == 0 {
                self.middle::<K, JOINED>(&grid.middle, input, &mut output, past);
            }
        }
    }

    #[inline(always)]
    pub(super) fn pass<K: Known, const B: usize>(
        &mut self,
        values: [[T::Vector<S>; B]; PLANES],
    ) -> [[T::Vector<S>; B]; PLANES] {
        if WATCH {
            for v in 0..B {
                self.seen = T::watch(self.simd, self.seen, values[0][v]);
                self.seen = T::watch(self.simd, self.seen, values[1][v]);
            }
        }
        let factors = (self.cascade, &self.factors);
        pass::<S, T, K, B, false>(self.simd, factors, &mut self.behind.0, values, &mut ())
    }

    /// Whole vectors that read elements alone.
    #[inline(always)]
    fn middle<K: Known, const JOINED: bool>(
        &mut self,
        pairs: &Range<i64>,
        input: [&[T]; PLANES],
        output: &mut [&mut [T]; PLANES],
        past: [Option<&Passage>; PLANES],
    ) {
        let len = (pairs.end - pairs.start) as usize;
        if len == 0 {
            return;
        }
        let to = self.frame.place(pairs.start);
        let [first, second] = output;
        let (first, second) = match JOINED {
            true => (&mut first[to[0]..to[0] + 2 * len], &mut [][..]),
            false => (&mut first[to[0]..to[0] + len], &mut second[to[1]..to[1] + len]),
        };
        let from = self.frame.from(pairs.start + self.frame.high);
        let from = [from[0], if JOINED { from[1] } else { 0 }];
        let rows = [[first, second]];
        let past = [past[0], past[1].filter(|_| !JOINED)];
        // Vectors that go where they lie, and such as are put together to whole lines of the cache.
        if const { pours::<S, T>() } {
            let passes = past[0].is_some() || past[1].is_some();
            let alike = alike(&rows) == Some(0);
            let [rows] = rows;
            match (alike, passes) {
                (true, false) => self.plain::<K, JOINED>(input, from, rows),
                (true, true) => self.vectors::<K, JOINED, false>(input, from, rows, past),
                (false, false) if len < LONG => self.plain::<K, JOINED>(input, from, rows),
                (false, _) => self.vectors::<K, JOINED, true>(input, from, rows, past),
            }
        } else {
            let [rows] = rows;
            self.plain::<K, JOINED>(input, from, rows);
        }
    }

    /// Neighbouring vectors.
    #[inline(always)]
    pub(super) fn plain<K: Known, const JOINED: bool>(
        &mut self,
        input: [&[T]; PLANES],
        from: [usize; PLANES],
        [first, second]: [&mut [T]; PLANES],
    ) {
        let len = if JOINED { first.len() / 2 } else { first.len() };
        let count = len / T::lanes::<S>();
        let first = T::vectors_mut::<S>(first);
        let mut at = 0;
        if JOINED {
            let even = &T::vectors::<S>(&input[0][from[0]..from[0] + len])[..count];
            let odd = &T::vectors::<S>(&input[1][from[1]..from[1] + len])[..count];
            let pairs = &mut first[..2 * count];
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
            let (low, high) = (&mut first[..count], &mut T::vectors_mut::<S>(second)[..count]);
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

    /// The same, whole lines of the cache at a time; `SHIFT` says that vectors do not begin where they do.
    #[inline(always)]
    fn vectors<K: Known, const JOINED: bool, const SHIFT: bool>(
        &mut self,
        input: [&[T]; PLANES],
        from: [usize; PLANES],
        [first, second]: [&mut [T]; PLANES],
        past: [Option<&Passage>; PLANES],
    ) {
        let len = if JOINED { first.len() / 2 } else { first.len() };
        let count = len / T::lanes::<S>();
        let low = Pour::new::<SHIFT>(self.simd, first, past[0]);
        let high = Pour::new::<SHIFT>(self.simd, second, past[1]);
        let mut pours = [low, high];
        let mut at = 0;
        while at + BLOCK <= count {
            self.some_vectors::<K, BLOCK, JOINED, SHIFT>(input, from, at, &mut pours);
            at += BLOCK;
        }
        while at < count {
            self.some_vectors::<K, 1, JOINED, SHIFT>(input, from, at, &mut pours);
            at += 1;
        }
        for pour in pours {
            pour.end();
        }
    }

    /// Vectors from number `at` on.
    #[inline(always)]
    fn some_vectors<K: Known, const B: usize, const JOINED: bool, const SHIFT: bool>(
        &mut self,
        input: [&[T]; PLANES],
        from: [usize; PLANES],
        at: usize,
        pours: &mut [Pour<'_, S, T>; PLANES],
    ) {
        let lanes = T::lanes::<S>();
        let zero = T::splat(self.simd, T::default());
        let [low, high] = pours;
        if JOINED {
            let [even, odd] = [0, 1].map(|bit| {
                let begin = from[bit] + at * lanes;
                T::vectors::<S>(&input[bit][begin..begin + B * lanes])
            });
            let mut values = [[zero; B]; PLANES];
            for v in 0..B {
                [values[0][v], values[1][v]] = [even[v], odd[v]];
            }
            let [even, odd] = self.pass::<K, B>(values);
            let mut pairs = [[zero; 2]; B];
            for v in 0..B {
                pairs[v] = T::merge::<S>([even[v], odd[v]]);
            }
            low.put_all::<SHIFT, 2, B>(2 * at, pairs);
        } else {
            let begin = from[0] + 2 * at * lanes;
            let pairs = T::vectors::<S>(&input[0][begin..begin + 2 * B * lanes]);
            let (mut first, mut second) = ([zero; B], [zero; B]);
            self.apart::<K, B>(pairs, &mut first, &mut second);
            low.put_all::<SHIFT, B, 1>(at, [first]);
            high.put_all::<SHIFT, B, 1>(at, [second]);
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
            [values[0][v], values[1][v]] = self.halves.split([pairs[2 * v], pairs[2 * v + 1]]);
        }
        let values = self.pass::<K, B>(values);
        for v in 0..B {
            [low[v], high[v]] = [values[0][v], values[1][v]];
        }
    }
}
