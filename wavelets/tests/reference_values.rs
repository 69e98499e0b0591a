//! The reference transform on small inputs whose results are known, most of them because another
//! implementation once got them wrong.

use std::f64::consts::FRAC_1_SQRT_2;
use waveloom_wavelets::reference::{Band, Reference, ReferenceError, Request};
use waveloom_wavelets::{Mode, Wavelet, catalogue};

fn wavelet(name: &str) -> Wavelet {
    catalogue::wavelet(name).unwrap()
}

fn request<'a>(shape: &'a [usize], axes: &'a [usize], levels: usize, mode: Mode) -> Request<'a> {
    Request { shape, axes, levels, mode, origins: &[] }
}

fn line(name: &str, mode: Mode, n: usize, levels: usize) -> Result<Reference, ReferenceError> {
    Reference::new(&wavelet(name), &request(&[n], &[0], levels, mode))
}

/// One level on one axis: approximation and detail.
fn dwt(name: &str, mode: Mode, x: &[f64]) -> [Vec<f64>; 2] {
    let bands = line(name, mode, x.len(), 1).unwrap().forward(x).unwrap();
    <[Band<f64>; 2]>::try_from(bands).unwrap().map(|band| band.data)
}

/// One level of an integer wavelet on one axis, from coordinate `origin` on.
fn integer(name: &str, origin: i64, x: &[i64]) -> [Vec<i64>; 2] {
    let origins = [origin];
    let shape = [x.len()];
    let request = Request { origins: &origins, ..request(&shape, &[0], 1, Mode::Jpeg2000) };
    let reference = Reference::new(&wavelet(name), &request).unwrap();
    let bands = reference.forward_integer(x).unwrap();
    assert_eq!(reference.inverse_integer(&bands).unwrap(), x);
    <[Band<i64>; 2]>::try_from(bands).unwrap().map(|band| band.data)
}

#[track_caller]
fn close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{got:?}");
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= 5e-7 || (g.is_nan() && e.is_nan()) || g == e, "{got:?}");
    }
}

fn lengths(reference: &Reference) -> Vec<usize> {
    reference.bands().iter().map(|(_, shape)| shape.iter().product()).collect()
}

#[test]
fn one_level_of_db2_in_every_mode() {
    let x = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0];
    let table: [(Mode, &[f64], &[f64]); 9] = [
        (
            Mode::Zero,
            &[0.543022, 3.052571, 2.724402, 10.391749, 0.965926],
            &[2.026586, 2.250730, -0.905867, -0.991310, -0.258819],
        ),
        (
            Mode::Constant,
            &[4.501460, 3.052571, 2.724402, 10.132930, 2.828427],
            &[0.965926, 2.250730, -0.905867, -1.957236, 0.0],
        ),
        (
            Mode::Symmetric,
            &[3.535534, 3.052571, 2.724402, 10.132930, 4.009206],
            &[1.224745, 2.250730, -0.905867, -1.957236, 4.406725],
        ),
        (
            Mode::Periodic,
            &[6.562721, 3.052571, 2.724402, 10.003520, 3.181981],
            &[0.413613, 2.250730, -0.905867, -2.440199, -2.026586],
        ),
        (
            Mode::Smooth,
            &[8.106344, 3.052571, 2.724402, 11.038797, -3.447601],
            &[0.0, 2.250730, -0.905867, 1.423505, 0.0],
        ),
        (
            Mode::Periodization,
            &[3.181981, 3.406124, 6.424020, 6.079758],
            &[-2.026586, -2.604283, 5.312592, -1.388830],
        ),
        (
            Mode::Reflect,
            &[3.311390, 3.052571, 2.724402, 9.227063, 9.485882],
            &[1.284804, 2.250730, -0.905867, -5.337976, 1.423505],
        ),
        (
            Mode::Antisymmetric,
            &[-2.449490, 3.052571, 2.724402, 10.650568, -2.077354],
            &[2.828427, 2.250730, -0.905867, -0.025384, -4.924363],
        ),
        (
            Mode::Antireflect,
            &[5.691529, 3.052571, 2.724402, 11.038797, -3.829028],
            &[0.647048, 2.250730, -0.905867, 1.423505, -1.423505],
        ),
    ];
    for (mode, low, high) in table {
        let [a, d] = dwt("db2", mode, &x);
        close(&a, low);
        close(&d, high);
    }
}

