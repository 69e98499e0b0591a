//! `compress`: images from few coefficients.

mod common;

use common::{Folder, binary, ended};
use serde_json::Value;
use std::path::Path;

const CAMERA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/camera.png");

fn json(folder: &Folder, words: &str) -> Value {
    serde_json::from_str(&folder.ok(words)).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// A colour image with soft shapes, so that few coefficients carry it.
fn colour(path: &Path, channels: u8) {
    let of = |x: u32, y: u32, c: u32| {
        let wave = ((x * (c + 1)) as f64 / 17.0).sin() * ((y + 20 * c) as f64 / 23.0).cos();
        (128.0 + 100.0 * wave) as u8
    };
    let pixel = |x: u32, y: u32| [of(x, y, 0), of(x, y, 1), of(x, y, 2), (x + y) as u8];
    match channels {
        3 => image::RgbImage::from_fn(61, 45, |x, y| {
            let [r, g, b, _] = pixel(x, y);
            image::Rgb([r, g, b])
        })
        .save(path),
        _ => image::RgbaImage::from_fn(61, 45, |x, y| image::Rgba(pixel(x, y))).save(path),
    }
    .unwrap();
}

#[test]
fn a_photograph_from_a_twentieth_of_its_coefficients() {
    let folder = Folder::new();
    std::fs::copy(CAMERA, folder.path("in.png")).unwrap();
    let report = json(&folder, "compress in.png --keep 5% -o out.png --json");
    assert_eq!(
        number(&report, "nonzero_share"),
        0.05_f64.mul_add(262_144.0, 0.0).round() / 262_144.0
    );
    assert!(
        number(&report, "psnr_db") > 30.0 && number(&report, "energy_share") > 0.99,
        "{report}"
    );
    assert_eq!(folder.names(), ["in.png", "out.png"]);
    // Measured again from the files.
    let [a, b] =
        ["in.png", "out.png"].map(|name| image::open(folder.path(name)).unwrap().to_luma8());
    let squares: f64 =
        a.iter().zip(b.iter()).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    let psnr = 10.0 * (255.0_f64.powi(2) / (squares / a.len() as f64)).log10();
    assert!((psnr - number(&report, "psnr_db")).abs() < 1e-6, "{psnr} {report}");

    // More coefficients, a better picture; all of them, the picture itself.
    let more = json(&folder, "compress in.png --keep 0.2 -o out.png --json");
    assert!(number(&more, "psnr_db") > number(&report, "psnr_db"));
    let all = json(&folder, "compress in.png --keep 1 -o out.png --json --wavelet rev53");
    assert!(all["psnr_db"].is_null());
    // Shrinking costs quality at the same count.
    let soft = json(&folder, "compress in.png --keep 5% --threshold soft -o out.png --json");
    let garrote = json(&folder, "compress in.png --keep 5% --threshold garrote -o out.png --json");
    let psnr = [&soft, &garrote, &report].map(|report| number(report, "psnr_db"));
    assert!(psnr[0] < psnr[1] && psnr[1] < psnr[2], "{psnr:?}");
}

#[test]
fn an_approximation_in_colour_with_zeros_beyond_the_ends() {
    let folder = Folder::new();
    for channels in [3, 4] {
        colour(&folder.path("in.png"), channels);
        let words = "compress in.png --approximation --wavelet cdf97 --mode zero -o out.png";
        let report = json(&folder, &format!("{words} --json"));
        // (45 + 9) / 2 by (61 + 9) / 2 of each colour's approximation, four bands in all.
        assert_eq!(number(&report, "coefficients"), 3.0 * 4.0 * 27.0 * 35.0);
        assert!(number(&report, "nonzero") <= 3.0 * 27.0 * 35.0);
        assert!(number(&report, "psnr_db") > 30.0, "{report}");
        let [a, b] = ["in.png", "out.png"].map(|name| image::open(folder.path(name)).unwrap());
        assert_eq!((a.width(), a.height(), a.color()), (b.width(), b.height(), b.color()));
        if channels == 4 {
            let alpha = |image: &image::DynamicImage| -> Vec<u8> {
                image.to_rgba8().pixels().map(|pixel| pixel.0[3]).collect()
            };
            assert_eq!(alpha(&a), alpha(&b), "transparency is copied");
        }
        assert!(folder.ok(words).contains("approximation only"));
    }
}

#[test]
fn sixteen_bits_keep_their_depth() {
    let folder = Folder::new();
    let ramp = |x: u32, y: u32| image::Luma([(x * x + 700 * y) as u16]);
    image::ImageBuffer::<image::Luma<u16>, Vec<u16>>::from_fn(130, 90, ramp)
        .save(folder.path("in.png"))
        .unwrap();
    let report = json(&folder, "compress in.png --keep 10% -o out.tif --json");
    assert_eq!(report["bits"], 16);
    assert!(number(&report, "psnr_db") > 50.0, "{report}");
    let back = image::open(folder.path("out.tif")).unwrap();
    assert_eq!(back.color(), image::ColorType::L16);
}

#[test]
fn a_folder_of_images_in_one_call() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    colour(&folder.path("in/b.png"), 3);
    colour(&folder.path("in/a.png"), 4);
    folder.write("in/readme.txt", "no image");
    let report = json(&folder, "compress in --keep 20% -o out --json");
    let images = report["images"].as_array().unwrap();
    assert_eq!(images.len(), 2);
    assert!(images[0]["output"].as_str().unwrap().ends_with("a.png"));
    let text = folder.ok("compress in --keep 20% -o out");
    assert!(text.contains("2 images") && text.lines().count() == 3, "{text}");

    // One that cannot be read does not keep the others from being written.
    folder.write("in/c.png", "no PNG");
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let output = binary()
        .current_dir(folder.path(""))
        .args(["compress", "in", "--keep", "0.1", "-o", "out"])
        .output()
        .unwrap();
    let output = ended(&output);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("1 of 3") && output.stderr.contains("c.png"), "{output:?}");
    assert!(folder.path("out/b.png").exists() && !folder.path("out/c.png").exists());
}

