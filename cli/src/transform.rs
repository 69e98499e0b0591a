//! Plans for settings and shapes, and what they do to values.

use crate::coefficients::{Key, Piece};
use crate::error::{Failure, Outcome};
use crate::samples::{Number, Samples, reserved};
use crate::session::Session;
use crate::settings::Settings;
use ndarray::ArrayD;
use std::collections::BTreeMap;
use std::rc::Rc;
use waveloom::codegen::gpu::ProgramError;
use waveloom::codegen::kernel::{Operation, Side};
use waveloom::device::{Device, DeviceError, Selection};
use waveloom::packing::{Layout, PackError, Packing};
use waveloom::wavelets::SchemeKind;
use waveloom::wavelets::geometry::GeometryError;
use waveloom::{Band, Coefficients, ExecuteError, Plan, PlanBuilder, PlanError};

/// Evaluates an expression with `$kind` bound to the Rust type of an element.
#[macro_export]
macro_rules! with_element {
    ($element:expr, $kind:ident => $body:expr) => {
        match $element {
            waveloom::codegen::Element::F32 => {
                type $kind = f32;
                $body
            }
            waveloom::codegen::Element::F64 => {
                type $kind = f64;
                $body
            }
            waveloom::codegen::Element::I16 => {
                type $kind = i16;
                $body
            }
            waveloom::codegen::Element::I32 => {
                type $kind = i32;
                $body
            }
            waveloom::codegen::Element::I64 => {
                type $kind = i64;
                $body
            }
        }
    };
}

/// A plan and its bands.
pub struct Transform<T: Number> {
    plan: Rc<Plan<T>>,
    pieces: Vec<Piece>,
}

impl<T: Number> Transform<T> {
    /// For arrays of a known shape.
    pub fn new(session: &mut Session, settings: &Settings, shape: &[usize]) -> Outcome<Self> {
        let place = Place::of(session)?;
        let key = plan_key::<T>(settings, &place, &format!("{shape:?}"));
        let plan = session.plan(key, || {
            completed(|| Plan::builder(&settings.chosen.wavelet, shape), settings, &place)
        })?;
        Self::of_plan(plan)
    }

    /// For coefficients of arrays of unknown shape, which follows from the bands' own.
    pub fn of_bands(
        session: &mut Session,
        settings: &Settings,
        bands: &BTreeMap<Key, Samples>,
    ) -> Outcome<Self> {
        let names: Vec<String> = bands.keys().map(Key::to_string).collect();
        let shapes: Vec<(&str, &[usize])> =
            names.iter().map(String::as_str).zip(bands.values().map(Samples::shape)).collect();
        let place = Place::of(session)?;
        let key = plan_key::<T>(settings, &place, &format!("{shapes:?}"));
        let plan = session.plan(key, || {
            let builder = || Plan::builder_for_bands(&settings.chosen.wavelet, &shapes);
            completed(builder, settings, &place)
        })?;
        Self::of_plan(plan)
    }

    /// A plan's coefficients from single bands. Absent and empty ones are zero.
    pub fn gather(&self, bands: &BTreeMap<Key, Samples>) -> Outcome<Vec<T>> {
        let mut arrays = Vec::new();
        for (key, band) in bands {
            let values = band.values::<T>()?;
            let array = ArrayD::from_shape_vec(band.shape(), values).map_err(Failure::plain)?;
            arrays.push((key.to_string(), array));
        }
        // The library allocates as much; only here can a lack of memory be an error.
        drop(self.zeros()?);
        let views = arrays.iter().map(|(name, array)| (name.as_str(), array.view()));
        let coefficients = Coefficients::from_bands(&self.plan, views).map_err(Failure::plain)?;
        Ok(coefficients.into_values())
    }

    fn of_plan(plan: Rc<Plan<T>>) -> Outcome<Self> {
        let pieces = plan.bands().iter().map(|band| {
            let key: Key = band.key.parse().map_err(|()| {
                Failure::plain(format!(
                    "the plan has a band named '{}', which files cannot hold",
                    band.key
                ))
            })?;
            Ok(Piece { key, level: band.level, shape: band.shape.clone(), offset: band.offset })
        });
        Ok(Self { pieces: pieces.collect::<Outcome<_>>()?, plan })
    }

    /// The bands, coarsest first.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The plan.
    pub fn plan(&self) -> &Plan<T> {
        &self.plan
    }

    /// The plan's bands, coarsest first.
    pub fn bands(&self) -> &[Band] {
        self.plan.bands()
    }

    /// Where the bands stand in one array.
    pub fn packing(&self, layout: Layout) -> Result<Packing, PackError> {
        self.plan.packing(layout)
    }

    /// The algorithm.
    pub fn scheme(&self) -> SchemeKind {
        self.plan.scheme()
    }

    /// Shape of the signal.
    pub fn shape(&self) -> &[usize] {
        self.plan.shape()
    }

    /// Where it runs, in words.
    pub fn place(&self) -> String {
        match self.plan.device() {
            device if device.is_cpu() => "the processor".to_owned(),
            device => device.to_string(),
        }
    }

    /// As many zeros as there are coefficients.
    pub fn zeros(&self) -> Outcome<Vec<T>> {
        zeros(self.coefficient_len())
    }

