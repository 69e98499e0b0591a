//! Small inputs with known answers, through the binary: sizes, ends, levels, types, integers.

#![allow(clippy::approx_constant, reason = "values as published, with six digits")]

mod common;

use common::{Folder, array, assert_close, distance, line, noise};
use ndarray::{Array1, ArrayD};
use ndarray_npy::NpzWriter;
use std::fs::File;

/// Forward and inverse of a file; the distance between the two ends, whose shapes agree.
fn round_trip(folder: &Folder, name: &str, options: &str) -> f64 {
    folder.ok(&format!("forward {name} -o c.npz {options}"));
    folder.ok("inverse c.npz -o back.npy");
    distance(&folder.read_npy(name), &folder.read_npy("back.npy"))
}

#[test]
fn odd_lengths_come_back_exactly() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]));
    for mode in ["symmetric", "periodization"] {
        folder.ok(&format!("forward x.npy -o c.npz --wavelet haar --mode {mode}"));
        let low = folder.read_npz("c.npz", "a");
        assert_close(&low, &[2.121320, 4.949747, 7.778175, 9.899495]);
        let high = folder.read_npz("c.npz", "d1");
        assert_close(&high, &[-0.707107, -0.707107, -0.707107, 0.0]);
        folder.ok("inverse c.npz -o back.npy");
        assert_close(&folder.read_npy("back.npy"), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        // The same coefficients without their record: the length is then that of PyWavelets, and
        // --shape brings it back.
        folder.npz("bare.npz", &[("a", low), ("d1", high)]);
        folder.ok(&format!("inverse bare.npz -o back.npy --wavelet haar --mode {mode}"));
        assert_eq!(folder.read_npy::<f64>("back.npy").len(), 8);
        folder.ok(&format!("inverse bare.npz -o back.npy --wavelet haar --mode {mode} --shape 7"));
        assert_eq!(folder.read_npy::<f64>("back.npy").len(), 7);
    }
}

#[test]
fn shapes_travel_with_the_coefficients() {
    let folder = Folder::new();
    for (shape, options) in [
        (vec![9], "--wavelet sym4"),
        (vec![10], "--wavelet sym4"),
        (vec![22, 31, 16], "--wavelet db2 --levels 2"),
        (vec![1, 3, 3, 3], "--wavelet db1 --levels 3 --dims 3"),
        (vec![1, 3, 3, 3], "--wavelet db1 --levels 3 --dims 2"),
        (vec![1502], "--wavelet bior1.1 --levels 8"),
        (vec![511, 15], "--wavelet irr97"),
        (vec![5, 1], "--wavelet db4 --levels 2"),
        (vec![1, 1], "--wavelet haar --levels 2"),
    ] {
        folder.npy("x.npy", &noise(&shape));
        let error = round_trip(&folder, "x.npy", options);
        assert!(error < 1e-10, "{shape:?} {options}: {error}");
    }
    folder.npy("x.npy", &ArrayD::from_elem(vec![22, 31, 16], 1.0));
    assert!(round_trip(&folder, "x.npy", "--wavelet db2 --mode symmetric --levels 2") < 1e-12);
}

#[test]
fn the_jpeg2000_split_is_not_redundant() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[511, 255]));
    folder.ok("forward x.npy -o c.npz --wavelet bior4.4 --mode jpeg2000");
    for (key, shape) in
        [("aa", [256, 128]), ("da1", [255, 128]), ("ad1", [256, 127]), ("dd1", [255, 127])]
    {
        assert_eq!(folder.read_npz::<f64>("c.npz", key).shape(), shape);
    }
}

#[test]
fn more_coefficients_than_half() {
    let folder = Folder::new();
    folder.npy("x.npy", &array(&[8], |i| i as f64));
    folder.ok("forward x.npy -o c.npz --wavelet db2 --mode symmetric");
    assert_close(
        &folder.read_npz("c.npz", "a"),
        &[0.353553, 0.896575, 3.725003, 6.553430, 9.545942],
    );
    assert_close(&folder.read_npz("c.npz", "d1"), &[-0.612372, 0.0, 0.0, 0.0, 0.612372]);
}

