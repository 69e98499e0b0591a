//! The inner loops: one update over a run of neighbouring values.
//!
//! Every loop is compiled for several instruction sets and chosen at run time; all of them compute
//! the same values in the same order at every position, so that a result does not depend on where a
//! tile begins.

use super::program::Round;
use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// The best instruction set of this machine.
static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs `work` compiled for the best instruction set of this machine.
#[inline]
pub(crate) fn vectorised<W: WithSimd>(work: W) -> W::Output {
    ARCH.dispatch(work)
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
    /// Runs an update.
    fn update(row: RowUpdate<'_, Self>);

    /// Runs an update and says whether every new value fits the type. Floats always do.
    fn update_checked(row: RowUpdate<'_, Self>) -> bool {
        Self::update(row);
        true
    }
}

/// Vectors that are computed together.
const BLOCK: usize = 4;

macro_rules! float_rows {
    ($type:ty, $lanes:ident, $vector:ident, $load:ident, $store:ident, $splat:ident, $mul:ident,
     $mul_add:ident, $as_simd:ident, $as_mut_simd:ident, $name:ident) => {
        impl Rows for $type {
            fn update(row: RowUpdate<'_, Self>) {
                vectorised($name(row));
            }
        }

        struct $name<'a>(RowUpdate<'a, $type>);

        impl WithSimd for $name<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let RowUpdate { write, own, terms, .. } = self.0;
                let block = BLOCK * S::$lanes;
                let whole = write.len() - write.len() % block;
                let (blocks, rest) = write.split_at_mut(whole);
                for (index, out) in blocks.chunks_exact_mut(block).enumerate() {
                    let from = index * block;
                    let out = S::$as_mut_simd(out).0;
                    let mut sum = [simd.$splat(0.0); BLOCK];
                    let mut terms = terms;
                    match own {
                        OwnRow::Kept(factor) => {
                            let factor = simd.$splat(factor);
                            for (sum, old) in sum.iter_mut().zip(&*out) {
                                *sum = simd.$mul(factor, *old);
                            }
                        }
                        OwnRow::Moved(old, factor) => {
                            let factor = simd.$splat(factor);
                            let old = S::$as_simd(&old[from..from + block]).0;
                            for (sum, old) in sum.iter_mut().zip(old) {
                                *sum = simd.$mul(factor, *old);
                            }
                        }
                        OwnRow::Overwritten => {
                            if let Some(((source, factor), others)) = terms.split_first() {
                                let factor = simd.$splat(*factor);
                                let source = S::$as_simd(&source[from..from + block]).0;
                                for (sum, value) in sum.iter_mut().zip(source) {
                                    *sum = simd.$mul(factor, *value);
                                }
                                terms = others;
                            }
                        }
                    }
                    for (source, factor) in terms {
                        let factor = simd.$splat(*factor);
                        let source = S::$as_simd(&source[from..from + block]).0;
                        for (sum, value) in sum.iter_mut().zip(source) {
                            *sum = simd.$mul_add(factor, *value, *sum);
                        }
                    }
                    for (out, sum) in out.iter_mut().zip(sum) {
                        *out = sum;
                    }
                }
                for (index, out) in rest.chunks_mut(S::$lanes).enumerate() {
                    let from = whole + index * S::$lanes;
                    let to = from + out.len();
                    let mut terms = terms;
                    let mut sum = simd.$splat(0.0);
                    match own {
                        OwnRow::Kept(factor) => {
                            sum = simd.$mul(simd.$splat(factor), simd.$load(out));
                        }
                        OwnRow::Moved(old, factor) => {
                            sum = simd.$mul(simd.$splat(factor), simd.$load(&old[from..to]));
                        }
                        OwnRow::Overwritten => {
                            if let Some(((source, factor), others)) = terms.split_first() {
                                let source = simd.$load(&source[from..to]);
                                sum = simd.$mul(simd.$splat(*factor), source);
                                terms = others;
                            }
                        }
                    }
                    for (source, factor) in terms {
                        let source = simd.$load(&source[from..to]);
                        sum = simd.$mul_add(simd.$splat(*factor), source, sum);
                    }
                    simd.$store(out, sum);
                }
            }
        }
    };
}

float_rows!(
    f32,
    F32_LANES,
    f32s,
    partial_load_f32s,
    partial_store_f32s,
    splat_f32s,
    mul_f32s,
    mul_add_e_f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    F32Row
);
float_rows!(
    f64,
    F64_LANES,
    f64s,
    partial_load_f64s,
    partial_store_f64s,
    splat_f64s,
    mul_f64s,
    mul_add_e_f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    F64Row
);

