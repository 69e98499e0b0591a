//! A 1-D kernel as a pipeline: pairs arrive one at a time and every step runs as soon as it can.
//!
//! At iteration `t` the load delivers every plane's value at index `t - lag`, where the lag of a load
//! is 0 or chosen. Each step then runs at position `t - lag`, with the smallest lag for which all that
//! it reads has arrived; every value stream keeps only as many past values as somebody still reads.
//! This is the schedule of a CPU's rolling lines (a value is a row of lanes) and of a GPU's streaming
//! walk (a value is a register).

use super::{Kernel, Step};

/// A read of a value stream: `age` 0 is the newest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PipelineTerm {
    /// Which stream.
    pub stream: usize,
    /// How many values back.
    pub age: usize,
    /// The factor.
    pub coefficient: f64,
}

/// A new value of a stream, computed at every iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineUpdate {
    /// The stream that receives the value.
    pub stream: usize,
    /// The old value to which the sum is added, if it is an increment.
    pub old: Option<PipelineTerm>,
    /// The sum.
    pub terms: Vec<PipelineTerm>,
    /// Rounding of the sum.
    pub rounding: Option<super::UpdateRounding>,
    /// Position of the update: it runs at pair `t - lag`.
    pub lag: i32,
}

/// A stream of values: a plane as loaded, or as one step left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The plane it belongs to.
    pub plane: usize,
    /// At iteration `t` its newest value has index `t - lag`.
    pub lag: i32,
    /// How many values are kept, the newest included; 0 if nobody reads it.
    pub window: usize,
}

/// The schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Streams; the first `planes` are the loads.
    pub streams: Vec<Stream>,
    /// Updates in the order in which an iteration runs them.
    pub updates: Vec<PipelineUpdate>,
    /// One read per output channel.
    pub outputs: Vec<PipelineTerm>,
    /// Iteration `t` emits the outputs of pair `t - delay`; where channels have delays of their own, of the last one.
    pub delay: i32,
}

impl Pipeline {
    /// Schedules a 1-D kernel (`kernel.axes` must be 1; `None` otherwise); all planes arrive together.
    pub fn new(kernel: &Kernel) -> Option<Self> {
        Self::arriving(kernel, [0; 2])
    }

    /// The schedule that carries the fewest values when either plane may arrive one pair behind the
    /// other: a lifting step that reads `odd[k]`, `even[k]` and `even[k + 1]` then finds all three
    /// without keeping the odd value.
    pub fn leanest(kernel: &Kernel) -> Option<Self> {
        let schedules = [[0, 0], [0, 1], [1, 0]].into_iter();
        schedules.filter_map(|lags| Self::arriving(kernel, lags)).min_by_key(Self::carried)
    }

    /// Schedules a 1-D kernel whose plane `p` arrives `lags[p]` pairs late, all channels with the same delay.
    pub(crate) fn arriving(kernel: &Kernel, lags: [i32; 2]) -> Option<Self> {
        Self::scheduled(kernel, lags, None)
    }

    /// The same with a delay for every channel; `None` if one comes before it is made, see [`Self::least_delays`].
    pub(crate) fn delayed(kernel: &Kernel, lags: [i32; 2], delays: [i32; 2]) -> Option<Self> {
        Self::scheduled(kernel, lags, Some(delays))
    }

    /// Pairs by which every channel can be emitted behind, at least.
    pub(crate) fn least_delays(&self, kernel: &Kernel) -> [i32; 2] {
        let of = |channel: usize| match (self.outputs.get(channel), kernel.outputs.get(channel)) {
            (Some(read), Some(output)) => self.streams[read.stream].lag + output.offset[0],
            _ => 0,
        };
        [of(0), of(1)]
    }

