//! Stored inputs and outputs of the mixed-band layout, which exists in files only.

mod common;

use common::Folder;
use ndarray::ArrayD;
use ndarray_npy::NpzReader;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/fixtures")
}

fn stored(name: &str) -> ArrayD<f64> {
    let file = File::open(fixtures().join("mixed.npz")).unwrap();
    NpzReader::new(file).unwrap().by_name(name).unwrap()
}

fn magnitude(array: &ArrayD<f64>) -> f64 {
    array.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[test]
fn mixed_bands_agree_with_stored_data() {
    let index = std::fs::read_to_string(fixtures().join("cases.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let all = index["cases"].as_array().unwrap().iter();
    let cases: Vec<&Value> = all.filter(|case| case["layout"] == "mixed").collect();
    assert!(cases.len() >= 10, "the folder of fixtures has lost its mixed cases");
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let folder = Folder::new();
        let options = format!(
            "--wavelet haar --levels {} --dims {} --layout mixed --norm {}",
            case["levels"],
            case["dims"],
            text("norm")
        );
        let (input, expected, got) = match text("op") {
            "forward" => {
                let signal = stored(text("input"));
                folder.npy("x.npy", &signal);
                folder.ok(&format!("forward x.npy -o c.npz {options}"));
                let expected = stored(&format!("{}/mixed", text("output")));
                (signal, expected, folder.read_npz::<f64>("c.npz", "mixed"))
            }
            _ => {
                let mixed = stored(&format!("{}/mixed", text("input")));
                folder.npz("c.npz", &[("mixed", mixed.clone())]);
                folder.ok(&format!("inverse c.npz -o y.npy {options}"));
                (mixed, stored(text("output")), folder.read_npy::<f64>("y.npy"))
            }
        };
        assert_eq!(got.shape(), expected.shape(), "{}", text("id"));
        let error = magnitude(&(&got - &expected));
        let allowed = case["tol"].as_f64().unwrap() * magnitude(&input).max(magnitude(&expected));
        assert!(error <= allowed, "{}: off by {error:e}, allowed {allowed:e}", text("id"));
    }
}
