//! Where the vectors of a row are that passes through stages from end to end, and what stands at its
//! ends.

use super::along::{Last, intersection, outside};
use super::store::ALIGNMENT;
use super::strays::Strays;
use super::taps::PLANES;
use crate::edges::{Axis, Edge};
use crate::element::Element;
use crate::ends::Ends;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Rows of fewer vectors are not worth stores at aligned places, which take a vector more.
const ALIGNED: i64 = 32;

/// What all rows of an axis have in common, in pairs.
pub(super) struct Frame<'a> {
    pub(super) axis: &'a Axis,
    /// Pairs of which elements of both planes are read, and written.
    pub(super) both: Range<i64>,
    pub(super) placed: Range<i64>,
    /// The newest pair that an output depends on, from the output's; and how many before that.
    pub(super) high: i64,
    reach: i64,
    /// Elements of a pair in an array that is read, and written; where that of pair 0 would be.
    steps: [i64; 2],
    from: [i64; PLANES],
    pub(super) to: [i64; PLANES],
}

/// Vectors at an end of a row, which read what stands beyond it, or whose outputs have not all places.
pub(super) struct Window<'a> {
    /// Pairs whose outputs are made.
    pub(super) pairs: Range<i64>,
    /// Pairs that are read and are elements of both planes.
    pub(super) both: Range<i64>,
    /// Those that are elements of one plane alone, and what stands where no elements are.
    pub(super) lone: [[Range<i64>; 2]; PLANES],
    pub(super) edges: [&'a [Edge]; PLANES],
    /// The same, if all are single values. Places count from the first pair that is read.
    pub(super) strays: Option<Strays>,
    /// Where outputs have places: pairs of each band, or positions of the signal.
    pub(super) wanted: [Range<i64>; PLANES],
}

/// The vectors of a row.
pub(super) struct Grid<'a> {
    pub(super) head: Window<'a>,
    /// Outputs of whole vectors that read elements alone.
    pub(super) middle: Range<i64>,
    pub(super) tail: Window<'a>,
}

/// The vectors of all rows of an axis.
pub(super) struct Grids<'a> {
    pub(super) frame: Frame<'a>,
    /// By the places of rows in a line of the cache, as pairs before the first whole vector.
    pub(super) grids: [Option<Grid<'a>>; ALIGNMENT / 4],
}

impl Window<'_> {
    /// Pairs.
    pub(super) fn len(&self) -> usize {
        (self.pairs.end - self.pairs.start) as usize
    }
}

impl<'a> Grids<'a> {
    pub(super) fn new<T: Element>(last: &Last<'a, T>) -> Self {
        Self { frame: Frame::new(last), grids: [const { None }; ALIGNMENT / 4] }
    }
}

