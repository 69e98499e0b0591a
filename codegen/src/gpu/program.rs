//! The launches of a whole multi-level transform of one array, with all their parameters.

use super::abi::{Job, JobAxis, OUTERS, View};
use super::mapping::{Mapping, Strategy};
use super::pass::{Fold, Scale};
use super::proof::{ProofError, Proved, prove};
use crate::kernel::{Element, Kernel, LowerError, Operation, Side, lower};
use waveloom_wavelets::extension::{Extension, ExtensionKind, Mode};
use waveloom_wavelets::geometry::{AxisGeometry, Band, Decomposition, GeometryError, Span, bands};
use waveloom_wavelets::scheme::{SchemeError, Split};
use waveloom_wavelets::{SchemeKind, Wavelet};

/// A buffer of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// The array itself.
    Signal,
    /// All bands, as [`waveloom_wavelets::geometry::bands`] lays them out.
    Coefficients,
    /// Intermediate values.
    Workspace,
}

impl Buffer {
    /// Its place among a launch's parameters, from 0.
    pub fn code(self) -> i64 {
        match self {
            Buffer::Signal => 0,
            Buffer::Coefficients => 1,
            Buffer::Workspace => 2,
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct ProgramRequest<'a> {
    /// The wavelet.
    pub wavelet: &'a Wavelet,
    /// The scheme; 1-D kinds and separable kinds run axis by axis, non-separable ones on all axes.
    pub kind: SchemeKind,
    /// Extents of the array.
    pub shape: &'a [usize],
    /// Transformed axes, in the order of the bands' letters.
    pub axes: &'a [usize],
    /// Extension mode.
    pub mode: Mode,
    /// Coordinates of sample 0 per axis; empty for 0.
    pub origins: &'a [i64],
    /// Number of levels.
    pub levels: usize,
    /// Element type.
    pub element: Element,
    /// Operation.
    pub operation: Operation,
    /// How kernels are mapped to blocks.
    pub strategy: Strategy,
}

/// One kernel of a program and the shape it is mapped with.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedKernel {
    /// What each tile computes.
    pub kernel: Kernel,
    /// Who computes it.
    pub mapping: Mapping,
}

/// What a launch runs.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchKind {
    /// A mapped kernel (index into [`Program::kernels`]) on up to four jobs at once.
    Transform {
        /// Which kernel.
        kernel: usize,
        /// Its jobs.
        jobs: Vec<Job>,
    },
    /// Folding of a margin.
    Fold(Fold),
    /// A single sample.
    Scale(Scale),
}

/// One launch.
pub type Launch = LaunchKind;

/// Most jobs of one launch.
pub const JOBS: usize = 4;

impl LaunchKind {
    /// The words that follow the buffers' addresses among the launch's parameters.
    pub fn words(&self) -> Vec<i64> {
        match self {
            LaunchKind::Transform { jobs, .. } => {
                let mut words: Vec<i64> = jobs.iter().flat_map(Job::words).collect();
                let each = words.len() / jobs.len().max(1);
                words.resize(JOBS * each, 0);
                words
            }
            LaunchKind::Fold(fold) => fold.words(),
            LaunchKind::Scale(scale) => scale.words(),
        }
    }
}

/// A transform as a list of launches.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Distinct kernels, proved.
    pub kernels: Vec<Proved>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// The bands of the coefficient buffer.
    pub bands: Vec<Band>,
    /// Elements of the array.
    pub signal_len: usize,
    /// Elements of all bands.
    pub coefficient_len: usize,
    /// Elements of intermediate memory.
    pub workspace_len: usize,
}

/// Why a program cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramError {
    /// The shape does not fit.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// No such scheme.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scheme does not fit the element type or the operation.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// No block shape fits.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Axes out of range, twice, none or too many.
    #[error("axes {axes:?} of an array with {dims} dimensions: expected 1 to 3 different axes")]
    Axes {
        /// What was given.
        axes: Vec<usize>,
        /// Dimensions of the array.
        dims: usize,
    },
    /// Sizes beyond 64 bits.
    #[error("an array of shape {shape:?} has more elements than memory has addresses")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
}