    /// Number of coefficients.
    pub fn coefficient_len(&self) -> usize {
        self.plan.coefficient_len()
    }

    /// Carries out an operation.
    pub fn run(&self, operation: Operation, input: &[T]) -> Outcome<Vec<T>> {
        let plan = &self.plan;
        let mut workspace = plan.workspace();
        let len = match operation.output() {
            Side::Bands => plan.coefficient_len(),
            Side::Signal => plan.signal_len(),
        };
        let mut output = zeros(len)?;
        let done = plan.execute(operation, input, &mut output, &mut workspace);
        done.map_err(|error| match error {
            ExecuteError::CouldOverflow { .. } | ExecuteError::Overflow { .. } => {
                Failure::of_option("--dtype", error)
            }
            error => Failure::plain(error),
        })?;
        Ok(output)
    }
}

/// Zeros, unless memory does not suffice: shapes in files and options can claim anything.
pub fn zeros<T: Number>(len: usize) -> Outcome<Vec<T>> {
    let mut values = reserved(len)?;
    values.resize(len, T::default());
    Ok(values)
}

/// Where plans shall run.
struct Place {
    device: Device,
    selection: Selection,
}

impl Place {
    fn of(session: &mut Session) -> Outcome<Self> {
        Ok(Self { device: session.open_device()?, selection: session.device })
    }
}

/// A plan with everything that settings say. Where the device was not asked for, the CPU takes what a
/// card cannot.
fn completed<'a, T: Number>(
    builder: impl Fn() -> PlanBuilder<'a, T>,
    settings: &Settings,
    place: &Place,
) -> Outcome<Plan<T>> {
    let build = |device: &Device| {
        let mut builder = builder().axes(&settings.axes).levels(settings.levels);
        builder = builder.operations(&settings.operations);
        builder = builder.mode(settings.mode).device(device);
        if !settings.origin.is_empty() {
            builder = builder.origin(&settings.origin);
        }
        if let Some(scheme) = settings.scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(strategy) = settings.strategy {
            builder = builder.strategy(strategy);
        }
        builder.build()
    };
    let plan = match build(&place.device) {
        Err(PlanError::Program(_) | PlanError::Device(_)) if place.may_change(settings) => {
            build(&Device::cpu())
        }
        Ok(plan) if place.may_change(settings) && !has_room(&plan) => build(&Device::cpu()),
        outcome => outcome,
    };
    plan.map_err(|error| match error {
        // The log and the text are for those who write kernels.
        PlanError::Device(DeviceError::Compile(error)) => {
            tracing::error!("{error}");
            let first = error.log.lines().find(|line| line.contains("error"));
            Failure::plain(format!("NVRTC refuses the kernels: {}", first.unwrap_or_default()))
        }
        error => match field_of(&error) {
            Some(field) => Failure::of_option(field, error),
            None => Failure::plain(error),
        },
    })
}

/// The option or property that a plan's refusal is about.
fn field_of(error: &PlanError) -> Option<&'static str> {
    let geometry = match error {
        PlanError::Geometry(geometry) | PlanError::Program(ProgramError::Geometry(geometry)) => {
            geometry
        }
        PlanError::Scheme(_) | PlanError::Program(ProgramError::Scheme(_)) => {
            return Some("--scheme");
        }
        PlanError::TooLarge { .. } => return Some("shape"),
        PlanError::Coefficients { .. } => return Some("--dtype"),
        _ => return None,
    };
    Some(match geometry {
        // The array itself can be transformed: it is further levels that cannot.
        GeometryError::AtLevel { .. } | GeometryError::TooManyLevels { .. } => "--levels",
        GeometryError::NotWholeSample => "--mode",
        GeometryError::Count { .. }
        | GeometryError::OriginTooFar { .. }
        | GeometryError::OriginNeedsJpeg2000 { .. } => "--origin",
        GeometryError::Empty
        | GeometryError::TooShort { .. }
        | GeometryError::TooLong { .. }
        | GeometryError::OddLength { .. } => "shape",
    })
}

impl Place {
    fn may_change(&self, settings: &Settings) -> bool {
        self.selection == Selection::Auto && !self.device.is_cpu() && settings.strategy.is_none()
    }
}

/// Whether the card has memory for one call with slices.
fn has_room<T: Number>(plan: &Plan<T>) -> bool {
    let Some(card) = plan.on_card() else { return true };
    let values = card.signal_len() + card.coefficient_len() + card.workspace_len();
    let free = card.gpu().memory().map_or(0, |(free, _)| free);
    values.saturating_mul(size_of::<T>()) <= free
}

fn plan_key<T: Number>(settings: &Settings, place: &Place, shape: &str) -> String {
    let wavelet = settings.chosen.definition.as_deref().unwrap_or(&settings.chosen.name);
    format!(
        "{:?} {} {:?} {:?} {:?} {} {:?} {:?} {} {:?} {:?} {shape}",
        T::KIND,
        settings.mode,
        settings.axes,
        settings.origin,
        settings.scheme,
        settings.levels,
        settings.chosen.norm,
        wavelet,
        place.selection,
        settings.strategy,
        settings.operations,
    )
}
