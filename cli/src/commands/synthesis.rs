//! From a coefficient file to a signal file: `inverse`, and `adjoint` of forward.

use super::analysis::packing;
use crate::args::{InverseOptions, TransformOptions};
use crate::coefficients::CoefficientFile;
use crate::coefficients::file::Stored;
use crate::console::Console;
use crate::describe;
use crate::error::{End, Failure, Outcome};
use crate::files::{Source, signal};
use crate::notes;
use crate::samples::Number;
use crate::session::Session;
use crate::settings::Settings;
use crate::transform::Transform;
use crate::with_element;
use ndarray::{ArrayD, IxDyn};
use std::path::Path;
use std::time::Instant;
use waveloom::codegen::kernel::Operation;

/// What to do.
pub struct Synthesis<'a> {
    /// The coefficients.
    pub input: &'a Path,
    /// Where the signal goes.
    pub output: &'a Path,
    /// The transform.
    pub options: &'a TransformOptions,
    /// What the file does not say.
    pub inverse: &'a InverseOptions,
    /// Inverse, or the adjoint of forward.
    pub operation: Operation,
    /// What to say where the input holds no coefficients.
    pub hint: Option<&'static str>,
}

impl Synthesis<'_> {
    /// Reads, transforms, writes, and says so in a line.
    pub fn run(&self, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
        if session.open_device()?.is_cpu() {
            self.options.cuda.refuse("this computes on the processor")?;
        }
        crate::files::atomic::check_target(self.output)?;
        let file =
            console.during("reading", || CoefficientFile::read(self.input, self.options.layout));
        let file = file.map_err(|failure| match self.hint {
            Some(hint) if self.input.exists() => failure.with_hint(hint),
            _ => failure,
        })?;
        let source = file.record.source.unwrap_or(Source::Array);
        signal::check(self.output, source, file.record.sample)?;
        let mut settings = Settings::of_coefficients(session, self.options, &file)?;
        settings.operations = vec![self.operation];
        let line = with_element!(settings.element, T => {
            self.run_as::<T>(session, console, &file, &settings, source)
        });
        let line = line.map_err(|failure| failure.in_file(self.input))?;
        Ok(console.remark(line)?)
    }

    fn run_as<T: Number>(
        &self,
        session: &mut Session,
        console: &Console<'_>,
        file: &CoefficientFile,
        settings: &Settings,
        source: Source,
    ) -> Outcome<String> {
        let transform = self.transform::<T>(session, file, settings)?;
        let coefficients = gather(&transform, file)?;
        let strange = notes::samples("coefficient", &coefficients);
        let finite = strange.is_none();
        if let Some(note) = strange {
            console.note(note);
        }
        let begin = Instant::now();
        let done = console.during("transforming", || transform.run(self.operation, &coefficients));
        let (values, elapsed) = (done?, begin.elapsed());
        drop(coefficients);
        if let Some(note) = notes::samples("value", &values).filter(|_| finite) {
            console.note(format!(
                "{note} because they exceed the range of {}",
                settings.element.name()
            ));
        }
        let array =
            ArrayD::from_shape_vec(IxDyn(transform.shape()), values).map_err(Failure::plain)?;
        let samples = T::samples(array);
        console.during("writing", || {
            signal::write(self.output, &samples, source, file.record.sample)
        })?;
        let what =
            describe::transform(settings, transform.scheme(), samples.kind(), samples.shape());
        Ok(format!(
            "{}: {what}: {} -> {}",
            self.input.display(),
            describe::duration(elapsed),
            self.output.display()
        ))
    }

    /// A plan for the shape that the file or `--shape` tells, or else for the bands' own shapes.
    fn transform<T: Number>(
        &self,
        session: &mut Session,
        file: &CoefficientFile,
        settings: &Settings,
    ) -> Outcome<Transform<T>> {
        let given = self.inverse.shape.as_ref().map(|list| list.0.clone());
        let shape = match (given, file.record.shape.clone()) {
            (Some(given), Some(stored)) if given != stored => {
                let message = format!("{given:?} was given, but the file says {stored:?}");
                return Err(Failure::of_option("--shape", message));
            }
            (given, stored) => given.or(stored),
        };
        match (shape, &file.stored) {
            (Some(shape), _) => {
                let dimensions = file.dimensions();
                if shape.len() != dimensions {
                    let message = format!(
                        "{shape:?} has {} axes, but the coefficients have {dimensions}",
                        shape.len()
                    );
                    return Err(Failure::of_option("shape", message));
                }
                Transform::new(session, settings, &shape)
            }
            (None, Stored::Bands(bands)) => Transform::of_bands(session, settings, bands),
            (None, Stored::Packed(_, array)) => {
                let transform = Transform::new(session, settings, array.shape())?;
                if transform.coefficient_len() == array.len() {
                    return Ok(transform);
                }
                let message = format!(
                    "the file does not store the shape of the original array, and mode {} has no single one for {:?}; expected --shape",
                    settings.mode,
                    array.shape()
                );
                Err(Failure::of_option("--shape", message))
            }
        }
    }
}

/// The coefficients in the plan's order; absent bands are zero.
fn gather<T: Number>(transform: &Transform<T>, file: &CoefficientFile) -> Outcome<Vec<T>> {
    let (layout, array) = match &file.stored {
        Stored::Bands(bands) => return transform.gather(bands),
        Stored::Packed(layout, array) => (*layout, array),
    };
    let mut coefficients = transform.zeros()?;
    if let Some(packing) = packing(transform, layout)? {
        if array.shape() != packing.shape() {
            let message = format!(
                "expected shape {:?} for these bands, got {:?}",
                packing.shape(),
                array.shape()
            );
            return Err(Failure::of_option(layout.name(), message));
        }
        let unpacked = packing.unpack(&array.values::<T>()?, &mut coefficients);
        unpacked.map_err(|error| Failure::of_option(layout.name(), error))?;
    }
    Ok(coefficients)
}
