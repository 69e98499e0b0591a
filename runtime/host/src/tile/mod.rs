//! Runs a program over arrays, tile by tile: load planes with their halo, operate, store.
//!
//! A tile is a box of pairs on up to three axes, and a strip of *lanes*: neighbouring elements of
//! the dimensions behind the last transformed axis, which all undergo the same transform. Buffers
//! hold `[k0][k1][k2][lane]`, so that a term at an offset on the last axis is a constant distance
//! away in memory, with or without lanes.

mod rows;

use super::MOST_CHANNELS;
use super::ends::Ends;
use super::program::{At, Operate, Program, Slots};
use crate::element::Element;
use rows::{Line, Rows, array_of, offset, write};
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bytes of one buffer that still leave room for the others in the first-level cache.
const BUFFER_BYTES: usize = 12 << 10;

/// Bytes of one strip of lanes.
const STRIP_BYTES: usize = 512;

/// Strides of an array in elements: one per axis slot, one per batch dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Strides {
    pub(crate) axes: [usize; 3],
    pub(crate) batch: [usize; 3],
}

/// Everything about a level's pass but the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a, T> {
    pub(crate) program: &'a Program<T>,
    /// What is read, per slot.
    pub(crate) input: [Ends<'a>; 3],
    /// What is written, per slot.
    pub(crate) output: [Ends<'a>; 3],
    /// One for a signal, one per channel for bands.
    pub(crate) input_strides: [Strides; MOST_CHANNELS],
    pub(crate) output_strides: [Strides; MOST_CHANNELS],
    /// Extents of dimensions that are looped over.
    pub(crate) batch: [usize; 3],
    /// Extent of the innermost, contiguous dimension that is not transformed.
    pub(crate) lanes: usize,
}

/// The tile at hand.
#[derive(Clone, Debug)]
struct Tile {
    pairs: [Range<i64>; 3],
    /// First pair in the buffers.
    origin: Slots,
    /// Pairs in the buffers.
    extent: [usize; 3],
    lanes: Range<usize>,
}

impl Tile {
    fn width(&self) -> usize {
        self.lanes.len()
    }

    /// Index in a buffer of the first lane at a position.
    fn index(&self, k: &Slots) -> usize {
        let at = |slot: usize| (k[slot] - self.origin[slot]) as usize;
        ((at(0) * self.extent[1] + at(1)) * self.extent[2] + at(2)) * self.width()
    }
}

/// Planes of a tile, and the watch over integers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Buffers<T> {
    pub(crate) planes: Vec<Vec<T>>,
    /// Whether updates are watched for overflow.
    pub(crate) watched: bool,
    /// Whether one was seen.
    pub(crate) overflowed: bool,
    /// Whether what is read is examined on the way, and the largest magnitude so far.
    pub(crate) examines: bool,
    pub(crate) largest: u64,
}

impl<T: Element> Buffers<T> {
    /// Examines values, if that is wanted.
    pub(crate) fn examine(&mut self, values: &[T]) {
        if self.examines {
            self.largest = self.largest.max(T::largest(values));
        }
    }

    /// Grows to a demand.
    pub(crate) fn provide(&mut self, demand: Demand) {
        if self.planes.len() < demand.buffers {
            self.planes.resize_with(demand.buffers, Vec::new);
        }
        for plane in &mut self.planes {
            if plane.len() < demand.elements {
                plane.resize(demand.elements, T::default());
            }
        }
    }
}

/// What a pass needs of a workspace: buffers, and elements in each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    pub(crate) buffers: usize,
    pub(crate) elements: usize,
}

impl Demand {
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            buffers: self.buffers.max(other.buffers),
            elements: self.elements.max(other.elements),
        }
    }
}

