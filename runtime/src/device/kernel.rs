//! Loaded kernels.

use super::error::DeviceError;
use super::gpu::Limits;
use super::stream::Stream;
use crate::seam::{self, Configuration};
use cudarc::driver::{CudaFunction, CudaModule, sys};
use std::sync::Arc;
use waveloom_codegen::emit::cuda::{COPIES, INSIDE, SUMS};
use waveloom_codegen::gpu::Ends;

/// What a kernel needs at every launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that are enough on a multiprocessor, of a kernel of which few shall run at a time; 0 of others.
    pub resident: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// 64-bit words of the structure that the kernel takes after its three buffers.
    pub parameter_words: usize,
    /// 64-bit words of a second structure, which kernels have that come as several functions: for blocks at
    /// an end of an array or for all, and for the others. 0 for kernels of one function.
    pub part_words: usize,
    /// Of such kernels, whether a function of its own is for ends beyond which stand copies or nothing.
    pub copies: bool,
    /// And whether another one is for ends beyond which stand sums.
    pub sums: bool,
}

/// A kernel, ready to be launched.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: String,
    function: CudaFunction,
    shape: LaunchShape,
    ordinal: usize,
    /// Its other functions.
    parted: Option<Parted>,
}

/// A kernel of several functions.
#[derive(Clone, Debug)]
struct Parted {
    /// For blocks at an end beyond which stand copies or nothing, as the first function is for any.
    copies: CudaFunction,
    /// The same for sums of elements near by.
    sums: CudaFunction,
    /// For blocks inside their arrays.
    inside: CudaFunction,
    /// Blocks of the first function, and of those for copies and sums, of which no warp waits for another: launches of no
    /// more are not taken apart; and of that for lines that begin anew.
    held: [u64; 4],
    /// Whether a launch can begin before the one before it ends.
    beside: bool,
}

/// Blocks of the functions of a kernel, and the words that tell them which.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// All blocks for one function.
    pub(crate) together: Vec<i64>,
    /// Blocks at an end, and others.
    pub(crate) apart: ([u64; 2], Vec<i64>),
    /// What is at an end, and so which function can do it.
    pub(crate) ends: Ends,
    /// Whether it needs aligned buffers.
    pub(crate) wraps: bool,
    /// Whether blocks inside may run beside the launch before.
    pub(crate) beside: bool,
    /// Whether the function for blocks at ends can run all blocks.
    pub(crate) whole: bool,
}

/// Warps of a multiprocessor of which none waits for another: two for each of its four schedulers.
const WARPS_ALIKE: u64 = 8;

/// Warps of a multiprocessor for which a second launch is not worth while, where blocks at ends are as fast as others.
const WARPS_ROUND: u64 = 32;

/// How much of what a multiprocessor can have as shared memory it has, in percent, for functions that run beside others; the
/// rest is its first-level cache. Left alone, the driver chooses for every function what its own blocks need, and where two
/// functions differ, none of one's blocks begins on a multiprocessor before all of the other's have ended. A function of
/// which this would leave less than three quarters of the blocks has what it needs, unless few of its blocks are enough: of
/// these, no more shall be resident than fit here.
const SHARED: u64 = 60;

/// Bytes of shared memory that the system takes for every block.
const RESERVED: u32 = 1024;

