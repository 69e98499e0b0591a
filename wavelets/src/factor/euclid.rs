//! Biorthogonal taps to lifting: Euclid's algorithm on the shorter row of the polyphase matrix.
//!
//! A lifting step is a column operation on the row. A quotient may remove its terms from either
//! end of the dividend; which split is taken decides how large the coefficients grow. A beam search
//! keeps the paths of least cost, where the cost of a lifting is the sum over its steps of the
//! product of the two column norms of all that follows the step: it does not depend on how the
//! channels are scaled, and it models how rounding errors grow.

use super::polish::polish;
use super::polynomial::Polynomial;
use super::{FactorError, multiplied_back};
use crate::algebra::{PolyphaseMatrix, Rational, Scalar, rational_to_f64};
use crate::bank::FilterBank;
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep};

/// Paths kept after each step.
const BEAM: usize = 24;

/// Relative magnitudes below which an end term counts as zero, in the order they are tried. Taps of
/// published tables leave up to 1e-12 where zeros are due.
const TOLERANCES: [f64; 3] = [1e-9, 1e-12, 0.0];

/// A number that can be told to be a power of the channel shift's coefficient in `f64`.
pub(super) trait Rounded: Scalar {
    /// The nearest `f64`.
    fn rounded(&self) -> f64;
}

impl Rounded for f64 {
    fn rounded(&self) -> f64 {
        *self
    }
}

impl Rounded for Rational {
    fn rounded(&self) -> f64 {
        rational_to_f64(self)
    }
}

/// A path of the search: the rows (shorter one first) that the steps so far have left.
#[derive(Clone)]
struct Path<T> {
    rows: [[Polynomial<T>; 2]; 2],
    steps: Vec<(Channel, Polynomial<T>)>,
    cost: f64,
}

impl<T: Rounded> Path<T> {
    /// The product of the column norms of what is left.
    fn norms(&self) -> f64 {
        let column = |c: usize| self.rows[0][c].energy() + self.rows[1][c].energy();
        (column(0) * column(1)).sqrt()
    }

    /// The shorter row with its dividend reduced by a quotient with `left` terms removed on the
    /// left: the step `divisor channel += quotient · dividend channel`.
    fn divided(&self, dividend: usize, left: usize, zero: f64) -> Option<Self> {
        let divisor = 1 - dividend;
        let (long, short) = (&self.rows[0][dividend], &self.rows[0][divisor]);
        let quotient = long.quotient(short, left)?;
        let right = quotient.len() - left.min(quotient.len());
        let range = long.first + left as i32..long.first + (long.len() - right) as i32;
        let mut path = self.clone();
        path.rows[0][dividend] =
            long.minus_product(&quotient, short).within(range, zero * long.magnitude());
        path.rows[1][dividend] =
            self.rows[1][dividend].minus_product(&quotient, &self.rows[1][divisor]);
        path.steps.push((if divisor == 0 { Channel::Even } else { Channel::Odd }, quotient));
        path.cost += path.norms();
        path.cost.is_finite().then_some(path)
    }

    /// Every way to go on.
    fn successors(&self, zero: f64) -> Vec<Self> {
        let lengths = self.rows[0].each_ref().map(Polynomial::len);
        let dividends = (0..2).filter(|c| lengths[*c] >= lengths[1 - *c] && lengths[1 - *c] > 0);
        dividends
            .flat_map(|dividend| {
                let terms = lengths[dividend] + 1 - lengths[1 - dividend];
                (0..=terms).filter_map(move |left| self.divided(dividend, left, zero))
            })
            .collect()
    }

    /// The channel that alone is left in the shorter row.
    fn remaining(&self) -> Option<usize> {
        (0..2).find(|c| self.rows[0][1 - *c].len() == 0 && self.rows[0][*c].len() > 0)
    }
}

/// The lifting of a bank in `f64`, multiplied back.
///
/// # Errors
/// A common divisor, or factors that do not multiply back.
pub(super) fn divide_f64(bank: &FilterBank) -> Result<Lifting, FactorError> {
    let matrix = bank.analysis_polyphase();
    let mut error = FactorError::CommonDivisor;
    for zero in TOLERANCES {
        let Some(lifting) = divide(&matrix, zero) else { continue };
        let lifting = polish(lifting, &matrix);
        match multiplied_back(&lifting.polyphase(), bank) {
            Ok(()) => return Ok(lifting),
            Err(inaccurate) => error = inaccurate,
        }
    }
    Err(error)
}

