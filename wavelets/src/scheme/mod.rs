//! Schemes: transforms as ordered products of polyphase matrices.

mod algebra;
mod build;
mod count;
mod growth;
mod pivot;
mod text;

pub use build::Split;
pub use count::{Operations, Reach};
pub use growth::{Growth, LevelGrowth};

use crate::algebra::PolyphaseMatrix;
pub use crate::lifting::Rounding;
use std::fmt;

/// The algorithms of the command line's `--scheme`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemeKind {
    /// 1-D convolution.
    Convolution,
    /// 1-D lattice.
    Lattice,
    /// 1-D lifting.
    Lifting,
    /// One factor per axis.
    SeparableConvolution,
    /// One factor in all.
    NonseparableConvolution,
    /// Each 1-D lifting factor once per axis.
    SeparableLifting,
    /// The same-kind lifting factors of all axes multiplied (Barina et al.).
    NonseparableLifting,
}

/// What a factor is. Writers choose names and comments by it; algebra never looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactorKind {
    /// A whole filter bank.
    Convolution,
    /// Unit-triangular: details change.
    Predict,
    /// Unit-triangular: approximations change.
    Update,
    /// The part of a lifting factor that needs no neighbour.
    Constant,
    /// Constant butterfly of a lattice.
    Butterfly,
    /// Monomial matrix: delays and swaps, no arithmetic.
    Exchange,
    /// Diagonal gains (with delays or a swap, if any).
    Scaling,
}

/// One factor of a scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// What it is.
    pub kind: FactorKind,
    /// What it does: `out[row][k] = Σ entry(row, column) column[k]`.
    pub matrix: PolyphaseMatrix,
    /// The inverse, where it is not to be computed from `matrix`: the synthesis bank of a
    /// convolution.
    pub inverse: Option<PolyphaseMatrix>,
    /// Rounding of every changed row; the factor is then unit-triangular.
    pub rounding: Option<RoundedFactor>,
}

/// Rounding of a factor's increments: `row += floor((Σ n_i s_i + offset) / 2^shift)` with
/// `n_i = entry · 2^shift`; or, for the inverse of such a factor (whose matrix holds the negated
/// entries), `row -= floor((Σ n_i s_i + offset) / 2^shift)` with `n_i = -entry · 2^shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundedFactor {
    /// Offset and shift.
    pub rounding: Rounding,
    /// Whether the rounded increment is subtracted.
    pub subtract: bool,
}

/// A transform of one level as a product of polyphase matrices, with cuts wherever a factor reads
/// a neighbour. It knows nothing of threads or sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Which algorithm.
    pub kind: SchemeKind,
    /// Number of axes `d`; matrices are `2^d × 2^d`.
    pub axes: usize,
    /// The factors, first applied first.
    pub factors: Vec<Factor>,
}

impl fmt::Display for SchemeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl SchemeKind {
    /// Every kind.
    pub const ALL: [SchemeKind; 7] = [
        SchemeKind::Convolution,
        SchemeKind::Lattice,
        SchemeKind::Lifting,
        SchemeKind::SeparableConvolution,
        SchemeKind::NonseparableConvolution,
        SchemeKind::SeparableLifting,
        SchemeKind::NonseparableLifting,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SchemeKind::Convolution => "convolution",
            SchemeKind::Lattice => "lattice",
            SchemeKind::Lifting => "lifting",
            SchemeKind::SeparableConvolution => "separable-convolution",
            SchemeKind::NonseparableConvolution => "nonseparable-convolution",
            SchemeKind::SeparableLifting => "separable-lifting",
            SchemeKind::NonseparableLifting => "nonseparable-lifting",
        }
    }
}

/// The schemes of so many axes that come closest to one that is not among them: those of the same
/// factors, or else all.
fn instead(kind: SchemeKind, axes: usize) -> String {
    let all: Vec<SchemeKind> =
        SchemeKind::ALL.into_iter().filter(|other| other.exists_in(axes)).collect();
    let line = kind.one_dimensional();
    let close: Vec<SchemeKind> =
        all.iter().copied().filter(|other| other.one_dimensional() == line).collect();
    let names: Vec<&str> =
        if close.is_empty() { all } else { close }.into_iter().map(SchemeKind::name).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => format!("; expected {last}"),
        Some((last, rest)) => format!("; expected {} or {last}", rest.join(", ")),
    }
}

/// Why a scheme does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SchemeError {
    /// The kind has a fixed number of axes.
    #[error("scheme {kind} does not exist in {axes}-D{}", instead(*kind, *axes))]
    Dimensions {
        /// The kind asked for.
        kind: SchemeKind,
        /// The number of axes asked for.
        axes: usize,
    },
    /// The wavelet has no such factorisation.
    #[error("{wavelet} has no {kind} scheme: {reason}")]
    Missing {
        /// The wavelet.
        wavelet: String,
        /// The kind asked for.
        kind: SchemeKind,
        /// Why.
        reason: String,
    },
    /// Rounded factors may not be fused, reordered, split or transposed.
    #[error("a rounded scheme cannot be {what}: the result would not be the same integers")]
    Rounded {
        /// The operation refused.
        what: &'static str,
    },
    /// A factor without an inverse of finite length.
    #[error(
        "factor {index} has the determinant {determinant}, which is not a single term: it has no inverse of finite length"
    )]
    NotInvertible {
        /// Position of the factor.
        index: usize,
        /// Its determinant.
        determinant: String,
    },
    /// Fusing would make more terms than can be unrolled.
    #[error(
        "{kind} in {axes} dimensions has {terms} terms, more than the limit of {limit}; {alternative} has fewer"
    )]
    TooLarge {
        /// The kind asked for.
        kind: SchemeKind,
        /// The number of axes.
        axes: usize,
        /// How many terms it would have.
        terms: usize,
        /// The limit.
        limit: usize,
        /// A kind that fits.
        alternative: SchemeKind,
    },
}
