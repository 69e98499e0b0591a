//! Several levels of lines in one sweep.
//!
//! Levels of one axis are stages: each feeds the next with approximations, finest level first in an
//! analysis, coarsest first in a synthesis. What one stage makes waits in a short window, where the
//! next one finds it while it is still in the cache; memory sees the signal and the coefficients
//! once. Pairs near the ends, which may read what stands at the other end, come last: until then,
//! the first and the last approximations of every stage are kept. Every output is the same sum as
//! level by level.

use super::along::{Along, Last, Strip, intersection};
use super::past::{Leave, Past};
use super::row::{Arrays, Lone, Row, Samples, Step};
use super::store::{Line, Store};
use super::taps::{Filter, PLANES};
use crate::edges::Axis;
use crate::element::Element;
use crate::machine::caches;
use std::ops::Range;
use waveloom_codegen::kernel::Side;
use waveloom_wavelets::geometry::Span;

/// Most and least bytes of an approximation that a stage makes of a signal at a time. Every block begins anew to read and
/// write memory, so that small ones lose again.
const MOST_BLOCK: usize = 64 << 10;
const LEAST_BLOCK: usize = 16 << 10;

/// The share of the second-level cache that this is: the windows of several stages stay there.
const BLOCK_SHARE: usize = 16;

/// Bytes of such a block on this machine.
fn block_bytes() -> usize {
    let share = |bytes: usize| (bytes / BLOCK_SHARE).clamp(LEAST_BLOCK, MOST_BLOCK);
    caches().second.map_or(MOST_BLOCK, share)
}

/// Most stages.
pub(crate) const MOST_STAGES: usize = 12;

/// Pairs that a stage computes at a time; fewer are not worth a stage.
fn block<T>() -> i64 {
    (block_bytes() / size_of::<T>()) as i64
}

/// Elements of a window: what a block reads, what the next one has of it already, and what a block
/// makes.
fn window<T>() -> usize {
    4 * block_bytes() / size_of::<T>()
}

/// Most elements that are kept at an end.
const MOST_KEPT: usize = 1024;

/// What a stage reads and writes.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stage {
    /// Pairs that read what the stage before makes in one go.
    pairs: Range<i64>,
    /// Elements that the stage before makes in all, and how many of the first and the last are kept.
    len: usize,
    kept: [usize; 2],
}

/// What waits between two stages.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stream<T> {
    window: Line<T>,
    /// Index of the window's first element, and of the one behind its last.
    held: Range<usize>,
    /// The first and the last elements.
    kept: [Line<T>; 2],
}

/// Arrays at the ends of a sweep.
pub(crate) enum Ports<'a, 'b, T> {
    /// A signal to details, finest first, and an approximation.
    Analysis { signal: &'a [T], details: &'a mut [&'b mut [T]], approximation: &'a mut [T] },
    /// An approximation and details, coarsest first, to a signal.
    Synthesis { approximation: &'a [T], details: &'a [&'b [T]], signal: &'a mut [T] },
}

/// Levels of one axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streaming<'a, T> {
    pub(crate) filter: &'a Filter<T>,
    /// The axes of the levels, finest first.
    pub(crate) axes: &'a [Vec<Axis>],
}

impl<'a, T: Element> Streaming<'a, T> {
    /// A stage's axis, of so many stages.
    fn last(&self, stage: usize, stages: usize) -> Option<Last<'a, T>> {
        let level = match self.axes.first()?.first()?.operation.input() {
            Side::Signal => stage,
            Side::Bands => stages.checked_sub(stage + 1)?,
        };
        let [axis] = self.axes.get(level)?.as_slice() else { return None };
        let plain = axis.folds.is_empty() && axis.geometry.single.is_none();
        plain.then_some(Last { filter: self.filter, axis })
    }

