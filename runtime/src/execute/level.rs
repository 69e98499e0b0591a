//! One level of a transform: one pass per axis, or a single one where a kernel has all axes.

use super::MOST_CHANNELS;
use super::ends::Ends;
use super::program::Program;
use super::tile::{Buffers, Demand, Job, Strides};
use crate::element::Element;
use waveloom_codegen::kernel::{Kernel, Operation, Side};
use waveloom_wavelets::algebra::MAX_AXES;
use waveloom_wavelets::geometry::AxisGeometry;

/// The programs of one operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Programs<T> {
    /// For one axis.
    line: Program<T>,
    /// For all axes at once, in non-separable schemes.
    joint: Option<Program<T>>,
}

impl<T: Element> Programs<T> {
    /// From the kernel of one axis, and that of all axes, if it is another.
    pub(crate) fn new(line: &Kernel, joint: Option<&Kernel>) -> Self {
        Self { line: Program::of(line), joint: joint.map(Program::of) }
    }

    /// Pairs read before and after the pairs computed, on one axis.
    pub(crate) fn halo(&self) -> [i64; 2] {
        let load = &self.line.load;
        [-load.low[MAX_AXES - 1], load.high[MAX_AXES - 1]]
    }
}

/// One level's geometry, as the passes need it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// The signal's shape, batch dimensions included.
    pub(crate) shape: Vec<usize>,
    /// The transformed dimensions of `shape`, ascending.
    pub(crate) dims: Vec<usize>,
    /// One per transformed dimension.
    pub(crate) axes: Vec<AxisGeometry>,
    /// The forward transform's order of passes, as indices into `axes`.
    pub(crate) order: Vec<usize>,
}

/// Lengths of the transformed axes, some already split into bands.
type Lengths = [usize; MAX_AXES];

impl Level {
    fn lengths(&self) -> Lengths {
        let mut lengths = [1; MAX_AXES];
        for (length, axis) in lengths.iter_mut().zip(&self.axes) {
            *length = axis.signal.len;
        }
        lengths
    }

    /// Products of the extents before and after a transformed axis.
    fn around(&self, lengths: &Lengths, axis: usize) -> (usize, usize) {
        let extent = |dim: usize| match self.dims.iter().position(|d| *d == dim) {
            Some(index) => lengths[index],
            None => self.shape[dim],
        };
        let dim = self.dims[axis];
        let outer = (0..dim).map(extent).product();
        let lanes = (dim + 1..self.shape.len()).map(extent).product();
        (outer, lanes)
    }

    fn channel_bit(&self, axis: usize) -> usize {
        1 << (self.axes.len() - 1 - axis)
    }

    fn is_joint<T>(&self, programs: &Programs<T>) -> bool {
        let filtered = |axis: &AxisGeometry| axis.single.is_none() && axis.signal.len > 0;
        programs.joint.is_some() && self.axes.iter().all(filtered)
    }

    /// What a workspace must hold: buffers, and elements of scratch arrays.
    pub(crate) fn demand<T: Element>(&self, programs: &Programs<T>) -> (Demand, usize) {
        if let (Some(joint), true) = (&programs.joint, self.is_joint(programs)) {
            return (self.joint_job(joint).demand(), 0);
        }
        self.pass_demand(&programs.line, 0, self.lengths())
    }

    fn pass_demand<T: Element>(
        &self,
        program: &Program<T>,
        pass: usize,
        lengths: Lengths,
    ) -> (Demand, usize) {
        let Some(axis) = self.order.get(pass).copied() else {
            return (Demand::default(), 0);
        };
        let (outer, lanes) = self.around(&lengths, axis);
        let mut demand = self.line_job(program, axis, outer, lanes).demand();
        let mut deepest = 0;
        let mut own = 0;
        for span in [self.axes[axis].low, self.axes[axis].high] {
            let mut split = lengths;
            split[axis] = span.len;
            let (below, scratch) = self.pass_demand(program, pass + 1, split);
            demand = demand.or(below);
            deepest = deepest.max(scratch);
            own += outer * span.len * lanes;
        }
        let last = pass + 1 == self.order.len();
        (demand, if last { 0 } else { own + deepest })
    }

