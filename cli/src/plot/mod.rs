//! Curves of a wavelet: scaling functions, wavelets, filters.

mod cascade;
mod figure;
mod rates;

pub use rates::draw as rates;

use crate::error::Outcome;
use crate::files::Format;
use crate::files::atomic;
use crate::files::picture;
use std::path::Path;
use waveloom::wavelets::Wavelet;

/// Draws a wavelet into a .png file: φ, ψ and the filters of analysis and synthesis, which are the
/// same functions for an orthogonal wavelet.
pub fn draw(path: &Path, wavelet: &Wavelet) -> Outcome<()> {
    let curves = cascade::curves(wavelet)?;
    let image = figure::render(wavelet, &curves)?;
    atomic::check_target(path)?;
    picture::write(path, Format::Png, &image)
}