    /// So many levels as stages, if each of them is worth it.
    fn stages(&self, count: usize) -> Option<[Stage; MOST_STAGES]> {
        let mut stages: [Stage; MOST_STAGES] = Default::default();
        let mut made = 0..usize::MAX;
        for stage in 0..count {
            let last = self.last(stage, count)?;
            let mut pairs = last.plain();
            let mut kept = [0; 2];
            let len = last.stream(last.axis.operation.input()).len;
            if stage > 0 {
                let fed = last.pairs_fed(&made);
                pairs = pairs.start.max(fed.start)..pairs.end.min(fed.end);
                kept = last.kept(&pairs, &made);
            }
            if pairs.end - pairs.start < block::<T>() || kept.iter().any(|kept| *kept > MOST_KEPT) {
                return None;
            }
            made = last.made(&pairs);
            *stages.get_mut(stage)? = Stage { pairs, len, kept };
        }
        Some(stages)
    }

    /// How many of the finest levels are worth a sweep together.
    pub(crate) fn levels(&self) -> usize {
        let most = self.axes.len().min(MOST_STAGES);
        (2..=most).take_while(|count| self.stages(*count).is_some()).last().unwrap_or(0)
    }

    /// Grows streams and a store.
    pub(crate) fn provide(&self, streams: &mut Vec<Stream<T>>, store: &mut Store<T>) {
        let levels = self.levels();
        if levels == 0 {
            return;
        }
        store.provide(self.filter.reach(), 0, 0, 0);
        if streams.len() < levels {
            streams.resize_with(levels, Stream::default);
        }
        for stream in streams {
            stream.window.provide(window::<T>());
            stream.kept.iter_mut().for_each(|kept| kept.provide(MOST_KEPT));
        }
    }

    /// Sweeps through levels; `past` says which outputs go past the caches: details, and the approximation;
    /// or the signal.
    pub(crate) fn run(
        &self,
        count: usize,
        ports: Ports<'_, '_, T>,
        past: Past,
        streams: &mut [Stream<T>],
        store: &mut Store<T>,
    ) {
        past.open(|leave| self.sweep(count, ports, leave.by_lines(), streams, store));
    }

    fn sweep(
        &self,
        count: usize,
        mut ports: Ports<'_, '_, T>,
        leave: Leave<'_>,
        streams: &mut [Stream<T>],
        store: &mut Store<T>,
    ) {
        let Some(stages) = self.stages(count) else { return };
        let (stages, streams) = (&stages[..count], &mut streams[..count]);
        let mut next: [i64; MOST_STAGES] = [0; MOST_STAGES];
        for (next, (stage, stream)) in next.iter_mut().zip(stages.iter().zip(&mut *streams)) {
            *next = stage.pairs.start;
            stream.held = 0..0;
        }
        loop {
            // The deepest stage that has a block to read; at the end, whatever is left.
            let ready = |stage: usize| {
                let mut end = stages[stage].pairs.end;
                if stage > 0 {
                    let held = &streams[stage].held;
                    end = end.min(self.last(stage, count)?.pairs_fed(held).end);
                }
                (end > next[stage]).then_some(next[stage]..end.min(next[stage] + block::<T>()))
            };
            let full = |stage: usize| {
                let pairs = ready(stage)?;
                (pairs.end - pairs.start == block::<T>()).then_some((stage, pairs))
            };
            let rest = || (0..count).find_map(|stage| Some((stage, ready(stage)?)));
            let Some((stage, pairs)) = (0..count).rev().find_map(full).or_else(rest) else { break };
            next[stage] = pairs.end;
            let (before, behind) = streams.split_at_mut(stage + 1);
            let held = &before[stage].held;
            let fed = Samples::part(held.start, before[stage].window.get(held.len()));
            let Some(last) = self.last(stage, count) else { return };
            let made = last.made(&pairs);
            let out = behind.first_mut().zip(self.last(stage + 1, count));
            let out = out.map(|(stream, after)| {
                let needed = after.read(next[stage + 1]).max(0) as usize;
                (stream.room(&made, needed), made.start)
            });
            last.block(&pairs, ports.step(stage, fed, out, &last, leave), store);
            if let (Some(stream), Some(after)) = (behind.first_mut(), stages.get(stage + 1)) {
                stream.keep(&made, after);
            }
        }
        for stage in 0..count {
            self.ends((stage, stages), &mut ports, leave, streams, store);
        }
    }

