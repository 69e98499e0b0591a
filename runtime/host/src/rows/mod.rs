//! The inner loops: one update over a run of neighbouring values.
//!
//! Every loop is compiled for several instruction sets and chosen at run time; all of them compute
//! the same values in the same order at every position, so that a result does not depend on where a
//! tile begins.

mod chain;
mod floats;
mod integers;

pub(crate) use chain::{CHAIN_BLOCK, KEPT, ROW_BLOCK, Stream, block, one, pair};

use super::program::Round;
use super::sweep::Link;
#[cfg(waveloom_only = "v3")]
use pulp::x86::V3 as Only;
#[cfg(waveloom_only = "v4")]
use pulp::x86::V4 as Only;
use pulp::{Simd, WithSimd};
use std::sync::LazyLock;

/// The best instruction set of this machine.
#[cfg(not(any(waveloom_only = "v3", waveloom_only = "v4")))]
static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);

/// The one instruction set that this build is for, if this machine has it.
#[cfg(any(waveloom_only = "v3", waveloom_only = "v4"))]
static ONLY: LazyLock<Option<Only>> = LazyLock::new(Only::try_new);

/// Runs `work` compiled for the best instruction set of this machine.
#[cfg(not(any(waveloom_only = "v3", waveloom_only = "v4")))]
#[inline]
pub fn vectorised<W: WithSimd>(work: W) -> W::Output {
    ARCH.dispatch(work)
}

/// Runs `work` compiled for the one instruction set that this build is for: a third to compile, for builds that run where
/// they are made.
///
/// # Panics
///
/// On machines without it.
#[cfg(any(waveloom_only = "v3", waveloom_only = "v4"))]
#[inline]
pub fn vectorised<W: WithSimd>(work: W) -> W::Output {
    match *ONLY {
        Some(simd) => Simd::vectorize(simd, work),
        None => panic!(
            "this build is for machines with certain instructions alone, and this one has less"
        ),
    }
}

/// Bytes of this machine's registers.
struct RegisterBytes;

impl WithSimd for RegisterBytes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        size_of::<S::f32s>()
    }
}

/// Whether a register is as long as a line of the cache.
pub(crate) fn registers_are_lines() -> bool {
    vectorised(RegisterBytes) == 64
}

/// The old value of what is written.
#[derive(Clone, Copy, Debug)]
pub enum OwnRow<'a, T> {
    /// Not read.
    Overwritten,
    /// In place, with a factor.
    Kept(T),
    /// Elsewhere, with a factor.
    Moved(&'a [T], T),
}

/// `write[i] = own[i] + Σ coefficient · source[i]`; every source is at least as long as `write`.
#[derive(Debug)]
pub struct RowUpdate<'a, T> {
    /// Where the new values go.
    pub write: &'a mut [T],
    /// The old values.
    pub own: OwnRow<'a, T>,
    /// The sum.
    pub terms: &'a [(&'a [T], T)],
    /// Rounding of the sum; the old value then counts once, in place or elsewhere.
    pub round: Option<Round<T>>,
}

/// Inner loops, per element type.
pub trait Rows: Sized {
    /// Whether chains of updates are faster than one after the other. Compilers make poor vectors of
    /// some types' chains.
    const CHAINS: bool;

    /// Runs an update within code that is compiled for an instruction set.
    fn update_in<S: Simd>(simd: S, row: RowUpdate<'_, Self>);

    /// Runs an update.
    fn update(row: RowUpdate<'_, Self>) {
        vectorised(Update(row));
    }

    /// Runs an update and says whether every new value fits the type. Floats always do.
    fn update_checked(row: RowUpdate<'_, Self>) -> bool {
        Self::update(row);
        true
    }

    /// One update of a chain at one place. `FUSED` says whether the machine multiplies and adds at
    /// once, `UNITS` that both factors are 1, or both -1, and the old value counts once.
    fn link<const FUSED: bool, const UNITS: bool>(
        link: &Link<Self>,
        own: Self,
        terms: [Self; 2],
    ) -> Self;

    /// The largest magnitude of integers; 0 for floats, which have no limit.
    fn largest_in<S: Simd>(simd: S, values: &[Self]) -> u64;
}

struct Update<'a, T>(RowUpdate<'a, T>);

impl<T: Rows> WithSimd for Update<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        T::update_in(simd, self.0);
    }
}

struct Largest<'a, T>(&'a [T]);

impl<T: Rows> WithSimd for Largest<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u64 {
        T::largest_in(simd, self.0)
    }
}

/// The largest magnitude of integers.
pub(crate) fn largest<T: Rows>(values: &[T]) -> u64 {
    vectorised(Largest(values))
}
