//! Emitted source: what it says of itself, and that it compiles and transforms.

mod common;

use common::{Folder, array};
use std::process::Command;

#[test]
fn the_header_reproduces_the_text() {
    let folder = Folder::new();
    for line in [
        "emit bior4.4 --target rust --dims 2 --levels 3 --mode periodization --dtype f64",
        "emit rev53 --target rust",
        "emit db2 --target rust --scheme lattice",
        "emit db2 --target rust --no-alloc",
    ] {
        let text = folder.ok(line);
        let command = text.lines().find_map(|line| line.split_once("waveloom emit ")).unwrap().1;
        assert_eq!(folder.ok(&format!("emit {command}")), text);
    }
}

#[test]
fn emitted_rust_compiles_and_agrees_with_forward() {
    let folder = Folder::new();
    folder
        .ok("emit db3 --target rust --dims 1 --levels 2 --mode symmetric --dtype f64 -o kernel.rs");
    let text = std::fs::read_to_string(folder.path("kernel.rs")).unwrap();
    let name = text.lines().find_map(|line| line.strip_prefix("pub struct Db3")).map(|_| "Db3");
    let name = name.expect("the type is named after the wavelet");
    let main = format!(
        "extern crate alloc;\n#[path = \"kernel.rs\"]\nmod kernel;\nfn main() {{\n\
         let mut transform = kernel::{name}::new([13]).unwrap();\n\
         let signal: Vec<f64> = (0..13).map(|i| ((i * i) % 7) as f64).collect();\n\
         let mut coefficients = vec![0.0; transform.coefficient_len()];\n\
         transform.forward(&signal, &mut coefficients).unwrap();\n\
         for value in coefficients {{ println!(\"{{value:e}}\"); }}\n}}\n"
    );
    folder.write("main.rs", main);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .arg(folder.path("program"))
        .arg(folder.path("main.rs"))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(folder.path("program")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<f64> = printed.lines().map(|line| line.parse().unwrap()).collect();

    folder.npy("x.npy", &array(&[13], |i| ((i * i) % 7) as f64));
    folder.ok("forward x.npy -o c.npz --wavelet db3 --levels 2");
    let bands = ["a", "d2", "d1"].map(|key| folder.read_npz::<f64>("c.npz", key));
    let expected: Vec<f64> = bands.iter().flatten().copied().collect();
    assert_eq!(printed.len(), expected.len());
    assert!(printed.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
}

/// Compiles `main.rs` or `lib.rs` of a folder.
fn compile(folder: &Folder, arguments: &[&str], source: &str, output: &str) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["--edition", "2024"])
        .args(arguments)
        .arg("-o")
        .arg(folder.path(output))
        .arg(folder.path(source))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn text_that_allocates_nothing_needs_core_alone() {
    let folder = Folder::new();
    for (wavelet, dims, scheme) in
        [("bior4.4", 2, "separable-lifting"), ("db2", 2, "nonseparable-convolution")]
    {
        folder.ok(&format!(
            "emit {wavelet} --target rust --dims {dims} --levels 2 --scheme {scheme} \
             --mode symmetric --dtype f64 --no-alloc -o kernel.rs"
        ));
        folder.write("lib.rs", "#![no_std]\n#[path = \"kernel.rs\"]\npub mod kernel;\n");
        compile(&folder, &["--crate-type", "lib", "--crate-name", "kernel"], "lib.rs", "lib.rlib");
        let name = if wavelet == "db2" { "Db2" } else { "Bior4p4" };
        let main = format!(
            "#[path = \"kernel.rs\"]\nmod kernel;\nuse kernel::{{{name}, {name}Error}};\n\
             fn main() {{\n\
             let needed = {name}::memory_len([13, 10]).unwrap();\n\
             let mut memory = [7.5; 60000];\n\
             let few = {name}::new([13, 10], &mut memory[..needed - 1]).unwrap_err();\n\
             assert_eq!(few, {name}Error::MemoryLength {{ expected: needed, got: needed - 1 }});\n\
             let mut transform = {name}::new([13, 10], &mut memory[..needed]).unwrap();\n\
             let signal: [f64; 130] = std::array::from_fn(|i| ((i * i) % 7) as f64);\n\
             let mut coefficients = vec![0.0; transform.coefficient_len()];\n\
             transform.forward(&signal, &mut coefficients).unwrap();\n\
             let mut back = [0.0; 130];\n\
             transform.inverse(&coefficients, &mut back).unwrap();\n\
             assert!(signal.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-12));\n\
             for value in coefficients {{ println!(\"{{value:e}}\"); }}\n}}\n"
        );
        folder.write("main.rs", main);
        compile(&folder, &[], "main.rs", "program");
        let output = Command::new(folder.path("program")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<f64> = printed.lines().map(|line| line.parse().unwrap()).collect();

        folder.npy("x.npy", &array(&[13, 10], |i| ((i * i) % 7) as f64));
        folder
            .ok(&format!("forward x.npy -o c.npz --wavelet {wavelet} --levels 2 --mode symmetric"));
        let bands = ["aa", "ad2", "da2", "dd2", "ad1", "da1", "dd1"];
        let bands = bands.map(|key| folder.read_npz::<f64>("c.npz", key));
        let expected: Vec<f64> = bands.iter().flatten().copied().collect();
        assert_eq!(printed.len(), expected.len());
        assert!(printed.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{wavelet}");
    }
}

#[test]
fn what_cannot_be_emitted_is_refused() {
    let folder = Folder::new();
    folder.refused("emit db39 --target rust", &["db39"]);
    folder.refused("emit db2 --target cuda --levels 2", &["--levels", "every number of levels"]);
    // Whatever strategy: the text is asked whether levels matter.
    for strategy in ["joint", "launch", "trapezoid"] {
        let line = format!("emit db2 --target cuda --dims 2 --strategy {strategy} --levels 2");
        folder.refused(&line, &["--levels", "every number of levels"]);
    }
    folder.refused("emit db2 --target cuda --mode zero", &["--mode", "every mode"]);
    folder.refused("emit db2 --target cuda --no-alloc", &["--no-alloc"]);
    folder.refused("emit db2 --target fortran", &["--target", "fortran", "rust"]);
    folder.refused("emit db2", &["--target"]);
    folder.refused("emit db2 --target rust --scheme lifting --dims 2", &["lifting", "2"]);
    folder.refused("emit db2 --target rust --dims 4", &["--dims", "4"]);
    folder.refused("emit rev53 --target rust --dtype f32", &["rev53", "--dtype"]);
    folder.refused("emit db2 --target rust --dtype i32", &["db2", "--dtype"]);
    folder.refused("emit db2 --target rust --mode jpeg2000", &["jpeg2000"]);
    folder.refused("emit db2 --target rust --exchange shared", &["--exchange", "Rust"]);
    folder.refused("emit db2 --target rust -o missing/x.rs", &["missing/x.rs"]);
}
