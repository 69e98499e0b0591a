//! The counts of Puchala and Stokfiszewski, "Highly Effective GPU Realization of Discrete Wavelet
//! Transform for Big-Data Problems", eq. (1) to (7), from our own kernels.

use waveloom_codegen::kernel::{Element, Exchange, Kernel, Operation, lower};
use waveloom_wavelets::{SchemeKind, catalogue};

fn kernel(taps: u64, kind: SchemeKind, exchange: Exchange) -> Kernel {
    let wavelet = catalogue::wavelet(&format!("db{}", taps / 2)).unwrap();
    let scheme = wavelet.scheme(kind, 1).unwrap();
    lower(&scheme, Operation::Forward, Element::F32, exchange).unwrap()
}

/// Filter lengths of the paper.
fn lengths() -> impl Iterator<Item = u64> {
    (4..=32).step_by(2)
}

#[test]
fn convolution_is_equations_1_and_2() {
    for m in lengths() {
        let n = 1 << 20;
        let cost = kernel(m, SchemeKind::Convolution, Exchange::Global).cost(n / 2, 128);
        assert_eq!(cost.additions, n * (m - 1), "M = {m}");
        assert_eq!(cost.multiplications, n * m, "M = {m}");
        assert_eq!(cost.global, n * (m + 2) / 2, "M = {m}");
        assert_eq!(cost.sequential, 4 * m - 2, "M = {m}");
        assert_eq!(cost.launches, 1, "M = {m}");
    }
}

#[test]
fn naive_lattice_is_equations_4_and_5() {
    for m in lengths() {
        let n = 1 << 20;
        let cost = kernel(m, SchemeKind::Lattice, Exchange::Launch).cost(n / 2, 128);
        assert_eq!(cost.additions, n * m / 2, "M = {m}");
        assert_eq!(cost.multiplications, n * (m + 2) / 2, "M = {m}");
        assert_eq!(cost.global, n * m, "M = {m}");
        assert_eq!(cost.sequential, 2 * (m + 1), "M = {m}");
        assert_eq!(cost.launches, m / 2, "M = {m}");
    }
}

#[test]
fn trapezoid_lattice_is_equations_6_and_7() {
    for m in lengths() {
        for threads in [64_u64, 128, 512] {
            let k = m - 2;
            let block = 2 * threads - k;
            let blocks = 1000;
            let n = blocks * block;
            let cost = kernel(m, SchemeKind::Lattice, Exchange::Shared).cost(n / 2, block / 2);
            assert_eq!(cost.additions, n * m / 2 + blocks * m * k / 4, "M = {m}");
            // Half of N_b K (K/2 + 1), which is N_b M K / 4 again.
            let overlap = blocks * k * (k + 2) / 4;
            assert_eq!(cost.multiplications, n * (m + 2) / 2 + overlap, "M = {m}");
            assert_eq!(cost.launches, 1, "M = {m}");
            assert_eq!(cost.sequential, 2 * (m + 1), "M = {m}");
            assert_eq!(cost.global, 2 * n + blocks * k, "M = {m}");
            assert_eq!(4 * cost.shared, blocks * k * (4 * threads - k), "M = {m}");
        }
    }
}
