//! The public type: construction, lengths, bands, and the operations.

use super::kernel::type_of;
use super::{Plan, ident};
use crate::emit::names;
use crate::kernel::Operation;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The names that a module makes public.
pub(super) struct Names {
    pub transform: Ident,
    pub band: Ident,
    pub error: Ident,
}

impl Names {
    pub fn new(name: &str) -> Self {
        let transform = ident(name);
        Self {
            band: format_ident!("{transform}Band"),
            error: format_ident!("{transform}Error"),
            transform,
        }
    }
}

/// The type, its bands and its implementation.
pub(super) fn items(plan: &Plan, names: &Names) -> TokenStream {
    let Names { transform, band, error } = names;
    let docs = &plan.docs;
    let axes = Literal::usize_unsuffixed(plan.dims);
    let band_items = bands(plan, names);
    let operations = plan.operations.iter().map(|one| operation(plan, one.kernel.operation));
    let bound = plan.bound.map(|bound| {
        let bound = Literal::i64_unsuffixed(bound);
        quote! {
            /// The largest magnitude of a sample for which no intermediate value can overflow.
            pub const MAX_INPUT: Sample = #bound;
        }
    });
    quote! {
        #(#[doc = #docs])*
        pub struct #transform {
            shape: [usize; AXES],
            levels: [[Axis; AXES]; LEVELS],
            bands: [#band; BANDS],
            signal_len: usize,
            coefficient_len: usize,
            approximations: [Vec<Sample>; 2],
            work: Work,
        }

        #band_items

        impl core::fmt::Debug for #transform {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!(#transform)).field("shape", &self.shape).finish_non_exhaustive()
            }
        }

        impl #transform {
            #bound

            /// Prepares transforms of arrays of the given shape (C order): computes the lengths of
            /// all bands and allocates all memory that transforms need.
            ///
            /// # Errors
            /// The mode is not defined for this shape, or memory does not suffice.
            pub fn new(shape: [usize; #axes]) -> Result<Self, #error> {
                let signal_len = product(shape).ok_or(Error::TooLarge)?;
                let levels = geometry(shape)?;
                let (bands, coefficient_len) = bands_of(shape, &levels)?;
                let mut longest = 0;
                for axes in levels.get(1..).unwrap_or(&[]) {
                    let len = product(axes.iter().map(|axis| axis.signal));
                    longest = longest.max(len.ok_or(Error::TooLarge)?);
                }
                let approximations = [zeros(Some(longest))?, zeros(Some(longest))?];
                let work = Work::new(&levels)?;
                Ok(Self { shape, levels, bands, signal_len, coefficient_len, approximations, work })
            }

            /// The shape of the arrays.
            pub fn shape(&self) -> [usize; #axes] {
                self.shape
            }

            /// Number of samples: the product of the shape.
            pub fn signal_len(&self) -> usize {
                self.signal_len
            }

            /// Number of coefficients, all bands together.
            pub fn coefficient_len(&self) -> usize {
                self.coefficient_len
            }

            /// The bands, coarsest first, each contiguous in C order in the coefficients.
            pub fn bands(&self) -> &[#band] {
                &self.bands
            }

            #(#operations)*

            fn check(&self, signal: usize, coefficients: usize) -> Result<(), Error> {
                if signal != self.signal_len {
                    return Err(Error::SignalLength { expected: self.signal_len, got: signal });
                }
                if coefficients != self.coefficient_len {
                    let expected = self.coefficient_len;
                    return Err(Error::CoefficientLength { expected, got: coefficients });
                }
                Ok(())
            }
        }
    }
}

