//! How many strips a job has, and how far they walk.

use super::Strip;
use crate::gpu::abi::Job;

/// The most pairs of rows of a walk, however many are asked for: iterations are counted in fewer than 2^20.
const LONGEST_WALK: i64 = 1 << 18;

/// The job with its blocks counted. Lanes begin at `anchor` or a whole number of their pairs from it.
/// `walk` tells how many pairs of rows a strip walks, of so many and
/// with so many blocks beside each other.
pub(in crate::gpu) fn cut(
    strip: &Strip,
    job: &Job,
    anchor: i64,
    walk: &dyn Fn(i64, i64) -> i64,
) -> Job {
    let mut job = Job { strips: true, ..job.clone() };
    // With three axes, a block's warps stand beside each other along the middle one.
    let (wide, high) = match &strip.beside {
        Some(beside) => (1, (beside.pairs * strip.warps) as i64),
        None => (strip.warps, 1),
    };
    let across = (strip.useful() * wide) as i64;
    let tiles = |len: i64, tile: i64| (len + tile - 1) / tile;
    let crossed = strip.across.as_ref().map(|_| job.axes.len() - 1);
    match crossed {
        Some(axis) => {
            let axis = &mut job.axes[axis];
            let len = axis.pairs.len as i64;
            let late = strip.late(anchor, axis.pairs.start);
            let room = strip.early() as i64 - late + strip.short() as i64;
            axis.tile = across;
            axis.tiles = if len == 0 { 0 } else { tiles(len + room, across) };
        }
        None => {
            job.lane_tile = across;
            job.lane_tiles = tiles(job.lanes, across);
        }
    }
    let mut beside = crossed.map_or(job.lane_tiles, |axis| job.axes[axis].tiles);
    if strip.beside.is_some() {
        let axis = &mut job.axes[1];
        axis.tile = high;
        axis.tiles = tiles(axis.pairs.len as i64, high);
        beside *= axis.tiles;
    }
    if strip.along.is_some() {
        let blocks = beside * job.outer.iter().product::<i64>();
        let axis = &mut job.axes[0];
        let len = axis.pairs.len as i64;
        axis.tile = walk(len, blocks).clamp(1, LONGEST_WALK);
        axis.tiles = tiles(len, axis.tile);
    }
    job
}

impl Strip {
    /// How far on from the earliest place strips begin that are for pairs from `first` on.
    pub(in crate::gpu) fn late(&self, anchor: i64, first: i64) -> i64 {
        match self.shifted() {
            true => 0,
            false => {
                let begin = anchor + self.onset as i64 - (first - self.early() as i64);
                begin.rem_euclid(self.unit as i64)
            }
        }
    }
}
