//! When several levels share a strip unasked, in which shape, and how far they walk. What can be measured on a
//! card is a constant here.

use super::super::abi::Job;
use super::super::mapping::Mapping;
use super::super::strip::{Strip, WARP};
use super::Builder;
use super::far::{SHORT_FAR, far_rows};
use super::shapes::walked_deep;
use crate::kernel::Side;

/// Pairs of a lane and groups, in order of preference: for lines, and for planes whose walks read nothing
/// twice.
const LINES: [(u32, u32); 5] = [(4, 4), (4, 6), (2, 6), (2, 4), (4, 8)];
const PLANES: [(u32, u32); 3] = [(2, 1), (2, 2), (4, 1)];

/// The same for planes whose walks read rows twice, as measured: forward, and for inverses. Of wide values, lanes of
/// four pairs would spill.
const HALOED: [[(u32, u32); 3]; 2] = [[(4, 1), (2, 1), (2, 2)], [(2, 1), (2, 2), (4, 1)]];

/// Of so many lanes, this many must be more than halo.
const WORTHWHILE: (usize, usize) = (5, 8);

/// The same of lines for more than two levels, unless asked for.
const WORTH_THREE: (usize, usize) = (7, 8);

/// Planes whose walks read rows twice run several levels unasked if these are at least so many walks of twice what
/// they read beyond their tiles, in whole sixteens.
const ENOUGH_WALKS: i64 = 3168;

/// The same for forward transforms of lines that begin anew beyond their ends, whose walks look far ahead.
const ENOUGH_FAR: i64 = 1024;

/// The same for those beside whose walks strips at ends put copies between levels.
const ENOUGH_MEETING: i64 = 2048;

/// The same for inverses of lines that begin anew, where [`SHORT`] does not hold.
const ENOUGH_ROUND: i64 = 1056;

/// Where lines begin anew, two levels in one launch take less than two launches, as measured, forward of small images and
/// for inverses of all, if walks read no more row pairs than so many beyond their tile.
const SHORT: [usize; 2] = [9, 12];

/// Blocks that keep a large card busy: walks are shorter where there are fewer.
const BUSY_BLOCKS: i64 = 792;

/// The same in walks where lines begin anew, or nothing is read twice: forward, and of inverses, whose walks are half as
/// wide and of which more are resident.
const BUSY_WALKS: [i64; 2] = [528, 1584];

/// Row pairs of a walk up to which half as many of these suffice, and the fewest of all others: shorter ones are mostly
/// warm-up.
const FULL_ROWS: i64 = 8;

/// The fewest row pairs of those.
const LEAST_ROWS: i64 = 4;

/// Multiprocessors of a large card, which blocks shall fill in whole rounds.
const MULTIPROCESSORS: i64 = 132;

/// Pairs of the widest rows that are walked in blocks of one warp: of wider blocks, most would touch an end.
pub(super) const NARROW: usize = 512;

/// Whether enough lanes of a strip are more than halo.
pub(super) fn mostly_useful(strip: &Strip) -> bool {
    let useful = strip.end_lane() - strip.first_lane();
    useful * WORTHWHILE.1 >= strip.lanes() * WORTHWHILE.0
}

