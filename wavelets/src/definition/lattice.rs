//! The form `[lattice]`: stages and a final matrix.

use super::lifting::advances;
use super::node::{Node, Reader, Table};
use super::number::{Number, is_affordable};
use super::taps::placed;
use crate::algebra::{Laurent, Rational};
use crate::lattice::{Butterfly, Lattice, LatticeKind};
use crate::verify::{ExactLattice, FARTHEST_POSITION, MOST_FACTORS};
use crate::wavelet::{Options, Wavelet};
use num_traits::{One, Zero};

/// Deviation up to which a float stage counts as a rotation.
const ROTATION: f64 = 1e-12;

/// A lattice as it was read.
pub(super) struct Staged {
    /// All stages, the final matrix last.
    stages: Vec<[[Number; 2]; 2]>,
    /// Row that the leading lifting adds to, and its taps by exponent.
    lead: Option<(usize, Vec<(i32, Number)>)>,
    advances: [i32; 2],
}

/// Reads the table.
pub(super) fn read(reader: &mut Reader, mut table: Table) -> Option<Staged> {
    let stages = match table.take("stages") {
        Some(node) => stages(reader, &node),
        None => Some(Vec::new()),
    };
    let last = table.need(reader, "final").and_then(|node| stage(reader, &node));
    let lead = match table.take("lead") {
        Some(node) => lead(reader, &node).map(Some),
        None => Some(None),
    };
    let advances = advances(reader, &mut table);
    table.finish(reader);
    let mut stages = stages?;
    stages.push(last?);
    Some(Staged { stages, lead: lead?, advances: advances? })
}

fn stages(reader: &mut Reader, node: &Node) -> Option<Vec<[[Number; 2]; 2]>> {
    let nodes = node.array(reader, "an array of stages")?;
    if nodes.len() >= MOST_FACTORS {
        let message =
            format!("has {} stages; at most {} are supported", nodes.len(), MOST_FACTORS - 1);
        reader.report(&node.place, message);
        return None;
    }
    let stages: Vec<_> = nodes.iter().map(|node| stage(reader, node)).collect();
    stages.into_iter().collect()
}

/// A matrix, in one of its spellings, that has an inverse.
fn stage(reader: &mut Reader, node: &Node) -> Option<[[Number; 2]; 2]> {
    let stage = if node.is_table() {
        let mut table = node.table(reader, "a stage")?;
        let keys = ["t", "s", "degrees", "radians"].map(|key| table.take(key));
        table.finish(reader);
        match keys {
            [Some(t), Some(s), None, None] => {
                let (t, s) = (t.number(reader), s.number(reader));
                [[one(), t?], [s?, one()]]
            }
            [None, None, Some(degrees), None] => {
                rotation(degrees.number(reader)?.to_f64().to_radians())
            }
            [None, None, None, Some(radians)] => rotation(radians.number(reader)?.to_f64()),
            _ => {
                let message = "expected { t = …, s = … }, { degrees = … }, { radians = … } or a matrix [[p, q], [r, s]]";
                reader.report(&node.place, message);
                return None;
            }
        }
    } else {
        let what = "a matrix [[p, q], [r, s]] or a table such as { degrees = 30 }";
        let rows = node.array(reader, what)?;
        let read: Vec<_> = rows.iter().map(|row| row.tuple::<2>(reader)).collect();
        let rows = read.len();
        match <[Option<[Number; 2]>; 2]>::try_from(read) {
            Ok([upper, lower]) => [upper?, lower?],
            Err(_) => {
                reader
                    .report(&node.place, format!("expected 2 rows of 2 numbers each, got {rows}"));
                return None;
            }
        }
    };
    if is_singular(&stage) {
        reader.report(&node.place, "has the determinant 0; it could not be inverted");
        return None;
    }
    Some(stage)
}

fn one() -> Number {
    Number::Exact(Rational::one())
}

/// Quarter turns come out exactly: π/2 is not a float, so that its cosine would not be 0.
fn rotation(angle: f64) -> [[Number; 2]; 2] {
    let (s, c) = angle.sin_cos();
    let [c, s] = [c, s].map(|value| if value.abs() <= f64::EPSILON { 0.0 } else { value });
    [[c, s], [-s, c]].map(|row| row.map(Number::Float))
}

