//! Shapes of blocks: the largest tile that fits, the widest strip that registers allow.

use super::super::mapping::{Mapping, Strategy};
use super::super::proof::{ProofError, Proved, prove};
use super::super::strip::WARP;
use super::super::turn;
use super::MappedKernel;
use crate::kernel::{Exchange, Kernel, Pipeline, Side};

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

/// Pairs of lines of a walk through a batch, unless asked for.
pub(super) const BATCH_ROWS: u32 = 8;

/// Pairs of a lane and groups of a strip.
type Shape = (u32, u32);

/// Shapes of strips without a walk in order of preference, as measured: of values of 32 bits that are read, that are
/// written, the same where that takes much work, of wide values and of short ones.
const READING: [Shape; 6] = [(4, 5), (2, 8), (2, 6), (2, 4), (2, 2), (2, 1)];
const WRITING: [Shape; 5] = [(2, 8), (2, 6), (2, 4), (2, 2), (2, 1)];
const WORKING: [Shape; 6] = [(4, 5), (2, 8), (2, 6), (2, 4), (2, 2), (2, 1)];
const WIDE: [Shape; 5] = [(2, 4), (2, 2), (2, 1), (2, 6), (2, 8)];
const SHORT: [Shape; 6] = [(4, 8), (4, 5), (4, 4), (4, 2), (4, 1), (2, 1)];

/// Operations of a pair that are much work.
const MUCH: u64 = 56;

/// What a line costs with the next shape of a list, as far as that is not lanes left over: 1 + 1 / this.
const STEP: usize = 16;

/// Shapes of strips without a walk for lines of so many pairs, the best first: short lines leave lanes over.
fn line_shapes(kernel: &Kernel, pairs: usize) -> Vec<Shape> {
    let bytes = kernel.element.bytes();
    let work = kernel.cost(1, 1).sequential;
    let list: &[Shape] = match kernel.operation.output() {
        _ if bytes > 4 => &WIDE,
        _ if bytes < 4 => &SHORT,
        Side::Bands => &READING,
        Side::Signal if work > MUCH => &WORKING,
        Side::Signal => &WRITING,
    };
    let reach = kernel.halo.before[0] + kernel.halo.after[0];
    let cost = |(rank, (own, groups)): (usize, &Shape)| {
        let all = (own * groups * WARP) as usize;
        let useful = all.saturating_sub(reach.max(0) as usize).max(1);
        pairs.max(1).div_ceil(useful) * all * (STEP + rank)
    };
    let mut costs: Vec<(usize, Shape)> =
        list.iter().enumerate().map(|(rank, shape)| (cost((rank, shape)), *shape)).collect();
    costs.sort_by_key(|(cost, _)| *cost);
    costs.into_iter().map(|(_, shape)| shape).collect()
}

