//! A kernel across lines: all its segments in one loop over the columns of a pair of lines, or of
//! several neighbouring pairs, which share what they read and hand values on in registers.

use super::expression::expression;
use super::ident;
use super::schedule::{Read, Schedule};
use crate::dag::{Node, NodeId};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// Most lines that the loop of several pairs reads: the registers of wide vectors, less those for
/// factors and sums.
const MOST_LINES: usize = 16;
/// Pairs of lines that go through one loop, if they read no more lines than that.
const PAIRS: usize = 4;

/// Pairs of lines that all of some schedules compute in one loop.
pub(super) fn pairs<'a>(schedules: impl IntoIterator<Item = &'a Schedule<'a>>) -> usize {
    let fits = |schedule: &Schedule| {
        let read = Loop::of(schedule, PAIRS);
        read.loads.len() + read.carried.len() <= MOST_LINES
    };
    if schedules.into_iter().all(fits) { PAIRS } else { 1 }
}

/// The body of `across`, and the functions of its loops.
pub(super) struct Across {
    pub body: TokenStream,
    pub items: TokenStream,
}

/// Writes the loops of a schedule: for one pair, and for several.
pub(super) fn across(schedule: &Schedule, pairs: usize) -> Across {
    let mut counts = vec![1, pairs];
    counts.dedup();
    let loops: Vec<Loop> = counts.iter().map(|count| Loop::of(schedule, *count)).collect();
    let arms = loops.iter().map(Loop::arm);
    let turns = schedule.carried().any(|(_, lines)| lines > 1);
    let unused_at = (!turns).then(|| quote!(let _ = at;));
    let loaded = loops.iter().any(|one| !one.loads.is_empty());
    let unused_loads = (!loaded).then(|| quote!(let _ = loads;));
    let items = loops.iter().map(Loop::item);
    Across {
        body: quote! {
            #unused_at
            #unused_loads
            match (low, high) {
                #(#arms)*
                _ => {}
            }
        },
        items: quote!(#(#items)*),
    }
}

/// A value as it is called in the loop: of which pair, if there are several.
fn value(pair: usize, stage: usize, id: NodeId) -> Ident {
    let name = crate::emit::names::value(id);
    match pair {
        0 => format_ident!("s{}_{}", stage, name),
        _ => format_ident!("s{}_{}_{}", stage, name, pair),
    }
}

/// A loaded line.
fn load(read: Read) -> Ident {
    format_ident!("x{}_{}", read.stream, read.age)
}

/// A carried line, so many iterations old when the loop begins.
fn line(read: Read) -> Ident {
    format_ident!("c{}_{}", read.stream, read.age)
}

/// The loop of some pairs.
struct Loop {
    pairs: usize,
    /// Lines that are read; their age is what it is for the last pair.
    loads: BTreeSet<Read>,
    /// Lines that are carried, those of one stream in turn, and whether they are renewed.
    carried: Vec<(Read, bool)>,
    /// Streams that are carried, and of how many iterations.
    streams: Vec<(usize, usize)>,
    statements: Vec<TokenStream>,
}

impl Loop {
    fn of(schedule: &Schedule, pairs: usize) -> Self {
        let mut one = Self {
            pairs,
            loads: BTreeSet::new(),
            carried: Vec::new(),
            streams: schedule.carried().collect(),
            statements: Vec::new(),
        };
        // Values of streams that were computed, by pair and stream.
        let mut computed: BTreeMap<(usize, usize), Ident> = BTreeMap::new();
        let [low, high] = [0, 1].map(|phase| one.outputs(phase));
        for pair in 0..pairs {
            for (index, stage) in schedule.stages.iter().enumerate() {
                for (id, node) in stage.graph.program() {
                    let name = value(pair, index, id);
                    let value = match node {
                        Node::Value(place) => {
                            one.read(schedule, pair, stage.read(&place), &computed)
                        }
                        _ => {
                            let element = stage.graph.element();
                            expression(element, &node, |id| value(pair, index, id))
                        }
                    };
                    one.statements.push(quote!(let #name = #value;));
                }
                for (stream, id) in &stage.writes {
                    computed.insert((pair, *stream), value(pair, index, *id));
                }
            }
            for (names, output) in [&low, &high].into_iter().zip(&schedule.outputs) {
                let (name, value) = (&names[pair], one.read(schedule, pair, *output, &computed));
                one.statements.push(quote!(#name[i] = #value;));
            }
        }
        // What is carried takes the place of the oldest, which was read.
        for (stream, lines) in one.streams.clone() {
            for age in 1..=lines {
                // The last pair whose value belongs into this line.
                let pair = (0..pairs).rev().find(|pair| lines - pair % lines == age);
                let (read, pair) = (Read { stream, age }, pair.map(|pair| (pair, stream)));
                let renewed = pair.and_then(|place| computed.get(&place));
                if let Some(value) = renewed {
                    let name = line(read);
                    one.statements.push(quote!(#name[i] = #value;));
                }
                one.carried.push((read, renewed.is_some()));
            }
        }
        one
    }

    /// A value of a stream at a pair.
    fn read(
        &mut self,
        schedule: &Schedule,
        pair: usize,
        Read { stream, age }: Read,
        computed: &BTreeMap<(usize, usize), Ident>,
    ) -> TokenStream {
        if schedule.is_load(stream) {
            let read = Read { stream, age: age + self.pairs - 1 - pair };
            self.loads.insert(read);
            let name = load(read);
            return quote!(#name[i]);
        }
        match pair.checked_sub(age).and_then(|pair| computed.get(&(pair, stream))) {
            Some(name) => quote!(#name),
            None => {
                let name = line(Read { stream, age: age - pair.min(age) });
                quote!(#name[i])
            }
        }
    }

    /// The names of the outputs of a phase.
    fn outputs(&self, phase: usize) -> Vec<Ident> {
        let name = ["low", "high"][phase];
        match self.pairs {
            1 => vec![ident(name)],
            pairs => (0..pairs).map(|pair| format_ident!("{name}{pair}")).collect(),
        }
    }

    fn name(&self) -> Ident {
        match self.pairs {
            1 => ident("columns"),
            pairs => format_ident!("columns{pairs}"),
        }
    }

    /// The case of so many pairs in `across`.
    fn arm(&self) -> TokenStream {
        let (name, lines) = (self.name(), self.carried.iter().map(|(read, _)| line(*read)));
        let lines: Vec<Ident> = lines.collect();
        let [low, high] = [0, 1].map(|phase| self.outputs(phase));
        let count = Literal::usize_unsuffixed(lines.len());
        let mut turns = Vec::new();
        let mut at = 0;
        for (_, lines) in &self.streams {
            if *lines > 1 {
                let (from, to) =
                    (Literal::usize_unsuffixed(at), Literal::usize_unsuffixed(at + lines));
                let period = Literal::usize_unsuffixed(*lines);
                // Line `n % period` of a stream is written in iteration `n`.
                turns.push(quote!(carried[#from..#to].rotate_left(at % #period);));
                turns.push(quote!(carried[#from..#to].reverse();));
            }
            at += lines;
        }
        let mutable = (!turns.is_empty()).then(|| quote!(mut));
        let bind = quote! {
            let #mutable carried: [&mut [Sample]; #count] = lines(carried, part);
            #(#turns)*
            let [#(#lines),*] = carried;
        };
        let loads = self.loads.iter().map(|read| {
            let (plane, age) =
                (Literal::usize_unsuffixed(read.stream), Literal::usize_unsuffixed(read.age));
            quote!(loads[#plane][#age])
        });
        quote! {
            ([#(#low),*], [#(#high),*]) => {
                #bind
                #name::<FUSED>(ahead, #(#loads,)* #(#lines,)* #(#low,)* #(#high),*);
            }
        }
    }

    /// The function.
    fn item(&self) -> TokenStream {
        let (name, statements) = (self.name(), &self.statements);
        let loads: Vec<Ident> = self.loads.iter().map(|read| load(*read)).collect();
        let lines = self.carried.iter().map(|(read, renewed)| (line(*read), *renewed));
        let lines: Vec<(Ident, bool)> = lines.collect();
        let parameters = lines.iter().map(|(name, renewed)| match renewed {
            true => quote!(#name: &mut [Sample]),
            false => quote!(#name: &[Sample]),
        });
        let cuts = lines.iter().map(|(name, renewed)| match renewed {
            true => quote!(let #name = &mut #name[..len];),
            false => quote!(let #name = &#name[..len];),
        });
        let outputs = [self.outputs(0), self.outputs(1)].concat();
        let (first, others) = (&outputs[..1], &outputs[1..]);
        let about = match self.pairs {
            1 => " Every column of the outputs of a pair.".to_owned(),
            pairs => format!(" Every column of the outputs of {pairs} neighbouring pairs."),
        };
        quote! {
            #[doc = #about]
            #[inline(always)]
            fn #name<const FUSED: bool>(
                mut ahead: Ahead<'_>,
                #(#loads: &[Sample],)*
                #(#parameters,)*
                #(#outputs: &mut [Sample],)*
            ) {
                let len = #(#first)*.len();
                #(let #loads = &#loads[..len];)*
                #(#cuts)*
                #(let #others = &mut #others[..len];)*
                for from in (0..len).step_by(COLUMNS) {
                    ahead.next();
                    for i in from..len.min(from + COLUMNS) {
                        #(#statements)*
                    }
                }
            }
        }
    }
}
