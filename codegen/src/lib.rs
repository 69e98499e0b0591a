//! From schemes to kernels to source text. No devices, no files, no clocks.
//!
//! ```text
//! Scheme --place--> steps --segment--> Kernel --prove--> KernelInfo
//!                                        |                  |
//!                                        +--build--> Dag ---+--emit--> Rust | CUDA
//! ```

pub mod bound;
pub mod build;
pub mod dag;
pub mod emit;
pub mod gpu;
pub mod hint;
pub mod kernel;
pub mod pipeline;

pub use dag::Dag;
pub use kernel::{Element, Kernel, Operation};
