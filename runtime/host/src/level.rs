//! One level of a transform: all axes nested, one pass per axis, or one pass with a kernel of all
//! axes.

use super::MOST_CHANNELS;
use super::absorb::absorb_gains;
use super::edges::Axis;
use super::ends::Ends;
use super::filter::{Filter, Filtering, Past, Store, Stream};
use super::nest::{Memory, Nest};
use super::passes::Passes;
use super::program::Program;
use super::sweep::Sweep;
use super::sweeping::SweepStore;
use super::tile::{Buffers, Job, Strides};
use crate::element::Element;
use waveloom_codegen::kernel::{Kernel, Operation, Side};
use waveloom_wavelets::algebra::MAX_AXES;
use waveloom_wavelets::geometry::AxisGeometry;

/// Samples of a row from which on two axes pass through stages: shorter ones pay too much for their ends.
const LONG_ROW: usize = 512;

/// The programs of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Programs<T> {
    /// The operation.
    pub operation: Operation,
    /// For lines along one axis.
    pub(crate) line: Program<T>,
    /// For sweeps along one axis.
    pub(crate) sweep: Sweep<T>,
    /// The same as a convolution, or as stages, if it is.
    pub(crate) filter: Option<Filter<T>>,
    /// Stages instead, for two axes of long rows at once.
    planar: Option<Filter<T>>,
    /// For all axes at once, in non-separable schemes.
    joint: Option<Program<T>>,
}

impl<T: Element> Programs<T> {
    /// From the kernel of one axis, and that of all axes, if it is another.
    pub fn new(line: &Kernel, joint: Option<&Kernel>) -> Self {
        T::programs(line, joint)
    }

    pub(super) fn of(line: &Kernel, joint: Option<&Kernel>) -> Self {
        let staged = || Filter::staged(line);
        let line = &absorb_gains(line);
        Self {
            operation: line.operation,
            line: Program::of(line),
            sweep: Sweep::new(line).expect("kernels of one axis have a pipeline"),
            filter: Filter::of(line).or_else(staged),
            planar: None,
            joint: joint.map(|kernel| Program::of(&absorb_gains(kernel))),
        }
    }

    /// Has two axes pass through the stages of another kernel of the same operation, if these have a
    /// loop of their own and take less work than what was known so far.
    pub fn offer(&mut self, line: &Kernel) {
        T::offer(self, line);
    }

    pub(super) fn offered(&mut self, line: &Kernel) {
        let same = line.operation == self.operation;
        let Some(stages) = Filter::staged(line).filter(|stages| same && stages.has_loop()) else {
            return;
        };
        let known = self.planar.as_ref().or(self.filter.as_ref());
        if known.is_some_and(|known| stages.work() < known.work()) {
            self.planar = Some(stages);
        }
    }

    /// Whether rows of two axes that pass through stages do so some columns at a time wherever that is possible, instead of
    /// where it is fast. The values are the same: for tests.
    #[doc(hidden)]
    pub fn set_weaving(&mut self, weaves: bool) {
        for filter in self.filter.iter_mut().chain(&mut self.planar) {
            filter.set_weaving(weaves);
        }
    }

    /// Operations on registers for a vector of pairs of a line, if it is filtered.
    pub fn work(line: &Kernel) -> Option<usize> {
        T::work(line)
    }

    pub(super) fn worked(line: &Kernel) -> Option<usize> {
        let filter = Filter::<T>::of(&absorb_gains(line)).or_else(|| Filter::staged(line));
        filter.as_ref().map(Filter::work)
    }

    /// Pairs read before and after the pairs computed, on one axis.
    pub fn halo(&self) -> [i64; 2] {
        let load = &self.line.load;
        [-load.low[MAX_AXES - 1], load.high[MAX_AXES - 1]]
    }

    /// Prepares an axis.
    fn axis(&self, geometry: &AxisGeometry) -> Axis {
        let (line, sweep) = (&self.line, self.sweep.load());
        let last = MAX_AXES - 1;
        let mut load = (line.load.low[last].min(sweep.0), line.load.high[last].max(sweep.1));
        for filter in self.filter.iter().chain(&self.planar) {
            load = (load.0.min(filter.low), load.1.max(filter.high));
        }
        let spread = (line.spread.low[last], line.spread.high[last]);
        Axis::new(geometry, self.operation, load, spread)
    }
}

/// One level's geometry.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The signal's shape, batch dimensions included.
    pub shape: Vec<usize>,
    /// The transformed dimensions of `shape`, ascending.
    pub dims: Vec<usize>,
    /// One per transformed dimension.
    pub axes: Vec<AxisGeometry>,
    /// The forward transform's order of passes, as indices into `axes`.
    pub order: Vec<usize>,
}

