//! The words of the command line.

mod lists;
mod options;
mod tune;
mod values;

pub use lists::List;
pub use options::{CudaOptions, InverseOptions, TransformOptions, WaveletArgument};
pub use tune::TuneArgs;
pub use values::{
    ElementName, Layout, Norm, Of, Pattern, PeerName, Positive, RuleName, Share, Suite, Target,
};

use crate::error::Failure;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};
use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use waveloom::device::Selection;
use waveloom::wavelets::{Mode, SchemeKind};

/// Specialised discrete wavelet transforms of arrays, images and sounds.
#[derive(Debug, Parser)]
#[command(name = "waveloom", version)]
pub struct Cli {
    /// Options that may stand anywhere.
    #[command(flatten)]
    pub global: GlobalOptions,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command, before or after its name.
#[derive(Debug, Args)]
pub struct GlobalOptions {
    /// Where to compute: auto (the default), cpu, cuda or cuda:N
    #[arg(long, global = true, value_name = "DEVICE")]
    pub device: Option<Selection>,
    /// Say nothing of what was done; results that were asked for, and errors, are still printed
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the wavelets of the catalogue
    List,
    /// Show a wavelet: taps, lifting, lattice, schemes, residuals
    Show(ShowArgs),
    /// Validate a definition file and report every problem with its line
    Check(CheckArgs),
    /// Write the source of a specialised transform
    Emit(EmitArgs),
    /// Transform a signal into coefficients
    Forward(ForwardArgs),
    /// Transform coefficients back into a signal
    Inverse(InverseArgs),
    /// Apply the adjoint (transpose) of forward, or of inverse
    Adjoint(AdjointArgs),
    /// Run many commands in one process, one line each
    Batch(BatchArgs),
    /// List the devices that can compute, or describe the one that --device names
    Devices(DevicesArgs),
    /// Transform a sample image (or yours) and say what was done
    Demo(DemoArgs),
    /// Measure transforms as multiples of a copy of the same bytes
    Bench(BenchArgs),
    /// Find the fastest kernels of a card for a wavelet and a shape, and keep what was found
    Tune(TuneArgs),
    /// Keep few coefficients of an image (or of a folder of images) and write what they make
    Compress(CompressArgs),
}

/// `devices`
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// List the strategies that untuned plans take on every architecture instead
    #[arg(long)]
    pub defaults: bool,
}

/// `show W`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Catalogue name or definition file
    #[arg(value_name = "WAVELET")]
    pub wavelet: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Draw scaling function, wavelet and filters into a .png file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// `check FILE`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The definition file (TOML)
    pub file: PathBuf,
}

