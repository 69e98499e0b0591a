//! Laws of construction, on random definitions: factors become taps and taps become factors again,
//! and no input panics.

use proptest::prelude::*;
use std::collections::BTreeMap;
use waveloom_wavelets::lattice::{Lattice, LatticeKind};
use waveloom_wavelets::lifting::{BandOutput, Channel, Lifting, LiftingStep, Rounding};
use waveloom_wavelets::verify::pywavelets_bank;
use waveloom_wavelets::{Filter, FilterBank, Options, Wavelet};

/// What taps, lattice and lifting of a wavelet may differ by.
const CLOSE: f64 = 1e-11;

fn residuals(wavelet: &Wavelet) -> Vec<f64> {
    let properties = wavelet.properties();
    properties.lifting_residual.into_iter().chain(properties.lattice_residual).collect()
}

fn rebuilt(wavelet: &Wavelet) -> Wavelet {
    Wavelet::from_bank("again", wavelet.bank().clone(), &Options::default()).unwrap()
}

fn channel() -> impl Strategy<Value = Channel> {
    prop_oneof![Just(Channel::Even), Just(Channel::Odd)]
}

/// Liftings of up to three steps of up to four terms.
fn liftings() -> impl Strategy<Value = Lifting> {
    let taps = (-3..3, prop::collection::vec(-1.2..1.2_f64, 1..4));
    let gains = (0.4..2.0_f64, -2.0..-0.4_f64, -2..3, -2..3);
    (channel(), prop::collection::vec(taps, 0..4), channel(), gains).prop_map(
        |(first, steps, low, (low_gain, high_gain, early, late))| {
            let mut target = first;
            let mut step = |(start, taps): (i32, Vec<f64>)| {
                target = target.other();
                let taps = (start..).zip(taps).collect::<BTreeMap<i32, f64>>();
                LiftingStep { target, taps, rounding: None }
            };
            Lifting {
                steps: steps.into_iter().map(&mut step).collect(),
                low: BandOutput { channel: low, advance: early, gain: low_gain },
                high: BandOutput { channel: low.other(), advance: late, gain: high_gain },
            }
        },
    )
}