fn bands(plan: &Plan, names: &Names) -> TokenStream {
    let Names { band, .. } = names;
    let axes = Literal::usize_unsuffixed(plan.dims);
    let coarsest = plan.levels;
    let keys = (0..plan.levels)
        .rev()
        .flat_map(|index| (1..1 << plan.dims).map(move |channel| (index, channel)));
    let mut all = vec![(coarsest.saturating_sub(1), 0)];
    all.extend(keys);
    let entries = all.iter().map(|(index, channel)| {
        let level = if plan.levels == 0 { 0 } else { index + 1 };
        let key = names::band(*channel, plan.dims, level);
        let (level, channel) =
            (Literal::usize_unsuffixed(level), Literal::usize_unsuffixed(*channel));
        quote!((#key, #level, #channel))
    });
    quote! {
        /// A band of the coefficients.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct #band {
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

        /// Key, level and channel of every band, coarsest first.
        const KEYS: [(&str, usize, usize); BANDS] = [#(#entries),*];

        /// All bands and their length together.
        fn bands_of(
            shape: [usize; AXES],
            levels: &[[Axis; AXES]; LEVELS],
        ) -> Result<([#band; BANDS], usize), Error> {
            let nothing = #band { key: "", level: 0, shape: [0; AXES], offset: 0, len: 0 };
            let mut bands = [nothing; BANDS];
            let mut offset = 0_usize;
            for (band, (key, level, channel)) in bands.iter_mut().zip(KEYS) {
                let shape = match level.checked_sub(1).and_then(|index| levels.get(index)) {
                    Some(axes) => band_shape(axes, channel),
                    None => shape,
                };
                let len = product(shape).ok_or(Error::TooLarge)?;
                *band = #band { key, level, shape, offset, len };
                offset = offset.checked_add(len).ok_or(Error::TooLarge)?;
            }
            Ok((bands, offset))
        }
    }
}

fn operation(plan: &Plan, operation: Operation) -> TokenStream {
    let name = ident(names::operation(operation));
    let kernel = type_of(operation);
    let module = ident(names::operation(operation));
    let integer = plan.element.is_integer();
    let scan = (operation == Operation::Forward && plan.bound.is_some()).then(|| {
        quote! {
            let bound = Self::MAX_INPUT.unsigned_abs();
            if let Some(index) = signal.iter().position(|x| x.unsigned_abs() > bound) {
                return Err(Error::Overflow { index, bound: Self::MAX_INPUT });
            }
        }
    });
    let wraps = if integer && operation == Operation::Inverse {
        " Coefficients that no signal within [`Self::MAX_INPUT`] has may wrap around."
    } else {
        ""
    };
    let about = match operation {
        Operation::Forward => " Coefficients of a signal.".to_owned(),
        Operation::Inverse => format!(" The signal of coefficients.{wraps}"),
        Operation::AdjointForward => {
            " The adjoint of [`Self::forward`]: `⟨forward(x), y⟩ = ⟨x, adjoint(y)⟩`.".to_owned()
        }
        Operation::AdjointInverse => {
            " The adjoint of [`Self::inverse`]: `⟨inverse(y), x⟩ = ⟨y, adjoint_of_inverse(x)⟩`."
                .to_owned()
        }
    };
    let errors = if scan.is_some() {
        " A slice has another length than [`Self::signal_len`] or [`Self::coefficient_len`], or a \
         sample is larger than [`Self::MAX_INPUT`]."
    } else {
        " A slice has another length than [`Self::signal_len`] or [`Self::coefficient_len`]."
    };
    let (arguments, driver, order) = match operation.input() {
        crate::kernel::Side::Signal => (
            quote!(signal: &[Sample], coefficients: &mut [Sample]),
            quote!(analyse),
            quote!(signal, coefficients),
        ),
        crate::kernel::Side::Bands => (
            quote!(coefficients: &[Sample], signal: &mut [Sample]),
            quote!(synthesise),
            quote!(coefficients, signal),
        ),
    };
    quote! {
        #[doc = #about]
        ///
        /// # Errors
        #[doc = #errors]
        pub fn #name(&mut self, #arguments) -> Result<(), Error> {
            self.check(signal.len(), coefficients.len())?;
            #scan
            let Self { work, approximations, levels, .. } = self;
            #driver::<#module::#kernel>(work, approximations, levels, #order);
            Ok(())
        }
    }
}

/// The error type.
pub(super) fn error(plan: &Plan, names: &Names) -> TokenStream {
    let Names { error, .. } = names;
    let (overflow, overflow_text) = match plan.bound {
        Some(_) => (
            Some(quote! {
                /// A sample for which intermediate values could overflow.
                Overflow {
                    /// Where it is.
                    index: usize,
                    /// The largest magnitude allowed.
                    bound: Sample,
                },
            }),
            Some(quote! {
                Self::Overflow { index, bound } => {
                    write!(f, "sample {index} is larger in magnitude than {bound}: it could overflow")
                }
            }),
        ),
        None => (None, None),
    };
    let (views, views_text) = match plan.views {
        Some(_) => super::view::errors(plan.dims),
        None => (TokenStream::new(), TokenStream::new()),
    };
    quote! {
        use #error as Error;

        /// Why an array cannot be transformed.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum #error {
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
            #overflow
            #views
        }

        impl core::fmt::Display for #error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    Self::Axis { axis, level, len, reason } => {
                        write!(f, "axis {axis} has length {len} at level {level}: {reason}")
                    }
                    Self::TooLarge => write!(f, "the array is too large for memory"),
                    Self::SignalLength { expected, got } => {
                        write!(f, "expected a signal of {expected} samples, got {got}")
                    }
                    Self::CoefficientLength { expected, got } => {
                        write!(f, "expected {expected} coefficients, got {got}")
                    }
                    #overflow_text
                    #views_text
                }
            }
        }

        impl core::error::Error for #error {}
    }
}

/// Constants of the support code.
pub(super) fn constants(plan: &Plan) -> TokenStream {
    let literal = Literal::usize_unsuffixed;
    let (axes, levels) = (literal(plan.dims), literal(plan.levels));
    let channels = literal(1 << plan.dims);
    let bands = literal(1 + plan.levels * ((1 << plan.dims) - 1));
    let buffers = literal(plan.buffers);
    let visits = plan.separable.then(|| {
        let stages = literal(plan.dims - 1);
        let order = plan.order.iter().map(|axis| literal(*axis));
        quote! {
            /// Axes after which a level is kept in memory.
            const STAGES: usize = #stages;
            /// The axes in the order of the forward transform.
            const ORDER: [usize; AXES] = [#(#order),*];
        }
    });
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
        #visits
        /// Buffers of a block.
        const BUFFERS: usize = #buffers;
        #blocks
    }
}
