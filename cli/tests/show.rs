//! What is printed and drawn of wavelets, devices and the demonstration.

mod common;

use common::Folder;
use image::GenericImageView;
use serde_json::Value;

fn json(folder: &Folder, wavelet: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("show {wavelet} --json"))).unwrap()
}

#[test]
fn the_catalogue_has_a_line_for_every_wavelet() {
    let listed = Folder::new().ok("list");
    assert_eq!(listed.lines().count(), 111);
    for name in [
        "haar", "db38", "sym20", "coif17", "bior6.8", "rbio6.8", "dmey", "rev53", "irr97",
        "ccsds97m", "cdf97",
    ] {
        let line = listed.lines().find(|line| line.split_whitespace().next() == Some(name));
        assert!(line.is_some(), "{name}");
    }
    let of = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(of("dmey").contains("approximate") && !of("dmey").contains("lifting"));
    assert!(of("rev53").contains("integers"));
    assert!(of("db4").contains("lattice lifting"));
}

#[test]
fn filters_with_positions_are_a_definition() {
    let folder = Folder::new();
    let shown = folder.ok("show bior4.4");
    let filters: String = shown
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("lo = ") || line.starts_with("hi = "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(filters.lines().count(), 2, "{shown}");
    folder.write("same.toml", format!("name = \"same\"\n[taps]\n{filters}"));
    let (copy, original) = (json(&folder, "same.toml"), json(&folder, "bior4.4"));
    for filter in ["dec_lo", "dec_hi"] {
        assert_eq!(copy["taps"][filter], original["taps"][filter]);
    }
}

#[test]
fn json_holds_what_the_contract_names() {
    let folder = Folder::new();
    let haar = json(&folder, "db2");
    assert_eq!(haar["name"], "db2");
    assert_eq!(haar["length"], 4);
    assert_eq!(haar["orthogonal"], true);
    assert_eq!(haar["symmetric"], false);
    assert_eq!(haar["vanishing_moments"]["analysis"], 2);
    assert_eq!(haar["vanishing_moments"]["synthesis"], 2);
    let tap = haar["taps"]["dec_lo"][3].as_f64().unwrap();
    assert_eq!(tap, 0.48296291314453416);
    for filter in ["dec_lo", "dec_hi", "rec_lo", "rec_hi"] {
        assert_eq!(haar["taps"][filter].as_array().unwrap().len(), 4);
    }
    for residual in ["reconstruction", "lifting", "lattice"] {
        assert!(haar["residual"][residual].as_f64().unwrap() < 1e-14);
    }
    let step = &haar["lifting"]["steps"][0];
    assert!(matches!(step["target"].as_str(), Some("a" | "d")));
    assert!(step["first"].is_i64() && step["taps"].is_array());
    assert!(haar["lifting"]["gains"]["a"].is_f64());
    assert_eq!(haar["lattice"]["kind"], "orthogonal");
    let schemes = haar["schemes"].as_array().unwrap();
    for (name, dims) in [
        ("convolution", 1),
        ("lattice", 1),
        ("lifting", 1),
        ("separable-lifting", 2),
        ("nonseparable-convolution", 3),
    ] {
        let row = schemes.iter().find(|row| row["name"] == name && row["dims"] == dims).unwrap();
        for field in ["cuts", "terms", "terms_split"] {
            assert!(row[field].is_u64(), "{name} {field}");
        }
        assert_eq!(row["reach"].as_array().unwrap().len(), dims);
    }
    let dmey = json(&folder, "dmey");
    assert!(dmey["lifting"].is_null() && dmey["lattice"].is_null());
    assert!((dmey["residual"]["reconstruction"].as_f64().unwrap() - 2.2e-3).abs() < 1e-4);
}

/// Operation counts published for CDF 5/3 and 9/7 (Barina et al., Table 1).
#[test]
fn counts_are_the_published_ones() {
    let folder = Folder::new();
    for (wavelet, [separable, nonseparable, split]) in
        [("bior2.2", [16, 24, 18]), ("bior4.4", [32, 48, 36])]
    {
        let shown = json(&folder, wavelet);
        let row = |name: &str| {
            let rows = shown["schemes"].as_array().unwrap().clone();
            rows.into_iter().find(|row| row["name"] == name && row["dims"] == 2).unwrap()
        };
        assert_eq!(row("separable-lifting")["terms"], separable);
        assert_eq!(row("nonseparable-lifting")["terms"], nonseparable);
        assert_eq!(row("nonseparable-lifting")["terms_split"], split);
    }
}

#[test]
fn text_explains_what_json_states() {
    let folder = Folder::new();
    let text = folder.ok("show rev53");
    for part in
        ["integer transform", "floor(", "jpeg2000", "exact", "separable-lifting", "lattice: none"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = folder.ok("show dmey");
    assert!(text.contains("approximate") && text.contains("lifting: none"), "{text}");
}

#[test]
fn plots_show_curves() {
    let folder = Folder::new();
    for (wavelet, rows) in [("db4", 1), ("bior2.2", 2), ("rev53", 2), ("dmey", 2)] {
        folder.ok(&format!("show {wavelet} --plot w.png"));
        let plot = image::open(folder.path("w.png")).unwrap();
        assert_eq!(plot.dimensions(), (1440, 52 + 340 * rows), "{wavelet}");
        let blue = plot.to_rgb8().pixels().filter(|p| p[2] > 140 && p[0] < 90).count();
        let orange = plot.to_rgb8().pixels().filter(|p| p[0] > 180 && p[2] < 60).count();
        assert!(blue > 800 && orange > 50, "{wavelet}: {blue} blue, {orange} orange");
    }
    // JSON and a plot do not disturb each other.
    let shown: Value = serde_json::from_str(&folder.ok("show haar --json --plot h.png")).unwrap();
    assert_eq!(shown["name"], "haar");
    assert!(folder.path("h.png").exists());
}

#[test]
fn valid_definitions_are_described() {
    let folder = Folder::new();
    folder.write("mine.toml", "name = \"mine\"\n[lifting]\nsteps = [{ target = \"d\", taps = [-1] }, { target = \"a\", taps = [\"1/2\"] }]\n");
    let text = folder.ok("check mine.toml");
    assert!(text.starts_with("mine: ") && text.contains("exact"), "{text}");
    assert!(folder.ok("show mine.toml").contains("a[k] += + 0.5 d[k]"));
}

#[test]
fn the_cpu_is_a_device() {
    assert!(Folder::new().ok("devices").starts_with("cpu"));
    let chosen = Folder::new().ok("devices --device cpu");
    assert!(chosen.starts_with("cpu") && chosen.lines().count() == 1, "{chosen}");
}

#[test]
fn the_demonstration_writes_and_tells() {
    let folder = Folder::new();
    let text = folder.ok("demo");
    for part in [
        "camera.png",
        "bior4.4",
        "separable-convolution",
        "forward",
        "inverse",
        "Mpixel/s",
        "restored exactly",
        "waveloom-demo.npz",
        "waveloom-demo.png",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let picture = image::open(folder.path("waveloom-demo.png")).unwrap();
    assert!(picture.width() >= 512 && picture.height() >= 512);
    // The approximation keeps the photograph's range, details are mostly mid-gray.
    let gray = picture.to_luma8();
    assert!((0..64).any(|i| gray.get_pixel(i, i)[0] < 30));
    let middle = gray.pixels().filter(|p| p[0].abs_diff(128) < 40).count();
    assert!(2 * middle > gray.len());
    folder.ok("inverse waveloom-demo.npz -o back.png");
    let back = image::open(folder.path("back.png")).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/camera.png");
    assert_eq!(back, image::open(sample).unwrap());

    let text = folder.ok("demo back.png -o rev.npz --wavelet rev53 --levels 2");
    assert!(
        text.contains("back.png") && text.contains("every pixel is restored exactly"),
        "{text}"
    );
}

#[test]
fn forward_draws_the_bands() {
    let folder = Folder::new();
    let colour =
        image::RgbImage::from_fn(20, 12, |x, y| image::Rgb([(x * 9) as u8, (y * 20) as u8, 7]));
    colour.save(folder.path("x.png")).unwrap();
    folder.ok("forward x.png -o c.npz --wavelet haar --levels 2 --picture bands.png");
    let bands = image::open(folder.path("bands.png")).unwrap();
    assert_eq!(bands.color(), image::ColorType::Rgb8);
    // Bands of 3 × 5 and 6 × 10 with gaps of two pixels.
    assert_eq!(bands.dimensions(), (5 + 2 + 5 + 2 + 10, 3 + 2 + 3 + 2 + 6));
}
