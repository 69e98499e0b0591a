//! Values of options, each with an error that says what was expected.

use std::fmt::{self, Display};
use std::str::FromStr;
use waveloom::codegen::Element;
use waveloom::codegen::kernel::Exchange;
use waveloom::threshold::Rule;
use waveloom::wavelets::extension::UnknownMode;
use waveloom::wavelets::{Mode, SchemeKind};

/// A whole number above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positive(pub usize);

impl Display for Positive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Positive {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(value) if value > 0 => Ok(Self(value)),
            _ => Err(format!("expected a whole number of at least 1, got '{text}'")),
        }
    }
}

/// A number from 0 to 1, or a percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = match text.strip_suffix('%') {
            Some(digits) => (digits, 100.0),
            None => (text, 1.0),
        };
        match digits.trim().parse::<f64>().map(|value| value / unit) {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(Self(share)),
            _ => Err(format!("expected a share between 0 and 1, or 0% and 100%, got '{text}'")),
        }
    }
}

/// Seconds, more than none.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..1e6).contains(&seconds) => Ok(seconds),
        _ => Err(format!("expected a number of seconds, such as 0.5, got '{text}'")),
    }
}

/// A part of a name; `*` stands for anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<String>);

impl FromStr for Pattern {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.split('*').map(str::to_owned).collect()))
    }
}

impl Pattern {
    /// Whether the parts stand in the name, in their order.
    pub fn matches(&self, name: &str) -> bool {
        let mut rest = name;
        self.0.iter().all(|part| match rest.split_once(part.as_str()) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    }
}

/// A suite of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// What users transform.
    Speed,
    /// Published methods.
    Papers,
}

impl Suite {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Papers => "papers",
        }
    }
}

impl FromStr for Suite {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &[Self::Speed, Self::Papers], Self::name)
    }
}

/// Another library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerName(pub &'static str);

impl FromStr for PeerName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &crate::bench::PEERS, |name| name).map(Self)
    }
}

/// A rule of thresholding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleName(pub Rule);

impl FromStr for RuleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &Rule::ALL, Rule::name).map(Self)
    }
}

/// A number of levels.
pub fn levels(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("expected a whole number of levels, 0 or more, got '{text}'"))
}

/// A number of axes.
pub fn dims(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(value @ 1..=3) => Ok(value),
        _ => Err(format!("expected 1, 2 or 3 axes, got '{text}'")),
    }
}

/// The value of a name among `all`, or an error that lists them.
fn named<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|value| name(*value) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name).collect();
        format!("expected one of {}, got '{text}'", names.join(", "))
    })
}

/// An extension mode.
pub fn mode(text: &str) -> Result<Mode, String> {
    text.parse().map_err(|unknown: UnknownMode| {
        let hint =
            unknown.nearest.map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
        let names = Mode::ALL.map(Mode::name).join(", ");
        format!("expected one of {names}, got '{text}'{hint}")
    })
}

/// A scheme.
pub fn scheme(text: &str) -> Result<SchemeKind, String> {
    named(text, &SchemeKind::ALL, SchemeKind::name)
}

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementName(pub Element);

impl FromStr for ElementName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Element::F32, Element::F64, Element::I16, Element::I32, Element::I64];
        named(text, &all, Element::name).map(Self)
    }
}

/// An exchange between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeName(pub Exchange);

impl Display for ExchangeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(exchange_name(self.0))
    }
}

impl FromStr for ExchangeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The others are parts of methods, which have names.
        let method = match text {
            "shuffle" => "full-register",
            "transpose" => "hybrid",
            _ => return named(text, &CHOSEN, exchange_name).map(Self),
        };
        Err(format!("'{text}' is part of a method; expected --strategy {method}"))
    }
}

/// The exchanges that may be chosen alone.
const CHOSEN: [Exchange; 5] =
    [Exchange::Launch, Exchange::Global, Exchange::Shared, Exchange::Recompute, Exchange::Stream];

fn exchange_name(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Launch => "launch",
        Exchange::Global => "global",
        Exchange::Shared => "shared",
        Exchange::Recompute => "recompute",
        Exchange::Shuffle => "shuffle",
        Exchange::Stream => "stream",
        Exchange::Transpose => "transpose",
    }
}

/// How coefficients are arranged in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// One array per band.
    Bands,
    /// All bands in one array, the approximation in its first corner.
    Mallat,
    /// All coefficients in one array, each where its sample was.
    Mixed,
}

impl Layout {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bands => "bands",
            Self::Mallat => "mallat",
            Self::Mixed => "mixed",
        }
    }

    /// The layout of one array; `None` for an array per band.
    pub fn packed(self) -> Option<waveloom::packing::Layout> {
        match self {
            Self::Bands => None,
            Self::Mallat => Some(waveloom::packing::Layout::Mallat),
            Self::Mixed => Some(waveloom::packing::Layout::Mixed),
        }
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &[Self::Bands, Self::Mallat, Self::Mixed], Self::name)
    }
}

/// Normalisation of the Haar wavelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Norm {
    /// `a = (x0 + x1)/√2`, `d = (x0 - x1)/√2`.
    Ortho,
    /// `d = x1 - x0`, `a = x0 + d/2`.
    Lifting,
}

impl Norm {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ortho => "ortho",
            Self::Lifting => "lifting",
        }
    }
}

impl FromStr for Norm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &[Self::Ortho, Self::Lifting], Self::name)
    }
}

/// Whose adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The forward transform's: coefficients to signal.
    Forward,
    /// The inverse transform's: signal to coefficients.
    Inverse,
}

impl FromStr for Of {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &[Self::Forward, Self::Inverse], |of| match of {
            Self::Forward => "forward",
            Self::Inverse => "inverse",
        })
    }
}

/// Language of emitted source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Rust, for the processor.
    Rust,
    /// CUDA C++.
    Cuda,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text, &[Self::Rust, Self::Cuda], |target| match target {
            Self::Rust => "rust",
            Self::Cuda => "cuda",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_hinted_at_whatever_their_case() {
        for (text, hint) in
            [("SYM", "symmetric"), ("Reflect", "reflect"), ("symetric", "symmetric")]
        {
            let refusal = mode(text).unwrap_err();
            let end = format!("got '{text}' (did you mean '{hint}'?)");
            assert!(
                refusal.starts_with("expected one of zero, ") && refusal.ends_with(&end),
                "{refusal}"
            );
        }
        assert!(mode("bogus").unwrap_err().ends_with("got 'bogus'"));
    }
}
