//! What is refused, what is accepted with a remark, and what is proved.

use std::collections::BTreeMap;
use waveloom_wavelets::algebra::{Laurent, Rational};
use waveloom_wavelets::catalogue;
use waveloom_wavelets::lattice::{Lattice, LatticeKind};
use waveloom_wavelets::lifting::{BandOutput, Channel, Lifting, LiftingStep, Rounding};
use waveloom_wavelets::verify::{
    ExactBank, ExactFilter, ExactLattice, ExactLifting, ExactOutput, ExactStep, VerifyError,
    pywavelets_bank,
};
use waveloom_wavelets::wavelet::{Reconstruction, Symmetry};
use waveloom_wavelets::{Filter, FilterBank, Options, SchemeKind, Wavelet};

fn from_taps(filters: [&[f64]; 4]) -> Result<Wavelet, VerifyError> {
    Wavelet::from_bank("mine", pywavelets_bank(filters)?, &Options::default())
}

fn db4() -> [Vec<f64>; 4] {
    catalogue::wavelet("db4").unwrap().bank().to_pywavelets()
}

fn refs(filters: &[Vec<f64>; 4]) -> [&[f64]; 4] {
    filters.each_ref().map(Vec::as_slice)
}

fn reversed(taps: &[f64]) -> Vec<f64> {
    taps.iter().rev().copied().collect()
}

fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

#[test]
fn four_times_123_is_no_wavelet() {
    let taps = [1.0, 2.0, 3.0];
    let error = from_taps([&taps; 4]).unwrap_err();
    let VerifyError::NotReconstructing { defect, expected, found, .. } = &error else {
        panic!("{error}")
    };
    assert!(*defect >= 9.0 && (found - expected).abs() <= *defect, "{error}");
    let text = error.to_string();
    assert!(text.contains("Σ lo[n] rec_hi[n+2k]") || text.contains("Σ"), "{text}");
    assert!(text.contains(&format!("(defect {defect:.3e}; at most 1e-10 is accepted)")), "{text}");
    assert!(!text.contains('\n'));
}

#[test]
fn the_broken_identity_is_the_worst_one() {
    let mut filters = db4();
    // dec_lo[7] is lo[0], which meets rec_lo[2k]; rec_lo's largest tap is at 1.
    filters[2][1] += 0.25;
    let error = from_taps(refs(&filters)).unwrap_err();
    let VerifyError::NotReconstructing { identity, found, expected, defect, .. } = error else {
        panic!("{error}")
    };
    // The change times lo[1 - 2k] (or hi) is largest for the largest odd tap: lo[1] at k = 0.
    assert_eq!(identity, "Σ lo[n] rec_lo[n+2k] at k=0");
    assert_eq!(expected, 1.0);
    let lo1 = filters[0][6];
    assert!((found - (1.0 + 0.25 * lo1)).abs() < 1e-12);
    assert!((defect - 0.25 * lo1).abs() < 1e-12);
}

#[test]
fn nan_and_infinity_are_named_with_their_place() {
    for (value, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let mut filters = db4();
        filters[1][3] = value;
        let error = from_taps(refs(&filters)).unwrap_err().to_string();
        assert_eq!(error, format!("dec_hi[3] is {text}; every number must be finite"));
    }
    let bad = Filter::new(2, &[1.0, f64::NAN]);
    let good = Filter::new(0, &[1.0]);
    let bank = FilterBank::new(good.clone(), bad, good.clone(), good);
    let error = Wavelet::from_bank("mine", bank, &Options::default()).unwrap_err().to_string();
    assert_eq!(error, "hi[3] is NaN; every number must be finite");
}

#[test]
fn huge_taps_that_overflow_are_refused() {
    let taps = [1e300, 1e300];
    let error = from_taps([&taps; 4]).unwrap_err();
    assert!(matches!(error, VerifyError::NotReconstructing { defect, .. } if defect.is_infinite()));
}

