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
        line(value);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn line<T>(value: &T) {
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        const NEAREST: i32 = std::arch::x86_64::_MM_HINT_T0;
        sse._mm_prefetch::<NEAREST>(std::ptr::from_ref(value).cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn line<T>(_value: &T) {}