#[test]
fn absent_details_do_not_change_the_size() {
    let folder = Folder::new();
    folder.npy("x.npy", &ArrayD::from_elem(vec![70, 45], 1.0));
    folder.ok("forward x.npy -o c.npz --wavelet db4 --levels 3");
    let mut members: Vec<(String, ArrayD<f64>)> = Vec::new();
    for key in ["aa", "ad3", "da3", "dd3", "ad2", "da2", "dd2"] {
        members.push((key.to_owned(), folder.read_npz("c.npz", key)));
    }
    let members: Vec<(&str, ArrayD<f64>)> =
        members.iter().map(|(key, band)| (key.as_str(), band.clone())).collect();
    folder.npz("part.npz", &members);
    folder.ok("inverse part.npz -o back.npy --wavelet db4 --levels 3 --shape 70,45");
    let back = folder.read_npy("back.npy");
    assert!(distance(&back, &folder.read_npy("x.npy")) < 1e-12);
}

#[test]
fn uneven_bands_are_padded_in_one_array() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[10, 13]));
    folder.ok("forward x.npy -o c.npz --wavelet db2 --levels 2 --layout mallat");
    assert_eq!(folder.read_npz::<f64>("c.npz", "mallat").shape(), [14, 18]);
    folder.ok("inverse c.npz -o back.npy");
    assert!(distance(&folder.read_npy("back.npy"), &folder.read_npy("x.npy")) < 1e-12);
    folder.ok("forward x.npy -o c.npy --wavelet db2 --levels 2 --layout mallat");
    folder.refused(
        "inverse c.npy -o no.npy --wavelet db2 --levels 2 --layout mallat",
        &["c.npy", "--shape"],
    );
    folder.ok("inverse c.npy -o back.npy --wavelet db2 --levels 2 --layout mallat --shape 10,13");
    assert!(distance(&folder.read_npy("back.npy"), &folder.read_npy("x.npy")) < 1e-12);

    folder.npy("ones.npy", &ArrayD::from_elem(vec![10], 1.0));
    folder.ok("forward ones.npy -o c.npz --wavelet haar --mode periodization --levels 3");
    let lengths = ["a", "d3", "d2", "d1"].map(|key| folder.read_npz::<f64>("c.npz", key).len());
    assert_eq!(lengths, [2, 2, 3, 5]);
}

#[test]
fn empty_batches_are_legal_and_empty_axes_are_not() {
    let folder = Folder::new();
    folder.npy("x.npy", &ArrayD::<f64>::zeros(vec![0, 4]));
    folder.ok("forward x.npy -o c.npz --wavelet db1 --axes 1");
    assert_eq!(folder.read_npz::<f64>("c.npz", "a").shape(), [0, 2]);
    folder.ok("inverse c.npz -o back.npy");
    assert_eq!(folder.read_npy::<f64>("back.npy").shape(), [0, 4]);
    folder.refused("forward x.npy -o no.npz --wavelet db1 --axes 0", &["x.npy", "empty"]);
}

#[test]
fn one_sample_and_a_long_filter() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[2.0]));
    for mode in ["constant", "symmetric", "periodic", "smooth"] {
        folder.ok(&format!("forward x.npy -o c.npz --wavelet db4 --mode {mode}"));
        assert_close(&folder.read_npz("c.npz", "a"), &[2.828427; 4]);
        assert_close(&folder.read_npz("c.npz", "d1"), &[0.0; 4]);
    }
    folder.ok("forward x.npy -o c.npz --wavelet db4 --mode antisymmetric");
    assert_close(&folder.read_npz("c.npz", "a"), &[0.0; 4]);
    assert_close(&folder.read_npz("c.npz", "d1"), &[2.828427; 4]);
    folder.ok("forward x.npy -o c.npz --wavelet db4 --mode zero");
    assert_close(&folder.read_npz("c.npz", "a"), &[0.065766, -0.374070, 1.261762, 0.460756]);
    folder.ok("forward x.npy -o c.npz --wavelet db4 --mode periodization");
    assert_close(&folder.read_npz("c.npz", "a"), &[2.828427]);
    assert_close(&folder.read_npz("c.npz", "d1"), &[0.0]);
}

