//! Stored inputs and outputs, run on a backend.

use super::{Backend, Case, Check, Layout, Prepared, Report, Samples};
use crate::fixtures::{Archive, Array, Direction, Entry, FixtureError, Fixtures, Row};
use std::collections::BTreeMap;
use std::sync::Arc;
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_wavelets::catalogue::{self, UnknownWavelet};
use waveloom_wavelets::extension::UnknownMode;
use waveloom_wavelets::{Mode, Wavelet};

/// Why the fixtures cannot be run at all.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// A file is missing or damaged.
    #[error(transparent)]
    Fixture(#[from] FixtureError),
    /// A name that the catalogue lacks.
    #[error(transparent)]
    Wavelet(#[from] UnknownWavelet),
    /// A mode that does not exist.
    #[error(transparent)]
    Mode(#[from] UnknownMode),
    /// An element type that does not exist.
    #[error("{case}: unknown element type '{name}'")]
    Element {
        /// The fixture.
        case: String,
        /// What it names.
        name: String,
    },
    /// An index out of range.
    #[error("{case}: no {what} number {index}")]
    Index {
        /// The fixture.
        case: String,
        /// What is counted.
        what: &'static str,
        /// The index.
        index: usize,
    },
}

/// Runs every fixture in the bands layout on `backend`.
pub fn run_fixtures(backend: &dyn Backend, fixtures: &Fixtures) -> Result<Report, GoldenError> {
    let mut report = Report::new(format!("{} on stored data", backend.name()));
    let mut wavelets = Wavelets::default();
    for row in fixtures.rows()? {
        run_row(backend, fixtures, &row, &mut wavelets, &mut report)?;
    }
    let mut archive: Option<(String, Archive)> = None;
    for entry in &fixtures.entries {
        if entry.layout != "bands" {
            report.skip(format!("layout {} is not a matter of a transform", entry.layout));
            continue;
        }
        if archive.as_ref().is_none_or(|(group, _)| *group != entry.group) {
            archive = Some((entry.group.clone(), fixtures.archive(&entry.group)?));
        }
        if let Some((_, archive)) = &archive {
            run_entry(backend, entry, archive, &mut wavelets, &mut report)?;
        }
    }
    Ok(report)
}

/// Wavelets looked up once.
#[derive(Default)]
struct Wavelets(BTreeMap<String, Arc<Wavelet>>);

impl Wavelets {
    fn get(&mut self, name: &str) -> Result<Arc<Wavelet>, UnknownWavelet> {
        if let Some(known) = self.0.get(name) {
            return Ok(Arc::clone(known));
        }
        let wavelet = Arc::new(catalogue::wavelet(name)?);
        self.0.insert(name.to_owned(), Arc::clone(&wavelet));
        Ok(wavelet)
    }
}

fn run_row(
    backend: &dyn Backend,
    fixtures: &Fixtures,
    row: &Row,
    wavelets: &mut Wavelets,
    report: &mut Report,
) -> Result<(), GoldenError> {
    let missing =
        |what, index| GoldenError::Index { case: format!("bundle {}", row.bundle), what, index };
    let bundle = fixtures.bundles.get(row.bundle).ok_or_else(|| missing("bundle", row.bundle))?;
    let wavelet = wavelets.get(&bundle.wavelet)?;
    let mode = bundle.modes.get(row.mode).ok_or_else(|| missing("mode", row.mode))?;
    let case = Case::new(&wavelet, row.signal.shape(), mode_of(mode.as_deref(), &wavelet)?)
        .origin(&bundle.origin);
    for dtype in &bundle.dtypes {
        let case = case.clone().element(element_of(dtype, &bundle.id)?);
        let signal = samples(&case, [&row.signal]);
        let bands = samples(&case, [&row.low, &row.high]);
        let allowed = bundle.tol.get(dtype).copied().unwrap_or(0.0);
        run_stored(backend, &case, row.op, &signal, &bands, allowed, &bundle.id, report);
    }
    Ok(())
}

fn run_entry(
    backend: &dyn Backend,
    entry: &Entry,
    archive: &Archive,
    wavelets: &mut Wavelets,
    report: &mut Report,
) -> Result<(), GoldenError> {
    let wavelet = wavelets.get(&entry.wavelet)?;
    let mode = mode_of(entry.mode.as_deref(), &wavelet)?;
    let first = entry.shape.len().saturating_sub(entry.dims);
    let case = Case::new(&wavelet, &entry.shape, mode)
        .axes(&(first..entry.shape.len()).collect::<Vec<_>>())
        .levels(entry.levels)
        .origin(&entry.origin)
        .element(element_of(&entry.dtype, &entry.id)?);
    let (signal, prefix) = match entry.op {
        Direction::Forward => (&entry.input, &entry.output),
        Direction::Inverse => (&entry.output, &entry.input),
    };
    let signal = samples(&case, [archive.array(signal)?]);
    match flattened(&case, &archive.bands(prefix)) {
        Ok(bands) => {
            run_stored(backend, &case, entry.op, &signal, &bands, entry.tol, &entry.id, report);
        }
        Err(message) => report.record(&entry.id, Check::Fixture, Err(message)),
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "one call's worth of data")]
fn run_stored(
    backend: &dyn Backend,
    case: &Case,
    direction: Direction,
    signal: &Samples,
    bands: &Samples,
    relative: f64,
    id: &str,
    report: &mut Report,
) {
    let (operation, input, expected) = match direction {
        Direction::Forward => (Operation::Forward, signal, bands),
        Direction::Inverse => (Operation::Inverse, bands, signal),
    };
    let text = format!("{id}: {} of {case}", operation.name());
    let mut transform = match backend.prepare(case) {
        Prepared::Ready(transform) => transform,
        Prepared::Skipped(reason) => return report.skip(reason),
        Prepared::Refused(reason) => {
            return report.record(&text, Check::Fixture, Err(format!("refused: {reason}")));
        }
    };
    report.run += 1;
    let relative = relative.max(table_error(case));
    let outcome = transform
        .run(operation, input)
        .and_then(|got| compare_stored(input, expected, &got, relative));
    report.record(&text, Check::Fixture, outcome);
}

/// How far the stored values may be off because the tables they were computed from are: the taps of
/// these families are correctly rounded in the catalogue, but not in PyWavelets.
fn table_error(case: &Case) -> f64 {
    let name = case.wavelet.name();
    let number = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    match case.element {
        Element::F64 if name.starts_with("sym") => 1e-10,
        Element::F64 if name.contains("bio") && ["4.4", "5.5", "6.8"].contains(&number) => 1e-11,
        _ => 0.0,
    }
}

/// Finite values within the tolerance, the same values finite.
fn compare_stored(
    input: &Samples,
    expected: &Samples,
    got: &Samples,
    relative: f64,
) -> Result<f64, String> {
    let finite = |samples: &Samples| -> Vec<bool> {
        samples.to_f64().iter().map(|value| value.is_finite()).collect()
    };
    let (kept, found) = (finite(expected), finite(got));
    if let Some(at) = kept.iter().zip(&found).position(|(e, g)| e != g) {
        let what = if kept[at] { "should be finite" } else { "should not be finite" };
        return Err(format!("value {at} {what}"));
    }
    let only_finite = |samples: &Samples| {
        let values = samples.to_f64().into_iter().filter(|value| value.is_finite());
        Samples::from_f64(samples.element(), &values.collect::<Vec<_>>())
    };
    let scale = only_finite(input).magnitude().max(only_finite(expected).magnitude());
    if expected.element().is_integer() {
        return super::compare(expected, got, 0.0);
    }
    super::compare(&only_finite(expected), &only_finite(got), relative * scale)
}

/// The bands in the buffer's order; those that are absent or empty are zeros.
fn flattened(case: &Case, bands: &BTreeMap<String, Array>) -> Result<Samples, String> {
    let layout = Layout::of(case).map_err(|error| error.to_string())?;
    if let Some(stray) = bands.keys().find(|key| layout.band(key).is_none()) {
        return Err(format!("the decomposition has no band '{stray}'"));
    }
    let mut parts = Vec::new();
    for place in &layout.bands {
        match bands.get(&place.key).filter(|band| !band.is_empty() || place.len == 0) {
            Some(band) if band.shape() == place.shape => parts.push(samples(case, [band])),
            Some(band) => {
                let (key, got, expected) = (&place.key, band.shape(), &place.shape);
                return Err(format!("band {key} is stored as {got:?}, expected {expected:?}"));
            }
            None => parts.push(Samples::from_f64(case.element, &vec![0.0; place.len])),
        }
    }
    Ok(Samples::concatenated(case.element, &parts))
}

fn samples<const N: usize>(case: &Case, arrays: [&Array; N]) -> Samples {
    let parts = arrays.map(|array| match case.element.is_integer() {
        true => Samples::from_i64(case.element, &array.to_i64()),
        false => Samples::from_f64(case.element, &array.to_f64()),
    });
    Samples::concatenated(case.element, &parts)
}

fn mode_of(name: Option<&str>, wavelet: &Wavelet) -> Result<Mode, UnknownMode> {
    name.map_or(Ok(wavelet.default_mode()), str::parse)
}

fn element_of(name: &str, case: &str) -> Result<Element, GoldenError> {
    match name {
        "f32" => Ok(Element::F32),
        "f64" => Ok(Element::F64),
        "int32" => Ok(Element::I32),
        _ => Err(GoldenError::Element { case: case.to_owned(), name: name.to_owned() }),
    }
}
