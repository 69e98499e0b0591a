//! Stages of both of two axes, some columns at a time: rows pass across and, while that is in the nearest cache,
//! along. Whole rows between the axes would have to go to the next cache and back.
//!
//! What the ends of rows need passes across first, and whole. Columns between them pass in turn; what stages along a
//! row delay waits until the row's next columns come.

use super::along::count;
use super::cascade::{Cascade, MOST_STAGES};
use super::course::Flow;
use super::exchange::Halves;
use super::fall::{FALL, Fall, state};
use super::grid::{Frame, Grid};
use super::known::{Factors, Known, Listed, MOST_FIXED, Stages};
use super::lines::unit;
use super::pairs::Ahead;
use super::row::Arrays;
use super::store::Line;
use super::strips::{Kind, output};
use super::taps::PLANES;
use super::vectors::Aligned;
use crate::element::Element;
use pulp::Simd;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bytes of a plane of a row that pass at a time: those of all rows of a batch are 8 KiB, a sixth of a usual nearest cache.
const CHUNK_BYTES: usize = 512;

/// Rows of fewer chunks between their ends are not worth a way of their own.
const LEAST_CHUNKS: usize = 2;

/// Ends of a row.
const ENDS: usize = 2;

/// Rows of a batch.
pub(super) const ROWS: usize = PLANES * FALL;

/// Pairs of a chunk.
const fn chunk<T>() -> usize {
    CHUNK_BYTES / size_of::<T>()
}

/// Elements between the axes that pass at a time.
pub(super) const fn narrow<T>() -> usize {
    ROWS * PLANES * chunk::<T>()
}

/// How rows are cut, the same for all rows of an axis.
pub(super) struct Woven<'a> {
    /// The stages.
    list: Stages,
    grid: Grid<'a>,
    /// Elements of a pair in a row that enters.
    step: usize,
    /// Per part of such a row: its columns, and those that neither end reads.
    lens: [usize; PLANES],
    inner: [Range<usize>; PLANES],
}

/// Columns that pass at a time.
struct Cut {
    /// Per part of a row.
    columns: [Range<usize>; PLANES],
    /// Columns before those whose delayed rows are kept before theirs.
    kept: [usize; PLANES],
    /// The pairs that pass along behind, if these columns are between the ends.
    pairs: Range<i64>,
}

impl<'a> Woven<'a> {
    /// For rows whose parts have so many elements; vectors along begin `skew` pairs behind the first output, and
    /// windows of an end have room for `room` pairs. `None` if rows are too short, or if their ends read what is
    /// between them.
    pub(super) fn new<T: Element>(
        list: Stages,
        frame: &Frame<'a>,
        lens: [usize; PLANES],
        skew: usize,
        room: usize,
    ) -> Option<Self> {
        let grid = frame.grid(unit::<T>(), skew);
        if count(&grid.middle) < LEAST_CHUNKS * chunk::<T>() {
            return None;
        }
        let ends = [grid.middle.start, grid.middle.end].map(|k| frame.from(k + frame.high));
        let inner = [0, 1].map(|part| ends[0][part]..ends[1][part]);
        let side = frame.axis.operation.input();
        for window in [&grid.head, &grid.tail] {
            if window.len() + 2 * unit::<T>() > room {
                return None;
            }
            for place in window.edges.iter().copied().flatten().filter_map(|edge| edge.place) {
                let part = if side == Side::Bands { place.bit } else { 0 };
                if inner[part].contains(&place.index) {
                    return None;
                }
            }
        }
        // Ends are whole vectors, too.
        let parts = if side == Side::Bands { PLANES } else { 1 };
        if (0..parts).any(|part| {
            let ends = [inner[part].start, lens[part].saturating_sub(inner[part].end)];
            ends.iter().any(|columns| columns.next_multiple_of(unit::<T>()) > lens[part])
        }) {
            return None;
        }
        let step = if side == Side::Bands { 1 } else { PLANES };
        Some(Self { list, grid, step, lens, inner })
    }

    /// How often columns pass.
    fn cuts<T>(&self) -> usize {
        ENDS + count(&self.grid.middle).div_ceil(chunk::<T>())
    }

