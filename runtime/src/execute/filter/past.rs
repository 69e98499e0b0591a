//! Outputs on their way past the caches: they are made in a stage that stays in the caches, in the first-level one
//! but where whole rows are staged, and copied from there, whole lines at a time.
//!
//! Results are the same values either way; where they are made is all that differs.

use super::store::ALIGNMENT;
use super::sums::{Apart, Joined, Sink};
use super::taps::PLANES;
use crate::seam::past::{Passage, past_caches};
use pulp::bytemuck::Pod;

/// Bytes of an output that are made before they are copied: reading and writing memory take turns at
/// short distance.
const STAGE_BYTES: usize = 1024;

/// Stages of a line that are one of rows that are made side by side: set up less often, they still fit the
/// first-level cache.
const COLUMNS: usize = 2;

/// Which outputs of a level go past the caches: those that nothing of the transform reads again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    None,
    /// All but the first channel, which the next level reads.
    Details,
    All,
}

/// The same for who has leave to store so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leave<'p> {
    passage: Option<&'p Passage>,
    first: bool,
}

impl Past {
    /// Does work of one thread.
    pub(super) fn open(self, work: impl FnOnce(Leave<'_>)) {
        match self {
            Self::None => work(Leave::NONE),
            Self::Details | Self::All => Passage::open(|passage| {
                work(Leave { passage: Some(passage), first: self == Self::All });
            }),
        }
    }
}

impl<'p> Leave<'p> {
    /// For no output.
    pub(super) const NONE: Self = Self { passage: None, first: false };

    /// For a channel.
    pub(super) fn of(&self, channel: usize) -> Option<&'p Passage> {
        self.passage.filter(|_| self.first || channel > 0)
    }

    /// Among the channels from one on, which are taken for all there are.
    pub(super) fn behind(self, channel: usize) -> Self {
        Self { first: self.first || channel > 0, ..self }
    }
}

/// Elements of a line of the cache.
const fn unit<T>() -> usize {
    ALIGNMENT / size_of::<T>()
}

/// Elements of an output that are made at a time.
pub(super) const fn stage<T>() -> usize {
    STAGE_BYTES / size_of::<T>()
}

/// Elements that a stage of one output has room for: of a line that is not complete, of the outputs before
/// the first whole line, and of some that come with the last ones.
pub(super) const fn room<T>() -> usize {
    stage::<T>() + 4 * unit::<T>()
}

/// The same, in rows that are made side by side.
pub(super) const fn columns<T>() -> usize {
    COLUMNS * stage::<T>()
}

/// Elements that a stage of such a row has room for.
pub(super) const fn columns_room<T>() -> usize {
    COLUMNS * room::<T>()
}

/// Elements of an array before the first, since the last multiple of a line.
#[inline(always)]
pub(super) fn phase<T>(to: &[T]) -> usize {
    (to.as_ptr().addr() % ALIGNMENT) / size_of::<T>()
}

/// Where neighbouring outputs go, part by part in ascending order.
pub(super) trait Outlet<T> {
    /// Pairs.
    fn len(&self) -> usize;

    /// Most pairs of a part.
    fn most(&self) -> usize;

    /// Pairs before the first from which on whole vectors, `bytes` long, lie well.
    fn skew(&self, bytes: usize) -> usize;

    /// A part.
    fn part(&mut self, from: usize, len: usize) -> impl Sink<T>;

    /// Brings a part that was made to its places.
    fn settle(&mut self, from: usize, len: usize);
}

/// An array that outputs go to.
struct Way<'a, T> {
    to: &'a mut [T],
    stage: &'a mut [T],
    past: Option<&'a Passage>,
    /// Elements at the front of the stage that wait for their line to be complete.
    waiting: usize,
}

impl<'a, T: Pod> Way<'a, T> {
    fn new(to: &'a mut [T], stage: &'a mut [T], past: Option<&'a Passage>) -> Self {
        Self { to, stage, past, waiting: 0 }
    }

    /// Places of neighbouring elements.
    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> &mut [T] {
        match self.past {
            None => &mut self.to[from..from + len],
            Some(_) => {
                let phase = phase(&self.to[from..]);
                &mut self.stage[phase..phase + len]
            }
        }
    }

    /// Copies what was made: whole lines, but for the first and the last of all.
    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        let Some(passage) = self.past else { return };
        let (begin, end) = (phase(&self.to[from..]), phase(&self.to[from..]) + len);
        let last = from + len == self.to.len();
        let keep = if last || end < unit::<T>() { 0 } else { end % unit::<T>() };
        let first = begin - self.waiting;
        let to = &mut self.to[from - self.waiting..from + len - keep];
        past_caches(passage, to, &self.stage[first..end - keep]);
        self.stage.copy_within(end - keep..end, 0);
        self.waiting = keep;
    }
}

/// Outputs that go to two arrays.
pub(super) struct Bands<'a, T>([Way<'a, T>; PLANES]);

/// Outputs that go to one array in turn.
pub(super) struct Signal<'a, T>(Way<'a, T>);

impl<'a, T: Pod> Bands<'a, T> {
    /// Two arrays; what has leave goes past the caches.
    pub(super) fn new(
        [low, high]: [&'a mut [T]; PLANES],
        past: [Option<&'a Passage>; PLANES],
        stage: &'a mut [T],
    ) -> Self {
        let (first, second) = stage.split_at_mut(stage.len().min(2 * room::<T>()));
        Self([Way::new(low, first, past[0]), Way::new(high, second, past[1])])
    }
}

impl<'a, T: Pod> Signal<'a, T> {
    /// An array; with leave it goes past the caches.
    pub(super) fn new(to: &'a mut [T], past: Option<&'a Passage>, stage: &'a mut [T]) -> Self {
        Self(Way::new(to, stage, past))
    }
}

impl<T: Pod> Outlet<T> for Bands<'_, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0[0].to.len().min(self.0[1].to.len())
    }

    #[inline(always)]
    fn most(&self) -> usize {
        let passes = self.0[0].past.is_some() || self.0[1].past.is_some();
        if passes { stage::<T>() } else { usize::MAX }
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        self.0[0].to.as_ptr().align_offset(bytes)
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<T> {
        let [low, high] = &mut self.0;
        Apart([low.part(from, len), high.part(from, len)])
    }

    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        let [low, high] = &mut self.0;
        low.settle(from, len);
        high.settle(from, len);
    }
}

impl<T: Pod> Outlet<T> for Signal<'_, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.to.len() / 2
    }

    #[inline(always)]
    fn most(&self) -> usize {
        if self.0.past.is_some() { stage::<T>() } else { usize::MAX }
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        let skew = self.0.to.as_ptr().align_offset(bytes);
        if skew.is_multiple_of(2) { skew / 2 } else { 0 }
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<T> {
        Joined(self.0.part(2 * from, 2 * len))
    }

    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        self.0.settle(2 * from, 2 * len);
    }
}