#[test]
fn odd_lengths_come_back_as_they_went() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    for mode in [Mode::Symmetric, Mode::Periodization] {
        let reference = line("haar", mode, 7, 1).unwrap();
        let bands = reference.forward(&x).unwrap();
        close(&bands[0].data, &[2.121320, 4.949747, 7.778175, 9.899495]);
        close(&bands[1].data, &[-FRAC_1_SQRT_2, -FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0]);
        close(&reference.inverse(&bands).unwrap(), &x);
    }
    // Nine and ten samples have the same coefficient counts: the length is the plan's to know.
    assert_eq!(lengths(&line("sym4", Mode::Symmetric, 9, 1).unwrap()), [8, 8]);
    assert_eq!(lengths(&line("sym4", Mode::Symmetric, 10, 1).unwrap()), [8, 8]);
    for levels in 1..=10 {
        let reference = line("bior1.1", Mode::Symmetric, 1502, levels).unwrap();
        let x: Vec<f64> = (0..1502).map(|i| f64::from(i % 11)).collect();
        close(&reference.inverse(&reference.forward(&x).unwrap()).unwrap(), &x);
    }
}

#[test]
fn expansive_modes_have_a_coefficient_more() {
    let x: Vec<f64> = (0..8).map(f64::from).collect();
    let [a, d] = dwt("db2", Mode::Symmetric, &x);
    close(&a, &[0.353553, 0.896575, 3.725003, 6.553430, 9.545942]);
    close(&d, &[-0.612372, 0.0, 0.0, 0.0, 0.612372]);
    assert_eq!(lengths(&line("haar", Mode::Periodization, 10, 3).unwrap()), [2, 2, 3, 5]);
    assert_eq!(lengths(&line("db2", Mode::Symmetric, 23, 2).unwrap()), [8, 8, 13]);
}

#[test]
fn bands_of_arrays_have_their_names_and_shapes() {
    let shapes = |name, mode, shape: &[usize], levels| {
        let axes: Vec<usize> = (0..shape.len()).collect();
        Reference::new(&wavelet(name), &request(shape, &axes, levels, mode)).unwrap().bands()
    };
    let bands = shapes("db2", Mode::Symmetric, &[10, 13], 2);
    let named: Vec<(&str, &[usize])> =
        bands.iter().map(|(key, shape)| (key.as_str(), shape.as_slice())).collect();
    let expected: [(&str, &[usize]); 7] = [
        ("aa", &[4, 5]),
        ("ad2", &[4, 5]),
        ("da2", &[4, 5]),
        ("dd2", &[4, 5]),
        ("ad1", &[6, 8]),
        ("da1", &[6, 8]),
        ("dd1", &[6, 8]),
    ];
    assert_eq!(named, expected);
    let split = shapes("rev53", Mode::Jpeg2000, &[511, 255], 1);
    let split: Vec<&[usize]> = split.iter().map(|(_, shape)| shape.as_slice()).collect();
    assert_eq!(split, [[256, 128], [256, 127], [255, 128], [255, 127]]);
    let keys: Vec<String> =
        shapes("haar", Mode::Zero, &[2, 2, 2], 1).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["aaa", "aad1", "ada1", "add1", "daa1", "dad1", "dda1", "ddd1"]);
}

#[test]
fn odd_and_tiny_arrays_come_back() {
    let cases: [(&str, &[usize], &[usize], usize); 3] = [
        ("db2", &[11, 31, 16], &[0, 1, 2], 2),
        ("db1", &[1, 3, 3, 3], &[2, 3], 3),
        ("db1", &[1, 3, 3, 3], &[0, 1, 2, 3], 3),
    ];
    for (name, shape, axes, levels) in cases {
        let request = request(shape, axes, levels, Mode::Symmetric);
        let reference = Reference::new(&wavelet(name), &request).unwrap();
        let x: Vec<f64> = (0..shape.iter().product()).map(|i: usize| (i % 7) as f64).collect();
        close(&reference.inverse(&reference.forward(&x).unwrap()).unwrap(), &x);
    }
}

