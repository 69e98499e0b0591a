//! The nodes of a graph as expressions.

use super::{ident, number};
use crate::dag::{Dag, Node, NodeId, Place};
use crate::emit::names;
use crate::kernel::Element;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

/// A node other than a value of a plane, by the names of its operands. Products that are added at once
/// go through `fused`, whose text stands in the support code.
pub(super) fn expression(
    element: Element,
    node: &Node,
    name: impl Fn(NodeId) -> Ident,
) -> TokenStream {
    match *node {
        Node::Value(_) | Node::Zero => number(element, 0.0),
        Node::Add(a, b) => add(element, &name(a), &name(b).into_token_stream()),
        Node::Sub(a, b) => {
            let (a, b) = (name(a), name(b));
            if element.is_integer() { quote!(#a.wrapping_sub(#b)) } else { quote!(#a - #b) }
        }
        Node::Neg(a) => {
            let a = name(a);
            if element.is_integer() { quote!(#a.wrapping_neg()) } else { quote!(-#a) }
        }
        Node::Mul(c, a) => mul(element, c.0, &name(a)),
        Node::MulAdd { factor, value, addend } if element.is_integer() => {
            let product = mul(element, factor.0, &name(value));
            add(element, &name(addend), &product)
        }
        Node::MulAdd { factor, value, addend } => {
            let (factor, value, addend) = (number(element, factor.0), name(value), name(addend));
            quote!(fused::<FUSED>(#value, #factor, #addend))
        }
        Node::FloorShift { value, offset, shift } => {
            let shift = Literal::u32_unsuffixed(shift);
            let sum = match offset {
                0 => name(value).into_token_stream(),
                _ => add(element, &name(value), &number(element, offset as f64)),
            };
            quote!(#sum >> #shift)
        }
    }
}

/// The straight-line code of one position: a graph whose leaves and stores have names.
pub(super) fn body(
    graph: &Dag,
    leaf: impl Fn(&Place) -> Ident,
    store: impl Fn(&Place) -> Ident,
) -> TokenStream {
    let name = |id| ident(&names::value(id));
    let nodes = graph.program().map(|(id, node)| {
        let own = name(id);
        let value = match node {
            Node::Value(place) => {
                let slice = leaf(&place);
                quote!(#slice[i])
            }
            _ => expression(graph.element(), &node, name),
        };
        quote!(let #own = #value;)
    });
    let stores = graph.stores().iter().map(|written| {
        let (slice, value) = (store(&written.place), name(written.value));
        quote!(#slice[i] = #value;)
    });
    quote! {
        #(#nodes)*
        #(#stores)*
    }
}

fn add(element: Element, a: &Ident, b: &TokenStream) -> TokenStream {
    if element.is_integer() { quote!(#a.wrapping_add(#b)) } else { quote!(#a + #b) }
}

fn mul(element: Element, factor: f64, a: &Ident) -> TokenStream {
    let factor = number(element, factor);
    if element.is_integer() { quote!(#a.wrapping_mul(#factor)) } else { quote!(#a * #factor) }
}
