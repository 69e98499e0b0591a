//! Lengths of bands as code, specialised to the mode.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use waveloom_wavelets::Mode;
use waveloom_wavelets::geometry::{AxisGeometry, Frame, GeometryError};

/// `START` and `axis_of`: where sample 0 stands in the frame, and the lengths of the bands.
pub(super) fn items(frame: &Frame, mode: Mode) -> Result<TokenStream, GeometryError> {
    // Any legal even length shows where signals start; only band lengths depend on the length.
    let start = AxisGeometry::new(frame, mode, 2, 0)?.signal.start;
    let start = Literal::i64_unsuffixed(start);
    let odd = mode == Mode::Circular || frame.even_lengths;
    let minimum = mode.minimum_length();
    let short = (minimum > 1).then(|| {
        let reason = format!("length must exceed {} for mode {mode}", minimum - 1);
        let minimum = Literal::usize_unsuffixed(minimum);
        quote! {
            if len < #minimum {
                return Err(#reason);
            }
        }
    });
    let uneven = odd.then(|| {
        let reason = match mode {
            Mode::Circular => "mode circular needs even lengths",
            _ => "this wavelet is defined for even lengths only",
        };
        quote! {
            if len % 2 == 1 {
                return Err(#reason);
            }
        }
    });
    let m = Literal::usize_unsuffixed(frame.length.saturating_sub(1));
    let (about, lengths) = match mode {
        Mode::Jpeg2000 => (
            " Lengths of the bands of `len` samples: non-expansive, a sample more in the low one \
              where `len` is odd.",
            quote! { Ok(Axis { signal: len, low: len.div_ceil(2), high: len / 2 }) },
        ),
        Mode::Periodization | Mode::Circular => (
            " Lengths of the bands of `len` samples: non-expansive, equally long.",
            quote! {
                let half = len.div_ceil(2);
                Ok(Axis { signal: len, low: half, high: half })
            },
        ),
        _ => (
            " Lengths of the bands of `len` samples: every coefficient that a sample contributes to.",
            quote! {
                let half = (len + #m) / 2;
                Ok(Axis { signal: len, low: half, high: half })
            },
        ),
    };
    let longest = Literal::i64_unsuffixed(AxisGeometry::LONGEST);
    Ok(quote! {
        /// Frame position of a signal's sample 0.
        const START: isize = #start;

        #[doc = #about]
        fn axis_of(len: usize) -> Result<Axis, &'static str> {
            if len == 0 {
                return Err("there is nothing to transform");
            }
            if len as u64 > #longest {
                return Err("it is too long");
            }
            #short
            #uneven
            #lengths
        }
    })
}
