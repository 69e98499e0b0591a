//! One pass per axis, with arrays between the passes: for orders of axes that do not follow memory,
//! for lines too short to sweep along, and for axes with a single sample.

use super::MOST_CHANNELS;
use super::edges::Axis;
use super::level::{Level, Programs, Scratch};
use super::nest::{Memory, Nest};
use super::sweeping::SweepStore;
use super::tile::{Buffers, Demand};
use crate::element::Element;
use waveloom_codegen::kernel::Operation;
use waveloom_wavelets::algebra::MAX_AXES;

/// A level, pass by pass.
pub(crate) struct Passes<'a, T> {
    pub(crate) level: &'a Level,
    pub(crate) programs: &'a Programs<T>,
    pub(crate) axes: &'a [Axis],
}

/// Lengths of the transformed axes, some already split into bands.
type Lengths = [usize; MAX_AXES];

/// How far the recursion over axes has come.
#[derive(Clone, Copy, Debug)]
struct Entered {
    pass: usize,
    lengths: Lengths,
    channel: usize,
}

/// Memory of the passes still to come.
struct Rest<'a, T> {
    arrays: &'a mut [T],
    sweeps: &'a mut [SweepStore<T>],
    buffers: &'a mut Buffers<T>,
}

impl<T: Element> Passes<'_, T> {
    fn start(&self) -> Entered {
        let mut lengths = [1; MAX_AXES];
        for (length, axis) in lengths.iter_mut().zip(&self.level.axes) {
            *length = axis.signal.len;
        }
        Entered { pass: 0, lengths, channel: 0 }
    }

    /// The low and the high branch of an axis.
    fn below(&self, state: Entered, axis: usize) -> [Entered; 2] {
        let geometry = &self.level.axes[axis];
        [(0, geometry.low), (self.level.channel_bit(axis), geometry.high)].map(|(bit, span)| {
            let mut lengths = state.lengths;
            lengths[axis] = span.len;
            Entered { pass: state.pass + 1, lengths, channel: state.channel | bit }
        })
    }

    /// Products of the extents before and after a transformed axis.
    fn around(&self, lengths: &Lengths, axis: usize) -> (usize, usize) {
        let level = self.level;
        let extent = |dim: usize| match level.dims.iter().position(|d| *d == dim) {
            Some(index) => lengths[index],
            None => level.shape[dim],
        };
        let dim = level.dims[axis];
        let outer = (0..dim).map(extent).product();
        let lanes = (dim + 1..level.shape.len()).map(extent).product();
        (outer, lanes)
    }

    /// One axis alone.
    fn pass(&self, axis: usize, outer: usize, lanes: usize) -> Nest<'_, T> {
        let axes = &self.axes[axis..axis + 1];
        Nest {
            programs: self.programs,
            axes,
            lead: [outer, 1, 1],
            tail: lanes,
            inside_first: false,
        }
    }

    /// Grows the stores; what lines need, and elements of arrays between passes.
    pub(crate) fn provide(&self, sweeps: &mut Vec<SweepStore<T>>) -> (Demand, usize) {
        self.provide_from(self.start(), sweeps)
    }

    fn provide_from(&self, state: Entered, sweeps: &mut Vec<SweepStore<T>>) -> (Demand, usize) {
        let Some(axis) = self.level.order.get(state.pass).copied() else {
            return (Demand::default(), 0);
        };
        let (outer, lanes) = self.around(&state.lengths, axis);
        let mut demand = self.pass(axis, outer, lanes).provide(sweeps);
        let (mut own, mut deepest) = (0, 0);
        for below in self.below(state, axis) {
            let (inner, arrays) = self.provide_from(below, sweeps);
            demand = demand.or(inner);
            deepest = deepest.max(arrays);
            own += outer * below.lengths[axis] * lanes;
        }
        let last = state.pass + 1 == self.level.order.len();
        (demand, if last { 0 } else { own + deepest })
    }

    /// Signal to bands.
    pub(crate) fn analyse(
        &self,
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        scratch: &mut Scratch<T>,
    ) {
        let Scratch { buffers, sweeps, arrays, .. } = scratch;
        self.split(self.start(), signal, bands, Rest { arrays, sweeps, buffers });
    }

    /// Bands to signal.
    pub(crate) fn synthesise(
        &self,
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        scratch: &mut Scratch<T>,
    ) {
        let Scratch { buffers, sweeps, arrays, .. } = scratch;
        self.merge(self.start(), bands, signal, Rest { arrays, sweeps, buffers });
    }

    fn split(
        &self,
        state: Entered,
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        rest: Rest<'_, T>,
    ) {
        let axis = self.level.order[state.pass];
        let (outer, lanes) = self.around(&state.lengths, axis);
        let below = self.below(state, axis);
        let Rest { arrays, sweeps, buffers } = rest;
        if state.pass + 1 == self.level.order.len() {
            let mut parts = below.map(|state| std::mem::take(&mut bands[state.channel]));
            self.analyse_axis(axis, outer, lanes, signal, &mut parts, Memory { sweeps, buffers });
            for (state, part) in below.into_iter().zip(parts) {
                bands[state.channel] = part;
            }
            return;
        }
        let geometry = &self.level.axes[axis];
        let (low, arrays) = arrays.split_at_mut(outer * geometry.low.len * lanes);
        let (high, arrays) = arrays.split_at_mut(outer * geometry.high.len * lanes);
        let mut parts = [low, high];
        let memory = Memory { sweeps: &mut *sweeps, buffers: &mut *buffers };
        self.analyse_axis(axis, outer, lanes, signal, &mut parts, memory);
        for (state, part) in below.into_iter().zip(parts) {
            let rest = Rest { arrays: &mut *arrays, sweeps: &mut *sweeps, buffers: &mut *buffers };
            self.split(state, part, bands, rest);
        }
    }

    fn merge(
        &self,
        state: Entered,
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        rest: Rest<'_, T>,
    ) {
        let axis = self.level.order[state.pass];
        let (outer, lanes) = self.around(&state.lengths, axis);
        let below = self.below(state, axis);
        let Rest { arrays, sweeps, buffers } = rest;
        if state.pass + 1 == self.level.order.len() {
            let parts = below.map(|state| bands[state.channel]);
            self.synthesise_axis(axis, outer, lanes, parts, signal, Memory { sweeps, buffers });
            return;
        }
        let geometry = &self.level.axes[axis];
        let (low, arrays) = arrays.split_at_mut(outer * geometry.low.len * lanes);
        let (high, arrays) = arrays.split_at_mut(outer * geometry.high.len * lanes);
        let mut parts = [low, high];
        for (state, part) in below.into_iter().zip(&mut parts) {
            let rest = Rest { arrays: &mut *arrays, sweeps: &mut *sweeps, buffers: &mut *buffers };
            self.merge(state, bands, part, rest);
        }
        let parts = parts.map(|part| &*part);
        self.synthesise_axis(axis, outer, lanes, parts, signal, Memory { sweeps, buffers });
    }

    /// A sample alone on its axis is only scaled.
    fn scaled(&self, value: T, gain: f64) -> T {
        match self.programs.operation {
            Operation::Forward | Operation::AdjointForward => value.times_gain(gain),
            Operation::Inverse | Operation::AdjointInverse => value.over_gain(gain),
        }
    }

    fn analyse_axis(
        &self,
        axis: usize,
        outer: usize,
        lanes: usize,
        signal: &[T],
        bands: &mut [&mut [T]; 2],
        memory: Memory<'_, T>,
    ) {
        match self.level.axes[axis].single {
            Some(gain) => {
                for (out, value) in bands.iter_mut().flat_map(|band| band.iter_mut()).zip(signal) {
                    *out = self.scaled(*value, gain);
                }
            }
            None => self.pass(axis, outer, lanes).analyse(0, 1, signal, bands, None, memory),
        }
    }

    fn synthesise_axis(
        &self,
        axis: usize,
        outer: usize,
        lanes: usize,
        bands: [&[T]; 2],
        signal: &mut [T],
        memory: Memory<'_, T>,
    ) {
        match self.level.axes[axis].single {
            Some(gain) => {
                for (out, value) in signal.iter_mut().zip(bands.into_iter().flatten()) {
                    *out = self.scaled(*value, gain);
                }
            }
            None => self.pass(axis, outer, lanes).synthesise(0, 1, &bands, signal, None, memory),
        }
    }
}
