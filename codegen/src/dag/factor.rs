//! Factoring of symmetric taps: `c·a + c·b -> c·(a + b)`, `c·a - c·b -> c·(a - b)`.
//!
//! A *sum* is a tree of additions, subtractions and sign changes whose inner nodes nobody else uses.
//! Its terms are grouped by the magnitude of their coefficient; a group of `n` terms costs one
//! multiplication instead of `n` and as many additions as before. Products that are used elsewhere
//! as well stay as they are, so no rewrite makes code worse. Sums without a group of two are left
//! untouched. The pairs `a + b` that appear are often common to several sums, and hash-consing then
//! shares them. Nothing moves across a floor: it is a term like any other.
//!
//! In floating point the result differs from the unfactored sum by roundings of the same size. Runs
//! after [`simplify`](super::simplify()) (coefficients are positive) and before contraction, which
//! would hide the products.

use super::graph::Graph;
use super::simplify::simple;
use super::{Coefficient, Dag, Node, NodeId};
use std::collections::BTreeMap;

/// Factors every sum, until there is nothing left to factor: a factored sum may have become part of
/// a larger one. Doing it again changes nothing.
pub fn factor(dag: &Dag) -> Dag {
    let mut current = dag.clone();
    loop {
        let next = factored_once(&current);
        if next.counts().multiplications >= current.counts().multiplications {
            return current;
        }
        current = next;
    }
}

fn factored_once(dag: &Dag) -> Dag {
    let uses = dag.uses();
    let inner = inner_nodes(dag, &uses);
    let mut graph = Graph::default();
    let mut renamed: Vec<NodeId> = Vec::with_capacity(dag.nodes.len());
    for (id, node) in dag.program() {
        let root = is_sum(&node) && !inner[id.index()];
        let groups = if root { groups(dag, id, &uses, &inner) } else { Vec::new() };
        let worthwhile = groups.iter().any(|(c, members)| members.len() > 1 && c.0 != 1.0);
        let new = match worthwhile {
            true => factored(&mut graph, groups, &renamed),
            false => graph.intern(node.map(|operand| renamed[operand.index()])),
        };
        renamed.push(new);
    }
    let stores = dag.renamed_stores(&renamed);
    graph.finish(dag.element, dag.axes, stores)
}

fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Add(..) | Node::Sub(..) | Node::Neg(_))
}

/// Sum nodes whose only user is a sum: the inside of a tree.
fn inner_nodes(dag: &Dag, uses: &[usize]) -> Vec<bool> {
    let mut inner = vec![false; dag.nodes.len()];
    for node in dag.nodes.iter().filter(|node| is_sum(node)) {
        for operand in node.operands() {
            inner[operand.index()] = uses[operand.index()] == 1 && is_sum(&dag.node(operand));
        }
    }
    inner
}

/// `±value`: whether it is subtracted, and what.
type Signed = (bool, NodeId);

/// The terms of the sum at `root` by the magnitude of their coefficient: unit coefficients first (so
/// that they start the sum), then in order of first appearance. Walks with its own stack: sums are
/// as deep as filters are long.
fn groups(
    dag: &Dag,
    root: NodeId,
    uses: &[usize],
    inner: &[bool],
) -> Vec<(Coefficient, Vec<Signed>)> {
    let mut groups: Vec<(Coefficient, Vec<Signed>)> = vec![(Coefficient(1.0), Vec::new())];
    let mut known: BTreeMap<Coefficient, usize> = BTreeMap::from([(Coefficient(1.0), 0)]);
    let mut open = vec![(root, false)];
    while let Some((id, negative)) = open.pop() {
        let node = dag.node(id);
        if id == root || inner[id.index()] {
            let mut operands = node.operands();
            let first = operands.next().map(|a| (a, negative != matches!(node, Node::Neg(_))));
            let second = operands.next().map(|b| (b, negative != matches!(node, Node::Sub(..))));
            open.extend(second.into_iter().chain(first));
            continue;
        }
        let (coefficient, value) = match node {
            Node::Mul(coefficient, value) if uses[id.index()] == 1 => (coefficient, value),
            _ => (Coefficient(1.0), id),
        };
        let group = *known.entry(coefficient).or_insert(groups.len());
        if group == groups.len() {
            groups.push((coefficient, Vec::new()));
        }
        groups[group].1.push((negative, value));
    }
    groups
}

fn factored(
    graph: &mut Graph,
    groups: Vec<(Coefficient, Vec<Signed>)>,
    renamed: &[NodeId],
) -> NodeId {
    let mut whole: Vec<Signed> = Vec::new();
    for (coefficient, members) in groups {
        let members = members.into_iter().map(|(sign, value)| (sign, renamed[value.index()]));
        if coefficient == Coefficient(1.0) {
            whole.extend(members);
            continue;
        }
        // The first member decides the sign of the group.
        let members: Vec<Signed> = members.collect();
        let negative = members.first().is_some_and(|(negative, _)| *negative);
        let inside: Vec<Signed> = members.iter().map(|(s, v)| (*s != negative, *v)).collect();
        let inside = signed_sum(graph, &inside);
        whole.push((negative, simple(graph, Node::Mul(coefficient, inside))));
    }
    signed_sum(graph, &whole)
}

/// `Σ ±value`, left to right from the first positive term on; if there is none, `-(Σ value)`.
fn signed_sum(graph: &mut Graph, terms: &[Signed]) -> NodeId {
    let all_negative = terms.iter().all(|(negative, _)| *negative);
    let start = terms.iter().position(|(negative, _)| *negative == all_negative).unwrap_or(0);
    let Some((_, first)) = terms.get(start) else { return graph.intern(Node::Zero) };
    let mut sum = *first;
    for (index, (negative, value)) in terms.iter().enumerate() {
        if index != start {
            let subtract = *negative != all_negative;
            let node = if subtract { Node::Sub(sum, *value) } else { Node::Add(sum, *value) };
            sum = simple(graph, node);
        }
    }
    if all_negative { simple(graph, Node::Neg(sum)) } else { sum }
}
