//! Neighbouring vectors of an array past the caches straight from registers, one behind the other: like
//! [`super::pour`], where they come in parts and may begin anew.

use super::past::phase;
use super::pour::Join;
use super::vectors::Vectors;
use crate::seam::{Passage, lines, put_past};
use pulp::Simd;

/// Vectors on their way.
pub(super) struct Train<'a, S: Simd, T: Vectors> {
    passage: &'a Passage,
    join: Join<S, T>,
    /// Where the vector behind the last one begins, if there is one.
    next: Option<usize>,
    /// Elements of a vector that belong to the line of the cache that begins within it.
    behind: usize,
}

impl<'a, S: Simd, T: Vectors> Train<'a, S, T> {
    #[inline(always)]
    pub(super) fn new(simd: S, passage: &'a Passage) -> Self {
        Self { passage, join: Join::new(simd, 0), next: None, behind: 0 }
    }

    /// Stores registers from an element on, as whole lines, as far as they are complete.
    #[inline(always)]
    pub(super) fn put<const K: usize, const B: usize>(
        &mut self,
        to: &mut [T],
        at: usize,
        values: [[T::Vector<S>; K]; B],
    ) {
        let (simd, passage, count, lanes) = (self.join.simd, self.passage, K * B, T::lanes::<S>());
        let len = count * lanes;
        let fresh = self.next != Some(at);
        if fresh {
            self.end(to);
            self.begin(&to[at..]);
        }
        self.next = Some(at + len);
        if self.behind == 0 {
            let places = &mut lines(&mut to[at..at + len]).1[..count];
            for b in 0..B {
                for k in 0..K {
                    put_past(simd, passage, &mut places[K * b + k], values[b][k]);
                }
            }
            return;
        }
        // Kept in registers meanwhile.
        let mut join = self.join;
        if fresh {
            let first = at + lanes - self.behind;
            T::store(simd, &mut to[at..first], values[0][0]);
            join.before = values[0][0];
            let places = &mut lines(&mut to[first..at + len]).1[..count - 1];
            for v in 1..count {
                let line = join.next(values[v / K][v % K]);
                put_past(simd, passage, &mut places[v - 1], line);
            }
        } else {
            let first = at - self.behind;
            let places = &mut lines(&mut to[first..at + len - self.behind]).1[..count];
            for b in 0..B {
                for k in 0..K {
                    put_past(simd, passage, &mut places[K * b + k], join.next(values[b][k]));
                }
            }
        }
        self.join = join;
    }

    #[inline(always)]
    fn begin(&mut self, to: &[T]) {
        self.behind = phase(to);
        self.join = Join::new(self.join.simd, self.behind);
    }

    /// Stores what is left of the last vector.
    #[inline(always)]
    pub(super) fn end(&mut self, to: &mut [T]) {
        if let Some(next) = self.next.take()
            && self.behind > 0
        {
            self.join.end(&mut to[next - self.behind..next]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::pour::pours;
    use crate::filter::store::ALIGNMENT;
    use crate::vectorised;
    use pulp::WithSimd;
    use std::fmt::Debug;
    use std::ops::Range;

    /// Parts of `from` brought to the same places of an array.
    struct Parts<'a, T> {
        from: &'a [T],
        to: &'a mut [T],
        parts: &'a [Range<usize>],
        passage: &'a Passage,
    }

    impl<T: Vectors> WithSimd for Parts<'_, T> {
        type Output = bool;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            if !pours::<S, T>() {
                return false;
            }
            let mut train = Train::<S, T>::new(simd, self.passage);
            for part in self.parts {
                let values = T::vectors::<S>(&self.from[part.clone()]);
                match values {
                    [a, b, c, d] => train.put(self.to, part.start, [[*a, *b], [*c, *d]]),
                    [a, b] => train.put(self.to, part.start, [[*a, *b]]),
                    [a] => train.put(self.to, part.start, [[*a]]),
                    _ => {
                        train.end(self.to);
                        self.to[part.clone()].copy_from_slice(&self.from[part.clone()]);
                    }
                }
            }
            train.end(self.to);
            true
        }
    }

    fn arrives<T: Vectors + PartialEq + Debug>(of: impl Fn(usize) -> T, passage: &Passage) {
        let unit = ALIGNMENT / size_of::<T>();
        let parts = |lens: &[usize]| -> Vec<Range<usize>> {
            let ends = lens.iter().scan(0, |end, len| {
                *end += len;
                Some(*end - len..*end)
            });
            ends.collect()
        };
        let overlapping =
            vec![0..unit, 3..unit + 3, unit + 3..3 * unit + 3, 2 * unit + 5..3 * unit + 5];
        let all = [
            parts(&[unit]),
            parts(&[unit, unit, 4 * unit]),
            parts(&[3, unit, 2 * unit, 1]),
            parts(&[2 * unit, 5, unit, unit]),
            parts(&[0, unit, 0, unit]),
            parts(&[4 * unit, 3, 4 * unit, 4 * unit]),
            overlapping,
        ];
        for parts in &all {
            let len = parts.iter().map(|part| part.end).max().unwrap_or(0);
            for place in 0..unit {
                let from: Vec<T> = (0..len).map(&of).collect();
                let mut to = vec![of(1000); len + 3 * unit];
                let begin = to.as_ptr().align_offset(ALIGNMENT) + place;
                let places = &mut to[begin..begin + len];
                if vectorised(Parts { from: &from, to: places, parts, passage }) {
                    assert_eq!(&to[begin..begin + len], from, "{place} {parts:?}");
                    let mut others = to[..begin].iter().chain(&to[begin + len..]);
                    assert!(others.all(|value| *value == of(1000)), "{place} {parts:?}");
                }
            }
        }
    }

    #[test]
    fn parts_arrive_wherever_lines_begin() {
        Passage::open(|passage| {
            arrives(|i| i as f32, passage);
            arrives(|i| i as f64, passage);
            arrives(|i| i as i32, passage);
        });
    }
}
