//! The ndarray front: views of any layout in, arrays out.

use super::transform::Names;
use super::{Plan, ident};
use crate::emit::names;
use crate::kernel::Side;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// Error variants and their texts.
pub(super) fn errors(dims: usize) -> (TokenStream, TokenStream) {
    let dims = Literal::usize_unsuffixed(dims);
    let variants = quote! {
        /// A view of a signal has another shape.
        SignalShape {
            /// What is needed.
            expected: [usize; #dims],
            /// What was given.
            got: [usize; #dims],
        },
        /// Another number of bands.
        BandCount {
            /// What is needed.
            expected: usize,
            /// What was given.
            got: usize,
        },
        /// A view of a band has another shape.
        BandShape {
            /// Which band.
            key: &'static str,
            /// What is needed.
            expected: [usize; #dims],
            /// What was given.
            got: [usize; #dims],
        },
    };
    let texts = quote! {
        Self::SignalShape { expected, got } => {
            ::core::write!(f, "expected a signal of shape {expected:?}, got {got:?}")
        }
        Self::BandCount { expected, got } => {
            ::core::write!(f, "expected {expected} bands, got {got}")
        }
        Self::BandShape { key, expected, got } => {
            ::core::write!(f, "expected band {key} of shape {expected:?}, got {got:?}")
        }
    };
    (variants, texts)
}

/// `forward_view`, `inverse_view`, … of the public type.
pub(super) fn methods(plan: &Plan, names: &Names, ndarray: &TokenStream) -> TokenStream {
    let Names { error, support, .. } = names;
    let dimension = format_ident!("Ix{}", plan.dims);
    let sample = ident(plan.element.name());
    let array = quote!(#ndarray::Array<#sample, #ndarray::#dimension>);
    let view = quote!(#ndarray::ArrayView<'_, #sample, #ndarray::#dimension>);
    let methods = plan.operations.iter().map(|one| {
        let operation = one.kernel.operation;
        let slice = ident(names::operation(operation));
        let name = format_ident!("{slice}_view");
        let about = format!(" [`Self::{slice}`] for");
        match operation.input() {
            Side::Signal => {
                let about = format!(
                    "{about} a view of any layout; the bands come back as arrays, in the order of \
                     [`Self::bands`]."
                );
                quote! {
                    #[doc = #about]
                    ///
                    /// # Errors
                    /// The view has another shape, or what the method for slices refuses.
                    pub fn #name(
                        &mut self,
                        signal: #view,
                    ) -> ::core::result::Result<#support::Owned<#array>, #error> {
                        let signal = self.inner.signal_of(&signal)?;
                        let mut coefficients = self.inner.empty_coefficients()?;
                        self.#slice(&signal, &mut coefficients)?;
                        self.inner.arrays_of(&coefficients)
                    }
                }
            }
            Side::Bands => {
                let about = format!(
                    "{about} views of any layout, one per band in the order of [`Self::bands`]."
                );
                quote! {
                    #[doc = #about]
                    ///
                    /// # Errors
                    /// A view has another shape.
                    pub fn #name(
                        &mut self,
                        bands: &[#view],
                    ) -> ::core::result::Result<#array, #error> {
                        let coefficients = self.inner.coefficients_of(bands)?;
                        let mut signal = self.inner.empty_signal()?;
                        self.#slice(&coefficients, &mut signal)?;
                        self.inner.array_of(signal)
                    }
                }
            }
        }
    });
    quote!(#(#methods)*)
}

/// What the methods need, beside the other support code.
pub(super) fn support(plan: &Plan, ndarray: &TokenStream) -> TokenStream {
    let dimension = format_ident!("Ix{}", plan.dims);
    quote! {
        use #ndarray as ndarray;

        type Array = ndarray::Array<Sample, ndarray::#dimension>;
        type View<'a> = ndarray::ArrayView<'a, Sample, ndarray::#dimension>;
    }
}
