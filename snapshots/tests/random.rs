//! Random cases over the whole catalogue: shapes, axes, levels, modes, origins, element types and
//! schemes that no list thought of.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::sync::{Arc, LazyLock};
use waveloom_snapshots::conformance::{
    Backend, Case, HostBackend, ReferenceBackend, Report, lists, run_case,
};
use waveloom_wavelets::{Mode, Wavelet, catalogue};

static WAVELETS: LazyLock<Vec<Arc<Wavelet>>> = LazyLock::new(|| {
    catalogue::names().map(|name| Arc::new(catalogue::wavelet(name).unwrap())).collect()
});

/// Any case; one in a few is illegal, and must be refused.
fn case() -> impl Strategy<Value = Case> {
    let shape = prop_oneof![
        4 => vec(1_usize..=90, 1),
        3 => vec(1_usize..=24, 2),
        2 => vec(1_usize..=10, 3),
        1 => vec(0_usize..=4, 4),
    ];
    let choices = (any::<Index>(), any::<Index>(), any::<Index>(), any::<Index>(), -4_i64..=4);
    (shape, select(Mode::ALL.to_vec()), 0_usize..=4, choices).prop_map(
        |(shape, mode, levels, (wavelet, axes, order, variant, origin))| {
            let wavelet = wavelet.get(&WAVELETS);
            let mut chosen = chosen_axes(shape.len(), axes.index(1 << shape.len()), order.index(6));
            // Long filters in several dimensions take long, and show nothing new.
            if wavelet.bank().length().pow(chosen.len() as u32) > 2000 {
                chosen.truncate(1);
            }
            let variants = lists::variants(wavelet, chosen.len());
            let (element, scheme) = *variant.get(&variants);
            let case = Case::new(wavelet, &shape, mode);
            let origin = if mode == Mode::Jpeg2000 { vec![origin; chosen.len()] } else { vec![] };
            case.axes(&chosen).levels(levels).origin(&origin).element(element).scheme(scheme)
        },
    )
}

/// One to three axes, in some order.
fn chosen_axes(dimensions: usize, pattern: usize, order: usize) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..dimensions).filter(|axis| pattern >> axis & 1 == 1).collect();
    axes.truncate(3);
    if axes.is_empty() {
        axes.push(dimensions - 1);
    }
    let len = axes.len();
    axes.rotate_left(order % len);
    if order >= 3 {
        axes.reverse();
    }
    axes
}

fn conforms(backend: &dyn Backend, case: &Case) -> Result<(), TestCaseError> {
    let mut report = Report::new(backend.name());
    run_case(backend, case, &mut report);
    prop_assert!(report.failures.is_empty(), "{}", report);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_reference_conforms(case in case()) {
        conforms(&ReferenceBackend, &case)?;
    }

    #[test]
    fn the_host_executor_conforms(case in case()) {
        conforms(&HostBackend, &case)?;
    }
}
