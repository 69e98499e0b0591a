//! Every format in and out, layouts, devices of one process, and what files remember.

mod common;

use common::{Folder, array, distance, ended, line, noise};
use image::{DynamicImage, GrayImage, ImageBuffer, Luma, Rgb, RgbImage, RgbaImage};
use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn pixels(folder: &Folder, name: &str) -> DynamicImage {
    image::open(folder.path(name)).unwrap()
}

#[test]
fn images_of_every_kind() {
    let folder = Folder::new();
    let byte = |x: u32, y: u32, c: u32| (x * 37 + y * 91 + c * 55) as u8;
    let word = |x: u32, y: u32, c: u32| (x * 3701 + y * 9127 + c * 5533) as u16;
    let gray = GrayImage::from_fn(13, 9, |x, y| Luma([byte(x, y, 0)]));
    let colour = RgbImage::from_fn(13, 9, |x, y| Rgb([0, 1, 2].map(|c| byte(x, y, c))));
    let alpha = RgbaImage::from_fn(8, 6, |x, y| image::Rgba([0, 1, 2, 3].map(|c| byte(x, y, c))));
    let gray16 = ImageBuffer::from_fn(10, 7, |x, y| Luma([word(x, y, 0)]));
    let colour16 = ImageBuffer::from_fn(10, 7, |x, y| Rgb([0, 1, 2].map(|c| word(x, y, c))));
    let images: [(&str, DynamicImage); 5] = [
        ("gray", gray.into()),
        ("colour", colour.into()),
        ("alpha", alpha.into()),
        ("gray16", gray16.into()),
        ("colour16", colour16.into()),
    ];
    for (name, picture) in &images {
        for ending in ["png", "tif"] {
            let input = format!("{name}.{ending}");
            picture.save(folder.path(&input)).unwrap();
            for wavelet in ["bior4.4 --levels 2", "rev53 --levels 2", "haar --mode periodization"] {
                folder.ok(&format!("forward {input} -o c.npz --wavelet {wavelet}"));
                folder.ok(&format!("inverse c.npz -o back.{ending}"));
                assert_eq!(
                    &pixels(&folder, &format!("back.{ending}")),
                    picture,
                    "{input} {wavelet}"
                );
            }
        }
    }
    // Channels are a batch: the colour axis is not transformed.
    folder.ok("forward colour.png -o c.npz --wavelet haar");
    assert_eq!(folder.read_npz::<f64>("c.npz", "dd1").shape(), [3, 5, 7]);
    // Another image format, and another kind of file.
    folder.ok("inverse c.npz -o other.tif");
    assert_eq!(pixels(&folder, "other.tif"), images[1].1);
    folder.ok("inverse c.npz -o other.npy");
    assert_eq!(folder.read_npy::<f64>("other.npy").shape(), [3, 9, 13]);
}

#[test]
fn sounds_keep_rate_and_depth() {
    let folder = Folder::new();
    for (channels, bits, format) in [
        (1, 16, hound::SampleFormat::Int),
        (2, 16, hound::SampleFormat::Int),
        (2, 24, hound::SampleFormat::Int),
        (1, 8, hound::SampleFormat::Int),
        (1, 32, hound::SampleFormat::Float),
    ] {
        let spec = hound::WavSpec {
            channels,
            sample_rate: 11025,
            bits_per_sample: bits,
            sample_format: format,
        };
        let mut writer = hound::WavWriter::create(folder.path("x.wav"), spec).unwrap();
        for i in 0..100 * i32::from(channels) {
            match format {
                hound::SampleFormat::Int => writer.write_sample((i * 31) % 127 - 60).unwrap(),
                hound::SampleFormat::Float => {
                    writer.write_sample(((i % 17) as f32 - 8.0) / 8.0).unwrap()
                }
            }
        }
        writer.finalize().unwrap();
        folder.ok("forward x.wav -o c.npz --wavelet db3 --levels 2");
        let low = folder.shape_in_npz("c.npz", "a");
        assert_eq!(low, if channels == 1 { vec![28] } else { vec![2, 28] });
        folder.ok("inverse c.npz -o back.wav");
        let read = |name: &str| {
            let mut reader = hound::WavReader::open(folder.path(name)).unwrap();
            assert_eq!(reader.spec(), spec);
            match format {
                hound::SampleFormat::Int => {
                    reader.samples::<i32>().map(|s| f64::from(s.unwrap())).collect::<Vec<f64>>()
                }
                hound::SampleFormat::Float => {
                    reader.samples::<f32>().map(|s| f64::from(s.unwrap())).collect()
                }
            }
        };
        let worst = read("x.wav")
            .iter()
            .zip(read("back.wav"))
            .fold(0.0_f64, |w, (a, b)| w.max((a - b).abs()));
        assert!(worst < 1e-6, "{spec:?}: {worst}");
    }
}

