//! The conformance suite on strips: shuffles across, a walk along, run by the emulator.

mod levels;
mod lines;
mod planes;
mod volumes;

use std::sync::Arc;
use waveloom_codegen::gpu::{Program, ProgramRequest, Strategy, program};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::available;
use waveloom_snapshots::conformance::{Breadth, Case, EmulatedBackend, run_everywhere};
use waveloom_snapshots::emulate::{Checks, Emulator, Order};
use waveloom_wavelets::{Wavelet, catalogue, definition};

fn backend(label: &str, order: Order, strategy: Strategy) -> Option<EmulatedBackend> {
    let emulator = available(Emulator::find())?;
    let backend = EmulatedBackend::new(emulator, Checks::Memory, order, label, strategy);
    Some(backend.sparing(Breadth::from_environment().unwrap()))
}

fn wavelet(name: &str) -> (Arc<Wavelet>, Element) {
    let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
    let element = if wavelet.is_rounded() { Element::I32 } else { Element::F64 };
    (wavelet, element)
}

/// What runs a case in strips, of bands whose rows begin at multiples of so many elements.
fn planned(case: &Case, operation: Operation, strategy: Strategy, align: Option<u32>) -> Program {
    let request = ProgramRequest {
        wavelet: &case.wavelet,
        kind: case.wavelet.default_scheme(case.axes.len()),
        shape: &case.shape,
        axes: &case.axes,
        mode: case.mode,
        origins: &[],
        levels: case.levels,
        align_rows: align,
        element: case.element,
        operation,
        strategy,
    };
    program(&request).unwrap()
}

fn verify(backend: Option<EmulatedBackend>, cases: Vec<Case>) {
    let Some(backend) = backend else { return };
    let report = run_everywhere(&backend, &cases);
    println!("{report}");
    report.verdict().unwrap();
}

/// Haar's taps behind so many zeros, as definition files may have them: signals begin far from where pairs do.
fn padded(zeros: usize) -> Arc<Wavelet> {
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let (front, back) = ("0.0, ".repeat(zeros), ", 0.0".repeat(zeros));
    let text = format!(
        "[taps]\ndec_lo = [{front}{s}, {s}]\ndec_hi = [{front}{s}, -{s}]\nrec_lo = [{s}, {s}{back}]\nrec_hi = [-{s}, {s}{back}]\n"
    );
    Arc::new(definition::parse(&text, "padded").unwrap())
}
