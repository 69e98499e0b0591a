//! All schemes of a wavelet as text.

use super::Curated;
use std::fmt::Write;
use waveloom_wavelets::SchemeKind;

/// Schemes with more terms are shown by their header alone.
const MOST_TERMS: usize = 150;

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    for axes in &case.axes {
        for kind in SchemeKind::ALL.into_iter().filter(|kind| kind.exists_in(*axes)) {
            // Writing to a string cannot fail.
            let _ = match case.wavelet.scheme(kind, *axes) {
                Ok(scheme) => {
                    let shown = scheme.to_string();
                    match scheme.operations().terms > MOST_TERMS {
                        true => {
                            let header: Vec<&str> = shown.lines().take(2).collect();
                            writeln!(text, "{}\n...\n", header.join("\n"))
                        }
                        false => writeln!(text, "{shown}"),
                    }
                }
                Err(error) => writeln!(text, "{kind}, {axes} axes: {error}\n"),
            };
        }
    }
    text
}
