//! Updates of integers: they wrap, and that nothing does is proved elsewhere, or watched.

use super::{OwnRow, RowUpdate, Rows};
use crate::program::Round;
use crate::sweep::Link;
use pulp::Simd;

macro_rules! integer_rows {
    ($type:ty, $wide:ty, $checked:ident, $chains:literal) => {
        impl Rows for $type {
            const CHAINS: bool = $chains;

            #[inline(always)]
            fn update_in<S: Simd>(_simd: S, row: RowUpdate<'_, Self>) {
                let once = match row.own {
                    OwnRow::Overwritten => true,
                    OwnRow::Kept(factor) | OwnRow::Moved(_, factor) => factor == 1,
                };
                match *row.terms {
                    _ if !once => sum_of_many(row),
                    [a] => sum_of([a], row.write, row.own, row.round),
                    [a, b] => sum_of([a, b], row.write, row.own, row.round),
                    [a, b, c, d] => sum_of([a, b, c, d], row.write, row.own, row.round),
                    _ => sum_of_many(row),
                }
            }

            fn update_checked(row: RowUpdate<'_, Self>) -> bool {
                super::vectorised($checked(row))
            }

            #[inline(always)]
            fn link<const FUSED: bool, const UNITS: bool>(
                link: &Link<Self>,
                own: Self,
                terms: [Self; 2],
            ) -> Self {
                let Round { offset, shift, subtract } = link.round.unwrap_or_default();
                // x ^ -1 is -x - 1.
                let signed = |value: Self, sign: Self| (value ^ sign).wrapping_sub(sign);
                let (sum, own) = if UNITS {
                    (signed(terms[0].wrapping_add(terms[1]), link.factors[0] >> 1), own)
                } else {
                    let first = link.factors[0].wrapping_mul(terms[0]);
                    (first.plus_times(link.factors[1], terms[1]), own.wrapping_mul(link.own))
                };
                let sum = sum.wrapping_add(offset).shifted(shift);
                own.wrapping_add(signed(sum, -Self::from(subtract)))
            }

            #[inline(always)]
            fn largest_in<S: Simd>(_simd: S, values: &[Self]) -> u64 {
                let (mut low, mut high): (Self, Self) = (0, 0);
                for value in values {
                    low = low.min(*value);
                    high = high.max(*value);
                }
                u64::from(low.unsigned_abs().max(high.unsigned_abs()))
            }
        }

        struct $checked<'a>(RowUpdate<'a, $type>);

        impl pulp::WithSimd for $checked<'_> {
            type Output = bool;

            #[inline(always)]
            fn with_simd<S: Simd>(self, _simd: S) -> bool {
                let RowUpdate { write, own, terms, round } = self.0;
                let own_factor = match own {
                    OwnRow::Overwritten => 0,
                    OwnRow::Kept(factor) | OwnRow::Moved(_, factor) => factor,
                };
                // What a sum of values of the type can reach at most, in units of its largest.
                let factors = terms.iter().map(|(_, factor)| *factor).chain([own_factor]);
                let gain: u128 = factors.map(|f| u128::from(f.unsigned_abs())).sum();
                let room = (<$wide>::MAX / <$wide>::from(<$type>::MAX) / 4) as u128;
                match *terms {
                    [a] if gain < room => exactly!($type, $wide, [a], write, own, round),
                    [a, b] if gain < room => exactly!($type, $wide, [a, b], write, own, round),
                    [a, b, c, d] if gain < room => {
                        exactly!($type, $wide, [a, b, c, d], write, own, round)
                    }
                    _ if gain < room => exactly!($type, $wide, terms, write, own, round),
                    _ => exactly!($type, i128, terms, write, own, round),
                }
            }
        }

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
}

/// An update in a type that holds every sum; whether the results fit.
macro_rules! exactly {
    ($type:ty, $wide:ty, $terms:expr, $write:expr, $own:expr, $round:expr) => {{
        let (terms, write) = ($terms, $write);
        let Round { offset, shift, subtract } = $round.unwrap_or_default();
        let (offset, sign) = (<$wide>::from(offset), if subtract { -1 } else { 1 });
        let len = write.len();
        let (old, kept, moved) = match $own {
            OwnRow::Overwritten => (&[][..], 0, 0),
            OwnRow::Kept(factor) => (&[][..], <$wide>::from(factor), 0),
            OwnRow::Moved(old, factor) => (&old[..len], 0, <$wide>::from(factor)),
        };
        let mut misfits: $type = 0;
        for (i, out) in write.iter_mut().enumerate() {
            let mut sum = offset;
            for (source, factor) in terms.iter() {
                let product = <$wide>::from(*factor).wrapping_mul(<$wide>::from(source[i]));
                sum = sum.wrapping_add(product);
            }
            let old = match moved {
                0 => <$wide>::from(*out).wrapping_mul(kept),
                factor => <$wide>::from(old[i]).wrapping_mul(factor),
            };
            let new = old.wrapping_add((sum >> shift).wrapping_mul(sign));
            *out = new as $type;
            misfits |= <$type>::from(<$wide>::from(*out) != new);
        }
        misfits == 0
    }};
}