#[test]
fn arrays_of_every_type_and_order() {
    let folder = Folder::new();
    macro_rules! integers {
        ($($kind:ty),*) => {$(
            folder.npy("x.npy", &array(&[3, 10], |i| (i * 4 % 101) as $kind));
            folder.ok("forward x.npy -o c.npz --wavelet db2 --dims 1");
            folder.ok("inverse c.npz -o back.npy");
            let back = folder.read_npy::<f64>("back.npy");
            assert!(distance(&back, &array(&[3, 10], |i| (i * 4 % 101) as f64)) < 1e-9);
        )*};
    }
    integers!(i8, u8, i16, u16, i32, u32, i64, u64);
    folder.npy("x.npy", &array(&[3, 10], |i| i % 3 == 0));
    folder.ok("forward x.npy -o c.npz --wavelet rev53");
    folder.ok("inverse c.npz -o back.npy");
    assert_eq!(folder.read_npy::<i32>("back.npy"), array(&[3, 10], |i| i32::from(i % 3 == 0)));

    folder.npy("x.npy", &array(&[3, 10], |i| i as f32));
    folder.ok("forward x.npy -o c.npz --wavelet db2");
    folder.ok("inverse c.npz -o back.npy");
    assert_eq!(folder.read_npy::<f32>("back.npy").shape(), [3, 10]);

    let c_order = noise(&[4, 6]);
    let mut fortran = ArrayD::<f64>::zeros(IxDyn(&[4, 6]).f());
    fortran.assign(&c_order);
    folder.npy("c.npy", &c_order);
    folder.npy("f.npy", &fortran);
    folder.ok("forward c.npy -o c.npz --wavelet db2");
    folder.ok("forward f.npy -o f.npz --wavelet db2");
    assert_eq!(folder.read_npz::<f64>("c.npz", "ad1"), folder.read_npz::<f64>("f.npz", "ad1"));

    // A signal in an archive, stored or deflated, in and out.
    folder.npz("x.npz", &[("anything", c_order.clone())]);
    folder.ok("forward x.npz -o c.npz --wavelet db2");
    folder.ok("inverse c.npz -o back.npz");
    assert!(distance(&folder.read_npz("back.npz", "signal"), &c_order) < 1e-12);
}

#[test]
fn layouts_hold_the_same_coefficients() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[2, 16, 8]));
    let options = "--wavelet bior4.4 --mode jpeg2000 --levels 2 --dims 2";
    folder.ok(&format!("forward x.npy -o bands.npz {options}"));
    for layout in ["mallat", "mixed"] {
        for ending in ["npz", "npy"] {
            folder.ok(&format!("forward x.npy -o c.{ending} --layout {layout} {options}"));
            let record = if ending == "npz" {
                String::new()
            } else {
                format!("--layout {layout} {options}")
            };
            folder.ok(&format!("inverse c.{ending} -o back.npy {record}"));
            assert!(distance(&folder.read_npy("back.npy"), &folder.read_npy("x.npy")) < 1e-12);
        }
    }
    let dd2 = folder.read_npz::<f64>("bands.npz", "dd2");
    let mallat = folder.read_npz::<f64>("c.npz", "mixed");
    assert_eq!(mallat[[1, 2, 2]], dd2[[1, 0, 0]]);
    folder.ok(&format!("forward x.npy -o c.npz --layout mallat {options}"));
    assert_eq!(folder.read_npz::<f64>("c.npz", "mallat")[[1, 4, 2]], dd2[[1, 0, 0]]);
}

#[test]
fn norms_of_the_haar_wavelet() {
    let folder = Folder::new();
    folder.npy("x.npy", &line(&[1.0, 4.0]));
    folder.ok("forward x.npy -o c.npz --wavelet haar --layout mixed --norm lifting");
    assert_eq!(folder.read_npz::<f64>("c.npz", "mixed"), line(&[2.5, 3.0]));
    folder.ok("inverse c.npz -o back.npy");
    assert_eq!(folder.read_npy::<f64>("back.npy"), line(&[1.0, 4.0]));
    folder.refused("inverse c.npz -o no.npy --norm ortho", &["c.npz", "--norm"]);
}

#[test]
fn a_definition_travels_with_its_coefficients() {
    let folder = Folder::new();
    folder.write("mine.toml", "[lifting]\nsteps = [\n { target = \"d\", taps = [\"-1/2\", \"-1/2\"] },\n { target = \"a\", first = -1, taps = [0.25, 0.25] },\n]\n");
    folder.npy("x.npy", &noise(&[12, 7]));
    folder.ok("forward x.npy -o c.npz --wavelet mine.toml --levels 2");
    folder.ok("inverse c.npz -o back.npy --wavelet mine.toml");
    folder
        .refused("inverse c.npz -o no.npy --wavelet haar", &["c.npz", "--wavelet", "haar", "mine"]);
    std::fs::remove_file(folder.path("mine.toml")).unwrap();
    folder.ok("inverse c.npz -o back.npy");
    assert!(distance(&folder.read_npy("back.npy"), &folder.read_npy("x.npy")) < 1e-12);
}

