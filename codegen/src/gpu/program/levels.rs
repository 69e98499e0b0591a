//! How levels that share a strip lie to each other.

use super::super::abi::Job;
use super::super::mapping::Alignment;
use super::super::proof::Proved;
use super::super::strip::Strip;
use crate::kernel::{Operation, Side};
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::{AxisGeometry, Span};

/// Pairs by which position 0 of a level stands further on in the pairs of the one before.
pub(super) fn offset(jobs: &[Job], level: usize, axis: usize) -> i64 {
    jobs[level - 1].axes[axis].low.start - jobs[level].axes[axis].signal.start
}

/// Where lanes begin along the last axis, such that the last level's approximations are aligned.
pub(super) fn anchor(jobs: &[Job]) -> i64 {
    let axis = jobs.first().map_or(0, |job| job.axes.len() - 1);
    let last = jobs.last().map_or(0, |job| job.axes[axis].low.start);
    (1..jobs.len()).rev().fold(last, |anchor, level| 2 * anchor + offset(jobs, level, axis))
}

/// Where rows of all levels are aligned, if they are.
pub(super) fn alignments(jobs: &[Job], pairs: u32, elements: i64) -> Option<Alignment> {
    let mut anchor = anchor(jobs);
    let axis = jobs.first()?.axes.len() - 1;
    let mut all = jobs.first()?.alignment_from(anchor, i64::from(pairs), elements)?;
    for level in 1..jobs.len() {
        let pairs = i64::from(pairs >> level);
        if pairs == 0 {
            return None;
        }
        anchor = (anchor - offset(jobs, level, axis)).div_euclid(2);
        all.deeper[level - 1] = jobs[level].alignment_from(anchor, pairs, elements)?.bands;
    }
    if axis == 0 {
        // Of lines, approximations that are handed over are in no memory, and stand where lanes begin.
        all.bands[0] = 0;
        all.deeper.iter_mut().for_each(|bands| bands[0] = 0);
    }
    Some(all)
}

/// Whether all lines of all levels begin anew beyond their ends.
pub(super) fn go_round(proved: &Proved, jobs: &[Job]) -> bool {
    let bytes = proved.kernel().element.bytes();
    let round =
        |strip: &Strip| strip.levels().zip(jobs).all(|(level, job)| level.goes_round(job, bytes));
    proved.strip().is_some_and(round)
}

/// Samples beyond the ends of a level's input that are read, or interleaved coefficients, by all its output pairs with so
/// much around them: what stands there is made of as many near either end, and one more.
pub(super) fn beyond(input: Span, pairs: Span, reach: [i64; 2]) -> i64 {
    let before = input.start - 2 * (pairs.start - reach[0]);
    let after = 2 * (pairs.end() + reach[1]) - input.end();
    before.max(after).max(0) + 2
}

/// Pairs that a level's launch at the ends may leave out, of those that the other level's launch does not read inside,
/// nor for what stands so far beyond the ends.
pub(super) fn apart_from_ends(unread: [i64; 2], all: Span, beyond: i64) -> [i64; 2] {
    [unread[0].max(all.start + beyond), unread[1].min(all.end() - beyond)]
}

/// From a first one to one before the end; none if that is not behind it.
pub(super) fn span(start: i64, end: i64) -> Span {
    Span { start, len: (end - start).max(0) as usize }
}

pub(super) fn hull(span: Span, first: i64, end: i64) -> Span {
    let (start, end) = (span.start.min(first), span.end().max(end));
    Span { start, len: (end - start) as usize }
}

/// Whether what a level makes of samples beyond the ends is what the next one takes for them, or both
/// take zeros, which can be put there.
pub(super) fn goes_on(operation: Operation, level: &AxisGeometry, next: &AxisGeometry) -> bool {
    let zero = |axis: &AxisGeometry| rule(operation, axis) == ExtensionKind::Zero;
    let periodic = |axis: &AxisGeometry| {
        let halves =
            [axis.low.len, axis.high.len].into_iter().all(|len| 2 * len == axis.signal.len);
        repeats(operation, axis) && halves && axis.bands().len == axis.signal.len
    };
    (zero(level) && zero(next)) || (periodic(level) && periodic(next))
}

/// How the input goes on beyond its ends.
pub(super) fn rule(operation: Operation, axis: &AxisGeometry) -> ExtensionKind {
    match (operation.is_adjoint(), operation.input()) {
        (true, _) => ExtensionKind::Zero,
        (false, Side::Signal) => axis.signal_extension.kind(),
        (false, Side::Bands) => axis.band_extension.kind(),
    }
}

/// Whether it begins anew there.
pub(super) fn repeats(operation: Operation, axis: &AxisGeometry) -> bool {
    matches!(rule(operation, axis), ExtensionKind::Periodic | ExtensionKind::PeriodicEven)
}
