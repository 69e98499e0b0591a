//! `waveloom demo`

use super::analysis::{check_picture, write};
use crate::args::{DemoArgs, ElementName, Layout, TransformOptions, WaveletArgument};
use crate::coefficients::{Record, file};
use crate::console::Console;
use crate::describe;
use crate::error::{End, Failure, Outcome};
use crate::files::{Format, Signal, Source, atomic, picture};
use crate::mosaic;
use crate::notes;
use crate::samples::Number;
use crate::session::Session;
use crate::settings::Settings;
use crate::transform::Transform;
use crate::with_element;
use std::path::Path;
use std::time::{Duration, Instant};
use waveloom::codegen::Element;
use waveloom::codegen::kernel::Operation;
use waveloom::wavelets::Mode;

/// The sample photograph: 512 × 512, 8-bit gray.
const SAMPLE: &[u8] = include_bytes!("../../../samples/camera.png");
/// Transforms are repeated for this long, and the fastest run is told.
const PATIENCE: Duration = Duration::from_millis(300);

/// Transforms an image, writes coefficients and a picture of them, and says what was done.
pub fn run(args: &DemoArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    session.open_device()?;
    let bands = args.output.with_extension("png");
    file::check_output(&args.output, Layout::Bands)?;
    check_picture(&bands, "--output")?;
    if let Some(image) = &args.image {
        atomic::check_other(&args.output, image, "--output")?;
        atomic::check_other(&bands, image, "--output (its picture)")?;
    }
    let (name, signal) = match &args.image {
        Some(path) => (path.display().to_string(), image(path)?),
        None => ("samples/camera.png (built in)".to_owned(), sample()?),
    };
    let wavelet = session.wavelet(&args.wavelet, None)?.wavelet;
    // Mirrored at its ends, an image needs no more coefficients than it has pixels.
    let mirrored = wavelet.frame().symmetry.is_some().then_some(Mode::Jpeg2000);
    let options = TransformOptions {
        wavelet: WaveletArgument { wavelet: Some(args.wavelet.clone()) },
        mode: args.mode.or(mirrored),
        levels: Some(args.levels),
        // Single precision is what imaging uses; integer wavelets choose by the samples.
        dtype: (!wavelet.is_rounded()).then_some(ElementName(Element::F32)),
        ..TransformOptions::default()
    };
    let (shape, kind) = (signal.samples.shape(), signal.samples.kind());
    let settings = Settings::of_signal(session, &options, shape.len(), 2, kind)?;
    for note in notes::round_trip(&settings, shape) {
        console.note(note);
    }
    console.remark(format!("image        {name}: {} {kind}", describe::size(shape)))?;
    let lines = with_element!(settings.element, T => {
        show::<T>(args, &bands, session, console, &signal, &settings)
    });
    for line in lines.map_err(|failure| match &args.image {
        Some(path) => failure.in_file(path),
        None => failure,
    })? {
        console.remark(line)?;
    }
    Ok(())
}

fn sample() -> Outcome<Signal> {
    let (samples, found) = picture::decode(SAMPLE, Format::Png).map_err(Failure::plain)?;
    Ok(Signal { samples, source: Source::Picture(found) })
}

fn image(path: &Path) -> Outcome<Signal> {
    let format = Format::expecting(path, &Format::IMAGES)?;
    if !format.is_image() {
        let message = format!(
            "{format} is no image; expected .png or .tif (forward transforms everything else)"
        );
        return Err(Failure::of_field(path, "name", message));
    }
    Signal::read(path)
}

fn show<T: Number>(
    args: &DemoArgs,
    bands: &Path,
    session: &mut Session,
    console: &Console<'_>,
    signal: &Signal,
    settings: &Settings,
) -> Outcome<Vec<String>> {
    let shape = signal.samples.shape();
    let transform = Transform::<T>::new(session, settings, shape)?;
    let values = signal.samples.values::<T>()?;
    let (coefficients, forward) = console
        .during("transforming", || fastest(|| transform.run(Operation::Forward, &values)))?;
    let (back, inverse) = console
        .during("inverting", || fastest(|| transform.run(Operation::Inverse, &coefficients)))?;

    let record = Record {
        layout: Some(Layout::Bands),
        sample: Some(signal.samples.kind()),
        source: Some(signal.source),
        ..settings.record(shape)
    };
    let pixels = mosaic::draw(transform.bands(), &settings.axes, &coefficients)?;
    write(&args.output, &record, &transform, None, Layout::Bands, &coefficients)?;
    picture::write(bands, Format::Png, &pixels)?;

    let bytes = size_of_val(values.as_slice());
    let timing = |elapsed: Duration| {
        let pixels = values.len() as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
        let (time, rate) = (describe::duration(elapsed), describe::rate(2 * bytes, elapsed));
        format!("{time}, {} Mpixel/s ({rate} read and written)", describe::three_digits(pixels))
    };
    let error = values
        .iter()
        .zip(&back)
        .fold(0.0_f64, |worst, (a, b)| worst.max((a.to_f64() - b.to_f64()).abs()));
    let verdict = if error == 0.0 {
        "every pixel is restored exactly".to_owned()
    } else {
        format!(
            "largest error {error:.1e} of a gray level; rounded, every pixel is {}",
            if error < 0.5 { "restored exactly" } else { "close" }
        )
    };
    let element = settings.element.name();
    let plural = if settings.levels == 1 { "" } else { "s" };
    Ok(vec![
        format!(
            "transform    {} ({} mode), {} level{plural}, {element} on {}",
            settings.chosen.name,
            settings.mode,
            settings.levels,
            transform.place()
        ),
        format!("scheme       {}", transform.scheme()),
        format!("forward      {}", timing(forward)),
        format!("inverse      {}", timing(inverse)),
        format!("round trip   {verdict}"),
        format!(
            "written      {} ({} in {})",
            args.output.display(),
            describe::counted(coefficients.len(), "coefficient"),
            describe::counted(transform.pieces().len(), "band")
        ),
        format!(
            "             {} (approximation in the corner, details around it)",
            bands.display()
        ),
    ])
}

/// The result of some work and the time of its fastest run.
fn fastest<R>(mut work: impl FnMut() -> Outcome<R>) -> Outcome<(R, Duration)> {
    let started = Instant::now();
    let mut best = Duration::MAX;
    loop {
        let begin = Instant::now();
        let result = work()?;
        best = best.min(begin.elapsed());
        if started.elapsed() > PATIENCE {
            return Ok((result, best));
        }
    }
}
