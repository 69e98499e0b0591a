//! What can go wrong, one type per stage.

use crate::device::DeviceError;
use crate::packing::PackError;
use waveloom_codegen::Element;
use waveloom_codegen::gpu::ProgramError;
use waveloom_codegen::kernel::LowerError;
use waveloom_wavelets::Mode;
use waveloom_wavelets::algebra::MAX_AXES;
use waveloom_wavelets::geometry::GeometryError;
use waveloom_wavelets::scheme::SchemeError;

/// Why a plan cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Coefficients cannot stand where the strategy leaves them.
    #[error(transparent)]
    Packing(#[from] PackError),
    /// Nothing to transform.
    #[error("at least one axis must be transformed; the array is {dims}-D")]
    NoAxes {
        /// Dimensions of the array.
        dims: usize,
    },
    /// More axes than kernels exist for.
    #[error(
        "at most {MAX_AXES} axes can be transformed at once, got {got}; name those to be transformed"
    )]
    TooManyAxes {
        /// How many were asked for.
        got: usize,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} does not exist: the array is {dims}-D")]
    AxisOutOfRange {
        /// What was asked for.
        axis: usize,
        /// Dimensions of the array.
        dims: usize,
    },
    /// The same axis twice.
    #[error("axis {axis} is listed twice")]
    DuplicateAxis {
        /// Which.
        axis: usize,
    },
    /// More elements than memory can hold.
    #[error("an array of shape {shape:?} with its coefficients is larger than any memory")]
    TooLarge {
        /// The signal's shape.
        shape: Vec<usize>,
    },
    /// A thread count of 0, or a pool that the system refused.
    #[error("{count} threads cannot be had: {reason}")]
    Threads {
        /// How many were asked for.
        count: usize,
        /// Why not.
        reason: String,
    },
    /// An integer lifting whose numbers are too large for the element type.
    #[error(
        "the lifting multiplies by numbers up to {largest}, too large for {element}; {}",
        wider(element)
    )]
    Coefficients {
        /// The largest.
        largest: f64,
        /// The element type.
        element: &'static str,
    },
    /// Band shapes that no signal has.
    #[error("band {key}: {problem}")]
    Band {
        /// The band's key.
        key: String,
        /// What was expected and what came.
        problem: String,
    },
    /// The shape, mode, origin or level count.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The wavelet has no such scheme.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scheme and the element type do not fit, or a kernel cannot be made.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The scheme and the mapping to blocks of a card do not fit.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A text from when the program was built cannot be used.
    #[error("the generated CUDA cannot be used: {reason}; build the program anew")]
    Generated {
        /// Why not.
        reason: String,
    },
    /// The card cannot compile or hold it.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Why a plan cannot be executed on the data given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExecuteError {
    /// Coefficients that cannot be rearranged.
    #[error(transparent)]
    Packing(#[from] PackError),
    /// A slice or array of the wrong size.
    #[error("{what}: expected {expected} values, got {got}")]
    Length {
        /// Which argument.
        what: &'static str,
        /// What the plan needs.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// An array of the wrong shape.
    #[error("{what}: expected shape {expected:?}, got {got:?}")]
    Shape {
        /// Which argument.
        what: String,
        /// What the plan needs.
        expected: Vec<usize>,
        /// What came.
        got: Vec<usize>,
    },
    /// A band that the plan does not have.
    #[error("no band is named {key}; expected one of {}", known.join(", "))]
    UnknownBand {
        /// What was asked for.
        key: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Coefficients of a plan with other bands.
    #[error("the coefficients belong to a plan with other bands")]
    ForeignCoefficients,
    /// A workspace that another plan made.
    #[error("the workspace belongs to another plan; make one with this plan's workspace()")]
    ForeignWorkspace,
    /// Rounded transforms are not linear.
    #[error("an integer transform with rounding is not linear: it has no adjoint")]
    NoAdjoint,
    /// Values for which intermediate results could leave the integer type.
    #[error(
        "values up to {largest} could overflow {element}: with mode {mode} and {} {}",
        counted(*levels), remedy(*bound, element)
    )]
    CouldOverflow {
        /// Largest magnitude found.
        largest: u64,
        /// Largest magnitude proved safe; 0 if none is, because the mode's extension may grow by more
        /// than the type holds.
        bound: i64,
        /// The element type.
        element: &'static str,
        /// The extension mode.
        mode: Mode,
        /// Number of levels.
        levels: usize,
    },
    /// Coefficients whose reconstruction leaves the integer type.
    #[error("the reconstruction of these coefficients overflows {element}; {}", wider(element))]
    Overflow {
        /// The element type.
        element: &'static str,
    },
    /// A card cannot do it; outputs are as they were.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

fn counted(levels: usize) -> String {
    if levels == 1 { "1 level".to_owned() } else { format!("{levels} levels") }
}

fn remedy(bound: i64, element: &str) -> String {
    match bound {
        0 => {
            let or_wider = if is_widest(element) { "" } else { ", or a wider type" };
            format!("no value is proved safe; use fewer levels or another mode{or_wider}")
        }
        bound => format!("at most {bound} is safe; {}", wider(element)),
    }
}

fn is_widest(element: &str) -> bool {
    element == Element::I64.name()
}

/// What helps against an element type that is too narrow.
fn wider(element: &str) -> &'static str {
    match is_widest(element) {
        true => "there is no wider type; expected smaller numbers",
        false => "use a wider type",
    }
}
