//! φ and ψ: what single coefficients become after many levels of synthesis, and of the adjoint of
//! analysis.

use crate::error::{Failure, Outcome};
use waveloom::Plan;
use waveloom::codegen::kernel::Operation;
use waveloom::wavelets::wavelet::Options;
use waveloom::wavelets::{Mode, Wavelet};

/// Levels of the cascade: curves have `2^LEVELS` points per unit of time.
const LEVELS: usize = 8;
/// Values below this share of the largest are outside of a curve's support.
const NOTHING: f64 = 1e-9;

/// A function of time, sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its values, from the first to the last that is not zero.
    pub values: Vec<f64>,
    /// Time between values.
    pub step: f64,
}

/// The functions of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The scaling function, with integral 1.
    pub scaling: Curve,
    /// The wavelet, with the same factor.
    pub wavelet: Curve,
}

/// Both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The functions that signals are compared with.
    pub analysis: Pair,
    /// The functions that signals are built from.
    pub synthesis: Pair,
}

/// Runs the cascades of a wavelet; of an integer wavelet, those of its linear part.
pub fn curves(wavelet: &Wavelet) -> Outcome<Curves> {
    // A reader of curves wants them even where reconstruction is only approximate.
    let options = Options { approximate: true, ..Options::default() };
    let linear = Wavelet::from_bank(wavelet.name(), wavelet.bank().clone(), &options)
        .map_err(Failure::plain)?;
    let length = (2 * linear.bank().length() + 4) << LEVELS;
    let plan = Plan::<f64>::builder(&linear, &[length])
        .levels(LEVELS)
        .mode(Mode::Zero)
        .build()
        .map_err(Failure::plain)?;
    let mut workspace = plan.workspace();
    let mut respond = |band: usize, synthesis: bool| -> Outcome<Vec<f64>> {
        let mut coefficients = vec![0.0; plan.coefficient_len()];
        let mut signal = vec![0.0; plan.signal_len()];
        let place = plan.bands().get(band).map(|band| band.offset + band.len / 2);
        let place = place.and_then(|place| coefficients.get_mut(place));
        *place.ok_or_else(|| Failure::plain("the plan has no such band"))? = 1.0;
        let operation = if synthesis { Operation::Inverse } else { Operation::AdjointForward };
        plan.execute(operation, &coefficients, &mut signal, &mut workspace)
            .map_err(Failure::plain)?;
        Ok(signal)
    };
    let mut pair = |synthesis: bool| -> Outcome<Pair> {
        let (scaling, wavelet) = (respond(0, synthesis)?, respond(1, synthesis)?);
        let step = 0.5_f64.powi(LEVELS as i32);
        let integral = scaling.iter().sum::<f64>() * step;
        let factor = if integral == 0.0 { 1.0 } else { 1.0 / integral };
        Ok(Pair {
            scaling: trimmed(&scaling, factor, step),
            wavelet: trimmed(&wavelet, factor, step),
        })
    };
    Ok(Curves { analysis: pair(false)?, synthesis: pair(true)? })
}

fn trimmed(values: &[f64], factor: f64, step: f64) -> Curve {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let counts = |value: &f64| value.abs() > NOTHING * largest;
    let begin = values.iter().position(counts).unwrap_or(0);
    let end = values.iter().rposition(counts).map_or(begin, |last| last + 1);
    let values = values[begin..end].iter().map(|value| value * factor).collect();
    Curve { values, step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom::wavelets::catalogue;

    #[test]
    fn haar_is_a_box_and_a_step() {
        let curves = curves(&catalogue::wavelet("haar").unwrap()).unwrap();
        let Pair { scaling, wavelet } = curves.synthesis;
        assert_eq!(scaling.values.len(), 256);
        assert!(scaling.values.iter().all(|value| (value - 1.0).abs() < 1e-12));
        assert!((wavelet.values[0].abs() - 1.0).abs() < 1e-12);
        assert!((wavelet.values[0] + wavelet.values[255]).abs() < 1e-12);
        assert_eq!(curves.analysis.scaling.values.len(), 256);
    }

    #[test]
    fn synthesis_of_the_five_three_wavelet_is_a_hat() {
        let curves = curves(&catalogue::wavelet("rev53").unwrap()).unwrap();
        let hat = curves.synthesis.scaling;
        let peak = hat.values.iter().fold(0.0_f64, |peak, value| peak.max(*value));
        assert!((peak - 1.0).abs() < 1e-9, "{peak}");
        assert!((hat.values.len() as f64 * hat.step - 2.0).abs() < 0.02);
    }
}
