//! A 1-D kernel across lines: pairs of lines arrive one after the other, every segment runs as soon as
//! what it reads is there, and what later pairs read is carried.
//!
//! A *stream* is a plane as it was loaded, or as a segment left it. At iteration `t` segments run at pair
//! `t - lag`, and the newest value of a stream has index `t - lag` of its own.

use crate::dag::{Dag, NodeId, Place};
use crate::pipeline::Prepared;

/// A value of a stream: the newest, or one so many iterations before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Read {
    pub stream: usize,
    pub age: usize,
}

/// A plane as loaded, or as a segment left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stream {
    lag: i32,
    /// How many values are kept, the newest included.
    pub window: usize,
    /// First iteration after the first load whose value is right.
    first: usize,
}

/// A segment in the schedule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage<'a> {
    pub graph: &'a Dag,
    lag: i32,
    /// Streams of the planes before it.
    before: Vec<usize>,
    lags: Vec<i32>,
    /// What it writes: the streams and the nodes.
    pub writes: Vec<(usize, NodeId)>,
}

impl Stage<'_> {
    /// Where a leaf of the segment is found.
    pub fn read(&self, leaf: &Place) -> Read {
        let stream = self.before[leaf.plane];
        // The segment's lag is no smaller than that of anything it reads.
        let age = (self.lag - leaf.offset[0] - self.lags[leaf.plane]).max(0);
        Read { stream, age: usize::try_from(age).unwrap_or(0) }
    }
}

/// The schedule of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule<'a> {
    /// The first are the planes as loaded.
    pub streams: Vec<Stream>,
    pub stages: Vec<Stage<'a>>,
    /// One per channel.
    pub outputs: Vec<Read>,
    /// Iteration `t` gives the outputs of pair `t - delay`.
    pub delay: i32,
    /// Iterations after the first load until outputs are right.
    pub warm: usize,
    planes: usize,
}

impl<'a> Schedule<'a> {
    /// Schedules the segments of a kernel of one axis.
    pub fn new(prepared: &'a Prepared) -> Self {
        let kernel = &prepared.kernel;
        let planes = kernel.planes();
        let mut streams = vec![Stream { lag: 0, window: 1, first: 0 }; planes];
        let mut current: Vec<usize> = (0..planes).collect();
        let mut stages: Vec<Stage> = Vec::new();
        for graph in &prepared.graphs {
            let lags: Vec<i32> = current.iter().map(|stream| streams[*stream].lag).collect();
            let lag = graph.leaves().map(|leaf| lags[leaf.plane] + leaf.offset[0]).max();
            let lag = lag.unwrap_or(0);
            let mut stage = Stage { graph, lag, before: current.clone(), lags, writes: Vec::new() };
            let mut first = 0;
            for leaf in graph.leaves() {
                let read = stage.read(&leaf);
                let stream = &mut streams[read.stream];
                stream.window = stream.window.max(read.age + 1);
                first = first.max(stream.first + read.age);
            }
            for store in graph.stores() {
                current[store.place.plane] = streams.len();
                stage.writes.push((streams.len(), store.value));
                streams.push(Stream { lag: lag - store.place.offset[0], window: 1, first });
            }
            stages.push(stage);
        }
        let newest = kernel.outputs.iter().map(|output| (current[output.plane], output.offset[0]));
        let newest: Vec<(usize, i32)> = newest.collect();
        let delay = newest.iter().map(|(stream, offset)| streams[*stream].lag + offset).max();
        let delay = delay.unwrap_or(0);
        let mut warm = 0;
        let outputs = newest.iter().map(|(stream, offset)| {
            let values = &mut streams[*stream];
            let age = usize::try_from(delay - offset - values.lag).unwrap_or(0);
            values.window = values.window.max(age + 1);
            warm = warm.max(values.first + age);
            Read { stream: *stream, age }
        });
        let outputs = outputs.collect();
        Self { streams, stages, outputs, delay, warm, planes }
    }

    /// Whether a stream is a plane as loaded.
    pub fn is_load(&self, stream: usize) -> bool {
        stream < self.planes
    }

    /// Values of each loaded plane that an iteration may read.
    pub fn window(&self) -> usize {
        self.streams[..self.planes].iter().map(|stream| stream.window).max().unwrap_or(1)
    }

    /// Computed streams of which values are carried, and of how many iterations.
    pub fn carried(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let computed = self.streams.iter().enumerate().skip(self.planes);
        computed.filter(|(_, stream)| stream.window > 1).map(|(at, stream)| (at, stream.window - 1))
    }

    /// Lines that are carried.
    pub fn lines(&self) -> usize {
        self.carried().map(|(_, lines)| lines).sum()
    }
}
