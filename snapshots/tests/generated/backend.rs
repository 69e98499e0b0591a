//! Instances of `dwt_kernel!` as a backend of the suite.

use waveloom_codegen::kernel::Element;
use waveloom_snapshots::conformance::{Backend, Case, Prepared, Samples, Transform};
use waveloom_wavelets::{Mode, SchemeKind};

/// A transform, or why a shape was refused.
pub type Built = Result<Box<dyn Transform>, String>;

/// What was fixed at compile time, and how to make one.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    pub wavelet: &'static str,
    pub dims: usize,
    pub levels: usize,
    pub mode: Mode,
    pub element: Element,
    pub scheme: SchemeKind,
    pub new: fn(&[usize]) -> Built,
}

/// All instances of this test.
pub struct Generated {
    pub instances: Vec<Instance>,
}

impl Backend for Generated {
    fn name(&self) -> String {
        "generated Rust".to_owned()
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        let wanted = |one: &&Instance| {
            one.wavelet == case.wavelet.name()
                && one.dims == case.shape.len()
                && one.levels == case.levels
                && one.mode == case.mode
                && one.element == case.element
                && Some(one.scheme) == case.scheme
        };
        let all_axes = case.axes.iter().copied().eq(0..case.shape.len());
        match self.instances.iter().find(wanted) {
            Some(one) if all_axes && case.origin.is_empty() => match (one.new)(&case.shape) {
                Ok(transform) => Prepared::Ready(transform),
                Err(reason) => Prepared::Refused(reason),
            },
            _ => Prepared::Skipped("no such instance was compiled".to_owned()),
        }
    }
}

/// Values of one element type within [`Samples`].
pub trait Value: Copy + Default {
    fn of(samples: &Samples) -> Option<&[Self]>;
    fn into(values: Vec<Self>) -> Samples;
}

macro_rules! element {
    ($type:ty, $variant:ident) => {
        impl Value for $type {
            fn of(samples: &Samples) -> Option<&[Self]> {
                match samples {
                    Samples::$variant(values) => Some(values),
                    _ => None,
                }
            }
            fn into(values: Vec<Self>) -> Samples {
                Samples::$variant(values)
            }
        }
    };
}
element!(f32, F32);
element!(f64, F64);
element!(i16, I16);
element!(i32, I32);
element!(i64, I64);

/// Runs one slice operation on samples.
pub fn on_samples<T: Value, E: std::fmt::Display>(
    input: &Samples,
    len: usize,
    run: impl FnOnce(&[T], &mut [T]) -> Result<(), E>,
) -> Result<Samples, String> {
    let values = T::of(input).ok_or("another element type")?;
    let mut output = vec![T::default(); len];
    run(values, &mut output).map_err(|error| error.to_string())?;
    Ok(T::into(output))
}

/// `instance!(Type: "wavelet", dims, levels, mode, element, scheme)` generates the type and a
/// function `instance` in a module of its own.
#[macro_export]
macro_rules! instance {
    ($module:ident: $wavelet:tt, $dims:tt, $levels:tt, $mode:ident, $element:ident, $scheme:ident) => {
        mod $module {
            use waveloom_codegen::kernel::Operation;
            use waveloom_snapshots::conformance::{Samples, Transform};
            use $crate::backend::{Instance, on_samples};

            waveloom::dwt_kernel! {
                pub struct Kernel;
                wavelet: $wavelet,
                dims: $dims,
                levels: $levels,
                mode: $mode,
                element: $element,
                scheme: $scheme,
            }

            impl Transform for Kernel {
                fn run(
                    &mut self,
                    operation: Operation,
                    input: &Samples,
                ) -> Result<Samples, String> {
                    let (signal, bands) = (self.signal_len(), self.coefficient_len());
                    $crate::run_operation!($element, self, operation, input, signal, bands)
                }
                fn operations(&self) -> &[Operation] {
                    OPERATIONS
                }
            }

            const OPERATIONS: &[Operation] = $crate::operations!($element);

            pub fn instance() -> Instance {
                let parsed = |name: &str| name.replace('_', "-");
                Instance {
                    wavelet: $wavelet,
                    dims: $dims,
                    levels: $levels,
                    mode: stringify!($mode).parse().unwrap(),
                    element: $crate::element_of(stringify!($element)),
                    scheme: $crate::scheme_of(&parsed(stringify!($scheme))),
                    new: |shape| {
                        let shape: [usize; $dims] = shape.try_into().map_err(|_| "shape")?;
                        let kernel = Kernel::new(shape).map_err(|error| error.to_string())?;
                        Ok(Box::new(kernel))
                    },
                }
            }
        }
    };
}

/// The call of an operation; integers have two, floats four.
#[macro_export]
macro_rules! run_operation {
    (f32, $($rest:tt)*) => { $crate::run_operation!(@linear $($rest)*) };
    (f64, $($rest:tt)*) => { $crate::run_operation!(@linear $($rest)*) };
    ($integer:ident, $self:ident, $operation:ident, $input:ident, $signal:ident, $bands:ident) => {
        match $operation {
            Operation::Forward => on_samples($input, $bands, |i, o| $self.forward(i, o)),
            Operation::Inverse => on_samples($input, $signal, |i, o| $self.inverse(i, o)),
            other => Err(format!("{other:?} does not exist")),
        }
    };
    (@linear $self:ident, $operation:ident, $input:ident, $signal:ident, $bands:ident) => {
        match $operation {
            Operation::Forward => on_samples($input, $bands, |i, o| $self.forward(i, o)),
            Operation::Inverse => on_samples($input, $signal, |i, o| $self.inverse(i, o)),
            Operation::AdjointForward => on_samples($input, $signal, |i, o| $self.adjoint(i, o)),
            Operation::AdjointInverse => {
                on_samples($input, $bands, |i, o| $self.adjoint_of_inverse(i, o))
            }
        }
    };
}

/// The operations of an element type.
#[macro_export]
macro_rules! operations {
    (f32) => {
        &Operation::ALL
    };
    (f64) => {
        &Operation::ALL
    };
    ($integer:ident) => {
        &[Operation::Forward, Operation::Inverse]
    };
}
