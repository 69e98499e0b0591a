//! `waveloom inverse`

use super::synthesis::Synthesis;
use crate::args::InverseArgs;
use crate::console::Console;
use crate::error::End;
use crate::session::Session;
use waveloom::codegen::kernel::Operation;

/// Transforms coefficients back into a signal.
pub fn run(
    args: &InverseArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    let synthesis = Synthesis {
        input: &args.input,
        output: &args.output,
        options: &args.transform,
        inverse: &args.inverse,
        operation: Operation::Inverse,
        hint: None,
    };
    synthesis.run(session, console)
}