    /// Pairs of a stage that may read beyond the ends.
    fn ends(
        &self,
        (stage, stages): (usize, &[Stage]),
        ports: &mut Ports<'_, '_, T>,
        leave: Leave<'_>,
        streams: &mut [Stream<T>],
        store: &mut Store<T>,
    ) {
        let Some(last) = self.last(stage, stages.len()) else { return };
        let (all, plain) = (&last.axis.pairs, &stages[stage].pairs);
        let (before, behind) = streams.split_at_mut(stage + 1);
        let [front, rear] = &before[stage].kept;
        let Stage { len, kept: [head, tail], .. } = stages[stage];
        let fed = Samples::runs([(0, front.get(head)), (len - tail, rear.get(tail))]);
        for (end, pairs) in [all.start..plain.start, plain.end..all.end].into_iter().enumerate() {
            let out = behind.first_mut().zip(stages.get(stage + 1));
            let out = out.map(|(stream, after)| {
                let from = if end == 0 { 0 } else { after.len - after.kept[1] };
                (stream.kept[end].get_mut(after.kept[end]), from)
            });
            last.ends(&pairs, ports.step(stage, fed, out, &last, leave), store);
        }
    }
}

impl<T: Element> Ports<'_, '_, T> {
    /// What a stage reads and writes: arrays, unless it is `fed` by a stage before, and feeds one
    /// behind, from an element on.
    fn step<'c>(
        &'c mut self,
        stage: usize,
        fed: Samples<'c, T>,
        out: Option<(&'c mut [T], usize)>,
        last: &Last<'_, T>,
        leave: Leave<'c>,
    ) -> Step<'c, T> {
        let geometry = &last.axis.geometry;
        // What feeds a stage is read again.
        let first = if out.is_some() { None } else { leave.of(0) };
        let ahead = Samples::none();
        match self {
            Ports::Analysis { signal, details, approximation } => {
                let input = if stage == 0 { Samples::whole(signal) } else { fed };
                let (low, from) = out.unwrap_or((approximation, 0));
                let arrays = Arrays::Bands([low, &mut *details[stage]]);
                let origin = [geometry.low.start + from as i64, geometry.high.start];
                let past = [first, leave.of(1)];
                Step { input: [input; PLANES], ahead, row: Row { arrays, origin, past } }
            }
            Ports::Synthesis { approximation, details, signal } => {
                let low = if stage == 0 { Samples::whole(approximation) } else { fed };
                let input = [low, Samples::whole(details[stage])];
                let (row, from) = out.unwrap_or((signal, 0));
                let origin = [geometry.signal.start + from as i64; PLANES];
                let row = Row { arrays: Arrays::Signal(row), origin, past: [first; PLANES] };
                Step { input, ahead, row }
            }
        }
    }
}

impl<T: Element> Stream<T> {
    /// Room for the next elements; those before the first `needed` may be forgotten.
    fn room(&mut self, made: &Range<usize>, needed: usize) -> &mut [T] {
        if self.held.is_empty() {
            self.held = made.start..made.start;
        }
        if self.held.len() + made.len() > window::<T>() {
            let dropped = needed.clamp(self.held.start, self.held.end) - self.held.start;
            self.window.get_mut(self.held.len()).copy_within(dropped.., 0);
            self.held.start += dropped;
        }
        self.held.end = made.end;
        let len = self.held.len();
        &mut self.window.get_mut(len)[len - made.len()..]
    }

