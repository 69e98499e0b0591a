//! CUDA of a wavelet: what was proved of every kernel, and the text.

use super::Curated;
use std::fmt::Write;
use waveloom_codegen::emit::cuda;
use waveloom_codegen::gpu::{self, KernelInfo, Program, ProgramRequest, Proved, Strategy};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_wavelets::SchemeKind;

/// Walks along lines, in short chunks.
const STRETCH: Strategy = Strategy { stretch: Some(4), ..Strategy::STREAM };

/// Where what belongs to the kernels begins: tables, or the first function.
const KERNELS: [&str; 6] = [
    "// A chunk's pairs",
    "__device__ const int transform0",
    "// Across the lanes",
    "// Along the walk",
    "// Within a lane",
    "extern \"C\" __global__ void __launch_bounds__",
];

/// What a snapshot shows: the default scheme axis by axis in tiles and, on one axis, as a trapezoid;
/// of two axes the non-separable lifting; strips; and some published strategies. Of three axes, strips.
fn programs(case: &Curated) -> Vec<(String, Result<Program, String>)> {
    let element = if case.wavelet.is_rounded() { Element::I32 } else { Element::F32 };
    let mut list = Vec::new();
    for axes in &case.axes {
        let choices: &[(SchemeKind, &str, Strategy)] = match axes {
            1 => &[
                (case.wavelet.default_scheme(1), "shared", Strategy::SHARED),
                (SchemeKind::Lattice, "trapezoid", Strategy::TRAPEZOID),
                (SchemeKind::Convolution, "global", Strategy::GLOBAL),
                (case.wavelet.default_scheme(1), "stream", Strategy::STREAM),
                (SchemeKind::Lattice, "launch", Strategy::LAUNCH),
                (case.wavelet.default_scheme(1), "stretch", STRETCH),
            ],
            3 => &[(SchemeKind::SeparableLifting, "stream", Strategy::STREAM)],
            _ => &[
                (SchemeKind::NonseparableLifting, "shared", Strategy::SHARED),
                (SchemeKind::SeparableLifting, "stream", Strategy::STREAM),
                (SchemeKind::SeparableLifting, "hybrid", Strategy::HYBRID),
                (SchemeKind::SeparableLifting, "mixed", Strategy::MIXED),
            ],
        };
        for (kind, name, strategy) in choices {
            // Of few wavelets, whose texts differ most.
            if strategy.stretch.is_some() && !case.axes.contains(&3) {
                continue;
            }
            for operation in [Operation::Forward, Operation::Inverse] {
                let request = ProgramRequest {
                    wavelet: &case.wavelet,
                    kind: *kind,
                    shape: &[4096; 3][..*axes],
                    axes: &[0, 1, 2][..*axes],
                    mode: case.wavelet.default_mode(),
                    origins: &[],
                    levels: if strategy.stretch.is_some() { 2 } else { 1 },
                    align_rows: None,
                    element,
                    operation,
                    strategy: *strategy,
                };
                let program = gpu::program(&request).map_err(|error| error.to_string());
                list.push((format!("{kind}, {axes} axes, {operation}, {name}"), program));
            }
        }
    }
    list
}

/// Mapping, needs and transactions of every kernel.
pub(super) fn proofs(case: &Curated) -> String {
    let mut text = String::new();
    for (title, program) in programs(case) {
        let _ = match program {
            Ok(program) => program
                .kernels
                .iter()
                .try_for_each(|proved| writeln!(text, "{title}\n{}\n", proof(proved))),
            Err(message) => writeln!(text, "{title}\n{message}\n"),
        };
    }
    text
}

fn proof(proved: &Proved) -> String {
    let KernelInfo { halo, barriers, shared_bytes, operations, registers, loads, stores } =
        proved.info();
    let axes = 0..proved.kernel().axes;
    let halo: Vec<String> =
        axes.map(|axis| format!("{}+{}", halo.before[axis], halo.after[axis])).collect();
    format!(
        "  {}\n  halo {}, {barriers} barriers, {shared_bytes} bytes of shared memory\n  \
         per position {operations} operations, at least {registers} registers\n  \
         per block {loads} values loaded, {stores} stored",
        proved.mapping(),
        halo.join(" ")
    )
}

/// Every complete text that a snapshot shows, with its title.
pub fn cuda_texts(case: &Curated) -> Vec<(String, String)> {
    let element = if case.wavelet.is_rounded() { Element::I32 } else { Element::F32 };
    let all =
        programs(case).into_iter().filter_map(|(title, program)| Some((title, program.ok()?)));
    all.map(|(title, program)| (title, cuda::source(element, &program.kernels, &[]).text)).collect()
}

/// The text of every kernel.
pub(super) fn texts(case: &Curated) -> String {
    let mut text = String::new();
    for (title, whole) in cuda_texts(case) {
        // The code before the first function is the same for all; one case shows it once.
        let start = KERNELS.iter().filter_map(|begin| whole.find(begin)).min();
        let shown = match start {
            Some(start) if !(case.support && text.is_empty()) => &whole[start..],
            _ => &whole,
        };
        let _ = writeln!(text, "// {title}\n\n{shown}");
    }
    text
}
