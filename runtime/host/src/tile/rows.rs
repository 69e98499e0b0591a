//! Rows of a tile's planes, seen from the arrays.

use super::Strides;
use crate::element::Element;
use crate::ends::{Ends, Place};
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// The combinations of places that the two outer slots of a row have.
pub(super) struct Rows {
    list: [([Place; 2], i64); 16],
    pub(super) len: usize,
}

impl Rows {
    pub(super) fn new(
        ends: &[Ends<'_>; 3],
        channel: usize,
        k: [i64; 2],
        inside_only: bool,
    ) -> Self {
        let mut rows = Self { list: Default::default(), len: 0 };
        let bit = |slot: usize| (channel >> (2 - slot)) & 1;
        let skip = |slot: usize| inside_only && !ends[slot].interior(bit(slot)).contains(&k[slot]);
        if skip(0) || skip(1) {
            return rows;
        }
        let (first, second) = (ends[0].places(bit(0), k[0]), ends[1].places(bit(1), k[1]));
        for a in first.as_slice() {
            for b in second.as_slice() {
                rows.list[rows.len] = ([*a, *b], a.weight * b.weight);
                rows.len += 1;
            }
        }
        rows
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[Place; 2], i64)> {
        self.list[..self.len].iter().map(|(places, weight)| (places, *weight))
    }
}

/// The array that holds an element, from its phase on every slot.
pub(super) fn array_of(side: Side, outer: &[Place; 2], last: usize) -> usize {
    match side {
        Side::Signal => 0,
        Side::Bands => outer[0].bit << 2 | outer[1].bit << 1 | last,
    }
}

/// Where the row starts in its array.
pub(super) fn offset(strides: &Strides, batch: &[usize; 3], outer: &[Place; 2]) -> usize {
    let batch: usize = (0..3).map(|i| batch[i] * strides.batch[i]).sum();
    batch + outer[0].index * strides.axes[0] + outer[1].index * strides.axes[1]
}

/// A row of a plane, seen from the array.
pub(super) struct Line<'a> {
    pub(super) ends: &'a Ends<'a>,
    pub(super) bit: usize,
    pub(super) pairs: Range<i64>,
    pub(super) width: usize,
    pub(super) weight: i64,
}

impl Line<'_> {
    fn interior(&self) -> Range<i64> {
        let interior = self.ends.interior(self.bit);
        let start = interior.start.clamp(self.pairs.start, self.pairs.end);
        start..interior.end.clamp(start, self.pairs.end)
    }

    /// The run of elements inside the array, with the place of the first.
    fn inside(&self) -> impl Iterator<Item = (Range<i64>, Place)> + use<'_> {
        let interior = self.interior();
        let place =
            |k: i64| Place { bit: self.bit, index: self.ends.index(self.bit, k), weight: 1 };
        (!interior.is_empty()).then(|| (interior.clone(), place(interior.start))).into_iter()
    }

    /// The pairs beyond the array, one by one.
    fn beyond(&self) -> impl Iterator<Item = i64> + use<> {
        let interior = self.interior();
        (self.pairs.start..interior.start).chain(interior.end..self.pairs.end)
    }

    /// The run inside, then, if they are wanted, each place of each pair beyond.
    pub(super) fn parts(
        &self,
        beyond: bool,
    ) -> impl Iterator<Item = (Range<i64>, Place)> + use<'_> {
        let beyond = self.beyond().filter(move |_| beyond).flat_map(|k| {
            let places = self.ends.places(self.bit, k);
            (0..places.as_slice().len()).map(move |i| (k..k + 1, places.as_slice()[i]))
        });
        self.inside().chain(beyond)
    }

    /// Fills `row` (or adds to it, unless it is `fresh`) from the arrays of the two phases, given as
    /// (data, index of the line's first element, elements between neighbours).
    pub(super) fn read<T: Element>(
        &self,
        lines: &[(&[T], usize, usize); 2],
        row: &mut [T],
        fresh: bool,
        zeros: bool,
    ) {
        for (range, place) in self.inside() {
            let (data, base, stride) = lines[place.bit];
            let from = (range.start - self.pairs.start) as usize * self.width;
            let out = &mut row[from..from + range.clone().count() * self.width];
            let data = &data[base + place.index * stride..];
            let weight = (!fresh || self.weight != 1).then_some(self.weight);
            if fresh && weight.is_some() {
                out.fill(T::default());
            }
            read(data, stride * self.ends.step(), self.width, out, weight);
        }
        for k in self.beyond() {
            let from = (k - self.pairs.start) as usize * self.width;
            let out = &mut row[from..from + self.width];
            if fresh {
                out.fill(T::default());
            }
            if zeros {
                continue;
            }
            for place in self.ends.places(self.bit, k).as_slice() {
                let (data, base, stride) = lines[place.bit];
                let data = &data[base + place.index * stride..];
                read(data, stride, self.width, out, Some(self.weight * place.weight));
            }
        }
    }
}

/// Copies groups of `width` elements, `step` apart in `data`, to `out`; with a weight, adds them.
fn read<T: Element>(data: &[T], step: usize, width: usize, out: &mut [T], weight: Option<i64>) {
    match weight {
        None if step == width => out.copy_from_slice(&data[..out.len()]),
        None if width == 1 => {
            for (out, value) in out.iter_mut().zip(data.chunks(step)) {
                *out = value[0];
            }
        }
        None => {
            for (out, values) in out.chunks_exact_mut(width).zip(data.chunks(step)) {
                out.copy_from_slice(&values[..width]);
            }
        }
        Some(weight) => {
            for (out, values) in out.chunks_exact_mut(width).zip(data.chunks(step)) {
                for (out, value) in out.iter_mut().zip(values) {
                    *out = out.plus_weighted(weight, *value);
                }
            }
        }
    }
}

/// Copies `values` to groups of `width` elements, `step` apart in `data`; with a weight, adds them.
pub(super) fn write<T: Element>(
    data: &mut [T],
    step: usize,
    width: usize,
    values: &[T],
    weight: Option<i64>,
) {
    match weight {
        None if step == width => data[..values.len()].copy_from_slice(values),
        None if width == 1 => {
            for (data, value) in data.chunks_mut(step).zip(values) {
                data[0] = *value;
            }
        }
        None => {
            for (data, values) in data.chunks_mut(step).zip(values.chunks_exact(width)) {
                data[..width].copy_from_slice(values);
            }
        }
        Some(weight) => {
            for (data, values) in data.chunks_mut(step).zip(values.chunks_exact(width)) {
                for (data, value) in data.iter_mut().zip(values) {
                    *data = data.plus_weighted(weight, *value);
                }
            }
        }
    }
}
