//! Outputs on their way past the caches: straight from registers, or made in a stage that stays in the caches, in
//! the first-level one but where whole rows are staged, and copied from there, whole lines at a time.
//!
//! Results are the same values either way; where they are made is all that differs.

use super::pour::pours;
use super::store::ALIGNMENT;
use super::sums::{Sink, in_pairs};
use super::taps::PLANES;
use super::train::Train;
use super::vectors::Vectors;
use crate::rows::registers_are_lines;
use crate::seam::{Passage, past_caches};
use pulp::Simd;
use pulp::bytemuck::Zeroable;

/// Bytes of an output that are made before they are copied: reading and writing memory take turns at
/// short distance.
const STAGE_BYTES: usize = 1024;

/// Bytes of an array that go straight from registers in one part. They need no stage, and parts that begin anew often take
/// longer.
const STRAIGHT_BYTES: usize = 256 << 10;

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
            Self::Details | Self::All if const { cfg!(target_arch = "x86_64") } => {
                Passage::open(|passage| {
                    work(Leave { passage: Some(passage), first: self == Self::All });
                })
            }
            // No such stores are known of other machines.
            _ => work(Leave::NONE),
        }
    }
}

impl<'p> Leave<'p> {
    /// For no output.
    pub(super) const NONE: Self = Self { passage: None, first: false };

    /// The same where registers are whole lines of the cache. Elsewhere outputs go past the caches by way of a stage,
    /// several stores a line, which takes longer than what is won.
    pub(super) fn by_lines(self) -> Self {
        if registers_are_lines() { self } else { Self::NONE }
    }

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
pub(super) trait Outlet<S: Simd, T: Vectors> {
    /// Pairs.
    fn len(&self) -> usize;

    /// Whether outputs go past the caches.
    fn passes(&self) -> bool;

    /// Most pairs of a part.
    fn most(&self) -> usize {
        match (self.passes(), const { pours::<S, T>() }) {
            (false, _) => usize::MAX,
            (true, true) => STRAIGHT_BYTES / size_of::<T>(),
            (true, false) => stage::<T>(),
        }
    }

    /// Pairs before the first from which on whole vectors, `bytes` long, lie well.
    fn skew(&self, bytes: usize) -> usize;

    /// A part.
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T>;

    /// Brings a part that was made to its places.
    fn settle(&mut self, from: usize, len: usize);
}

/// An array that outputs go to: past the caches straight from registers where these are whole lines, and by
/// way of a stage elsewhere.
struct Way<'a, S: Simd, T: Vectors> {
    to: &'a mut [T],
    stage: &'a mut [T],
    past: Option<&'a Passage>,
    train: Option<Train<'a, S, T>>,
    /// Elements at the front of the stage that wait for their line to be complete.
    waiting: usize,
}

/// Neighbouring elements of an array, or of what stands for it on the way.
struct Part<'b, 'a, S: Simd, T: Vectors> {
    to: &'b mut [T],
    from: usize,
    len: usize,
    train: Option<&'b mut Train<'a, S, T>>,
}

impl<'a, S: Simd, T: Vectors> Way<'a, S, T> {
    #[inline(always)]
    fn new(simd: S, to: &'a mut [T], stage: &'a mut [T], past: Option<&'a Passage>) -> Self {
        let mut way = Self { to, stage, past, train: None, waiting: 0 };
        if const { pours::<S, T>() }
            && let Some(passage) = past
        {
            way.train = Some(Train::new(simd, passage));
        }
        way
    }

    /// Places of neighbouring elements.
    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> Part<'_, 'a, S, T> {
        if let Some(train) = &mut self.train {
            return Part { to: self.to, from, len, train: Some(train) };
        }
        let (to, from) = match self.past {
            None => (&mut *self.to, from),
            Some(_) => (&mut *self.stage, phase(&self.to[from..])),
        };
        Part { to: &mut to[from..from + len], from: 0, len, train: None }
    }

    /// Copies what was made: whole lines, but for the first and the last of all.
    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        let Some(passage) = self.past else { return };
        let last = from + len == self.to.len();
        if let Some(train) = &mut self.train {
            if last {
                train.end(self.to);
            }
            return;
        }
        let (begin, end) = (phase(&self.to[from..]), phase(&self.to[from..]) + len);
        let keep = if last || end < unit::<T>() { 0 } else { end % unit::<T>() };
        let first = begin - self.waiting;
        let to = &mut self.to[from - self.waiting..from + len - keep];
        past_caches(passage, to, &self.stage[first..end - keep]);
        self.stage.copy_within(end - keep..end, 0);
        self.waiting = keep;
    }
}

