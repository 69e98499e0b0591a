//! The passes of one level: axis by axis, or all axes at once.

use super::super::abi::{Job, View};
use super::super::mapping::{DEEP_DEPTH, Mapping, Scope, Strategy};
use super::super::pass::Scale;
use super::super::proof::ProofError;
use super::super::strip::cut;
use super::framed::{Area, rows_of_part};
use super::shapes::{self, fitting, reaches_far, stripes};
use super::widen::Sides;
use super::{Array, BandRows, Buffer, Builder, Launch, ProgramError};
use crate::kernel::{Exchange, Kernel, Margin, Operation, Side, lower};
use waveloom_wavelets::SchemeKind;
use waveloom_wavelets::geometry::AxisGeometry;
use waveloom_wavelets::scheme::Split;

impl Builder<'_> {
    /// Level 0: the one band is the array.
    pub(super) fn copy(&mut self, forward: bool, rows: BandRows) {
        let shape = self.request.shape.to_vec();
        let band = Array::band(rows, shape.clone());
        let signal = Array::dense(Buffer::Signal, 0, shape);
        let lanes = signal.shape.last().copied().unwrap_or(1) as i64;
        let outer = signal.lines() as i64;
        let view = |array: &Array| View {
            buffer: array.buffer,
            offset: array.offset as i64,
            outer: [array.pitch as i64, 0, 0],
            axes: [0; 3],
        };
        let (from, to) = match forward {
            true => (view(&signal), view(&band)),
            false => (view(&band), view(&signal)),
        };
        if outer * lanes > 0 {
            self.launches.push(Launch::Scale(Scale {
                from,
                to,
                outer,
                lanes,
                gain: 1.0,
                divide: false,
            }));
        }
    }

    /// One level between its signal and its bands.
    pub(super) fn level(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
    ) -> Result<(), ProgramError> {
        let plain = geometry.iter().all(|axis| axis.single.is_none() && axis.signal.len > 0);
        let ascending = self.request.axes.windows(2).all(|pair| pair[0] < pair[1]);
        let joint = self.request.kind.is_nonseparable()
            || (self.request.strategy.scope == Scope::Level && self.commutes(geometry));
        if joint && plain && ascending {
            return self.joint(geometry, signal, bands);
        }
        if plain && ascending && self.volume(geometry, signal, bands)? {
            return Ok(());
        }
        self.axis_by_axis(geometry, signal, bands)
    }

    /// Whether all axes may be extended before any is transformed. A forward transform that rounds
    /// gives the same then only where samples beyond the ends are samples, not sums, negatives or
    /// zeros. (An inverse reads beyond the bands' ends only where they are copied.)
    pub(super) fn commutes(&self, geometry: &[AxisGeometry]) -> bool {
        let forward = self.request.operation.input() == Side::Signal;
        let copied = || geometry.iter().all(|axis| axis.signal_extension.copies());
        !self.request.wavelet.is_rounded() || !forward || copied()
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
        let order = self.order();
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
        // Strips take two axes at once.
        let crossing = self.crossing(geometry, signal, &order);
        let mut passes: Vec<(usize, bool)> = Vec::new();
        let mut depth = 0;
        while depth < count {
            let joint = crossing == Some(depth);
            passes.push((depth, joint));
            depth += if joint { 2 } else { 1 };
        }
        if !forward {
            passes.reverse();
        }
        for (depth, joint) in passes {
            let wholes = tree[depth].clone();
            let parts = tree[depth + if joint { 2 } else { 1 }].clone();
            match joint {
                true => {
                    let axes = [order[depth], order[depth + 1]];
                    self.cross(axes, geometry, &wholes, &parts, &[])?;
                }
                false => self.pass(order[depth], &geometry[order[depth]], &wholes, &parts)?,
            }
        }
        Ok(())
    }

    /// The pass that strips run together with the next one: either splits along the contiguous axis.
    pub(super) fn crossing(
        &self,
        geometry: &[AxisGeometry],
        signal: &Array,
        order: &[usize],
    ) -> Option<usize> {
        let strategy = self.request.strategy;
        if strategy.exchange != Exchange::Stream && !strategy.turns() {
            return None;
        }
        let array_axis = |axis: usize| self.request.axes[axis];
        let contiguous =
            |axis: usize| signal.shape[array_axis(axis) + 1..].iter().all(|extent| *extent == 1);
        let plain = |axis: usize| {
            let commutes = self.commutes(&geometry[axis..=axis]);
            geometry[axis].single.is_none() && geometry[axis].signal.len > 0 && commutes
        };
        order.windows(2).position(|pair| {
            let last = pair.iter().max_by_key(|axis| array_axis(**axis));
            last.is_some_and(|axis| contiguous(*axis)) && pair.iter().all(|axis| plain(*axis))
        })
    }

    /// Two axes of all arrays of a level, in strips; `axes` in the order in which forward splits. Of a single array,
    /// only these areas, if there are any.
    pub(super) fn cross(
        &mut self,
        axes: [usize; 2],
        geometry: &[AxisGeometry],
        wholes: &[Array],
        quarters: &[Array],
        areas: &[Area],
    ) -> Result<(), ProgramError> {
        let array_axis = |axis: usize| self.request.axes[axis];
        let [first, second] = axes;
        let first_is_walked = array_axis(first) < array_axis(second);
        let (walked, crossed) = if first_is_walked { (first, second) } else { (second, first) };
        let array_axes = [array_axis(walked), array_axis(crossed)];
        let pair_geometry = [geometry[walked], geometry[crossed]];
        let forward = self.request.operation.input() == Side::Signal;
        let across_first = first_is_walked != forward;
        let kernel = match self.request.strategy.turns() {
            true => self.turning(across_first)?,
            false => self.strips(across_first)?,
        };
        let mut all = Vec::new();
        for (index, whole) in wholes.iter().enumerate() {
            let four = &quarters[4 * index..4 * index + 4];
            // Letters come in the order of splits; channels have the walked axis first.
            let bands = match first_is_walked {
                true => four.to_vec(),
                false => vec![four[0].clone(), four[2].clone(), four[1].clone(), four[3].clone()],
            };
            let spread = self.spread(kernel);
            let sides = self.extended(spread, &pair_geometry, &array_axes, whole, &bands);
            match areas {
                [] => all.push(sides),
                areas => all.extend(areas.iter().map(|area| sides.within(*area))),
            }
        }
        self.launch(kernel, &array_axes, all)
    }

    /// The kernel of strips along two axes.
    pub(super) fn strips(&mut self, across_first: bool) -> Result<usize, ProgramError> {
        let request = self.request;
        let kernel = self.lowered(request.kind, 2)?;
        let shape = request.strategy.strips(true, across_first);
        let known = self.kernels.iter().position(|known| {
            let mapping = known.mapping();
            *known.kernel() == kernel
                && mapping.across_first == across_first
                && mapping.alignment.is_none()
                && !mapping.wraps
                && mapping.levels == 0
                && mapping.threads == shape.threads
        });
        if let Some(index) = known {
            return Ok(index);
        }
        let line = self.lowered(request.kind.one_dimensional(), 1)?;
        let made = |depth: u32| {
            let (shape, lines) = (Mapping { depth, ..shape }, vec![line.clone(), line.clone()]);
            stripes(kernel.clone(), lines, shape, request.strategy.rows, 0)
        };
        // Walks of long filters hold so many registers that few warps are resident: their rings are deeper, if there is room.
        let made = match request.strategy.depth {
            None if reaches_far(&line) => match made(DEEP_DEPTH) {
                Err(ProofError::Shared { .. }) => made(shape.depth),
                deeper => deeper,
            },
            _ => made(shape.depth),
        };
        self.kernels.push(made?);
        Ok(self.kernels.len() - 1)
    }

    /// The kernel of tiles in registers along two axes.
    fn turning(&mut self, across_first: bool) -> Result<usize, ProgramError> {
        let request = self.request;
        let kernel = self.lowered(request.kind, 2)?;
        let line = self.lowered(request.kind.one_dimensional(), 1)?;
        let lines = vec![line.clone(), line];
        let proved = shapes::turning(kernel, lines, &request.strategy, across_first)?;
        let known = self.kernels.iter().position(|known| *known == proved);
        Ok(known.unwrap_or_else(|| {
            self.kernels.push(proved);
            self.kernels.len() - 1
        }))
    }

    pub(super) fn lowered(&self, kind: SchemeKind, axes: usize) -> Result<Kernel, ProgramError> {
        let request = self.request;
        let scheme = match request.strategy.split {
            true => request.wavelet.split_scheme(kind, axes, Split::Everywhere)?,
            false => request.wavelet.scheme(kind, axes)?,
        };
        let scheme = match request.strategy.exchange {
            // What is computed again lies along one axis at a time.
            Exchange::Recompute => scheme.axis_by_axis(),
            _ => scheme,
        };
        Ok(lower(&scheme, request.operation, request.element, request.strategy.exchange)?)
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
        if self.request.strategy.exchange == Exchange::Launch {
            let arrays: Vec<(&Array, &[Array])> = wholes.iter().zip(halves.chunks(2)).collect();
            let kind = self.request.kind.one_dimensional();
            return self.staged(kind, &[*geometry], &[array_axis], &arrays);
        }
        // Of one approximation and two details, only the details are several columns; and rows of a single element may
        // be apart.
        let contiguous = wholes.iter().chain(halves).all(|array| array.stride(array_axis) == 1);
        let last = array_axis + 1 == self.request.shape.len();
        let batch = match last && wholes.iter().all(|whole| self.is_batch(whole)) {
            true => self.batch()?,
            false => None,
        };
        let (kernel, spread) = match batch {
            Some(batch) => batch,
            None => {
                let kernel = self.kernel(1, contiguous)?;
                (kernel, self.spread(kernel))
            }
        };
        let mut all = Vec::new();
        for (index, whole) in wholes.iter().enumerate() {
            let pair = &halves[2 * index..2 * index + 2];
            let sides = self.extended(spread, &[*geometry], &[array_axis], whole, pair);
            all.push(if batch.is_some() { self.stacked(sides) } else { sides });
        }
        let axes: &[usize] = if batch.is_some() { &[0, 1] } else { &[array_axis] };
        self.launch(kernel, axes, all)
    }

    /// How far beyond its inputs a kernel's outputs reach.
    pub(super) fn spread(&self, kernel: usize) -> Margin {
        self.kernels[kernel].kernel().spread
    }

    /// One launch for up to four arrays, then the folds.
    fn launch(
        &mut self,
        kernel: usize,
        array_axes: &[usize],
        all: Vec<Sides>,
    ) -> Result<(), ProgramError> {
        let jobs = |builder: &Self, kernel: usize| -> Vec<Job> {
            let proved = &builder.kernels[kernel];
            let jobs = all.iter().map(|sides| {
                let mut job =
                    builder.job(kernel, &sides.geometry, array_axes, &sides.whole, &sides.bands);
                for (axis, pairs) in job.axes.iter_mut().zip(sides.area.iter().flatten()) {
                    axis.pairs = *pairs;
                }
                match proved.strip() {
                    Some(strip) => {
                        let anchor = job.axes.last().map_or(0, |axis| axis.low.start);
                        let part = sides.area.is_some() && builder.request.strategy.rows.is_none();
                        let mut job = cut(strip, &job, anchor, &|pairs, blocks| match part {
                            true => rows_of_part(strip, pairs),
                            false => builder.rows(kernel, pairs, blocks),
                        });
                        let bytes = proved.kernel().element.bytes();
                        job.inside = strip.inside_of(std::slice::from_ref(&job), anchor, bytes);
                        job.inside.iter_mut().for_each(|inside| inside.uncut = part);
                        job
                    }
                    None => job,
                }
            });
            jobs.filter(|job| job.blocks() > 0).collect()
        };
        let mut kernel = kernel;
        let mut list = jobs(self, kernel);
        if let Some(narrow) = self.narrow(kernel, &list)? {
            kernel = narrow;
            list = jobs(self, kernel);
        }
        if let Some(aligned) = self.aligned(kernel, &list)? {
            kernel = aligned;
            list = jobs(self, kernel);
        }
        // Where lines begin anew, whole accesses are written, which an area may cut.
        let whole = all.iter().all(|sides| sides.area.is_none());
        if whole && let Some(wrapped) = self.wrapped(kernel, &list)? {
            kernel = wrapped;
            list = jobs(self, kernel);
        }
        self.launches.extend(Launch::transforms(kernel, &list));
        self.launches.extend(all.into_iter().flat_map(|sides| sides.folds));
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
        if self.request.strategy.exchange == Exchange::Launch {
            return self.staged(self.request.kind, geometry, &axes, &[(signal, bands)]);
        }
        let last = axes.last().copied().unwrap_or(0);
        let contiguous = signal.shape[last + 1..].iter().all(|n| *n == 1);
        let kernel = self.kernel(axes.len(), contiguous)?;
        let sides = self.extended(self.spread(kernel), geometry, &axes, signal, bands);
        let job = self.job(kernel, &sides.geometry, &axes, &sides.whole, &sides.bands);
        if job.blocks() > 0 {
            self.launches.push(Launch::Transform { kernel, jobs: vec![job] });
        }
        self.launches.extend(sides.folds);
        Ok(())
    }

    pub(super) fn kernel(&mut self, axes: usize, contiguous: bool) -> Result<usize, ProgramError> {
        let request = self.request;
        let kind = if axes == 1 { request.kind.one_dimensional() } else { request.kind };
        let strategy = request.strategy;
        let kernel = self.lowered(kind, axes)?;
        // Tiles in registers have two axes: the third one is left to strips.
        let strips = if strategy.turns() { Strategy::STREAM } else { strategy };
        let shape = strips.strips(contiguous, contiguous);
        let known = self.kernels.iter().position(|known| {
            let mapping = known.mapping();
            *known.kernel() == kernel
                && mapping.contiguous == contiguous
                && mapping.alignment.is_none()
                && !mapping.wraps
                && mapping.levels == 0
                && (known.strip().is_none() || mapping.threads == shape.threads)
        });
        if let Some(index) = known {
            return Ok(index);
        }
        self.kernels.push(match strategy.exchange {
            Exchange::Stream | Exchange::Transpose | Exchange::Shuffle => {
                let lines = if axes == 1 { vec![kernel.clone()] } else { Vec::new() };
                let last = request.shape.last().copied().unwrap_or(0);
                stripes(kernel, lines, shape, strips.rows, last.div_ceil(2))?
            }
            _ => {
                let mapping = strategy.mapping(&kernel, contiguous);
                fitting(kernel, mapping, strategy.tile.is_none())?
            }
        });
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
            outer: [array.stride_before(axis), 0, 0],
            axes: [0; 3],
        };
        let divide = matches!(operation, Operation::Inverse | Operation::AdjointInverse);
        let (from, to) = (view(from), view(to));
        self.launches.push(Launch::Scale(Scale { from, to, outer, lanes, gain, divide }));
    }
}

/// The channel whose letters were appended in the order of passes.
pub(super) fn channel_of(letters: usize, order: &[usize], count: usize) -> usize {
    order.iter().enumerate().fold(0, |channel, (depth, axis)| {
        let bit = (letters >> (count - 1 - depth)) & 1;
        channel | bit << (count - 1 - axis)
    })
}
