//! Stretches: warps walk along a line, chunk by chunk, and run several levels on the way.
//!
//! Of every chunk a lane holds a run of neighbouring pairs. What a step reads of earlier pairs are the last values of
//! the lanes to the left; the first lanes have kept theirs from the chunk before. So no lane is halo, whatever the
//! filter's reach and the number of levels: a stretch begins with a few chunks that leave no outputs, and that is all
//! that is computed twice.
//!
//! A plane may be read, and written, some pairs behind the others ([`Lags`]), such that every access is an aligned one:
//! what is read late is carried like any other value.
//!
//! Stretches lie inside their lines. What they leave out at both ends ([`Rim`]) is made by a block a line, beside them and
//! level after level, which knows how lines go on.

use super::abi::Job;
use super::mapping::{Lags, MOST_STRETCHED};
use super::program::{MappedKernel, jobs};
use super::proof::{KernelInfo, ProofError, Proved, optimised};
use super::strip::{Along, Ends, Parts, WARP};
use super::sums::Sums;
use crate::dag::Dag;
use crate::dag::build::HERE;
use crate::kernel::{Pipeline, Side};
use waveloom_wavelets::geometry::Span;

/// One level of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchLevel {
    /// Pairs of a lane.
    pub pairs: usize,
    /// The schedule of a pair, and its updates: what a walk takes from earlier iterations comes from lanes to the left.
    pub along: Along,
    /// Pairs by which each channel of the output is behind.
    pub delays: [i32; 2],
    /// Pairs that pass before outputs are right, from the first of the stretch on.
    pub warm: usize,
}

impl StretchLevel {
    /// Values of a stream that are read of earlier pairs.
    pub fn earlier(&self, stream: usize) -> usize {
        self.along.pipeline.streams[stream].window.saturating_sub(1)
    }
}

/// What walks leave out of a level, in output pairs: what they do not write, and what the next level's ends read of its
/// approximations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rim {
    /// All there are.
    pub all: Span,
    /// Those in the middle that are left alone.
    pub hole: Span,
    /// Those of which walks write each channel, or even and odd samples.
    pub walked: [Span; 2],
}

/// Words of `struct Rim`.
pub const RIM_FIELDS: [&str; 8] =
    ["first", "count", "hole", "skipped", "first0", "count0", "first1", "count1"];

/// Words of `struct Rims`: those of every level.
pub const RIM_WORDS: usize = RIM_FIELDS.len() * jobs(1);

impl Rim {
    fn words(self) -> impl Iterator<Item = i64> {
        let spans = [self.all, self.hole, self.walked[0], self.walked[1]];
        spans.into_iter().flat_map(|span| [span.start, span.len as i64])
    }

    /// Pairs that are made at the ends.
    fn left(self) -> usize {
        self.all.len - self.hole.len
    }
}

/// Blocks of a launch of walks along lines, whose jobs are its levels: one for the ends of every line, and the walks'.
pub(super) fn rims(all: &[Job]) -> Parts {
    let known = || all.iter().filter_map(|job| job.rim);
    let mut words: Vec<i64> = known().flat_map(Rim::words).collect();
    words.resize(RIM_WORDS, 0);
    let lines = all.first().map_or(0, |job| job.outer.iter().product::<i64>());
    let ends = if known().any(|rim| rim.left() > 0) { lines } else { 0 };
    let walks = all.iter().map(Job::blocks).sum();
    let blocks = [ends, walks];
    Parts { blocks, words, ends: Ends::Any, wraps: false, beside: false, whole: false }
}

/// A kernel as stretches.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Its levels, finest first.
    pub levels: Vec<StretchLevel>,
    /// The side that is written.
    pub output: Side,
    /// Warps of a block, one behind the other.
    pub warps: usize,
    /// Chunks in a warp's ring in shared memory.
    pub depth: usize,
    /// Chunks of a stretch that leave no outputs.
    pub warm: usize,
    /// First and last pair of which a pair's outputs are made, counted from it.
    pub reach: [i32; 2],
}

