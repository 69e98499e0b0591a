//! Writes the transform as two files: what `waveloom emit --target rust` prints, under another name and
//! with its loops compiled for several machines, and a type that carries what `waveloom emit --target
//! cuda` prints.

use std::error::Error;
use std::path::Path;
use waveloom_codegen::build::Kernel;

fn main() -> Result<(), Box<dyn Error>> {
    let definition = "wavelets/interpolating42.toml";
    println!("cargo::rerun-if-changed={definition}");
    println!("cargo::rerun-if-changed=build.rs");
    let content = std::fs::read_to_string(definition)?;
    let kernel = |name: &str, docs: &str| -> Result<Kernel, Box<dyn Error>> {
        Ok(Kernel::new(name, &content)?.source(definition).docs(docs).dims(2).levels(2))
    };
    let folder = std::env::var("OUT_DIR")?;
    // With the library, as the macro does: loops for the machine at hand. Without, text that stands alone.
    let rust = kernel("Interpolating", "Two levels on images, written by the build script.")?;
    let rust = rust.library("::waveloom");
    std::fs::write(Path::new(&folder).join("interpolating.rs"), rust.text()?)?;
    let cuda = kernel("OnCard", "Two levels on images, for a card, written by the build script.")?;
    std::fs::write(Path::new(&folder).join("on_card.rs"), cuda.cuda()?)?;
    Ok(())
}
