//! A wavelet that no catalogue has, defined in `wavelets/interpolating42.toml`, as two types with the
//! same code: one from the macro, one from the build script.

waveloom::dwt_kernel! {
    /// Two levels on images, written by the macro.
    pub struct FromMacro;
    file: "wavelets/interpolating42.toml",
    dims: 2,
    levels: 2,
}

mod from_build {
    include!(concat!(env!("OUT_DIR"), "/interpolating.rs"));
}

pub use from_build::{Interpolating as FromBuild, InterpolatingBand, InterpolatingError};
