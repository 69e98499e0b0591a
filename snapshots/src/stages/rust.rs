//! Generated Rust of a wavelet.

use super::Curated;
use std::fmt::Write;
use waveloom_codegen::build::Kernel;

/// Where the code that belongs to the wavelet begins.
const KERNELS: &str = "/// Signal to bands.";

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    for axes in case.axes.iter().filter(|axes| **axes <= 2) {
        let kernel = Kernel::of("Transform", case.wavelet.clone()).dims(*axes);
        // Writing to a string cannot fail.
        let _ = match kernel.text() {
            Ok(whole) => {
                let shown = if case.support { None } else { whole.split_once(KERNELS) };
                match shown {
                    Some((before, kernels)) => {
                        let header = before.split("\n\n").next().unwrap_or_default();
                        writeln!(text, "{header}\n\n// ...\n\n{KERNELS}{kernels}")
                    }
                    None => writeln!(text, "{whole}"),
                }
            }
            Err(error) => writeln!(text, "// {axes} axes: {error}\n"),
        };
    }
    text
}
