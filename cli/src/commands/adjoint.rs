//! `waveloom adjoint`

use super::analysis::Analysis;
use super::synthesis::Synthesis;
use crate::args::{AdjointArgs, Of};
use crate::console::Console;
use crate::error::{End, Failure};
use crate::session::Session;
use waveloom::codegen::kernel::Operation;

/// Applies the adjoint of forward (coefficients in, signal out) or of inverse (the reverse).
pub fn run(
    args: &AdjointArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    match args.of {
        Of::Forward => Synthesis {
            input: &args.input,
            output: &args.output,
            options: &args.transform,
            inverse: &args.inverse,
            operation: Operation::AdjointForward,
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
