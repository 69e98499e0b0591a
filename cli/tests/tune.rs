//! `tune`: what is refused, and what needs no card.

mod common;

use common::Folder;

#[test]
fn nothing_is_tuned_without_a_card() {
    let folder = Folder::new();
    let words = "tune bior4.4 --shape 64x64";
    folder.refused(&format!("{words} --device cpu"), &["--device", "processor", "cuda"]);
    // Whether there are any or not, there are not so many.
    folder.refused(&format!("{words} --device cuda:1000"), &["--device"]);
    assert!(folder.names().is_empty());
}

#[test]
fn mistakes_are_told_before_a_card_is_looked_for() {
    let folder = Folder::new();
    folder.refused("tune", &["WAVELET"]);
    folder.refused("tune bior4.4", &["--shape"]);
    folder.refused("tune bior4.4 --shape 64xM", &["--shape", "64xM", "4096x4096"]);
    folder.refused("tune bior9.9 --shape 64x64", &["bior9.9"]);
    folder.refused("tune bior4.4 --shape 64x64 --axes 2", &["--axes"]);
    folder.refused("tune bior4.4 --shape 64x64 --dtype i32", &["--dtype", "f32"]);
    folder.refused("tune rev53 --shape 64x64 --dtype f32", &["--dtype", "i32"]);
    folder.refused("tune bior4.4 --shape 64x64 --mode bogus", &["--mode", "symmetric"]);
    folder.refused("tune bior4.4 --shape 64x64 --seconds 0x", &["--seconds"]);
}

#[test]
fn strategies_are_options_of_other_commands() {
    let folder = Folder::new();
    let options = "--strategy stream --block 64 --rows 16 --groups 2 --pairs 2 --depth 3";
    let text = folder.ok(&format!("emit bior4.4 --dims 2 --target cuda {options}"));
    assert!(text.contains("--strategy stream") && text.contains("--depth 3"), "{text}");
    folder.refused(
        "emit bior4.4 --dims 2 --target cuda --strategy shared --groups 2",
        &["--groups", "shared"],
    );
    folder.refused("emit bior4.4 --dims 2 --target cuda --tile 8,8", &["--tile", "3 axes"]);
}
