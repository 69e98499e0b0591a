//! A wavelet that no catalogue has, defined in `wavelets/interpolating42.toml`: as two types with the
//! same code, one from the macro, one from the build script, and as CUDA, from both as well.

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

mod on_card {
    include!(concat!(env!("OUT_DIR"), "/on_card.rs"));
}

pub use on_card::OnCard;

waveloom::dwt_kernel! {
    /// One line at a time, for a card, written by the macro.
    pub struct LinesOnCard;
    file: "wavelets/interpolating42.toml",
    target: cuda,
    strategy: trapezoid,
}