/// `emit W`
#[derive(Debug, Args)]
pub struct EmitArgs {
    /// Catalogue name or definition file
    #[arg(value_name = "WAVELET")]
    pub wavelet: String,
    /// Language of the source: rust or cuda
    #[arg(long, value_name = "LANGUAGE")]
    pub target: Target,
    /// Algorithm; see `show` for those that exist
    #[arg(long, value_name = "SCHEME", value_parser = values::scheme)]
    pub scheme: Option<SchemeKind>,
    /// Number of transformed axes
    #[arg(long, value_name = "D", value_parser = values::dims, allow_hyphen_values = true, default_value = "1")]
    pub dims: usize,
    /// Number of levels (1 if absent); most CUDA text serves any
    #[arg(long, value_name = "L", value_parser = values::levels, allow_hyphen_values = true)]
    pub levels: Option<usize>,
    /// What happens at the ends of the signal; for Rust only, as CUDA text serves any mode
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub mode: Option<Mode>,
    /// Element type: f32, f64, i16, i32 or i64
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<ElementName>,
    /// Write Rust that allocates nothing: its memory is lent as a slice
    #[arg(long)]
    pub no_alloc: bool,
    /// Choices of CUDA kernels
    #[command(flatten)]
    pub cuda: CudaOptions,
    /// Where to write; standard output if absent
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `forward IN -o OUT`
#[derive(Debug, Args)]
pub struct ForwardArgs {
    /// .npy, .npz, .png, .tif or .wav
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// .npz; or .npy with --layout mallat or mixed
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// The transform
    #[command(flatten)]
    pub transform: TransformOptions,
    /// Draw the bands of an image into a .png file
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

/// `inverse IN -o OUT`
#[derive(Debug, Args)]
pub struct InverseArgs {
    /// .npz; or .npy with --layout mallat or mixed
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// .npy, .npz, .png, .tif or .wav
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// The transform
    #[command(flatten)]
    pub transform: TransformOptions,
    /// What only reading coefficients needs
    #[command(flatten)]
    pub inverse: InverseOptions,
}

/// `adjoint IN -o OUT`
#[derive(Debug, Args)]
pub struct AdjointArgs {
    /// Coefficients (.npz), or with --of inverse a signal
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// A signal, or with --of inverse coefficients (.npz)
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Whose adjoint: forward (the default; coefficients in, a signal out), or inverse (the reverse)
    #[arg(long, value_name = "OPERATION")]
    pub of: Option<Of>,
    /// The transform
    #[command(flatten)]
    pub transform: TransformOptions,
    /// What only reading coefficients needs
    #[command(flatten)]
    pub inverse: InverseOptions,
}

/// `batch JOBS`
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// A file with one command's words per line, or - for standard input
    pub jobs: PathBuf,
}

/// `demo [IMAGE]`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// A .png or .tif image; the sample photograph if absent
    pub image: Option<PathBuf>,
    /// Coefficients (.npz); the picture of the bands is written beside it
    #[arg(long, short, value_name = "OUT", default_value = "waveloom-demo.npz")]
    pub output: PathBuf,
    /// Catalogue name or definition file
    #[arg(long, value_name = "WAVELET", default_value = "bior4.4")]
    pub wavelet: String,
    /// What happens at the ends; by default jpeg2000 where the filters allow it
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub mode: Option<Mode>,
    /// Number of levels
    #[arg(long, value_name = "L", value_parser = values::levels, allow_hyphen_values = true, default_value = "3")]
    pub levels: usize,
}

/// `compress IN -o OUT`
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("kept").required(true)))]
pub struct CompressArgs {
    /// A .png or .tif image, or a folder of them
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// An image; a folder if IN is one
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Keep this share of all coefficients, the largest ones: 0.05 or 5%
    #[arg(long, value_name = "SHARE", group = "kept")]
    pub keep: Option<Share>,
    /// Keep the approximation alone
    #[arg(long, group = "kept", conflicts_with_all = ["keep", "threshold"])]
    pub approximation: bool,
    /// How the others are removed: hard, or soft or garrote, which shrink the details that stay
    #[arg(long, value_name = "RULE", default_value = "hard")]
    pub threshold: RuleName,
    /// Catalogue name or definition file
    #[arg(long, value_name = "WAVELET", default_value = "bior4.4")]
    pub wavelet: String,
    /// What happens at the ends; by default jpeg2000 where the filters allow it
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub mode: Option<Mode>,
    /// Number of levels; by default 4, with --approximation 1
    #[arg(long, value_name = "L", value_parser = values::levels, allow_hyphen_values = true)]
    pub levels: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `bench`
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What to measure: speed (what users transform) or papers (published methods)
    #[arg(long, value_name = "SUITE", default_value = "speed")]
    pub suite: Suite,
    /// Print the names of everything that would be measured, and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Measure only what has this in its name; * stands for anything. Again to narrow it further
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<Pattern>,
    /// Seconds per work after which no new round begins
    #[arg(long, value_name = "S", value_parser = values::seconds, allow_hyphen_values = true, default_value = "2")]
    pub seconds: f64,
    /// Rounds per work at most (at least three are run)
    #[arg(long, value_name = "N", default_value = "31")]
    pub repetitions: Positive,
    /// Measure this library beside, through Python: pywavelets or ndwt (processor only)
    #[arg(long, value_name = "NAME")]
    pub peer: Vec<PeerName>,
    /// The Python program that has the library
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: String,
    /// Strategy of a card's kernels in the suite speed, instead of the plan's choice
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Write one JSON object, to FILE or instead of the tables
    #[arg(long, value_name = "FILE")]
    #[expect(clippy::option_option, reason = "absent, without a file, and with one")]
    pub json: Option<Option<PathBuf>>,
    /// Write one line per method and operation into a .csv file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw GB/s over the size of the array into a .png file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

impl BenchArgs {
    /// The file of `--json`, if one is named.
    pub fn json_file(&self) -> Option<&std::path::Path> {
        self.json.as_ref().and_then(|file| file.as_deref())
    }
}

/// How the words were understood.
pub enum Parsed {
    /// A command.
    Command(Box<Cli>),
    /// Help or version text, asked for.
    Text(String),
}

/// Reads the words of a command, the program's name first. Every mistake is one line.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Parsed, Failure> {
    match Cli::try_parse_from(words) {
        Ok(cli) => Ok(Parsed::Command(Box::new(cli))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Parsed::Text(error.to_string()))
            }
            _ => Err(one_line(&error)),
        },
    }
}

