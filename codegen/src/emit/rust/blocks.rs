//! Sizes of blocks: all planes of a block should stay in a core's own cache, rows should be long, and
//! the halo should be small beside the block.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Pairs of a block of a line, by the number of axes: all its buffers together stay in the first-level
/// cache. Lines alone come from memory, where reads and writes should take turns often; rows do not.
const LINE: [usize; 3] = [256, 512, 512];
/// Values of a plane are a multiple of so many: a line of the cache, of the smallest type.
const UNIT: usize = 32;

/// How work is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    /// 1-D kernels.
    Lines {
        /// Pairs of a block.
        line: usize,
        /// Values of a plane.
        values: usize,
    },
    /// Kernels of several axes.
    Boxes {
        /// Pairs per axis.
        pairs: Vec<usize>,
        /// Values of a plane.
        values: usize,
    },
}

impl Blocks {
    /// For 1-D kernels with at most `halo` pairs around a block, on so many axes.
    pub fn lines(halo: usize, axes: usize) -> Self {
        let line = LINE[axes.clamp(1, LINE.len()) - 1].max(8 * halo);
        // An odd number of units: buffers do not compete for the same places of the cache.
        Self::Lines { line, values: ((line + halo).div_ceil(UNIT) | 1) * UNIT }
    }

    /// For kernels with at most `halo` pairs around a block on each axis.
    pub fn boxes(halo: &[usize]) -> Self {
        let base: &[usize] = if halo.len() == 2 { &[32, 64] } else { &[8, 8, 32] };
        let pairs: Vec<usize> =
            base.iter().zip(halo).map(|(base, halo)| (*base).max(2 * halo)).collect();
        let values = pairs.iter().zip(halo).map(|(pairs, halo)| pairs + halo).product();
        Self::Boxes { pairs, values }
    }

    /// The constants of the support code.
    pub fn items(&self) -> TokenStream {
        let literal = Literal::usize_unsuffixed;
        match self {
            Blocks::Lines { line, values } => {
                let (line, values) = (literal(*line), literal(*values));
                quote! {
                    /// Pairs in a block.
                    const LINE_PAIRS: usize = #line;
                    /// Values in a buffer.
                    const BLOCK_VALUES: usize = #values;
                }
            }
            Blocks::Boxes { pairs, values } => {
                let (pairs, values) = (pairs.iter().map(|p| literal(*p)), literal(*values));
                quote! {
                    /// Pairs in a block, per axis.
                    const BLOCK_PAIRS: [usize; AXES] = [#(#pairs),*];
                    /// Values in a buffer.
                    const BLOCK_VALUES: usize = #values;
                }
            }
        }
    }

    /// Values of one buffer.
    pub fn values(&self) -> usize {
        match self {
            Blocks::Lines { values, .. } | Blocks::Boxes { values, .. } => *values,
        }
    }
}
