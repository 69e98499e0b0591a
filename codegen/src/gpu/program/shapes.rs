//! Shapes of blocks: the largest tile that fits, the widest strip that registers allow.

use super::super::mapping::{Mapping, Strategy};
use super::super::proof::{ProofError, Proved, prove};
use super::super::turn;
use super::MappedKernel;
use crate::kernel::{Exchange, Kernel, Pipeline};

/// Proves the kernel; where the tile may be chosen, with the largest that fits shared memory.
pub(super) fn fitting(
    kernel: Kernel,
    mapping: Mapping,
    may_shrink: bool,
) -> Result<Proved, ProofError> {
    let mut mapped = MappedKernel { kernel, lines: Vec::new(), mapping };
    loop {
        match prove(&mapped) {
            Err(ProofError::Shared { .. }) if may_shrink => {
                let largest = mapped.mapping.tile.iter().max().copied().unwrap_or(1);
                let slot = mapped.mapping.tile.iter_mut().find(|extent| **extent == largest);
                match slot {
                    Some(extent) if *extent > 1 => *extent = extent.div_ceil(2),
                    _ => return prove(&mapped),
                }
            }
            outcome => return outcome,
        }
    }
}

/// Proves strips; where the groups may be chosen, with as many as registers allow and the reach needs.
pub(super) fn stripes(
    kernel: Kernel,
    lines: Vec<Kernel>,
    mapping: Mapping,
    rows: Option<u32>,
) -> Result<Proved, ProofError> {
    let mut mapped = MappedKernel { kernel, lines, mapping };
    // Without a walk, many groups keep many bytes on their way; along one, lanes of four pairs store 16
    // bytes of a band at once; with both, half as many registers make more warps.
    let walks = mapped.lines.len() > 1 || !mapping.contiguous;
    let crosses = mapped.lines.len() > 1;
    let shapes: &[(u32, u32)] = match (walks, crosses) {
        (true, true) => &[(2, 1), (4, 1), (4, 2), (2, 4), (2, 8)],
        (true, false) => &[(4, 1), (2, 1), (4, 2), (2, 4), (2, 8)],
        (false, _) => &[(2, 6), (2, 4), (2, 2), (2, 1), (2, 8)],
    };
    if let (true, None, Some(line)) = (crosses, rows, mapped.lines.first()) {
        let warm = Pipeline::leanest(line).map_or(0, |pipeline| pipeline.warm());
        mapped.mapping.tile[0] = walked(warm, 1);
    }
    let mut best: Option<Proved> = None;
    let mut refused = None;
    for (pairs, groups) in shapes {
        if (mapping.pairs > 0 && mapping.pairs != *pairs)
            || (mapping.groups > 0 && mapping.groups != *groups)
        {
            continue;
        }
        (mapped.mapping.pairs, mapped.mapping.groups) = (*pairs, *groups);
        let mut outcome = prove(&mapped);
        if let (0, Ok(proved)) = (mapping.resident, &outcome) {
            mapped.mapping.resident = resident(proved);
            outcome = prove(&mapped);
        }
        match outcome {
            Ok(proved) if proved.info().registers <= COMFORTABLE => return Ok(proved),
            Ok(proved) => {
                let fewer = |best: &Proved| proved.info().registers < best.info().registers;
                if best.as_ref().is_none_or(fewer) {
                    best = Some(proved);
                }
            }
            Err(error) => refused = Some(error),
        }
    }
    match (best, refused) {
        (Some(proved), _) => Ok(proved),
        (None, Some(error)) => Err(error),
        // A shape that the list does not have.
        (None, None) => {
            mapped.mapping.pairs = if mapping.pairs > 0 { mapping.pairs } else { 2 };
            mapped.mapping.groups = if mapping.groups > 0 { mapping.groups } else { 1 };
            prove(&mapped)
        }
    }
}

/// Row pairs of a walk of so many levels that reads so many beyond its tile; a multiple of eight at every level.
/// What two walks read is found in the cache by the second one; long walks open many rows of memory at a time, and
/// those at ends are waited for.
pub(super) fn walked(beyond: usize, levels: u32) -> u32 {
    let unit = 8 << levels.saturating_sub(1).min(3);
    // What is read beyond by long filters is more than what the cache saves.
    let times = if levels == 1 && beyond > LITTLE { 3 } else { 2 };
    (times * beyond as u32).next_multiple_of(unit).clamp(unit, MOST_ROWS)
}

/// Proves tiles in registers; where the samples of a thread may be chosen, with as few as the reach
/// leaves room for.
pub(super) fn turning(
    kernel: Kernel,
    lines: Vec<Kernel>,
    strategy: &Strategy,
    across_first: bool,
) -> Result<Proved, ProofError> {
    let plain = Mapping { across_first, ..Mapping::new(strategy.exchange, strategy.own) };
    let shaped = |items: u32| {
        let mapping = turn::shape(plain, strategy.threads, items);
        prove(&MappedKernel { kernel: kernel.clone(), lines: lines.clone(), mapping })
    };
    if let Some(items) = strategy.items {
        return shaped(items);
    }
    match strategy.exchange {
        Exchange::Transpose => shaped(8).or_else(|_| shaped(16)).or_else(|_| shaped(32)),
        _ => shaped(64),
    }
}

/// Blocks of strips that shall fit a multiprocessor: as many registers as leave 12 warps; without a walk
/// 16 (12 where several levels hold wide values), with two levels 10, for long filters 8.
pub(super) fn resident(proved: &Proved) -> u32 {
    let walks = proved.strip().is_some_and(|strip| strip.along.is_some());
    let deep = proved.mapping().levels > 1;
    let wide = proved.kernel().element.bytes() > 4;
    let threads = match (walks, proved.info().registers > CROWDED) {
        (false, _) if deep && wide => 384,
        (false, _) => 512,
        (true, false) if deep => 320,
        (true, false) => 384,
        (true, true) => 256,
    };
    threads / proved.mapping().threads.max(1)
}

/// Pairs of rows beyond a walk's tile that are few.
const LITTLE: usize = 4;

/// Registers that a walk is known to need at least, beyond which it gets more.
const CROWDED: usize = 80;

/// The most pairs of rows of a walk along two axes, unless asked for.
const MOST_ROWS: u32 = 64;

/// Registers of a strip's thread with which enough warps are resident.
const COMFORTABLE: usize = 128;