#[test]
fn no_level_is_the_identity_and_more_than_make_sense_are_legal() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[1.0, 2.0, 3.0]));
    folder.ok("forward x.npy -o c.npz --wavelet db4 --levels 0");
    assert_close(&folder.read_npz("c.npz", "a"), &[1.0, 2.0, 3.0]);
    folder.ok("inverse c.npz -o back.npy");
    assert_close(&folder.read_npy("back.npy"), &[1.0, 2.0, 3.0]);
    folder.npy("y.npy", &noise(&[8]));
    assert!(round_trip(&folder, "y.npy", "--wavelet haar --levels 3") < 1e-12);
    assert!(round_trip(&folder, "y.npy", "--wavelet db2 --levels 12") < 1e-10);
}

/// One level of db2 on 3 1 4 1 5 9 2.
#[test]
fn every_mode_treats_ends_as_pywavelets_does() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0]));
    for (mode, low, high) in [
        (
            "zero",
            vec![0.543022, 3.052571, 2.724402, 10.391749, 0.965926],
            vec![2.026586, 2.250730, -0.905867, -0.991310, -0.258819],
        ),
        (
            "constant",
            vec![4.501460, 3.052571, 2.724402, 10.132930, 2.828427],
            vec![0.965926, 2.250730, -0.905867, -1.957236, 0.0],
        ),
        (
            "symmetric",
            vec![3.535534, 3.052571, 2.724402, 10.132930, 4.009206],
            vec![1.224745, 2.250730, -0.905867, -1.957236, 4.406725],
        ),
        (
            "periodic",
            vec![6.562721, 3.052571, 2.724402, 10.003520, 3.181981],
            vec![0.413613, 2.250730, -0.905867, -2.440199, -2.026586],
        ),
        (
            "smooth",
            vec![8.106344, 3.052571, 2.724402, 11.038797, -3.447601],
            vec![0.0, 2.250730, -0.905867, 1.423505, 0.0],
        ),
        (
            "periodization",
            vec![3.181981, 3.406124, 6.424020, 6.079758],
            vec![-2.026586, -2.604283, 5.312592, -1.388830],
        ),
        (
            "reflect",
            vec![3.311390, 3.052571, 2.724402, 9.227063, 9.485882],
            vec![1.284804, 2.250730, -0.905867, -5.337976, 1.423505],
        ),
        (
            "antisymmetric",
            vec![-2.449490, 3.052571, 2.724402, 10.650568, -2.077354],
            vec![2.828427, 2.250730, -0.905867, -0.025384, -4.924363],
        ),
        (
            "antireflect",
            vec![5.691529, 3.052571, 2.724402, 11.038797, -3.829028],
            vec![0.647048, 2.250730, -0.905867, 1.423505, -1.423505],
        ),
    ] {
        folder.ok(&format!("forward x.npy -o c.npz --wavelet db2 --mode {mode}"));
        assert_close(&folder.read_npz("c.npz", "a"), &low);
        assert_close(&folder.read_npz("c.npz", "d1"), &high);
    }
}

#[test]
fn a_constant_image_has_no_details_in_integers() {
    let folder = Folder::new();
    folder.npy("x.npy", &ArrayD::from_elem(vec![16, 12], 77_u8));
    folder.ok("forward x.npy -o c.npz --wavelet rev53 --levels 2");
    for key in ["ad1", "da1", "dd1", "ad2", "da2", "dd2"] {
        assert!(folder.read_npz::<i32>("c.npz", key).iter().all(|value| *value == 0), "{key}");
    }
    assert!(folder.read_npz::<i32>("c.npz", "aa").iter().all(|value| *value == 77));
}

#[test]
fn bands_of_different_types_meet_in_double() {
    let folder = Folder::new();
    folder.npz("f32.npz", &[("a", array(&[5], |i| i as f32))]);
    folder.npz("f64.npz", &[("d1", noise(&[5]))]);
    // Both members in one archive.
    let mut writer = NpzWriter::new(File::create(folder.path("c.npz")).unwrap());
    writer.add_array("a", &folder.read_npz::<f32>("f32.npz", "a")).unwrap();
    writer.add_array("d1", &folder.read_npz::<f64>("f64.npz", "d1")).unwrap();
    writer.finish().unwrap();
    folder.ok("inverse c.npz -o back.npy --wavelet db2");
    assert_eq!(folder.read_npy::<f64>("back.npy").len(), 8);
}

