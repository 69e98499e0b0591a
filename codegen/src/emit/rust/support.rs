//! The code that does not depend on the wavelet, in the pieces that a module needs.

use super::{EmitError, Plan};
use proc_macro2::TokenStream;
use quote::quote;
use std::str::FromStr;

macro_rules! pieces {
    ($($name:ident = $file:literal;)*) => {
        $(const $name: &str = include_str!(concat!("support/", $file));)*
    };
}

pieces! {
    ALONG = "along.rs";
    FIELD = "field.rs";
    FLOW = "flow.rs";
    HEAP = "heap.rs";
    JOIN_INNER = "join_inner.rs";
    JOIN_OUTER = "join_outer.rs";
    LENT = "lent.rs";
    LEVELS = "levels.rs";
    LINE = "line.rs";
    LONE = "lone.rs";
    NONSEPARABLE = "nonseparable.rs";
    OUTER = "outer.rs";
    PART = "part.rs";
    PART_FLOW = "part_flow.rs";
    PLAIN = "plain.rs";
    SPLIT_INNER = "split_inner.rs";
    SPLIT_OUTER = "split_outer.rs";
    STAGES = "stages.rs";
    STREAM = "stream.rs";
    STRIP = "strip.rs";
    SWEEP = "sweep.rs";
    TRANSFORM = "transform.rs";
    VIEW = "view.rs";
}

/// Everything but the views.
pub(super) fn code(plan: &Plan) -> Result<TokenStream, EmitError> {
    let memory = if plan.allocates { HEAP } else { LENT };
    let mut pieces = vec![TRANSFORM, memory, LINE];
    if plan.library.is_none() {
        pieces.push(PLAIN);
    }
    let streams = plan.separable && plan.dims == 1 && plan.levels > 1;
    match streams {
        true => pieces.extend([PART, STREAM]),
        false => pieces.push(LEVELS),
    }
    if streams && plan.flow.is_some() {
        pieces.push(PART_FLOW);
    }
    let [split, join] = plan.last_first;
    match (plan.separable, plan.dims) {
        (false, _) => pieces.extend([NONSEPARABLE, FIELD]),
        (true, 1) if plan.flow.is_some() => pieces.extend([ALONG, FLOW, STAGES, LONE]),
        (true, 1) => pieces.extend([ALONG, STRIP, LONE]),
        (true, _) => pieces.extend([
            ALONG,
            STRIP,
            SWEEP,
            OUTER,
            if split { SPLIT_INNER } else { SPLIT_OUTER },
            if join { JOIN_INNER } else { JOIN_OUTER },
        ]),
    }
    let library = plan.library.as_ref().map(|path| match plan.flow {
        Some(_) => quote!(use #path::vector::{Pass, Vectors, pass};),
        None => quote!(use #path::vector::{Work, dispatch};),
    });
    let fetch = (plan.separable && plan.dims > 1).then(|| fetch(plan.library.as_ref()));
    let fuses = !plan.element.is_integer() && plan.flow.is_none();
    let fused = plan.library.as_ref().filter(|_| fuses).map(fused);
    let pieces = pieces.into_iter().map(tokens).collect::<Result<Vec<_>, _>>()?;
    Ok(quote!(#library #fetch #(#pieces)* #fused))
}

/// A product and a sum, at once where the machine does that.
fn fused(library: &TokenStream) -> TokenStream {
    quote! {
        #[inline(always)]
        fn fused<const FUSED: bool>(a: Sample, b: Sample, c: Sample) -> Sample {
            if FUSED { #library::vector::mul_add(a, b, c) } else { plus(times(a, b), c) }
        }
    }
}

/// Asking for memory that is read soon, which only the library can.
fn fetch(library: Option<&TokenStream>) -> TokenStream {
    match library {
        Some(path) => quote!(use #path::vector::fetch;),
        None => quote! {
            /// Asks for memory that is read soon, where that is possible.
            #[inline(always)]
            fn fetch(_: &[Sample]) {}
        },
    }
}

/// What methods on views need.
pub(super) fn views() -> Result<TokenStream, EmitError> {
    tokens(VIEW)
}

fn tokens(text: &str) -> Result<TokenStream, EmitError> {
    TokenStream::from_str(text)
        .map_err(|error| EmitError::Unparsable { reason: error.to_string(), text: text.to_owned() })
}
