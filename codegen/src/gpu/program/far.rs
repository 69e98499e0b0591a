//! Walks of several levels of large planes that look far ahead: fewer of them at a time, with deeper rings. What can be
//! measured on a card is a constant here.
//!
//! Two levels hold so many registers that few warps are resident; with a shallow ring in each, what is on its way is
//! little, and with more warps, what walks read is further apart in memory and less of it stays in the caches.

use super::super::abi::Job;
use super::super::mapping::Mapping;
use super::super::strip::{Strip, WARP};
use super::Builder;
use super::worth::{NARROW, walks_that_suffice};
use crate::kernel::Side;

/// How long they are, in pairs of rows, where they read few beyond their tile, and else.
pub(super) const LEAST_FAR: i64 = 16;
const FAR_ROWS: [i64; 2] = [20, 24];

/// Row pairs that are few.
const LITTLE: usize = 8;

/// Pairs of rows in their rings: where lines begin anew, and where frames run beside them.
const FAR_DEPTHS: [u32; 2] = [11, 10];

/// How many of their warps a multiprocessor shall hold, as measured: as many as have some 120 kB on their way.
const FAR_WARPS: u32 = 6;

/// What a row pair of a walk costs in addition, in percent, for being further from those of other walks.
const FARTHER: i64 = 1;

/// Multiprocessors of a large card, which blocks shall fill in whole rounds.
pub(super) const MULTIPROCESSORS: i64 = 132;

impl Builder<'_> {
    /// The mapping of walks of several levels of a plane of which few shall run at a time, each far ahead of itself; `None` where
    /// there are not enough of them.
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
        let (suffice, _) = walks_that_suffice(strip, walked.pairs.len as i64, blocks);
        let open = strategy.depth.is_none() && strategy.resident.is_none();
        let plane = strip.along.is_some() && strip.across.is_some();
        let wide = crossed.pairs.len > NARROW;
        // Beside frames, walks that read few row pairs twice are faster as they are.
        let reaches = strip.beyond() > if strip.wraps { 0 } else { LITTLE };
        let writes_bands = strip.output == Side::Bands && self.request.element.bytes() >= 4;
        let long = strategy.rows.map_or(suffice, i64::from) >= LEAST_FAR;
        (open && plane && wide && reaches && writes_bands && long).then(|| Mapping {
            depth: FAR_DEPTHS[usize::from(!strip.wraps)],
            resident: (FAR_WARPS * WARP / mapping.threads.max(1)).max(1),
            ..mapping
        })
    }
}

/// Whether few of such walks shall run at a time.
pub(super) fn looks_far(strip: &Strip) -> bool {
    strip.output == Side::Bands && strip.depth >= FAR_DEPTHS[1] as usize
}

/// How far those walk, of `pairs` with so many blocks beside each other: where much is read beyond a tile, what takes the
/// fewest row pairs in whole rounds of blocks, of which a multiprocessor holds few.
pub(super) fn far_rows(strip: &Strip, pairs: i64, blocks: i64) -> i64 {
    if strip.beyond() <= LITTLE {
        return LEAST_FAR;
    }
    let at_once = MULTIPROCESSORS * (i64::from(FAR_WARPS) / strip.warps.max(1) as i64).max(1);
    let cost = |rows: &i64| {
        let rounds = ((pairs + rows - 1) / rows * blocks + at_once - 1) / at_once;
        rounds * (rows + strip.beyond() as i64) * (100 + FARTHER * rows)
    };
    FAR_ROWS.into_iter().min_by_key(cost).unwrap_or(LEAST_FAR)
}

#[cfg(test)]
mod tests {
    use super::{FAR_DEPTHS, FAR_ROWS, LEAST_FAR};
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
        let [round, framed] = FAR_DEPTHS;
        let of = |name, side: usize, mode| {
            walks(name, [side, side], mode, Operation::Forward, Strategy::STREAM)
        };
        for (name, side) in [("irr97", 4096), ("db4", 6144), ("bior4.4", 8192), ("irr97", 16384)] {
            let (mapping, rows) = of(name, side, Mode::Periodization).unwrap();
            assert_eq!((mapping.depth, mapping.resident), (round, 3), "{name} {side}");
            assert!(FAR_ROWS.contains(&rows), "{name} {side}: {rows}");
        }
        // Little is read twice.
        let (mapping, rows) = of("bior2.2", 8192, Mode::Periodization).unwrap();
        assert_eq!((mapping.depth, rows), (round, LEAST_FAR));
        // Frames run beside these.
        let depth = |name| of(name, 8192, Mode::Jpeg2000).map(|(mapping, _)| mapping.depth);
        assert_eq!((depth("irr97"), depth("rev53")), (Some(framed), Some(DEEP_DEPTH)));
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
        // What is asked for.
        let strategy = Strategy { depth: Some(4), ..Strategy::STREAM };
        assert_eq!(depth(8192, Forward, strategy), Some(4));
        assert_eq!(depth(1100, Forward, long), Some(FAR_DEPTHS[0]));
    }
}