#[test]
fn unequal_and_empty_filters_are_refused() {
    let [a, b] = [0.5, 0.5];
    let error = from_taps([&[a, b], &[a, b], &[a], &[a, b]]).unwrap_err();
    assert_eq!(error, VerifyError::UnequalLengths { lengths: [2, 2, 1, 2] });
    let error = from_taps([&[a, b], &[], &[a, b], &[a, b]]).unwrap_err();
    assert_eq!(error, VerifyError::Empty { filter: "dec_hi" });
    let error = from_taps([&[0.0, 0.0], &[a, b], &[a, b], &[a, b]]).unwrap_err();
    assert_eq!(error, VerifyError::Empty { filter: "lo" });
}

#[test]
fn filters_out_of_reach_are_refused() {
    let far = Filter::new(i32::MAX - 1, &[1.0, 2.0]);
    let near = Filter::new(i32::MIN, &[1.0, 2.0]);
    let bank = FilterBank::new(far.clone(), near, far.clone(), far);
    let error = Wavelet::from_bank("mine", bank, &Options::default()).unwrap_err();
    assert!(matches!(error, VerifyError::TooLong { .. }), "{error}");
    let long = vec![1.0; 2000];
    let error = from_taps([&long; 4]).unwrap_err();
    assert_eq!(error, VerifyError::TooLong { length: 2000 });
    let one = Filter::new(0, &[1.0]);
    let outside = Filter::new(7, &[1.0]);
    let bank = FilterBank::in_frame(4, one.clone(), outside, one.clone(), one);
    let error = Wavelet::from_bank("mine", bank, &Options::default()).unwrap_err();
    assert!(matches!(error, VerifyError::OutsideFrame { filter: "hi", .. }), "{error}");
}

#[test]
fn likely_slips_get_a_hint() {
    let [dec_lo, dec_hi, rec_lo, rec_hi] = db4();
    let hint = |filters: [&[f64]; 4]| match from_taps(filters).unwrap_err() {
        VerifyError::NotReconstructing { hint, .. } => hint.unwrap_or_default(),
        other => panic!("{other}"),
    };
    let (lo, hi) = (reversed(&dec_lo), reversed(&dec_hi));
    assert!(hint([&lo, &hi, &rec_lo, &rec_hi]).contains("look time-reversed"));
    assert!(hint([&dec_hi, &dec_lo, &rec_lo, &rec_hi]).contains("look exchanged"));
    let negative: Vec<f64> = rec_hi.iter().map(|tap| -tap).collect();
    assert!(hint([&dec_lo, &dec_hi, &rec_lo, &negative]).contains("wrong sign"));
    let double = |taps: &[f64]| -> Vec<f64> { taps.iter().map(|tap| 2.0 * tap).collect() };
    let (double_lo, double_hi) = (double(&rec_lo), double(&rec_hi));
    assert!(hint([&dec_lo, &dec_hi, &double_lo, &double_hi]).contains("times too large"));
    let late = |taps: &[f64]| -> Vec<f64> { [&[0.0, 0.0], taps].concat() };
    let early = |taps: &[f64]| -> Vec<f64> { [taps, &[0.0, 0.0]].concat() };
    let moved = hint([&early(&dec_lo), &early(&dec_hi), &early(&rec_lo), &early(&rec_hi)]);
    assert!(moved.contains("should stand 2 samples later"), "{moved}");
    // PyWavelets' order puts zeros of the analysis side at the other end: this one fits.
    let (lo, hi) = (late(&dec_lo), late(&dec_hi));
    assert!(from_taps([&lo, &hi, &early(&rec_lo), &early(&rec_hi)]).is_ok());
}

