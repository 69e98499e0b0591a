//! Plans: sizes, errors, arrays, sets of bands, integers, poison.

use ndarray::{Array1, Array2, Axis, array};
use waveloom::plan::max_levels;
use waveloom::wavelets::{Mode, SchemeKind, Wavelet, catalogue};
use waveloom::{Coefficients, ExecuteError, Plan, PlanError};

fn wavelet(name: &str) -> Wavelet {
    catalogue::wavelet(name).unwrap()
}

fn forward<T: waveloom::Element>(plan: &Plan<T>, signal: &[T]) -> Vec<T> {
    let mut coefficients = vec![T::default(); plan.coefficient_len()];
    plan.forward(signal, &mut coefficients, &mut plan.workspace()).unwrap();
    coefficients
}

fn inverse<T: waveloom::Element>(plan: &Plan<T>, coefficients: &[T]) -> Vec<T> {
    let mut signal = vec![T::default(); plan.signal_len()];
    plan.inverse(coefficients, &mut signal, &mut plan.workspace()).unwrap();
    signal
}

#[test]
fn odd_lengths_come_back_exactly() {
    let haar = wavelet("haar");
    for mode in [Mode::Symmetric, Mode::Periodization] {
        let plan = Plan::<f64>::builder(&haar, &[7]).mode(mode).build().unwrap();
        let signal = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let coefficients = forward(&plan, &signal);
        const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
        let expected = [2.121320, 4.949747, 7.778175, 9.899495, -HALF, -HALF, -HALF, 0.0];
        for (got, expected) in coefficients.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-6, "{mode}: {got} {expected}");
        }
        let back = inverse(&plan, &coefficients);
        assert!(back.iter().zip(&signal).all(|(a, b)| (a - b).abs() < 1e-12), "{mode}");
    }
}

#[test]
fn levels_follow_the_formula() {
    let cases = [
        (8, "haar", 3),
        (23, "db2", 2),
        (7, "db4", 0),
        (1, "haar", 0),
        (5, "haar", 2),
        (0, "haar", 0),
    ];
    for (len, name, levels) in cases {
        assert_eq!(max_levels(&wavelet(name), len), levels, "{name} {len}");
    }
}

