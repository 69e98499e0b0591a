//! Plans for settings and shapes, and what they do to values.

use crate::coefficients::Key;
use crate::coefficients::arrangement::Piece;
use crate::error::{Failure, Outcome};
use crate::samples::{Number, Samples};
use crate::session::Session;
use crate::settings::Settings;
use ndarray::ArrayD;
use std::collections::BTreeMap;
use std::rc::Rc;
use waveloom::codegen::kernel::{Operation, Side};
use waveloom::wavelets::SchemeKind;
use waveloom::{Coefficients, Plan, PlanBuilder};

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
        let key = plan_key::<T>(settings, &format!("{shape:?}"));
        let plan = session
            .plan(key, || completed(Plan::builder(&settings.chosen.wavelet, shape), settings))?;
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
        let key = plan_key::<T>(settings, &format!("{shapes:?}"));
        let plan = session.plan(key, || {
            completed(Plan::builder_for_bands(&settings.chosen.wavelet, &shapes), settings)
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

    /// The algorithm.
    pub fn scheme(&self) -> SchemeKind {
        self.plan.scheme()
    }

    /// Shape of the signal.
    pub fn shape(&self) -> &[usize] {
        self.plan.shape()
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
        let mut output = vec![T::default(); len];
        let done = plan.execute(operation, input, &mut output, &mut workspace);
        done.map_err(Failure::plain)?;
        Ok(output)
    }
}

/// A plan with everything that settings say.
fn completed<T: Number>(mut builder: PlanBuilder<'_, T>, settings: &Settings) -> Outcome<Plan<T>> {
    builder = builder.axes(&settings.axes).levels(settings.levels).mode(settings.mode);
    if !settings.origin.is_empty() {
        builder = builder.origin(&settings.origin);
    }
    if let Some(scheme) = settings.scheme {
        builder = builder.scheme(scheme);
    }
    builder.build().map_err(Failure::plain)
}

fn plan_key<T: Number>(settings: &Settings, shape: &str) -> String {
    let wavelet = settings.chosen.definition.as_deref().unwrap_or(&settings.chosen.name);
    format!(
        "{:?} {} {:?} {:?} {:?} {} {:?} {:?} {shape}",
        T::KIND,
        settings.mode,
        settings.axes,
        settings.origin,
        settings.scheme,
        settings.levels,
        settings.chosen.norm,
        wavelet,
    )
}
