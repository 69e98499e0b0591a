//! A kernel across lines: all its segments in one loop over the columns of a pair of lines.

use super::expression::expression;
use super::ident;
use super::schedule::{Read, Schedule};
use crate::dag::Node;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// A value as it is called in the loop.
fn value(stage: usize, id: crate::dag::NodeId) -> Ident {
    format_ident!("s{}_{}", stage, crate::emit::names::value(id))
}

fn load(read: Read) -> Ident {
    format_ident!("x{}_{}", read.stream, read.age)
}

/// A carried line.
fn line(read: Read) -> Ident {
    format_ident!("c{}_{}", read.stream, read.age)
}

/// The body of `across`, and the function of the loop.
pub(super) struct Across {
    pub body: TokenStream,
    pub item: TokenStream,
}

/// Writes the loop of a schedule.
pub(super) fn across(schedule: &Schedule) -> Across {
    let mut loads: BTreeSet<Read> = BTreeSet::new();
    let mut statements = Vec::new();
    // The names of the newest values of streams that were computed.
    let mut newest: Vec<Option<Ident>> = vec![None; schedule.streams.len()];
    let mut find = |read: Read, newest: &[Option<Ident>]| -> TokenStream {
        match &newest[read.stream] {
            Some(name) if read.age == 0 => quote!(#name),
            _ if schedule.is_load(read.stream) => {
                loads.insert(read);
                let name = load(read);
                quote!(#name[i])
            }
            _ => {
                let name = line(read);
                quote!(#name[i])
            }
        }
    };
    for (index, stage) in schedule.stages.iter().enumerate() {
        for (id, node) in stage.graph.program() {
            let name = value(index, id);
            let computed = match node {
                Node::Value(place) => find(stage.read(&place), &newest),
                _ => expression(stage.graph.element(), &node, |id| value(index, id)),
            };
            statements.push(quote!(let #name = #computed;));
        }
        for (stream, id) in &stage.writes {
            newest[*stream] = Some(value(index, *id));
        }
    }
    let outputs: Vec<TokenStream> =
        schedule.outputs.iter().map(|read| find(*read, &newest)).collect();
    // What is carried takes the place of the oldest, which was read.
    let renewed = schedule.carried().filter_map(|(stream, lines)| {
        let (place, name) = (line(Read { stream, age: lines }), newest[stream].as_ref()?);
        Some(quote!(#place[i] = #name;))
    });
    let renewed: Vec<TokenStream> = renewed.collect();
    let [low, high] = &outputs[..] else {
        return Across { body: TokenStream::new(), item: TokenStream::new() };
    };
    let lines: Vec<(Ident, bool)> = schedule
        .carried()
        .flat_map(|(stream, lines)| {
            (1..=lines).map(move |age| (line(Read { stream, age }), age == lines))
        })
        .collect();
    let count = Literal::usize_unsuffixed(lines.len());
    let mut turns = Vec::new();
    let mut at = 0;
    for (_, lines) in schedule.carried() {
        if lines > 1 {
            let (from, to) = (Literal::usize_unsuffixed(at), Literal::usize_unsuffixed(at + lines));
            let period = Literal::usize_unsuffixed(lines);
            // Line `n % period` of a stream is written in iteration `n`.
            turns.push(quote!(carried[#from..#to].rotate_left(at % #period);));
            turns.push(quote!(carried[#from..#to].reverse();));
        }
        at += lines;
    }
    let mutable = (!turns.is_empty()).then(|| quote!(mut));
    let names: Vec<&Ident> = lines.iter().map(|(name, _)| name).collect();
    let bind = quote! {
        let #mutable carried: [&mut [Sample]; #count] = lines(carried, part);
        #(#turns)*
        let [#(#names),*] = carried;
    };
    let unused_at = turns.is_empty().then(|| quote!(let _ = at;));
    let load_arguments = loads.iter().map(|read| {
        let (plane, age) =
            (Literal::usize_unsuffixed(read.stream), Literal::usize_unsuffixed(read.age));
        quote!(loads[#plane][#age])
    });
    let no_loads = loads.is_empty().then(|| quote!(let _ = loads;));
    let load_names: Vec<Ident> = loads.iter().map(|read| load(*read)).collect();
    let parameters = lines.iter().map(|(name, newest)| match newest {
        true => quote!(#name: &mut [Sample]),
        false => quote!(#name: &[Sample]),
    });
    let cuts = lines.iter().map(|(name, newest)| match newest {
        true => quote!(let #name = &mut #name[..len];),
        false => quote!(let #name = &#name[..len];),
    });
    let columns = ident("columns");
    Across {
        body: quote! {
            #unused_at
            #no_loads
            #bind
            #columns::<FUSED>(#(#load_arguments,)* #(#names,)* low, high);
        },
        item: quote! {
            /// Every column of the outputs of a pair.
            #[inline(always)]
            fn #columns<const FUSED: bool>(
                #(#load_names: &[Sample],)*
                #(#parameters,)*
                low: &mut [Sample],
                high: &mut [Sample],
            ) {
                let len = low.len();
                #(let #load_names = &#load_names[..len];)*
                #(#cuts)*
                let high = &mut high[..len];
                for i in 0..len {
                    #(#statements)*
                    low[i] = #low;
                    high[i] = #high;
                    #(#renewed)*
                }
            }
        },
    }
}