    /// Keeps those of the last elements that are among the first or the last of all.
    fn keep(&mut self, made: &Range<usize>, stage: &Stage) {
        let Stage { len, kept: [head, tail], .. } = *stage;
        let values = self.window.get(self.held.len());
        for (kept, range) in self.kept.iter_mut().zip([0..head, len - tail..len]) {
            let (from, to) = (made.start.max(range.start), made.end.min(range.end));
            if from < to {
                let values = &values[from - self.held.start..to - self.held.start];
                kept.get_mut(range.len())[from - range.start..to - range.start]
                    .copy_from_slice(values);
            }
        }
    }
}

impl<T: Element> Last<'_, T> {
    /// Pairs that read elements alone and whose outputs all have places.
    fn plain(&self) -> Range<i64> {
        let pairs = intersection(&self.inner(), &self.placed());
        intersection(&pairs, &self.axis.pairs)
    }

    /// The axis' signal, or its approximation: frame position or index of the first element, and the
    /// number of elements.
    fn stream(&self, side: Side) -> Span {
        let geometry = &self.axis.geometry;
        if side == Side::Signal { geometry.signal } else { geometry.low }
    }

    /// Elements from one pair to the next.
    fn step(side: Side) -> i64 {
        if side == Side::Signal { 2 } else { 1 }
    }

    /// The first element that a pair reads.
    fn read(&self, k: i64) -> i64 {
        let side = self.axis.operation.input();
        Self::step(side) * (k + self.filter.low) - self.stream(side).start
    }

    /// Pairs that read some elements alone.
    fn pairs_fed(&self, held: &Range<usize>) -> Range<i64> {
        let side = self.axis.operation.input();
        let (step, start) = (Self::step(side), self.stream(side).start);
        let place = |index: usize| index.min(i64::MAX as usize / 4) as i64 + start;
        let first = (place(held.start) + step - 1).div_euclid(step) - self.filter.low;
        first..(place(held.end).div_euclid(step) - self.filter.high).max(first)
    }

    /// The elements that pairs make.
    fn made(&self, pairs: &Range<i64>) -> Range<usize> {
        let side = self.axis.operation.output();
        let place = |k: i64| (Self::step(side) * k - self.stream(side).start).max(0) as usize;
        place(pairs.start)..place(pairs.end)
    }

    /// How many of the first and the last elements must be kept, if some `pairs` read what is
    /// `made` in one go, and the others come last.
    fn kept(&self, pairs: &Range<i64>, made: &Range<usize>) -> [usize; 2] {
        let side = self.axis.operation.input();
        let len = self.stream(side).len;
        let behind = self.read(pairs.start + self.filter.reach() as i64).max(0) as usize;
        let before = self.read(pairs.end).max(0) as usize;
        let mut kept = [made.start.max(behind), len - made.end.min(before).min(len)];
        for place in self.axis.loads.iter().filter_map(|edge| edge.place) {
            if side == Side::Signal || place.bit == 0 {
                if place.index < len / 2 {
                    kept[0] = kept[0].max(place.index + 1);
                } else {
                    kept[1] = kept[1].max(len - place.index);
                }
            }
        }
        kept
    }

    /// Filters pairs that read elements alone.
    fn block(&self, pairs: &Range<i64>, step: Step<'_, T>, store: &mut Store<T>) {
        self.filter_strip(self.plain_strip(pairs), step, store);
    }

    /// Filters pairs at an end.
    fn ends(&self, pairs: &Range<i64>, step: Step<'_, T>, store: &mut Store<T>) {
        let Step { input, ahead, mut row } = step;
        for strip in self.strips(pairs) {
            let row = Row { arrays: row.arrays.reborrow(), origin: row.origin, past: row.past };
            self.filter_strip(strip, Step { input, ahead, row }, store);
        }
    }

    fn filter_strip(&self, strip: Strip<'_>, step: Step<'_, T>, store: &mut Store<T>) {
        let Store { planes, spare, stage, .. } = store;
        let rows = &mut Lone(Some(step));
        T::along(Along { last: *self, strips: &[Some(strip)], rows, planes, spare, stage });
    }
}
