//! Factorisations and their products: taps to lattice, lattice to lifting, taps to lifting, and
//! back.
//!
//! | from | to | how | file |
//! |---|---|---|---|
//! | orthogonal taps | lattice | rotations peeled off the input side, the end pair of larger norm deciding each angle | `rotations` |
//! | any other taps | lattice | general stages from the null vectors of the end blocks, after a leading lifting where the filters' lengths differ by too much | `blocks` |
//! | lattice | lifting | each stage split into two updates in closed form, neighbours merged | `closed_form` |
//! | biorthogonal taps | lifting | Euclid's algorithm on the shorter row, quotients chosen by a search | `euclid` |
//! | lifting, lattice | taps | products of the factors, and of their inverses for synthesis | `product` |
//!
//! Every factorisation is multiplied back and compared with the taps before it is handed out; one
//! that is slightly off is first brought closer by least squares (`polish`).
//! Euclid on orthogonal filters loses all digits in `f64` from some 18 taps on, and peeling from
//! the output side or by a fixed end pair from some 30 on; hence the ways above and no others.

mod blocks;
mod closed_form;
mod conditioning;
mod dyadic;
mod euclid;
mod lead;
mod polish;
mod polynomial;
mod product;
mod rotations;
mod widen;

pub use closed_form::lifting_of_lattice;
pub(crate) use conditioning::noise;
pub use conditioning::{F32_LIMIT, lattice_f32_error, lifting_f32_error};
pub use product::{
    bank_of_exact, bank_of_lattice, bank_of_lifting, delayed_lattice, delayed_lifting,
};
pub use widen::widened;

use crate::algebra::PolyphaseMatrix;
use crate::bank::{Filter, FilterBank};
use crate::lattice::Lattice;
use crate::lifting::Lifting;
use crate::verify::{self, ExactBank, PERFECT_LIMIT};

/// Why a factorisation does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FactorError {
    /// The bank reconstructs only approximately: no product of invertible factors equals it.
    #[error(
        "it reconstructs only approximately (defect {defect:.2e}), so that no product of invertible factors equals it; only convolution is possible"
    )]
    Approximate {
        /// The bank's reconstruction defect.
        defect: f64,
    },
    /// Rounding is defined by the steps of a lifting.
    #[error("it rounds in every lifting step, which no other factorisation can do")]
    Rounded,
    /// The factors were found but do not multiply back to the taps.
    #[error(
        "the factors multiply back to the taps only within {residual:.1e} (at most {limit:.1e} is accepted)"
    )]
    Inaccurate {
        /// Largest tap error.
        residual: f64,
        /// What is accepted.
        limit: f64,
    },
    /// Euclid's algorithm did not end in a single term.
    #[error("the even and odd taps of its filters have a common divisor of more than one term")]
    CommonDivisor,
    /// No stage can be split off.
    #[error(
        "no lattice stage can be split off: its end blocks have parallel null vectors in every alignment, with and without a leading lifting"
    )]
    NoStage,
}

/// Largest tap error with which factors may multiply back to a bank's taps. A bank whose rounded taps
/// are farther from reconstructing than any that is accepted as measured earns no more leeway.
fn accepted(bank: &FilterBank) -> f64 {
    let filters = [bank.analysis_low(), bank.analysis_high()];
    let taps = filters.into_iter().flat_map(Filter::taps);
    let largest = taps.fold(1.0_f64, |largest, tap| largest.max(tap.abs()));
    1e-12 * largest + 10.0 * bank.reconstruction_defect().min(PERFECT_LIMIT)
}

/// Checks a product of factors against the bank.
fn multiplied_back(product: &PolyphaseMatrix, bank: &FilterBank) -> Result<(), FactorError> {
    let (residual, limit) = (product.distance(&bank.analysis_polyphase()), accepted(bank));
    match residual <= limit {
        true => Ok(()),
        false => Err(FactorError::Inaccurate { residual, limit }),
    }
}

/// The lattice of a bank: rotations for an orthogonal one, general stages for any other.
///
/// # Errors
/// There is none, or it does not multiply back.
pub fn lattice(bank: &FilterBank) -> Result<Lattice, FactorError> {
    if verify::orthogonality_defect(bank) <= PERFECT_LIMIT {
        return rotations::peel(bank);
    }
    lead::peel(bank)
}

/// The lifting of a bank: from its rotations in closed form if it is orthogonal, otherwise by
/// Euclid's algorithm. Where that does not multiply back, or loses digits in `f32`, the other way
/// is tried too and the better one taken.
///
/// # Errors
/// There is none, or it does not multiply back.
pub fn lifting(bank: &FilterBank, lattice: Option<&Lattice>) -> Result<Lifting, FactorError> {
    let closed = || {
        let lifting = lattice.and_then(lifting_of_lattice)?;
        let lifting = polish::polish(lifting, &bank.analysis_polyphase());
        multiplied_back(&lifting.polyphase(), bank).is_ok().then_some(lifting)
    };
    let keeps_digits = |lifting: &Lifting| lifting_f32_error(lifting, bank) <= F32_LIMIT;
    let orthogonal = verify::orthogonality_defect(bank) <= PERFECT_LIMIT;
    let first = if orthogonal { closed() } else { None };
    if let Some(lifting) = first {
        return Ok(lifting);
    }
    match (euclid::divide_f64(bank), closed) {
        (Ok(lifting), _) if keeps_digits(&lifting) => Ok(lifting),
        (Ok(lifting), closed) => {
            let error = lifting_f32_error(&lifting, bank);
            Ok(closed().filter(|other| lifting_f32_error(other, bank) < error).unwrap_or(lifting))
        }
        (Err(error), closed) => closed().ok_or(error),
    }
}

/// The lifting of a rational bank, computed in exact arithmetic and rounded once; `None` where
/// Euclid's algorithm finds none. `rounded` is the bank in its frame.
pub fn exact_lifting(bank: &ExactBank, rounded: &FilterBank) -> Option<Lifting> {
    let matrix = bank.analysis_polyphase();
    let lifting = euclid::divide(&matrix, 0.0)?;
    let first = bank.filters[0].first + leading_zeros(&bank.filters[0].taps);
    let pairs = (first - rounded.analysis_low().first()) / 2;
    let lifting = delayed_lifting(lifting, pairs);
    multiplied_back(&lifting.polyphase(), rounded).is_ok().then_some(lifting)
}

fn leading_zeros(taps: &[crate::algebra::Rational]) -> i32 {
    taps.iter().take_while(|tap| num_traits::Zero::is_zero(*tap)).count() as i32
}
