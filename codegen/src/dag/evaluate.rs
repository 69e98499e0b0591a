//! Evaluation, for tests and for checking what a writer wrote.

use super::{Coefficient, Dag, Node, Place};

impl Dag {
    /// The stored values, in the order of [`Dag::stores`], in `f64` arithmetic. Floor shifts are
    /// floors of `f64` quotients, exact as long as the sums are below `2^53`.
    pub fn evaluate(&self, read: impl Fn(&Place) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |id: super::NodeId| values[id.index()];
            let value = match *node {
                Node::Value(place) => read(&place),
                Node::Zero => 0.0,
                Node::Add(a, b) => at(a) + at(b),
                Node::Sub(a, b) => at(a) - at(b),
                Node::Neg(a) => -at(a),
                Node::Mul(Coefficient(c), a) => c * at(a),
                Node::MulAdd { factor: Coefficient(c), value, addend } => {
                    c * at(value) + at(addend)
                }
                Node::FloorShift { value, offset, shift } => {
                    ((at(value) + offset as f64) / 2.0_f64.powi(shift as i32)).floor()
                }
            };
            values.push(value);
        }
        self.stores.iter().map(|store| values[store.value.index()]).collect()
    }
}
