//! Rows that become lines of a ring: filtered along the last axis, whole vectors alone.
//!
//! Lines have places before their first output and behind their last, whose values nobody reads: no
//! row begins or ends in the middle of a vector.

use super::along::{Last, Planes, count, intersection, outside};
use super::exchange::Halves;
use super::fit::Work;
use super::row::{Arrays, Row};
use super::store::{ALIGNMENT, Line};
use super::strays::Strays;
use super::strips::Kind;
use super::sums::{Apart, Joined, Sink, Sums};
use super::taps::{PLANES, Taps};
use crate::edges::Edge;
use crate::element::Element;
use crate::ends::Ends;
use pulp::Simd;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bytes of a plane that are split, and then filtered, at a time.
const RUN_BYTES: usize = 1024;

/// Places that are worth a beginning of their own.
const LONG_RUN: usize = 128;

/// Bytes of the planes of narrow rows that are filtered together.
const GROUP_BYTES: usize = 16 << 10;

/// Most rows that are filtered together.
pub(super) const MOST_GROUPED: usize = 8;

/// Elements of a vector of any machine.
pub(super) const fn unit<T>() -> usize {
    ALIGNMENT / size_of::<T>()
}

/// The way of rows into lines. Places count from the line's first, and stand for a pair each.
#[derive(Clone, Debug)]
pub struct Course<'a, T> {
    last: Last<'a, T>,
    /// Places before the first pair's.
    lead: usize,
    /// All places.
    places: usize,
    /// Places from one line to the next.
    pitch: usize,
    /// Rows that are filtered together: their planes lie as their lines do.
    group: usize,
    /// The first pair of the planes that are read.
    first: i64,
    /// Places of the planes that are elements of the input, and of both.
    inside: [Range<usize>; PLANES],
    both: Range<usize>,
    /// Places whose windows are read from bands where they lie.
    direct: Range<usize>,
    /// What is read beyond the ends.
    edges: [&'a [Edge]; PLANES],
    /// The same, and samples that are alone at the ends, if all are single values.
    strays: Option<Strays>,
}

impl<'a, T: Element> Course<'a, T> {
    /// Places from one line to the next, with so many before the first pair's: an odd number of lines of
    /// the cache, as a window's lines must not compete for the same places there.
    fn pitch_behind(last: &Last<'_, T>, lead: usize) -> usize {
        let places = lead + count(&last.axis.pairs) + last.filter.reach();
        (places.div_ceil(unit::<T>()) | 1) * unit::<T>()
    }

    /// Most places from one line to the next.
    pub(super) fn most_pitch(last: &Last<'_, T>) -> usize {
        Self::pitch_behind(last, unit::<T>() - 1)
    }

    /// Places from one line to the next.
    pub(super) fn pitch(&self) -> usize {
        self.pitch
    }

    fn group(pitch: usize) -> usize {
        (GROUP_BYTES / (PLANES * pitch * size_of::<T>())).clamp(1, MOST_GROUPED)
    }

    /// Elements of the planes.
    pub(super) fn planes(last: &Last<'_, T>) -> usize {
        let pitch = Self::most_pitch(last);
        let most = GROUP_BYTES / (PLANES * size_of::<T>()) + unit::<T>();
        most.max(pitch) + (last.filter.reach() + 1) + PLANES * unit::<T>()
    }

