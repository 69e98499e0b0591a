//! `waveloom check`

use super::show;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::error::{End, Failure};
use crate::session::{parse_definition, read_definition};

/// Validates a definition file. Every problem is printed with its line; a valid wavelet is
/// described in short.
pub fn run(args: &CheckArgs, console: &mut Console<'_>) -> Result<(), End> {
    let text = read_definition(&args.file)?;
    match parse_definition(&text, &args.file) {
        Ok(wavelet) => Ok(console.print(&show::text::short(&wavelet))?),
        Err(errors) => {
            let problems = errors.problems();
            for problem in problems {
                let place = format!("{}:{}", args.file.display(), problem.line);
                match problem.field.as_str() {
                    "" => console.line(format!("{place}: {}", problem.message))?,
                    field => console.line(format!("{place}: {field}: {}", problem.message))?,
                }
            }
            let plural = if problems.len() == 1 { "" } else { "s" };
            let message =
                format!("{} problem{plural}; expected a valid wavelet definition", problems.len());
            Err(Failure::of_file(&args.file, message).into())
        }
    }
}