    fn line_job<'a, T: Element>(
        &'a self,
        program: &'a Program<T>,
        axis: usize,
        outer: usize,
        lanes: usize,
    ) -> Job<'a, T> {
        let geometry = &self.axes[axis];
        let strides = |len: usize| Strides { axes: [0, 0, lanes], batch: [0, 0, len * lanes] };
        let mut bands = [Strides::default(); MOST_CHANNELS];
        bands[0] = strides(geometry.low.len);
        bands[1] = strides(geometry.high.len);
        let signal = [strides(geometry.signal.len); MOST_CHANNELS];
        let side = |side: Side| match side {
            Side::Signal => signal,
            Side::Bands => bands,
        };
        let operation = program.operation;
        let ends = |side| [Ends::Whole, Ends::Whole, Ends::new(side, geometry)];
        Job {
            program,
            input: ends(operation.input()),
            output: ends(operation.output()),
            input_strides: side(operation.input()),
            output_strides: side(operation.output()),
            batch: [1, 1, outer],
            lanes,
        }
    }

    fn joint_job<'a, T: Element>(&'a self, program: &'a Program<T>) -> Job<'a, T> {
        let axes = self.axes.len();
        let slot = |axis: usize| MAX_AXES - axes + axis;
        // Dimensions between transformed ones are merged; those behind the last are the lanes.
        let mut batch = [1; 3];
        for (axis, dim) in self.dims.iter().enumerate() {
            let first = if axis == 0 { 0 } else { self.dims[axis - 1] + 1 };
            batch[axis] = self.shape[first..*dim].iter().product();
        }
        let last = self.dims.last().map_or(0, |dim| dim + 1);
        let lanes: usize = self.shape[last..].iter().product();
        let strides = |lengths: &dyn Fn(usize) -> usize| {
            let mut strides = Strides::default();
            let mut stride = lanes;
            for axis in (0..axes).rev() {
                strides.axes[slot(axis)] = stride;
                stride *= lengths(axis);
                strides.batch[axis] = stride;
                stride *= batch[axis];
            }
            strides
        };
        let signal = [strides(&|axis| self.axes[axis].signal.len); MOST_CHANNELS];
        let bands: [Strides; MOST_CHANNELS] = std::array::from_fn(|channel| {
            strides(&|axis| {
                let high = channel & self.channel_bit(axis) != 0;
                if high { self.axes[axis].high.len } else { self.axes[axis].low.len }
            })
        });
        let ends = |side: Side| {
            let mut ends = [Ends::Whole; MAX_AXES];
            for (axis, geometry) in self.axes.iter().enumerate() {
                ends[slot(axis)] = Ends::new(side, geometry);
            }
            ends
        };
        let side = |side: Side| match side {
            Side::Signal => signal,
            Side::Bands => bands,
        };
        let operation = program.operation;
        Job {
            program,
            input: ends(operation.input()),
            output: ends(operation.output()),
            input_strides: side(operation.input()),
            output_strides: side(operation.output()),
            batch,
            lanes,
        }
    }

    /// Signal to bands. `bands` holds one array per channel: bit `d-1-i` of the index is the phase
    /// on axis `i`.
    pub(crate) fn analyse<T: Element>(
        &self,
        programs: &Programs<T>,
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        scratch: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        if let (Some(joint), true) = (&programs.joint, self.is_joint(programs)) {
            let mut input: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
            input[0] = signal;
            self.joint_job(joint).run(&input, bands, buffers);
            return;
        }
        let state = Entered { pass: 0, lengths: self.lengths(), channel: 0 };
        self.split(&programs.line, state, signal, bands, scratch, buffers);
    }

    /// Bands to signal.
    pub(crate) fn synthesise<T: Element>(
        &self,
        programs: &Programs<T>,
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        scratch: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        if let (Some(joint), true) = (&programs.joint, self.is_joint(programs)) {
            let mut output: [&mut [T]; MOST_CHANNELS] = Default::default();
            output[0] = signal;
            self.joint_job(joint).run(bands, &mut output, buffers);
            return;
        }
        let state = Entered { pass: 0, lengths: self.lengths(), channel: 0 };
        self.merge(&programs.line, state, bands, signal, scratch, buffers);
    }

    fn split<T: Element>(
        &self,
        program: &Program<T>,
        state: Entered,
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        scratch: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        let axis = self.order[state.pass];
        let (outer, lanes) = self.around(&state.lengths, axis);
        let pass = Pass { level: self, program, axis, outer, lanes };
        let below = state.below(self, axis);
        if state.pass + 1 == self.order.len() {
            let [low, high] = below.map(|state| std::mem::take(&mut bands[state.channel]));
            let mut parts: [&mut [T]; MOST_CHANNELS] = Default::default();
            (parts[0], parts[1]) = (low, high);
            pass.analyse(signal, &mut parts, buffers);
            let [low, high, ..] = parts;
            bands[below[0].channel] = low;
            bands[below[1].channel] = high;
            return;
        }
        let geometry = &self.axes[axis];
        let (low, scratch) = scratch.split_at_mut(outer * geometry.low.len * lanes);
        let (high, scratch) = scratch.split_at_mut(outer * geometry.high.len * lanes);
        let mut parts: [&mut [T]; MOST_CHANNELS] = Default::default();
        (parts[0], parts[1]) = (low, high);
        pass.analyse(signal, &mut parts, buffers);
        for (state, part) in below.into_iter().zip(parts) {
            self.split(program, state, part, bands, scratch, buffers);
        }
    }

    fn merge<T: Element>(
        &self,
        program: &Program<T>,
        state: Entered,
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        scratch: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        let axis = self.order[state.pass];
        let (outer, lanes) = self.around(&state.lengths, axis);
        let pass = Pass { level: self, program, axis, outer, lanes };
        let below = state.below(self, axis);
        let mut parts: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
        if state.pass + 1 == self.order.len() {
            (parts[0], parts[1]) = (bands[below[0].channel], bands[below[1].channel]);
            pass.synthesise(&parts, signal, buffers);
            return;
        }
        let geometry = &self.axes[axis];
        let (low, scratch) = scratch.split_at_mut(outer * geometry.low.len * lanes);
        let (high, scratch) = scratch.split_at_mut(outer * geometry.high.len * lanes);
        self.merge(program, below[0], bands, low, scratch, buffers);
        self.merge(program, below[1], bands, high, scratch, buffers);
        (parts[0], parts[1]) = (low, high);
        pass.synthesise(&parts, signal, buffers);
    }
}

