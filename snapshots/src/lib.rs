//! Cases, reference data and checks that span all crates of the workspace. Not published.

pub mod conformance;
pub mod fixtures;
