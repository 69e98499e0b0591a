//! Small inputs with known answers: instances of what transforms get wrong. Each test is one case,
//! named by its number; values come from independent programs.

mod adjoint;
mod catalogue;
mod integers;
mod modes;
mod ranges;
mod sizes;
mod tiny;
mod types;

use waveloom::wavelets::{Mode, Wavelet, catalogue as wavelets};
use waveloom::{Element, Plan};

/// A wavelet of the catalogue.
fn wavelet(name: &str) -> Wavelet {
    wavelets::wavelet(name).unwrap()
}

/// A plan over all axes.
fn plan<T: Element>(name: &str, shape: &[usize], mode: Mode, levels: usize) -> Plan<T> {
    Plan::builder(&wavelet(name), shape).mode(mode).levels(levels).build().unwrap()
}

/// All coefficients.
fn forward<T: Element + Default>(plan: &Plan<T>, signal: &[T]) -> Vec<T> {
    let mut coefficients = vec![T::default(); plan.coefficient_len()];
    plan.forward(signal, &mut coefficients, &mut plan.workspace()).unwrap();
    coefficients
}

/// The signal of coefficients.
fn inverse<T: Element + Default>(plan: &Plan<T>, coefficients: &[T]) -> Vec<T> {
    let mut signal = vec![T::default(); plan.signal_len()];
    plan.inverse(coefficients, &mut signal, &mut plan.workspace()).unwrap();
    signal
}

/// One band of the coefficients.
fn band<'a, T: Element>(plan: &Plan<T>, coefficients: &'a [T], key: &str) -> &'a [T] {
    let band = plan.band(key).unwrap();
    &coefficients[band.offset..band.offset + band.len]
}

/// One level of a line: approximation and detail.
fn split<T: Element + Default>(name: &str, mode: Mode, signal: &[T]) -> (Vec<T>, Vec<T>) {
    let plan = plan(name, &[signal.len()], mode, 1);
    let coefficients = forward(&plan, signal);
    (band(&plan, &coefficients, "a").to_vec(), band(&plan, &coefficients, "d1").to_vec())
}

/// Largest difference; infinite for different lengths.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    a.iter().zip(b).fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
}

/// Fails unless the values agree with expected ones that are printed with six decimals.
#[track_caller]
fn assert_printed(got: &[f64], expected: &[f64]) {
    assert!(distance(got, expected) <= 1.01e-6, "got {got:?}, expected {expected:?}");
}

/// Sums of sines: smooth, but nothing about it is zero or symmetric.
fn wave(len: usize) -> Vec<f64> {
    (0..len).map(|i| (i as f64 * 0.37).sin() + 0.5 * (i as f64 * 1.91 + 1.0).cos()).collect()
}
