//! Outputs that go past the caches hold the values that they hold elsewhere.

use super::{Plan, Threads};
use crate::element::Element;
use waveloom_codegen::kernel::{Operation, Side};
use waveloom_wavelets::{Mode, SchemeKind, catalogue};

/// A plan, whatever of it is chosen.
struct Case<'a> {
    wavelet: &'a str,
    shape: &'a [usize],
    levels: usize,
    mode: Mode,
    scheme: Option<SchemeKind>,
    threads: usize,
}

/// Everything past the caches against nothing, bit by bit, for all operations there are.
fn same<T: Element>(case: &Case<'_>) {
    let wavelet = catalogue::wavelet(case.wavelet).unwrap();
    let plan = |far: usize| {
        let builder = Plan::<T>::builder(&wavelet, case.shape).levels(case.levels).mode(case.mode);
        let builder = builder.threads(Threads::from(case.threads)).far(far);
        match case.scheme {
            Some(scheme) => builder.scheme(scheme).build().unwrap(),
            None => builder.build().unwrap(),
        }
    };
    let (near, far) = (plan(usize::MAX), plan(0));
    let value = |i: usize| T::from_coefficient((((i * 2_654_435_761) >> 7) % 1000) as f64 - 500.0);
    let integer = T::KIND.is_integer();
    for operation in Operation::ALL.into_iter().filter(|op| !integer || !op.is_adjoint()) {
        let len = |side: Side| match side {
            Side::Signal => near.signal_len(),
            Side::Bands => near.coefficient_len(),
        };
        let input: Vec<T> = (0..len(operation.input())).map(value).collect();
        let run = |plan: &Plan<T>| {
            // Arrays begin anywhere.
            let mut output = vec![T::default(); len(operation.output()) + 3];
            let place = &mut output[3..];
            plan.execute(operation, &input, place, &mut plan.workspace()).unwrap();
            output
        };
        let what = (case.wavelet, case.shape, case.mode, case.scheme, case.threads);
        assert!(run(&near) == run(&far), "{operation} {what:?}");
    }
}

fn cases<T: Element>(wavelets: &[&str], modes: &[Mode], shapes: &[(&[usize], usize)]) {
    for (shape, levels) in shapes {
        for wavelet in wavelets {
            for mode in modes {
                for threads in [1, 2] {
                    let (levels, mode, scheme) = (*levels, *mode, None);
                    same::<T>(&Case { wavelet, shape, levels, mode, scheme, threads });
                }
            }
        }
    }
}

const MODES: [Mode; 4] = [Mode::Periodization, Mode::Symmetric, Mode::Zero, Mode::Smooth];

#[test]
fn lines() {
    let shapes: [(&[usize], usize); 4] = [(&[1], 1), (&[97], 2), (&[5003], 1), (&[3, 4096], 2)];
    cases::<f32>(&["haar", "db4", "bior4.4", "db16"], &MODES, &shapes);
    cases::<f64>(&["haar", "db4", "bior4.4", "bior3.3"], &MODES, &shapes);
    // Of several parts, by one thread.
    let long = |wavelet| {
        let (shape, mode) = (&[200_003][..], Mode::Symmetric);
        Case { wavelet, shape, levels: 1, mode, scheme: None, threads: 1 }
    };
    for wavelet in ["haar", "db4", "bior3.3"] {
        same::<f32>(&long(wavelet));
        same::<f64>(&long(wavelet));
    }
}

#[test]
fn lines_of_several_levels_in_one_sweep() {
    let shapes: [(&[usize], usize); 2] = [(&[600_011], 3), (&[524_288], 2)];
    cases::<f32>(&["haar", "db4", "bior4.4"], &MODES[..2], &shapes);
    cases::<f64>(&["haar", "db16", "bior4.4"], &MODES[..2], &shapes);
}

#[test]
fn planes() {
    let narrow: [(&[usize], usize); 2] = [(&[1, 7], 1), (&[37, 61], 2)];
    cases::<f32>(&["haar", "db4", "bior4.4", "db16"], &MODES, &narrow);
    cases::<f64>(&["haar", "bior4.4"], &MODES, &narrow);
    // Rows that begin at the same place of a line of the cache, and such that do not.
    let wide: [(&[usize], usize); 2] = [(&[66, 2050], 2), (&[2, 64, 1024], 2)];
    cases::<f32>(&["haar", "db4", "bior4.4"], &MODES[..2], &wide);
    cases::<f32>(&["db16", "bior4.4"], &MODES[2..3], &wide[..1]);
    cases::<f64>(&["haar", "bior4.4"], &MODES[..1], &wide);
    cases::<f64>(&["db4"], &MODES[3..], &wide[..1]);
}

#[test]
fn planes_by_stages() {
    let modes = [Mode::Periodization, Mode::Symmetric];
    for (shape, levels) in [(&[37, 61][..], 2), (&[66, 2050], 2)] {
        for (wavelet, scheme) in
            [("bior4.4", SchemeKind::SeparableLifting), ("db4", SchemeKind::SeparableLifting)]
        {
            for (mode, threads) in modes.iter().flat_map(|mode| [(*mode, 1), (*mode, 2)]) {
                let scheme = Some(scheme);
                same::<f32>(&Case { wavelet, shape, levels, mode, scheme, threads });
                same::<f64>(&Case { wavelet, shape, levels, mode, scheme, threads });
            }
        }
    }
    let shapes: [(&[usize], usize); 3] = [(&[37, 61], 2), (&[66, 2050], 2), (&[5003], 1)];
    cases::<i32>(&["rev53"], &[Mode::Jpeg2000], &shapes);
    cases::<i16>(&["rev53"], &[Mode::Jpeg2000], &shapes);
}

#[test]
fn volumes() {
    let shapes: [(&[usize], usize); 2] = [(&[5, 9, 31], 1), (&[12, 20, 600], 2)];
    cases::<f32>(&["haar", "bior2.2", "db4"], &MODES, &shapes);
}
