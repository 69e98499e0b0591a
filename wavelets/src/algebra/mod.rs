//! Laurent polynomials in the shift operators of up to three axes, and matrices of them.

mod laurent;
mod matrix;
mod scalar;
mod tracked;

pub use laurent::{Exponent, Laurent, MAX_AXES};
pub use matrix::PolyphaseMatrix;
pub use scalar::{Rational, Scalar, rational_from_f64, rational_to_f64};
pub use tracked::Tracked;
