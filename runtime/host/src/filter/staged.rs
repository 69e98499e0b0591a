//! Two axes at once, by stages: rows pass through the stages of the outer axis as they come, and each
//! passes along before or behind.
//!
//! What the outer axis needs of rows before is kept where stages delay it: there is no ring. Rounded
//! stages of two axes must follow each other in the order of the transform.

use super::across::Outer;
use super::along::Last;
use super::cascade::Cascade;
use super::course::{Course, Courses, MOST_FILLED, row_stage};
use super::fall::{FALL, Fall};
use super::grid::{Frame, Grids};
use super::lines::unit;
use super::pairs::Ahead;
use super::past::Leave;
use super::row::Arrays;
use super::share::Target;
use super::store::{ALIGNMENT, Store};
use super::taps::PLANES;
use super::weave::{ROWS, Weave, Woven, kept, narrow};
use crate::element::Element;
use crate::line::add_weighted;
use crate::rows::registers_are_lines;
use crate::seam::Passage;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Elements of planes that do not stay in the nearer caches, so that rows are worth asking for.
const FAR: usize = 1 << 19;

/// The two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged<'a, T> {
    pub(super) outer: Outer<'a, T>,
    pub(super) last: Last<'a, T>,
    /// Whether the outer axis comes first.
    pub(super) outer_first: bool,
    pub(super) leave: Leave<'a>,
}

/// Pairs of rows that enter together.
struct Batch<'a, 'i, T> {
    cascade: &'a Cascade<T>,
    entering: Range<i64>,
    /// Whether the outputs of these pairs are wanted, as far as they have places.
    wanted: bool,
    input: &'a [&'i [T]],
    /// Elements of the parts of a row where it passes across, and how many parts there are.
    lens: [usize; PLANES],
    parts: usize,
    /// Elements from a row between the axes to the next, and before the second part of one.
    pitch: usize,
    second: usize,
}

/// The rows of an array that is written, taken in ascending order.
#[derive(Default)]
struct Taken<'b, T> {
    rest: &'b mut [T],
    /// Index of the first row left.
    next: usize,
}

impl<'b, T> Taken<'b, T> {
    fn row(&mut self, index: usize, len: usize) -> &'b mut [T] {
        let rest = std::mem::take(&mut self.rest);
        let (row, rest) = rest[(index - self.next) * len..].split_at_mut(len);
        (self.rest, self.next) = (rest, index + 1);
        row
    }
}

impl<T> Batch<'_, '_, T> {
    fn count(&self) -> usize {
        (self.entering.end - self.entering.start) as usize
    }

    /// The phase and the pair of every row.
    fn rows(&self) -> impl Iterator<Item = (usize, i64)> + use<T> {
        let first = self.entering.start;
        (0..PLANES * self.count()).map(move |row| (row % PLANES, first + (row / PLANES) as i64))
    }
}

impl<'a, T: Element> Staged<'a, T> {
    /// Elements of the parts of rows on a side of the last axis, and how many parts there are.
    fn parts(&self, side: Side) -> ([usize; PLANES], usize) {
        (self.last.lens(side), if side == Side::Signal { 1 } else { PLANES })
    }

    /// The side on which rows pass across.
    fn across(&self) -> Side {
        let operation = self.last.axis.operation;
        if self.outer_first { operation.input() } else { operation.output() }
    }

    /// Elements before the second part of a row between the axes.
    fn second(&self) -> usize {
        self.last.lens(Side::Bands)[0].next_multiple_of(ALIGNMENT / T::TYPE.bytes())
    }

    /// Elements from a row between the axes to the next: an odd number of lines of the cache.
    fn pitch(&self) -> usize {
        let unit = ALIGNMENT / T::TYPE.bytes();
        let bands = self.second() + self.last.lens(Side::Bands)[1];
        let row = bands.max(self.last.lens(Side::Signal)[0]);
        (row.div_ceil(unit) | 1) * unit
    }

    /// Pairs of a window at an end of a row: what outputs depend on, and vectors that are not whole.
    fn window(&self) -> usize {
        3 * self.last.filter.reach() + 6 * unit::<T>()
    }

    /// Grows a store.
    pub(super) fn provide(&self, store: &mut Store<T>) {
        let rows = ROWS * self.pitch();
        let window = self.window();
        store.provide(self.last.filter.reach(), 2 * MOST_FILLED * window, 0, rows);
        store.sum.provide(rows);
        store.stage.provide(row_stage::<T>(self.pitch()));
        store.spare.provide(narrow::<T>());
        let Some(cascade) = &self.outer.filter.cascade else { return };
        for side in [Side::Signal, Side::Bands] {
            let (lens, parts) = self.parts(side);
            for (line, len) in store.state.iter_mut().zip(lens).take(parts) {
                line.provide(kept(cascade, len));
            }
        }
    }

