//! Definitions written out, in any of the forms that a wavelet has.

use crate::algebra::{Laurent, Rational, Scalar, rational_from_f64, rational_to_f64};
use crate::lattice::Lattice;
use crate::lifting::{Channel, Lifting};
use crate::verify::ExactBank;
use crate::wavelet::{AxisOrder, Options, Reconstruction, Wavelet};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::fmt::{self, Write};

/// Exact values are written as fractions up to this denominator, and as floats beyond it.
const LARGEST_DENOMINATOR: i64 = 1 << 20;

/// A short fraction whose nearest `f64` is `value`: the first convergent of its continued fraction
/// that rounds to it.
fn fraction(value: f64) -> Option<Rational> {
    let mut rest = rational_from_f64(value)?;
    let limit = BigInt::from(LARGEST_DENOMINATOR);
    let (mut before, mut last) = ((BigInt::one(), BigInt::zero()), (BigInt::zero(), BigInt::one()));
    loop {
        let whole = rest.floor().to_integer();
        let next = (&whole * &before.0 + &last.0, &whole * &before.1 + &last.1);
        if next.1 > limit {
            return None;
        }
        let candidate = Rational::new(next.0.clone(), next.1.clone());
        if rational_to_f64(&candidate) == value {
            return Some(candidate);
        }
        rest = (rest - Rational::from_integer(whole)).reciprocal()?;
        (last, before) = (before, next);
    }
}

/// A form of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Four filters, in PyWavelets' order.
    Taps,
    /// Lifting steps.
    Lifting,
    /// Lattice stages.
    Lattice,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 3] = [Form::Taps, Form::Lifting, Form::Lattice];

    /// The name of its table.
    pub fn name(self) -> &'static str {
        match self {
            Form::Taps => "taps",
            Form::Lifting => "lifting",
            Form::Lattice => "lattice",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a wavelet cannot be written in a form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// It has no such factorisation.
    #[error("{wavelet} has no {form}: {reason}")]
    Missing {
        /// The wavelet.
        wavelet: String,
        /// The form asked for.
        form: Form,
        /// Why.
        reason: String,
    },
    /// Filters cannot say how lifting steps round.
    #[error(
        "{wavelet} rounds in its lifting steps, which filters cannot express; use the form lifting"
    )]
    Rounded {
        /// The wavelet.
        wavelet: String,
    },
}

/// The definition of a wavelet in a form; [`parse`](super::parse) reads it back to the same filters,
/// but for rounding in the products of factors. Rational wavelets are written with exact fractions
/// where these are short.
///
/// # Errors
/// The wavelet does not have the form.
pub fn to_toml(wavelet: &Wavelet, form: Form) -> Result<String, ExportError> {
    let missing = |reason: Option<String>| ExportError::Missing {
        wavelet: wavelet.name().to_owned(),
        form,
        reason: reason.unwrap_or_else(|| "it was not factorised".to_owned()),
    };
    let body = match form {
        Form::Taps if wavelet.is_rounded() => {
            return Err(ExportError::Rounded { wavelet: wavelet.name().to_owned() });
        }
        Form::Taps => taps(wavelet),
        Form::Lifting => match wavelet.lifting() {
            Some(found) => lifting(found, is_exact(wavelet)),
            None => return Err(missing(wavelet.lifting_reason().map(ToString::to_string))),
        },
        Form::Lattice => match wavelet.lattice() {
            Some(found) => lattice(found, is_exact(wavelet)),
            None => return Err(missing(wavelet.lattice_reason().map(ToString::to_string))),
        },
    };
    Ok(format!("{}\n[{form}]\n{body}", head(wavelet.name(), wavelet.options())))
}

fn is_exact(wavelet: &Wavelet) -> bool {
    wavelet.properties().reconstruction == Reconstruction::Exact
}

/// The keys before the form; defaults are left out.
fn head(name: &str, options: &Options) -> String {
    let mut text = format!("name = {}\n", toml::Value::String(name.to_owned()));
    let defaults = Options::default();
    if options.default_mode != defaults.default_mode {
        text += &format!("default_mode = \"{}\"\n", options.default_mode);
    }
    if options.even_lengths {
        text += "even_lengths = true\n";
    }
    if options.axis_order == AxisOrder::LastToFirst {
        text += "axis_order = \"last-to-first\"\n";
    }
    if options.approximate {
        text += "approximate = true\n";
    }
    text
}

fn taps(wavelet: &Wavelet) -> String {
    let filters = wavelet.bank().to_pywavelets();
    let exact = is_exact(wavelet) && reconstruct_exactly(&filters);
    let names = ["dec_lo", "dec_hi", "rec_lo", "rec_hi"];
    let numbers = Numbers::new(filters.iter().flatten(), exact);
    let lines = names.iter().zip(&filters);
    lines.map(|(name, taps)| format!("{name} = {}\n", numbers.list(taps))).collect()
}

