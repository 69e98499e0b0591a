//! CUDA C++ text of proved kernels.

mod body;
mod edge;
mod fetch;
mod fused;
mod global;
mod items;
mod job;
mod module;
mod store;
mod stretch;
mod strip;
mod sums;
mod tile;
mod trapezoid;
mod turn;
mod value;
mod writer;

use crate::gpu::{Proved, Strip};
use crate::kernel::{Element, Side};
use value::{value_type, work_type};
use writer::Writer;

pub use items::{Definition, ItemsError, ItemsRequest, items, items_text};
pub use module::{CudaRequest, kernel_sources, module, module_kernels, plan_source};

/// Accesses of several elements, and asynchronous copies.
const VECTORS: &str = include_str!("support/strip/vectors.cuh");
const COPIED: &str = include_str!("support/strip/copies.cuh");

/// What launches of several functions begin with.
const PARTS: &str = include_str!("support/strip/parts.cuh");

/// What texts of strips begin with.
const STRIPS: [&str; 9] = [
    VECTORS,
    include_str!("support/strip/ends.cuh"),
    COPIED,
    PARTS,
    include_str!("support/strip/round.cuh"),
    include_str!("support/strip/columns.cuh"),
    include_str!("support/strip/edges.cuh"),
    include_str!("support/strip/arrival.cuh"),
    include_str!("support/strip/stores.cuh"),
];

/// A complete text and the names of its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaSource {
    /// CUDA C++ for NVRTC: no includes.
    pub text: String,
    /// One function per kernel, in order.
    pub functions: Vec<String>,
}

/// Name of the folding pass.
pub const FOLD: &str = "fold";

/// Name of the single-sample pass.
pub const SCALE: &str = "scale";

/// What the name of a kernel's function ends with that runs blocks inside their arrays, see
/// [`crate::gpu::Proved::parted`].
pub const INSIDE: &str = "_inside";

/// What the name of a kernel's function ends with that runs strips at ends beyond which stand copies of
/// elements or nothing, see [`crate::gpu::Ends::Copies`].
pub const COPIES: &str = "_copies";

/// What the name of a kernel's function ends with that runs strips at ends beyond which stand sums of elements near by, see
/// [`crate::gpu::Ends::Sums`].
pub const SUMS: &str = "_sums";

