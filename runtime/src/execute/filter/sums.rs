//! The inner loop: two sums over a window, for a run of neighbouring values.

use super::taps::Taps;
use crate::execute::ahead::fetch;
use crate::execute::rows::vectorised;
use pulp::{Simd, WithSimd};

/// Where two sums go.
pub enum Out<'a, T> {
    /// Each to an array of its own, of the same length.
    Apart([&'a mut [T]; 2]),
    /// One after the other in turn.
    Joined(&'a mut [T]),
}

impl<T: Copy> Out<'_, T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Out::Apart([low, high]) => low.len().min(high.len()),
            Out::Joined(pairs) => pairs.len() / 2,
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, sums: [&[T]; 2]) {
        let len = sums[0].len();
        match self {
            Out::Apart([low, high]) => {
                low[at..at + len].copy_from_slice(sums[0]);
                high[at..at + len].copy_from_slice(sums[1]);
            }
            Out::Joined(pairs) => {
                let pairs = &mut pairs[2 * at..2 * (at + len)];
                let sums = sums[0].iter().zip(sums[1]);
                for (pair, (even, odd)) in pairs.chunks_exact_mut(2).zip(sums) {
                    (pair[0], pair[1]) = (*even, *odd);
                }
            }
        }
    }
}

/// Two sums for a run of outputs.
pub trait Sums: Sized {
    /// Computes both sums at every place of `out`. `runs` holds the values of every tap there, in
    /// the order of the taps. What is `ahead` will be needed soon.
    fn sums(taps: &Taps<Self>, runs: &[&[Self]], ahead: [&[Self]; 2], out: Out<'_, Self>);
}

/// Vectors that are computed together.
const BLOCK: usize = 4;

macro_rules! float_sums {
    ($type:ty, $job:ident, $lanes:ident, $vector:ident, $load:ident, $splat:ident, $mul_add:ident,
     $as_simd:ident, $($count:literal)*) => {
        impl Sums for $type {
            fn sums(
                taps: &Taps<Self>,
                runs: &[&[Self]],
                ahead: [&[Self]; 2],
                out: Out<'_, Self>,
            ) {
                vectorised($job { taps, runs, ahead, out });
            }
        }

        struct $job<'a> {
            taps: &'a Taps<$type>,
            runs: &'a [&'a [$type]],
            ahead: [&'a [$type]; 2],
            out: Out<'a, $type>,
        }

        impl WithSimd for $job<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                match self.taps.both() {
                    $($count => self.fixed::<S, $count>(simd),)*
                    _ => self.fixed::<S, 0>(simd),
                }
            }
        }

        impl $job<'_> {
            /// With a known number of taps that are in both sums, and others behind them.
            #[inline(always)]
            fn fixed<S: Simd, const N: usize>(mut self, simd: S) {
                let len = self.out.len();
                let factors: [[S::$vector; 2]; N] = std::array::from_fn(|n| {
                    let factors = self.taps.factors(n);
                    [simd.$splat(factors[0]), simd.$splat(factors[1])]
                });
                let runs: [&[$type]; N] = std::array::from_fn(|n| &self.runs[n][..len]);
                let block = BLOCK * S::$lanes;
                let share = self.ahead.map(|ahead| ahead.len() * block / len.max(1));
                let share = share[0].max(share[1]);
                let mut at = 0;
                while at + block <= len {
                    for ahead in &mut self.ahead {
                        let (now, later) = ahead.split_at(share.min(ahead.len()));
                        fetch(now);
                        *ahead = later;
                    }
                    let mut low = [simd.$splat(0.0); BLOCK];
                    let mut high = [simd.$splat(0.0); BLOCK];
                    for n in 0..N {
                        let values = S::$as_simd(&runs[n][at..at + block]).0;
                        for (v, value) in values.iter().enumerate().take(BLOCK) {
                            low[v] = simd.$mul_add(factors[n][0], *value, low[v]);
                            high[v] = simd.$mul_add(factors[n][1], *value, high[v]);
                        }
                    }
                    for n in N..self.taps.both() {
                        let factors = self.taps.factors(n).map(|factor| simd.$splat(factor));
                        let values = S::$as_simd(&self.runs[n][at..at + block]).0;
                        for (v, value) in values.iter().enumerate().take(BLOCK) {
                            low[v] = simd.$mul_add(factors[0], *value, low[v]);
                            high[v] = simd.$mul_add(factors[1], *value, high[v]);
                        }
                    }
                    for n in self.taps.alone(0) {
                        let factor = simd.$splat(self.taps.factors(n)[0]);
                        let values = S::$as_simd(&self.runs[n][at..at + block]).0;
                        for (v, value) in values.iter().enumerate().take(BLOCK) {
                            low[v] = simd.$mul_add(factor, *value, low[v]);
                        }
                    }
                    for n in self.taps.alone(1) {
                        let factor = simd.$splat(self.taps.factors(n)[1]);
                        let values = S::$as_simd(&self.runs[n][at..at + block]).0;
                        for (v, value) in values.iter().enumerate().take(BLOCK) {
                            high[v] = simd.$mul_add(factor, *value, high[v]);
                        }
                    }
                    let sums = [
                        pulp::bytemuck::cast_slice(&low),
                        pulp::bytemuck::cast_slice(&high),
                    ];
                    self.out.put(at, sums);
                    at += block;
                }
                while at < len {
                    let count = S::$lanes.min(len - at);
                    let mut low = [simd.$splat(0.0)];
                    let mut high = [simd.$splat(0.0)];
                    for n in 0..self.taps.both() {
                        let value = simd.$load(&self.runs[n][at..at + count]);
                        let factors = self.taps.factors(n);
                        low[0] = simd.$mul_add(simd.$splat(factors[0]), value, low[0]);
                        high[0] = simd.$mul_add(simd.$splat(factors[1]), value, high[0]);
                    }
                    for n in self.taps.alone(0) {
                        let value = simd.$load(&self.runs[n][at..at + count]);
                        low[0] = simd.$mul_add(simd.$splat(self.taps.factors(n)[0]), value, low[0]);
                    }
                    for n in self.taps.alone(1) {
                        let value = simd.$load(&self.runs[n][at..at + count]);
                        high[0] =
                            simd.$mul_add(simd.$splat(self.taps.factors(n)[1]), value, high[0]);
                    }
                    let sums: [&[$type]; 2] = [
                        pulp::bytemuck::cast_slice(&low),
                        pulp::bytemuck::cast_slice(&high),
                    ];
                    self.out.put(at, [&sums[0][..count], &sums[1][..count]]);
                    at += count;
                }
            }
        }
    };
}

float_sums!(
    f32, F32Sums, F32_LANES, f32s, partial_load_f32s, splat_f32s, mul_add_e_f32s, as_simd_f32s,
    1 2 3 4 5 6 7 8 9 10
);
float_sums!(
    f64, F64Sums, F64_LANES, f64s, partial_load_f64s, splat_f64s, mul_add_e_f64s, as_simd_f64s,
    1 2 3 4 5 6 7 8 9 10
);

macro_rules! integer_sums {
    ($($type:ty),*) => {
        $(impl Sums for $type {
            fn sums(
                taps: &Taps<Self>,
                runs: &[&[Self]],
                _ahead: [&[Self]; 2],
                mut out: Out<'_, Self>,
            ) {
                for at in 0..out.len() {
                    let sums = [0, 1].map(|channel| {
                        let all = (0..taps.both()).chain(taps.alone(channel));
                        let products =
                            all.map(|n| taps.factors(n)[channel].wrapping_mul(runs[n][at]));
                        products.fold(0, Self::wrapping_add)
                    });
                    out.put(at, [&[sums[0]], &[sums[1]]]);
                }
            }
        })*
    };
}

integer_sums!(i16, i32, i64);
