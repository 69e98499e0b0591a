//! Odd lengths and exact sizes.

use crate::{assert_printed, band, distance, forward, inverse, plan, split, wave, wavelet};
use waveloom::wavelets::Mode;
use waveloom::{Plan, plan::Coefficients};

#[test]
fn c01_an_odd_signal_comes_back_with_its_length() {
    let signal = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    for mode in [Mode::Symmetric, Mode::Periodization] {
        let plan = plan::<f64>("haar", &[7], mode, 1);
        let coefficients = forward(&plan, &signal);
        assert_printed(band(&plan, &coefficients, "a"), &[2.121320, 4.949747, 7.778175, 9.899495]);
        let step = -std::f64::consts::FRAC_1_SQRT_2;
        assert_printed(band(&plan, &coefficients, "d1"), &[step, step, step, 0.0]);
        assert!(distance(&inverse(&plan, &coefficients), &signal) < 1e-14);
        // Coefficients alone do not tell: the even length is taken.
        let haar = wavelet("haar");
        let shapes = [("a", &[4][..]), ("d1", &[4][..])];
        let bare = Plan::<f64>::builder_for_bands(&haar, &shapes).mode(mode).build().unwrap();
        assert_eq!(bare.shape(), [8]);
    }
}

#[test]
fn c02_jpeg2000_splits_without_redundancy() {
    let plan = plan::<f32>("irr97", &[511, 255], Mode::Jpeg2000, 1);
    let shapes: Vec<(&str, &[usize])> =
        plan.bands().iter().map(|band| (band.key.as_str(), &band.shape[..])).collect();
    let expected: [(&str, &[usize]); 4] =
        [("aa", &[256, 128]), ("ad1", &[256, 127]), ("da1", &[255, 128]), ("dd1", &[255, 127])];
    assert_eq!(shapes, expected);
    assert_eq!(plan.coefficient_len(), 511 * 255);
}

#[test]
fn c04_one_odd_axis_of_three() {
    let shape = [22, 155, 128];
    let plan = plan::<f64>("db2", &shape, Mode::Symmetric, 2);
    let ones = vec![1.0; plan.signal_len()];
    let coefficients = forward(&plan, &ones);
    assert!(distance(&inverse(&plan, &coefficients), &ones) < 1e-13);
    assert_eq!(plan.shape(), shape);
    let bands: Vec<(&str, &[usize])> =
        plan.bands().iter().map(|band| (band.key.as_str(), &band.shape[..])).collect();
    let db2 = wavelet("db2");
    let bare = Plan::<f64>::builder_for_bands(&db2, &bands).mode(Mode::Symmetric).build().unwrap();
    assert_eq!(bare.shape(), [22, 156, 128]);
}

#[test]
fn c06_length_does_not_drift_with_depth() {
    let signal = wave(1502);
    for levels in 1..=10 {
        let plan = plan::<f64>("bior1.1", &[1502], Mode::Symmetric, levels);
        let back = inverse(&plan, &forward(&plan, &signal));
        assert!(distance(&back, &signal) < 1e-12, "{levels} levels");
    }
}

#[test]
fn c07_length_travels_with_the_plan() {
    let plans = [9, 10].map(|len| plan::<f64>("sym4", &[len], Mode::Symmetric, 1));
    for plan in &plans {
        let lengths: Vec<usize> = plan.bands().iter().map(|band| band.len).collect();
        assert_eq!(lengths, [8, 8]);
        let signal = wave(plan.signal_len());
        assert!(distance(&inverse(plan, &forward(plan, &signal)), &signal) < 1e-14);
    }
    let shapes = [("a", &[8][..]), ("d1", &[8][..])];
    let bare = Plan::<f64>::builder_for_bands(&wavelet("sym4"), &shapes).build().unwrap();
    assert_eq!(bare.shape(), [10]);
}

#[test]
fn c08_expansive_modes_have_more_than_half() {
    let signal: Vec<f64> = (0..8).map(f64::from).collect();
    let (low, high) = split("db2", Mode::Symmetric, &signal);
    assert_printed(&low, &[0.353553, 0.896575, 3.725003, 6.553430, 9.545942]);
    assert_printed(&high, &[-0.612372, 0.0, 0.0, 0.0, 0.612372]);
}

#[test]
fn c10_a_tiny_odd_image_goes_deep() {
    let db1 = wavelet("db1");
    let plan = Plan::<f64>::builder(&db1, &[1, 3, 3, 3])
        .axes(&[2, 3])
        .levels(3)
        .mode(Mode::Symmetric)
        .build()
        .unwrap();
    let signal = wave(27);
    let back = inverse(&plan, &forward(&plan, &signal));
    assert_eq!(plan.shape(), [1, 3, 3, 3]);
    assert!(distance(&back, &signal) < 1e-14);
}

#[test]
fn c14_dropping_the_finest_details_keeps_the_size() {
    let plan = plan::<f64>("db4", &[512, 512], Mode::Symmetric, 6);
    let constant = vec![3.25; plan.signal_len()];
    let coefficients = Coefficients::new(&plan, forward(&plan, &constant)).unwrap();
    let kept = coefficients.bands().filter(|(key, _)| !key.ends_with('1'));
    let kept: Vec<(&str, ndarray::ArrayViewD<f64>)> = kept.collect();
    assert_eq!(kept.len(), coefficients.bands().count() - 3);
    let thinned = Coefficients::from_bands(&plan, kept).unwrap();
    let back = plan.inverse_array(&thinned).unwrap();
    assert_eq!(back.shape(), [512, 512]);
    assert!(back.iter().all(|value| (value - 3.25).abs() < 1e-11));
}

#[test]
fn c15_uneven_bands_do_not_pack_tightly() {
    let haar = plan::<f64>("haar", &[10], Mode::Periodization, 3);
    let lengths: Vec<usize> = haar.bands().iter().map(|band| band.len).collect();
    assert_eq!(lengths, [2, 2, 3, 5]);
    // Side by side, the bands of 10 x 13 need 14 x 18.
    let plan = plan::<f64>("db2", &[10, 13], Mode::Symmetric, 2);
    let extent = |axis: usize, keys: [&str; 3]| -> usize {
        keys.iter().map(|key| plan.band(key).unwrap().shape[axis]).sum()
    };
    assert_eq!([extent(0, ["aa", "da2", "da1"]), extent(1, ["aa", "ad2", "ad1"])], [14, 18]);
}
