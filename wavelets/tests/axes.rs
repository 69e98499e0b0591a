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
