//! Loaded kernels.

use super::error::DeviceError;
use super::gpu::Limits;
use super::launch;
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
    /// 64-bit words of the kernel's one parameter.
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

    /// Puts a launch of `blocks` blocks on `stream`; nothing is allocated, compiled or awaited.
    /// `parameters` are the words of the kernel's parameter, device addresses among them.
    #[cfg_attr(not(test), expect(dead_code, reason = "for plans on a card"))]
    pub(crate) fn launch(
        &self,
        stream: &Stream,
        blocks: u64,
        parameters: &[i64],
    ) -> Result<(), DeviceError> {
        /// The largest grid along x, on every card.
        const MOST_BLOCKS: u64 = (1 << 31) - 1;
        if stream.ordinal() != self.ordinal {
            return Err(DeviceError::OtherDevice {
                what: "a stream",
                expected: self.ordinal,
                given: stream.ordinal(),
            });
        }
        if parameters.len() != self.shape.parameter_words {
            return Err(DeviceError::Parameters {
                kernel: self.name.clone(),
                expected: self.shape.parameter_words,
                given: parameters.len(),
            });
        }
        if blocks == 0 {
            return Ok(());
        }
        let grid =
            u32::try_from(blocks).ok().filter(|_| blocks <= MOST_BLOCKS).ok_or_else(|| {
                DeviceError::Limit {
                    kernel: self.name.clone(),
                    what: "blocks",
                    needed: blocks,
                    limit: MOST_BLOCKS,
                    ordinal: self.ordinal,
                }
            })?;
        let LaunchShape { threads, shared_bytes, .. } = self.shape;
        launch::launch(&self.function, stream.cudarc(), grid, threads, shared_bytes, parameters)
    }
}
