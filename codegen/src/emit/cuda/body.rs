//! Straight-line statements of an expression graph.

use super::value::{literal, work_type};
use crate::dag::{Dag, Node, NodeId, Place};
use crate::kernel::Element;

/// What a thread computes beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Only values that some output needs.
    Needed,
    /// Also values that are thrown away: halo lanes, and a walk before it is warm. Integers then wrap
    /// around instead of overflowing, which would be undefined.
    Any,
}

/// The statements that compute `dag`, and the expression of every store. `leaf` says how a plane
/// value is read.
pub(super) fn statements(
    dag: &Dag,
    lanes: Lanes,
    leaf: &dyn Fn(&Place) -> String,
) -> (Vec<String>, Vec<(Place, String)>) {
    let wraps = lanes == Lanes::Any && dag.element().is_integer();
    let element = dag.element();
    let work = work_type(element);
    let mut lines = Vec::new();
    let name = |id: NodeId| format!("v{}", id.index());
    for (id, node) in dag.program() {
        let expression = match node {
            Node::Value(place) => leaf(&place),
            Node::Add(a, b) if wraps => format!("plus({}, {})", name(a), name(b)),
            Node::Sub(a, b) if wraps => format!("minus({}, {})", name(a), name(b)),
            Node::Neg(a) if wraps => format!("minus(0, {})", name(a)),
            Node::Mul(c, a) if wraps => format!("times({}, {})", literal(element, c.0), name(a)),
            Node::MulAdd { factor, value, addend } if wraps => {
                let factor = literal(element, factor.0);
                format!("plus(times({factor}, {}), {})", name(value), name(addend))
            }
            Node::FloorShift { value, offset, shift } if wraps => {
                format!("plus({}, {offset}) >> {shift}", name(value))
            }
            Node::Zero => literal(element, 0.0),
            Node::Add(a, b) => format!("{} + {}", name(a), name(b)),
            Node::Sub(a, b) => format!("{} - {}", name(a), name(b)),
            Node::Neg(a) => format!("-{}", name(a)),
            Node::Mul(c, a) => format!("{} * {}", literal(element, c.0), name(a)),
            Node::MulAdd { factor, value, addend } => {
                let factor = literal(element, factor.0);
                let (value, addend) = (name(value), name(addend));
                match element {
                    Element::F32 => format!("fmaf({factor}, {value}, {addend})"),
                    Element::F64 => format!("fma({factor}, {value}, {addend})"),
                    _ => format!("{factor} * {value} + {addend}"),
                }
            }
            Node::FloorShift { value, offset, shift } => {
                format!("({} + {offset}) >> {shift}", name(value))
            }
        };
        lines.push(format!("const {work} {} = {expression};", name(id)));
    }
    let stores = dag.stores().iter().map(|store| (store.place, name(store.value)));
    (lines, stores.collect())
}