/// Why a kernel cannot run in stretches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StretchError {
    /// Levels, pairs, threads or chunks out of range.
    #[error(
        "a stretch runs 1 to {MOST_STRETCHED} levels of one line, in lanes of 2 to 16 pairs (of which every level leaves half) of at least 4 bytes, blocks of 32 to 1024 threads in whole warps and a ring of 2 to 16 chunks, got {levels} levels, {pairs} pairs, {threads} threads and {depth} chunks"
    )]
    Shape {
        /// Levels.
        levels: u32,
        /// Pairs of a lane at the finest level.
        pairs: u32,
        /// Threads of a block.
        threads: u32,
        /// Chunks of a ring.
        depth: u32,
    },
    /// Planes cannot be written before they are there.
    #[error("level {level} of a stretch cannot leave its outputs {delays:?} pairs behind")]
    Early {
        /// Which level, from 1.
        level: usize,
        /// Pairs by which its outputs were to be behind.
        delays: [i32; 2],
    },
    /// The filter reaches further than a warp's lanes.
    #[error(
        "level {level} of a stretch reads {earlier} pairs back, more than {lanes} lanes of {pairs} pairs have"
    )]
    Reach {
        /// Which level, from 1.
        level: usize,
        /// Pairs that it reads back.
        earlier: usize,
        /// Lanes to the left.
        lanes: usize,
        /// Pairs of a lane.
        pairs: usize,
    },
}

/// Pairs of a level that are made at an end at a time.
pub const DESK_PAIRS: usize = 1024;

/// Lanes to the left of which values can come.
const LANES: usize = WARP as usize - 1;

/// Registers beside what is carried and the chunk itself.
const OWN_REGISTERS: usize = 64;

/// Registers of a multiprocessor.
const REGISTERS: usize = 1 << 16;

/// Threads that are resident at most: more gain nothing. At least, where they need no more registers than so many: a few
/// values in local memory cost less.
const MOST_THREADS: usize = 512;
const LEAST_THREADS: usize = 384;
pub(super) const SPARING: usize = 224;

impl Stretch {
    /// Samples of a chunk.
    pub fn chunk(&self) -> usize {
        self.levels.first().map_or(0, |level| 2 * level.pairs * WARP as usize)
    }

    /// Plans the stretches of a mapped kernel whose planes are read and written as `lags` says.
    ///
    /// # Errors
    /// [`StretchError`].
    pub(super) fn new(mapped: &MappedKernel, lags: &Lags) -> Result<Self, ProofError> {
        let (kernel, mapping) = (&mapped.kernel, &mapped.mapping);
        let count = mapping.levels;
        let last = mapping.pairs >> (count.clamp(1, 31) - 1);
        let legal = (1..=MOST_STRETCHED as u32).contains(&count)
            && kernel.axes == 1
            && [2, 4, 8, 16].contains(&mapping.pairs)
            && last as usize * kernel.element.bytes() >= 4
            && mapping.threads.is_multiple_of(WARP)
            && (2..=16).contains(&mapping.depth);
        if !legal {
            return Err(StretchError::Shape {
                levels: count,
                pairs: mapping.pairs,
                threads: mapping.threads,
                depth: mapping.depth,
            }
            .into());
        }
        let output = kernel.operation.output();
        let mut levels = Vec::new();
        for level in 0..count as usize {
            let (pairs, delays) = (mapping.pairs as usize >> level, lags.written[level]);
            let early = StretchError::Early { level: level + 1, delays };
            let pipeline = Pipeline::delayed(kernel, lags.read[level], delays).ok_or(early)?;
            let warm = pipeline.warm();
            let along = Along::of(kernel, pipeline)?;
            let one = StretchLevel { pairs, along, delays, warm };
            let streams = 0..one.along.pipeline.streams.len();
            let earlier = streams.map(|stream| one.earlier(stream)).max().unwrap_or(0);
            if earlier > LANES * pairs {
                let (level, lanes) = (level + 1, LANES);
                return Err(StretchError::Reach { level, earlier, lanes, pairs }.into());
            }
            levels.push(one);
        }
        let mut stretch = Self {
            levels,
            output,
            warps: (mapping.threads / WARP) as usize,
            depth: mapping.depth as usize,
            warm: 0,
            reach: [0; 2],
        };
        stretch.settle();
        Ok(stretch)
    }

