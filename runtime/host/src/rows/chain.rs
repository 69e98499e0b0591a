//! Several updates at once: values go from one to the next in registers, or in the first-level cache.

use super::Rows;
use crate::sweep::Link;
use pulp::Simd;

/// Values that are computed together.
pub(crate) const CHAIN_BLOCK: usize = 64;

/// Values kept before those of a block, the last of which is used: blocks begin at a vector.
const BEFORE: usize = 16;

type Block<T> = [T; CHAIN_BLOCK];

/// Whether the machine multiplies and adds at once, as vectors do.
#[inline(always)]
fn is_fused<S: Simd>() -> bool {
    S::F32_LANES > 1 && cfg!(not(target_family = "wasm"))
}

/// Runs a chain for one line more. `newest` are the values that the first update reads first, `own`
/// those to which it adds; `before` holds what every update has read in the line before, and is
/// renewed. `results` are those of the last update but one, and of the last. `units` says whether
/// factors only give the sums' signs.
#[inline(always)]
pub(crate) fn pair<S: Simd, T: Rows + Copy + Default, const N: usize>(
    links: &[Link<T>; N],
    units: bool,
    newest: &Block<T>,
    own: &Block<T>,
    before: &mut [Block<T>; N],
    results: &mut [Block<T>; 2],
) {
    match (is_fused::<S>(), units) {
        (true, true) => lines::<T, N, true, true>(links, newest, own, before, results),
        (true, false) => lines::<T, N, true, false>(links, newest, own, before, results),
        (false, true) => lines::<T, N, false, true>(links, newest, own, before, results),
        (false, false) => lines::<T, N, false, false>(links, newest, own, before, results),
    }
}

#[inline(always)]
fn lines<T: Rows + Copy + Default, const N: usize, const FUSED: bool, const UNITS: bool>(
    links: &[Link<T>; N],
    newest: &Block<T>,
    own: &Block<T>,
    before: &mut [Block<T>; N],
    [first, last]: &mut [Block<T>; 2],
) {
    for i in 0..CHAIN_BLOCK {
        let (mut new, mut base, mut previous) = (newest[i], own[i], newest[i]);
        for n in 0..N {
            let old = before[n][i];
            before[n][i] = new;
            let terms = if links[n].newest_first { [new, old] } else { [old, new] };
            previous = new;
            new = T::link::<FUSED, UNITS>(&links[n], base, terms);
            base = old;
        }
        first[i] = previous;
        last[i] = new;
    }
}

/// Values along a row: a block of them, and those before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream<T>([T; BEFORE + ROW_BLOCK]);

/// Most values of a block of a row: reading what was written a moment ago, a place aside, stalls,
/// once a block.
pub(crate) const ROW_BLOCK: usize = 256;

/// Values before a block that are kept.
pub(crate) const KEPT: usize = 2;

impl<T: Copy + Default> Stream<T> {
    pub(crate) fn new() -> Self {
        Self([T::default(); BEFORE + ROW_BLOCK])
    }

    /// The block's values, or those so many places (at most [`KEPT`]) before.
    #[inline(always)]
    pub(crate) fn values<const LEN: usize>(&self, age: usize) -> &[T; LEN] {
        self.0[BEFORE - age.min(KEPT)..].first_chunk().expect("a block is no longer than ROW_BLOCK")
    }

    #[inline(always)]
    pub(crate) fn values_mut<const LEN: usize>(&mut self) -> &mut [T; LEN] {
        self.0[BEFORE..].first_chunk_mut().expect("a block is no longer than ROW_BLOCK")
    }

    /// Sets the values before the first block.
    pub(crate) fn begin(&mut self, before: [T; KEPT]) {
        self.0[BEFORE - KEPT..BEFORE].copy_from_slice(&before);
    }

    /// The last values become those before the next block.
    #[inline(always)]
    pub(crate) fn keep<const LEN: usize>(&mut self) {
        for i in BEFORE - KEPT..BEFORE {
            self.0[i] = self.0[LEN + i];
        }
    }
}

/// Runs a chain over the next block of a row: the first update reads `newest`, those `before` them,
/// and its `own`; every update's results go to a stream.
#[inline(always)]
pub(crate) fn block<S: Simd, T, const N: usize, const LEN: usize>(
    links: &[Link<T>; N],
    units: bool,
    reads: [&[T; LEN]; 3],
    streams: &mut [Stream<T>; N],
) where
    T: Rows + Copy + Default,
{
    match (is_fused::<S>(), units) {
        (true, true) => along::<T, N, LEN, true, true>(links, reads, streams),
        (true, false) => along::<T, N, LEN, true, false>(links, reads, streams),
        (false, true) => along::<T, N, LEN, false, true>(links, reads, streams),
        (false, false) => along::<T, N, LEN, false, false>(links, reads, streams),
    }
}

#[inline(always)]
fn along<T, const N: usize, const LEN: usize, const FUSED: bool, const UNITS: bool>(
    links: &[Link<T>; N],
    [newest, before, own]: [&[T; LEN]; 3],
    streams: &mut [Stream<T>; N],
) where
    T: Rows + Copy + Default,
{
    for n in 0..N {
        let (new, old, base) = match n {
            0 => (newest, before, own),
            1 => (streams[0].values(0), streams[0].values(1), before),
            _ => (streams[n - 1].values(0), streams[n - 1].values(1), streams[n - 2].values(1)),
        };
        let mut results = [T::default(); LEN];
        for i in 0..LEN {
            let terms = if links[n].newest_first { [new[i], old[i]] } else { [old[i], new[i]] };
            results[i] = T::link::<FUSED, UNITS>(&links[n], base[i], terms);
        }
        *streams[n].values_mut() = results;
    }
}

/// One update at one place.
#[inline(always)]
pub(crate) fn one<S: Simd, T: Rows>(link: &Link<T>, own: T, terms: [T; 2]) -> T {
    if is_fused::<S>() {
        T::link::<true, false>(link, own, terms)
    } else {
        T::link::<false, false>(link, own, terms)
    }
}
