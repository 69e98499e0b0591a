//! Rows of planes that pass some columns at a time hold the values that they hold row by row.
//!
//! A plan takes rows so only if their stages are a list, the middle of a row is two pieces of 512 bytes a plane at least, and
//! outputs are whole registers that begin alike: one level of rows that are multiples of 64 elements, so that bands are, and
//! with modes whose bands are longer, inverses.

use super::{Plan, Threads};
use crate::element::Element;
use waveloom_codegen::kernel::Operation;
use waveloom_wavelets::{Mode, catalogue};

/// One against the other, bit by bit.
fn same<T: Element>(name: &str, shape: &[usize], mode: Mode, operation: Operation) {
    let wavelet = catalogue::wavelet(name).unwrap();
    let axes = [shape.len() - 2, shape.len() - 1];
    for threads in [1, 2] {
        let plan = |weaves: bool| {
            let builder = Plan::<T>::builder(&wavelet, shape).axes(&axes).levels(1).mode(mode);
            builder.threads(Threads::from(threads)).weaving(weaves).build().unwrap()
        };
        let (rows, woven) = (plan(false), plan(true));
        let value =
            |i: usize| T::from_coefficient((((i * 2_654_435_761) >> 7) % 1000) as f64 - 500.0);
        let (from, to) = match operation {
            Operation::Forward => (rows.signal_len(), rows.coefficient_len()),
            _ => (rows.coefficient_len(), rows.signal_len()),
        };
        let input: Vec<T> = (0..from).map(value).collect();
        let run = |plan: &Plan<T>| {
            let mut output = vec![T::default(); to];
            plan.execute(operation, &input, &mut output, &mut plan.workspace()).unwrap();
            output
        };
        assert!(run(&rows) == run(&woven), "{name} {operation} {shape:?} {mode} {threads}");
    }
}

#[test]
fn samples() {
    use Mode::{Periodization, Symmetric};
    use Operation::{Forward, Inverse};
    for shape in [&[66, 2048][..], &[9, 1024], &[2, 63, 1088]] {
        for (mode, operation) in
            [(Periodization, Forward), (Periodization, Inverse), (Symmetric, Inverse)]
        {
            same::<f32>("bior4.4", shape, mode, operation);
            same::<f32>("db4", shape, mode, operation);
            same::<f64>("irr97", shape, mode, operation);
        }
    }
}

/// Inverses that round take rows along first.
#[test]
fn integers() {
    for mode in [Mode::Jpeg2000, Mode::Periodization] {
        same::<i32>("rev53", &[66, 2048], mode, Operation::Forward);
        same::<i32>("rev53", &[9, 1088], mode, Operation::Forward);
    }
}
