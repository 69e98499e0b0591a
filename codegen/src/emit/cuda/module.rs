//! The text of all operations of a transform, with its provenance: what the command line, the macro
//! and build scripts write.

use super::{CudaSource, source};
use crate::emit::header::Provenance;
use crate::gpu::{
    Operations, OperationsRequest, ProgramError, Proved, Scope, Strategy, operations,
};
use crate::kernel::{Element, Exchange};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// What is asked for. Mode, shape and origin are parameters of the launches, not of the text, and so is
/// the number of levels unless a kernel runs several. Walks along lines ([`Strategy::stretch`]) are for lines whose bands
/// begin, at every level, where those of a line of 65,536 samples do in mode `periodization`; for others, and for adjoints, a
/// text holds strips.
#[derive(Clone, Debug)]
pub struct CudaRequest<'a> {
    /// The wavelet.
    pub wavelet: &'a Wavelet,
    /// How the command line names it: a catalogue name or a definition file.
    pub source: &'a str,
    /// The algorithm.
    pub scheme: SchemeKind,
    /// Number of axes, 1 to 3; the last is contiguous in memory.
    pub dims: usize,
    /// Element type.
    pub element: Element,
    /// Number of levels, for strategies that run several in a launch: in place, or in a strip.
    pub levels: usize,
    /// How kernels are mapped to blocks.
    pub strategy: Strategy,
    /// The strategy as the command line spells it, such as `--strategy trapezoid --block 128`.
    pub options: String,
}

impl<'a> CudaRequest<'a> {
    /// Everything by default: the wavelet's own scheme, `f32` (`i32` for integer wavelets), tiles in
    /// shared memory.
    pub fn new(wavelet: &'a Wavelet, dims: usize) -> Self {
        let strategy = Strategy::SHARED;
        Self {
            wavelet,
            source: wavelet.name(),
            scheme: wavelet.default_scheme(dims),
            dims,
            element: if wavelet.is_rounded() { Element::I32 } else { Element::F32 },
            levels: 1,
            strategy,
            options: format!("--strategy {}", strategy.name()),
        }
    }
}

/// Extent of the array that stands for all, large enough to be ordinary at every end, and of a line that is walked along.
const EXTENT: usize = 1024;
const LINE: usize = 1 << 16;

/// Writes one text with the kernels of all operations: forward, inverse and (unless rounded) their
/// adjoints, beside the passes `fold` and `scale`.
///
/// # Errors
/// The scheme does not exist, does not fit the element type, or no block can run it.
pub fn module(request: &CudaRequest<'_>) -> Result<CudaSource, ProgramError> {
    module_kernels(request).map(|(source, _)| source)
}

/// The same with the kernels, in the order of the functions.
///
/// # Errors
/// Those of [`module`].
pub fn module_kernels(
    request: &CudaRequest<'_>,
) -> Result<(CudaSource, Vec<Proved>), ProgramError> {
    let dims = request.dims;
    let axes: Vec<usize> = (0..dims).collect();
    let of_extent = |extent: usize, mode: Mode, levels: usize, strategy: Strategy| {
        operations(&OperationsRequest {
            operations: &[],
            wavelet: request.wavelet,
            kind: request.scheme,
            shape: &vec![extent; dims],
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element: request.element,
            strategy,
        })
    };
    // Lines that are walked along are long, and others need strips.
    let made = |mode: Mode, levels: usize, strategy: Strategy| {
        of_extent(EXTENT, mode, levels, Strategy { stretch: Some(0), ..strategy })
    };
    let in_place = request.strategy.scope == Scope::Levels;
    let levels = if in_place { request.levels } else { 1 };
    let mode = request.wavelet.default_mode();
    let mut all = made(mode, levels, request.strategy)?.for_any_rows()?;
    if dims == 3 && request.strategy.exchange == Exchange::Stream {
        // Where ends are sums, or arrays narrow, volumes take two passes.
        let two = Strategy { together: Some(2), ..request.strategy };
        add(&mut all.kernels, made(mode, levels, two)?.for_any_rows()?.kernels);
    }
    if deep(request) && !in_place {
        // In this mode every level goes on by itself.
        let mut several = made(Mode::Periodization, request.levels, request.strategy)?.kernels;
        several.retain(|kernel| kernel.mapping().levels > 1);
        add(&mut all.kernels, several);
    }
    let lines = dims == 1 && request.strategy.exchange == Exchange::Stream && !in_place;
    if lines && request.strategy.stretch.is_some_and(|pairs| pairs > 0) {
        let mut long =
            of_extent(LINE, Mode::Periodization, request.levels, request.strategy)?.kernels;
        long.retain(|kernel| kernel.stretch().is_some() || kernel.mapping().levels > 1);
        add(&mut all.kernels, long);
    }
    Ok((source(request.element, &all.kernels, &provenance(request)), all.kernels))
}

