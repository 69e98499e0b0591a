//! Filtering along the last axis, strip by strip of a row.

use super::store::Line;
use super::sums::Out;
use super::taps::{Filter, PLANES};
use crate::element::Element;
use crate::execute::edges::{Axis, Edge};
use crate::execute::ends::Ends;
use crate::execute::line::add_weighted;
use crate::execute::shuffle::deinterleave;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Pairs of a strip: its planes stay in the first-level cache.
pub(super) const LINE_PAIRS: usize = 1024;

/// Rows of fewer pairs are one strip.
const SHORT_PAIRS: usize = 512;

/// Strips at the ends have a multiple of so many pairs.
const END_PAIRS: i64 = 16;

/// Neighbouring outputs of a row, and what they need.
#[derive(Clone, Debug)]
pub(super) struct Strip<'a> {
    /// Pairs computed.
    pairs: Range<i64>,
    /// Whether they are beyond the ends of the output.
    beyond: bool,
    /// Those whose outputs are elements of the output: of each phase, of both.
    outputs: [Range<i64>; PLANES],
    done: Range<i64>,
    /// Pairs read.
    loaded: Range<i64>,
    /// Those of each plane that are elements of the input, and those of both.
    inside: [Range<i64>; PLANES],
    both: Range<i64>,
    /// What is read beyond the ends.
    edges: [&'a [Edge]; PLANES],
}

/// What is done with a strip of a row.
pub(super) struct Job<'a, T> {
    pub(super) strip: &'a Strip<'a>,
    /// Rows of the input that come later.
    pub(super) ahead: [&'a [T]; PLANES],
    /// Elements of the output's row before the part that is there, per array.
    pub(super) first: [usize; PLANES],
    /// With a weight, results are multiplied by it and added.
    pub(super) add: Option<i64>,
}