    fn scheduled(kernel: &Kernel, lags: [i32; 2], wanted: Option<[i32; 2]>) -> Option<Self> {
        if kernel.axes != 1 {
            return None;
        }
        let mut streams: Vec<Stream> = lags
            .into_iter()
            .enumerate()
            .map(|(plane, lag)| Stream { plane, lag, window: 1 })
            .collect();
        let mut current: Vec<usize> = (0..kernel.planes()).collect();
        let mut updates = Vec::new();
        for step in kernel.steps() {
            schedule(step, &mut streams, &mut current, &mut updates);
        }
        let least: Vec<i32> = kernel
            .outputs
            .iter()
            .map(|output| streams[current[output.plane]].lag + output.offset[0])
            .collect();
        let latest = least.iter().max().copied().unwrap_or(0);
        let delays = wanted.map_or_else(|| vec![latest; least.len()], |wanted| wanted.to_vec());
        if delays.len() != least.len() || least.iter().zip(&delays).any(|(least, own)| own < least)
        {
            return None;
        }
        let outputs = kernel
            .outputs
            .iter()
            .zip(&delays)
            .map(|(output, delay)| {
                read(&mut streams, current[output.plane], delay - output.offset[0], 1.0)
            })
            .collect();
        let delay = delays.into_iter().max().unwrap_or(0);
        Some(Self { streams, updates, outputs, delay })
    }

    /// Iterations after which everything that an iteration reads is a value and not the emptiness
    /// before the first: the outputs of iteration `t` are right if loads began at iteration
    /// `t - warm`.
    pub fn warm(&self) -> usize {
        // first[stream]: the first iteration whose newest value of the stream is right.
        let mut first = vec![0_usize; self.streams.len()];
        let since = |first: &[usize], term: &PipelineTerm| first[term.stream] + term.age;
        for update in &self.updates {
            let reads = update.terms.iter().chain(&update.old);
            first[update.stream] = reads.map(|term| since(&first, term)).max().unwrap_or(0);
        }
        self.outputs.iter().map(|term| since(&first, term)).max().unwrap_or(0)
    }

    /// Values that are kept from one iteration to the next.
    pub fn carried(&self) -> usize {
        self.streams.iter().map(|stream| stream.window.saturating_sub(1)).sum()
    }
}

/// Reads `stream` at the index `lag` behind the iteration, widening its window.
fn read(streams: &mut [Stream], stream: usize, lag: i32, coefficient: f64) -> PipelineTerm {
    // Schedules choose lags no smaller than the stream's own.
    let age = (lag - streams[stream].lag).max(0) as usize;
    streams[stream].window = streams[stream].window.max(age + 1);
    PipelineTerm { stream, age, coefficient }
}