#[test]
fn leaving_out_the_finest_details_keeps_the_size() {
    let request = request(&[64, 64], &[0, 1], 4, Mode::Symmetric);
    let reference = Reference::new(&wavelet("db4"), &request).unwrap();
    let mut bands = reference.forward(&[3.0; 64 * 64]).unwrap();
    bands.retain(|band| !band.key.ends_with('1'));
    close(&reference.inverse(&bands).unwrap(), &[3.0; 64 * 64]);
    assert_eq!(reference.inverse(&[]).unwrap(), [0.0; 64 * 64]);
}

#[test]
fn a_single_sample_and_a_long_filter() {
    let two = [2.828427; 4];
    for mode in [Mode::Constant, Mode::Symmetric, Mode::Periodic, Mode::Smooth] {
        let [a, d] = dwt("db4", mode, &[2.0]);
        close(&a, &two);
        close(&d, &[0.0; 4]);
    }
    let [a, d] = dwt("db4", Mode::Antisymmetric, &[2.0]);
    close(&a, &[0.0; 4]);
    close(&d, &two);
    close(&dwt("db4", Mode::Zero, &[2.0])[0], &[0.065766, -0.374070, 1.261762, 0.460756]);
    let [a, d] = dwt("db4", Mode::Periodization, &[2.0]);
    close(&a, &two[..1]);
    close(&d, &[0.0]);
}

#[test]
fn what_is_not_defined_is_refused() {
    for mode in [Mode::Reflect, Mode::Antireflect] {
        let refused = line("db1", mode, 1, 1).unwrap_err();
        assert_eq!(refused.to_string(), format!("length must exceed 1 for {mode}, got 1"));
    }
    let haar = wavelet("haar");
    let new = |shape: &[usize], axes: &[usize]| {
        Reference::new(&haar, &request(shape, axes, 1, Mode::Zero)).map(|r| r.bands())
    };
    assert_eq!(new(&[0, 4], &[1]).unwrap()[0].1, [0, 2]);
    let empty = new(&[0, 4], &[0]).unwrap_err();
    assert_eq!(empty.to_string(), "an axis to be transformed is empty");
    let range = "axis 2 is out of range for a 2-D array";
    assert_eq!(new(&[3, 4], &[2]).unwrap_err().to_string(), range);
    assert_eq!(new(&[3, 4], &[1, 1]).unwrap_err().to_string(), "axis 1 is given twice");
    let reference = line("haar", Mode::Zero, 4, 1).unwrap();
    let length = "signal has 3 values, its shape [4] needs 4";
    assert_eq!(reference.forward(&[0.0; 3]).unwrap_err().to_string(), length);
    let band = |key: &str, len: usize| Band {
        key: key.to_owned(),
        shape: vec![len],
        data: vec![0.0; len],
    };
    let unknown = "there is no band 'd2' in this decomposition; expected a, d1";
    assert_eq!(reference.inverse(&[band("d2", 2)]).unwrap_err().to_string(), unknown);
    let shape = "band 'd1' has the shape [3], expected [2]";
    assert_eq!(reference.inverse(&[band("d1", 3)]).unwrap_err().to_string(), shape);
    let short = Band { data: vec![0.0], ..band("a", 2) };
    let length = "a has 1 values, its shape [2] needs 2";
    assert_eq!(reference.inverse(&[short]).unwrap_err().to_string(), length);
    let floats = "this wavelet does not round, the transform of integers is not defined";
    assert_eq!(reference.forward_integer(&[0; 4]).unwrap_err().to_string(), floats);
    let rounded = line("rev53", Mode::Jpeg2000, 4, 1).unwrap();
    let integers = "this wavelet rounds, the transform of floats is not defined";
    assert_eq!(rounded.forward(&[0.0; 4]).unwrap_err().to_string(), integers);
}

