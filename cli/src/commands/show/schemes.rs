//! The schemes of a wavelet with their costs.

use serde::Serialize;
use waveloom::wavelets::scheme::{Scheme, Split};
use waveloom::wavelets::{SchemeKind, Wavelet};

/// One scheme.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Number of axes.
    pub dims: usize,
    /// Exchanges between neighbours.
    pub cuts: usize,
    /// Terms (multiply-adds) per pair, quad or octet, scaling not counted.
    pub terms: usize,
    /// The same with constant parts split off; equal to `terms` where nothing can be split.
    pub terms_split: usize,
    /// Smallest and largest neighbour read on each axis, in pairs.
    pub reach: Vec<(i32, i32)>,
}

/// Taps beyond which a non-separable scheme of two, or of three axes is not multiplied out to count its
/// terms: it would take minutes, and nobody runs it.
const MOST_TAPS: [usize; 2] = [40, 26];

/// Whether counting the terms of a scheme is worth its time.
fn is_counted(wavelet: &Wavelet, kind: SchemeKind, dims: usize) -> bool {
    let most = if dims < 3 { MOST_TAPS[0] } else { MOST_TAPS[1] };
    !kind.is_nonseparable() || wavelet.bank().length() <= most
}

fn kinds() -> impl Iterator<Item = (SchemeKind, usize)> {
    (1..=3).flat_map(|dims| SchemeKind::ALL.into_iter().map(move |kind| (kind, dims)))
}

/// Every scheme that exists for one, two or three axes, save those of [`not_counted`].
pub fn rows(wavelet: &Wavelet) -> Vec<Row> {
    let counted = kinds().filter(|(kind, dims)| is_counted(wavelet, *kind, *dims));
    counted
        .filter_map(|(kind, dims)| Some(row(wavelet, &wavelet.scheme(kind, dims).ok()?)))
        .collect()
}

/// Name and number of axes of the schemes that are too large to count.
pub fn not_counted(wavelet: &Wavelet) -> Vec<String> {
    kinds()
        .filter(|(kind, dims)| kind.exists_in(*dims) && !is_counted(wavelet, *kind, *dims))
        .map(|(kind, dims)| format!("{kind} of {dims} axes"))
        .collect()
}

fn row(wavelet: &Wavelet, scheme: &Scheme) -> Row {
    let (kind, dims) = (scheme.kind, scheme.axes);
    let terms = wavelet.terms(scheme);
    let split = wavelet.split_scheme(kind, dims, Split::Everywhere);
    let terms_split = split.map_or(terms, |split| wavelet.terms(&split));
    Row {
        name: kind.name(),
        dims,
        cuts: scheme.cuts(),
        terms,
        terms_split,
        reach: scheme.reach().axes[..dims].to_vec(),
    }
}
