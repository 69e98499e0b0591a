//! Steps composed symbolically: a segment's results as expressions of values at its start.
//!
//! The value of `plane[k + offset]` after step `s` is found from the last update, at or before `s`,
//! that writes this plane: it was executed by the position `k + offset - update.offset`, which read
//! its terms after step `s - 1`. Running this rule back to the first step leaves only plane values
//! from before it: the leaves. Within a segment the rule never leaves the position's own places
//! (that is what cuts are for); across segments it recomputes the neighbours' values, which is what
//! an exchange by recomputation and one without any sharing need.

use super::graph::Graph;
use super::{Coefficient, Dag, Node, NodeId, Place, Store};
use crate::kernel::{Element, Kernel, Segment, Step, Update};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use waveloom_wavelets::algebra::{Exponent, MAX_AXES};

/// Why a kernel cannot be written in its element type.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DagError {
    /// An integer kernel with a coefficient that is not a multiple of `2^-shift`.
    #[error("integer arithmetic needs coefficients that are multiples of 1/{}, got {coefficient}", 1_u64.checked_shl(*shift).unwrap_or(0))]
    NotInteger {
        /// The coefficient.
        coefficient: f64,
        /// The step's shift.
        shift: u32,
    },
    /// A constant that the element type cannot hold.
    #[error("the constant {value} does not fit {}", element.name())]
    OutOfRange {
        /// The constant.
        value: f64,
        /// The element type.
        element: Element,
    },
    /// A segment that does not exist.
    #[error("the kernel has {segments} segments, but segment {index} was asked for")]
    NoSuchSegment {
        /// How many there are.
        segments: usize,
        /// What was asked for.
        index: usize,
    },
}

/// The position `k` itself.
pub const HERE: Exponent = [0; MAX_AXES];

impl Dag {
    /// What segment `index` does at the given positions (relative to `k`; usually just [`HERE`]):
    /// every place it writes, as expressions of values at its start.
    pub fn segment(kernel: &Kernel, index: usize, positions: &[Exponent]) -> Result<Dag, DagError> {
        let segments = kernel.segments.len();
        let segment =
            kernel.segments.get(index).ok_or(DagError::NoSuchSegment { segments, index })?;
        let written = written(segment);
        let wanted = positions.iter().flat_map(|position| {
            written.iter().map(|place| {
                let place = moved(place, position);
                (place, place)
            })
        });
        compose(kernel, segment.steps.iter().collect(), wanted.collect())
    }

    /// The kernel's outputs at the given positions as expressions of the values before segment
    /// `first`; with `first` 0, of what was loaded. Neighbours' values are recomputed. The planes of
    /// the stores are output channels, their offsets the positions.
    pub fn outputs(kernel: &Kernel, first: usize, positions: &[Exponent]) -> Result<Dag, DagError> {
        let channels = || 0..kernel.outputs.len();
        let places = positions
            .iter()
            .flat_map(|position| channels().map(|plane| Place { plane, offset: *position }));
        Self::some_outputs(kernel, first, &places.collect::<Vec<_>>())
    }

    /// The same for channels (planes of the places) at positions of their own.
    ///
    /// # Errors
    /// Those of [`Dag::segment`].
    pub fn some_outputs(kernel: &Kernel, first: usize, places: &[Place]) -> Result<Dag, DagError> {
        let segments = kernel.segments.get(first..).unwrap_or(&[]);
        let wanted = places.iter().filter_map(|place| {
            let output = kernel.outputs.get(place.plane)?;
            let read = Place { plane: output.plane, offset: output.offset };
            Some((*place, moved(&read, &place.offset)))
        });
        compose(kernel, segments.iter().flat_map(|s| &s.steps).collect(), wanted.collect())
    }

    /// Any places after segment `last`, as expressions of the values before segment `first`:
    /// `segments` is `first..=last`. Neighbours' values are recomputed.
    pub fn places(
        kernel: &Kernel,
        segments: RangeInclusive<usize>,
        places: &[Place],
    ) -> Result<Dag, DagError> {
        let count = kernel.segments.len();
        let index = *segments.end();
        let segments = kernel
            .segments
            .get(segments)
            .ok_or(DagError::NoSuchSegment { segments: count, index })?;
        let wanted = places.iter().map(|place| (*place, *place)).collect();
        compose(kernel, segments.iter().flat_map(|s| &s.steps).collect(), wanted)
    }
}

