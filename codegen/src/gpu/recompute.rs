//! Exchange by recomputation: one exchange an axis, neighbours' values in between computed again.

use crate::dag::Place;
use crate::dag::build::HERE;
use crate::kernel::{Kernel, Update};
use std::ops::RangeInclusive;

/// Segments one after another that read neighbours along one and the same axis.
pub(super) fn along_axes(kernel: &Kernel) -> Vec<RangeInclusive<usize>> {
    let mut runs: Vec<(RangeInclusive<usize>, Vec<usize>)> = Vec::new();
    for (index, segment) in kernel.segments.iter().enumerate() {
        let updates = || segment.steps.iter().flat_map(|step| &step.updates);
        let moved = |axis: &usize| {
            let distant = |update: &Update| {
                update.terms.iter().any(|term| term.offset[*axis] != update.offset[*axis])
            };
            updates().any(distant)
        };
        let axes: Vec<usize> = (0..kernel.axes).filter(moved).collect();
        match runs.last_mut() {
            Some((run, known)) if axes.is_empty() || known.is_empty() || *known == axes => {
                *run = *run.start()..=index;
                if known.is_empty() {
                    *known = axes;
                }
            }
            _ => runs.push((index..=index, axes)),
        }
    }
    runs.into_iter().map(|(run, _)| run).collect()
}

/// The planes that segments write, at the position itself.
pub(super) fn written(kernel: &Kernel, run: RangeInclusive<usize>) -> Vec<Place> {
    let segments = kernel.segments.get(run).unwrap_or_default();
    let updates = segments.iter().flat_map(|segment| &segment.steps).flat_map(|s| &s.updates);
    let mut planes: Vec<usize> = updates.map(|update| update.plane).collect();
    planes.sort_unstable();
    planes.dedup();
    planes.into_iter().map(|plane| Place { plane, offset: HERE }).collect()
}
