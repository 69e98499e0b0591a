//! Numbers of a definition: floats, or exact values.

use crate::algebra::{Rational, rational_to_f64};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero, pow};

/// The largest decimal exponent: beyond it nothing fits an `f64` anyway.
const LARGEST_EXPONENT: i32 = 400;

/// The most work in exact arithmetic: bits times coefficients squared, about a second.
const MOST_WORK: u64 = 4_000_000;

/// The longest text of a number.
const LONGEST_TEXT: usize = 400;

/// A number as the definition gives it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    /// An integer or a string.
    Exact(Rational),
    /// A float literal.
    Float(f64),
}

impl Number {
    /// The nearest `f64`.
    pub(super) fn to_f64(&self) -> f64 {
        match self {
            Number::Exact(value) => rational_to_f64(value),
            Number::Float(value) => *value,
        }
    }

    /// The exact value; `None` for floats.
    pub(super) fn exact(&self) -> Option<&Rational> {
        match self {
            Number::Exact(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    /// Whether it is zero.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Number::Exact(value) => value.is_zero(),
            Number::Float(value) => *value == 0.0,
        }
    }
}

/// Whether exact arithmetic on a product of factors with these coefficients stays affordable.
///
/// The common denominators of the factors multiply, and with them the length of every coefficient;
/// time grows with that length and with the square of the number of coefficients. A definition with
/// too many digits for its size is measured in floating point like any other.
pub(super) fn is_affordable<'n>(
    factors: impl IntoIterator<Item = impl IntoIterator<Item = &'n Rational>>,
) -> bool {
    let (mut bits, mut count) = (0, 0_u64);
    for factor in factors {
        let (mut denominator, mut numerator) = (BigInt::one(), 0);
        for value in factor {
            count += 1;
            numerator = value.numer().bits().max(numerator);
            // The least common multiple: the reduced fraction has lost the common divisor.
            let rest = Rational::new(denominator.clone(), value.denom().clone());
            denominator *= rest.denom();
            let length = bits + numerator + denominator.bits();
            if count.saturating_mul(count).saturating_mul(length) > MOST_WORK {
                return false;
            }
        }
        bits += numerator + denominator.bits();
    }
    true
}

/// Reads `[+-]digits[.digits][e[+-]digits]`, or a fraction of two such numbers.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn parse_exact(text: &str) -> Result<Rational, String> {
    let malformed = || {
        let shown: String = text.chars().take(40).collect();
        format!(
            "\"{shown}\" is not a number; expected a fraction such as \"9/16\" or a decimal such as \"-0.5\" or \"1e-3\""
        )
    };
    if text.len() > LONGEST_TEXT {
        return Err(format!(
            "a number of {} characters; at most {LONGEST_TEXT} are read",
            text.len()
        ));
    }
    let value = match text.split_once('/') {
        None => decimal(text).ok_or_else(malformed)?,
        Some((numerator, denominator)) => {
            let numerator = decimal(numerator).ok_or_else(malformed)?;
            let denominator = decimal(denominator).ok_or_else(malformed)?;
            if denominator.is_zero() {
                return Err(format!("\"{text}\" divides by zero"));
            }
            numerator / denominator
        }
    };
    let rounded = rational_to_f64(&value.abs());
    if rounded.is_finite() && (value.is_zero() || rounded > 0.0) {
        Ok(value)
    } else {
        Err(format!("\"{text}\" lies outside the range of 64-bit floating point numbers"))
    }
}

fn decimal(text: &str) -> Option<Rational> {
    let text = text.trim();
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if exponent.unsigned_abs() > 2 * LARGEST_EXPONENT.unsigned_abs() {
        return None;
    }
    let magnitude: BigInt = digits.parse().ok()?;
    let power = pow(BigInt::from(10), exponent.unsigned_abs() as usize);
    let value = match exponent < 0 {
        true => Rational::new(magnitude, power),
        false => Rational::from_integer(magnitude * power),
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Result<Rational, String> {
        Ok(Rational::new(numerator.into(), denominator.into()))
    }

    #[test]
    fn exact_texts_are_read_exactly() {
        let cases = [
            ("9/16", ratio(9, 16)),
            ("-1/2", ratio(-1, 2)),
            (" 3 / -4 ", ratio(-3, 4)),
            ("-0.5", ratio(-1, 2)),
            ("0.1", ratio(1, 10)),
            (".25", ratio(1, 4)),
            ("7.", ratio(7, 1)),
            ("+12", ratio(12, 1)),
            ("1e-3", ratio(1, 1000)),
            ("2.5E2", ratio(250, 1)),
            ("0.5/1.5", ratio(1, 3)),
            ("-0", ratio(0, 1)),
        ];
        for (text, value) in cases {
            assert_eq!(parse_exact(text), value, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "x", "1/", "/2", "1/2/3", "1..2", "1e", "0x10", "1_000", "--1", "nan", "inf"]
                .into_iter()
                .chain([
                    "1e-2147483648",
                    "1.0e-2147483647",
                    "1e2147483647",
                    "1e-2147483649",
                    "1e801",
                ])
        {
            let message = parse_exact(text).unwrap_err();
            assert!(message.starts_with(&format!("\"{text}\" is not a number")), "{message}");
        }
        assert_eq!(parse_exact("1/0").unwrap_err(), "\"1/0\" divides by zero");
        let outside = "lies outside the range of 64-bit floating point numbers";
        assert_eq!(parse_exact("1e309").unwrap_err(), format!("\"1e309\" {outside}"));
        assert_eq!(parse_exact("-1e-400").unwrap_err(), format!("\"-1e-400\" {outside}"));
        assert!(parse_exact("1e999999999").is_err());
        let long = "1".repeat(500);
        assert_eq!(
            parse_exact(&long).unwrap_err(),
            "a number of 500 characters; at most 400 are read"
        );
    }
}
