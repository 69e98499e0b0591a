//! Wavelets of image compression standards, given as liftings, and one given by a report's taps.

use super::table;
use crate::bank::{Filter, FilterBank};
use crate::extension::Mode;
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep, Rounding};
use crate::wavelet::{AxisOrder, Options, Wavelet};

/// Their names.
pub(super) const NAMES: [&str; 4] = ["rev53", "irr97", "ccsds97m", "cdf97"];

/// The wavelet of one of [`NAMES`].
pub(super) fn wavelet(name: &str) -> Option<Wavelet> {
    let jpeg2000 = Options { default_mode: Mode::Jpeg2000, ..Options::default() };
    let verified = match name {
        "rev53" => Wavelet::from_lifting(name, rev53(), &jpeg2000),
        "irr97" => Wavelet::from_lifting(name, irr97(), &jpeg2000),
        "ccsds97m" => {
            let axis_order = AxisOrder::LastToFirst;
            let options = Options { even_lengths: true, axis_order, ..jpeg2000 };
            Wavelet::from_lifting(name, ccsds97m(), &options)
        }
        "cdf97" => {
            let options = Options { approximate: true, ..Options::default() };
            Wavelet::from_bank(name, cdf97(), &options)
        }
        _ => return None,
    };
    Some(verified.expect("the standards' wavelets reconstruct: a test builds every one"))
}

/// The Haar wavelet without the scaling that makes it orthonormal.
pub(super) fn haar_lifting() -> Wavelet {
    let steps =
        vec![step(Channel::Odd, &[(0, -1.0)], None), step(Channel::Even, &[(0, 0.5)], None)];
    let verified =
        Wavelet::from_lifting("haar-lifting", lifting(steps, 1.0, 1.0), &Options::default());
    verified.expect("two lifting steps invert: the documentation's example builds it")
}

/// `target += floor((Σ taps · other + offset) / 2^shift)`, or without rounding.
fn step(target: Channel, taps: &[(i32, f64)], rounding: Option<Rounding>) -> LiftingStep {
    LiftingStep { target, taps: taps.iter().copied().collect(), rounding }
}

/// Both bands as they stand in their channels, scaled.
fn lifting(steps: Vec<LiftingStep>, low: f64, high: f64) -> Lifting {
    Lifting {
        steps,
        low: BandOutput { channel: Channel::Even, advance: 0, gain: low },
        high: BandOutput { channel: Channel::Odd, advance: 0, gain: high },
    }
}

/// JPEG 2000, reversible 5/3: `d = x1 - floor((x0 + x2) / 2)`, `a = x0 + floor((d' + d + 2) / 4)`.
/// The subtraction is an addition of `floor((1 - x0 - x2) / 2)`.
fn rev53() -> Lifting {
    let predict = Rounding { offset: 1, shift: 1 };
    let update = Rounding { offset: 2, shift: 2 };
    let steps = vec![
        step(Channel::Odd, &[(0, -0.5), (1, -0.5)], Some(predict)),
        step(Channel::Even, &[(-1, 0.25), (0, 0.25)], Some(update)),
    ];
    lifting(steps, 1.0, 1.0)
}

/// JPEG 2000, irreversible 9/7: low-pass gain 1, high-pass gain 2.
fn irr97() -> Lifting {
    const ALPHA: f64 = -1.586134342059924;
    const BETA: f64 = -0.052980118572961;
    const GAMMA: f64 = 0.882911075530934;
    const DELTA: f64 = 0.443506852043971;
    const K: f64 = 1.230174104914001;
    let steps = vec![
        step(Channel::Odd, &[(0, ALPHA), (1, ALPHA)], None),
        step(Channel::Even, &[(-1, BETA), (0, BETA)], None),
        step(Channel::Odd, &[(0, GAMMA), (1, GAMMA)], None),
        step(Channel::Even, &[(-1, DELTA), (0, DELTA)], None),
    ];
    lifting(steps, 1.0 / K, K)
}

