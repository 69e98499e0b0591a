//! Which element of an array stands behind plane `bit` at pair `k` of one axis.

use std::ops::Range;
use waveloom_codegen::kernel::Side;
use waveloom_wavelets::extension::Weights;
use waveloom_wavelets::geometry::{AxisGeometry, Span};

/// One axis of an array that is read into planes, or written from them.
///
/// Signals have one array whose elements alternate between the planes; bands have one array per
/// plane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ends<'a> {
    /// Not a transformed axis: pair 0 is the element.
    Whole,
    /// A signal's samples.
    Signal(&'a AxisGeometry),
    /// The coefficients of the two bands.
    Bands(&'a AxisGeometry),
}

/// `weight` times element `index` of the array of plane `bit`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) bit: usize,
    pub(crate) index: usize,
    pub(crate) weight: i64,
}

/// At most four places.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    list: [Place; 4],
    len: usize,
}

impl Places {
    fn one(bit: usize, index: usize) -> Self {
        let mut list = [Place::default(); 4];
        list[0] = Place { bit, index, weight: 1 };
        Self { list, len: 1 }
    }

    /// Weights that are zero are left out: what stands there may be infinite.
    fn of(weights: &Weights, place: impl Fn(usize) -> (usize, usize)) -> Self {
        let mut places = Self::default();
        for (index, weight) in weights.terms().iter().filter(|(_, weight)| *weight != 0) {
            let (bit, index) = place(*index);
            places.list[places.len] = Place { bit, index, weight: *weight };
            places.len += 1;
        }
        places
    }

    pub(crate) fn as_slice(&self) -> &[Place] {
        &self.list[..self.len]
    }
}

impl<'a> Ends<'a> {
    /// The given side of an axis.
    pub(crate) fn new(side: Side, geometry: &'a AxisGeometry) -> Self {
        match side {
            Side::Signal => Ends::Signal(geometry),
            Side::Bands => Ends::Bands(geometry),
        }
    }

    /// Elements between neighbouring pairs of a plane, in the array.
    pub(crate) fn step(&self) -> usize {
        if matches!(self, Ends::Signal(_)) { 2 } else { 1 }
    }

    /// The pairs at which plane `bit` is an element itself.
    pub(crate) fn interior(&self, bit: usize) -> Range<i64> {
        match self {
            Ends::Whole => 0..1,
            Ends::Signal(axis) => {
                let pair = |position: i64| (position - bit as i64 + 1).div_euclid(2);
                pair(axis.signal.start)..pair(axis.signal.end())
            }
            Ends::Bands(axis) => {
                let span = band(axis, bit);
                span.start..span.end()
            }
        }
    }

    /// The element's index at a pair of the interior.
    pub(crate) fn index(&self, bit: usize, k: i64) -> usize {
        let index = match self {
            Ends::Whole => 0,
            Ends::Signal(axis) => 2 * k + bit as i64 - axis.signal.start,
            Ends::Bands(axis) => k - band(axis, bit).start,
        };
        index as usize
    }

    /// The pairs that hold any element.
    pub(crate) fn pairs(&self) -> Range<i64> {
        let (even, odd) = (self.interior(0), self.interior(1));
        match (even.is_empty(), odd.is_empty()) {
            _ if matches!(self, Ends::Whole) => even,
            (false, false) => even.start.min(odd.start)..even.end.max(odd.end),
            (true, false) => odd,
            _ => even,
        }
    }

    /// What stands behind plane `bit` at any pair, by the array's extension.
    pub(crate) fn places(&self, bit: usize, k: i64) -> Places {
        if self.interior(bit).contains(&k) {
            return Places::one(bit, self.index(bit, k));
        }
        match self {
            Ends::Whole => Places::default(),
            Ends::Signal(axis) => {
                let weights = axis.signal_extension.weights(2 * k + bit as i64 - axis.signal.start);
                Places::of(&weights, |index| (bit, index))
            }
            Ends::Bands(axis) => {
                let bands = axis.bands();
                let weights = axis.band_extension.weights(2 * k + bit as i64 - bands.start);
                Places::of(&weights, |index| {
                    let position = bands.start + index as i64;
                    let (bit, k) = (position.rem_euclid(2) as usize, position.div_euclid(2));
                    (bit, (k - band(axis, bit).start) as usize)
                })
            }
        }
    }
}

fn band(axis: &AxisGeometry, bit: usize) -> Span {
    if bit == 0 { axis.low } else { axis.high }
}
