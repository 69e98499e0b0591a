//! How far beyond the tile every step's results are needed: a walk backwards from the outputs.

use super::{Margin, Output, Segment};
use waveloom_wavelets::algebra::Exponent;

/// First and last index of a plane that is needed, relative to the tile's first and last pair.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Need {
    first: Exponent,
    last: Exponent,
}

impl Need {
    fn at(offset: &Exponent) -> Self {
        Self { first: *offset, last: *offset }
    }

    fn union(self, other: &Self) -> Self {
        Self {
            first: std::array::from_fn(|axis| self.first[axis].min(other.first[axis])),
            last: std::array::from_fn(|axis| self.last[axis].max(other.last[axis])),
        }
    }

    fn moved(&self, offset: &Exponent, sign: i32) -> Self {
        Self {
            first: std::array::from_fn(|axis| self.first[axis] + sign * offset[axis]),
            last: std::array::from_fn(|axis| self.last[axis] + sign * offset[axis]),
        }
    }

    fn margin(&self) -> Margin {
        Margin { before: self.first.map(|first| -first), after: self.last }
    }
}

fn join(needs: &mut [Option<Need>], plane: usize, need: Need) {
    needs[plane] = Some(match needs[plane] {
        Some(old) => old.union(&need),
        None => need,
    });
}

/// Sets every step's margin; returns the halo of the load. Steps whose results nobody needs keep an
/// empty region (`before + after` is 0 there, but nothing reads it).
pub(super) fn margins(segments: &mut [Segment], outputs: &[Output]) -> Margin {
    let mut needs: Vec<Option<Need>> = vec![None; outputs.len()];
    for output in outputs {
        join(&mut needs, output.plane, Need::at(&output.offset));
    }
    let steps = segments.iter_mut().rev().flat_map(|segment| segment.steps.iter_mut().rev());
    for step in steps {
        let region = step.updates.iter().fold(None::<Need>, |region, update| {
            let Some(need) = needs[update.plane] else { return region };
            let positions = need.moved(&update.offset, -1);
            Some(region.map_or(positions, |region| region.union(&positions)))
        });
        let Some(region) = region else { continue };
        step.margin = region.margin();
        for update in &step.updates {
            needs[update.plane] = None;
        }
        for update in &step.updates {
            if update.increment {
                join(&mut needs, update.plane, region.moved(&update.offset, 1));
            }
            for term in &update.terms {
                join(&mut needs, term.plane, region.moved(&term.offset, 1));
            }
        }
    }
    let all = needs
        .iter()
        .flatten()
        .fold(None::<Need>, |all, need| Some(all.map_or(*need, |all| all.union(need))));
    all.map_or(Margin::default(), |need| need.margin())
}