/// How far the recursion over axes has come.
#[derive(Clone, Copy, Debug)]
struct Entered {
    pass: usize,
    lengths: Lengths,
    channel: usize,
}

impl Entered {
    /// The low and the high branch of an axis.
    fn below(self, level: &Level, axis: usize) -> [Self; 2] {
        let geometry = &level.axes[axis];
        [(0, geometry.low), (level.channel_bit(axis), geometry.high)].map(|(bit, span)| {
            let mut lengths = self.lengths;
            lengths[axis] = span.len;
            Self { pass: self.pass + 1, lengths, channel: self.channel | bit }
        })
    }
}

/// One axis of an array.
struct Pass<'a, T> {
    level: &'a Level,
    program: &'a Program<T>,
    axis: usize,
    outer: usize,
    lanes: usize,
}

impl<T: Element> Pass<'_, T> {
    fn job(&self) -> Job<'_, T> {
        self.level.line_job(self.program, self.axis, self.outer, self.lanes)
    }

    fn gain(&self, value: T, gain: f64) -> T {
        match self.program.operation {
            Operation::Forward | Operation::AdjointForward => value.times_gain(gain),
            Operation::Inverse | Operation::AdjointInverse => value.over_gain(gain),
        }
    }

    fn analyse(
        &self,
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        buffers: &mut Buffers<T>,
    ) {
        match self.level.axes[self.axis].single {
            Some(gain) => {
                for (out, value) in bands.iter_mut().flat_map(|band| band.iter_mut()).zip(signal) {
                    *out = self.gain(*value, gain);
                }
            }
            None => {
                let mut input: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
                input[0] = signal;
                self.job().run(&input, bands, buffers);
            }
        }
    }

    fn synthesise(
        &self,
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        buffers: &mut Buffers<T>,
    ) {
        match self.level.axes[self.axis].single {
            Some(gain) => {
                for (out, value) in signal.iter_mut().zip(bands.iter().copied().flatten()) {
                    *out = self.gain(*value, gain);
                }
            }
            None => {
                let mut output: [&mut [T]; MOST_CHANNELS] = Default::default();
                output[0] = signal;
                self.job().run(bands, &mut output, buffers);
            }
        }
    }
}
