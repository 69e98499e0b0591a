//! A one-dimensional kernel as a rolling window of lines, from the kernel's pipeline: which values
//! are still read, and when each can be computed. A value is a line of lanes.

use super::program::{MOST_TERMS, Round};
use crate::element::Element;
use waveloom_codegen::kernel::{Kernel, Pipeline, PipelineTerm};

/// A value of a stream: of the newest line, or `age` lines before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) stream: usize,
    pub(crate) age: usize,
}

/// A stream of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stream {
    /// At iteration `t` its newest line has index `t - lag`.
    pub(crate) lag: i64,
    /// How many lines are kept.
    pub(crate) window: usize,
    /// The first of them among all kept lines (of streams that are computed).
    pub(crate) first: usize,
}

/// The old value in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OwnRead<T> {
    /// There is none.
    None,
    /// What an earlier part of the same sum has left.
    Kept(T),
    /// A line, with a factor.
    Line(Read, T),
}

/// A new line of a stream (or another part of its sum) in every iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Advance<T> {
    pub(crate) stream: usize,
    pub(crate) own: OwnRead<T>,
    /// At most [`MOST_TERMS`].
    pub(crate) terms: Vec<(Read, T)>,
    pub(crate) round: Option<Round<T>>,
    /// Iterations after the first load until all that is read exists.
    pub(crate) start: i64,
    /// The channel whose output this line is.
    pub(crate) output: Option<usize>,
    /// Whether nobody else reads it.
    pub(crate) alone: bool,
}

/// An update of a chain: `own · factor + factors[0] · term + factors[1] · term`, rounded if asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<T> {
    /// What the old value counts.
    pub own: T,
    /// What the terms count.
    pub factors: [T; 2],
    /// Whether the first term is the newest value, the second the one before it; or else the other
    /// way round.
    pub newest_first: bool,
    /// Rounding of the sum of the terms.
    pub round: Option<Round<T>>,
}

/// Updates that can run through registers: the first reads two neighbours of one plane and adds them
/// to a line of the other, and every other one reads the newest two lines of the update before it and
/// adds them to the older of the two that this one read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain<T> {
    pub(crate) links: Vec<Link<T>>,
    /// The newer of the first update's neighbours, and what they are added to.
    pub(crate) reads: [Read; 2],
    /// Whether both factors of every update are 1, or -1, and old values count once.
    pub(crate) units: bool,
}

/// The age of the newest value of a stream in a chain.
fn age_of(reads: Option<[Read; 2]>, stream: usize) -> usize {
    reads.filter(|[newer, _]| newer.stream == stream).map_or(0, |[newer, _]| newer.age)
}

/// Numbers of updates for which there is an inner loop.
const CHAINS: [usize; 2] = [2, 4];

impl<T: Element> Chain<T> {
    fn of(advances: &[Advance<T>]) -> Option<Self> {
        if !T::CHAINS || !CHAINS.contains(&advances.len()) {
            return None;
        }
        let mut links = Vec::with_capacity(advances.len());
        let mut reads: Option<[Read; 2]> = None;
        // The streams that the update before reads and writes.
        let mut before: Option<[usize; 2]> = None;
        for advance in advances {
            let ([(a, first), (b, second)], OwnRead::Line(own, factor)) =
                (&advance.terms[..], &advance.own)
            else {
                return None;
            };
            let newer = if a.age < b.age { a } else { b };
            if a.stream != b.stream || a.age.abs_diff(b.age) != 1 {
                return None;
            }
            match before {
                None if newer.stream < PLANES && own.stream < PLANES => {
                    reads = Some([*newer, *own]);
                }
                Some([read, written])
                    if newer.stream == written
                        && newer.age == 0
                        && own.stream == read
                        && own.age == age_of(reads, read) + 1 => {}
                _ => return None,
            }
            before = Some([newer.stream, advance.stream]);
            links.push(Link {
                own: *factor,
                factors: [*first, *second],
                newest_first: a.age < b.age,
                round: advance.round,
            });
        }
        let [one, minus] = [1.0, -1.0].map(T::from_coefficient);
        let is_unit = |link: &Link<T>| {
            link.own == one && (link.factors == [one; 2] || link.factors == [minus; 2])
        };
        Some(Self { units: links.iter().all(is_unit), links, reads: reads? })
    }
}

/// A one-dimensional kernel as a rolling window of lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep<T> {
    /// The same updates as a chain, if they are one.
    pub(crate) chain: Option<Chain<T>>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) advances: Vec<Advance<T>>,
    pub(crate) outputs: [Read; 2],
    /// Iteration `t` gives the outputs of pair `t - delay`.
    pub(crate) delay: i64,
    /// Loads needed before the first output's pair (not positive).
    pub(crate) low: i64,
    /// Lines kept of streams that are computed.
    pub(crate) lines: usize,
    /// Lines kept of each load.
    pub(crate) window: usize,
}