impl<T: Element> Job<'_, T> {
    fn side(&self) -> (Side, Side) {
        (self.program.operation.input(), self.program.operation.output())
    }

    /// The pairs over which the kernel runs.
    fn pairs(&self, slot: usize) -> Range<i64> {
        if !self.program.operation.is_adjoint() {
            return self.output[slot].pairs();
        }
        let pairs = self.input[slot].pairs();
        let spread = &self.program.spread;
        if pairs.is_empty() {
            pairs
        } else {
            pairs.start + spread.low[slot]..pairs.end + spread.high[slot]
        }
    }

    /// Pairs per tile and slot, and lanes per strip.
    fn shape(&self) -> ([usize; 3], usize) {
        let bytes = T::TYPE.bytes();
        let width = self.lanes.min(STRIP_BYTES / bytes).max(1);
        let axes = self.program.axes;
        let mut left = (BUFFER_BYTES / bytes / width).max(1);
        let mut pairs = [1; 3];
        for slot in (3 - axes..3).rev() {
            let count = self.pairs(slot);
            let count = (count.end - count.start).max(0) as usize;
            // Of several axes, the last gets long rows, the others what is left.
            let fair = if slot == 3 - axes { left } else { left.min((128 / width).max(16)) };
            let wanted = fair.max(2 * self.program.extent.reach(slot)).max(8);
            pairs[slot] = wanted.min(count).max(1);
            left = (left / pairs[slot]).max(1);
        }
        (pairs, width)
    }

    /// What [`Job::run`] needs.
    pub(crate) fn demand(&self) -> Demand {
        let (pairs, width) = self.shape();
        let extent = |slot: usize| pairs[slot] + self.program.extent.reach(slot);
        let elements = extent(0) * extent(1) * extent(2) * width;
        Demand { buffers: self.program.buffers, elements }
    }

    /// Transforms `input` into `output`: one array for a signal, one per channel for bands. An
    /// adjoint's outputs are overwritten like any other's.
    pub(crate) fn run(
        &self,
        input: &[&[T]; MOST_CHANNELS],
        output: &mut [&mut [T]; MOST_CHANNELS],
        buffers: &mut Buffers<T>,
    ) {
        if self.program.operation.is_adjoint() {
            for array in output.iter_mut() {
                array.fill(T::default());
            }
        }
        let (shape, width) = self.shape();
        let all: [Range<i64>; 3] = std::array::from_fn(|slot| self.pairs(slot));
        let parts = |slot: usize| {
            let Range { start, end } = all[slot];
            (start..end).step_by(shape[slot]).map(move |at| at..(at + shape[slot] as i64).min(end))
        };
        for batch in indices(&self.batch) {
            for lane in (0..self.lanes).step_by(width) {
                for first in parts(0) {
                    for second in parts(1) {
                        for third in parts(2) {
                            let pairs = [first.clone(), second.clone(), third];
                            let low = &self.program.extent.low;
                            let tile = Tile {
                                origin: std::array::from_fn(|slot| pairs[slot].start + low[slot]),
                                extent: std::array::from_fn(|slot| {
                                    let count = pairs[slot].end - pairs[slot].start;
                                    count as usize + self.program.extent.reach(slot)
                                }),
                                pairs,
                                lanes: lane..(lane + width).min(self.lanes),
                            };
                            self.load(&tile, &batch, input, buffers);
                            for operation in &self.program.operations {
                                operate(operation, &tile, buffers);
                            }
                            self.store(&tile, &batch, output, buffers);
                        }
                    }
                }
            }
        }
    }

    fn load(
        &self,
        tile: &Tile,
        batch: &[usize; 3],
        input: &[&[T]; MOST_CHANNELS],
        buffers: &mut Buffers<T>,
    ) {
        let region = &self.program.load;
        let range = |slot: usize| {
            tile.pairs[slot].start + region.low[slot]..tile.pairs[slot].end + region.high[slot]
        };
        let (side, _) = self.side();
        let zeros = self.program.operation.is_adjoint();
        for channel in 0..1 << self.program.axes {
            let buffer = &mut buffers.planes[channel];
            for k0 in range(0) {
                for k1 in range(1) {
                    let start = tile.index(&[k0, k1, range(2).start]);
                    let len = (range(2).end - range(2).start) as usize * tile.width();
                    let row = &mut buffer[start..start + len];
                    let places = Rows::new(&self.input, channel, [k0, k1], zeros);
                    if places.len == 0 {
                        row.fill(T::default());
                    }
                    for (index, (places, weight)) in places.iter().enumerate() {
                        let lines = [0, 1].map(|bit| {
                            let array = array_of(side, places, bit);
                            let strides = &self.input_strides[array];
                            let base = offset(strides, batch, places) + tile.lanes.start;
                            (input[array], base, strides.axes[2])
                        });
                        let line = Line {
                            ends: &self.input[2],
                            bit: channel & 1,
                            pairs: range(2),
                            width: tile.width(),
                            weight,
                        };
                        line.read(&lines, row, index == 0, zeros);
                    }
                }
            }
        }
    }

    fn store(
        &self,
        tile: &Tile,
        batch: &[usize; 3],
        output: &mut [&mut [T]; MOST_CHANNELS],
        buffers: &Buffers<T>,
    ) {
        let (_, side) = self.side();
        let fold = self.program.operation.is_adjoint();
        for (channel, at) in self.program.outputs.iter().enumerate() {
            let buffer = &buffers.planes[at.buffer];
            for k0 in tile.pairs[0].clone() {
                for k1 in tile.pairs[1].clone() {
                    let first = [k0, k1, tile.pairs[2].start];
                    let start =
                        tile.index(&std::array::from_fn(|slot| first[slot] + at.offset[slot]));
                    let len = tile.pairs[2].clone().count() * tile.width();
                    let row = &buffer[start..start + len];
                    let places = Rows::new(&self.output, channel, [k0, k1], !fold);
                    for (places, weight) in places.iter() {
                        let line = Line {
                            ends: &self.output[2],
                            bit: channel & 1,
                            pairs: tile.pairs[2].clone(),
                            width: tile.width(),
                            weight,
                        };
                        let parts = line.parts(fold);
                        for (range, place) in parts {
                            let array = array_of(side, places, place.bit);
                            let strides = &self.output_strides[array];
                            let base = offset(strides, batch, places)
                                + tile.lanes.start
                                + place.index * strides.axes[2];
                            let step = strides.axes[2] * line.ends.step();
                            let from = (range.start - line.pairs.start) as usize * line.width;
                            let values = &row[from..from + range.clone().count() * line.width];
                            let array = &mut output[array][base..];
                            let weight = if fold { Some(weight * place.weight) } else { None };
                            write(array, step, line.width, values, weight);
                        }
                    }
                }
            }
        }
    }
}

/// Every index below `extents`, the last running fastest.
fn indices(extents: &[usize; 3]) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [a, b, c] = *extents;
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])))
}

/// Runs one operation over its region of a tile.
fn operate<T: Element>(operation: &Operate<T>, tile: &Tile, buffers: &mut Buffers<T>) {
    let region = &operation.region;
    let range = |slot: usize| {
        tile.pairs[slot].start + region.low[slot]..tile.pairs[slot].end + region.high[slot]
    };
    if range(2).is_empty() {
        return;
    }
    let len = range(2).count() * tile.width();
    let mut target = std::mem::take(&mut buffers.planes[operation.write.buffer]);
    let mut fits = true;
    for k0 in range(0) {
        for k1 in range(1) {
            let start = |at: &At| {
                let k = [k0, k1, range(2).start];
                tile.index(&std::array::from_fn(|slot| k[slot] + at.offset[slot]))
            };
            let slice = |at: &At| &buffers.planes[at.buffer][start(at)..start(at) + len];
            let first = start(&operation.write);
            let write = &mut target[first..first + len];
            fits &= operation.run(write, true, buffers.watched, slice);
        }
    }
    buffers.overflowed |= !fits;
    buffers.planes[operation.write.buffer] = target;
}
