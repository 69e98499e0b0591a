//! Filtering along the last axis.
//!
//! A row is cut into strips: those at its ends read what stands beyond them, the others read
//! elements alone. Samples of a signal are split into two planes a short run at a time, so that the
//! planes stay in the first-level cache, reads and writes of the row alternate, and the machine's own
//! prefetching follows both.

use super::cascade::Cascade;
use super::past::Outlet;
use super::row::{Row, Rows, Samples};
use super::store::Line;
use super::strips::Inner;
use super::sums::Window;
use super::taps::{Filter, PLANES, Taps};
use crate::ahead::{fetch, fetch_later};
use crate::edges::{Axis, Edge};
use crate::element::Element;
use crate::ends::Ends;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Most pairs of a strip that reads beyond the ends.
pub(super) const LINE_PAIRS: usize = 1024;

/// Rows of fewer pairs are one strip.
const SHORT_PAIRS: i64 = 512;

/// Strips at the ends have a multiple of so many pairs.
const END_PAIRS: i64 = 16;

/// Bytes of a plane's run that is split at a time: before few taps are summed, and before many, which
/// take so long that reads and writes must take turns more often.
const RUN_BYTES: usize = 1024;
const MANY_RUN_BYTES: usize = 512;

/// Bytes of a plane from what is read to what is asked for, where outputs go past the caches.
const LATER_BYTES: usize = 4096;

/// The same in pairs.
const fn later<T>() -> usize {
    LATER_BYTES / size_of::<T>()
}

/// Where the outputs of a strip go.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    /// To their places.
    Places,
    /// To their places, as far as they have any.
    Some,
    /// They are beyond the ends, and are added to the elements that they stand for.
    Folds,
}

/// Neighbouring outputs of a row, and what they need.
#[derive(Clone, Debug)]
pub struct Strip<'a> {
    /// Pairs computed.
    pub(super) pairs: Range<i64>,
    to: To,
    /// Pairs read.
    loaded: Range<i64>,
    /// Those of each plane that are elements of the input, and those of both.
    inside: [Range<i64>; PLANES],
    both: Range<i64>,
    /// Whether all are.
    whole: bool,
    /// What is read beyond the ends.
    edges: [&'a [Edge]; PLANES],
}

/// The last axis.
#[derive(Clone, Copy, Debug)]
pub struct Last<'a, T> {
    pub(super) filter: &'a Filter<T>,
    pub(super) axis: &'a Axis,
}

pub(super) fn intersection(a: &Range<i64>, b: &Range<i64>) -> Range<i64> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

pub(super) fn count(range: &Range<i64>) -> usize {
    (range.end - range.start).max(0) as usize
}

/// What a range has beyond an inner one.
pub(super) fn outside<I: Ord + Copy>(range: &Range<I>, inner: &Range<I>) -> [Range<I>; 2] {
    let start = inner.start.clamp(range.start, range.end);
    let end = inner.end.clamp(start, range.end);
    [range.start..start, end..range.end]
}

impl<'a, T: Element> Last<'a, T> {
    /// Elements of a row: of a signal, or of the two bands.
    pub(super) fn lens(&self, side: Side) -> [usize; PLANES] {
        let geometry = &self.axis.geometry;
        match side {
            Side::Signal => [geometry.signal.len; PLANES],
            Side::Bands => [geometry.low.len, geometry.high.len],
        }
    }

    /// What the first elements of the output's row are.
    pub(super) fn origin(&self) -> [i64; PLANES] {
        let geometry = &self.axis.geometry;
        match self.axis.operation.output() {
            Side::Signal => [geometry.signal.start; PLANES],
            Side::Bands => [geometry.low.start, geometry.high.start],
        }
    }

    /// Pairs that read elements alone.
    pub(super) fn inner(&self) -> Range<i64> {
        let input = self.axis.input();
        let both = intersection(&input.interior(0), &input.interior(1));
        let start = both.start - self.filter.low;
        start..(both.end - self.filter.high).max(start)
    }

    /// Pairs whose outputs both have a place.
    pub(super) fn placed(&self) -> Range<i64> {
        let output = self.axis.output();
        intersection(&output.interior(0), &output.interior(1))
    }