fn one_line(error: &clap::Error) -> Failure {
    let option = match error.get(ContextKind::InvalidArg) {
        // "--levels <L>": the value's placeholder is of no use here.
        Some(ContextValue::String(name)) => name.split_whitespace().next().map(str::to_owned),
        _ => None,
    };
    match (error.kind(), option, error.source()) {
        (ErrorKind::ValueValidation, Some(option), Some(source)) => {
            Failure::of_option(option, source)
        }
        _ => {
            let text = error.to_string();
            let mut paragraphs = text.split("\n\n");
            let first = paragraphs.next().unwrap_or_default();
            let tip = paragraphs.map(str::trim).find(|paragraph| paragraph.starts_with("tip:"));
            let first = first.trim_start_matches("error: ");
            Failure::plain([Some(first), tip].into_iter().flatten().collect::<Vec<_>>().join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn failure_of(words: &str) -> String {
        let words = words.split_whitespace().map(OsString::from);
        match parse(words) {
            Err(failure) => failure.to_string(),
            Ok(_) => panic!("accepted"),
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn mistakes_name_the_option_and_what_was_expected() {
        for (words, parts) in [
            ("waveloom forward a.npy -o b.npz --levels -1", vec!["--levels", "-1", "expected"]),
            ("waveloom forward a.npy -o b.npz --levels two", vec!["--levels", "two", "expected"]),
            ("waveloom forward a.npy -o b.npz --mode bogus", vec!["--mode", "bogus", "symmetric"]),
            ("waveloom forward a.npy -o b.npz --scheme x", vec!["--scheme", "x", "lattice"]),
            ("waveloom forward a.npy -o b.npz --dtype f16", vec!["--dtype", "f16", "f32"]),
            ("waveloom forward a.npy -o b.npz --dims 1 --axes 0", vec!["--dims", "--axes"]),
            ("waveloom forward a.npy -o b.npz --device tpu", vec!["--device", "tpu", "cuda"]),
            ("waveloom forward a.npy -o b.npz --exchange x", vec!["--exchange", "x", "recompute"]),
            ("waveloom forward a.npy", vec!["--output"]),
            ("waveloom forwrd a.npy", vec!["forwrd", "forward"]),
            ("waveloom forward a.npy -o b.npz --wavelett haar", vec!["--wavelett", "--wavelet"]),
        ] {
            let failure = failure_of(words);
            for part in parts {
                assert!(failure.contains(part), "{words}: {failure}");
            }
            assert_eq!(failure.lines().count(), 1, "{failure}");
        }
    }

    #[test]
    fn global_options_stand_anywhere_and_negative_numbers_are_values() {
        for words in [
            "waveloom --device cuda:1 forward a.npy -o b.npz --axes -1,0 --origin -3,1",
            "waveloom forward --device cuda:1 a.npy -o b.npz --axes -1,0 --origin -3,1",
        ] {
            let Ok(Parsed::Command(cli)) = parse(words.split_whitespace().map(OsString::from))
            else {
                panic!("{words}");
            };
            assert_eq!(cli.global.device, Some(Selection::Cuda(1)));
            let Command::Forward(forward) = cli.command else { panic!("{words}") };
            assert_eq!(forward.transform.axes.map(|list| list.0), Some(vec![-1, 0]));
            assert_eq!(forward.transform.origin.map(|list| list.0), Some(vec![-3, 1]));
        }
    }
}
