//! Values separated by commas.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Values separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: FromStr<Err: Display>> FromStr for List<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::read(text, |part| part.parse().map_err(|error: T::Err| error.to_string()))
    }
}

impl<T> List<T> {
    /// Reads every value by `read`.
    fn read(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Self, String> {
        let values = text.split(',').map(|part| {
            let part = part.trim();
            read(part).map_err(|error| {
                let quoted = format!("'{part}'");
                // Most errors name the value; it is told once, and the list only if it is longer.
                let told = match error.contains(&quoted) {
                    true => error,
                    false => format!("{quoted}: {error}"),
                };
                match part == text {
                    true if part.contains([' ', ';']) => {
                        format!("{told} (several values are separated by commas)")
                    }
                    true => told,
                    false => format!("{told} (in '{text}')"),
                }
            })
        });
        values.collect::<Result<_, _>>().map(Self)
    }
}

impl<T: Display> Display for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(T::to_string).collect();
        f.write_str(&parts.join(","))
    }
}

/// Whole numbers, negative ones too.
pub fn whole_numbers(text: &str) -> Result<List<i64>, String> {
    List::read(text, |part| {
        part.parse().map_err(|_| format!("expected whole numbers such as 0,-1, got '{part}'"))
    })
}

/// Extents of axes.
pub fn extents(text: &str) -> Result<List<usize>, String> {
    List::read(text, |part| {
        part.parse().map_err(|_| format!("expected a shape such as 512,640, got '{part}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::Positive;
    use super::*;

    #[test]
    fn lists_tell_a_wrong_value_once() {
        let refusal = |text: &str| text.parse::<List<Positive>>().unwrap_err();
        assert_eq!(refusal("0"), "expected a whole number of at least 1, got '0'");
        assert_eq!(
            refusal("4 2"),
            "expected a whole number of at least 1, got '4 2' (several values are separated by commas)"
        );
        assert_eq!(refusal("4,0"), "expected a whole number of at least 1, got '0' (in '4,0')");
        assert_eq!("4, 2".parse(), Ok(List(vec![Positive(4), Positive(2)])));
    }

    #[test]
    fn numbers_that_are_none_are_told_in_words() {
        let refusal = |text: &str| whole_numbers(text).unwrap_err();
        assert_eq!(refusal(""), "expected whole numbers such as 0,-1, got ''");
        assert_eq!(refusal("0,x"), "expected whole numbers such as 0,-1, got 'x' (in '0,x')");
        assert_eq!(
            refusal("99999999999999999999"),
            "expected whole numbers such as 0,-1, got '99999999999999999999'"
        );
        assert_eq!(whole_numbers("-1, 0"), Ok(List(vec![-1, 0])));
        assert_eq!(
            extents("5,-7").unwrap_err(),
            "expected a shape such as 512,640, got '-7' (in '5,-7')"
        );
    }
}
