//! `waveloom check`

use super::show;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::error::{End, Failure};
use crate::session::{parse_definition, read_definition};
use waveloom::wavelets::catalogue;

/// Validates a definition file. Every problem is printed with its line; a valid wavelet is
/// described in short.
pub fn run(args: &CheckArgs, console: &mut Console<'_>) -> Result<(), End> {
    if !args.file.exists()
        && let Some(known) = args.file.to_str().and_then(|name| catalogue::wavelet(name).ok())
    {
        let name = known.name().to_owned();
        let message = format!(
            "expected a definition file, got a name of the catalogue; `waveloom show {name}` describes it"
        );
        return Err(Failure::of_file(&args.file, message).into());
    }
    let text = read_definition(&args.file)?;
    match parse_definition(&text, &args.file) {
        Ok(wavelet) => Ok(console.remark(show::text::short(&wavelet).trim_end())?),
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
