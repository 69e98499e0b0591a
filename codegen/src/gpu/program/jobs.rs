//! One transform's parameters, from arrays and geometry.

use super::super::abi::{Job, JobAxis, OUTERS, View};
use super::levels::rule;
use super::{Array, Builder};
use crate::kernel::Side;
use waveloom_wavelets::geometry::{AxisGeometry, Span};

impl Builder<'_> {
    pub(super) fn job(
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
        let lane_tiles = (lanes + i64::from(mapping.lanes) - 1) / i64::from(mapping.lanes);
        let mut outer = [1; OUTERS];
        for (slot, group) in groups.outer.iter().enumerate() {
            outer[slot] = extent(group);
        }
        let axes = geometry.iter().enumerate().map(|(i, axis)| {
            let pairs = axis.pairs(operation.output());
            // Jobs of strips are cut, and their blocks counted, afterwards.
            let tile = i64::from(mapping.tile[i]);
            JobAxis {
                signal: axis.signal,
                low: axis.low,
                high: axis.high,
                bands: axis.bands(),
                pairs,
                extension: rule(operation, axis),
                tiles: (pairs.len as i64 + tile - 1) / tile,
                tile,
            }
        });
        Job {
            signal: view(whole),
            bands: bands.iter().map(view).collect(),
            axes: axes.collect(),
            outer,
            lanes,
            lane_tiles,
            lane_tile: i64::from(mapping.lanes),
            strips: false,
            inside: None,
            rim: None,
        }
    }

    /// Row pairs that strips walk, of so many and with so many blocks beside each other. They walk less
    /// far where there are few of them: a walk's warm-up is wasted work, but idle multiprocessors
    /// are more so.
    pub(super) fn rows(&self, kernel: usize, pairs: i64, blocks: i64) -> i64 {
        let mapping = self.kernels[kernel].mapping();
        let most = i64::from(mapping.tile[0]);
        if self.request.strategy.rows.is_some() {
            return most;
        }
        let warps = blocks * i64::from(mapping.threads / 32);
        (pairs * warps / WARPS).clamp(LEAST_ROWS.min(most), most)
    }
}

/// Warps that keep a large card busy: two for each of its schedulers. More of them wait for each other.
const WARPS: i64 = 1152;

/// Row pairs below which a strip's warm-up outweighs its work.
const LEAST_ROWS: i64 = 2;

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

/// How a geometry is seen from a kernel's output side.
pub(super) trait OutputSide {
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
