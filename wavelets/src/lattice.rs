//! Lattice: 2 × 2 butterflies with a one-pair delay of one arm between them.

use crate::algebra::{Laurent, PolyphaseMatrix};

/// A constant 2 × 2 matrix, row by row.
pub type Butterfly = [[f64; 2]; 2];

/// Which family a lattice belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LatticeKind {
    /// Every stage is a rotation `[[c, s], [-s, c]]`; the last one may be a reflection
    /// `[[c, s], [s, -c]]`, which is where the high-pass filter's sign goes.
    Orthogonal,
    /// General stages, possibly with a leading lifting factor.
    General,
}

/// `E = D · Q · B · (P A_{L-1}) … (P A_1)`, the factorisation of Puchala and Stokfiszewski
/// (Listing 2; eq. (3) times `z^L`): constant butterflies `A_i`, a last one `B`, and between them
/// the exchange `P: (s, v) -> (v, z s)`. `Q = [[1, q], [0, 1]]` or its transpose is the leading
/// lifting factor that banks with unequal filter lengths need; `D` delays each band.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// The family.
    pub kind: LatticeKind,
    /// `A_1, …, A_{L-1}, B`: input side first; `P` stands between neighbours.
    pub stages: Vec<Butterfly>,
    /// Row that the leading lifting adds to, and its polynomial `q` (of axis 0).
    pub lead: Option<(usize, Laurent)>,
    /// Advance of the two bands in pairs.
    pub advance: [i32; 2],
}

impl Lattice {
    /// The exchange `P: (s, v) -> (v, z s)`.
    pub fn exchange() -> PolyphaseMatrix {
        PolyphaseMatrix::two_by_two([
            [Laurent::zero(), Laurent::one()],
            [Laurent::monomial([1, 0, 0], 1.0), Laurent::zero()],
        ])
    }

    /// A butterfly as a polyphase matrix.
    pub fn butterfly(stage: &Butterfly) -> PolyphaseMatrix {
        PolyphaseMatrix::from_fn(2, |row, column| Laurent::constant(stage[row][column]))
    }

    /// The leading lifting factor, if any.
    pub fn lead_matrix(&self) -> Option<PolyphaseMatrix> {
        let (target, q) = self.lead.as_ref()?;
        Some(PolyphaseMatrix::from_fn(2, |row, column| {
            if row == column {
                Laurent::one()
            } else if row == *target {
                q.clone()
            } else {
                Laurent::zero()
            }
        }))
    }

    /// The output advances as a diagonal matrix.
    pub fn advance_matrix(&self) -> PolyphaseMatrix {
        PolyphaseMatrix::diagonal(&self.advance.map(|e| Laurent::monomial([e, 0, 0], 1.0)))
    }

    /// The product of all factors: the analysis polyphase matrix.
    pub fn polyphase(&self) -> PolyphaseMatrix {
        let exchange = Self::exchange();
        let mut product: Option<PolyphaseMatrix> = None;
        for stage in &self.stages {
            let stage = Self::butterfly(stage);
            product = Some(match product {
                None => stage,
                Some(done) => stage.times(&exchange.times(&done)),
            });
        }
        let mut product = product.unwrap_or_else(|| PolyphaseMatrix::identity(2));
        if let Some(lead) = self.lead_matrix() {
            product = lead.times(&product);
        }
        self.advance_matrix().times(&product)
    }

    /// The same lattice with every stage but the last scaled row by row, so that the larger entry
    /// of each row is 1 and the other at most 1; a rotation becomes `[[1, t], [-t, 1]]` or
    /// `[[t, 1], [-1, t]]`. A stage then costs two multiplications per pair. The scales
    /// pass through the exchanges and end up in the last stage, whose entries stay in the range of
    /// `f32` for every wavelet of the catalogue; with 1 always on the diagonal they would not (from
    /// 52 taps on).
    pub fn pivoted(&self) -> Self {
        let mut scales = [1.0, 1.0];
        let last = self.stages.len().saturating_sub(1);
        let pivot = |(index, stage): (usize, &Butterfly)| {
            let mut scaled = stage.map(|row| [row[0] * scales[0], row[1] * scales[1]]);
            if index == last {
                return scaled;
            }
            let pivots =
                scaled.map(|row| if row[1].abs() > row[0].abs() { row[1] } else { row[0] });
            // Both rows of a rotation have the same scale, which keeps it a rotation.
            let sizes = match self.kind {
                LatticeKind::Orthogonal => [pivots[0]; 2],
                LatticeKind::General => pivots,
            };
            for (row, size) in scaled.iter_mut().zip(sizes) {
                *row = row.map(|entry| entry / size);
            }
            // The exchange swaps the arms.
            scales = [sizes[1], sizes[0]];
            scaled
        };
        let stages = self.stages.iter().enumerate().map(pivot).collect();
        Self { kind: LatticeKind::General, stages, ..self.clone() }
    }
}