/// The places that a segment writes at position 0, in order, each once.
fn written(segment: &Segment) -> Vec<Place> {
    let updates = segment.steps.iter().flat_map(|step| &step.updates);
    let mut places: Vec<Place> =
        updates.map(|update| Place { plane: update.plane, offset: update.offset }).collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn moved(place: &Place, by: &Exponent) -> Place {
    Place { plane: place.plane, offset: std::array::from_fn(|axis| place.offset[axis] + by[axis]) }
}

/// `wanted`: where to store, and which place's final value.
fn compose(
    kernel: &Kernel,
    steps: Vec<&Step>,
    wanted: Vec<(Place, Place)>,
) -> Result<Dag, DagError> {
    let mut composer = Composer {
        element: kernel.element,
        steps,
        graph: Graph::default(),
        known: BTreeMap::new(),
    };
    let after = composer.steps.len();
    let mut stores = Vec::with_capacity(wanted.len());
    for (place, read) in wanted {
        stores.push(Store { place, value: composer.value(after, read)? });
    }
    stores.sort_unstable();
    stores.dedup();
    Ok(composer.graph.finish(kernel.element, kernel.axes, stores))
}

struct Composer<'a> {
    element: Element,
    steps: Vec<&'a Step>,
    graph: Graph,
    /// Values after so many steps.
    known: BTreeMap<(usize, Place), NodeId>,
}

impl Composer<'_> {
    /// The value of `place` after the first `after` steps.
    fn value(&mut self, after: usize, place: Place) -> Result<NodeId, DagError> {
        let writes = |step: &&Step| step.updates.iter().any(|u| u.plane == place.plane);
        let Some(index) = self.steps[..after].iter().rposition(writes) else {
            return Ok(self.graph.intern(Node::Value(place)));
        };
        if let Some(known) = self.known.get(&(index, place)) {
            return Ok(*known);
        }
        let step = self.steps[index];
        let mut value = None;
        for update in step.updates.iter().filter(|update| update.plane == place.plane) {
            let position = std::array::from_fn(|axis| place.offset[axis] - update.offset[axis]);
            value = Some(self.update(index, update, &place, &position)?);
        }
        // `writes` held, so there was an update; a plane has one update per step.
        let value = match value {
            Some(value) => value,
            None => self.graph.intern(Node::Value(place)),
        };
        self.known.insert((index, place), value);
        Ok(value)
    }

    /// The value that `update` of step `index` writes to `place` at `position`.
    fn update(
        &mut self,
        index: usize,
        update: &Update,
        place: &Place,
        position: &Exponent,
    ) -> Result<NodeId, DagError> {
        let shift = update.rounding.map_or(0, |rounded| rounded.rounding.shift);
        let mut terms = Vec::with_capacity(update.terms.len());
        for term in &update.terms {
            let read = Place { plane: term.plane, offset: term.offset };
            let value = self.value(index, moved(&read, position))?;
            terms.push((self.coefficient(term.coefficient, shift)?, value));
        }
        let Some(rounded) = update.rounding else {
            let base = match update.increment {
                true => Some(self.value(index, *place)?),
                false => None,
            };
            return Ok(self.sum(base, terms));
        };
        self.check_range(rounded.rounding.offset as f64)?;
        let value = self.sum(None, terms);
        let offset = rounded.rounding.offset;
        let increment = self.graph.intern(Node::FloorShift { value, offset, shift });
        let base = self.value(index, *place)?;
        Ok(self.graph.intern(match rounded.subtract {
            true => Node::Sub(base, increment),
            false => Node::Add(base, increment),
        }))
    }

    /// `base + Σ c·v`, left to right.
    fn sum(&mut self, base: Option<NodeId>, terms: Vec<(Coefficient, NodeId)>) -> NodeId {
        let mut sum = base;
        for (coefficient, value) in terms {
            let product = self.graph.intern(Node::Mul(coefficient, value));
            sum = Some(match sum {
                Some(sum) => self.graph.intern(Node::Add(sum, product)),
                None => product,
            });
        }
        sum.unwrap_or_else(|| self.graph.intern(Node::Zero))
    }

    /// The factor of a term: as it stands, or times `2^shift` as an integer.
    fn coefficient(&self, coefficient: f64, shift: u32) -> Result<Coefficient, DagError> {
        let value = coefficient * 2.0_f64.powi(shift.min(1024) as i32);
        if self.element.is_integer() && value.fract() != 0.0 {
            return Err(DagError::NotInteger { coefficient, shift });
        }
        self.check_range(value)?;
        Ok(Coefficient(value))
    }

    fn check_range(&self, value: f64) -> Result<(), DagError> {
        let limit = match self.element {
            Element::F32 => f64::from(f32::MAX),
            Element::F64 => f64::MAX,
            Element::I16 => f64::from(i16::MAX),
            Element::I32 => f64::from(i32::MAX),
            // Beyond 2^53 a coefficient given as f64 is no longer certain to be the one meant.
            Element::I64 => 2.0_f64.powi(53),
        };
        if value.abs() <= limit {
            return Ok(());
        }
        Err(DagError::OutOfRange { value, element: self.element })
    }
}
