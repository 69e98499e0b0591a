//! Gauss and Newton's least squares on the parameters of a lattice.
//!
//! Peeling divides by the end taps of what is left. Where both ends of an orthogonal bank have
//! become small, or a general one is peeled far, the angles it finds are off and so is the product;
//! a few steps of least squares on all parameters together bring it back to the taps. None of the
//! catalogue's wavelets needs it.

use crate::algebra::{Laurent, PolyphaseMatrix};
use crate::lattice::{Butterfly, Lattice, LatticeKind};
use nalgebra::{DMatrix, DVector};

/// Tap error below which nothing is done, relative to the largest tap or 1.
pub(super) const GOOD: f64 = 2e-15;

/// Tap error above which the start is too far off to bother.
const HOPELESS: f64 = 1e-6;

/// Damping that is tried in each step, relative to the largest singular value: parameters that the
/// taps hardly determine must not run away.
const DAMPING: [f64; 6] = [1e-13, 1e-9, 1e-6, 1e-4, 1e-2, 1e-1];

/// Steps of the iteration. It converges quadratically from a peeled start.
const STEPS: usize = 8;

/// A parameter: what the product changes by, to first order, is `after · change · before`.
enum Parameter {
    /// The angle of a rotation, or one entry of a general stage.
    Stage { index: usize, change: Butterfly },
    /// A coefficient of the leading lifting.
    Lead { exponent: i32 },
}

/// The lattice closest to `target` that least squares find from here; never a worse one.
pub(super) fn polish(lattice: Lattice, target: &PolyphaseMatrix) -> Lattice {
    let size = target.entries().map(|(_, _, entry)| entry.magnitude()).fold(1.0, f64::max);
    let mut best = lattice;
    let mut residual = best.polyphase().distance(target);
    for _ in 0..STEPS {
        if !(GOOD * size..HOPELESS * size).contains(&residual) {
            break;
        }
        let parameters = parameters(&best);
        let Some(steps) = steps(&best, &parameters, target) else { break };
        let tried = steps.iter().map(|step| {
            let moved = moved(&best, &parameters, step);
            (moved.polyphase().distance(target), moved)
        });
        let Some((distance, moved)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if distance >= residual {
            break;
        }
        (best, residual) = (moved, distance);
    }
    best
}

fn parameters(lattice: &Lattice) -> Vec<Parameter> {
    let last = lattice.stages.len().saturating_sub(1);
    let mut parameters = Vec::new();
    for (index, stage) in lattice.stages.iter().enumerate() {
        if lattice.kind == LatticeKind::Orthogonal {
            let change = stage.map(|[c, s]| [-s, c]);
            parameters.push(Parameter::Stage { index, change });
            continue;
        }
        for row in 0..2 {
            // A stage but the last has a pivot in each row; zeros and ones are meant exactly.
            let fixed = |entry: f64| entry == 0.0 || (index < last && entry.abs() == 1.0);
            for column in (0..2).filter(|column| !fixed(stage[row][*column])) {
                let mut change = [[0.0; 2]; 2];
                change[row][column] = 1.0;
                parameters.push(Parameter::Stage { index, change });
            }
        }
    }
    if let Some((_, q)) = &lattice.lead {
        parameters.extend(q.terms().map(|(exponent, _)| Parameter::Lead { exponent: exponent[0] }));
    }
    parameters
}

/// The coefficients of a matrix at the exponents `from..=to`, entry by entry.
fn flattened(matrix: &PolyphaseMatrix, (from, to): (i32, i32)) -> impl Iterator<Item = f64> {
    matrix.entries().flat_map(move |(_, _, entry)| {
        (from..=to).map(move |exponent| entry.coefficient(&[exponent, 0, 0]))
    })
}

/// The steps of all parameters that make the product fit best, to first order, one per damping.
fn steps(
    lattice: &Lattice,
    parameters: &[Parameter],
    target: &PolyphaseMatrix,
) -> Option<Vec<DVector<f64>>> {
    let exchange = Lattice::exchange();
    let output = lattice.advance_matrix();
    let lead = lattice.lead_matrix().unwrap_or_else(|| PolyphaseMatrix::identity(2));
    // What stands before each stage, and after it.
    let mut before = vec![PolyphaseMatrix::identity(2)];
    for stage in &lattice.stages {
        let done = Lattice::butterfly(stage).times(before.last()?);
        before.push(exchange.times(&done));
    }
    let mut after = vec![output.times(&lead)];
    for stage in lattice.stages.iter().skip(1).rev() {
        let rest = after.last()?.times(&Lattice::butterfly(stage));
        after.push(rest.times(&exchange));
    }
    after.reverse();
    let last = Lattice::butterfly(lattice.stages.last()?).times(before.get(after.len() - 1)?);
    let missing = {
        let product = lattice.polyphase();
        PolyphaseMatrix::from_fn(2, |r, c| target.entry(r, c).minus(product.entry(r, c)))
    };
    let columns: Vec<PolyphaseMatrix> = parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Stage { index, change } => {
                after[*index].times(&Lattice::butterfly(change).times(&before[*index]))
            }
            Parameter::Lead { exponent } => {
                let target = lattice.lead.as_ref().map_or(0, |(row, _)| (*row).min(1));
                let change = PolyphaseMatrix::from_fn(2, |row, column| {
                    match (row, column) == (target, 1 - target) {
                        true => Laurent::monomial([*exponent, 0, 0], 1.0),
                        false => Laurent::zero(),
                    }
                });
                output.times(&change.times(&last))
            }
        })
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

/// The lattice with its parameters moved by `step`.
fn moved(lattice: &Lattice, parameters: &[Parameter], step: &DVector<f64>) -> Lattice {
    let mut moved = lattice.clone();
    for (parameter, distance) in parameters.iter().zip(step.iter()) {
        match parameter {
            Parameter::Stage { index, .. } if lattice.kind == LatticeKind::Orthogonal => {
                let (sin, cos) = distance.sin_cos();
                for row in &mut moved.stages[*index] {
                    let [c, s] = *row;
                    *row = [cos * c - sin * s, cos * s + sin * c];
                }
            }
            Parameter::Stage { index, change } => {
                for (row, changes) in moved.stages[*index].iter_mut().zip(change) {
                    for (entry, change) in row.iter_mut().zip(changes) {
                        *entry += change * distance;
                    }
                }
            }
            Parameter::Lead { exponent } => {
                if let Some((_, q)) = &mut moved.lead {
                    q.add_term([*exponent, 0, 0], *distance);
                }
            }
        }
    }
    moved
}