/// Adds kernels that are not there yet.
fn add(all: &mut Vec<Proved>, more: Vec<Proved>) {
    for kernel in more {
        if !all.contains(&kernel) {
            all.push(kernel);
        }
    }
}

/// Whether the text depends on the number of levels.
fn deep(request: &CudaRequest<'_>) -> bool {
    let strips = request.strategy.exchange == Exchange::Stream && request.levels > 1;
    strips || request.strategy.scope == Scope::Levels
}

/// The text of a plan's kernels, with nothing in it that depends on shapes, but how rows are aligned and, of walks along
/// lines, where levels begin: plans that differ only in shape, mode, origin or levels mostly share it.
pub fn plan_source(element: Element, wavelet: &Wavelet, all: &Operations) -> CudaSource {
    let line = format!("Kernels of {}, made by waveloom.", wavelet.name());
    source(element, &all.kernels, &[line])
}

/// The same as one text for every kernel, in order: each is compiled for itself, at the same time as the
/// others, and found again by every plan that runs it. At least one text, for the passes.
pub fn kernel_sources(element: Element, wavelet: &Wavelet, all: &Operations) -> Vec<CudaSource> {
    let line = format!("A kernel of {}, made by waveloom.", wavelet.name());
    if all.kernels.is_empty() {
        return vec![source(element, &[], &[line])];
    }
    let one = |kernel| source(element, std::slice::from_ref(kernel), std::slice::from_ref(&line));
    all.kernels.iter().map(one).collect()
}

fn provenance(request: &CudaRequest<'_>) -> Vec<String> {
    let provenance = Provenance {
        source: request.source,
        wavelet: request.wavelet,
        scheme: request.scheme,
        target: "cuda",
        dims: request.dims,
        mode: None,
        element: request.element,
        levels: deep(request).then_some(request.levels),
        lent: false,
    };
    let mut lines = provenance.lines(&[]);
    let command = provenance.command();
    for line in &mut lines {
        if line.trim() == command && !request.options.is_empty() {
            *line = format!("{line} {}", request.options);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_wavelets::catalogue;

    #[test]
    fn one_text_holds_all_operations() {
        for (name, dims, functions) in [("bior4.4", 1, 4), ("bior4.4", 2, 8), ("rev53", 2, 4)] {
            let wavelet = catalogue::wavelet(name).unwrap();
            let request = CudaRequest::new(&wavelet, dims);
            let text = module(&request).unwrap();
            assert_eq!(text.functions.len(), functions, "{name} {dims}");
            assert_eq!(module(&request).unwrap(), text, "equal requests give equal bytes");
            let head: Vec<&str> = text.text.lines().take(12).collect();
            let command = format!("waveloom emit {name} --scheme {}", wavelet.default_scheme(dims));
            assert!(head.iter().any(|line| line.contains(&command)), "{head:?}");
            assert!(head.iter().any(|line| line.ends_with("--strategy shared")), "{head:?}");
            for name in &text.functions {
                assert!(text.text.contains(&format!("\n{name}(value* b0")), "{name}");
            }
        }
    }

    /// Short lines, and adjoints, have their strips beside walks along long ones.
    #[test]
    fn walks_along_lines_come_beside_strips() {
        let wavelet = catalogue::wavelet("db4").unwrap();
        for (levels, expected) in [(1, vec![1, 1]), (3, vec![3, 3]), (6, vec![4, 2, 2, 4])] {
            let text = |stretch: Option<u32>| {
                let strategy = Strategy { stretch, ..Strategy::STREAM };
                let plain = CudaRequest::new(&wavelet, 1);
                let (_, kernels) =
                    module_kernels(&CudaRequest { levels, strategy, ..plain }).unwrap();
                kernels
            };
            let (strips, both) = (text(None), text(Some(8)));
            assert!(strips.iter().all(|kernel| kernel.stretch().is_none()));
            assert_eq!(both[..strips.len()], strips);
            let walks = &both[strips.len()..];
            assert!(walks.iter().all(|kernel| kernel.stretch().is_some()));
            let found: Vec<u32> = walks.iter().map(|kernel| kernel.mapping().levels).collect();
            assert_eq!(found, expected, "forward, then inverse");
        }
    }

    #[test]
    fn strategies_have_names() {
        for (name, strategy) in Strategy::NAMED {
            assert_eq!(Strategy::named(name), Some(strategy));
            assert_eq!(Strategy { threads: Some(64), ..strategy }.name(), name);
        }
        assert_eq!(Strategy::named("tiled"), None);
    }
}