/// Memory of a level in progress.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scratch<T> {
    /// Planes of tiles and lines.
    pub(crate) buffers: Buffers<T>,
    /// Windows of sweeps.
    pub(crate) sweeps: Vec<SweepStore<T>>,
    /// Arrays between passes.
    pub(crate) arrays: Vec<T>,
    /// Memory of convolutions, one per part that they are divided into.
    pub(crate) filters: Vec<Store<T>>,
    /// What waits between levels that are swept through together.
    pub(crate) streams: Vec<Stream<T>>,
}

/// How a level is executed.
enum Way<'a, T> {
    Joint(&'a Program<T>),
    Filtered(Filtering<'a, T>),
    Nested(Nest<'a, T>),
    Passes(Passes<'a, T>),
}

impl<T: Element> Way<'_, T> {
    /// Whether integers are examined as they are read.
    fn examines(&self) -> bool {
        match self {
            Way::Nested(_) => true,
            Way::Filtered(filtering) => filtering.examines(),
            Way::Joint(_) | Way::Passes(_) => false,
        }
    }
}

impl<T> Scratch<T> {
    /// The memory of convolutions, where integers are examined or not.
    fn examining(&mut self, examines: bool) -> &mut [Store<T>] {
        for store in &mut self.filters {
            store.examined = examines.then_some(0);
        }
        &mut self.filters
    }

    /// Collects what was found.
    fn examined(&mut self, examines: bool) {
        let largest = self.filters.iter_mut().filter_map(|store| store.examined.take());
        let largest = largest.max().unwrap_or(0);
        if examines {
            self.buffers.largest = self.buffers.largest.max(largest);
        }
    }
}

impl Level {
    /// The axes as an operation's programs see them.
    pub(crate) fn prepare<T: Element>(&self, programs: &Programs<T>) -> Vec<Axis> {
        self.axes.iter().map(|geometry| programs.axis(geometry)).collect()
    }

    /// Stages do not watch for overflow.
    fn way<'a, T: Element>(
        &'a self,
        programs: &'a Programs<T>,
        axes: &'a [Axis],
        watched: bool,
        past: Past,
    ) -> Way<'a, T> {
        let filtered = self.axes.iter().all(|axis| axis.single.is_none() && axis.signal.len > 0);
        if let (Some(joint), true) = (&programs.joint, filtered) {
            return Way::Joint(joint);
        }
        let passes = Passes { level: self, programs, axes };
        if !filtered {
            return Way::Passes(passes);
        }
        let (lead, tail) = self.around_axes();
        let contiguous = tail == 1 && lead[1..].iter().all(|lead| *lead == 1);
        let long = self.axes.len() == 2 && self.axes[1].signal.len >= LONG_ROW;
        let planar = programs.planar.as_ref().filter(|_| long);
        let filter = planar.or(programs.filter.as_ref());
        let adjoint = programs.operation.is_adjoint();
        let filter = filter.filter(|filter| !watched && filter.serves(self.axes.len(), adjoint));
        let ascending = self.order.windows(2).all(|pair| pair[0] < pair[1]);
        let descending = self.order.windows(2).all(|pair| pair[0] > pair[1]);
        let analysis = programs.operation.input() == Side::Signal;
        let inside_first = if ascending { !analysis } else { analysis };
        if let (Some(filter), true) = (filter, contiguous)
            // Sums of several axes may be made in any order.
            && (filter.has_taps() || ascending || descending)
        {
            let (blocks, first_axis_first) = (lead[0], !inside_first);
            return Way::Filtered(Filtering { filter, axes, blocks, first_axis_first, past });
        }
        let nest = Nest { programs, axes, lead, tail, inside_first };
        match (ascending || descending) && nest.pays() {
            true => Way::Nested(nest),
            false => Way::Passes(passes),
        }
    }

    /// Whether the level filters one line.
    pub(crate) fn is_line<T: Element>(&self, programs: &Programs<T>, axes: &[Axis]) -> bool {
        match self.way(programs, axes, false, Past::None) {
            Way::Filtered(filtering) => self.axes.len() == 1 && filtering.blocks == 1,
            _ => false,
        }
    }

    /// Extents of the dimensions before each axis (behind the axis before), and behind the last.
    fn around_axes(&self) -> ([usize; MAX_AXES], usize) {
        let mut lead = [1; MAX_AXES];
        for (axis, dim) in self.dims.iter().enumerate() {
            let first = if axis == 0 { 0 } else { self.dims[axis - 1] + 1 };
            lead[axis] = self.shape[first..*dim].iter().product();
        }
        let behind = self.dims.last().map_or(0, |dim| dim + 1);
        (lead, self.shape[behind..].iter().product())
    }

    pub(crate) fn channel_bit(&self, axis: usize) -> usize {
        1 << (self.axes.len() - 1 - axis)
    }

    /// Grows what is needed in a scratch memory.
    pub(crate) fn provide<T: Element>(
        &self,
        programs: &Programs<T>,
        axes: &[Axis],
        scratch: &mut Scratch<T>,
    ) {
        self.provide_way(self.way(programs, axes, false, Past::None), scratch);
        // Integers that could overflow go another way.
        if T::TYPE.is_integer() {
            self.provide_way(self.way(programs, axes, true, Past::None), scratch);
        }
    }

    fn provide_way<T: Element>(&self, way: Way<'_, T>, scratch: &mut Scratch<T>) {
        let (demand, arrays) = match way {
            Way::Joint(joint) => (self.joint_job(joint).demand(), 0),
            Way::Filtered(filtering) => {
                filtering.provide(&mut scratch.filters);
                (super::tile::Demand::default(), 0)
            }
            Way::Nested(nest) => (nest.provide(&mut scratch.sweeps), 0),
            Way::Passes(passes) => passes.provide(&mut scratch.sweeps),
        };
        scratch.buffers.provide(demand);
        if scratch.arrays.len() < arrays {
            scratch.arrays.resize(arrays, T::default());
        }
    }

    /// Signal to bands. `bands` holds one array per channel: bit `d-1-i` of the index is the phase
    /// on axis `i`. `past` says which of them go past the caches.
    pub(crate) fn analyse<T: Element>(
        &self,
        programs: &Programs<T>,
        axes: &[Axis],
        signal: &[T],
        bands: &mut [&mut [T]; MOST_CHANNELS],
        past: Past,
        scratch: &mut Scratch<T>,
    ) {
        let way = self.way(programs, axes, scratch.buffers.watched, past);
        // Ways that take several passes read what they have computed, too.
        if !way.examines() {
            scratch.buffers.examine(signal);
            scratch.buffers.examines = false;
        }
        match way {
            Way::Joint(joint) => {
                let mut input: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
                input[0] = signal;
                self.joint_job(joint).run(&input, bands, &mut scratch.buffers);
            }
            Way::Filtered(filtering) => {
                let bands = &mut bands[..1 << self.axes.len()];
                let examines = scratch.buffers.examines;
                let filters = scratch.examining(examines);
                filtering.run(&[signal], bands, filters);
                scratch.examined(examines);
            }
            Way::Nested(nest) => {
                let Scratch { buffers, sweeps, .. } = scratch;
                let bands = &mut bands[..1 << self.axes.len()];
                nest.analyse(0, 1, signal, bands, None, Memory { sweeps, buffers });
            }
            Way::Passes(passes) => passes.analyse(signal, bands, scratch),
        }
        // What later levels read was computed.
        scratch.buffers.examines = false;
    }

    /// Bands to signal. `past` says whether it goes past the caches.
    pub(crate) fn synthesise<T: Element>(
        &self,
        programs: &Programs<T>,
        axes: &[Axis],
        bands: &[&[T]; MOST_CHANNELS],
        signal: &mut [T],
        past: Past,
        scratch: &mut Scratch<T>,
    ) {
        let way = self.way(programs, axes, scratch.buffers.watched, past);
        let examines = scratch.buffers.examines;
        if !way.examines() {
            bands.iter().for_each(|band| scratch.buffers.examine(band));
            scratch.buffers.examines = false;
        }
        match way {
            Way::Joint(joint) => {
                let mut output: [&mut [T]; MOST_CHANNELS] = Default::default();
                output[0] = signal;
                self.joint_job(joint).run(bands, &mut output, &mut scratch.buffers);
            }
            Way::Filtered(filtering) => {
                let bands = &bands[..1 << self.axes.len()];
                let filters = scratch.examining(examines);
                filtering.run(bands, &mut [signal], filters);
                scratch.examined(examines);
            }
            Way::Nested(nest) => {
                let Scratch { buffers, sweeps, .. } = scratch;
                let bands = &bands[..1 << self.axes.len()];
                nest.synthesise(0, 1, bands, signal, None, Memory { sweeps, buffers });
            }
            Way::Passes(passes) => passes.synthesise(bands, signal, scratch),
        }
        scratch.buffers.examines = examines;
    }

    fn joint_job<'a, T: Element>(&'a self, program: &'a Program<T>) -> Job<'a, T> {
        let axes = self.axes.len();
        let slot = |axis: usize| MAX_AXES - axes + axis;
        let (batch, lanes) = self.around_axes();
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
}