/// An array on its way through the levels.
#[derive(Clone, Debug)]
struct Array {
    buffer: Buffer,
    offset: usize,
    shape: Vec<usize>,
}

impl Array {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn stride(&self, axis: usize) -> i64 {
        self.shape[axis + 1..].iter().product::<usize>() as i64
    }
}

/// Plans the launches.
pub fn program(request: &ProgramRequest<'_>) -> Result<Program, ProgramError> {
    let dims = request.shape.len();
    let mut sorted = request.axes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let legal = !sorted.is_empty() && sorted.len() <= 3 && sorted.iter().all(|axis| *axis < dims);
    if !legal || sorted.len() != request.axes.len() {
        return Err(ProgramError::Axes { axes: request.axes.to_vec(), dims });
    }
    let fits = request.shape.iter().try_fold(1_usize, |product, n| product.checked_mul(*n));
    if fits.is_none_or(|len| len >= usize::MAX / 64) {
        return Err(ProgramError::TooLarge { shape: request.shape.to_vec() });
    }
    let lengths: Vec<usize> = request.axes.iter().map(|axis| request.shape[*axis]).collect();
    let decomposition = Decomposition::new(
        &request.wavelet.frame(),
        request.mode,
        &lengths,
        request.origins,
        request.levels,
    )?;
    let layout = bands(request.shape, request.axes, &decomposition);
    let coefficient_len = layout.iter().map(|band| band.len).sum();
    let mut builder = Builder {
        request,
        kernels: Vec::new(),
        launches: Vec::new(),
        temporary: 0,
        workspace_len: 0,
    };
    let signal = Array { buffer: Buffer::Signal, offset: 0, shape: request.shape.to_vec() };
    let mut approximations = vec![signal];
    let mut end = 0;
    for (index, _) in decomposition.levels().iter().enumerate() {
        let last = index + 1 == decomposition.levels().len();
        let mut shape = request.shape.to_vec();
        for (i, axis) in request.axes.iter().enumerate() {
            shape[*axis] = decomposition.levels()[index].axes[i].low.len;
        }
        if last {
            approximations.push(Array { buffer: Buffer::Coefficients, offset: 0, shape });
        } else {
            let len: usize = shape.iter().product();
            approximations.push(Array { buffer: Buffer::Workspace, offset: end, shape });
            end += aligned(len);
        }
    }
    builder.workspace_len = end;
    let forward = request.operation.input() == Side::Signal;
    let count = decomposition.levels().len();
    for step in 0..count {
        let index = if forward { step } else { count - 1 - step };
        builder.temporary = end;
        let level_bands: Vec<Array> = (0..1 << request.axes.len())
            .map(|channel| {
                if channel == 0 {
                    return approximations[index + 1].clone();
                }
                let found = layout.iter().find(|b| b.level == index + 1 && b.channel == channel);
                // The layout lists every channel of every level.
                let (offset, shape) =
                    found.map_or((0, Vec::new()), |band| (band.offset, band.shape.clone()));
                Array { buffer: Buffer::Coefficients, offset, shape }
            })
            .collect();
        let geometry = &decomposition.levels()[index].axes;
        builder.level(geometry, &approximations[index], &level_bands)?;
    }
    if count == 0 {
        builder.copy(forward);
    }
    Ok(Program {
        kernels: builder.kernels,
        launches: builder.launches,
        bands: layout,
        signal_len: request.shape.iter().product(),
        coefficient_len,
        workspace_len: builder.workspace_len,
    })
}

/// Arrays begin at multiples of 128 elements, so that every one is aligned for wide accesses.
fn aligned(len: usize) -> usize {
    len.next_multiple_of(128)
}

struct Builder<'a> {
    request: &'a ProgramRequest<'a>,
    kernels: Vec<Proved>,
    launches: Vec<Launch>,
    temporary: usize,
    workspace_len: usize,
}

