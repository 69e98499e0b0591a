//! Sizes of a signal from the sizes of its bands, for coefficients that do not say what they are of.
//!
//! The rule is PyWavelets' (`waverec`, `waverecn`): from the coarsest level on, an approximation
//! that is one sample longer than the details beside it loses that sample; the result of the finest
//! level is not shortened, so that an odd signal of an expansive mode comes back one sample longer.
//! `jpeg2000` knows the length from both bands.

use crate::error::PlanError;
use waveloom_wavelets::Mode;
use waveloom_wavelets::geometry::{Band, Decomposition, Frame, GeometryError};

/// A band's key and shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BandShape {
    pub(crate) key: String,
    pub(crate) shape: Vec<usize>,
    details: Vec<bool>,
    level: Option<usize>,
}

impl BandShape {
    /// Reads a key: one letter per axis, `a` or `d`, then the level unless all are `a`.
    pub(crate) fn parse(key: &str, shape: &[usize]) -> Result<Self, PlanError> {
        let refuse = |problem: &str| {
            Err(PlanError::Band { key: key.to_owned(), problem: problem.to_owned() })
        };
        let letters = key.trim_end_matches(|c: char| c.is_ascii_digit());
        if letters.is_empty() || letters.contains(|c| c != 'a' && c != 'd') {
            return refuse("expected one letter 'a' or 'd' per axis, then a level (as in ad1)");
        }
        let details: Vec<bool> = letters.chars().map(|letter| letter == 'd').collect();
        let level = match &key[letters.len()..] {
            "" => None,
            digits => match digits.parse() {
                Ok(level) if level > 0 => Some(level),
                _ => return refuse("expected a level from 1 on"),
            },
        };
        if level.is_some() != details.contains(&true) {
            return refuse("details have a level (as in ad1), the approximation has none");
        }
        Ok(Self { key: key.to_owned(), shape: shape.to_vec(), details, level })
    }

    fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether a plan has this band, possibly without a surplus last sample of the approximation.
    pub(crate) fn check(&self, bands: &[Band], axes: &[usize]) -> Result<(), PlanError> {
        let Some(band) = bands.iter().find(|band| band.key == self.key) else {
            let known: Vec<&str> = bands.iter().map(|band| band.key.as_str()).collect();
            return Err(self.refused(format!("expected one of {}", known.join(", "))));
        };
        let fits = |dim: usize| {
            let (expected, got) = (band.shape[dim], self.shape[dim]);
            expected == got || (band.channel == 0 && axes.contains(&dim) && got == expected + 1)
        };
        let same = band.shape.len() == self.shape.len() && (0..self.shape.len()).all(fits);
        match same || self.is_empty() {
            true => Ok(()),
            false => {
                let (expected, got) = (&band.shape, &self.shape);
                Err(self.refused(format!("expected shape {expected:?}, got {got:?}")))
            }
        }
    }

    fn refused(&self, problem: String) -> PlanError {
        PlanError::Band { key: self.key.clone(), problem }
    }
}

/// The highest level of any band; 1 if there are no details.
pub(crate) fn levels(bands: &[BandShape]) -> usize {
    bands.iter().filter_map(|band| band.level).max().unwrap_or(1)
}

/// The shape of the signal whose bands these are; `axes` are the transformed axes.
pub(crate) fn signal_shape(
    bands: &[BandShape],
    axes: &[usize],
    levels: usize,
    mode: Mode,
    frame: &Frame,
) -> Result<Vec<usize>, PlanError> {
    if levels > Decomposition::MOST_LEVELS {
        return Err(GeometryError::TooManyLevels { levels }.into());
    }
    let empty_counts = mode == Mode::Jpeg2000;
    let used: Vec<&BandShape> =
        bands.iter().filter(|band| empty_counts || !band.is_empty()).collect();
    let Some(first) = used.first() else {
        let problem = "every band is absent or empty: the signal's size is unknown".to_owned();
        return Err(PlanError::Band { key: "a".repeat(axes.len()), problem });
    };
    check_dimensions(&used, axes, first)?;
    let mut shape = first.shape.clone();
    for (index, axis) in axes.iter().enumerate() {
        let lengths = |level: Option<usize>, detail: bool| {
            let matching = used
                .iter()
                .filter(move |band| band.level == level && band.details[index] == detail);
            matching.map(|band| (*band, band.shape[*axis]))
        };
        let mut low = lengths(None, false).next().map(|(_, len)| len);
        for level in (1..=levels).rev() {
            // All bands of a level, by their letter on this axis.
            let beside = lengths(Some(level), false).next();
            let high = lengths(Some(level), true).next();
            let trimmed = |len: usize, other: Option<(&BandShape, usize)>| match other {
                Some((_, other)) if other.checked_add(1) == Some(len) => other,
                _ => len,
            };
            if mode == Mode::Jpeg2000 {
                let own = low.or(beside.map(|(_, len)| len)).or(high.map(|(_, len)| len));
                let own = own.unwrap_or(0);
                low = Some(own.saturating_add(high.map_or(own, |(_, len)| len)));
                continue;
            }
            let Some(own) = low.or(beside.map(|(_, len)| len)).or(high.map(|(_, len)| len)) else {
                continue;
            };
            let own = trimmed(trimmed(own, beside), high);
            if let Some((band, len)) = lengths(Some(level), false)
                .chain(lengths(Some(level), true))
                .find(|(_, len)| *len != own)
            {
                let problem = format!("expected {own} coefficients on axis {axis}, got {len}");
                return Err(band.refused(problem));
            }
            let doubled = own.saturating_mul(2);
            let out = match mode.is_expansive() {
                true => doubled.saturating_add(2).checked_sub(frame.length).filter(|len| *len > 0),
                false => Some(doubled),
            };
            low = Some(out.ok_or_else(|| {
                let problem = format!(
                    "{own} coefficients on axis {axis} are too few for a filter of length {}",
                    frame.length
                );
                first.refused(problem)
            })?);
        }
        shape[*axis] = low.unwrap_or(0);
    }
    Ok(shape)
}

/// All bands have the letters and dimensions of the first, and its extents where nothing is
/// transformed.
fn check_dimensions(
    bands: &[&BandShape],
    axes: &[usize],
    first: &BandShape,
) -> Result<(), PlanError> {
    let dims = first.shape.len();
    if let Some(axis) = axes.iter().copied().find(|axis| *axis >= dims) {
        return Err(PlanError::AxisOutOfRange { axis, dims });
    }
    for band in bands {
        if band.details.len() != axes.len() {
            let (expected, got) = (axes.len(), band.details.len());
            return Err(band.refused(format!("expected {expected} letters, got {got}")));
        }
        let (expected, got) = (first.shape.len(), band.shape.len());
        if expected != got {
            return Err(band.refused(format!("expected {expected} dimensions, got {got}")));
        }
        let batch = (0..got).filter(|dim| !axes.contains(dim));
        if let Some(dim) = batch.into_iter().find(|dim| band.shape[*dim] != first.shape[*dim]) {
            let (expected, got) = (first.shape[dim], band.shape[dim]);
            let problem = format!("expected extent {expected} on axis {dim}, got {got}");
            return Err(band.refused(problem));
        }
    }
    Ok(())
}
