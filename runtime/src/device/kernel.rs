//! Loaded kernels.

use super::error::DeviceError;
use super::gpu::Limits;
use super::launch::{self, Configuration};
use super::stream::Stream;
use cudarc::driver::{CudaFunction, CudaModule, sys};
use std::sync::Arc;

/// What a kernel needs at every launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// 64-bit words of the structure that the kernel takes after its three buffers.
    pub parameter_words: usize,
}

/// A kernel, ready to be launched.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: String,
    function: CudaFunction,
    shape: LaunchShape,
    ordinal: usize,
}

impl Kernel {
    pub(super) fn load(
        module: &Arc<CudaModule>,
        name: &str,
        shape: LaunchShape,
        limits: &Limits,
        ordinal: usize,
    ) -> Result<Self, DeviceError> {
        if name.contains('\0') {
            return Err(DeviceError::Nul);
        }
        let within = |what, needed: u32, limit: u32| {
            if needed <= limit {
                return Ok(());
            }
            let (needed, limit) = (u64::from(needed), u64::from(limit));
            Err(DeviceError::Limit { kernel: name.to_owned(), what, needed, limit, ordinal })
        };
        within("threads a block", shape.threads, limits.threads_per_block)?;
        within(
            "bytes of shared memory a block",
            shape.shared_bytes,
            limits.shared_bytes_per_block,
        )?;
        let function =
            module.load_function(name).map_err(DeviceError::driver("finding a kernel"))?;
        if shape.shared_bytes > 0 {
            // Beyond 48 KiB a kernel must ask; asking for less does no harm.
            function
                .set_attribute(
                    sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    i32::try_from(shape.shared_bytes).unwrap_or(i32::MAX),
                )
                .map_err(DeviceError::driver("reserving shared memory"))?;
        }
        Ok(Self { name: name.to_owned(), function, shape, ordinal })
    }

    /// The kernel's name in its text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it needs at every launch.
    pub fn shape(&self) -> LaunchShape {
        self.shape
    }

    /// Registers of a thread.
    pub fn registers(&self) -> Result<u32, DeviceError> {
        let registers = self.function.num_regs().map_err(DeviceError::driver("asking a kernel"))?;
        Ok(registers.max(0) as u32)
    }

    /// Bytes of local memory of a thread: spilled registers and indexed arrays.
    pub fn local_bytes(&self) -> Result<u32, DeviceError> {
        let bytes =
            self.function.local_size_bytes().map_err(DeviceError::driver("asking a kernel"))?;
        Ok(bytes.max(0) as u32)
    }

    /// Blocks that one multiprocessor holds at once.
    pub fn blocks_per_multiprocessor(&self) -> Result<u32, DeviceError> {
        self.function
            .occupancy_max_active_blocks_per_multiprocessor(
                self.shape.threads,
                self.shape.shared_bytes as usize,
                None,
            )
            .map_err(DeviceError::driver("asking for the occupancy"))
    }

    /// Puts a launch on `stream`; nothing is allocated, compiled or awaited. `blocks` are counted
    /// along x and y; `buffers` are addresses on this card, `words` the kernel's last parameter.
    pub(crate) fn launch(
        &self,
        stream: &Stream,
        blocks: [u64; 2],
        buffers: &[u64; 3],
        words: &[i64],
    ) -> Result<(), DeviceError> {
        /// The largest grid along x and y, on every card.
        const MOST_BLOCKS: [u32; 2] = [(1 << 31) - 1, 65_535];
        if stream.ordinal() != self.ordinal {
            return Err(DeviceError::OtherDevice {
                what: "a stream",
                expected: self.ordinal,
                given: stream.ordinal(),
            });
        }
        if words.len() != self.shape.parameter_words {
            return Err(DeviceError::Parameters {
                kernel: self.name.clone(),
                expected: self.shape.parameter_words,
                given: words.len(),
            });
        }
        if blocks.contains(&0) {
            return Ok(());
        }
        let mut grid = [0; 2];
        for ((grid, &needed), limit) in grid.iter_mut().zip(&blocks).zip(MOST_BLOCKS) {
            *grid =
                u32::try_from(needed).ok().filter(|blocks| *blocks <= limit).ok_or_else(|| {
                    DeviceError::Limit {
                        kernel: self.name.clone(),
                        what: "blocks",
                        needed,
                        limit: u64::from(limit),
                        ordinal: self.ordinal,
                    }
                })?;
        }
        let LaunchShape { threads, shared_bytes, .. } = self.shape;
        let configuration = Configuration { blocks: grid, threads, shared_bytes };
        launch::launch(&self.function, stream.cudarc(), configuration, buffers, words)
    }
}
