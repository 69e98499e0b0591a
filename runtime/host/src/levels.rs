//! All levels of an operation: approximations go from level to level through two arrays in turn.

use super::MOST_CHANNELS;
use super::edges::Axis;
use super::filter::{MOST_STAGES, Past, Ports, Store, Streaming};
use super::level::{Level, Programs, Scratch};
use super::tile::Buffers;
use crate::element::Element;
use crate::machine::caches;
use crate::rows::registers_are_lines;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes of a signal and its coefficients from which on outputs go past the caches, at most and at least. Those of
/// less may find the places of their outputs in a large third-level cache, where ordinary stores are as fast.
const MOST_FAR: usize = 64 << 20;
const LEAST_FAR: usize = 16 << 20;

/// The same on this machine. Where registers are no lines of the cache, so that only rows of a signal go past the
/// caches, that is half of the largest.
pub fn far_bytes() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| match caches().largest {
        Some(bytes) if !registers_are_lines() => (bytes / 2).clamp(LEAST_FAR, MOST_FAR),
        _ => MOST_FAR,
    });
    *BYTES
}

/// The part of that from which on a level is long enough, and bytes of a row from which on its bands are: of shorter
/// ones, lines that are not written whole are too many.
const LEVEL_SHARE: usize = 64;
const ROW_SHARE: usize = 1 << 14;

/// Memory of a transform in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage<T> {
    scratch: Scratch<T>,
    /// Approximations between levels.
    approximations: [Vec<T>; 2],
}

impl<T> Storage<T> {
    /// Whether the integers of the next transform are watched for overflow.
    pub fn watch(&mut self, watched: bool) {
        self.scratch.buffers.watched = watched;
        self.scratch.buffers.overflowed = false;
    }

    /// Has the integers that the next transform reads examined on the way.
    pub fn examine(&mut self) {
        self.scratch.buffers.examines = true;
        self.scratch.buffers.largest = 0;
    }

    /// A bound of the magnitude of all that was read since: at most twice the largest.
    pub fn largest(&mut self) -> u64 {
        self.scratch.buffers.examines = false;
        self.scratch.buffers.largest
    }

    /// Whether the last transform that was watched overflowed.
    pub fn overflowed(&self) -> bool {
        self.scratch.buffers.overflowed
    }
}

/// Where one level's bands lie in the coefficient buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelBands {
    /// One per channel (bit `d-1-i` is the phase on the i-th transformed dimension); that of the
    /// approximation is meaningful at the coarsest level only.
    pub ranges: [Range<usize>; MOST_CHANNELS],
    /// Number of channels.
    pub channels: usize,
    /// Elements of the approximation.
    pub approximation: usize,
}

/// An operation, prepared for the axes of every level.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared<T> {
    /// What is done along each axis.
    pub programs: Programs<T>,
    axes: Vec<Vec<Axis>>,
    /// How many of the finest levels are swept through together by one thread.
    streamed: usize,
}

impl<T: Element> Prepared<T> {
    /// The sweep, if the levels are lines that are filtered.
    fn streaming(&self) -> Option<Streaming<'_, T>> {
        let filter = self.programs.filter.as_ref()?;
        Some(Streaming { filter, axes: &self.axes })
    }
}

/// Every level, finest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// Their geometry, and where their bands lie.
    pub levels: Vec<(Level, LevelBands)>,
    /// Bytes of a signal and its coefficients from which on outputs go past the caches.
    pub far: usize,
}

impl Levels {
    /// An operation on these levels.
    pub fn prepare<T: Element>(&self, programs: Programs<T>) -> Prepared<T> {
        T::prepare(self, programs)
    }

    pub(super) fn prepared<T: Element>(&self, programs: Programs<T>) -> Prepared<T> {
        let axes: Vec<_> = self.levels.iter().map(|(level, _)| level.prepare(&programs)).collect();
        let mut levels = self.levels.iter().zip(&axes);
        let lines = levels.all(|((level, _), axes)| level.is_line(&programs, axes));
        let mut prepared = Prepared { programs, axes, streamed: 0 };
        if lines {
            prepared.streamed = prepared.streaming().map_or(0, |streaming| streaming.levels());
        }
        prepared
    }

    /// Whether there is nothing to transform: no samples and no coefficients.
    fn is_empty(&self) -> bool {
        let empty = |(level, bands): &(Level, LevelBands)| {
            level.shape.contains(&0)
                && bands.approximation == 0
                && bands.ranges.iter().all(Range::is_empty)
        };
        self.levels.iter().all(empty)
    }

    /// Memory for every operation, divided into so many parts.
    pub fn storage<T: Element>(&self, parts: usize, operations: &[&Prepared<T>]) -> Storage<T> {
        T::storage(self, parts, operations)
    }

