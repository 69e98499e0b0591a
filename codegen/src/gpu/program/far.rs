//! Walks of several levels of large planes that look far ahead: fewer of them at a time, with deeper rings. What can be
//! measured on a card is a constant here.
//!
//! Two levels hold so many registers that few warps are resident; with a shallow ring in each, what is on its way is
//! little, and with more warps, what walks read is further apart in memory and less of it stays in the caches.
//!
//! How many are resident follows from the ring: a card gives kernels of strips three fifths of what it can share
//! (`runtime/src/device/kernel.rs`), which is the blocks that are counted here.

use super::super::abi::Job;
use super::super::mapping::Mapping;
use super::super::strip::{Strip, WARP};
use super::Builder;
use super::worth::{NARROW, most_walks, rounds};
use crate::kernel::Side;

/// Row pairs of walks that read few of them beyond their tile, and of all others, as measured. Where walks would have to be
/// shorter to fill a card, they look no further than others.
pub(super) const SHORT_FAR: i64 = 16;
const MEETING_FAR: [i64; 2] = [14, 16];
const LONG_FAR: [i64; 2] = [20, 24];

/// Row pairs beyond a tile that are few.
pub(super) const FEW_BEYOND: usize = 8;

/// A ring, in pairs of rows, and warps of a multiprocessor that have room for theirs.
struct Far {
    depth: u32,
    warps: u32,
}

/// Where lines begin anew; where they do not, as inside frames, whose own launches run beside; and beside strips at ends that
/// put copies between levels.
const ROUND: Far = Far { depth: 11, warps: 6 };
const FRAMED: Far = Far { depth: 10, warps: 8 };
const MEETING: Far = Far { depth: 8, warps: 8 };

/// What every row pair of a walk adds to the cost of all, in percent: what runs at a time is further apart.
const FARTHER: i64 = 1;

impl Far {
    const fn of(strip: &Strip) -> Self {
        match (strip.wraps, strip.between) {
            (true, _) => ROUND,
            (false, 0) => FRAMED,
            _ => MEETING,
        }
    }
}

impl Builder<'_> {
    /// The mapping of walks of several levels of a plane of which few shall run at a time, each far ahead of itself; `None` where
    /// others are as fast or nothing is known: of inverses, short values, narrow planes and such as do not fill a card, and
    /// where the ring or the blocks are told.
    pub(super) fn looking_far(
        &self,
        strip: &Strip,
        job: &Job,
        mapping: Mapping,
    ) -> Option<Mapping> {
        let strategy = self.request.strategy;
        let [walked, crossed] = job.axes.as_slice() else { return None };
        let across = (strip.useful() * strip.warps).max(1) as i64;
        let blocks =
            (crossed.pairs.len as i64 + across - 1) / across * job.outer.iter().product::<i64>();
        let (suffice, _) = most_walks(strip, walked.pairs.len as i64, blocks);
        let plane = strip.along.is_some() && strip.across.is_some();
        let wide = crossed.pairs.len > NARROW;
        // Inside frames, walks that read few row pairs twice are faster as they are.
        let framed = !strip.wraps && strip.between == 0;
        let reaches = strip.beyond() > if framed { FEW_BEYOND } else { 0 };
        let writes_bands = strip.output == Side::Bands && self.request.element.bytes() >= 4;
        let long = strategy.rows.map_or(suffice, i64::from) >= SHORT_FAR;
        (self.may_look_far() && plane && wide && reaches && writes_bands && long).then(|| {
            let Far { depth, .. } = Far::of(strip);
            let resident = (ROUND.warps * WARP / mapping.threads.max(1)).max(1);
            Mapping { depth, resident, ..mapping }
        })
    }

    /// Whether neither rings nor blocks are told.
    fn may_look_far(&self) -> bool {
        let strategy = self.request.strategy;
        strategy.depth.is_none() && strategy.resident.is_none()
    }

    /// Whether this is such a walk.
    pub(super) fn looks_far(&self, strip: &Strip) -> bool {
        self.may_look_far() && strip.looks_far()
    }
}

impl Strip {
    /// Whether few of these walks shall run at a time: several levels that write bands, with a deep ring.
    #[must_use]
    pub fn looks_far(&self) -> bool {
        let deep = self.depth >= Far::of(self).depth.min(FRAMED.depth) as usize;
        self.deeper.is_some() && self.output == Side::Bands && deep
    }
}