impl<'a> Frame<'a> {
    fn new<T: Element>(last: &Last<'a, T>) -> Self {
        let axis = last.axis;
        let (input, output) = (axis.input(), axis.output());
        let origin = |ends: &Ends<'_>, bit: usize| {
            let first = ends.interior(bit).start;
            ends.index(bit, first) as i64 - ends.step() as i64 * first
        };
        Self {
            both: intersection(&input.interior(0), &input.interior(1)),
            placed: intersection(&output.interior(0), &output.interior(1)),
            high: last.filter.high,
            reach: last.filter.reach() as i64,
            steps: [input.step() as i64, output.step() as i64],
            from: [origin(&input, 0), origin(&input, 1)],
            to: [origin(&output, 0), origin(&output, 1)],
            axis,
        }
    }

    /// The first elements of a pair that is read.
    #[inline(always)]
    pub(super) fn from(&self, k: i64) -> [usize; PLANES] {
        let at = self.steps[0] * k;
        [(at + self.from[0]) as usize, (at + self.from[1]) as usize]
    }

    /// Where the outputs of a pair go.
    #[inline(always)]
    pub(super) fn place(&self, k: i64) -> [usize; PLANES] {
        let at = self.steps[1] * k;
        [(at + self.to[0]) as usize, (at + self.to[1]) as usize]
    }

    /// Pairs before the first whose outputs lie at a multiple of `bytes` in the array `first`.
    #[inline(always)]
    pub(super) fn skew<T>(&self, first: &[T], bytes: usize) -> usize {
        let lanes = bytes / size_of::<T>();
        if self.placed.end - self.placed.start < ALIGNED * lanes as i64 {
            return 0;
        }
        let bytes = bytes - 1;
        let place = first.as_ptr().addr() + self.place(self.placed.start)[0] * size_of::<T>();
        let skew = (place.wrapping_neg() & bytes) / size_of::<T>();
        let step = self.steps[1] as usize;
        if skew.is_multiple_of(step) { skew / step } else { 0 }
    }

    /// Vectors of `lanes` pairs, of which the first whole one begins `skew` pairs behind the first
    /// place.
    pub(super) fn grid(&self, lanes: usize, skew: usize) -> Grid<'a> {
        let (lanes, pairs) = (lanes as i64, &self.axis.pairs);
        let origin = self.placed.start.clamp(pairs.start, pairs.end) + skew as i64;
        // The last place of the grid that is not behind a pair, and the first that is not before it.
        let before = |k: i64| origin - (origin - k + lanes - 1).div_euclid(lanes) * lanes;
        let behind = |k: i64| origin + (k - origin + lanes - 1).div_euclid(lanes) * lanes;
        let (start, end) = (before(pairs.start - self.reach), behind(pairs.end));
        let inside = intersection(&self.placed, pairs);
        let from = behind(inside.start.max(self.both.start - self.high));
        let to = before(inside.end.min(self.both.end - self.high));
        let middle = if from < to { from..to } else { end..end };
        let (head, tail) = (self.window(start..middle.start), self.window(middle.end..end));
        Grid { head, middle, tail }
    }

    fn window(&self, pairs: Range<i64>) -> Window<'a> {
        let (input, output) = (self.axis.input(), self.axis.output());
        let loaded = pairs.start + self.high..pairs.end + self.high;
        let wanted = intersection(&self.axis.pairs, &pairs);
        let signal = &self.axis.geometry.signal;
        let mut window = Window {
            strays: None,
            both: intersection(&self.both, &loaded),
            lone: [0, 1].map(|bit| {
                let inside = intersection(&input.interior(bit), &loaded);
                outside(&inside, &self.both)
            }),
            edges: [0, 1].map(|bit| self.axis.loads(bit, &loaded)),
            wanted: match self.axis.operation.output() {
                Side::Bands => [0, 1].map(|bit| intersection(&output.interior(bit), &wanted)),
                Side::Signal => {
                    let positions = 2 * wanted.start..2 * wanted.end;
                    [intersection(&(signal.start..signal.end()), &positions), 0..0]
                }
            },
            pairs,
        };
        window.strays = self.strays(&window, loaded.start);
        window
    }

    /// What a window does not read with its neighbours, from the first pair on.
    fn strays(&self, window: &Window<'_>, first: i64) -> Option<Strays> {
        let bands = self.axis.operation.input() == Side::Bands;
        let mut strays = Strays::default();
        for plane in 0..PLANES {
            for k in window.lone[plane].iter().cloned().flatten() {
                let array = if bands { plane } else { 0 };
                strays.push(plane, (k - first) as usize, Some((array, self.from(k)[plane])))?;
            }
            let mut last = None;
            for Edge { k, place, .. } in window.edges[plane] {
                if last.replace(*k) == Some(*k) || place.is_some_and(|place| place.weight != 1) {
                    return None;
                }
                let from = place.map(|place| (if bands { place.bit } else { 0 }, place.index));
                strays.push(plane, (k - first) as usize, from)?;
            }
        }
        Some(strays)
    }
}
