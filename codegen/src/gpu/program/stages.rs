//! Exchange by launches: one kernel for every segment, and all planes in intermediate memory between
//! two of them.
//!
//! Planes lie there as a signal's samples do, plane `c` at pair `k` where the sample of phase `c` of
//! pair `k` would be. A launch reads one array and writes another, so no thread reads what another
//! one overwrites. Extension belongs to the first launch alone: it computes as much beyond the ends
//! as all later ones read.

use super::super::abi::{Job, View};
use super::super::proof::Proved;
use super::jobs::OutputSide;
use super::shapes::fitting;
use super::widen::Sides;
use super::{Array, Builder, Launch, ProgramError};
use crate::kernel::Side;
use waveloom_wavelets::SchemeKind;
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::{AxisGeometry, Span};

impl Builder<'_> {
    /// The transform of arrays along some of their axes, a launch for every segment.
    pub(super) fn staged(
        &mut self,
        kind: SchemeKind,
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        arrays: &[(&Array, &[Array])],
    ) -> Result<(), ProgramError> {
        let last = array_axes.last().copied().unwrap_or(0);
        let contiguous = arrays
            .iter()
            .flat_map(|(whole, bands)| bands.iter().chain([*whole]))
            .all(|array| array.stride(last) == 1);
        let stages = self.stages(kind, geometry.len(), contiguous)?;
        // What is intermediate here is not needed afterwards.
        let mark = self.temporary;
        let Some(first) = stages.first() else { return Ok(()) };
        let mut all = Vec::new();
        for (whole, bands) in arrays {
            let sides = self.extended(self.spread(*first), geometry, array_axes, whole, bands);
            let regions = self.regions(&stages, &sides);
            let buffers = regions.first().map(|region| {
                let shape = extended_shape(&sides.whole, array_axes, region);
                [self.temporary(shape.clone()), self.temporary(shape)]
            });
            all.push((sides, regions, buffers));
        }
        for (index, stage) in stages.iter().enumerate() {
            let jobs = all.iter().map(|(sides, regions, buffers)| {
                let planes = |boundary: usize| -> Option<Planes> {
                    let region = regions.get(boundary)?;
                    let buffer = &buffers.as_ref()?[boundary % 2];
                    let shape = extended_shape(&sides.whole, array_axes, region);
                    let array = self.internal(buffer.offset, shape);
                    Some(Planes { array, region })
                };
                let before = index.checked_sub(1).and_then(planes);
                self.stage(*stage, array_axes, sides, before, planes(index))
            });
            let jobs: Vec<Job> = jobs.filter(|job| job.blocks() > 0).collect();
            self.launches.extend(Launch::transforms(*stage, &jobs));
        }
        self.launches.extend(all.into_iter().flat_map(|(sides, _, _)| sides.folds));
        self.temporary = mark;
        Ok(())
    }

    /// The kernels of all segments, proved.
    fn stages(
        &mut self,
        kind: SchemeKind,
        axes: usize,
        contiguous: bool,
    ) -> Result<Vec<usize>, ProgramError> {
        let stages = self.lowered(kind, axes)?.stages();
        let count = stages.len();
        let strategy = self.request.strategy;
        let mut indices = Vec::with_capacity(count);
        for (index, kernel) in stages.into_iter().enumerate() {
            let mut mapping = strategy.mapping(&kernel, contiguous);
            mapping.interleaved = index + 1 < count;
            let proved = fitting(kernel, mapping, strategy.tile.is_none())?;
            indices.push(self.known(proved));
        }
        Ok(indices)
    }

    /// The index of a proved kernel.
    fn known(&mut self, proved: Proved) -> usize {
        self.kernels.iter().position(|known| *known == proved).unwrap_or_else(|| {
            self.kernels.push(proved);
            self.kernels.len() - 1
        })
    }

    /// The pairs of every axis that stand between one launch and the next: those of the outputs and
    /// what all later launches read around them.
    fn regions(&self, stages: &[usize], sides: &Sides) -> Vec<Vec<Span>> {
        let output = self.request.operation.output();
        let mut region: Vec<Span> = sides.geometry.iter().map(|axis| axis.pairs(output)).collect();
        let mut regions = Vec::new();
        for stage in stages.iter().skip(1).rev() {
            let read = self.kernels[*stage].storage();
            for (axis, span) in region.iter_mut().enumerate() {
                let (before, after) = (i64::from(read.before[axis]), i64::from(read.after[axis]));
                let start = span.start - before;
                *span = Span { start, len: (span.end() + after - start).max(0) as usize };
            }
            regions.push(region.clone());
        }
        regions.reverse();
        regions
    }

    /// One launch's job: from the input or from planes, to planes or to the output.
    fn stage(
        &self,
        kernel: usize,
        array_axes: &[usize],
        sides: &Sides,
        before: Option<Planes<'_>>,
        after: Option<Planes<'_>>,
    ) -> Job {
        let (mut geometry, mut whole) = (sides.geometry.clone(), sides.whole.clone());
        let mut bands = None;
        let resumed = before.is_some();
        let input = self.request.operation.input();
        for (planes, side) in [(before, input), (after, input.other())] {
            let Some(Planes { array, region }) = planes else { continue };
            for (axis, span) in geometry.iter_mut().zip(region) {
                match side {
                    Side::Signal => {
                        axis.signal = Span { start: 2 * span.start, len: 2 * span.len };
                    }
                    Side::Bands => (axis.low, axis.high) = (*span, *span),
                }
            }
            match side {
                Side::Signal => whole = array,
                Side::Bands => bands = Some(array),
            }
        }
        let mut job = self.job(kernel, &geometry, array_axes, &whole, &sides.bands);
        if resumed {
            job.axes.iter_mut().for_each(|axis| axis.extension = ExtensionKind::Zero);
        }
        if let Some(array) = bands {
            let samples = self.job(kernel, &geometry, array_axes, &array, &sides.bands).signal;
            let count = array_axes.len();
            job.bands =
                (0..1 << count).map(|channel| every_other(&samples, channel, count)).collect();
        }
        job
    }
}

