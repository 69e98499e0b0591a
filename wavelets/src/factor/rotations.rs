//! Orthogonal taps to rotations.

use super::polish::polish;
use super::{FactorError, multiplied_back};
use crate::bank::FilterBank;
use crate::lattice::{Butterfly, Lattice, LatticeKind};

/// Peels rotations off the input side of the low-pass row; the high-pass row follows.
///
/// Either end pair of the remaining taps gives the angle of the next rotation; the one of larger
/// norm gives it to full accuracy. The angles themselves may be ill-determined, the product never
/// is: it equals the taps within 1e-15 for every length up to the catalogue's 102.
pub(super) fn peel(bank: &FilterBank) -> Result<Lattice, FactorError> {
    let low = bank.analysis_low();
    let start = low.first() - low.first().rem_euclid(2);
    let mut taps: Vec<f64> = (start..=low.last()).map(|position| low.at(position)).collect();
    if taps.len() % 2 == 1 {
        taps.push(0.0);
    }
    // Where the alternating flip of these taps begins: at the mirror image of the last one.
    let mirrored = taps.len() as i32 - 1 - (low.last() - start);
    let mut stages: Vec<Butterfly> = Vec::with_capacity(taps.len() / 2);
    while let [first, second, .., before, last] = taps[..] {
        let (front, back) = ((second, -first), (before, last));
        let norms = (front.0.hypot(front.1), back.0.hypot(back.1));
        let ((x, y), norm) = if norms.0 >= norms.1 { (front, norms.0) } else { (back, norms.1) };
        if norm == 0.0 {
            return Err(FactorError::NoStage);
        }
        let norm = if x < 0.0 { -norm } else { norm };
        let (c, s) = (x / norm, y / norm);
        stages.push([[c, s], [-s, c]]);
        // The first sum and the last difference vanish: together with the new order of the rest
        // they are the exchange between two stages.
        let pairs: Vec<(f64, f64)> = taps
            .chunks_exact(2)
            .map(|pair| (c * pair[0] + s * pair[1], c * pair[1] - s * pair[0]))
            .collect();
        taps = pairs.windows(2).flat_map(|pair| [pair[0].1, pair[1].0]).collect();
    }
    let [first, second] = taps[..] else { return Err(FactorError::NoStage) };
    let norm = first.hypot(second);
    let (a, b) = (first / norm, second / norm);
    let offset = bank.analysis_high().first() - mirrored;
    let advance = [start / 2, offset.div_euclid(2)];
    let lattice = |sign: f64| {
        let mut stages = stages.clone();
        stages.push([[a, b], [-sign * b, sign * a]]);
        Lattice { kind: LatticeKind::Orthogonal, stages, lead: None, advance }
    };
    let polyphase = bank.analysis_polyphase();
    let signs = [1.0, -1.0].map(|sign| {
        let lattice = lattice(sign);
        (lattice.polyphase().distance(&polyphase), lattice)
    });
    // The wrong sign is off by twice the high-pass filter.
    let [rotation, reflection] = signs;
    let (_, lattice) = if rotation.0 <= reflection.0 { rotation } else { reflection };
    let lattice = polish(lattice, &polyphase);
    multiplied_back(&lattice.polyphase(), bank).map(|()| lattice)
}