impl Builder<'_> {
    fn temporary(&mut self, shape: Vec<usize>) -> Array {
        let array = Array { buffer: Buffer::Workspace, offset: self.temporary, shape };
        self.temporary += aligned(array.len());
        self.workspace_len = self.workspace_len.max(self.temporary);
        array
    }

    /// Level 0: the one band is the array.
    fn copy(&mut self, forward: bool) {
        let view = |buffer| View { buffer, offset: 0, outer: [0; OUTERS], axes: [0; 3] };
        let (from, to) = match forward {
            true => (view(Buffer::Signal), view(Buffer::Coefficients)),
            false => (view(Buffer::Coefficients), view(Buffer::Signal)),
        };
        let lanes = self.request.shape.iter().product::<usize>() as i64;
        if lanes > 0 {
            self.launches.push(Launch::Scale(Scale {
                from,
                to,
                outer: 1,
                lanes,
                gain: 1.0,
                divide: false,
            }));
        }
    }

    /// One level between its signal and its bands.
    fn level(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
    ) -> Result<(), ProgramError> {
        let plain = geometry.iter().all(|axis| axis.single.is_none() && axis.signal.len > 0);
        let ascending = self.request.axes.windows(2).all(|pair| pair[0] < pair[1]);
        if self.request.kind.is_nonseparable() && plain && ascending {
            return self.joint(geometry, signal, bands);
        }
        self.axis_by_axis(geometry, signal, bands)
    }

    /// Axis by axis: every pass splits (or merges) all arrays along one axis, in one launch.
    fn axis_by_axis(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
    ) -> Result<(), ProgramError> {
        let request = self.request;
        let count = request.axes.len();
        let order: Vec<usize> = if request.wavelet.is_rounded() {
            request.wavelet.axis_list(count)
        } else {
            (0..count).rev().collect()
        };
        let forward = request.operation.input() == Side::Signal;
        // arrays[depth] holds the arrays after `depth` splits, indexed by the letters so far.
        let mut tree: Vec<Vec<Array>> = vec![vec![signal.clone()]];
        for (depth, axis) in order.iter().enumerate() {
            let last = depth + 1 == count;
            let mut split = Vec::new();
            for (index, array) in tree[depth].clone().iter().enumerate() {
                for high in [false, true] {
                    let mut shape = array.shape.clone();
                    let axis_geometry = &geometry[*axis];
                    shape[request.axes[*axis]] =
                        if high { axis_geometry.high.len } else { axis_geometry.low.len };
                    split.push(if last {
                        let letters = 2 * index + usize::from(high);
                        bands[channel_of(letters, &order, count)].clone()
                    } else {
                        self.temporary(shape)
                    });
                }
            }
            tree.push(split);
        }
        let depths: Vec<usize> =
            if forward { (0..count).collect() } else { (0..count).rev().collect() };
        for depth in depths {
            let wholes = tree[depth].clone();
            let halves = tree[depth + 1].clone();
            self.pass(order[depth], &geometry[order[depth]], &wholes, &halves)?;
        }
        Ok(())
    }

    /// One axis of all arrays of a level.
    fn pass(
        &mut self,
        axis: usize,
        geometry: &AxisGeometry,
        wholes: &[Array],
        halves: &[Array],
    ) -> Result<(), ProgramError> {
        let array_axis = self.request.axes[axis];
        if geometry.signal.len == 0 {
            return Ok(());
        }
        if let Some(gain) = geometry.single {
            for (index, whole) in wholes.iter().enumerate() {
                let pair = &halves[2 * index..2 * index + 2];
                let half = if geometry.low.len == 1 { &pair[0] } else { &pair[1] };
                self.single(array_axis, whole, half, gain);
            }
            return Ok(());
        }
        let contiguous = array_axis + 1 == wholes[0].shape.len()
            || wholes[0].shape[array_axis + 1..].iter().all(|n| *n == 1);
        let kernel = self.kernel(1, contiguous)?;
        let mut jobs = Vec::new();
        let mut folds = Vec::new();
        for (index, whole) in wholes.iter().enumerate() {
            let pair = &halves[2 * index..2 * index + 2];
            let sides = self.extended(kernel, &[*geometry], &[array_axis], whole, pair);
            let job = self.job(kernel, &sides.geometry, &[array_axis], &sides.whole, &sides.bands);
            if job.blocks() > 0 {
                jobs.push(job);
            }
            folds.extend(sides.folds);
        }
        for four in jobs.chunks(JOBS) {
            self.launches.push(Launch::Transform { kernel, jobs: four.to_vec() });
        }
        self.launches.extend(folds);
        Ok(())
    }

    /// All axes at once.
    fn joint(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
    ) -> Result<(), ProgramError> {
        let axes = self.request.axes.to_vec();
        let last = axes.last().copied().unwrap_or(0);
        let contiguous = signal.shape[last + 1..].iter().all(|n| *n == 1);
        let kernel = self.kernel(axes.len(), contiguous)?;
        let sides = self.extended(kernel, geometry, &axes, signal, bands);
        let job = self.job(kernel, &sides.geometry, &axes, &sides.whole, &sides.bands);
        if job.blocks() > 0 {
            self.launches.push(Launch::Transform { kernel, jobs: vec![job] });
        }
        self.launches.extend(sides.folds);
        Ok(())
    }

    fn kernel(&mut self, axes: usize, contiguous: bool) -> Result<usize, ProgramError> {
        let request = self.request;
        let kind = if axes == 1 { request.kind.one_dimensional() } else { request.kind };
        let strategy = request.strategy;
        let scheme = match strategy.split {
            true => request.wavelet.split_scheme(kind, axes, Split::Everywhere)?,
            false => request.wavelet.scheme(kind, axes)?,
        };
        let kernel = lower(&scheme, request.operation, request.element, strategy.exchange)?;
        let mapping = strategy.mapping(&kernel, contiguous);
        let known = self.kernels.iter().position(|known| {
            *known.kernel() == kernel && known.mapping().contiguous == contiguous
        });
        if let Some(index) = known {
            return Ok(index);
        }
        self.kernels.push(fitting(kernel, mapping, strategy.tile.is_none())?);
        Ok(self.kernels.len() - 1)
    }

    fn single(&mut self, axis: usize, whole: &Array, half: &Array, gain: f64) {
        let operation = self.request.operation;
        let (from, to) =
            if operation.input() == Side::Signal { (whole, half) } else { (half, whole) };
        let outer = whole.shape[..axis].iter().product::<usize>() as i64;
        let lanes = whole.shape[axis + 1..].iter().product::<usize>() as i64;
        if outer * lanes == 0 {
            return;
        }
        let view = |array: &Array| View {
            buffer: array.buffer,
            offset: array.offset as i64,
            outer: [lanes, 0, 0],
            axes: [0; 3],
        };
        let divide = matches!(operation, Operation::Inverse | Operation::AdjointInverse);
        let (from, to) = (view(from), view(to));
        self.launches.push(Launch::Scale(Scale { from, to, outer, lanes, gain, divide }));
    }

    /// For adjoints whose output side has an extension: widens the outputs into temporary arrays and
    /// lists the folds that bring them back.
    fn extended(
        &mut self,
        kernel: usize,
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        whole: &Array,
        bands: &[Array],
    ) -> Sides {
        let operation = self.request.operation;
        let mut sides = Sides {
            geometry: geometry.to_vec(),
            whole: whole.clone(),
            bands: bands.to_vec(),
            folds: Vec::new(),
        };
        if !operation.is_adjoint() {
            return sides;
        }
        let spread = self.kernels[kernel].kernel().spread;
        let output_signal = operation.output() == Side::Signal;
        for (i, axis) in sides.geometry.iter_mut().enumerate() {
            let rule = if output_signal { &axis.signal_extension } else { &axis.band_extension };
            if rule.kind() == ExtensionKind::Zero {
                continue;
            }
            let (before, after) = (i64::from(spread.before[i]), i64::from(spread.after[i]));
            let input = if output_signal { axis.bands() } else { axis.signal };
            let first = input.start.div_euclid(2) - before;
            let end = (input.end() + 1).div_euclid(2) + after;
            if output_signal {
                axis.signal = cover(axis.signal, 2 * first, 2 * end);
            } else {
                axis.low = cover(axis.low, first, end);
                axis.high = cover(axis.high, first, end);
            }
        }
        let widened = |array: &Array, channel: Option<usize>| -> Vec<usize> {
            let mut shape = array.shape.clone();
            for (i, axis) in array_axes.iter().enumerate() {
                shape[*axis] = sides.geometry[i].output(channel, i, array_axes.len()).len;
            }
            shape
        };
        let widened: Vec<(Option<usize>, Array, Vec<usize>)> = if output_signal {
            vec![(None, whole.clone(), widened(whole, None))]
        } else {
            let each = bands.iter().enumerate();
            each.map(|(c, band)| (Some(c), band.clone(), widened(band, Some(c)))).collect()
        };
        for (channel, target, shape) in widened {
            if shape == target.shape {
                continue;
            }
            let wide = self.temporary(shape);
            match channel {
                None => sides.whole = wide.clone(),
                Some(channel) => sides.bands[channel] = wide.clone(),
            }
            let folds = self.folds(&sides.geometry, geometry, array_axes, channel, wide, &target);
            sides.folds.extend(folds);
        }
        sides
    }

    /// Folds one wide array into its target, axis by axis.
    fn folds(
        &mut self,
        wide_geometry: &[AxisGeometry],
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        channel: Option<usize>,
        wide: Array,
        target: &Array,
    ) -> Vec<Launch> {
        let mut current = wide;
        let mut folds = Vec::new();
        let todo: Vec<usize> = (0..array_axes.len())
            .filter(|i| current.shape[array_axes[*i]] != target.shape[array_axes[*i]])
            .collect();
        for (position, i) in todo.iter().enumerate() {
            let axis = array_axes[*i];
            let mut shape = current.shape.clone();
            shape[axis] = target.shape[axis];
            let last = position + 1 == todo.len();
            let to = if last { target.clone() } else { self.temporary(shape) };
            let from_span = wide_geometry[*i].output(channel, *i, array_axes.len());
            let to_span = geometry[*i].output(channel, *i, array_axes.len());
            let (rule, base): (Extension, i64) = match channel {
                None => (geometry[*i].signal_extension, geometry[*i].signal.start),
                Some(_) => (geometry[*i].band_extension, geometry[*i].bands().start),
            };
            let (step, phase) = match channel {
                None => (1, 0),
                Some(channel) => (2, ((channel >> (array_axes.len() - 1 - i)) & 1) as i64),
            };
            let outer = current.shape[..axis].iter().product::<usize>() as i64;
            let lanes = current.shape[axis + 1..].iter().product::<usize>() as i64;
            let view = |array: &Array| View {
                buffer: array.buffer,
                offset: array.offset as i64,
                outer: [array.shape[axis] as i64 * lanes, 0, 0],
                axes: [lanes, 0, 0],
            };
            if outer * lanes > 0 && to.shape[axis] > 0 {
                folds.push(Launch::Fold(Fold {
                    from: view(&current),
                    to: view(&to),
                    outer,
                    lanes,
                    from_len: from_span.len as i64,
                    to_len: to_span.len as i64,
                    first: step * from_span.start + phase - base,
                    to_first: step * to_span.start + phase - base,
                    step,
                    extension: rule.kind(),
                    len: rule.len() as i64,
                }));
            }
            current = to;
        }
        folds
    }

    fn job(
        &self,
        kernel: usize,
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        whole: &Array,
        bands: &[Array],
    ) -> Job {
        let operation = self.request.operation;
        let mapping = self.kernels[kernel].mapping();
        let groups = groups(array_axes, whole.shape.len());
        let view = |array: &Array| {
            let mut view = View {
                buffer: array.buffer,
                offset: array.offset as i64,
                outer: [0; OUTERS],
                axes: [0; 3],
            };
            for (slot, group) in groups.outer.iter().enumerate() {
                // The stride of a group of neighbouring dimensions is that of its last one.
                view.outer[slot] = group.last().map_or(0, |last| array.stride(*last));
            }
            for (i, axis) in array_axes.iter().enumerate() {
                view.axes[i] = array.stride(*axis);
            }
            view
        };
        let extent = |dims: &[usize]| -> i64 {
            dims.iter().map(|dim| whole.shape[*dim]).product::<usize>() as i64
        };
        let lanes = extent(&groups.lanes);
        let axes = geometry.iter().enumerate().map(|(i, axis)| {
            let pairs = axis.pairs(operation.output());
            let input_rule = match (operation.is_adjoint(), operation.input()) {
                (true, _) => ExtensionKind::Zero,
                (false, Side::Signal) => axis.signal_extension.kind(),
                (false, Side::Bands) => axis.band_extension.kind(),
            };
            JobAxis {
                signal: axis.signal,
                low: axis.low,
                high: axis.high,
                bands: axis.bands(),
                pairs,
                extension: input_rule,
                tiles: (pairs.len as i64 + i64::from(mapping.tile[i]) - 1)
                    / i64::from(mapping.tile[i]),
            }
        });
        let mut outer = [1; OUTERS];
        for (slot, group) in groups.outer.iter().enumerate() {
            outer[slot] = extent(group);
        }
        Job {
            signal: view(whole),
            bands: bands.iter().map(view).collect(),
            axes: axes.collect(),
            outer,
            lanes,
            lane_tiles: (lanes + i64::from(mapping.lanes) - 1) / i64::from(mapping.lanes),
        }
    }
}

