//! What the compiler cannot check about execution: stores that go past the caches. All `unsafe` of this package
//! is here, every block with its reason.
//!
//! An ordinary store to a line that no cache holds reads the line first: who writes a large array moves
//! half as much again as memory had to. Processors have stores that do without, for whole lines that
//! nobody reads soon. They are ordered by a fence alone, which waits for all of them: there is one per
//! task, not per copy.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use crate::machine::known;
use pulp::Simd;
use pulp::bytemuck::Pod;
use std::marker::PhantomData;

/// Leave to store past the caches, in one thread and until what is stored is made visible.
#[derive(Debug)]
pub(crate) struct Passage {
    /// The fence orders the stores of its own thread alone.
    bound: PhantomData<*const ()>,
}

impl Passage {
    /// Does work that may store past the caches, and makes its stores visible before anything behind it
    /// happens, even if it panics. The work must not hand to other threads what it stored.
    pub(crate) fn open<R>(work: impl FnOnce(&Self) -> R) -> R {
        let passage = Self { bound: PhantomData };
        work(&passage)
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        x86::fence();
    }
}

/// Copies the first values of `from` to all of `to`, whole lines of the cache past the caches. Where no
/// such stores are known, that is a copy.
#[inline]
pub(crate) fn past_caches<T: Pod>(_passage: &Passage, to: &mut [T], from: &[T]) {
    let from = &from[..to.len()];
    #[cfg(target_arch = "x86_64")]
    x86::copy(to, from);
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line([u8; LINE_BYTES]);

const LINE_BYTES: usize = 64;

// SAFETY: bytes without padding, as the alignment is the size; all patterns of them are values.
unsafe impl pulp::bytemuck::Zeroable for Line {}
// SAFETY: as above.
unsafe impl Pod for Line {}

/// The values before the first whole line, whole lines, and the values behind.
#[inline(always)]
pub(crate) fn lines<T: Pod>(values: &mut [T]) -> (&mut [T], &mut [Line], &mut [T]) {
    pulp::bytemuck::pod_align_to_mut(values)
}

/// Stores a register that is as long as a line.
#[inline(always)]
pub(crate) fn put<V: Pod>(line: &mut Line, value: V) {
    let values = pulp::bytemuck::bytes_of(&value);
    if let Some(places) = line.0.get_mut(..values.len()) {
        places.copy_from_slice(values);
    }
}

/// Stores a register that is as long as a line past the caches. Where no such stores are known
/// that is a store as any other.
#[inline(always)]
pub(crate) fn put_past<S: Simd, V: Pod>(_simd: S, _passage: &Passage, line: &mut Line, value: V) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<V>() == LINE_BYTES && known::<S, pulp::x86::V4>(_simd).is_some() {
        // SAFETY: a value of this type is made on processors alone that have the instruction.
        unsafe { x86::put(line, pulp::bytemuck::cast(value)) };
        return;
    }
    put(line, value);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LINE_BYTES, Line};
    use pulp::bytemuck::Pod;
    use std::arch::x86_64::{
        __m128i, __m512i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128, _mm512_loadu_si512,
        _mm512_stream_si512,
    };

    /// Stores a register to a whole line.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn put(line: &mut Line, value: __m512i) {
        // SAFETY: `line` is 64 bytes at a multiple of 64 that nobody else sees; values of any bits are
        // lines. [`super::Passage`] orders the store.
        unsafe { _mm512_stream_si512(std::ptr::from_mut(line).cast::<__m512i>(), value) }
    }

    /// Orders what was stored past the caches before what is stored after.
    pub(super) fn fence() {
        // SAFETY: every processor of this architecture has SSE.
        unsafe { _mm_sfence() }
    }

    /// Copies slices of one length.
    pub(super) fn copy<T: Pod>(to: &mut [T], from: &[T]) {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions.
            copy_with(to, from, |to, from| unsafe { wide(to, from) });
        } else {
            copy_with(to, from, narrow);
        }
    }

    /// The same, whole lines by `lines`.
    #[inline(always)]
    pub(super) fn copy_with<T: Pod>(
        to: &mut [T],
        from: &[T],
        lines: impl FnOnce(&mut [Line], &[u8]),
    ) {
        let (head, middle, tail) = pulp::bytemuck::pod_align_to_mut::<T, Line>(to);
        let (first, behind) =
            from[..head.len() + middle_len::<T>(middle) + tail.len()].split_at(head.len());
        let (values, last) = behind.split_at(middle_len::<T>(middle));
        head.copy_from_slice(first);
        lines(middle, pulp::bytemuck::cast_slice(values));
        tail.copy_from_slice(last);
    }

    /// Elements of lines.
    fn middle_len<T>(lines: &[Line]) -> usize {
        lines.len() * LINE_BYTES / size_of::<T>().max(1)
    }

    /// Copies bytes to whole lines, a line at a time.
    #[target_feature(enable = "avx512f")]
    fn wide(to: &mut [Line], from: &[u8]) {
        for (line, bytes) in to.iter_mut().zip(from.as_chunks::<LINE_BYTES>().0) {
            // SAFETY: `bytes` are 64 bytes that may be read, `line` is 64 bytes at a multiple of 64 that
            // nobody else sees; values of any bits are lines. [`super::Passage`] orders the store.
            unsafe {
                let values = _mm512_loadu_si512(bytes.as_ptr().cast::<__m512i>());
                _mm512_stream_si512(std::ptr::from_mut(line).cast::<__m512i>(), values);
            }
        }
    }

    /// The same, four stores a line.
    pub(super) fn narrow(to: &mut [Line], from: &[u8]) {
        const PART: usize = size_of::<__m128i>();
        for (line, bytes) in to.iter_mut().zip(from.as_chunks::<LINE_BYTES>().0) {
            let parts = line.0.as_chunks_mut::<PART>().0.iter_mut();
            for (part, bytes) in parts.zip(bytes.as_chunks::<PART>().0) {
                // SAFETY: `bytes` are 16 bytes that may be read, `part` is 16 bytes at a multiple of 16
                // (of a line, which is at one of 64) that nobody else sees; values of any bits are bytes.
                // Every processor of this architecture has SSE2. [`super::Passage`] orders the store.
                unsafe {
                    let values = _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>());
                    _mm_stream_si128(part.as_mut_ptr().cast::<__m128i>(), values);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::WithSimd;
    use std::fmt::Debug;

    /// All places of both slices in a line, and all lengths up to some lines.
    fn all<T: Pod + PartialEq + Debug>(of: impl Fn(usize) -> T, copy: impl Fn(&mut [T], &[T])) {
        let unit = (64 / size_of::<T>()).max(1);
        let from: Vec<T> = (0..6 * unit + 8).map(&of).collect();
        for (to_place, from_place) in (0..unit).flat_map(|to| [(to, 0), (to, 1), (to, unit - 1)]) {
            for len in 0..=4 * unit + 3 {
                let mut to = vec![of(1000); 6 * unit + 8];
                let begin = to.as_ptr().align_offset(64) + to_place;
                let from = &from[from_place..];
                let values = &from[..len.min(from.len())];
                copy(&mut to[begin..begin + values.len()], from);
                assert_eq!(
                    &to[begin..begin + values.len()],
                    values,
                    "{to_place} {from_place} {len}"
                );
                let mut others = to[..begin].iter().chain(&to[begin + values.len()..]);
                assert!(others.all(|value| *value == of(1000)), "{to_place} {from_place} {len}");
            }
        }
    }

    #[test]
    fn copies_of_any_place_length_and_type() {
        Passage::open(|passage| {
            all(|i| i as u8, |to, from| past_caches(passage, to, from));
            all(|i| i as i16, |to, from| past_caches(passage, to, from));
            all(|i| i as i32, |to, from| past_caches(passage, to, from));
            all(|i| i as i64, |to, from| past_caches(passage, to, from));
            all(|i| i as f32, |to, from| past_caches(passage, to, from));
            all(|i| i as f64, |to, from| past_caches(passage, to, from));
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn machines_without_wide_stores_copy_the_same() {
        Passage::open(|_| all(|i| i as f32, |to, from| x86::copy_with(to, from, x86::narrow)));
    }

    /// A register to a line past the caches.
    struct PutPast<'a>(&'a Passage, &'a mut Line, [u32; 16]);

    impl WithSimd for PutPast<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            put_past(simd, self.0, self.1, self.2);
        }
    }

    #[test]
    fn registers_are_stored_to_whole_lines() {
        Passage::open(|passage| {
            let mut to = vec![0_u32; 64];
            let (head, whole, _) = lines(&mut to);
            let first = head.len();
            crate::vectorised(PutPast(passage, &mut whole[0], [7_u32; 16]));
            put(&mut whole[1], [8_u32; 16]);
            assert_eq!(to[first..first + 32], [[7; 16], [8; 16]].concat());
            assert!(to[..first].iter().chain(&to[first + 32..]).all(|value| *value == 0));
        });
    }

    /// What one thread stored another one sees.
    #[test]
    fn stores_are_visible_when_the_passage_is_closed() {
        let from: Vec<u64> = (0..1 << 16).collect();
        let mut to = vec![0; from.len()];
        let (low, high) = to.split_at_mut(1 << 15);
        let half = |to: &mut [u64], from: &[u64]| {
            Passage::open(|passage| past_caches(passage, to, from));
        };
        rayon::join(|| half(low, &from[..1 << 15]), || half(high, &from[1 << 15..]));
        assert_eq!(to, from);
    }
}
