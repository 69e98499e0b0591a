//! The public type: construction, lengths, bands, and the operations.
//!
//! It is thin: everything it does is done by `Transform` in the support module. Its text says every
//! name in full, so that it means the same wherever it stands and whatever its user calls things.

use super::kernel::type_of;
use super::{Plan, ident, view};
use crate::emit::names;
use crate::kernel::{Operation, Side};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The names of a module.
pub(super) struct Names {
    pub transform: Ident,
    pub band: Ident,
    pub error: Ident,
    /// The module with everything that is not public.
    pub support: Ident,
    /// `pub` and the like, possibly nothing.
    pub visibility: TokenStream,
}

impl Names {
    pub fn new(name: &str, support: &str, visibility: TokenStream) -> Self {
        let transform = ident(name);
        Self {
            band: format_ident!("{transform}Band"),
            error: format_ident!("{transform}Error"),
            transform,
            support: ident(support),
            visibility,
        }
    }
}

/// The type and its implementation.
pub(super) fn items(plan: &Plan, names: &Names) -> TokenStream {
    let Names { transform, band, support, visibility, .. } = names;
    let docs = &plan.docs;
    let axes = Literal::usize_unsuffixed(plan.dims);
    let sample = ident(plan.element.name());
    let band_type = band_type(plan, names);
    let operations = plan.operations.iter().map(|one| operation(plan, names, one.kernel.operation));
    let views = plan.views.as_ref().map(|path| view::methods(plan, names, path));
    let bound = plan.bound.map(|bound| {
        let bound = Literal::i64_unsuffixed(bound);
        quote! {
            /// The largest magnitude of a sample for which no intermediate value can overflow.
            pub const MAX_INPUT: #sample = #bound;
        }
    });
    let new = construction(plan, names);
    let (lifetime, memory) = match plan.allocates {
        true => (TokenStream::new(), quote!(#support::Owned<#sample>)),
        false => (quote!(<'w>), quote!(&'w mut [#sample])),
    };
    quote! {
        #(#[doc = #docs])*
        #[derive(Debug)]
        #visibility struct #transform #lifetime {
            inner: #support::Transform<#memory>,
        }

        #band_type

        impl #lifetime #transform #lifetime {
            #bound

            #new

            /// The shape of the arrays.
            pub fn shape(&self) -> [usize; #axes] {
                self.inner.shape
            }

            /// Number of samples: the product of the shape.
            pub fn signal_len(&self) -> usize {
                self.inner.signal_len
            }

            /// Number of coefficients, all bands together.
            pub fn coefficient_len(&self) -> usize {
                self.inner.coefficient_len
            }

            /// The bands, coarsest first, each contiguous in C order in the coefficients.
            pub fn bands(&self) -> &[#band] {
                &self.inner.bands
            }

            #(#operations)*
            #views
        }
    }
}

/// `new`, and what it needs.
fn construction(plan: &Plan, names: &Names) -> TokenStream {
    let Names { error, support, .. } = names;
    let axes = Literal::usize_unsuffixed(plan.dims);
    let sample = ident(plan.element.name());
    if plan.allocates {
        return quote! {
            /// Prepares transforms of arrays of the given shape (C order): computes the lengths of
            /// all bands and allocates all memory that transforms need.
            ///
            /// # Errors
            /// The mode is not defined for this shape, or memory does not suffice.
            pub fn new(shape: [usize; #axes]) -> ::core::result::Result<Self, #error> {
                let inner = #support::Transform::new(shape, &mut #support::Heap)?;
                ::core::result::Result::Ok(Self { inner })
            }
        };
    }
    quote! {
        /// Samples of the memory that transforms of arrays of the given shape need.
        ///
        /// # Errors
        /// The mode is not defined for this shape, or the number is too large.
        pub fn memory_len(
            shape: [usize; #axes],
        ) -> ::core::result::Result<usize, #error> {
            let mut needed = #support::Needed(0);
            #support::Transform::new(shape, &mut needed)?;
            ::core::result::Result::Ok(needed.0)
        }

        /// Prepares transforms of arrays of the given shape (C order): computes the lengths of all
        /// bands. Nothing is allocated: transforms work in `memory`, of at least
        /// [`Self::memory_len`] samples, whatever they are.
        ///
        /// # Errors
        /// The mode is not defined for this shape, or memory does not suffice.
        pub fn new(
            shape: [usize; #axes],
            memory: &'w mut [#sample],
        ) -> ::core::result::Result<Self, #error> {
            let (expected, got) = (Self::memory_len(shape)?, memory.len());
            if got < expected {
                return ::core::result::Result::Err(#error::MemoryLength { expected, got });
            }
            let inner = #support::Transform::new(shape, &mut #support::Lent(memory))?;
            ::core::result::Result::Ok(Self { inner })
        }
    }
}

fn band_type(plan: &Plan, names: &Names) -> TokenStream {
    let Names { band, visibility, .. } = names;
    let axes = Literal::usize_unsuffixed(plan.dims);
    quote! {
        /// A band of the coefficients.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #visibility struct #band {
            /// One letter per axis, axis 0 first (`a` approximation, `d` detail), and for details
            /// the level, 1 being the finest.
            pub key: &'static str,
            /// The level; 0 if there are none.
            pub level: usize,
            /// Its shape.
            pub shape: [usize; #axes],
            /// Its first coefficient.
            pub offset: usize,
            /// Number of coefficients.
            pub len: usize,
        }
    }
}

/// `KEYS`: key, level and channel of every band.
pub(super) fn keys(plan: &Plan) -> TokenStream {
    let details = (0..plan.levels)
        .rev()
        .flat_map(|index| (1..1 << plan.dims).map(move |channel| (index + 1, channel)));
    let all = [(plan.levels, 0)].into_iter().chain(details);
    let entries = all.map(|(level, channel)| {
        let key = names::band(channel, plan.dims, level);
        let (level, channel) =
            (Literal::usize_unsuffixed(level), Literal::usize_unsuffixed(channel));
        quote!((#key, #level, #channel))
    });
    quote! {
        /// Key, level and channel of every band, coarsest first.
        const KEYS: [(&str, usize, usize); BANDS] = [#(#entries),*];
    }
}

/// What an operation does, in the documentation's words.
fn about(plan: &Plan, operation: Operation) -> String {
    match operation {
        Operation::Forward => " The coefficients of a signal.".to_owned(),
        Operation::Inverse if plan.element.is_integer() => {
            " The signal of coefficients. Values that no signal within [`Self::MAX_INPUT`] has may \
             wrap around."
                .to_owned()
        }
        Operation::Inverse => " The signal of coefficients.".to_owned(),
        Operation::AdjointForward => {
            " The adjoint of [`Self::forward`]: `⟨forward(x), y⟩ = ⟨x, adjoint(y)⟩`.".to_owned()
        }
        Operation::AdjointInverse => {
            " The adjoint of [`Self::inverse`]: `⟨inverse(y), x⟩ = ⟨y, adjoint_of_inverse(x)⟩`."
                .to_owned()
        }
    }
}

fn operation(plan: &Plan, names: &Names, operation: Operation) -> TokenStream {
    let Names { error, support, .. } = names;
    let name = ident(names::operation(operation));
    let kernel = type_of(operation);
    let sample = ident(plan.element.name());
    let scans = operation == Operation::Forward && plan.bound.is_some();
    let about = about(plan, operation);
    let errors = match scans {
        true => {
            " A slice has another length than [`Self::signal_len`] or [`Self::coefficient_len`]; \
             nothing is written then; or a sample is larger than [`Self::MAX_INPUT`]: the coefficients \
             then hold nothing meaningful."
        }
        false => {
            " A slice has another length than [`Self::signal_len`] or [`Self::coefficient_len`]; \
             nothing is written then."
        }
    };
    let (arguments, body) = match operation.input() {
        Side::Signal if scans => (
            quote!(signal: &[#sample], coefficients: &mut [#sample]),
            quote! {
                let bound = Self::MAX_INPUT;
                let kept = ::core::option::Option::Some(bound);
                let inner = &mut self.inner;
                if inner.analyse::<#support::#name::#kernel>(signal, coefficients, kept)? {
                    let large = |x: &#sample| !(-bound..=bound).contains(x);
                    let index = signal.iter().position(large).unwrap_or_default();
                    return ::core::result::Result::Err(#error::Overflow { index, bound });
                }
                ::core::result::Result::Ok(())
            },
        ),
        Side::Signal => (
            quote!(signal: &[#sample], coefficients: &mut [#sample]),
            quote! {
                let none = ::core::option::Option::None;
                self.inner.analyse::<#support::#name::#kernel>(signal, coefficients, none)?;
                ::core::result::Result::Ok(())
            },
        ),
        Side::Bands => (
            quote!(coefficients: &[#sample], signal: &mut [#sample]),
            quote!(self.inner.synthesise::<#support::#name::#kernel>(coefficients, signal)),
        ),
    };
    quote! {
        #[doc = #about]
        ///
        /// # Errors
        #[doc = #errors]
        pub fn #name(&mut self, #arguments) -> ::core::result::Result<(), #error> {
            #body
        }
    }
}

/// Constants of the support code.
pub(super) fn constants(plan: &Plan) -> TokenStream {
    let literal = Literal::usize_unsuffixed;
    let (axes, levels) = (literal(plan.dims), literal(plan.levels));
    let channels = literal(1 << plan.dims);
    let bands = literal(1 + plan.levels * ((1 << plan.dims) - 1));
    let ring = plan.ring.map(|ring| {
        let (window, carried) = (literal(ring.window), literal(ring.carried));
        let pairs = literal(ring.pairs);
        quote! {
            /// Lines of each phase that a pair reads.
            const WINDOW: usize = #window;
            /// Lines that are carried from one pair to the next.
            const CARRIED: usize = #carried;
            /// Pairs of lines that one loop computes, where as many are left.
            const PAIRS: usize = #pairs;
        }
    });
    let delays = plan.flow.map(|delays| {
        let delays = literal(delays);
        quote! {
            /// Places by which planes are moved on their way through the stages, at most.
            const DELAYS: usize = #delays;
        }
    });
    let buffers = literal(plan.buffers);
    let blocks = plan.blocks.items();
    quote! {
        /// Number of axes.
        const AXES: usize = #axes;
        /// Bands of one level.
        const CHANNELS: usize = #channels;
        /// Number of levels.
        const LEVELS: usize = #levels;
        /// Number of bands.
        const BANDS: usize = #bands;
        #ring
        #delays
        /// Buffers of a block.
        const BUFFERS: usize = #buffers;
        #blocks
    }
}
