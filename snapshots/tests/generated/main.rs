//! Generated Rust, compiled by `dwt_kernel!`, passes the conformance suite: every mode, every scheme,
//! one to three dimensions, every element type, with the lengths at which a block ends.

mod backend;
mod levels;

use backend::{Generated, Instance};
use std::sync::Arc;
use waveloom_codegen::kernel::Element;
use waveloom_snapshots::conformance::{Case, run};
use waveloom_wavelets::{SchemeKind, catalogue};

fn element_of(name: &str) -> Element {
    let all = [Element::F32, Element::F64, Element::I16, Element::I32, Element::I64];
    all.into_iter().find(|element| element.name() == name).unwrap()
}

fn scheme_of(name: &str) -> SchemeKind {
    SchemeKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap()
}

/// Generates every instance and collects them.
macro_rules! instances {
    ($($module:ident: $wavelet:tt $dims:tt $levels:tt $mode:ident $element:ident $scheme:ident;)*) => {
        $(instance!($module: $wavelet, $dims, $levels, $mode, $element, $scheme);)*

        fn instances() -> Vec<Instance> {
            vec![$($module::instance()),*]
        }
    };
}

instances! {
    // One axis: every mode, every scheme.
    line_zero: "db4" 1 1 zero f64 lattice;
    line_constant: "bior4.4" 1 2 constant f32 lifting;
    line_symmetric: "db11" 1 1 symmetric f32 lifting;
    line_reflect: "bior5.5" 1 1 reflect f64 lattice;
    line_periodic: "sym7" 1 3 periodic f64 convolution;
    line_smooth: "coif2" 1 2 smooth f64 lifting;
    line_antisymmetric: "bior3.1" 1 1 antisymmetric f64 convolution;
    line_antireflect: "db3" 1 2 antireflect f64 lattice;
    line_periodization: "rbio2.4" 1 3 periodization f64 lifting;
    line_jpeg2000: "irr97" 1 4 jpeg2000 f64 lifting;
    line_circular: "db8" 1 2 circular f32 lattice;
    line_approximate: "dmey" 1 1 periodization f64 convolution;
    line_copy: "haar" 1 0 zero f32 convolution;
    line_integer: "rev53" 1 5 jpeg2000 i32 lifting;
    line_small: "ccsds97m" 1 2 jpeg2000 i16 lifting;
    line_wide: "rev53" 1 2 symmetric i64 lifting;
    // Two axes.
    plane_convolution: "bior2.2" 2 1 symmetric f64 separable_convolution;
    plane_tiles: "bior2.2" 2 2 periodization f64 nonseparable_convolution;
    plane_lifting: "bior4.4" 2 3 symmetric f32 separable_lifting;
    plane_fused: "bior4.4" 2 1 smooth f64 nonseparable_lifting;
    plane_reflect: "irr97" 2 2 jpeg2000 f64 nonseparable_lifting;
    plane_odd: "db2" 2 2 antireflect f64 separable_lifting;
    plane_zero: "db2" 2 2 zero f32 nonseparable_convolution;
    plane_integer: "rev53" 2 3 jpeg2000 i32 separable_lifting;
    plane_last_first: "ccsds97m" 2 2 jpeg2000 i32 separable_lifting;
    // Three axes.
    volume_lifting: "haar" 3 2 symmetric f32 separable_lifting;
    volume_tiles: "bior2.2" 3 1 periodization f64 nonseparable_lifting;
    volume_convolution: "db2" 3 2 antisymmetric f64 separable_convolution;
    volume_integer: "rev53" 3 2 jpeg2000 i64 separable_lifting;
}

/// Shapes that show heads, tails and blocks; a line's block is 4096 pairs, a bundle's 128 lanes wide, a
/// box 32 by 64 or 8 by 8 by 32 pairs (less the halo).
fn shapes(dims: usize) -> Vec<Vec<usize>> {
    match dims {
        1 => (1..=40).chain([511, 512, 513, 8170, 8192, 8193]).map(|len| vec![len]).collect(),
        2 => {
            let pairs = [
                [1, 1],
                [1, 7],
                [7, 1],
                [2, 3],
                [6, 8],
                [16, 16],
                [13, 17],
                [33, 20],
                [40, 9],
                [3, 300],
                [300, 5],
                [70, 140],
                [64, 128],
            ];
            pairs.iter().map(|shape| shape.to_vec()).collect()
        }
        _ => {
            let triples =
                [[1, 1, 1], [3, 4, 5], [8, 8, 8], [7, 1, 9], [12, 10, 6], [2, 2, 70], [20, 18, 4]];
            triples.iter().map(|shape| shape.to_vec()).collect()
        }
    }
}

