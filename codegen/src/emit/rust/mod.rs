//! Rust source: a self-contained module with one documented type.
//!
//! The text needs `core` only, and `alloc` unless its memory is lent. Constants and unrolled segments come from the graphs;
//! everything that does not depend on the wavelet (cutting into blocks, walking lines, levels) is
//! the same real code for all, kept in `support/`. Inner loops are written once, for whatever vectors
//! the compiler has; a text that may use this library has them compiled for several machines.
//! Elsewhere no `mul_add` is written: outside functions compiled for FMA it is a slow call.
//!
//! | stage | file |
//! |---|---|
//! | what is asked for, the scheme where none is, what cannot be | `request`, `choice`, `problem` |
//! | where planes lie along a line, and where segments run; sizes of blocks | `layout`, `blocks` |
//! | when segments run across lines, and what is carried | `schedule` |
//! | segments along a line, along a line in registers, across lines, in a box | `along`, `flow`, `across`, `segment` |
//! | their expressions | `expression` |
//! | kernels, constants, the public type | `kernel`, `transform`, `error`, `view` |
//! | ends and lengths | `extension`, `geometry` |
//! | what is the same for all | `support` |

mod across;
mod along;
mod blocks;
mod choice;
mod error;
mod expression;
mod extension;
mod flow;
mod geometry;
mod kernel;
mod layout;
mod problem;
mod request;
mod schedule;
mod segment;
mod support;
mod transform;
mod view;

pub use choice::vectorised_scheme;
pub use problem::{EmitError, problems};
pub use request::{Module, Request, module};

use super::literal;
use super::names;
use crate::kernel::{Element, Operation};
use crate::pipeline::Prepared;
use blocks::Blocks;
use proc_macro2::{Ident, Span, TokenStream};
use std::str::FromStr;

/// Everything that is decided before the first token is written.
pub(crate) struct Plan {
    /// Documentation of the type.
    docs: Vec<String>,
    element: Element,
    dims: usize,
    levels: usize,
    /// Axes one after another, or all at once.
    separable: bool,
    /// Whether the forward transform begins with the last axis, and whether the inverse does.
    last_first: [bool; 2],
    operations: Vec<Prepared>,
    buffers: usize,
    blocks: Blocks,
    /// Places by which planes are moved, if vectors pass through the stages of a line in registers.
    flow: Option<usize>,
    /// The lines that a separable transform of several axes holds.
    ring: Option<Ring>,
    /// The largest legal input of an integer transform.
    bound: Option<i64>,
    /// Whether memory is allocated; or else it is lent.
    allocates: bool,
    /// Path of the ndarray crate, if views are wanted.
    views: Option<TokenStream>,
    /// Path of this library, if its loops for the machine at hand are wanted.
    library: Option<TokenStream>,
}

/// Lines along an axis that is not the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// Lines of each phase that a pair reads.
    window: usize,
    /// Lines that are carried from one pair to the next.
    carried: usize,
    /// Pairs in one loop.
    pairs: usize,
}

impl Plan {
    /// The operations that exist: an integer transform with rounding has no adjoints.
    fn operations(rounded: bool) -> &'static [Operation] {
        if rounded { &[Operation::Forward, Operation::Inverse] } else { &Operation::ALL }
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// A literal of the element type, without suffix.
fn number(element: Element, value: f64) -> TokenStream {
    TokenStream::from_str(&literal::text(element, value))
        .expect("a decimal literal with an optional sign is a list of tokens")
}
