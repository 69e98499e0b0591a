//! Bad input of every kind: exit code 2, one line that names file, field and what was expected,
//! nothing written.

mod common;

use common::{Folder, array, ended, line, noise};
use ndarray::ArrayD;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[16]));
    folder.npy("image.npy", &noise(&[8, 9]));
    folder
}

#[test]
fn damaged_files() {
    let folder = folder();
    let good = std::fs::read(folder.path("x.npy")).unwrap();
    folder.write("cut.npy", &good[..good.len() - 5]);
    folder.write("head.npy", &good[..40]);
    folder.write("long.npy", [good.as_slice(), b"more"].concat());
    folder.write("empty.npy", b"");
    folder.write("text.npy", "hello\nworld\n");
    folder.write("text.npz", "hello");
    folder.write("text.png", "hello");
    folder.write("text.tif", "hello");
    folder.write("text.wav", "hello");
    for (name, part) in [
        ("cut.npy", "truncated"),
        ("head.npy", "truncated"),
        ("long.npy", "extra"),
        ("empty.npy", "empty"),
        ("text.npy", "NumPy"),
        ("text.npz", "zip"),
        ("text.png", "image"),
        ("text.tif", "image"),
        ("text.wav", "sound"),
        ("missing.npy", "missing.npy: file: expected one that can be read: No such file"),
        ("x.jpg", ".npy"),
        ("x", ".npy"),
    ] {
        folder.refused(&format!("forward {name} -o out.npz --wavelet db2"), &[name, part]);
    }
    folder.refused("inverse text.npz -o out.npy --wavelet db2", &["text.npz", "zip"]);
    folder.refused("inverse x.npy -o out.npy --wavelet db2", &["x.npy", "--layout"]);
    folder.refused("inverse x.wav -o out.npy --wavelet db2", &["x.wav", ".npz"]);
    // Which adjoint was not said.
    folder.refused("adjoint x.npy -o out.npz --wavelet db2", &["x.npy", "--of inverse"]);
    folder.npz("signal.npz", &[("signal", noise(&[8]))]);
    folder.refused("adjoint signal.npz -o out.npz --wavelet db2", &["signal", "--of inverse"]);
    let said = "adjoint x.npy -o out.npz --wavelet db2 --of forward";
    folder.refused(said, &["x.npy", "--layout"]);
    assert!(!folder.run(said).stderr.contains("--of"));
}

#[test]
fn arrays_without_a_transform() {
    let folder = folder();
    folder.npy("none.npy", &ArrayD::<f64>::zeros(vec![0]));
    folder.npy("scalar.npy", &ArrayD::<f64>::zeros(vec![]));
    folder.npy("batch.npy", &ArrayD::<f64>::zeros(vec![3, 0]));
    folder.npy("four.npy", &ArrayD::<f64>::zeros(vec![2, 2, 2, 2]));
    folder.npy("one.npy", &line(&[1.0]));
    folder.npy("odd.npy", &array(&[7], |i| i as i32));
    let forward = |rest: &str, parts: &[&str]| {
        folder.refused(&format!("forward {rest} -o out.npz"), parts);
    };
    forward("none.npy --wavelet db1", &["none.npy", "empty"]);
    forward("batch.npy --wavelet db1 --dims 1", &["batch.npy", "empty"]);
    forward("scalar.npy --wavelet db2", &["scalar.npy", "axis"]);
    forward("four.npy --wavelet db2", &["four.npy", "--dims"]);
    forward("one.npy --wavelet db2 --mode reflect", &["one.npy", "reflect", "exceed 1"]);
    forward("one.npy --wavelet db2 --mode antireflect", &["one.npy", "antireflect"]);
    forward("odd.npy --wavelet db4 --mode circular", &["odd.npy: shape: ", "even"]);
    forward("odd.npy --wavelet ccsds97m", &["odd.npy: shape: ", "even"]);
    forward("x.npy --wavelet rev53", &["x.npy", "dtype", "integer", "float64"]);
    forward("x.npy --wavelet db2 --dtype i32", &["--dtype", "f32 or f64"]);
    forward("odd.npy --wavelet rev53 --dtype f32", &["--dtype", "i32"]);
}

