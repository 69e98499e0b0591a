//! Definitions in exact rational numbers, and their proof of reconstruction.

use super::input::{FILTERS, near, pywavelets_lengths};
use super::{LONGEST_FRAME, VerifyError};
use crate::algebra::{Laurent, PolyphaseMatrix, Rational, rational_to_f64};
use crate::bank::{Filter, FilterBank};
use crate::lattice::{Lattice, LatticeKind};
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep, Rounding};
use num_traits::Zero;
use std::collections::BTreeMap;

/// A filter with rational taps: `taps[j]` at position `first + j`, as in [`Filter`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExactFilter {
    /// Position of the first tap.
    pub first: i32,
    /// The taps.
    pub taps: Vec<Rational>,
}

impl ExactFilter {
    /// The taps rounded to `f64`.
    pub fn to_filter(&self) -> Filter {
        Filter::new(self.first, &self.taps.iter().map(rational_to_f64).collect::<Vec<f64>>())
    }

    /// The phase polynomial of even (`0`) or odd (`1`) positions.
    fn phase(&self, phase: i32) -> Laurent<Rational> {
        let positions = (self.first..).zip(&self.taps);
        let chosen = positions.filter(|(position, _)| position.rem_euclid(2) == phase);
        Laurent::from_terms(
            chosen.map(|(position, tap)| ([position.div_euclid(2), 0, 0], tap.clone())),
        )
    }
}

/// A bank of four filters with rational taps.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactBank {
    /// Analysis low-pass, analysis high-pass, synthesis low-pass, synthesis high-pass.
    pub filters: [ExactFilter; 4],
    /// Frame length if the filters already stand in their frame; otherwise the smallest is taken.
    pub length: Option<usize>,
}

impl ExactBank {
    /// The bank of PyWavelets' `dec_lo, dec_hi, rec_lo, rec_hi`.
    ///
    /// # Errors
    /// Empty or unequal filters.
    pub fn from_pywavelets(filters: [&[Rational]; 4]) -> Result<Self, VerifyError> {
        let length = pywavelets_lengths(filters.map(<[Rational]>::len))?;
        let extra = (length % 2) as i32;
        let [dec_lo, dec_hi, rec_lo, rec_hi] = filters;
        let reversed = |taps: &[Rational]| ExactFilter {
            first: extra,
            taps: taps.iter().rev().cloned().collect(),
        };
        let plain = |taps: &[Rational]| ExactFilter { first: 0, taps: taps.to_vec() };
        Ok(Self {
            filters: [reversed(dec_lo), reversed(dec_hi), plain(rec_lo), plain(rec_hi)],
            length: Some(length + length % 2),
        })
    }

    /// Checks that the filters lie near position 0.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), VerifyError> {
        for (name, filter) in FILTERS.into_iter().zip(&self.filters) {
            near(filter.first, || format!("the first position of {name}"))?;
            if filter.taps.len() > LONGEST_FRAME {
                return Err(VerifyError::TooLong { length: filter.taps.len() });
            }
        }
        Ok(())
    }

    /// The bank rounded to `f64`.
    pub fn to_bank(&self) -> FilterBank {
        let [low, high, rec_low, rec_high] = self.filters.each_ref().map(ExactFilter::to_filter);
        match self.length {
            Some(length) => FilterBank::in_frame(length, low, high, rec_low, rec_high),
            None => FilterBank::new(low, high, rec_low, rec_high),
        }
    }

    /// The analysis polyphase matrix (positions as given, not moved to the frame).
    pub fn analysis_polyphase(&self) -> PolyphaseMatrix<Rational> {
        let [low, high, ..] = &self.filters;
        PolyphaseMatrix::two_by_two([low, high].map(|f| [f.phase(0), f.phase(1)]))
    }

    /// The synthesis polyphase matrix (positions as given).
    pub fn synthesis_polyphase(&self) -> PolyphaseMatrix<Rational> {
        let [_, _, low, high] = &self.filters;
        let columns = [low, high];
        PolyphaseMatrix::from_fn(2, |row, column| columns[column].phase(row as i32).time_reversed())
    }

    /// Whether synthesis undoes analysis, proved in exact arithmetic.
    pub fn reconstructs(&self) -> bool {
        let product = self.synthesis_polyphase().times(&self.analysis_polyphase());
        product == PolyphaseMatrix::identity(2)
    }
}

/// A lifting step with rational coefficients; see [`LiftingStep`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExactStep {
    /// The channel that is changed.
    pub target: Channel,
    /// Coefficients by exponent (advance in pairs).
    pub taps: BTreeMap<i32, Rational>,
    /// Integer rounding.
    pub rounding: Option<Rounding>,
}