    /// Pairs, and with them chunks, that pass at every level before its outputs are right.
    fn settle(&mut self) {
        let mut right = 0;
        let mut through = |level: &mut StretchLevel| {
            level.warm += right;
            right = match self.output {
                Side::Bands => level.warm.div_ceil(2),
                Side::Signal => 2 * level.warm,
            };
        };
        match self.output {
            Side::Bands => self.levels.iter_mut().for_each(&mut through),
            Side::Signal => self.levels.iter_mut().rev().for_each(&mut through),
        }
        let chunks = |level: &StretchLevel| level.warm.div_ceil(level.pairs * WARP as usize);
        self.warm = match self.output {
            Side::Bands => self.levels.iter().map(chunks).max().unwrap_or(0),
            Side::Signal => self.levels.first().map_or(0, chunks),
        };
    }

    /// Samples before a stretch's first chunk with outputs of which these are made, at most.
    pub fn samples_before(&self) -> usize {
        let of = |(level, one): (usize, &StretchLevel)| one.warm << (level + 1);
        match self.output {
            Side::Bands => self.levels.iter().enumerate().map(of).max().unwrap_or(0),
            // What passes through all levels.
            Side::Signal => self.levels.first().map_or(0, |finest| 2 * finest.warm),
        }
    }

    /// Elements on which the ends' inputs are laid, extended.
    pub fn desk(&self) -> usize {
        let [first, last] = self.reach;
        2 * (DESK_PAIRS + (last - first).unsigned_abs() as usize)
    }

    /// Arithmetic operations of a pair of the finest level, in whole ones.
    fn operations(&self) -> usize {
        let at = |(level, one): (usize, &StretchLevel)| one.along.operations() >> level;
        self.levels.iter().enumerate().map(at).sum()
    }

    /// Values that are kept from one chunk to the next.
    fn carried(&self) -> usize {
        self.levels.iter().map(|level| level.along.pipeline.carried()).sum()
    }

    /// An estimate of registers.
    fn registers(&self, bytes: usize) -> usize {
        let values = self.carried() + self.chunk() / WARP as usize;
        values * bytes.div_ceil(4) + OWN_REGISTERS
    }
}

/// Proves stretches: what they read back was planned above, and no two warps share memory.
pub(super) fn stretches(mapped: &MappedKernel, lags: &Lags) -> Result<Proved, ProofError> {
    let mut stretch = Stretch::new(mapped, lags)?;
    let kernel = &mapped.kernel;
    // What the ends compute: outputs from inputs.
    let store = optimised(&Dag::outputs(kernel, 0, &[HERE])?, kernel.element);
    // Sums are no longer than the filter; what rounds computes every step again.
    let written_out = match Sums::of(&store) {
        Some(_) => 0,
        None => store.counts().operations(),
    };
    let offsets = || store.leaves().map(|place| place.offset[0]).chain([0]);
    stretch.reach = [offsets().min().unwrap_or(0), offsets().max().unwrap_or(0)];
    let (bytes, samples) = (kernel.element.bytes(), stretch.chunk() * stretch.warps);
    let info = KernelInfo {
        halo: kernel.halo,
        barriers: 0,
        // Of the walks, or at the ends.
        shared_bytes: (samples * stretch.depth * bytes).max(stretch.desk() * bytes.max(4)),
        operations: stretch.operations().max(written_out),
        registers: stretch.registers(bytes),
        loads: samples,
        stores: samples,
    };
    info.within_limits(&mapped.mapping)?;
    let mut mapped = mapped.clone();
    mapped.mapping.tile = [(samples / 2) as u32, 1, 1];
    Ok(Proved::stretched(mapped, stretch, store, info))
}

/// Blocks of stretches that shall fit a multiprocessor.
pub(super) fn resident(proved: &Proved) -> u32 {
    let threads = proved.mapping().threads.max(1) as usize;
    let registers = proved.info().registers;
    let least = if registers <= SPARING { LEAST_THREADS / threads } else { 1 };
    let fit = REGISTERS / (registers * threads);
    fit.max(least).clamp(1, (MOST_THREADS / threads).max(1)) as u32
}
