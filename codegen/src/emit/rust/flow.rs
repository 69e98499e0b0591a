//! A kernel along a line as stages through which vectors of neighbouring pairs pass in registers.
//!
//! What a segment reads of earlier pairs is the same plane some places later: vectors are moved by a
//! place, and the place that is free gets what left the vectors before. Values are kept divided by a
//! gain per plane, such that one term of every sum needs no factor; gains are multiplied at the end.

use super::schedule::{Read, Schedule, Stage};
use super::{ident, number};
use crate::dag::{Node, NodeId, Place};
use crate::kernel::Element;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// Most places by which planes are moved, all together.
const MOST_DELAYS: usize = 64;
/// Factors and gains that every type of floats has.
const USABLE: std::ops::Range<f64> = 1e-30..1e30;

/// Stages of a kernel.
pub(super) struct Flow {
    /// The body of `stages`.
    pub body: TokenStream,
    /// Places by which planes are moved, all together.
    pub delays: usize,
    /// Pairs before an output's and after it that it depends on.
    pub around: (i32, i32),
    /// Operations on registers for a vector of pairs.
    pub work: usize,
}

/// Values of a plane are these times a gain.
#[derive(Clone)]
struct Vectors {
    name: Ident,
    gain: f64,
}

/// A term of a sum: a factor, and what it multiplies.
type Term = (f64, Vectors);

/// A stream that a segment writes, and the sum that it gets: places and their factors.
type Written = (usize, Vec<(Place, f64)>);

/// The statements so far, and what planes are called.
struct Stages<'a> {
    schedule: &'a Schedule<'a>,
    element: Element,
    statements: Vec<TokenStream>,
    /// Of every stream: the newest, and those some places later.
    known: BTreeMap<Read, Vectors>,
    delays: usize,
}

