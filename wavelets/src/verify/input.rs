//! What must hold before anything can be computed: sizes, positions, finite numbers.

use super::{FARTHEST_POSITION, LONGEST_FRAME, MOST_FACTORS, VerifyError};
use crate::bank::FilterBank;
use crate::lattice::Lattice;
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep};

/// The four filters' names in messages, in the order of [`FilterBank`].
pub(super) const FILTERS: [&str; 4] = ["lo", "hi", "rec_lo", "rec_hi"];

/// The bank of PyWavelets' `dec_lo, dec_hi, rec_lo, rec_hi`; use it rather than
/// [`FilterBank::from_pywavelets`] for filters that somebody typed.
///
/// # Errors
/// Empty or unequal filters, too many taps, numbers that are not finite.
pub fn pywavelets_bank(filters: [&[f64]; 4]) -> Result<FilterBank, VerifyError> {
    let length = pywavelets_lengths(filters.map(<[f64]>::len))?;
    if length > LONGEST_FRAME {
        return Err(VerifyError::TooLong { length });
    }
    for (name, taps) in ["dec_lo", "dec_hi", "rec_lo", "rec_hi"].into_iter().zip(filters) {
        for (position, tap) in taps.iter().enumerate() {
            finite(*tap, || format!("{name}[{position}]"))?;
        }
    }
    let [dec_lo, dec_hi, rec_lo, rec_hi] = filters;
    Ok(FilterBank::from_pywavelets(dec_lo, dec_hi, rec_lo, rec_hi))
}

/// The common length of four filters.
pub(super) fn pywavelets_lengths(lengths: [usize; 4]) -> Result<usize, VerifyError> {
    let names = ["dec_lo", "dec_hi", "rec_lo", "rec_hi"];
    if let Some(empty) = lengths.iter().position(|length| *length == 0) {
        return Err(VerifyError::Empty { filter: names[empty] });
    }
    if lengths.iter().any(|length| *length != lengths[0]) {
        return Err(VerifyError::UnequalLengths { lengths });
    }
    Ok(lengths[0])
}

/// Checks that a bank is finite, of a supported length, and inside its frame.
///
/// # Errors
/// The first thing that is not so.
pub fn check_bank(bank: &FilterBank) -> Result<(), VerifyError> {
    let length = bank.length();
    let filters =
        [bank.analysis_low(), bank.analysis_high(), bank.synthesis_low(), bank.synthesis_high()];
    for (name, filter) in FILTERS.into_iter().zip(filters) {
        for (position, tap) in (i64::from(filter.first())..).zip(filter.taps()) {
            finite(*tap, || format!("{name}[{position}]"))?;
        }
    }
    if length > LONGEST_FRAME {
        return Err(VerifyError::TooLong { length });
    }
    for (name, filter) in FILTERS.into_iter().zip(filters) {
        if filter.taps().is_empty() {
            return Err(VerifyError::Empty { filter: name });
        }
        let (first, last) = (filter.first(), filter.last());
        if first < 0 || i64::from(last) >= length as i64 || length % 2 == 1 {
            return Err(VerifyError::OutsideFrame { filter: name, first, last, length });
        }
    }
    Ok(())
}

/// [`check_bank`] of the product of finite factors: what is not finite in it, overflowed.
pub(crate) fn check_product(bank: &FilterBank) -> Result<(), VerifyError> {
    check_bank(bank).map_err(|error| match error {
        VerifyError::NotFinite { place, .. } => VerifyError::Overflow { place },
        error => error,
    })
}

/// Checks a lifting: finite numbers, near exponents, bands from different channels with gains that
/// are not zero, and rounding that is whole.
///
/// # Errors
/// The first thing that is not so.
pub fn check_lifting(lifting: &Lifting) -> Result<(), VerifyError> {
    too_many("lifting steps", lifting.steps.len())?;
    let reaches = lifting.steps.iter().map(|step| {
        let exponents = || step.taps.keys().map(|e| i64::from(*e)).chain([0]);
        exponents().max().unwrap_or(0) - exponents().min().unwrap_or(0)
    });
    near_enough(reaches.sum())?;
    for (index, step) in lifting.steps.iter().enumerate() {
        for (exponent, tap) in &step.taps {
            near(*exponent, || format!("an exponent of step {}", index + 1))?;
            finite(*tap, || format!("the coefficient of z^{exponent} in step {}", index + 1))?;
        }
        check_rounding(index + 1, step)?;
    }
    let bands = [("low", lifting.low), ("high", lifting.high)];
    for (name, band) in bands {
        check_output(name, &band)?;
        if lifting.is_rounded() && band.gain != 1.0 {
            return Err(VerifyError::RoundedGain { band: name, gain: band.gain });
        }
    }
    if lifting.low.channel == lifting.high.channel {
        let channel = match lifting.low.channel {
            Channel::Even => "even",
            Channel::Odd => "odd",
        };
        return Err(VerifyError::SameChannel { channel });
    }
    let unrounded = lifting.steps.iter().position(|step| step.rounding.is_none());
    match unrounded {
        Some(step) if lifting.is_rounded() => Err(VerifyError::MixedRounding { step: step + 1 }),
        _ => Ok(()),
    }
}

