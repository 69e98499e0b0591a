//! Why something is not a wavelet.

use super::{FARTHEST_POSITION, LONGEST_FRAME, MOST_FACTORS};

/// Why a definition was refused. Every message says what was expected and what came.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// A filter without a tap that is not zero.
    #[error("filter {filter} is empty; it needs at least one tap that is not zero")]
    Empty {
        /// Which of the four.
        filter: &'static str,
    },
    /// PyWavelets' form with filters of different lengths.
    #[error(
        "the four filters must be equally long, got lengths {} (dec_lo), {} (dec_hi), {} (rec_lo), {} (rec_hi); pad the shorter ones with zeros, or give each filter its first position",
        lengths[0], lengths[1], lengths[2], lengths[3]
    )]
    UnequalLengths {
        /// The lengths, in PyWavelets' order.
        lengths: [usize; 4],
    },
    /// A NaN or an infinity.
    #[error("{place} is {value}; every number must be finite")]
    NotFinite {
        /// Where it stands.
        place: String,
        /// What stands there.
        value: f64,
    },
    /// A product of factors with a tap that no `f64` can be.
    #[error(
        "the factors have an inverse, but {place}, a tap of their product, exceeds the largest 64-bit floating point number (1.8e308); expected smaller coefficients"
    )]
    Overflow {
        /// Which tap.
        place: String,
    },
    /// Filters that reach too far.
    #[error(
        "the filters span {length} samples; at most {LONGEST_FRAME} within {FARTHEST_POSITION} of position 0 are supported"
    )]
    TooLong {
        /// The frame length it would need.
        length: usize,
    },
    /// A filter that does not lie in the frame it is said to lie in.
    #[error(
        "filter {filter} covers positions {first} to {last}; its frame has the {length} positions from 0 (an even number)"
    )]
    OutsideFrame {
        /// Which of the four.
        filter: &'static str,
        /// Position of its first tap.
        first: i32,
        /// Position of its last tap.
        last: i32,
        /// Length of the frame.
        length: usize,
    },
    /// A lifting exponent or an advance that lies too far out.
    #[error("{place} is {value}; at most {FARTHEST_POSITION} either way is supported")]
    TooFar {
        /// Where it stands.
        place: String,
        /// What stands there.
        value: i32,
    },
    /// Too many steps or stages.
    #[error("{count} {what} were given; at most {MOST_FACTORS} are supported")]
    TooMany {
        /// `lifting steps` or `lattice stages`.
        what: &'static str,
        /// How many came.
        count: usize,
    },
    /// The filters do not reconstruct.
    #[error(
        "not a wavelet: {identity} is {found}, expected {expected} (defect {defect:.3e}; at most {limit:.0e} is accepted){}",
        hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default()
    )]
    NotReconstructing {
        /// The identity that is broken worst.
        identity: String,
        /// What the sum is.
        found: f64,
        /// What it should be.
        expected: f64,
        /// Largest deviation of any identity.
        defect: f64,
        /// The limit that it exceeds.
        limit: f64,
        /// What may be the cause.
        hint: Option<String>,
    },
    /// Both bands read the same channel.
    #[error("low and high both read the {channel} channel; they must read different ones")]
    SameChannel {
        /// `even` or `odd`.
        channel: &'static str,
    },
    /// A band with gain zero.
    #[error("the gain of {band} is 0; it could not be inverted")]
    ZeroGain {
        /// `low` or `high`.
        band: &'static str,
    },
    /// A rounded lifting with a final scaling.
    #[error("the gain of {band} is {gain}; a rounded lifting needs gain 1")]
    RoundedGain {
        /// `low` or `high`.
        band: &'static str,
        /// What came.
        gain: f64,
    },
    /// A coefficient of a rounded step that is not a multiple of `2^-shift`.
    #[error(
        "step {step}: coefficient {tap} is not a multiple of 2^-{shift}; a rounded step computes floor((sum of integers + offset) / 2^{shift})"
    )]
    RoundedTap {
        /// Which step, from 1.
        step: usize,
        /// The coefficient.
        tap: f64,
        /// The step's shift.
        shift: u32,
    },
    /// A shift or an offset out of range.
    #[error("step {step}: {what} is {value}; expected {expected}")]
    RoundingRange {
        /// Which step, from 1.
        step: usize,
        /// `shift` or `offset`.
        what: &'static str,
        /// What came.
        value: i64,
        /// What is accepted.
        expected: &'static str,
    },
    /// Some steps round and others do not.
    #[error(
        "step {step} is not rounded although others are; give it a shift and an offset, or whole numbers as coefficients"
    )]
    MixedRounding {
        /// The first step without rounding, from 1.
        step: usize,
    },
    /// A lattice without stages.
    #[error("the lattice has no stage; it needs at least the final 2 x 2 matrix")]
    NoStages,
    /// A stage without an inverse.
    #[error(
        "stage {stage} of the lattice has determinant {determinant:e}; it could not be inverted"
    )]
    SingularStage {
        /// Which stage, from 1.
        stage: usize,
        /// Its determinant.
        determinant: f64,
    },
    /// A leading lifting of a row that does not exist.
    #[error("the leading lifting adds to row {row}; expected 0 (low) or 1 (high)")]
    LeadRow {
        /// What came.
        row: usize,
    },
    /// A leading lifting along an axis that a lattice does not have.
    #[error(
        "the leading lifting has the exponent {exponent} along axis {axis}; a lattice has axis 0 alone"
    )]
    LeadAxis {
        /// The axis.
        axis: usize,
        /// The exponent.
        exponent: i32,
    },
}
