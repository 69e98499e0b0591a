use super::*;
use std::collections::BTreeMap;

const KINDS: [ExtensionKind; 9] = [
    ExtensionKind::Zero,
    ExtensionKind::Constant,
    ExtensionKind::Symmetric,
    ExtensionKind::Reflect,
    ExtensionKind::Periodic,
    ExtensionKind::Smooth,
    ExtensionKind::Antisymmetric,
    ExtensionKind::Antireflect,
    ExtensionKind::PeriodicEven,
];

/// A linear form of the samples.
type Form = BTreeMap<usize, i64>;

fn combine(parts: &[(i64, Form)]) -> Form {
    let mut sum = Form::new();
    for (factor, form) in parts {
        for (index, weight) in form {
            *sum.entry(*index).or_insert(0) += factor * weight;
        }
    }
    sum.retain(|_, weight| *weight != 0);
    sum
}

/// The extension as its definition has it: a sample beyond an end in terms of samples nearer to
/// the signal, again and again.
fn naive(kind: ExtensionKind, n: i64, i: i64) -> Form {
    if (0..n).contains(&i) {
        return Form::from([(i as usize, 1)]);
    }
    let before = i < 0;
    let inward = |distance: i64| if before { i + distance } else { i - distance };
    let half = if before { -1 - i } else { 2 * n - 1 - i };
    let whole = if before { -i } else { 2 * (n - 1) - i };
    let end = if before { 0 } else { n - 1 };
    let at = |j: i64| naive(kind, n, j);
    match kind {
        ExtensionKind::Zero => Form::new(),
        ExtensionKind::Constant => at(inward(1)),
        ExtensionKind::Symmetric => at(half),
        ExtensionKind::Antisymmetric => combine(&[(-1, at(half))]),
        ExtensionKind::Periodic => at(inward(n)),
        ExtensionKind::PeriodicEven if n % 2 == 1 && i == n => at(n - 1),
        ExtensionKind::PeriodicEven => at(inward(n + n % 2)),
        // With one sample there is neither a mirror image nor a slope.
        _ if n == 1 => at(0),
        ExtensionKind::Reflect => at(whole),
        ExtensionKind::Smooth => {
            let inner = if before { 1 } else { n - 2 };
            combine(&[(1, at(inward(1))), (1, at(end)), (-1, at(inner))])
        }
        ExtensionKind::Antireflect => combine(&[(2, at(end)), (-1, at(whole))]),
    }
}

#[test]
fn closed_form_is_repeated_extension() {
    for kind in KINDS {
        for n in 1..=8 {
            for i in -50..50 {
                let closed = Extension::new(kind, n as usize).weights(i);
                let form: Form = closed.terms().iter().copied().collect();
                assert_eq!(form.len(), closed.terms().len(), "an index twice: {kind:?} {n} {i}");
                assert_eq!(form, naive(kind, n, i), "{kind:?} {n} {i}");
            }
        }
    }
}

#[test]
fn extends_by_hand_computed_values() {
    let signal = [3_i64, 1, 4];
    let read = |kind, i| {
        let weights = Extension::new(kind, 3).weights(i);
        weights.terms().iter().map(|(j, weight)| weight * signal[*j]).sum::<i64>()
    };
    let line = |kind| (-4..7).map(|i| read(kind, i)).collect::<Vec<i64>>();
    assert_eq!(line(ExtensionKind::Zero), [0, 0, 0, 0, 3, 1, 4, 0, 0, 0, 0]);
    assert_eq!(line(ExtensionKind::Constant), [3, 3, 3, 3, 3, 1, 4, 4, 4, 4, 4]);
    assert_eq!(line(ExtensionKind::Symmetric), [4, 4, 1, 3, 3, 1, 4, 4, 1, 3, 3]);
    assert_eq!(line(ExtensionKind::Reflect), [3, 1, 4, 1, 3, 1, 4, 1, 3, 1, 4]);
    assert_eq!(line(ExtensionKind::Periodic), [4, 3, 1, 4, 3, 1, 4, 3, 1, 4, 3]);
    assert_eq!(line(ExtensionKind::Smooth), [11, 9, 7, 5, 3, 1, 4, 7, 10, 13, 16]);
    assert_eq!(line(ExtensionKind::Antisymmetric), [4, -4, -1, -3, 3, 1, 4, -4, -1, -3, 3]);
    assert_eq!(line(ExtensionKind::Antireflect), [1, -1, 2, 5, 3, 1, 4, 7, 5, 3, 6]);
    assert_eq!(line(ExtensionKind::PeriodicEven), [3, 1, 4, 4, 3, 1, 4, 4, 3, 1, 4]);
}

#[test]
fn an_empty_signal_extends_to_zeros() {
    for kind in KINDS {
        for i in -3..3 {
            assert!(Extension::new(kind, 0).weights(i).terms().is_empty());
        }
    }
}

/// Lengths that no array has, and indices as far away as there are: some weights, and no panic.
#[test]
fn the_largest_numbers_have_weights() {
    for kind in KINDS {
        for len in [1, 2, 4, 1 << 61, 1 << 62, 1 << 63, usize::MAX] {
            for i in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
                let weights = Extension::new(kind, len).weights(i);
                assert!(
                    weights.terms().iter().all(|(index, _)| *index < len),
                    "{kind:?} {len} {i}"
                );
            }
        }
    }
}

#[test]
fn cancelled_terms_are_not_read() {
    // x_ext[-1] = 2 x0 - x1: the last sample, through which the closed form goes, cancels.
    let weights = Extension::new(ExtensionKind::Antireflect, 4).weights(-1);
    assert_eq!(weights.terms().iter().copied().collect::<Form>(), Form::from([(0, 2), (1, -1)]));
}

#[test]
fn mode_names_are_read_back() {
    for mode in Mode::ALL {
        assert_eq!(mode.name().parse(), Ok(mode));
    }
    let unknown = "SYMMETRIC".parse::<Mode>().unwrap_err();
    let said = "unknown mode 'SYMMETRIC' (did you mean 'symmetric'?); expected one of zero, ";
    assert!(unknown.to_string().starts_with(said), "{unknown}");
}
