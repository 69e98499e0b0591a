//! All axes of a level in one go: each axis' outputs are taken on to the next axis while they are in
//! the cache, so that memory is read once and written once.
//!
//! Axes are nested as in memory, the first outermost. Either the outermost axis is transformed first
//! and its lines go inwards, or it is last and fetches its lines from the axes inside. The innermost
//! axis works on whole lines if its neighbours are (nearly) adjacent; every other one is a sweep.

use super::chained::Middle;
use super::edges::Axis;
use super::level::Programs;
use super::line::Lines;
use super::sweeping::{MOST_SEGMENTS, Sink, Source, SweepStore, Sweeping};
use super::tile::{Buffers, Demand};
use crate::element::Element;
use waveloom_wavelets::algebra::MAX_AXES;

/// From so many bytes of lanes on, an axis is a sweep.
const SWEEP_BYTES: usize = 128;

/// Axes and the dimensions around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nest<'a, T> {
    pub(crate) programs: &'a Programs<T>,
    pub(crate) axes: &'a [Axis],
    /// Extent of the dimensions between an axis and the one before it.
    pub(crate) lead: [usize; MAX_AXES],
    /// Extent of the dimensions behind the last axis.
    pub(crate) tail: usize,
    /// Whether the outermost axis is transformed last.
    pub(crate) inside_first: bool,
}

/// Memory of the stages.
pub(crate) struct Memory<'a, T> {
    /// One per axis that still follows.
    pub(crate) sweeps: &'a mut [SweepStore<T>],
    pub(crate) buffers: &'a mut Buffers<T>,
}

