//! Jobs with more blocks than one launch can have, in parts.

use super::abi::{Job, View};
use waveloom_wavelets::geometry::Span;

/// Most blocks of a launch along its first dimension, on every card.
pub const MOST_BLOCKS: i64 = (1 << 31) - 1;

/// A dimension of blocks that can be cut.
#[derive(Clone, Copy)]
enum Cut {
    Outer(usize),
    Axis(usize),
    Lanes,
}

impl Job {
    /// The job as jobs of at most `most` blocks each that together do the same; mostly itself.
    pub fn within(&self, most: i64) -> Vec<Job> {
        let mut done = Vec::new();
        let mut left = vec![self.clone()];
        while let Some(job) = left.pop() {
            // A single block has no halves.
            match if job.blocks() > most { job.halves() } else { None } {
                Some([first, second]) => left.extend([second, first]),
                None => done.push(job),
            }
        }
        done
    }

    /// Cut in two where there are most blocks, between blocks.
    fn halves(&self) -> Option<[Job; 2]> {
        let outers = self.outer.iter().enumerate().map(|(i, count)| (*count, Cut::Outer(i)));
        let axes = self.axes.iter().enumerate().map(|(i, axis)| (axis.tiles, Cut::Axis(i)));
        let all = outers.chain(axes).chain([(self.lane_tiles, Cut::Lanes)]);
        let (count, cut) = all.max_by_key(|(count, _)| *count)?;
        if count < 2 {
            return None;
        }
        let half = count / 2;
        let (mut first, mut second) = (self.clone(), self.clone());
        let advance = |job: &mut Job, step: &dyn Fn(&View) -> i64| {
            for view in std::iter::once(&mut job.signal).chain(&mut job.bands) {
                view.offset += step(view);
            }
        };
        match cut {
            Cut::Outer(i) => {
                first.outer[i] = half;
                second.outer[i] = count - half;
                advance(&mut second, &|view| half * view.outer[i]);
            }
            Cut::Axis(i) => {
                let pairs = self.axes[i].pairs;
                let taken = half * self.axes[i].tile;
                first.axes[i].pairs = Span { start: pairs.start, len: taken as usize };
                first.axes[i].tiles = half;
                second.axes[i].pairs =
                    Span { start: pairs.start + taken, len: pairs.len - taken as usize };
                second.axes[i].tiles = count - half;
            }
            Cut::Lanes => {
                let taken = half * self.lane_tile;
                (first.lanes, first.lane_tiles) = (taken, half);
                (second.lanes, second.lane_tiles) = (self.lanes - taken, count - half);
                advance(&mut second, &|_| taken);
            }
        }
        Some([first, second])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Arrival, Buffer, JobAxis, Mapping};
    use crate::kernel::Exchange;
    use std::collections::BTreeSet;
    use waveloom_wavelets::extension::ExtensionKind;

    /// Everything that the blocks of a job cover: (signal element at the tile's first pair).
    fn covered(job: &Job, mapping: &Mapping) -> Vec<[i64; 4]> {
        let mut all = Vec::new();
        for outer in 0..job.outer[0] {
            for tile in 0..job.axes[0].tiles {
                for lane in 0..job.lane_tiles {
                    all.push([
                        job.signal.offset + outer * job.signal.outer[0],
                        job.axes[0].pairs.start + tile * i64::from(mapping.tile[0]),
                        lane * i64::from(mapping.lanes),
                        job.lanes,
                    ]);
                }
            }
        }
        all
    }

    #[test]
    fn parts_cover_what_the_job_covers() {
        let mapping = Mapping {
            tile: [4, 1, 1],
            lanes: 8,
            threads: 32,
            ..Mapping::new(Exchange::Shared, Arrival::Memory)
        };
        let span = Span { start: -2, len: 30 };
        let axis = JobAxis {
            signal: span,
            low: span,
            high: span,
            bands: span,
            pairs: span,
            extension: ExtensionKind::Zero,
            tiles: 8,
            tile: 4,
        };
        let view =
            View { buffer: Buffer::Signal, offset: 7, outer: [1000, 0, 0], axes: [20, 0, 0] };
        let job = Job {
            signal: view,
            bands: vec![view; 2],
            axes: vec![axis],
            outer: [5, 1, 1],
            lanes: 20,
            lane_tiles: 3,
            lane_tile: 8,
            strips: false,
            inside: None,
            rim: None,
        };
        assert_eq!(job.within(MOST_BLOCKS), vec![job.clone()]);
        for most in [1, 2, 7, 60, 119] {
            let parts = job.within(most);
            assert!(parts.iter().all(|part| part.blocks() <= most && part.blocks() > 0));
            assert_eq!(parts.iter().map(Job::blocks).sum::<i64>(), job.blocks());
            let pairs: i64 = parts
                .iter()
                .map(|part| part.outer[0] * part.axes[0].pairs.len as i64 * part.lanes)
                .sum();
            assert_eq!(pairs, 5 * 30 * 20);
            // Lanes move by the offset; undo that to compare blocks.
            let whole: BTreeSet<[i64; 3]> =
                covered(&job, &mapping).iter().map(|b| [b[0] + b[2], b[1], 0]).collect();
            let split: BTreeSet<[i64; 3]> = parts
                .iter()
                .flat_map(|part| covered(part, &mapping))
                .map(|b| [b[0] + b[2], b[1], 0])
                .collect();
            assert_eq!(whole, split, "{most}");
        }
    }
}
