//! Signs, zeros and ones.
//!
//! Each rule is an identity of exact arithmetic that also holds in rounded arithmetic, up to the sign
//! of a zero: it changes no rounding. No rule adds an operation. Signs are pushed *up*, out of
//! products and into sums, so that `c·x` and `-c·x` share one multiplication; constants are positive
//! afterwards. Run before [`factor`](super::factor()), which relies on it.

use super::graph::Graph;
use super::{Coefficient, Dag, Node, NodeId};

/// Applies the rules to every node, operands first. Doing it again changes nothing.
pub fn simplify(dag: &Dag) -> Dag {
    dag.rewritten(simple)
}

/// The simplest node equal to `node`, whose operands are simple already.
pub(super) fn simple(graph: &mut Graph, node: Node) -> NodeId {
    match node {
        Node::Value(_) | Node::Zero => graph.intern(node),
        Node::Neg(a) => negated(graph, a),
        Node::Mul(Coefficient(c), a) => product(graph, c, a),
        Node::Add(a, b) => match (graph.node(a), graph.node(b)) {
            // x + 0 = x
            (Node::Zero, _) => b,
            (_, Node::Zero) => a,
            // (-a) + (-b) = -(a + b)
            (Node::Neg(a), Node::Neg(b)) => {
                let sum = simple(graph, Node::Add(a, b));
                negated(graph, sum)
            }
            // a + (-b) = a - b
            (_, Node::Neg(b)) => simple(graph, Node::Sub(a, b)),
            (Node::Neg(a), _) => simple(graph, Node::Sub(b, a)),
            _ => graph.intern(node),
        },
        Node::Sub(a, b) => match (graph.node(a), graph.node(b)) {
            // x - 0 = x,  0 - x = -x
            (_, Node::Zero) => a,
            (Node::Zero, _) => negated(graph, b),
            // (-a) - (-b) = b - a
            (Node::Neg(a), Node::Neg(b)) => simple(graph, Node::Sub(b, a)),
            // a - (-b) = a + b
            (_, Node::Neg(b)) => simple(graph, Node::Add(a, b)),
            // (-a) - b = -(a + b)
            (Node::Neg(a), _) => {
                let sum = simple(graph, Node::Add(a, b));
                negated(graph, sum)
            }
            _ => graph.intern(node),
        },
        // c·a + 0 = c·a,  c·0 + b = 0·a + b = b,  1·a + b = a + b,  -1·a + b = b - a
        Node::MulAdd { factor: Coefficient(c), value, addend } => {
            match (graph.node(value), graph.node(addend)) {
                (_, Node::Zero) => product(graph, c, value),
                (Node::Zero, _) => addend,
                _ if c == 0.0 => addend,
                _ if c == 1.0 => simple(graph, Node::Add(value, addend)),
                _ if c == -1.0 => simple(graph, Node::Sub(addend, value)),
                _ => graph.intern(node),
            }
        }
        // floor((x + 0) / 1) = x
        Node::FloorShift { value, offset: 0, shift: 0 } => value,
        Node::FloorShift { .. } => graph.intern(node),
    }
}

fn negated(graph: &mut Graph, a: NodeId) -> NodeId {
    match graph.node(a) {
        // -0 = 0,  -(-x) = x,  -(a - b) = b - a
        Node::Zero => a,
        Node::Neg(inner) => inner,
        Node::Sub(first, second) => graph.intern(Node::Sub(second, first)),
        _ => graph.intern(Node::Neg(a)),
    }
}

fn product(graph: &mut Graph, c: f64, a: NodeId) -> NodeId {
    let inner = graph.node(a);
    match inner {
        // 0·x = c·0 = 0,  1·x = x,  -1·x = -x
        _ if c == 0.0 => graph.intern(Node::Zero),
        Node::Zero => a,
        _ if c == 1.0 => a,
        // (-c)·x = -(c·x)
        _ if c < 0.0 => {
            let positive = product(graph, -c, a);
            negated(graph, positive)
        }
        // c·(-x) = -(c·x)
        Node::Neg(x) => {
            let positive = product(graph, c, x);
            negated(graph, positive)
        }
        _ => graph.intern(Node::Mul(Coefficient(c), a)),
    }
}
