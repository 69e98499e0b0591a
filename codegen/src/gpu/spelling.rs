//! Strategies as the command line spells them, and back.

use super::mapping::Strategy;
use crate::kernel::Exchange;
use std::fmt;
use std::str::FromStr;

/// Words that are no strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is no strategy: {problem}")]
pub struct ParseStrategyError {
    /// What was given.
    pub given: String,
    /// What was expected.
    pub problem: String,
}

impl fmt::Display for Strategy {
    /// The options that make the same kernels, such as `--strategy stream --block 128 --rows 32`.
    /// Shapes that are to be chosen are left out, and those that the method does not have.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--strategy {}", self.name())?;
        if let Some([a, b, c]) = self.tile {
            write!(f, " --tile {a},{b},{c}")?;
        }
        let streams = self.exchange == Exchange::Stream;
        let numbers = [
            ("--block", self.threads),
            ("--items", self.items),
            ("--rows", if streams { self.rows } else { self.lanes }),
            ("--groups", self.groups),
            ("--pairs", self.pairs),
            ("--depth", self.depth),
            ("--resident", self.resident),
            ("--deep", self.deep),
            ("--together", self.together),
            ("--stretch", self.stretch),
        ];
        let mut given = numbers.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        given.try_for_each(|(name, value)| write!(f, " {name} {value}"))
    }
}

impl FromStr for Strategy {
    type Err = ParseStrategyError;

    /// Reads what [`Strategy`] prints.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |problem: String| ParseStrategyError { given: text.to_owned(), problem };
        let mut words = text.split_whitespace();
        let name = match (words.next(), words.next()) {
            (Some("--strategy"), Some(name)) => name,
            _ => return Err(refuse("expected --strategy NAME first".to_owned())),
        };
        let mut strategy = Self::named(name).ok_or_else(|| {
            let names = Self::NAMED.map(|(name, _)| name).join(", ");
            refuse(format!("expected one of {names}, got '{name}'"))
        })?;
        while let Some(option) = words.next() {
            let value = words.next().unwrap_or_default();
            let number = |word: &str| {
                let number = word.parse::<u32>().ok();
                number
                    .ok_or_else(|| refuse(format!("expected a number for {option}, got '{word}'")))
            };
            match option {
                "--tile" => {
                    let extents = value.split(',').map(number).collect::<Result<Vec<u32>, _>>()?;
                    let tile = <[u32; 3]>::try_from(extents);
                    strategy.tile = Some(tile.map_err(|extents| {
                        refuse(format!("expected 3 extents of a tile, got {}", extents.len()))
                    })?);
                }
                "--block" => strategy.threads = Some(number(value)?),
                "--items" if strategy.has_items() => strategy.items = Some(number(value)?),
                "--rows" if strategy.exchange == Exchange::Stream => {
                    strategy.rows = Some(number(value)?);
                }
                "--rows" => strategy.lanes = Some(number(value)?),
                "--groups" => strategy.groups = Some(number(value)?),
                "--pairs" => strategy.pairs = Some(number(value)?),
                "--depth" => strategy.depth = Some(number(value)?),
                "--resident" => strategy.resident = Some(number(value)?),
                "--deep" => strategy.deep = Some(number(value)?),
                "--together" => strategy.together = Some(number(value)?),
                "--stretch" => strategy.stretch = Some(number(value)?),
                _ => return Err(refuse(format!("'{option}' is no option of a strategy"))),
            }
        }
        Ok(strategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let shaped = [
            Strategy { threads: Some(64), tile: Some([8, 32, 1]), ..Strategy::SHARED },
            Strategy { lanes: Some(16), ..Strategy::TRAPEZOID },
            Strategy { threads: Some(256), items: Some(8), ..Strategy::ILP },
            Strategy {
                threads: Some(128),
                rows: Some(32),
                groups: Some(4),
                pairs: Some(1),
                depth: Some(2),
                resident: Some(8),
                deep: Some(2),
                together: Some(3),
                stretch: Some(8),
                ..Strategy::STREAM
            },
        ];
        let named = Strategy::NAMED.map(|(_, strategy)| strategy);
        for strategy in named.iter().chain(&shaped) {
            assert_eq!(strategy.to_string().parse(), Ok(*strategy), "{strategy}");
        }
        assert_eq!(
            shaped[3].to_string(),
            "--strategy stream --block 128 --rows 32 --groups 4 --pairs 1 --depth 2 --resident 8 --deep 2 --together 3 --stretch 8"
        );
        assert_eq!(shaped[1].to_string(), "--strategy trapezoid --rows 16");
    }

    #[test]
    fn other_words_are_refused() {
        for (text, part) in [
            ("", "--strategy NAME"),
            ("stream", "--strategy NAME"),
            ("--strategy magic", "trapezoid-split"),
            ("--strategy stream --block", "--block"),
            ("--strategy stream --block -1", "'-1'"),
            ("--strategy shared --tile 1,2", "3 extents"),
            ("--strategy shared --tile 1,2,3,4", "got 4"),
            ("--strategy shared --speed 9", "--speed"),
            ("--strategy shared --items 4", "--items"),
        ] {
            let error = text.parse::<Strategy>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
