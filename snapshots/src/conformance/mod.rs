//! One conformance suite, written once and run over every way of computing a transform.
//!
//! A [`Case`] says what is transformed; a [`Backend`] transforms it; [`run`] compares every
//! operation with the reference and checks the laws (linearity, impulse response, inverse after
//! forward, shift covariance, adjoint pairing, energy). The [`Report`] says what ran, what was
//! skipped and why, and how close every check came to its bound.

pub mod arrays;
mod backend;
mod bounds;
mod case;
mod compare;
mod device;
mod emulated;
mod golden;
mod host;
mod laws;
mod layout;
pub mod lists;
mod parallel;
mod reference;
mod report;
mod samples;
mod suite;

pub use backend::{Backend, Prepared, Transform};
pub use bounds::{round_trip_unit, scale, tolerance, unit};
pub use case::Case;
pub use compare::compare;
pub use device::{DeviceBackend, device_text};
pub use emulated::EmulatedBackend;
pub use golden::{GoldenError, run_fixtures};
pub use host::HostBackend;
pub use layout::{BandPlace, Layout};
pub use lists::Breadth;
pub use parallel::{Progress, run_everywhere, run_parallel};
pub use reference::ReferenceBackend;
pub use report::{Check, Failure, Report, Statistic};
pub use samples::{Samples, Stream};
pub use suite::{run, run_case};
