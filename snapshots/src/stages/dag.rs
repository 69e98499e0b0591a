//! Expression graphs of a wavelet's default 1-D scheme as text.

use super::{Curated, kernel};
use std::fmt::Write;
use waveloom_codegen::dag::{Contraction, Dag};
use waveloom_codegen::kernel::Operation;

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    for (scheme, operation) in kernel::shown(case) {
        let shown = scheme.kind == case.wavelet.default_scheme(scheme.axes)
            && matches!(operation, Operation::Forward | Operation::Inverse);
        if !shown {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = match kernel::kernel(&case.wavelet, &scheme, operation) {
            Ok(kernel) => (0..kernel.segments.len()).try_for_each(|index| {
                write!(text, "{}, {operation}, {} axes, ", scheme.kind, scheme.axes)?;
                writeln!(text, "segment {}", index + 1)?;
                match Dag::segment(&kernel, index, &[[0; 3]]) {
                    Ok(dag) => writeln!(text, "{}", dag.optimised(Contraction::Separate)),
                    Err(error) => writeln!(text, "{error}\n"),
                }
            }),
            Err(message) => writeln!(text, "{}, {operation}: {message}", scheme.kind),
        };
    }
    text
}
