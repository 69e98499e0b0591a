//! The extension rules as code: one function per side, specialised to the mode.
//!
//! The functions mean what [`Extension::weights`](waveloom_wavelets::extension::Extension::weights)
//! says.

use super::number;
use crate::kernel::Element;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::{Mode, Wavelet};

/// How signals go on under a mode.
pub(super) fn of_signal(mode: Mode) -> ExtensionKind {
    match mode {
        Mode::Zero => ExtensionKind::Zero,
        Mode::Constant => ExtensionKind::Constant,
        Mode::Symmetric => ExtensionKind::Symmetric,
        Mode::Reflect | Mode::Jpeg2000 => ExtensionKind::Reflect,
        Mode::Periodic | Mode::Circular => ExtensionKind::Periodic,
        Mode::Smooth => ExtensionKind::Smooth,
        Mode::Antisymmetric => ExtensionKind::Antisymmetric,
        Mode::Antireflect => ExtensionKind::Antireflect,
        Mode::Periodization => ExtensionKind::PeriodicEven,
    }
}

/// How interleaved bands go on under a mode.
pub(super) fn of_bands(mode: Mode) -> ExtensionKind {
    match mode {
        Mode::Periodization | Mode::Circular => ExtensionKind::Periodic,
        Mode::Jpeg2000 => ExtensionKind::Reflect,
        _ => ExtensionKind::Zero,
    }
}

/// How many weighted samples a rule needs.
fn terms(kind: ExtensionKind) -> usize {
    match kind {
        ExtensionKind::Smooth => 2,
        ExtensionKind::Antireflect => 4,
        _ => 1,
    }
}

/// With mode `jpeg2000` a single sample is its low-pass coefficient over the filter's gain. The kernels
/// give just that if the bands of one coefficient go on as those of a constant signal do: the same
/// low-pass coefficient everywhere, all details zero. If synthesis undoes analysis only
/// approximately, a factor makes up for it.
fn single_weight(wavelet: &Wavelet, element: Element) -> TokenStream {
    let exact = wavelet.properties().reconstruction.defect() <= 1e-12;
    let symmetry = wavelet.frame().symmetry.filter(|_| !exact);
    let weight = symmetry.map_or(1.0, |symmetry| {
        let filter = wavelet.bank().synthesis_low();
        let positions = (filter.first()..=filter.last()).filter(|p| (p - symmetry.centre) % 2 == 0);
        1.0 / (symmetry.low_gain * positions.map(|p| filter.at(p)).sum::<f64>())
    });
    if weight == 1.0 { quote!(ONE) } else { number(element, weight) }
}

