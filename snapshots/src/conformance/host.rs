//! The host executor as a backend.

use super::{Backend, Case, Layout, Prepared, Samples, Transform};
use waveloom::{Element, Plan, PlanBuilder, Workspace};
use waveloom_codegen::kernel::{Element as ElementKind, Operation};

/// [`waveloom::Plan`] on the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostBackend;

impl Backend for HostBackend {
    fn name(&self) -> String {
        "host executor".to_owned()
    }

    fn tile_lengths(&self) -> Vec<usize> {
        // Pairs of a strip of 512 bytes, and of a plane buffer of 12 KiB, by element size.
        vec![64, 128, 256, 1536, 3072]
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        match case.element {
            ElementKind::F32 => planned::<f32>(case),
            ElementKind::F64 => planned::<f64>(case),
            ElementKind::I16 => planned::<i16>(case),
            ElementKind::I32 => planned::<i32>(case),
            ElementKind::I64 => planned::<i64>(case),
        }
    }
}

/// An element type that [`Samples`] can hold.
pub(super) trait Sampled: Element {
    /// A view, if the samples are of this type.
    fn view(samples: &Samples) -> Option<&[Self]>;
    /// The values as samples.
    fn samples(values: Vec<Self>) -> Samples;
    /// Something that a transform must overwrite.
    fn poison() -> Self;
}

macro_rules! sampled {
    ($type:ty, $variant:ident, $poison:expr) => {
        impl Sampled for $type {
            fn view(samples: &Samples) -> Option<&[Self]> {
                match samples {
                    Samples::$variant(values) => Some(values),
                    _ => None,
                }
            }
            fn samples(values: Vec<Self>) -> Samples {
                Samples::$variant(values)
            }
            fn poison() -> Self {
                $poison
            }
        }
    };
}

sampled!(f32, F32, f32::NAN);
sampled!(f64, F64, f64::NAN);
sampled!(i16, I16, i16::MIN);
sampled!(i32, I32, i32::MIN);
sampled!(i64, I64, i64::MIN);

fn planned<T: Sampled>(case: &Case) -> Prepared<'static> {
    let plan = match builder::<T>(case).build() {
        Ok(plan) => plan,
        Err(error) => return Prepared::Refused(error.to_string()),
    };
    if let Err(message) = check_layout(case, &plan) {
        return Prepared::Refused(message);
    }
    let workspace = plan.workspace();
    Prepared::Ready(Box::new(HostTransform { plan, workspace }))
}

/// What a plan of the case is built from.
pub(super) fn builder<T: Element>(case: &Case) -> PlanBuilder<'_, T> {
    let mut builder = Plan::<T>::builder(&case.wavelet, &case.shape)
        .axes(&case.axes)
        .levels(case.levels)
        .mode(case.mode);
    if !case.origin.is_empty() {
        builder = builder.origin(&case.origin);
    }
    if let Some(kind) = case.scheme {
        builder = builder.scheme(kind);
    }
    builder
}

/// The plan's bands are the reference's bands.
pub(super) fn check_layout<T: Sampled>(case: &Case, plan: &Plan<T>) -> Result<(), String> {
    // What is illegal for the reference is for the suite to complain about.
    let Ok(layout) = Layout::of(case) else { return Ok(()) };
    let bands = plan.bands();
    let same = layout.len == plan.coefficient_len()
        && layout.bands.len() == bands.len()
        && layout.bands.iter().zip(bands).all(|(place, band)| {
            (&place.key, &place.shape) == (&band.key, &band.shape)
                && (place.offset, place.len) == (band.offset, band.len)
        });
    match same && case.signal_len() == plan.signal_len() {
        true => Ok(()),
        false => Err(format!("expected the bands {:?}, got {bands:?}", layout.bands)),
    }
}

struct HostTransform<T: Element> {
    plan: Plan<T>,
    workspace: Workspace<T>,
}

/// The operations of rounded transforms.
pub(super) const ROUNDED: [Operation; 2] = [Operation::Forward, Operation::Inverse];

impl<T: Sampled> Transform for HostTransform<T> {
    fn operations(&self) -> &[Operation] {
        if self.plan.wavelet().is_rounded() { &ROUNDED } else { &Operation::ALL }
    }

    fn max_input(&self) -> Option<i64> {
        self.plan.max_input()
    }

    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        let values = T::view(input).ok_or("the input is of another element type")?;
        let len = match operation {
            Operation::Forward | Operation::AdjointInverse => self.plan.coefficient_len(),
            Operation::Inverse | Operation::AdjointForward => self.plan.signal_len(),
        };
        let mut output = vec![T::poison(); len];
        let (plan, workspace) = (&self.plan, &mut self.workspace);
        let outcome = match operation {
            Operation::Forward => plan.forward(values, &mut output, workspace),
            Operation::Inverse => plan.inverse(values, &mut output, workspace),
            Operation::AdjointForward => plan.adjoint(values, &mut output, workspace),
            Operation::AdjointInverse => plan.adjoint_of_inverse(values, &mut output, workspace),
        };
        outcome.map_err(|error| error.to_string())?;
        Ok(T::samples(output))
    }
}
