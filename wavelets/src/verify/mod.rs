//! Verification: nothing becomes a [`Wavelet`](crate::Wavelet) without having been measured.
//!
//! The passes, in order: shape (empty, unequal, not finite, too long), reconstruction (which
//! identity is broken worst, and by how much), measurements (orthogonality, symmetry, vanishing
//! moments, gains, condition), factorisations with their residuals, remarks.

mod condition;
mod error;
mod exact;
mod input;
mod measure;
mod reconstruction;
mod remarks;

pub(crate) use condition::condition;
pub use condition::digits;
pub use error::VerifyError;
pub(crate) use exact::inverse;
pub use exact::{ExactBank, ExactFilter, ExactLattice, ExactLifting, ExactOutput, ExactStep};
pub(crate) use input::check_product;
pub use input::{check_bank, check_lattice, check_lifting, pywavelets_bank};
pub use measure::{high_gain, low_gain, orthogonality_defect, symmetry, vanishing_moments};
pub use reconstruction::{APPROXIMATE_LIMIT, Broken, PERFECT_LIMIT, broken_identity};
pub(crate) use reconstruction::{defect, judge};
pub(crate) use remarks::remarks;

/// The longest frame that is accepted. Every computation here is quadratic in it, and a kernel
/// unrolled over more taps would be of no use.
pub const LONGEST_FRAME: usize = 512;

/// The farthest that a filter, a lifting exponent or an advance may lie from position 0.
pub const FARTHEST_POSITION: i32 = 512;

/// The most lifting steps or lattice stages.
pub const MOST_FACTORS: usize = 256;
