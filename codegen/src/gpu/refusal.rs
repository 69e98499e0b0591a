//! Why a mapped kernel is refused.

use super::mapping::Mapping;
use super::stretch::StretchError;
use super::strip::StripError;
use crate::dag::DagError;
use crate::kernel::Exchange;
use waveloom_wavelets::algebra::Exponent;

/// Why a mapped kernel is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProofError {
    /// The graphs cannot be built.
    #[error(transparent)]
    Dag(#[from] DagError),
    /// The tile does not fit.
    #[error(
        "a block with {mapping} needs {needed} bytes of shared memory, more than {limit}; choose a smaller tile or exchange global"
    )]
    Shared {
        /// The shape.
        mapping: Box<Mapping>,
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        limit: usize,
    },
    /// The kernel does not fit strips.
    #[error(transparent)]
    Strip(#[from] StripError),
    /// The kernel does not fit walks along lines.
    #[error(transparent)]
    Stretch(#[from] StretchError),
    /// A shape that no block can have.
    #[error(
        "a block needs 1 to 1024 threads and a tile of at least 1 x 1 x 1 pairs and 1 lane, got {mapping}"
    )]
    Shape {
        /// The shape.
        mapping: Box<Mapping>,
    },
    /// Too much to unroll.
    #[error(
        "{operations} operations per position are more than can be unrolled ({limit}); a lifting or separable scheme has fewer"
    )]
    Operations {
        /// How many.
        operations: usize,
        /// The limit.
        limit: usize,
    },
    /// Shapes that no tile in registers has.
    #[error(
        "a tile in registers has 1, 2, 4 ... 32 warps (at least 2 if it is turned) and 1 to 16 pairs of a column a lane, got {threads} threads and {pairs} pairs"
    )]
    Turn {
        /// Threads of a block.
        threads: u32,
        /// Pairs of a column's lane.
        pairs: u32,
    },
    /// A kernel that is cut, in one launch of several.
    #[error("exchange launch runs one segment of a kernel a launch, got {segments}")]
    Segments {
        /// How many segments came.
        segments: usize,
    },
    /// No table can hold a sum that is rounded.
    #[error(
        "taps in memory need sums that are not rounded; choose strategy global or an unrounded wavelet"
    )]
    Taps,
    /// Levels in place need a kernel that reads no neighbours.
    #[error(
        "levels in place need a kernel that reads no neighbours, as that of haar; this one reads the pair {offset:?} pairs away"
    )]
    Reach {
        /// Where a neighbour is read.
        offset: Exponent,
    },
    /// More levels than a block holds.
    #[error("a block holds at most {limit} levels in place along {axes} axes, got {levels}")]
    Levels {
        /// How many were asked for.
        levels: usize,
        /// The limit.
        limit: usize,
        /// Transformed axes.
        axes: usize,
    },
    /// A level whose coefficients do not take the places of its samples.
    #[error(
        "levels in place need an even number of samples and as many coefficients, from an even position on: axis {axis} has {samples} samples at level {level}, or more coefficients"
    )]
    InPlace {
        /// The axis of the array.
        axis: usize,
        /// The level, 1 being the finest.
        level: usize,
        /// Samples along the axis.
        samples: usize,
    },
    /// A rounded transform in place along axes that do not ascend.
    #[error("a rounded transform in place needs ascending axes, got {axes:?}")]
    Order {
        /// The axes.
        axes: Vec<usize>,
    },
    /// An exchange that tiles cannot realise.
    #[error(
        "exchange {exchange:?} is not one that tiles of a block can use; expected global or shared"
    )]
    Exchange {
        /// What was asked for.
        exchange: Exchange,
    },
}