    /// Some pairs in strips.
    pub(super) fn strips(
        &self,
        pairs: &Range<i64>,
    ) -> impl Iterator<Item = Strip<'a>> + use<'a, T> {
        let (last, pairs, placed) = (*self, pairs.clone(), self.placed());
        let inner = self.inner();
        let long = pairs.end - pairs.start >= SHORT_PAIRS;
        let mut at = pairs.start;
        std::iter::from_fn(move || {
            if at >= pairs.end {
                return None;
            }
            let round = |pairs: i64| (pairs + END_PAIRS - 1) / END_PAIRS * END_PAIRS;
            let mut end = pairs.end.min(at + LINE_PAIRS as i64);
            if at < inner.start && long {
                end = end.min(at + round(inner.start - at));
            } else if at >= inner.start && at < inner.end {
                let tail = round((pairs.end - inner.end).max(0));
                let whole = inner.end.min(pairs.end);
                end = if long && pairs.end - tail > at { pairs.end - tail } else { whole };
            }
            for cut in [placed.start, placed.end] {
                if at < cut && cut < end {
                    end = cut;
                }
            }
            let inside = placed.start <= at && end <= placed.end;
            if !inside {
                end = end.min(at + LINE_PAIRS as i64);
            }
            let strip = last.strip(at..end, if inside { To::Places } else { To::Some });
            at = end;
            Some(strip)
        })
    }

    /// Strips of the pairs whose outputs are added to others.
    pub(super) fn folds(&self) -> impl Iterator<Item = Strip<'a>> + use<'a, T> {
        let last = *self;
        self.axis.folded().into_iter().flat_map(move |pairs| last.folded(&pairs))
    }

    /// Strips of pairs beyond the ends, whose outputs are added to others.
    pub(super) fn folded(
        &self,
        pairs: &Range<i64>,
    ) -> impl Iterator<Item = Strip<'a>> + use<'a, T> {
        let (last, end) = (*self, pairs.end);
        pairs
            .clone()
            .step_by(LINE_PAIRS)
            .map(move |at| last.strip(at..end.min(at + LINE_PAIRS as i64), To::Folds))
    }

    /// A strip of pairs that read elements alone and whose outputs all have places.
    pub(super) fn plain_strip(&self, pairs: &Range<i64>) -> Strip<'a> {
        self.strip(pairs.clone(), To::Places)
    }

    fn strip(&self, pairs: Range<i64>, to: To) -> Strip<'a> {
        let loaded = pairs.start + self.filter.low..pairs.end + self.filter.high;
        let input = self.axis.input();
        let inside = [0, 1].map(|bit| intersection(&input.interior(bit), &loaded));
        Strip {
            both: intersection(&inside[0], &inside[1]),
            edges: [0, 1].map(|bit| self.axis.loads(bit, &loaded)),
            whole: inside.iter().all(|inside| *inside == loaded),
            pairs,
            to,
            loaded,
            inside,
        }
    }
}

impl Strip<'_> {
    /// Whether outputs do not go to places of their own, all of them.
    pub(super) fn aside(&self) -> bool {
        self.to != To::Places
    }

    /// Whether all that is read are elements of the input.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }
}

/// Filtering rows.
pub struct Along<'a, 'b, T> {
    pub(super) last: Last<'a, T>,
    pub(super) strips: &'b [Option<Strip<'a>>],
    pub(super) rows: &'b mut dyn Rows<T>,
    pub(super) planes: &'b mut [Line<T>; PLANES],
    pub(super) spare: &'b mut Line<T>,
    pub(super) stage: &'b mut Line<T>,
}

impl<'a, T: Element> Along<'a, '_, T> {
    /// The sums.
    pub(super) fn taps(&self) -> &'a Taps<T> {
        &self.last.filter.taps
    }

    /// The stages, if there are.
    pub(super) fn cascade(&self) -> Option<&'a Cascade<T>> {
        self.last.filter.cascade.as_ref()
    }

    /// Whether both sums go to one array.
    pub(super) fn joined(&self) -> bool {
        self.last.axis.operation.output() == Side::Signal
    }
}

