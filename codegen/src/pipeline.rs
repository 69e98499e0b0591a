//! From a scheme to what a writer writes: the list of stages, each of which prints.
//!
//! | stage | what | file |
//! |---|---|---|
//! | kernel | planes, steps, segments, margins | [`kernel::lower()`](crate::kernel::lower()) |
//! | graphs | every segment as expressions of values at its start | [`dag::build`](crate::dag::build) |
//! | passes | signs, factoring, contraction, order | [`dag`] |

use crate::dag::build::{DagError, HERE};
use crate::dag::{self, Contraction, Counts, Dag};
use crate::kernel::{Element, Exchange, Kernel, LowerError, Operation, lower};
use waveloom_wavelets::Scheme;
use waveloom_wavelets::algebra::Exponent;

/// What a target decides about graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// How values arrive at cuts.
    pub exchange: Exchange,
    /// Whether multiplications and additions are fused.
    pub contraction: Contraction,
    /// The pairs that one thread (or one SIMD lane) computes at once, relative to `k`.
    pub positions: Vec<Exponent>,
}

impl Target {
    /// Rust: planes in cache, one pair per lane. What may be fused is where a function is compiled for
    /// that; elsewhere it is a product and a sum.
    pub fn rust() -> Self {
        Self { exchange: Exchange::Shared, contraction: Contraction::Fused, positions: vec![HERE] }
    }
}

/// A kernel with the graph of each of its segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The kernel.
    pub kernel: Kernel,
    /// One graph per segment, all passes done.
    pub graphs: Vec<Dag>,
}

/// Why a scheme cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PipelineError {
    /// It cannot become a kernel.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The kernel cannot be written in its element type.
    #[error(transparent)]
    Graph(#[from] DagError),
}

/// Runs the stages.
pub fn prepare(
    scheme: &Scheme,
    operation: Operation,
    element: Element,
    target: &Target,
) -> Result<Prepared, PipelineError> {
    let kernel = lower(scheme, operation, element, target.exchange)?;
    let graphs = (0..kernel.segments.len())
        .map(|index| {
            let built = Dag::segment(&kernel, index, &target.positions)?;
            let simple = dag::simplify(&built);
            let factored = dag::factor(&simple);
            let contracted = dag::contract(&factored, target.contraction);
            Ok(dag::schedule(&contracted))
        })
        .collect::<Result<Vec<Dag>, DagError>>()?;
    Ok(Prepared { kernel, graphs })
}

impl Prepared {
    /// What one position of all segments costs.
    pub fn counts(&self) -> Counts {
        self.graphs.iter().map(Dag::counts).fold(Counts::default(), |sum, one| sum + one)
    }
}
