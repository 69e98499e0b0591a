//! The largest coefficients.

use super::ThresholdError;
use crate::element::Element;

/// What [`keep_largest`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept<T> {
    /// Number of values kept.
    pub count: usize,
    /// Number of values there were.
    pub of: usize,
    /// The largest magnitude among the values removed; 0 if none was. Soft thresholding the kept
    /// values by it makes the whole a soft threshold.
    pub largest_removed: T,
}

/// Keeps the `round(fraction · len)` values of the largest magnitude and makes the others 0.
///
/// Among values of equal magnitude the first are kept, so that the number is exact and the result
/// the same on every machine. NaN counts as larger than everything.
///
/// ```
/// use waveloom::threshold::keep_largest;
///
/// let mut values = [3.0, -1.0, 1.0, -4.0];
/// let kept = keep_largest(&mut values, 0.75)?;
/// assert_eq!(values, [3.0, -1.0, 0.0, -4.0]);
/// assert_eq!((kept.count, kept.largest_removed), (3, 1.0));
/// # Ok::<(), waveloom::threshold::ThresholdError>(())
/// ```
///
/// # Errors
/// [`ThresholdError::Fraction`]: not between 0 and 1.
pub fn keep_largest<T: Element>(
    values: &mut [T],
    fraction: f64,
) -> Result<Kept<T>, ThresholdError> {
    keep(values.iter_mut().collect(), fraction)
}

pub(super) fn keep<T: Element>(
    values: Vec<&mut T>,
    fraction: f64,
) -> Result<Kept<T>, ThresholdError> {
    if !(0.0..=1.0).contains(&fraction) {
        return Err(ThresholdError::Fraction { got: fraction });
    }
    let of = values.len();
    let count = ((fraction * of as f64).round() as usize).min(of);
    let mut largest_removed = T::default();
    if count == of {
        return Ok(Kept { count, of, largest_removed });
    }
    // The magnitude of the largest value to go, and how many of that magnitude may stay.
    let mut magnitudes: Vec<u64> = values.iter().map(|value| value.magnitude()).collect();
    let (_, cut, _) = magnitudes.select_nth_unstable_by(count, |a, b| b.cmp(a));
    let cut = *cut;
    let above = values.iter().filter(|value| value.magnitude() > cut).count();
    let mut ties = count - above;
    for value in values {
        let magnitude = value.magnitude();
        if magnitude > cut {
            continue;
        }
        if magnitude == cut && ties > 0 {
            ties -= 1;
            continue;
        }
        if magnitude > largest_removed.magnitude() {
            largest_removed = value.absolute();
        }
        *value = value.removed();
    }
    Ok(Kept { count, of, largest_removed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_exact_and_ties_keep_the_first() {
        let mut values = [2_i32; 10];
        let kept = keep_largest(&mut values, 0.34).unwrap();
        assert_eq!(kept, Kept { count: 3, of: 10, largest_removed: 2 });
        assert_eq!(values, [2, 2, 2, 0, 0, 0, 0, 0, 0, 0]);
        let mut values = [i32::MIN, 5, -5, i32::MAX];
        assert_eq!(keep_largest(&mut values, 0.25).unwrap().largest_removed, i32::MAX);
        assert_eq!(values, [i32::MIN, 0, 0, 0]);
    }

    #[test]
    fn everything_nothing_and_no_fraction() {
        let mut values = [1.0, f64::NAN, f64::INFINITY, -0.0];
        assert_eq!(keep_largest(&mut values, 1.0).unwrap().count, 4);
        assert_eq!(keep_largest(&mut values, 0.25).unwrap().largest_removed, f64::INFINITY);
        assert!(values[1].is_nan() && values[2] == 0.0);
        keep_largest(&mut values, 0.0).unwrap();
        assert_eq!(values, [0.0; 4]);
        assert!(keep_largest::<f32>(&mut [], 0.5).is_ok());
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(keep_largest(&mut values, bad).is_err(), "{bad}");
        }
    }
}