/// A band of a rational lifting; see [`BandOutput`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExactOutput {
    /// The channel read.
    pub channel: Channel,
    /// Advance in pairs.
    pub advance: i32,
    /// Final scaling.
    pub gain: Rational,
}

/// A lifting with rational coefficients; see [`Lifting`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExactLifting {
    /// The steps, first applied first.
    pub steps: Vec<ExactStep>,
    /// The approximation.
    pub low: ExactOutput,
    /// The detail.
    pub high: ExactOutput,
}

impl ExactLifting {
    /// The lifting with coefficients rounded to `f64`.
    pub fn to_lifting(&self) -> Lifting {
        let output = |band: &ExactOutput| BandOutput {
            channel: band.channel,
            advance: band.advance,
            gain: rational_to_f64(&band.gain),
        };
        let steps = self.steps.iter().map(|step| LiftingStep {
            target: step.target,
            taps: step.taps.iter().map(|(e, tap)| (*e, rational_to_f64(tap))).collect(),
            rounding: step.rounding,
        });
        Lifting { steps: steps.collect(), low: output(&self.low), high: output(&self.high) }
    }

    /// The analysis polyphase matrix, exactly (rounding ignored).
    pub fn polyphase(&self) -> PolyphaseMatrix<Rational> {
        let unit = PolyphaseMatrix::identity(2);
        let steps = self.steps.iter().fold(unit, |product, step| {
            let (target, source) = (step.target.index(), step.target.other().index());
            let terms = step.taps.iter().map(|(e, tap)| ([*e, 0, 0], tap.clone()));
            triangular(target, source, Laurent::from_terms(terms)).times(&product)
        });
        let bands = [&self.low, &self.high];
        let output = PolyphaseMatrix::from_fn(2, |row, column| match bands[row] {
            band if band.channel.index() == column => {
                Laurent::monomial([band.advance, 0, 0], band.gain.clone())
            }
            _ => Laurent::zero(),
        });
        output.times(&steps)
    }
}

/// A lattice with rational parameters; see [`Lattice`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExactLattice {
    /// The stages, input side first.
    pub stages: Vec<[[Rational; 2]; 2]>,
    /// Row that the leading lifting adds to, and its polynomial.
    pub lead: Option<(usize, Laurent<Rational>)>,
    /// Advance of the two bands in pairs.
    pub advance: [i32; 2],
}

impl ExactLattice {
    /// The lattice with parameters rounded to `f64`.
    pub fn to_lattice(&self) -> Lattice {
        let round = |stage: &[[Rational; 2]; 2]| {
            stage.each_ref().map(|row| row.each_ref().map(rational_to_f64))
        };
        Lattice {
            kind: LatticeKind::General,
            stages: self.stages.iter().map(round).collect(),
            lead: self.lead.as_ref().map(|(row, q)| (*row, q.map(rational_to_f64))),
            advance: self.advance,
        }
    }

    /// The analysis polyphase matrix, exactly.
    pub fn polyphase(&self) -> PolyphaseMatrix<Rational> {
        let exchange = Lattice::exchange().map_entries(|entry| entry.map(|_| one()));
        let mut product = PolyphaseMatrix::identity(2);
        for (index, stage) in self.stages.iter().enumerate() {
            if index > 0 {
                product = exchange.times(&product);
            }
            let stage = PolyphaseMatrix::from_fn(2, |r, c| Laurent::constant(stage[r][c].clone()));
            product = stage.times(&product);
        }
        if let Some((target, q)) = &self.lead {
            product = triangular(*target, 1 - (*target).min(1), q.clone()).times(&product);
        }
        let delays = self.advance.map(|e| Laurent::monomial([e, 0, 0], one()));
        PolyphaseMatrix::diagonal(&delays).times(&product)
    }
}

fn one() -> Rational {
    Rational::from_integer(1.into())
}

fn triangular(target: usize, source: usize, q: Laurent<Rational>) -> PolyphaseMatrix<Rational> {
    PolyphaseMatrix::from_fn(2, |row, column| match (row, column) {
        (row, column) if row == column => Laurent::one(),
        (row, column) if (row, column) == (target, source) => q.clone(),
        _ => Laurent::zero(),
    })
}

/// The exact inverse of a 2 × 2 matrix whose determinant is one term; `None` otherwise.
pub(crate) fn inverse(matrix: &PolyphaseMatrix<Rational>) -> Option<PolyphaseMatrix<Rational>> {
    let (exponent, value) = matrix.determinant().as_monomial()?;
    if value.is_zero() {
        return None;
    }
    let scale = Laurent::monomial(exponent.map(|e| -e), value.recip());
    Some(PolyphaseMatrix::from_fn(2, |row, column| match row == column {
        true => matrix.entry(1 - row, 1 - row).times(&scale),
        false => matrix.entry(row, column).times(&scale).scaled(&-one()),
    }))
}
