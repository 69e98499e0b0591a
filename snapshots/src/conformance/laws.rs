//! Laws that every transform obeys, whatever the reference says.

use super::bounds::{axes_factor, round_trip_tolerance, scale, tolerance, unit};
use super::compare::{compare, dot};
use super::suite::Trial;
use super::{Case, Check, Samples, arrays};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_wavelets::Mode;
use waveloom_wavelets::wavelet::Reconstruction;

/// Checks every law that applies to the trial's case, or the one among them that `chosen` numbers.
pub(super) fn run(trial: &mut Trial, chosen: Option<u8>) {
    let case = trial.case;
    let has = |trial: &Trial, operation| trial.subject.operations().contains(&operation);
    let forward = has(trial, Operation::Forward);
    let inverse = forward && has(trial, Operation::Inverse);
    let linear = !case.wavelet.is_rounded();
    let exact =
        !matches!(case.wavelet.properties().reconstruction, Reconstruction::Approximate { .. });
    let circular = matches!(case.mode, Mode::Periodization | Mode::Circular) && case.is_even();
    // A single sample at an odd coordinate is doubled: an odd coefficient comes from no integer.
    let doubled = case.wavelet.is_rounded() && has_single_sample(case);
    let bijective = circular || (case.mode == Mode::Jpeg2000 && !doubled);
    let bounded = forward && trial.subject.max_input().is_some();
    let laws: [(Check, bool, Law); 9] = [
        (Check::Range, bounded && case.signal_len() > 0, range),
        (Check::RoundTrip, inverse && exact, round_trip),
        (Check::ReverseRoundTrip, inverse && exact && bijective, reverse_round_trip),
        (Check::Linearity, forward && linear, linearity),
        (Check::Impulse, forward && linear, impulse),
        (Check::Shift, forward && circular, shift),
        (Check::Parseval, forward && circular && case.wavelet.properties().orthogonal, parseval),
        (Check::Pairing, forward && has(trial, Operation::AdjointForward), pairing),
        (Check::InversePairing, inverse && has(trial, Operation::AdjointInverse), inverse_pairing),
    ];
    let apply = laws.iter().filter(|(_, applies, _)| *applies);
    let count = apply.clone().count();
    for (index, (check, _, law)) in apply.enumerate() {
        if chosen.is_none_or(|chosen| usize::from(chosen) % count == index) {
            let outcome = law(trial);
            trial.record(*check, outcome);
        }
    }
}

fn has_single_sample(case: &Case) -> bool {
    let decomposition = case.decomposition();
    let levels = decomposition.iter().flat_map(|decomposition| decomposition.levels());
    levels.flat_map(|level| &level.axes).any(|axis| axis.single.is_some())
}

type Law = fn(&mut Trial) -> Result<f64, String>;

fn round_trip(trial: &mut Trial) -> Result<f64, String> {
    let signal = trial.arbitrary(Operation::Forward);
    let bands = trial.subject.run(Operation::Forward, &signal)?;
    let back = trial.subject.run(Operation::Inverse, &bands)?;
    compare(&signal, &back, round_trip_tolerance(trial.case, &signal, &bands))
}

fn reverse_round_trip(trial: &mut Trial) -> Result<f64, String> {
    // Small integers: the signal must be one that the forward transform takes.
    let most = trial.subject.max_input().map(|most| most / 8);
    let bands = trial.stream.samples(trial.case.element, trial.layout.len, most);
    let signal = trial.subject.run(Operation::Inverse, &bands)?;
    let back = trial.subject.run(Operation::Forward, &signal)?;
    compare(&bands, &back, round_trip_tolerance(trial.case, &signal, &bands))
}

/// The largest inputs are transformed rightly, larger ones refused.
fn range(trial: &mut Trial) -> Result<f64, String> {
    let (element, len) = (trial.case.element, trial.case.signal_len());
    let Some(most) = trial.subject.max_input() else { return Ok(0.0) };
    let mut worst = 0.0_f64;
    for _ in 0..3 {
        let signs = (0..len).map(|_| if trial.stream.below(2) == 0 { most } else { -most });
        let signal = Samples::from_i64(element, &signs.collect::<Vec<_>>());
        let expected = trial.expected(Operation::Forward, &signal)?;
        let got = trial.subject.run(Operation::Forward, &signal)?;
        worst = worst.max(compare(&expected, &got, 0.0)?);
    }
    let limit = match element {
        Element::I16 => i64::from(i16::MAX),
        Element::I32 => i64::from(i32::MAX),
        _ => i64::MAX,
    };
    if most >= limit {
        return Ok(worst);
    }
    let mut values = vec![0; len];
    let at = trial.stream.below(len);
    values[at] = -most - 1;
    let beyond = Samples::from_i64(element, &values);
    match trial.subject.run_examined(Operation::Forward, &beyond) {
        Err(_) => Ok(worst),
        Ok(_) => Err(format!("a sample of {} was taken, at most {most} is safe", -most - 1)),
    }
}

fn linearity(trial: &mut Trial) -> Result<f64, String> {
    let (element, forward) = (trial.case.element, Operation::Forward);
    let (x, y) = (trial.arbitrary(forward), trial.arbitrary(forward));
    // Halves and quarters of 20-bit numbers: the sum is exact in every float type.
    let mixed = |x: &Samples, y: &Samples| {
        let pairs = x.to_f64().into_iter().zip(y.to_f64());
        Samples::from_f64(element, &pairs.map(|(x, y)| 0.5 * x - 0.25 * y).collect::<Vec<_>>())
    };
    let (wx, wy) = (trial.subject.run(forward, &x)?, trial.subject.run(forward, &y)?);
    let whole = trial.subject.run(forward, &mixed(&x, &y))?;
    let allowed = tolerance(trial.case, forward, &x, &wx) + tolerance(trial.case, forward, &y, &wy);
    compare(&mixed(&wx, &wy), &whole, allowed)
}

