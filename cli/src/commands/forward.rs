//! `waveloom forward`

use super::analysis::Analysis;
use crate::args::ForwardArgs;
use crate::console::Console;
use crate::error::End;
use crate::session::Session;
use waveloom::codegen::kernel::Operation;

/// Transforms a signal into coefficients.
pub fn run(
    args: &ForwardArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    let analysis = Analysis {
        input: &args.input,
        output: &args.output,
        picture: args.picture.as_deref(),
        options: &args.transform,
        operation: Operation::Forward,
    };
    analysis.run(session, console)
}