/// Writes the text of a list of kernels of one element type. `provenance` becomes the header's first
/// lines.
pub fn source(element: Element, kernels: &[Proved], provenance: &[String]) -> CudaSource {
    let mut writer = Writer::default();
    for line in provenance {
        writer.line(format!("// {line}").trim_end());
    }
    for (index, proved) in kernels.iter().enumerate() {
        describe(&mut writer, index, proved);
    }
    writer.line("//");
    writer.line(format!("// {FOLD}: adds what stands beyond the ends of an adjoint's results to the samples that it is made of"));
    writer.line(format!(
        "// {SCALE}: copies samples of lines that are one sample long, times a factor"
    ));
    writer.line("");
    writer.line(format!("typedef {} value;", value_type(element)));
    writer.line(format!("typedef {} work;", work_type(element)));
    writer.line("");
    writer.verbatim(include_str!("support/extension.cuh"));
    writer.line("");
    writer.verbatim(include_str!("support/passes.cuh"));
    writer.line("");
    writer.verbatim(match element.is_integer() {
        true => include_str!("support/scaled_integer.cuh"),
        false => include_str!("support/scaled_float.cuh"),
    });
    let stretches = kernels.iter().any(|proved| proved.stretch().is_some());
    if kernels.iter().any(|proved| proved.strip().is_some()) {
        writer.line("");
        writer.verbatim(STRIPS.join("\n").trim_end());
    } else if stretches {
        writer.line("");
        writer.verbatim([VECTORS, COPIED, PARTS].join("\n").trim_end());
    }
    if stretches {
        writer.line("");
        writer.verbatim(include_str!("support/stretch.cuh").trim_end());
    }
    if kernels.iter().any(|proved| proved.strip().is_some_and(|strip| strip.deeper.is_some())) {
        writer.line("");
        writer.verbatim(include_str!("support/strip/deeper.cuh").trim_end());
    }
    if kernels.iter().any(|proved| proved.strip().is_some_and(|strip| strip.between > 0)) {
        writer.line("");
        writer.verbatim(include_str!("support/strip/between.cuh").trim_end());
    }
    if kernels.iter().any(|proved| proved.strip().is_some_and(|strip| strip.beside.is_some())) {
        writer.line("");
        writer.verbatim(include_str!("support/strip/beside.cuh").trim_end());
    }
    if kernels.iter().any(|proved| proved.fused().is_some()) {
        writer.line("");
        writer.verbatim(include_str!("support/fused.cuh"));
    }
    let mut axes: Vec<usize> = kernels.iter().map(|proved| proved.kernel().axes).collect();
    axes.sort_unstable();
    axes.dedup();
    let parted = kernels.iter().filter(|proved| proved.strip().is_some_and(Strip::parted));
    // Kernels along one and two axes share a structure of parts.
    let mut parted: Vec<usize> = parted.map(|proved| proved.kernel().axes.max(2)).collect();
    parted.sort_unstable();
    parted.dedup();
    for axes in axes {
        writer.line("");
        job::declare(&mut writer, axes);
        for side in [Side::Signal, Side::Bands] {
            let mut users = kernels.iter().map(Proved::kernel);
            if users.any(|kernel| kernel.axes == axes && kernel.operation.input() == side) {
                fetch::declare(&mut writer, axes, side);
            }
        }
    }
    for axes in parted {
        writer.line("");
        job::declare_parts(&mut writer, axes);
    }
    if stretches {
        writer.line("");
        stretch::declare(&mut writer);
    }
    let mut functions = Vec::new();
    for (index, proved) in kernels.iter().enumerate() {
        let name = format!("transform{index}");
        if let Some(stretch) = proved.stretch() {
            stretch::function(&mut writer, &name, proved, stretch);
            writer.line("");
            functions.push(name);
            continue;
        }
        match (proved.strip(), proved.fused(), proved.turned()) {
            (Some(strip), _, _) => strip::function(&mut writer, &name, proved, strip),
            (_, Some(fused), _) => fused::function(&mut writer, &name, proved, fused),
            (_, _, Some(turned)) => turn::function(&mut writer, &name, proved, turned),
            (None, None, None) => tile::function(&mut writer, &name, proved),
        }
        writer.line("");
        functions.push(name);
    }
    CudaSource { text: writer.finish(), functions }
}

fn describe(writer: &mut Writer, index: usize, proved: &Proved) {
    let (kernel, info) = (proved.kernel(), proved.info());
    writer.line("//");
    writer.line(format!(
        "// transform{index}: {:?} along {} {}, exchange {:?}, {}",
        kernel.operation,
        kernel.axes,
        if kernel.axes == 1 { "axis" } else { "axes" },
        proved.mapping().exchange,
        proved.mapping()
    ));
    writer.line(format!(
        "//   {} operations per position, {} barriers, {} bytes of shared memory",
        info.operations, info.barriers, info.shared_bytes
    ));
    if proved.stretch().is_some() {
        writer.line(format!(
            "//   per block and chunk: {} values loaded, {} stored; about {} registers per thread",
            info.loads, info.stores, info.registers
        ));
        writer.line(format!("//   transform{index}{INSIDE} for walks along lines"));
        writer.line(format!("//   transform{index} for what these leave out at the ends of lines"));
        return;
    }
    let unit = match proved.strip().and_then(|strip| strip.along.as_ref()) {
        Some(_) => "block and pair of rows",
        None => "block",
    };
    writer.line(format!(
        "//   per {unit}: {} values loaded, {} stored; at least {} registers per thread",
        info.loads, info.stores, info.registers
    ));
    let Some(strip) = proved.strip().filter(|strip| strip.parted()) else { return };
    let any = match strip.beside {
        None => "wherever",
        Some(_) => "where beyond the ends stand copies near by or nothing",
    };
    writer.line(format!("//   transform{index}{INSIDE} for blocks inside their arrays"));
    if strip.has_copies() {
        let ends = match strip.wraps {
            true => "lines begin anew beyond the ends, in whole accesses",
            false => "beyond the ends stand copies near by or nothing",
        };
        writer.line(format!("//   transform{index}{COPIES} for all, or others, where {ends}"));
    }
    if strip.has_sums() {
        writer.line(format!("//   transform{index}{SUMS} for all, or others, where beyond the ends stand sums of elements near by"));
    }
    writer.line(format!("//   transform{index} for all, or others, {any}"));
}
