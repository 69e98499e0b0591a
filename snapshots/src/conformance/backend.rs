//! What the suite runs on.

use super::{Case, Samples};
use waveloom_codegen::gpu::{ProgramError, Strategy};
use waveloom_codegen::kernel::Operation;

/// What a backend makes of a case.
pub enum Prepared<'a> {
    /// It can run.
    Ready(Box<dyn Transform + 'a>),
    /// It is outside this backend's scope; the reason appears in the report.
    Skipped(String),
    /// The backend says that the case is illegal.
    Refused(String),
}

/// Whether a legal case is outside of what a strategy can do: no block is large enough, it splits
/// constant parts off and the scheme has none (or would round otherwise), or rows cannot be aligned.
pub(super) fn beyond(strategy: Option<Strategy>, error: &ProgramError) -> bool {
    match error {
        ProgramError::Proof(_) | ProgramError::AlignRows { .. } => true,
        ProgramError::Scheme(_) => strategy.is_some_and(|strategy| strategy.split),
        _ => false,
    }
}

/// A way of running transforms: the reference, the host executor, generated code, a device.
pub trait Backend {
    /// A name for reports.
    fn name(&self) -> String;

    /// Builds what the case needs.
    fn prepare(&self, case: &Case) -> Prepared<'_>;

    /// Axis lengths at which something changes inside (tile and block sizes): lengths one below,
    /// at and one above are tried too.
    fn tile_lengths(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Whether each case is held to one of the laws that apply to it instead of all. What the reference says is
    /// checked for every operation either way.
    fn spares_laws(&self) -> bool {
        false
    }
}

/// A case made ready.
pub trait Transform {
    /// Runs an operation on a whole signal or a whole coefficient buffer (see
    /// [`super::Layout`]); `Err` says why it could not.
    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String>;

    /// The same through calls that refuse samples out of range, where [`Self::run`] does not
    /// examine them.
    fn run_examined(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        self.run(operation, input)
    }

    /// For integers: the largest magnitude of a sample that the forward transform takes.
    fn max_input(&self) -> Option<i64> {
        None
    }

    /// The operations that this transform has. Rounded transforms have no adjoints.
    fn operations(&self) -> &[Operation] {
        &Operation::ALL
    }
}
