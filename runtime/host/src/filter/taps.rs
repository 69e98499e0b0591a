//! A convolution along one axis: two sums over a window of two planes.

use super::cascade::{Cascade, Found};
use crate::element::Element;
use std::ops::Range;
use waveloom_codegen::kernel::Kernel;

/// Planes of a kernel of one axis.
pub(crate) const PLANES: usize = 2;

/// The longest window, in pairs.
const MOST_REACH: i64 = 48;

/// A value of the window and what it counts in each of two sums.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tap<T> {
    /// The plane.
    plane: usize,
    /// Pairs behind the first of the window.
    shift: usize,
    /// Factors in the low and the high (or the even and the odd) output.
    factors: [T; 2],
}

/// The taps of two sums: first those in both, then those in the first alone, then those in the
/// second. A factor that is zero has no tap: what stands there may be infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Taps<T> {
    taps: Vec<Tap<T>>,
    /// Where those in both end, and those in the first alone.
    ends: [usize; 2],
    /// See [`Taps::neighbours`].
    neighbours: (usize, Option<usize>),
}

impl<T: Copy> Taps<T> {
    fn new(taps: Vec<Tap<T>>, ends: [usize; 2]) -> Self {
        let mut taps = Self { taps, ends, neighbours: (0, None) };
        let (both, count) = (taps.both(), taps.count());
        let position = |tap: usize| taps.position(tap);
        let first = (0..count).map(position).min().unwrap_or(0);
        let front = (both..count).filter(|tap| both > 0 && position(*tap) < position(0)).count();
        let order = (both..both + front).chain(0..both).chain(both + front..count);
        let neighbours = order.zip(first..).all(|(tap, at)| position(tap) == at);
        taps.neighbours = (first, neighbours.then_some(front));
        taps
    }

    /// How many are in both sums.
    #[inline(always)]
    pub fn both(&self) -> usize {
        self.ends[0]
    }

    /// Those in one sum alone.
    #[inline(always)]
    pub fn alone(&self, channel: usize) -> Range<usize> {
        if channel == 0 { self.ends[0]..self.ends[1] } else { self.ends[1]..self.taps.len() }
    }

    /// What a tap counts.
    #[inline(always)]
    pub fn factors(&self, tap: usize) -> [T; 2] {
        self.taps[tap].factors
    }

    /// The plane of a tap, and how many pairs behind the first of the window it is.
    #[inline(always)]
    pub fn place(&self, tap: usize) -> (usize, usize) {
        let tap = &self.taps[tap];
        (tap.plane, tap.shift)
    }

    /// Where a tap is in the window, planes in turn.
    #[inline(always)]
    pub fn position(&self, tap: usize) -> usize {
        let (plane, shift) = self.place(tap);
        PLANES * shift + plane
    }

    /// The position of the first tap, and, if the taps are neighbours, those in one sum alone before
    /// or behind the others: how many are before.
    #[inline(always)]
    pub fn neighbours(&self) -> (usize, Option<usize>) {
        self.neighbours
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.taps.len()
    }
}

/// A kernel of one axis that is a convolution, or a cascade of stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter<T> {
    pub(crate) taps: Taps<T>,
    /// Instead of taps.
    pub(super) cascade: Option<Cascade<T>>,
    /// The window of pair `k` is `k + low ..= k + high`.
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl<T: Element> Filter<T> {
    /// The sums of a kernel with one step that replaces both planes; `None` for others, and for
    /// windows that are too long.
    pub(crate) fn of(kernel: &Kernel) -> Option<Self> {
        let steps: Vec<_> = kernel.steps().collect();
        let [step] = steps[..] else { return None };
        if kernel.axes != 1 || kernel.outputs.len() != PLANES {
            return None;
        }
        // (offset, plane, factors), ordered.
        let mut found: Vec<(i64, usize, [f64; 2])> = Vec::new();
        for (channel, output) in kernel.outputs.iter().enumerate() {
            let update = step.updates.iter().find(|update| update.plane == output.plane)?;
            if update.increment || update.rounding.is_some() {
                return None;
            }
            let moved = output.offset[0] - update.offset[0];
            for term in update.terms.iter().filter(|term| term.coefficient != 0.0) {
                let offset = i64::from(term.offset[0] + moved);
                let place = (offset, term.plane);
                let index = found.partition_point(|(offset, plane, _)| (*offset, *plane) < place);
                match found.get_mut(index) {
                    Some((offset, plane, factors)) if (*offset, *plane) == place => {
                        factors[channel] += term.coefficient;
                    }
                    _ => {
                        let mut factors = [0.0; 2];
                        factors[channel] = term.coefficient;
                        found.insert(index, (place.0, place.1, factors));
                    }
                }
            }
        }
        let low = found.iter().map(|(offset, ..)| *offset).min()?;
        let high = found.iter().map(|(offset, ..)| *offset).max()?;
        if high - low >= MOST_REACH {
            return None;
        }
        let kind = |factors: &[f64; 2]| match factors.map(|factor| factor != 0.0) {
            [true, true] => 0,
            [true, false] => 1,
            _ => 2,
        };
        found.retain(|(.., factors)| *factors != [0.0; 2]);
        found.sort_by_key(|(offset, plane, factors)| (kind(factors), *offset, *plane));
        let ends = [0, 1].map(|end| found.partition_point(|(.., factors)| kind(factors) <= end));
        let tap = |(offset, plane, factors): (i64, usize, [f64; 2])| Tap {
            plane,
            shift: (offset - low) as usize,
            factors: factors.map(T::from_coefficient),
        };
        let taps = Taps::new(found.into_iter().map(tap).collect(), ends);
        Some(Self { taps, cascade: None, low, high })
    }

    /// The stages of a kernel; see [`Cascade::of`].
    pub(crate) fn staged(kernel: &Kernel) -> Option<Self> {
        let Found { cascade, low, high } = Cascade::of(kernel)?;
        Some(Self { taps: Taps::new(Vec::new(), [0; 2]), cascade: Some(cascade), low, high })
    }

    /// Operations on registers for a vector of pairs.
    pub(crate) fn work(&self) -> usize {
        match &self.cascade {
            Some(cascade) => cascade.work(),
            None => self.taps.count() + self.taps.both(),
        }
    }

    /// Whether stages of two axes take rows some columns at a time, where that is possible.
    pub(crate) fn set_weaving(&mut self, weaves: bool) {
        if let Some(cascade) = &mut self.cascade {
            cascade.weaves = if weaves { usize::MAX } else { 0 };
        }
    }

    /// Whether the filter is made of taps, not of stages.
    pub(crate) fn has_taps(&self) -> bool {
        self.cascade.is_none()
    }

    /// Whether it is made of stages that have a loop of their own.
    pub(crate) fn has_loop(&self) -> bool {
        self.cascade.as_ref().is_some_and(|cascade| cascade.known.is_some())
    }

    /// Whether the filter serves so many axes at once. Stages serve one axis or two, if they do not
    /// add what is beyond the ends; those that round serve two.
    pub(crate) fn serves(&self, axes: usize, adjoint: bool) -> bool {
        match &self.cascade {
            None => true,
            Some(cascade) if cascade.rounds() => axes == 2 && !adjoint,
            Some(_) => axes == 1 || axes == 2 && !adjoint,
        }
    }

    /// Pairs of a window beyond the first.
    pub(crate) fn reach(&self) -> usize {
        (self.high - self.low) as usize
    }
}
