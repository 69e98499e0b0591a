//! Rows of outputs straight from registers, a whole line of the cache at a time, whatever place of a line they begin
//! at: past the caches, or where that is not wanted to places in them, as vectors across lines take two stores.

use super::past::phase;
use super::store::ALIGNMENT;
use super::vectors::Vectors;
#[cfg(target_arch = "x86_64")]
use crate::machine::known;
use crate::seam::{Line, Passage, lines, put, put_past};
use pulp::Simd;
use pulp::bytemuck::{Zeroable, cast};

/// Outputs of a row that are worth being put together to lines.
pub(super) const LONG: usize = 256;

/// Whether registers are as long as lines of the cache, so that rows need no stage.
pub(super) const fn pours<S: Simd, T: Vectors>() -> bool {
    cfg!(target_arch = "x86_64")
        && size_of::<T::Vector<S>>() == ALIGNMENT
        && matches!(size_of::<T>(), 4 | 8)
}

/// Elements before the first of all outputs until a line begins, if they lie alike.
#[inline(always)]
pub(super) fn alike<T, const N: usize>(rows: &[[&mut [T]; N]]) -> Option<usize> {
    let mut rows = rows.as_flattened().iter();
    let found = rows.next().map_or(0, |out| phase(out));
    let unit = ALIGNMENT / size_of::<T>();
    let alike = rows.all(|out| out.is_empty() || phase(out) == found);
    alike.then_some((unit - found) % unit)
}

/// Registers put together to lines of the cache that begin within them.
#[derive(Clone, Copy)]
// As `Aligned`.
#[repr(align(64))]
pub(super) struct Join<S: Simd, T: Vectors> {
    pub(super) simd: S,
    pub(super) before: T::Vector<S>,
    /// Where a line's values are: in that register, or in the next.
    places: T::Vector<S>,
}

impl<S: Simd, T: Vectors> Join<S, T> {
    /// Registers whose first value has so many of its line before it.
    #[inline(always)]
    pub(super) fn new(simd: S, phase: usize) -> Self {
        Self { simd, before: T::Vector::<S>::zeroed(), places: places::<S, T>(phase) }
    }

