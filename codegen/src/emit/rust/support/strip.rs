/// One operation on one axis: its code and how far it reads.
pub trait Kernel {
    /// Whether the input is extended beyond its ends (or zero there, and the output folded back).
    const EXTENDS: bool;
    /// Pairs held before a block.
    const BEFORE: usize;
    /// Pairs held after a block.
    const AFTER: usize;
    /// Both outputs of a block of pairs along a line, from both planes with what stands around it.
    fn along<const FUSED: bool>(
        x: [&[Sample]; 2],
        buffers: [&mut [Sample]; BUFFERS],
        low: &mut [Sample],
        high: &mut [Sample],
    );
}

impl<K: Kernel> Work for Strip<'_, K> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { split, planes, loaded: [even, odd], buffers, low, high, joined, .. } = self;
        let (samples, at) = split;
        apart(samples, &mut even[at..], &mut odd[at..]);
        let x = planes.unwrap_or([even, odd]);
        K::along::<FUSED>(x, buffers, low, high);
        let (samples, at) = joined;
        together(&low[at..], &high[at..], samples);
    }
}

/// Computes a block of a line.
fn compute<K: Kernel>(strip: Strip<'_, K>) {
    dispatch(strip);
}

/// Pairs of a line that is worth blocks of its own at the ends.
const LONG: isize = 256;

/// Computes pairs of a line, block by block.
fn span<K: Kernel, S: Blocks, T: BlocksMut>(
    memory: &mut [Sample],
    source: &S,
    target: &mut T,
    first: isize,
    end: isize,
) {
    let (mut inner_first, mut inner_end) = (first, end);
    if S::LIES && end - first >= LONG {
        // Planes that do not lie whole in memory are copied: only near the ends.
        let (whole_first, whole_end) = inner_pairs_of(S::START, source.len());
        let near = |pairs: isize| (pairs.max(0) as usize).next_multiple_of(UNIT) as isize;
        inner_first += near(whole_first + K::BEFORE as isize - first);
        inner_end -= near(end + K::AFTER as isize - whole_end);
    }
    for (first, end) in [(first, inner_first), (inner_first, inner_end), (inner_end, end)] {
        blocks(first, end, |block, pairs| {
            strip::<K, S, T>(memory, source, target, block, pairs, false);
        });
    }
}

use {Blocks as Flows, BlocksMut as FlowsMut};