/// Whether the simplest fractions of the taps are exactly inverse to each other.
fn reconstruct_exactly(filters: &[Vec<f64>; 4]) -> bool {
    let exact = filters.each_ref().map(|taps| {
        let taps = taps.iter().map(|tap| fraction(*tap));
        taps.collect::<Option<Vec<Rational>>>().unwrap_or_default()
    });
    let bank = ExactBank::from_pywavelets(exact.each_ref().map(Vec::as_slice));
    bank.is_ok_and(|bank| bank.reconstructs())
}

fn lifting(lifting: &Lifting, exact: bool) -> String {
    let gains = [lifting.low.gain, lifting.high.gain];
    let all = lifting.steps.iter().flat_map(|step| step.taps.values());
    let numbers = Numbers::new(all.chain(&gains), exact);
    let mut text = String::new();
    if gains != [1.0, 1.0] {
        text += &format!("gains = {}\n", numbers.list(&gains));
    }
    text += &advances([lifting.low.advance, lifting.high.advance]);
    if lifting.low.channel == Channel::Odd {
        text += "swap = true\n";
    }
    text += "steps = [\n";
    for step in &lifting.steps {
        let target = if step.target == Channel::Even { "even" } else { "odd" };
        text += &format!("    {{ target = \"{target}\", {}", placed(&step.polynomial(), &numbers));
        if let Some(rounding) = step.rounding {
            text += &format!(", offset = {}, shift = {}", rounding.offset, rounding.shift);
        }
        text += " },\n";
    }
    text + "]\n"
}

fn lattice(lattice: &Lattice, exact: bool) -> String {
    let lead = lattice.lead.as_ref();
    let entries = lattice.stages.iter().flatten().flatten();
    let taps = lead.iter().flat_map(|(_, q)| q.terms().map(|(_, tap)| tap));
    let numbers = Numbers::new(entries.chain(taps), exact);
    let matrix = |[upper, lower]: &[[f64; 2]; 2]| {
        format!("[{}, {}]", numbers.list(upper), numbers.list(lower))
    };
    let mut text = advances(lattice.advance);
    if let Some((row, q)) = lead {
        let target = if *row == 0 { "low" } else { "high" };
        text += &format!("lead = {{ target = \"{target}\", {} }}\n", placed(q, &numbers));
    }
    if let Some((last, stages)) = lattice.stages.split_last() {
        if !stages.is_empty() {
            let lines: String =
                stages.iter().map(|stage| format!("    {},\n", matrix(stage))).collect();
            text += &format!("stages = [\n{lines}]\n");
        }
        text += &format!("final = {}\n", matrix(last));
    }
    text
}

fn advances([low, high]: [i32; 2]) -> String {
    match [low, high] {
        [0, 0] => String::new(),
        _ => format!("advances = [{low}, {high}]\n"),
    }
}

/// The keys `first` and `taps` of a polynomial.
fn placed(polynomial: &Laurent, numbers: &Numbers) -> String {
    let (first, last) = polynomial.range(0).unwrap_or((0, -1));
    let taps: Vec<f64> = (first..=last).map(|e| polynomial.coefficient(&[e, 0, 0])).collect();
    format!("first = {first}, taps = {}", numbers.list(&taps))
}

/// How the numbers of a definition are written: all as fractions, or all as floats, because one
/// float makes the whole definition inexact.
struct Numbers {
    fractions: bool,
}

impl Numbers {
    fn new<'v>(values: impl IntoIterator<Item = &'v f64>, exact: bool) -> Self {
        let mut values = values.into_iter();
        Self { fractions: exact && values.all(|value| fraction(*value).is_some()) }
    }

    fn list(&self, values: &[f64]) -> String {
        let mut text = String::from("[");
        for (position, value) in values.iter().enumerate() {
            if position > 0 {
                text += ", ";
            }
            self.write(&mut text, *value);
        }
        text + "]"
    }

    fn write(&self, text: &mut String, value: f64) {
        let written = match fraction(value).filter(|_| self.fractions) {
            Some(exact) if exact.denom().is_one() => write!(text, "{}", exact.numer()),
            Some(exact) => write!(text, "\"{}/{}\"", exact.numer(), exact.denom()),
            None => write!(text, "{value:?}"),
        };
        written.expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_short_and_round_to_the_value() {
        let short = |value| fraction(value).map(|fraction| fraction.to_string());
        for (value, text) in [
            (0.0, "0"),
            (-3.0, "-3"),
            (0.1, "1/10"),
            (2.0 / 3.0, "2/3"),
            (-4.0 / 15.0, "-4/15"),
            (-63.0 / 512.0, "-63/512"),
        ] {
            assert_eq!(short(value).as_deref(), Some(text));
        }
        for value in [0.1 + 0.2, std::f64::consts::SQRT_2, 1e-9, f64::NAN] {
            assert_eq!(short(value), None, "{value}");
        }
    }
}