    /// First both ends, then what is between them.
    #[inline(always)]
    fn cut<T>(&self, at: usize) -> Cut {
        let Self { grid, step, lens, inner, .. } = self;
        // Ends are whole vectors: what they share with others passes twice.
        let whole =
            |columns: usize, part: usize| columns.next_multiple_of(unit::<T>()).min(lens[part]);
        let ends = [0, 1].map(|part| {
            let behind = lens[part].saturating_sub(inner[part].end);
            [whole(inner[part].start, part), whole(behind, part)]
        });
        let first = grid.middle.start;
        let [mut columns, mut kept] = [[0; PLANES]; 2];
        let mut len = [0; PLANES];
        let mut pairs = first..first;
        if at < ENDS {
            for part in 0..PLANES {
                len[part] = ends[part][at];
                columns[part] = if at == 0 { 0 } else { lens[part] - len[part] };
                kept[part] = if at == 0 { 0 } else { room::<T>(ends[part][0]) };
            }
        } else {
            let from = (at - ENDS) * chunk::<T>();
            let to = (from + chunk::<T>()).min(count(&grid.middle));
            pairs = first + from as i64..first + to as i64;
            for part in 0..PLANES {
                columns[part] = inner[part].start + step * from;
                len[part] = step * (to - from);
                kept[part] = room::<T>(ends[part][0]) + room::<T>(ends[part][1]) + step * from;
            }
        }
        Cut { columns: [0, 1].map(|part| columns[part]..columns[part] + len[part]), kept, pairs }
    }
}

/// Columns of an end, and such that are no whole vectors before and behind.
const fn room<T>(columns: usize) -> usize {
    columns + 2 * unit::<T>()
}

/// Elements of what is delayed across of rows of some elements, however they are cut.
pub(super) fn kept<T: Element>(cascade: &Cascade<T>, len: usize) -> usize {
    state(cascade, len + ENDS * (room::<T>(0) + unit::<T>()))
}

/// Pairs of rows on their way across and then along.
pub struct Weave<'a, 'b, 'c, T> {
    pub(super) cascade: &'a Cascade<T>,
    pub(super) frame: &'b Frame<'a>,
    pub(super) woven: &'b Woven<'a>,
    /// Pairs of rows that enter, per part of a row.
    pub(super) lines: [&'b [[&'b [T]; PLANES]]; PLANES],
    /// Where the outputs of every row go, as far as they have places; none, if they are not wanted.
    pub(super) outs: &'b mut [Option<Arrays<'c, T>>],
    /// Rows between the axes, of which the ends are used; elements of a row, and before its second part.
    pub(super) between: &'b mut [T],
    pub(super) pitch: usize,
    pub(super) second: usize,
    /// Columns between the axes: [`narrow`] elements.
    pub(super) narrow: &'b mut [T],
    /// What is delayed across, per part of a row.
    pub(super) state: [&'b mut [T]; PLANES],
    /// Room for what stands at the ends of rows.
    pub(super) planes: &'b mut [Line<T>; PLANES],
    /// A bound of the magnitude of integers that entered, if they are examined.
    pub(super) examined: &'b mut Option<u64>,
}

impl<T: Element, const JOINED: bool> Listed<T> for Kind<Weave<'_, '_, '_, T>, JOINED> {
    const OUTPUT: Option<Side> = Some(output(JOINED));

    #[inline(always)]
    fn run<S: Simd, K: Known>(self, simd: S) {
        // Without vectors there is one loop for all lists.
        if const { T::ROUNDS } && (const { K::COUNT == 0 } || self.0.examined.is_some()) {
            self.0.all::<S, K, JOINED, true>(simd);
        } else {
            self.0.all::<S, K, JOINED, false>(simd);
        }
    }
}

