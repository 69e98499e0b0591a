//! The numbers that plans transform.

use waveloom_codegen::Element as Kind;

/// An element type: `f32` or `f64` for any wavelet, `i16`, `i32` or `i64` for integer wavelets
/// (rounded liftings such as `rev53`).
///
/// The trait is sealed: arithmetic differs between floats (fused multiply-add where the machine has
/// it) and integers (exact, proved not to overflow).
pub trait Element: sealed::Sealed {
    /// The type as the kernels name it.
    const KIND: Kind;
}

macro_rules! elements {
    ($($type:ty),*) => {
        $(impl sealed::Sealed for $type {}

        impl Element for $type {
            const KIND: Kind = <$type as waveloom_host::Element>::TYPE;
        })*
    };
}

elements!(f32, f64, i16, i32, i64);

pub(crate) mod sealed {
    use crate::device::Plain;
    use crate::threshold::shrink::Shrink;

    /// What is done with elements: on the processor, on a card, and by thresholds.
    pub trait Sealed: waveloom_host::Element + Plain + Shrink {}
}
