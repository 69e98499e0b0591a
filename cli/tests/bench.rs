//! `bench`: lists, tables, files, and what is missing.

mod common;

use common::Folder;
use serde_json::Value;

/// The smallest work there is, measured as briefly as possible.
const BRIEF: &str = "bench --device cpu --only 512^2*symmetric --seconds 0.01 --repetitions 3";

#[test]
fn lists_name_every_method_without_a_card() {
    let folder = Folder::new();
    let speed = folder.ok("bench --device cpu --list");
    assert!(speed.lines().count() > 50, "{speed}");
    assert!(speed.contains("speed: 3-D 256^3 bior2.2 symmetric L1 f32 waveloom"), "{speed}");
    let card = folder.ok("bench --device cuda --list");
    assert!(card.contains("speed: 2-D 16384^2 irr97 periodization L4 f32"), "{card}");
    assert!(card.contains("16 images of 1024^2"), "{card}");
    let papers = folder.ok("bench --device cuda --suite papers --list");
    for name in [
        "trapezoid lattice",
        "non-separable lifting, split",
        "hybrid 32x8, 8 items",
        "mixed-band, 4",
        "tiled non-separable",
        "shared tile",
        "one thread, lattice",
    ] {
        assert!(papers.contains(name), "{name}");
    }
    // Parts stand in their order.
    let none = "bench --device cuda --suite papers --list --only quan*irr97*1080";
    folder.refused(none, &["--only", "suite papers", "shows all"]);
    let few =
        folder.ok("bench --device cuda --suite papers --list --only quan:*1080*irr97 --only ilp");
    assert_eq!(few.lines().count(), 1, "{few}");
}

#[test]
fn a_measurement_in_every_form() {
    let folder = Folder::new();
    let table = folder.ok(&format!("{BRIEF} --json r.json --csv r.csv --plot r.png"));
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| speed")).collect();
    assert_eq!(rows.len(), 2, "{table}");
    assert!(rows[0].contains("| forward |") && rows[1].contains("| inverse |"), "{table}");
    assert_eq!(folder.names(), ["r.csv", "r.json", "r.png"]);

    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path("r.json")).unwrap()).unwrap();
    let work = &report["works"][0];
    assert_eq!((work["goal"].as_f64(), work["levels"].as_u64()), (Some(8.0), Some(4)));
    assert!(work["round_trip"].as_f64().unwrap() < 1e-2, "what is fast is right: {work}");
    let line = &work["lines"][0];
    let (copies, rate) = (&line["copies"], line["gigabytes_per_second"].as_f64().unwrap());
    assert!(copies["low"].as_f64() <= copies["median"].as_f64(), "{line}");
    let seconds = line["seconds"]["median"].as_f64().unwrap();
    assert!((rate * seconds * 1e9 / (8.0 * 512.0 * 512.0) - 1.0).abs() < 1e-9, "{line}");

    let csv = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.starts_with("section,array,"), "{csv}");
    let plot = image::open(folder.path("r.png")).unwrap();
    assert!(plot.width() > 500 && plot.height() > 300);

    let only: Value = serde_json::from_str(&folder.ok(&format!("{BRIEF} --json"))).unwrap();
    assert_eq!(only["suite"], "speed");
}

#[test]
fn libraries_that_are_missing_are_told_and_skipped() {
    let folder = Folder::new();
    let table =
        folder.ok(&format!("{BRIEF} --peer pywavelets --peer ndwt --python no-such-python"));
    assert_eq!(table.lines().filter(|line| line.starts_with("skipped:")).count(), 2, "{table}");
    assert!(table.contains("no-such-python") && table.contains("| waveloom |"), "{table}");
}

#[test]
fn methods_that_need_a_card_are_told_on_the_processor() {
    let folder = Folder::new();
    let words = "bench --device cpu --suite papers --seconds 0.01 --repetitions 3 --json";
    let text = folder.ok(&format!("{words} --only crossover*2^10*db2"));
    let report: Value = serde_json::from_str(&text).unwrap();
    let lines = report["works"][0]["lines"].as_array().unwrap();
    let missing: Vec<&Value> =
        lines.iter().filter(|line| line["not_available"].is_string()).collect();
    assert_eq!((lines.len(), missing.len()), (3, 1), "{lines:?}");
    assert!(missing[0]["not_available"].as_str().unwrap().contains("--device cuda"));
    let measured = lines.iter().filter(|line| line["copies"]["median"].as_f64() > Some(0.0));
    assert_eq!(measured.count(), 2, "convolution and lattice on one thread: {lines:?}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = Folder::new();
    folder.refused("bench --device cpu --only nothing-like-this", &["--only", "--list"]);
    folder.refused("bench --suite slow", &["--suite", "speed, papers"]);
    folder.refused("bench --seconds -1", &["--seconds"]);
    folder.refused("bench --seconds x", &["--seconds", "x"]);
    folder.refused("bench --repetitions 0", &["--repetitions"]);
    folder
        .refused("bench --device cpu --list --json r.json", &["--json", "--list measures nothing"]);
    folder.refused("bench --device cpu --list --csv r.csv", &["--csv", "--list measures nothing"]);
    folder.refused("bench --peer numpy", &["--peer", "pywavelets"]);
    folder.refused("bench --device cpu --strategy magic", &["--strategy", "magic", "shared"]);
    folder.refused(&format!("{BRIEF} --csv missing/r.csv"), &["missing"]);
    folder.refused(&format!("{BRIEF} --plot r.pdf"), &["r.pdf"]);
}

#[test]
fn a_strategy_needs_a_card() {
    let line = "bench --device cpu --strategy stream --only 512";
    Folder::new().refused(line, &["--strategy", "processor"]);
}