integer_rows!(i16, i32, CheckedI16, false);
integer_rows!(i32, i64, CheckedI32, true);
integer_rows!(i64, i128, CheckedI64, false);

/// Integer arithmetic that wraps.
trait Sum: Copy + Default + PartialEq + From<bool> {
    fn plus_times(self, factor: Self, value: Self) -> Self;
    fn shifted(self, shift: u32) -> Self;
    fn minus(self, other: Self) -> Self;
}

/// Values that are computed together, and a fraction of them for what is left.
const BLOCK: usize = 64;
const PART: usize = 8;

/// An update of a fixed number of terms, whose old value counts once.
#[inline(always)]
fn sum_of<T: Sum, const N: usize>(
    terms: [(&[T], T); N],
    write: &mut [T],
    own: OwnRow<'_, T>,
    round: Option<Round<T>>,
) {
    let round = round.unwrap_or_default();
    let sources = terms.map(|(source, _)| source);
    let factors = terms.map(|(_, factor)| factor);
    let one = T::from(true);
    match (factors.iter().all(|factor| *factor == one), round.subtract) {
        (true, false) => blocks(Sums::<T, N, true, false> { factors, round }, sources, write, own),
        (true, true) => blocks(Sums::<T, N, true, true> { factors, round }, sources, write, own),
        (false, false) => {
            blocks(Sums::<T, N, false, false> { factors, round }, sources, write, own);
        }
        (false, true) => blocks(Sums::<T, N, false, true> { factors, round }, sources, write, own),
    }
}

/// Sums that are added to the old value or subtracted from it; of factors that are all one or any.
struct Sums<T, const N: usize, const ONES: bool, const SUBTRACT: bool> {
    factors: [T; N],
    round: Round<T>,
}

impl<T: Sum, const N: usize, const ONES: bool, const SUBTRACT: bool> Sums<T, N, ONES, SUBTRACT> {
    #[inline(always)]
    fn run<const LEN: usize>(&self, sources: [&[T; LEN]; N], old: &[T; LEN]) -> [T; LEN] {
        let one = T::from(true);
        let mut new = [T::default(); LEN];
        for i in 0..LEN {
            let mut sum = self.round.offset;
            for (source, factor) in sources.iter().zip(self.factors) {
                sum = sum.plus_times(if ONES { one } else { factor }, source[i]);
            }
            let sum = sum.shifted(self.round.shift);
            new[i] = if SUBTRACT { old[i].minus(sum) } else { old[i].plus_times(one, sum) };
        }
        new
    }

    /// Computes `LEN` values from a place on.
    #[inline(always)]
    fn at<const LEN: usize>(
        &self,
        sources: [&[T]; N],
        write: &mut [T],
        own: OwnRow<'_, T>,
        from: usize,
    ) -> Option<()> {
        let none = [T::default(); LEN];
        let mut runs = [&none; N];
        for (run, source) in runs.iter_mut().zip(sources) {
            *run = source.get(from..from + LEN)?.first_chunk()?;
        }
        let write = write.get_mut(from..from + LEN)?.first_chunk_mut()?;
        *write = match own {
            OwnRow::Overwritten => self.run(runs, &none),
            OwnRow::Kept(_) => self.run(runs, write),
            OwnRow::Moved(old, _) => self.run(runs, old.get(from..from + LEN)?.first_chunk()?),
        };
        Some(())
    }
}

#[inline(always)]
fn blocks<T: Sum, const N: usize, const ONES: bool, const SUBTRACT: bool>(
    sums: Sums<T, N, ONES, SUBTRACT>,
    sources: [&[T]; N],
    write: &mut [T],
    own: OwnRow<'_, T>,
) {
    let mut at = 0;
    while sums.at::<BLOCK>(sources, write, own, at).is_some() {
        at += BLOCK;
    }
    while sums.at::<PART>(sources, write, own, at).is_some() {
        at += PART;
    }
    while sums.at::<1>(sources, write, own, at).is_some() {
        at += 1;
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
