//! What the target does in one instruction: multiply-add, and constants with a sign.
//!
//! * `b + c·a -> muladd(c, a, b)`, `b - c·a -> muladd(-c, a, b)`, `c·a - b -> muladd(c, a, -b)`:
//!   only where the product has no other user, so that it disappears. On float targets the result is
//!   rounded once instead of twice; on integers nothing changes.
//! * `-(c·a) -> (-c)·a`, where the product has no other user: the sign costs nothing in a constant.
//!
//! Contraction is a property of the target, not of the graph: CUDA text says `fmaf`, Rust does not
//! (outside functions dispatched for FMA a `mul_add` is a slow call). Runs after factoring.

use super::graph::Graph;
use super::{Coefficient, Dag, Node, NodeId};

/// Whether the target multiplies and adds in one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contraction {
    /// It does, and that is what shall be written.
    Fused,
    /// Multiplications and additions stay apart.
    Separate,
}

/// Applies the rules above until none applies: a product that went into one sum may leave another
/// with a single user.
pub fn contract(dag: &Dag, contraction: Contraction) -> Dag {
    let mut current = dag.clone();
    loop {
        let next = contracted_once(&current, contraction);
        if next == current {
            return current;
        }
        current = next;
    }
}

fn contracted_once(dag: &Dag, contraction: Contraction) -> Dag {
    let uses = dag.uses();
    let mut graph = Graph::default();
    let mut renamed: Vec<NodeId> = Vec::with_capacity(dag.nodes.len());
    for (_, node) in dag.program() {
        let lone = |id: NodeId| match dag.node(id) {
            Node::Mul(Coefficient(c), value) if uses[id.index()] == 1 => Some((c, value)),
            _ => None,
        };
        let fused = contraction == Contraction::Fused;
        let name = |id: NodeId| renamed[id.index()];
        let muladd = |graph: &mut Graph, c: f64, value: NodeId, addend: NodeId| {
            graph.intern(Node::MulAdd { factor: Coefficient(c), value: name(value), addend })
        };
        let id = match node {
            Node::Add(a, b) if fused && lone(b).is_some() => {
                lone(b).map(|(c, value)| muladd(&mut graph, c, value, name(a)))
            }
            Node::Add(a, b) if fused => {
                lone(a).map(|(c, value)| muladd(&mut graph, c, value, name(b)))
            }
            Node::Sub(a, b) if fused && lone(b).is_some() => {
                lone(b).map(|(c, value)| muladd(&mut graph, -c, value, name(a)))
            }
            Node::Sub(a, b) if fused => lone(a).map(|(c, value)| {
                let negative = graph.intern(Node::Neg(name(b)));
                muladd(&mut graph, c, value, negative)
            }),
            Node::Neg(a) => {
                lone(a).map(|(c, value)| graph.intern(Node::Mul(Coefficient(-c), name(value))))
            }
            _ => None,
        };
        let id = id.unwrap_or_else(|| graph.intern(node.map(name)));
        renamed.push(id);
    }
    let stores = dag.renamed_stores(&renamed);
    graph.finish(dag.element, dag.axes, stores)
}
