//! Weighted sums that are too long to be written out: the same graph as tables for a loop.

use crate::dag::{Dag, Node, Place};
use std::collections::BTreeMap;
use waveloom_wavelets::algebra::Exponent;

/// A linear graph as sums over plane values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// Terms by plane, and by which stores use them.
    pub groups: Vec<SumGroup>,
}

/// Terms of one plane that contribute to the same stores.
#[derive(Clone, Debug, PartialEq)]
pub struct SumGroup {
    /// The plane read.
    pub plane: usize,
    /// The stores added to: places in [`Dag::stores`].
    pub stores: Vec<usize>,
    /// Where, relative to the position, and the weight for each of `stores`.
    pub terms: Vec<SumTerm>,
}

/// Where a value is read, and its weights.
pub type SumTerm = (Exponent, Vec<f64>);

impl Sums {
    /// The sums of a graph; `None` if it rounds.
    pub fn of(dag: &Dag) -> Option<Self> {
        // weights[place][store]
        let mut weights: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
        let stores = dag.stores().len();
        for (slot, store) in dag.stores().iter().enumerate() {
            // What one unit of each node contributes to the store, users before operands.
            let mut share = vec![0.0; dag.nodes().len()];
            share[store.value.index()] = 1.0;
            for (id, node) in dag.program().collect::<Vec<_>>().into_iter().rev() {
                let own: f64 = share[id.index()];
                if own == 0.0 {
                    continue;
                }
                match node {
                    Node::Value(place) => {
                        weights.entry(place).or_insert_with(|| vec![0.0; stores])[slot] += own;
                    }
                    Node::Zero => {}
                    Node::Add(a, b) => {
                        share[a.index()] += own;
                        share[b.index()] += own;
                    }
                    Node::Sub(a, b) => {
                        share[a.index()] += own;
                        share[b.index()] -= own;
                    }
                    Node::Neg(a) => share[a.index()] -= own,
                    Node::Mul(c, a) => share[a.index()] += c.0 * own,
                    Node::MulAdd { factor, value, addend } => {
                        share[value.index()] += factor.0 * own;
                        share[addend.index()] += own;
                    }
                    Node::FloorShift { .. } => return None,
                }
            }
        }
        let mut groups: BTreeMap<(usize, Vec<usize>), Vec<SumTerm>> = BTreeMap::new();
        for (place, weights) in weights {
            let used: Vec<usize> = (0..stores).filter(|slot| weights[*slot] != 0.0).collect();
            if used.is_empty() {
                continue;
            }
            let weights = used.iter().map(|slot| weights[*slot]).collect();
            groups.entry((place.plane, used)).or_default().push((place.offset, weights));
        }
        let group = |((plane, stores), terms)| SumGroup { plane, stores, terms };
        Some(Self { groups: groups.into_iter().map(group).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::Contraction;
    use crate::dag::build::HERE;
    use crate::kernel::{Element, Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    /// Tables and graphs are the same function, whatever the graph's form.
    #[test]
    fn sums_equal_their_graphs() {
        for (name, kind) in [
            ("db4", SchemeKind::NonseparableConvolution),
            ("bior4.4", SchemeKind::NonseparableLifting),
        ] {
            let wavelet = catalogue::wavelet(name).unwrap();
            let scheme = wavelet.scheme(kind, 2).unwrap();
            for operation in Operation::ALL {
                let kernel = lower(&scheme, operation, Element::F64, Exchange::Global).unwrap();
                let dag = Dag::outputs(&kernel, 0, &[HERE]).unwrap();
                let dag = dag.optimised(Contraction::Fused);
                let sums = Sums::of(&dag).unwrap();
                let value = |place: &Place| {
                    let [a, b, _] = place.offset;
                    f64::from(a * 7 + b * 3 + place.plane as i32).sin()
                };
                let mut expected = vec![0.0; dag.stores().len()];
                for group in &sums.groups {
                    for (offset, weights) in &group.terms {
                        let read = value(&Place { plane: group.plane, offset: *offset });
                        for (slot, weight) in group.stores.iter().zip(weights) {
                            expected[*slot] += weight * read;
                        }
                    }
                }
                let got = dag.evaluate(value);
                assert_eq!(got.len(), expected.len());
                for (got, expected) in got.iter().zip(&expected) {
                    assert!((got - expected).abs() < 1e-12, "{name} {operation}");
                }
            }
        }
    }

    #[test]
    fn rounded_graphs_are_no_sums() {
        let wavelet = catalogue::wavelet("rev53").unwrap();
        let scheme = wavelet.scheme(SchemeKind::Lifting, 1).unwrap();
        let kernel = lower(&scheme, Operation::Forward, Element::I32, Exchange::Global).unwrap();
        let dag = Dag::outputs(&kernel, 0, &[HERE]).unwrap();
        assert_eq!(Sums::of(&dag), None);
    }
}