    /// The way of rows whose outputs will begin so many elements behind a multiple of a vector.
    pub(super) fn new(last: Last<'a, T>, skew: usize) -> Self {
        let unit = unit::<T>();
        let pairs = &last.axis.pairs;
        let reach = last.filter.reach();
        let origin = last.origin()[0];
        let lead = match last.axis.operation.output() {
            Side::Signal => (skew as i64 - origin).rem_euclid(unit as i64) / 2,
            Side::Bands => (skew as i64 - (origin - pairs.start)).rem_euclid(unit as i64),
        } as usize;
        let places = (lead + count(pairs)).next_multiple_of(unit);
        let first = pairs.start - lead as i64 + last.filter.low;
        let loaded = first + lead as i64..pairs.end + last.filter.high;
        let input = last.axis.input();
        let place = |k: i64| (k - first) as usize;
        let places_of = |pairs: &Range<i64>| place(pairs.start)..place(pairs.end);
        let inside = [0, 1].map(|bit| intersection(&input.interior(bit), &loaded));
        let both = places_of(&intersection(&inside[0], &inside[1]));
        let inside = inside.map(|inside| places_of(&inside));
        let mut direct =
            both.start.next_multiple_of(unit)..both.end.saturating_sub(reach) / unit * unit;
        if matches!(input, Ends::Signal(_)) || direct.len() < LONG_RUN {
            direct = places..places;
        }
        let edges = [0, 1].map(|bit| last.axis.loads(bit, &loaded));
        let pitch = Self::pitch_behind(&last, lead);
        let group = Self::group(pitch);
        let mut course = Self {
            last,
            lead,
            places,
            pitch,
            group,
            first,
            inside,
            both,
            direct,
            edges,
            strays: None,
        };
        course.strays = course.strays();
        course
    }

    /// What is not read with its neighbours.
    fn strays(&self) -> Option<Strays> {
        let ends = self.last.axis.input();
        let bands = matches!(ends, Ends::Bands(_));
        let mut strays = Strays::default();
        for plane in 0..PLANES {
            let mut last = None;
            for Edge { k, place, .. } in self.edges[plane] {
                if last.replace(*k) == Some(*k) || place.is_some_and(|place| place.weight != 1) {
                    return None;
                }
                let from = place.map(|place| (if bands { place.bit } else { 0 }, place.index));
                strays.push(plane, (k - self.first) as usize, from)?;
            }
            let alone = outside(&self.inside[plane], &self.both);
            for place in alone.into_iter().flatten().filter(|_| !bands) {
                let from = Some((0, ends.index(plane, self.first + place as i64)));
                strays.push(plane, place, from)?;
            }
        }
        Some(strays)
    }

    /// The element of a line that is an output's first, per part.
    pub(super) fn columns(&self) -> [usize; PLANES] {
        let (origin, start) = (self.last.origin(), self.last.axis.pairs.start);
        origin.map(|origin| match self.last.axis.operation.output() {
            Side::Signal => (2 * (self.lead as i64 - start) + origin) as usize,
            Side::Bands => (self.lead as i64 + origin - start) as usize,
        })
    }

    /// A line as a row.
    pub(super) fn row<'b>(&self, slot: usize, [low, high]: [&'b mut [T]; 2]) -> Row<'b, T> {
        let first = self.last.axis.pairs.start - self.lead as i64;
        let (from, past) = (slot * self.pitch, [None; PLANES]);
        match self.last.axis.operation.output() {
            Side::Signal => {
                let line = &mut low[2 * from..2 * (from + self.pitch)];
                Row { arrays: Arrays::Signal(line), origin: [2 * first; PLANES], past }
            }
            Side::Bands => {
                let low = &mut low[from..from + self.pitch];
                let high = &mut high[from..from + self.pitch];
                Row { arrays: Arrays::Bands([low, high]), origin: [first; PLANES], past }
            }
        }
    }
}

/// Filtering rows into lines.
pub struct Lines<'a, 'b, T> {
    pub(super) course: &'b Course<'a, T>,
    /// A signal's row or those of two bands, and the number of its line.
    pub(super) rows: &'b [([&'b [T]; PLANES], usize)],
    /// The lines of the low and the high outputs, or those of both in turn.
    pub(super) lines: [&'b mut [T]; 2],
    pub(super) planes: &'b mut [Line<T>; PLANES],
}