#[test]
fn levels_may_be_none_or_many() {
    let x = [1.0, 2.0, 3.0];
    let none = line("db4", Mode::Symmetric, 3, 0).unwrap();
    let bands = none.forward(&x).unwrap();
    assert_eq!(bands, [Band { key: "a".into(), shape: vec![3], data: x.to_vec() }]);
    assert_eq!(none.inverse(&bands).unwrap(), x);
    let many = line("haar", Mode::Symmetric, 8, 20).unwrap();
    let x: Vec<f64> = (0..8).map(f64::from).collect();
    let bands = many.forward(&x).unwrap();
    assert_eq!(bands.len(), 21);
    close(&many.inverse(&bands).unwrap(), &x);
    let lengths = lengths(&line("haar", Mode::Periodization, 5, 3).unwrap());
    assert_eq!(lengths, [1, 1, 2, 3]);
}

#[test]
fn an_odd_periodized_signal_repeats_its_last_sample() {
    let x = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0];
    let longer = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 2.0];
    for name in ["haar", "db2", "db5", "bior4.4"] {
        let odd = dwt(name, Mode::Periodization, &x);
        assert_eq!(odd, dwt(name, Mode::Periodization, &longer));
    }
}

#[test]
fn details_of_a_constant() {
    let request = request(&[6, 6], &[0, 1], 1, Mode::Symmetric);
    let floats = Reference::new(&wavelet("haar"), &request).unwrap();
    for band in &floats.forward(&[7.0; 36]).unwrap()[1..] {
        assert!(band.data.iter().all(|value| value.abs() <= 1e-15));
    }
    let request = Request { mode: Mode::Jpeg2000, ..request };
    let integers = Reference::new(&wavelet("rev53"), &request).unwrap();
    for band in &integers.forward_integer(&[7; 36]).unwrap()[1..] {
        assert!(band.data.iter().all(|value| *value == 0));
    }
}

#[test]
fn poison_and_denormals_stay_where_they_are() {
    let nan = f64::NAN;
    let [a, d] = dwt("db2", Mode::Periodization, &[1.0, 2.0, nan, 4.0, 5.0, 6.0, 7.0, 8.0]);
    close(&a, &[nan, nan, 6.553430, 10.417133]);
    close(&d, &[nan, nan, 0.0, 3.863703]);
    let [a, d] = dwt("haar", Mode::Symmetric, &[1.0, f64::INFINITY, 3.0, 4.0]);
    close(&a, &[f64::INFINITY, 4.949747]);
    close(&d, &[f64::NEG_INFINITY, -FRAC_1_SQRT_2]);
    let [a, _] = dwt("haar", Mode::Symmetric, &[5e-324, 5e-324]);
    assert_eq!(a, [1e-323]);
    // Point mirroring must not read the far end with a weight of zero.
    let [a, _] = dwt("db4", Mode::Antireflect, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, nan]);
    assert!(a[0].is_finite() && a[1].is_finite());
}

#[test]
fn integer_transforms_round_down_and_respect_the_origin() {
    let rev53 = |origin, x: &[i64]| integer("rev53", origin, x);
    assert_eq!(rev53(0, &[1, 2, 3, 4, 5]), [vec![1, 3, 5], vec![0, 0]]);
    assert_eq!(rev53(1, &[1, 2, 3, 4, 5]), [vec![2, 4], vec![-1, 0, 1]]);
    assert_eq!(rev53(0, &[-1, -2, -4, -4]), [vec![0, -4], vec![1, 0]]);
    assert_eq!(rev53(0, &[0, 255, 0, 255, 0, 255, 0, 255]), [vec![128; 4], vec![255; 4]]);
    assert_eq!(rev53(0, &[255, 0, 255, 0, 255, 0, 255, 0])[1], vec![-255; 4]);
    let (small, large) = (i64::from(i16::MIN), i64::from(i16::MAX));
    assert_eq!(rev53(0, &[large, small, large, small])[1], vec![-65535; 2]);
    let (small, large) = (i64::from(i32::MIN), i64::from(i32::MAX));
    assert_eq!(rev53(0, &[large, small, large, small])[1], vec![-4294967295; 2]);
    assert_eq!(rev53(0, &[7]), [vec![7], vec![]]);
    assert_eq!(rev53(1, &[-7]), [vec![], vec![-14]]);
    let wide = line("rev53", Mode::Jpeg2000, 4, 1).unwrap();
    let extremes = [i64::MAX, i64::MIN, i64::MAX, i64::MIN];
    assert_eq!(wide.forward_integer(&extremes).unwrap_err(), ReferenceError::Overflow);
}

