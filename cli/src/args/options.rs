//! Options that several commands share.

use super::lists::{self, List};
use super::values::{self, ElementName, ExchangeName, Layout, Norm};
use crate::error::{Failure, Outcome};
use clap::Args;
use waveloom::wavelets::{Mode, SchemeKind};

/// `--wavelet W`
#[derive(Clone, Debug, Default, Args)]
pub struct WaveletArgument {
    /// Catalogue name or definition file
    #[arg(long, value_name = "WAVELET")]
    pub wavelet: Option<String>,
}

/// Which transform: wavelet, mode, levels, axes, types, algorithm.
#[derive(Clone, Debug, Default, Args)]
pub struct TransformOptions {
    /// The wavelet
    #[command(flatten)]
    pub wavelet: WaveletArgument,
    /// What happens at the ends of the signal: zero, constant, symmetric, reflect, periodic,
    /// smooth, antisymmetric, antireflect, periodization, jpeg2000 or circular
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub mode: Option<Mode>,
    /// Number of levels (forward: 1 if absent)
    #[arg(long, value_name = "L", value_parser = values::levels, allow_hyphen_values = true)]
    pub levels: Option<usize>,
    /// Transform the last D axes (all if absent, except an image's colours)
    #[arg(long, value_name = "D", value_parser = values::dims, allow_hyphen_values = true, conflicts_with = "axes")]
    pub dims: Option<usize>,
    /// Transform these axes, such as 0,2; negative ones count from the end
    #[arg(long, value_name = "LIST", value_parser = lists::whole_numbers, allow_hyphen_values = true)]
    pub axes: Option<List<i64>>,
    /// Element type of the computation: f32, f64, i16, i32 or i64
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<ElementName>,
    /// Algorithm, such as separable-lifting; the wavelet's best if absent
    #[arg(long, value_name = "SCHEME", value_parser = values::scheme)]
    pub scheme: Option<SchemeKind>,
    /// How coefficients are arranged: bands, mallat or mixed
    #[arg(long, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// Normalisation of the Haar wavelet: ortho, or lifting (d = x1 - x0, a = x0 + d/2)
    #[arg(long, value_name = "NORM")]
    pub norm: Option<Norm>,
    /// Coordinate of sample 0 on each transformed axis (mode jpeg2000)
    #[arg(long, value_name = "LIST", value_parser = lists::whole_numbers, allow_hyphen_values = true)]
    pub origin: Option<List<i64>>,
    /// Choices of CUDA kernels
    #[command(flatten)]
    pub cuda: CudaOptions,
}

/// Shapes of CUDA kernels.
#[derive(Clone, Debug, Default, Args)]
pub struct CudaOptions {
    /// How threads get their neighbours' values, instead of a strategy: launch, global, shared,
    /// recompute or stream (CUDA)
    #[arg(long, value_name = "NAME", conflicts_with = "strategy")]
    pub exchange: Option<List<ExchangeName>>,
    /// A whole method by its name: stream, shared, global, trapezoid and others that the manual lists (CUDA)
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Threads per block, all in all or per axis (CUDA)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub block: Option<List<values::Positive>>,
    /// Pairs of samples per thread, per axis; of ilp, hybrid and full-register, samples (CUDA)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub items: Option<List<values::Positive>>,
    /// Output pairs of a block on each of three axes, instead of --items (CUDA)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, conflicts_with = "items")]
    pub tile: Option<List<values::Positive>>,
    /// Lines that a block takes side by side, along an axis before the last; of stream, pairs of
    /// rows that a strip walks, or chunks of a line (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub rows: Option<values::Positive>,
    /// Of stream: groups of columns that a lane owns, or along three axes pairs of rows, 1 to 8 (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub groups: Option<values::Positive>,
    /// Of stream: pairs of columns of a lane in a group, 1, 2 or 4 (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub pairs: Option<values::Positive>,
    /// Of stream: pairs of rows, or chunks of a line, on their way to a ring in shared memory, 2 to 16 (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub depth: Option<values::Positive>,
    /// Of stream: blocks that must fit a multiprocessor at once (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub resident: Option<values::Positive>,
    /// Of stream: levels that one strip runs at most (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub deep: Option<values::Positive>,
    /// Of stream: axes that one strip transforms at most, 2 or 3 (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub together: Option<values::Positive>,
    /// Of stream: pairs of a lane where warps walk along a line through several levels, 2, 4, 8 or 16 (CUDA)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub stretch: Option<values::Positive>,
}

impl CudaOptions {
    /// The options given, by name.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--exchange", self.exchange.is_some()),
            ("--strategy", self.strategy.is_some()),
            ("--block", self.block.is_some()),
            ("--items", self.items.is_some()),
            ("--tile", self.tile.is_some()),
            ("--rows", self.rows.is_some()),
            ("--groups", self.groups.is_some()),
            ("--pairs", self.pairs.is_some()),
            ("--depth", self.depth.is_some()),
            ("--resident", self.resident.is_some()),
            ("--deep", self.deep.is_some()),
            ("--together", self.together.is_some()),
            ("--stretch", self.stretch.is_some()),
        ];
        options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Refuses every option: they shape CUDA kernels, and `what` has none.
    pub fn refuse(&self, what: &str) -> Outcome<()> {
        match self.given().next() {
            None => Ok(()),
            Some(name) => Err(Failure::of_option(
                name,
                format!("shapes CUDA kernels, but {what}; leave it out"),
            )),
        }
    }
}

/// What must be said of coefficients that do not say it themselves.
#[derive(Clone, Debug, Args)]
pub struct InverseOptions {
    /// Shape of the original array, such as 5,7, for coefficient files that do not store it
    #[arg(long, value_name = "LIST", value_parser = lists::extents, allow_hyphen_values = true)]
    pub shape: Option<List<usize>>,
}
