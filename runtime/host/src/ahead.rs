//! Asking for memory before it is needed.
//!
//! Rows of an array are pages apart: the machine's own prefetching begins anew at each, and while it
//! learns, sums wait.

/// Bytes of a line of the cache.
const LINE_BYTES: usize = 64;

/// Asks for the lines of the cache that hold a run of values. Values never depend on it.
#[inline(always)]
pub(crate) fn fetch<T>(values: &[T]) {
    let step = (LINE_BYTES / size_of::<T>().max(1)).max(1);
    for value in values.iter().step_by(step) {
        line::<T, true>(value);
    }
}

/// The same for what is read later: it comes no nearer than the second-level cache, and takes none of the few
/// places where lines wait on their way to the nearest.
#[inline(always)]
pub(crate) fn fetch_later<T>(values: &[T]) {
    let step = (LINE_BYTES / size_of::<T>().max(1)).max(1);
    for value in values.iter().step_by(step) {
        line::<T, false>(value);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn line<T, const NEAR: bool>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1};
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        let place = std::ptr::from_ref(value).cast();
        match NEAR {
            true => sse._mm_prefetch::<_MM_HINT_T0>(place),
            false => sse._mm_prefetch::<_MM_HINT_T1>(place),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn line<T, const NEAR: bool>(_value: &T) {}
