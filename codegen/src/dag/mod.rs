//! Scalar expression graphs: what one position of a segment computes.
//!
//! A [`Dag`] describes straight-line code for one position `k` of a tile (or for several: see
//! *positions* below). Its **leaves** are [`Node::Value`]s: plane values at fixed offsets from `k`,
//! *as they stood when the segment began*. Whether such a leaf is a load, a read of shared memory, a
//! shuffle or a register carried from an earlier iteration is the mapping's business; it may be
//! evaluated at any time before the first store to that place. Its **stores** say which plane values
//! the segment leaves behind. Everything between is pure: nodes may be evaluated in any order that
//! respects operands, and [`schedule()`] chooses one.
//!
//! Nodes are *hash-consed*: equal expressions are one node. Operands stand before their users in
//! [`Dag::nodes`], so the list is a program.
//!
//! All multiplications are by constants of the scheme. In integer kernels every coefficient is an
//! integer, arithmetic is the element type's own (the growth of the scheme is proved elsewhere), and
//! [`Node::FloorShift`] is the only operation that rounds; nothing is ever moved across it.
//!
//! **Positions.** Offsets of leaves and stores are relative to `k`. A thread that owns several pairs
//! asks for several positions at once and gets one graph in which everything common is shared.
//!
//! The passes, in order; each is a function from `Dag` to `Dag` in its own file:
//!
//! 1. [`build`](mod@build): steps composed symbolically;
//! 2. [`simplify()`]: signs, zeros, ones;
//! 3. [`factor()`]: `c·a + c·b -> c·(a + b)`;
//! 4. [`contract()`]: multiply-add, if the target has it, and signs into constants;
//! 5. [`schedule()`]: an order with few live values; drops what is not needed.

pub mod build;
mod contract;
mod count;
mod display;
mod evaluate;
mod factor;
mod graph;
mod schedule;
mod simplify;

pub use build::DagError;
pub use contract::{Contraction, contract};
pub use count::Counts;
pub use factor::factor;
pub use schedule::schedule;
pub use simplify::simplify;

use crate::kernel::Element;
use std::cmp::Ordering;
use waveloom_wavelets::algebra::Exponent;

/// A value of a plane relative to the position: `plane[k + offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which plane.
    pub plane: usize,
    /// Where, relative to `k`.
    pub offset: Exponent,
}

/// A constant factor. Ordered and compared by its bits, so that graphs are deterministic; rounding to
/// the element type happens when it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient(pub f64);

impl PartialEq for Coefficient {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Coefficient {}

impl PartialOrd for Coefficient {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coefficient {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Position of a node in [`Dag::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node's index in [`Dag::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One scalar operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A plane value as it stood when the segment began.
    Value(Place),
    /// The constant 0.
    Zero,
    /// Sum.
    Add(NodeId, NodeId),
    /// First minus second.
    Sub(NodeId, NodeId),
    /// Sign change.
    Neg(NodeId),
    /// Product with a constant.
    Mul(Coefficient, NodeId),
    /// `factor · value + addend`: on float targets one rounding (fused multiply-add), on integers a
    /// multiply-accumulate.
    MulAdd {
        /// The constant.
        factor: Coefficient,
        /// What it multiplies.
        value: NodeId,
        /// What is added.
        addend: NodeId,
    },
    /// `floor((value + offset) / 2^shift)`, integers only: an arithmetic right shift.
    FloorShift {
        /// The sum before the shift.
        value: NodeId,
        /// Added before the shift.
        offset: i64,
        /// Bits.
        shift: u32,
    },
}

impl Node {
    /// The operands, left to right.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let (first, second) = match *self {
            Node::Value(_) | Node::Zero => (None, None),
            Node::Neg(a) | Node::Mul(_, a) | Node::FloorShift { value: a, .. } => (Some(a), None),
            Node::Add(a, b) | Node::Sub(a, b) => (Some(a), Some(b)),
            Node::MulAdd { value, addend, .. } => (Some(value), Some(addend)),
        };
        first.into_iter().chain(second)
    }

    /// The same operation on other operands.
    pub(crate) fn map(&self, mut map: impl FnMut(NodeId) -> NodeId) -> Self {
        match *self {
            Node::Value(_) | Node::Zero => *self,
            Node::Neg(a) => Node::Neg(map(a)),
            Node::Mul(c, a) => Node::Mul(c, map(a)),
            Node::FloorShift { value, offset, shift } => {
                Node::FloorShift { value: map(value), offset, shift }
            }
            Node::Add(a, b) => Node::Add(map(a), map(b)),
            Node::Sub(a, b) => Node::Sub(map(a), map(b)),
            Node::MulAdd { factor, value, addend } => {
                Node::MulAdd { factor, value: map(value), addend: map(addend) }
            }
        }
    }
}

/// A value that the segment leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Store {
    /// Where. In a graph made by [`Dag::outputs`], `plane` is the output channel instead.
    pub place: Place,
    /// What.
    pub value: NodeId,
}

/// A scalar expression graph. See the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Dag {
    pub(crate) element: Element,
    pub(crate) axes: usize,
    pub(crate) nodes: Vec<Node>,
    pub(crate) stores: Vec<Store>,
}

impl Dag {
    /// Element type of every node.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Number of axes that offsets use.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The nodes, operands before users.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of an id.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// Every node with its id, in program order.
    pub fn program(&self) -> impl Iterator<Item = (NodeId, Node)> + '_ {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), *node))
    }

    /// What is left behind, by place.
    pub fn stores(&self) -> &[Store] {
        &self.stores
    }

    /// The places read, in program order.
    pub fn leaves(&self) -> impl Iterator<Item = Place> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Value(place) => Some(*place),
            _ => None,
        })
    }

    /// How often each node is used, stores included.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        for operand in self.nodes.iter().flat_map(Node::operands) {
            uses[operand.index()] += 1;
        }
        for store in &self.stores {
            uses[store.value.index()] += 1;
        }
        uses
    }

    /// All passes after [`build`](mod@build), in order.
    pub fn optimised(&self, contraction: Contraction) -> Dag {
        let simple = simplify(self);
        let factored = factor(&simple);
        let contracted = contract(&factored, contraction);
        schedule(&contracted)
    }
}
