//! A kernel along a line: a block of pairs goes through the segments, one loop each.
//!
//! The first segment reads the planes as they were loaded, which may be the bands themselves; every
//! other reads buffers. What is an output goes to its place as soon as a segment computes just that.

use super::expression::body;
use super::layout::{Layout, Placed};
use super::segment::{about, slice_name};
use super::{ident, names};
use crate::dag::Place;
use crate::kernel::Kernel;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// Where a plane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// As it was loaded.
    Loaded,
    /// In its buffer, or in its second one.
    Buffer(bool),
    /// Where the outputs of a channel go.
    Output(usize),
}

impl Home {
    fn name(self, plane: usize) -> Ident {
        match self {
            Home::Loaded => format_ident!("x{plane}"),
            Home::Buffer(false) => ident(&names::plane(plane)),
            Home::Buffer(true) => ident(&names::spare(plane)),
            Home::Output(0) => ident("low"),
            Home::Output(_) => ident("high"),
        }
    }

    /// What slices at places of it are called after.
    fn prefix(self, plane: usize) -> String {
        match self {
            Home::Output(_) => format!("out{plane}"),
            _ => self.name(plane).to_string(),
        }
    }
}

/// A kernel along a line.
pub(super) struct Along {
    /// The body of `along`.
    pub body: TokenStream,
    /// The functions of the segments.
    pub items: TokenStream,
}

/// A segment with the homes of the planes that it reads and writes.
struct Section<'a> {
    placed: &'a Placed<'a>,
    reads: Vec<Home>,
    writes: Vec<(Place, Home)>,
}