fn check_output(name: &'static str, band: &BandOutput) -> Result<(), VerifyError> {
    near(band.advance, || format!("the advance of {name}"))?;
    finite(band.gain, || format!("the gain of {name}"))?;
    match band.gain {
        0.0 => Err(VerifyError::ZeroGain { band: name }),
        _ => Ok(()),
    }
}

fn check_rounding(step: usize, lifting: &LiftingStep) -> Result<(), VerifyError> {
    let Some(rounding) = lifting.rounding else { return Ok(()) };
    let (shift, offset) = (rounding.shift, rounding.offset);
    if shift > 30 {
        let (what, value) = ("shift", i64::from(shift));
        return Err(VerifyError::RoundingRange { step, what, value, expected: "0 to 30" });
    }
    if offset.unsigned_abs() > 1 << 40 {
        let expected = "-2^40 to 2^40";
        return Err(VerifyError::RoundingRange { step, what: "offset", value: offset, expected });
    }
    for tap in lifting.taps.values() {
        let whole = tap * f64::from(1_u32 << shift);
        if whole.fract() != 0.0 || whole.abs() > f64::from(1_u32 << 31) {
            return Err(VerifyError::RoundedTap { step, tap: *tap, shift });
        }
    }
    Ok(())
}

/// Checks a lattice: at least one stage, every stage invertible, finite numbers, near exponents.
///
/// # Errors
/// The first thing that is not so.
pub fn check_lattice(lattice: &Lattice) -> Result<(), VerifyError> {
    if lattice.stages.is_empty() {
        return Err(VerifyError::NoStages);
    }
    too_many("lattice stages", lattice.stages.len())?;
    for (index, stage) in lattice.stages.iter().enumerate() {
        for entry in stage.iter().flatten() {
            finite(*entry, || format!("an entry of stage {}", index + 1))?;
        }
        let [[a, b], [c, d]] = *stage;
        let determinant = a * d - b * c;
        if determinant.abs() <= 4.0 * f64::EPSILON * ((a * d).abs() + (b * c).abs()) {
            return Err(VerifyError::SingularStage { stage: index + 1, determinant });
        }
    }
    if let Some((row, q)) = &lattice.lead {
        if *row > 1 {
            return Err(VerifyError::LeadRow { row: *row });
        }
        let (first, last) = q.range(0).unwrap_or((0, 0));
        near_enough(i64::from(last) - i64::from(first))?;
        for (exponent, tap) in q.terms() {
            if let Some(axis) = (1..exponent.len()).find(|axis| exponent[*axis] != 0) {
                return Err(VerifyError::LeadAxis { axis, exponent: exponent[axis] });
            }
            near(exponent[0], || "an exponent of the leading lifting".to_owned())?;
            finite(*tap, || {
                format!("the coefficient of z^{} in the leading lifting", exponent[0])
            })?;
        }
    }
    for (name, advance) in ["low", "high"].into_iter().zip(lattice.advance) {
        near(advance, || format!("the advance of {name}"))?;
    }
    Ok(())
}

fn finite(value: f64, place: impl FnOnce() -> String) -> Result<(), VerifyError> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(VerifyError::NotFinite { place: place(), value }),
    }
}

pub(super) fn near(value: i32, place: impl FnOnce() -> String) -> Result<(), VerifyError> {
    match value.unsigned_abs() <= FARTHEST_POSITION.unsigned_abs() {
        true => Ok(()),
        false => Err(VerifyError::TooFar { place: place(), value }),
    }
}

/// Refuses factors whose product would not fit the longest frame; `reach` is in pairs.
fn near_enough(reach: i64) -> Result<(), VerifyError> {
    let length = usize::try_from(2 * reach + 2).unwrap_or(usize::MAX);
    match length <= 2 * LONGEST_FRAME {
        true => Ok(()),
        false => Err(VerifyError::TooLong { length }),
    }
}

fn too_many(what: &'static str, count: usize) -> Result<(), VerifyError> {
    match count <= MOST_FACTORS {
        true => Ok(()),
        false => Err(VerifyError::TooMany { what, count }),
    }
}