impl<'a, T: Element> Lines<'a, '_, T> {
    /// The sums.
    pub(super) fn taps(&self) -> &'a Taps<T> {
        &self.course.last.filter.taps
    }

    /// Whether both sums go to one array.
    pub(super) fn joined(&self) -> bool {
        self.course.last.axis.operation.output() == Side::Signal
    }
}

impl<'a, T: Element, const JOINED: bool> Work<'a, T> for Kind<Lines<'a, '_, T>, JOINED> {
    fn taps(&self) -> &'a Taps<T> {
        self.0.taps()
    }

    #[inline(always)]
    fn work<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        self,
        sums: &Sums<'a, S, T, N, A, C>,
    ) {
        let Lines { course, mut rows, lines: [low, high], planes } = self.0;
        let [even, odd] = planes;
        let halves = Halves::new(sums.simd);
        // Samples are split to whole vectors.
        let unit = unit::<T>();
        let skew = course.both.start.next_multiple_of(unit) - course.both.start;
        let (even, odd) = (&mut even.all_mut()[skew..], &mut odd.all_mut()[skew..]);
        let (pitch, reach) = (course.pitch, course.last.filter.reach());
        while let Some((input, slot)) = rows.first() {
            let mut grouped = 1;
            while grouped < course.group
                && rows.get(grouped).is_some_and(|(_, other)| *other == slot + grouped)
            {
                grouped += 1;
            }
            let len = (grouped - 1) * pitch + course.places;
            let from = slot * pitch;
            if course.group == 1 {
                let planes = [&mut *even, &mut *odd];
                if JOINED {
                    let out = Joined(&mut low[2 * from..2 * (from + len)]);
                    course.filter(sums, &halves, input, planes, out);
                } else {
                    let out = Apart([&mut low[from..from + len], &mut high[from..from + len]]);
                    course.filter(sums, &halves, input, planes, out);
                }
            } else {
                let mut at = 0;
                for (input, _) in &rows[..grouped] {
                    course.load(&halves, input, [&mut even[at..], &mut odd[at..]]);
                    at += pitch;
                }
                let window = Planes {
                    planes: [&even[..len + reach], &odd[..len + reach]],
                    len,
                    ahead: [&[]; PLANES],
                };
                if JOINED {
                    sums.whole(window, Joined(&mut low[2 * from..2 * (from + len)]));
                } else {
                    let out = [&mut low[from..from + len], &mut high[from..from + len]];
                    sums.whole(window, Apart(out));
                }
            }
            rows = &rows[grouped..];
        }
    }
}

