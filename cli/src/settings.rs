//! Which transform: what the command line says, completed by what a file remembers.

use crate::args::{Norm, TransformOptions};
use crate::coefficients::{CoefficientFile, Record};
use crate::error::{Failure, Outcome};
use crate::samples::SampleType;
use crate::session::{Chosen, Session};
use crate::strategy::strategy;
use std::fmt::Display;
use std::path::Path;
use waveloom::codegen::Element;
use waveloom::codegen::gpu::Strategy;
use waveloom::codegen::kernel::Operation;
use waveloom::wavelets::{Mode, SchemeKind};

/// A complete description, but for the shape of the array.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The wavelet.
    pub chosen: Chosen,
    /// Treatment of the ends.
    pub mode: Mode,
    /// Number of levels.
    pub levels: usize,
    /// Transformed axes, in the order of the bands' letters.
    pub axes: Vec<usize>,
    /// Coordinate of sample 0 on each transformed axis; empty for all 0.
    pub origin: Vec<i64>,
    /// Algorithm asked for.
    pub scheme: Option<SchemeKind>,
    /// Element type of the computation.
    pub element: Element,
    /// How a card's kernels are mapped to blocks.
    pub strategy: Option<Strategy>,
    /// What a card's kernels are compiled for.
    pub operations: Vec<Operation>,
}

impl Settings {
    /// For a signal of `dimensions` axes and `kind` of samples, the last `default_dims` of which
    /// are transformed if the options do not say otherwise.
    pub fn of_signal(
        session: &mut Session,
        options: &TransformOptions,
        dimensions: usize,
        default_dims: usize,
        kind: SampleType,
    ) -> Outcome<Self> {
        let word = options.wavelet.wavelet.as_deref();
        let word = word.ok_or_else(|| Failure::of_option("--wavelet", MISSING_WAVELET))?;
        let chosen = session.wavelet(word, options.norm)?;
        let axes = transformed_axes(options, dimensions)?;
        let axes = axes.map_or_else(|| last_axes(default_dims, dimensions), Ok)?;
        Ok(Self {
            mode: options.mode.unwrap_or_else(|| chosen.wavelet.default_mode()),
            levels: options.levels.unwrap_or(1),
            origin: options.origin.clone().map(|list| list.0).unwrap_or_default(),
            scheme: options.scheme,
            strategy: strategy(&options.cuda, dimensions, &axes)?,
            operations: vec![Operation::Forward, Operation::Inverse],
            element: element_for(chosen.wavelet.is_rounded(), &chosen.name, kind, options)?,
            axes,
            chosen,
        })
    }

    /// For coefficients: the file's record completes the options, and may not contradict them.
    pub fn of_coefficients(
        session: &mut Session,
        options: &TransformOptions,
        file: &CoefficientFile,
    ) -> Outcome<Self> {
        let (path, record) = (file.path.as_path(), &file.record);
        let norm = agree(path, "--norm", options.norm, record.norm, Norm::name)?;
        let chosen = recorded_wavelet(session, options.wavelet.wavelet.as_deref(), norm, file)?;
        let mode = agree(path, "--mode", options.mode, record.mode, Mode::name)?;
        let levels = agree(path, "--levels", options.levels, record.levels, |levels| levels)?;
        let highest = file.highest_level();
        let levels = levels.unwrap_or(highest);
        if levels < highest && file.key_axes().is_some() && mentions(file, highest) {
            let message = format!(
                "{levels} levels were asked for, but the file has bands of level {highest}"
            );
            return Err(Failure::of_field(path, "--levels", message));
        }
        let axes = coefficient_axes(options, file)?;
        let origin = options.origin.clone().map(|list| list.0);
        let stored = record.origin.clone();
        let origin = agree(path, "--origin", origin, stored, |list| format!("{list:?}"))?;
        let strategy = strategy(&options.cuda, file.dimensions(), &axes)?;
        Ok(Self {
            mode: mode.unwrap_or_else(|| chosen.wavelet.default_mode()),
            levels,
            axes,
            origin: origin.unwrap_or_default(),
            scheme: options.scheme,
            strategy,
            operations: vec![Operation::Forward, Operation::Inverse],
            element: element_for(chosen.wavelet.is_rounded(), &chosen.name, file.kind(), options)
                .map_err(|failure| failure.in_file(path))?,
            chosen,
        })
    }

