//! Gauss and Newton's least squares on the parameters of a factorisation.
//!
//! Peeling and division divide by the end taps of what is left. Where these have become small, the
//! parameters found are off and so is the product; a few steps of least squares on all parameters
//! together bring it back to the taps. None of the catalogue's wavelets needs it.

use crate::algebra::{Laurent, PolyphaseMatrix};
use crate::lattice::{Lattice, LatticeKind};
use crate::lifting::Lifting;
use nalgebra::{DMatrix, DVector};

/// Tap error below which nothing is done, relative to the largest tap or 1.
pub(super) const GOOD: f64 = 2e-15;

/// Tap error above which the start is too far off to bother.
const HOPELESS: f64 = 1e-6;

/// Damping that is tried in each step, relative to the largest singular value: parameters that the
/// taps hardly determine must not run away.
const DAMPING: [f64; 6] = [1e-13, 1e-9, 1e-6, 1e-4, 1e-2, 1e-1];

/// A step that leaves more than this part of the error is the last.
const STALLED: f64 = 0.3;

/// Steps of the iteration. It converges quadratically where the taps determine the parameters.
const STEPS: usize = 8;

/// A product of factors with parameters.
pub(super) trait Parametric: Sized {
    /// The factors, first applied first.
    fn factors(&self) -> Vec<PolyphaseMatrix>;
    /// What changes with each parameter, to first order: one of the factors, by a matrix.
    fn changes(&self) -> Vec<(usize, PolyphaseMatrix)>;
    /// The same with its parameters moved by `step`.
    fn moved(&self, step: &[f64]) -> Self;
    /// The product of the factors.
    fn product(&self) -> PolyphaseMatrix;
}