/// CCSDS 122.0-B, integer 9/7:
/// `d = x1 - floor(9/16 (x0 + x2) - 1/16 (x-2 + x4) + 1/2)`, `a = x0 - floor(-(d' + d)/4 + 1/2)`.
/// As additions: `floor((7 + …) / 16)` and `floor((1 + …) / 4)`.
fn ccsds97m() -> Lifting {
    let predict = Rounding { offset: 7, shift: 4 };
    let update = Rounding { offset: 1, shift: 2 };
    let (near, far) = (-9.0 / 16.0, 1.0 / 16.0);
    let steps = vec![
        step(Channel::Odd, &[(-1, far), (0, near), (1, near), (2, far)], Some(predict)),
        step(Channel::Even, &[(-1, 0.25), (0, 0.25)], Some(update)),
    ];
    lifting(steps, 1.0, 1.0)
}

/// CDF 9/7 with the taps printed by Littlejohn and Yao: ten decimals, so that it reconstructs
/// within 1e-8 only. Low-pass gain 1, high-pass gain 2; the synthesis filters follow by the
/// alternating flip.
fn cdf97() -> FilterBank {
    let low = [0.6029490182, 0.2668641184, -0.078223266529, -0.016864118443, 0.02674875741];
    let high = [1.11508705, -0.591271763114, -0.057543526229, 0.09127176311];
    let symmetric = |centre: i32, half: &[f64]| {
        let reach = half.len() as i32 - 1;
        let taps: Vec<f64> = (-reach..=reach).map(|n| half[n.unsigned_abs() as usize]).collect();
        Filter::new(centre - reach, &taps)
    };
    let (low, high) = (symmetric(4, &low), symmetric(5, &high));
    // With these gains the rule gives the negative of what reconstructs.
    let rec_low: Vec<f64> = table::alternating_flip(&high.padded(10));
    let rec_high: Vec<f64> = table::alternating_flip(&low.padded(10));
    let negated: Vec<f64> = rec_high.iter().map(|tap| -tap).collect();
    FilterBank::in_frame(10, low, high, Filter::new(0, &rec_low), Filter::new(0, &negated))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(step: &LiftingStep, samples: &[(i32, i64)]) -> i64 {
        let rounding = step.rounding.expect("the step is rounded");
        let scale = f64::from(1_u32 << rounding.shift);
        let sum: i64 = samples
            .iter()
            .map(|(exponent, sample)| (step.taps[exponent] * scale) as i64 * sample)
            .sum();
        (sum + rounding.offset).div_euclid(1 << rounding.shift)
    }

    fn floor(numerator: i64, denominator: i64) -> i64 {
        numerator.div_euclid(denominator)
    }

    #[test]
    fn rev53_rounds_as_annex_f_says() {
        let lifting = rev53();
        for a in -9..9 {
            for b in -9..9 {
                let predict = apply(&lifting.steps[0], &[(0, a), (1, b)]);
                assert_eq!(predict, -floor(a + b, 2), "{a} {b}");
                let update = apply(&lifting.steps[1], &[(-1, a), (0, b)]);
                assert_eq!(update, floor(a + b + 2, 4), "{a} {b}");
            }
        }
    }

    #[test]
    fn ccsds97m_rounds_as_the_blue_book_says() {
        let lifting = ccsds97m();
        for near in -40..40 {
            for far in -40..40 {
                let predict = apply(&lifting.steps[0], &[(-1, far), (0, near), (1, 3), (2, -5)]);
                let expected = -floor(9 * (near + 3) - (far - 5) + 8, 16);
                assert_eq!(predict, expected, "{near} {far}");
                let update = apply(&lifting.steps[1], &[(-1, near), (0, far)]);
                assert_eq!(update, -floor(-(near + far) + 2, 4), "{near} {far}");
            }
        }
    }

    #[test]
    fn each_builds_in_the_frame_of_its_biorthogonal_relative() {
        let cases = [("rev53", 6, 2), ("irr97", 10, 4), ("ccsds97m", 10, 4), ("cdf97", 10, 4)];
        for (name, length, centre) in cases {
            let wavelet = wavelet(name).expect("it is in the catalogue");
            assert_eq!(wavelet.bank().length(), length, "{name}");
            let symmetry = wavelet.frame().symmetry.expect("it is symmetric");
            assert_eq!(symmetry.centre, centre, "{name}");
            assert!((symmetry.low_gain - 1.0).abs() < 1e-8, "{name} {}", symmetry.low_gain);
            assert!((symmetry.high_gain - 2.0).abs() < 1e-8, "{name} {}", symmetry.high_gain);
        }
    }
}