/// Bytes to which buffers must be aligned for blocks that are inside their arrays to be a launch of their own.
const ALIGNED: u64 = 16;

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
        let mut kernel = Self { name: name.to_owned(), function, shape, ordinal, parted: None };
        if shape.part_words > 0 {
            let find = |ending: &str| {
                let found = module.load_function(&format!("{name}{ending}"));
                found.map_err(DeviceError::driver("finding a kernel"))
            };
            let inside = find(INSIDE)?;
            let copies = if shape.copies { find(COPIES)? } else { kernel.function.clone() };
            let sums = if shape.sums { find(SUMS)? } else { kernel.function.clone() };
            for function in [&kernel.function, &copies, &sums, &inside] {
                kernel.divide(function, limits)?;
            }
            let multiprocessors = u64::from(limits.multiprocessors);
            let blocks = |warps: u64| warps * 32 / u64::from(shape.threads.max(32));
            let few = blocks(WARPS_ALIKE);
            let held = |function: &CudaFunction| {
                Ok::<u64, DeviceError>(
                    u64::from(kernel.resident(function)?).min(few) * multiprocessors,
                )
            };
            let round = blocks(WARPS_ROUND) * multiprocessors;
            let held = [held(&kernel.function)?, held(&copies)?, held(&sums)?, round];
            kernel.parted = Some(Parted { copies, sums, inside, held, beside: limits.runs_beside });
        }
        Ok(kernel)
    }

    /// The kernel's name in its text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it needs at every launch.
    pub fn shape(&self) -> LaunchShape {
        self.shape
    }

    /// Registers of a thread; of a kernel of several functions, of that for blocks inside their arrays.
    pub fn registers(&self) -> Result<u32, DeviceError> {
        let function = self.parted.as_ref().map_or(&self.function, |parted| &parted.inside);
        let registers = function.num_regs().map_err(DeviceError::driver("asking a kernel"))?;
        Ok(registers.max(0) as u32)
    }

    /// Bytes of local memory of a thread, of whichever function has most: spilled registers and indexed
    /// arrays.
    pub fn local_bytes(&self) -> Result<u32, DeviceError> {
        let others =
            self.parted.iter().flat_map(|parted| [&parted.copies, &parted.sums, &parted.inside]);
        let mut most = 0;
        for function in others.chain([&self.function]) {
            let bytes = function.local_size_bytes();
            most = most.max(bytes.map_err(DeviceError::driver("asking a kernel"))?);
        }
        Ok(most.max(0) as u32)
    }

    /// Blocks that one multiprocessor holds at once; of a kernel of several functions, of the first.
    pub fn blocks_per_multiprocessor(&self) -> Result<u32, DeviceError> {
        self.resident(&self.function)
    }

    /// Lets a function run on one multiprocessor with those of other launches.
    fn divide(&self, function: &CudaFunction, limits: &Limits) -> Result<(), DeviceError> {
        let ask = DeviceError::driver("asking for the shared memory");
        let bytes = function.shared_size_bytes().map_err(&ask)?.max(0).unsigned_abs();
        let block = u64::from(bytes + self.shape.shared_bytes + RESERVED);
        let resident = u64::from(self.resident(function)?);
        let fit = u64::from(limits.shared_bytes_per_multiprocessor) * SHARED / 100 / block;
        let enough = self.shape.resident > 0 && fit >= u64::from(self.shape.resident);
        if !limits.runs_beside || !(enough || 4 * fit >= 3 * resident) {
            return Ok(());
        }
        let share =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        // A hint: a driver that does not take it divides as it likes.
        let _ = function.set_attribute(share, SHARED as i32);
        Ok(())
    }

    fn resident(&self, function: &CudaFunction) -> Result<u32, DeviceError> {
        function
            .occupancy_max_active_blocks_per_multiprocessor(
                self.shape.threads,
                self.shape.shared_bytes as usize,
                None,
            )
            .map_err(DeviceError::driver("asking for the occupancy"))
    }

    /// Puts a launch on `stream`; nothing is allocated, compiled or awaited. `blocks` are counted
    /// along x and y; `buffers` are addresses on this card, `words` the kernel's parameter after these, and
    /// `parts` what a kernel of several functions takes beside it.
    pub(crate) fn launch(
        &self,
        stream: &Stream,
        blocks: [u64; 2],
        buffers: &[u64; 3],
        words: &[i64],
        parts: Option<&Parts>,
    ) -> Result<(), DeviceError> {
        if stream.ordinal() != self.ordinal {
            return Err(DeviceError::OtherDevice {
                what: "a stream",
                expected: self.ordinal,
                given: stream.ordinal(),
            });
        }
        let part_words = parts.map_or(0, |parts| parts.together.len());
        let apart_words = parts.map_or(0, |parts| parts.apart.1.len());
        let LaunchShape { threads, shared_bytes, parameter_words, part_words: expected, .. } =
            self.shape;
        if [words.len(), part_words, apart_words] != [parameter_words, expected, expected] {
            return Err(DeviceError::Parameters {
                kernel: self.name.clone(),
                expected: parameter_words + expected,
                given: words.len() + part_words,
            });
        }
        let put = |function: &CudaFunction, blocks: [u64; 2], more: &[i64], beside: bool| {
            if blocks.contains(&0) {
                return Ok(());
            }
            let blocks = self.grid(blocks)?;
            let configuration = Configuration { blocks, threads, shared_bytes, beside };
            seam::launch(function, stream.cudarc(), configuration, buffers, [words, more])
        };
        let Some((parted, parts)) = self.parted.as_ref().zip(parts) else {
            return put(&self.function, blocks, &[], false);
        };
        let aligned = buffers.iter().all(|buffer| buffer % ALIGNED == 0);
        let (at_ends, held) = match (parts.ends, parts.wraps) {
            (Ends::Copies, true) if aligned => (&parted.copies, parted.held[3]),
            (Ends::Copies, false) => (&parted.copies, parted.held[1]),
            (Ends::Sums, _) => (&parted.sums, parted.held[2]),
            _ => (&self.function, parted.held[0]),
        };
        let ([ends, others], apart) = &parts.apart;
        // Blocks at ends await what came earlier before they touch an array, and only then let blocks inside
        // begin. These beside nothing would not await it, unless the launch before has.
        if parts.whole && (blocks[0] <= held || *others == 0 || !aligned) {
            return put(at_ends, blocks, &parts.together, parted.beside);
        }
        put(at_ends, [*ends, 1], apart, parted.beside)?;
        put(&parted.inside, [*others, 1], apart, parted.beside && (*ends > 0 || parts.beside))
    }

    /// A grid that every card takes.
    fn grid(&self, blocks: [u64; 2]) -> Result<[u32; 2], DeviceError> {
        /// The largest grid along x and y, on every card.
        const MOST_BLOCKS: [u32; 2] = [(1 << 31) - 1, 65_535];
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
        Ok(grid)
    }
}