/// All planes between two launches, interleaved, and the pairs that they cover.
struct Planes<'a> {
    array: Array,
    region: &'a [Span],
}

/// Channel `channel` of interleaved samples.
fn every_other(samples: &View, channel: usize, axes: usize) -> View {
    let mut view = *samples;
    for (axis, stride) in view.axes.iter_mut().enumerate().take(axes) {
        view.offset += ((channel >> (axes - 1 - axis)) & 1) as i64 * *stride;
        *stride *= 2;
    }
    view
}

/// The shape of an array with so many pairs along its transformed axes.
fn extended_shape(whole: &Array, array_axes: &[usize], region: &[Span]) -> Vec<usize> {
    let mut shape = whole.shape.clone();
    for (axis, span) in array_axes.iter().zip(region) {
        shape[*axis] = 2 * span.len;
    }
    shape
}

#[cfg(test)]
mod tests {
    use crate::gpu::{ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, SchemeKind, catalogue};

    /// M / 2 launches of a lattice with filters of length M (Puchala and Stokfiszewski), four a level of
    /// the integer 9/7 (Maniya and Panchal), each through two arrays of intermediate memory at most.
    #[test]
    fn launches_are_as_many_as_published() {
        for (name, kind, shape, mode, launches) in [
            ("db2", SchemeKind::Lattice, &[256][..], Mode::Circular, 2),
            ("db4", SchemeKind::Lattice, &[256], Mode::Circular, 4),
            ("db16", SchemeKind::Lattice, &[256], Mode::Circular, 16),
            ("ccsds97m", SchemeKind::SeparableLifting, &[64, 64], Mode::Jpeg2000, 4),
            ("rev53", SchemeKind::SeparableLifting, &[64, 64], Mode::Jpeg2000, 4),
        ] {
            let wavelet = catalogue::wavelet(name).unwrap();
            let axes: Vec<usize> = (0..shape.len()).collect();
            let element = if wavelet.is_rounded() { Element::I32 } else { Element::F32 };
            for operation in [Operation::Forward, Operation::Inverse] {
                let made = program(&ProgramRequest {
                    wavelet: &wavelet,
                    kind,
                    shape,
                    axes: &axes,
                    mode,
                    origins: &[],
                    levels: 1,
                    align_rows: None,
                    element,
                    operation,
                    strategy: Strategy::LAUNCH,
                })
                .unwrap();
                assert_eq!(made.launches.len(), launches, "{name} {operation}");
                assert!(made.kernels.iter().all(|kernel| kernel.info().barriers == 0));
                let halves = if axes.len() > 1 { 1 } else { 0 };
                // Two arrays with their margins, and what stands between two axes.
                let most = (2 + halves) * made.signal_len + 8 * 1024;
                assert!(made.workspace_len <= most, "{name} {operation} {}", made.workspace_len);
            }
        }
    }
}