    /// Filters pairs of the outer axis.
    pub(super) fn run(
        &self,
        pairs: &Range<i64>,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let filter = self.outer.filter;
        let (Some(cascade), false) = (&filter.cascade, pairs.is_empty()) else { return };
        for line in &mut store.state {
            line.all_mut().fill(T::default());
        }
        let mut grids = Grids::new(&self.last);
        // Without rounding axes may come in any order, which must not depend on where arrays lie or how large they are.
        let outer_first = self.outer_first || !T::ROUNDS && filter.has_loop();
        let staged = Self { outer_first, ..*self };
        let woven = if outer_first { self.woven(&grids.frame, target) } else { None };
        let (lens, parts) = staged.parts(staged.across());
        let (pitch, second) = (self.pitch(), self.second());
        // Outputs of the pairs before the first have no places.
        let first = pairs.start + filter.high;
        let end = pairs.end + filter.high;
        let mut at = pairs.start + filter.low;
        while at < end {
            let wanted = at >= first;
            let next = (at + FALL as i64).min(if wanted { end } else { first });
            let entering = at..next;
            let batch = Batch { cascade, entering, wanted, input, lens, parts, pitch, second };
            if staged.outer_first {
                staged.outer_first(&batch, &mut grids, woven.as_ref(), target, store);
            } else {
                staged.last_first(&batch, &mut grids, target, store);
            }
            at = next;
        }
    }

    /// Whether a plane does not stay in the nearer caches.
    fn is_far(&self) -> bool {
        self.outer.axis.geometry.signal.len * self.last.lens(Side::Signal)[0] >= FAR
    }

    /// The rows behind a batch, asked for while its own pass across.
    fn ahead<'i>(&self, batch: &Batch<'_, 'i, T>) -> Ahead<'i, T> {
        let next = batch.entering.end..batch.entering.end + FALL as i64;
        let mut ahead = Ahead::rows(&self.outer, &self.last, &next, batch.input);
        ahead.spread(&batch.lens[..batch.parts]);
        ahead
    }