/// Proves the kernel; where the tile may be chosen, with the largest that fits shared memory.
fn fitting(kernel: Kernel, mapping: Mapping, may_shrink: bool) -> Result<Proved, ProofError> {
    let mut mapped = MappedKernel { kernel, mapping };
    loop {
        match prove(&mapped) {
            Err(ProofError::Shared { .. }) if may_shrink => {
                let largest = mapped.mapping.tile.iter().max().copied().unwrap_or(1);
                let slot = mapped.mapping.tile.iter_mut().find(|extent| **extent == largest);
                match slot {
                    Some(extent) if *extent > 1 => *extent = extent.div_ceil(2),
                    _ => return prove(&mapped),
                }
            }
            outcome => return outcome,
        }
    }
}

/// What a pass reads and writes, after widening.
struct Sides {
    geometry: Vec<AxisGeometry>,
    whole: Array,
    bands: Vec<Array>,
    folds: Vec<Launch>,
}

/// Runs of batch dimensions: those before and between the axes, and those after the last.
struct Groups {
    outer: Vec<Vec<usize>>,
    lanes: Vec<usize>,
}

fn groups(axes: &[usize], dims: usize) -> Groups {
    let mut outer = Vec::new();
    let mut next = 0;
    for axis in axes {
        outer.push((next..*axis).collect::<Vec<usize>>());
        next = axis + 1;
    }
    outer.retain(|group| !group.is_empty());
    Groups { outer, lanes: (next..dims).collect() }
}

