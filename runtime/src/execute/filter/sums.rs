//! The inner loop: two sums over a window, for a run of neighbouring values.

use super::taps::{PLANES, Tap, Taps};
use crate::execute::rows::vectorised;
use pulp::{Simd, WithSimd};

/// Most rows of a window of rows, per plane.
pub(super) const MOST_ROWS: usize = 64;

/// Where the values of a tap are.
pub trait Sources<T>: Copy {
    /// The run of values of a tap, from the `from`-th output on.
    fn run(&self, tap: &Tap<T>, from: usize, len: usize) -> &[T];
}

/// A window along an axis that lies across memory: a tap reads a row.
#[derive(Clone, Copy)]
pub(super) struct Across<'a, T> {
    pub(super) rows: &'a [[&'a [T]; MOST_ROWS]; PLANES],
    /// The first row of the window.
    pub(super) first: usize,
}

impl<T: Copy> Sources<T> for Across<'_, T> {
    #[inline(always)]
    fn run(&self, tap: &Tap<T>, from: usize, len: usize) -> &[T] {
        &self.rows[tap.plane][self.first + tap.shift][from..from + len]
    }
}

/// The same where all rows are rows of the input.
#[derive(Clone, Copy)]
pub(super) struct AcrossArrays<'a, T> {
    /// The array of each plane.
    pub(super) arrays: [&'a [T]; PLANES],
    /// The indices of rows, per plane.
    pub(super) rows: &'a [[usize; MOST_ROWS]; PLANES],
    /// Elements of a row of an array.
    pub(super) pitch: usize,
    /// The first row of the window.
    pub(super) first: usize,
    /// The first column.
    pub(super) column: usize,
}

impl<T: Copy> Sources<T> for AcrossArrays<'_, T> {
    #[inline(always)]
    fn run(&self, tap: &Tap<T>, from: usize, len: usize) -> &[T] {
        let start = self.rows[tap.plane][self.first + tap.shift] * self.pitch + self.column + from;
        &self.arrays[tap.plane][start..start + len]
    }
}

/// A window of a ring of lines.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a, T> {
    pub(super) ring: &'a [T],
    /// Where lines begin, per plane.
    pub(super) starts: &'a [[usize; MOST_ROWS]; PLANES],
    /// The first line of the window.
    pub(super) first: usize,
    /// The first column.
    pub(super) column: usize,
}

impl<T: Copy> Sources<T> for Lines<'_, T> {
    #[inline(always)]
    fn run(&self, tap: &Tap<T>, from: usize, len: usize) -> &[T] {
        let start = self.starts[tap.plane][self.first + tap.shift] + self.column + from;
        &self.ring[start..start + len]
    }
}

/// A window along memory: a tap reads a plane, shifted.
#[derive(Clone, Copy)]
pub(super) struct Along<'a, T> {
    pub(super) planes: [&'a [T]; PLANES],
    /// Where the first output's window begins.
    pub(super) first: usize,
}

impl<T: Copy> Sources<T> for Along<'_, T> {
    #[inline(always)]
    fn run(&self, tap: &Tap<T>, from: usize, len: usize) -> &[T] {
        let start = self.first + tap.shift + from;
        &self.planes[tap.plane][start..start + len]
    }
}

