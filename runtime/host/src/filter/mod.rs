//! Convolutions: all axes of a level in one sweep over memory.
//!
//! A convolution along an axis makes two sums of a window of values; nothing is carried from one
//! window to the next. Rows are filtered along the last axis into a ring of lines that stays in the
//! second-level cache, and a window of the ring is filtered across, straight into the output: memory
//! is read once and written once, and the rows that come next are asked for meanwhile.
//!
//! | file | what |
//! |---|---|
//! | `taps` | a kernel as two sums |
//! | `cascade` | a kernel as stages |
//! | `known` | stages that have loops of their own |
//! | `pass` | vectors through stages |
//! | `flow` | the inner loop of stages along a row |
//! | `course` | the same from end to end of rows |
//! | `grid` | the vectors and the ends of such rows |
//! | `margins` | what is filled and stored there |
//! | `fall` | the same across rows |
//! | `fit` | loops for numbers of taps |
//! | `sums` | the inner loop |
//! | `twos` | the same for pairs alone |
//! | `exchange` | values that change places between registers |
//! | `vectors` | registers of every element type |
//! | `row` | rows that are read and written |
//! | `past` | what is written past the caches |
//! | `pour` | the same, straight from registers |
//! | `train` | the same, part by part |
//! | `along` | the last axis, in strips |
//! | `strips` | the same, by sums or by stages |
//! | `lines` | the last axis, into lines of a ring |
//! | `strays` | what a row reads apart from its neighbours |
//! | `across` | an outer axis, by windows of rows |
//! | `pairs` | the inner loop across rows |
//! | `planar` | the last two axes at once |
//! | `staged` | the same, by stages |
//! | `weave` | the same, some columns at a time, where registers are whole lines of the cache and planes are near |
//! | `squares` | the same for pairs alone |
//! | `solid` | the first of three axes |
//! | `stream` | levels of lines in one sweep |
//! | `share` | threads |
//! | `store` | memory |

mod across;
mod along;
mod cascade;
mod course;
mod exchange;
mod fall;
mod fit;
mod flow;
mod grid;
mod known;
mod lines;
mod margins;
mod pairs;
mod pass;
mod past;
mod planar;
mod pour;
mod row;
mod share;
mod solid;
mod squares;
mod staged;
mod store;
mod strays;
mod stream;
mod strips;
mod sums;
mod taps;
mod train;
mod twos;
mod vectors;
mod weave;

pub(crate) use fit::Summed;
pub(crate) use past::Past;
pub use share::THREAD_BYTES;
pub(crate) use store::Store;
pub(crate) use stream::{MOST_STAGES, Ports, Stream, Streaming};
pub(crate) use taps::Filter;

use super::MOST_CHANNELS;
use super::edges::Axis;
use crate::element::Element;
use across::Outer;
use along::{Along, Last, Strip};
use past::Leave;
use planar::Planar;
use row::{Arrays, Lone, Row, Samples, Step};
use share::Target;
use solid::Solid;
use staged::Staged;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// A level of a convolution over the last dimensions of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filtering<'a, T> {
    pub(crate) filter: &'a Filter<T>,
    pub(crate) axes: &'a [Axis],
    /// Extent of the dimensions before the axes.
    pub(crate) blocks: usize,
    /// Whether the first axis comes first, where that matters: in stages.
    pub(crate) first_axis_first: bool,
    /// Which outputs go past the caches.
    pub(crate) past: Past,
}

