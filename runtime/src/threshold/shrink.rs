//! Thresholding and magnitudes of single values.

/// Magnitudes of an element, and what thresholding makes of it. Private to the crate: [`crate::Element`] has it.
pub trait Shrink: Copy {
    /// Whether the value can be a threshold: 0 or more, and a number.
    fn is_threshold(self) -> bool;

    /// A number that orders values by magnitude: equal magnitudes have equal keys, infinity comes
    /// after every finite value and NaN last.
    fn magnitude(self) -> u64;

    /// The magnitude as a value. The smallest integer, whose magnitude is no value, gives the
    /// largest one.
    fn absolute(self) -> Self;

    /// The distance to another value.
    fn distance(self, other: Self) -> f64;

    /// 0, with the sign of the value where zeros have one.
    fn removed(self) -> Self;

    /// Kept from the threshold on.
    fn hard(self, threshold: Self) -> Self;

    /// The part beyond the threshold.
    fn soft(self, threshold: Self) -> Self;

    /// `x - t²/x` beyond the threshold.
    fn garrote(self, threshold: Self) -> Self;
}

macro_rules! float {
    ($($type:ty),*) => {
        $(impl Shrink for $type {
            fn is_threshold(self) -> bool {
                self >= 0.0
            }

            fn magnitude(self) -> u64 {
                // The bits of floats of one sign are ordered as the floats are.
                self.abs().to_bits().into()
            }

            fn absolute(self) -> Self {
                self.abs()
            }

            fn distance(self, other: Self) -> f64 {
                (self as f64 - other as f64).abs()
            }

            fn removed(self) -> Self {
                (0.0 as $type).copysign(self)
            }

            // Comparisons are written so that NaN is what stays.
            fn hard(self, threshold: Self) -> Self {
                if self.abs() < threshold { self.removed() } else { self }
            }

            fn soft(self, threshold: Self) -> Self {
                match self.abs() <= threshold {
                    true => self.removed(),
                    false => (self.abs() - threshold).copysign(self),
                }
            }

            fn garrote(self, threshold: Self) -> Self {
                match self.abs() <= threshold {
                    true => self.removed(),
                    // In this order nothing overflows and nothing is 0 / 0.
                    false => self - threshold * (threshold / self),
                }
            }
        })*
    };
}

macro_rules! integer {
    ($($type:ty),*) => {
        $(impl Shrink for $type {
            fn is_threshold(self) -> bool {
                self >= 0
            }

            fn magnitude(self) -> u64 {
                self.unsigned_abs().into()
            }

            fn absolute(self) -> Self {
                self.checked_abs().unwrap_or(Self::MAX)
            }

            fn distance(self, other: Self) -> f64 {
                self.abs_diff(other) as f64
            }

            fn removed(self) -> Self {
                0
            }

            fn hard(self, threshold: Self) -> Self {
                if self.unsigned_abs() < threshold.unsigned_abs() { 0 } else { self }
            }

            fn soft(self, threshold: Self) -> Self {
                match self.unsigned_abs() <= threshold.unsigned_abs() {
                    true => 0,
                    // Towards 0 by less than the magnitude: in range.
                    false => self - threshold * self.signum(),
                }
            }

            fn garrote(self, threshold: Self) -> Self {
                if self.unsigned_abs() <= threshold.unsigned_abs() {
                    return 0;
                }
                let (value, threshold) = (i128::from(self), i128::from(threshold));
                // t² / x rounded to nearest, halves away from 0; its magnitude is below t's.
                let square = threshold * threshold;
                let size = (2 * square + value.abs()) / (2 * value.abs());
                self - (size * value.signum()) as $type
            }
        })*
    };
}

float!(f32, f64);
integer!(i16, i32, i64);