#[test]
fn what_cannot_be_compressed_is_refused() {
    let folder = Folder::new();
    colour(&folder.path("in.png"), 3);
    folder.write("x.npy", "");
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.refused("compress in.png -o out.png", &["--keep"]);
    folder.refused("compress in.png -o out.png --keep 1.5", &["--keep", "1.5", "between"]);
    folder.refused("compress in.png -o out.png --keep nan", &["--keep", "nan"]);
    folder.refused("compress in.png -o out.png --keep 0.1 --approximation", &["--approximation"]);
    folder
        .refused("compress in.png -o out.png --keep 0.1 --threshold odd", &["--threshold", "soft"]);
    folder.refused("compress in.png -o out.npz --keep 0.1", &["out.npz", ".png"]);
    folder.refused("compress x.npy -o out.png --keep 0.1", &["x.npy", ".png"]);
    folder.refused("compress in.png -o missing/out.png --keep 0.1", &["missing"]);
    folder.refused("compress empty -o out --keep 0.1", &["empty", "no images"]);
    folder.refused("compress empty -o in.png --keep 0.1", &["empty"]);
    std::fs::create_dir(folder.path("full")).unwrap();
    colour(&folder.path("full/in.png"), 3);
    folder.refused("compress full -o ./full --keep 0.1", &["full", "output", "another"]);
    folder.refused("compress full -o out.png --keep 0.1", &["out.png", "goes into a folder"]);
    folder.refused(
        "compress in.png -o full --keep 0.1",
        &["full", "a folder; expected .png or .tif\n"],
    );
    folder
        .refused("compress in.png -o out.jpg --keep 0.1", &["out.jpg", "expected .png or .tif\n"]);
    folder.refused("compress in.png -o out.png --keep 0.1 --wavelet db99", &["db99"]);
    folder.refused("compress in.png -o out.png --keep 0.1 --levels 99", &["in.png", "99"]);
}
