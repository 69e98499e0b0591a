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
