//! Tiny, empty and too deep.

use crate::{assert_printed, band, distance, forward, inverse, plan, split, wave, wavelet};
use waveloom::plan::max_levels;
use waveloom::wavelets::Mode;
use waveloom::{Plan, PlanError};

fn refusal(name: &str, shape: &[usize], axes: &[usize], mode: Mode) -> PlanError {
    let wavelet = wavelet(name);
    let builder = Plan::<f64>::builder(&wavelet, shape).axes(axes).mode(mode);
    builder.build().expect_err("this case is illegal")
}

#[test]
fn c17_one_sample_cannot_be_reflected() {
    for mode in [Mode::Reflect, Mode::Antireflect] {
        for (shape, axes) in [(&[1][..], &[0][..]), (&[3, 1], &[1])] {
            let message = refusal("db1", shape, axes, mode).to_string();
            assert_eq!(message, format!("length must exceed 1 for {mode}, got 1"));
        }
        assert!(
            Plan::<f64>::builder(&wavelet("db1"), &[3, 1]).axes(&[0]).mode(mode).build().is_ok()
        );
    }
}

#[test]
fn c18_empty_axes_are_errors_and_empty_batches_are_not() {
    let message = refusal("db1", &[1, 0], &[0, 1], Mode::Symmetric).to_string();
    assert!(message.contains("empty"), "{message}");
    assert!(refusal("db1", &[0, 4], &[0], Mode::Symmetric).to_string().contains("empty"));
    let db1 = wavelet("db1");
    let plan = Plan::<f64>::builder(&db1, &[0, 4]).axes(&[1]).build().unwrap();
    assert_eq!(plan.band("a").unwrap().shape, [0, 2]);
    assert!(forward(&plan, &[]).is_empty());
    assert!(inverse(&plan, &[]).is_empty());
}

#[test]
fn c19_one_sample_through_a_long_filter() {
    let root = 2.828427;
    for mode in [Mode::Constant, Mode::Symmetric, Mode::Periodic, Mode::Smooth] {
        let (low, high) = split("db4", mode, &[2.0]);
        assert_printed(&low, &[root; 4]);
        assert_printed(&high, &[0.0; 4]);
    }
    let (low, high) = split("db4", Mode::Antisymmetric, &[2.0]);
    assert_printed(&low, &[0.0; 4]);
    assert_printed(&high, &[root; 4]);
    let (low, _) = split("db4", Mode::Zero, &[2.0]);
    assert_printed(&low, &[0.065766, -0.374070, 1.261762, 0.460756]);
    let (low, high) = split("db4", Mode::Periodization, &[2.0]);
    assert_printed(&low, &[root]);
    assert_printed(&high, &[0.0]);
}

#[test]
fn c23_haar_halves_down_to_one_sample() {
    assert_eq!(max_levels(&wavelet("haar"), 8), 3);
    assert_eq!(max_levels(&wavelet("haar"), 5), 2);
    let plan = plan::<f64>("haar", &[8], Mode::Symmetric, 3);
    let coefficients = forward(&plan, &[1.0; 8]);
    assert_eq!(plan.band("a").unwrap().len, 1);
    assert_printed(band(&plan, &coefficients, "a"), &[2.828427]);
}

#[test]
fn c24_the_level_formula_is_never_negative() {
    let cases = [
        (8, "haar", 3),
        (23, "db2", 2),
        (13, "db2", 2),
        (7, "db4", 0),
        (1, "haar", 0),
        (5, "haar", 2),
        (3, "db4", 0),
        (0, "db4", 0),
    ];
    for (len, name, levels) in cases {
        assert_eq!(max_levels(&wavelet(name), len), levels, "{name} {len}");
    }
    // The real lengths of bands say something else: 23 -> 13 -> 8.
    let plan = plan::<f64>("db2", &[23], Mode::Symmetric, 2);
    let details = ["d1", "d2"].map(|key| plan.band(key).unwrap().len);
    assert_eq!(details, [13, 8]);
}

#[test]
fn c26_no_level_is_the_identity() {
    let signal = [1.0, 2.0, 3.0];
    let plan = plan::<f64>("db4", &[3], Mode::Symmetric, 0);
    let coefficients = forward(&plan, &signal);
    assert_eq!(coefficients, signal);
    assert_eq!(inverse(&plan, &coefficients), signal);
}

#[test]
fn c30_no_level_of_an_image_is_the_identity() {
    let plan = plan::<i32>("rev53", &[5, 4], Mode::Jpeg2000, 0);
    let image: Vec<i32> = (-10..10).collect();
    assert_eq!(plan.bands().len(), 1);
    assert_eq!((plan.bands()[0].key.as_str(), &plan.bands()[0].shape[..]), ("aa", &[5, 4][..]));
    assert_eq!(inverse(&plan, &forward(&plan, &image)), image);
}

#[test]
fn c31_ten_levels_and_more() {
    for (name, mode) in [("irr97", Mode::Jpeg2000), ("bior4.4", Mode::Symmetric)] {
        for levels in [10, 11, 16] {
            let plan = plan::<f64>(name, &[4100], mode, levels);
            let signal = wave(4100);
            let back = inverse(&plan, &forward(&plan, &signal));
            assert!(distance(&back, &signal) < 1e-11, "{name} {levels}");
        }
    }
}

#[test]
fn c32_a_single_column_at_any_origin() {
    // 15 columns, 6 resolutions: five levels leave one column.
    for origin in [0, 1] {
        let rev53 = wavelet("rev53");
        let plan = Plan::<i32>::builder(&rev53, &[4, 15]).levels(5).origin(&[0, origin]);
        let plan = plan.mode(Mode::Jpeg2000).build().unwrap();
        let image: Vec<i32> = (0..60).map(|i| i * i % 251 - 100).collect();
        assert_eq!(inverse(&plan, &forward(&plan, &image)), image);
    }
    let rev53 = wavelet("rev53");
    let plan = Plan::<i32>::builder(&rev53, &[1]).origin(&[1]).build().unwrap();
    let coefficients = forward(&plan, &[21]);
    assert!(band(&plan, &coefficients, "a").is_empty());
    assert_eq!(band(&plan, &coefficients, "d1"), [42]);
    assert_eq!(inverse(&plan, &coefficients), [21]);
}

#[test]
fn c35_levels_beyond_reason() {
    let signal = wave(8);
    let plan = plan::<f64>("db2", &[8], Mode::Symmetric, 20);
    assert!(distance(&inverse(&plan, &forward(&plan, &signal)), &signal) < 1e-12);
    let db2 = wavelet("db2");
    let error = Plan::<f64>::builder(&db2, &[8]).levels(1000).build().err().unwrap();
    assert_eq!(error.to_string(), "1000 levels were asked for; at most 64 are possible");
}
