//! Hash-consing: equal expressions become one node.

use super::{Dag, Node, NodeId, Store};
use crate::kernel::Element;
use std::collections::BTreeMap;

/// A graph under construction. Operands are always older than their users.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    index: BTreeMap<Node, NodeId>,
}

impl Graph {
    /// The id of `node`. `a + b` and `b + a` round alike and are one node, written as it was met
    /// first.
    pub fn intern(&mut self, node: Node) -> NodeId {
        let key = match node {
            Node::Add(a, b) if b < a => Node::Add(b, a),
            other => other,
        };
        if let Some(id) = self.index.get(&key) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.index.insert(key, id);
        id
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The finished graph, without what no store needs.
    pub fn finish(self, element: Element, axes: usize, stores: Vec<Store>) -> Dag {
        Dag { element, axes, nodes: self.nodes, stores }.swept()
    }
}

impl Dag {
    /// Rebuilds the graph node by node, operands first. `rule` gets every node with its operands
    /// already rebuilt.
    pub(super) fn rewritten(&self, mut rule: impl FnMut(&mut Graph, Node) -> NodeId) -> Dag {
        let mut graph = Graph::default();
        let mut renamed: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let node = node.map(|operand| renamed[operand.index()]);
            let id = rule(&mut graph, node);
            renamed.push(id);
        }
        let stores = self.renamed_stores(&renamed);
        graph.finish(self.element, self.axes, stores)
    }

    /// The same program without the nodes that no store needs.
    pub(super) fn swept(self) -> Dag {
        let mut needed = vec![false; self.nodes.len()];
        for store in &self.stores {
            needed[store.value.index()] = true;
        }
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[index] {
                for operand in node.operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        let kept = (0..self.nodes.len()).filter(|index| needed[*index]);
        let order: Vec<NodeId> = kept.map(|index| NodeId(index as u32)).collect();
        self.reordered(&order)
    }

    /// The program in the given order; nodes that do not occur in it are dropped. Operands must stand
    /// before users.
    pub(super) fn reordered(&self, order: &[NodeId]) -> Dag {
        let mut renamed = vec![NodeId(0); self.nodes.len()];
        let mut nodes = Vec::with_capacity(order.len());
        for id in order {
            renamed[id.index()] = NodeId(nodes.len() as u32);
            nodes.push(self.node(*id).map(|operand| renamed[operand.index()]));
        }
        let stores = self.renamed_stores(&renamed);
        Dag { element: self.element, axes: self.axes, nodes, stores }
    }

    /// The stores, reading the nodes' new names.
    pub(super) fn renamed_stores(&self, renamed: &[NodeId]) -> Vec<Store> {
        let renamed = |store: &Store| Store { value: renamed[store.value.index()], ..*store };
        self.stores.iter().map(renamed).collect()
    }
}
