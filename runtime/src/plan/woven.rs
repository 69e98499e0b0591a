//! Rows of planes that pass some columns at a time hold the values that they hold row by row.

use super::{Plan, Threads};
use crate::element::Element;
use waveloom_codegen::kernel::{Operation, Side};
use waveloom_wavelets::{Mode, SchemeKind, catalogue};

/// One against the other, bit by bit.
fn same<T: Element>(wavelet: &str, shape: &[usize], scheme: Option<SchemeKind>, modes: &[Mode]) {
    let wavelet = catalogue::wavelet(wavelet).unwrap();
    let axes = [shape.len() - 2, shape.len() - 1];
    for (mode, threads) in modes.iter().flat_map(|mode| [(*mode, 1), (*mode, 2)]) {
        let plan = |weaving: bool| {
            let builder = Plan::<T>::builder(&wavelet, shape).axes(&axes).levels(2).mode(mode);
            let builder = builder.threads(Threads::from(threads));
            let builder = if weaving { builder.weaving() } else { builder };
            match scheme {
                Some(scheme) => builder.scheme(scheme).build().unwrap(),
                None => builder.build().unwrap(),
            }
        };
        let (rows, woven) = (plan(false), plan(true));
        let value =
            |i: usize| T::from_coefficient((((i * 2_654_435_761) >> 7) % 1000) as f64 - 500.0);
        for operation in [Operation::Forward, Operation::Inverse] {
            let len = |side: Side| match side {
                Side::Signal => rows.signal_len(),
                Side::Bands => rows.coefficient_len(),
            };
            let input: Vec<T> = (0..len(operation.input())).map(value).collect();
            let run = |plan: &Plan<T>| {
                let mut output = vec![T::default(); len(operation.output())];
                plan.execute(operation, &input, &mut output, &mut plan.workspace()).unwrap();
                output
            };
            assert!(run(&rows) == run(&woven), "{operation} {shape:?} {mode} {threads}");
        }
    }
}

const MODES: [Mode; 2] = [Mode::Periodization, Mode::Symmetric];

#[test]
fn long_rows() {
    for shape in [&[66, 2048][..], &[9, 1024], &[2, 64, 1040]] {
        same::<f32>("bior4.4", shape, None, &MODES);
        same::<f32>("db4", shape, None, &MODES);
        same::<f64>("irr97", shape, None, &MODES);
    }
}

#[test]
fn short_rows_by_stages() {
    let lifting = Some(SchemeKind::SeparableLifting);
    for shape in [&[37, 64][..], &[66, 640], &[33, 62]] {
        same::<f32>("bior4.4", shape, lifting, &MODES);
        same::<f64>("db4", shape, lifting, &MODES);
    }
}

#[test]
fn integers() {
    for shape in [&[66, 2048][..], &[37, 640]] {
        same::<i32>("rev53", shape, None, &[Mode::Jpeg2000, Mode::Periodization]);
        same::<i16>("rev53", shape, None, &[Mode::Jpeg2000]);
    }
}