    /// How rows pass some columns at a time, if that is possible and worth it. Rows from afar are not, and outputs that go
    /// past the caches, or do not begin alike, are made row by row: stores across lines of the caches take longer than
    /// what is won.
    fn woven(&self, frame: &Frame<'a>, target: &Target<'_, '_, T>) -> Option<Woven<'a>> {
        let cascade = self.outer.filter.cascade.as_ref()?;
        let signal = self.outer.axis.geometry.signal.len * self.last.lens(Side::Signal)[0];
        if 2 * signal * size_of::<T>() > cascade.weaves {
            return None;
        }
        let past = self.past().as_flattened().iter().any(Option::is_some);
        let list = cascade.known.filter(|_| !past)?;
        let axis = self.last.axis;
        let (lens, parts) = self.parts(axis.operation.output());
        let whole = lens.iter().take(parts).all(|len| len.is_multiple_of(unit::<T>()));
        let arrays = &*target.arrays;
        let first = arrays.first().filter(|_| whole)?;
        let places = axis.output();
        let place = |array: usize| {
            let at = places.index(array % parts, frame.placed.start);
            arrays[array][at.min(arrays[array].len())..].as_ptr().align_offset(ALIGNMENT)
        };
        if (1..arrays.len()).any(|array| place(array) != place(0)) {
            return None;
        }
        let skew = frame.skew(first, ALIGNMENT);
        let lens = self.last.lens(axis.operation.input());
        Woven::new::<T>(list, frame, lens, skew, self.window())
    }

    fn outer_first(
        &self,
        batch: &Batch<'a, '_, T>,
        grids: &mut Grids<'a>,
        woven: Option<&Woven<'a>>,
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let Batch { cascade, wanted, input, lens, parts, pitch, second, .. } = *batch;
        let count = batch.count();
        let Store { ring, sum, spare, state, planes, examined, stage, .. } = store;
        let between = ring.get_mut(ROWS * pitch);
        for ((bit, k), made) in batch.rows().zip(sum.get_mut(ROWS * pitch).chunks_exact_mut(pitch))
        {
            if self.outer.lone(bit, k).is_some() {
                continue;
            }
            for (part, len) in lens.into_iter().enumerate().take(parts) {
                let made = &mut made[part * second..part * second + len];
                made.fill(T::default());
                for place in self.outer.axis.loads(bit, &(k..k + 1)).iter() {
                    let Some(place) = place.place else { continue };
                    let row = self.row((place.bit, place.index), part, len, input);
                    add_weighted(made, row, place.weight);
                }
            }
        }
        let sum = sum.get(ROWS * pitch);
        let mut entering: [[[&[T]; PLANES]; FALL]; PLANES] = Default::default();
        for (part, (entering, len)) in entering.iter_mut().zip(lens).enumerate().take(parts) {
            let made = sum.chunks_exact(pitch);
            let rows = batch.rows().zip(made);
            for (line, ((bit, k), made)) in entering.as_flattened_mut().iter_mut().zip(rows) {
                *line = match self.outer.lone(bit, k) {
                    Some(place) => self.row(place, part, len, input),
                    None => &made[part * second..part * second + len],
                };
            }
        }
        if let Some(woven) = woven {
            let mut outs = if wanted { self.places(batch, target) } else { Default::default() };
            let [first, other] = state;
            T::weave(Weave {
                cascade,
                frame: &grids.frame,
                woven,
                lines: entering.each_ref().map(|lines| &lines[..count]),
                outs: if wanted { &mut outs[..PLANES * count] } else { &mut outs[..0] },
                between,
                pitch,
                second,
                narrow: spare.get_mut(narrow::<T>()),
                state: [first.all_mut(), other.all_mut()],
                planes,
                examined,
            });
            return;
        }
        // Rows of bands enter from several places at a time: those that come next are asked for meanwhile. Those of a signal
        // follow each other. (Narrower registers leave so much to do that asking takes longer than what is won.)
        let mut ahead = Ahead::default();
        if parts > 1 && self.is_far() && registers_are_lines() {
            ahead = self.ahead(batch);
        }
        for (part, len) in lens.into_iter().enumerate().take(parts) {
            let mut outs: [[&mut [T]; PLANES]; FALL] = Default::default();
            let from = part * second;
            let mut rows = between.chunks_exact_mut(pitch);
            for (out, row) in outs.as_flattened_mut().iter_mut().zip(&mut rows) {
                *out = &mut row[from..from + len];
            }
            let outs = if wanted { &mut outs[..count] } else { &mut outs[..0] };
            let (state, lines) = (state[part].all_mut(), &entering[part][..count]);
            let (skew, past, stage) = (0, [None; PLANES], &mut [][..]);
            T::fall(Fall { cascade, state, skew, lines, outs, ahead, past, stage, examined });
            ahead = ahead.behind(len.div_ceil(unit::<T>()));
        }
        if !wanted {
            return;
        }
        let mut rows: [Option<Course<'_, T>>; ROWS] = Default::default();
        let between = ring.get(ROWS * pitch).chunks_exact(pitch);
        for (row, (place, line)) in
            rows.iter_mut().zip(self.places(batch, target).into_iter().zip(between))
        {
            let from = (parts - 1) * second;
            let input = [&line[..lens[0]], &line[from..from + lens[1]]];
            *row = place.map(|output| Course { input, output });
        }
        let (rows, stage) = (&mut rows, stage.all_mut());
        let (past, examined) = (self.past(), &mut None);
        T::course(Courses { cascade, grids, rows, planes, past, stage, examined });
    }

    /// For stages that are in no list, and for the inverse of such as round.
    fn last_first(
        &self,
        batch: &Batch<'a, '_, T>,
        grids: &mut Grids<'a>,
        target: &mut Target<'_, '_, T>,
        store: &mut Store<T>,
    ) {
        let Batch { cascade, wanted, input, lens, parts, pitch, second, .. } = *batch;
        let count = batch.count();
        let Store { ring, sum, state, planes, examined, stage, .. } = store;
        let between = ring.get_mut(ROWS * pitch);
        let mut rows: [Option<Course<'_, T>>; ROWS] = Default::default();
        for (row, ((bit, k), line)) in
            rows.iter_mut().zip(batch.rows().zip(between.chunks_exact_mut(pitch)))
        {
            if let Some(place) = self.outer.lone(bit, k) {
                *row = Some(Course { input: self.rows(place, input), output: self.split(line) });
            }
        }
        // What goes between the axes stays in the caches.
        let near = [[None; PLANES]; PLANES];
        let (list, stay) = (&mut *grids, &mut [][..]);
        T::course(Courses {
            cascade,
            grids: list,
            rows: &mut rows,
            planes,
            past: near,
            stage: stay,
            examined,
        });
        for ((bit, k), line) in batch.rows().zip(between.chunks_exact_mut(pitch)) {
            if self.outer.lone(bit, k).is_some() {
                continue;
            }
            line.fill(T::default());
            for place in self.outer.axis.loads(bit, &(k..k + 1)).iter() {
                let Some(place) = place.place else { continue };
                let made = sum.get_mut(pitch);
                made.fill(T::default());
                let input = self.rows((place.bit, place.index), input);
                let rows = &mut [Some(Course { input, output: self.split(&mut *made) })];
                let (grids, planes) = (&mut *grids, &mut *planes);
                let (past, stage) = (near, &mut [][..]);
                T::course(Courses { cascade, grids, rows, planes, past, stage, examined });
                add_weighted(line, made, place.weight);
            }
        }
        // Rows enter from memory along the last axis: those that come next are asked for meanwhile.
        let mut ahead = if self.is_far() { self.ahead(batch) } else { Ahead::default() };
        let between = ring.get(ROWS * pitch);
        for (part, len) in lens.into_iter().enumerate().take(parts) {
            let from = part * second;
            let mut lines: [[&[T]; PLANES]; FALL] = [[&[]; PLANES]; FALL];
            let rows = between.chunks_exact(pitch);
            for (line, row) in lines.as_flattened_mut().iter_mut().zip(rows) {
                *line = &row[from..from + len];
            }
            let mut outs: [[&mut [T]; PLANES]; FALL] = Default::default();
            let nowhere = sum.get_mut(ROWS * pitch).chunks_exact_mut(pitch);
            let mut skew = 0;
            if let Some(array) = target.arrays.get(part) {
                skew = array.as_ptr().align_offset(ALIGNMENT);
            }
            let places = if wanted { self.places(batch, target) } else { Default::default() };
            for ((out, place), nowhere) in
                outs.as_flattened_mut().iter_mut().zip(places).zip(nowhere)
            {
                *out = match place {
                    Some(Arrays::Signal(row)) => row,
                    Some(Arrays::Bands([low, high])) => [low, high][part],
                    None => &mut nowhere[..len],
                };
            }
            let outs = if wanted { &mut outs[..count] } else { &mut outs[..0] };
            let (state, lines, examined) = (state[part].all_mut(), &lines[..count], &mut None);
            let past = self.past().map(|parts| parts[part]);
            let stage = stage.all_mut();
            T::fall(Fall { cascade, state, skew, lines, outs, ahead, past, stage, examined });
            ahead = ahead.behind(len.div_ceil(unit::<T>()));
        }
    }

    /// Per phase of the outer axis, and part of a row: whether outputs may go past the caches.
    fn past(&self) -> [[Option<&'a Passage>; PLANES]; PLANES] {
        let signal = self.last.axis.operation.output() == Side::Signal;
        [0, 1].map(|phase| {
            let channel = |part: usize| if signal { 0 } else { PLANES * phase + part };
            [0, 1].map(|part| self.leave.of(channel(part)))
        })
    }

    /// The places of the outputs of pairs that enter, phases in turn, as far as they have any.
    fn places<'b>(
        &self,
        batch: &Batch<'_, '_, T>,
        target: &'b mut Target<'_, '_, T>,
    ) -> [Option<Arrays<'b, T>>; ROWS] {
        let ends = self.outer.axis.output();
        let side = self.last.axis.operation.output();
        let lens = self.last.lens(side);
        let first = target.first;
        let mut taken: [Taken<'b, T>; 2 * PLANES] = Default::default();
        for (at, (taken, array)) in taken.iter_mut().zip(target.arrays.iter_mut()).enumerate() {
            *taken = Taken { rest: array, next: first[at / PLANES] };
        }
        let mut places: [Option<Arrays<'b, T>>; ROWS] = Default::default();
        let interior = [ends.interior(0), ends.interior(1)];
        for (place, (phase, k)) in places.iter_mut().zip(batch.rows()) {
            let k = k - self.outer.filter.high;
            if !interior[phase].contains(&k) {
                continue;
            }
            let index = ends.index(phase, k);
            *place = Some(match side {
                Side::Signal => Arrays::Signal(taken[0].row(index, lens[0])),
                Side::Bands => {
                    let [low, high] = [0, 1].map(|part| PLANES * phase + part);
                    Arrays::Bands([taken[low].row(index, lens[0]), taken[high].row(index, lens[1])])
                }
            });
        }
        places
    }

    /// A row of a part of the input.
    fn row<'b>(
        &self,
        (bit, index): (usize, usize),
        part: usize,
        len: usize,
        input: &[&'b [T]],
    ) -> &'b [T] {
        let array = if input.len() == 1 { 0 } else { PLANES * bit + part };
        &input[array][index * len..(index + 1) * len]
    }

    /// All parts of a row of the input.
    fn rows<'b>(&self, place: (usize, usize), input: &[&'b [T]]) -> [&'b [T]; PLANES] {
        let (lens, parts) = self.parts(self.last.axis.operation.input());
        [0, parts - 1].map(|part| self.row(place, part, lens[part], input))
    }

    /// A row between the axes as the last one's outputs.
    fn split<'b>(&self, row: &'b mut [T]) -> Arrays<'b, T> {
        let side = self.last.axis.operation.output();
        let lens = self.last.lens(side);
        if side == Side::Signal {
            return Arrays::Signal(&mut row[..lens[0]]);
        }
        let (low, high) = row.split_at_mut(self.second());
        Arrays::Bands([&mut low[..lens[0]], &mut high[..lens[1]]])
    }
}
