//! The ndarray front: views of any layout in, arrays out.

use super::Plan;
use super::transform::Names;
use crate::emit::names;
use crate::kernel::Side;
use proc_macro2::{Ident, Literal, TokenStream};
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
            write!(f, "expected a signal of shape {expected:?}, got {got:?}")
        }
        Self::BandCount { expected, got } => write!(f, "expected {expected} bands, got {got}"),
        Self::BandShape { key, expected, got } => {
            write!(f, "expected band {key} of shape {expected:?}, got {got:?}")
        }
    };
    (variants, texts)
}

/// `forward_view`, `inverse_view`, … beside the slice methods.
pub(super) fn items(plan: &Plan, names: &Names, ndarray: &TokenStream) -> TokenStream {
    let Names { transform, .. } = names;
    let dimension = format_ident!("Ix{}", plan.dims);
    let methods = plan.operations.iter().map(|one| {
        let operation = one.kernel.operation;
        let slice = Ident::new(names::operation(operation), proc_macro2::Span::call_site());
        let name = format_ident!("{slice}_view");
        match operation.input() {
            Side::Signal => quote! {
                /// The same for a view of any layout; the bands come back as arrays, in the order of
                /// [`Self::bands`].
                ///
                /// # Errors
                /// As for slices, or the view has another shape.
                pub fn #name(
                    &mut self,
                    signal: ndarray::ArrayView<'_, Sample, ndarray::#dimension>,
                ) -> Result<Vec<ndarray::Array<Sample, ndarray::#dimension>>, Error> {
                    let signal = self.contiguous_signal(&signal)?;
                    let mut coefficients = zeros(Some(self.coefficient_len))?;
                    self.#slice(&signal, &mut coefficients)?;
                    self.bands
                        .iter()
                        .map(|band| {
                            let values = coefficients[band.offset..][..band.len].to_vec();
                            array(band.shape, values)
                        })
                        .collect()
                }
            },
            Side::Bands => quote! {
                /// The same for views of any layout, one per band in the order of [`Self::bands`].
                ///
                /// # Errors
                /// As for slices, or a view has another shape.
                pub fn #name(
                    &mut self,
                    bands: &[ndarray::ArrayView<'_, Sample, ndarray::#dimension>],
                ) -> Result<ndarray::Array<Sample, ndarray::#dimension>, Error> {
                    let coefficients = self.contiguous_bands(bands)?;
                    let mut signal = zeros(Some(self.signal_len))?;
                    self.#slice(&coefficients, &mut signal)?;
                    array(self.shape, signal)
                }
            },
        }
    });
    quote! {
        use #ndarray as ndarray;

        /// An array of a shape; its values are as many as the shape says.
        fn array(
            shape: [usize; AXES],
            values: Vec<Sample>,
        ) -> Result<ndarray::Array<Sample, ndarray::#dimension>, Error> {
            ndarray::Array::from_shape_vec(shape, values).map_err(|_| Error::TooLarge)
        }

        /// A view's extents.
        fn shape_of(view: &ndarray::ArrayView<'_, Sample, ndarray::#dimension>) -> [usize; AXES] {
            core::array::from_fn(|axis| view.len_of(ndarray::Axis(axis)))
        }

        impl #transform {
            #(#methods)*

            fn contiguous_signal(
                &self,
                view: &ndarray::ArrayView<'_, Sample, ndarray::#dimension>,
            ) -> Result<Vec<Sample>, Error> {
                let got = shape_of(view);
                if got != self.shape {
                    return Err(Error::SignalShape { expected: self.shape, got });
                }
                Ok(view.iter().copied().collect())
            }

            fn contiguous_bands(
                &self,
                views: &[ndarray::ArrayView<'_, Sample, ndarray::#dimension>],
            ) -> Result<Vec<Sample>, Error> {
                if views.len() != BANDS {
                    return Err(Error::BandCount { expected: BANDS, got: views.len() });
                }
                let mut all = Vec::with_capacity(self.coefficient_len);
                for (band, view) in self.bands.iter().zip(views) {
                    let got = shape_of(view);
                    if got != band.shape {
                        let (key, expected) = (band.key, band.shape);
                        return Err(Error::BandShape { key, expected, got });
                    }
                    all.extend(view.iter().copied());
                }
                Ok(all)
            }
        }
    }
}