/// The channel whose letters were appended in the order of passes.
fn channel_of(letters: usize, order: &[usize], count: usize) -> usize {
    order.iter().enumerate().fold(0, |channel, (depth, axis)| {
        let bit = (letters >> (count - 1 - depth)) & 1;
        channel | bit << (count - 1 - axis)
    })
}

fn cover(span: Span, first: i64, end: i64) -> Span {
    let start = span.start.min(first);
    Span { start, len: (span.end().max(end) - start) as usize }
}

/// How a geometry is seen from a kernel's output side.
trait OutputSide {
    fn output(&self, channel: Option<usize>, axis: usize, axes: usize) -> Span;
    fn pairs(&self, side: Side) -> Span;
}

impl OutputSide for AxisGeometry {
    fn output(&self, channel: Option<usize>, axis: usize, axes: usize) -> Span {
        match channel {
            None => self.signal,
            Some(channel) if (channel >> (axes - 1 - axis)) & 1 == 0 => self.low,
            Some(_) => self.high,
        }
    }

    fn pairs(&self, side: Side) -> Span {
        let (first, end) = match side {
            Side::Signal => {
                (self.signal.start.div_euclid(2), (self.signal.end() + 1).div_euclid(2))
            }
            Side::Bands => {
                (self.low.start.min(self.high.start), self.low.end().max(self.high.end()))
            }
        };
        Span { start: first, len: (end - first) as usize }
    }
}
