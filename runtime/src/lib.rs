//! placeholder

pub mod device;
