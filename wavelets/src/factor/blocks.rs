//! Stages of a general lattice, peeled off the polyphase matrix by the null vectors of its end
//! blocks.

use crate::lattice::Butterfly;
use nalgebra::{Matrix2, Vector2};

/// The two taps of a row at one pair.
pub(super) type Block = [f64; 2];

/// A row of a polyphase matrix: `blocks[j]` stands at exponent `first + j`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) first: i32,
    pub(super) blocks: Vec<Block>,
}

impl Row {
    fn last(&self) -> i32 {
        self.first + self.blocks.len() as i32 - 1
    }

    fn at(&self, exponent: i32) -> Block {
        let index = usize::try_from(exponent - self.first).ok();
        index.and_then(|index| self.blocks.get(index)).copied().unwrap_or([0.0; 2])
    }
}

/// Sine of the angle between null vectors below which they count as parallel.
const PARALLEL: f64 = 1e-7;

/// Stages and output advances of two rows, with as few stages as possible.
///
/// Rows may be shifted against each other by pairs; a shift fits when the matrix of degree `L` has
/// a determinant of degree `L`. Both end blocks then have rank one for as long as stages remain.
pub(super) fn stages(rows: &[Row; 2]) -> Option<(Vec<Butterfly>, [i32; 2])> {
    let degree = determinant_degree(rows);
    let slack = rows.iter().map(|row| row.blocks.len() as i32).max()? + 1;
    let mut alignments: Vec<(i32, [i32; 2])> = Vec::new();
    for first in rows[0].first - slack..=rows[0].first {
        for second in rows[1].first - slack..=rows[1].first {
            let length = (rows[0].last() - first).max(rows[1].last() - second);
            let touches = first == rows[0].first || second == rows[1].first;
            if touches && degree - first - second == length {
                alignments.push((length, [first, second]));
            }
        }
    }
    alignments.sort_unstable();
    alignments.into_iter().find_map(|(length, advance)| {
        let block = |exponent: i32| {
            let (top, bottom) =
                (rows[0].at(exponent + advance[0]), rows[1].at(exponent + advance[1]));
            Matrix2::new(top[0], top[1], bottom[0], bottom[1])
        };
        Some((peel((0..=length).map(block).collect())?, advance))
    })
}

/// The exponent of the determinant's largest term: the others are rounding errors.
fn determinant_degree(rows: &[Row; 2]) -> i32 {
    let (low, high) = (rows[0].first + rows[1].first, rows[0].last() + rows[1].last());
    let coefficient = |exponent: i32| -> f64 {
        let pairs = rows[0].first..=rows[0].last();
        pairs
            .map(|e| {
                let (top, bottom) = (rows[0].at(e), rows[1].at(exponent - e));
                top[0] * bottom[1] - top[1] * bottom[0]
            })
            .sum()
    };
    let sizes = (low..=high).map(|exponent| (exponent, coefficient(exponent).abs()));
    sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(low, |(exponent, _)| exponent)
}

/// Peels stages off the input side of `Σ blocks[d] z^d`.
fn peel(mut blocks: Vec<Matrix2<f64>>) -> Option<Vec<Butterfly>> {
    let mut stages = Vec::with_capacity(blocks.len());
    while blocks.len() > 1 {
        let (front, back) = (null_vector(blocks.first()?)?, null_vector(blocks.last()?)?);
        let inverse = Matrix2::from_columns(&[front, back]);
        if inverse.determinant().abs() <= PARALLEL {
            return None;
        }
        let stage = inverse.try_inverse()?;
        stages.push([[stage[(0, 0)], stage[(0, 1)]], [stage[(1, 0)], stage[(1, 1)]]]);
        // `E · [front, back]` has no constant term in its first column and no highest term in its
        // second: it is `E' P` with one degree less.
        blocks = blocks
            .windows(2)
            .map(|pair| Matrix2::from_columns(&[pair[0] * back, pair[1] * front]))
            .collect();
    }
    let last = blocks.first()?;
    let scale = last.abs().max();
    if last.determinant().abs() <= PARALLEL * scale * scale {
        return None;
    }
    stages.push([[last[(0, 0)], last[(0, 1)]], [last[(1, 0)], last[(1, 1)]]]);
    Some(stages)
}

/// The unit vector that a block of rank one takes to zero; `None` for the zero block.
fn null_vector(block: &Matrix2<f64>) -> Option<Vector2<f64>> {
    let svd = block.svd(false, true);
    if svd.singular_values.max() == 0.0 {
        return None;
    }
    let smallest = svd.singular_values.imin();
    Some(svd.v_t?.row(smallest).transpose())
}