impl<T: Element> Course<'_, T> {
    /// Filters a wide row.
    #[inline(always)]
    fn filter<S: Simd, const N: usize, const A: usize, const C: usize>(
        &self,
        sums: &Sums<'_, S, T, N, A, C>,
        halves: &Halves<S, T>,
        input: &[&[T]; PLANES],
        [even, odd]: [&mut [T]; PLANES],
        mut out: impl Sink<S, T>,
    ) {
        let ends = self.last.axis.input();
        let reach = self.last.filter.reach();
        if matches!(ends, Ends::Bands(_)) {
            self.beyond(input, [&mut *even, &mut *odd]);
            let (head, tail) = (0..self.direct.start, self.direct.end..self.places);
            for part in [&head, &tail] {
                self.copy(0, input, part, even);
                self.copy(1, input, part, odd);
            }
            for part in [&head, &self.direct, &tail] {
                if part.is_empty() {
                    continue;
                }
                let places = part.start..part.end + reach;
                let mut planes = [&even[places.clone()], &odd[places.clone()]];
                if *part == self.direct {
                    for bit in 0..PLANES {
                        let from = ends.index(bit, self.first + part.start as i64);
                        planes[bit] = &input[bit][from..from + places.len()];
                    }
                }
                sums.whole(
                    Planes { planes, len: part.len(), ahead: [&[]; PLANES] },
                    out.part(part.start, part.len()),
                );
            }
            return;
        }
        self.beyond(input, [&mut *even, &mut *odd]);
        let run = RUN_BYTES / size_of::<T>();
        let (mut at, mut done) = (0, 0);
        while at < self.places {
            let len = run.min(self.places - at);
            let read = (at + len + reach).saturating_sub(self.both.start);
            let read = read.next_multiple_of(unit::<T>()).min(self.both.len());
            if read > done {
                self.split(halves, input, done..read, [&mut *even, &mut *odd]);
                done = read;
            }
            let planes = [&even[at..at + len + reach], &odd[at..at + len + reach]];
            sums.whole(Planes { planes, len, ahead: [&[]; PLANES] }, out.part(at, len));
            at += len;
        }
    }

    /// Fills the planes of a row.
    #[inline(always)]
    fn load<S: Simd>(
        &self,
        halves: &Halves<S, T>,
        input: &[&[T]; PLANES],
        [even, odd]: [&mut [T]; PLANES],
    ) {
        self.beyond(input, [&mut *even, &mut *odd]);
        if matches!(self.last.axis.input(), Ends::Bands(_)) {
            self.copy(0, input, &(0..self.places), even);
            self.copy(1, input, &(0..self.places), odd);
        } else {
            self.split(halves, input, 0..self.both.len(), [even, odd]);
        }
    }

    /// Copies the elements of a band that some places read.
    #[inline(always)]
    fn copy(&self, bit: usize, input: &[&[T]; PLANES], part: &Range<usize>, plane: &mut [T]) {
        let inside = &self.inside[bit];
        let start = part.start.max(inside.start);
        let end = (part.end + self.last.filter.reach()).min(inside.end);
        if part.is_empty() || start >= end {
            return;
        }
        let from = self.last.axis.input().index(bit, self.first + start as i64);
        let (from, from_rest) = input[bit][from..from + end - start].as_chunks::<16>();
        let (to, to_rest) = plane[start..end].as_chunks_mut::<16>();
        for (from, to) in from.iter().zip(to) {
            *to = *from;
        }
        for (from, to) in from_rest.iter().zip(to_rest) {
            *to = *from;
        }
    }

    /// Splits samples of which both planes have one.
    #[inline(always)]
    fn split<S: Simd>(
        &self,
        halves: &Halves<S, T>,
        input: &[&[T]; PLANES],
        places: Range<usize>,
        [even, odd]: [&mut [T]; PLANES],
    ) {
        if places.is_empty() {
            return;
        }
        let (len, start) = (places.len(), self.both.start + places.start);
        let from = self.last.axis.input().index(0, self.first + start as i64);
        let (even, odd) = (&mut even[start..start + len], &mut odd[start..start + len]);
        halves.planes(&input[0][from..from + 2 * len], even, odd);
    }

    /// Fills what stands beyond the ends, and samples that are alone there.
    #[inline(never)]
    fn beyond(&self, input: &[&[T]; PLANES], planes: [&mut [T]; PLANES]) {
        if let Some(strays) = &self.strays {
            strays.fill(input, planes);
            return;
        }
        let ends = self.last.axis.input();
        let bands = matches!(ends, Ends::Bands(_));
        for bit in 0..PLANES {
            let plane = &mut *planes[bit];
            let mut last = None;
            for Edge { k, place, .. } in self.edges[bit] {
                let mut value = T::default();
                let mut weight = 1;
                if let Some(place) = place {
                    let array = if bands { place.bit } else { 0 };
                    (value, weight) = (input[array][place.index], place.weight);
                }
                let out = &mut plane[(k - self.first) as usize];
                *out = match (last == Some(*k), weight) {
                    (false, 1) => value,
                    (false, _) => T::default().plus_weighted(weight, value),
                    _ => out.plus_weighted(weight, value),
                };
                last = Some(*k);
            }
            let alone = outside(&self.inside[bit], &self.both);
            for place in alone.into_iter().flatten().filter(|_| !bands) {
                plane[place] = input[0][ends.index(bit, self.first + place as i64)];
            }
        }
    }
}
