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
use std::sync::OnceLock;

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

/// What has been built so far, in the order of [`names`].
static BUILT: [OnceLock<Wavelet>; COUNT] = [const { OnceLock::new() }; COUNT];

/// How many names there are.
const COUNT: usize = table::NAMES.len() + standards::NAMES.len();

/// The wavelet of a name, measured and factorised. Upper and lower case are the same. It is built
/// when first asked for, and copied from then on.
///
/// # Errors
/// There is no such name.
pub fn wavelet(name: &str) -> Result<Wavelet, UnknownWavelet> {
    let known = names().zip(&BUILT).find(|(known, _)| known.eq_ignore_ascii_case(name));
    let (known, built) =
        known.ok_or_else(|| UnknownWavelet { name: name.to_owned(), nearest: nearest(name) })?;
    Ok(built.get_or_init(|| build(known)).clone())
}

/// How the Haar wavelet's two coefficients of a pair are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HaarNorm {
    /// `a = (x0 + x1)/√2`, `d = (x0 - x1)/√2`: orthonormal, the catalogue's `haar`.
    #[default]
    Ortho,
    /// `d = x1 - x0`, `a = x0 + d/2`: the two lifting steps alone.
    Lifting,
}

/// The Haar wavelet in either normalisation. Coefficients of one become those of the other by a
/// factor per band: per axis `1/√2` for each `a` and `-√2` for the `d`, from ortho to lifting.
///
/// ```
/// use waveloom_wavelets::catalogue::{HaarNorm, haar};
/// assert_eq!(haar(HaarNorm::Lifting).bank().analysis_low().taps(), [0.5, 0.5]);
/// ```
pub fn haar(norm: HaarNorm) -> Wavelet {
    match norm {
        HaarNorm::Ortho => wavelet("haar").unwrap_or_else(|_| build("haar")),
        HaarNorm::Lifting => {
            static BUILT: OnceLock<Wavelet> = OnceLock::new();
            BUILT.get_or_init(standards::haar_lifting).clone()
        }
    }
}

fn build(name: &str) -> Wavelet {
    if let Some(wavelet) = standards::wavelet(name) {
        return wavelet;
    }
    let options = Options { approximate: name == "dmey", ..Options::default() };
    table::bank(name)
        .and_then(|bank| Wavelet::from_bank(name, bank, &options).ok())
        .expect("every name has a line in the table and its bank reconstructs: a test builds all")
}

/// The closest name, unless more than half of what was typed would have to change.
fn nearest(name: &str) -> Option<String> {
    let typed: String = name.trim().chars().take(40).collect::<String>().to_ascii_lowercase();
    let distances = names().map(|known| (strsim::damerau_levenshtein(&typed, known), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (2 * distance <= known.len().max(2)).then(|| known.to_owned())
}
