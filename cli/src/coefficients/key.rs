//! Names of bands: one letter per transformed axis, `a` or `d`, then the level (1 is finest); the
//! coarsest approximation has no number.

use std::fmt;
use std::str::FromStr;
use waveloom::wavelets::algebra::MAX_AXES;

/// A parsed band name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// For each transformed axis, whether the band holds details along it.
    pub details: Vec<bool>,
    /// The level of a detail band; `None` for the approximation.
    pub level: Option<usize>,
}

impl Key {
    /// Number of transformed axes.
    pub fn axes(&self) -> usize {
        self.details.len()
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[letters.len()..];
        if letters.is_empty() || letters.len() > MAX_AXES || digits.starts_with('0') {
            return Err(());
        }
        let details = letters.chars().map(|letter| match letter {
            'a' => Ok(false),
            'd' => Ok(true),
            _ => Err(()),
        });
        let details = details.collect::<Result<Vec<bool>, ()>>()?;
        let level = if digits.is_empty() { None } else { Some(digits.parse().map_err(|_| ())?) };
        // Only the approximation goes without a number, and nothing else does.
        if details.contains(&true) == level.is_some() {
            Ok(Self { details, level })
        } else {
            Err(())
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for detail in &self.details {
            f.write_str(if *detail { "d" } else { "a" })?;
        }
        self.level.map_or(Ok(()), |level| write!(f, "{level}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["a", "d1", "d12", "aa", "ad1", "dd3", "aaa", "add2"] {
            let key: Key = name.parse().unwrap();
            assert_eq!(key.to_string(), name);
        }
        assert_eq!("dad2".parse(), Ok(Key { details: vec![true, false, true], level: Some(2) }));
    }

    #[test]
    fn other_names_are_not_bands() {
        for name in [
            "",
            "1",
            "d",
            "a1",
            "aa3",
            "ad",
            "d0",
            "d01",
            "ab1",
            "aaaa",
            "dddd1",
            "shape",
            "d-1",
            "d99999999999999999999",
        ] {
            assert_eq!(name.parse::<Key>(), Err(()), "{name}");
        }
    }
}
