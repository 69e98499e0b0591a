//! The levels of an array: shapes of every band, from the array's shape alone.

use super::{AxisGeometry, Frame};
use crate::extension::Mode;

/// Why a shape cannot be transformed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// No samples on a transformed axis.
    #[error("an axis to be transformed is empty")]
    Empty,
    /// The mode is not defined for so few samples.
    #[error("length must exceed {} for {mode}, got {len}", minimum - 1)]
    TooShort {
        /// The mode.
        mode: Mode,
        /// What was given.
        len: usize,
        /// What is needed.
        minimum: usize,
    },
    /// Longer than any array.
    #[error("an axis of {len} samples is too long; at most {} are possible", AxisGeometry::LONGEST)]
    TooLong {
        /// What was given.
        len: usize,
    },
    /// A coordinate that no array can have.
    #[error("the origin {origin} is too far away; at most {} is possible", AxisGeometry::LONGEST)]
    OriginTooFar {
        /// What was given.
        origin: i64,
    },
    /// Only even lengths are defined.
    #[error("an even length is needed here (mode {mode}), got {len}")]
    OddLength {
        /// The mode.
        mode: Mode,
        /// What was given.
        len: usize,
    },
    /// `jpeg2000` with filters that are not whole-sample symmetric.
    #[error(
        "mode jpeg2000 needs whole-sample symmetric filters (and steps, if these round), the high-pass \
         one centred one sample after the low-pass one (such as bior2.2, bior4.4, rev53)"
    )]
    NotWholeSample,
    /// An origin was given with a mode that has none.
    #[error("an origin only makes sense with mode jpeg2000, not {mode}")]
    OriginNeedsJpeg2000 {
        /// The mode.
        mode: Mode,
    },
    /// Lists of different length.
    #[error("expected {expected} values of {what}, one per transformed axis, got {got}")]
    Count {
        /// Which list.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many came.
        got: usize,
    },
    /// An approximation that cannot be transformed further.
    #[error("axis {axis} has length {len} at level {level}: {reason}")]
    AtLevel {
        /// The level, from 2 on.
        level: usize,
        /// Which of the axes: of those transformed, until [`GeometryError::on_axes`] has named it.
        axis: usize,
        /// How many samples the level finds on it.
        len: usize,
        /// Why that cannot be.
        reason: Box<GeometryError>,
    },
    /// More levels than any array can have.
    #[error("{levels} levels were asked for; at most {} are possible", Decomposition::MOST_LEVELS)]
    TooManyLevels {
        /// What was asked for.
        levels: usize,
    },
}

impl GeometryError {
    /// The same of an array of which `axes` are transformed.
    pub fn on_axes(self, axes: &[usize]) -> Self {
        match self {
            Self::AtLevel { level, axis, len, reason } => {
                let axis = axes.get(axis).copied().unwrap_or(axis);
                Self::AtLevel { level, axis, len, reason }
            }
            error => error,
        }
    }
}

/// One level of a decomposition.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// One geometry per transformed axis.
    pub axes: Vec<AxisGeometry>,
}

/// All levels of a transform over one or more axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    levels: Vec<Level>,
}

impl Decomposition {
    /// More levels than this are refused: an expansive mode never shrinks a signal below `M - 1`,
    /// so that a level count has no natural end.
    pub const MOST_LEVELS: usize = 64;

    /// Geometry of `levels` levels over axes with the given lengths. `origins` are the coordinates
    /// of sample 0 per axis (empty: all 0).
    pub fn new(
        frame: &Frame,
        mode: Mode,
        lengths: &[usize],
        origins: &[i64],
        levels: usize,
    ) -> Result<Self, GeometryError> {
        if levels > Self::MOST_LEVELS {
            return Err(GeometryError::TooManyLevels { levels });
        }
        if !origins.is_empty() && origins.len() != lengths.len() {
            let (expected, got) = (lengths.len(), origins.len());
            return Err(GeometryError::Count { what: "origin", expected, got });
        }
        let mut current: Vec<(usize, i64)> = lengths
            .iter()
            .enumerate()
            .map(|(axis, len)| (*len, origins.get(axis).copied().unwrap_or(0)))
            .collect();
        let mut all: Vec<Level> = Vec::with_capacity(levels);
        for level in 1..=levels {
            let axes = current
                .iter()
                .enumerate()
                .map(|(axis, (len, origin))| {
                    // A single sample at an odd coordinate leaves an empty approximation behind:
                    // further levels of it are empty, not an error.
                    let left_over = *len == 0 && !all.is_empty() && mode == Mode::Jpeg2000;
                    match left_over {
                        true => Ok(AxisGeometry::empty(*origin)),
                        false => AxisGeometry::new(frame, mode, *len, *origin).map_err(|error| {
                            let reason = Box::new(error);
                            match level {
                                1 => *reason,
                                _ => GeometryError::AtLevel { level, axis, len: *len, reason },
                            }
                        }),
                    }
                })
                .collect::<Result<Vec<_>, _>>()?;
            for (axis, geometry) in axes.iter().enumerate() {
                current[axis] = (geometry.low.len, (current[axis].1 + 1).div_euclid(2));
            }
            all.push(Level { axes });
        }
        Ok(Self { levels: all })
    }

    /// The levels, finest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}
