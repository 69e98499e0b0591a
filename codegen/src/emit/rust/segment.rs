//! One segment of a kernel of all axes as a function: slices for every place that is read or written,
//! and one loop.
//!
//! Planes lie as `[pair][pair]…`. The innermost loop runs over consecutive values of every slice, along
//! `k` on the last axis. All slices of a loop have its length, so that bounds are checked once.

use super::along::plus;
use super::expression::body;
use super::ident;
use super::layout::{Layout, Placed};
use crate::dag::Place;
use crate::emit::names;
use crate::kernel::Kernel;
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
    let body = rows(kernel, layout, placed);
    let axes = Literal::usize_unsuffixed(kernel.axes);
    let about = about(kernel, placed);
    Function {
        item: quote! {
            #[doc = #about]
            #[inline(always)]
            fn #name<const FUSED: bool>(#(#parameters,)* pairs: [usize; #axes]) {
                #body
            }
        },
        call: quote! {
            #name::<FUSED>(#(#arguments,)* pairs);
            #(#swaps)*
        },
    }
}

/// What a segment is, costs and computes, for its documentation.
pub(super) fn about(kernel: &Kernel, placed: &Placed) -> String {
    let note = if kernel.axes == 1 { "" } else { " on every axis" };
    let (from, to) = (placed.region.from, placed.region.to);
    format!(
        " {}: {}, for pairs `{}` of a block{note}.",
        kinds(kernel, placed),
        placed.graph.counts(),
        span(&from[..kernel.axes], &to[..kernel.axes]),
    )
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
pub(super) fn slice_name(prefix: &str, place: &Place, axes: usize) -> Ident {
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
    let body = body(
        placed.graph,
        |leaf| slice_name(&names::plane(leaf.plane), leaf, kernel.axes),
        |place| slice_name(&store_base(placed, place.plane), place, kernel.axes),
    );
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