#[test]
fn generated_rust_conforms() {
    let backend = Generated { instances: instances() };
    let cases = backend.instances.iter().flat_map(|one| {
        let wavelet = Arc::new(catalogue::wavelet(one.wavelet).unwrap());
        shapes(one.dims).into_iter().map(move |shape| {
            Case::new(&wavelet, &shape, one.mode)
                .levels(one.levels)
                .element(one.element)
                .scheme(Some(one.scheme))
        })
    });
    let report = run(&backend, cases);
    println!("{report}");
    report.verdict().unwrap();
    assert!(report.run > 700, "only {} cases ran", report.run);
}

#[test]
fn integers_that_could_overflow_are_refused() {
    let mut kernel = line_small::Kernel::new([8]).unwrap();
    let bound = line_small::Kernel::MAX_INPUT;
    let mut coefficients = vec![0; kernel.coefficient_len()];
    assert!(kernel.forward(&[bound, -bound, 0, 0, 0, 0, 0, bound], &mut coefficients).is_ok());
    let error = kernel.forward(&[0, 0, 0, -bound - 1, 0, 0, 0, 0], &mut coefficients).unwrap_err();
    assert_eq!(error, line_small::KernelError::Overflow { index: 3, bound });
    let text = format!("sample 3 is larger in magnitude than {bound}: it could overflow");
    assert_eq!(error.to_string(), text);
    assert!(kernel.forward(&[i16::MIN; 8], &mut coefficients).is_err());
}

#[test]
fn wrong_lengths_and_shapes_are_errors() {
    use line_reflect::{Kernel, KernelError};
    let mut kernel = Kernel::new([9]).unwrap();
    let mut coefficients = vec![0.0; kernel.coefficient_len()];
    let short = kernel.forward(&[0.0; 8], &mut coefficients).unwrap_err();
    assert_eq!(short, KernelError::SignalLength { expected: 9, got: 8 });
    let short = kernel.inverse(&coefficients[1..], &mut [0.0; 9]).unwrap_err();
    assert_eq!(short.to_string(), "expected 20 coefficients, got 19");
    let single = Kernel::new([1]).unwrap_err();
    assert_eq!(
        single.to_string(),
        "axis 0 has length 1 at level 1: length must exceed 1 for mode reflect"
    );
    assert!(Kernel::new([0]).is_err());
    assert!(Kernel::new([usize::MAX]).is_err());
    assert!(plane_lifting::Kernel::new([1 << 40, 1 << 40]).is_err());
}

#[test]
fn views_of_any_layout_agree_with_slices() {
    use waveloom::ndarray::{Array2, ArrayView2, s};
    let mut kernel = plane_lifting::Kernel::new([12, 10]).unwrap();
    let image = Array2::from_shape_fn((10, 24), |(i, j)| ((i * 31 + j * 7) % 23) as f32);
    // Transposed and every other row: nothing about it is contiguous.
    let view: ArrayView2<f32> = image.t().slice_move(s![..;2, ..]);
    let bands = kernel.forward_view(view).unwrap();
    assert_eq!(bands.len(), kernel.bands().len());
    let signal: Vec<f32> = view.iter().copied().collect();
    let mut coefficients = vec![0.0; kernel.coefficient_len()];
    kernel.forward(&signal, &mut coefficients).unwrap();
    for (band, place) in bands.iter().zip(kernel.bands()) {
        let expected = &coefficients[place.offset..][..place.len];
        assert_eq!(band.iter().copied().collect::<Vec<_>>(), expected, "{}", place.key);
    }
    let views: Vec<_> = bands.iter().map(|band| band.view()).collect();
    let back = kernel.inverse_view(&views).unwrap();
    let error = (&back - &view).iter().fold(0.0_f32, |m, e| m.max(e.abs()));
    assert!(error < 1e-4, "{error}");
    assert!(kernel.adjoint_view(&views).is_ok());
    let wrong = kernel.forward_view(image.view()).unwrap_err();
    assert_eq!(wrong.to_string(), "expected a signal of shape [12, 10], got [10, 24]");
    let missing = kernel.inverse_view(&views[1..]).unwrap_err();
    assert_eq!(missing.to_string(), "expected 10 bands, got 9");
}