#[test]
fn other_axes_are_untouched() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[6, 16, 5]));
    for options in ["--axes 1", "--axes 0,2", "--axes 2,0", "--axes -2", "--dims 1", "--dims 2"] {
        let error = round_trip(&folder, "x.npy", &format!("--wavelet db2 --levels 2 {options}"));
        assert!(error < 1e-12, "{options}: {error}");
    }
    folder.ok("forward x.npy -o c.npz --wavelet db2 --axes 1");
    assert_eq!(folder.read_npz::<f64>("c.npz", "d1").shape(), [6, 9, 5]);
    // A batch of one keeps its axis.
    folder.npy("one.npy", &noise(&[1, 9]));
    folder.ok("forward one.npy -o c.npz --wavelet haar --dims 1");
    assert_eq!(folder.read_npz::<f64>("c.npz", "a").shape(), [1, 5]);
}

#[test]
fn poison_stays_local() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0, 7.0, 8.0]));
    folder.ok("forward x.npy -o c.npz --wavelet db2 --mode periodization");
    let low = folder.read_npz::<f64>("c.npz", "a");
    assert!(low[[0]].is_nan() && low[[1]].is_nan());
    assert!((low[[2]] - 6.553430).abs() < 1e-6 && (low[[3]] - 10.417133).abs() < 1e-6);
    // No pixel stands for it: pictures of bands say so, images are refused.
    let mut plane = noise(&[8, 8]);
    plane[[3, 3]] = f64::NAN;
    folder.npy("plane.npy", &plane);
    let words = "forward plane.npy -o plane.npz --wavelet haar";
    let said = folder.ok(&format!("{words} --picture bands.png"));
    assert!(said.contains("; 4 coefficients are no numbers"), "{said}");
    assert!(!folder.ok(words).contains("no numbers"));
    let mut writer = NpzWriter::new(File::create(folder.path("pixels.npz")).unwrap());
    for key in ["aa", "ad1", "da1", "dd1"] {
        writer.add_array(key, &folder.read_npz::<f64>("plane.npz", key)).unwrap();
    }
    writer.add_array("sample", &Array1::from_vec(b"uint8".to_vec())).unwrap();
    writer.finish().unwrap();
    let words = "inverse pixels.npz --wavelet haar -o";
    folder.refused(&format!("{words} out.png"), &["out.png: values: 4 of 64 are no numbers"]);
    folder.ok(&format!("{words} out.npy"));
    folder.npy("y.npy", &line(&[3e38_f32, 3e38]));
    folder.ok("forward y.npy -o c.npz --wavelet haar");
    assert_eq!(folder.read_npz::<f32>("c.npz", "a")[[0]], f32::INFINITY);
    folder.npy("z.npy", &line(&[5e-324, 5e-324]));
    folder.ok("forward z.npy -o c.npz --wavelet haar");
    assert!(folder.read_npz::<f64>("c.npz", "a")[[0]] > 0.0);
}

#[test]
fn the_buffer_is_as_large_as_it_must_be() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[1024]));
    folder.ok("forward x.npy -o c.npz --wavelet db15 --mode symmetric --levels 5");
    let keys = ["a", "d5", "d4", "d3", "d2", "d1"];
    let total: usize = keys.iter().map(|key| folder.read_npz::<f64>("c.npz", key).len()).sum();
    assert_eq!(total, 1167);
}

#[test]
fn adjoints_pair() {
    let folder = Folder::new();
    let dot = |a: &ArrayD<f64>, b: &ArrayD<f64>| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for mode in [
        "zero",
        "constant",
        "symmetric",
        "reflect",
        "periodic",
        "smooth",
        "antisymmetric",
        "antireflect",
        "periodization",
        "jpeg2000",
    ] {
        let x = noise(&[21]);
        folder.npy("x.npy", &x);
        folder.ok(&format!("forward x.npy -o wx.npz --wavelet bior4.4 --mode {mode}"));
        let (a, d) =
            (folder.read_npz::<f64>("wx.npz", "a"), folder.read_npz::<f64>("wx.npz", "d1"));
        let (ya, yd) = (noise(a.shape()).mapv(|v| v * v), noise(d.shape()).mapv(|v| v + 0.3));
        folder.npz("y.npz", &[("a", ya.clone()), ("d1", yd.clone())]);
        let options = format!("--wavelet bior4.4 --mode {mode}");
        folder.ok(&format!("adjoint y.npz -o wty.npy {options} --shape 21"));
        let left = dot(&a, &ya) + dot(&d, &yd);
        let right = dot(&x, &folder.read_npy("wty.npy"));
        assert!((left - right).abs() < 1e-12, "{mode}: {left} {right}");

        // The same for the adjoint of inverse.
        folder.ok(&format!("adjoint x.npy -o vtx.npz --of inverse {options}"));
        folder.ok(&format!("inverse y.npz -o vy.npy {options} --shape 21"));
        let left = dot(&folder.read_npz("vtx.npz", "a"), &ya)
            + dot(&folder.read_npz("vtx.npz", "d1"), &yd);
        let right = dot(&x, &folder.read_npy("vy.npy"));
        assert!((left - right).abs() < 1e-12, "{mode}: {left} {right}");
    }
}

