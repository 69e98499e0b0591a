//! One axis whose neighbours lie (nearly) side by side in memory: whole lines at a time.
//!
//! A group of lines, or a chunk of a long one, is loaded into planes `[line][pair][lane]`; every
//! operation then runs once over the whole group. Between the lines of a group it computes values
//! that nobody reads.

use super::ahead;
use super::chained::Middle;
use super::edges::{Axis, Edge};
use super::ends::{Ends, Place};
use super::program::{At, Program};
use super::shuffle::{deinterleave, interleave};
use super::tile::{Buffers, Demand};
use crate::element::Element;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bytes of one plane of a group: all planes together stay in the first-level cache.
const PLANE_BYTES: usize = 6 << 10;

/// Lines with a shorter middle are not divided: their ends would cost more than is won.
const SHORT_PAIRS: usize = 384;

/// The last slot: the axis of a one-dimensional program.
const SLOT: usize = 2;

/// Lines along one axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a, T> {
    pub(crate) program: &'a Program<T>,
    pub(crate) axis: &'a Axis,
    /// Elements behind the axis.
    pub(crate) lanes: usize,
    /// What is done with the middle of a line, if its updates are a chain.
    pub(crate) middle: Option<Middle<'a, T>>,
}

/// What happens to outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Store {
    /// Those inside the array are written.
    Inside,
    /// Those beyond it are added to the elements that they stand for.
    Beyond,
}

/// A chunk of a group of lines.
struct Group {
    /// Lines of the arrays.
    lines: Range<usize>,
    /// Pairs computed.
    pairs: Range<i64>,
    /// First pair in the planes.
    origin: i64,
    /// Elements between a line's values and the next line's.
    pitch: usize,
    lanes: usize,
}

impl Group {
    /// Index in a plane of a pair of the `line`-th line of the group.
    fn index(&self, line: usize, k: i64) -> usize {
        line * self.pitch + (k - self.origin) as usize * self.lanes
    }
}

fn intersection(a: &Range<i64>, b: &Range<i64>) -> Range<i64> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

fn count(range: &Range<i64>) -> usize {
    (range.end - range.start).max(0) as usize
}

