//! Kernels of a wavelet as text.

use super::Curated;
use std::fmt::Write;
use waveloom_codegen::kernel::{Element, Exchange, Kernel, Operation, lower};
use waveloom_wavelets::{Scheme, SchemeKind, Wavelet};

/// Kernels of schemes with more terms are not shown.
const MOST_TERMS: usize = 70;

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    for (scheme, operation) in shown(case) {
        // Writing to a string cannot fail.
        let _ = match kernel(&case.wavelet, &scheme, operation) {
            Ok(kernel) => writeln!(text, "{}\n{kernel}", scheme.kind),
            Err(message) => writeln!(text, "{}\n{operation}: {message}\n", scheme.kind),
        };
    }
    text
}

/// Every 1-D scheme with every operation, and forward and inverse of the default scheme of more
/// axes.
pub(super) fn shown(case: &Curated) -> Vec<(Scheme, Operation)> {
    let mut list = Vec::new();
    for axes in &case.axes {
        let kinds = match axes {
            1 => SchemeKind::ALL.to_vec(),
            _ => vec![case.wavelet.default_scheme(*axes)],
        };
        for scheme in kinds.into_iter().filter_map(|kind| case.wavelet.scheme(kind, *axes).ok()) {
            let operations = match axes {
                1 => Operation::ALL.to_vec(),
                _ => vec![Operation::Forward, Operation::Inverse],
            };
            if scheme.operations().terms <= MOST_TERMS {
                list.extend(operations.into_iter().map(|operation| (scheme.clone(), operation)));
            }
        }
    }
    list
}

pub(super) fn kernel(
    wavelet: &Wavelet,
    scheme: &Scheme,
    operation: Operation,
) -> Result<Kernel, String> {
    let element = if wavelet.is_rounded() { Element::I32 } else { Element::F32 };
    lower(scheme, operation, element, Exchange::Shared).map_err(|error| error.to_string())
}