macro_rules! integer_rows {
    ($type:ty, $name:ident) => {
        impl Rows for $type {
            fn update(row: RowUpdate<'_, Self>) {
                vectorised($name(row));
            }

            fn update_checked(row: RowUpdate<'_, Self>) -> bool {
                let Round { offset, shift, subtract } = row.round.unwrap_or_default();
                let mut fits = true;
                for (i, out) in row.write.iter_mut().enumerate() {
                    let products = row
                        .terms
                        .iter()
                        .map(|(source, factor)| i128::from(*factor) * i128::from(source[i]));
                    let sum = (products.sum::<i128>() + i128::from(offset)) >> shift;
                    let old = match row.own {
                        OwnRow::Overwritten => 0,
                        OwnRow::Kept(factor) => i128::from(factor) * i128::from(*out),
                        OwnRow::Moved(old, factor) => i128::from(factor) * i128::from(old[i]),
                    };
                    let new = if subtract { old - sum } else { old + sum };
                    fits &= <$type>::try_from(new).is_ok();
                    *out = new as $type;
                }
                fits
            }
        }

        struct $name<'a>(RowUpdate<'a, $type>);

        impl WithSimd for $name<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, _simd: S) {
                let row = self.0;
                match *row.terms {
                    [a] => sum_of([a], row.write, row.own, row.round),
                    [a, b] => sum_of([a, b], row.write, row.own, row.round),
                    [a, b, c, d] => sum_of([a, b, c, d], row.write, row.own, row.round),
                    _ => sum_of_many(row),
                }
            }
        }

        const _: () = {
            impl Sum for $type {
                #[inline(always)]
                fn plus_times(self, factor: Self, value: Self) -> Self {
                    self.wrapping_add(factor.wrapping_mul(value))
                }

                #[inline(always)]
                fn shifted(self, shift: u32) -> Self {
                    self.wrapping_shr(shift)
                }

                #[inline(always)]
                fn minus(self, other: Self) -> Self {
                    self.wrapping_sub(other)
                }
            }
        };
    };
}

integer_rows!(i16, I16Row);
integer_rows!(i32, I32Row);
integer_rows!(i64, I64Row);

/// Integer arithmetic that wraps; that it does not is proved elsewhere.
trait Sum: Copy + Default + PartialEq + From<bool> {
    fn plus_times(self, factor: Self, value: Self) -> Self;
    fn shifted(self, shift: u32) -> Self;
    fn minus(self, other: Self) -> Self;
}

/// A sum of a fixed number of terms.
#[inline(always)]
fn sum_of<T: Sum, const N: usize>(
    terms: [(&[T], T); N],
    write: &mut [T],
    own: OwnRow<'_, T>,
    round: Option<Round<T>>,
) {
    let len = write.len();
    let sources = terms.map(|(source, _)| &source[..len]);
    let factors = terms.map(|(_, factor)| factor);
    let Round { offset, shift, subtract } = round.unwrap_or_default();
    let sum = |i: usize| {
        let mut sum = offset;
        for n in 0..N {
            sum = sum.plus_times(factors[n], sources[n][i]);
        }
        sum.shifted(shift)
    };
    let sign = T::from(true);
    let sign = if subtract { T::default().minus(sign) } else { sign };
    match own {
        OwnRow::Overwritten => {
            for (i, out) in write.iter_mut().enumerate() {
                *out = T::default().plus_times(sign, sum(i));
            }
        }
        OwnRow::Kept(_) if subtract => {
            for (i, out) in write.iter_mut().enumerate() {
                *out = out.minus(sum(i));
            }
        }
        OwnRow::Kept(_) => {
            for (i, out) in write.iter_mut().enumerate() {
                *out = out.plus_times(T::from(true), sum(i));
            }
        }
        OwnRow::Moved(old, _) => {
            let old = &old[..len];
            for (i, out) in write.iter_mut().enumerate() {
                *out = old[i].plus_times(sign, sum(i));
            }
        }
    }
}

/// Any number of terms, a block of values at a time.
#[inline(always)]
fn sum_of_many<T: Sum>(row: RowUpdate<'_, T>) {
    const VALUES: usize = 64;
    let RowUpdate { write, own, terms, round } = row;
    let Round { offset, shift, subtract } = round.unwrap_or_default();
    let one = T::from(true);
    let sign = if subtract { T::default().minus(one) } else { one };
    for (index, out) in write.chunks_mut(VALUES).enumerate() {
        let from = index * VALUES;
        let len = out.len();
        let mut sums = [offset; VALUES];
        for (source, factor) in terms {
            for (sum, value) in sums.iter_mut().zip(&source[from..from + len]) {
                *sum = sum.plus_times(*factor, *value);
            }
        }
        for (i, (out, sum)) in out.iter_mut().zip(sums).enumerate() {
            let old = match own {
                OwnRow::Overwritten => T::default(),
                OwnRow::Kept(factor) => T::default().plus_times(factor, *out),
                OwnRow::Moved(old, factor) => T::default().plus_times(factor, old[from + i]),
            };
            *out = old.plus_times(sign, sum.shifted(shift));
        }
    }
}
