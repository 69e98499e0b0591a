//! Snapshots of every stage for the curated list, compared whole.
//!
//! `INSTA_UPDATE=always cargo test -p waveloom-snapshots --test goldens` accepts new texts; read them before
//! they are committed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use waveloom_snapshots::stages::{Stage, curated, folder, parse};

fn check(stage: Stage) {
    for case in curated().unwrap() {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder().join(&case.name));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(stage.name(), stage.render(&case)));
    }
}

#[test]
fn wavelets_are_as_reviewed() {
    check(Stage::Wavelet);
}

#[test]
fn schemes_are_as_reviewed() {
    check(Stage::Schemes);
}

#[test]
fn kernels_are_as_reviewed() {
    check(Stage::Kernels);
}

#[test]
fn dags_are_as_reviewed() {
    check(Stage::Dags);
}

#[test]
fn rust_texts_are_as_reviewed() {
    check(Stage::Rust);
}

#[test]
fn proofs_are_as_reviewed() {
    check(Stage::Proofs);
}

#[test]
fn cuda_texts_are_as_reviewed() {
    check(Stage::Cuda);
}

/// Every snapshot belongs to a case and a stage, and every definition to a case.
#[test]
fn no_file_is_orphaned() {
    let mut expected = BTreeSet::from([folder().join("cases.toml")]);
    let list = std::fs::read_to_string(folder().join("cases.toml")).unwrap();
    for entry in parse(&list).unwrap() {
        let stages = Stage::ALL.map(|stage| format!("{}/{}.snap", entry.name, stage.name()));
        expected.extend(stages.map(|file| folder().join(file)));
        expected.extend(entry.definition.map(|file| folder().join(file)));
    }
    let mut found = BTreeSet::new();
    files(&folder(), &mut found);
    let stray: Vec<_> = found.difference(&expected).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(stray.is_empty(), "files that no case names: {stray:?}");
    assert!(missing.is_empty(), "snapshots that do not exist: {missing:?}");
}

fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path);
        }
    }
}

#[test]
fn unknown_keys_are_rejected() {
    let good = "[[case]]\nname = 'x'\nwavelet = 'haar'\naxes = [1]\n";
    assert_eq!(parse(good).unwrap().len(), 1);
    let error = parse(&format!("{good}exes = [2]\n")).unwrap_err().to_string();
    assert!(error.contains("exes"), "{error}");
    assert!(parse(&format!("colour = 1\n{good}")).is_err());
}
