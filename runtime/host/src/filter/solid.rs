//! The first of three axes: slices are filtered across, then each is a plane.

use super::across::Outer;
use super::planar::Planar;
use super::share::Target;
use super::store::Store;
use super::taps::PLANES;
use crate::element::Element;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Elements of the slices that are filtered together.
const RUN: usize = 4096;

/// Channels of the two axes behind.
const INNER: usize = 4;

/// Three axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) planar: Planar<'a, T>,
}

impl<T: Element> Solid<'_, T> {
    /// Elements of a slice of an array of the input or the output.
    fn slice(&self, side: Side, channel: usize) -> usize {
        let axes = [self.planar.outer.axis, self.planar.last.axis];
        let bits = [channel >> 1 & 1, channel & 1];
        let len = |(axis, bit): (&crate::edges::Axis, usize)| match (side, bit) {
            (Side::Signal, _) => axis.geometry.signal.len,
            (Side::Bands, 0) => axis.geometry.low.len,
            (Side::Bands, _) => axis.geometry.high.len,
        };
        axes.into_iter().zip(bits).map(len).product()
    }

    fn channels(side: Side) -> usize {
        if side == Side::Signal { 1 } else { INNER }
    }

    /// Grows a store.
    pub(super) fn provide(&self, store: &mut Store<T>) {
        self.planar.provide(store);
        let side = self.outer.axis.operation.input();
        for slices in &mut store.slices {
            for (channel, slice) in slices.iter_mut().enumerate().take(Self::channels(side)) {
                slice.provide(self.slice(side, channel));
            }
        }
        let made = self.outer.most_made();
        if store.made.len() < made {
            store.made.resize_with(made, Default::default);
        }
        for line in &mut store.made {
            line.provide(RUN);
        }
    }

    /// Filters pairs of the first axis; those beyond its ends are added where they belong.
    pub(super) fn run(
        &self,
        pairs: &Range<i64>,
        beyond: bool,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let axis = self.outer.axis;
        let (side, ends) = (axis.operation.input(), axis.output());
        let channels = Self::channels(side);
        for k in pairs.clone() {
            let window = self.outer.window(&(k..k + 1));
            for channel in 0..channels {
                let arrays = match side {
                    Side::Signal => [input[0]; PLANES],
                    Side::Bands => [input[channel], input[INNER + channel]],
                };
                let len = self.slice(side, channel);
                let Store { made, slices: [low, high], .. } = &mut *store;
                for from in (0..len).step_by(RUN) {
                    let columns = from..(from + RUN).min(len);
                    let rows = self.outer.rows(&window, arrays, len, &columns, made);
                    let [low, high] = [&mut *low, &mut *high]
                        .map(|slices| &mut slices[channel].get_mut(len)[columns.clone()]);
                    self.outer.sums(&window, &rows, 0, [low, high]);
                }
            }
            for phase in 0..2 {
                // Slices are lent to the planes, whose own memory is the rest of the store.
                let slices = std::mem::take(&mut store.slices[phase]);
                let mut lent: [&[T]; INNER] = [&[]; INNER];
                for (channel, lent) in lent.iter_mut().enumerate().take(channels) {
                    *lent = slices[channel].get(self.slice(side, channel));
                }
                let mut deliver = |bit: usize, index: usize, add: Option<i64>| {
                    let mut parts: [&mut [T]; INNER] = Default::default();
                    let side = axis.operation.output();
                    let outer = if side == Side::Signal { 0 } else { bit * INNER };
                    let index = index - target.first[if outer == 0 { 0 } else { bit }];
                    let outputs = target.arrays[outer..].iter_mut().take(Self::channels(side));
                    for (channel, (part, output)) in parts.iter_mut().zip(outputs).enumerate() {
                        let len = self.slice(side, channel);
                        *part = &mut output[index * len..(index + 1) * len];
                    }
                    let parts = &mut parts[..Self::channels(side)];
                    let planar = Planar { leave: self.planar.leave.behind(outer), ..self.planar };
                    planar.all(&lent[..channels], parts, add, store);
                };
                if beyond {
                    for place in axis.folds(phase, k).iter().filter_map(|edge| edge.place) {
                        deliver(place.bit, place.index, Some(place.weight));
                    }
                } else if ends.interior(phase).contains(&k) {
                    deliver(phase, ends.index(phase, k), None);
                }
                store.slices[phase] = slices;
            }
        }
    }
}
