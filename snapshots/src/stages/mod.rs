//! Every stage between a definition and source text, as readable text, for a curated list of
//! wavelets. The snapshots of these texts lie in `snapshots/goldens/CASE/STAGE.snap`.

mod cuda;
mod curated;
mod dag;
mod kernel;
mod rust;
mod scheme;
mod wavelet;

pub use cuda::cuda_texts;
pub use curated::{Curated, CuratedError, curated, parse};

use std::path::{Path, PathBuf};

/// A stage with a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Taps, factorisations, report.
    Wavelet,
    /// Every scheme that exists.
    Schemes,
    /// Kernels of the default scheme, and of all 1-D schemes.
    Kernels,
    /// Expression graphs of the default scheme's segments.
    Dags,
    /// Generated Rust of the default scheme.
    Rust,
    /// Mapping and proof of the kernels for a device.
    Proofs,
    /// Their CUDA text.
    Cuda,
}

impl Stage {
    /// Every stage, in the order of the data flow.
    pub const ALL: [Stage; 7] = [
        Stage::Wavelet,
        Stage::Schemes,
        Stage::Kernels,
        Stage::Dags,
        Stage::Rust,
        Stage::Proofs,
        Stage::Cuda,
    ];

    /// The snapshot's file name, without extension.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Wavelet => "wavelet",
            Stage::Schemes => "schemes",
            Stage::Kernels => "kernels",
            Stage::Dags => "dags",
            Stage::Rust => "rust",
            Stage::Proofs => "proofs",
            Stage::Cuda => "cuda",
        }
    }

    /// The stage's text. Refusals along the way are part of it.
    pub fn render(self, case: &Curated) -> String {
        match self {
            Stage::Wavelet => wavelet::render(case),
            Stage::Schemes => scheme::render(case),
            Stage::Kernels => kernel::render(case),
            Stage::Dags => dag::render(case),
            Stage::Rust => rust::render(case),
            Stage::Proofs => cuda::proofs(case),
            Stage::Cuda => cuda::texts(case),
        }
    }
}

/// The folder that holds the curated list and all snapshots.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens")
}
