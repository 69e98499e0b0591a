//! Refusals say in words what was expected and what came, and hints can be followed.

mod common;

use common::{Folder, array, line, noise};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[16, 12]));
    folder.npy("i.npy", &array(&[16], |i| i as i64));
    folder
}

#[test]
fn lists_of_numbers() {
    let folder = folder();
    for (list, got) in [
        ("x", "'x'"),
        ("1.5", "'1.5'"),
        ("0,", "'' (in '0,')"),
        ("99999999999999999999", "'99999999999999999999'"),
    ] {
        let expected = format!("error: --axes: expected whole numbers such as 0,-1, got {got}");
        folder
            .refused(&format!("forward x.npy -o c.npz --wavelet db2 --axes {list}"), &[&expected]);
    }
    let far = "forward x.npy -o c.npz --wavelet db2 --axes 99999999999";
    folder.refused(far, &["--axes: axis 99999999999 does not exist; expected 0 to 1"]);
    folder.ok("forward x.npy -o c.npz --wavelet db2");
    folder.refused(
        "inverse c.npz -o back.npy --shape 16,-12",
        &["--shape: expected a shape such as 512,640, got '-12'"],
    );
    let ended = folder.run("forward x.npy -o d.npz --wavelet bior2.2 --mode jpeg2000 --origin 1");
    assert!(ended.stderr.contains("--origin: expected 2 values of origin"), "{}", ended.stderr);
}

#[test]
fn modes_schemes_and_types() {
    let folder = folder();
    let forward = "forward x.npy -o c.npz --wavelet bior4.4";
    folder.refused(
        &format!("{forward} --mode SYM"),
        &["--mode: expected one of zero, ", "got 'SYM' (did you mean 'symmetric'?)"],
    );
    folder.refused(
        &format!("{forward} --scheme lifting"),
        &[
            "--scheme: ",
            "lifting does not exist in 2-D; expected separable-lifting or nonseparable-lifting",
        ],
    );
    folder.refused(
        "emit rev53 --target rust --dtype f64",
        &["--dtype: rev53 is an integer transform; expected i16, i32 or i64, got f64"],
    );
    folder.refused(
        "emit db2 --target cuda --dtype i32",
        &["--dtype: db2 is no integer transform; expected f32 or f64, got i32"],
    );
}

#[test]
fn nothing_wider_than_the_widest_type_is_advised() {
    let folder = folder();
    folder.npy("u.npy", &line(&[u64::MAX, 0, 0, 0]));
    folder.npy("edge.npy", &line(&[i64::MAX, i64::MIN, i64::MAX, i64::MIN]));
    for input in ["u.npy", "edge.npy"] {
        let ended = folder.run(&format!("forward {input} -o c.npz --wavelet rev53"));
        assert_eq!(ended.code, Some(2));
        let said = ended.stderr;
        assert!(!said.contains("is wider") && !said.contains("a wider type;"), "{said}");
        assert!(!said.contains("use a wider type"), "{said}");
    }
    let deep = "forward edge.npy -o c.npz --wavelet rev53 --mode smooth --levels 60";
    folder.refused(deep, &["no value is proved safe; use fewer levels or another mode\n"]);
}

#[test]
fn deeper_levels_are_named() {
    let folder = folder();
    folder.npy("two.npy", &noise(&[2]));
    folder.refused(
        "forward two.npy -o c.npz --wavelet bior4.4 --mode circular --levels 3",
        &["--levels: axis 0 has length 1 at level 2: length must exceed 1 for circular, got 1"],
    );
    folder.npy("even.npy", &noise(&[3, 64, 48]));
    folder.refused(
        "forward even.npy -o c.npz --wavelet bior4.4 --mode circular --levels 5 --axes 1,2",
        &["--levels: axis 2 has length 3 at level 5: an even length is needed here"],
    );
}

#[test]
fn damaged_records() {
    let folder = folder();
    let band = || array(&[4, 4], |_| 0_i64);
    folder.npz("twice.npz", &[("aa", band()), ("axes", line(&[0, 0]))]);
    folder.refused(
        "inverse twice.npz -o back.npy --wavelet haar",
        &["twice.npz: axes: expected every axis once, got a repeated one: [0, 0]"],
    );
    folder.npz("far.npz", &[("aa", band()), ("axes", line(&[0, 5]))]);
    folder.refused(
        "inverse far.npz -o back.npy --wavelet haar",
        &["far.npz: axes: expected axes from 0 to 1, as the arrays have 2, got [0, 5]"],
    );
}

#[test]
fn filters_of_huge_taps() {
    let folder = folder();
    folder.write("huge.toml", "[taps]\nlo = { taps = [1e300, 1e300] }\n");
    let ended = folder.run("check huge.toml");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stdout.contains("the energy of the low-pass filter"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("rec_lo"), "{}", ended.stdout);
}

#[test]
fn numbers_of_a_wavelet() {
    let folder = folder();
    folder.write("none.toml", "[lifting]\nsteps = []\n");
    let text = folder.ok("show none.toml");
    assert!(!text.contains("-0.0000") && text.contains("multiply back exactly"), "{text}");
    assert!(text.contains("largest coefficient 0\n"), "{text}");
    assert!(
        text.contains("condition 1: a round trip of one level along one axis keeps 15 digits"),
        "{text}"
    );
    // Small taps show their digits.
    let text = folder.ok("show db38");
    assert!(text.contains("e-10") && !text.contains(" 0.00000000000"), "{text}");
}