    /// What a coefficient file should remember of these settings.
    pub fn record(&self, shape: &[usize]) -> Record {
        let origin =
            if self.origin.is_empty() { vec![0; self.axes.len()] } else { self.origin.clone() };
        Record {
            shape: Some(shape.to_vec()),
            axes: Some(self.axes.clone()),
            levels: Some(self.levels),
            wavelet: Some(self.chosen.name.clone()),
            definition: self.chosen.definition.clone(),
            mode: Some(self.mode),
            origin: Some(origin),
            norm: self.chosen.norm,
            ..Record::default()
        }
    }
}

const MISSING_WAVELET: &str =
    "is missing; expected a name ('waveloom list' shows them) or a definition file";

/// The given value or else the stored one; an error if they differ.
fn agree<T: PartialEq + Clone, D: Display>(
    path: &Path,
    option: &str,
    given: Option<T>,
    stored: Option<T>,
    show: impl Fn(T) -> D,
) -> Outcome<Option<T>> {
    match (given, stored) {
        (Some(given), Some(stored)) if given != stored => {
            let message = format!("{} was given, but the file says {}", show(given), show(stored));
            Err(Failure::of_field(path, option, message))
        }
        (given, stored) => Ok(given.or(stored)),
    }
}

/// Whether a band of this level is in the file.
fn mentions(file: &CoefficientFile, level: usize) -> bool {
    match &file.stored {
        crate::coefficients::file::Stored::Bands(bands) => {
            bands.keys().any(|key| key.level == Some(level))
        }
        crate::coefficients::file::Stored::Packed(..) => false,
    }
}

/// The wavelet of a coefficient file: the option must mean the same as the record.
fn recorded_wavelet(
    session: &mut Session,
    given: Option<&str>,
    norm: Option<Norm>,
    file: &CoefficientFile,
) -> Outcome<Chosen> {
    let (path, record) = (file.path.as_path(), &file.record);
    let stored = match (&record.definition, &record.wavelet) {
        (Some(text), name) => {
            let name = name.as_deref().unwrap_or("custom");
            Some(Session::defined(text.clone(), name, path, norm)?)
        }
        // A stored name that the catalogue lacks is no use by itself, but an option may supply it.
        (None, Some(name)) if given.is_none() => {
            Some(session.catalogued(name, norm).map_err(|failure| failure.in_file(path))?)
        }
        (None, Some(name)) => session.catalogued(name, norm).ok(),
        (None, None) => None,
    };
    let given = given.map(|word| session.wavelet(word, norm)).transpose()?;
    match (given, stored) {
        (Some(given), Some(stored)) => {
            let same = given.wavelet.bank() == stored.wavelet.bank()
                && given.wavelet.lifting() == stored.wavelet.lifting();
            if same {
                return Ok(stored);
            }
            let message = match given.name == stored.name {
                true => format!(
                    "'{}' is not as it was: the filters or steps differ from those in the file; \
                     leave the option out to use the file's own",
                    given.name
                ),
                false => format!("{} was given, but the file says {}", given.name, stored.name),
            };
            Err(Failure::of_field(path, "--wavelet", message))
        }
        (Some(chosen), None) | (None, Some(chosen)) => Ok(chosen),
        (None, None) => Err(Failure::of_field(path, "--wavelet", MISSING_WAVELET)),
    }
}

/// Axes by `--axes` or `--dims`.
fn transformed_axes(options: &TransformOptions, dimensions: usize) -> Outcome<Option<Vec<usize>>> {
    if let Some(list) = &options.axes {
        let axes = list
            .0
            .iter()
            .map(|axis| resolve_axis(*axis, dimensions))
            .collect::<Outcome<Vec<_>>>()?;
        for (position, axis) in axes.iter().enumerate() {
            if axes[..position].contains(axis) {
                return Err(Failure::of_option(
                    "--axes",
                    format!("axis {axis} occurs twice in {list}"),
                ));
            }
        }
        return Ok(Some(axes));
    }
    options.dims.map(|dims| last_axes(dims, dimensions)).transpose()
}