/// Arrays of no elements along one axis, and of more than there are addresses along the others.
#[test]
fn arrays_of_nothing_and_too_much() {
    let folder = folder();
    let header = |descr: &str, shape: &str| {
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        text.push_str(&" ".repeat(117 - text.len()));
        [&b"\x93NUMPY\x01\x00\x76\x00"[..], text.as_bytes(), b"\n"].concat()
    };
    for (name, shape) in [
        ("a.npy", "(0, 1099511627776, 1099511627776)"),
        ("b.npy", "(1099511627776, 1099511627776, 0)"),
        ("c.npy", "(0, 3, 4611686018427387904)"),
    ] {
        folder.write(name, header("<f8", shape));
        let command = format!("forward {name} -o out.npz --wavelet haar --axes -1");
        folder.refused(&command, &[name, "larger than memory has addresses"]);
    }
    // As many as there may be, of which none is there: a transform of nothing.
    folder.write("none.npy", header("<f8", "(0, 4, 1099511627776)"));
    folder.write("whole.npy", header("<i4", "(0, 4, 68719476736)"));
    for command in [
        "forward none.npy -o none.npz --wavelet haar --axes 1",
        "inverse none.npz -o back.npy",
        "forward whole.npy -o whole.npz --wavelet rev53 --axes 1",
    ] {
        let ended = folder.run(command);
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.stderr);
    }
    let found = std::fs::read(folder.path("back.npy")).unwrap();
    assert!(String::from_utf8_lossy(&found).contains("(0, 4, 1099511627776)"));
}

/// Tiles of more elements than there are numbers.
#[test]
fn tiles_that_no_card_has_memory_for() {
    let folder = folder();
    let tile = "haar --dims 3 --strategy joint --tile 4194304,4194304,1048576";
    folder.refused(&format!("emit {tile} --target cuda -o out.cu"), &["shared memory"]);
    // Items are as many as fit.
    let items = "bior4.4 --dims 2 --strategy ilp --items 16777216 --block 1024";
    let text = folder.ok(&format!("emit {items} --target cuda"));
    assert!(text.contains("tile 64 x 28 x 1 pairs"), "{}", &text[..1000]);
}

/// What is read is not written over.
#[test]
fn inputs_are_not_outputs() {
    let folder = folder();
    let image = image::GrayImage::from_pixel(8, 8, image::Luma([7]));
    image.save(folder.path("x.png")).unwrap();
    std::os::unix::fs::symlink(folder.path("x.png"), folder.path("link.png")).unwrap();
    let before = std::fs::read(folder.path("x.png")).unwrap();
    for line in [
        "demo x.png -o x.npz",
        "demo ./x.png -o x.npz",
        "demo link.png -o x.npz",
        "forward x.png -o c.npz --wavelet haar --picture x.png",
        "compress x.png --approximation -o x.png",
        "compress link.png --keep 0.1 -o ./x.png",
    ] {
        folder.refused(line, &["x.png", "the file that is read"]);
        assert_eq!(std::fs::read(folder.path("x.png")).unwrap(), before, "{line}");
    }
    folder.ok("demo x.png -o other.npz");
}

#[test]
fn shapes_of_kernels_that_there_are_none_of() {
    let folder = folder();
    for (rest, parts) in [
        (
            "bior2.2 --dims 3 --strategy stream --together 4",
            &["--together", "2 or 3 axes", "got 4"][..],
        ),
        ("bior2.2 --dims 3 --strategy stream --together 1", &["--together", "got 1"]),
        ("haar --tile 64,2,1", &["--tile", "expected 1 along axis 1"]),
        ("haar --dims 2 --tile 16,8,3", &["--tile", "expected 1 along axis 2", "got 3"]),
    ] {
        folder.refused(&format!("emit {rest} --target cuda -o out.cu"), parts);
    }
    for rest in ["bior2.2 --dims 3 --strategy stream --together 2", "haar --dims 2 --tile 16,8,1"] {
        folder.ok(&format!("emit {rest} --target cuda -o out.cu"));
    }
}

