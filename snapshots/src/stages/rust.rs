//! Generated Rust of a wavelet.

use super::Curated;
use std::fmt::Write;
use waveloom_codegen::build::Kernel;

/// Where the code that belongs to the wavelet begins.
const KERNELS: &str = "/// Signal to bands.";

/// The part from the line on where the kernels begin.
fn kernels(whole: &str) -> Option<&str> {
    let at = whole.find(KERNELS)?;
    let line = whole[..at].rfind('\n').map_or(0, |end| end + 1);
    Some(&whole[line..])
}

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    for axes in case.axes.iter().filter(|axes| **axes <= 2) {
        let kernel = Kernel::of("Transform", case.wavelet.clone()).dims(*axes);
        // Writing to a string cannot fail.
        let _ = match kernel.text() {
            Ok(whole) => match kernels(&whole).filter(|_| !case.support) {
                Some(kernels) => {
                    let header = whole.split("\n\n").next().unwrap_or_default();
                    writeln!(text, "{header}\n\n// ...\n\n{kernels}")
                }
                None => writeln!(text, "{whole}"),
            },
            Err(error) => writeln!(text, "// {axes} axes: {error}\n"),
        };
    }
    text
}