    pub(super) fn stored<T: Element>(
        &self,
        parts: usize,
        operations: &[&Prepared<T>],
    ) -> Storage<T> {
        let buffers = Buffers::default();
        let operations = if self.is_empty() { &[] } else { operations };
        let mut scratch = Scratch {
            buffers,
            sweeps: Vec::new(),
            arrays: Vec::new(),
            filters: vec![Store::default(); parts.max(1)],
            streams: Vec::new(),
        };
        for prepared in operations {
            for ((level, _), axes) in self.levels.iter().zip(&prepared.axes) {
                level.provide(&prepared.programs, axes, &mut scratch);
            }
            let Scratch { filters, streams, .. } = &mut scratch;
            if let (Some(streaming), [store], 1..) =
                (prepared.streaming(), &mut filters[..], prepared.streamed)
            {
                streaming.provide(streams, store);
            }
        }
        let inner = self.levels.len().saturating_sub(1);
        let mut lengths = [0; 2];
        for (index, (_, bands)) in self.levels.iter().take(inner).enumerate() {
            lengths[index % 2] = lengths[index % 2].max(bands.approximation);
        }
        Storage { scratch, approximations: lengths.map(|length| vec![T::default(); length]) }
    }

    /// Which outputs of a level go past the caches, where all but the approximation stay, or all.
    fn past<T>(&self, index: usize, elements: usize, all: bool) -> Past {
        let shape = &self.levels[index].0.shape;
        let (level, row) = (shape.iter().product::<usize>(), shape.last().copied().unwrap_or(1));
        let long = row * size_of::<T>() >= self.far / ROW_SHARE;
        let far = elements * size_of::<T>() >= self.far;
        match (far && long && level * size_of::<T>() >= self.far / LEVEL_SHARE, all) {
            (false, _) => Past::None,
            (true, false) => Past::Details,
            (true, true) => Past::All,
        }
    }

    /// Signal to coefficients, finest level first.
    pub fn analyse<T: Element>(
        &self,
        prepared: &Prepared<T>,
        signal: &[T],
        coefficients: &mut [T],
        storage: &mut Storage<T>,
    ) {
        T::analyse(self, prepared, signal, coefficients, storage);
    }

    pub(super) fn analysed<T: Element>(
        &self,
        prepared: &Prepared<T>,
        signal: &[T],
        coefficients: &mut [T],
        storage: &mut Storage<T>,
    ) {
        if self.is_empty() {
            return;
        }
        let Storage { scratch, approximations } = storage;
        let Prepared { programs, axes, .. } = prepared;
        let elements = signal.len() + coefficients.len();
        let [even, odd] = approximations;
        let (mut source, mut target): (&mut [T], &mut [T]) = (odd, even);
        let streamed = if scratch.filters.len() == 1 { prepared.streamed } else { 0 };
        if streamed > 0 {
            if streamed.is_multiple_of(2) {
                std::mem::swap(&mut source, &mut target);
            }
            self.analyse_lines(prepared, streamed, signal, coefficients, target, scratch);
            std::mem::swap(&mut source, &mut target);
        }
        for (index, (level, layout)) in self.levels.iter().enumerate().skip(streamed) {
            let last = index + 1 == self.levels.len();
            let mut bands: [&mut [T]; MOST_CHANNELS] = Default::default();
            let mut rest = &mut *coefficients;
            let mut taken = 0;
            for (channel, range) in layout.in_order(last) {
                let (_, after) = rest.split_at_mut(range.start - taken);
                let (band, after) = after.split_at_mut(range.len());
                bands[channel] = band;
                (rest, taken) = (after, range.end);
            }
            if !last {
                bands[0] = &mut target[..layout.approximation];
            }
            let input = match index {
                0 => signal,
                _ => &source[..self.levels[index - 1].1.approximation],
            };
            let past = self.past::<T>(index, elements, last);
            level.analyse(programs, &axes[index], input, &mut bands, past, scratch);
            std::mem::swap(&mut source, &mut target);
        }
    }

    /// Coefficients to signal, coarsest level first.
    pub fn synthesise<T: Element>(
        &self,
        prepared: &Prepared<T>,
        coefficients: &[T],
        signal: &mut [T],
        storage: &mut Storage<T>,
    ) {
        T::synthesise(self, prepared, coefficients, signal, storage);
    }

