//! Discrete wavelet transforms: plans that run any scheme of any wavelet on the CPU, and kernels
//! specialised for one.
//!
//! [`Plan`] is the way in for transforms chosen at run time; [`dwt_kernel!`] for those fixed at
//! compile time.

pub mod device;
pub mod element;
pub mod error;
pub mod measure;
pub mod packing;
pub mod plan;
mod seam;
pub mod threshold;
pub mod tune;
pub mod vector;

pub use element::Element;
pub use error::{ExecuteError, PlanError};
pub use ndarray;
pub use plan::{Coefficients, Plan, PlanBuilder, Threads, Workspace};
pub use waveloom_codegen as codegen;
pub use waveloom_macros::dwt_kernel;
pub use waveloom_wavelets as wavelets;
pub use waveloom_wavelets::geometry::Band;

/// The README's Rust runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