// Everything below is compiled for the instruction set of the work around it, which reaches only
// what is inlined for certain: loops instead of closures and iterators.
#[allow(clippy::needless_range_loop)]
impl<T: Element> Weave<'_, '_, '_, T> {
    /// The stages.
    pub(super) fn list(&self) -> Stages {
        self.woven.list
    }

    /// Whether rows become signals.
    pub(super) fn joined(&self) -> bool {
        self.frame.axis.operation.output() == Side::Signal
    }

    #[inline(always)]
    fn all<S: Simd, K: Known, const JOINED: bool, const WATCH: bool>(self, simd: S) {
        let Self { cascade, frame, woven, lines, outs, between, pitch, second, narrow, .. } = self;
        let Self { state: kept, planes, examined, .. } = self;
        let [even, odd] = planes;
        let planes = [even.all_mut(), odd.all_mut()];
        let zero = T::splat(simd, T::default());
        let (factors, halves) = (Factors::new::<K>(simd, cascade), Halves::new(simd));
        let (behind, seen) = (Aligned([zero; MOST_STAGES]), zero);
        let mut flow =
            Flow::<S, T, false> { simd, cascade, factors, halves, frame, planes, behind, seen };
        let stages = if K::COUNT > 0 { K::COUNT } else { cascade.stages.len() };
        let (parts, pairs) = (if JOINED { PLANES } else { 1 }, lines[0].len().min(FALL));
        let wanted = if outs.is_empty() { 0 } else { pairs };
        let grid = &woven.grid;
        let mut delayed = Aligned([[zero; MOST_FIXED]; ROWS]);
        let (mut at, cuts) = (0, woven.cuts::<T>());
        while at < cuts {
            let cut = woven.cut::<T>(at);
            let inside = at >= ENDS;
            for part in 0..parts {
                let columns = &cut.columns[part];
                let (len, begin) = match inside {
                    true => (PLANES * chunk::<T>(), part * chunk::<T>()),
                    false => (pitch, part * second + columns.start),
                };
                let mut entering: [[&[T]; PLANES]; FALL] = [[&[]; PLANES]; FALL];
                let mut made: [[&mut [T]; PLANES]; FALL] = Default::default();
                let mut rest = if inside { &mut *narrow } else { &mut *between };
                for pair in 0..pairs {
                    for phase in 0..PLANES {
                        let line = lines[part][pair][phase];
                        entering[pair][phase] = &line[columns.start..columns.end];
                        let (row, behind) = rest.split_at_mut(len);
                        rest = behind;
                        made[pair][phase] = &mut row[begin..begin + columns.len()];
                    }
                }
                let state = &mut kept[part][stages * cut.kept[part]..];
                let (lines, outs) = (&entering[..pairs], &mut made[..wanted]);
                let (skew, ahead, past) = (0, Ahead::default(), [None; PLANES]);
                let (stage, examined) = (&mut [][..], &mut *examined);
                Fall { cascade, state, skew, lines, outs, ahead, past, stage, examined }
                    .all::<S, K, WATCH, true>(simd);
            }
            at += 1;
            if at < ENDS {
                continue;
            }
            // Ends are filled before any is read: vectors would wait for values that were just stored one by one.
            if !inside {
                for row in 0..outs.len() {
                    if outs[row].is_some() {
                        let line = &between[row * pitch..(row + 1) * pitch];
                        let behind = if JOINED { &line[second..] } else { line };
                        flow.fill::<JOINED>(grid, row, [line, behind]);
                    }
                }
            }
            for row in 0..outs.len() {
                let Some(out) = &mut outs[row] else { continue };
                let mut to = out.both();
                for stage in 0..stages {
                    flow.behind.0[stage] = delayed.0[row][stage];
                }
                if inside {
                    let (len, [low, high]) = (count(&cut.pairs), frame.place(cut.pairs.start));
                    let [first, other] = &mut to;
                    let to = match JOINED {
                        true => [&mut first[low..low + 2 * len], &mut [][..]],
                        false => [&mut first[low..low + len], &mut other[high..high + len]],
                    };
                    let begin = row * PLANES * chunk::<T>();
                    let made = &narrow[begin..begin + PLANES * chunk::<T>()];
                    let made = [made, if JOINED { &made[chunk::<T>()..] } else { made }];
                    flow.plain::<K, JOINED>(made, [0; PLANES], to);
                } else {
                    let begin = flow.begin(grid, row, 0);
                    flow.end::<K, JOINED>(&grid.head, begin, &mut to);
                }
                if at == cuts {
                    let begin = flow.begin(grid, row, 1);
                    flow.end::<K, JOINED>(&grid.tail, begin, &mut to);
                }
                for stage in 0..stages {
                    delayed.0[row][stage] = flow.behind.0[stage];
                }
            }
        }
    }
}
