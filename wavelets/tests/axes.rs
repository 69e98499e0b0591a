//! Schemes along several axes, axis by axis.

use waveloom_wavelets::scheme::Factor;
use waveloom_wavelets::{SchemeKind, catalogue};

#[test]
fn factors_of_an_axis_can_stand_together() {
    for name in ["haar", "bior2.2", "irr97", "db4"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        for axes in [2, 3] {
            let mixed = wavelet.scheme(SchemeKind::SeparableLifting, axes).unwrap();
            let sorted = mixed.axis_by_axis();
            assert_eq!(sorted.factors.len(), mixed.factors.len(), "{name}");
            let matrix = mixed.matrix();
            let error = sorted.matrix().distance(&matrix);
            assert!(error < 1e-12, "{name} {axes}: {error:e}");
            // Every axis has its turn once.
            let axis = |factor: &Factor| {
                let moves = |axis: &usize| factor.matrix.range(*axis) != (0, 0);
                (0..axes).find(moves)
            };
            let mut turns: Vec<usize> = sorted.factors.iter().filter_map(axis).collect();
            turns.dedup();
            let expected = if name == "haar" { 0 } else { axes };
            assert_eq!(turns.len(), expected, "{name} {axes}: {turns:?}");
        }
    }
    let rounded = catalogue::wavelet("rev53").unwrap();
    let scheme = rounded.scheme(SchemeKind::SeparableLifting, 2).unwrap();
    assert_eq!(scheme.axis_by_axis(), scheme);
}

#[test]
fn products_of_small_taps_stay() {
    // The taps of long filters fall to 1e-9 and below; what they are multiplied with on the other axis
    // may be as small, and is no rounding error.
    for name in ["db13", "db19", "db31", "dmey", "sym20"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        let fused = wavelet.scheme(SchemeKind::NonseparableConvolution, 2).unwrap();
        let separable = wavelet.scheme(SchemeKind::SeparableConvolution, 2).unwrap();
        let (fused, product) = (fused.matrix(), separable.matrix());
        let line = wavelet.scheme(SchemeKind::Convolution, 1).unwrap().matrix();
        assert_eq!(fused.terms().count(), line.terms().count().pow(2), "{name}");
        assert_eq!(fused.distance(&product), 0.0, "{name}");
    }
}

#[test]
fn schemes_that_do_not_exist_name_those_that_do() {
    let wavelet = catalogue::wavelet("bior4.4").unwrap();
    let refused = |kind, axes| wavelet.scheme(kind, axes).unwrap_err().to_string();
    assert_eq!(
        refused(SchemeKind::Lifting, 2),
        "scheme lifting does not exist in 2-D; expected separable-lifting or nonseparable-lifting"
    );
    assert_eq!(
        refused(SchemeKind::SeparableConvolution, 1),
        "scheme separable-convolution does not exist in 1-D; expected convolution"
    );
    assert_eq!(
        refused(SchemeKind::Lattice, 3),
        "scheme lattice does not exist in 3-D; expected separable-convolution, nonseparable-convolution, separable-lifting or nonseparable-lifting"
    );
    assert_eq!(refused(SchemeKind::Lattice, 4), "scheme lattice does not exist in 4-D");
}
