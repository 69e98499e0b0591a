//! How many digits a factorisation keeps in `f32`: measured, not modelled.

use crate::bank::{Filter, FilterBank};
use crate::lattice::Lattice;
use crate::lifting::{Channel, Lifting};

/// Relative error in `f32` up to which a factorisation is used without being asked for. The
/// catalogue's stay below 6e-6; left-to-right Euclid on a 20-tap Daubechies filter has 1e-2.
pub const F32_LIMIT: f64 = 1e-5;

/// Pairs of the test signal.
const PAIRS: usize = 256;

/// Reproducible noise in [-1, 1), exact in `f32`: even and odd channel.
pub(crate) fn noise(pairs: usize) -> [Vec<f32>; 2] {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut sample = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let pairs: Vec<[f32; 2]> = (0..pairs).map(|_| [sample(), sample()]).collect();
    [0, 1].map(|phase| pairs.iter().map(|pair| pair[phase]).collect())
}

fn wrapped(index: usize, advance: i32) -> usize {
    (index as i64 + i64::from(advance)).rem_euclid(PAIRS as i64) as usize
}

/// Both bands by convolution in `f64`, of a periodic signal.
fn convolution(bank: &FilterBank, signal: &[Vec<f32>; 2]) -> [Vec<f64>; 2] {
    let band = |filter: &Filter| {
        let output = |k: usize| {
            let terms = (filter.first()..).zip(filter.taps()).map(|(position, tap)| {
                let (phase, pair) = (position.rem_euclid(2) as usize, position.div_euclid(2));
                tap * f64::from(signal[phase][wrapped(k, pair)])
            });
            terms.sum::<f64>()
        };
        (0..PAIRS).map(output).collect()
    };
    [band(bank.analysis_low()), band(bank.analysis_high())]
}

fn deviation(measured: &[Vec<f32>; 2], expected: &[Vec<f64>; 2]) -> f64 {
    let pairs = measured.iter().flatten().zip(expected.iter().flatten());
    pairs.map(|(m, e)| (f64::from(*m) - e).abs()).fold(0.0, |largest, error| {
        if error.is_nan() { f64::INFINITY } else { f64::max(largest, error) }
    })
}

/// Error of a lifting in `f32` on noise, forward and after a round trip, relative to the largest
/// sample (forward also to the larger gain, where that exceeds 1); infinite if a value overflows.
pub fn lifting_f32_error(lifting: &Lifting, bank: &FilterBank) -> f64 {
    let signal = noise(PAIRS);
    let mut channels = signal.clone();
    let update = |channels: &mut [Vec<f32>; 2], index: usize, sign: f32| {
        let step = &lifting.steps[index];
        let (target, source) = (step.target.index(), step.target.other().index());
        let increments: Vec<f32> = (0..PAIRS)
            .map(|k| {
                let terms = step.taps.iter();
                terms.map(|(e, tap)| *tap as f32 * channels[source][wrapped(k, *e)]).sum()
            })
            .collect();
        for (value, increment) in channels[target].iter_mut().zip(increments) {
            *value += sign * increment;
        }
    };
    for index in 0..lifting.steps.len() {
        update(&mut channels, index, 1.0);
    }
    let bands = [lifting.low, lifting.high].map(|band| {
        let read = |k| band.gain as f32 * channels[band.channel.index()][wrapped(k, band.advance)];
        (0..PAIRS).map(read).collect::<Vec<f32>>()
    });
    let forward = deviation(&bands, &convolution(bank, &signal)) / gain(bank);
    let mut channels = [Channel::Even, Channel::Odd].map(|channel| {
        let (index, band) =
            if lifting.low.channel == channel { (0, lifting.low) } else { (1, lifting.high) };
        let factor = (1.0 / band.gain) as f32;
        let read = |k| factor * bands[index][wrapped(k, -band.advance)];
        (0..PAIRS).map(read).collect::<Vec<f32>>()
    });
    for index in (0..lifting.steps.len()).rev() {
        update(&mut channels, index, -1.0);
    }
    forward.max(deviation(&channels, &widened(&signal)))
}

/// Error of a lattice in its pivoted form in `f32` on noise, forward, relative to the largest
/// sample and the larger gain; infinite if a value overflows.
pub fn lattice_f32_error(lattice: &Lattice, bank: &FilterBank) -> f64 {
    let signal = noise(PAIRS);
    let pivoted = lattice.pivoted();
    let mut arms = signal.clone();
    for (index, stage) in pivoted.stages.iter().enumerate() {
        if index > 0 {
            arms.swap(0, 1);
            arms[1].rotate_left(1);
        }
        let rows = stage.map(|row| row.map(|entry| entry as f32));
        let [upper, lower] = &mut arms;
        for (s, v) in upper.iter_mut().zip(lower) {
            (*s, *v) = (rows[0][0] * *s + rows[0][1] * *v, rows[1][0] * *s + rows[1][1] * *v);
        }
    }
    if let Some((target, q)) = &pivoted.lead {
        let (target, source) = ((*target).min(1), 1 - (*target).min(1));
        for k in 0..PAIRS {
            let terms = q.terms();
            let sum: f32 = terms.map(|(e, tap)| *tap as f32 * arms[source][wrapped(k, e[0])]).sum();
            arms[target][k] += sum;
        }
    }
    let bands = [0, 1].map(|band| {
        let read = |k| arms[band][wrapped(k, pivoted.advance[band])];
        (0..PAIRS).map(read).collect::<Vec<f32>>()
    });
    deviation(&bands, &convolution(bank, &signal)) / gain(bank)
}

fn widened(signal: &[Vec<f32>; 2]) -> [Vec<f64>; 2] {
    signal.each_ref().map(|channel| channel.iter().map(|value| f64::from(*value)).collect())
}

/// The largest gain of a single coefficient over √2, at least 1: unnormalised banks are not worse.
fn gain(bank: &FilterBank) -> f64 {
    let filters = [bank.analysis_low(), bank.analysis_high()];
    let norm = |filter: &Filter| filter.taps().iter().map(|tap| tap * tap).sum::<f64>().sqrt();
    filters.map(norm).into_iter().fold(1.0, f64::max)
}
