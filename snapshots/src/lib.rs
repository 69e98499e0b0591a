//! Conformance suite, golden snapshots and compile checks of waveloom.
//!
//! Checks that need a tool which may be missing (a C++ compiler, NVRTC, `ptxas`) say so through
//! [`Skipped`]; see [`available`].

pub mod compile;
pub mod emulate;
mod skipped;

pub use skipped::{REQUIRE_TOOLCHAIN, Skipped, available};