#[test]
fn origins_decide_which_samples_are_even() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[1, 2, 3, 4, 5]));
    for (origin, low, high) in [
        ("0", vec![1, 3, 5], vec![0, 0]),
        ("1", vec![2, 4], vec![-1, 0, 1]),
        ("-3", vec![2, 4], vec![-1, 0, 1]),
    ] {
        folder.ok(&format!("forward x.npy -o c.npz --wavelet rev53 --origin {origin}"));
        assert_eq!(folder.read_npz::<i32>("c.npz", "a"), line(&low), "{origin}");
        assert_eq!(folder.read_npz::<i32>("c.npz", "d1"), line(&high), "{origin}");
        folder.ok("inverse c.npz -o back.npy");
        assert_eq!(folder.read_npy::<i32>("back.npy"), line(&[1, 2, 3, 4, 5]));
    }
}

#[test]
fn integers_round_towards_minus_infinity() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[-1_i8, -2, -4, -4]));
    folder.ok("forward x.npy -o c.npz --wavelet rev53");
    assert_eq!(folder.read_npz::<i32>("c.npz", "a"), line(&[0, -4]));
    assert_eq!(folder.read_npz::<i32>("c.npz", "d1"), line(&[1, 0]));
}

#[test]
fn integers_are_widened() {
    let folder = Folder::new();
    folder.npy("x.npy", &array(&[8], |i| if i % 2 == 0 { 0_u8 } else { 255 }));
    folder.ok("forward x.npy -o c.npz --wavelet rev53");
    assert_eq!(folder.read_npz::<i32>("c.npz", "a"), line(&[128; 4]));
    assert_eq!(folder.read_npz::<i32>("c.npz", "d1"), line(&[255; 4]));
    folder.ok("forward x.npy -o c.npz --wavelet rev53 --dtype i16");
    assert_eq!(folder.read_npz::<i16>("c.npz", "a"), line(&[128_i16; 4]));
    folder.npy("y.npy", &array(&[8], |i| if i % 2 == 0 { i16::MAX } else { i16::MIN }));
    folder.ok("forward y.npy -o c.npz --wavelet rev53");
    assert_eq!(folder.read_npz::<i32>("c.npz", "d1"), line(&[-65535; 4]));
    folder.refused(
        "forward y.npy -o no.npz --wavelet rev53 --dtype i16",
        &["y.npy", "overflow", "i16"],
    );
}

#[test]
fn ccsds_values() {
    let folder = Folder::new();
    for (samples, low, high) in [
        (vec![0, 1, 2, 3, 4, 5, 6, 7], vec![0, 2, 4, 6], vec![0, 0, 0, 1]),
        (vec![0, 255, 0, 255, 0, 255, 0, 255], vec![127; 4], vec![255; 4]),
        (vec![255, 0, 255, 0, 255, 0, 255, 0], vec![127; 4], vec![-255; 4]),
        (vec![10; 8], vec![10; 4], vec![0; 4]),
        (vec![-1, -2, -3, -4, -5, -6, -7, -8], vec![-1, -3, -5, -7], vec![0, 0, 0, -1]),
        (vec![3, 1, 4, 1, 5, 9, 2, 6], vec![2, 2, 5, 4], vec![-2, -4, 5, 4]),
    ] {
        folder.npy("x.npy", &line(&samples));
        folder.ok("forward x.npy -o c.npz --wavelet ccsds97m");
        assert_eq!(folder.read_npz::<i32>("c.npz", "a"), line(&low), "{samples:?}");
        assert_eq!(folder.read_npz::<i32>("c.npz", "d1"), line(&high), "{samples:?}");
    }
}