#[allow(clippy::needless_range_loop, clippy::manual_memcpy)]
impl<'a, S: Simd, T: Vectors> Part<'_, 'a, S, T> {
    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> Part<'_, 'a, S, T> {
        let (from, train) = (self.from + from, self.train.as_deref_mut());
        Part { to: self.to, from, len, train }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, values: &[T]) {
        let at = self.from + at;
        if let Some(train) = &mut self.train {
            train.end(self.to);
        }
        self.to[at..at + values.len()].copy_from_slice(values);
    }

    #[inline(always)]
    fn put_whole<const K: usize, const B: usize>(
        &mut self,
        at: usize,
        values: [[T::Vector<S>; K]; B],
    ) {
        let at = self.from + at;
        if let Some(train) = &mut self.train {
            train.put(self.to, at, values);
            return;
        }
        let to = &mut self.to[at..at + K * B * T::lanes::<S>()];
        let to = &mut T::vectors_mut::<S>(to)[..K * B];
        for b in 0..B {
            for k in 0..K {
                to[K * b + k] = values[b][k];
            }
        }
    }

    /// Elements before the first from which on whole vectors, `bytes` long, lie well.
    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        self.to[self.from..].as_ptr().align_offset(bytes)
    }
}

/// Outputs that go to two arrays.
pub(super) struct Bands<'a, S: Simd, T: Vectors>([Way<'a, S, T>; PLANES]);

/// Outputs that go to one array in turn.
pub(super) struct Signal<'a, S: Simd, T: Vectors>(Way<'a, S, T>);

impl<'a, S: Simd, T: Vectors> Bands<'a, S, T> {
    /// Two arrays; what has leave goes past the caches.
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        [low, high]: [&'a mut [T]; PLANES],
        past: [Option<&'a Passage>; PLANES],
        stage: &'a mut [T],
    ) -> Self {
        let (first, second) = stage.split_at_mut(stage.len().min(2 * room::<T>()));
        Self([Way::new(simd, low, first, past[0]), Way::new(simd, high, second, past[1])])
    }
}

impl<'a, S: Simd, T: Vectors> Signal<'a, S, T> {
    /// An array; with leave it goes past the caches.
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        to: &'a mut [T],
        past: Option<&'a Passage>,
        stage: &'a mut [T],
    ) -> Self {
        Self(Way::new(simd, to, stage, past))
    }
}

/// Parts of two arrays.
struct Parts<'b, 'a, S: Simd, T: Vectors>([Part<'b, 'a, S, T>; PLANES]);

impl<S: Simd, T: Vectors> Sink<S, T> for Parts<'_, '_, S, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0[0].len
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        self.0[0].skew(bytes)
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        let [low, high] = &mut self.0;
        Parts([low.part(from, len), high.part(from, len)])
    }

    #[inline(always)]
    fn put(&mut self, at: usize, [low, high]: [&[T]; 2]) {
        self.0[0].put(at, low);
        self.0[1].put(at, high);
    }

    #[inline(always)]
    fn put_whole<const B: usize>(&mut self, at: usize, sums: [[T::Vector<S>; B]; 2]) {
        let [low, high] = sums;
        self.0[0].put_whole(at, [low]);
        self.0[1].put_whole(at, [high]);
    }
}

/// A part of one array; places count pairs.
struct Pairs<'b, 'a, S: Simd, T: Vectors>(Part<'b, 'a, S, T>);

impl<S: Simd, T: Vectors> Sink<S, T> for Pairs<'_, '_, S, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len / 2
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        in_pairs(self.0.skew(bytes))
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        Pairs(self.0.part(2 * from, 2 * len))
    }

    #[inline(always)]
    fn put(&mut self, at: usize, [even, odd]: [&[T]; 2]) {
        for v in 0..even.len() {
            self.0.put(2 * (at + v), &[even[v], odd[v]]);
        }
    }

    #[inline(always)]
    fn put_whole<const B: usize>(&mut self, at: usize, sums: [[T::Vector<S>; B]; 2]) {
        let [even, odd] = sums;
        let mut pairs = [[T::Vector::<S>::zeroed(); 2]; B];
        for v in 0..B {
            pairs[v] = T::merge::<S>([even[v], odd[v]]);
        }
        self.0.put_whole(2 * at, pairs);
    }
}

impl<S: Simd, T: Vectors> Outlet<S, T> for Bands<'_, S, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0[0].to.len().min(self.0[1].to.len())
    }

    #[inline(always)]
    fn passes(&self) -> bool {
        self.0[0].past.is_some() || self.0[1].past.is_some()
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        self.0[0].to.as_ptr().align_offset(bytes)
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        let [low, high] = &mut self.0;
        Parts([low.part(from, len), high.part(from, len)])
    }

    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        let [low, high] = &mut self.0;
        low.settle(from, len);
        high.settle(from, len);
    }
}

impl<S: Simd, T: Vectors> Outlet<S, T> for Signal<'_, S, T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.to.len() / 2
    }

    #[inline(always)]
    fn passes(&self) -> bool {
        self.0.past.is_some()
    }

    #[inline(always)]
    fn skew(&self, bytes: usize) -> usize {
        in_pairs(self.0.to.as_ptr().align_offset(bytes))
    }

    #[inline(always)]
    fn part(&mut self, from: usize, len: usize) -> impl Sink<S, T> {
        Pairs(self.0.part(2 * from, 2 * len))
    }

    #[inline(always)]
    fn settle(&mut self, from: usize, len: usize) {
        self.0.settle(2 * from, 2 * len);
    }
}
