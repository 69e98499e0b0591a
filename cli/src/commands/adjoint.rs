//! `waveloom adjoint`

use super::analysis::Analysis;
use super::synthesis::Synthesis;
use crate::args::{AdjointArgs, Of};
use crate::console::Console;
use crate::error::{End, Failure};
use crate::session::Session;
use waveloom::codegen::kernel::Operation;

/// For a signal where coefficients are expected, though nobody said whose adjoint is wanted.
const HINT: &str =
    "the adjoint of forward takes coefficients; that of inverse takes a signal: --of inverse";

/// Applies the adjoint of forward (coefficients in, signal out) or of inverse (the reverse).
pub fn run(
    args: &AdjointArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    match args.of.unwrap_or(Of::Forward) {
        Of::Forward => Synthesis {
            input: &args.input,
            output: &args.output,
            options: &args.transform,
            inverse: &args.inverse,
            operation: Operation::AdjointForward,
            hint: args.of.is_none().then_some(HINT),
        }
        .run(session, console),
        Of::Inverse => {
            if args.inverse.shape.is_some() {
                let message =
                    "describes coefficients, but the adjoint of inverse starts from a signal";
                return Err(Failure::of_option("--shape", message).into());
            }
            Analysis {
                input: &args.input,
                output: &args.output,
                picture: None,
                options: &args.transform,
                operation: Operation::AdjointInverse,
            }
            .run(session, console)
        }
    }
}
