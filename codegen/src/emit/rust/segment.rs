//! One segment as a function: slices for every place that is read or written, and one loop.
//!
//! Planes lie as `[pair][lane]` in 1-D and as `[pair][pair]…` in several dimensions. Either way the
//! innermost loop runs over consecutive values of every slice: along the lanes of a bundle of lines,
//! along `k` on the last axis. All slices of a loop have its length, so that bounds are checked once.

use super::layout::{Layout, Placed};
use super::{ident, number};
use crate::dag::{Dag, Node, Place};
use crate::emit::names;
use crate::kernel::{Element, Kernel};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The function of a segment, and the statements that call it.
pub(super) struct Function {
    pub item: TokenStream,
    pub call: TokenStream,
}

/// Writes segment `placed` of `kernel`.
pub(super) fn function(kernel: &Kernel, layout: &Layout, placed: &Placed) -> Function {
    let segment = &kernel.segments[placed.index];
    let name = ident(&names::segment(segment, placed.index));
    let written = placed.written();
    let (mut parameters, mut arguments, mut swaps) = (Vec::new(), Vec::new(), Vec::new());
    for plane in 0..kernel.planes() {
        let read = placed.graph.leaves().any(|leaf| leaf.plane == plane);
        let (writes, spare) = (written.contains(&plane), placed.needs_spare(plane));
        let (main, second) = (ident(&names::plane(plane)), ident(&names::spare(plane)));
        match (writes, spare) {
            (true, false) => parameters.push(quote!(#main: &mut [Sample])),
            _ if read => parameters.push(quote!(#main: &[Sample])),
            _ => continue,
        }
        arguments.push(main.clone());
        if spare {
            parameters.push(quote!(#second: &mut [Sample]));
            arguments.push(second.clone());
            swaps.push(quote!(core::mem::swap(#main, #second);));
        }
    }
    let body = if kernel.axes == 1 { flat(layout, placed) } else { rows(kernel, layout, placed) };
    let extent = match kernel.axes {
        1 => quote!(pairs: usize, lanes: usize),
        axes => {
            let axes = Literal::usize_unsuffixed(axes);
            quote!(pairs: [usize; #axes])
        }
    };
    let (sizes, note) = match kernel.axes {
        1 => (quote!(pairs, lanes), ""),
        _ => (quote!(pairs), " on every axis"),
    };
    let (from, to) = (placed.region.from, placed.region.to);
    let about = format!(
        " {}: {}, for pairs `{}` of a block{note}.",
        kinds(kernel, placed),
        placed.graph.counts(),
        span(&from[..kernel.axes], &to[..kernel.axes]),
    );
    Function {
        item: quote! {
            #[doc = #about]
            fn #name(#(#parameters,)* #extent) {
                #body
            }
        },
        call: quote! {
            #name(#(#arguments,)* #sizes);
            #(#swaps)*
        },
    }
}

/// What the segment's steps are: `Predict`, `Butterfly, scaling`.
fn kinds(kernel: &Kernel, placed: &Placed) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for step in &kernel.segments[placed.index].steps {
        let kind = names::factor_kind(step.kind);
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    let text = kinds.join(", ");
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// `-1..pairs+2`, one per axis.
fn span(from: &[i32], to: &[i32]) -> String {
    let signed = |value: &i32| if *value == 0 { String::new() } else { format!("{value:+}") };
    let axes = from.iter().zip(to).map(|(from, to)| format!("{from}..pairs{}", signed(to)));
    axes.collect::<Vec<_>>().join(", ")
}

/// Name of the slice at a place: `p0_m1_2` is plane 0 at offset (-1, 2).
fn slice_name(prefix: &str, place: &Place, axes: usize) -> Ident {
    let offsets = place.offset.iter().take(axes).map(|offset| match offset {
        negative @ ..0 => format!("m{}", negative.unsigned_abs()),
        other => other.to_string(),
    });
    ident(&format!("{prefix}_{}", offsets.collect::<Vec<_>>().join("_")))
}

struct Slice {
    name: Ident,
    /// The plane's parameter.
    plane: Ident,
    mutable: bool,
    place: Place,
}

/// Every slice of a segment: leaves first, then stores that are not among them.
fn slices(kernel_axes: usize, placed: &Placed) -> Vec<Slice> {
    let mut leaves: Vec<Place> = placed.graph.leaves().collect();
    leaves.sort_unstable();
    let written = placed.written();
    let in_place = |plane: usize| written.contains(&plane) && !placed.needs_spare(plane);
    let mut all: Vec<Slice> = leaves
        .iter()
        .map(|place| Slice {
            name: slice_name(&names::plane(place.plane), place, kernel_axes),
            plane: ident(&names::plane(place.plane)),
            mutable: in_place(place.plane),
            place: *place,
        })
        .collect();
    for store in placed.graph.stores() {
        let place = store.place;
        if in_place(place.plane) && leaves.contains(&place) {
            continue;
        }
        let base = store_base(placed, place.plane);
        all.push(Slice {
            name: slice_name(&base, &place, kernel_axes),
            plane: ident(&base),
            mutable: true,
            place,
        });
    }
    all
}

fn store_base(placed: &Placed, plane: usize) -> String {
    if placed.needs_spare(plane) { names::spare(plane) } else { names::plane(plane) }
}

/// 1-D: one run over `[pair][lane]`.
fn flat(layout: &Layout, placed: &Placed) -> TokenStream {
    let pairs = plus(quote!(pairs), placed.region.to[0] - placed.region.from[0]);
    let pairs = if placed.region.to == placed.region.from { pairs } else { quote!((#pairs)) };
    let slices = slices(1, placed);
    let bindings = slices.iter().map(|slice| {
        let start = layout.before[0] + placed.region.from[0] + slice.place.offset[0];
        let Slice { name, plane, mutable, .. } = slice;
        let reference = if *mutable { quote!(&mut) } else { quote!(&) };
        match start {
            ..1 => quote!(let #name = #reference #plane[..run];),
            1 => quote!(let #name = #reference #plane[lanes..][..run];),
            _ => {
                let start = index(start);
                quote!(let #name = #reference #plane[#start * lanes..][..run];)
            }
        }
    });
    let body = body(placed, 1);
    quote! {
        let run = #pairs * lanes;
        #(#bindings)*
        for i in 0..run {
            #body
        }
    }
}

/// Several dimensions: one run per row of the last axis.
fn rows(kernel: &Kernel, layout: &Layout, placed: &Placed) -> TokenStream {
    let last = kernel.axes - 1;
    let (from, to) = (placed.region.from, placed.region.to);
    let extents = (0..kernel.axes).map(|axis| {
        let halo = layout.before[axis] + layout.after[axis];
        let axis = Literal::usize_unsuffixed(axis);
        plus(quote!(pairs[#axis]), halo)
    });
    let count = Literal::usize_unsuffixed(kernel.axes);
    let last_index = Literal::usize_unsuffixed(last);
    let run = plus(quote!(pairs[#last_index]), to[last] - from[last]);
    let row = |axis: usize| ident(&format!("row{axis}"));
    let slices = slices(kernel.axes, placed);
    let bindings = slices.iter().map(|slice| {
        let start = |axis: usize| layout.before[axis] + from[axis] + slice.place.offset[axis];
        let first = row(0);
        let mut position = plus(quote!(#first), start(0));
        for axis in 1..last {
            let row = row(axis);
            let extent = Literal::usize_unsuffixed(axis);
            position = plus(quote!((#position) * extents[#extent] + #row), start(axis));
        }
        let position = plus(quote!((#position) * extents[#last_index]), start(last));
        let Slice { name, plane, mutable, .. } = slice;
        let reference = if *mutable { quote!(&mut) } else { quote!(&) };
        quote! {
            let #name = #reference #plane[#position..][..run];
        }
    });
    let body = body(placed, kernel.axes);
    let mut nest = quote! {
        #(#bindings)*
        for i in 0..run {
            #body
        }
    };
    for axis in (0..last).rev() {
        let (row, extra) = (row(axis), to[axis] - from[axis]);
        let axis = Literal::usize_unsuffixed(axis);
        let end = plus(quote!(pairs[#axis]), extra);
        nest = quote! {
            for #row in 0..#end {
                #nest
            }
        };
    }
    quote! {
        let extents: [usize; #count] = [#(#extents),*];
        let run = #run;
        #nest
    }
}

/// The straight-line code of one position.
fn body(placed: &Placed, axes: usize) -> TokenStream {
    let graph = placed.graph;
    let nodes = graph.program().map(|(id, node)| {
        let name = ident(&names::value(id));
        let value = expression(graph, &node, axes);
        quote!(let #name = #value;)
    });
    let stores = graph.stores().iter().map(|store| {
        let name = slice_name(&store_base(placed, store.place.plane), &store.place, axes);
        let value = ident(&names::value(store.value));
        quote!(#name[i] = #value;)
    });
    quote! {
        #(#nodes)*
        #(#stores)*
    }
}

fn expression(graph: &Dag, node: &Node, axes: usize) -> TokenStream {
    let element = graph.element();
    let name = |id| ident(&names::value(id));
    match *node {
        Node::Value(place) => {
            let slice = slice_name(&names::plane(place.plane), &place, axes);
            quote!(#slice[i])
        }
        Node::Zero => number(element, 0.0),
        Node::Add(a, b) => add(element, &name(a), &quote::ToTokens::to_token_stream(&name(b))),
        Node::Sub(a, b) => {
            let (a, b) = (name(a), name(b));
            if element.is_integer() { quote!(#a.wrapping_sub(#b)) } else { quote!(#a - #b) }
        }
        Node::Neg(a) => {
            let a = name(a);
            if element.is_integer() { quote!(#a.wrapping_neg()) } else { quote!(-#a) }
        }
        Node::Mul(c, a) => mul(element, c.0, &name(a)),
        Node::MulAdd { factor, value, addend } => {
            let product = mul(element, factor.0, &name(value));
            add(element, &name(addend), &product)
        }
        Node::FloorShift { value, offset, shift } => {
            let shift = Literal::u32_unsuffixed(shift);
            let sum = match offset {
                0 => quote::ToTokens::to_token_stream(&name(value)),
                _ => add(element, &name(value), &number(element, offset as f64)),
            };
            quote!(#sum >> #shift)
        }
    }
}

fn add(element: Element, a: &Ident, b: &TokenStream) -> TokenStream {
    if element.is_integer() { quote!(#a.wrapping_add(#b)) } else { quote!(#a + #b) }
}

fn mul(element: Element, factor: f64, a: &Ident) -> TokenStream {
    let factor = number(element, factor);
    if element.is_integer() { quote!(#a.wrapping_mul(#factor)) } else { quote!(#a * #factor) }
}

/// `tokens + value`, without a zero.
fn plus(tokens: TokenStream, value: i32) -> TokenStream {
    if value == 0 {
        return tokens;
    }
    let value = index(value);
    quote!(#tokens + #value)
}

/// An index that the layout proves not to be negative.
fn index(value: i32) -> Literal {
    Literal::usize_unsuffixed(usize::try_from(value).unwrap_or(0))
}
