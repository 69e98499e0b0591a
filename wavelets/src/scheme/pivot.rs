//! Gains of butterflies on their way to the last one.

use super::{Factor, FactorKind, Scheme};
use crate::algebra::{Laurent, PolyphaseMatrix};

impl Scheme {
    /// The same product with every butterfly but the last divided, row by row, by its largest entry, so that one
    /// product of two is left of every value; what rows were divided by moves on through the factors behind, and the
    /// last butterfly takes all of it; the scheme itself where that spares nothing. A lattice is built that way (Puchala and Stokfiszewski, section III); its
    /// inverse and its adjoints are not, before they pass here.
    ///
    /// ```
    /// use waveloom_wavelets::{catalogue, SchemeKind};
    ///
    /// let lattice = catalogue::wavelet("db4")?.scheme(SchemeKind::Lattice, 1)?;
    /// let inverse = lattice.invert()?;
    /// let pivoted = inverse.pivoted();
    /// assert!(pivoted.matrix().distance(&inverse.matrix()) < 1e-13);
    /// let ones = |scheme: &waveloom_wavelets::Scheme| {
    ///     let entries = scheme.factors.iter().flat_map(|factor| factor.matrix.entries());
    ///     entries.filter(|(_, _, entry)| entry.is_one()).count()
    /// };
    /// assert!(ones(&pivoted) > ones(&inverse));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pivoted(&self) -> Self {
        let Some(last) = self.factors.iter().rposition(is_butterfly) else { return self.clone() };
        let mut gains = vec![1.0; 1 << self.axes];
        let pass = |(index, factor): (usize, &Factor)| {
            let made = match index {
                _ if index > last => return factor.clone(),
                _ if index == last => vec![1.0; gains.len()],
                _ => rows_of(factor, &gains),
            };
            let passed = moved(factor, &gains, &made);
            gains = made;
            passed
        };
        let pivoted =
            Self { factors: self.factors.iter().enumerate().map(pass).collect(), ..*self };
        let products = |scheme: &Self| scheme.operations().multiplications;
        // A scheme may have as many ones as that already.
        if products(&pivoted) < products(self) { pivoted } else { self.clone() }
    }
}

fn is_butterfly(factor: &Factor) -> bool {
    factor.kind == FactorKind::Butterfly
}

/// What the rows of a factor are divided by when its inputs have been divided by `gains`: a butterfly's by what is
/// largest in them, others' by the gain of the channel that they go on with, so that they keep their form.
fn rows_of(factor: &Factor, gains: &[f64]) -> Vec<f64> {
    let row = |row: usize| {
        let entries = (0..gains.len()).map(|column| (column, factor.matrix.entry(row, column)));
        let entries = entries.filter(|(_, entry)| !entry.is_zero());
        if is_butterfly(factor) {
            let values = entries.filter_map(|(column, entry)| {
                entry.as_monomial().map(|(_, value)| value * gains[column])
            });
            return values
                .fold(0.0, |most: f64, value| if value.abs() > most.abs() { value } else { most });
        }
        let (least, most) =
            entries.fold((usize::MAX, 0), |(a, b), (column, _)| (a.min(column), b.max(column)));
        gains[if least == most { least } else { row }]
    };
    (0..gains.len()).map(row).map(|gain| if gain == 0.0 { 1.0 } else { gain }).collect()
}

/// A factor whose inputs have been divided by `from` and whose outputs shall be by `to`.
fn moved(factor: &Factor, from: &[f64], to: &[f64]) -> Factor {
    let scaled = |matrix: &PolyphaseMatrix, columns: &[f64], rows: &[f64]| {
        PolyphaseMatrix::from_fn(matrix.size(), |row, column| {
            let scaled = |value: &f64| value * columns[column] / rows[row];
            let entry: &Laurent = matrix.entry(row, column);
            entry.map(scaled)
        })
    };
    Factor {
        matrix: scaled(&factor.matrix, from, to),
        inverse: factor.inverse.as_ref().map(|inverse| scaled(inverse, to, from)),
        ..factor.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SchemeKind, catalogue};

    #[test]
    fn inverses_and_adjoints_take_as_few_products_as_the_lattice() {
        for name in ["haar", "db2", "db4", "db16", "db38", "sym8", "coif3", "bior2.2", "bior4.4"] {
            for axes in [1, 2] {
                let Ok(lattice) =
                    catalogue::wavelet(name).unwrap().scheme(SchemeKind::Lattice, axes)
                else {
                    continue;
                };
                let inverse = lattice.invert().unwrap();
                let adjoint = lattice.transpose().unwrap();
                for (what, scheme) in [("inverse", inverse), ("adjoint", adjoint)] {
                    let pivoted = scheme.pivoted();
                    let (got, wanted) = (pivoted.matrix(), scheme.matrix());
                    assert!(got.distance(&wanted) < 1e-12, "{name} {what}");
                    let products = |scheme: &Scheme| scheme.operations().multiplications;
                    let most = if name.starts_with("bior") {
                        products(&scheme)
                    } else {
                        products(&lattice)
                    };
                    assert!(products(&pivoted) <= most, "{name} {what} {axes}");
                    let back = pivoted.invert().unwrap().matrix().times(&wanted);
                    let identity = PolyphaseMatrix::identity(1 << axes);
                    assert!(back.distance(&identity) < 1e-9, "{name} {what}");
                }
            }
        }
    }

    #[test]
    fn schemes_without_butterflies_stay_as_they_are() {
        let lifting = catalogue::wavelet("irr97").unwrap().scheme(SchemeKind::Lifting, 1).unwrap();
        assert_eq!(lifting.pivoted(), lifting);
    }
}
