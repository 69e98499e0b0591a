//! The list of passes from a scheme to a kernel.

use super::{Element, Exchange, Kernel, Margin, Operation, margin, place, segment};
use waveloom_wavelets::Scheme;
use waveloom_wavelets::scheme::SchemeError;

/// Why a scheme cannot become a kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LowerError {
    /// Integer elements need a rounded scheme, floats an unrounded one.
    #[error("{} elements need {}", element.name(), if element.is_integer() { "a rounded (integer) scheme; this one is for f32 or f64" } else { "an unrounded scheme; this one is an integer transform, for i16, i32 or i64" })]
    Element {
        /// The element type asked for.
        element: Element,
    },
    /// Rounded schemes have no adjoint.
    #[error("an integer transform with rounding is not linear: it has no adjoint")]
    NoAdjoint,
    /// The scheme's algebra refused.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}

/// Lays out `scheme` for an operation. `scheme` is always the *forward* scheme; it is inverted or
/// transposed here. `exchange` is used at every cut.
///
/// The passes, in order, and why they stand there:
///
/// 1. *orient*: invert and transpose while everything is still algebra, and gather gains of butterflies;
/// 2. [`place`]: give every channel a plane; delays and swaps vanish into offsets, so that all later
///    passes see arithmetic only;
/// 3. [`segment`]: cut where a step reads what another position has just written;
/// 4. [`margin`]: walk backwards from the outputs; needs the final order of steps.
///
/// ```
/// use waveloom_codegen::kernel::{lower, Element, Exchange, Operation};
/// use waveloom_wavelets::{catalogue, SchemeKind};
///
/// let scheme = catalogue::wavelet("bior4.4")?.scheme(SchemeKind::Lifting, 1)?;
/// let kernel = lower(&scheme, Operation::Forward, Element::F32, Exchange::Shared)?;
/// assert_eq!(kernel.planes(), 2);
/// assert_eq!(kernel.segments.len(), 4); // four lifting steps, each reading the one before
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lower(
    scheme: &Scheme,
    operation: Operation,
    element: Element,
    exchange: Exchange,
) -> Result<Kernel, LowerError> {
    if element.is_integer() != scheme.is_rounded() {
        return Err(LowerError::Element { element });
    }
    if operation.is_adjoint() && scheme.is_rounded() {
        return Err(LowerError::NoAdjoint);
    }
    let oriented = match operation {
        Operation::Forward => scheme.clone(),
        Operation::Inverse => scheme.invert()?.pivoted(),
        Operation::AdjointForward => scheme.transpose()?.pivoted(),
        Operation::AdjointInverse => scheme.invert()?.transpose()?.pivoted(),
    };
    let (steps, outputs) = place::place(&oriented);
    let mut segments = segment::segments(steps, exchange);
    let halo = margin::margins(&mut segments, &outputs);
    // An output at pair k reads inputs k - before ..= k + after, so an input at k reaches outputs
    // k - after ..= k + before.
    let spread = Margin { before: halo.after, after: halo.before };
    let axes = scheme.axes;
    Ok(Kernel { operation, element, axes, segments, outputs, halo, spread })
}
