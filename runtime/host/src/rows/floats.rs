//! Updates of floats.

use super::{OwnRow, RowUpdate, Rows};
use crate::sweep::Link;
use pulp::Simd;

/// Vectors that are computed together.
const BLOCK: usize = 4;

macro_rules! float_rows {
    ($type:ty, $lanes:ident, $vector:ident, $load:ident, $store:ident, $splat:ident, $mul:ident,
     $mul_add:ident, $as_simd:ident, $as_mut_simd:ident, $sum:ident) => {
        impl Rows for $type {
            const CHAINS: bool = true;

            #[inline(always)]
            fn update_in<S: Simd>(simd: S, row: RowUpdate<'_, Self>) {
                match *row.terms {
                    [a] => $sum(simd, row.write, row.own, [a], &[]),
                    [a, b] => $sum(simd, row.write, row.own, [a, b], &[]),
                    [a, b, c] => $sum(simd, row.write, row.own, [a, b, c], &[]),
                    [a, b, c, d] => $sum(simd, row.write, row.own, [a, b, c, d], &[]),
                    [a, b, c, d, ref rest @ ..] => {
                        $sum(simd, row.write, row.own, [a, b, c, d], rest);
                    }
                    [] => $sum(simd, row.write, row.own, [], &[]),
                }
            }

            #[inline(always)]
            fn link<const FUSED: bool, const UNITS: bool>(
                link: &Link<Self>,
                own: Self,
                terms: [Self; 2],
            ) -> Self {
                let sum = link.own * own;
                if FUSED {
                    let sum = link.factors[0].mul_add(terms[0], sum);
                    link.factors[1].mul_add(terms[1], sum)
                } else {
                    sum + link.factors[0] * terms[0] + link.factors[1] * terms[1]
                }
            }

            #[inline(always)]
            fn largest_in<S: Simd>(_simd: S, _values: &[Self]) -> u64 {
                0
            }
        }

        /// The terms of a known number, then those of the rest.
        #[inline(always)]
        fn $sum<S: Simd, const N: usize>(
            simd: S,
            write: &mut [$type],
            own: OwnRow<'_, $type>,
            terms: [(&[$type], $type); N],
            rest: &[(&[$type], $type)],
        ) {
            let len = write.len();
            let sources = terms.map(|(source, _)| &source[..len]);
            let factors = terms.map(|(_, factor)| simd.$splat(factor));
            let block = BLOCK * S::$lanes;
            let whole = len - len % block;
            let (blocks, tail) = write.split_at_mut(whole);
            for (index, out) in blocks.chunks_exact_mut(block).enumerate() {
                let from = index * block;
                let out = S::$as_mut_simd(out).0;
                let mut sum = [simd.$splat(0.0); BLOCK];
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
                    OwnRow::Overwritten => {}
                }
                for n in 0..N {
                    let source = S::$as_simd(&sources[n][from..from + block]).0;
                    for (sum, value) in sum.iter_mut().zip(source) {
                        *sum = match (n, own) {
                            (0, OwnRow::Overwritten) => simd.$mul(factors[n], *value),
                            _ => simd.$mul_add(factors[n], *value, *sum),
                        };
                    }
                }
                for (source, factor) in rest {
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
            for (index, out) in tail.chunks_mut(S::$lanes).enumerate() {
                let from = whole + index * S::$lanes;
                let to = from + out.len();
                let mut sum = match own {
                    OwnRow::Kept(factor) => simd.$mul(simd.$splat(factor), simd.$load(out)),
                    OwnRow::Moved(old, factor) => {
                        simd.$mul(simd.$splat(factor), simd.$load(&old[from..to]))
                    }
                    OwnRow::Overwritten => simd.$splat(0.0),
                };
                for n in 0..N {
                    let source = simd.$load(&sources[n][from..to]);
                    sum = match (n, own) {
                        (0, OwnRow::Overwritten) => simd.$mul(factors[n], source),
                        _ => simd.$mul_add(factors[n], source, sum),
                    };
                }
                for (source, factor) in rest {
                    let source = simd.$load(&source[from..to]);
                    sum = simd.$mul_add(simd.$splat(*factor), source, sum);
                }
                simd.$store(out, sum);
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
    sum_f32
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
    sum_f64
);
