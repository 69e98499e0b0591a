//! What can go wrong.

use std::io;
use std::path::PathBuf;

/// What a checked run found wrong with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access outside of a buffer or of dynamic shared memory.
    Memory,
    /// Undefined behaviour: a subscript beyond its array, misalignment, overflow, a bad shift.
    Undefined,
    /// Not all threads reach a barrier or a shuffle.
    Divergence,
    /// Two accesses that nothing orders, one of them a write.
    Race,
    /// A read of shared memory that no thread of the block has written.
    Uninitialised,
    /// The launch took longer than its limit.
    Timeout,
    /// The program was killed by a signal, mostly for an access to unmapped memory.
    Crash,
}

/// Why a text could not be compiled or run.
#[derive(Debug, thiserror::Error)]
pub enum EmulateError {
    /// The C++ compiler refused the text.
    #[error("{compiler} refuses the text:\n{log}\n--- text ---\n{source_text}")]
    Compile {
        /// The compiler's program.
        compiler: String,
        /// What it said.
        log: String,
        /// The text, as given.
        source_text: String,
    },
    /// The text declares shared memory in a form that is not understood.
    #[error("line {line}: expected one 'extern __shared__ TYPE NAME[];', found: {found}")]
    SharedDeclaration {
        /// Line in the text, from 1.
        line: usize,
        /// That line.
        found: String,
    },
    /// No such kernel was compiled.
    #[error("no kernel '{kernel}' in this program; it has {}", known.join(", "))]
    UnknownKernel {
        /// The name asked for.
        kernel: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The launch does not fit the kernel.
    #[error("bad launch: {0}")]
    BadLaunch(String),
    /// A check failed. The buffers are as before the run.
    #[error("{fault:?}: {report}")]
    Fault {
        /// The kind.
        fault: Fault,
        /// The sanitizer's or the emulator's report, with lines of the text.
        report: String,
    },
    /// A file or process could not be used.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl EmulateError {
    /// The kind of fault, if a check failed.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            EmulateError::Fault { fault, .. } => Some(*fault),
            _ => None,
        }
    }

    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| EmulateError::Io { path, error }
    }
}
