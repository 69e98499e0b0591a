//! The schemes of a wavelet.

use super::algebra::fuse_factors;
use super::{Factor, FactorKind, RoundedFactor, Scheme, SchemeError, SchemeKind};
use crate::algebra::{MAX_AXES, PolyphaseMatrix};
use crate::lattice::Lattice;
use crate::lifting::Lifting;
use crate::wavelet::{AxisOrder, Wavelet};

/// Where constant parts may be split off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// Before and after every exchange: blocks that keep results in registers.
    Everywhere,
    /// Not before the first read: passes that read their neighbours straight from a texture.
    AfterFirstRead,
}

impl Scheme {
    /// A fused scheme with more terms than this is refused: it could not be unrolled.
    pub const MOST_TERMS: usize = 40_000;
}

impl SchemeKind {
    /// The kind that has the same factors in 1-D.
    pub fn one_dimensional(self) -> Self {
        match self {
            SchemeKind::SeparableConvolution | SchemeKind::NonseparableConvolution => {
                SchemeKind::Convolution
            }
            SchemeKind::SeparableLifting | SchemeKind::NonseparableLifting => SchemeKind::Lifting,
            other => other,
        }
    }

    /// Whether all axes share factors.
    pub fn is_nonseparable(self) -> bool {
        matches!(self, SchemeKind::NonseparableConvolution | SchemeKind::NonseparableLifting)
    }

    /// Whether the kind exists for a number of axes.
    pub fn exists_in(self, axes: usize) -> bool {
        match self {
            SchemeKind::Convolution | SchemeKind::Lattice | SchemeKind::Lifting => axes == 1,
            _ => (2..=MAX_AXES).contains(&axes),
        }
    }
}

impl Wavelet {
    /// The scheme of a kind over a number of axes. Kinds of one dimension need `axes == 1`, the
    /// others 2 or 3.
    pub fn scheme(&self, kind: SchemeKind, axes: usize) -> Result<Scheme, SchemeError> {
        if !kind.exists_in(axes) {
            return Err(SchemeError::Dimensions { kind, axes });
        }
        let factors = match kind.one_dimensional() {
            SchemeKind::Lifting => lifting_factors(self.lifting_or(kind)?),
            SchemeKind::Lattice => lattice_factors(self.lattice_or(kind)?),
            _ if self.is_rounded() => {
                let reason = "rounding forbids multiplying its steps out".to_owned();
                return Err(self.missing(kind, reason));
            }
            _ => vec![Factor {
                kind: FactorKind::Convolution,
                matrix: self.bank.analysis_polyphase(),
                inverse: Some(self.bank.synthesis_polyphase()),
                rounding: None,
            }],
        };
        let line = Scheme { kind, axes: 1, factors };
        if kind.is_nonseparable() {
            self.nonseparable(&line, kind, axes)
        } else if axes == 1 {
            Ok(line)
        } else {
            Ok(line.tensor(axes, &self.axis_list(axes)))
        }
    }

    /// The scheme of a kind with its constant parts split off (Barina et al., section 3). Of a
    /// convolution, the first lifting step's constant is done before it and the last step's after.
    pub fn split_scheme(
        &self,
        kind: SchemeKind,
        axes: usize,
        split: Split,
    ) -> Result<Scheme, SchemeError> {
        let whole = self.scheme(kind, axes)?;
        match kind {
            SchemeKind::Lifting
            | SchemeKind::SeparableLifting
            | SchemeKind::NonseparableLifting => whole.split_constant(),
            SchemeKind::Convolution | SchemeKind::SeparableConvolution => {
                let lifting = self.lifting_or(kind)?;
                let mut factors = Vec::new();
                for axis in 0..axes {
                    let keep_first = split == Split::AfterFirstRead && axis == 0;
                    let parts = split_convolution(lifting, keep_first);
                    factors.extend(parts.iter().map(|factor| factor.on_axis(axis, axes)));
                }
                Ok(Scheme { factors, ..whole })
            }
            SchemeKind::Lattice | SchemeKind::NonseparableConvolution => {
                let reason = "its factors have no constant part to split off".to_owned();
                Err(self.missing(kind, reason))
            }
        }
    }

    /// The kinds that exist for a number of axes.
    pub fn scheme_kinds(&self, axes: usize) -> Vec<SchemeKind> {
        SchemeKind::ALL.into_iter().filter(|kind| self.scheme(*kind, axes).is_ok()).collect()
    }

