//! From a signal file to a coefficient file: `forward`, and `adjoint --of inverse`.

use crate::args::{Layout, TransformOptions};
use crate::coefficients::Record;
use crate::coefficients::file::{self, write_bands, write_packed};
use crate::console::Console;
use crate::describe;
use crate::error::{End, Failure, Outcome};
use crate::files::{Format, Signal, atomic, picture};
use crate::mosaic;
use crate::notes;
use crate::samples::{Number, Samples};
use crate::session::Session;
use crate::settings::Settings;
use crate::transform::{Transform, zeros};
use crate::with_element;
use ndarray::ArrayD;
use std::path::Path;
use std::time::Instant;
use waveloom::codegen::kernel::Operation;
use waveloom::packing::Packing;

/// What to do.
pub struct Analysis<'a> {
    /// The signal.
    pub input: &'a Path,
    /// Where the coefficients go.
    pub output: &'a Path,
    /// Where a picture of the bands goes.
    pub picture: Option<&'a Path>,
    /// The transform.
    pub options: &'a TransformOptions,
    /// Forward, or the adjoint of inverse.
    pub operation: Operation,
}

impl Analysis<'_> {
    /// Reads, transforms, writes, and says so in a line.
    pub fn run(&self, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
        if session.open_device()?.is_cpu() {
            self.options.cuda.refuse("this computes on the processor")?;
        }
        let layout = self.options.layout.unwrap_or(Layout::Bands);
        file::check_output(self.output, layout)?;
        if let Some(path) = self.picture {
            check_picture(path, "--picture")?;
            atomic::check_other(path, self.input, "--picture")?;
        }
        let signal = console.during("reading", || Signal::read(self.input))?;
        let dimensions = signal.samples.shape().len();
        let default_dims = signal.source.default_dims(dimensions);
        let kind = signal.samples.kind();
        let mut settings =
            Settings::of_signal(session, self.options, dimensions, default_dims, kind)
                .map_err(|failure| failure.in_file(self.input))?;
        settings.operations = vec![self.operation];
        let line = with_element!(settings.element, T => {
            self.run_as::<T>(session, console, signal, &settings, layout)
        });
        let line = line.map_err(|failure| failure.in_file(self.input))?;
        Ok(console.remark(line)?)
    }

    fn run_as<T: Number>(
        &self,
        session: &mut Session,
        console: &Console<'_>,
        signal: Signal,
        settings: &Settings,
        layout: Layout,
    ) -> Outcome<String> {
        let (shape, kind) = (signal.samples.shape().to_vec(), signal.samples.kind());
        let transform = Transform::<T>::new(session, settings, &shape)?;
        let packing = packing(&transform, layout)?;
        let undefined = signal.samples.not_finite();
        let values = signal.samples.into_values::<T>()?;
        let forward = self.operation == Operation::Forward;
        let conditioned = if forward { notes::condition(settings) } else { None };
        let strange = notes::inputs(&values, undefined);
        let finite = strange.is_empty();
        let notes = [notes::levels(settings, &shape), conditioned].into_iter().flatten();
        for note in notes.chain(strange) {
            console.note(note);
        }
        let begin = Instant::now();
        let done = console.during("transforming", || transform.run(self.operation, &values));
        let (coefficients, elapsed) = (done?, begin.elapsed());
        drop(values);
        if let Some(note) = notes::coefficients(&transform, &coefficients).filter(|_| finite) {
            console.note(note);
        }
        let record = Record {
            layout: Some(layout),
            sample: Some(kind),
            source: Some(signal.source),
            ..settings.record(&shape)
        };
        // Drawn first: a picture that cannot be drawn should not leave a coefficient file behind.
        let drawn = self
            .picture
            .map(|path| {
                let pixels = mosaic::draw(transform.bands(), &settings.axes, &coefficients)?;
                Ok::<_, Failure>((path, pixels))
            })
            .transpose()?;
        console.during("writing", || {
            write(self.output, &record, &transform, packing, layout, &coefficients)?;
            drawn.map_or(Ok(()), |(path, pixels)| picture::write(path, Format::Png, &pixels))
        })?;
        let what = describe::transform(settings, transform.scheme(), kind, &shape);
        let undefined = coefficients.iter().filter(|value| value.to_f64().is_nan()).count();
        let black = match self.picture {
            Some(_) if undefined > 0 => {
                format!("; {undefined} coefficients are no numbers (NaN) and drawn in black")
            }
            _ => String::new(),
        };
        Ok(format!(
            "{}: {what}: {} -> {}{black}",
            self.input.display(),
            describe::duration(elapsed),
            self.output.display()
        ))
    }
}

/// A picture's file must be a .png.
pub fn check_picture(path: &Path, option: &str) -> Outcome<()> {
    atomic::check_target(path)?;
    match Format::expecting(path, &[Format::Png])? {
        Format::Png => Ok(()),
        other => {
            let message = format!("pictures are written as .png, not {other}");
            Err(Failure::of_field(path, option, message))
        }
    }
}

/// Where the bands go in the one array of a layout; `None` for separate bands.
pub fn packing<T: Number>(transform: &Transform<T>, layout: Layout) -> Outcome<Option<Packing>> {
    let packing = layout.packed().map(|layout| transform.packing(layout)).transpose();
    packing.map_err(|error| Failure::of_option("--layout", error))
}

/// Writes coefficients and their record.
pub fn write<T: Number>(
    path: &Path,
    record: &Record,
    transform: &Transform<T>,
    packing: Option<Packing>,
    layout: Layout,
    coefficients: &[T],
) -> Outcome<()> {
    match packing {
        Some(packing) => {
            let mut packed = zeros(packing.len())?;
            packing.pack(coefficients, &mut packed).map_err(Failure::plain)?;
            let array = ArrayD::from_shape_vec(packing.shape(), packed).map_err(Failure::plain)?;
            write_packed(path, record, layout, &T::samples(array))
        }
        None => {
            let bands = transform
                .pieces()
                .iter()
                .map(|piece| Ok((piece.key.to_string(), T::samples(piece.array(coefficients)?))));
            write_bands(path, record, &bands.collect::<Outcome<Vec<(String, Samples)>>>()?)
        }
    }
}