#[test]
fn a_bank_that_is_not_quite_one_must_say_so() {
    let bank = catalogue::wavelet("dmey").unwrap().bank().clone();
    let error = Wavelet::from_bank("mine", bank.clone(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("must say so"), "{error}");
    let approximate = Options { approximate: true, ..Options::default() };
    let wavelet = Wavelet::from_bank("mine", bank, &approximate).unwrap();
    assert!(matches!(wavelet.properties().reconstruction, Reconstruction::Approximate { .. }));
    assert!(wavelet.lattice().is_none() && wavelet.lifting().is_none());
    let mut filters = db4();
    filters[2][1] += 0.25;
    let bank = pywavelets_bank(refs(&filters)).unwrap();
    let error = Wavelet::from_bank("mine", bank, &approximate).unwrap_err();
    assert!(error.to_string().contains("at most 1e-2 is accepted"), "{error}");
}

#[test]
fn published_tables_are_accepted_with_their_defect() {
    // sym3 as PyWavelets prints it.
    let dec_lo = [
        0.035_226_291_882_100_656,
        -0.085_441_273_882_241_49,
        -0.135_011_020_010_390_84,
        0.459_877_502_119_331_3,
        0.806_891_509_313_338_8,
        0.332_670_552_950_956_9,
    ];
    let rec_lo = reversed(&dec_lo);
    let signs = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
    let dec_hi: Vec<f64> = rec_lo.iter().zip(signs).map(|(tap, sign)| tap * sign).collect();
    let rec_hi = reversed(&dec_hi);
    let wavelet = from_taps([&dec_lo, &dec_hi, &rec_lo, &rec_hi]).unwrap();
    let properties = wavelet.properties();
    let defect = properties.reconstruction.defect();
    assert!((1e-12..1e-11).contains(&defect), "{defect:e}");
    assert_eq!(properties.vanishing_moments_analysis, 3);
    assert!(properties.orthogonal && properties.lattice_residual.unwrap() < 1e-11);
}

#[test]
fn taps_of_a_known_wavelet_run_backwards_are_remarked() {
    let [dec_lo, dec_hi, rec_lo, rec_hi] = db4().map(|taps| reversed(&taps));
    let wavelet = from_taps([&dec_lo, &dec_hi, &rec_lo, &rec_hi]).unwrap();
    let remarks = &wavelet.properties().remarks;
    assert_eq!(remarks[..], ["the taps look time-reversed: run backwards they are those of db4"]);
    assert!(wavelet.properties().lattice_residual.unwrap() < 5e-15);
    let forwards = from_taps(refs(&db4())).unwrap();
    assert!(forwards.properties().remarks.is_empty());
}

/// The 5/3 filters of JPEG 2000 as their standard prints them: gains 1 and 2.
fn le_gall() -> ExactBank {
    let filter = |first: i32, numerators: &[i64], denominator: i64| ExactFilter {
        first,
        taps: numerators.iter().map(|n| ratio(*n, denominator)).collect(),
    };
    ExactBank {
        filters: [
            filter(-2, &[-1, 2, 6, 2, -1], 8),
            filter(0, &[-1, 2, -1], 2),
            filter(-1, &[1, 2, 1], 2),
            filter(-1, &[-1, -2, 6, -2, -1], 8),
        ],
        length: None,
    }
}

#[test]
fn le_gall_is_accepted_unnormalised_and_proved_exact() {
    let wavelet = Wavelet::from_exact_bank("legall", &le_gall(), &Options::default()).unwrap();
    let properties = wavelet.properties();
    assert_eq!(properties.reconstruction, Reconstruction::Exact);
    assert_eq!((properties.low_gain, properties.high_gain), (1.0, 2.0));
    assert_eq!(properties.symmetry, Symmetry::WholeSample);
    assert!(!properties.orthogonal);
    let remark = &properties.remarks[0];
    assert!(remark.starts_with("not normalised: low-pass gain 1, high-pass gain 2"), "{remark}");
    let rev53 = catalogue::wavelet("rev53").unwrap();
    assert_eq!(wavelet.bank(), rev53.bank());
    // Euclid in exact arithmetic gives the standard's steps.
    let lifting = wavelet.lifting().unwrap();
    let taps: Vec<Vec<(i32, f64)>> = lifting
        .steps
        .iter()
        .map(|step| step.taps.iter().map(|(e, tap)| (*e, *tap)).collect())
        .collect();
    assert_eq!(taps, [[(0, -0.5), (1, -0.5)], [(-1, 0.25), (0, 0.25)]]);
    assert_eq!((lifting.low.gain, lifting.high.gain), (1.0, 1.0));
    assert_eq!(properties.lifting_residual, Some(0.0));
}

#[test]
fn a_rational_bank_that_is_off_is_not_proved() {
    let mut bank = le_gall();
    bank.filters[0].taps[2] += ratio(1, 1_000_000_000_000);
    let wavelet = Wavelet::from_exact_bank("off", &bank, &Options::default()).unwrap();
    let defect = wavelet.properties().reconstruction.defect();
    assert!((5e-13..5e-12).contains(&defect), "{defect:e}");
    bank.filters[0].taps[2] += ratio(1, 10);
    assert!(Wavelet::from_exact_bank("off", &bank, &Options::default()).is_err());
}

#[test]
fn rational_filters_out_of_reach_are_refused() {
    let mut bank = le_gall();
    bank.filters[1].first = i32::MAX;
    let error = Wavelet::from_exact_bank("far", &bank, &Options::default()).unwrap_err();
    let expected = "the first position of hi is 2147483647; at most 512 either way is supported";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn rational_taps_in_pywavelets_order() {
    let half = [ratio(1, 2), ratio(1, 2)];
    let one = [ratio(1, 1), ratio(1, 1)];
    let minus_half = [ratio(-1, 2), ratio(1, 2)];
    let minus_one = [ratio(1, 1), ratio(-1, 1)];
    let bank = ExactBank::from_pywavelets([&half, &minus_half, &one, &minus_one]).unwrap();
    let haar = Wavelet::from_exact_bank("haar1", &bank, &Options::default()).unwrap();
    assert_eq!(haar.properties().reconstruction, Reconstruction::Exact);
    assert_eq!(haar.properties().low_gain, 1.0);
    let error = ExactBank::from_pywavelets([&half, &half[..1], &one, &one]).unwrap_err();
    assert_eq!(error, VerifyError::UnequalLengths { lengths: [2, 1, 2, 2] });
}

fn step(target: Channel, taps: &[(i32, f64)], rounding: Option<Rounding>) -> LiftingStep {
    LiftingStep { target, taps: taps.iter().copied().collect(), rounding }
}

fn output(channel: Channel, gain: f64) -> BandOutput {
    BandOutput { channel, advance: 0, gain }
}

fn lifting(steps: Vec<LiftingStep>) -> Lifting {
    Lifting { steps, low: output(Channel::Even, 1.0), high: output(Channel::Odd, 1.0) }
}

#[test]
fn liftings_that_cannot_be_inverted_are_refused() {
    let refused = |lifting: Lifting| {
        Wavelet::from_lifting("mine", lifting, &Options::default()).unwrap_err().to_string()
    };
    let steps = || vec![step(Channel::Odd, &[(0, -1.0)], None)];
    let zero = Lifting { high: output(Channel::Odd, 0.0), ..lifting(steps()) };
    assert_eq!(refused(zero), "the gain of high is 0; it could not be inverted");
    let same = Lifting { high: output(Channel::Even, 1.0), ..lifting(steps()) };
    let expected = "low and high both read the even channel; they must read different ones";
    assert_eq!(refused(same), expected);
    let nan = lifting(vec![step(Channel::Odd, &[(0, f64::NAN)], None)]);
    let expected = "the coefficient of z^0 in step 1 is NaN; every number must be finite";
    assert_eq!(refused(nan), expected);
    let far = lifting(vec![step(Channel::Odd, &[(600, 1.0)], None)]);
    assert!(refused(far).contains("span"), "a reach beyond the longest frame");
    let mut far = lifting(steps());
    far.low.advance = i32::MIN;
    let expected = "the advance of low is -2147483648; at most 512 either way is supported";
    assert_eq!(refused(far), expected);
    let many = lifting(vec![step(Channel::Odd, &[(0, 1.0)], None); 1000]);
    assert!(refused(many).contains("1000 lifting steps were given; at most 256"));
}

#[test]
fn rounding_must_be_whole() {
    let refused = |lifting: Lifting| {
        Wavelet::from_lifting("mine", lifting, &Options::default()).unwrap_err().to_string()
    };
    let rounding = Some(Rounding { offset: 1, shift: 1 });
    let third = lifting(vec![step(Channel::Odd, &[(0, 1.0 / 3.0)], rounding)]);
    assert!(refused(third).contains("is not a multiple of 2^-1"));
    let half = |rounding| step(Channel::Odd, &[(0, 0.5)], rounding);
    let mixed = lifting(vec![half(rounding), half(None)]);
    assert!(refused(mixed).contains("step 2 is not rounded although others are"));
    let scaled = Lifting { low: output(Channel::Even, 2.0), ..lifting(vec![half(rounding)]) };
    assert_eq!(refused(scaled), "the gain of low is 2; a rounded lifting needs gain 1");
    let shift = lifting(vec![half(Some(Rounding { offset: 0, shift: 60 }))]);
    assert_eq!(refused(shift), "step 1: shift is 60; expected 0 to 30");
    let offset = lifting(vec![half(Some(Rounding { offset: i64::MAX, shift: 1 }))]);
    assert!(refused(offset).contains("expected -2^40 to 2^40"));
}

#[test]
fn a_lifting_moves_to_the_frame_of_its_filters() {
    let steps = vec![
        step(Channel::Odd, &[(0, -0.5), (1, -0.5)], None),
        step(Channel::Even, &[(-1, 0.25), (0, 0.25)], None),
    ];
    let wavelet = Wavelet::from_lifting("mine", lifting(steps), &Options::default()).unwrap();
    let bank = wavelet.bank();
    assert_eq!((bank.length(), bank.analysis_low().first()), (6, 0));
    assert_eq!(bank.analysis_low().taps(), [-0.125, 0.25, 0.75, 0.25, -0.125]);
    assert_eq!(bank.analysis_high().taps(), [-0.5, 1.0, -0.5]);
    assert_eq!(wavelet.lifting().unwrap().low.advance, 1);
    assert_eq!(wavelet.properties().lifting_residual, Some(0.0));
    assert!(wavelet.lattice().is_some());
    assert_eq!(
        bank,
        Wavelet::from_exact_bank("x", &le_gall(), &Options::default()).unwrap().bank()
    );
}

#[test]
fn a_badly_conditioned_lifting_is_reported_and_not_chosen() {
    // (1, a)(1, -1/a) ... : a rotation by way of large coefficients.
    let (a, b) = (3e4, -1.0 / 3e4);
    let steps = vec![
        step(Channel::Odd, &[(0, a)], None),
        step(Channel::Even, &[(0, b), (1, 0.5 * b)], None),
        step(Channel::Odd, &[(0, a), (-1, 0.25 * a)], None),
    ];
    let wavelet = Wavelet::from_lifting("mine", lifting(steps), &Options::default()).unwrap();
    let properties = wavelet.properties();
    let error = properties.lifting_f32_error.unwrap();
    assert!(error > 1e-5, "{error:e}");
    let remarked = |remark: &String| remark.contains("the lifting is badly conditioned for f32");
    assert!(properties.remarks.iter().any(remarked), "{:?}", properties.remarks);
    assert_ne!(wavelet.default_scheme(1), SchemeKind::Lifting);
    assert_eq!(wavelet.default_scheme(2), SchemeKind::SeparableConvolution);
    // Asked for by name it is there, and the taps are right all the same.
    assert!(wavelet.lifting().is_some());
    assert!(properties.reconstruction.defect() < 1e-10);
}

#[test]
fn rational_liftings_are_proved() {
    let taps = |terms: &[(i32, i64, i64)]| -> BTreeMap<i32, Rational> {
        terms.iter().map(|(e, n, d)| (*e, ratio(*n, *d))).collect()
    };
    let exact = |gain: Rational, channel| ExactOutput { channel, advance: 0, gain };
    let lifting = ExactLifting {
        steps: vec![
            ExactStep {
                target: Channel::Odd,
                taps: taps(&[(0, -1, 3), (1, -2, 3)]),
                rounding: None,
            },
            ExactStep {
                target: Channel::Even,
                taps: taps(&[(-1, 1, 7), (0, 2, 7)]),
                rounding: None,
            },
        ],
        low: exact(ratio(3, 5), Channel::Even),
        high: exact(ratio(-5, 3), Channel::Odd),
    };
    let wavelet = Wavelet::from_exact_lifting("thirds", &lifting, &Options::default()).unwrap();
    assert_eq!(wavelet.properties().reconstruction, Reconstruction::Exact);
    // lo = 3/5 (x0 + 1/7 d[-1] + 2/7 d[0]) with d = x1 - x0/3 - 2/3 x2.
    let expected = [ratio(-1, 35), ratio(3, 35), ratio(17, 35)];
    let expected = [&expected[..], &[ratio(6, 35), ratio(-4, 35)]].concat();
    let expected: Vec<f64> =
        expected.iter().map(waveloom_wavelets::algebra::rational_to_f64).collect();
    assert_eq!(wavelet.bank().analysis_low().taps(), expected);
    assert!(wavelet.properties().lifting_residual.unwrap() < 1e-15);
}

#[test]
fn lattices_that_cannot_be_inverted_are_refused() {
    let lattice = |stages: Vec<[[f64; 2]; 2]>| {
        let lattice = Lattice { kind: LatticeKind::General, stages, lead: None, advance: [0, 0] };
        Wavelet::from_lattice("mine", lattice, &Options::default())
    };
    assert_eq!(lattice(vec![]).unwrap_err(), VerifyError::NoStages);
    let unit = [[1.0, 0.0], [0.0, 1.0]];
    let singular = lattice(vec![unit, [[1.0, 0.5], [2.0, 1.0]], unit]).unwrap_err();
    assert_eq!(singular, VerifyError::SingularStage { stage: 2, determinant: 0.0 });
    let nan = lattice(vec![[[f64::NAN, 0.0], [0.0, 1.0]]]).unwrap_err();
    assert!(nan.to_string().contains("an entry of stage 1 is NaN"), "{nan}");
    let lead = Lattice {
        kind: LatticeKind::General,
        stages: vec![unit],
        lead: Some((2, Laurent::one())),
        advance: [0, 0],
    };
    let error = Wavelet::from_lattice("mine", lead, &Options::default()).unwrap_err();
    assert_eq!(error, VerifyError::LeadRow { row: 2 });
    for exponent in [1, i32::MIN] {
        let lead = Lattice {
            kind: LatticeKind::General,
            stages: vec![unit],
            lead: Some((0, Laurent::monomial([0, exponent, 0], 1.0))),
            advance: [0, 0],
        };
        let error = Wavelet::from_lattice("mine", lead, &Options::default()).unwrap_err();
        assert_eq!(error, VerifyError::LeadAxis { axis: 1, exponent });
    }
}

#[test]
fn rational_lattices_are_proved() {
    let stage = |t: Rational, s: Rational| [[ratio(1, 1), t], [s, ratio(1, 1)]];
    let lattice = ExactLattice {
        stages: vec![
            stage(ratio(1, 2), ratio(-1, 3)),
            stage(ratio(-2, 5), ratio(1, 7)),
            [[ratio(1, 1), ratio(1, 4)], [ratio(-1, 4), ratio(2, 1)]],
        ],
        lead: Some((0, Laurent::from_taps(-1, &[ratio(1, 8), ratio(0, 1), ratio(-1, 8)]))),
        advance: [0, 0],
    };
    let wavelet = Wavelet::from_exact_lattice("mine", &lattice, &Options::default()).unwrap();
    let properties = wavelet.properties();
    assert_eq!(properties.reconstruction, Reconstruction::Exact);
    assert!(properties.lattice_residual.unwrap() < 1e-15);
    assert!(properties.lifting_residual.unwrap() < 1e-14);
    let rounded = Wavelet::from_lattice("mine", lattice.to_lattice(), &Options::default()).unwrap();
    let distance =
        rounded.bank().analysis_polyphase().distance(&wavelet.bank().analysis_polyphase());
    assert!(distance < 1e-15, "{distance:e}");
}

#[test]
fn the_papers_form_of_db4_is_db4() {
    // t per stage, a, b and the sign of the last row, as Puchala and Stokfiszewski print them.
    let stage = |t: f64| [[1.0, t], [-t, 1.0]];
    let (a, b) = (0.150_310_456_7, 0.006_914_295_6);
    let stages = vec![
        stage(-0.322_275_888_0),
        stage(-1.233_150_015_5),
        stage(-3.856_627_829_8),
        [[a, b], [-b, a]],
    ];
    let lattice = Lattice { kind: LatticeKind::General, stages, lead: None, advance: [0, 0] };
    let wavelet = Wavelet::from_lattice("db4", lattice, &Options::default()).unwrap();
    let db4 = catalogue::wavelet("db4").unwrap();
    let distance = wavelet.bank().analysis_polyphase().distance(&db4.bank().analysis_polyphase());
    assert!(distance < 1e-8, "{distance:e}");
    let lifting = wavelet.lifting().unwrap();
    assert_eq!(lifting.steps.len(), 5);
}
