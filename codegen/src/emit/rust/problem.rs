//! Everything that can stand in the way of a request.

use super::request::Request;
use super::{Plan, geometry};
use crate::bound;
use crate::dag::Contraction;
use crate::kernel::{Element, LowerError};
use crate::pipeline::{PipelineError, Prepared, Target, prepare};
use waveloom_wavelets::SchemeKind;
use waveloom_wavelets::geometry::{Decomposition, GeometryError};
use waveloom_wavelets::scheme::SchemeError;

/// Why a request cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmitError {
    /// The scheme does not exist.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scheme cannot be written in this element type.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The mode does not fit the wavelet.
    #[error(transparent)]
    Mode(#[from] GeometryError),
    /// Only 1 to 3 axes.
    #[error("1, 2 or 3 dimensions can be written, not {dims}")]
    Dimensions {
        /// What was asked for.
        dims: usize,
    },
    /// More levels than any array can have.
    #[error("{levels} levels were asked for; at most {} are possible", Decomposition::MOST_LEVELS)]
    Levels {
        /// What was asked for.
        levels: usize,
    },
    /// Too much to unroll.
    #[error(
        "{scheme} in {dims} dimensions has {operations} operations to unroll, more than the limit of {limit}; {alternative} has fewer"
    )]
    TooManyOperations {
        /// The scheme.
        scheme: SchemeKind,
        /// Number of axes.
        dims: usize,
        /// Its operations, in the largest of its kernels.
        operations: usize,
        /// The limit.
        limit: usize,
        /// A scheme with fewer.
        alternative: SchemeKind,
    },
    /// A name that Rust does not take.
    #[error("'{name}' is not a name that a Rust {what} can have")]
    Name {
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An integer transform of which even the smallest input could overflow.
    #[error(
        "{levels} levels of {wavelet} can overflow {} whatever the input; {} needed",
        element.name(),
        if *element == Element::I64 { "fewer levels are" } else { "a wider element type is" }
    )]
    NoRoom {
        /// The wavelet.
        wavelet: String,
        /// Number of levels.
        levels: usize,
        /// The element type.
        element: Element,
    },
    /// The text does not parse: a defect of the writer. The text shows where.
    #[error("the generated text does not parse ({reason}):\n{text}")]
    Unparsable {
        /// What the parser says.
        reason: String,
        /// The text.
        text: String,
    },
}

/// More operations than this are not unrolled into one kernel.
const MOST_OPERATIONS: usize = 20_000;

/// Everything that stands in the way of writing a request, not only the first.
pub fn problems(request: &Request) -> Vec<EmitError> {
    let mut problems = Vec::new();
    let mut note = |problem: Option<EmitError>| problems.extend(problem);
    let dims_legal = (1..=3).contains(&request.dims);
    note((!dims_legal).then_some(EmitError::Dimensions { dims: request.dims }));
    let most = Decomposition::MOST_LEVELS;
    let levels_legal = request.levels <= most;
    note((!levels_legal).then_some(EmitError::Levels { levels: request.levels }));
    let mut check = |what: &'static str, name: &str, legal: bool| {
        note((!legal).then(|| EmitError::Name { what, name: name.to_owned() }));
    };
    check("type", &request.name, syn::parse_str::<syn::Ident>(&request.name).is_ok());
    let module = syn::parse_str::<syn::Ident>(&request.support).is_ok();
    check("module", &request.support, module && request.support != request.name);
    let visibility = &request.visibility;
    check("visibility", visibility, syn::parse_str::<syn::Visibility>(visibility).is_ok());
    for path in [&request.ndarray, &request.library].into_iter().flatten() {
        check("path", path, syn::parse_str::<syn::Path>(path).is_ok());
    }
    note(geometry::items(&request.wavelet.frame(), request.mode).err().map(EmitError::Mode));
    let fits = request.element.is_integer() == request.wavelet.is_rounded();
    let element = LowerError::Element { element: request.element };
    note((!fits).then_some(EmitError::Pipeline(PipelineError::Lower(element))));
    if dims_legal {
        let written = operations(request).and_then(|all| check_size(request, &all));
        let known = |error: &EmitError| {
            matches!(error, EmitError::Pipeline(PipelineError::Lower(LowerError::Element { .. })))
        };
        note(written.err().filter(|error| !known(error)));
        let room = if levels_legal { bound(request) } else { None };
        note((room == Some(0)).then(|| EmitError::NoRoom {
            wavelet: request.wavelet.name().to_owned(),
            levels: request.levels,
            element: request.element,
        }));
    }
    problems
}

/// The kernels of all operations.
pub(super) fn operations(request: &Request) -> Result<Vec<Prepared>, EmitError> {
    let Request { wavelet, scheme, dims, element, .. } = request;
    // Asked first for all axes, so that a kind that does not exist there is refused.
    let whole = wavelet.scheme(*scheme, *dims)?;
    let line = match scheme.is_nonseparable() {
        false => wavelet.scheme(scheme.one_dimensional(), 1)?,
        true => whole,
    };
    let contraction = match request.fuses() {
        true => Contraction::Fused,
        false => Contraction::Separate,
    };
    let target = Target { contraction, ..Target::rust() };
    Plan::operations(line.is_rounded())
        .iter()
        .map(|operation| Ok(prepare(&line, *operation, *element, &target)?))
        .collect()
}

/// The largest legal input, for integers.
pub(super) fn bound(request: &Request) -> Option<i64> {
    let Request { wavelet, dims, levels, mode, element, .. } = request;
    bound::largest_input(wavelet, *dims, *levels, *mode, *element)
}

fn check_size(request: &Request, operations: &[Prepared]) -> Result<(), EmitError> {
    let largest = operations.iter().map(|one| one.counts().operations()).max().unwrap_or_default();
    // A multiply-add that the text does not fuse counts twice.
    let limit = MOST_OPERATIONS * if request.fuses() { 1 } else { 2 };
    if largest <= limit {
        return Ok(());
    }
    Err(EmitError::TooManyOperations {
        scheme: request.scheme,
        dims: request.dims,
        operations: largest,
        limit,
        alternative: match request.scheme {
            SchemeKind::NonseparableLifting => SchemeKind::SeparableLifting,
            _ => SchemeKind::SeparableConvolution,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wider_than_the_widest_type_is_advised() {
        let refusal = |element| {
            EmitError::NoRoom { wavelet: "mine".to_owned(), levels: 60, element }.to_string()
        };
        let overflow =
            |name: &str| format!("60 levels of mine can overflow {name} whatever the input");
        assert_eq!(
            refusal(Element::I32),
            format!("{}; a wider element type is needed", overflow("i32"))
        );
        assert_eq!(refusal(Element::I64), format!("{}; fewer levels are needed", overflow("i64")));
    }
}