/// The stages of a kernel of floats; `None` if vectors cannot pass through them.
pub(super) fn flow(schedule: &Schedule) -> Option<Flow> {
    let element = schedule.stages.first()?.graph.element();
    if element.is_integer() || schedule.delay < 0 {
        return None;
    }
    let planes = ["even", "odd"]
        .into_iter()
        .enumerate()
        .map(|(stream, name)| (Read { stream, age: 0 }, Vectors { name: ident(name), gain: 1.0 }));
    let known = planes.collect();
    let mut all = Stages { schedule, element, statements: Vec::new(), known, delays: 0 };
    for (index, stage) in schedule.stages.iter().enumerate() {
        all.stage(index, stage)?;
    }
    let outputs: Vec<Ident> =
        schedule.outputs.iter().map(|read| all.output(*read)).collect::<Option<_>>()?;
    let Stages { statements, delays, .. } = all;
    if outputs.len() != 2 || delays > MOST_DELAYS {
        return None;
    }
    let unused = (delays == 0).then(|| quote!(let _ = behind;));
    let warm = i32::try_from(schedule.warm).ok()?;
    Some(Flow {
        work: statements.len(),
        body: quote! {
            #unused
            #(#statements)*
            [#(#outputs),*]
        },
        delays,
        around: ((warm - schedule.delay).max(0), schedule.delay),
    })
}

impl Stages<'_> {
    /// What a plane is so many places later.
    fn read(&mut self, Read { stream, age }: Read) -> Option<Vectors> {
        let mut found = self.known.get(&Read { stream, age: 0 })?.clone();
        for age in 1..=age {
            let read = Read { stream, age };
            if let Some(known) = self.known.get(&read) {
                found = known.clone();
                continue;
            }
            let stem = if self.schedule.is_load(stream) { "x" } else { "c" };
            let own = format_ident!("{stem}{stream}_{age}");
            let (delay, name) = (Literal::usize_unsuffixed(self.delays), found.name);
            self.delays += 1;
            self.statements.push(quote!(let #own = later(v, &mut behind[#delay], #name);));
            found = Vectors { name: own, gain: found.gain };
            self.known.insert(read, found.clone());
        }
        Some(found)
    }

    /// An output, with its gain.
    fn output(&mut self, read: Read) -> Option<Ident> {
        let Vectors { name, gain } = self.read(read)?;
        if gain == 1.0 {
            return Some(name);
        }
        let (own, factor) = (format_ident!("{name}_scaled"), number(self.element, gain));
        self.statements.push(quote!(let #own = products(v, #name, #factor);));
        Some(own)
    }

    /// Writes the sums of a segment.
    fn stage(&mut self, index: usize, stage: &Stage) -> Option<()> {
        let sums = sums(stage)?;
        let mut rows: Vec<Vec<Term>> = Vec::new();
        for (_, terms) in &sums {
            let mut row = Vec::new();
            for (place, factor) in terms {
                let vectors = self.read(stage.read(place))?;
                row.push((factor * vectors.gain, vectors));
            }
            rows.push(row);
        }
        let kept = kept(&rows)?;
        for (at, (((stream, _), row), kept)) in sums.iter().zip(rows).zip(kept).enumerate() {
            let (gain, own) = &row[kept];
            let mut sum = own.name.clone();
            for (_, (factor, vectors)) in row.iter().enumerate().filter(|(term, _)| *term != kept) {
                let ratio = factor / gain;
                let name = format_ident!("s{index}_{at}");
                let (value, factor) = (&vectors.name, number(self.element, ratio));
                self.statements
                    .push(quote!(let #name = sums_of_products(v, #value, #factor, #sum);));
                sum = name;
                USABLE.contains(&ratio.abs()).then_some(())?;
            }
            USABLE.contains(&gain.abs()).then_some(())?;
            self.known.insert(Read { stream: *stream, age: 0 }, Vectors { name: sum, gain: *gain });
        }
        Some(())
    }
}

/// What a segment writes, read off its graph.
fn sums(stage: &Stage) -> Option<Vec<Written>> {
    let mut values: BTreeMap<NodeId, BTreeMap<Place, f64>> = BTreeMap::new();
    for (id, node) in stage.graph.program() {
        let of = |id: NodeId, factor: f64| {
            let terms = values.get(&id).into_iter().flatten();
            terms.map(move |(place, value)| (*place, value * factor))
        };
        let terms: Vec<(Place, f64)> = match node {
            Node::Value(place) => vec![(place, 1.0)],
            Node::Zero => Vec::new(),
            Node::Add(a, b) => of(a, 1.0).chain(of(b, 1.0)).collect(),
            Node::Sub(a, b) => of(a, 1.0).chain(of(b, -1.0)).collect(),
            Node::Neg(a) => of(a, -1.0).collect(),
            Node::Mul(factor, a) => of(a, factor.0).collect(),
            Node::MulAdd { factor, value, addend } => {
                of(value, factor.0).chain(of(addend, 1.0)).collect()
            }
            Node::FloorShift { .. } => return None,
        };
        let mut sum: BTreeMap<Place, f64> = BTreeMap::new();
        for (place, factor) in terms {
            *sum.entry(place).or_insert(0.0) += factor;
        }
        values.insert(id, sum);
    }
    let sums = stage.writes.iter().map(|(stream, id)| {
        let terms = values.get(id)?.iter().map(|(place, factor)| (*place, *factor));
        Some((*stream, terms.filter(|(_, factor)| *factor != 0.0).collect()))
    });
    sums.collect()
}

/// Of every sum, the term that needs no factor: such that the others' are small, and that two sums of the
/// same two values do not keep the same one.
fn kept(rows: &[Vec<Term>]) -> Option<Vec<usize>> {
    if rows.iter().any(Vec::is_empty) {
        return None;
    }
    let ratio = |row: &[Term], kept: usize| (row[1 - kept].0 / row[kept].0).abs();
    if let [first, second] = rows
        && first.len() == 2
        && second.len() == 2
        && first.iter().zip(second).all(|(a, b)| a.1.name == b.1.name)
    {
        let size = |kept: usize| ratio(first, kept).max(ratio(second, 1 - kept));
        let kept = usize::from(size(1) < size(0));
        return Some(vec![kept, 1 - kept]);
    }
    let largest = |row: &Vec<Term>| {
        let size = |term: &usize| row[*term].0.abs();
        (0..row.len()).max_by(|a, b| size(a).total_cmp(&size(b)))
    };
    rows.iter().map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::Contraction;
    use crate::kernel::Operation;
    use crate::pipeline::{Target, prepare};
    use waveloom_wavelets::{SchemeKind, catalogue};

    /// Sums of products, products and delays of a kernel.
    fn counts(name: &str, kind: SchemeKind, operation: Operation) -> ([usize; 3], (i32, i32)) {
        let scheme = catalogue::wavelet(name).unwrap().scheme(kind, 1).unwrap();
        let target = Target { contraction: Contraction::Fused, ..Target::rust() };
        let prepared = prepare(&scheme, operation, Element::F64, &target).unwrap();
        let found = flow(&Schedule::new(&prepared)).unwrap();
        let text = found.body.to_string();
        let of = |function: &str| text.split(function).count() - 1;
        let counts = [of("= sums_of_products"), of("= products"), of("= later")];
        assert_eq!(found.work, counts.iter().sum::<usize>(), "{name} {operation}: {text}");
        assert_eq!(found.delays, counts[2], "{name} {operation}");
        (counts, found.around)
    }

    #[test]
    fn a_rotation_is_two_sums_of_products_and_a_delay() {
        for operation in Operation::ALL {
            for (name, rotations) in [("db2", 2), ("db4", 4), ("coif2", 6), ("db16", 16)] {
                let (counts, (before, after)) = counts(name, SchemeKind::Lattice, operation);
                assert_eq!(counts, [2 * rotations, 2, rotations - 1], "{name} {operation}");
                assert_eq!((before + after) as usize, rotations - 1, "{name} {operation}");
            }
        }
    }

    #[test]
    fn liftings_delay_no_more_than_they_read() {
        for operation in Operation::ALL {
            let ([sums, products, delays], (before, after)) =
                counts("bior4.4", SchemeKind::Lifting, operation);
            assert_eq!((sums, products), (8, 2), "{operation}");
            assert!(delays <= 5, "{operation} {delays}");
            assert_eq!(before + after, 4, "{operation}");
        }
    }

    #[test]
    fn rounded_sums_do_not_pass() {
        let scheme = catalogue::wavelet("rev53").unwrap().scheme(SchemeKind::Lifting, 1).unwrap();
        let prepared = prepare(&scheme, Operation::Forward, Element::I32, &Target::rust()).unwrap();
        assert!(flow(&Schedule::new(&prepared)).is_none());
    }
}
