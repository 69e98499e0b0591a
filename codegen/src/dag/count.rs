//! What a graph costs.

use super::{Dag, Node};
use std::fmt;
use std::ops::Add;

/// Operations by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Places read.
    pub values: usize,
    /// Additions and subtractions.
    pub additions: usize,
    /// Multiplications by constants.
    pub multiplications: usize,
    /// Multiply-adds.
    pub fused: usize,
    /// Sign changes (free as operands of most instructions).
    pub negations: usize,
    /// Floor shifts; each also adds its offset, if it has one.
    pub shifts: usize,
    /// Places written.
    pub stores: usize,
}

impl Counts {
    /// Arithmetic instructions: everything but values, stores and sign changes.
    pub fn operations(&self) -> usize {
        self.additions + self.multiplications + self.fused + self.shifts
    }
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Self) -> Self {
        Self {
            values: self.values + other.values,
            additions: self.additions + other.additions,
            multiplications: self.multiplications + other.multiplications,
            fused: self.fused + other.fused,
            negations: self.negations + other.negations,
            shifts: self.shifts + other.shifts,
            stores: self.stores + other.stores,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        let mut parts = vec![many(self.additions, "addition")];
        parts.push(many(self.multiplications, "multiplication"));
        if self.fused > 0 {
            parts.push(many(self.fused, "multiply-add"));
        }
        if self.shifts > 0 {
            parts.push(many(self.shifts, "shift"));
        }
        write!(f, "{}", parts.join(", "))
    }
}

impl Dag {
    /// Counts the nodes.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { stores: self.stores.len(), ..Counts::default() };
        for node in &self.nodes {
            match node {
                Node::Value(_) => counts.values += 1,
                Node::Zero => {}
                Node::Add(..) | Node::Sub(..) => counts.additions += 1,
                Node::Neg(_) => counts.negations += 1,
                Node::Mul(..) => counts.multiplications += 1,
                Node::MulAdd { .. } => counts.fused += 1,
                Node::FloorShift { offset, .. } => {
                    counts.shifts += 1;
                    counts.additions += usize::from(*offset != 0);
                }
            }
        }
        counts
    }
}