/// A row of the output, whole.
pub(super) enum Row<'a, T> {
    Signal(&'a mut [T]),
    Bands([&'a mut [T]; 2]),
}

impl<T> Row<'_, T> {
    fn array(&mut self, bit: usize) -> &mut [T] {
        match self {
            Row::Signal(row) => row,
            Row::Bands(rows) => &mut *rows[bit],
        }
    }
}

/// The last axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last<'a, T> {
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
fn outside(range: &Range<i64>, inner: &Range<i64>) -> [Range<i64>; 2] {
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

    /// Some pairs in strips. Long rows get short strips at their ends, so that the others read
    /// nothing beyond the ends.
    pub(super) fn strips(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
    ) -> impl Iterator<Item = Strip<'a>> + use<'a, T> {
        let input = self.axis.input();
        let [even, odd] = [input.interior(0), input.interior(1)];
        let inner = intersection(&even, &odd);
        let (first, last) = (inner.start - self.filter.low, inner.end - self.filter.high);
        let (strips, pairs) = (*self, pairs.clone());
        let long = pairs.end - pairs.start >= SHORT_PAIRS as i64;
        let mut at = pairs.start;
        std::iter::from_fn(move || {
            if at >= pairs.end {
                return None;
            }
            let mut end = (at + LINE_PAIRS as i64).min(pairs.end);
            if long && at < first {
                end = end.min(at + (first - at + END_PAIRS - 1) / END_PAIRS * END_PAIRS);
            } else if long && at < last && end > last {
                end = at + (last - at) / END_PAIRS * END_PAIRS;
            }
            if end <= at {
                end = (at + LINE_PAIRS as i64).min(pairs.end);
            }
            let strip = strips.strip(at..end, beyond);
            at = end;
            Some(strip)
        })
    }

    /// All strips of a row, those beyond the ends last.
    pub(super) fn all_strips(&self) -> impl Iterator<Item = Strip<'a>> + use<'a, T> {
        let last = *self;
        let [head, tail] = self.axis.folded();
        let all = [(self.axis.pairs.clone(), false), (head, true), (tail, true)];
        all.into_iter().flat_map(move |(pairs, beyond)| last.strips(&pairs, beyond))
    }

    fn strip(&self, pairs: Range<i64>, beyond: bool) -> Strip<'a> {
        let loaded = pairs.start + self.filter.low..pairs.end + self.filter.high;
        let input = self.axis.input();
        let inside = [0, 1].map(|bit| intersection(&input.interior(bit), &loaded));
        let output = self.axis.output();
        let outputs = [0, 1].map(|bit| intersection(&output.interior(bit), &pairs));
        Strip {
            done: intersection(&outputs[0], &outputs[1]),
            both: intersection(&inside[0], &inside[1]),
            edges: [0, 1].map(|bit| self.axis.loads(bit, &loaded)),
            pairs,
            beyond,
            outputs,
            loaded,
            inside,
        }
    }

    /// Whether some outputs are beyond the ends, and are added to others.
    pub(super) fn accumulates(&self) -> bool {
        !self.axis.folds.is_empty()
    }

    /// The elements of an output row that a strip computes: of each band, or of the signal.
    pub(super) fn columns(&self, strip: &Strip<'_>) -> [Range<usize>; PLANES] {
        let ends = self.axis.output();
        match ends {
            Ends::Signal(geometry) => {
                let place = |k: i64| {
                    (2 * k - geometry.signal.start).clamp(0, geometry.signal.len as i64) as usize
                };
                [place(strip.pairs.start)..place(strip.pairs.end), 0..0]
            }
            _ => [0, 1].map(|bit| {
                let pairs = &strip.outputs[bit];
                let first = if pairs.is_empty() { 0 } else { ends.index(bit, pairs.start) };
                first..first + count(pairs)
            }),
        }
    }

    /// Filters a strip of a row of the input, which is one array for a signal, two for bands.
    pub(super) fn run(
        &self,
        job: &Job<'_, T>,
        input: [&[T]; PLANES],
        row: &mut Row<'_, T>,
        planes: &mut [Line<T>; PLANES],
        spare: &mut Line<T>,
    ) {
        let strip = job.strip;
        let loaded = count(&strip.loaded);
        let [even, odd] = planes;
        let mut planes = [even.get_mut(loaded), odd.get_mut(loaded)];
        let ends = self.axis.input();
        let whole = strip.inside.iter().all(|inside| *inside == strip.loaded);
        match ends {
            Ends::Bands(_) if whole => {
                let planes = [0, 1].map(|bit| {
                    let from = ends.index(bit, strip.loaded.start);
                    &input[bit][from..from + loaded]
                });
                self.filter(job, planes, row, spare);
            }
            Ends::Bands(_) => {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    let inside = &strip.inside[bit];
                    if !inside.is_empty() {
                        let (from, len) = (ends.index(bit, inside.start), count(inside));
                        let to = (inside.start - strip.loaded.start) as usize;
                        plane[to..to + len].copy_from_slice(&input[bit][from..from + len]);
                    }
                }
                self.extend(strip, input, &mut planes);
                self.filter(job, planes.map(|plane| &*plane), row, spare);
            }
            _ => {
                let both = &strip.both;
                for (bit, plane) in planes.iter_mut().enumerate() {
                    for k in outside(&strip.inside[bit], both).into_iter().flatten() {
                        plane[(k - strip.loaded.start) as usize] = input[0][ends.index(bit, k)];
                    }
                }
                self.extend(strip, [input[0]; PLANES], &mut planes);
                if !both.is_empty() {
                    let [even, odd] = &mut planes;
                    let from = ends.index(0, both.start);
                    let to = (both.start - strip.loaded.start) as usize;
                    let len = count(both);
                    let pairs = &input[0][from..from + 2 * len];
                    deinterleave(pairs, 1, &mut even[to..to + len], &mut odd[to..to + len]);
                }
                self.filter(job, planes.map(|plane| &*plane), row, spare);
            }
        }
    }

    /// Fills planes beyond the ends of their arrays.
    fn extend(&self, strip: &Strip<'_>, arrays: [&[T]; PLANES], planes: &mut [&mut [T]; PLANES]) {
        for (edges, plane) in strip.edges.iter().zip(planes) {
            let mut last = None;
            for Edge { k, place, .. } in *edges {
                let out = &mut plane[(k - strip.loaded.start) as usize];
                if last.replace(*k) != Some(*k) {
                    *out = T::default();
                }
                if let Some(place) = place {
                    *out = out.plus_weighted(place.weight, arrays[place.bit][place.index]);
                }
            }
        }
    }

    /// Filters planes.
    fn filter(
        &self,
        job: &Job<'_, T>,
        planes: [&[T]; PLANES],
        row: &mut Row<'_, T>,
        spare: &mut Line<T>,
    ) {
        let Job { strip, first: before, add, .. } = *job;
        if strip.beyond {
            self.fold(job, planes, row, spare);
            return;
        }
        let ends = self.axis.output();
        let mut done = &(strip.pairs.start..strip.pairs.start);
        if add.is_none() && !strip.done.is_empty() {
            done = &strip.done;
            let len = count(done);
            let out = match row {
                Row::Signal(row) => {
                    let from = ends.index(0, done.start) - before[0];
                    Out::Joined(&mut row[from..from + 2 * len])
                }
                Row::Bands([low, high]) => {
                    let from = [0, 1].map(|bit| ends.index(bit, done.start) - before[bit]);
                    Out::Apart([
                        &mut low[from[0]..from[0] + len],
                        &mut high[from[1]..from[1] + len],
                    ])
                }
            };
            self.sums(strip, planes, done, self.ahead(job), out);
        }
        for (bit, before) in before.into_iter().enumerate() {
            for pairs in outside(&strip.outputs[bit], done) {
                if pairs.is_empty() {
                    continue;
                }
                let values = self.aside(strip, planes, &pairs, spare)[bit];
                for (k, value) in pairs.zip(values) {
                    let out = &mut row.array(bit)[ends.index(bit, k) - before];
                    *out = match add {
                        None => *value,
                        Some(weight) => out.plus_weighted(weight, *value),
                    };
                }
            }
        }
    }

    /// Both sums of some pairs of a strip.
    fn aside<'b>(
        &self,
        strip: &Strip<'_>,
        planes: [&[T]; PLANES],
        pairs: &Range<i64>,
        spare: &'b mut Line<T>,
    ) -> [&'b [T]; 2] {
        let [low, high] = spare.split(count(pairs));
        self.sums(strip, planes, pairs, [&[]; 2], Out::Apart([&mut *low, &mut *high]));
        [low, high]
    }

    /// The same part of the rows that come later.
    fn ahead<'b>(&self, job: &Job<'b, T>) -> [&'b [T]; PLANES] {
        let ends = self.axis.input();
        let strip = job.strip;
        let part = |bit: usize, pairs: &Range<i64>, step: usize| {
            if pairs.is_empty() {
                return &[][..];
            }
            let from = ends.index(bit, pairs.start);
            job.ahead[bit].get(from..from + step * count(pairs)).unwrap_or_default()
        };
        match ends {
            Ends::Bands(_) => [0, 1].map(|bit| part(bit, &strip.inside[bit], 1)),
            _ => [part(0, &strip.both, 2), &[]],
        }
    }

    /// Both sums of some pairs of a strip, to their places.
    fn sums(
        &self,
        strip: &Strip<'_>,
        planes: [&[T]; PLANES],
        pairs: &Range<i64>,
        ahead: [&[T]; PLANES],
        out: Out<'_, T>,
    ) {
        let (first, len) = ((pairs.start - strip.pairs.start) as usize, out.len());
        let run = |plane: usize, shift: usize| &planes[plane][first + shift..first + shift + len];
        self.filter.sums(run, ahead, out);
    }

    /// Adds the outputs of a strip beyond the ends to the elements that they stand for.
    fn fold(
        &self,
        job: &Job<'_, T>,
        planes: [&[T]; PLANES],
        row: &mut Row<'_, T>,
        spare: &mut Line<T>,
    ) {
        let Job { strip, first, add, .. } = *job;
        let sums = self.aside(strip, planes, &strip.pairs, spare);
        let folds = self.axis.folds.iter().filter(|edge| strip.pairs.contains(&edge.k));
        for Edge { bit, k, place } in folds {
            let Some(place) = place else { continue };
            let at = (k - strip.pairs.start) as usize;
            let index = place.index - first[place.bit];
            let out = &mut row.array(place.bit)[index..index + 1];
            add_weighted(out, &sums[*bit][at..at + 1], place.weight * add.unwrap_or(1));
        }
    }
}
