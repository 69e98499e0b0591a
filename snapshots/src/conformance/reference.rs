//! The reference as a backend: what every other backend is compared with.

use super::layout::request;
use super::{Backend, Case, Layout, Prepared, Samples, Transform};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_wavelets::reference::{Band, Reference, ReferenceError};

/// [`waveloom_wavelets::reference`]: `f64` for floats of either precision, `i64` for integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceBackend;

impl Backend for ReferenceBackend {
    fn name(&self) -> String {
        "reference".to_owned()
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        let built = Reference::new(&case.wavelet, &request(case)).and_then(|reference| {
            let layout = Layout::of(case)?;
            Ok(ReferenceTransform { reference, layout, element: case.element })
        });
        match built {
            Ok(transform) => Prepared::Ready(Box::new(transform)),
            Err(error) => Prepared::Refused(error.to_string()),
        }
    }
}

struct ReferenceTransform {
    reference: Reference,
    layout: Layout,
    element: Element,
}

const ROUNDED: [Operation; 2] = [Operation::Forward, Operation::Inverse];

impl Transform for ReferenceTransform {
    fn operations(&self) -> &[Operation] {
        if self.element.is_integer() { &ROUNDED } else { &Operation::ALL }
    }

    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        let output = match input.to_i64() {
            Some(values) => self.integers(operation, &values),
            None => self.reals(operation, &input.to_f64()),
        };
        let output = output.map_err(|error| error.to_string())?;
        Ok(output.converted(self.element))
    }
}

impl ReferenceTransform {
    fn reals(&self, operation: Operation, input: &[f64]) -> Result<Samples, ReferenceError> {
        let reference = &self.reference;
        Ok(Samples::F64(match operation {
            Operation::Forward => joined(reference.forward(input)?),
            Operation::Inverse => reference.inverse(&self.cut(input))?,
            Operation::AdjointForward => reference.adjoint(&self.cut(input))?,
            Operation::AdjointInverse => joined(reference.adjoint_of_inverse(input)?),
        }))
    }

    fn integers(&self, operation: Operation, input: &[i64]) -> Result<Samples, ReferenceError> {
        let reference = &self.reference;
        Ok(Samples::I64(match operation {
            Operation::Forward => joined(reference.forward_integer(input)?),
            Operation::Inverse => reference.inverse_integer(&self.cut(input))?,
            Operation::AdjointForward | Operation::AdjointInverse => {
                return Err(ReferenceError::Element { rounded: true });
            }
        }))
    }

    fn cut<T: Copy>(&self, values: &[T]) -> Vec<Band<T>> {
        let bands = self.layout.bands.iter().map(|place| Band {
            key: place.key.clone(),
            shape: place.shape.clone(),
            data: values.iter().skip(place.offset).take(place.len).copied().collect(),
        });
        bands.collect()
    }
}

/// The bands one after the other.
fn joined<T>(bands: Vec<Band<T>>) -> Vec<T> {
    bands.into_iter().flat_map(|band| band.data).collect()
}
