//! A convolution along one axis: two sums over a window of two planes.

use crate::element::Element;
use waveloom_codegen::kernel::Kernel;

/// Planes of a kernel of one axis.
pub(crate) const PLANES: usize = 2;

/// The longest window, in pairs.
const MOST_REACH: i64 = 48;

/// A value of the window and what it counts in each of two sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap<T> {
    /// The plane.
    pub plane: usize,
    /// Pairs behind the first of the window.
    pub shift: usize,
    /// Factors in the low and the high (or the even and the odd) output.
    pub factors: [T; 2],
}

/// The taps of two sums. A factor that is zero has no tap: what stands there may be infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Taps<T> {
    /// In both sums.
    pub both: Vec<Tap<T>>,
    /// In one of them.
    pub alone: [Vec<Tap<T>>; 2],
}

/// A kernel of one axis that is a convolution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filter<T> {
    pub(crate) taps: Taps<T>,
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
        let mut taps = Taps { both: Vec::new(), alone: [Vec::new(), Vec::new()] };
        for (offset, plane, factors) in found {
            let shift = (offset - low) as usize;
            let tap = Tap { plane, shift, factors: factors.map(T::from_coefficient) };
            match factors.map(|factor| factor != 0.0) {
                [true, true] => taps.both.push(tap),
                [true, false] => taps.alone[0].push(tap),
                [false, true] => taps.alone[1].push(tap),
                [false, false] => {}
            }
        }
        Some(Self { taps, low, high })
    }

    /// Pairs of a window beyond the first.
    pub(crate) fn reach(&self) -> usize {
        (self.high - self.low) as usize
    }
}
