//! Moving runs of values: interleaved to separate, separate to interleaved, scaled.

use super::rows::vectorised;
use crate::element::Element;
use pulp::{Simd, WithSimd};

struct Deinterleave<'a, T> {
    pairs: &'a [T],
    even: &'a mut [T],
    odd: &'a mut [T],
}

impl<T: Copy> WithSimd for Deinterleave<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { pairs, even, odd } = self;
        for ((even, odd), pair) in even.iter_mut().zip(odd).zip(pairs.chunks_exact(2)) {
            (*even, *odd) = (pair[0], pair[1]);
        }
    }
}

struct Interleave<'a, T> {
    even: &'a [T],
    odd: &'a [T],
    pairs: &'a mut [T],
}

impl<T: Copy> WithSimd for Interleave<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { even, odd, pairs } = self;
        for ((even, odd), pair) in even.iter().zip(odd).zip(pairs.chunks_exact_mut(2)) {
            (pair[0], pair[1]) = (*even, *odd);
        }
    }
}

/// `even[i] = pairs[2i]`, `odd[i] = pairs[2i+1]`, each a group of `lanes` values.
pub(crate) fn deinterleave<T: Element>(pairs: &[T], lanes: usize, even: &mut [T], odd: &mut [T]) {
    if lanes == 1 {
        vectorised(Deinterleave { pairs, even, odd });
        return;
    }
    let groups = even.chunks_exact_mut(lanes).zip(odd.chunks_exact_mut(lanes));
    for ((even, odd), pair) in groups.zip(pairs.chunks_exact(2 * lanes)) {
        even.copy_from_slice(&pair[..lanes]);
        odd.copy_from_slice(&pair[lanes..]);
    }
}

/// `pairs[2i] = even[i]`, `pairs[2i+1] = odd[i]`, each a group of `lanes` values.
pub(crate) fn interleave<T: Element>(even: &[T], odd: &[T], lanes: usize, pairs: &mut [T]) {
    if lanes == 1 {
        vectorised(Interleave { even, odd, pairs });
        return;
    }
    let groups = even.chunks_exact(lanes).zip(odd.chunks_exact(lanes));
    for ((even, odd), pair) in groups.zip(pairs.chunks_exact_mut(2 * lanes)) {
        pair[..lanes].copy_from_slice(even);
        pair[lanes..].copy_from_slice(odd);
    }
}
