//! Times that can be compared: measured in turn, warmed, told as medians and quartiles, and as
//! multiples of a plain copy of the same bytes in the same run.
//!
//! Machines change speed while one looks at them. So entrants of a [`contest`] run one after the
//! other, round after round; a ratio is that of the two times of one round, and what is told is the
//! median of these ratios.
//!
//! ```
//! use waveloom::measure::{Budget, Host, contest};
//! use waveloom::{Plan, codegen::kernel::Operation, wavelets::catalogue};
//!
//! let wavelet = catalogue::wavelet("db4")?;
//! let plan = Plan::<f32>::builder(&wavelet, &[4096]).build()?;
//! let mut host = Host::new(&plan)?;
//! let budget = Budget { seconds: 0.01, repetitions: 5, ..Budget::default() };
//! let times = contest(2, &budget, |entrant, runs| match entrant {
//!     0 => Ok(host.copy(runs)),
//!     _ => host.run(Operation::Forward, runs),
//! })?;
//! let ratio = times.ratio(1, 0).median; // forward, in copies
//! assert!(ratio > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod card;
mod contest;
mod host;
mod overlap;

pub use card::{Card, CardPlan, Stopwatch};
pub use contest::{Budget, Spread, Times, contest};
pub use host::Host;
pub use overlap::Overlap;

use crate::element::Element;

/// The largest distance between values and what they should be; NaN if any is.
fn worst<T: Element>(values: &[T], expected: &[T]) -> f64 {
    let distances = values.iter().zip(expected).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, larger)
}

/// The larger of two errors; NaN is the largest.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Values that look random, the same on every machine: whole numbers from -128 to 127.
pub fn sample<T: Element>(index: usize) -> T {
    let mixed = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    T::from_coefficient(mixed as f64 - 128.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_is_larger_than_nan() {
        assert_eq!(worst(&[1.0, 2.0], &[1.5, 2.0]), 0.5);
        assert!(worst(&[f32::NAN, 2.0], &[1.0, 2.0]).is_nan());
        assert!(worst(&[1.0, f32::NAN], &[1.0, 2.0]).is_nan());
        assert_eq!(worst(&[3, -4], &[3, 4]), 8.0);
    }
}