/// Planes of a one-dimensional kernel.
pub(crate) const PLANES: usize = 2;

impl<T: Element> Sweep<T> {
    /// Schedules a kernel of one axis.
    pub(crate) fn new(kernel: &Kernel) -> Option<Self> {
        let pipeline = Pipeline::new(kernel)?;
        let outputs: Vec<Read> = pipeline.outputs.iter().map(read).collect();
        let [low, high] = outputs[..] else { return None };
        let mut builder =
            Builder { streams: Vec::new(), starts: Vec::new(), lines: 0, advances: Vec::new() };
        for stream in &pipeline.streams {
            builder.stream(i64::from(stream.lag), stream.window.max(1));
        }
        for update in &pipeline.updates {
            let scale = update.rounding.map_or(1.0, |r| 2.0_f64.powi(r.rounding.shift as i32));
            // An old value with a factor stands among the terms.
            let written = pipeline.streams[update.stream];
            let is_old = |term: &&PipelineTerm| {
                let stream = pipeline.streams[term.stream];
                stream.plane == written.plane && stream.lag + term.age as i32 == written.lag
            };
            let factored = update.terms.iter().find(is_old);
            let factored = factored.filter(|_| update.old.is_none() && update.rounding.is_none());
            let terms = update
                .terms
                .iter()
                .filter(|term| !factored.is_some_and(|old| std::ptr::eq(*term, old)))
                .map(|term| (read(term), T::from_coefficient(term.coefficient * scale)))
                .collect();
            let old = update.old.as_ref().or(factored);
            let old = old.map(|old| (read(old), T::from_coefficient(old.coefficient)));
            let round = update.rounding.map(|r| Round {
                offset: T::from_coefficient(r.rounding.offset as f64),
                shift: r.rounding.shift,
                subtract: r.subtract,
            });
            builder.sum(update.stream, i64::from(update.lag), old, terms, round);
        }
        let Builder { streams, lines, mut advances, .. } = builder;
        let read: Vec<usize> =
            advances.iter().flat_map(Advance::reads).map(|read| read.stream).collect();
        for advance in &mut advances {
            advance.output = [low, high].iter().position(|out| out.stream == advance.stream);
            advance.alone = !read.contains(&advance.stream);
        }
        Some(Self {
            window: streams[..PLANES].iter().map(|stream| stream.window).max().unwrap_or(1),
            streams,
            chain: Chain::of(&advances),
            advances,
            outputs: [low, high],
            delay: i64::from(pipeline.delay),
            low: -i64::from(kernel.halo.before[0]),
            lines,
        })
    }

    /// Loads around the pairs computed: at the low and the high end.
    pub(crate) fn load(&self) -> (i64, i64) {
        (self.low, self.delay)
    }
}

impl<T> Advance<T> {
    /// Every line read.
    fn reads(&self) -> impl Iterator<Item = Read> + '_ {
        let own = match &self.own {
            OwnRead::Line(read, _) => Some(*read),
            _ => None,
        };
        self.terms.iter().map(|(read, _)| *read).chain(own)
    }
}

fn read(term: &PipelineTerm) -> Read {
    Read { stream: term.stream, age: term.age }
}

struct Builder<T> {
    streams: Vec<Stream>,
    /// Iterations after the first load until a stream has its first value.
    starts: Vec<i64>,
    lines: usize,
    advances: Vec<Advance<T>>,
}

impl<T: Element> Builder<T> {
    fn stream(&mut self, lag: i64, window: usize) -> usize {
        let stream = Stream { lag, window, first: self.lines };
        if self.streams.len() >= PLANES {
            self.lines += window;
        }
        self.streams.push(stream);
        self.starts.push(0);
        self.streams.len() - 1
    }

    /// A sum, in parts if it is long.
    fn sum(
        &mut self,
        stream: usize,
        lag: i64,
        old: Option<(Read, T)>,
        mut terms: Vec<(Read, T)>,
        round: Option<Round<T>>,
    ) {
        let one = T::from_coefficient(1.0);
        if round.is_some() && terms.len() > MOST_TERMS {
            // The sum before the shift is collected on the side.
            let side = self.stream(lag, 1);
            self.sum(side, lag, None, terms, None);
            terms = vec![(Read { stream: side, age: 0 }, one)];
        }
        let start = |starts: &[i64], read: &Read| starts[read.stream] + read.age as i64;
        let reads = terms.iter().chain(&old).map(|(read, _)| start(&self.starts, read));
        let start = reads.max().unwrap_or(0);
        self.starts[stream] = start;
        let mut own = old.map_or(OwnRead::None, |(read, factor)| OwnRead::Line(read, factor));
        loop {
            let rest = terms.split_off(terms.len().min(MOST_TERMS));
            self.advances.push(Advance {
                stream,
                own,
                terms,
                round,
                start,
                output: None,
                alone: false,
            });
            if rest.is_empty() {
                return;
            }
            own = OwnRead::Kept(one);
            terms = rest;
        }
    }
}
