//! The error type of a module.

use super::transform::Names;
use super::{Plan, ident, view};
use proc_macro2::TokenStream;
use quote::quote;

/// The type with its texts.
pub(super) fn item(plan: &Plan, names: &Names) -> TokenStream {
    let Names { error, visibility, .. } = names;
    let sample = ident(plan.element.name());
    let (overflow, overflow_text) = plan
        .bound
        .map(|_| {
            let variant = quote! {
                /// A sample for which intermediate values could overflow.
                Overflow {
                    /// Where it is.
                    index: usize,
                    /// The largest magnitude allowed.
                    bound: #sample,
                },
            };
            let text = quote! {
                Self::Overflow { index, bound } => ::core::write!(
                    f,
                    "sample {index} is larger in magnitude than {bound}: it could overflow"
                ),
            };
            (variant, text)
        })
        .unwrap_or_default();
    let (memory, memory_text) = match plan.allocates {
        true => (TokenStream::new(), TokenStream::new()),
        false => (
            quote! {
                /// Too little memory was lent.
                MemoryLength {
                    /// What is needed.
                    expected: usize,
                    /// What was given.
                    got: usize,
                },
            },
            quote! {
                Self::MemoryLength { expected, got } => {
                    ::core::write!(f, "expected memory of {expected} samples, got {got}")
                }
            },
        ),
    };
    let (views, views_text) =
        plan.views.as_ref().map(|_| view::errors(plan.dims)).unwrap_or_default();
    quote! {
        /// Why an array cannot be transformed.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #visibility enum #error {
            /// An axis that the mode cannot transform.
            Axis {
                /// Which axis.
                axis: usize,
                /// At which level, 1 being the finest.
                level: usize,
                /// Its length there.
                len: usize,
                /// What is wrong with it.
                reason: &'static str,
            },
            /// More values than memory holds.
            TooLarge,
            /// The signal has another length than the shape says.
            SignalLength {
                /// What is needed.
                expected: usize,
                /// What was given.
                got: usize,
            },
            /// The coefficients have another length than the bands need.
            CoefficientLength {
                /// What is needed.
                expected: usize,
                /// What was given.
                got: usize,
            },
            #memory
            #overflow
            #views
        }

        impl ::core::fmt::Display for #error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    Self::Axis { axis, level, len, reason } => ::core::write!(
                        f,
                        "axis {axis} has length {len} at level {level}: {reason}"
                    ),
                    Self::TooLarge => f.write_str("the array is too large for memory"),
                    Self::SignalLength { expected, got } => {
                        ::core::write!(f, "expected a signal of {expected} samples, got {got}")
                    }
                    Self::CoefficientLength { expected, got } => {
                        ::core::write!(f, "expected {expected} coefficients, got {got}")
                    }
                    #memory_text
                    #overflow_text
                    #views_text
                }
            }
        }

        impl ::core::error::Error for #error {}
    }
}