/// Filtering strips.
pub(super) struct Run<'a, 'b, T> {
    pub(super) last: Last<'a, T>,
    pub(super) planes: [&'b mut [T]; PLANES],
}

impl<T: Element> Run<'_, '_, T> {
    /// Filters a strip of a row.
    #[inline(always)]
    pub(super) fn strip<I: Inner<T>>(
        &mut self,
        inner: &mut I,
        strip: &Strip<'_>,
        input: [Samples<'_, T>; PLANES],
        ahead: Samples<'_, T>,
        mut out: impl Outlet<I::Machine, T>,
    ) {
        let reach = self.last.filter.reach();
        let ends = self.last.axis.input();
        let bands = matches!(ends, Ends::Bands(_));
        let (lanes, len) = (T::lanes::<I::Machine>(), out.len());
        let skew = out.skew(lanes * size_of::<T>());
        // While outputs go past the caches little is read: what comes later is asked for meanwhile.
        let mut usual = out.most();
        let passes = out.passes();
        if I::takes_pairs(reach) && strip.whole && !bands {
            let from = ends.index(0, strip.loaded.start);
            let pairs = input[0].run(from, 2 * (len + reach));
            let (mut at, mut most) = (0, usual.saturating_add(skew));
            while at < len {
                let run = most.min(len - at);
                let next = 2 * (at + run + reach);
                let later = if passes { 2 * at + PLANES * later::<T>() } else { pairs.len() };
                let later = pairs.get(later..).unwrap_or_default();
                inner.pairs(&pairs[2 * at..next], later, at > 0, out.part(at, run));
                out.settle(at, run);
                at += run;
                most = usual;
            }
            return;
        }
        if strip.whole && !bands {
            usual = if I::MANY { MANY_RUN_BYTES } else { RUN_BYTES } / size_of::<T>();
        }
        let mut most = usual.saturating_add(skew);
        // Runs behind the first find the values that they share with it before their own.
        let carried = reach.next_multiple_of(lanes);
        let (mut first, mut before) = (carried - reach, 0);
        let mut at = 0;
        while at < len {
            let run = most.min(len - at);
            let [even, odd] = &mut self.planes;
            let mut ahead_of: [&[T]; PLANES] = [&[]; PLANES];
            let planes: [&[T]; PLANES] = if strip.whole && bands {
                let first = strip.loaded.start + at as i64;
                for (bit, input) in input.iter().enumerate().filter(|_| passes) {
                    ahead_of[bit] = input.some(ends.index(bit, first) + later::<T>(), run + reach);
                }
                [
                    input[0].run(ends.index(0, first), run + reach),
                    input[1].run(ends.index(1, first), run + reach),
                ]
            } else {
                if strip.whole {
                    let (begin, new) = if at == 0 { (0, run + reach) } else { (at + reach, run) };
                    if at > 0 {
                        carry(even, before, carried, lanes);
                        carry(odd, before, carried, lanes);
                    }
                    let from = ends.index(0, strip.loaded.start + begin as i64);
                    let pairs = input[0].run(from, 2 * new);
                    inner.split(pairs, &mut even[first..first + new], &mut odd[first..first + new]);
                    if passes {
                        fetch(input[0].run(from + 2 * new, 2 * usual));
                    }
                } else {
                    let loaded = first..first + len + reach;
                    let planes = [&mut even[loaded.clone()], &mut odd[loaded]];
                    self.last.fill(strip, input, planes);
                }
                let begin = carried - reach;
                [&even[begin..], &odd[begin..]]
            };
            first = carried;
            before = run;
            most = usual;
            if !bands && reach > 0 {
                // Samples were split before sums are made: meanwhile the next row may come.
                let (from, to) = (strip.both.start + at as i64, strip.both.end);
                let pairs = count(&(from..to.min(from + run as i64)));
                fetch(ahead.run(ends.index(0, from), 2 * pairs));
            }
            let follows = bands && at > 0;
            inner.run(Planes { planes, len: run, ahead: ahead_of }, follows, out.part(at, run));
            out.settle(at, run);
            at += run;
        }
    }
}

/// Moves what the next run shares with this one to the front of a plane.
#[inline(always)]
fn carry<T: Copy>(plane: &mut [T], from: usize, len: usize, lanes: usize) {
    let (front, back) = plane.split_at_mut(from);
    let (front, back) = (&mut front[..len], &back[..len]);
    let mut at = 0;
    while at < len {
        front[at..at + lanes].copy_from_slice(&back[at..at + lanes]);
        at += lanes;
    }
}

/// Splits samples into planes.
fn split<T: Copy>(pairs: &[T], even: &mut [T], odd: &mut [T]) {
    let len = even.len();
    let (odd, pairs) = (&mut odd[..len], &pairs.as_chunks::<2>().0[..len]);
    for k in 0..len {
        [even[k], odd[k]] = pairs[k];
    }
}

/// Values from two planes.
pub(super) struct Planes<'b, T> {
    pub(super) planes: [&'b [T]; PLANES],
    pub(super) len: usize,
    /// What is read later, as far as it is asked for.
    pub(super) ahead: [&'b [T]; PLANES],
}

impl<'b, T: Copy> Window<'b, T> for Planes<'b, T> {
    #[inline(always)]
    fn values(&self, position: usize) -> &'b [T] {
        let (plane, shift) = (position % PLANES, position / PLANES);
        &self.planes[plane][shift..shift + self.len]
    }

