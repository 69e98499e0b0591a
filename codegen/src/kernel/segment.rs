//! Cuts the list of steps into segments.
//!
//! Within a segment a position may read what it wrote itself, and anything that was there when the
//! segment began. A step that reads what *another* position wrote in the same segment starts a new
//! one. The values of the load are there when the first segment begins.
//!
//! Which position does a step's work is only a matter of numbering: moving all offsets of a step by
//! the same amount changes nothing. A step is renumbered if that spares a cut (the delays of a
//! scheme otherwise separate, say, a lifting's last step from its scaling).

use super::{Exchange, Segment, Step};
use waveloom_wavelets::algebra::Exponent;

pub(super) fn segments(steps: Vec<Step>, exchange: Exchange) -> Vec<Segment> {
    let mut segments: Vec<Segment> = vec![Segment { exchange, steps: Vec::new() }];
    for step in steps {
        let step = match segments.last() {
            Some(open) if reads_others(&step, open) => match renumbered(&step, open) {
                Some(step) => step,
                None => {
                    segments.push(Segment { exchange, steps: Vec::new() });
                    step
                }
            },
            _ => step,
        };
        if let Some(open) = segments.last_mut() {
            open.steps.push(step);
        }
    }
    segments
}

/// The step with its positions renumbered so that it fits the open segment, if that is possible.
fn renumbered(step: &Step, open: &Segment) -> Option<Step> {
    let reads = step.updates.iter().flat_map(|update| {
        let own = update.increment.then_some((update.plane, update.offset));
        update.terms.iter().map(|term| (term.plane, term.offset)).chain(own)
    });
    let written: Vec<(usize, Exponent)> = open
        .steps
        .iter()
        .flat_map(|earlier| &earlier.updates)
        .map(|update| (update.plane, update.offset))
        .collect();
    for (plane, offset) in reads {
        for (_, place) in written.iter().filter(|(other, _)| *other == plane) {
            let by: Exponent = std::array::from_fn(|axis| place[axis] - offset[axis]);
            let moved = moved(step, &by);
            if !reads_others(&moved, open) {
                return Some(moved);
            }
        }
    }
    None
}

fn moved(step: &Step, by: &Exponent) -> Step {
    let add = |offset: &Exponent| std::array::from_fn(|axis| offset[axis] + by[axis]);
    let mut step = step.clone();
    for update in &mut step.updates {
        update.offset = add(&update.offset);
        for term in &mut update.terms {
            term.offset = add(&term.offset);
        }
    }
    step
}

/// Whether `step` reads a plane that `open` has written, at another position's place.
fn reads_others(step: &Step, open: &Segment) -> bool {
    let written = || open.steps.iter().flat_map(|earlier| &earlier.updates);
    let reads = step.updates.iter().flat_map(|update| &update.terms);
    let mut own = step.updates.iter().filter(|update| update.increment);
    let foreign_term = reads
        .into_iter()
        .any(|term| written().any(|w| w.plane == term.plane && w.offset != term.offset));
    let foreign_own = own.any(|u| written().any(|w| w.plane == u.plane && w.offset != u.offset));
    // Writing a place that another position of this segment wrote is as much of a conflict.
    let foreign_write = step
        .updates
        .iter()
        .any(|update| written().any(|w| w.plane == update.plane && w.offset != update.offset));
    foreign_term || foreign_own || foreign_write
}