    fn nonseparable(
        &self,
        line: &Scheme,
        kind: SchemeKind,
        axes: usize,
    ) -> Result<Scheme, SchemeError> {
        if line.is_rounded() {
            return Err(SchemeError::Rounded { what: "made non-separable" });
        }
        let mut factors = Vec::new();
        for factor in &line.factors {
            let terms: usize = factor.matrix.entries().map(|(_, _, entry)| entry.len()).sum();
            let terms = terms.pow(axes as u32);
            if terms > Scheme::MOST_TERMS {
                let alternative = match kind {
                    SchemeKind::NonseparableConvolution => SchemeKind::SeparableConvolution,
                    _ => SchemeKind::SeparableLifting,
                };
                let limit = Scheme::MOST_TERMS;
                return Err(SchemeError::TooLarge { kind, axes, terms, limit, alternative });
            }
            let copies: Vec<Factor> = (0..axes).map(|axis| factor.on_axis(axis, axes)).collect();
            factors.extend(fuse_factors(&copies, factor.kind));
        }
        Ok(Scheme { kind, axes, factors })
    }

    /// The axes in the order of the forward transform.
    pub fn axis_list(&self, axes: usize) -> Vec<usize> {
        match self.options.axis_order {
            AxisOrder::FirstToLast => (0..axes).collect(),
            AxisOrder::LastToFirst => (0..axes).rev().collect(),
        }
    }

    fn lifting_or(&self, kind: SchemeKind) -> Result<&Lifting, SchemeError> {
        self.lifting.as_ref().map_err(|reason| self.missing(kind, reason.to_string()))
    }

    fn lattice_or(&self, kind: SchemeKind) -> Result<&Lattice, SchemeError> {
        if self.is_rounded() {
            return Err(self.missing(kind, "rounding is defined on its lifting steps".to_owned()));
        }
        self.lattice.as_ref().map_err(|reason| self.missing(kind, reason.to_string()))
    }

    fn missing(&self, kind: SchemeKind, reason: String) -> SchemeError {
        SchemeError::Missing { wavelet: self.name.clone(), kind, reason }
    }
}

/// Steps, then scaling (left out when it does nothing).
fn lifting_factors(lifting: &Lifting) -> Vec<Factor> {
    let mut factors: Vec<Factor> = lifting
        .steps
        .iter()
        .map(|step| {
            let updates_low = step.target == lifting.low.channel;
            let kind = if updates_low { FactorKind::Update } else { FactorKind::Predict };
            let rounding =
                step.rounding.map(|rounding| RoundedFactor { rounding, subtract: false });
            Factor { rounding, ..Factor::new(kind, step.matrix()) }
        })
        .collect();
    let output = lifting.output_matrix();
    if output != PolyphaseMatrix::identity(2) {
        let unit =
            output.entries().all(|(_, _, entry)| entry.is_zero() || entry.magnitude() == 1.0);
        let kind = if unit { FactorKind::Exchange } else { FactorKind::Scaling };
        factors.push(Factor::new(kind, output));
    }
    factors
}

/// Butterflies in their execution form, exchanges between them, leading lifting, advances.
fn lattice_factors(lattice: &Lattice) -> Vec<Factor> {
    let mut factors = Vec::new();
    for (index, stage) in lattice.pivoted().stages.iter().enumerate() {
        if index > 0 {
            factors.push(Factor::new(FactorKind::Exchange, Lattice::exchange()));
        }
        factors.push(Factor::new(FactorKind::Butterfly, Lattice::butterfly(stage)));
    }
    if let Some(lead) = lattice.lead_matrix() {
        let updates_low = lattice.lead.as_ref().is_some_and(|(target, _)| *target == 0);
        let kind = if updates_low { FactorKind::Update } else { FactorKind::Predict };
        factors.push(Factor::new(kind, lead));
    }
    if lattice.advance != [0, 0] {
        factors.push(Factor::new(FactorKind::Exchange, lattice.advance_matrix()));
    }
    factors
}

/// `[first step's constant, everything else, last step's constant, scaling]`.
fn split_convolution(lifting: &Lifting, keep_first: bool) -> Vec<Factor> {
    let steps = lifting_factors(lifting);
    let (tail, steps): (Vec<Factor>, Vec<Factor>) = steps
        .into_iter()
        .partition(|factor| matches!(factor.kind, FactorKind::Scaling | FactorKind::Exchange));
    let last = steps.len().saturating_sub(1);
    let (mut before, mut middle, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let constant = step.matrix.map_entries(|entry| entry.filter(|e| *e == [0; MAX_AXES]));
        let splits = constant != PolyphaseMatrix::identity(2);
        let rest = step.matrix.map_entries(|entry| entry.filter(|e| *e != [0; MAX_AXES]));
        let rest = PolyphaseMatrix::from_fn(2, |row, column| {
            if row == column {
                step.matrix.entry(row, row).clone()
            } else {
                rest.entry(row, column).clone()
            }
        });
        let constant = Factor::new(FactorKind::Constant, constant);
        if splits && index == 0 && !keep_first {
            before.push(constant);
            middle.push(Factor::new(step.kind, rest));
        } else if splits && index == last {
            middle.push(Factor::new(step.kind, rest));
            after.push(constant);
        } else {
            middle.push(step.clone());
        }
    }
    let fused = fuse_factors(&middle, FactorKind::Convolution);
    before.into_iter().chain(fused).chain(after).chain(tail).collect()
}
