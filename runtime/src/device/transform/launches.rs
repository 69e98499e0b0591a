//! Launches with everything that the driver needs of them.

use crate::device::error::DeviceError;
use crate::device::gpu::Gpu;
use crate::device::kernel::{Kernel, LaunchShape, Parts};
use rayon::prelude::*;
use waveloom_codegen::emit::cuda::{self, CudaSource};
use waveloom_codegen::gpu::{
    Launch, LaunchKind, OperationLaunches, Operations, Proved, Strip, job_fields, jobs,
};
use waveloom_codegen::kernel::Operation;

/// Threads of a block of the passes `fold` and `scale`.
const PASS_THREADS: u32 = 256;

/// Words of the parameters of `fold` and `scale`.
const PASS_WORDS: [usize; 2] = [17, 10];

/// A pass has at most this many blocks on every multiprocessor; each thread takes several results.
const PASS_BLOCKS: u64 = 16;

/// The launches of one operation.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) operation: Operation,
    pub(super) launches: Vec<ReadyLaunch>,
}

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct ReadyLaunch {
    /// Index into the list that [`kernels`] makes.
    pub(super) kernel: usize,
    pub(super) blocks: [u64; 2],
    pub(super) words: Vec<i64>,
    pub(super) parts: Option<Parts>,
}

/// Which of the passes, after all transforms.
#[derive(Clone, Copy)]
enum Pass {
    Fold,
    Scale,
}

/// Loads the transforms in order, then `fold`, then `scale`. What is not compiled yet is compiled by all
/// threads.
pub(super) fn kernels(
    gpu: &Gpu,
    all: &Operations,
    sources: &[CudaSource],
) -> Result<Vec<Kernel>, DeviceError> {
    let functions: Vec<(&str, &str)> = sources
        .iter()
        .flat_map(|source| {
            source.functions.iter().map(|name| (source.text.as_str(), name.as_str()))
        })
        .collect();
    let transform = |(proved, (text, name)): (&Proved, &(&str, &str))| {
        let few = proved.strip().is_some_and(Strip::looks_far);
        // Tiles are declared in the text: no dynamic shared memory.
        let shape = LaunchShape {
            threads: proved.mapping().threads,
            resident: if few { proved.mapping().resident } else { 0 },
            shared_bytes: 0,
            parameter_words: jobs(proved.kernel().axes) * job_fields(proved.kernel().axes).len(),
            part_words: proved.part_words(),
            copies: proved.strip().is_some_and(Strip::has_copies),
            sums: proved.strip().is_some_and(Strip::has_sums),
        };
        gpu.kernel(text, name, shape)
    };
    let transforms = all.kernels.par_iter().zip(&functions).map(transform);
    let mut kernels = transforms.collect::<Result<Vec<Kernel>, DeviceError>>()?;
    // Every text has the passes.
    let text = sources.first().map_or("", |source| source.text.as_str());
    for (name, parameter_words) in [cuda::FOLD, cuda::SCALE].into_iter().zip(PASS_WORDS) {
        let shape = LaunchShape {
            threads: PASS_THREADS,
            resident: 0,
            shared_bytes: 0,
            parameter_words,
            part_words: 0,
            copies: false,
            sums: false,
        };
        kernels.push(gpu.kernel(text, name, shape)?);
    }
    Ok(kernels)
}

impl Ready {
    pub(super) fn new(one: &OperationLaunches, transforms: usize, multiprocessors: u32) -> Self {
        let launches = one.launches.iter().map(|launch| ready(launch, transforms, multiprocessors));
        Self { operation: one.operation, launches: launches.collect() }
    }
}

fn ready(launch: &Launch, transforms: usize, multiprocessors: u32) -> ReadyLaunch {
    let pass = |pass: Pass, results: i64| {
        let needed = results.max(0).unsigned_abs().div_ceil(u64::from(PASS_THREADS));
        let most = PASS_BLOCKS * u64::from(multiprocessors.max(1));
        (transforms + pass as usize, [needed.min(most), 1])
    };
    let (kernel, blocks) = match launch {
        LaunchKind::Transform { kernel, .. } => {
            let blocks = launch.grid().unwrap_or([0, 1]);
            (*kernel, blocks.map(|blocks| blocks.max(0).unsigned_abs()))
        }
        LaunchKind::Fold(fold) => pass(Pass::Fold, fold.results()),
        LaunchKind::Scale(scale) => pass(Pass::Scale, scale.results()),
    };
    let parts = launch.parts(false).zip(launch.parts(true)).map(|(together, apart)| Parts {
        together: together.words,
        ends: apart.ends,
        wraps: apart.wraps,
        beside: apart.beside,
        whole: apart.whole,
        apart: (apart.blocks.map(|blocks| blocks.max(0).unsigned_abs()), apart.words),
    });
    ReadyLaunch { kernel, blocks, words: launch.words(), parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_codegen::gpu::{OperationsRequest, Strategy, operations};
    use waveloom_codegen::kernel::Element;
    use waveloom_wavelets::{Mode, catalogue};

    /// Every launch has as many words as its kernel is loaded with.
    #[test]
    fn words_fit_the_kernels() {
        let wavelet = catalogue::wavelet("bior4.4").unwrap();
        for (mode, shape) in [
            (Mode::Smooth, [13_usize, 9]),
            (Mode::Jpeg2000, [1, 12]),
            (Mode::Periodization, [700, 33]),
        ] {
            for kind in wavelet.scheme_kinds(2) {
                let all = operations(&OperationsRequest {
                    operations: &[],
                    wavelet: &wavelet,
                    kind,
                    shape: &shape,
                    axes: &[0, 1],
                    mode,
                    origins: &[],
                    levels: 2,
                    align_rows: None,
                    element: Element::F32,
                    strategy: Strategy::SHARED,
                })
                .unwrap();
                let transforms = all.kernels.len();
                for one in &all.operations {
                    for launch in Ready::new(one, transforms, 100).launches {
                        let words = match all.kernels.get(launch.kernel) {
                            Some(proved) => {
                                jobs(proved.kernel().axes) * job_fields(proved.kernel().axes).len()
                            }
                            None => PASS_WORDS[launch.kernel - transforms],
                        };
                        assert_eq!(launch.words.len(), words, "{mode} {kind}");
                        assert!(launch.blocks.iter().all(|blocks| *blocks > 0), "{mode} {kind}");
                        assert!(8 * words + 24 <= 4096, "parameters have 4 KiB");
                    }
                }
            }
        }
    }
}
