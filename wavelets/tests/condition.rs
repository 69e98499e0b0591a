//! Wavelets that lose digits by themselves: they are wavelets all the same, and it is said of them.

use waveloom_wavelets::definition::parse;
use waveloom_wavelets::verify::digits;
use waveloom_wavelets::wavelet::Reconstruction;
use waveloom_wavelets::{Wavelet, catalogue};

fn lifting(steps: &[&str]) -> Wavelet {
    let targets = ["odd", "even"].into_iter().cycle();
    let steps: Vec<String> = targets
        .zip(steps)
        .map(|(target, taps)| format!("{{ target = \"{target}\", taps = [{taps}] }}"))
        .collect();
    parse(&format!("[lifting]\nsteps = [{}]", steps.join(", ")), "mine").unwrap()
}

fn remarks(wavelet: &Wavelet) -> String {
    wavelet.properties().remarks.join("\n")
}

#[test]
fn the_catalogue_keeps_its_digits() {
    for name in catalogue::names() {
        let wavelet = catalogue::wavelet(name).unwrap();
        assert!((1.0..20.0).contains(&wavelet.properties().condition), "{name}");
        for axes in 1..=3 {
            let condition = wavelet.condition(8, axes);
            assert!((1.0..32.0).contains(&condition), "{name}, {axes} axes: {condition:e}");
        }
        assert!(!remarks(&wavelet).contains("the wavelet itself"), "{name}");
    }
}

#[test]
fn a_bad_condition_grows_with_levels_and_axes() {
    let wavelet = lifting(&["\"10000000\"", "\"1\""]);
    assert_eq!(wavelet.properties().reconstruction, Reconstruction::Exact);
    let all: Vec<f64> = [(1, 1), (2, 1), (1, 2), (3, 2), (9, 1)]
        .map(|(levels, axes)| wavelet.condition(levels, axes))
        .to_vec();
    // Analysis and synthesis enlarge 1e7 times each, along every axis and on every level.
    let expected = [1e14, 1e28, 1e28, 1e84, 1e126];
    for (condition, expected) in all.iter().zip(expected) {
        let ratio = condition.log10() / f64::log10(expected);
        assert!((0.9..1.1).contains(&ratio), "{condition:e}, not {expected:e}");
    }
    assert!(wavelet.condition(64, 3) > 1e300);
    assert_eq!(wavelet.condition(0, 1), 1.0);
}

#[test]
fn digits_are_those_that_are_left() {
    let (f32, f64) = (f64::from(f32::EPSILON), f64::EPSILON);
    assert_eq!([1.0, 5.0, 1e4, 1e7, f64::INFINITY].map(|c| digits(c, f32)), [7, 6, 3, 0, 0]);
    assert_eq!([1.0, 5.0, 1e14, 1e16, f64::INFINITY].map(|c| digits(c, f64)), [15, 15, 1, 0, 0]);
}

#[test]
fn no_scheme_is_advised_that_loses_as_much() {
    let hopeless = remarks(&lifting(&["\"10000000\"", "\"1\""]));
    assert!(hopeless.contains("the wavelet itself is badly conditioned"), "{hopeless}");
    assert!(hopeless.contains("which leaves 1 digit in f64 and no digit in f32"), "{hopeless}");
    assert!(hopeless.contains("the lifting is badly conditioned for f32"), "{hopeless}");
    assert!(hopeless.contains("no other scheme keeps more digits"), "{hopeless}");
    assert!(!hopeless.contains("; use "), "{hopeless}");

    // A rotation by way of large coefficients: only the lifting loses digits.
    let roundabout = remarks(&lifting(&["3e4", "-3.3333333333333335e-5", "3e4"]));
    assert!(roundabout.contains("the lifting is badly conditioned for f32"), "{roundabout}");
}

#[test]
fn integer_transforms_lose_nothing() {
    let text = "[lifting]
steps = [{ target = \"odd\", taps = [100000] }, { target = \"even\", taps = [\"1/2\"], shift = 1 }]";
    let wavelet = parse(text, "mine").unwrap();
    assert!(wavelet.is_rounded() && wavelet.properties().condition > 1e3);
    assert!(!remarks(&wavelet).contains("conditioned"), "{}", remarks(&wavelet));
}

#[test]
fn every_lifting_is_a_wavelet() {
    // Products of these taps are too long for f64, exactly or not.
    let many = ["1/3", "1/7"].map(|tap| format!("\"{tap}\""));
    let many: Vec<&str> = (0..40).map(|step| many[step % 2].as_str()).collect();
    for steps in [
        &["\"100000000\"", "\"100000000\""][..],
        &["1e8", "1e8"],
        &["1e8, 1e8", "1e8", "1e-8, 3e7"],
        &["\"1/3\", \"1/7\"", "\"1e9\", \"1/7\"", "\"1e8\""],
        &many,
    ] {
        let wavelet = lifting(steps);
        let properties = wavelet.properties();
        assert_eq!(properties.reconstruction, Reconstruction::Exact, "{steps:?}");
        assert!(remarks(&wavelet).contains("the wavelet itself"), "{steps:?}");
        assert!(wavelet.lifting().is_some(), "{steps:?}");
    }
    // Other factors are only handed out if they multiply back.
    let wavelet = lifting(&["1e8, 1e8", "1e8", "1e-8, 3e7"]);
    let largest =
        wavelet.bank().analysis_low().taps().iter().fold(1.0, |m: f64, tap| m.max(tap.abs()));
    if let Some(residual) = wavelet.properties().lattice_residual {
        assert!(residual <= 1e-11 * largest, "{residual:e}");
    }
}

#[test]
fn a_lattice_of_large_numbers_is_a_wavelet() {
    for stage in ["[[\"1e9\", \"1\"], [\"1e9\", \"2\"]]", "[[1e9, 1.0], [1e9, 2.0]]"] {
        let text = format!("[lattice]\nstages = [{stage}]\nfinal = {stage}");
        let wavelet = parse(&text, "mine").unwrap();
        assert_eq!(wavelet.properties().reconstruction, Reconstruction::Exact);
        assert!(remarks(&wavelet).contains("the wavelet itself"), "{:?}", remarks(&wavelet));
    }
}
