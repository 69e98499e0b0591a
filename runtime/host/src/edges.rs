//! One axis of a pass, prepared: which pairs are computed, and what stands beyond the ends.

use super::ends::{Ends, Place};
use std::ops::Range;
use waveloom_codegen::kernel::Operation;
use waveloom_wavelets::geometry::AxisGeometry;

/// One place that stands for (or receives) the value of a plane beyond the ends of its array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The plane's phase.
    pub(crate) bit: usize,
    /// The pair.
    pub(crate) k: i64,
    /// Where, and how much of it; nothing stands for zero.
    pub(crate) place: Option<Place>,
}

/// Everything about an axis that does not depend on the data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) geometry: AxisGeometry,
    pub(crate) operation: Operation,
    /// Pairs whose outputs are stored.
    pub(crate) pairs: Range<i64>,
    /// What is loaded beyond the input's ends, ordered by phase, then pair.
    pub(crate) loads: Vec<Edge>,
    /// Where an adjoint's outputs beyond the ends go.
    pub(crate) folds: Vec<Edge>,
}

impl Axis {
    /// An axis under an operation whose kernel loads `load` around the pairs it computes, and as an
    /// adjoint spreads its input by `spread` (low and high ends, relative to a range of pairs).
    pub(crate) fn new(
        geometry: &AxisGeometry,
        operation: Operation,
        load: (i64, i64),
        spread: (i64, i64),
    ) -> Self {
        let input = Ends::new(operation.input(), geometry);
        let output = Ends::new(operation.output(), geometry);
        let mut axis = Self {
            geometry: *geometry,
            operation,
            pairs: output.pairs(),
            loads: Vec::new(),
            folds: Vec::new(),
        };
        let mut computed = axis.pairs.clone();
        if operation.is_adjoint() {
            let fed = input.pairs();
            computed = fed.start + spread.0..fed.end + spread.1;
            if fed.is_empty() {
                computed = fed;
            }
            axis.folds = beyond(&output, computed.clone(), |bit, k| {
                output.places(bit, k).as_slice().to_vec()
            });
            axis.folds.retain(|edge| edge.place.is_some());
            let ends = axis.pairs.start.min(computed.start)..axis.pairs.end.max(computed.end);
            computed = ends;
        }
        let loaded = computed.start + load.0..computed.end + load.1;
        axis.loads = beyond(&input, loaded, |bit, k| match operation.is_adjoint() {
            true => Vec::new(),
            false => input.places(bit, k).as_slice().to_vec(),
        });
        axis
    }

    pub(crate) fn input(&self) -> Ends<'_> {
        Ends::new(self.operation.input(), &self.geometry)
    }

    pub(crate) fn output(&self) -> Ends<'_> {
        Ends::new(self.operation.output(), &self.geometry)
    }

    /// The loads of a phase within a range of pairs.
    pub(crate) fn loads(&self, bit: usize, pairs: &Range<i64>) -> &[Edge] {
        let from = self.loads.partition_point(|edge| (edge.bit, edge.k) < (bit, pairs.start));
        let to = self.loads.partition_point(|edge| (edge.bit, edge.k) < (bit, pairs.end));
        &self.loads[from..to.max(from)]
    }

    /// Where the output of a phase at a pair beyond the ends goes.
    pub(crate) fn folds(&self, bit: usize, k: i64) -> &[Edge] {
        let from = self.folds.partition_point(|edge| (edge.bit, edge.k) < (bit, k));
        let to = self.folds.partition_point(|edge| (edge.bit, edge.k) <= (bit, k));
        &self.folds[from..to]
    }

    /// The pairs that fold back, before and behind those stored.
    pub(crate) fn folded(&self) -> [Range<i64>; 2] {
        let middle = (self.pairs.start + self.pairs.end).div_euclid(2);
        let side = |head: bool| {
            let pairs =
                || self.folds.iter().map(|edge| edge.k).filter(move |k| (*k < middle) == head);
            match (pairs().min(), pairs().max()) {
                (Some(first), Some(last)) => first..last + 1,
                _ => middle..middle,
            }
        };
        [side(true), side(false)]
    }
}

/// An entry for every place of every pair that is not an element itself.
fn beyond(
    ends: &Ends<'_>,
    pairs: Range<i64>,
    places: impl Fn(usize, i64) -> Vec<Place>,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for bit in 0..2 {
        let interior = ends.interior(bit);
        let head = pairs.start..interior.start.clamp(pairs.start, pairs.end.max(pairs.start));
        let tail = interior.end.max(head.end)..pairs.end;
        for k in head.chain(tail) {
            let found = places(bit, k);
            if found.is_empty() {
                edges.push(Edge { bit, k, place: None });
            }
            edges.extend(found.iter().map(|place| Edge { bit, k, place: Some(*place) }));
        }
    }
    edges
}
