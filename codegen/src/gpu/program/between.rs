//! Two levels in one launch of strips where the next level takes copies of approximations for those beyond the ends, and
//! these are not what the finer level makes there: strips at ends put the copies in their place.
//!
//! A walk keeps the rows of which others beyond its end are copies, and a strip has the columns in its lanes. Where that is
//! not so, or what stands beyond the ends are sums, levels have frames instead ([`super::framed`]).

use super::super::abi::{Job, JobAxis};
use super::super::proof::Proved;
use super::super::strip::{Ends, Strip, ends_of, parts};
use super::Builder;
use super::deep::Tier;
use super::far::FEW_BEYOND;
use super::inside::begin;
use super::levels::rule;
use crate::kernel::{Margin, Operation, Side};
use waveloom_wavelets::extension::{Extension, ExtensionKind};
use waveloom_wavelets::geometry::AxisGeometry;

/// Kept rows come in numbers of which few differ, so that few texts do.
const ROWS: usize = 2;

/// The most rows that are kept.
const MOST_ROWS: usize = 32;

/// Of all blocks, at most this share is at ends, which take twice as long as others, unless two levels are asked for.
const SHARE_AT_ENDS: (i64, i64) = (1, 4);

/// Whether the next level takes copies of a level's approximations beyond their ends, or the finer level of the next one's.
fn takes_copies(operation: Operation, level: &AxisGeometry, next: &AxisGeometry) -> bool {
    let reader = match operation.input() {
        Side::Signal => next,
        Side::Bands => level,
    };
    is_copied(rule(operation, reader))
}

/// Whether what stands beyond the ends are copies of elements near them.
fn is_copied(kind: ExtensionKind) -> bool {
    use ExtensionKind::{Constant, Reflect, Symmetric};
    matches!(kind, Constant | Symmetric | Reflect)
}

impl Builder<'_> {
    /// Whether these are two levels of a plane of which a strip can put copies between both.
    pub(super) fn meets(&self, tiers: &[Tier]) -> bool {
        let operation = self.request.operation;
        let [finer, next] = tiers else { return false };
        let axes = finer.geometry.iter().zip(&next.geometry);
        !operation.is_adjoint()
            && self.is_plane(tiers)
            && axes.into_iter().all(|(a, b)| takes_copies(operation, a, b))
    }

    /// Whether strips of these jobs, cut, can, and unasked, most of them are at no end.
    pub(super) fn may_meet(&self, proved: &Proved, jobs: &[Job]) -> bool {
        let [ends, inside] = parts(jobs, true).blocks;
        let (part, whole) = SHARE_AT_ENDS;
        let few = ends * whole <= (ends + inside) * part;
        all_meet(proved, jobs) && (few || self.request.strategy.deep.is_some())
    }
}

/// Rows that a walk of these jobs keeps at most; `None` where none are taken beyond an end, frames are as fast, as measured, or
/// these are too many.
pub(super) fn rows_kept(strip: &Strip, jobs: &[Job]) -> Option<u32> {
    if strip.output == Side::Bands && strip.beyond() > FEW_BEYOND {
        return None;
    }
    let axis = &jobs.first()?.axes[0];
    let [before, after] = rows_beyond(strip, axis);
    let rows = usize::try_from(before.max(after)).ok()?.next_multiple_of(ROWS);
    (1..=MOST_ROWS).contains(&rows).then_some(rows as u32)
}

/// Rows of approximations that all walks take for some before the first and after the last one.
fn rows_beyond(strip: &Strip, axis: &JobAxis) -> [i64; 2] {
    let [before, after] = strip.rows_handed();
    [axis.low.start - (axis.pairs.start - before), axis.pairs.end() + after - axis.low.end()]
}

/// Whether strips of these jobs, cut, find between their levels all that they take beyond the ends.
fn all_meet(proved: &Proved, jobs: &[Job]) -> bool {
    let (Some(strip), [finer, next]) = (proved.strip(), jobs) else { return false };
    let halo = proved.kernel().halo;
    let [before, after] = strip.rows_handed();
    let rows = &finer.axes[0];
    let beyond = rows_beyond(strip, rows).into_iter().max().unwrap_or(0).max(0);
    // No walk takes rows beyond both ends, nor copies of such as lie that far away.
    let apart = rows.tile + before + after + 2 * (beyond + 2) < rows.low.len as i64;
    let kept = beyond <= strip.between as i64;
    let near = ends_of(jobs) == Ends::Copies;
    kept && apart && near && columns_meet(strip, &halo, finer, next)
}

