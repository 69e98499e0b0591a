//! Data types, layout, axes.

use crate::{band, distance, forward, inverse, plan, split, wave, wavelet};
use ndarray::ArrayView2;
use waveloom::plan::Coefficients;
use waveloom::wavelets::Mode;
use waveloom::{ExecuteError, Plan, PlanError};

#[test]
fn c49_bands_of_different_precision_meet_in_double() {
    let signal = wave(20);
    let narrow: Vec<f32> = signal.iter().map(|value| *value as f32).collect();
    let plan = plan::<f64>("db3", &[20], Mode::Symmetric, 1);
    let (low, _) = split("db3", Mode::Symmetric, &narrow);
    let (_, high) = split("db3", Mode::Symmetric, &signal);
    let low: Vec<f64> = low.into_iter().map(f64::from).collect();
    let views = [("a", &low), ("d1", &high)].map(|(key, values)| {
        (key, ndarray::ArrayView::from_shape(values.len(), values).unwrap().into_dyn())
    });
    let back = plan.inverse_array(&Coefficients::from_bands(&plan, views).unwrap()).unwrap();
    let error = distance(back.as_slice().unwrap(), &signal);
    assert!(error > 1e-10 && error < 1e-6, "{error:e}");
}

#[test]
fn c50_input_is_only_read() {
    static SIGNAL: [[f32; 4]; 2] = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    let haar = wavelet("haar");
    let plan = Plan::<f32>::builder(&haar, &[2, 4]).axes(&[1]).build().unwrap();
    let coefficients = plan.forward_array(ArrayView2::from(&SIGNAL)).unwrap();
    let shared = coefficients.clone();
    let back = plan.inverse_array(&coefficients).unwrap();
    assert!(back.iter().zip(SIGNAL.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-5));
    assert_eq!(shared.values(), coefficients.values());
}

#[test]
fn c52_other_axes_stay_untouched() {
    let db2 = wavelet("db2");
    let signal = wave(1024);
    let plan = Plan::<f64>::builder(&db2, &[1, 32, 32]).axes(&[1, 2]).levels(3).build().unwrap();
    let back = inverse(&plan, &forward(&plan, &signal));
    assert!(distance(&back, &signal) < 1e-12);
    assert!(plan.bands().iter().all(|band| band.shape[0] == 1));
    let rows = Plan::<f64>::builder(&db2, &[16, 16]).axes(&[1]).levels(2).build().unwrap();
    let coefficients = forward(&rows, &signal[..256]);
    assert!(distance(&inverse(&rows, &coefficients), &signal[..256]) < 1e-12);
    let line = Plan::<f64>::builder(&db2, &[16]).levels(2).build().unwrap();
    for row in 0..16 {
        let alone = forward(&line, &signal[16 * row..][..16]);
        for key in ["a", "d2", "d1"] {
            let len = line.band(key).unwrap().len;
            let together = &band(&rows, &coefficients, key)[row * len..][..len];
            assert!(distance(together, band(&line, &alone, key)) < 1e-14);
        }
    }
    for (axes, dims) in [(&[0, 0][..], 2), (&[2], 2), (&[], 2)] {
        let error = Plan::<f64>::builder(&db2, &vec![4; dims]).axes(axes).build();
        assert!(error.is_err(), "{axes:?}");
    }
}

#[test]
fn c55_poison_stays_local() {
    let nan = f64::NAN;
    let signal = [1.0, 2.0, nan, 4.0, 5.0, 6.0, 7.0, 8.0];
    let (low, high) = split("db2", Mode::Periodization, &signal);
    assert!(low[0].is_nan() && low[1].is_nan() && high[0].is_nan() && high[1].is_nan());
    crate::assert_printed(&low[2..], &[6.553430, 10.417133]);
    crate::assert_printed(&high[2..], &[0.0, 3.863703]);
    let infinity = f64::INFINITY;
    let (low, high) = split("haar", Mode::Symmetric, &[1.0, infinity, 3.0, 4.0]);
    assert_eq!((low[0], high[0]), (infinity, -infinity));
    crate::assert_printed(&low[1..], &[4.949747]);
    crate::assert_printed(&high[1..], &[-std::f64::consts::FRAC_1_SQRT_2]);
    let (low, _) = split("haar", Mode::Symmetric, &[3e38_f32, 3e38]);
    assert_eq!(low, [f32::INFINITY]);
    // Nothing is flushed to zero.
    let (low, _) = split("haar", Mode::Symmetric, &[5e-324_f64, 5e-324]);
    assert!(low[0] > 0.0 && low[0] <= 1e-323, "{:e}", low[0]);
}

#[test]
fn c59_sizes_have_64_bits() {
    let haar = wavelet("haar");
    for shape in [[23_000, 30_000], [46_341, 46_341], [70_000, 70_001]] {
        let plan = Plan::<f32>::builder(&haar, &shape).mode(Mode::Jpeg2000).build();
        assert!(plan.is_err(), "haar is not whole-sample symmetric");
        let plan = Plan::<f32>::builder(&haar, &shape).build().unwrap();
        let sides = shape.map(|len| 2 * len.div_ceil(2));
        assert_eq!(plan.coefficient_len(), sides[0] * sides[1]);
        let last = plan.bands().last().unwrap();
        assert_eq!(last.offset + last.len, plan.coefficient_len());
    }
    let huge = [usize::MAX / 2, 1 << 20];
    let error = Plan::<f32>::builder(&haar, &huge).axes(&[1]).build().err().unwrap();
    assert!(matches!(error, PlanError::TooLarge { .. }), "{error}");
}

#[test]
fn c60_the_plan_says_how_large_the_buffer_must_be() {
    let plan = plan::<f64>("db15", &[1024], Mode::Symmetric, 5);
    assert_eq!(plan.coefficient_len(), 1167);
    let (signal, mut small) = (wave(1024), vec![7.0; 1106]);
    let error = plan.forward(&signal, &mut small, &mut plan.workspace()).unwrap_err();
    assert_eq!(error, ExecuteError::Length { what: "coefficients", expected: 1167, got: 1106 });
    assert!(small.iter().all(|value| *value == 7.0), "nothing is written on an error");
}

#[test]
fn c62_a_batch_of_one_keeps_its_shape() {
    let db2 = wavelet("db2");
    for (shape, axes) in [(&[1, 12][..], &[1][..]), (&[12, 1], &[0]), (&[1, 6, 1], &[1])] {
        let plan = Plan::<f64>::builder(&db2, shape).axes(axes).levels(2).build().unwrap();
        let signal = ndarray::ArrayD::from_shape_vec(shape, wave(plan.signal_len())).unwrap();
        let coefficients = plan.forward_array(signal.view()).unwrap();
        for (key, band) in coefficients.bands() {
            assert_eq!(band.ndim(), shape.len(), "{key}");
            let batch = (0..shape.len()).filter(|axis| !axes.contains(axis));
            assert!(batch.into_iter().all(|axis| band.shape()[axis] == 1), "{key}");
        }
        assert_eq!(plan.inverse_array(&coefficients).unwrap().shape(), shape);
    }
}