/// The lifting of a polyphase matrix whose determinant is one term. `zero` is the relative
/// magnitude up to which end terms count as zero; 0 in exact arithmetic.
pub(super) fn divide<T: Rounded>(matrix: &PolyphaseMatrix<T>, zero: f64) -> Option<Lifting> {
    let span = |row: usize| {
        let ends = (0..2).filter_map(|phase| {
            let (first, last) = matrix.entry(row, phase).range(0)?;
            Some((2 * first + phase as i32, 2 * last + phase as i32))
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map_or(0, |(first, last)| last - first)
    };
    let shorter = match span(0).cmp(&span(1)) {
        std::cmp::Ordering::Less => vec![0],
        std::cmp::Ordering::Equal => vec![1, 0],
        std::cmp::Ordering::Greater => vec![1],
    };
    let paths = shorter.into_iter().filter_map(|row| Some((row, search(matrix, row, zero)?)));
    let (row, path) = paths.min_by(|a, b| a.1.cost.total_cmp(&b.1.cost))?;
    finished(matrix, row, &path, zero)
}

/// The cheapest path that reduces `row` to one term.
fn search<T: Rounded>(matrix: &PolyphaseMatrix<T>, row: usize, zero: f64) -> Option<Path<T>> {
    let rows = [row, 1 - row]
        .map(|row| [0, 1].map(|column| Polynomial::from_laurent(matrix.entry(row, column))));
    let mut beam = vec![Path { rows, steps: Vec::new(), cost: 0.0 }];
    let mut best: Option<Path<T>> = None;
    // Every step shortens the row, so that the beam runs empty.
    while !beam.is_empty() {
        let mut next: Vec<Path<T>> = Vec::new();
        for path in beam {
            match path.remaining() {
                Some(channel) if path.rows[0][channel].len() == 1 => {
                    if best.as_ref().is_none_or(|best| path.cost < best.cost) {
                        best = Some(path);
                    }
                }
                Some(_) => {}
                None => next.extend(path.successors(zero)),
            }
        }
        next.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        next.truncate(BEAM);
        beam = next;
    }
    best
}

/// Adds the step that reduces the longer row, and reads off the bands.
fn finished<T: Rounded>(
    matrix: &PolyphaseMatrix<T>,
    row: usize,
    path: &Path<T>,
    zero: f64,
) -> Option<Lifting> {
    let channel = path.remaining()?;
    let (gain, advance) = (path.rows[0][channel].taps.first()?, path.rows[0][channel].first);
    // The other row is now (rest, one term); the term follows from the determinant.
    let (exponent, value) = largest_term(&matrix.determinant())?;
    let sign = if (row == 0) == (channel == 0) { T::one() } else { -T::one() };
    let other = value * gain.reciprocal()? * sign;
    let other_advance = exponent - advance;
    let rest = &path.rows[1][channel];
    let scale = other.reciprocal()?;
    let taps: Vec<T> = rest.taps.iter().map(|tap| tap.clone() * scale.clone()).collect();
    let last = Polynomial::new(rest.first - other_advance, taps);
    let size = zero * last.magnitude().max(1.0);
    let range = last.first..last.first + last.len() as i32;
    let last = last.within(range, size);
    let (kept, changed) =
        if channel == 0 { (Channel::Even, Channel::Odd) } else { (Channel::Odd, Channel::Even) };
    let mut steps: Vec<LiftingStep> =
        path.steps.iter().filter_map(|(target, quotient)| step(*target, quotient, 0.0)).collect();
    steps.extend(step(changed, &last, size));
    let own = BandOutput { channel: kept, advance, gain: gain.rounded() };
    let longer = BandOutput { channel: changed, advance: other_advance, gain: other.rounded() };
    let (low, high) = if row == 0 { (own, longer) } else { (longer, own) };
    Some(Lifting { steps, low, high })
}

fn step<T: Rounded>(target: Channel, taps: &Polynomial<T>, zero: f64) -> Option<LiftingStep> {
    let terms = (taps.first..).zip(&taps.taps).filter(|(_, tap)| tap.magnitude() > zero);
    let taps: std::collections::BTreeMap<i32, f64> =
        terms.map(|(exponent, tap)| (exponent, tap.rounded())).collect();
    (!taps.is_empty()).then_some(LiftingStep { target, taps, rounding: None })
}

/// The term of a determinant; in `f64` the others are rounding errors.
fn largest_term<T: Scalar>(determinant: &crate::algebra::Laurent<T>) -> Option<(i32, T)> {
    let largest = determinant.terms().max_by(|a, b| a.1.magnitude().total_cmp(&b.1.magnitude()))?;
    Some((largest.0[0], largest.1.clone()))
}