/// Where two sums go.
pub enum Out<'a, T> {
    /// Each to an array of its own, of the same length.
    Apart([&'a mut [T]; 2]),
    /// One after the other in turn.
    Joined(&'a mut [T]),
}

impl<T: Copy> Out<'_, T> {
    fn len(&self) -> usize {
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
    /// Computes both sums at every place of `out`.
    fn sums<X: Sources<Self>>(taps: &Taps<Self>, sources: X, out: Out<'_, Self>);
}

/// Vectors that are computed together.
const BLOCK: usize = 4;

macro_rules! float_sums {
    ($type:ty, $job:ident, $block:ident, $lanes:ident, $vector:ident, $load:ident, $splat:ident,
     $mul_add:ident, $as_simd:ident) => {
        impl Sums for $type {
            fn sums<X: Sources<Self>>(taps: &Taps<Self>, sources: X, out: Out<'_, Self>) {
                vectorised($job { taps, sources, out });
            }
        }

        struct $job<'a, X> {
            taps: &'a Taps<$type>,
            sources: X,
            out: Out<'a, $type>,
        }

        impl<X: Sources<$type>> WithSimd for $job<'_, X> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let Self { taps, sources, mut out } = self;
                let len = out.len();
                let block = BLOCK * S::$lanes;
                let mut at = 0;
                while at + block <= len {
                    let sums = $block::<S, X, BLOCK>(simd, taps, &sources, at, block);
                    let sums = [
                        pulp::bytemuck::cast_slice(&sums[0]),
                        pulp::bytemuck::cast_slice(&sums[1]),
                    ];
                    out.put(at, sums);
                    at += block;
                }
                while at < len {
                    let count = S::$lanes.min(len - at);
                    let sums = $block::<S, X, 1>(simd, taps, &sources, at, count);
                    let sums: [&[$type]; 2] = [
                        pulp::bytemuck::cast_slice(&sums[0]),
                        pulp::bytemuck::cast_slice(&sums[1]),
                    ];
                    out.put(at, [&sums[0][..count], &sums[1][..count]]);
                    at += count;
                }
            }
        }

        /// The sums of `len` places from `at` on, at most `V` vectors.
        #[inline(always)]
        fn $block<S: Simd, X: Sources<$type>, const V: usize>(
            simd: S,
            taps: &Taps<$type>,
            sources: &X,
            at: usize,
            len: usize,
        ) -> [[S::$vector; V]; 2] {
            let zero = simd.$splat(0.0);
            let mut low = [zero; V];
            let mut high = [zero; V];
            for tap in &taps.both {
                let values = load::<S, V>(simd, sources.run(tap, at, len));
                let factors = [simd.$splat(tap.factors[0]), simd.$splat(tap.factors[1])];
                for v in 0..V {
                    low[v] = simd.$mul_add(factors[0], values[v], low[v]);
                    high[v] = simd.$mul_add(factors[1], values[v], high[v]);
                }
            }
            for tap in &taps.alone[0] {
                let values = load::<S, V>(simd, sources.run(tap, at, len));
                let factor = simd.$splat(tap.factors[0]);
                for v in 0..V {
                    low[v] = simd.$mul_add(factor, values[v], low[v]);
                }
            }
            for tap in &taps.alone[1] {
                let values = load::<S, V>(simd, sources.run(tap, at, len));
                let factor = simd.$splat(tap.factors[1]);
                for v in 0..V {
                    high[v] = simd.$mul_add(factor, values[v], high[v]);
                }
            }
            return [low, high];

            #[inline(always)]
            fn load<S: Simd, const V: usize>(simd: S, run: &[$type]) -> [S::$vector; V] {
                let zero = simd.$splat(0.0);
                if run.len() == V * S::$lanes {
                    let run = S::$as_simd(run).0;
                    std::array::from_fn(|v| run.get(v).copied().unwrap_or(zero))
                } else {
                    let mut values = [zero; V];
                    if let Some(first) = values.first_mut() {
                        *first = simd.$load(run);
                    }
                    values
                }
            }
        }
    };
}

float_sums!(
    f32,
    F32Sums,
    f32_block,
    F32_LANES,
    f32s,
    partial_load_f32s,
    splat_f32s,
    mul_add_e_f32s,
    as_simd_f32s
);
float_sums!(
    f64,
    F64Sums,
    f64_block,
    F64_LANES,
    f64s,
    partial_load_f64s,
    splat_f64s,
    mul_add_e_f64s,
    as_simd_f64s
);

macro_rules! integer_sums {
    ($($type:ty),*) => {
        $(impl Sums for $type {
            fn sums<X: Sources<Self>>(taps: &Taps<Self>, sources: X, mut out: Out<'_, Self>) {
                for at in 0..out.len() {
                    let sum = |taps: &[Tap<Self>], channel: usize| {
                        let products = taps.iter().map(|tap| {
                            let value = sources.run(tap, at, 1).first().copied().unwrap_or(0);
                            tap.factors[channel].wrapping_mul(value)
                        });
                        products.fold(0, Self::wrapping_add)
                    };
                    let sums = [0, 1].map(|channel| {
                        sum(&taps.both, channel).wrapping_add(sum(&taps.alone[channel], channel))
                    });
                    out.put(at, [&[sums[0]], &[sums[1]]]);
                }
            }
        })*
    };
}

integer_sums!(i16, i32, i64);
