//! What is done all the same, and noted on standard error.

mod common;

use common::{Folder, array, line, noise};

/// Two lifting steps of one tap each.
fn lifting(folder: &Folder, first: &str, second: &str) {
    folder.write(
        "steps.toml",
        format!(
            "[lifting]\nsteps = [{{ target = \"odd\", taps = [\"{first}\"] }}, {{ target = \"even\", taps = [\"{second}\"] }}]\n"
        ),
    );
}

#[test]
fn wavelets_that_lose_their_digits_are_noted() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[64, 48]));
    lifting(&folder, "10000000", "1");
    let notes = folder.notes("forward x.npy -o c.npz --wavelet steps.toml --levels 3");
    assert_eq!(
        notes,
        "note: steps is badly conditioned: a round trip of 3 levels along 2 axes keeps no digit in f64; fewer levels lose less; 'waveloom show' says more\n"
    );
    let check = folder.ok("check steps.toml");
    assert!(check.contains("the wavelet itself is badly conditioned"), "{check}");
    assert!(check.contains("along one axis keeps 1 digit in f64, 0 in f32"), "{check}");
    assert!(!check.contains("use convolution"), "{check}");

    // What single precision loses, double precision may keep.
    lifting(&folder, "30", "1");
    folder.npy("single.npy", &noise(&[512]).mapv(|value| value as f32));
    let notes = folder.notes("forward single.npy -o c.npz --wavelet steps.toml --levels 2");
    assert!(notes.contains("2 levels along 1 axis keeps") && notes.contains("in f32"), "{notes}");
    assert!(notes.contains("--dtype f64 keeps"), "{notes}");
    let double = "forward single.npy -o c.npz --wavelet steps.toml --levels 2 --dtype f64";
    assert_eq!(folder.notes(double), "");
    assert_eq!(folder.notes("forward x.npy -o c.npz --wavelet bior4.4 --levels 2"), "");
    let quiet = "forward x.npy -o c.npz --wavelet steps.toml --levels 3 --quiet";
    assert_eq!(folder.notes(quiet), "");
}

#[test]
fn every_lifting_is_transformed() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[64]));
    lifting(&folder, "100000000", "100000000");
    assert!(folder.ok("check steps.toml").contains("reconstruction exact (proved)"));
    let notes = folder.notes("forward x.npy -o c.npz --wavelet steps.toml");
    assert!(notes.contains("keeps no digit in f64"), "{notes}");
}

#[test]
fn coefficients_that_overflow_are_noted() {
    let folder = Folder::new();
    folder.npy("x.npy", &array(&[8, 8], |_| 1.7e308));
    let notes = folder.notes("forward x.npy -o c.npz --wavelet db2 --levels 1");
    assert_eq!(notes.lines().count(), 1, "{notes}");
    assert!(notes.starts_with("note: coefficients are not finite (NaN or infinite) because they exceed the range of f64: 25 of 25 in aa"), "{notes}");
    let notes = folder.notes("inverse c.npz -o back.npy");
    assert!(
        notes.starts_with("note: ") && notes.contains("of 100 coefficients are not finite"),
        "{notes}"
    );

    let mut values = noise(&[64]);
    (values[[3]], values[[7]]) = (f64::NAN, f64::INFINITY);
    folder.npy("strange.npy", &values);
    let notes = folder.notes("forward strange.npy -o c.npz --wavelet haar");
    assert_eq!(notes, "note: 2 of 64 input values are not finite (NaN or infinite)\n");

    // Coefficients that are finite may make a signal that is not.
    folder.npz("large.npz", &[("a", line(&[1.7e308; 4])), ("d1", line(&[1.7e308; 4]))]);
    let notes = folder.notes("inverse large.npz -o back.npy --wavelet haar");
    assert!(
        notes.contains("of 8 values are not finite") && notes.contains("range of f64"),
        "{notes}"
    );
}