fn resolve_axis(axis: i64, dimensions: usize) -> Outcome<usize> {
    let count = dimensions as i64;
    let resolved = if axis < 0 { axis.checked_add(count) } else { Some(axis) };
    match resolved {
        Some(resolved) if (0..count).contains(&resolved) => Ok(resolved as usize),
        _ if count == 0 => {
            let message =
                format!("axis {axis} does not exist: the array has none, it is a single number");
            Err(Failure::of_option("--axes", message))
        }
        _ => {
            let message = format!(
                "axis {axis} does not exist; expected 0 to {} (or negative, from the end)",
                count - 1
            );
            Err(Failure::of_option("--axes", message))
        }
    }
}

fn last_axes(dims: usize, dimensions: usize) -> Outcome<Vec<usize>> {
    if dimensions == 0 {
        let message = "the array has no axes (a single number); expected at least one axis";
        return Err(Failure::of_option("shape", message));
    }
    if dims > dimensions {
        let message = format!("{dims} axes were asked for, but the array has {dimensions}");
        return Err(Failure::of_option("--dims", message));
    }
    if dims > 3 {
        let message = format!(
            "the array has {dims} axes; expected --dims 1, 2 or 3 (or --axes) to say which are transformed"
        );
        return Err(Failure::of_option("--dims", message));
    }
    Ok((dimensions - dims..dimensions).collect())
}

/// Axes of a coefficient file: options, record and band names must agree.
fn coefficient_axes(options: &TransformOptions, file: &CoefficientFile) -> Outcome<Vec<usize>> {
    let path = file.path.as_path();
    let dimensions = file.dimensions();
    let in_file = |failure: Failure| failure.in_file(path);
    let stored = file.record.axes.clone();
    if let Some(axes) = &stored {
        let doubled = axes.iter().enumerate().any(|(i, axis)| axes[..i].contains(axis));
        if axes.is_empty() || doubled || axes.iter().any(|axis| *axis >= dimensions) {
            let message = if axes.is_empty() {
                "expected at least one transformed axis, got none".to_owned()
            } else if doubled {
                format!("expected every axis once, got a repeated one: {axes:?}")
            } else {
                format!(
                    "expected axes from 0 to {}, as the arrays have {dimensions}, got {axes:?}",
                    dimensions.saturating_sub(1)
                )
            };
            return Err(Failure::of_field(path, "axes", message));
        }
    }
    let given = transformed_axes(options, dimensions).map_err(in_file)?;
    let option = if options.axes.is_some() { "--axes" } else { "--dims" };
    let axes = agree(path, option, given, stored, |axes| format!("{axes:?}"))?;
    let default_dims = file.key_axes().unwrap_or(dimensions);
    let axes = axes.map_or_else(|| last_axes(default_dims, dimensions).map_err(in_file), Ok)?;
    if let Some(letters) = file.key_axes()
        && letters != axes.len()
    {
        let message = format!(
            "{} axes were asked for, but the bands' names have {letters} letters",
            axes.len()
        );
        return Err(Failure::of_field(path, option, message));
    }
    Ok(axes)
}

/// What is wrong with an element type that a wavelet cannot take.
pub fn misfit(rounded: bool, name: &str, element: Element) -> Option<String> {
    let (what, expected) = match (rounded, element.is_integer()) {
        (true, false) => ("an integer transform", "i16, i32 or i64"),
        (false, true) => ("no integer transform", "f32 or f64"),
        _ => return None,
    };
    Some(format!("{name} is {what}; expected {expected}, got {}", element.name()))
}

/// The element type of a computation. Float wavelets take any samples (float32 stays, everything
/// else becomes f64); rounded wavelets take integers, in i32 up to 32 bits and i64 beyond.
fn element_for(
    rounded: bool,
    name: &str,
    kind: SampleType,
    options: &TransformOptions,
) -> Outcome<Element> {
    let asked = options.dtype.map(|name| name.0);
    match (rounded, asked) {
        (true, _) if kind.is_float() => {
            let message =
                format!("{name} is an integer transform; expected integer samples, got {kind}");
            Err(Failure::of_option("dtype", message))
        }
        (_, Some(element)) => match misfit(rounded, name, element) {
            Some(message) => Err(Failure::of_option("--dtype", message)),
            None => Ok(element),
        },
        (true, None) if kind.bytes() > 4 => Ok(Element::I64),
        (true, None) => Ok(Element::I32),
        (false, None) if kind == SampleType::F32 => Ok(Element::F32),
        (false, None) => Ok(Element::F64),
    }
}
