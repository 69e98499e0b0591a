//! A 1-D kernel across the lanes of a warp: pairs in registers, neighbours by shuffles.
//!
//! Lane `l` of a strip owns `P` pairs from `P l` on. A register keeps one value of one plane, at an
//! index that may drift away from the pair: a step that writes `plane[k + offset]` runs at the
//! positions for which it writes registers, and from then on the plane's registers stand at another
//! offset. Drift costs nothing; what costs is reading a register of another lane.

use super::{StripError, WARP};
use crate::dag::{Contraction, Dag, Node, Place};
use crate::gpu::mapping::Alignment;
use crate::kernel::{Kernel, Side};

/// A register seen from the lane that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shifted {
    /// The plane.
    pub plane: usize,
    /// Which of the owner's pairs.
    pub pair: usize,
    /// How many lanes away the owner is.
    pub lanes: i32,
}

/// Steps that run between two exchanges.
#[derive(Clone, Debug, PartialEq)]
pub struct AcrossStage {
    /// What a lane computes from registers as they stood before. Stores name planes (output channels
    /// in the last stage) and offsets.
    pub dag: Dag,
    /// Offsets at which the planes' registers stand before the stage.
    pub before: [i32; 2],
    /// Offsets after it.
    pub after: [i32; 2],
    /// Pairs of a lane.
    pub pairs: usize,
}

impl AcrossStage {
    /// The register that holds a place.
    pub fn register(&self, place: &Place) -> Shifted {
        shifted(place, &self.before, self.pairs)
    }

    /// Registers of other lanes that the stage reads, each once, in order.
    pub fn exchanged(&self) -> Vec<Shifted> {
        let mut all: Vec<Shifted> = self.dag.leaves().map(|place| self.register(&place)).collect();
        all.retain(|read| read.lanes != 0);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The register (plane or channel, and pair) that a store writes.
    pub fn target(&self, place: &Place) -> (usize, usize) {
        let pair = place.offset[0] - self.after[place.plane.min(1)];
        (place.plane, pair.rem_euclid(self.pairs as i32) as usize)
    }
}

/// A kernel across lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Across {
    /// Stages in order; the last leaves output channels in the registers.
    pub stages: Vec<AcrossStage>,
    /// Outputs stand this many pairs further on than the inputs of the same lane; whole lanes.
    pub shift: i32,
    /// Pairs of a lane.
    pub pairs: usize,
    /// The first lane whose outputs are right, of all levels in the strip; unless rows are aligned,
    /// the strip's last lane may hold no valid input.
    pub first_lane: usize,
    /// One past the last such lane.
    pub end_lane: usize,
}

fn shifted(place: &Place, drift: &[i32; 2], pairs: usize) -> Shifted {
    let relative = place.offset[0] - drift[place.plane.min(1)];
    let pairs = pairs as i32;
    let (lanes, pair) = (relative.div_euclid(pairs), relative.rem_euclid(pairs) as usize);
    Shifted { plane: place.plane, pair, lanes }
}

fn positions(first: i32, pairs: usize) -> Vec<[i32; 3]> {
    (0..pairs as i32).map(|pair| [first + pair, 0, 0]).collect()
}

/// Lanes whose registers hold what they should, first to end.
type Range = (i64, i64);

impl Across {
    pub(super) fn new(
        kernel: &Kernel,
        groups: usize,
        pairs: usize,
        alignment: Option<Alignment>,
        inputs: (usize, usize),
    ) -> Result<Self, StripError> {
        let (stages, shift) = Self::stages(kernel, pairs, alignment)?;
        let lanes = groups * WARP as usize;
        // Shifting rows into place may have pushed the last lane's values over the edge.
        let last = if alignment.is_some() { inputs.1 } else { inputs.1.min(lanes - 1) };
        let inputs = (inputs.0 as i64, last as i64);
        let (first_lane, end_lane) = right_lanes(&stages, lanes as i64, inputs, pairs)?;
        Ok(Self { stages, shift, pairs, first_lane, end_lane })
    }

