//! The integer 9/7 of CCSDS 122 as Maniya and Panchal print it: their equations, its reach, and
//! three levels of images of 8, 12 and 16 bits, bit for bit.

use waveloom::wavelets::catalogue;
use waveloom::{Element, Plan};

/// Equations (1) to (6): `2n` samples of `n` pairs of coefficients, `n` at least 3.
fn printed(c: &[i64], d: &[i64]) -> Vec<i64> {
    let n = c.len();
    let half_up = |numerator: i64, denominator: i64| {
        (2 * numerator + denominator).div_euclid(2 * denominator)
    };
    let mut x = vec![0; 2 * n];
    for j in 0..n {
        x[2 * j] = match j {
            0 => c[0] + half_up(-d[0], 2),
            _ => c[j] + half_up(-(d[j - 1] + d[j]), 4),
        };
    }
    for j in 0..n {
        let even = |k: usize| x[2 * k];
        let sixteenths = match j {
            0 => 9 * (even(0) + even(1)) - (even(1) + even(2)),
            j if j == n - 1 => 18 * even(n - 1) - 2 * even(n - 2),
            j if j == n - 2 => 9 * (even(j) + even(j + 1)) - (even(j - 1) + even(j + 1)),
            j => 9 * (even(j) + even(j + 1)) - (even(j - 1) + even(j + 2)),
        };
        x[2 * j + 1] = d[j] + half_up(sixteenths, 16);
    }
    x
}

fn noise(index: usize, range: i64) -> i64 {
    ((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as i64 % range
}

fn inverse(c: &[i64], d: &[i64]) -> Vec<i64> {
    let wavelet = catalogue::wavelet("ccsds97m").unwrap();
    let plan = Plan::<i64>::builder(&wavelet, &[2 * c.len()]).build().unwrap();
    let mut signal = vec![0; plan.signal_len()];
    let coefficients = [c, d].concat();
    plan.inverse(&coefficients, &mut signal, &mut plan.workspace()).unwrap();
    signal
}

#[test]
fn the_printed_equations_are_the_catalogues_inverse() {
    for pairs in 3..40 {
        let c: Vec<i64> = (0..pairs).map(|i| noise(i, 4096) - 2048).collect();
        let d: Vec<i64> = (0..pairs).map(|i| noise(i + 777, 4096) - 2048).collect();
        assert_eq!(inverse(&c, &d), printed(&c, &d), "{pairs} pairs");
    }
}

#[test]
fn a_tile_needs_two_coefficients_on_each_side() {
    // Which coefficients the outputs of pair `at` read: C from -1 to +2, D from -2 to +2. As tiles of
    // sub-bands, 32 pairs need 36 of each, the paper's 36 x 36; 32 interleaved outputs need 39.
    let (pairs, at) = (32, 16);
    let zeros = vec![0; pairs];
    let reads = |of_details: bool| -> Vec<i64> {
        let reads = (0..pairs).filter(|index| {
            let mut band = zeros.clone();
            band[*index] = 1 << 20;
            let x = if of_details { inverse(&zeros, &band) } else { inverse(&band, &zeros) };
            x[2 * at] != 0 || x[2 * at + 1] != 0
        });
        reads.map(|index| index as i64 - at as i64).collect()
    };
    let (c, d) = (reads(false), reads(true));
    assert_eq!(c, [-1, 0, 1, 2]);
    assert_eq!(d, [-2, -1, 0, 1, 2]);
    let needed = |outputs: usize, reads: &[i64]| outputs + reads.len() - 1;
    assert_eq!(needed(32, &c).max(needed(32, &d)), 36);
    assert_eq!(needed(16, &c) + needed(16, &d), 39);
}

fn restores<T: Element + TryFrom<i64>>(bits: u32, shape: [usize; 2]) {
    let wavelet = catalogue::wavelet("ccsds97m").unwrap();
    let plan = Plan::<T>::builder(&wavelet, &shape).levels(3).build().unwrap();
    let largest = (1_i64 << bits) - 1;
    assert!(plan.max_input().is_some_and(|bound| bound >= largest), "{bits} bits");
    let convert = |value: i64| T::try_from(value).unwrap_or_default();
    let count = shape[0] * shape[1];
    let images: [Vec<T>; 3] = [
        (0..count).map(|i| convert(noise(i, largest + 1))).collect(),
        (0..count)
            .map(|i| convert(if (i / 7 + i / shape[1]).is_multiple_of(2) { 0 } else { largest }))
            .collect(),
        vec![convert(largest); count],
    ];
    for image in images {
        let mut workspace = plan.workspace();
        let mut coefficients = vec![T::default(); plan.coefficient_len()];
        plan.forward(&image, &mut coefficients, &mut workspace).unwrap();
        let mut back = vec![T::default(); count];
        plan.inverse(&coefficients, &mut back, &mut workspace).unwrap();
        assert!(back == image, "{bits} bits, {shape:?}");
    }
}

#[test]
fn three_levels_restore_images_of_8_12_and_16_bits() {
    for shape in [[24, 24], [64, 48], [200, 136]] {
        restores::<i16>(8, shape);
        restores::<i32>(8, shape);
        restores::<i32>(12, shape);
        restores::<i32>(16, shape);
        restores::<i64>(16, shape);
    }
}