fn schedule(
    step: &Step,
    streams: &mut Vec<Stream>,
    current: &mut [usize],
    updates: &mut Vec<PipelineUpdate>,
) {
    // All updates of a step read before any writes: streams are only exchanged at the end.
    let mut written = Vec::new();
    for update in &step.updates {
        let own = update.increment.then_some((update.plane, update.offset[0]));
        let reads = || update.terms.iter().map(|term| (term.plane, term.offset[0])).chain(own);
        let lag = reads().map(|(plane, e)| streams[current[plane]].lag + e).max().unwrap_or(0);
        let old = own.map(|(plane, e)| read(streams, current[plane], lag - e, 1.0));
        let terms = update
            .terms
            .iter()
            .map(|term| {
                let lag = lag - term.offset[0];
                read(streams, current[term.plane], lag, term.coefficient)
            })
            .collect();
        let stream = streams.len() + written.len();
        let rounding = update.rounding;
        updates.push(PipelineUpdate { stream, old, terms, rounding, lag });
        written.push(Stream { plane: update.plane, lag: lag - update.offset[0], window: 0 });
    }
    for stream in written {
        current[stream.plane] = streams.len();
        streams.push(stream);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Exchange, Operation, lower};
    use super::*;
    use std::collections::BTreeMap;
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn kernel(name: &str, kind: SchemeKind, operation: Operation) -> Kernel {
        let scheme = catalogue::wavelet(name).unwrap().scheme(kind, 1).unwrap();
        lower(&scheme, operation, Element::F64, Exchange::Stream).unwrap()
    }

    /// Runs the steps on whole planes, without any schedule.
    fn directly(kernel: &Kernel, input: &dyn Fn(usize, i64) -> f64, k: i64) -> Vec<f64> {
        let mut planes: Vec<BTreeMap<i64, f64>> = (0..kernel.planes())
            .map(|plane| (k - 200..k + 200).map(|i| (i, input(plane, i))).collect())
            .collect();
        for step in kernel.steps() {
            let old = planes.clone();
            for update in &step.updates {
                for position in k - 200..k + 200 {
                    let at = |term: &super::super::Term| {
                        let index = position + i64::from(term.offset[0]);
                        term.coefficient * old[term.plane].get(&index).copied().unwrap_or(0.0)
                    };
                    let index = position + i64::from(update.offset[0]);
                    let own = old[update.plane].get(&index).copied().unwrap_or(0.0);
                    let sum: f64 = update.terms.iter().map(at).sum();
                    let base = if update.increment { own } else { 0.0 };
                    planes[update.plane].insert(index, base + sum);
                }
            }
        }
        let outputs = kernel.outputs.iter();
        outputs.map(|o| planes[o.plane][&(k + i64::from(o.offset[0]))]).collect()
    }

    fn pipelined(pipeline: &Pipeline, input: &dyn Fn(usize, i64) -> f64, k: i64) -> Vec<f64> {
        let mut windows: Vec<Vec<f64>> =
            pipeline.streams.iter().map(|stream| vec![f64::NAN; stream.window.max(1)]).collect();
        let last = k + i64::from(pipeline.delay);
        for t in last - pipeline.warm() as i64..=last {
            for window in &mut windows {
                window.rotate_right(1);
            }
            for (plane, window) in windows.iter_mut().enumerate().take(2) {
                window[0] = input(plane, t - i64::from(pipeline.streams[plane].lag));
            }
            for update in &pipeline.updates {
                let at = |term: &PipelineTerm| term.coefficient * windows[term.stream][term.age];
                let sum: f64 = update.terms.iter().map(at).sum();
                let old = update.old.as_ref().map_or(0.0, at);
                windows[update.stream][0] = old + sum;
            }
        }
        pipeline.outputs.iter().map(|term| windows[term.stream][term.age]).collect()
    }

    #[test]
    fn pipelines_compute_what_the_steps_say() {
        let input = |plane: usize, i: i64| ((i * 7 + plane as i64 * 3) as f64).sin();
        for name in ["haar", "db2", "db4", "bior4.4", "bior2.8", "sym7", "rbio3.5", "coif2"] {
            for kind in [SchemeKind::Lifting, SchemeKind::Lattice, SchemeKind::Convolution] {
                for operation in Operation::ALL {
                    let kernel = kernel(name, kind, operation);
                    for pipeline in [Pipeline::new(&kernel), Pipeline::leanest(&kernel)] {
                        let pipeline = pipeline.unwrap();
                        for k in [0, 5] {
                            let expected = directly(&kernel, &input, k);
                            let got = pipelined(&pipeline, &input, k);
                            for (e, g) in expected.iter().zip(&got) {
                                let close = (e - g).abs() < 1e-12;
                                assert!(close, "{name} {kind} {operation:?}: {e} {g}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// The last even sample, the odd one that waits for its right neighbour, and the newest value of
    /// each of the three inner steps.
    #[test]
    fn nine_seven_carries_five_values() {
        let kernel = kernel("bior4.4", SchemeKind::Lifting, Operation::Forward);
        assert_eq!(Pipeline::new(&kernel).unwrap().carried(), 5);
        // With the odd sample arriving late, only the others.
        assert_eq!(Pipeline::leanest(&kernel).unwrap().carried(), 4);
    }

    #[test]
    fn the_delay_is_the_halo() {
        for name in ["db4", "bior4.4", "sym7"] {
            let kernel = kernel(name, SchemeKind::Lifting, Operation::Forward);
            let pipeline = Pipeline::new(&kernel).unwrap();
            assert_eq!(pipeline.delay, kernel.halo.after[0], "{name}");
        }
    }
}