    #[inline(always)]
    fn ask(&self, at: usize, len: usize) {
        for ahead in self.ahead {
            fetch_later(ahead.get(at..at + len).unwrap_or_default());
        }
    }
}

impl<T: Element> Last<'_, T> {
    /// Fills the planes of a strip that reads beyond the ends.
    #[inline(never)]
    fn fill(
        &self,
        strip: &Strip<'_>,
        input: [Samples<'_, T>; PLANES],
        mut planes: [&mut [T]; PLANES],
    ) {
        let ends = self.axis.input();
        let place = |k: i64| (k - strip.loaded.start) as usize;
        if let Ends::Bands(_) = ends {
            for (bit, plane) in planes.iter_mut().enumerate() {
                let inside = &strip.inside[bit];
                if !inside.is_empty() {
                    let (to, len) = (place(inside.start), count(inside));
                    let values = input[bit].run(ends.index(bit, inside.start), len);
                    plane[to..to + len].copy_from_slice(values);
                }
            }
        } else {
            let both = &strip.both;
            for (bit, plane) in planes.iter_mut().enumerate() {
                for k in outside(&strip.inside[bit], both).into_iter().flatten() {
                    plane[place(k)] = input[0].at(ends.index(bit, k));
                }
            }
            if !both.is_empty() {
                let [even, odd] = &mut planes;
                let (to, len) = (place(both.start), count(both));
                let pairs = input[0].run(ends.index(0, both.start), 2 * len);
                split(pairs, &mut even[to..to + len], &mut odd[to..to + len]);
            }
        }
        for (edges, plane) in strip.edges.iter().zip(planes) {
            let mut last = None;
            for Edge { k, place: from, .. } in *edges {
                let out = &mut plane[place(*k)];
                if last.replace(*k) != Some(*k) {
                    *out = T::default();
                }
                if let Some(from) = from {
                    let array = if matches!(ends, Ends::Bands(_)) { from.bit } else { 0 };
                    *out = out.plus_weighted(from.weight, input[array].at(from.index));
                }
            }
        }
    }

    /// Brings outputs that were computed aside to their places.
    pub(super) fn settle(&self, strip: &Strip<'_>, sums: &[T], row: &mut Row<'_, T>) {
        let ends = self.axis.output();
        let joined = self.axis.operation.output() == Side::Signal;
        let value = |bit: usize, k: i64| {
            let at = (k - strip.pairs.start) as usize;
            sums[if joined { 2 * at + bit } else { bit * count(&strip.pairs) + at }]
        };
        if strip.to == To::Folds {
            for edge in self.axis.folds.iter().filter(|edge| strip.pairs.contains(&edge.k)) {
                if let Some(place) = edge.place {
                    let out = row.element(&ends, place.bit, place.index);
                    *out = out.plus_weighted(place.weight, value(edge.bit, edge.k));
                }
            }
            return;
        }
        for bit in 0..PLANES {
            for k in intersection(&ends.interior(bit), &strip.pairs) {
                let index = row.index(bit, k);
                row.array(bit)[index] = value(bit, k);
            }
        }
    }
}