/// Proves strips; where the groups may be chosen, with as many as registers allow and the reach needs. Without a
/// walk, lines have so many pairs.
pub(super) fn stripes(
    kernel: Kernel,
    lines: Vec<Kernel>,
    mapping: Mapping,
    rows: Option<u32>,
    line: usize,
) -> Result<Proved, ProofError> {
    let mut mapped = MappedKernel { kernel, lines, mapping };
    // Without a walk, many groups keep many bytes on their way; along one, lanes of four pairs store 16
    // bytes of a band at once; with both, half as many registers make more warps.
    let walks = mapped.lines.len() > 1 || !mapping.contiguous;
    let crosses = mapped.lines.len() > 1;
    let shapes: Vec<Shape> = match (walks, crosses) {
        (true, true) => [(2, 1), (4, 1), (4, 2), (2, 4), (2, 8)].to_vec(),
        (true, false) => [(4, 1), (2, 1), (4, 2), (2, 4), (2, 8)].to_vec(),
        (false, _) => line_shapes(&mapped.kernel, line),
    };
    if let (true, Some(rows)) = (crosses, rows) {
        mapped.mapping.tile[0] = rows;
    }
    if let (true, None, Some(line)) = (crosses, rows, mapped.lines.first()) {
        let warm = Pipeline::leanest(line).map_or(0, |pipeline| pipeline.warm());
        mapped.mapping.tile[0] = walked(warm, false);
    }
    let mut best: Option<Proved> = None;
    let mut refused = None;
    for (pairs, groups) in &shapes {
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

/// Whether a walk along this line reads more than few row pairs beyond its tile.
pub(super) fn reaches_far(line: &Kernel) -> bool {
    Pipeline::leanest(line).is_some_and(|pipeline| pipeline.warm() > LITTLE)
}

/// Row pairs of a walk of one level that reads so many beyond its tile, as measured, where all rows are aligned or need
/// not be; an even number.
/// What two walks read is found in the cache by the second one; the longer walks are, the further apart in memory are
/// those that run at a time, and those at ends are waited for.
pub(super) fn walked(beyond: usize, aligned: bool) -> u32 {
    match beyond {
        0 => PLAIN_ROWS,
        // What is read beyond by long filters is more than what the cache saves.
        _ if beyond > LITTLE => (3 * beyond as u32).next_multiple_of(8).min(MOST_ROWS),
        _ => (2 * beyond as u32).max(if aligned { FEW_ROWS } else { MOVED_ROWS }),
    }
}

/// The same of several levels, which write bands or a signal.
pub(super) fn walked_deep(beyond: usize, output: Side) -> u32 {
    let beyond = beyond as u32;
    if beyond == 0 {
        return PLAIN_ROWS;
    }
    let rows = match output {
        Side::Bands if (SHORTER[0]..=SHORTER[1]).contains(&beyond) => (beyond + 4) & !1,
        Side::Bands => beyond + beyond / 2 + 2,
        Side::Signal => 2 * beyond + 2,
    };
    rows.next_multiple_of(2).clamp(LEAST_DEEP, MOST_ROWS)
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
/// 16 (12 where several levels hold wide values, or lanes many), with two levels 10, for long filters 8.
pub(super) fn resident(proved: &Proved) -> u32 {
    let walks = proved.strip().is_some_and(|strip| strip.along.is_some());
    let mapping = proved.mapping();
    let deep = mapping.levels > 1;
    let wide = proved.kernel().element.bytes() > 4;
    let threads = match (walks, proved.info().registers > CROWDED) {
        (false, _) if (deep && wide) || mapping.pairs * mapping.groups >= MANY_PAIRS => 384,
        (false, _) => 512,
        (true, false) if deep => 320,
        (true, false) => 384,
        (true, true) => 256,
    };
    threads / mapping.threads.max(1)
}

/// Pairs of a lane that are many.
const MANY_PAIRS: u32 = 24;

/// Pairs of rows beyond a walk's tile that are few.
const LITTLE: usize = 4;

/// Registers that a walk is known to need at least, beyond which it gets more.
const CROWDED: usize = 80;

/// Pairs of rows of a walk along two axes, unless asked for: where nothing is read beyond it; where that is little, and
/// the same of rows that are moved into place; of several levels that read beyond it at least.
const PLAIN_ROWS: u32 = 4;
const FEW_ROWS: u32 = 6;
const MOVED_ROWS: u32 = 8;
const LEAST_DEEP: u32 = 8;

/// Row pairs that walks of several levels read beyond their tiles, the least and the most, where bands are written fastest
/// by walks that are little longer than that, as measured (db4: 9, irr97: 12; bior2.2, with 6, wants twice as many).
const SHORTER: [u32; 2] = [8, 12];

/// Row pairs that strips walk at most.
const MOST_ROWS: u32 = 64;

/// Registers of a strip's thread with which enough warps are resident.
const COMFORTABLE: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::mapping::{DEEP_DEPTH, DEPTH};
    use crate::kernel::{Element, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn best(name: &str, operation: Operation, element: Element, pairs: usize) -> Shape {
        let kind = if element.is_integer() { SchemeKind::Lifting } else { SchemeKind::Lattice };
        let scheme = catalogue::wavelet(name).unwrap().scheme(kind, 1).unwrap();
        let kernel = lower(&scheme, operation, element, Exchange::Stream).unwrap();
        line_shapes(&kernel, pairs)[0]
    }

    #[test]
    fn long_lines_have_the_shape_that_was_measured() {
        use Operation::{Forward, Inverse};
        let long = 1 << 27;
        for name in ["db4", "db16"] {
            assert_eq!(best(name, Forward, Element::F32, long), (4, 5), "{name}");
            assert_eq!(best(name, Forward, Element::F64, long), (2, 4), "{name}");
        }
        assert_eq!(best("db4", Inverse, Element::F32, long), (2, 8));
        assert_eq!(best("db12", Inverse, Element::F32, long), (2, 8));
        assert_eq!(best("db16", Inverse, Element::F32, long), (4, 5));
        assert_eq!(best("rev53", Forward, Element::I16, long), (4, 8));
    }

    #[test]
    fn short_lines_leave_few_lanes_over() {
        for pairs in [50, 120, 250, 370] {
            let (own, groups) = best("db4", Operation::Forward, Element::F32, pairs);
            assert!(((own * groups * WARP) as usize) < 3 * pairs, "{pairs}: {own} x {groups}");
        }
    }

    /// Long filters have deeper rings where there is room for these, else the ring of others.
    #[test]
    fn rings_are_as_deep_as_there_is_room() {
        use crate::gpu::{ProgramRequest, Strategy, program};
        use waveloom_wavelets::Mode;
        let depth = |name: &str, element: Element, strategy: Strategy| {
            let wavelet = catalogue::wavelet(name).unwrap();
            let made = program(&ProgramRequest {
                wavelet: &wavelet,
                kind: wavelet.default_scheme(2),
                shape: &[1024, 1024],
                axes: &[0, 1],
                mode: Mode::Periodization,
                origins: &[],
                levels: 1,
                align_rows: None,
                element,
                operation: Operation::Forward,
                strategy,
            })
            .unwrap();
            made.kernels[0].mapping().depth
        };
        let plain = Strategy::STREAM;
        assert_eq!(depth("irr97", Element::F32, plain), DEPTH);
        for name in ["db6", "db8", "bior6.8", "coif3"] {
            assert_eq!(depth(name, Element::F32, plain), DEEP_DEPTH, "{name}");
        }
        let told = Strategy { depth: Some(4), ..plain };
        assert_eq!(depth("db8", Element::F32, told), 4);
        for (name, element, strategy) in [
            ("db8", Element::F32, Strategy { threads: Some(256), ..plain }),
            ("coif2", Element::F32, Strategy { threads: Some(256), ..plain }),
            ("db8", Element::F32, Strategy { groups: Some(4), ..plain }),
            ("bior6.8", Element::F32, Strategy { groups: Some(2), pairs: Some(4), ..plain }),
            ("db8", Element::F64, Strategy { pairs: Some(4), ..plain }),
            ("db8", Element::F64, Strategy { threads: Some(128), ..plain }),
        ] {
            assert_eq!(depth(name, element, strategy), DEPTH, "{name} {strategy}");
        }
    }
}
