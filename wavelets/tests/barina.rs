//! Table 1 of Barina et al., "Accelerating discrete wavelet transforms on GPUs": steps and operations
//! of the optimized schemes, in blocks (OpenCL) and in pixel shaders.

use waveloom_wavelets::scheme::Split;
use waveloom_wavelets::{SchemeKind, catalogue};

struct Row {
    wavelet: &'static str,
    kind: SchemeKind,
    steps: usize,
    blocks: usize,
    shaders: usize,
}

const TABLE_1: [Row; 6] = [
    Row {
        wavelet: "bior2.2",
        kind: SchemeKind::SeparableConvolution,
        steps: 2,
        blocks: 20,
        shaders: 22,
    },
    Row {
        wavelet: "bior2.2",
        kind: SchemeKind::SeparableLifting,
        steps: 4,
        blocks: 16,
        shaders: 16,
    },
    Row {
        wavelet: "bior2.2",
        kind: SchemeKind::NonseparableLifting,
        steps: 2,
        blocks: 18,
        shaders: 18,
    },
    Row {
        wavelet: "bior4.4",
        kind: SchemeKind::SeparableConvolution,
        steps: 2,
        blocks: 56,
        shaders: 58,
    },
    Row {
        wavelet: "bior4.4",
        kind: SchemeKind::SeparableLifting,
        steps: 8,
        blocks: 32,
        shaders: 32,
    },
    Row {
        wavelet: "bior4.4",
        kind: SchemeKind::NonseparableLifting,
        steps: 4,
        blocks: 36,
        shaders: 36,
    },
];

#[test]
fn table_1_operations() {
    for row in TABLE_1 {
        let wavelet = catalogue::wavelet(row.wavelet).unwrap();
        for (split, expected) in
            [(Split::Everywhere, row.blocks), (Split::AfterFirstRead, row.shaders)]
        {
            let scheme = wavelet.split_scheme(row.kind, 2, split).unwrap();
            let terms = scheme.operations().terms;
            assert_eq!(terms, expected, "{} {} {split:?}", row.wavelet, row.kind);
        }
    }
}

#[test]
fn table_1_steps() {
    for row in TABLE_1 {
        let wavelet = catalogue::wavelet(row.wavelet).unwrap();
        let whole = wavelet.scheme(row.kind, 2).unwrap();
        assert_eq!(whole.cuts(), row.steps, "{} {}", row.wavelet, row.kind);
        let split = wavelet.split_scheme(row.kind, 2, Split::Everywhere).unwrap();
        assert_eq!(split.cuts(), row.steps, "{} {} split", row.wavelet, row.kind);
    }
}

#[test]
fn without_the_split_more_operations_are_needed() {
    let unsplit = [28, 16, 24, 64, 32, 48];
    for (row, expected) in TABLE_1.iter().zip(unsplit) {
        let wavelet = catalogue::wavelet(row.wavelet).unwrap();
        let scheme = wavelet.scheme(row.kind, 2).unwrap();
        assert_eq!(wavelet.terms(&scheme), expected, "{} {}", row.wavelet, row.kind);
    }
}

#[test]
fn splitting_keeps_the_product() {
    for row in TABLE_1 {
        let wavelet = catalogue::wavelet(row.wavelet).unwrap();
        let whole = wavelet.scheme(row.kind, 2).unwrap();
        for split in [Split::Everywhere, Split::AfterFirstRead] {
            let parts = wavelet.split_scheme(row.kind, 2, split).unwrap();
            let distance = whole.matrix().distance(&parts.matrix());
            assert!(distance < 1e-14, "{} {} {split:?}: {distance:e}", row.wavelet, row.kind);
        }
    }
}