impl<T: Element> Filtering<'_, T> {
    fn last(&self, axis: usize) -> Last<'_, T> {
        Last { filter: self.filter, axis: &self.axes[axis] }
    }

    fn planar<'s>(&'s self, axis: usize, leave: Leave<'s>) -> Planar<'s, T> {
        let outer = Outer { filter: self.filter, axis: &self.axes[axis] };
        Planar { outer, last: self.last(axis + 1), leave }
    }

    /// Whether integers are examined as they are read.
    pub(crate) fn examines(&self) -> bool {
        self.staged(Leave::NONE).is_some()
    }

    /// The two axes, if they are passed by stages.
    fn staged<'s>(&'s self, leave: Leave<'s>) -> Option<Staged<'s, T>> {
        if self.axes.len() != 2 || self.filter.has_taps() {
            return None;
        }
        let outer = Outer { filter: self.filter, axis: &self.axes[0] };
        Some(Staged { outer, last: self.last(1), outer_first: self.first_axis_first, leave })
    }

    fn solid<'s>(&'s self, leave: Leave<'s>) -> Solid<'s, T> {
        let outer = Outer { filter: self.filter, axis: &self.axes[0] };
        Solid { outer, planar: self.planar(1, leave) }
    }

    /// Grows stores to what the level needs.
    pub(crate) fn provide(&self, stores: &mut [Store<T>]) {
        for store in stores {
            if let Some(staged) = self.staged(Leave::NONE) {
                staged.provide(store);
                continue;
            }
            match self.axes.len() {
                1 => store.provide(self.filter.reach(), 0, 0, 0),
                2 => self.planar(0, Leave::NONE).provide(store),
                _ => self.solid(Leave::NONE).provide(store),
            }
        }
    }

    /// Elements of one block of an array from axis `first` on: the signal, or a channel of the bands.
    fn elements(&self, first: usize, side: Side, channel: usize) -> usize {
        let bit = |axis: usize| (channel >> (self.axes.len() - 1 - axis)) & 1;
        let len = |(axis, prepared): (usize, &Axis)| match (side, bit(axis)) {
            (Side::Signal, _) => prepared.geometry.signal.len,
            (Side::Bands, 0) => prepared.geometry.low.len,
            (Side::Bands, _) => prepared.geometry.high.len,
        };
        self.axes.iter().enumerate().skip(first).map(len).product()
    }

    /// Elements of one block of an array.
    fn size(&self, side: Side, channel: usize) -> usize {
        self.elements(0, side, channel)
    }

    /// Elements of an array between neighbours on the first axis.
    fn unit(&self, side: Side, channel: usize) -> usize {
        self.elements(1, side, channel)
    }

    /// One signal to its bands, or the bands (one array per channel: bit `d-1-i` is the phase on
    /// axis `i`) to the signal.
    pub(crate) fn run(&self, input: &[&[T]], output: &mut [&mut [T]], stores: &mut [Store<T>]) {
        let parts = self.worth(stores.len()).min(stores.len());
        let operation = self.axes[0].operation;
        let channels = output.len();
        for block in 0..self.blocks {
            let part = |side: Side, channel: usize| -> Range<usize> {
                let size = self.size(side, channel);
                block * size..(block + 1) * size
            };
            let mut from: [&[T]; MOST_CHANNELS] = [&[]; MOST_CHANNELS];
            for (channel, (from, array)) in from.iter_mut().zip(input).enumerate() {
                *from = &array[part(operation.input(), channel)];
            }
            let mut to: [&mut [T]; MOST_CHANNELS] = Default::default();
            for (channel, (to, array)) in to.iter_mut().zip(output.iter_mut()).enumerate() {
                *to = &mut array[part(operation.output(), channel)];
            }
            let (from, to) = (&from[..input.len()], &mut to[..channels]);
            let mut target = Target { arrays: to, first: [0; 2] };
            self.divide(self.axes[0].pairs.clone(), from, &mut target, &mut stores[..parts]);
            let Some(store) = stores.first_mut() else { return };
            for pairs in self.axes[0].folded() {
                self.part(&pairs, true, from, &mut target, store);
            }
        }
    }

    /// Filters pairs of the first axis; those beyond its ends are added where they belong.
    fn part(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        self.past.open(|leave| {
            // By stages, rows of a signal are worth it everywhere.
            let signal = self.axes[0].operation.output() == Side::Signal;
            let by_lines = leave.by_lines();
            if let Some(staged) = self.staged(if signal { leave } else { by_lines }) {
                staged.run(pairs, input, target, store);
                return;
            }
            let leave = by_lines;
            match self.axes.len() {
                1 => self.line(pairs, beyond, input, target, leave, store),
                2 => self.planar(0, leave).run(pairs, beyond, input, target, None, store),
                _ => self.solid(leave).run(pairs, beyond, input, target, store),
            }
        });
    }

    /// A line alone.
    fn line(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        leave: Leave<'_>,
        store: &mut Store<T>,
    ) {
        let last = self.last(0);
        let side = last.axis.operation.output();
        let origin = last.origin();
        let first = target.first;
        let mut row = match target.arrays {
            [low, high] => Arrays::Bands([low, high]),
            [signal] => Arrays::Signal(signal),
            _ => return,
        };
        let origin = [0, 1]
            .map(|bit| origin[bit] + first[if side == Side::Signal { 0 } else { bit }] as i64);
        let input = [0, 1].map(|array| {
            Samples::whole(input.get(array.min(input.len() - 1)).copied().unwrap_or_default())
        });
        let past = [0, 1].map(|channel| leave.of(channel));
        let Store { planes, spare, stage, .. } = store;
        let mut filter = |strip: Strip<'_>| {
            let row = Row { arrays: row.reborrow(), origin, past };
            let ahead = Samples::none();
            let rows = &mut Lone(Some(Step { input, ahead, row }));
            let (planes, spare, stage) = (&mut *planes, &mut *spare, &mut *stage);
            T::along(Along { last, strips: &[Some(strip)], rows, planes, spare, stage });
        };
        match beyond {
            false => last.strips(pairs).for_each(&mut filter),
            true => last.folded(pairs).for_each(&mut filter),
        }
    }
}