#[test]
fn sounds_without_a_rate() {
    let folder = folder();
    let (channels, sample_rate, bits_per_sample) = (1, 8000, 16);
    let sample_format = hound::SampleFormat::Int;
    let spec = hound::WavSpec { channels, sample_rate, bits_per_sample, sample_format };
    let mut writer = hound::WavWriter::create(folder.path("x.wav"), spec).unwrap();
    (0..32).for_each(|i| writer.write_sample(i * 100).unwrap());
    writer.finalize().unwrap();
    let mut bytes = std::fs::read(folder.path("x.wav")).unwrap();
    // Samples and bytes per second.
    bytes[24..32].fill(0);
    folder.write("still.wav", bytes);
    folder
        .refused("forward still.wav -o c.npz --wavelet haar", &["still.wav", "rate of 1 or more"]);
}

/// A page of one color and a palette shrinks more than anything else.
#[test]
fn blank_pages_are_read() {
    let folder = folder();
    let file = std::fs::File::create(folder.path("page.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 4960, 7016);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette(vec![255, 255, 255, 0, 0, 0]);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; 620 * 7016]).unwrap();
    writer.finish().unwrap();
    folder.ok("forward page.png -o c.npz --wavelet haar --dims 2 --dtype f32");
}

#[test]
fn types_that_cannot_be_read() {
    let folder = folder();
    for (name, descriptor, part) in [
        ("object.npy", "|O", "Python objects"),
        ("complex.npy", "<c16", "complex128"),
        ("half.npy", "<f2", "float16"),
        ("text.npy", "<U2", "text"),
    ] {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let header =
            format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': (1,)}}\n");
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        let size = match descriptor {
            "<c16" => 16,
            "<f2" => 2,
            _ => 8,
        };
        bytes.resize(bytes.len() + size, 0);
        folder.write(name, bytes);
        folder.refused(
            &format!("forward {name} -o out.npz --wavelet db2"),
            &[name, part, "expected"],
        );
    }
}

#[test]
fn options_out_of_range() {
    let folder = folder();
    let forward = |rest: &str, parts: &[&str]| {
        folder.refused(&format!("forward image.npy -o out.npz --wavelet db2 {rest}"), parts);
    };
    forward("--levels -1", &["--levels", "-1"]);
    forward("--levels 1.5", &["--levels", "1.5"]);
    forward("--levels 1000", &["image.npy: --levels: ", "1000", "64"]);
    folder.npz("bands.npz", &[("a", noise(&[5])), ("d1", noise(&[5]))]);
    folder.refused(
        "inverse bands.npz -o out.npy --wavelet bior2.2 --mode jpeg2000 --levels 18446744073709551615",
        &["18446744073709551615 levels", "at most 64"],
    );
    forward("--dims 3", &["image.npy", "--dims", "3", "2"]);
    forward("--dims 0", &["--dims", "0"]);
    forward("--dims -1", &["--dims", "-1"]);
    forward("--axes 0,0", &["image.npy", "--axes", "twice"]);
    forward("--axes 0,-2", &["image.npy", "--axes", "twice"]);
    forward("--axes 2", &["image.npy", "--axes", "2", "0 to 1"]);
    forward("--axes -3", &["image.npy", "--axes", "-3"]);
    forward("--axes 0,x", &["--axes", "x"]);
    forward("--dims 1 --axes 0", &["--dims", "--axes"]);
    forward("--mode bogus", &["--mode", "bogus", "symmetric"]);
    forward("--mode SYMMETRIC", &["--mode", "SYMMETRIC"]);
    forward("--mode jpeg2000", &["image.npy: --mode: ", "whole-sample"]);
    forward("--mode sp0", &["--mode", "sp0"]);
    forward("--scheme lattice", &["image.npy", "lattice", "2"]);
    forward("--scheme bogus", &["--scheme", "bogus", "separable-lifting"]);
    forward("--origin 1,1", &["image.npy: --origin: ", "jpeg2000"]);
    forward("--norm lifting", &["--norm", "haar"]);
    forward("--layout mixed", &["image.npy", "--layout", "mixed"]);
    forward("--layout spiral", &["--layout", "spiral", "mallat"]);
    forward("--exchange shared", &["--exchange", "CUDA"]);
    forward("--exchange shuffle", &["--exchange", "'shuffle' is part", "--strategy full-register"]);
    forward("--exchange telepathy", &["--exchange", "telepathy", "recompute"]);
    forward("--strategy warp", &["--strategy", "CUDA"]);
    forward("--block 128", &["--block", "CUDA"]);
    forward("--block 0", &["--block", "0"]);
    forward("--items 2 --device cpu", &["--items", "CUDA"]);
    forward("--rows 4", &["--rows", "CUDA"]);
    forward("--device cuda:x", &["--device", "cuda:x"]);
    forward("--picture bands.jpg", &["bands.jpg", ".png"]);
    forward("--axes 0 --picture bands.png", &["image.npy", "--picture"]);
    folder.refused(
        "forward image.npy -o out.npz --wavelet rev53 --mode jpeg2000 --origin 1",
        &["image.npy", "integer"],
    );
    folder.refused(
        "forward image.npy -o out.npz --wavelet irr97 --origin 1",
        &["image.npy", "origin", "2", "1"],
    );
    folder.refused("forward image.npy -o out.npz", &["image.npy", "--wavelet", "missing"]);
    folder.refused("forward image.npy --wavelet db2", &["--output"]);
    folder
        .refused("forward image.npy -o out.npz --wavelet db2 --levels 1 --levels 2", &["--levels"]);
    folder.refused("sideways image.npy", &["sideways"]);
}

#[test]
fn names_that_do_not_exist_have_a_hint() {
    let folder = folder();
    for (name, hint) in [
        ("db99", "db9"),
        ("db04", "db4"),
        ("bior2.3", "did you mean 'bior"),
        ("sym1", "sym1"),
        ("coif0", "coif"),
    ] {
        folder.refused(
            &format!("forward x.npy -o out.npz --wavelet {name}"),
            &["--wavelet", name, hint],
        );
    }
    folder.refused("show db39", &["db39"]);
    folder.refused("forward x.npy -o out.npz --wavelet missing.toml", &["missing.toml"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = folder();
    std::fs::create_dir(folder.path("folder.npz")).unwrap();
    let forward = |output: &str, parts: &[&str]| {
        folder.refused(&format!("forward x.npy -o {output} --wavelet db2"), parts);
    };
    forward("missing/out.npz", &["missing/out.npz", "does not exist"]);
    forward("folder.npz", &["folder.npz", "folder"]);
    forward("out.npy", &["out.npy", "--layout"]);
    forward("out.png", &["out.png", ".npz"]);
    forward("out", &["out", ".npz"]);
    folder.ok("forward x.npy -o c.npz --wavelet db2");
    folder.refused("inverse c.npz -o out.png", &["out.png", "8 or 16 bits"]);
    folder.refused("inverse c.npz -o out.wav", &["out.wav", "sample rate"]);
    folder.refused("inverse c.npz -o missing/out.npy", &["missing/out.npy"]);
    folder.refused("show haar --plot missing/w.png", &["missing/w.png"]);
    folder.refused("show haar --plot w.pdf", &["w.pdf", "no known ending; expected .png\n"]);
    folder.refused("show haar --plot w.npy", &["w.npy", "written as .png"]);
    folder.refused("demo -o missing/x.npz", &["missing/x.npz"]);
    folder.refused("demo x.npy -o y.npz", &["x.npy", ".png"]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let locked = folder.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser writes anywhere; everyone else is refused.
    if std::fs::write(locked.join("probe"), b"").is_err() {
        folder.refused("forward x.npy -o locked/out.npz --wavelet db2", &["locked/out.npz"]);
    }
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn coefficient_files_that_make_no_sense() {
    let folder = folder();
    folder.npz("uneven.npz", &[("a", noise(&[10])), ("d1", noise(&[7]))]);
    folder.npz("unknown.npz", &[("x", noise(&[10])), ("y", noise(&[10]))]);
    folder.npz("typo.npz", &[("a", noise(&[10])), ("d_1", noise(&[10]))]);
    folder.npz("mixed_up.npz", &[("a", noise(&[10])), ("ad1", noise(&[10, 10]))]);
    folder.npz("short.npz", &[("a", noise(&[1])), ("d1", noise(&[1]))]);
    folder.npz("nothing.npz", &[("a", noise(&[0])), ("d1", noise(&[0]))]);
    folder.npz("levels.npz", &[("a", noise(&[4])), ("d3", noise(&[4])), ("d1", noise(&[9]))]);
    let inverse = |rest: &str, parts: &[&str]| {
        folder.refused(&format!("inverse {rest} -o out.npy --wavelet db2"), parts);
    };
    inverse("uneven.npz", &["uneven.npz", "10", "7"]);
    inverse("unknown.npz", &["unknown.npz", "ad1"]);
    inverse("typo.npz", &["typo.npz", "d_1"]);
    inverse("mixed_up.npz", &["mixed_up.npz", "ad1"]);
    inverse("nothing.npz", &["nothing.npz"]);
    inverse("levels.npz --levels 2", &["levels.npz", "--levels", "3"]);
    inverse("short.npz --layout mallat", &["short.npz", "mallat"]);
    folder
        .npz("whole.npz", &[("a", array(&[10], |i| i as i32)), ("d1", array(&[10], |i| i as i32))]);
    folder.refused("inverse whole.npz -o out.npy", &["whole.npz", "--wavelet"]);
    inverse("whole.npz --dims 2", &["whole.npz", "--dims"]);
    folder.npz("real.npz", &[("a", noise(&[4])), ("d1", noise(&[4])), ("levels", line(&[1.0]))]);
    inverse("real.npz", &["real.npz: levels: expected whole numbers, got float64"]);
    folder.npz("less.npz", &[("a", line(&[1, 2])), ("d1", line(&[3, 4])), ("shape", line(&[-4]))]);
    inverse("less.npz", &["less.npz: shape: expected 0 or more, got -4"]);
    inverse("whole.npz --shape 18,2", &["whole.npz", "shape"]);
    inverse("whole.npz --shape 40", &["whole.npz", "10"]);
}

#[test]
fn options_that_contradict_the_file() {
    let folder = folder();
    folder.ok("forward image.npy -o c.npz --wavelet db2 --mode zero --levels 2");
    let inverse = |rest: &str, parts: &[&str]| {
        folder.refused(&format!("inverse c.npz -o out.npy {rest}"), parts);
    };
    inverse("--wavelet db3", &["c.npz", "--wavelet", "db3", "db2"]);
    inverse("--mode symmetric", &["c.npz", "--mode", "symmetric", "zero"]);
    inverse("--levels 3", &["c.npz", "--levels", "3", "2"]);
    inverse("--dims 1", &["c.npz", "--dims"]);
    inverse("--axes 1,0", &["c.npz", "--axes"]);
    inverse("--origin 1,1", &["c.npz", "--origin"]);
    inverse("--layout mallat", &["c.npz", "--layout", "mallat", "bands"]);
    inverse("--shape 8,10", &["c.npz", "shape", "[8, 9]"]);
    // Saying the same again, by any name, is no contradiction.
    folder
        .ok("inverse c.npz -o out.npy --wavelet sym2 --mode zero --levels 2 --dims 2 --shape 8,9");
}

#[test]
fn rounded_transforms_have_no_adjoint() {
    let folder = folder();
    folder.npy("i.npy", &array(&[12], |i| i as i32));
    folder.ok("forward i.npy -o i.npz --wavelet rev53");
    folder.refused("adjoint i.npz -o out.npy", &["i.npz", "adjoint"]);
    folder.refused("adjoint i.npy -o out.npz --of inverse --wavelet rev53", &["i.npy", "adjoint"]);
    folder.refused("adjoint x.npy -o out.npz --of inverse --wavelet db2 --shape 3", &["--shape"]);
}

#[test]
fn integers_that_could_overflow_are_refused_with_the_bound() {
    let folder = folder();
    folder.npy("wide.npy", &line(&[i32::MIN, i32::MAX, i32::MIN, i32::MAX]));
    folder.refused(
        "forward wide.npy -o out.npz --wavelet rev53",
        &["wide.npy: --dtype: ", "overflow", "i32", "mode jpeg2000 and 1 level ", "is safe"],
    );
    folder.refused(
        "forward wide.npy -o out.npz --wavelet rev53 --mode smooth --levels 30",
        &["mode smooth and 30 levels", "no value is proved safe"],
    );
    folder.refused(
        "forward wide.npy -o out.npz --wavelet rev53 --dtype i16",
        &["wide.npy", "i16", "-32768 to 32767"],
    );
    folder.ok("forward wide.npy -o out.npz --wavelet rev53 --dtype i64");
    let details = folder.read_npz::<i64>("out.npz", "d1");
    assert_eq!(details.iter().max(), Some(&4_294_967_295));
    folder.npy("huge.npy", &line(&[u64::MAX, 0, 0, 0]));
    folder.refused("forward huge.npy -o no.npz --wavelet rev53", &["huge.npy", "i64"]);
}

#[test]
fn definition_files_with_problems() {
    let folder = folder();
    folder.write("bad.toml", "name = 3\n[lifting]\nsteps = [3]\ngains = [1]\n");
    folder
        .refused("forward x.npy -o out.npz --wavelet bad.toml", &["bad.toml", "line 1", "line 3"]);
    let ended = folder.run("check bad.toml");
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.stderr.lines().count(), 1);
    assert!(ended.stdout.lines().count() >= 3, "{}", ended.stdout);
    assert!(
        ended.stdout.lines().all(|problem| problem.starts_with("bad.toml:")),
        "{}",
        ended.stdout
    );
    folder.write("far.toml", "[taps]\nlo = { taps = [\"1e-2147483648\", 1] }\n");
    let ended = folder.run("check far.toml");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stdout.contains("\"1e-2147483648\" is not a number"), "{}", ended.stdout);
    folder.write("binary.toml", [0xff, 0xfe, 0]);
    folder.refused("check binary.toml", &["binary.toml", "UTF-8"]);
    folder.refused("check missing.toml", &["missing.toml"]);
}

#[test]
fn devices_that_are_not_there() {
    let folder = folder();
    // Device 4095 exists nowhere.
    folder.refused("forward x.npy -o out.npz --wavelet db2 --device cuda:4095", &["--device"]);
    folder.refused("--device cuda:4095 demo -o d.npz", &["--device"]);
    folder.refused("--device cuda:4095 devices", &["--device"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::process::Stdio;
    let mut child =
        common::binary().arg("list").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let ended = ended(&output);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_definition_edited_since_is_told_from_another() {
    let folder = folder();
    let define = |tap: &str| {
        let steps = format!("{{ target = \"d\", taps = [{tap}] }}");
        folder.write("mine.toml", format!("name = \"mine\"\n[lifting]\nsteps = [{steps}]\n"));
    };
    define("-1");
    folder.ok("forward x.npy -o c.npz --wavelet mine.toml");
    folder.ok("inverse c.npz -o y.npy --wavelet mine.toml");
    define("-2");
    folder.refused(
        "inverse c.npz -o no.npy --wavelet mine.toml",
        &["c.npz: --wavelet: ", "mine", "differ"],
    );
    folder.refused(
        "inverse c.npz -o no.npy --wavelet db2",
        &["c.npz: --wavelet: db2 was given, but the file says mine"],
    );
    folder.ok("inverse c.npz -o y.npy");
}
