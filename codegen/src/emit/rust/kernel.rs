//! Each operation as a type that implements the support code's `Kernel`.

use super::across::across;
use super::along::{self, along};
use super::flow::{Flow, flow};
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
    /// Its stages, if vectors pass through them in registers.
    flow: Option<Flow>,
}

impl<'a> Written<'a> {
    pub fn new(prepared: &'a Prepared, flows: bool) -> Self {
        let flow = if flows { flow(&Schedule::new(prepared)) } else { None };
        Self { prepared, layout: layout(prepared), flow }
    }

    /// Buffers of a block: one per plane, and second ones if any segment needs one.
    pub fn buffers(&self) -> usize {
        if self.flow.is_some() {
            return 0;
        }
        if self.prepared.kernel.axes == 1 {
            return along::buffers(&self.prepared.kernel, &self.layout);
        }
        let planes = self.prepared.kernel.planes();
        let spares = self.layout.segments.iter().any(|placed| {
            (0..planes).any(|plane| placed.written().contains(&plane) && placed.needs_spare(plane))
        });
        if spares { 2 * planes } else { planes }
    }

    /// The type, its functions and its implementation of `Kernel`, in a module of its own. `outer` is the
    /// number of pairs of lines in one loop, if a separable transform has axes other than the last.
    pub fn item(&self, buffers: usize, outer: Option<usize>) -> TokenStream {
        let kernel = &self.prepared.kernel;
        let module = ident(names::operation(kernel.operation));
        let name = type_of(kernel.operation);
        let about = format!(" {}.", about(kernel.operation));
        let extends = !kernel.operation.is_adjoint();
        let around: Vec<(i32, i32)> = (0..kernel.axes).map(|axis| self.around(axis)).collect();
        let before = per_axis(kernel.axes, |axis| around[axis].0);
        let after = per_axis(kernel.axes, |axis| around[axis].1);
        let (reach, rest, items) = match (&self.flow, kernel.axes) {
            (Some(flow), _) => stages(flow),
            (None, 1) => self.lines(outer),
            (None, _) => self.boxes(buffers),
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
    fn lines(&self, outer: Option<usize>) -> (TokenStream, TokenStream, TokenStream) {
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
        if let Some(pairs) = outer {
            let schedule = Schedule::new(self.prepared);
            let across = across(&schedule, pairs);
            let (body, functions) = (across.body, across.items);
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
                        loads: &[[&[Sample]; LINES]; 2],
                        carried: &mut [Sample],
                        part: Part,
                        ahead: Ahead<'_>,
                        low: &mut [&mut [Sample]],
                        high: &mut [&mut [Sample]],
                    ) {
                        #body
                    }
                }
                #functions
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

    /// Pairs before a block and after it.
    fn around(&self, axis: usize) -> (i32, i32) {
        if let Some(flow) = &self.flow {
            return flow.around;
        }
        (self.layout.before[axis], self.layout.after[axis])
    }

    /// Pairs around a block, both sides together.
    pub fn halo(&self, axis: usize) -> usize {
        let (before, after) = self.around(axis);
        usize::try_from(before + after).unwrap_or(0)
    }
}

/// Stages of a line: the type of distances, and what else the implementation has.
fn stages(flow: &Flow) -> (TokenStream, TokenStream, TokenStream) {
    let body = &flow.body;
    let rest = quote! {
        #[inline(always)]
        fn stages<V: Vectors<Sample>, const N: usize>(
            v: V,
            behind: &mut [V::Vector; DELAYS],
            even: [V::Vector; N],
            odd: [V::Vector; N],
        ) -> [[V::Vector; N]; 2] {
            #body
        }
    };
    (quote!(usize), rest, TokenStream::new())
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