/// Whether every strip has in its lanes the columns of which those are copies that it takes beyond the ends.
fn columns_meet(strip: &Strip, halo: &Margin, finer: &Job, next: &Job) -> bool {
    let (Some(fine), Some(coarse)) = (finer.axes.last(), next.axes.last()) else { return false };
    let (across, jobs) = (finer.axes.len() - 1, [finer.clone(), next.clone()]);
    let leads = strip.leads();
    let lead = |pick: fn(i64, i64) -> i64| leads.iter().map(|n| i64::from(*n)).fold(0, pick);
    let (least, most) = (lead(i64::min), lead(i64::max));
    let [before, after] = [i64::from(halo.before[across]), i64::from(halo.after[across])];
    let shift = strip.deeper.as_ref().and_then(|deeper| deeper.across.as_ref());
    let shift = shift.map_or(0, |across| i64::from(across.shift));
    let pairs = strip.pairs as i64;
    let (first, end) = (strip.first_lane() as i64 * pairs, strip.end_lane() as i64 * pairs);
    let len = fine.low.len as i64;
    let begin = begin(strip, &jobs, fine.pairs.start);
    let strips = fine.tiles * strip.warps as i64;
    let reader = if strip.output == Side::Bands { coarse } else { fine };
    // Others go on by themselves, or not at all.
    if !is_copied(reader.extension) {
        return true;
    }
    // Pairs of the level that reads, and what column is its pair's first.
    let (read, scale, zero) = match strip.output {
        Side::Bands => (coarse.pairs, 2, coarse.signal.start),
        Side::Signal => (fine.pairs, 1, fine.low.start),
    };
    let column = |pair: i64| scale * pair - zero;
    (0..strips).all(|number| {
        // The pairs that the strip brings to an end.
        let k = begin + number * strip.useful() as i64 - first;
        let (low, high) = match strip.output {
            Side::Bands => {
                let half = (k - fine.low.start + coarse.signal.start).div_euclid(2) + shift;
                (half + first / 2, half + end / 2)
            }
            Side::Signal => (k + first, k + end),
        };
        // Columns of which the job's are made, and those of which all are.
        let from = column((low + least).max(read.start) - before);
        let to = column((high + most).min(read.end()) + after);
        let own = column(low + most - before).max(0)..column(high + least + after).min(len);
        // Nothing of the job.
        if from >= to {
            return true;
        }
        let mut beyond = (from..0).chain(len..to);
        beyond.all(|place| {
            copied(strip.output, fine, coarse, place).is_some_and(|column| own.contains(&column))
        })
    })
}

/// Which approximation is copied to a place beyond the ends along an axis, if it is one that exists.
fn copied(output: Side, finer: &JobAxis, next: &JobAxis, place: i64) -> Option<i64> {
    let index = match output {
        Side::Bands => source(next.extension, next.signal.len, place)?,
        Side::Signal => {
            let offset = 2 * finer.low.start - finer.bands.start;
            let position = source(finer.extension, finer.bands.len, 2 * place + offset)?;
            (position - offset).div_euclid(2)
        }
    };
    (0..finer.low.len as i64).contains(&index).then_some(index)
}

/// Which element of a line is copied to a place beyond its ends.
fn source(kind: ExtensionKind, len: usize, place: i64) -> Option<i64> {
    match Extension::new(kind, len).weights(place).terms() {
        [(index, 1)] => i64::try_from(*index).ok(),
        _ => None,
    }
}

