//! The passes of one level: axis by axis, or all axes at once.

use super::super::abi::{OUTERS, View};
use super::super::mapping::Mapping;
use super::super::pass::Scale;
use super::super::proof::{ProofError, Proved, prove};
use super::{Array, Buffer, Builder, JOBS, Launch, MappedKernel, ProgramError, aligned};
use crate::kernel::{Kernel, Operation, Side, lower};
use waveloom_wavelets::geometry::AxisGeometry;
use waveloom_wavelets::scheme::Split;

impl Builder<'_> {
    pub(super) fn temporary(&mut self, shape: Vec<usize>) -> Array {
        let array = Array { buffer: Buffer::Workspace, offset: self.temporary, shape };
        self.temporary += aligned(array.len());
        self.workspace_len = self.workspace_len.max(self.temporary);
        array
    }

    /// Level 0: the one band is the array.
    pub(super) fn copy(&mut self, forward: bool) {
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
    pub(super) fn level(
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

/// The channel whose letters were appended in the order of passes.
fn channel_of(letters: usize, order: &[usize], count: usize) -> usize {
    order.iter().enumerate().fold(0, |channel, (depth, axis)| {
        let bit = (letters >> (count - 1 - depth)) & 1;
        channel | bit << (count - 1 - axis)
    })
}
