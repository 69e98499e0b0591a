//! Frames for rounded liftings.

use crate::algebra::PolyphaseMatrix;
use crate::bank::FilterBank;
use crate::lifting::Lifting;

/// Moves a rounded lifting and its bank to a frame that holds all that the inverse steps read.
///
/// The frame decides how many coefficients an expansive mode keeps, so that the inverse never reads
/// one that was not kept. Steps that cancel in the filters still round, each in its own way: the
/// filters' support alone may be too narrow for them. It rarely is; then nothing changes.
pub fn widened(bank: FilterBank, lifting: Lifting) -> (FilterBank, Lifting) {
    if !lifting.is_rounded() {
        return (bank, lifting);
    }
    let absolute = |matrix: PolyphaseMatrix| matrix.map_entries(|entry| entry.map(|c| c.abs()));
    let steps = lifting.steps.iter().map(|step| absolute(step.matrix()));
    let steps = steps.fold(PolyphaseMatrix::identity(2), |product, step| product.times(&step));
    let inverse = steps.times(&absolute(lifting.output_matrix()).adjoint());
    // Sample 2q + phase reads coefficient q + e: its tap stands at phase - 2e.
    let positions = inverse.terms().map(|(phase, _, exponent, _)| phase as i32 - 2 * exponent[0]);
    let (first, last) = positions.fold((0, bank.length() as i32 - 1), |(first, last), position| {
        (first.min(position), last.max(position))
    });
    let start = first - first.rem_euclid(2);
    let length = (last - start + 1) as usize;
    let [low, high, rec_low, rec_high] =
        [bank.analysis_low(), bank.analysis_high(), bank.synthesis_low(), bank.synthesis_high()]
            .map(|filter| filter.delayed(-start));
    let bank = FilterBank::in_frame(length + length % 2, low, high, rec_low, rec_high);
    (bank, super::delayed_lifting(lifting, start / 2))
}
