//! A 1-D kernel along the walk: every column is a pipeline of values, pair after pair.

use super::StripError;
use crate::dag::{Contraction, Dag, DagError, Place};
use crate::kernel::{Kernel, Pipeline, PipelineTerm, PipelineUpdate, Segment, Step, Term, Update};
use waveloom_wavelets::scheme::FactorKind;

/// One new value of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct AlongUpdate {
    /// The stream that receives it.
    pub stream: usize,
    /// How it is computed: planes of places are streams, offsets are ages, negated.
    pub dag: Dag,
}

/// A kernel along the walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    /// The schedule.
    pub pipeline: Pipeline,
    /// Its updates as expression graphs.
    pub updates: Vec<AlongUpdate>,
}

impl Along {
    pub(super) fn new(kernel: &Kernel) -> Result<Self, StripError> {
        let Some(pipeline) = Pipeline::leanest(kernel) else {
            return Err(StripError::Lines { lines: kernel.axes });
        };
        Ok(Self::of(kernel, pipeline)?)
    }

    /// A kernel with a schedule of its own.
    pub(in crate::gpu) fn of(kernel: &Kernel, pipeline: Pipeline) -> Result<Self, DagError> {
        let updates = pipeline.updates.iter().map(|update| graph(kernel, update));
        let updates = updates.collect::<Result<_, _>>()?;
        Ok(Self { pipeline, updates })
    }

    /// Pairs of rows that a walk touches before its tile's first and after its last one, in its direction.
    pub(super) fn reach(&self) -> [i64; 2] {
        let pipeline = &self.pipeline;
        let lags = pipeline.streams.iter().take(2).map(|stream| i64::from(stream.lag));
        let (least, most) = lags.fold((0, 0), |(a, b), lag| (a.min(lag), b.max(lag)));
        let (delay, warm) = (i64::from(pipeline.delay), pipeline.warm() as i64);
        [warm - delay + most, delay - least]
    }

    /// The stream and age of a place of an update's graph.
    pub fn read(place: &Place) -> (usize, usize) {
        (place.plane, place.offset[0].unsigned_abs() as usize)
    }

    pub(in crate::gpu) fn operations(&self) -> usize {
        self.updates.iter().map(|update| update.dag.counts().operations()).sum()
    }
}

fn place(term: &PipelineTerm) -> Place {
    Place { plane: term.stream, offset: [-(term.age as i32), 0, 0] }
}

/// An update as a step of its own: it overwrites the old value's place.
fn graph(kernel: &Kernel, update: &PipelineUpdate) -> Result<AlongUpdate, DagError> {
    let new = Place { plane: update.stream, offset: [0; 3] };
    let written = update.old.as_ref().map_or(new, place);
    let terms = update.terms.iter().map(|term| {
        let Place { plane, offset } = place(term);
        Term { plane, offset, coefficient: term.coefficient }
    });
    let step = Step {
        kind: FactorKind::Constant,
        updates: vec![Update {
            plane: written.plane,
            offset: written.offset,
            terms: terms.collect(),
            increment: update.old.is_some(),
            rounding: update.rounding,
        }],
        margin: Default::default(),
        in_place: false,
    };
    let exchange = kernel.segments.first().map_or(crate::kernel::Exchange::Stream, |s| s.exchange);
    let alone =
        Kernel { segments: vec![Segment { exchange, steps: vec![step] }], ..kernel.clone() };
    let contraction = match kernel.element.is_integer() {
        true => Contraction::Separate,
        false => Contraction::Fused,
    };
    let dag = Dag::places(&alone, 0..=0, &[written])?.optimised(contraction);
    Ok(AlongUpdate { stream: update.stream, dag })
}
