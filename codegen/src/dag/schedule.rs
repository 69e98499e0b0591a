//! A deterministic order of evaluation with few live values.
//!
//! Stores are served one after another; below each, the operand that needs more registers is
//! evaluated first (Sethi and Ullman's rule, applied to a graph as if it were a tree), ties going to
//! the operand written first. A value is read where it is first used. Runs last: it only permutes.

use super::{Dag, NodeId};

/// The scheduled program; nodes that no store needs are dropped.
pub fn schedule(dag: &Dag) -> Dag {
    let need = registers(dag);
    let mut order: Vec<NodeId> = Vec::with_capacity(dag.nodes.len());
    let mut done = vec![false; dag.nodes.len()];
    // An own stack: (node, whether its operands are done). Chains are as long as the filters.
    let mut open: Vec<(NodeId, bool)> = Vec::new();
    for store in &dag.stores {
        open.push((store.value, false));
        while let Some((id, ready)) = open.pop() {
            if done[id.index()] {
                continue;
            }
            if ready {
                done[id.index()] = true;
                order.push(id);
                continue;
            }
            open.push((id, true));
            let mut operands: Vec<NodeId> = dag.node(id).operands().collect();
            // The last pushed is evaluated first; sorting is stable, so ties keep their order.
            operands.reverse();
            operands.sort_by_key(|operand| need[operand.index()]);
            open.extend(operands.into_iter().map(|operand| (operand, false)));
        }
    }
    dag.reordered(&order)
}

/// Sethi–Ullman numbers.
fn registers(dag: &Dag) -> Vec<u32> {
    let mut need: Vec<u32> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let mut operands = node.operands().map(|operand| need[operand.index()]);
        need.push(match (operands.next(), operands.next()) {
            (None, _) => 1,
            (Some(one), None) => one,
            (Some(a), Some(b)) if a == b => a + 1,
            (Some(a), Some(b)) => a.max(b),
        });
    }
    need
}
