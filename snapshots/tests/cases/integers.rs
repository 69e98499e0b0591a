//! Integer transforms.

use crate::{band, forward, inverse, split, wavelet};
use waveloom::Plan;
use waveloom::wavelets::Mode;

/// One level of rev53 with the first sample at a coordinate.
fn reversible(signal: &[i32], origin: i64) -> (Vec<i32>, Vec<i32>) {
    let rev53 = wavelet("rev53");
    let plan = Plan::<i32>::builder(&rev53, &[signal.len()]).origin(&[origin]).build().unwrap();
    assert_eq!(plan.mode(), Mode::Jpeg2000);
    let coefficients = forward(&plan, signal);
    assert_eq!(inverse(&plan, &coefficients), signal);
    (band(&plan, &coefficients, "a").to_vec(), band(&plan, &coefficients, "d1").to_vec())
}

fn pairs(first: i32, second: i32) -> Vec<i32> {
    [first, second].repeat(4)
}

#[test]
fn c82_the_origin_decides_which_samples_are_low() {
    let signal = [1, 2, 3, 4, 5];
    assert_eq!(reversible(&signal, 0), (vec![1, 3, 5], vec![0, 0]));
    assert_eq!(reversible(&signal, 1), (vec![2, 4], vec![-1, 0, 1]));
}

#[test]
fn c85_rounding_goes_down_for_negative_numbers_too() {
    assert_eq!(reversible(&[-1, -2, -4, -4], 0), (vec![0, -4], vec![1, 0]));
}

#[test]
fn c86_bytes_become_nine_bits() {
    assert_eq!(reversible(&pairs(0, 255), 0), (vec![128; 4], vec![255; 4]));
    assert_eq!(reversible(&pairs(255, 0), 0).1, [-255; 4]);
}

#[test]
fn c88_values_of_the_ccsds_transform() {
    let transform = |signal: &[i32]| split("ccsds97m", Mode::Jpeg2000, signal);
    let rising: Vec<i32> = (0..8).collect();
    assert_eq!(transform(&rising), (vec![0, 2, 4, 6], vec![0, 0, 0, 1]));
    assert_eq!(transform(&pairs(0, 255)), (vec![127; 4], vec![255; 4]));
    assert_eq!(transform(&pairs(255, 0)), (vec![127; 4], vec![-255; 4]));
    assert_eq!(transform(&pairs(10, 10)), (vec![10; 4], vec![0; 4]));
    let falling: Vec<i32> = (1..=8).map(|value| -value).collect();
    assert_eq!(transform(&falling), (vec![-1, -3, -5, -7], vec![0, 0, 0, -1]));
    assert_eq!(transform(&pairs(4095, 0)), (vec![2047; 4], vec![-4095; 4]));
    let digits = [3, 1, 4, 1, 5, 9, 2, 6];
    assert_eq!(transform(&digits), (vec![2, 2, 5, 4], vec![-2, -4, 5, 4]));
    let ccsds = wavelet("ccsds97m");
    assert!(Plan::<i32>::builder(&ccsds, &[7]).build().is_err(), "only even lengths are defined");
}

#[test]
fn c90_any_origin() {
    let signal = [5, -3, 8, 0, 1, 7, 2];
    let even = reversible(&signal, 0);
    let odd = reversible(&signal, 1);
    for origin in [-4, 2, 10, 1 << 40] {
        assert_eq!(reversible(&signal, origin), even);
        assert_eq!(reversible(&signal, origin + 1), odd);
    }
}