    /// The same over so many lanes, all of which hold inputs, with the outputs that are right pair by
    /// pair: from which on, counted from the first lane's first, and how many.
    pub(in crate::gpu) fn over(
        kernel: &Kernel,
        lanes: usize,
        pairs: usize,
    ) -> Result<(Self, [usize; 2]), StripError> {
        let (stages, shift) = Self::stages(kernel, pairs, None)?;
        let right = right(&stages, lanes as i64, (0, lanes as i64), pairs)?;
        let holds = |place: usize| {
            let (lane, pair) = ((place / pairs) as i64, place % pairs);
            right.iter().all(|plane| (plane[pair].0..plane[pair].1).contains(&lane))
        };
        let first = (0..lanes * pairs).find(|place| holds(*place)).unwrap_or(0);
        let count = (first..lanes * pairs).take_while(|place| holds(*place)).count();
        if count == 0 {
            return Err(StripError::Reach { lanes, halo: lanes });
        }
        let (first_lane, end_lane) = (first / pairs, (first + count).div_ceil(pairs));
        Ok((Self { stages, shift, pairs, first_lane, end_lane }, [first, count]))
    }

    fn stages(
        kernel: &Kernel,
        pairs: usize,
        alignment: Option<Alignment>,
    ) -> Result<(Vec<AcrossStage>, i32), StripError> {
        let contraction = match kernel.element.is_integer() {
            true => Contraction::Separate,
            false => Contraction::Fused,
        };
        let mut stages = Vec::new();
        let leads = |side: Side| alignment.unwrap_or_default().leads(side);
        let mut drift = leads(kernel.operation.input());
        let count = kernel.segments.len();
        for index in 0..count.saturating_sub(1) {
            let stage = segment(kernel, index, drift, pairs, contraction)?;
            drift = stage.after;
            stages.push(stage);
        }
        let leads = leads(kernel.operation.output());
        let last = outputs(kernel, drift, leads, pairs, contraction)?;
        let shift = last.after[0] - leads[0];
        stages.push(last);
        Ok((stages, shift))
    }

    /// The first lanes, of so many, on which outputs of the lanes before `end` depend.
    pub(super) fn lanes_read(&self, lanes: usize, end: usize) -> usize {
        let suffices = |read: &usize| {
            let right = right_lanes(&self.stages, lanes as i64, (0, *read as i64), self.pairs);
            right.is_ok_and(|right| right.1 >= end)
        };
        (end..lanes).find(suffices).unwrap_or(lanes)
    }

    pub(in crate::gpu) fn operations(&self) -> usize {
        let all: usize = self.stages.iter().map(|stage| stage.dag.counts().operations()).sum();
        all.div_ceil(self.pairs)
    }
}

/// A segment at the positions that need the fewest exchanges.
fn segment(
    kernel: &Kernel,
    index: usize,
    before: [i32; 2],
    pairs: usize,
    contraction: Contraction,
) -> Result<AcrossStage, StripError> {
    let mut best: Option<AcrossStage> = None;
    let range = pairs as i32 + before.iter().map(|drift| drift.abs()).max().unwrap_or(0);
    let mut shifts: Vec<i32> = (-range..=range).collect();
    shifts.sort_unstable_by_key(|shift| (shift.abs(), *shift));
    for shift in shifts {
        let dag = Dag::segment(kernel, index, &positions(shift, pairs))?.optimised(contraction);
        let mut after = before;
        for (plane, place) in after.iter_mut().enumerate() {
            let offsets = dag.stores().iter().filter(|store| store.place.plane == plane);
            let offsets: Vec<i32> = offsets.map(|store| store.place.offset[0]).collect();
            let (Some(first), Some(last)) = (offsets.iter().min(), offsets.iter().max()) else {
                continue;
            };
            if last - first + 1 != pairs as i32 {
                return Err(StripError::Scattered { segment: index, plane });
            }
            *place = *first;
        }
        let stage = AcrossStage { dag, before, after, pairs };
        let cost = |stage: &AcrossStage| stage.exchanged().len();
        if best.as_ref().is_none_or(|best| cost(&stage) < cost(best)) {
            best = Some(stage);
        }
    }
    best.ok_or(StripError::Scattered { segment: index, plane: 0 })
}

/// The last segment and the outputs, for the lanes that need the fewest exchanges.
fn outputs(
    kernel: &Kernel,
    before: [i32; 2],
    leads: [i32; 2],
    pairs: usize,
    contraction: Contraction,
) -> Result<AcrossStage, StripError> {
    let first = kernel.segments.len().saturating_sub(1);
    let reach = 1 + before.iter().map(|drift| drift.abs()).max().unwrap_or(0) / pairs as i32;
    let mut lanes: Vec<i32> = (-reach..=reach).collect();
    lanes.sort_unstable_by_key(|lanes| (lanes.abs(), *lanes));
    let mut best: Option<AcrossStage> = None;
    for lanes in lanes {
        let shift = lanes * pairs as i32;
        let after = leads.map(|lead| shift + lead);
        let places: Vec<Place> = after
            .iter()
            .enumerate()
            .flat_map(|(plane, first)| {
                let places = positions(*first, pairs).into_iter();
                places.map(move |offset| Place { plane, offset })
            })
            .collect();
        let dag = Dag::some_outputs(kernel, first, &places)?.optimised(contraction);
        let stage = AcrossStage { dag, before, after, pairs };
        let cost = |stage: &AcrossStage| stage.exchanged().len();
        if best.as_ref().is_none_or(|best| cost(&stage) < cost(best)) {
            best = Some(stage);
        }
    }
    best.ok_or(StripError::Scattered { segment: first, plane: 0 })
}

