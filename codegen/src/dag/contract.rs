//! What the target does in one instruction: multiply-add, and constants with a sign.
//!
//! * `b + c·a -> muladd(c, a, b)`, `b - c·a -> muladd(-c, a, b)`, `c·a - b -> muladd(c, a, -b)`:
//!   only where all users of the product are such sums, so that it disappears: what several neighbours
//!   have in common is not worth a multiplication of its own (in a sum of two products it is: equal ones
//!   shall cancel). On float targets the result is rounded once instead of twice; on integers nothing changes.
//! * `-(c·a) -> (-c)·a`, where the product has no other user: the sign costs nothing in a constant.
//!
//! Contraction is a property of the target, not of the graph: CUDA text says `fmaf`, Rust only where the library
//! chooses functions when they run (elsewhere a `mul_add` is a slow call). Runs after factoring.

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

/// Applies the rules above until none applies: nodes that have become equal are one, and a sum whose sign went
/// into a constant may take in what it did not before.
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
    let fused = contraction == Contraction::Fused;
    let taken = if fused { taken(dag, &uses) } else { vec![None; dag.nodes.len()] };
    let mut graph = Graph::default();
    let mut renamed: Vec<NodeId> = Vec::with_capacity(dag.nodes.len());
    for (id, node) in dag.program() {
        let name = |id: NodeId| renamed[id.index()];
        let product = |id: NodeId| match dag.node(id) {
            Node::Mul(Coefficient(c), value) => Some((c, name(value))),
            _ => None,
        };
        let muladd = |factor: f64, value: NodeId, addend: NodeId| Node::MulAdd {
            factor: Coefficient(factor),
            value,
            addend,
        };
        let product_of_sum = taken[id.index()].and_then(|id| Some((id, product(id)?)));
        let node = match (node, product_of_sum) {
            (Node::Add(a, b), Some((id, (c, value)))) => {
                muladd(c, value, name(if id == b { a } else { b }))
            }
            (Node::Sub(a, b), Some((id, (c, value)))) if id == b => muladd(-c, value, name(a)),
            (Node::Sub(_, b), Some((_, (c, value)))) => {
                let negative = graph.intern(Node::Neg(name(b)));
                muladd(c, value, negative)
            }
            (Node::Neg(a), _) if uses[a.index()] == 1 => match product(a) {
                Some((c, value)) => Node::Mul(Coefficient(-c), value),
                None => node.map(name),
            },
            _ => node.map(name),
        };
        renamed.push(graph.intern(node));
    }
    let stores = dag.renamed_stores(&renamed);
    graph.finish(dag.element, dag.axes, stores)
}

/// The product that each sum takes in: such that all users of a product do.
fn taken(dag: &Dag, uses: &[usize]) -> Vec<Option<NodeId>> {
    let mut goes: Vec<bool> = dag.nodes.iter().map(|node| matches!(node, Node::Mul(..))).collect();
    loop {
        let chosen: Vec<Option<NodeId>> = dag
            .nodes
            .iter()
            .map(|node| {
                let (Node::Add(a, b) | Node::Sub(a, b)) = *node else { return None };
                // First what this sum alone needs.
                let alone = |id: &NodeId| goes[id.index()] && uses[id.index()] == 1;
                // Two products are rounded alike, so that what is equal cancels.
                let both = [a, b].iter().all(|id| matches!(dag.node(*id), Node::Mul(..)));
                let shared = |id: &NodeId| goes[id.index()] && !both;
                [b, a].into_iter().find(alone).or_else(|| [b, a].into_iter().find(shared))
            })
            .collect();
        let mut taking = vec![0; dag.nodes.len()];
        for id in chosen.iter().flatten() {
            taking[id.index()] += 1;
        }
        let stays = |index: &usize| goes[*index] && taking[*index] < uses[*index];
        let staying: Vec<usize> = (0..goes.len()).filter(stays).collect();
        if staying.is_empty() {
            return chosen;
        }
        for index in staying {
            goes[index] = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::{Place, Store};
    use crate::kernel::{Element, Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn products(dag: &Dag) -> usize {
        dag.nodes.iter().filter(|node| matches!(node, Node::Mul(..))).count()
    }

    /// A step of lifting at neighbouring pairs, which have products in common.
    #[test]
    fn products_of_several_sums_disappear() {
        let wavelet = catalogue::wavelet("irr97").unwrap();
        let scheme = wavelet.scheme(SchemeKind::Lifting, 1).unwrap();
        let kernel = lower(&scheme, Operation::Forward, Element::F32, Exchange::Stream).unwrap();
        let pairs: Vec<[i32; 3]> = (0..4).map(|pair| [pair, 0, 0]).collect();
        let step = Dag::segment(&kernel, 0, &pairs).unwrap();
        let [fused, separate] =
            [Contraction::Fused, Contraction::Separate].map(|how| step.optimised(how));
        assert_eq!((products(&fused), fused.counts().operations()), (0, 8));
        assert!(products(&separate) > 0);
    }

    fn id(index: u32) -> NodeId {
        NodeId(index)
    }

    fn stored(nodes: Vec<Node>, values: &[u32]) -> Dag {
        let place = |plane: usize| Place { plane, offset: [0; 3] };
        let stores = values.iter().enumerate();
        let stores = stores.map(|(plane, value)| Store { place: place(plane), value: id(*value) });
        Dag { element: Element::F32, axes: 1, stores: stores.collect(), nodes }
    }

    fn value(plane: usize) -> Node {
        Node::Value(Place { plane, offset: [0; 3] })
    }

    #[test]
    fn products_with_other_users_stay() {
        let product = Node::Mul(Coefficient(3.0), id(0));
        let sums = [Node::Add(id(1), id(2)), Node::Sub(id(1), id(2))];
        let nodes = [vec![value(0), value(1), product], sums.to_vec()].concat();
        // Stored too, it is a value of its own; the sums alone do without it.
        let kept = contract(&stored(nodes.clone(), &[3, 4, 2]), Contraction::Fused);
        assert_eq!(products(&kept), 1);
        let gone = contract(&stored(nodes, &[3, 4]), Contraction::Fused);
        assert_eq!(products(&gone), 0);
        assert_eq!(gone.nodes.iter().filter(|n| matches!(n, Node::MulAdd { .. })).count(), 2);
    }

    /// A butterfly: both products are rounded alike, and cancel where they are equal.
    #[test]
    fn sums_of_two_shared_products_stay() {
        let product = |of| Node::Mul(Coefficient(3.0), id(of));
        let sums = [Node::Add(id(2), id(3)), Node::Sub(id(2), id(3))];
        let nodes = [vec![value(0), value(1), product(0), product(1)], sums.to_vec()].concat();
        let dag = stored(nodes, &[4, 5]);
        let made = contract(&dag, Contraction::Fused);
        assert_eq!((products(&made), made.nodes.len()), (2, dag.nodes.len()), "{made:?}");
    }
}