#[test]
fn ccsds_integer_transform() {
    let table: [(&[i64], &[i64], &[i64]); 7] = [
        (&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 2, 4, 6], &[0, 0, 0, 1]),
        (&[0, 255, 0, 255, 0, 255, 0, 255], &[127; 4], &[255; 4]),
        (&[255, 0, 255, 0, 255, 0, 255, 0], &[127; 4], &[-255; 4]),
        (&[10; 8], &[10; 4], &[0; 4]),
        (&[-1, -2, -3, -4, -5, -6, -7, -8], &[-1, -3, -5, -7], &[0, 0, 0, -1]),
        (&[4095, 0, 4095, 0, 4095, 0, 4095, 0], &[2047; 4], &[-4095; 4]),
        (&[3, 1, 4, 1, 5, 9, 2, 6], &[2, 2, 5, 4], &[-2, -4, 5, 4]),
    ];
    for (x, low, high) in table {
        assert_eq!(integer("ccsds97m", 0, x), [low.to_vec(), high.to_vec()]);
    }
    let odd = line("ccsds97m", Mode::Jpeg2000, 7, 1).unwrap_err();
    assert_eq!(odd.to_string(), "an even length is needed here (mode jpeg2000), got 7");
}

#[test]
fn resolutions_that_run_out_of_samples() {
    // Fifteen columns from coordinate 5 on, and one row at an odd coordinate, over six levels.
    let (shape, origins) = ([1, 15], [3, 5]);
    let request = Request { origins: &origins, ..request(&shape, &[0, 1], 6, Mode::Jpeg2000) };
    let reference = Reference::new(&wavelet("rev53"), &request).unwrap();
    let x: Vec<i64> = (0..15).map(|i| (i * 37) % 64 - 20).collect();
    let bands = reference.forward_integer(&x).unwrap();
    let counts = |level: &str| -> Vec<usize> {
        bands.iter().filter(|b| b.key.ends_with(level)).map(|b| b.data.len()).collect()
    };
    assert_eq!(counts("1"), [0, 7, 8]);
    assert_eq!(counts("2"), [0, 0, 0]);
    // The only row is a vertical detail and doubled.
    let doubled: Vec<i64> = x.iter().map(|value| 2 * value).collect();
    let rows = integer("rev53", 5, &doubled);
    for (key, row) in ["da1", "dd1"].into_iter().zip(rows) {
        let band = bands.iter().find(|band| band.key == key).unwrap();
        assert_eq!(band.data, row);
    }
    assert_eq!(reference.inverse_integer(&bands).unwrap(), x);
}

#[test]
fn the_order_of_axes_shows_in_rounding() {
    let x = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
    let along = |axes: &[usize]| {
        let request = request(&[4, 4], axes, 1, Mode::Jpeg2000);
        let reference = Reference::new(&wavelet("rev53"), &request).unwrap();
        let bands = reference.forward_integer(&x).unwrap();
        assert_eq!(reference.inverse_integer(&bands).unwrap(), x);
        bands
    };
    // Columns first, then rows; and the same by two one-axis transforms.
    let both = along(&[0, 1]);
    let columns = along(&[0]);
    let rows = Reference::new(&wavelet("rev53"), &request(&[2, 4], &[1], 1, Mode::Jpeg2000));
    let rows = rows.unwrap().forward_integer(&columns[0].data).unwrap();
    assert_eq!((&rows[0].data, &rows[1].data), (&both[0].data, &both[1].data));
    let swapped = along(&[1, 0]);
    assert_ne!(swapped[0].data, both[0].data);
}