#[test]
fn levels_without_sense_are_noted() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[100, 300]));
    let notes = folder.notes("forward x.npy -o c.npz --wavelet db4 --levels 4");
    assert_eq!(
        notes,
        "note: --levels 4: at most 3 make sense for 100 samples (axis 0) with db4; further ones see little but the extension, and their bands grow no smaller\n"
    );
    assert_eq!(folder.notes("forward x.npy -o c.npz --wavelet db4 --levels 3"), "");
    assert_eq!(folder.notes("forward x.npy -o c.npz --wavelet db4 --levels 5 --axes 1"), "");
    // One level of a short signal is nothing strange.
    folder.npy("short.npy", &noise(&[5]));
    assert_eq!(folder.notes("forward short.npy -o c.npz --wavelet db4"), "");
    let notes = folder.notes("forward short.npy -o c.npz --wavelet db4 --levels 2");
    assert!(notes.contains("at most 0 make sense for 5 samples"), "{notes}");
    // Mirrored, a signal is halved down to one sample.
    let mirrored = "forward x.npy -o c.npz --wavelet bior4.4 --mode jpeg2000 --levels";
    assert_eq!(folder.notes(&format!("{mirrored} 9")), "");
    let notes = folder.notes(&format!("{mirrored} 10"));
    assert!(notes.contains("at most 9") && notes.contains("only multiply"), "{notes}");
}

#[test]
fn notes_of_a_batch_stand_in_its_reports() {
    let folder = Folder::new();
    // Lines that end as on other systems.
    folder.write("lines.txt", "list\r\n# nothing\r\n\r\nshow haar\r\n");
    let ended = folder.run("batch lines.txt");
    assert_eq!(ended.stdout.matches("\"rc\":0").count(), 2, "{}", ended.stdout);
    folder.npy("short.npy", &noise(&[5]));
    folder.write("jobs.txt", "# two jobs\nforward short.npy -o c.npz --wavelet db4 --levels 2\nforward short.npy -o c.npz --wavelet db4 --levels 2 --quiet\n");
    let ended = folder.run("batch jobs.txt");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let reports: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2);
    let noted = reports[0]["stderr"].as_str().unwrap();
    assert!(noted.starts_with("note: --levels 2") && !noted.ends_with('\n'), "{noted}");
    assert_eq!(reports[1]["stderr"], "");
}

/// Levels beyond one sample: nothing happens where the low-pass filter passes constants on as they are, and the others are told.
#[test]
fn levels_beyond_one_sample_are_told_by_their_gain() {
    let folder = Folder::new();
    folder.npy("x.npy", &array(&[8], |i| 1.0 + i as f64));
    for (wavelet, what) in [("irr97", "change nothing"), ("bior4.4", "only multiply what is left")]
    {
        let line = format!("forward x.npy -o c.npz --wavelet {wavelet} --mode jpeg2000 --levels 5");
        let notes = folder.notes(&line);
        assert!(
            notes.contains("at most 3 make sense for 8 samples") && notes.contains(what),
            "{notes}"
        );
    }
    folder.ok("forward x.npy -o three.npz --wavelet bior4.4 --mode jpeg2000 --levels 3");
    folder.ok("forward x.npy -o five.npz --wavelet bior4.4 --mode jpeg2000 --levels 5");
    let of = |name: &str| folder.read_npz::<f64>(name, "a")[[0]];
    assert!((of("five.npz") / of("three.npz") - 2.0).abs() < 1e-9);
}

/// The same notes whatever the command.
#[test]
fn images_are_transformed_with_notes() {
    let folder = Folder::new();
    image::GrayImage::from_fn(16, 12, |x, y| image::Luma([(x * 13 + y * 7) as u8]))
        .save(folder.path("x.png"))
        .unwrap();
    let demo = "demo x.png -o c.npz --levels 9";
    let compress = "compress x.png -o small.png --keep 50% --levels 9";
    for line in [demo, compress] {
        assert!(folder.notes(line).contains("--levels 9: at most 4 make sense"), "{line}");
    }
    assert_eq!(folder.notes("demo x.png -o c.npz --levels 2"), "");
}

/// Samples that were finite in the file are not called anything else.
#[test]
fn samples_beyond_the_range_of_the_element_type() {
    let folder = Folder::new();
    let mut values = array(&[16], |_| 1e308);
    values[[5]] = f64::NAN;
    values[[6]] = 1.0;
    folder.npy("x.npy", &values);
    assert_eq!(
        folder.notes("forward x.npy -o c.npz --wavelet db2 --dtype f32"),
        "note: 1 of 16 input values are not finite (NaN or infinite)\n\
         note: 14 of 16 input values exceed the range of f32 and become infinite\n"
    );
}
