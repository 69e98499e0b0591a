//! Emitted CUDA text: what it says of itself.

mod common;

use common::Folder;

#[test]
fn the_header_reproduces_the_text() {
    let folder = Folder::new();
    for line in [
        "emit bior4.4 --target cuda --dims 2 --dtype f64",
        "emit rev53 --target cuda --strategy trapezoid --block 64",
        "emit db2 --target cuda --scheme lattice --exchange global",
        "emit irr97 --target cuda --dims 2 --scheme nonseparable-lifting --strategy shared-split --block 8,16 --items 2,2",
    ] {
        let text = folder.ok(line);
        let command = text.lines().find_map(|line| line.split_once("waveloom emit ")).unwrap().1;
        assert_eq!(folder.ok(&format!("emit {command}")), text, "{command}");
        assert!(text.contains("extern \"C\" __global__"));
        assert!(text.lines().all(|line| line.trim_end() == line), "no blanks at ends of lines");
    }
}

#[test]
fn what_cannot_be_emitted_is_refused() {
    let folder = Folder::new();
    folder.refused("emit db39 --target cuda", &["db39"]);
    folder.refused("emit db2 --target cuda --scheme lifting --dims 2", &["lifting", "2"]);
    folder.refused("emit rev53 --target cuda --dtype f32", &["rev53"]);
    folder.refused("emit db2 --target cuda --exchange shuffle", &["--strategy full-register"]);
    folder.refused("emit db2 --target cuda --exchange shared,global", &["the same exchange"]);
    folder.refused("emit db2 --target cuda --strategy stream --depth 99", &["--depth", "the last"]);
    folder.refused("emit db2 --target cuda --strategy stream --rows 16", &["--rows", "the last"]);
    folder.refused("emit db2 --target cuda --strategy stream --depth 99 --dims 2", &["2 to 16"]);
    folder.refused("emit db2 --target cuda --strategy joint --rows 4 --dims 2", &["no lines"]);
    folder.refused("emit db2 --target cuda --strategy magic", &["--strategy", "trapezoid"]);
    folder.refused("emit db2 --target cuda --block 4096", &["--block", "1024"]);
    folder.refused("emit db2 --target cuda --block 1024 --items 64", &["shared memory"]);
    folder.refused("emit db2 --target cuda -o missing/x.cu", &["missing/x.cu"]);
}