fn arbitrary_tap() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2.0..2.0_f64,
        1 => any::<f64>(),
        1 => prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(1e300), Just(5e-324)],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn rotations_give_orthogonal_banks_that_peel_again(
        angles in prop::collection::vec(-3.2..3.2_f64, 1..7),
        reflect: bool,
        early in -2..3_i32,
    ) {
        let mut stages: Vec<[[f64; 2]; 2]> = angles
            .iter()
            .map(|angle| [[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]])
            .collect();
        if reflect && let Some(last) = stages.last_mut() {
            last[1] = last[1].map(|entry| -entry);
        }
        let kind = LatticeKind::Orthogonal;
        let lattice = Lattice { kind, stages, lead: None, advance: [early, 0] };
        let wavelet = Wavelet::from_lattice("mine", lattice, &Options::default()).unwrap();
        prop_assert!(wavelet.properties().orthogonal);
        let again = rebuilt(&wavelet);
        prop_assert!(again.lattice().is_some() && again.lifting().is_some());
        for residual in residuals(&wavelet).into_iter().chain(residuals(&again)) {
            prop_assert!(residual < CLOSE, "{residual:e}");
        }
        let lattice = again.lattice().unwrap();
        prop_assert_eq!(lattice.kind, LatticeKind::Orthogonal);
        prop_assert!(lattice.lead.is_none());
    }

    #[test]
    fn general_lattices_give_banks_that_peel_again(
        parameters in prop::collection::vec((-0.9..0.9_f64, -0.9..0.9_f64), 0..4),
        last in (0.6..2.0_f64, -0.5..0.5_f64, -0.5..0.5_f64, 0.6..2.0_f64),
    ) {
        let mut stages: Vec<[[f64; 2]; 2]> =
            parameters.iter().map(|(t, s)| [[1.0, *t], [*s, 1.0]]).collect();
        stages.push([[last.0, last.1], [last.2, last.3]]);
        let kind = LatticeKind::General;
        let lattice = Lattice { kind, stages, lead: None, advance: [0, 0] };
        let wavelet = Wavelet::from_lattice("mine", lattice.clone(), &Options::default()).unwrap();
        prop_assert_eq!(&wavelet.lattice().unwrap().stages, &lattice.stages);
        let pivoted = lattice.pivoted().polyphase().distance(&lattice.polyphase());
        prop_assert!(pivoted < CLOSE, "{pivoted:e}");
        let again = rebuilt(&wavelet);
        prop_assert!(again.lattice().is_some(), "{:?}", again.lattice_reason());
        prop_assert!(again.lifting().is_some(), "{:?}", again.lifting_reason());
        for residual in residuals(&wavelet).into_iter().chain(residuals(&again)) {
            prop_assert!(residual < CLOSE, "{residual:e}");
        }
    }

    #[test]
    fn liftings_give_banks_that_divide_again(lifting in liftings()) {
        let wavelet = Wavelet::from_lifting("mine", lifting.clone(), &Options::default()).unwrap();
        let defect = wavelet.properties().reconstruction.defect();
        prop_assert!(defect < 1e-12, "{defect:e}");
        prop_assert_eq!(&wavelet.lifting().unwrap().steps, &lifting.steps);
        let again = rebuilt(&wavelet);
        prop_assert!(again.lifting().is_some(), "{:?}", again.lifting_reason());
        for residual in residuals(&wavelet).into_iter().chain(residuals(&again)) {
            prop_assert!(residual < CLOSE, "{residual:e}");
        }
        // All filters lie in the frame, which is as short as it can be.
        let bank = wavelet.bank();
        let filters = [
            bank.analysis_low(),
            bank.analysis_high(),
            bank.synthesis_low(),
            bank.synthesis_high(),
        ];
        prop_assert!(filters.iter().any(|filter| filter.first() < 2));
        prop_assert!(filters.iter().any(|filter| filter.last() + 2 >= bank.length() as i32));
    }

    #[test]
    fn any_taps_are_accepted_or_refused(
        filters in prop::array::uniform4(prop::collection::vec(arbitrary_tap(), 0..6)),
        first in prop::array::uniform4(prop_oneof![-4..4_i32, any::<i32>()]),
        approximate: bool,
    ) {
        let options = Options { approximate, ..Options::default() };
        let views = filters.each_ref().map(Vec::as_slice);
        if let Ok(bank) = pywavelets_bank(views)
            && let Ok(wavelet) = Wavelet::from_bank("any", bank, &options)
        {
            prop_assert!(wavelet.properties().reconstruction.defect() <= 1e-2);
        }
        let filter = |index: usize| Filter::new(first[index], &filters[index]);
        let bank = FilterBank::new(filter(0), filter(1), filter(2), filter(3));
        if let Ok(wavelet) = Wavelet::from_bank("any", bank, &options) {
            prop_assert!(wavelet.properties().reconstruction.defect() <= 1e-2);
        }
    }

    #[test]
    fn any_lifting_is_accepted_or_refused(
        steps in prop::collection::vec(
            (
                channel(),
                prop::collection::btree_map(prop_oneof![4 => -3..3_i32, 1 => any::<i32>()], arbitrary_tap(), 0..3),
                prop::option::of((any::<i64>(), 0..70_u32)),
            ),
            0..4,
        ),
        low in (channel(), prop_oneof![-3..3_i32, any::<i32>()], arbitrary_tap()),
        high in (channel(), -3..3_i32, arbitrary_tap()),
    ) {
        let steps = steps.into_iter().map(|(target, taps, rounding)| LiftingStep {
            target,
            taps,
            rounding: rounding.map(|(offset, shift)| Rounding { offset, shift }),
        });
        let output = |(channel, advance, gain)| BandOutput { channel, advance, gain };
        let lifting = Lifting { steps: steps.collect(), low: output(low), high: output(high) };
        if let Ok(wavelet) = Wavelet::from_lifting("any", lifting, &Options::default()) {
            prop_assert!(wavelet.properties().reconstruction.defect() <= 1e-10);
        }
    }

    #[test]
    fn any_lattice_is_accepted_or_refused(
        stages in prop::collection::vec(
            prop::array::uniform2(prop::array::uniform2(arbitrary_tap())),
            0..4,
        ),
        advance in prop::array::uniform2(prop_oneof![-3..3_i32, any::<i32>()]),
    ) {
        let kind = LatticeKind::General;
        let lattice = Lattice { kind, stages, lead: None, advance };
        if let Ok(wavelet) = Wavelet::from_lattice("any", lattice, &Options::default()) {
            prop_assert!(wavelet.properties().reconstruction.defect() <= 1e-10);
        }
    }
}
