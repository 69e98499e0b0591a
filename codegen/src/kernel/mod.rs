//! Kernels: a scheme laid out over planes, with everything a mapping to threads must know.
//!
//! A kernel transforms a *tile*: a box of pair indices `k`, one range per axis. It
//!
//! 1. **loads** one *plane* per channel over the tile and its halo, extending the input beyond its
//!    ends. From a signal, plane `c` at `k` is the sample at frame position `2k + phase` on every
//!    axis; from bands, plane `c` at `k` is band `c`'s coefficient `k`;
//! 2. runs its **segments**. A segment is a list of steps that need no exchange between them; a cut
//!    stands before every segment but the first, and its [`Exchange`] says how neighbours' values
//!    arrive there. A step is a set of simultaneous updates, each a linear combination of plane
//!    values at fixed offsets, possibly rounded. Every segment has a *margin*: how far beyond the
//!    tile its results are needed by what follows;
//! 3. **stores** its outputs, each read off a plane at an offset: pure delays and swaps of a scheme
//!    never move data, they only change these offsets.
//!
//! The CPU's interpreter, the Rust writer and the CUDA writer all read this one description.

mod lower;
mod margin;
mod place;

use waveloom_wavelets::algebra::Exponent;
use waveloom_wavelets::lifting::Rounding;
use waveloom_wavelets::scheme::FactorKind;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Signal to bands.
    Forward,
    /// Bands to signal.
    Inverse,
    /// The adjoint of forward: bands to signal, folding the signal's extension.
    AdjointForward,
    /// The adjoint of inverse: signal to bands, folding the bands' extension.
    AdjointInverse,
}

/// The two forms of data at a level's ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Interleaved samples.
    Signal,
    /// Separate bands.
    Bands,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 4] = [
        Operation::Forward,
        Operation::Inverse,
        Operation::AdjointForward,
        Operation::AdjointInverse,
    ];

    /// Where values come from.
    pub fn input(self) -> Side {
        match self {
            Operation::Forward | Operation::AdjointInverse => Side::Signal,
            Operation::Inverse | Operation::AdjointForward => Side::Bands,
        }
    }

    /// Where values go to.
    pub fn output(self) -> Side {
        match self.input() {
            Side::Signal => Side::Bands,
            Side::Bands => Side::Signal,
        }
    }

    /// Whether the input is zero beyond its ends and the output's extension is folded back.
    pub fn is_adjoint(self) -> bool {
        matches!(self, Operation::AdjointForward | Operation::AdjointInverse)
    }
}

/// Element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// 16-bit integers, for rounded schemes.
    I16,
    /// 32-bit integers, for rounded schemes.
    I32,
    /// 64-bit integers, for rounded schemes.
    I64,
}

impl Element {
    /// Rust's name, used on the command line too.
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
        }
    }

    /// Bytes per value.
    pub fn bytes(self) -> usize {
        match self {
            Element::I16 => 2,
            Element::F32 | Element::I32 => 4,
            Element::F64 | Element::I64 => 8,
        }
    }

    /// Whether this is an integer type.
    pub fn is_integer(self) -> bool {
        matches!(self, Element::I16 | Element::I32 | Element::I64)
    }
}

/// How a thread (or a SIMD lane) gets its neighbours' values at a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exchange {
    /// Write to global memory; the next segment is another launch.
    Launch,
    /// No sharing: every thread reads its whole reach from global memory.
    Global,
    /// A tile with halo in fast memory (shared memory; on the CPU, planes in cache).
    Shared,
    /// Neighbours' values are computed again in registers.
    Recompute,
    /// Warp shuffles along this axis.
    Shuffle,
    /// The block walks along this axis with a sliding window in registers.
    Stream,
    /// Ownership changes through shared memory.
    Transpose,
}

/// How far beyond a tile values are needed: pairs before and after, per axis. Both are ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Margin {
    /// Pairs before the tile's first.
    pub before: Exponent,
    /// Pairs after the tile's last.
    pub after: Exponent,
}

/// `coefficient · plane[k + offset]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which plane.
    pub plane: usize,
    /// Where, relative to the position of the step.
    pub offset: Exponent,
    /// The factor.
    pub coefficient: f64,
}

/// One new value: `plane[k + offset] = Σ terms`, or, when rounded,
/// `plane[k + offset] ± floor((Σ n_i term_i + rounding.offset) / 2^shift)` with integers
/// `n_i = coefficient · 2^shift`, where the value's own old content is not among the terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The plane written.
    pub plane: usize,
    /// Where it is written.
    pub offset: Exponent,
    /// What is summed, in deterministic order. An own term with coefficient 1 at the written place
    /// makes this an increment.
    pub terms: Vec<Term>,
    /// Rounding, for integer transforms: offset, shift, and whether the increment is subtracted.
    pub rounding: Option<UpdateRounding>,
}

/// Rounding of an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateRounding {
    /// Offset and shift.
    pub rounding: Rounding,
    /// Subtract the rounded increment instead of adding it.
    pub subtract: bool,
}

/// Simultaneous updates: all terms are read before any value is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The factor it comes from.
    pub kind: FactorKind,
    /// The new values; each (plane, offset) occurs once.
    pub updates: Vec<Update>,
    /// Where the step's results are needed beyond the tile (positions `k`, not `k + offset`).
    pub margin: Margin,
    /// Whether a value may be overwritten where it stands: nobody but the position that writes it
    /// reads it in this step.
    pub in_place: bool,
}

/// Steps between two cuts.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// How values arrive at the cut before it (for the first segment: from the load).
    pub exchange: Exchange,
    /// In order.
    pub steps: Vec<Step>,
}

/// Where an output channel is read after the last step: `plane[k + offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The plane.
    pub plane: usize,
    /// The offset.
    pub offset: Exponent,
}

/// A scheme laid out over planes. See the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// What is computed.
    pub operation: Operation,
    /// Element type.
    pub element: Element,
    /// Number of axes of the tile, 1 to 3.
    pub axes: usize,
    /// Segments in order.
    pub segments: Vec<Segment>,
    /// One per channel.
    pub outputs: Vec<Output>,
    /// What must be loaded around the tile.
    pub halo: Margin,
}

impl Kernel {
    /// Number of planes, `2^axes`.
    pub fn planes(&self) -> usize {
        1 << self.axes
    }

    /// All steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.segments.iter().flat_map(|segment| &segment.steps)
    }
}

pub use lower::{LowerError, lower};
