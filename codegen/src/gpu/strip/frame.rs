//! A job of strips in parts: the interior, where nothing is extended and everything exists, and frames
//! along its ends.

use super::Strip;
use crate::gpu::abi::{Job, JobAxis, Part, View};
use crate::kernel::{Operation, Side};
use waveloom_wavelets::geometry::Span;

/// Pairs of rows that a strip of a frame walks. Such a walk waits for every load, so it is kept short:
/// the few frames must not be what everything else waits for.
const FRAME_ROWS: i64 = 4;

/// The first and one past the last output pair of the interior along an axis.
type Range = (i64, i64);

/// Pairs whose samples, or whose two coefficients, all exist.
fn existing(axis: &JobAxis, side: Side) -> Range {
    match side {
        Side::Signal => {
            let (start, len) = (axis.signal.start, axis.signal.len as i64);
            ((start + 1).div_euclid(2), (start + len).div_euclid(2))
        }
        Side::Bands => (axis.low.start.max(axis.high.start), axis.low.end().min(axis.high.end())),
    }
}

/// Rows of output pairs for which a walk reads existing rows only.
fn rows(strip: &Strip, axis: &JobAxis, operation: Operation) -> Range {
    let all = (axis.pairs.start, axis.pairs.end());
    let Some(along) = &strip.along else { return all };
    let pipeline = &along.pipeline;
    let (first, end) = existing(axis, operation.output());
    let (mut first, mut end) = (first.max(all.0), end.min(all.1));
    for stream in &pipeline.streams[..2] {
        let (has_first, has_end) = existing(axis, operation.input());
        let late = i64::from(pipeline.delay) - i64::from(stream.lag);
        first = first.max(has_first + pipeline.warm() as i64 - late);
        end = end.min(has_end - late);
    }
    (first, end)
}

/// Whole strips of output pairs that load and store nothing beyond the ends.
fn columns(strip: &Strip, axis: &JobAxis, operation: Operation) -> Range {
    let all = (axis.pairs.start, axis.pairs.end());
    let Some(across) = &strip.across else { return all };
    let pairs = strip.pairs as i64;
    let (lanes, useful, slack) =
        (strip.lanes() as i64 * pairs, strip.useful() as i64, strip.slack() as i64);
    let before = strip.first_lane() as i64 * pairs;
    let shift = i64::from(across.shift);
    // Aligned loads begin up to seven samples earlier; bands are aligned by up to a lane's pairs.
    let (early, late) = if strip.shifted() { (4, pairs) } else { (0, 0) };
    let (has_first, has_end) = existing(axis, operation.input());
    let (to_first, to_end) = existing(axis, operation.output());
    let first = all.0.max(has_first + before + slack + shift + early).max(to_first + slack);
    let first = first + (axis.low.start - first).rem_euclid(pairs);
    let last = (has_end - lanes + before + slack + shift - late)
        .min(to_end - useful + slack - 2 * late)
        .min(all.1 - useful + slack);
    if last < first {
        return (first, first);
    }
    let count = (last - first) / useful + 1;
    (first, first + count * useful - slack)
}

/// The job in at most five parts that together do the same. `tile` tells how far strips walk for so
/// many pairs of rows and so many other blocks.
pub(in crate::gpu) fn framed(
    strip: &Strip,
    operation: Operation,
    job: &Job,
    tile: &dyn Fn(i64, i64) -> i64,
) -> Vec<Job> {
    let whole = |axis: usize| (job.axes[axis].pairs.start, job.axes[axis].pairs.end());
    let (walked, crossed) = match (&strip.along, &strip.across) {
        (Some(_), Some(_)) => (Some(0), Some(1)),
        (Some(_), None) => (Some(0), None),
        _ => (None, Some(0)),
    };
    let all_rows = walked.map_or((0, 1), whole);
    let all_columns = crossed.map_or((0, job.lanes), whole);
    let inner_rows = walked.map_or((0, 1), |axis| rows(strip, &job.axes[axis], operation));
    let inner_columns = match crossed {
        Some(axis) => columns(strip, &job.axes[axis], operation),
        None => (0, job.lanes - job.lanes % strip.useful() as i64),
    };
    let part = |part: Part, rows: Range, columns: Range| {
        let strip = match (part, &strip.frame) {
            (Part::Frame, Some(frame)) => frame,
            _ => strip,
        };
        cut(strip, job, part, (walked, rows), (crossed, columns), tile)
    };
    if inner_rows.0 >= inner_rows.1 || inner_columns.0 >= inner_columns.1 {
        return vec![part(Part::Frame, all_rows, all_columns)];
    }
    let parts = [
        part(Part::Frame, (all_rows.0, inner_rows.0), all_columns),
        part(Part::Frame, (inner_rows.1, all_rows.1), all_columns),
        part(Part::Frame, inner_rows, (all_columns.0, inner_columns.0)),
        part(Part::Frame, inner_rows, (inner_columns.1, all_columns.1)),
        part(Part::Interior, inner_rows, inner_columns),
    ];
    parts.into_iter().filter(|job| job.blocks() > 0).collect()
}

/// A rectangle of a job.
fn cut(
    strip: &Strip,
    job: &Job,
    part: Part,
    (walked, rows): (Option<usize>, Range),
    (crossed, columns): (Option<usize>, Range),
    tile: &dyn Fn(i64, i64) -> i64,
) -> Job {
    let mut job = Job { part: Some(part), ..job.clone() };
    let across = (strip.useful() * strip.warps) as i64;
    let len = (columns.1 - columns.0).max(0);
    match crossed {
        Some(axis) => {
            let axis = &mut job.axes[axis];
            axis.pairs = Span { start: columns.0, len: len as usize };
            axis.tile = across;
            axis.tiles = match len {
                0 => 0,
                len => (len + strip.slack() as i64 + across - 1) / across,
            };
        }
        None => {
            let advance = |view: &mut View| view.offset += columns.0;
            advance(&mut job.signal);
            job.bands.iter_mut().for_each(advance);
            (job.lanes, job.lane_tile) = (len, across);
            job.lane_tiles = (len + across - 1) / across;
        }
    }
    if let Some(axis) = walked {
        let len = (rows.1 - rows.0).max(0);
        let others = job.outer.iter().product::<i64>()
            * match crossed {
                Some(axis) => job.axes[axis].tiles,
                None => job.lane_tiles,
            };
        let axis = &mut job.axes[axis];
        axis.pairs = Span { start: rows.0, len: len as usize };
        let most = if part == Part::Frame { FRAME_ROWS } else { i64::MAX };
        axis.tile = tile(len, others).clamp(1, most);
        axis.tiles = (len + axis.tile - 1) / axis.tile;
    }
    job
}