/// How far those walk, of `pairs` with so many blocks beside each other: where much is read beyond a tile, what costs the
/// least, in row pairs and whole rounds of the blocks that are resident.
pub(super) fn far_rows(strip: &Strip, pairs: i64, blocks: i64) -> i64 {
    let lengths = match (strip.beyond() <= FEW_BEYOND, strip.between) {
        (true, 0) => return SHORT_FAR,
        (true, _) => MEETING_FAR,
        (false, _) => LONG_FAR,
    };
    let resident = i64::from(Far::of(strip).warps) / strip.warps.max(1) as i64;
    let cost = |rows: &i64| {
        let walked = rounds(pairs, *rows, blocks, resident) * (rows + strip.beyond() as i64);
        walked * (100 + FARTHER * rows)
    };
    lengths.into_iter().min_by_key(cost).unwrap_or(SHORT_FAR)
}

#[cfg(test)]
mod tests {
    use super::{FRAMED, LONG_FAR, MEETING, ROUND, SHORT_FAR};
    use crate::gpu::mapping::DEEP_DEPTH;
    use crate::gpu::{LaunchKind, Mapping, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    /// The mapping of the two levels of a plane in one launch, and how far they walk.
    fn walks(
        name: &str,
        shape: [usize; 2],
        mode: Mode,
        operation: Operation,
        strategy: Strategy,
    ) -> Option<(Mapping, i64)> {
        let wavelet = catalogue::wavelet(name).unwrap();
        let made = program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(2),
            shape: &shape,
            axes: &[0, 1],
            mode,
            origins: &[],
            levels: 2,
            align_rows: None,
            element: if wavelet.is_rounded() { Element::I32 } else { Element::F32 },
            operation,
            strategy,
        })
        .unwrap();
        made.launches.iter().find_map(|launch| {
            let LaunchKind::Transform { kernel, jobs, .. } = launch else { return None };
            let mapping = *made.kernels[*kernel].mapping();
            (mapping.levels == 2).then(|| (mapping, jobs[0].axes[0].tile))
        })
    }

    #[test]
    fn large_planes_look_far_ahead() {
        let (round, framed) = (ROUND.depth, FRAMED.depth);
        let of = |name, side: usize, mode| {
            walks(name, [side, side], mode, Operation::Forward, Strategy::STREAM)
        };
        for (name, side) in [("irr97", 4096), ("db4", 6144), ("bior4.4", 8192), ("irr97", 16384)] {
            let (mapping, rows) = of(name, side, Mode::Periodization).unwrap();
            assert_eq!((mapping.depth, mapping.resident), (round, 3), "{name} {side}");
            assert!(LONG_FAR.contains(&rows), "{name} {side}: {rows}");
        }
        // Little is read twice.
        let (mapping, rows) = of("bior2.2", 8192, Mode::Periodization).unwrap();
        assert_eq!((mapping.depth, rows), (round, SHORT_FAR));
        // Frames run beside these, or strips that put copies between levels.
        let depth = |name| of(name, 8192, Mode::Jpeg2000).map(|(mapping, _)| mapping.depth);
        assert_eq!((depth("irr97"), depth("rev53")), (Some(framed), Some(MEETING.depth)));
    }

    #[test]
    fn others_do_not() {
        let asked = Strategy { deep: Some(2), ..Strategy::STREAM };
        let depth = |side, operation, strategy| {
            let made = walks("irr97", [side, side], Mode::Periodization, operation, strategy);
            made.map(|(mapping, _)| mapping.depth)
        };
        use Operation::{Forward, Inverse};
        // Too few rows for walks that long, blocks of one warp; an inverse holds fewer registers.
        assert_eq!(depth(1100, Forward, asked), Some(DEEP_DEPTH));
        let long = Strategy { rows: Some(16), ..asked };
        assert_eq!(depth(1024, Forward, long), Some(DEEP_DEPTH));
        assert_eq!(depth(8192, Inverse, Strategy::STREAM), Some(DEEP_DEPTH));
        assert_eq!(depth(2048, Forward, Strategy::STREAM), None);
        // Nothing is read twice: walks stay short, whatever the ring.
        let told = Strategy { depth: Some(12), ..Strategy::STREAM };
        let haar =
            walks("haar", [8192, 8192], Mode::Periodization, Forward, told).map(|made| made.1);
        assert_eq!(haar, Some(4));
        // What is asked for.
        let strategy = Strategy { depth: Some(4), ..Strategy::STREAM };
        assert_eq!(depth(8192, Forward, strategy), Some(4));
        assert_eq!(depth(1100, Forward, long), Some(ROUND.depth));
    }
}
