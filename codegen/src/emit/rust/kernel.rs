//! Each operation as a type that implements the support code's `Kernel`.

use super::across::across;
use super::along::{self, along};
use super::layout::{Layout, layout};
use super::schedule::Schedule;
use super::segment::{self, Function};
use super::{ident, names};
use crate::kernel::Operation;
use crate::pipeline::Prepared;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// A prepared kernel, laid out.
pub(super) struct Written<'a> {
    pub prepared: &'a Prepared,
    pub layout: Layout<'a>,
}

impl<'a> Written<'a> {
    pub fn new(prepared: &'a Prepared) -> Self {
        Self { prepared, layout: layout(prepared) }
    }

    /// Buffers of a block: one per plane, and second ones if any segment needs one.
    pub fn buffers(&self) -> usize {
        if self.prepared.kernel.axes == 1 {
            return along::buffers(&self.prepared.kernel, &self.layout);
        }
        let planes = self.prepared.kernel.planes();
        let spares = self.layout.segments.iter().any(|placed| {
            (0..planes).any(|plane| placed.written().contains(&plane) && placed.needs_spare(plane))
        });
        if spares { 2 * planes } else { planes }
    }

    /// The type, its functions and its implementation of `Kernel`, in a module of its own. `outer` tells
    /// whether a separable transform has axes other than the last.
    pub fn item(&self, buffers: usize, outer: bool) -> TokenStream {
        let kernel = &self.prepared.kernel;
        let module = ident(names::operation(kernel.operation));
        let name = type_of(kernel.operation);
        let about = format!(" {}.", about(kernel.operation));
        let extends = !kernel.operation.is_adjoint();
        let before = per_axis(kernel.axes, |axis| self.layout.before[axis]);
        let after = per_axis(kernel.axes, |axis| self.layout.after[axis]);
        let (reach, rest, items) = match kernel.axes {
            1 => self.lines(outer),
            _ => self.boxes(buffers),
        };
        quote! {
            #[doc = #about]
            pub mod #module {
                use super::*;

                pub struct #name;

                impl Kernel for #name {
                    const EXTENDS: bool = #extends;
                    const BEFORE: #reach = #before;
                    const AFTER: #reach = #after;
                    #rest
                }
                #items
            }
        }
    }

    /// A kernel of one axis: the type of distances, what else the implementation has, and functions.
    fn lines(&self, outer: bool) -> (TokenStream, TokenStream, TokenStream) {
        let along = along(&self.prepared.kernel, &self.layout);
        let (body, mut items) = (along.body, along.items);
        let rest = quote! {
            #[inline(always)]
            fn along<const FUSED: bool>(
                x: [&[Sample]; 2],
                buffers: [&mut [Sample]; BUFFERS],
                low: &mut [Sample],
                high: &mut [Sample],
            ) {
                #body
            }
        };
        if outer {
            let schedule = Schedule::new(self.prepared);
            let across = across(&schedule);
            let (body, item) = (across.body, across.item);
            let delay = along::index(schedule.delay);
            let warm = Literal::usize_unsuffixed(schedule.warm);
            let name = type_of(self.prepared.kernel.operation);
            items.extend(quote! {
                impl Across for #name {
                    const DELAY: usize = #delay;
                    const WARM: usize = #warm;
                    #[inline(always)]
                    fn across<const FUSED: bool>(
                        at: usize,
                        loads: &[[&[Sample]; WINDOW]; 2],
                        carried: &mut [Sample],
                        part: Part,
                        low: &mut [Sample],
                        high: &mut [Sample],
                    ) {
                        #body
                    }
                }
                #item
            });
        }
        (quote!(usize), rest, items)
    }

    /// A kernel of all axes, in the same way.
    fn boxes(&self, buffers: usize) -> (TokenStream, TokenStream, TokenStream) {
        let kernel = &self.prepared.kernel;
        let functions: Vec<Function> = self
            .layout
            .segments
            .iter()
            .map(|placed| segment::function(kernel, &self.layout, placed))
            .collect();
        let (items, calls): (Vec<_>, Vec<_>) =
            functions.into_iter().map(|function| (function.item, function.call)).unzip();
        let planes = kernel.planes();
        let mut handles: Vec<Ident> = (0..planes).map(|p| ident(&names::plane(p))).collect();
        handles.extend((0..planes).map(|p| ident(&names::spare(p))));
        handles.truncate(buffers);
        let used = |handle: &&Ident| {
            let text = handle.to_string();
            items.iter().any(|item: &TokenStream| mentions(item, &text))
        };
        let bindings =
            handles.iter().map(|handle| if used(&handle) { quote!(#handle) } else { quote!(_) });
        let outputs = kernel.outputs.iter().map(|output| {
            let plane = Literal::usize_unsuffixed(output.plane);
            let at = per_axis(kernel.axes, |axis| self.layout.before[axis] + output.offset[axis]);
            quote!((#plane, #at))
        });
        let axes = Literal::usize_unsuffixed(kernel.axes);
        let sizes = Literal::usize_unsuffixed(1 << kernel.axes);
        let unused = calls.is_empty().then(|| quote!(let _ = (planes, pairs);));
        let bind = (!calls.is_empty()).then(|| quote!(let [#(#bindings),*] = &mut planes.buffers;));
        let rest = quote! {
            const OUTPUTS: [(usize, [usize; #axes]); #sizes] = [#(#outputs),*];
            fn run<const FUSED: bool>(planes: &mut Planes<impl Memory>, pairs: [usize; #axes]) {
                #unused
                #bind
                #(#calls)*
            }
        };
        (quote!([usize; #axes]), rest, quote!(#(#items)*))
    }

    /// Pairs around a block, both sides together.
    pub fn halo(&self, axis: usize) -> usize {
        usize::try_from(self.layout.before[axis] + self.layout.after[axis]).unwrap_or(0)
    }
}

/// Whether an identifier occurs in tokens.
pub(super) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// A number in 1-D, an array otherwise. The layout proves the values not to be negative.
fn per_axis(axes: usize, value: impl Fn(usize) -> i32) -> TokenStream {
    let values =
        (0..axes).map(|axis| Literal::usize_unsuffixed(usize::try_from(value(axis)).unwrap_or(0)));
    if axes == 1 { quote!(#(#values)*) } else { quote!([#(#values),*]) }
}

/// The type of an operation.
pub(super) fn type_of(operation: Operation) -> Ident {
    ident(match operation {
        Operation::Forward => "Forward",
        Operation::Inverse => "Inverse",
        Operation::AdjointForward => "Adjoint",
        Operation::AdjointInverse => "AdjointOfInverse",
    })
}

fn about(operation: Operation) -> &'static str {
    match operation {
        Operation::Forward => "Signal to bands",
        Operation::Inverse => "Bands to signal",
        Operation::AdjointForward => "The adjoint of forward: bands to signal",
        Operation::AdjointInverse => "The adjoint of inverse: signal to bands",
    }
}
