//! What can go wrong on a device.

use cudarc::driver::sys::CUresult;
use cudarc::driver::{DriverError, sys};
use std::fmt;
use waveloom_codegen::kernel::Operation;

/// CUDA text that the compiler refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The compiler's log.
    pub log: String,
    /// The text.
    pub source: String,
    /// The options it was compiled with.
    pub options: Vec<String>,
}

impl fmt::Display for CompileError {
    /// The log as it is, the options, and the text with line numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "NVRTC refuses the text (options {}):", self.options.join(" "))?;
        writeln!(f, "{}", self.log.trim_end())?;
        for (number, line) in self.source.lines().enumerate() {
            writeln!(f, "{:5}  {line}", number + 1)?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}

/// Why a device cannot do something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The driver's library was not found.
    #[error(
        "no CUDA driver: the library {} was not found; install NVIDIA's driver or use the CPU",
        if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" }
    )]
    NoDriver,
    /// NVRTC's library was not found.
    #[error(
        "no CUDA compiler: the library libnvrtc of CUDA 12 or 13 was not found; install it (for \
         example the wheel nvidia-cuda-nvrtc) and put its directory on the library search path"
    )]
    NoCompiler,
    /// There is no card of that number.
    #[error("no CUDA device {ordinal}: there {}", match count {
        0 => "is none".to_owned(),
        1 => "is one, 0".to_owned(),
        n => format!("are {n}, 0 to {}", n - 1),
    })]
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// The compiler knows no architecture that the card could run.
    #[error(
        "NVRTC {}.{} knows no architecture for compute capability {}.{}",
        version.0, version.1, capability / 10, capability % 10
    )]
    Architecture {
        /// The card's compute capability, as 90 for 9.0.
        capability: u32,
        /// The compiler's version.
        version: (i32, i32),
    },
    /// The text was refused.
    #[error(transparent)]
    Compile(#[from] Box<CompileError>),
    /// The text contains a NUL byte.
    #[error("CUDA text with a NUL byte")]
    Nul,
    /// The compiler failed in another way.
    #[error("NVRTC: {action} failed: {reason}")]
    Nvrtc {
        /// What was tried.
        action: &'static str,
        /// The library's name for the failure.
        reason: String,
    },
    /// Not enough memory on the card.
    #[error(
        "out of device memory: {bytes} bytes needed, {free} of {total} free on device {ordinal}"
    )]
    OutOfMemory {
        /// What was asked for.
        bytes: u128,
        /// What was free.
        free: usize,
        /// What the card has.
        total: usize,
        /// Which card.
        ordinal: usize,
    },
    /// A launch beyond what the card can do.
    #[error("kernel {kernel} needs {needed} {what}; device {ordinal} allows {limit}")]
    Limit {
        /// The kernel.
        kernel: String,
        /// Of what.
        what: &'static str,
        /// How many.
        needed: u64,
        /// At most.
        limit: u64,
        /// Which card.
        ordinal: usize,
    },
    /// The parameters do not have the size that the kernel was loaded with.
    #[error("kernel {kernel} takes {expected} words of parameters, {given} were given")]
    Parameters {
        /// The kernel.
        kernel: String,
        /// Words expected.
        expected: usize,
        /// Words given.
        given: usize,
    },
    /// Two lengths that must agree do not.
    #[error("{what}: expected {expected} elements, got {given}")]
    Length {
        /// Of what.
        what: &'static str,
        /// Expected.
        expected: usize,
        /// Given.
        given: usize,
    },
    /// A buffer or stream of another card.
    #[error("{what} belongs to device {given}, but device {expected} is used")]
    OtherDevice {
        /// What.
        what: &'static str,
        /// The card in use.
        expected: usize,
        /// The card it belongs to.
        given: usize,
    },
    /// Rounded transforms are not linear.
    #[error("an integer transform with rounding is not linear: it has no adjoint")]
    NoAdjoint,
    /// The plan was made for other operations.
    #[error("the plan was made for {planned:?} only, not for {operation:?}")]
    NotPlanned {
        /// What was asked for.
        operation: Operation,
        /// What there is.
        planned: Vec<Operation>,
    },
    /// The driver reported an error.
    #[error("CUDA: {action} failed: {reason}")]
    Driver {
        /// What was tried.
        action: &'static str,
        /// The driver's code.
        code: u32,
        /// The driver's name and words for it.
        reason: String,
    },
}

impl DeviceError {
    /// Wraps a driver's error with what was tried.
    pub(crate) fn driver(action: &'static str) -> impl Fn(DriverError) -> Self {
        move |error| {
            let text = |found: Result<&std::ffi::CStr, DriverError>| {
                found.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
            };
            let (name, words) = (text(error.error_name()), text(error.error_string()));
            let reason = match (name.is_empty(), words.is_empty()) {
                (false, false) => format!("{name} ({words})"),
                (false, true) => name,
                _ => format!("error {}", error.0 as u32),
            };
            DeviceError::Driver { action, code: error.0 as u32, reason }
        }
    }

    /// Whether the driver ran out of memory.
    pub(crate) fn is_out_of_memory(error: &DriverError) -> bool {
        let code: CUresult = error.0;
        code == sys::cudaError_enum::CUDA_ERROR_OUT_OF_MEMORY
    }
}
