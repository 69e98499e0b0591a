//! The general lattice: a leading lifting factor where the rows need one, then stages.

use super::blocks::{self, Block, Row};
use super::polish::{GOOD, polish};
use super::{FactorError, accepted};
use crate::algebra::{Laurent, PolyphaseMatrix};
use crate::bank::{Filter, FilterBank};
use crate::lattice::{Lattice, LatticeKind};

/// Relative deviation up to which two end blocks count as parallel.
const PARALLEL: f64 = 1e-8;

/// The most blocks that are removed in other ways than evenly.
const MOST_TRIED: usize = 12;

/// Factorises a bank into general stages.
///
/// A multiple `q` of the shorter row is subtracted from the longer one, removing blocks from both
/// ends until the rows' lengths differ by one block at most; then stages are peeled. Should that
/// fail, every other number of blocks removed from either end is tried, fewest first.
pub(super) fn peel(bank: &FilterBank) -> Result<Lattice, FactorError> {
    let rows = [bank.analysis_low(), bank.analysis_high()].map(row_of);
    let spans = [bank.analysis_low(), bank.analysis_high()].map(|filter| filter.taps().len());
    let longer = usize::from(spans[1] > spans[0]);
    let (limit, polyphase) = (accepted(bank), bank.analysis_polyphase());
    let excess = rows[longer].blocks.len().saturating_sub(rows[1 - longer].blocks.len());
    let most = (excess + 1).min(MOST_TRIED);
    let mut splits: Vec<(usize, usize)> = vec![(excess / 2, excess / 2)];
    splits.extend((0..=most).flat_map(|removed| (0..=removed).map(move |l| (l, removed - l))));
    let mut least = f64::INFINITY;
    for (left, right) in splits {
        let Some(lattice) = with_lead(&rows, longer, left, right) else { continue };
        let lattice = snapped(polish(lattice, &polyphase), &polyphase);
        let residual = lattice.polyphase().distance(&polyphase);
        if residual <= limit {
            return Ok(lattice);
        }
        least = least.min(residual);
    }
    match least.is_finite() {
        true => Err(FactorError::Inaccurate { residual: least, limit }),
        false => Err(FactorError::NoStage),
    }
}

/// The lattice after removing `left` and `right` blocks from the ends of the longer row.
fn with_lead(rows: &[Row; 2], longer: usize, left: usize, right: usize) -> Option<Lattice> {
    let (rest, q) = reduced(rows, longer, left, right)?;
    let mut rows = rows.clone();
    rows[longer] = rest;
    let (stages, advance) = blocks::stages(&rows)?;
    // The lead stands before the advances.
    let q = q.shifted(&[advance[1 - longer] - advance[longer], 0, 0]);
    let lead = (!q.is_zero()).then_some((longer, q));
    Some(Lattice { kind: LatticeKind::General, stages, lead, advance }.pivoted())
}

/// Parameters closer than this to 0 or ±1 are taken to be it, if the product stays as good.
const SNAP: f64 = 1e-12;

/// The lattice with parameters that are 0 or ±1 but for rounding set to that: symmetric filters
/// have many, and they cost no multiplication.
fn snapped(lattice: Lattice, polyphase: &PolyphaseMatrix) -> Lattice {
    let mut snapped = lattice.clone();
    let last = snapped.stages.len().saturating_sub(1);
    for (index, stage) in snapped.stages.iter_mut().enumerate() {
        for row in stage {
            let size = row[0].abs().max(row[1].abs());
            for entry in row {
                if entry.abs() <= SNAP * size {
                    *entry = 0.0;
                } else if index < last && (entry.abs() - 1.0).abs() <= SNAP {
                    *entry = entry.signum();
                }
            }
        }
    }
    let snapped = polish(snapped, polyphase);
    let error = |lattice: &Lattice| lattice.polyphase().distance(polyphase);
    let size = polyphase.entries().map(|(_, _, entry)| entry.magnitude()).fold(1.0, f64::max);
    if error(&snapped) <= error(&lattice).max(GOOD * size) { snapped } else { lattice }
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
