//! The readable form, one node a line, as snapshots show it.

use super::{Dag, Node, NodeId, Place};
use std::fmt;

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// `plane1[k-1]`, or `plane3[k0, k1+2]`.
struct Shown<'a>(&'a Place, usize);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(place, axes) = self;
        write!(f, "plane{}[", place.plane)?;
        for (axis, offset) in place.offset.iter().take(*axes).enumerate() {
            if axis > 0 {
                write!(f, ", ")?;
            }
            write!(f, "k")?;
            if *axes > 1 {
                write!(f, "{axis}")?;
            }
            if *offset != 0 {
                write!(f, "{offset:+}")?;
            }
        }
        write!(f, "]")
    }
}

impl fmt::Display for Dag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, node) in self.program() {
            write!(f, "{id} = ")?;
            match node {
                Node::Value(place) => writeln!(f, "{}", Shown(&place, self.axes)),
                Node::Zero => writeln!(f, "0"),
                Node::Add(a, b) => writeln!(f, "{a} + {b}"),
                Node::Sub(a, b) => writeln!(f, "{a} - {b}"),
                Node::Neg(a) => writeln!(f, "-{a}"),
                Node::Mul(c, a) => writeln!(f, "{} * {a}", c.0),
                Node::MulAdd { factor, value, addend } => {
                    writeln!(f, "muladd({}, {value}, {addend})", factor.0)
                }
                Node::FloorShift { value, offset: 0, shift } => writeln!(f, "{value} >> {shift}"),
                Node::FloorShift { value, offset, shift } => {
                    writeln!(f, "({value} {} {}) >> {shift}", sign(offset), offset.unsigned_abs())
                }
            }?;
        }
        for store in &self.stores {
            writeln!(f, "{} <- {}", Shown(&store.place, self.axes), store.value)?;
        }
        Ok(())
    }
}

fn sign(offset: i64) -> char {
    if offset < 0 { '-' } else { '+' }
}
