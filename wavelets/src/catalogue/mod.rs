//! The catalogue of named wavelets: PyWavelets' 106 names with correctly rounded taps, and four
//! from standards and reports.
//!
//! | names | what |
//! |---|---|
//! | `haar`, `db1` … `db38` | Daubechies, extremal phase |
//! | `sym2` … `sym20` | Daubechies, least asymmetric |
//! | `coif1` … `coif17` | Coiflets |
//! | `bior1.1` … `bior6.8`, `rbio1.1` … `rbio6.8` | Cohen, Daubechies, Feauveau, and their duals |
//! | `dmey` | discrete Meyer: reconstructs only approximately |
//! | `rev53`, `irr97` | JPEG 2000 (ISO 15444-1 Annex F): reversible 5/3, irreversible 9/7 |
//! | `ccsds97m` | CCSDS 122.0-B: integer 9/7 |
//! | `cdf97` | CDF 9/7 with the ten-digit taps of Littlejohn and Yao's report |

mod standards;
mod table;

pub(crate) use table::low_passes;

use crate::wavelet::{Options, Wavelet};

/// A wavelet name that the catalogue does not have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "unknown wavelet '{name}'{}",
    nearest.as_ref().map(|nearest| format!("; did you mean '{nearest}'?")).unwrap_or_default()
)]
pub struct UnknownWavelet {
    /// What was given.
    pub name: String,
    /// The catalogue's name that comes closest, if any comes close.
    pub nearest: Option<String>,
}

/// Every name, family by family.
pub fn names() -> impl Iterator<Item = &'static str> {
    table::NAMES.iter().chain(&standards::NAMES).copied()
}

/// The wavelet of a name, measured and factorised. Upper and lower case are the same.
///
/// # Errors
/// There is no such name.
pub fn wavelet(name: &str) -> Result<Wavelet, UnknownWavelet> {
    let unknown = || UnknownWavelet { name: name.to_owned(), nearest: nearest(name) };
    let known = names().find(|known| known.eq_ignore_ascii_case(name)).ok_or_else(unknown)?;
    if let Some(wavelet) = standards::wavelet(known) {
        return Ok(wavelet);
    }
    let bank = table::bank(known).ok_or_else(unknown)?;
    let options = Options { approximate: known == "dmey", ..Options::default() };
    Ok(Wavelet::from_bank(known, bank, &options)
        .expect("the catalogue's banks reconstruct: a test builds every one"))
}

/// The closest name, unless more than half of what was typed would have to change.
fn nearest(name: &str) -> Option<String> {
    let typed: String = name.trim().chars().take(40).collect::<String>().to_ascii_lowercase();
    let distances = names().map(|known| (strsim::damerau_levenshtein(&typed, known), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (2 * distance <= known.len().max(2)).then(|| known.to_owned())
}
