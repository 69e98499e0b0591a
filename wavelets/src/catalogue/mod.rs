//! The catalogue of named wavelets.
use crate::wavelet::Wavelet;
/// The wavelet of a name.
pub fn wavelet(_name: &str) -> Option<Wavelet> {
    None
}
