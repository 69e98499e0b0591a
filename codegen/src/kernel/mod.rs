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

mod cost;
mod gains;
mod lower;
mod margin;
mod pipeline;
mod place;
mod segment;
mod stage;
mod text;

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

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Signal => Side::Bands,
            Side::Bands => Side::Signal,
        }
    }
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
        self.input().other()
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

/// The region around a tile where values are needed: a tile of pairs `first..end` becomes
/// `first - before .. end + after`, per axis. Either may be negative (delays of a scheme shift whole
/// regions), but their sum never is.
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

/// One new value: `plane[k + offset] = Σ terms`; or, when `increment` is set,
/// `plane[k + offset] += Σ terms`; or, when rounded (always an increment),
/// `plane[k + offset] ±= floor((Σ n_i term_i + rounding.offset) / 2^shift)` with integers
/// `n_i = coefficient · 2^shift`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The plane written.
    pub plane: usize,
    /// Where it is written.
    pub offset: Exponent,
    /// What is summed, ordered by plane, then offset.
    pub terms: Vec<Term>,
    /// Whether the sum is added to the old value at the written place.
    pub increment: bool,
    /// Rounding, for integer transforms: offset, shift, and whether the increment is subtracted.
    pub rounding: Option<UpdateRounding>,
}

/// Rounding of an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateRounding {
    /// Offset and shift.
    pub rounding: Rounding,
    /// Subtract the rounded increment instead of adding it. `terms` then hold the sum's own
    /// coefficients, not their negatives.
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
    /// How values arrive at the cut before it; for the first segment, how the load hands them out.
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
    /// One per channel, in the order of the scheme's rows: the bands, or the signal's phases.
    pub outputs: Vec<Output>,
    /// What must be loaded around the tile.
    pub halo: Margin,
    /// How far beyond the tiles of the *input's own extent* an adjoint reaches: outputs exist at
    /// pairs `first - before .. end + after` of a line whose inputs are pairs `first..end`.
    pub spread: Margin,
}

impl Kernel {
    /// Number of planes, `2^axes`.
    pub fn planes(&self) -> usize {
        1 << self.axes
    }

    /// Whether `segment` may overwrite planes where they stand: nobody but the position that writes
    /// a value reads it in the segment.
    pub fn segment_in_place(segment: &Segment) -> bool {
        let writes = || segment.steps.iter().flat_map(|step| &step.updates);
        let reads = segment.steps.iter().flat_map(|step| &step.updates).flat_map(|u| &u.terms);
        reads
            .into_iter()
            .all(|term| writes().all(|w| w.plane != term.plane || w.offset == term.offset))
    }

    /// The same kernel of lines that run backwards: pair `k` of every plane stands at `-k`. Sums keep their
    /// order, so that every value is the same.
    pub fn backwards(&self) -> Self {
        let mut kernel = self.clone();
        let turn = |offset: &mut Exponent| offset.iter_mut().for_each(|e| *e = -*e);
        let swap = |margin: &mut Margin| std::mem::swap(&mut margin.before, &mut margin.after);
        for step in kernel.segments.iter_mut().flat_map(|segment| &mut segment.steps) {
            for update in &mut step.updates {
                turn(&mut update.offset);
                update.terms.iter_mut().for_each(|term| turn(&mut term.offset));
            }
            swap(&mut step.margin);
        }
        kernel.outputs.iter_mut().for_each(|output| turn(&mut output.offset));
        swap(&mut kernel.halo);
        swap(&mut kernel.spread);
        kernel
    }

    /// All steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.segments.iter().flat_map(|segment| &segment.steps)
    }
}

pub use cost::Cost;
pub use gains::Gains;
pub use lower::{LowerError, lower};
pub use pipeline::{Pipeline, PipelineTerm, PipelineUpdate, Stream};
