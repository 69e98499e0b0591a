//! `waveloom compress`: images from few of their wavelet coefficients.

mod image;
mod report;

use crate::args::{CompressArgs, ElementName, TransformOptions, WaveletArgument};
use crate::console::{Console, counting_bar};
use crate::error::{End, Failure, Outcome};
use crate::files::{Format, atomic};
use crate::session::Session;
use report::Report;
use serde_json::json;
use std::path::{Path, PathBuf};
use waveloom::codegen::Element;
use waveloom::threshold::Rule;
use waveloom::wavelets::Mode;

/// Levels of `--keep` unless asked for; `--approximation` has one.
const LEVELS: usize = 4;

/// Which coefficients stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// The largest share of all, the rest being removed by a rule.
    Largest(f64, Rule),
    /// The coarsest approximation.
    Approximation,
}

/// Compresses an image, or every image of a folder into another folder.
pub fn run(
    args: &CompressArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    session.open_device()?;
    let choice = match args.keep {
        Some(share) => Choice::Largest(share.0, args.threshold.0),
        None => Choice::Approximation,
    };
    let options = options(args, choice, session)?;
    if args.input.is_dir() {
        return folder(args, &options, choice, session, console);
    }
    atomic::check_other(&args.output, &args.input, "--output")?;
    let report = console.during("compressing", || {
        image::compress(&args.input, &args.output, &options, choice, session)
    })?;
    report.notes.iter().for_each(|note| console.note(note));
    match args.json {
        true => Ok(console.line(report.json().to_string())?),
        false => Ok(console.remark(report.text())?),
    }
}

/// The transform's options: mirrored ends where the filters allow it, and single precision.
fn options(
    args: &CompressArgs,
    choice: Choice,
    session: &mut Session,
) -> Outcome<TransformOptions> {
    let wavelet = session.wavelet(&args.wavelet, None)?.wavelet;
    let mirrored = wavelet.frame().symmetry.is_some().then_some(Mode::Jpeg2000);
    let levels = args.levels.unwrap_or(match choice {
        Choice::Largest(..) => LEVELS,
        Choice::Approximation => 1,
    });
    Ok(TransformOptions {
        wavelet: WaveletArgument { wavelet: Some(args.wavelet.clone()) },
        mode: args.mode.or(mirrored),
        levels: Some(levels),
        dtype: (!wavelet.is_rounded()).then_some(ElementName(Element::F32)),
        ..TransformOptions::default()
    })
}

fn folder(
    args: &CompressArgs,
    options: &TransformOptions,
    choice: Choice,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    let images = images_of(&args.input)?;
    make_folder(&args.output)?;
    let same = args.input.canonicalize().ok().zip(args.output.canonicalize().ok());
    if same.is_some_and(|(input, output)| input == output) {
        let message = "is the folder that is read; expected another, so that no image is lost";
        return Err(Failure::of_field(&args.output, "output", message).into());
    }
    let mut bar = counting_bar(console, images.len() as u64);
    let (mut reports, mut failures) = (Vec::new(), Vec::new());
    for input in &images {
        let output = args.output.join(input.file_name().unwrap_or_default());
        match image::compress(input, &output, options, choice, session) {
            Ok(report) => {
                // Of images of one size they are the same.
                let known = reports.last().map(|last: &Report| &last.notes);
                if known != Some(&report.notes) {
                    bar.suspend(|| report.notes.iter().for_each(|note| console.note(note)));
                }
                if !args.json {
                    bar.suspend(|| console.remark(report.text()))?;
                }
                reports.push(report);
            }
            Err(failure) => failures.push(failure.in_file(input)),
        }
        bar.advance();
    }
    drop(bar);
    if args.json {
        let images: Vec<_> = reports.iter().map(Report::json).collect();
        let failed: Vec<String> = failures.iter().map(Failure::to_string).collect();
        console.line(json!({ "images": images, "failed": failed }).to_string())?;
    } else if reports.len() > 1 {
        console.remark(report::summary(&reports))?;
    }
    if failures.is_empty() {
        return Ok(());
    }
    let mut message = format!("{} of {} images failed:", failures.len(), images.len());
    for failure in &failures {
        message += &format!("\n  {failure}");
    }
    Err(Failure::plain(message).into())
}

/// The images of a folder, by name.
fn images_of(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Failure::of_file(folder, error);
    let mut images = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && Format::of(&path).is_ok_and(Format::is_image) {
            images.push(path);
        }
    }
    images.sort();
    match images.is_empty() {
        true => Err(Failure::of_file(folder, "holds no images; expected .png or .tif files")),
        false => Ok(images),
    }
}

fn make_folder(folder: &Path) -> Outcome<()> {
    if folder.is_dir() {
        return Ok(());
    }
    // A folder with the name of a file was hardly meant.
    if folder.exists() || Format::of(folder).is_ok() {
        let message = "is a file's name; a folder of images goes into a folder";
        return Err(Failure::of_field(folder, "output", message));
    }
    atomic::check_target(folder)?;
    std::fs::create_dir(folder).map_err(|error| Failure::of_field(folder, "output", error))
}
