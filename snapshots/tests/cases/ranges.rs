//! Integers at the ends of their ranges.

use crate::{band, forward, inverse, plan, split, wavelet};
use waveloom::wavelets::Mode;
use waveloom::{Element, ExecuteError, Plan};

/// One level of rev53 on 8 samples.
fn reversible<T: Element>() -> Plan<T> {
    Plan::builder(&wavelet("rev53"), &[8]).build().unwrap()
}

#[test]
fn c86_extremes_are_widened_or_refused() {
    let wide = reversible::<i32>();
    let signal = [i32::from(i16::MAX), i32::from(i16::MIN)].repeat(4);
    let coefficients = forward(&wide, &signal);
    assert_eq!(band(&wide, &coefficients, "d1"), [-65_535; 4]);
    assert_eq!(inverse(&wide, &coefficients), signal);

    let wide = reversible::<i64>();
    let signal = [i64::from(i32::MAX), i64::from(i32::MIN)].repeat(4);
    let coefficients = forward(&wide, &signal);
    assert_eq!(band(&wide, &coefficients, "d1"), [-4_294_967_295; 4]);
    assert_eq!(inverse(&wide, &coefficients), signal);

    let narrow = reversible::<i16>();
    let signal = [i16::MAX, i16::MIN].repeat(4);
    let error = narrow.forward(&signal, &mut [0; 8], &mut narrow.workspace()).unwrap_err();
    let bound = narrow.max_input().unwrap();
    let (element, mode) = ("i16", narrow.mode());
    let expected = ExecuteError::CouldOverflow { largest: 32_768, bound, element, mode, levels: 1 };
    assert_eq!(error, expected);
    assert!(error.to_string().contains(&bound.to_string()), "{error}");
}

#[test]
fn c89_the_bound_itself_is_legal() {
    let plan = reversible::<i16>();
    let bound = i16::try_from(plan.max_input().unwrap()).unwrap();
    assert!(bound > 4000, "bytes and 12-bit samples fit: {bound}");
    for signal in
        [[bound; 8], [-bound; 8], [bound, -bound, bound, -bound, bound, -bound, bound, -bound]]
    {
        let coefficients = forward(&plan, &signal);
        assert_eq!(inverse(&plan, &coefficients), signal);
    }
    let mut beyond = [0; 8];
    beyond[3] = bound + 1;
    assert!(plan.forward(&beyond, &mut [0; 8], &mut plan.workspace()).is_err());
}

#[test]
fn c89_integers_in_floats_are_not_cut_off() {
    let (low, high) = split("haar", Mode::Symmetric, &[0, 1, 0, 1].map(f64::from));
    let root = std::f64::consts::FRAC_1_SQRT_2;
    crate::assert_printed(&low, &[root, root]);
    crate::assert_printed(&high, &[-root, -root]);
    // A float wavelet is not defined on integers: said, not cut off to zeros.
    let error = Plan::<i32>::builder(&wavelet("haar"), &[4]).build().err().unwrap();
    assert!(error.to_string().contains("integer"), "{error}");
    let plan = plan::<f32>("haar", &[2], Mode::Symmetric, 1);
    let largest = f32::MAX / 2.0;
    let coefficients = forward(&plan, &[largest, 0.0]);
    assert!(coefficients.iter().all(|value| value.is_finite() && *value != 0.0));
}

#[test]
fn c89_what_is_too_large_is_found_wherever_it_stands() {
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[9], &[0]),
        (&[300], &[0]),
        (&[37, 70], &[0, 1]),
        (&[36, 72], &[0, 1]),
        (&[3, 20, 68], &[1, 2]),
        (&[20, 3], &[0, 1]),
        (&[20, 4], &[0, 1]),
        (&[6, 10, 66], &[0, 1, 2]),
        (&[8, 12, 68], &[0, 1, 2]),
    ];
    for (name, even) in [("rev53", false), ("ccsds97m", true)] {
        let fits = |(shape, axes): &(&[usize], &[usize])| {
            !even || axes.iter().all(|axis| shape[*axis].is_multiple_of(4))
        };
        for (shape, axes) in shapes.into_iter().filter(fits) {
            let build = || wavelet(name);
            let narrow: Plan<i16> =
                Plan::builder(&build(), shape).axes(axes).levels(2).build().unwrap();
            let wide: Plan<i64> =
                Plan::builder(&build(), shape).axes(axes).levels(2).build().unwrap();
            let mut workspace = narrow.workspace();
            let bound = i16::try_from(narrow.max_input().unwrap()).unwrap();
            let mut coefficients = vec![0_i16; narrow.coefficient_len()];
            let len = narrow.signal_len();
            let places = (0..len).step_by(1 + len / 50).chain([len - 1]);
            for place in places {
                let mut signal = vec![1; len];
                signal[place] = -bound - 1;
                let error = narrow.forward(&signal, &mut coefficients, &mut workspace).unwrap_err();
                let found = matches!(error, ExecuteError::CouldOverflow { largest, .. }
                    if largest == u64::from(bound.unsigned_abs()) + 1);
                assert!(found, "{name} {shape:?} {place}: {error}");
                signal[place] = bound;
                narrow.forward(&signal, &mut coefficients, &mut workspace).unwrap();
            }
            // Coefficients beyond what is proved are reconstructed exactly, or refused.
            let len = coefficients.len();
            for place in (0..len).step_by(1 + len / 50).chain([len - 1]) {
                let mut given = vec![0; len];
                given[place] = i16::MAX;
                let exact: Vec<i64> = given.iter().map(|value| i64::from(*value)).collect();
                let exact = inverse(&wide, &exact);
                let mut signal = vec![0; narrow.signal_len()];
                if narrow.inverse(&given, &mut signal, &mut workspace).is_ok() {
                    let signal: Vec<i64> = signal.iter().map(|value| i64::from(*value)).collect();
                    assert_eq!(signal, exact, "{name} {shape:?} {place}");
                } else {
                    let legal = vec![1; len];
                    assert!(narrow.inverse(&legal, &mut signal, &mut workspace).is_ok());
                }
            }
        }
    }
}
