//! Both ways give the same bits; the transform inverts and does what its definition says.

use custom_wavelet::{FromBuild, FromMacro, LinesOnCard, OnCard};
use waveloom::device::Device;

fn cubic(shape: [usize; 2]) -> Vec<f32> {
    let value = |i: usize, j: usize| {
        let (y, x) = (i as f32 / 16.0, j as f32 / 16.0);
        x * x * x - 2.0 * x * y * y + y
    };
    (0..shape[0] * shape[1]).map(|at| value(at / shape[1], at % shape[1])).collect()
}

#[test]
fn macro_and_build_script_agree_bit_for_bit() {
    for shape in [[1, 1], [5, 9], [33, 40]] {
        let (mut first, mut second) =
            (FromMacro::new(shape).unwrap(), FromBuild::new(shape).unwrap());
        assert_eq!(first.coefficient_len(), second.coefficient_len());
        let image = cubic(shape);
        let mut coefficients =
            [vec![0.0; first.coefficient_len()], vec![0.0; first.coefficient_len()]];
        first.forward(&image, &mut coefficients[0]).unwrap();
        second.forward(&image, &mut coefficients[1]).unwrap();
        assert_eq!(coefficients[0], coefficients[1]);
        let mut back = vec![0.0; image.len()];
        first.inverse(&coefficients[0], &mut back).unwrap();
        for (expected, got) in image.iter().zip(&back) {
            assert!((expected - got).abs() < 1e-4, "{shape:?}: {expected} {got}");
        }
    }
}

#[test]
fn details_of_a_cubic_vanish_inside() {
    let mut transform = FromMacro::new([40, 40]).unwrap();
    let image = cubic([40, 40]);
    let mut coefficients = vec![0.0; transform.coefficient_len()];
    transform.forward(&image, &mut coefficients).unwrap();
    let band = transform.bands().iter().find(|band| band.key == "ad1").unwrap();
    let values = &coefficients[band.offset..][..band.len];
    let largest = values.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    assert!(largest > 0.1, "the mirrored ends are no cubics");
    for row in 6..band.shape[0] - 6 {
        for column in 6..band.shape[1] - 6 {
            let value = values[row * band.shape[1] + column];
            assert!(value.abs() < 1e-4, "{row} {column}: {value}");
        }
    }
}

/// The plans of the CUDA kernels, on a card if there is one, give what the generated Rust gives.
#[test]
fn cuda_agrees_with_rust() {
    let device = Device::cuda(0).unwrap_or_else(|_| Device::cpu());
    let shape = [33, 40];
    let image = cubic(shape);
    let mut rust = FromMacro::new(shape).unwrap();
    let mut expected = vec![0.0; rust.coefficient_len()];
    rust.forward(&image, &mut expected).unwrap();
    let plan = OnCard::plan(&shape).unwrap().device(&device).build().unwrap();
    let mut got = vec![0.0; plan.coefficient_len()];
    plan.forward(&image, &mut got, &mut plan.workspace()).unwrap();
    assert!(expected.iter().zip(&got).all(|(a, b)| (a - b).abs() < 1e-4));
    if let Some(card) = plan.on_card() {
        assert_eq!(card.source(), OnCard::SOURCE);
    }
    let lines = LinesOnCard::plan(&shape).unwrap().axes(&[1]).device(&device).build().unwrap();
    let mut coefficients = vec![0.0; lines.coefficient_len()];
    let mut back = vec![0.0; image.len()];
    let mut workspace = lines.workspace();
    lines.forward(&image, &mut coefficients, &mut workspace).unwrap();
    lines.inverse(&coefficients, &mut back, &mut workspace).unwrap();
    assert!(image.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-4));
    assert!(LinesOnCard::SOURCE.contains("--strategy trapezoid"));
}
