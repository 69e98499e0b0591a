//! Thresholding: the small coefficients away, whatever the layout.
//!
//! Rules are pointwise, so they act on a slice of any layout: on a plan's buffer, on one band, on a
//! packed array. What a coefficient is (approximation or detail, its level) is known to
//! [`Coefficients`] and to [`Packing`], which take a selection of bands.
//!
//! ```
//! use waveloom::threshold::{Threshold, details};
//! use waveloom::wavelets::catalogue;
//! use waveloom::Plan;
//!
//! let wavelet = catalogue::wavelet("bior4.4")?;
//! let plan = Plan::<f64>::builder(&wavelet, &[32, 32]).levels(3).build()?;
//! let image = ndarray::Array2::from_shape_fn((32, 32), |(y, x)| (y * x) as f64);
//! let mut coefficients = plan.forward_array(image.view())?;
//!
//! // Denoising: details shrink by 0.5, the approximation stays.
//! coefficients.threshold(Threshold::soft(0.5)?, details);
//! // Compression: the largest tenth of all coefficients stays.
//! let kept = coefficients.keep_largest(0.1, |_| true)?;
//! assert_eq!(kept.count, (0.1 * kept.of as f64).round() as usize);
//! let close = plan.inverse_array(&coefficients)?;
//! # assert_eq!(close.shape(), [32, 32]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod largest;
pub(crate) mod shrink;

pub use largest::{Kept, keep_largest};

use crate::element::Element;
use crate::packing::{PackError, Packing};
use crate::plan::Coefficients;
use waveloom_wavelets::geometry::Band;

/// What happens to a coefficient `x` at threshold `t`.
///
/// Under every rule a threshold of 0 changes nothing, NaN stays NaN, infinities stay (an infinite
/// `t` aside), and what is removed becomes 0 with the sign of `x` where zeros have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `x` if `|x| >= t`, else 0 (as PyWavelets has it: a value equal to the threshold stays).
    Hard,
    /// `x - t·sign(x)` if `|x| > t`, else 0.
    Soft,
    /// `x - t²/x` if `|x| > t`, else 0 (the non-negative garrote of Breiman); integers round to
    /// nearest, halves towards 0.
    Garrote,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 3] = [Self::Hard, Self::Soft, Self::Garrote];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
            Self::Garrote => "garrote",
        }
    }
}

/// Why values cannot be thresholded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ThresholdError {
    /// A threshold that is negative or no number.
    #[error("a threshold is 0 or more, got {got}")]
    Threshold {
        /// What was given.
        got: String,
    },
    /// A share beyond 0 to 1.
    #[error("a share of the coefficients lies between 0 and 1, got {got}")]
    Fraction {
        /// What was given.
        got: f64,
    },
    /// The packed array is not what the packing expects.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// A rule and its threshold, which is a number of 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold<T> {
    rule: Rule,
    value: T,
}

impl<T: Element> Threshold<T> {
    /// The rule at a threshold, in the units of the coefficients.
    ///
    /// # Errors
    /// [`ThresholdError::Threshold`]: negative, or NaN.
    pub fn new(rule: Rule, value: T) -> Result<Self, ThresholdError> {
        match value.is_threshold() {
            true => Ok(Self { rule, value }),
            false => Err(ThresholdError::Threshold { got: value.to_string() }),
        }
    }

    /// [`Rule::Hard`].
    ///
    /// # Errors
    /// Those of [`Threshold::new`].
    pub fn hard(value: T) -> Result<Self, ThresholdError> {
        Self::new(Rule::Hard, value)
    }

    /// [`Rule::Soft`].
    ///
    /// # Errors
    /// Those of [`Threshold::new`].
    pub fn soft(value: T) -> Result<Self, ThresholdError> {
        Self::new(Rule::Soft, value)
    }

    /// [`Rule::Garrote`].
    ///
    /// # Errors
    /// Those of [`Threshold::new`].
    pub fn garrote(value: T) -> Result<Self, ThresholdError> {
        Self::new(Rule::Garrote, value)
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The threshold.
    pub fn value(&self) -> T {
        self.value
    }

    /// What becomes of a coefficient.
    ///
    /// ```
    /// use waveloom::threshold::Threshold;
    ///
    /// let (hard, soft) = (Threshold::hard(2.0_f64)?, Threshold::soft(2.0_f64)?);
    /// assert_eq!([-3.0, 2.0, 1.0].map(|x| hard.of(x)), [-3.0, 2.0, 0.0]);
    /// assert_eq!([-3.0, 2.0, 1.0].map(|x| soft.of(x)), [-1.0, 0.0, 0.0]);
    /// assert_eq!(Threshold::soft(0.0_f64)?.of(0.0), 0.0);
    /// # Ok::<(), waveloom::threshold::ThresholdError>(())
    /// ```
    pub fn of(&self, value: T) -> T {
        match self.rule {
            Rule::Hard => value.hard(self.value),
            Rule::Soft => value.soft(self.value),
            Rule::Garrote => value.garrote(self.value),
        }
    }

    /// Thresholds every value of a slice, whatever its layout.
    pub fn apply(&self, values: &mut [T]) {
        values.iter_mut().for_each(|value| *value = self.of(*value));
    }
}

/// A selection of bands: all but the approximation.
pub fn details(band: &Band) -> bool {
    band.channel != 0
}

impl<T: Element> Coefficients<T> {
    /// Thresholds the bands that `select` names; `|_| true` and [`details`] are usual.
    pub fn threshold(&mut self, threshold: Threshold<T>, mut select: impl FnMut(&Band) -> bool) {
        let plan = self.plan().clone();
        for band in plan.bands().iter().filter(|band| select(band)) {
            let values = self.values_mut().get_mut(band.offset..band.offset + band.len);
            threshold.apply(values.unwrap_or_default());
        }
    }

