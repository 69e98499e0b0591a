//! Values that change places between registers, by the instructions made for it.
//!
//! Where compilers know which values of what was loaded change places, they load them one by one. So
//! in the widest registers they are not told: the places are values in registers. In registers of 32 bytes
//! no instruction takes places between halves of registers; there are several that do a part of it each.

use super::vectors::{Vectors, wide};
#[cfg(target_arch = "x86_64")]
use crate::machine::known;
use pulp::Simd;
use pulp::bytemuck::{Zeroable, cast};
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use std::hint::black_box;

/// The values at even and those at odd places of two registers.
pub(super) struct Halves<S: Simd, T: Vectors> {
    simd: S,
    /// Where they come from, in the widest registers.
    places: [T::Vector<S>; 2],
}

impl<S: Simd, T: Vectors> Halves<S, T> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        let places = match (size_of::<T::Vector<S>>(), size_of::<T>()) {
            (64, 4) => cast(black_box(FOURS)),
            (64, 8) => cast(black_box(EIGHTS)),
            _ => [T::Vector::<S>::zeroed(); 2],
        };
        Self { simd, places }
    }

    /// Takes two registers apart.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn split(&self, values: [T::Vector<S>; 2]) -> [T::Vector<S>; 2] {
        if const { !wide::<S, T>() } {
            return values;
        }
        let [even, odd] = self.places;
        let [first, second] = values;
        // Bits stay as they are, whatever they are taken for.
        match (known::<S, V4>(self.simd), known::<S, V3>(self.simd), size_of::<T>()) {
            (Some(wide), _, 4) => {
                let (first, second) = (cast(first), cast(second));
                let even = wide.avx512f._mm512_permutex2var_epi32(first, cast(even), second);
                let odd = wide.avx512f._mm512_permutex2var_epi32(first, cast(odd), second);
                [cast(even), cast(odd)]
            }
            (Some(wide), _, 8) => {
                let (first, second) = (cast(first), cast(second));
                let even = wide.avx512f._mm512_permutex2var_epi64(first, cast(even), second);
                let odd = wide.avx512f._mm512_permutex2var_epi64(first, cast(odd), second);
                [cast(even), cast(odd)]
            }
            (_, Some(V3 { avx, avx2, .. }), 4) => {
                let (first, second) = (cast(first), cast(second));
                let even = cast(avx._mm256_shuffle_ps::<0b10_00_10_00>(first, second));
                let odd = cast(avx._mm256_shuffle_ps::<0b11_01_11_01>(first, second));
                [even, odd].map(|half| cast(avx2._mm256_permute4x64_pd::<0b11_01_10_00>(half)))
            }
            (_, Some(V3 { avx, .. }), 8) => {
                let (first, second) = (cast(first), cast(second));
                let low = avx._mm256_permute2f128_pd::<0x20>(first, second);
                let high = avx._mm256_permute2f128_pd::<0x31>(first, second);
                [cast(avx._mm256_unpacklo_pd(low, high)), cast(avx._mm256_unpackhi_pd(low, high))]
            }
            _ => T::split::<S>(self.simd, values),
        }
    }

    /// Takes two registers apart.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn split(&self, values: [T::Vector<S>; 2]) -> [T::Vector<S>; 2] {
        T::split::<S>(self.simd, values)
    }
}

/// Values one place later; the first is the last of those `before`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn follow<S: Simd, T: Vectors>(
    simd: S,
    before: T::Vector<S>,
    values: T::Vector<S>,
) -> T::Vector<S> {
    let (machine, bytes) = (known::<S, V3>(simd), size_of::<T>());
    let (Some(V3 { avx2, .. }), true) = (machine, const { wide::<S, T>() }) else {
        return T::follow::<S>(before, values);
    };
    let values = cast(values);
    let between = avx2._mm256_permute2x128_si256::<0x21>(cast(before), values);
    match bytes {
        4 => cast(avx2._mm256_alignr_epi8::<12>(values, between)),
        _ => cast(avx2._mm256_alignr_epi8::<8>(values, between)),
    }
}

/// Values one place later; the first is the last of those `before`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn follow<S: Simd, T: Vectors>(
    _simd: S,
    before: T::Vector<S>,
    values: T::Vector<S>,
) -> T::Vector<S> {
    T::follow::<S>(before, values)
}

// Reaches only what is inlined for certain: loops instead of iterators.
#[allow(clippy::needless_range_loop)]
impl<S: Simd, T: Vectors> Halves<S, T> {
    /// Takes samples apart into planes.
    #[inline(always)]
    pub(super) fn planes(&self, pairs: &[T], even: &mut [T], odd: &mut [T]) {
        let (len, lanes) = (even.len(), T::lanes::<S>());
        let (odd, pairs) = (&mut odd[..len], &pairs[..2 * len]);
        if len < lanes {
            for (at, pair) in pairs.as_chunks::<2>().0.iter().enumerate() {
                [even[at], odd[at]] = *pair;
            }
            return;
        }
        let count = len / lanes;
        let whole = count * lanes;
        // The last vector may share some places with the one before.
        for (at, count) in [(0, count), (len - lanes, usize::from(whole < len))] {
            let behind = at + count * lanes;
            let from = &T::vectors::<S>(&pairs[2 * at..2 * behind])[..2 * count];
            let even = &mut T::vectors_mut::<S>(&mut even[at..behind])[..count];
            let odd = &mut T::vectors_mut::<S>(&mut odd[at..behind])[..count];
            for v in 0..count {
                [even[v], odd[v]] = self.split([from[2 * v], from[2 * v + 1]]);
            }
        }
    }
}

/// The even and the odd places of values of 4 bytes.
const FOURS: [[u32; 16]; 2] = [
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30],
    [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31],
];

/// Those of values of 8 bytes.
const EIGHTS: [[u64; 8]; 2] = [[0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectorised;
    use pulp::WithSimd;
    use pulp::bytemuck::cast_slice;

    /// Takes numbers apart on the machine at hand.
    struct Taken<'a, T>(&'a [T]);

    impl<T: Vectors> WithSimd for Taken<'_, T> {
        type Output = [Vec<T>; 2];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [Vec<T>; 2] {
            let vectors = T::vectors::<S>(self.0);
            let halves = Halves::<S, T>::new(simd).split([vectors[0], vectors[1]]);
            halves.map(|half| cast_slice(&[half]).to_vec())
        }
    }

    fn is_taken_apart<T: Vectors + PartialEq + std::fmt::Debug>(values: &[T]) {
        let [even, odd] = vectorised(Taken(values));
        for (at, (even, odd)) in even.iter().zip(&odd).enumerate().filter(|_| even.len() > 1) {
            assert_eq!([even, odd], [&values[2 * at], &values[2 * at + 1]]);
        }
    }

    #[test]
    fn registers_are_taken_apart() {
        let numbers: Vec<i32> = (0..32).collect();
        is_taken_apart(&numbers);
        is_taken_apart(&numbers.iter().map(|number| *number as f32).collect::<Vec<_>>());
        is_taken_apart(&numbers.iter().map(|number| f64::from(*number)).collect::<Vec<_>>());
    }
}
