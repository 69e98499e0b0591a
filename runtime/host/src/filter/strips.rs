//! Rows along the last axis, strip by strip, by sums or by stages.

use super::along::{Along, Planes, Run, count};
use super::cascade::Cascade;
use super::exchange::Halves;
use super::fit::Work;
use super::flow::{Flow, Pairs};
use super::past::{Bands, Signal};
use super::row::{Arrays, Step};
use super::sums::{Sink, Sums};
use super::taps::{PLANES, Taps};
use super::vectors::Vectors;
use crate::element::Element;
use pulp::{Simd, WithSimd};
use waveloom_codegen::kernel::Side;

/// What makes outputs of the planes of a strip, run by run.
pub(super) trait Inner<T: Vectors> {
    /// The machine's registers.
    type Machine: Simd;

    /// Whether outputs take so much work that memory waits.
    const MANY: bool;

    /// Whether samples of a signal need not be split before, where windows have so many more pairs than one.
    fn takes_pairs(reach: usize) -> bool;

    /// The machine that does it.
    fn machine(&self) -> Self::Machine;

    /// Splits samples into planes.
    fn split(&self, pairs: &[T], even: &mut [T], odd: &mut [T]);

    /// Makes all outputs of planes; `follows` says that they are those behind whole vectors that were made
    /// last.
    fn run(&mut self, window: Planes<'_, T>, follows: bool, out: impl Sink<Self::Machine, T>);

    /// Makes all outputs of samples; those `ahead` are asked for meanwhile.
    fn pairs(&mut self, pairs: &[T], ahead: &[T], follows: bool, out: impl Sink<Self::Machine, T>);
}

impl<S: Simd, T: Vectors + Default, const N: usize, const A: usize, const C: usize> Inner<T>
    for &Sums<'_, S, T, N, A, C>
{
    type Machine = S;

    const MANY: bool = N == 0;

    #[inline(always)]
    fn takes_pairs(reach: usize) -> bool {
        N == 2 && A == 0 && reach == 0
    }

    #[inline(always)]
    fn machine(&self) -> S {
        self.simd
    }

    #[inline(always)]
    fn split(&self, pairs: &[T], even: &mut [T], odd: &mut [T]) {
        Halves::new(self.simd).planes(pairs, even, odd);
    }

    #[inline(always)]
    fn run(&mut self, window: Planes<'_, T>, _follows: bool, out: impl Sink<S, T>) {
        Sums::run(self, window, out);
    }

    #[inline(always)]
    fn pairs(&mut self, pairs: &[T], ahead: &[T], _follows: bool, mut out: impl Sink<S, T>) {
        if const { N == 2 && A == 0 } {
            self.twos(&Pairs { pairs, ahead }, &mut out);
        }
    }
}

/// Filtering rows whose sums go to one array, or to two.
pub(super) struct Kind<R, const JOINED: bool>(pub(super) R);

/// The side on which such rows come out.
pub(super) const fn output(joined: bool) -> Side {
    if joined { Side::Signal } else { Side::Bands }
}

impl<'a, T: Element, const JOINED: bool> Work<'a, T> for Kind<Along<'a, '_, T>, JOINED> {
    fn taps(&self) -> &'a Taps<T> {
        self.0.taps()
    }

    #[inline(always)]
    fn work<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        self,
        sums: &Sums<'a, S, T, N, A, C>,
    ) {
        self.0.filter::<JOINED>(sums);
    }
}

impl<T: Element, const JOINED: bool> WithSimd for Kind<(Along<'_, '_, T>, &Cascade<T>), JOINED> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (along, cascade) = self.0;
        let reach = along.last.filter.reach();
        along.filter::<JOINED>(Flow::new(simd, cascade, reach));
    }
}

impl<T: Element> Along<'_, '_, T> {
    /// Filters all strips of all rows.
    #[inline(always)]
    fn filter<const JOINED: bool>(self, mut inner: impl Inner<T>) {
        let Along { last, strips, rows, planes, spare, stage } = self;
        let [even, odd] = planes;
        let machine = inner.machine();
        let mut run = Run { last, planes: [even.all_mut(), odd.all_mut()] };
        while let Some(Step { input, ahead, mut row }) = rows.next() {
            for strip in strips.iter().flatten() {
                let len = count(&strip.pairs);
                let aside = strip.aside();
                let past = if aside || !strip.is_whole() { [None; PLANES] } else { row.past };
                let from = [row.index(0, strip.pairs.start), row.index(1, strip.pairs.start)];
                match &mut row.arrays {
                    Arrays::Signal(row) if JOINED => {
                        let (row, from) =
                            if aside { (spare.all_mut(), 0) } else { (&mut **row, from[0]) };
                        let to = &mut row[from..from + 2 * len];
                        let out = Signal::new(machine, to, past[0], stage.all_mut());
                        run.strip(&mut inner, strip, input, ahead, out);
                    }
                    Arrays::Bands([low, high]) if !JOINED => {
                        let out = match aside {
                            true => spare.split(len),
                            false => [
                                &mut low[from[0]..from[0] + len],
                                &mut high[from[1]..from[1] + len],
                            ],
                        };
                        let out = Bands::new(machine, out, past, stage.all_mut());
                        run.strip(&mut inner, strip, input, ahead, out);
                    }
                    _ => {}
                }
                if aside {
                    last.settle(strip, spare.get(2 * len), &mut row);
                }
            }
        }
    }
}
