//! Expression graphs compute what the kernel says, before and after every pass.

use crate::generate::{lifting, narrow_lifting};
use crate::kernel::matrix_of;
use proptest::prelude::*;
use waveloom_codegen::dag::{Contraction, Dag, Place, contract, factor, schedule, simplify};
use waveloom_codegen::kernel::{Element, Exchange, Kernel, Operation, lower};
use waveloom_wavelets::scheme::Scheme;
use waveloom_wavelets::{SchemeKind, catalogue};

/// A number for every place, the same each time it is read: a dyadic fraction, so that sums of
/// products with dyadic coefficients are exact.
fn value(seed: u64, place: &Place) -> f64 {
    let [x, y, z] = place.offset.map(i64::from);
    let mixed = [place.plane as i64, x, y, z].into_iter().fold(seed, |hash, part| {
        (hash ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    });
    (mixed >> 58) as f64 / 8.0 - 4.0
}

fn forward(scheme: &Scheme) -> Kernel {
    lower(scheme, Operation::Forward, Element::F64, Exchange::Shared).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn outputs_are_rows_of_the_matrix(scheme in lifting(), seed: u64) {
        let kernel = forward(&scheme);
        let dag = Dag::outputs(&kernel, 0, &[[0; 3]]).unwrap();
        let got = dag.evaluate(|place| value(seed, place));
        let matrix = matrix_of(&kernel);
        for (store, got) in dag.stores().iter().zip(got) {
            let row = store.place.plane;
            let expected: f64 = (0..2)
                .flat_map(|column| matrix.entry(row, column).terms().map(move |t| (column, t)))
                .map(|(plane, (offset, c))| c * value(seed, &Place { plane, offset: *offset }))
                .sum();
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn passes_change_no_value(scheme in narrow_lifting(), seed: u64, plane: bool) {
        let scheme = if plane { scheme.tensor(2, &[0, 1]) } else { scheme };
        let kernel = forward(&scheme);
        for index in 0..kernel.segments.len() {
            let dag = Dag::segment(&kernel, index, &[[0; 3], [1, 0, 0]]).unwrap();
            let stored = |dag: &Dag| {
                let values = dag.evaluate(|place| value(seed, place));
                let places = dag.stores().iter().map(|store| store.place);
                places.zip(values).collect::<Vec<_>>()
            };
            let before = stored(&dag);
            for after in [
                simplify(&dag),
                factor(&dag),
                contract(&dag, Contraction::Fused),
                contract(&dag, Contraction::Separate),
                schedule(&dag),
                dag.optimised(Contraction::Fused),
                dag.optimised(Contraction::Separate),
            ] {
                prop_assert_eq!(&stored(&after), &before);
            }
        }
    }

    #[test]
    fn passes_are_idempotent_and_never_add_work(scheme in lifting()) {
        let kernel = forward(&scheme);
        for index in 0..kernel.segments.len() {
            let dag = Dag::segment(&kernel, index, &[[0; 3]]).unwrap();
            let simple = simplify(&dag);
            prop_assert_eq!(&simplify(&simple), &simple);
            prop_assert!(simple.counts().operations() <= dag.counts().operations());
            let best = dag.optimised(Contraction::Fused);
            prop_assert_eq!(&schedule(&best), &best);
            prop_assert!(best.counts().operations() <= dag.counts().operations());
        }
    }
}

#[test]
fn graphs_of_the_catalogue_keep_their_values() {
    for name in
        ["haar", "db4", "sym5", "coif2", "bior1.3", "bior4.4", "rbio3.3", "rev53", "ccsds97m"]
    {
        let wavelet = catalogue::wavelet(name).unwrap();
        let element = if wavelet.is_rounded() { Element::I64 } else { Element::F64 };
        for kind in SchemeKind::ALL {
            let Ok(scheme) = wavelet.scheme(kind, 1) else { continue };
            for operation in [Operation::Forward, Operation::Inverse] {
                let kernel = lower(&scheme, operation, element, Exchange::Shared).unwrap();
                let dag = Dag::outputs(&kernel, 0, &[[0; 3], [1, 0, 0]]).unwrap();
                // Whole numbers, for the rounded ones.
                let read = |place: &Place| (8.0 * value(7, place)).round();
                let before = dag.evaluate(read);
                for contraction in [Contraction::Fused, Contraction::Separate] {
                    let after = dag.optimised(contraction).evaluate(read);
                    let error = before.iter().zip(&after).map(|(b, a)| (b - a).abs());
                    let worst = error.fold(0.0, f64::max);
                    let allowed = if wavelet.is_rounded() { 0.0 } else { 1e-12 };
                    assert!(worst <= allowed, "{name} {kind} {operation}: {worst:e}");
                }
            }
        }
    }
}
