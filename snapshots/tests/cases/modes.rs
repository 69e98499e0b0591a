//! Boundary modes.

use crate::{assert_printed, distance, forward, plan, split, wave, wavelet};
use waveloom::wavelets::extension::{Extension, ExtensionKind, UnknownMode};
use waveloom::wavelets::{Mode, catalogue};

type Row = (Mode, [f64; 5], [f64; 5]);

#[test]
fn every_mode_of_one_level_of_db2() {
    let signal = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0];
    #[rustfmt::skip]
    let table: [Row; 8] = [
        (Mode::Zero, [0.543022, 3.052571, 2.724402, 10.391749, 0.965926], [2.026586, 2.250730, -0.905867, -0.991310, -0.258819]),
        (Mode::Constant, [4.501460, 3.052571, 2.724402, 10.132930, 2.828427], [0.965926, 2.250730, -0.905867, -1.957236, 0.0]),
        (Mode::Symmetric, [3.535534, 3.052571, 2.724402, 10.132930, 4.009206], [1.224745, 2.250730, -0.905867, -1.957236, 4.406725]),
        (Mode::Periodic, [6.562721, 3.052571, 2.724402, 10.003520, 3.181981], [0.413613, 2.250730, -0.905867, -2.440199, -2.026586]),
        (Mode::Smooth, [8.106344, 3.052571, 2.724402, 11.038797, -3.447601], [0.0, 2.250730, -0.905867, 1.423505, 0.0]),
        (Mode::Reflect, [3.311390, 3.052571, 2.724402, 9.227063, 9.485882], [1.284804, 2.250730, -0.905867, -5.337976, 1.423505]),
        (Mode::Antisymmetric, [-2.449490, 3.052571, 2.724402, 10.650568, -2.077354], [2.828427, 2.250730, -0.905867, -0.025384, -4.924363]),
        (Mode::Antireflect, [5.691529, 3.052571, 2.724402, 11.038797, -3.829028], [0.647048, 2.250730, -0.905867, 1.423505, -1.423505]),
    ];
    for (mode, low, high) in table {
        let got = split("db2", mode, &signal);
        assert_printed(&got.0, &low);
        assert_printed(&got.1, &high);
    }
    let (low, high) = split("db2", Mode::Periodization, &signal);
    assert_printed(&low, &[3.181981, 3.406124, 6.424020, 6.079758]);
    assert_printed(&high, &[-2.026586, -2.604283, 5.312592, -1.388830]);
}

#[test]
fn c39_periodization_repeats_the_last_of_an_odd_signal() {
    for name in ["haar", "db2", "db5", "bior4.4"] {
        for len in [1, 3, 7, 15, 33] {
            let odd = wave(len);
            let mut even = odd.clone();
            even.push(odd[len - 1]);
            let (low, high) = split(name, Mode::Periodization, &odd);
            let (same_low, same_high) = split(name, Mode::Periodization, &even);
            assert!(distance(&low, &same_low) < 1e-14, "{name} {len}");
            assert!(distance(&high, &same_high) < 1e-14, "{name} {len}");
        }
    }
}

#[test]
fn c41_details_of_a_constant() {
    let floats = plan::<f64>("haar", &[16, 16], Mode::Symmetric, 2);
    let coefficients = forward(&floats, &[137.0; 256]);
    let details = &coefficients[floats.band("aa").unwrap().len..];
    assert!(details.iter().all(|value| value.abs() < 1e-12));
    let integers = plan::<i32>("rev53", &[16, 16], Mode::Jpeg2000, 2);
    let coefficients = forward(&integers, &[137; 256]);
    let low = integers.band("aa").unwrap().len;
    assert!(coefficients[..low].iter().all(|value| *value == 137));
    assert!(coefficients[low..].iter().all(|value| *value == 0));
}

#[test]
fn c42_extension_by_nothing_is_the_identity() {
    let kinds = [
        ExtensionKind::Zero,
        ExtensionKind::Constant,
        ExtensionKind::Symmetric,
        ExtensionKind::Reflect,
        ExtensionKind::Periodic,
        ExtensionKind::Smooth,
        ExtensionKind::Antisymmetric,
        ExtensionKind::Antireflect,
        ExtensionKind::PeriodicEven,
    ];
    for kind in kinds {
        let extension = Extension::new(kind, 3);
        for i in 0..3 {
            assert_eq!(extension.weights(i as i64).terms(), [(i, 1)], "{kind:?}");
        }
    }
    // An odd period gets one more sample: the last once more.
    let even = Extension::new(ExtensionKind::PeriodicEven, 3);
    assert_eq!([3, 4, -1].map(|i| even.weights(i).terms()[0].0), [2, 0, 2]);
}

#[test]
fn c44_names_are_looked_up_strictly() {
    assert_eq!(catalogue::wavelet("DB4").unwrap().name(), "db4");
    for (short, mode) in [
        ("sym", Mode::Symmetric),
        ("per", Mode::Periodization),
        ("ppd", Mode::Periodic),
        ("zpd", Mode::Zero),
    ] {
        assert_eq!(short.parse(), Ok(mode));
    }
    for name in ["symh", "sp0", "SYMMETRIC"] {
        let error: UnknownMode = name.parse::<Mode>().unwrap_err();
        assert!(error.to_string().contains("expected one of zero, constant"), "{error}");
    }
    for name in ["db04", "db0", "db39", "bior2.3", "sym1", "coif0", " db4"] {
        let error = catalogue::wavelet(name).unwrap_err();
        let nearest = error.nearest.clone().expect("all of these are close to a name");
        assert!(catalogue::wavelet(&nearest).is_ok());
        assert!(error.to_string().contains(&format!("did you mean '{nearest}'?")), "{error}");
    }
    assert_eq!(wavelet("haar").bank().length(), 2);
}