fn impulse(trial: &mut Trial) -> Result<f64, String> {
    let case = trial.case;
    let mut values = vec![0.0; case.signal_len()];
    let at = trial.stream.below(values.len());
    let Some(value) = values.get_mut(at) else { return Ok(0.0) };
    *value = 1.0;
    let signal = Samples::from_f64(case.element, &values);
    let got = trial.subject.run(Operation::Forward, &signal)?;
    let expected = match case.levels == 1 && case.mode == Mode::Zero {
        true => Samples::from_f64(case.element, &taps_at(trial, at)),
        false => trial.expected(Operation::Forward, &signal)?,
    };
    compare(&expected, &got, tolerance(case, Operation::Forward, &signal, &expected))
}

/// The response of one level without extension to an impulse at flat index `at`, read off the
/// filters' taps.
fn taps_at(trial: &Trial, at: usize) -> Vec<f64> {
    let (case, bank) = (trial.case, trial.case.wavelet.bank());
    let source = arrays::position(at, &case.shape);
    let decomposition = case.decomposition();
    let Some(level) = decomposition.as_ref().ok().and_then(|d| d.levels().first()) else {
        return Vec::new();
    };
    let mut response = Vec::with_capacity(trial.layout.len);
    for band in &trial.layout.bands {
        let details: Vec<bool> = band.details().collect();
        for flat in 0..band.len {
            let target = arrays::position(flat, &band.shape);
            let batch = (0..case.shape.len()).filter(|axis| !case.axes.contains(axis));
            let same_line = batch.into_iter().all(|axis| source[axis] == target[axis]);
            let mut product = if same_line { 1.0 } else { 0.0 };
            for ((axis, detail), geometry) in case.axes.iter().zip(&details).zip(&level.axes) {
                let (filter, span) = match detail {
                    true => (bank.analysis_high(), geometry.high),
                    false => (bank.analysis_low(), geometry.low),
                };
                let sample = geometry.signal.start + source[*axis] as i64;
                product *= filter.at((sample - 2 * (span.start + target[*axis] as i64)) as i32);
            }
            response.push(product);
        }
    }
    response
}

fn shift(trial: &mut Trial) -> Result<f64, String> {
    let (case, forward) = (trial.case, Operation::Forward);
    let signal = trial.arbitrary(forward);
    let chosen = trial.stream.below(case.axes.len());
    let Some(axis) = case.axes.get(chosen).copied() else { return Ok(0.0) };
    // Not all the way round, unless there is no other way.
    let coarse = 1 + trial.stream.below((case.shape[axis] >> case.levels).saturating_sub(1));
    let moved = gathered(&signal, &arrays::rolled(&case.shape, axis, coarse << case.levels));
    let bands = trial.subject.run(forward, &signal)?;
    let moved_bands = trial.subject.run(forward, &moved)?;
    let mut indices = Vec::with_capacity(trial.layout.len);
    for band in &trial.layout.bands {
        let level = band.level().unwrap_or(case.levels);
        let rolled = arrays::rolled(&band.shape, axis, coarse << (case.levels - level));
        indices.extend(rolled.into_iter().map(|index| index + band.offset));
    }
    let allowed = 2.0 * tolerance(case, forward, &signal, &bands);
    compare(&gathered(&bands, &indices), &moved_bands, allowed)
}

fn gathered(samples: &Samples, indices: &[usize]) -> Samples {
    match samples.to_i64() {
        Some(values) => {
            let values: Vec<i64> = indices.iter().map(|index| values[*index]).collect();
            Samples::from_i64(samples.element(), &values)
        }
        None => {
            let values = samples.to_f64();
            let values: Vec<f64> = indices.iter().map(|index| values[*index]).collect();
            Samples::from_f64(samples.element(), &values)
        }
    }
}

fn parseval(trial: &mut Trial) -> Result<f64, String> {
    let signal = trial.arbitrary(Operation::Forward);
    let bands = trial.subject.run(Operation::Forward, &signal)?;
    let energy = dot(&signal, &signal);
    let allowed = 2.0 * energy * relative(trial);
    within(dot(&bands, &bands), energy, allowed)
}

fn pairing(trial: &mut Trial) -> Result<f64, String> {
    paired(trial, Operation::Forward, Operation::AdjointForward)
}

fn inverse_pairing(trial: &mut Trial) -> Result<f64, String> {
    paired(trial, Operation::Inverse, Operation::AdjointInverse)
}

fn paired(trial: &mut Trial, there: Operation, back: Operation) -> Result<f64, String> {
    let (x, y) = (trial.arbitrary(there), trial.arbitrary(back));
    let wx = trial.subject.run(there, &x)?;
    let wy = trial.subject.run(back, &y)?;
    // Both sums have one rounding error per product of the sizes involved.
    let sizes = scale(trial.case, there, &x, &wx) * y.magnitude() * y.len() as f64
        + scale(trial.case, back, &y, &wy) * x.magnitude() * x.len() as f64;
    within(dot(&wx, &y), dot(&x, &wy), relative(trial) * sizes)
}

/// Relative error of all passes together.
fn relative(trial: &Trial) -> f64 {
    let levels = trial.case.levels.max(1) as f64;
    unit(&trial.case.wavelet, trial.case.element) * axes_factor(trial.case) * levels
}

fn within(got: f64, expected: f64, allowed: f64) -> Result<f64, String> {
    let error = (got - expected).abs();
    if error <= allowed {
        return Ok(if allowed > 0.0 { error / allowed } else { 0.0 });
    }
    Err(format!("{got:e} should equal {expected:e}: off by {error:.3e}, allowed {allowed:.3e}"))
}