/// What least squares find from here that is closest to `target`; never anything worse.
pub(super) fn polish<P: Parametric>(start: P, target: &PolyphaseMatrix) -> P {
    let size = target.entries().map(|(_, _, entry)| entry.magnitude()).fold(1.0, f64::max);
    let mut best = start;
    let mut residual = best.product().distance(target);
    for _ in 0..STEPS {
        if !(GOOD * size..HOPELESS * size).contains(&residual) {
            break;
        }
        let Some(steps) = steps(&best, target) else { break };
        let tried = steps.iter().map(|step| {
            let moved = best.moved(step.as_slice());
            (moved.product().distance(target), moved)
        });
        let Some((distance, moved)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if distance >= residual {
            break;
        }
        let stalled = distance > STALLED * residual;
        (best, residual) = (moved, distance);
        if stalled {
            break;
        }
    }
    best
}

/// The coefficients of a matrix at the exponents `from..=to`, entry by entry.
fn flattened(matrix: &PolyphaseMatrix, (from, to): (i32, i32)) -> impl Iterator<Item = f64> {
    matrix.entries().flat_map(move |(_, _, entry)| {
        (from..=to).map(move |exponent| entry.coefficient(&[exponent, 0, 0]))
    })
}

/// The steps of all parameters that make the product fit best, to first order, one per damping.
fn steps<P: Parametric>(current: &P, target: &PolyphaseMatrix) -> Option<Vec<DVector<f64>>> {
    let factors = current.factors();
    let identity = PolyphaseMatrix::identity(2);
    // What stands before each factor, and after it.
    let mut before = vec![identity.clone()];
    for factor in &factors {
        before.push(factor.times(before.last()?));
    }
    let mut after = vec![identity];
    for factor in factors.iter().rev() {
        after.push(after.last()?.times(factor));
    }
    after.reverse();
    let product = before.last()?;
    let missing = PolyphaseMatrix::from_fn(2, |row, column| {
        target.entry(row, column).minus(product.entry(row, column))
    });
    let columns: Vec<PolyphaseMatrix> = current
        .changes()
        .into_iter()
        .map(|(factor, change)| after[factor + 1].times(&change.times(&before[factor])))
        .collect();
    let ranges = columns.iter().chain([&missing]).map(|matrix| matrix.range(0));
    let range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let rows = 4 * usize::try_from(range.1 - range.0 + 1).ok()?;
    let entries = columns.iter().flat_map(|column| flattened(column, range));
    let jacobian = DMatrix::from_iterator(rows, columns.len(), entries);
    let missing = DVector::from_iterator(rows, flattened(&missing, range));
    if jacobian.iter().chain(missing.iter()).any(|value| !value.is_finite()) {
        return None;
    }
    let svd = jacobian.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let along = u.tr_mul(&missing);
    let sizes = &svd.singular_values;
    let damped = DAMPING.map(|damping| {
        let damping = (damping * sizes.max()).powi(2);
        v_t.tr_mul(&along.zip_map(sizes, |part, size| part * size / (size * size + damping)))
    });
    Some(damped.to_vec())
}

/// The 2 × 2 matrix with one entry.
fn single(row: usize, column: usize, entry: Laurent) -> PolyphaseMatrix {
    PolyphaseMatrix::from_fn(2, |r, c| match (r, c) == (row, column) {
        true => entry.clone(),
        false => Laurent::zero(),
    })
}

/// The entries of a general stage that are parameters: a stage but the last has a pivot of 1 in
/// each row, and zeros and ones are meant exactly.
fn free_entries(lattice: &Lattice, index: usize) -> impl Iterator<Item = (usize, usize)> {
    let (stage, last) = (lattice.stages[index], index + 1 == lattice.stages.len());
    let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
    places.into_iter().filter(move |(row, column)| {
        let entry = stage[*row][*column];
        entry != 0.0 && (last || entry.abs() != 1.0)
    })
}

/// The parameters are the angles of an orthogonal lattice, or the free entries of the stages; and
/// the coefficients of the leading lifting.
impl Parametric for Lattice {
    fn factors(&self) -> Vec<PolyphaseMatrix> {
        let mut factors = Vec::new();
        for stage in &self.stages {
            if !factors.is_empty() {
                factors.push(Self::exchange());
            }
            factors.push(Self::butterfly(stage));
        }
        factors.extend(self.lead_matrix());
        factors.push(self.advance_matrix());
        factors
    }

    fn changes(&self) -> Vec<(usize, PolyphaseMatrix)> {
        let mut changes = Vec::new();
        for (index, stage) in self.stages.iter().enumerate() {
            if self.kind == LatticeKind::Orthogonal {
                changes.push((2 * index, Self::butterfly(&stage.map(|[c, s]| [-s, c]))));
                continue;
            }
            let entries = free_entries(self, index);
            changes.extend(entries.map(|(r, c)| (2 * index, single(r, c, Laurent::one()))));
        }
        if let Some((target, q)) = &self.lead {
            let (target, factor) = ((*target).min(1), 2 * self.stages.len() - 1);
            let terms = q.terms().map(|(e, _)| Laurent::monomial(*e, 1.0));
            changes.extend(terms.map(|term| (factor, single(target, 1 - target, term))));
        }
        changes
    }

    fn moved(&self, step: &[f64]) -> Self {
        let mut moved = self.clone();
        let mut step = step.iter().copied();
        for index in 0..self.stages.len() {
            if self.kind == LatticeKind::Orthogonal {
                let (sin, cos) = step.next().unwrap_or(0.0).sin_cos();
                for row in &mut moved.stages[index] {
                    let [c, s] = *row;
                    *row = [cos * c - sin * s, cos * s + sin * c];
                }
                continue;
            }
            for ((row, column), distance) in free_entries(self, index).zip(&mut step) {
                moved.stages[index][row][column] += distance;
            }
        }
        if let Some((_, q)) = &mut moved.lead {
            let terms = q.terms().zip(step).map(|((e, tap), distance)| (*e, tap + distance));
            *q = Laurent::from_terms(terms.collect::<Vec<_>>());
        }
        moved
    }

    fn product(&self) -> PolyphaseMatrix {
        self.polyphase()
    }
}

/// The parameters are the coefficients of the steps, and the two gains.
impl Parametric for Lifting {
    fn factors(&self) -> Vec<PolyphaseMatrix> {
        let steps = self.steps.iter().map(|step| step.matrix());
        steps.chain([self.output_matrix()]).collect()
    }

    fn changes(&self) -> Vec<(usize, PolyphaseMatrix)> {
        let steps = self.steps.iter().enumerate().flat_map(|(index, step)| {
            let (target, source) = (step.target.index(), step.target.other().index());
            let terms = step.taps.keys().map(|e| Laurent::monomial([*e, 0, 0], 1.0));
            terms.map(move |term| (index, single(target, source, term)))
        });
        let gains = [self.low, self.high].into_iter().enumerate().map(|(row, band)| {
            let advance = Laurent::monomial([band.advance, 0, 0], 1.0);
            (self.steps.len(), single(row, band.channel.index(), advance))
        });
        steps.chain(gains).collect()
    }

    fn moved(&self, step: &[f64]) -> Self {
        let mut moved = self.clone();
        let taps = moved.steps.iter_mut().flat_map(|step| step.taps.values_mut());
        let gains = [&mut moved.low.gain, &mut moved.high.gain];
        for (parameter, distance) in taps.chain(gains).zip(step) {
            *parameter += distance;
        }
        moved
    }

    fn product(&self) -> PolyphaseMatrix {
        self.polyphase()
    }
}
