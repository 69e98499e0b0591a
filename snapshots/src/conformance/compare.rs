//! Equality of two arrays: bit for bit for integers, within a tolerance for floats.

use super::Samples;

/// Compares; `Ok` is the largest error as a fraction of the tolerance (0 for equal integers),
/// `Err` says what is wrong.
pub fn compare(expected: &Samples, got: &Samples, tolerance: f64) -> Result<f64, String> {
    if expected.element() != got.element() {
        let (expected, got) = (expected.element().name(), got.element().name());
        return Err(format!("expected {expected} values, got {got}"));
    }
    if expected.len() != got.len() {
        return Err(format!("expected {} values, got {}", expected.len(), got.len()));
    }
    if let (Some(expected), Some(got)) = (expected.to_i64(), got.to_i64()) {
        return match expected.iter().zip(&got).position(|(e, g)| e != g) {
            Some(at) => Err(format!("value {at} is {}, expected {}", got[at], expected[at])),
            None => Ok(0.0),
        };
    }
    let (expected, got) = (expected.to_f64(), got.to_f64());
    let mut worst = (0, 0.0_f64);
    for (at, (e, g)) in expected.iter().zip(&got).enumerate() {
        let error = (e - g).abs();
        if error.is_nan() {
            return Err(format!("value {at} is {g}, expected {e}"));
        }
        if error > worst.1 {
            worst = (at, error);
        }
    }
    let (at, error) = worst;
    if error > tolerance {
        let (got, expected) = (got[at], expected[at]);
        return Err(format!(
            "value {at} is {got:e}, expected {expected:e}: off by {error:.3e}, allowed {tolerance:.3e}"
        ));
    }
    Ok(if tolerance > 0.0 { error / tolerance } else { 0.0 })
}

/// `Σ a b` in `f64`, summed with compensation, so that the sum's own error is not what is judged.
pub fn dot(a: &Samples, b: &Samples) -> f64 {
    let products = a.to_f64().into_iter().zip(b.to_f64()).map(|(a, b)| a * b);
    let (sum, lost) = products.fold((0.0_f64, 0.0), |(sum, lost), term| {
        let next = sum + term;
        let error = if sum.abs() >= term.abs() { sum - next + term } else { term - next + sum };
        (next, lost + error)
    });
    sum + lost
}
