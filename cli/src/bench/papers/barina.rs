//! Barina, Kula, Matysek and Zemcik, *Accelerating discrete wavelet transforms on GPUs*: separable
//! and non-separable schemes, with and without constants split off. The paper plots GB/s over image
//! size (Radeon HD 6970 by OpenCL, Titan X by pixel shaders) and prints no times.

use crate::bench::work::{Claim, Method, Work};
use waveloom::wavelets::{Mode, SchemeKind};

const SIDES: [usize; 7] = [256, 512, 1024, 2048, 4096, 8192, 16384];

/// Figure 4: CDF 5/3 and 9/7.
pub fn works() -> Vec<Work> {
    let wavelets = ["bior2.2", "irr97"];
    wavelets.iter().flat_map(|wavelet| SIDES.map(|side| work(wavelet, side))).collect()
}

fn work(wavelet: &'static str, side: usize) -> Work {
    let schemes = [
        ("separable convolution", SchemeKind::SeparableConvolution),
        ("separable lifting", SchemeKind::SeparableLifting),
        ("non-separable lifting", SchemeKind::NonseparableLifting),
    ];
    let methods = schemes.iter().flat_map(|(name, scheme)| {
        [
            Method::on_card(name, *scheme, "joint"),
            Method::on_card(&format!("{name}, split"), *scheme, "joint-split"),
            Method::on_card(&format!("{name}, off-chip"), *scheme, "launch"),
            Method::on_card(&format!("{name}, off-chip, split"), *scheme, "launch-split"),
        ]
    });
    let ours = Method::on_card(
        "separable lifting, streaming (ours)",
        SchemeKind::SeparableLifting,
        "stream",
    );
    let claim = |suffix: &str| {
        Claim::new(
            format!("separable lifting{suffix}"),
            format!("non-separable lifting{suffix}"),
            (1.0, f64::INFINITY),
            match suffix.starts_with(", off-chip") {
                true => "section 4, Titan X (shaders): always faster",
                false => "section 4, Radeon HD 6970 (OpenCL): always faster",
            },
        )
    };
    Work::new("barina", &[side, side], wavelet, Mode::Jpeg2000)
        .methods(methods.chain([ours]))
        .claims(["", ", split", ", off-chip", ", off-chip, split"].map(claim))
}