impl<T: Element> Nest<'_, T> {
    /// Whether so few axes, or so long lines, are behind every axis but the last that sweeps pay.
    pub(crate) fn pays(&self) -> bool {
        (0..self.axes.len().saturating_sub(1)).all(|j| self.sweeps(self.signal_line(j)))
    }

    fn sweeps(&self, lanes: usize) -> bool {
        lanes * T::TYPE.bytes() >= SWEEP_BYTES
    }

    /// Elements behind axis `j` of an array whose axes have these lengths.
    fn line(&self, j: usize, length: impl Fn(usize) -> usize) -> usize {
        (j + 1..self.axes.len()).map(|i| self.lead[i] * length(i)).product::<usize>() * self.tail
    }

    fn signal_line(&self, j: usize) -> usize {
        self.line(j, |i| self.axes[i].geometry.signal.len)
    }

    /// The same for a band: bit `n-1-i` of `channel` is the phase on axis `j+1+i` of `n`.
    fn band_line(&self, j: usize, channel: usize) -> usize {
        let last = self.axes.len() - 1;
        self.line(j, |i| self.band_len(i, (channel >> (last - i)) & 1))
    }

    fn band_len(&self, j: usize, bit: usize) -> usize {
        let geometry = &self.axes[j].geometry;
        if bit == 0 { geometry.low.len } else { geometry.high.len }
    }

    /// Channels of the axes behind axis `j`.
    fn inner(&self, j: usize) -> usize {
        1 << (self.axes.len() - 1 - j)
    }

    fn band_lines(&self, j: usize) -> [usize; MOST_SEGMENTS] {
        let mut lines = [0; MOST_SEGMENTS];
        for (channel, line) in lines.iter_mut().enumerate().take(self.inner(j)) {
            *line = self.band_line(j, channel);
        }
        lines
    }

    /// Segments of the lines that a sweep along axis `j` works on: those of the signal, or those of
    /// the bands of the axes behind it.
    fn segments(&self, j: usize) -> ([usize; MOST_SEGMENTS], usize) {
        let operation = self.axes[j].operation;
        let signal = operation.input() == waveloom_codegen::kernel::Side::Signal;
        if self.is_last(j) {
            ([self.tail, 0, 0, 0], 1)
        } else if signal != self.inside_first {
            ([self.signal_line(j), 0, 0, 0], 1)
        } else {
            (self.band_lines(j), self.inner(j))
        }
    }

    fn is_last(&self, j: usize) -> bool {
        j + 1 == self.axes.len()
    }

    fn lines(&self, j: usize) -> Lines<'_, T> {
        let axis = &self.axes[j];
        let middle = Middle::new(&self.programs.sweep, axis);
        Lines { program: &self.programs.line, axis, lanes: self.tail, middle }
    }

    fn sweeping<'b>(
        &'b self,
        j: usize,
        lanes: &'b [usize],
        add: Option<i64>,
        watched: bool,
    ) -> Sweeping<'b, T> {
        Sweeping { sweep: &self.programs.sweep, axis: &self.axes[j], lanes, add, watched }
    }

    /// Grows the stores to what the stages need; returns what lines need.
    pub(crate) fn provide(&self, sweeps: &mut Vec<SweepStore<T>>) -> Demand {
        if sweeps.len() < self.axes.len() {
            sweeps.resize_with(self.axes.len(), SweepStore::default);
        }
        let mut demand = Demand::default();
        for (j, store) in sweeps.iter_mut().enumerate().take(self.axes.len()) {
            if self.is_last(j) && !self.sweeps(self.tail) {
                demand = demand.or(self.lines(j).demand());
                continue;
            }
            let (lanes, count) = self.segments(j);
            self.sweeping(j, &lanes[..count], None, false).provide(store);
        }
        demand
    }

    /// Signal to bands: `rows` arrays from axis `j` on. `outputs` holds one array per channel of the
    /// axes from `j` on; with a weight, results are multiplied by it and added. Arrays may go on
    /// behind what is transformed: what will be next.
    pub(crate) fn analyse(
        &self,
        j: usize,
        rows: usize,
        input: &[T],
        outputs: &mut [&mut [T]],
        add: Option<i64>,
        memory: Memory<'_, T>,
    ) {
        let Memory { sweeps, buffers } = memory;
        let blocks = rows * self.lead[j];
        let last = self.is_last(j);
        if last && !self.sweeps(self.tail) {
            let [low, high] = outputs else { return };
            if j == 0 {
                buffers.examine(input);
            }
            self.lines(j).run(blocks, [input, &[]], [low, high], add, buffers);
            return;
        }
        let Some((store, sweeps)) = sweeps.split_first_mut() else { return };
        let (lanes, segments) = self.segments(j);
        let sweeping = self.sweeping(j, &lanes[..segments], add, buffers.watched);
        let (len, line) = (self.axes[j].geometry.signal.len, self.signal_line(j));
        let inner = self.inner(j);
        store.examine(j == 0 && buffers.examines);
        for block in 0..blocks {
            let input = &input[block * len * line..(block + 1) * len * line];
            let overflowed = if last || self.inside_first {
                let mut arrays: [[&mut [T]; 2]; MOST_SEGMENTS] = Default::default();
                for (channel, output) in outputs.iter_mut().enumerate() {
                    let (bit, segment) = (channel / inner, channel % inner);
                    let size = self.band_len(j, bit) * lanes[segment];
                    arrays[segment][bit] = &mut output[block * size..(block + 1) * size];
                }
                let sink = Sink::Arrays(&mut arrays[..segments]);
                if last {
                    sweeping.run(Source::Arrays(&[[input, &[]]]), sink, store)
                } else {
                    let mut fetch = |_, first: usize, count: usize, places: &mut [&mut [T]]| {
                        let input = &input[first * line..];
                        if j == 0 {
                            buffers.examine(&input[..count * line]);
                        }
                        let memory = Memory { sweeps: &mut *sweeps, buffers: &mut *buffers };
                        self.analyse(j + 1, count, input, places, None, memory);
                    };
                    sweeping.run(Source::Stage(&mut fetch), sink, store)
                }
            } else {
                let band_lines = self.band_lines(j);
                let mut deliver =
                    |bit: usize, first: usize, count: usize, lines: &[&[T]], add: Option<i64>| {
                        let mut parts: [&mut [T]; MOST_SEGMENTS] = Default::default();
                        let start = block * self.band_len(j, bit) + first;
                        let outputs = outputs[bit * inner..(bit + 1) * inner].iter_mut();
                        for ((part, output), line) in parts.iter_mut().zip(outputs).zip(band_lines)
                        {
                            *part = &mut output[start * line..];
                        }
                        let memory = Memory { sweeps: &mut *sweeps, buffers: &mut *buffers };
                        self.analyse(j + 1, count, lines[0], &mut parts[..inner], add, memory);
                    };
                let source = Source::Arrays(&[[input, &[]]]);
                sweeping.run(source, Sink::Stage(&mut deliver), store)
            };
            buffers.overflowed |= overflowed;
        }
        if j == 0 {
            buffers.largest = buffers.largest.max(store.examined());
        }
    }

    /// Bands to signal: the arrays of `inputs` as the outputs of [`Nest::analyse`]. Arrays may go on
    /// behind what is transformed.
    pub(crate) fn synthesise(
        &self,
        j: usize,
        rows: usize,
        inputs: &[&[T]],
        output: &mut [T],
        add: Option<i64>,
        memory: Memory<'_, T>,
    ) {
        let Memory { sweeps, buffers } = memory;
        let blocks = rows * self.lead[j];
        let last = self.is_last(j);
        if last && !self.sweeps(self.tail) {
            let [low, high] = inputs else { return };
            if j == 0 {
                buffers.examine(low);
                buffers.examine(high);
            }
            self.lines(j).run(blocks, [low, high], [output, &mut []], add, buffers);
            return;
        }
        let Some((store, sweeps)) = sweeps.split_first_mut() else { return };
        let (lanes, segments) = self.segments(j);
        let sweeping = self.sweeping(j, &lanes[..segments], add, buffers.watched);
        let (len, line) = (self.axes[j].geometry.signal.len, self.signal_line(j));
        let inner = self.inner(j);
        store.examine(j == 0 && buffers.examines);
        for block in 0..blocks {
            let output = &mut output[block * len * line..(block + 1) * len * line];
            let overflowed = if last || !self.inside_first {
                let mut arrays: [[&[T]; 2]; MOST_SEGMENTS] = [[&[]; 2]; MOST_SEGMENTS];
                for (channel, input) in inputs.iter().enumerate() {
                    let (bit, segment) = (channel / inner, channel % inner);
                    let size = self.band_len(j, bit) * lanes[segment];
                    arrays[segment][bit] = &input[block * size..(block + 1) * size];
                }
                let source = Source::Arrays(&arrays[..segments]);
                if last {
                    sweeping.run(source, Sink::Arrays(&mut [[output, &mut []]]), store)
                } else {
                    let mut deliver =
                        |_, first: usize, count: usize, lines: &[&[T]], add: Option<i64>| {
                            let output = &mut output[first * line..];
                            let memory = Memory { sweeps: &mut *sweeps, buffers: &mut *buffers };
                            self.synthesise(j + 1, count, lines, output, add, memory);
                        };
                    sweeping.run(source, Sink::Stage(&mut deliver), store)
                }
            } else {
                let band_lines = self.band_lines(j);
                let mut fetch =
                    |bit: usize, first: usize, count: usize, places: &mut [&mut [T]]| {
                        let mut parts: [&[T]; MOST_SEGMENTS] = [&[]; MOST_SEGMENTS];
                        let start = block * self.band_len(j, bit) + first;
                        let inputs = inputs[bit * inner..(bit + 1) * inner].iter();
                        for ((part, input), line) in parts.iter_mut().zip(inputs).zip(band_lines) {
                            *part = &input[start * line..];
                            if j == 0 {
                                buffers.examine(&part[..count * line]);
                            }
                        }
                        let memory = Memory { sweeps: &mut *sweeps, buffers: &mut *buffers };
                        self.synthesise(j + 1, count, &parts[..inner], places[0], None, memory);
                    };
                let sink = Sink::Arrays(&mut [[output, &mut []]]);
                sweeping.run(Source::Stage(&mut fetch), sink, store)
            };
            buffers.overflowed |= overflowed;
        }
        if j == 0 {
            buffers.largest = buffers.largest.max(store.examined());
        }
    }
}
