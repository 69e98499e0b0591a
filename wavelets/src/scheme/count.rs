//! Operation counts, cuts and reach: what a scheme costs, before any mapping to a machine.

use super::algebra::fuse_factors;
use super::{Factor, FactorKind, Scheme, SchemeKind};
use crate::algebra::MAX_AXES;
use crate::wavelet::Wavelet;

/// An entry this close to 1 on the diagonal passes its channel through.
const ONE: f64 = 1e-12;

/// How far a scheme reads around an output pair, per axis, in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Smallest and largest exponent per axis; 0 is always included.
    pub axes: [(i32, i32); MAX_AXES],
}

/// Arithmetic of a scheme per output pair (1-D), quad (2-D) or octet (3-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Operations {
    /// Every term of every entry except a diagonal entry equal to 1; scaling not counted. One term
    /// is one multiply-add (the rule behind Table 1 of Barina et al.).
    pub terms: usize,
    /// Additions, scaling included.
    pub additions: usize,
    /// Multiplications by anything but ±1, scaling included.
    pub multiplications: usize,
}

impl Factor {
    /// Terms by the rule of [`Operations::terms`].
    pub fn terms(&self) -> usize {
        if matches!(self.kind, FactorKind::Scaling | FactorKind::Exchange) {
            return 0;
        }
        let entries = self.matrix.entries();
        entries
            .filter(|(row, column, entry)| {
                let constant = entry.is_constant();
                let one = (entry.coefficient(&[0; MAX_AXES]) - 1.0).abs() <= ONE;
                !(row == column && constant && one)
            })
            .map(|(_, _, entry)| entry.len())
            .sum()
    }

    fn operations(&self) -> Operations {
        let mut sum = Operations { terms: self.terms(), ..Operations::default() };
        for row in 0..self.matrix.size() {
            let terms: Vec<f64> = (0..self.matrix.size())
                .flat_map(|column| self.matrix.entry(row, column).terms().map(|(_, c)| *c))
                .collect();
            sum.additions += terms.len().saturating_sub(1);
            sum.multiplications += terms.iter().filter(|c| c.abs() != 1.0).count();
        }
        sum
    }
}

impl Scheme {
    /// Number of factors that read a neighbour: the steps (barriers) of Barina et al.
    pub fn cuts(&self) -> usize {
        let moves_only =
            |factor: &Factor| matches!(factor.kind, FactorKind::Scaling | FactorKind::Exchange);
        let factors = self.factors.iter().filter(|factor| !moves_only(factor));
        if self.kind == SchemeKind::Lattice {
            // Every exchange between butterflies hands one arm to a neighbour, and a leading
            // lifting factor reads neighbours as well.
            let exchanges =
                self.factors.windows(2).filter(|pair| pair[1].kind == FactorKind::Butterfly);
            return exchanges.count() + factors.filter(|f| !f.matrix.is_constant()).count();
        }
        factors.filter(|factor| !factor.matrix.is_constant()).count()
    }

    /// How far the whole scheme reads: the sum of its factors' reaches.
    pub fn reach(&self) -> Reach {
        let product = fuse_factors(&self.factors, FactorKind::Convolution);
        let axes = std::array::from_fn(|axis| match &product {
            Some(product) => product.matrix.range(axis),
            None => (0, 0),
        });
        Reach { axes }
    }

    /// Arithmetic as the scheme stands.
    pub fn operations(&self) -> Operations {
        self.factors.iter().map(Factor::operations).fold(Operations::default(), |sum, one| {
            Operations {
                terms: sum.terms + one.terms,
                additions: sum.additions + one.additions,
                multiplications: sum.multiplications + one.multiplications,
            }
        })
    }
}

impl Wavelet {
    /// Terms of a scheme by the rule of [`Operations::terms`], with the final scaling taken out of
    /// convolutions as well: their matrix is then the product of the lifting steps. A wavelet
    /// without a lifting is counted with its taps as they are.
    pub fn terms(&self, scheme: &Scheme) -> usize {
        let convolution = matches!(
            scheme.kind,
            SchemeKind::Convolution
                | SchemeKind::SeparableConvolution
                | SchemeKind::NonseparableConvolution
        );
        let whole = scheme.factors.iter().all(|f| f.kind == FactorKind::Convolution);
        if !(convolution && whole) {
            return scheme.operations().terms;
        }
        let Ok(line) = self.scheme(SchemeKind::Lifting, 1) else {
            return scheme.operations().terms;
        };
        let steps: Vec<Factor> = line
            .factors
            .into_iter()
            .filter(|f| !matches!(f.kind, FactorKind::Scaling | FactorKind::Exchange))
            .collect();
        let Some(product) = fuse_factors(&steps, FactorKind::Convolution) else {
            return 0;
        };
        match scheme.kind {
            SchemeKind::NonseparableConvolution => {
                let copies: Vec<Factor> =
                    (0..scheme.axes).map(|axis| product.on_axis(axis, scheme.axes)).collect();
                fuse_factors(&copies, FactorKind::Convolution).map_or(0, |factor| factor.terms())
            }
            _ => (0..scheme.axes).map(|axis| product.on_axis(axis, scheme.axes).terms()).sum(),
        }
    }
}
