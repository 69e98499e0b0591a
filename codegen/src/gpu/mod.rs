//! Kernels on a GPU: which thread owns what, which launches make up a transform, and the proof that
//! they are right. Plain comparable values; nothing here needs a device.

mod abi;
mod mapping;
mod pass;
mod program;
mod proof;

pub use abi::{Job, JobAxis, OUTERS, View, job_fields};
pub use mapping::{Arrival, Mapping, Strategy};
pub use pass::{Fold, Scale};
pub use program::{
    Buffer, JOBS, Launch, LaunchKind, MappedKernel, Program, ProgramError, ProgramRequest, program,
};
pub use proof::{KernelInfo, ProofError, Proved, ProvedSegment, prove};
