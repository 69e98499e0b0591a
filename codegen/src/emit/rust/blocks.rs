//! Sizes of blocks: all planes of a block should stay in a core's own cache, rows should be long (a
//! bundle's rows are read and written at the pitch of the whole array), and the halo should be small
//! beside the block.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Values of a plane aimed at for a single line: 16 KiB of `f32`.
const LINE: usize = 4096;
/// Values of a plane aimed at for a bundle of lines.
const BUNDLE: usize = 8192;
/// Lanes of a bundle.
const LANES: usize = 128;

/// How work is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    /// 1-D kernels.
    Lines {
        /// Pairs of a block of a single line.
        line: usize,
        /// Pairs of a block of a bundle.
        bundle: usize,
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
    /// For 1-D kernels with at most `halo` pairs around a block; `bundles` tells whether lines ever lie
    /// side by side.
    pub fn lines(halo: usize, bundles: bool) -> Self {
        let line = LINE.max(8 * halo) - halo.min(LINE / 2);
        let bundle = (BUNDLE / LANES).max(4 * halo) - halo.min(BUNDLE / LANES / 2);
        let values = (line + halo).max(if bundles { (bundle + halo) * LANES } else { 0 });
        Self::Lines { line, bundle, values }
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
            Blocks::Lines { line, bundle, values } => {
                let (lanes, line) = (literal(LANES), literal(*line));
                let (bundle, values) = (literal(*bundle), literal(*values));
                quote! {
                    /// Lines side by side in a block.
                    const LANES: usize = #lanes;
                    /// Pairs in a block of a single line.
                    const LINE_PAIRS: usize = #line;
                    /// Pairs in a block of several lines.
                    const BUNDLE_PAIRS: usize = #bundle;
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