    /// The line that ends in the next register.
    #[inline(always)]
    pub(super) fn next(&mut self, next: T::Vector<S>) -> T::Vector<S> {
        let line = self.line(next);
        self.before = next;
        line
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn line(&self, next: T::Vector<S>) -> T::Vector<S> {
        let wide = known::<S, pulp::x86::V4>(self.simd);
        let (Some(wide), true) = (wide, const { pours::<S, T>() }) else { return next };
        let (before, places, next) = (cast(self.before), cast(self.places), cast(next));
        match size_of::<T>() {
            4 => cast(wide.avx512f._mm512_permutex2var_epi32(before, places, next)),
            _ => cast(wide.avx512f._mm512_permutex2var_epi64(before, places, next)),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn line(&self, next: T::Vector<S>) -> T::Vector<S> {
        next
    }

    /// Stores the values of the last register that belong to a line that is not complete.
    #[inline(always)]
    pub(super) fn end(&self, to: &mut [T]) {
        T::store(self.simd, to, self.line(self.before));
    }
}

/// Neighbouring whole vectors of a row, on their way.
pub(super) struct Pour<'a, S: Simd, T: Vectors> {
    /// Places of vectors that stay in the caches and need not be put together.
    near: &'a mut [T::Vector<S>],
    /// Of others: values before the first whole line, whole lines, and values behind.
    head: &'a mut [T],
    lines: &'a mut [Line],
    tail: &'a mut [T],
    passage: Option<&'a Passage>,
    join: Join<S, T>,
}

#[allow(clippy::needless_range_loop)]
impl<'a, S: Simd, T: Vectors> Pour<'a, S, T> {
    /// Nowhere.
    #[inline(always)]
    pub(super) fn none(simd: S) -> Self {
        let (near, head, lines, tail) = (&mut [][..], &mut [][..], &mut [][..], &mut [][..]);
        Self { near, head, lines, tail, passage: None, join: Join::new(simd, 0) }
    }

    /// Places of whole vectors, which go past the caches with leave. `SHIFT` says that they need not begin
    /// where a line does.
    #[inline(always)]
    pub(super) fn new<const SHIFT: bool>(
        simd: S,
        to: &'a mut [T],
        passage: Option<&'a Passage>,
    ) -> Self {
        let mut pour = Self::none(simd);
        pour.passage = passage;
        if SHIFT && !to.is_empty() {
            let phase = phase(to);
            let (head, rest) = to.split_at_mut((T::lanes::<S>() - phase).min(to.len()));
            let (_, lines, tail) = lines(rest);
            (pour.head, pour.lines, pour.tail) = (head, lines, tail);
            pour.join = Join::new(simd, phase);
        } else if passage.is_some() {
            pour.lines = lines(to).1;
        } else {
            pour.near = T::vectors_mut::<S>(to);
        }
        pour
    }

    /// The next vector, which is number `at`.
    #[inline(always)]
    pub(super) fn put<const SHIFT: bool>(&mut self, at: usize, value: T::Vector<S>) {
        let line = if SHIFT { at.wrapping_sub(1) } else { at };
        let values = if SHIFT { self.join.next(value) } else { value };
        if let Some(line) = self.lines.get_mut(line) {
            match self.passage {
                Some(passage) => put_past(self.join.simd, passage, line, values),
                None => put(line, values),
            }
        } else if let Some(place) = self.near.get_mut(at) {
            *place = value;
        } else if SHIFT {
            T::store(self.join.simd, self.head, value);
        }
    }

    /// The next vectors, of which the first is number `at`.
    #[inline(always)]
    pub(super) fn put_all<const SHIFT: bool, const K: usize, const B: usize>(
        &mut self,
        at: usize,
        values: [[T::Vector<S>; K]; B],
    ) {
        let (simd, count) = (self.join.simd, K * B);
        // Whether lines are complete is asked once.
        let first = if SHIFT { at.wrapping_sub(1) } else { at };
        if let Some(lines) = self.lines.get_mut(first..).and_then(|rest| rest.get_mut(..count)) {
            // Kept in registers meanwhile.
            let mut join = self.join;
            for b in 0..B {
                for k in 0..K {
                    let value = values[b][k];
                    let value = if SHIFT { join.next(value) } else { value };
                    match self.passage {
                        Some(passage) => put_past(simd, passage, &mut lines[K * b + k], value),
                        None => put(&mut lines[K * b + k], value),
                    }
                }
            }
            self.join = join;
            return;
        }
        if let (false, Some(places)) = (SHIFT, self.near.get_mut(at..at.saturating_add(count))) {
            for b in 0..B {
                for k in 0..K {
                    places[K * b + k] = values[b][k];
                }
            }
            return;
        }
        for v in 0..count {
            self.put::<SHIFT>(at + v, values[v / K][v % K]);
        }
    }

    /// What is left of the last vector.
    #[inline(always)]
    pub(super) fn end(self) {
        if !self.tail.is_empty() {
            self.join.end(self.tail);
        }
    }
}

/// Where the values of a line are that has so many of the vector before: among those of two.
#[inline(always)]
fn places<S: Simd, T: Vectors>(phase: usize) -> T::Vector<S> {
    let first = ALIGNMENT / size_of::<T>() - phase;
    match (const { pours::<S, T>() }, size_of::<T>()) {
        (true, 4) => {
            let mut places = [0_u32; ALIGNMENT / 4];
            for (at, place) in places.iter_mut().enumerate() {
                *place = (first + at) as u32;
            }
            cast(places)
        }
        (true, _) => {
            let mut places = [0_u64; ALIGNMENT / 8];
            for (at, place) in places.iter_mut().enumerate() {
                *place = (first + at) as u64;
            }
            cast(places)
        }
        _ => T::Vector::<S>::zeroed(),
    }
}

/// Stores values of a register from one on, as far as there are places.
#[inline(always)]
pub(super) fn some<S: Simd, T: Vectors>(simd: S, to: &mut [T], value: T::Vector<S>, from: usize) {
    let values = [value, T::Vector::<S>::zeroed()];
    let values: &[T] = pulp::bytemuck::cast_slice(&values);
    let vector = T::vectors::<S>(&values[from..from + T::lanes::<S>()])[0];
    T::store(simd, to, vector);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectorised;
    use pulp::WithSimd;
    use std::fmt::Debug;

    /// Whole vectors poured to places that begin `phase` elements behind a line.
    struct Poured<'a, T> {
        from: &'a [T],
        to: &'a mut [T],
        passage: Option<&'a Passage>,
        shift: bool,
    }

    impl<T: Vectors> WithSimd for Poured<'_, T> {
        type Output = bool;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            let Self { from, to, passage, shift } = self;
            let whole = from.len() / T::lanes::<S>() * T::lanes::<S>();
            let to = &mut to[..whole];
            if !pours::<S, T>() {
                return false;
            }
            let values = T::vectors::<S>(&from[..whole]);
            if shift {
                poured::<S, T, true>(simd, values, to, passage);
            } else {
                poured::<S, T, false>(simd, values, to, passage);
            }
            true
        }
    }

    /// One alone, then in blocks, and what is left.
    #[inline(always)]
    fn poured<S: Simd, T: Vectors, const SHIFT: bool>(
        simd: S,
        values: &[T::Vector<S>],
        to: &mut [T],
        passage: Option<&Passage>,
    ) {
        let mut pour = Pour::<S, T>::new::<SHIFT>(simd, to, passage);
        let mut at = 0;
        while at < values.len() {
            match values[at..] {
                [a, b, c, d, ..] if at > 0 => {
                    pour.put_all::<SHIFT, 2, 2>(at, [[a, b], [c, d]]);
                    at += 4;
                }
                [a, b, ..] if at > 0 => {
                    pour.put_all::<SHIFT, 2, 1>(at, [[a, b]]);
                    at += 2;
                }
                _ => {
                    pour.put::<SHIFT>(at, values[at]);
                    at += 1;
                }
            }
        }
        pour.end();
    }

    fn arrives<T: Vectors + PartialEq + Debug>(of: impl Fn(usize) -> T, passage: Option<&Passage>) {
        let unit = ALIGNMENT / size_of::<T>();
        let from: Vec<T> = (0..8 * unit).map(&of).collect();
        for count in 0..=8 {
            for place in 0..unit {
                let mut to = vec![of(1000); 11 * unit];
                let begin = to.as_ptr().align_offset(ALIGNMENT) + place;
                let end = begin + count * unit;
                let (from, shift) = (&from[..count * unit], place > 0 || count % 2 == 0);
                let places = &mut to[begin..end];
                if vectorised(Poured { from, to: places, passage, shift }) {
                    assert_eq!(&to[begin..end], from, "{place} {count}");
                    let mut others = to[..begin].iter().chain(&to[end..]);
                    assert!(others.all(|value| *value == of(1000)), "{place} {count}");
                }
            }
        }
    }

    #[test]
    fn vectors_arrive_wherever_lines_begin() {
        Passage::open(|passage| {
            for passage in [None, Some(passage)] {
                arrives(|i| i as f32, passage);
                arrives(|i| i as f64, passage);
                arrives(|i| i as i32, passage);
            }
        });
    }
}