/// `TERMS`, `Terms`, `signal_extension`, `band_extension`, and what they need.
pub(super) fn items(wavelet: &Wavelet, mode: Mode, element: Element) -> TokenStream {
    let (signal, bands) = (of_signal(mode), of_bands(mode));
    let count = Literal::usize_unsuffixed(terms(signal).max(terms(bands)));
    let several = terms(signal).max(terms(bands)) > 1;
    let merge = several.then(weighted);
    let repeats = |kind| {
        use ExtensionKind::{Antireflect, Constant, Smooth, Zero};
        !matches!(kind, Zero | Constant | Smooth | Antireflect)
    };
    let wrap = (repeats(signal) || repeats(bands)).then(wrapped);
    let signal_folds = signal != ExtensionKind::Zero;
    let bands_fold = bands != ExtensionKind::Zero;
    let signal_rule = function("signal_extension", signal, None);
    let weight = single_weight(wavelet, element);
    let single = (bands == ExtensionKind::Reflect).then(|| {
        quote! {
            if len == 1 {
                return if index % 2 == 0 { one(0, #weight) } else { [(0, ZERO); TERMS] };
            }
        }
    });
    let band_rule = function("band_extension", bands, single);
    quote! {
        /// Weighted samples that make up one extended sample, at most.
        const TERMS: usize = #count;
        /// Samples and their weights; weights of zero do not count.
        type Terms = [(usize, Sample); TERMS];
        /// Whether anything stands beyond a signal's ends.
        const SIGNAL_FOLDS: bool = #signal_folds;
        /// Whether anything stands beyond the bands' ends.
        const BANDS_FOLD: bool = #bands_fold;

        fn one(index: isize, weight: Sample) -> Terms {
            let mut terms = [(0, ZERO); TERMS];
            terms[0] = (index as usize, weight);
            terms
        }
        #wrap
        #merge
        #signal_rule
        #band_rule
    }
}

/// Remainders without a division near the ends.
fn wrapped() -> TokenStream {
    quote! {
        /// `index.rem_euclid(period)`.
        fn wrapped(index: isize, period: isize) -> isize {
            let near = match index {
                ..=-1 => index + period,
                _ if index >= period => index - period,
                _ => index,
            };
            if (0..period).contains(&near) { near } else { index.rem_euclid(period) }
        }
    }
}

/// Adds up equal indices: what cancels must not spread a NaN.
fn weighted() -> TokenStream {
    quote! {
        fn weighted<const N: usize>(given: [(isize, isize); N]) -> Terms {
            let mut sums = [(0_isize, 0_isize); N];
            let mut used = 0;
            for (index, weight) in given {
                match sums[..used].iter_mut().find(|sum| sum.0 == index) {
                    Some(sum) => sum.1 += weight,
                    None => {
                        sums[used] = (index, weight);
                        used += 1;
                    }
                }
            }
            let mut terms = [(0, ZERO); TERMS];
            for (term, (index, weight)) in terms.iter_mut().zip(sums) {
                *term = (index as usize, weight as Sample);
            }
            terms
        }
    }
}

fn function(name: &str, kind: ExtensionKind, special: Option<TokenStream>) -> TokenStream {
    let name = Ident::new(name, proc_macro2::Span::call_site());
    let (about, beyond) = match kind {
        ExtensionKind::Zero => (" Zeros.", quote!([(0, ZERO); TERMS])),
        ExtensionKind::Constant => {
            (" The end samples repeat.", quote!(one(index.clamp(0, len - 1), ONE)))
        }
        ExtensionKind::Periodic => {
            (" The sequence repeats.", quote!(one(wrapped(index, len), ONE)))
        }
        ExtensionKind::PeriodicEven => (
            " The sequence repeats with an even period, the last sample standing in for a missing one.",
            quote!(one(wrapped(index, len + len % 2).min(len - 1), ONE)),
        ),
        ExtensionKind::Symmetric => (
            " Mirrored between samples.",
            quote! {
                let rest = wrapped(index, 2 * len);
                one(rest.min(2 * len - 1 - rest), ONE)
            },
        ),
        ExtensionKind::Antisymmetric => (
            " Mirrored between samples, with the sign changed.",
            quote! {
                let rest = wrapped(index, 2 * len);
                if rest < len { one(rest, ONE) } else { one(2 * len - 1 - rest, -ONE) }
            },
        ),
        ExtensionKind::Reflect => (
            " Mirrored at the end sample.",
            quote! {
                if len == 1 {
                    return one(0, ONE);
                }
                let period = 2 * (len - 1);
                let rest = wrapped(index, period);
                one(rest.min(period - rest), ONE)
            },
        ),
        ExtensionKind::Smooth => (
            " The straight line through the two end samples goes on.",
            quote! {
                let last = len - 1;
                let (end, inner, distance) = if index < 0 {
                    (0, last.min(1), -index)
                } else {
                    (last, (last - 1).max(0), index - last)
                };
                weighted([(end, 1 + distance), (inner, -distance)])
            },
        ),
        ExtensionKind::Antireflect => (
            " Point-mirrored at the end sample.",
            quote! {
                if len == 1 {
                    return one(0, ONE);
                }
                let last = len - 1;
                let (turns, rest) = (index.div_euclid(2 * last), index.rem_euclid(2 * last));
                let (mirror, near) =
                    if rest < len { ((0, 0), (rest, 1)) } else { ((last, 2), (2 * last - rest, -1)) };
                weighted([mirror, near, (last, 2 * turns), (0, -2 * turns)])
            },
        ),
    };
    quote! {
        #[doc = #about]
        fn #name(index: isize, len: isize) -> Terms {
            #special
            if (0..len).contains(&index) {
                return one(index, ONE);
            }
            #beyond
        }
    }
}

/// The constants 0 and 1 and the two operations that the support code needs.
pub(super) fn arithmetic(element: Element) -> TokenStream {
    let name = Ident::new(element.name(), proc_macro2::Span::call_site());
    let (zero, one) = (number(element, 0.0), number(element, 1.0));
    let (sum, product) = match element.is_integer() {
        true => (quote!(a.wrapping_add(b)), quote!(a.wrapping_mul(b))),
        false => (quote!(a + b), quote!(a * b)),
    };
    quote! {
        /// One sample.
        type Sample = #name;
        const ZERO: Sample = #zero;
        const ONE: Sample = #one;

        #[inline(always)]
        fn plus(a: Sample, b: Sample) -> Sample {
            #sum
        }
        #[inline(always)]
        fn times(a: Sample, b: Sample) -> Sample {
            #product
        }
    }
}