fn exact(stage: &[[Number; 2]; 2]) -> Option<[[Rational; 2]; 2]> {
    let [[a, b], [c, d]] = stage.each_ref().map(|row| row.each_ref().map(Number::exact));
    Some([[a?.clone(), b?.clone()], [c?.clone(), d?.clone()]])
}

/// Whether the determinant is 0, or no more than what rounding leaves of 0.
fn is_singular(stage: &[[Number; 2]; 2]) -> bool {
    if let Some([[a, b], [c, d]]) = exact(stage) {
        return (a * d - b * c).is_zero();
    }
    let [[a, b], [c, d]] = stage.each_ref().map(|row| row.each_ref().map(Number::to_f64));
    (a * d - b * c).abs() <= 4.0 * f64::EPSILON * ((a * d).abs() + (b * c).abs())
}

/// The leading lifting of one band by the other.
fn lead(reader: &mut Reader, node: &Node) -> Option<(usize, Vec<(i32, Number)>)> {
    let what = "a table such as { target = \"low\", first = -1, taps = [\"1/8\", \"1/8\"] }";
    let mut table = node.table(reader, what)?;
    let bands = [("low", 0), ("high", 1)];
    let target = table.need(reader, "target").and_then(|node| node.choice(reader, &bands));
    let (first, taps) = placed(reader, &mut table);
    let taps = taps.and_then(|node| node.numbers(reader));
    table.finish(reader);
    let (first, taps) = (first?, taps?);
    let far = FARTHEST_POSITION.unsigned_abs() as usize;
    if taps.len() > far {
        let message = format!("has {} taps; at most {far} are supported", taps.len());
        reader.report(&node.place, message);
        return None;
    }
    Some((target?, (first..).zip(taps).collect()))
}

impl Staged {
    /// Multiplies the bank out and measures it: exactly if every number is exact.
    pub(super) fn verify(&self, name: &str, options: &Options) -> Result<Wavelet, String> {
        let exact = self.exact().filter(|lattice| {
            let stages = lattice.stages.iter().map(|stage| stage.iter().flatten().collect());
            let lead: Vec<&Rational> =
                lattice.lead.iter().flat_map(|(_, q)| q.terms().map(|(_, tap)| tap)).collect();
            is_affordable(stages.chain([lead]))
        });
        let verified = match exact {
            Some(lattice) => Wavelet::from_exact_lattice(name, &lattice, options),
            None => Wavelet::from_lattice(name, self.rounded(), options),
        };
        verified.map_err(|error| error.to_string())
    }

    fn exact(&self) -> Option<ExactLattice> {
        let stages = self.stages.iter().map(exact).collect::<Option<_>>()?;
        let lead = match &self.lead {
            None => None,
            Some((row, taps)) => {
                let terms = taps.iter().map(|(e, tap)| Some(([*e, 0, 0], tap.exact()?.clone())));
                Some((*row, Laurent::from_terms(terms.collect::<Option<Vec<_>>>()?)))
            }
        };
        Some(ExactLattice { stages, lead, advance: self.advances })
    }

    fn rounded(&self) -> Lattice {
        let stage = |stage: &[[Number; 2]; 2]| {
            stage.each_ref().map(|row| row.each_ref().map(Number::to_f64))
        };
        let stages: Vec<Butterfly> = self.stages.iter().map(stage).collect();
        let lead = self.lead.as_ref().map(|(row, taps)| {
            (*row, Laurent::from_terms(taps.iter().map(|(e, tap)| ([*e, 0, 0], tap.to_f64()))))
        });
        let orthogonal = lead.is_none() && are_rotations(&stages);
        let kind = if orthogonal { LatticeKind::Orthogonal } else { LatticeKind::General };
        Lattice { kind, stages, lead, advance: self.advances }
    }
}

/// Whether every stage is a rotation; the last one may be a reflection.
fn are_rotations(stages: &[Butterfly]) -> bool {
    let near = |left: f64, right: f64| (left - right).abs() <= ROTATION;
    stages.iter().enumerate().all(|(index, [[a, b], [c, d]])| {
        let rotates = near(*d, *a) && near(*c, -b);
        let reflects = index + 1 == stages.len() && near(*d, -a) && near(*c, *b);
        near(a * a + b * b, 1.0) && (rotates || reflects)
    })
}