impl Strip {
    /// Rows of approximations that a walk hands over before the first pair of its tile, and after the last one.
    fn rows_handed(&self) -> [i64; 2] {
        let around = self.around().map(|rows| rows as i64);
        match (&self.along, self.descent(), self.rise()) {
            (_, Some(descent), _) => [around[0] - i64::from(descent.first), around[1]],
            (Some(along), _, Some(rise)) => {
                let pipeline = &along.pipeline;
                let late = i64::from(pipeline.delay) - i64::from(pipeline.streams[0].lag);
                let first = late - self.first_output() as i64 + 2 * rise.warm as i64;
                [-first, late + around[1]]
            }
            _ => [0; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{LaunchKind, Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use std::collections::BTreeSet;
    use waveloom_wavelets::{Mode, catalogue};

    fn made(name: &str, shape: [usize; 2], mode: Mode, operation: Operation) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        program(&ProgramRequest {
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
            strategy: Strategy { deep: Some(2), ..Strategy::STREAM },
        })
        .unwrap()
    }

    /// Rows that are kept, if two levels share a launch.
    fn kept(name: &str, shape: [usize; 2], mode: Mode, operation: Operation) -> Option<usize> {
        let made = made(name, shape, mode, operation);
        let [LaunchKind::Transform { kernel, .. }] = made.launches.as_slice() else { return None };
        made.kernels[*kernel].strip().map(|strip| strip.between)
    }

    #[test]
    fn levels_meet_where_strips_have_what_others_are_copies_of() {
        use Operation::{Forward, Inverse};
        let kept = |name, shape, mode| [Forward, Inverse].map(|of| kept(name, shape, mode, of));
        assert_eq!(kept("rev53", [96, 1024], Mode::Jpeg2000), [Some(4), Some(2)]);
        assert_eq!(kept("rev53", [97, 1032], Mode::Jpeg2000), [Some(4), Some(2)]);
        // Zeros beyond the ends are put there without any row.
        assert_eq!(kept("bior2.2", [96, 1024], Mode::Symmetric), [Some(6), Some(0)]);
        // Frames are as fast, forward, where more rows are read twice.
        assert_eq!(kept("irr97", [192, 1024], Mode::Jpeg2000), [None, Some(2)]);
        // The last strip has fewer columns than it takes beyond the end; walks take rows beyond both ends.
        assert_eq!(kept("rev53", [96, 648], Mode::Jpeg2000)[0], None);
        assert_eq!(kept("rev53", [14, 1024], Mode::Jpeg2000), [None, None]);
        // Sums of others are no copies.
        assert_eq!(kept("rev53", [96, 1024], Mode::Smooth)[0], None);
    }

    /// Of every walk, what it takes for rows beyond an end are so few others that exist, beyond one end alone.
    #[test]
    fn rows_kept_are_those_that_are_taken() {
        let mut met = 0;
        for height in (60..140).chain([500, 501]) {
            for (name, mode, operation) in [
                ("rev53", Mode::Jpeg2000, Operation::Forward),
                ("rev53", Mode::Jpeg2000, Operation::Inverse),
                ("bior2.2", Mode::Symmetric, Operation::Forward),
                ("bior4.4", Mode::Jpeg2000, Operation::Inverse),
            ] {
                let made = made(name, [height, 1024], mode, operation);
                for launch in &made.launches {
                    let LaunchKind::Transform { kernel, jobs, .. } = launch else { continue };
                    let strip = made.kernels[*kernel].strip().unwrap();
                    let [finer, next] = jobs.as_slice() else { continue };
                    if strip.between == 0 {
                        continue;
                    }
                    met += 1;
                    let (rows, len) = (&finer.axes[0], finer.axes[0].low.len as i64);
                    let copy = |row: i64| {
                        super::copied(operation.output(), rows, &next.axes[0], row).unwrap()
                    };
                    let [before, after] = strip.rows_handed();
                    for tile in 0..rows.tiles {
                        let first = rows.pairs.start + tile * rows.tile;
                        let end = (first + rows.tile).min(rows.pairs.end());
                        let taken = first - before - rows.low.start..end + after - rows.low.start;
                        let beyond = |row: &i64| !(0..len).contains(row);
                        let beyond: Vec<i64> = taken.filter(beyond).collect();
                        let ends: BTreeSet<bool> = beyond.iter().map(|row| *row < 0).collect();
                        let copied: BTreeSet<i64> = beyond.into_iter().map(copy).collect();
                        let what = format!("{name} {operation:?} {height} tile {tile}: {copied:?}");
                        assert!(ends.len() <= 1 && copied.len() <= strip.between, "{what}");
                    }
                }
            }
        }
        assert!(met > 250, "{met}");
    }
}
