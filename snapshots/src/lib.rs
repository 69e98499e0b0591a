//! Conformance suite, golden snapshots, emulated runs and compile checks that span all crates of the
//! workspace. Not published.
//!
//! Checks that need a tool which may be missing (a C++ compiler, NVRTC, `ptxas`) say so through
//! [`Skipped`]; see [`available`]. Checks whose whole list takes long run a sample of it and say so; with
//! `WAVELOOM_CONFORMANCE=broad` ([`conformance::Breadth`]) they run all.

pub mod compile;
pub mod conformance;
pub mod emulate;
pub mod fixtures;
mod skipped;
pub mod stages;

pub use skipped::{REQUIRE_TOOLCHAIN, Skipped, available, sampled, taken, unless_quick};
