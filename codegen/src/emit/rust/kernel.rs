//! Each operation as a type that implements the support code's `Kernel`.

use super::layout::{Layout, layout};
use super::segment::{self, Function};
use super::{ident, names};
use crate::kernel::Operation;
use crate::pipeline::Prepared;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use waveloom_wavelets::algebra::Exponent;

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
        let planes = self.prepared.kernel.planes();
        let spares = self.layout.segments.iter().any(|placed| {
            (0..planes).any(|plane| placed.written().contains(&plane) && placed.needs_spare(plane))
        });
        if spares { 2 * planes } else { planes }
    }

    /// The type, its functions and its implementation of `Kernel`, in a module of its own.
    pub fn item(&self, buffers: usize) -> TokenStream {
        let kernel = &self.prepared.kernel;
        let functions: Vec<Function> = self
            .layout
            .segments
            .iter()
            .map(|placed| segment::function(kernel, &self.layout, placed))
            .collect();
        let (items, calls): (Vec<_>, Vec<_>) =
            functions.into_iter().map(|function| (function.item, function.call)).unzip();
        let module = ident(names::operation(kernel.operation));
        let name = type_of(kernel.operation);
        let about = format!(" {}.", about(kernel.operation));
        let extends = !kernel.operation.is_adjoint();
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
        let before = of_axes(kernel.axes, &self.layout.before);
        let after = of_axes(kernel.axes, &self.layout.after);
        let (extent, sizes, reach) = match kernel.axes {
            1 => (quote!(pairs: usize, lanes: usize), 2, quote!(usize)),
            axes => {
                let axes_literal = Literal::usize_unsuffixed(axes);
                (quote!(pairs: [usize; #axes_literal]), 1 << axes, quote!([usize; #axes_literal]))
            }
        };
        let sizes = Literal::usize_unsuffixed(sizes);
        let unused = calls.is_empty().then(|| match kernel.axes {
            1 => quote!(let _ = (planes, pairs, lanes);),
            _ => quote!(let _ = (planes, pairs);),
        });
        let bind = (!calls.is_empty()).then(|| quote!(let [#(#bindings),*] = &mut planes.buffers;));
        quote! {
            #[doc = #about]
            pub mod #module {
                use super::{Kernel, Memory, Planes, Sample};

                pub struct #name;

                impl Kernel for #name {
                    const EXTENDS: bool = #extends;
                    const BEFORE: #reach = #before;
                    const AFTER: #reach = #after;
                    const OUTPUTS: [(usize, #reach); #sizes] = [#(#outputs),*];
                    fn run(planes: &mut Planes<impl Memory>, #extent) {
                        #unused
                        #bind
                        #(#calls)*
                    }
                }
                #(#items)*
            }
        }
    }

    /// Pairs around a block, both sides together.
    pub fn halo(&self, axis: usize) -> usize {
        usize::try_from(self.layout.before[axis] + self.layout.after[axis]).unwrap_or(0)
    }
}

/// Whether an identifier occurs in tokens.
fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

fn of_axes(axes: usize, values: &Exponent) -> TokenStream {
    per_axis(axes, |axis| values[axis])
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
