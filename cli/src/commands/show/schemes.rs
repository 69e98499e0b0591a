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

/// Every scheme that exists for one, two or three axes.
pub fn rows(wavelet: &Wavelet) -> Vec<Row> {
    let kinds = (1..=3).flat_map(|dims| SchemeKind::ALL.into_iter().map(move |kind| (kind, dims)));
    kinds.filter_map(|(kind, dims)| Some(row(wavelet, &wavelet.scheme(kind, dims).ok()?))).collect()
}

fn row(wavelet: &Wavelet, scheme: &Scheme) -> Row {
    let (kind, dims) = (scheme.kind, scheme.axes);
    let terms = wavelet.terms(scheme);
    let split = wavelet.split_scheme(kind, dims, Split::Everywhere);
    let terms_split = split.map_or(terms, |split| wavelet.terms(&split));
    // A scheme of several axes is that of one along each: no need to multiply it out for its reach.
    let line = wavelet.scheme(kind.one_dimensional(), 1);
    let reach = line.map_or_else(|_| scheme.reach(), |line| line.reach()).axes[0];
    Row {
        name: kind.name(),
        dims,
        cuts: scheme.cuts(),
        terms,
        terms_split,
        reach: vec![reach; dims],
    }
}
