//! Kernels on a GPU: which thread owns what, which launches make up a transform, and the proof that
//! they are right. Plain comparable values; nothing here needs a device.

mod abi;
mod defaults;
mod fused;
mod mapping;
mod operations;
mod pass;
mod program;
mod proof;
mod recompute;
mod refusal;
mod spelling;
mod split;
mod stretch;
mod strip;
mod sums;
mod turn;

pub use abi::{Job, JobAxis, OUTERS, View, job_fields};
pub use defaults::Architecture;
pub use fused::Fused;
pub use mapping::{Alignment, Arrival, Lags, MOST_STRETCHED, Mapping, Scope, Strategy, Taps};
pub use operations::{OperationLaunches, Operations, OperationsRequest, operations};
pub use pass::{Fold, Scale};
pub use program::{
    BandRows, Buffer, Launch, LaunchKind, MappedKernel, Program, ProgramError, ProgramRequest,
    Unaligned, jobs, program,
};
pub use proof::{KernelInfo, ProofError, Proved, ProvedSegment, prove};
pub use spelling::ParseStrategyError;
pub use split::MOST_BLOCKS;
pub use stretch::{DESK_PAIRS, RIM_FIELDS, RIM_WORDS, Rim, Stretch, StretchError, StretchLevel};
pub use strip::{
    Across, AcrossStage, Along, AlongUpdate, Beside, Descent, EDGES, Ends, Inside, PART_FIELDS,
    Parts, Rise, Run, SECTOR, Shifted, Strip, StripError, Way, part_fields, part_words,
};
pub use sums::{SumGroup, SumTerm, Sums};
pub use turn::Turned;