/// Lanes of a strip whose results depend on lanes that hold inputs only. This walk over every stage is
/// the proof that the halo covers the reach.
fn right_lanes(
    stages: &[AcrossStage],
    lanes: i64,
    inputs: Range,
    pairs: usize,
) -> Result<(usize, usize), StripError> {
    let right = right(stages, lanes, inputs, pairs)?;
    let all = right.iter().flatten().fold((0, lanes), |all, range| meet(all, *range));
    let (first, end) = (all.0.max(0) as usize, all.1.max(0) as usize);
    if first + 1 > end {
        let halo = lanes as usize + first - end.min(first);
        return Err(StripError::Reach { lanes: lanes as usize, halo });
    }
    Ok((first, end))
}

fn meet(a: Range, b: Range) -> Range {
    (a.0.max(b.0), a.1.min(b.1))
}

/// For each plane and pair the lanes whose register is right after the last stage, of `lanes` of which
/// `inputs` hold inputs.
fn right(
    stages: &[AcrossStage],
    lanes: i64,
    inputs: Range,
    pairs: usize,
) -> Result<[Vec<Range>; 2], StripError> {
    let everything = (i64::MIN / 2, i64::MAX / 2);
    let mut right = [vec![inputs; pairs], vec![inputs; pairs]];
    for stage in stages {
        let mut nodes: Vec<Range> = Vec::with_capacity(stage.dag.nodes().len());
        for (_, node) in stage.dag.program() {
            let range = match node {
                Node::Value(place) => {
                    let read = stage.register(&place);
                    let by = i64::from(read.lanes);
                    if by.abs() >= i64::from(WARP) {
                        let halo = 2 * by.unsigned_abs() as usize;
                        return Err(StripError::Reach { lanes: lanes as usize, halo });
                    }
                    let (first, end) = right[read.plane.min(1)][read.pair];
                    // A lane beyond the strip's ends reads something, but nothing right.
                    (first.max(0) - by, end.min(lanes) - by)
                }
                node => node.operands().fold(everything, |all, id| meet(all, nodes[id.index()])),
            };
            nodes.push(range);
        }
        for store in stage.dag.stores() {
            let (plane, pair) = stage.target(&store.place);
            right[plane.min(1)][pair] = meet(nodes[store.value.index()], (0, lanes));
        }
    }
    Ok(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Element, Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn across(name: &str, kind: SchemeKind, operation: Operation, groups: usize) -> Across {
        let scheme = catalogue::wavelet(name).unwrap().scheme(kind, 1).unwrap();
        let kernel = lower(&scheme, operation, Element::F32, Exchange::Stream).unwrap();
        Across::new(&kernel, groups, 2, None, (0, 32 * groups)).unwrap()
    }

    #[test]
    fn haar_asks_no_neighbour() {
        let haar = across("haar", SchemeKind::Lifting, Operation::Forward, 1);
        assert!(haar.stages.iter().all(|stage| stage.exchanged().is_empty()));
        assert_eq!((haar.first_lane, haar.end_lane), (0, 31));
    }

    #[test]
    fn nine_seven_has_one_halo_lane_each_side_and_one_shuffle_a_step() {
        for operation in Operation::ALL {
            let cdf = across("irr97", SchemeKind::Lifting, operation, 2);
            let halo = (cdf.first_lane, 63 - cdf.end_lane);
            assert!(halo.0 <= 2 && halo.1 <= 2, "{operation:?} {halo:?}");
            let shuffles: usize = cdf.stages.iter().map(|stage| stage.exchanged().len()).sum();
            assert!(shuffles <= 4, "{operation:?} {shuffles}");
        }
    }

    #[test]
    fn long_filters_need_more_lanes() {
        for kind in [SchemeKind::Lattice, SchemeKind::Lifting, SchemeKind::Convolution] {
            let db16 = across("db16", kind, Operation::Forward, 1);
            assert!(32 - (db16.end_lane - db16.first_lane) <= 18, "{kind} {db16:?}");
        }
    }
}
