//! Where planes lie in memory, and over which pairs each segment runs: a walk backwards from the
//! outputs, segment by segment.
//!
//! Every plane of a block holds the pairs `first - before .. end + after` of each axis. A segment runs
//! over one region for all its stores, so that its loop is one loop; what it computes beyond what is
//! needed reads values that were loaded, because the halo covers every read and every write.

use crate::dag::{Dag, Place};
use crate::pipeline::Prepared;
use waveloom_wavelets::algebra::{Exponent, MAX_AXES};

/// A range of pairs relative to a block, per axis: `first + from .. end + to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub from: Exponent,
    pub to: Exponent,
}

impl Region {
    fn at(offset: &Exponent) -> Self {
        Self { from: *offset, to: *offset }
    }

    fn union(self, other: &Self) -> Self {
        Self {
            from: std::array::from_fn(|axis| self.from[axis].min(other.from[axis])),
            to: std::array::from_fn(|axis| self.to[axis].max(other.to[axis])),
        }
    }

    fn moved(&self, offset: &Exponent, sign: i32) -> Self {
        Self {
            from: std::array::from_fn(|axis| self.from[axis] + sign * offset[axis]),
            to: std::array::from_fn(|axis| self.to[axis] + sign * offset[axis]),
        }
    }
}

/// One segment's place in a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed<'a> {
    /// Its position in the kernel.
    pub index: usize,
    /// What it computes.
    pub graph: &'a Dag,
    /// Where it runs.
    pub region: Region,
}

impl Placed<'_> {
    /// Whether a plane may not be overwritten in place: another position reads it, too.
    pub fn needs_spare(&self, plane: usize) -> bool {
        let mut stores = self.graph.stores().iter().filter(|store| store.place.plane == plane);
        stores.any(|store| {
            let mut leaves = self.graph.leaves();
            leaves.any(|leaf| leaf.plane == plane && leaf.offset != store.place.offset)
        })
    }

    /// The planes it writes, in order.
    pub fn written(&self) -> Vec<usize> {
        let mut planes: Vec<usize> =
            self.graph.stores().iter().map(|store| store.place.plane).collect();
        planes.dedup();
        planes
    }
}

/// A kernel laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout<'a> {
    /// The segments that are needed, in order.
    pub segments: Vec<Placed<'a>>,
    /// Pairs held before the block, per axis; not negative.
    pub before: Exponent,
    /// Pairs held after it.
    pub after: Exponent,
}

/// Lays a kernel out.
pub(super) fn layout(prepared: &Prepared) -> Layout<'_> {
    let kernel = &prepared.kernel;
    let mut needs: Vec<Option<Region>> = vec![None; kernel.planes()];
    let mut whole = Region { from: [0; MAX_AXES], to: [0; MAX_AXES] };
    let mut join = |needs: &mut Vec<Option<Region>>, plane: usize, region: Region| {
        whole = whole.union(&region);
        needs[plane] = Some(needs[plane].map_or(region, |old| old.union(&region)));
    };
    for output in &kernel.outputs {
        join(&mut needs, output.plane, Region::at(&output.offset));
    }
    let mut segments = Vec::new();
    for (index, graph) in prepared.graphs.iter().enumerate().rev() {
        let places = || graph.stores().iter().map(|store| store.place);
        let wanted = |place: Place| Some(needs[place.plane]?.moved(&place.offset, -1));
        let regions = places().filter_map(wanted);
        let Some(region) = regions.reduce(|all, one| all.union(&one)) else { continue };
        for place in places() {
            needs[place.plane] = None;
        }
        for leaf in graph.leaves() {
            join(&mut needs, leaf.plane, region.moved(&leaf.offset, 1));
        }
        // Writes must lie inside the planes as well.
        for place in places() {
            let kept = needs[place.plane];
            join(&mut needs, place.plane, region.moved(&place.offset, 1));
            needs[place.plane] = kept;
        }
        segments.push(Placed { index, graph, region });
    }
    segments.reverse();
    Layout { segments, before: whole.from.map(|from| -from), after: whole.to }
}