#[test]
fn every_scheme_gives_the_same() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[13, 10]));
    folder.ok("forward x.npy -o reference.npz --wavelet db3 --scheme separable-convolution");
    for scheme in ["nonseparable-convolution", "separable-lifting", "nonseparable-lifting"] {
        let said = folder.ok(&format!("forward x.npy -o c.npz --wavelet db3 --scheme {scheme}"));
        assert!(said.contains(scheme), "{said}");
        for key in ["aa", "ad1", "da1", "dd1"] {
            let difference =
                distance(&folder.read_npz("c.npz", key), &folder.read_npz("reference.npz", key));
            assert!(difference < 1e-12, "{scheme} {key}: {difference}");
        }
    }
}

#[test]
fn success_is_one_line_or_silent() {
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[9]));
    let said = folder.ok("forward x.npy -o c.npz --wavelet db2 --device cpu");
    assert_eq!(said.lines().count(), 1);
    for part in ["x.npy", "c.npz", "db2", "symmetric", "1 level"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(folder.ok("forward x.npy -o c.npz --wavelet db2 --quiet"), "");
    assert_eq!(folder.ok("--quiet --device cpu inverse c.npz -o back.npy"), "");
    assert_eq!(folder.ok("demo --quiet -o demo.npz"), "");
    assert_eq!(folder.ok("-q compress demo.png --keep 5% -o small.png"), "");
    assert!(folder.ok("-q compress demo.png --keep 5% -o small.png --json").contains("psnr"));
    let definition =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/manual/examples/five-eleven.toml");
    std::fs::copy(definition, folder.path("w.toml")).unwrap();
    assert!(folder.ok("check w.toml").contains("reconstruction"));
    assert_eq!(folder.ok("check w.toml -q"), "");
}

#[cfg(unix)]
#[test]
fn outputs_have_ordinary_permissions_and_replace_atomically() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = Folder::new();
    folder.npy("x.npy", &noise(&[9]));
    folder.write("plain", b"");
    folder.ok("forward x.npy -o c.npz --wavelet db2");
    let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("c.npz"), mode("plain"));
    // A link stays a link, what it points to is replaced.
    std::os::unix::fs::symlink("c.npz", folder.path("link.npz")).unwrap();
    let before = std::fs::metadata(folder.path("c.npz")).unwrap().ino();
    folder.ok("forward x.npy -o link.npz --wavelet db4");
    assert!(std::fs::symlink_metadata(folder.path("link.npz")).unwrap().is_symlink());
    assert_ne!(std::fs::metadata(folder.path("c.npz")).unwrap().ino(), before);
    // In place: input and output are one file.
    folder.ok("forward x.npy -o y.npy --wavelet haar --layout mallat --mode periodization");
    folder
        .ok("inverse y.npy -o y.npy --wavelet haar --layout mallat --mode periodization --shape 9");
    assert!(distance(&folder.read_npy("y.npy"), &folder.read_npy("x.npy")) < 1e-12);
}

#[test]
fn batches_answer_line_by_line() {
    let folder = Folder::new();
    folder.npy("with space.npy", &noise(&[9]));
    let mut child = common::binary()
        .args(["batch", "-"])
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut jobs = child.stdin.take().unwrap();
    let mut reports = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |job: &str| -> serde_json::Value {
        writeln!(jobs, "{job}").unwrap();
        // The report comes before the next job is sent, or this waits for ever.
        serde_json::from_str(&reports.next().unwrap().unwrap()).unwrap()
    };
    let report = ask("forward 'with space.npy' -o c.npz --wavelet db2");
    assert_eq!((report["rc"].as_i64(), report["stderr"].as_str()), (Some(0), Some("")));
    let report = ask("# a remark\n\nforward missing.npy -o c.npz --wavelet db2");
    assert_eq!(report["rc"].as_i64(), Some(2));
    assert!(report["stderr"].as_str().unwrap().contains("missing.npy"));
    for bad in ["forward 'open -o c.npz", "nonsense", "batch -", "show db39", "forward"] {
        let report = ask(bad);
        assert_eq!(report["rc"].as_i64(), Some(2), "{bad}");
        assert_eq!(report["stderr"].as_str().unwrap().lines().count(), 1, "{bad}");
    }
    assert!(ask("show haar --json")["stdout"].as_str().unwrap().contains("\"haar\""));
    for _ in 0..3 {
        assert_eq!(ask("inverse c.npz -o back.npy")["rc"].as_i64(), Some(0));
    }
    drop(jobs);
    assert!(child.wait().unwrap().success());

    folder.write("jobs.txt", "inverse c.npz -o again.npy\ninverse c.npz -o no.npy --wavelet db9\n");
    let said = folder.ok("batch jobs.txt");
    assert_eq!(said.lines().count(), 2);
    assert!(folder.path("again.npy").exists() && !folder.path("no.npy").exists());
    folder.refused("batch missing.txt", &["missing.txt"]);
}

#[test]
fn help_goes_to_standard_output() {
    let output = common::binary().output().unwrap();
    let greeting = ended(&output);
    assert_eq!((greeting.code, greeting.stderr.as_str()), (Some(0), ""));
    assert!(greeting.stdout.contains("waveloom demo") && greeting.stdout.lines().count() < 20);
    let folder = Folder::new();
    for words in ["--help", "forward --help", "--version", "help", "help forward"] {
        let ended = folder.run(words);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{words}");
        assert!(!ended.stdout.is_empty());
    }
}
