//! Cuts the list of steps into segments.
//!
//! Within a segment a position may read what it wrote itself, and anything that was there when the
//! segment began. A step that reads what *another* position wrote in the same segment starts a new
//! one. The values of the load are there when the first segment begins.

use super::{Exchange, Segment, Step};

pub(super) fn segments(steps: Vec<Step>, exchange: Exchange) -> Vec<Segment> {
    let mut segments: Vec<Segment> = vec![Segment { exchange, steps: Vec::new() }];
    for step in steps {
        let needs_cut = segments.last().is_some_and(|open| reads_others(&step, open));
        if needs_cut {
            segments.push(Segment { exchange, steps: Vec::new() });
        }
        if let Some(open) = segments.last_mut() {
            open.steps.push(step);
        }
    }
    segments
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
