//! Writes the transform as a file: what `waveloom emit --target rust` prints, under another name.

use std::error::Error;
use std::path::Path;
use waveloom_codegen::build::Kernel;

fn main() -> Result<(), Box<dyn Error>> {
    let definition = "wavelets/interpolating42.toml";
    println!("cargo::rerun-if-changed={definition}");
    println!("cargo::rerun-if-changed=build.rs");
    let text = Kernel::new("Interpolating", &std::fs::read_to_string(definition)?)?
        .source(definition)
        .docs("Two levels on images, written by the build script.")
        .dims(2)
        .levels(2)
        .text()?;
    let folder = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("interpolating.rs"), text)?;
    Ok(())
}