    pub(super) fn synthesised<T: Element>(
        &self,
        prepared: &Prepared<T>,
        coefficients: &[T],
        signal: &mut [T],
        storage: &mut Storage<T>,
    ) {
        if self.is_empty() {
            return;
        }
        let Storage { scratch, approximations } = storage;
        let Prepared { programs, axes, .. } = prepared;
        let [even, odd] = approximations;
        let streamed = if scratch.filters.len() == 1 { prepared.streamed } else { 0 };
        // Level l (from 1) writes the approximation that level l-1 made: the one in `even` for l=2.
        let (mut target, mut source): (&mut [T], &mut [T]) =
            if self.levels.len().is_multiple_of(2) { (even, odd) } else { (odd, even) };
        for (index, (level, layout)) in self.levels.iter().enumerate().skip(streamed).rev() {
            let last = index + 1 == self.levels.len();
            let mut bands: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
            for (channel, range) in layout.in_order(last) {
                bands[channel] = &coefficients[range];
            }
            if !last {
                bands[0] = &source[..layout.approximation];
            }
            match index {
                0 => {
                    let elements = signal.len() + coefficients.len();
                    let past = self.past::<T>(0, elements, true);
                    level.synthesise(programs, &axes[index], &bands, signal, past, scratch);
                }
                _ => {
                    let output = &mut target[..self.levels[index - 1].1.approximation];
                    level.synthesise(programs, &axes[index], &bands, output, Past::None, scratch);
                }
            }
            std::mem::swap(&mut source, &mut target);
        }
        if streamed > 0 {
            self.synthesise_lines(prepared, streamed, coefficients, source, signal, scratch);
        }
    }

    /// The finest levels of a line in one sweep. If they are not all, the approximation goes to
    /// `target`.
    fn analyse_lines<T: Element>(
        &self,
        prepared: &Prepared<T>,
        count: usize,
        signal: &[T],
        coefficients: &mut [T],
        target: &mut [T],
        scratch: &mut Scratch<T>,
    ) {
        let Scratch { filters, streams, .. } = scratch;
        let (Some(streaming), [store]) = (prepared.streaming(), &mut filters[..]) else { return };
        let elements = signal.len() + coefficients.len();
        let past = self.past::<T>(0, elements, count == self.levels.len());
        let mut details: [&mut [T]; MOST_STAGES] = Default::default();
        let len = self.levels[count - 1].1.approximation.min(target.len());
        let mut approximation = &mut target[..len];
        // Bands in the order of the buffer, with their stages; the approximation's is behind them.
        let mut list: [(Range<usize>, usize); MOST_STAGES + 1] = Default::default();
        let mut bands = 0;
        for (stage, (_, layout)) in self.levels.iter().enumerate().take(count) {
            for (channel, range) in layout.in_order(stage + 1 == self.levels.len()) {
                list[bands] = (range, if channel == 0 { MOST_STAGES } else { stage });
                bands += 1;
            }
        }
        let list = &mut list[..bands];
        list.sort_unstable_by_key(|(range, stage)| (range.start, range.end, *stage));
        let (mut rest, mut taken) = (coefficients, 0);
        for (range, stage) in list {
            let (_, after) = rest.split_at_mut(range.start - taken);
            let (band, after) = after.split_at_mut(range.len());
            match details.get_mut(*stage) {
                Some(detail) => *detail = band,
                None => approximation = band,
            }
            (rest, taken) = (after, range.end);
        }
        let details = &mut details[..count];
        let ports = Ports::Analysis { signal, details, approximation };
        streaming.run(count, ports, past, streams, store);
    }

    /// The finest levels of a line in one sweep; `source` is the approximation, if they are not all.
    fn synthesise_lines<T: Element>(
        &self,
        prepared: &Prepared<T>,
        count: usize,
        coefficients: &[T],
        source: &[T],
        signal: &mut [T],
        scratch: &mut Scratch<T>,
    ) {
        let Scratch { filters, streams, .. } = scratch;
        let (Some(streaming), [store]) = (prepared.streaming(), &mut filters[..]) else { return };
        let past = self.past::<T>(0, signal.len() + coefficients.len(), true);
        let mut details: [&[T]; MOST_STAGES] = [&[]; MOST_STAGES];
        let mut approximation = &source[..self.levels[count - 1].1.approximation.min(source.len())];
        for (level, (_, layout)) in self.levels.iter().enumerate().take(count) {
            for (channel, range) in layout.in_order(level + 1 == self.levels.len()) {
                match channel {
                    0 => approximation = &coefficients[range],
                    _ => details[count - 1 - level] = &coefficients[range],
                }
            }
        }
        let details = &details[..count];
        let ports = Ports::Synthesis { approximation, details, signal };
        streaming.run(count, ports, past, streams, store);
    }
}

impl LevelBands {
    /// The level's bands in the order of the coefficient buffer; the approximation first, if it is
    /// kept.
    fn in_order(&self, with_approximation: bool) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut list: [(usize, Range<usize>); MOST_CHANNELS] =
            std::array::from_fn(|channel| (channel, self.ranges[channel].clone()));
        list[..self.channels].sort_unstable_by_key(|(_, range)| (range.start, range.end));
        let (channels, skip) = (self.channels, usize::from(!with_approximation));
        let kept = move |(channel, _): &(usize, Range<usize>)| *channel >= skip;
        list.into_iter().take(channels).filter(kept)
    }
}
