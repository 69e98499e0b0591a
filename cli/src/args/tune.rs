//! `tune W --shape NxM`

use super::lists::{self, List};
use super::values::{self, ElementName};
use clap::Args;
use std::fmt::{self, Display};
use std::str::FromStr;
use waveloom::wavelets::{Mode, SchemeKind};

/// `tune W`
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Catalogue name or definition file
    #[arg(value_name = "WAVELET")]
    pub wavelet: String,
    /// Shape of the arrays, such as 4096x4096
    #[arg(long, value_name = "NxM")]
    pub shape: Extents,
    /// Transform these axes, such as 0,2; negative ones count from the end. All if absent (the last
    /// three at most)
    #[arg(long, value_name = "LIST", value_parser = lists::whole_numbers, allow_hyphen_values = true)]
    pub axes: Option<List<i64>>,
    /// Number of levels
    #[arg(long, value_name = "L", value_parser = values::levels, allow_hyphen_values = true, default_value = "1")]
    pub levels: usize,
    /// Element type: f32 (the default), f64; of integer wavelets i16, i32 (the default) or i64
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<ElementName>,
    /// What happens at the ends of the signal
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub mode: Option<Mode>,
    /// Algorithm; the wavelet's best if absent
    #[arg(long, value_name = "SCHEME", value_parser = values::scheme)]
    pub scheme: Option<SchemeKind>,
    /// Seconds of measuring for every eight strategies
    #[arg(long, value_name = "S", value_parser = values::seconds, allow_hyphen_values = true, default_value = "0.5")]
    pub seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Extents of an array with an `x` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents(pub Vec<usize>);

impl FromStr for Extents {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let extent = |word: &str| word.parse().ok().filter(|extent| *extent > 0);
        let extents: Option<Vec<usize>> = text.split(['x', ',']).map(extent).collect();
        extents.map(Self).ok_or_else(|| {
            format!("expected extents of at least 1, such as 4096x4096, got '{text}'")
        })
    }
}

impl Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&words.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_numbers_above_zero() {
        for (text, extents) in
            [("4096x4096", vec![4096, 4096]), ("7", vec![7]), ("3,512,512", vec![3, 512, 512])]
        {
            assert_eq!(text.parse(), Ok(Extents(extents)));
        }
        for bad in ["", "x", "4096x", "0x5", "-1x5", "4096 x 4096", "99999999999999999999"] {
            let error = bad.parse::<Extents>().unwrap_err();
            assert!(error.contains("4096x4096") && error.contains(bad), "{error}");
        }
    }
}
