//! Gives every channel of a scheme a plane, and turns factors into steps.
//!
//! A channel lives at `plane[k + offset]`. Factors that only delay or exchange channels change where
//! channels live and nothing else. Any other factor becomes one step; a changed channel is written
//! back to where it lived, unless other positions still read that place.

use super::{Margin, Output, Step, Term, Update, UpdateRounding};
use waveloom_wavelets::Scheme;
use waveloom_wavelets::algebra::{Exponent, MAX_AXES, PolyphaseMatrix};
use waveloom_wavelets::scheme::Factor;

/// Steps (margins still unset) and the places of the outputs.
pub(super) fn place(scheme: &Scheme) -> (Vec<Step>, Vec<Output>) {
    let channels = 1 << scheme.axes;
    let mut places: Vec<Output> =
        (0..channels).map(|plane| Output { plane, offset: [0; MAX_AXES] }).collect();
    let mut steps = Vec::new();
    for factor in &scheme.factors {
        match single_sources(&factor.matrix) {
            Some(sources) => {
                let moved: Vec<Output> = sources
                    .iter()
                    .map(|source| {
                        let from = places[source.channel];
                        Output { plane: from.plane, offset: add(&from.offset, &source.exponent) }
                    })
                    .collect();
                places = moved;
                let updates: Vec<Update> = sources
                    .iter()
                    .zip(&places)
                    .filter(|(source, _)| source.gain != 1.0)
                    .map(|(source, place)| Update {
                        plane: place.plane,
                        offset: place.offset,
                        terms: vec![term(place, &[0; MAX_AXES], source.gain)],
                        increment: false,
                        rounding: None,
                    })
                    .collect();
                if !updates.is_empty() {
                    steps.push(Step {
                        kind: factor.kind,
                        updates,
                        margin: Margin::default(),
                        in_place: true,
                    });
                }
            }
            None => steps.push(dense_step(factor, &mut places)),
        }
    }
    (steps, places)
}

struct Source {
    channel: usize,
    exponent: Exponent,
    gain: f64,
}

/// For a matrix with one single-term entry per row and column: each row's source.
fn single_sources(matrix: &PolyphaseMatrix) -> Option<Vec<Source>> {
    let mut used = vec![false; matrix.size()];
    (0..matrix.size())
        .map(|row| {
            let mut entries =
                (0..matrix.size()).filter(|column| !matrix.entry(row, *column).is_zero());
            let (channel, None) = (entries.next()?, entries.next()) else { return None };
            let (exponent, gain) = matrix.entry(row, channel).as_monomial()?;
            let fresh = !std::mem::replace(&mut used[channel], true);
            fresh.then_some(Source { channel, exponent, gain })
        })
        .collect()
}

fn dense_step(factor: &Factor, places: &mut [Output]) -> Step {
    let matrix = &factor.matrix;
    let size = matrix.size();
    let changed: Vec<usize> = (0..size)
        .filter(|row| {
            (0..size).any(|column| {
                let entry = matrix.entry(*row, column);
                if column == *row { !entry.is_one() } else { !entry.is_zero() }
            })
        })
        .collect();
    let mut updates: Vec<Update> = changed
        .iter()
        .map(|row| {
            let own = matrix.entry(*row, *row);
            let increment = own.is_one();
            let sign = match factor.rounding {
                Some(rounding) if rounding.subtract => -1.0,
                _ => 1.0,
            };
            let mut terms: Vec<Term> = (0..size)
                .filter(|column| !(increment && column == row))
                .flat_map(|column| {
                    let place = places[column];
                    let entry = matrix.entry(*row, column);
                    entry.terms().map(move |(e, c)| term(&place, e, sign * c)).collect::<Vec<_>>()
                })
                .collect();
            terms.sort_by_key(|term| (term.plane, term.offset));
            Update {
                plane: places[*row].plane,
                offset: places[*row].offset,
                terms,
                increment,
                rounding: factor
                    .rounding
                    .map(|r| UpdateRounding { rounding: r.rounding, subtract: r.subtract }),
            }
        })
        .collect();
    let written: Vec<Output> =
        updates.iter().map(|u| Output { plane: u.plane, offset: u.offset }).collect();
    let in_place = updates.iter().flat_map(|u| &u.terms).all(|term| {
        written.iter().all(|place| place.plane != term.plane || place.offset == term.offset)
    });
    if !in_place && updates.iter().all(|update| !update.increment) {
        // Everything is rewritten elsewhere anyway: start afresh without offsets.
        for (update, row) in updates.iter_mut().zip(&changed) {
            update.offset = [0; MAX_AXES];
            places[*row].offset = update.offset;
        }
    }
    Step { kind: factor.kind, updates, margin: Margin::default(), in_place }
}

fn term(place: &Output, exponent: &Exponent, coefficient: f64) -> Term {
    Term { plane: place.plane, offset: add(&place.offset, exponent), coefficient }
}

fn add(left: &Exponent, right: &Exponent) -> Exponent {
    std::array::from_fn(|axis| left[axis] + right[axis])
}