    /// Keeps the largest `fraction` of the coefficients of the bands that `select` names, by
    /// magnitude, and removes the others; bands not selected stay as they are. See
    /// [`keep_largest`].
    ///
    /// Magnitudes of different bands are comparable where the wavelet is close to orthonormal
    /// (`bior4.4`, every `db` and `sym`), not for the gains of `irr97` or `rev53`.
    ///
    /// # Errors
    /// [`ThresholdError::Fraction`].
    pub fn keep_largest(
        &mut self,
        fraction: f64,
        mut select: impl FnMut(&Band) -> bool,
    ) -> Result<Kept<T>, ThresholdError> {
        let plan = self.plan().clone();
        let mut selected: Vec<&mut T> = Vec::new();
        let mut rest = self.values_mut();
        // Bands lie one after the other.
        for band in plan.bands() {
            let (values, behind) = rest.split_at_mut(band.len.min(rest.len()));
            if select(band) {
                selected.extend(values);
            }
            rest = behind;
        }
        largest::keep(selected, fraction)
    }
}

impl Packing {
    /// [`Coefficients::threshold`] of a packed array.
    ///
    /// # Errors
    /// A slice of the wrong length.
    pub fn threshold<T: Element>(
        &self,
        packed: &mut [T],
        threshold: Threshold<T>,
        mut select: impl FnMut(&Band) -> bool,
    ) -> Result<(), ThresholdError> {
        let visit = |band: &Band, value: &mut T| {
            if select(band) {
                *value = threshold.of(*value);
            }
        };
        Ok(self.visit_mut(packed, visit)?)
    }

    /// [`Coefficients::keep_largest`] of a packed array: the same coefficients stay.
    ///
    /// # Errors
    /// A slice of the wrong length, [`ThresholdError::Fraction`].
    pub fn keep_largest<T: Element>(
        &self,
        packed: &mut [T],
        fraction: f64,
        mut select: impl FnMut(&Band) -> bool,
    ) -> Result<Kept<T>, ThresholdError> {
        let mut values = Vec::new();
        self.visit_mut(packed, |band, value| {
            if select(band) {
                values.push(*value);
            }
        })?;
        let kept = keep_largest(&mut values, fraction)?;
        let mut values = values.into_iter();
        self.visit_mut(packed, |band, value| {
            if select(band) {
                *value = values.next().unwrap_or(*value);
            }
        })?;
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_numbers_of_zero_or_more() {
        for rule in Rule::ALL {
            for bad in [-1.0, f64::NAN, f64::NEG_INFINITY] {
                assert!(Threshold::new(rule, bad).is_err(), "{bad}");
            }
            assert!(Threshold::new(rule, -0.0_f32).is_ok());
            assert!(Threshold::new(rule, -1_i16).is_err());
        }
    }

    #[test]
    fn zeros_signs_and_what_is_no_number() {
        let bits = |value: f64| value.to_bits();
        for rule in Rule::ALL {
            let none = Threshold::new(rule, 0.0).unwrap();
            let some = Threshold::new(rule, 2.0).unwrap();
            let all = Threshold::new(rule, f64::INFINITY).unwrap();
            for value in [0.0, -0.0, 1.5, -2.0, 1e-320, 1e308, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(bits(none.of(value)), bits(value), "{rule:?} {value}");
                for threshold in [some, all] {
                    let got = threshold.of(value);
                    assert!(!got.is_nan() && got.abs() <= value.abs(), "{rule:?} {value} {got}");
                    assert_eq!(got.is_sign_negative(), value.is_sign_negative());
                }
            }
            for threshold in [none, some, all] {
                assert!(threshold.of(f64::NAN).is_nan());
            }
            assert_eq!(some.of(f64::NEG_INFINITY), f64::NEG_INFINITY);
            // Equal to the threshold.
            assert_eq!(some.of(-2.0), if rule == Rule::Hard { -2.0 } else { 0.0 });
        }
        assert_eq!(Threshold::garrote(2.0_f32).unwrap().of(4.0), 3.0);
    }

    #[test]
    fn integers_at_their_ends() {
        for rule in Rule::ALL {
            let none = Threshold::new(rule, 0_i64).unwrap();
            let most = Threshold::new(rule, i64::MAX).unwrap();
            for value in [i64::MIN, i64::MAX, -1, 0, 1] {
                assert_eq!(none.of(value), value, "{rule:?}");
            }
            assert_eq!(most.of(i64::MAX - 1), 0);
            let expected = if rule == Rule::Hard { i64::MIN } else { -1 };
            assert_eq!(
                most.of(i64::MIN),
                if rule == Rule::Garrote { i64::MIN + i64::MAX - 1 } else { expected }
            );
        }
        let garrote = Threshold::garrote(3_i16).unwrap();
        assert_eq!([3, 4, 5, -4, -18].map(|x| garrote.of(x)), [0, 2, 3, -2, -17]);
    }
}