impl Builder<'_> {
    /// Shapes of strips of several levels to try one after the other; `level` is the strip of one.
    pub(super) fn shapes_of_levels(&self, level: &Strip) -> &'static [(u32, u32)] {
        if level.along.is_none() || level.across.is_none() {
            return &LINES;
        }
        if level.beyond() == 0 {
            return &PLANES;
        }
        let narrow = level.output == Side::Signal || self.request.element.bytes() > 4;
        let shapes = &HALOED[usize::from(narrow)];
        // Others are not known to be faster than one level after the other.
        if self.request.strategy.deep.is_some() { shapes } else { &shapes[..1] }
    }

    /// Blocks of one warp for narrow arrays.
    pub(super) fn threads_of_levels(&self, level: &Strip, job: &Job, mapping: &mut Mapping) {
        let narrow = job.axes.last().is_some_and(|axis| axis.pairs.len <= NARROW);
        if level.along.is_some() && self.request.strategy.threads.is_none() && narrow {
            mapping.threads = WARP;
        }
    }

    /// Whether enough lanes are not halo, and unasked, there are enough strips.
    pub(super) fn is_worthwhile(&self, strip: &Strip, job: &Job) -> bool {
        if !mostly_useful(strip) {
            return false;
        }
        let useful = strip.end_lane() - strip.first_lane();
        if self.request.strategy.deep.is_some() {
            return true;
        }
        if strip.along.is_none() && strip.levels().count() > 2 {
            let shape = (strip.pairs as u32, strip.groups as u32);
            let (left, all) = WORTH_THREE;
            return shape == LINES[0] && useful * all >= strip.lanes() * left;
        }
        if strip.beyond() == 0 {
            return true;
        }
        let beside = job.axes.last().map_or(0, |axis| axis.pairs.len as i64);
        let down = job.axes.first().map_or(0, |axis| axis.pairs.len as i64);
        let across = (strip.useful() * strip.warps) as i64;
        let enough = match (strip.wraps, strip.output) {
            (true, Side::Bands) if self.looks_far(strip) => ENOUGH_FAR,
            (true, Side::Signal) => ENOUGH_ROUND,
            (false, Side::Bands) if strip.between > 0 && self.looks_far(strip) => ENOUGH_MEETING,
            _ => ENOUGH_WALKS,
        };
        let many = strip.warps as i64 * job.outer.iter().product::<i64>();
        let strips = beside / across * many;
        let (inverse, bytes) = (strip.output == Side::Signal, self.request.element.bytes());
        let side = usize::from(inverse);
        let all = (beside as u64).div_ceil(across.max(1) as u64) as i64 * many;
        let small = inverse || all * down <= BUSY_WALKS[side] * FULL_ROWS;
        if strip.wraps && small && bytes <= 4 && strip.beyond() <= SHORT[side] {
            return true;
        }
        strips * (down / (2 * strip.beyond()).next_multiple_of(16) as i64) >= enough
    }

    /// Row pairs of a walk of `pairs` with so many blocks beside each other: an even number.
    pub(super) fn rows_of_levels(&self, strip: &Strip, pairs: i64, blocks: i64) -> i64 {
        let (few, least) = most_walks(strip, pairs, blocks);
        let most = i64::from(walked_deep(strip.beyond(), strip.output));
        let chosen = match self.request.strategy.rows {
            Some(rows) => i64::from(rows),
            None if few >= SHORT_FAR && self.looks_far(strip) => far_rows(strip, pairs, blocks),
            None => few.clamp(least.min(most), most),
        };
        chosen + chosen % 2
    }
}

/// Rounds of so many resident blocks of a multiprocessor that walks of `rows` through so many pairs take, with so many blocks
/// beside each other.
pub(super) fn rounds(pairs: i64, rows: i64, blocks: i64, resident: i64) -> i64 {
    let ceil = |all: i64, part: i64| (all + part - 1) / part;
    ceil(ceil(pairs, rows) * blocks, resident.max(1) * MULTIPROCESSORS)
}

/// The length of walks, in pairs of rows, of which there are just enough to keep a card busy, and the least that is walked.
pub(super) fn most_walks(strip: &Strip, pairs: i64, blocks: i64) -> (i64, i64) {
    if strip.wraps || strip.beyond() == 0 {
        let walks = pairs * blocks * strip.warps as i64;
        let busy = BUSY_WALKS[usize::from(strip.output == Side::Signal)];
        // No more walks than that.
        (((walks + busy - 1) / busy).max((2 * walks / busy).min(FULL_ROWS)), LEAST_ROWS)
    } else {
        (pairs * blocks / BUSY_BLOCKS, FULL_ROWS)
    }
}
