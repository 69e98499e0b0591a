//! The general lattice: a leading lifting factor where the rows need one, then stages.

use super::blocks::{self, Block, Row};
use super::{FactorError, accepted};
use crate::algebra::Laurent;
use crate::bank::{Filter, FilterBank};
use crate::lattice::{Lattice, LatticeKind};

/// Relative deviation up to which two end blocks count as parallel.
const PARALLEL: f64 = 1e-8;

/// Factorises a bank into general stages.
///
/// A multiple `q` of the shorter row is subtracted from the longer one, removing blocks from its
/// ends, as few as possible and as evenly as possible, until stages can be peeled.
pub(super) fn peel(bank: &FilterBank) -> Result<Lattice, FactorError> {
    let rows = [bank.analysis_low(), bank.analysis_high()].map(row_of);
    let spans = [bank.analysis_low(), bank.analysis_high()].map(|filter| filter.taps().len());
    let longer = usize::from(spans[1] > spans[0]);
    let most = rows[longer].blocks.len();
    let limit = accepted(bank);
    let mut best: Option<(f64, Lattice)> = None;
    for removed in 0..=most {
        // 2 left and 2 right before 3 and 1; a lead of an odd number of terms tries both ways.
        let mut splits: Vec<usize> = (0..=removed).collect();
        splits.sort_by_key(|left| (2 * left).abs_diff(removed));
        for left in splits.into_iter().filter(|left| (2 * left).abs_diff(removed) <= 2) {
            let Some((rest, q)) = reduced(&rows, longer, left, removed - left) else { continue };
            let mut rest_rows = rows.clone();
            rest_rows[longer] = rest;
            let Some((stages, advance)) = blocks::stages(&rest_rows) else { continue };
            let shift = advance[1 - longer] - advance[longer];
            let q = q.shifted(&[shift, 0, 0]);
            let lead = (!q.is_zero()).then_some((longer, q));
            let lattice = Lattice { kind: LatticeKind::General, stages, lead, advance }.pivoted();
            let residual = lattice.polyphase().distance(&bank.analysis_polyphase());
            if residual <= limit {
                return Ok(lattice);
            }
            if best.as_ref().is_none_or(|(least, _)| residual < *least) {
                best = Some((residual, lattice));
            }
        }
    }
    match best {
        Some((residual, _)) => Err(FactorError::Inaccurate { residual, limit }),
        None => Err(FactorError::NoStage),
    }
}

/// The taps of a filter in pairs.
fn row_of(filter: &Filter) -> Row {
    let (first, last) = (filter.first().div_euclid(2), filter.last().div_euclid(2));
    let blocks = (first..=last).map(|k| [filter.at(2 * k), filter.at(2 * k + 1)]).collect();
    Row { first, blocks }
}

/// The longer row without `left` blocks on the left and `right` blocks on the right, and the `q`
/// with `longer = rest + q · shorter`; `None` where the end blocks are not parallel.
fn reduced(rows: &[Row; 2], longer: usize, left: usize, right: usize) -> Option<(Row, Laurent)> {
    let (mut rest, shorter) = (rows[longer].clone(), &rows[1 - longer]);
    let mut q = Laurent::zero();
    let short = shorter.blocks.len();
    for end in std::iter::repeat_n(false, left).chain(std::iter::repeat_n(true, right)) {
        // Equal lengths would need one factor for both ends; nothing is gained from it.
        if rest.blocks.len() <= short {
            return None;
        }
        let at = if end { rest.blocks.len() - short } else { 0 };
        let (target, source): (Block, Block) = match end {
            true => (*rest.blocks.last()?, *shorter.blocks.last()?),
            false => (*rest.blocks.first()?, *shorter.blocks.first()?),
        };
        let energy = source[0] * source[0] + source[1] * source[1];
        let factor = (target[0] * source[0] + target[1] * source[1]) / energy;
        let across = (target[0] * source[1] - target[1] * source[0]).abs();
        if across > PARALLEL * energy.sqrt() * target[0].hypot(target[1]) {
            return None;
        }
        for (block, taken) in rest.blocks[at..at + short].iter_mut().zip(&shorter.blocks) {
            *block = [block[0] - factor * taken[0], block[1] - factor * taken[1]];
        }
        q.add_term([rest.first + at as i32 - shorter.first, 0, 0], factor);
        // The block is zero now, whatever rounding says.
        if end {
            rest.blocks.pop();
        } else {
            rest.blocks.remove(0);
            rest.first += 1;
        }
    }
    Some((rest, q))
}
