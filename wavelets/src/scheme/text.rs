//! Schemes as text: one line per changed row of every factor.

use super::{Factor, FactorKind, Scheme};
use crate::algebra::{Exponent, Laurent};
use std::fmt;

impl FactorKind {
    /// A name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            FactorKind::Convolution => "convolution",
            FactorKind::Predict => "predict",
            FactorKind::Update => "update",
            FactorKind::Constant => "constant",
            FactorKind::Butterfly => "butterfly",
            FactorKind::Exchange => "exchange",
            FactorKind::Scaling => "scaling",
        }
    }
}

impl fmt::Display for FactorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A header with the counts, then the factors in the order in which they are applied. `[c]` is
/// channel `c`; `z` (`z0`, `z1`, … with several axes) is an advance by one pair. Channels that pass
/// through a factor are not listed.
///
/// ```
/// use waveloom_wavelets::algebra::Laurent;
/// use waveloom_wavelets::scheme::{Factor, FactorKind, Scheme, SchemeKind};
/// use waveloom_wavelets::algebra::PolyphaseMatrix;
///
/// let matrix = PolyphaseMatrix::two_by_two([
///     [Laurent::one(), Laurent::zero()],
///     [Laurent::from_taps(0, &[-0.5, -0.5]), Laurent::one()],
/// ]);
/// let factors = vec![Factor::new(FactorKind::Predict, matrix)];
/// let scheme = Scheme { kind: SchemeKind::Lifting, axes: 1, factors };
/// assert!(scheme.to_string().ends_with("1 predict\n  [1] <- [1] + (-0.5 - 0.5 z) [0]\n"));
/// ```
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operations = self.operations();
        writeln!(
            f,
            "{}, {} axes, {} factors, {} cuts",
            self.kind,
            self.axes,
            self.factors.len(),
            self.cuts()
        )?;
        write!(f, "reach")?;
        for (first, last) in &self.reach().axes[..self.axes] {
            write!(f, " {first}..={last}")?;
        }
        writeln!(
            f,
            "; {} terms, {} additions, {} multiplications",
            operations.terms, operations.additions, operations.multiplications
        )?;
        for (index, factor) in self.factors.iter().enumerate() {
            write!(f, "{} {}", index + 1, factor.kind)?;
            if let Some(rounded) = factor.rounding {
                let sign = if rounded.subtract { "-" } else { "+" };
                let (offset, shift) = (rounded.rounding.offset, rounded.rounding.shift);
                write!(f, ", rounded: {sign}floor((n + {offset}) / 2^{shift})")?;
            }
            writeln!(f)?;
            write_rows(f, factor, self.axes)?;
        }
        Ok(())
    }
}

fn write_rows(f: &mut fmt::Formatter<'_>, factor: &Factor, axes: usize) -> fmt::Result {
    let matrix = &factor.matrix;
    for row in 0..matrix.size() {
        let passes = (0..matrix.size()).all(|column| {
            let entry = matrix.entry(row, column);
            if row == column { entry.is_one() } else { entry.is_zero() }
        });
        if passes {
            continue;
        }
        // The channel's own old value first.
        let others = (0..matrix.size()).filter(|column| *column != row);
        let mut sum = String::new();
        for column in std::iter::once(row).chain(others) {
            let entry = matrix.entry(row, column);
            if entry.is_zero() {
                continue;
            }
            let text = polynomial(entry, axes);
            let summand = match (entry.len(), text.as_str()) {
                (1, "1.0") => format!("[{column}]"),
                (1, "-1.0") => format!("-[{column}]"),
                (1, _) => format!("{text} [{column}]"),
                _ => format!("({text}) [{column}]"),
            };
            match (sum.is_empty(), summand.strip_prefix('-')) {
                (true, _) => sum.push_str(&summand),
                (false, Some(positive)) => sum.push_str(&format!(" - {positive}")),
                (false, None) => sum.push_str(&format!(" + {summand}")),
            }
        }
        writeln!(f, "  [{row}] <- {}", if sum.is_empty() { "0" } else { &sum })?;
    }
    Ok(())
}

fn polynomial(entry: &Laurent, axes: usize) -> String {
    let mut text = String::new();
    for (index, (exponent, value)) in entry.terms().enumerate() {
        let sign = match (index, *value < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        text.push_str(sign);
        let shift = shift(exponent, axes);
        match value.abs() {
            1.0 if !shift.is_empty() => text.push_str(shift.trim_start()),
            magnitude => text.push_str(&format!("{magnitude:?}{shift}")),
        }
    }
    text
}

/// ` z^2`, ` z0 z1^-1`, or nothing.
fn shift(exponent: &Exponent, axes: usize) -> String {
    let used = exponent.iter().enumerate().filter(|(_, component)| **component != 0);
    let names = used.map(|(axis, component)| {
        let name = if axes == 1 { "z".to_owned() } else { format!("z{axis}") };
        if *component == 1 { format!(" {name}") } else { format!(" {name}^{component}") }
    });
    names.collect()
}