/// Writes the segments of a kernel.
pub(super) fn along(kernel: &Kernel, layout: &Layout) -> Along {
    let mut homes = vec![Home::Loaded; kernel.planes()];
    let mut functions = Vec::new();
    let mut calls = Vec::new();
    for (at, placed) in layout.segments.iter().enumerate() {
        let reads = homes.clone();
        let mut writes = Vec::new();
        for store in placed.graph.stores() {
            let (place, plane) = (store.place, store.place.plane);
            let home = match output(kernel, layout, at, &place) {
                Some(channel) => Home::Output(channel),
                None => match homes[plane] {
                    Home::Loaded | Home::Output(_) => Home::Buffer(false),
                    Home::Buffer(second) => Home::Buffer(second ^ placed.needs_spare(plane)),
                },
            };
            writes.push((place, home));
            homes[plane] = home;
        }
        let section = Section { placed, reads, writes };
        functions.push(section.function(kernel, layout));
        calls.push(section.call(kernel));
    }
    let copies = kernel.outputs.iter().enumerate().filter_map(|(channel, output)| {
        let (plane, offset) = (output.plane, output.offset[0]);
        if homes[plane] == Home::Output(channel) {
            return None;
        }
        let (from, to) = (homes[plane].name(plane), Home::Output(channel).name(plane));
        let start = index(layout.before[0] + offset);
        Some(quote!(#to.copy_from_slice(&#from[#start..][..pairs]);))
    });
    let copies: Vec<TokenStream> = copies.collect();
    let pairs = !copies.is_empty() || !calls.is_empty();
    let size = pairs.then(|| quote!(let pairs = low.len();));
    let mentioned = |name: &Ident| {
        let mut all = calls.iter().chain(&copies);
        all.any(|tokens| super::kernel::mentions(tokens, &name.to_string()))
    };
    let planes = 0..kernel.planes();
    let loaded: Vec<Ident> = planes.clone().map(|p| Home::Loaded.name(p)).collect();
    let loaded = loaded.iter().map(|name| if mentioned(name) { quote!(#name) } else { quote!(_) });
    let buffers = [false, true]
        .into_iter()
        .flat_map(|second| planes.clone().map(move |plane| Home::Buffer(second).name(plane)));
    let buffers: Vec<Ident> = buffers.collect();
    let last = buffers.iter().rposition(mentioned).map_or(0, |last| last + 1);
    let buffers =
        buffers[..last].iter().map(|name| if mentioned(name) { quote!(#name) } else { quote!(_) });
    let bind = match last {
        0 => quote!(let _ = buffers;),
        _ => quote!(let [#(#buffers,)* ..] = buffers;),
    };
    Along {
        body: quote! {
            let [#(#loaded),*] = x;
            #bind
            #size
            #(#calls)*
            #(#copies)*
        },
        items: quote!(#(#functions)*),
    }
}

/// Buffers that a kernel needs.
pub(super) fn buffers(kernel: &Kernel, layout: &Layout) -> usize {
    let body = along(kernel, layout).body;
    let name = |plane: usize, second| Home::Buffer(second).name(plane).to_string();
    let uses = |second| {
        (0..kernel.planes()).any(|plane| super::kernel::mentions(&body, &name(plane, second)))
    };
    match (uses(false), uses(true)) {
        (_, true) => 2 * kernel.planes(),
        (true, false) => kernel.planes(),
        (false, false) => 0,
    }
}

/// The channel whose outputs a segment's store gives, just those, if nobody reads them later.
fn output(kernel: &Kernel, layout: &Layout, at: usize, place: &Place) -> Option<usize> {
    let region = layout.segments[at].region;
    let later = &layout.segments[at + 1..];
    let touched = later.iter().any(|placed| {
        let stores = placed.graph.stores().iter().map(|store| store.place);
        placed.graph.leaves().chain(stores).any(|other| other.plane == place.plane)
    });
    let channel = kernel.outputs.iter().position(|output| output.plane == place.plane)?;
    let offset = kernel.outputs[channel].offset[0];
    let just = [region.from[0], region.to[0]].iter().all(|end| end + place.offset[0] == offset);
    (just && !touched).then_some(channel)
}

impl Section<'_> {
    fn name(&self, kernel: &Kernel) -> Ident {
        ident(&names::segment(&kernel.segments[self.placed.index], self.placed.index))
    }

    /// The planes that are read and stay as they are.
    fn read(&self) -> impl Iterator<Item = usize> + '_ {
        let read = |plane: &usize| self.placed.graph.leaves().any(|leaf| leaf.plane == *plane);
        (0..self.reads.len()).filter(read).filter(|plane| !self.is_in_place(*plane))
    }

    fn is_in_place(&self, plane: usize) -> bool {
        let mut writes = self.writes.iter();
        writes.any(|(place, home)| place.plane == plane && *home == self.reads[plane])
    }

    fn arguments(&self) -> Vec<(Ident, bool)> {
        let reads = self.read().map(|plane| (self.reads[plane].name(plane), false));
        let writes = self.writes.iter().map(|(place, home)| (home.name(place.plane), true));
        reads.chain(writes).collect()
    }

    fn call(&self, kernel: &Kernel) -> TokenStream {
        let name = self.name(kernel);
        let arguments = self.arguments().into_iter().map(|(name, _)| name);
        quote!(#name::<FUSED>(#(#arguments,)* pairs);)
    }

    fn function(&self, kernel: &Kernel, layout: &Layout) -> TokenStream {
        let name = self.name(kernel);
        let about = about(kernel, self.placed);
        let parameters = self.arguments().into_iter().map(|(name, mutable)| match mutable {
            true => quote!(#name: &mut [Sample]),
            false => quote!(#name: &[Sample]),
        });
        let region = self.placed.region;
        let extra = region.to[0] - region.from[0];
        let run = if extra == 0 { quote!(pairs) } else { plus(quote!(pairs), extra) };
        let mut leaves: Vec<Place> = self.placed.graph.leaves().collect();
        leaves.sort_unstable();
        let prefix = |home: Home, plane: usize| home.prefix(plane);
        let mut bindings = Vec::new();
        for leaf in &leaves {
            let home = self.reads[leaf.plane];
            let slice = slice_name(&prefix(home, leaf.plane), leaf, 1);
            let start = layout.before[0] + region.from[0] + leaf.offset[0];
            let mutable = self.is_in_place(leaf.plane);
            bindings.push(cut(&slice, &home.name(leaf.plane), start, mutable));
        }
        for (place, home) in &self.writes {
            if self.is_in_place(place.plane) && leaves.contains(place) {
                continue;
            }
            let slice = slice_name(&prefix(*home, place.plane), place, 1);
            let start = match home {
                Home::Output(_) => 0,
                _ => layout.before[0] + region.from[0] + place.offset[0],
            };
            bindings.push(cut(&slice, &home.name(place.plane), start, true));
        }
        let home_of = |place: &Place| {
            self.writes.iter().find(|(other, _)| other == place).map(|(_, home)| *home)
        };
        let body = body(
            self.placed.graph,
            |leaf| slice_name(&prefix(self.reads[leaf.plane], leaf.plane), leaf, 1),
            |place| {
                let home = home_of(place).unwrap_or(Home::Buffer(false));
                slice_name(&prefix(home, place.plane), place, 1)
            },
        );
        quote! {
            #[doc = #about]
            #[inline(always)]
            fn #name<const FUSED: bool>(#(#parameters,)* pairs: usize) {
                let run = #run;
                #(#bindings)*
                for i in 0..run {
                    #body
                }
            }
        }
    }
}

/// `let slice = &mut plane[start..][..run];`
fn cut(slice: &Ident, plane: &Ident, start: i32, mutable: bool) -> TokenStream {
    let reference = if mutable { quote!(&mut) } else { quote!(&) };
    match start {
        ..1 => quote!(let #slice = #reference #plane[..run];),
        _ => {
            let start = index(start);
            quote!(let #slice = #reference #plane[#start..][..run];)
        }
    }
}

/// `tokens + value`, without a zero.
pub(super) fn plus(tokens: TokenStream, value: i32) -> TokenStream {
    if value == 0 {
        return tokens;
    }
    let value = index(value);
    quote!(#tokens + #value)
}

/// An index that the layout proves not to be negative.
pub(super) fn index(value: i32) -> Literal {
    Literal::usize_unsuffixed(usize::try_from(value).unwrap_or(0))
}