impl<T: Element> Lines<'_, T> {
    fn reach(&self) -> usize {
        self.program.extent.reach(SLOT)
    }

    /// Pairs per chunk and lines per group.
    fn shape(&self, pairs: usize, lines: usize) -> (usize, usize) {
        let room = (PLANE_BYTES / T::TYPE.bytes() / self.lanes.max(1)).max(16);
        let chunk = pairs.clamp(1, room.max(4 * self.reach()));
        let group = (room / (chunk + self.reach())).clamp(1, lines.max(1));
        (chunk, group)
    }

    /// What [`Lines::run`] needs for any number of lines.
    pub(crate) fn demand(&self) -> Demand {
        let folded = self.axis.folded().map(|range| count(&range));
        let all = [count(&self.axis.pairs), folded[0], folded[1]];
        let elements = all.map(|pairs| {
            let (chunk, group) = self.shape(pairs, usize::MAX);
            group * (chunk + self.reach()) * self.lanes
        });
        // Ends of lines come in groups of their own.
        let room = (PLANE_BYTES / T::TYPE.bytes()).max(16 * self.lanes);
        let elements = elements.into_iter().max().unwrap_or(0).max(room);
        Demand { buffers: self.program.buffers, elements }
    }

    /// Transforms `lines` lines. Signals have one array, bands two; each holds line after line
    /// without gaps, and may go on behind them. With a weight, the results are multiplied by it and added to the outputs.
    pub(crate) fn run(
        &self,
        lines: usize,
        input: [&[T]; 2],
        output: [&mut [T]; 2],
        add: Option<i64>,
        buffers: &mut Buffers<T>,
    ) {
        if lines == 0 || self.lanes == 0 {
            return;
        }
        let [low, high] = output;
        let (first, last) = (self.axis.pairs.start, self.axis.pairs.end);
        let middle = self.middle.filter(|_| self.lanes == 1 && add.is_none() && !buffers.watched);
        let pairs = middle.map_or(first..first, |middle| middle.pairs());
        let pairs = if count(&pairs) < SHORT_PAIRS { first..first } else { pairs };
        let (head, tail) = if pairs.is_empty() {
            (first..last, last..last)
        } else {
            (first..pairs.start, pairs.end..last)
        };
        if let (Some(middle), false) = (middle, pairs.is_empty()) {
            middle.run(lines, input, [&mut *low, &mut *high]);
        }
        let mut output = [low, high];
        for pairs in [head, tail] {
            if !pairs.is_empty() {
                self.run_pairs(lines, &pairs, Store::Inside, &input, &mut output, add, buffers);
            }
        }
        for pairs in self.axis.folded() {
            if !pairs.is_empty() {
                self.run_pairs(lines, &pairs, Store::Beyond, &input, &mut output, add, buffers);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn run_pairs(
        &self,
        lines: usize,
        pairs: &Range<i64>,
        store: Store,
        input: &[&[T]; 2],
        output: &mut [&mut [T]; 2],
        add: Option<i64>,
        buffers: &mut Buffers<T>,
    ) {
        let (chunk, group) = self.shape(count(pairs), lines);
        for first in (0..lines).step_by(group) {
            for start in pairs.clone().step_by(chunk) {
                let pairs = start..(start + chunk as i64).min(pairs.end);
                let group = Group {
                    lines: first..(first + group).min(lines),
                    origin: start + self.program.extent.low[SLOT],
                    pitch: (count(&pairs) + self.reach()) * self.lanes,
                    lanes: self.lanes,
                    pairs,
                };
                self.load(&group, input, buffers);
                let direct = match (store, add, self.program.operation.output()) {
                    (Store::Inside, None, Side::Bands) => self.program.last,
                    _ => [None; 2],
                };
                for (index, operation) in self.program.operations.iter().enumerate() {
                    self.ask(&group, index, input, output);
                    let band = direct.iter().position(|last| *last == Some(index));
                    match band {
                        Some(band) => self.finish(&group, index, band, &mut *output[band], buffers),
                        None => self.operate(&group, operation, buffers),
                    }
                }
                match store {
                    Store::Inside => self.store(&group, direct, output, add, buffers),
                    Store::Beyond => self.fold(&group, output, add, buffers),
                }
            }
        }
    }

    /// Elements of one line of an array of the phase.
    fn line_len(&self, side: Side, bit: usize) -> usize {
        let geometry = &self.axis.geometry;
        let len = match (side, bit) {
            (Side::Signal, _) => geometry.signal.len,
            (Side::Bands, 0) => geometry.low.len,
            (Side::Bands, _) => geometry.high.len,
        };
        len * self.lanes
    }

    fn load(&self, group: &Group, input: &[&[T]; 2], buffers: &mut Buffers<T>) {
        let load = &self.program.load;
        let loaded = group.pairs.start + load.low[SLOT]..group.pairs.end + load.high[SLOT];
        let ends = self.axis.input();
        let inside = [0, 1].map(|bit| intersection(&ends.interior(bit), &loaded));
        let edges = [0, 1].map(|bit| self.axis.loads(bit, &loaded));
        let lanes = self.lanes;
        let [even, odd] = planes(&mut buffers.planes);
        for (at, line) in group.lines.clone().enumerate() {
            let source = |bit: usize| -> &[T] {
                let len = self.line_len(self.program.operation.input(), bit);
                let array = if matches!(ends, Ends::Signal(_)) { 0 } else { bit };
                &input[array][line * len..(line + 1) * len]
            };
            let mut plane = [&mut *even, &mut *odd];
            match ends {
                Ends::Bands(_) | Ends::Whole => {
                    for bit in 0..2 {
                        let to = group.index(at, inside[bit].start);
                        let from = if inside[bit].is_empty() {
                            0
                        } else {
                            ends.index(bit, inside[bit].start) * lanes
                        };
                        let len = count(&inside[bit]) * lanes;
                        plane[bit][to..to + len].copy_from_slice(&source(bit)[from..from + len]);
                    }
                }
                Ends::Signal(_) => {
                    let both = intersection(&inside[0], &inside[1]);
                    if !both.is_empty() {
                        let from = ends.index(0, both.start) * lanes;
                        let (to, len) = (group.index(at, both.start), count(&both) * lanes);
                        let [even, odd] = &mut plane;
                        let pairs = &source(0)[from..from + 2 * len];
                        deinterleave(pairs, lanes, &mut even[to..to + len], &mut odd[to..to + len]);
                    }
                    for bit in 0..2 {
                        for k in outside(&inside[bit], &both) {
                            let (from, to) = (ends.index(bit, k) * lanes, group.index(at, k));
                            plane[bit][to..to + lanes]
                                .copy_from_slice(&source(0)[from..from + lanes]);
                        }
                    }
                }
            }
            for bit in 0..2 {
                let mut last = None;
                for edge in edges[bit] {
                    let to = group.index(at, edge.k);
                    let out = &mut plane[bit][to..to + lanes];
                    let fresh = last.replace(edge.k) != Some(edge.k);
                    match edge.place {
                        None => out.fill(T::default()),
                        Some(place) => {
                            let from = place.index * lanes;
                            let values = &source(place.bit)[from..from + lanes];
                            if fresh && place.weight == 1 {
                                out.copy_from_slice(values);
                            } else {
                                if fresh {
                                    out.fill(T::default());
                                }
                                add_weighted(out, values, place.weight);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Asks for a part of what the next group will read and write; all operations together ask for
    /// the whole.
    fn ask(&self, group: &Group, part: usize, input: &[&[T]; 2], output: &[&mut [T]; 2]) {
        let parts = self.program.operations.len();
        let next = |side: Side, bit: usize, array: &[T]| {
            let len = self.line_len(side, bit);
            let pairs = count(&group.pairs) * self.lanes;
            let line = group.lines.end - 1;
            let step = if side == Side::Signal { 2 } else { 1 };
            let done =
                (group.pairs.end - self.axis.pairs.start).max(0) as usize * self.lanes * step;
            let start = (line * len + done.min(len)).min(array.len());
            let count = (group.lines.len() * pairs * step).min(array.len() - start);
            let (from, to) = (start + part * count / parts, start + (part + 1) * count / parts);
            ahead::fetch(&array[from..to]);
        };
        let operation = self.program.operation;
        for (bit, (input, output)) in input.iter().zip(output).enumerate() {
            next(operation.input(), bit, input);
            next(operation.output(), bit, output);
        }
    }

    /// Runs an operation over all lines of the group at once.
    fn operate(
        &self,
        group: &Group,
        operation: &super::program::Operate<T>,
        buffers: &mut Buffers<T>,
    ) {
        let region = group.pairs.start + operation.region.low[SLOT]
            ..group.pairs.end + operation.region.high[SLOT];
        if region.is_empty() {
            return;
        }
        // Watched integers must not see what stands between the lines.
        let runs = if buffers.watched { group.lines.len() } else { 1 };
        let len = match buffers.watched {
            true => count(&region) * self.lanes,
            false => (group.lines.len() - 1) * group.pitch + count(&region) * self.lanes,
        };
        let mut target = std::mem::take(&mut buffers.planes[operation.write.buffer]);
        let mut fits = true;
        for line in 0..runs {
            let start = |at: &At| group.index(line, region.start + at.offset[SLOT]);
            let slice = |at: &At| &buffers.planes[at.buffer][start(at)..start(at) + len];
            let first = start(&operation.write);
            let write = &mut target[first..first + len];
            fits &= operation.run(write, true, buffers.watched, slice);
        }
        buffers.overflowed |= !fits;
        buffers.planes[operation.write.buffer] = target;
    }

    /// Runs a band's last operation, straight into the band.
    fn finish(
        &self,
        group: &Group,
        operation: usize,
        band: usize,
        output: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        let operate = &self.program.operations[operation];
        let ends = self.axis.output();
        let pairs = intersection(&ends.interior(band), &group.pairs);
        if pairs.is_empty() {
            return;
        }
        let len = count(&pairs) * self.lanes;
        let to = ends.index(band, pairs.start) * self.lanes;
        // The band reads the plane `shift` pairs from where the operation writes.
        let shift = self.program.outputs[band].offset[SLOT] - operate.write.offset[SLOT];
        let line_len = self.line_len(Side::Bands, band);
        let mut fits = true;
        for (at, line) in group.lines.clone().enumerate() {
            let slice = |place: &At| {
                let start = group.index(at, pairs.start + shift + place.offset[SLOT]);
                &buffers.planes[place.buffer][start..start + len]
            };
            let start = line * line_len + to;
            let write = &mut output[start..start + len];
            fits &= operate.run(write, false, buffers.watched, slice);
        }
        buffers.overflowed |= !fits;
    }

    fn store(
        &self,
        group: &Group,
        direct: [Option<usize>; 2],
        output: &mut [&mut [T]; 2],
        add: Option<i64>,
        buffers: &Buffers<T>,
    ) {
        let ends = self.axis.output();
        let lanes = self.lanes;
        let inside = [0, 1].map(|bit| intersection(&ends.interior(bit), &group.pairs));
        let side = self.program.operation.output();
        for (at, line) in group.lines.clone().enumerate() {
            let plane = |bit: usize, pairs: &Range<i64>| {
                let out = &self.program.outputs[bit];
                let start = group.index(at, pairs.start + out.offset[SLOT]);
                &buffers.planes[out.buffer][start..start + count(pairs) * lanes]
            };
            let both = intersection(&inside[0], &inside[1]);
            let joint = side == Side::Signal && add.is_none() && !both.is_empty();
            if joint {
                let len = self.line_len(side, 0);
                let to = line * len + ends.index(0, both.start) * lanes;
                let pairs = &mut output[0][to..to + 2 * count(&both) * lanes];
                interleave(plane(0, &both), plane(1, &both), lanes, pairs);
            }
            for bit in (0..2).filter(|bit| direct[*bit].is_none()) {
                let array = if side == Side::Signal { 0 } else { bit };
                let len = self.line_len(side, bit);
                let out = &mut output[array][line * len..(line + 1) * len];
                if side == Side::Bands && !inside[bit].is_empty() {
                    let to = ends.index(bit, inside[bit].start) * lanes;
                    let values = plane(bit, &inside[bit]);
                    put(&mut out[to..to + values.len()], values, add);
                    continue;
                }
                let done = if joint { both.clone() } else { inside[bit].start..inside[bit].start };
                for k in outside(&inside[bit], &done) {
                    let to = ends.index(bit, k) * lanes;
                    put(&mut out[to..to + lanes], plane(bit, &(k..k + 1)), add);
                }
            }
        }
    }

    fn fold(
        &self,
        group: &Group,
        output: &mut [&mut [T]; 2],
        add: Option<i64>,
        buffers: &Buffers<T>,
    ) {
        let lanes = self.lanes;
        let side = self.program.operation.output();
        for (at, line) in group.lines.clone().enumerate() {
            let folds = self.axis.folds.iter().filter(|edge| group.pairs.contains(&edge.k));
            for Edge { bit, k, place } in folds {
                let Some(Place { bit: target, index, weight }) = *place else { continue };
                let out = &self.program.outputs[*bit];
                let start = group.index(at, k + out.offset[SLOT]);
                let values = &buffers.planes[out.buffer][start..start + lanes];
                let array = if side == Side::Signal { 0 } else { target };
                let to = line * self.line_len(side, target) + index * lanes;
                add_weighted(&mut output[array][to..to + lanes], values, weight * add.unwrap_or(1));
            }
        }
    }
}

/// The first two planes.
fn planes<T>(planes: &mut [Vec<T>]) -> [&mut [T]; 2] {
    let mut planes = planes.iter_mut();
    [planes.next(), planes.next()].map(|plane| plane.map(Vec::as_mut_slice).unwrap_or_default())
}

/// What a range has beyond an inner one.
fn outside(range: &Range<i64>, inner: &Range<i64>) -> impl Iterator<Item = i64> + use<> {
    let start = inner.start.clamp(range.start, range.end);
    let end = inner.end.clamp(start, range.end);
    (range.start..start).chain(end..range.end)
}

fn put<T: Element>(out: &mut [T], values: &[T], add: Option<i64>) {
    match add {
        None => out.copy_from_slice(values),
        Some(weight) => add_weighted(out, values, weight),
    }
}

/// `out += weight · values`.
pub(crate) fn add_weighted<T: Element>(out: &mut [T], values: &[T], weight: i64) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = out.plus_weighted(weight, *value);
    }
}
