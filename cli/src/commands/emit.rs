//! `waveloom emit`

use crate::args::{EmitArgs, Target};
use crate::console::Console;
use crate::error::{End, Failure, Outcome};
use crate::files::atomic;
use crate::session::Session;
use crate::settings::misfit;
use crate::strategy;
use std::io::Write;
use waveloom::codegen::emit::cuda::{self, CudaRequest};
use waveloom::codegen::emit::rust::{EmitError, Request, module};
use waveloom::codegen::gpu::ProgramError;
use waveloom::codegen::kernel::LowerError;
use waveloom::codegen::pipeline::PipelineError;
use waveloom::wavelets::Wavelet;

/// Writes the source of a specialised transform, to a file or to standard output.
pub fn run(args: &EmitArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    if let Some(path) = &args.output {
        atomic::check_target(path)?;
    }
    let wavelet = session.wavelet(&args.wavelet, None)?.wavelet;
    let asked = args.dtype.map(|name| name.0);
    let misfit = asked.and_then(|element| misfit(wavelet.is_rounded(), wavelet.name(), element));
    if let Some(message) = misfit {
        return Err(Failure::of_option(format!("emit {} --dtype", args.wavelet), message).into());
    }
    let (language, text) = match args.target {
        Target::Rust => ("Rust", rust(args, &wavelet)?),
        Target::Cuda => ("CUDA", cuda(args, &wavelet)?),
    };
    let Some(path) = &args.output else {
        return Ok(console.print(&text)?);
    };
    atomic::write(path, |writer| writer.write_all(text.as_bytes()).map_err(Failure::plain))?;
    let lines = text.lines().count();
    Ok(console.remark(format!(
        "{}: {lines} lines of {language} -> {}",
        wavelet.name(),
        path.display()
    ))?)
}

fn rust(args: &EmitArgs, wavelet: &Wavelet) -> Outcome<String> {
    args.cuda.refuse("Rust text has none")?;
    let defaults = Request::new(wavelet.clone(), args.dims);
    let request = Request {
        source: args.wavelet.clone(),
        scheme: args.scheme.unwrap_or(defaults.scheme),
        mode: args.mode.unwrap_or(defaults.mode),
        levels: args.levels.unwrap_or(defaults.levels),
        allocates: !args.no_alloc,
        element: args.dtype.map_or(defaults.element, |name| name.0),
        ..defaults
    };
    let text = module(&request).and_then(|module| module.text());
    text.map_err(|error| Failure::of_option(blamed(&error, args), error))
}

/// Mode and, unless a kernel runs several, levels are parameters of the launches: the text serves
/// all of them.
fn cuda(args: &EmitArgs, wavelet: &Wavelet) -> Outcome<String> {
    let defaults = CudaRequest::new(wavelet, args.dims);
    let axes: Vec<usize> = (0..args.dims).collect();
    let strategy = strategy::strategy(&args.cuda, args.dims, &axes)?.unwrap_or(defaults.strategy);
    let given = [
        ("--mode", args.mode.is_some(), "one CUDA text serves every mode"),
        ("--no-alloc", args.no_alloc, "CUDA text never allocates"),
    ];
    if let Some((option, _, why)) = given.into_iter().find(|(_, given, _)| *given) {
        return Err(Failure::of_option(option, format!("{why}; leave it out")));
    }
    let request = CudaRequest {
        source: &args.wavelet,
        scheme: args.scheme.unwrap_or(defaults.scheme),
        element: args.dtype.map_or(defaults.element, |name| name.0),
        levels: args.levels.unwrap_or(defaults.levels),
        strategy,
        options: strategy::spelled(&args.cuda),
        ..defaults
    };
    let kernels = |request: &CudaRequest<'_>| {
        let made = cuda::module(request);
        made.map_err(|error| Failure::of_option(blamed_on_card(&error, args), error))
    };
    let source = kernels(&request)?;
    if let Some(levels) = args.levels {
        // Whatever strategy and wavelet: do other levels have other kernels?
        let other = if levels == 1 { DEEP } else { 1 };
        let others = kernels(&CudaRequest { levels: other, ..request })?;
        if code(&source.text) == code(&others.text) {
            let message =
                "one CUDA text of this kernel serves every number of levels; leave it out";
            return Err(Failure::of_option("--levels", message));
        }
    }
    Ok(source.text)
}

/// Levels that kernels of several levels have in common with none of one.
const DEEP: usize = 4;

/// A text without the comments at its head, which name the levels that were asked for.
fn code(text: &str) -> &str {
    text.split_once("\n\n").map_or(text, |(_, code)| code)
}

/// The command with the option that is to be changed, if one is to blame.
fn blamed(error: &EmitError, args: &EmitArgs) -> String {
    let option = match error {
        EmitError::Scheme(_) | EmitError::TooManyOperations { .. } => "--scheme",
        EmitError::Pipeline(PipelineError::Lower(LowerError::Element { .. })) => "--dtype",
        EmitError::Mode(_) => "--mode",
        EmitError::Dimensions { .. } => "--dims",
        EmitError::Levels { .. } => "--levels",
        _ => return format!("emit {}", args.wavelet),
    };
    format!("emit {} {option}", args.wavelet)
}

/// The same for CUDA.
fn blamed_on_card(error: &ProgramError, args: &EmitArgs) -> String {
    let option = match error {
        ProgramError::Scheme(_) => "--scheme",
        ProgramError::Lower(LowerError::Element { .. }) => "--dtype",
        ProgramError::Axes { .. } => "--dims",
        _ => return format!("emit {}", args.wavelet),
    };
    format!("emit {} {option}", args.wavelet)
}