#[test]
fn no_levels_are_the_identity() {
    let plan = Plan::<f32>::builder(&wavelet("db4"), &[3]).levels(0).build().unwrap();
    assert_eq!(forward(&plan, &[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    assert_eq!(inverse(&plan, &[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    assert_eq!(plan.bands()[0].key, "a");
}

#[test]
fn what_cannot_be_planned_is_said() {
    let (haar, rev53) = (wavelet("haar"), wavelet("rev53"));
    let error = |build: Result<Plan<f64>, PlanError>| build.unwrap_err().to_string();
    let plan = |shape: &[usize]| Plan::<f64>::builder(&haar, shape);
    assert_eq!(error(plan(&[]).build()), "at least one axis must be transformed; the array is 0-D");
    assert_eq!(error(plan(&[4, 4]).axes(&[2]).build()), "axis 2 does not exist: the array is 2-D");
    assert_eq!(error(plan(&[4, 4]).axes(&[1, 1]).build()), "axis 1 is listed twice");
    assert!(error(plan(&[2, 2, 2, 2]).build()).contains("at most 3 axes"));
    assert!(
        error(plan(&[1]).mode(Mode::Reflect).build()).contains("length must exceed 1 for reflect")
    );
    assert!(error(plan(&[0]).build()).contains("empty"));
    assert!(error(plan(&[8]).levels(65).build()).contains("65 levels"));
    assert!(error(plan(&[8, 8]).scheme(SchemeKind::Lattice).build()).contains("2-D"));
    assert!(error(plan(&[1 << 40, 1 << 40]).build()).contains("larger than any memory"));
    let rounded = Plan::<f64>::builder(&rev53, &[8]).build().unwrap_err();
    assert!(rounded.to_string().contains("f64 elements need an unrounded scheme"), "{rounded}");
    let float = Plan::<i32>::builder(&haar, &[8]).build().unwrap_err();
    assert!(float.to_string().contains("i32 elements need a rounded"), "{float}");
}

#[test]
fn empty_batches_are_legal() {
    let plan = Plan::<f64>::builder(&wavelet("haar"), &[0, 4]).axes(&[1]).build().unwrap();
    assert_eq!(plan.bands()[0].shape, [0, 2]);
    assert_eq!(forward(&plan, &[]), [0.0; 0]);
}

#[test]
fn wrong_lengths_and_foreign_workspaces_are_refused() {
    let plan = Plan::<f64>::builder(&wavelet("db2"), &[8]).build().unwrap();
    let other = Plan::<f64>::builder(&wavelet("db2"), &[8]).build().unwrap();
    let mut workspace = plan.workspace();
    let mut coefficients = vec![0.0; 10];
    let short = plan.forward(&[0.0; 7], &mut coefficients, &mut workspace).unwrap_err();
    assert_eq!(short.to_string(), "signal: expected 8 values, got 7");
    let long = plan.forward(&[0.0; 8], &mut [0.0; 11], &mut workspace).unwrap_err();
    assert_eq!(long.to_string(), "coefficients: expected 10 values, got 11");
    let foreign = plan.forward(&[0.0; 8], &mut coefficients, &mut other.workspace());
    assert_eq!(foreign, Err(ExecuteError::ForeignWorkspace));
}

#[test]
fn sizes_can_be_asked_for() {
    let plan = Plan::<f64>::builder(&wavelet("db15"), &[1024]).levels(5).build().unwrap();
    assert_eq!(plan.coefficient_len(), 1167);
}

#[test]
fn sets_of_bands_tell_the_signal() {
    let sym4 = wavelet("sym4");
    let plan = |bands: &[(&str, &[usize])]| {
        Plan::<f64>::builder_for_bands(&sym4, bands).mode(Mode::Symmetric).build()
    };
    assert_eq!(plan(&[("a", &[8]), ("d1", &[8])]).unwrap().shape(), [10]);
    assert_eq!(plan(&[("d1", &[8])]).unwrap().shape(), [10]);
    // An approximation one longer than the detail loses its last sample.
    let two = plan(&[("a", &[8]), ("d2", &[8]), ("d1", &[9])]).unwrap();
    assert_eq!((two.shape(), two.levels()), (&[12][..], 2));
    assert_eq!(plan(&[("a", &[9]), ("d1", &[8])]).unwrap().shape(), [10]);
    // A finest detail that is left out does not shorten anything.
    assert_eq!(plan(&[("a", &[8]), ("d2", &[8]), ("d1", &[0])]).unwrap().shape(), [14]);
    let wrong = plan(&[("a", &[8]), ("d1", &[6])]).unwrap_err();
    assert_eq!(wrong.to_string(), "band d1: expected 8 coefficients on axis 0, got 6");
    assert!(plan(&[("a", &[3]), ("d1", &[3])]).unwrap_err().to_string().contains("too few"));
    assert!(plan(&[("b", &[3])]).unwrap_err().to_string().contains("one letter 'a' or 'd'"));
    assert!(plan(&[("d", &[3])]).unwrap_err().to_string().contains("have a level"));
    assert!(plan(&[]).is_err());
}

#[test]
fn sets_of_bands_that_no_signal_has() {
    let (haar, bior) = (wavelet("haar"), wavelet("bior2.2"));
    let five: [(&str, &[usize]); 2] = [("a", &[5]), ("d1", &[5])];
    for mode in [Mode::Jpeg2000, Mode::Symmetric, Mode::Periodization] {
        for levels in [65, 4_000_000_000, usize::MAX] {
            let bands = Plan::<f64>::builder_for_bands(&bior, &five).mode(mode).levels(levels);
            let error = bands.build().unwrap_err().to_string();
            assert!(
                error.contains("levels were asked for; at most 64"),
                "{mode} {levels}: {error}"
            );
        }
        let deep: [(&str, &[usize]); 2] = [("a", &[5]), ("d18446744073709551615", &[5])];
        assert!(Plan::<f64>::builder_for_bands(&bior, &deep).mode(mode).build().is_err(), "{mode}");
        let long: [(&str, &[usize]); 2] = [("a", &[usize::MAX]), ("d1", &[usize::MAX])];
        assert!(Plan::<f64>::builder_for_bands(&bior, &long).mode(mode).build().is_err(), "{mode}");
    }
    // The first band has three axes and no elements, the one that counts has one axis.
    let bands: [(&str, &[usize]); 2] = [("a", &[0, 0, 0]), ("d1", &[5])];
    let error = Plan::<f64>::builder_for_bands(&haar, &bands).axes(&[2]).build().unwrap_err();
    assert!(matches!(error, PlanError::AxisOutOfRange { axis: 2, dims: 1 }), "{error}");
}

/// Batches of no lines: nothing is done and nothing allocated, however long the lines are; but extents are no larger
/// than arrays have.
#[test]
fn empty_batches() {
    let haar = wavelet("haar");
    for (shape, axes) in [
        (&[0, 4, 1 << 40][..], &[1][..]),
        (&[0, 4, 1 << 40], &[1, 2]),
        (&[0, 1 << 30, 1 << 25], &[1, 2]),
        (&[1 << 40, 6, 0], &[0, 1]),
        (&[0, 7], &[1]),
    ] {
        let plan = Plan::<f64>::builder(&haar, shape).axes(axes).levels(2).build().unwrap();
        assert_eq!((plan.signal_len(), plan.coefficient_len()), (0, 0));
        let mut workspace = plan.workspace();
        plan.forward(&[], &mut [], &mut workspace).unwrap();
        plan.inverse(&[], &mut [], &mut workspace).unwrap();
        plan.adjoint(&[], &mut [], &mut workspace).unwrap();
    }
    let rev53 = wavelet("rev53");
    let plan = Plan::<i32>::builder(&rev53, &[0, 4, 1 << 36]).axes(&[1]).build().unwrap();
    plan.forward(&[], &mut [], &mut plan.workspace()).unwrap();
    for shape in [[0, 1 << 40, 1 << 40], [1 << 40, 0, 1 << 40], [1 << 40, 1 << 40, 0]] {
        let axes: Vec<usize> = (0..3).filter(|axis| shape[*axis] > 0).collect();
        let error = Plan::<f32>::builder(&haar, &shape).axes(&axes).build().unwrap_err();
        assert!(matches!(error, PlanError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn sets_of_bands_in_other_modes_and_dimensions() {
    let (haar, rev53) = (wavelet("haar"), wavelet("rev53"));
    let whole =
        Plan::<i32>::builder_for_bands(&rev53, &[("a", &[3]), ("d1", &[2])]).build().unwrap();
    assert_eq!(whole.shape(), [5]);
    let single =
        Plan::<i32>::builder_for_bands(&rev53, &[("a", &[1]), ("d1", &[0])]).build().unwrap();
    assert_eq!(single.shape(), [1]);
    let bands: [(&str, &[usize]); 4] =
        [("aa", &[2, 3, 4]), ("ad2", &[2, 3, 4]), ("da1", &[2, 5, 7]), ("dd1", &[2, 5, 7])];
    let plane = Plan::<f32>::builder_for_bands(&haar, &bands)
        .axes(&[1, 2])
        .mode(Mode::Periodization)
        .build()
        .unwrap();
    assert_eq!((plane.shape(), plane.levels()), (&[2, 10, 14][..], 2));
}

#[test]
fn arrays_of_any_strides_and_bands_by_key() {
    let plan = Plan::<f64>::builder(&wavelet("bior2.2"), &[6, 9]).levels(2).build().unwrap();
    let signal = Array2::from_shape_fn((9, 6), |(i, j)| ((i * 5 + j * 7) % 11) as f64);
    let coefficients = plan.forward_array(signal.t()).unwrap();
    let same = plan.forward_array(signal.t().to_owned().view()).unwrap();
    assert_eq!(coefficients.values(), same.values());
    let keys: Vec<&str> = coefficients.bands().map(|(key, _)| key).collect();
    assert_eq!(keys, ["aa", "ad2", "da2", "dd2", "ad1", "da1", "dd1"]);
    let back = plan.inverse_array(&coefficients).unwrap();
    assert!(back.iter().zip(signal.t()).all(|(a, b)| (a - b).abs() < 1e-12));

    let again = Coefficients::from_bands(&plan, coefficients.bands()).unwrap();
    assert_eq!(again.values(), coefficients.values());
    let only = [("aa", coefficients.band("aa").unwrap())];
    let approximation = Coefficients::from_bands(&plan, only).unwrap();
    assert!(approximation.band("dd1").unwrap().iter().all(|value| *value == 0.0));
    let unknown = Coefficients::from_bands(&plan, [("dd3", array![[0.0]].view().into_dyn())]);
    assert!(
        unknown.unwrap_err().to_string().starts_with("no band is named dd3; expected one of aa")
    );
    assert!(plan.forward_array(signal.view()).is_err());
}

#[test]
fn a_surplus_sample_of_the_approximation_is_dropped() {
    let plan = Plan::<f64>::builder_for_bands(&wavelet("db2"), &[("a", &[6]), ("d1", &[5])])
        .mode(Mode::Zero)
        .build()
        .unwrap();
    let long = Array1::from_iter((0..6).map(f64::from));
    let coefficients = Coefficients::from_bands(&plan, [("a", long.view().into_dyn())]).unwrap();
    assert_eq!(coefficients.band("a").unwrap().len_of(Axis(0)), 5);
}

#[test]
fn poison_stays_local() {
    let db2 = wavelet("db2");
    for scheme in [SchemeKind::Convolution, db2.default_scheme(1)] {
        let plan = Plan::<f64>::builder(&db2, &[8])
            .mode(Mode::Periodization)
            .scheme(scheme)
            .build()
            .unwrap();
        let got = forward(&plan, &[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let finite: Vec<bool> = got.iter().map(|value| value.is_finite()).collect();
        assert_eq!(finite, [false, false, true, true, false, false, true, true], "{scheme}");
        assert!((got[2] - 6.553430).abs() < 1e-6 && (got[7] - 3.863703).abs() < 1e-6);
    }
    let haar = wavelet("haar");
    let plan = Plan::<f32>::builder(&haar, &[2]).scheme(SchemeKind::Convolution).build().unwrap();
    assert_eq!(forward(&plan, &[3e38, 3e38])[0], f32::INFINITY);
    let lifting = SchemeKind::Lifting;
    let plan = Plan::<f64>::builder(&haar, &[2]).scheme(lifting).build().unwrap();
    assert_eq!(forward(&plan, &[5e-324, 5e-324])[0], 1e-323 * 0.7);
}

#[test]
fn antireflected_poison_at_the_far_end_stays_there() {
    let mut signal = [1.0; 32];
    signal[31] = f64::NAN;
    for mode in [Mode::Antireflect, Mode::Smooth, Mode::Zero, Mode::Antisymmetric] {
        let plan = Plan::<f64>::builder(&wavelet("bior2.2"), &[32]).mode(mode).build().unwrap();
        let got = forward(&plan, &signal);
        assert!(got[..14].iter().all(|value| value.is_finite()), "{mode} {got:?}");
    }
}

#[test]
fn integers_that_could_overflow_are_refused_with_the_bound() {
    let rev53 = wavelet("rev53");
    let plan = Plan::<i16>::builder(&rev53, &[8]).build().unwrap();
    let bound = plan.max_input().unwrap();
    assert!((8190..32767).contains(&bound), "{bound}");
    let at = i16::try_from(bound).unwrap();
    let largest: Vec<i16> = (0..8).map(|i| if i % 2 == 0 { at } else { -at }).collect();
    let coefficients = forward(&plan, &largest);
    assert_eq!(inverse(&plan, &coefficients), largest);
    let mut output = vec![0; 8];
    let refused = plan.forward(&[i16::MIN; 8], &mut output, &mut plan.workspace());
    let (element, mode) = ("i16", plan.mode());
    let expected = ExecuteError::CouldOverflow { largest: 32768, bound, element, mode, levels: 1 };
    assert_eq!(refused, Err(expected));
    // Coefficients that no signal has.
    let impossible = plan.inverse(&[i16::MAX; 8], &mut output, &mut plan.workspace());
    assert_eq!(impossible, Err(ExecuteError::Overflow { element: "i16" }));
}

#[test]
fn genuine_integer_coefficients_are_never_refused() {
    for (name, levels) in [("rev53", 3), ("ccsds97m", 2)] {
        let wavelet = wavelet(name);
        let plan = Plan::<i32>::builder(&wavelet, &[24, 16]).levels(levels).build().unwrap();
        let bound = plan.max_input().unwrap() as i32;
        for pattern in 0..4 {
            let sign = |i: usize| [i % 2, i / 16 % 2, (i + i / 16) % 2, i % 3][pattern] == 0;
            let signal: Vec<i32> =
                (0..24 * 16).map(|i| if sign(i) { bound } else { -bound }).collect();
            let coefficients = forward(&plan, &signal);
            assert_eq!(inverse(&plan, &coefficients), signal, "{name} {pattern}");
        }
    }
}

#[test]
fn extremes_need_the_wider_type() {
    let plan = Plan::<i64>::builder(&wavelet("rev53"), &[8]).build().unwrap();
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let got = forward(&plan, &[high, low, high, low, high, low, high, low]);
    assert!(got[4..].iter().all(|value| *value == -4_294_967_295));
}

#[test]
fn one_plan_serves_many_threads() {
    let plan = Plan::<f32>::builder(&wavelet("db4"), &[64, 64]).levels(2).build().unwrap();
    let signal: Vec<f32> = (0..4096).map(|i| (i % 97) as f32).collect();
    let expected = forward(&plan, &signal);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..16).map(|_| scope.spawn(|| forward(&plan, &signal))).collect();
        for handle in handles {
            assert_eq!(handle.join().unwrap(), expected);
        }
    });
}

#[test]
fn real_adjoints_pair() {
    let plan = Plan::<f64>::builder(&wavelet("db4"), &[64]).mode(Mode::Reflect).build().unwrap();
    let x: Vec<f64> = (0..64).map(|i| f64::from(i * 37 % 64) / 32.0 - 1.0).collect();
    let y: Vec<f64> =
        (0..plan.coefficient_len()).map(|i| (i * 29 % 71) as f64 / 35.0 - 1.0).collect();
    let mut back = vec![0.0; 64];
    plan.adjoint(&y, &mut back, &mut plan.workspace()).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    assert!((dot(&forward(&plan, &x), &y) - dot(&x, &back)).abs() < 1e-13);
    let rounded = Plan::<i32>::builder(&wavelet("rev53"), &[4]).build().unwrap();
    let refused = rounded.adjoint(&[0; 4], &mut [0; 4], &mut rounded.workspace());
    assert_eq!(refused, Err(ExecuteError::NoAdjoint));
}

/// Linear extrapolation grows with a filter's length: a line that is extrapolated keeps its digits by
/// convolution, others may be lattices or liftings.
#[test]
fn extrapolated_lines_keep_their_digits() {
    let long = wavelet("coif16");
    let plan = |mode| Plan::<f32>::builder(&long, &[5000]).mode(mode).levels(5).build().unwrap();
    assert_ne!(plan(Mode::Symmetric).scheme(), SchemeKind::Convolution);
    let plan = plan(Mode::Smooth);
    assert_eq!(plan.scheme(), SchemeKind::Convolution);
    let signal: Vec<f32> =
        (0..5000_u32).map(|n| ((n * 7919) % 1024) as f32 / 512.0 - 1.0).collect();
    let back = inverse(&plan, &forward(&plan, &signal));
    let error = signal.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(error < 2e-5, "{error}");
}
