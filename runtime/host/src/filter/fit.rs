//! Work with a loop that fits its taps and the machine.

use super::across::{Across, Poured};
use super::along::Along;
use super::course::Courses;
use super::fall::Fall;
use super::known;
use super::lines::Lines;
use super::squares::Squares;
use super::strips::Kind;
use super::sums::Sums;
use super::taps::Taps;
use super::vectors::{Vectors, wide};
use super::weave::Weave;
use crate::element::Element;
use crate::rows::vectorised;
use pulp::{Scalar, Simd, WithSimd};
use std::marker::PhantomData;

/// Work on windows with a known number of taps: `N` in both sums, `A` in sum `C` alone, and `F` of
/// these before the others, if the order matters.
pub(super) trait Work<'a, T: Vectors + 'a>: Sized {
    /// The sums.
    fn taps(&self) -> &'a Taps<T>;

    /// Does the work.
    fn work<S: Simd, const N: usize, const A: usize, const C: usize, const F: usize>(
        self,
        sums: &Sums<'a, S, T, N, A, C>,
    );
}

/// Elements whose rows are filtered.
pub trait Summed: Vectors {
    /// Filters along rows.
    fn along(rows: Along<'_, '_, Self>);

    /// Filters rows into lines.
    fn lines(rows: Lines<'_, '_, Self>);

    /// Filters across rows.
    fn across(rows: Across<'_, '_, '_, Self>);

    /// Filters pairs of rows along and across at once.
    fn squares(rows: Squares<'_, '_, '_, Self>);

    /// Passes rows through stages along the last of two axes.
    fn course(rows: Courses<'_, '_, '_, Self>);

    /// Passes rows through the stages of an outer axis.
    fn fall(rows: Fall<'_, '_, Self>);

    /// Passes rows through the stages of both axes, some columns at a time.
    fn weave(rows: Weave<'_, '_, '_, Self>);
}

/// A loop for a number of taps.
struct Fixed<'a, T, W, const N: usize, const A: usize, const C: usize, const F: usize>(
    W,
    PhantomData<&'a T>,
);

impl<'a, T, W, const N: usize, const A: usize, const C: usize, const F: usize> WithSimd
    for Fixed<'a, T, W, N, A, C, F>
where
    T: Vectors + Default + 'a,
    W: Work<'a, T>,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Without vectors, a loop for every number of taps would be code for nothing.
        if const { wide::<S, T>() } {
            let sums = Sums::new(simd, self.0.taps());
            self.0.work::<S, N, A, C, F>(&sums);
        } else {
            any(self.0, simd);
        }
    }
}

/// One loop for any number of taps.
#[inline(never)]
fn any<'a, T: Vectors + Default + 'a, S: Simd>(work: impl Work<'a, T>, simd: S) {
    let sums = Sums::new(simd, work.taps());
    work.work::<S, 0, 0, 0, 0>(&sums);
}

/// Loops of their own for common numbers of taps: in both sums, in the first and in the second alone, and how many
/// of these are before the others. Each is a module, as compilers work on modules side by side.
macro_rules! taps {
    ($($module:ident $both:literal $first:literal $second:literal $front:literal;)*) => {
        $(mod $module {
            use super::{Fixed, Vectors, Work, vectorised};
            use std::marker::PhantomData;

            const ALONE: usize = $first + $second;
            const CHANNEL: usize = ($second > 0) as usize;

            #[inline(never)]
            pub(super) fn run<'a, T: Vectors + Default + 'a>(work: impl Work<'a, T>) {
                vectorised(Fixed::<T, _, $both, ALONE, CHANNEL, $front>(work, PhantomData));
            }
        })*

        /// Whether windows of neighbours with these taps have a loop of their own.
        #[cfg(test)]
        fn has_loop<T: Copy>(taps: &Taps<T>) -> bool {
            let (_, front) = taps.neighbours();
            let counts = (taps.both(), taps.alone(0).len(), taps.alone(1).len(), front);
            [$(($both, $first, $second, Some($front))),*].contains(&counts)
        }

        /// Does work with the loop that fits the taps and the machine, on windows along rows: in any order.
        fn fit<'a, T: Vectors + Default + 'a>(work: impl Work<'a, T>) {
            let taps = work.taps();
            match (taps.both(), taps.alone(0).len(), taps.alone(1).len()) {
                $(($both, $first, $second) => $module::run(work),)*
                _ => others::run(work),
            }
        }

        /// The same on windows of neighbours.
        fn fit_neighbours<'a, T: Vectors + Default + 'a>(work: impl Work<'a, T>) {
            let taps = work.taps();
            let (_, front) = taps.neighbours();
            match (taps.both(), taps.alone(0).len(), taps.alone(1).len(), front) {
                $(($both, $first, $second, Some($front)) => $module::run(work),)*
                _ => others::run(work),
            }
        }
    };
}

taps! {
    two 2 0 0 0;
    three_and_two_low 3 2 0 2;
    three_and_two_high 3 0 2 0;
    four 4 0 0 0;
    six 6 0 0 0;
    seven_and_two_low 7 2 0 2;
    seven_and_two_high 7 0 2 0;
    eight 8 0 0 0;
}

/// All other numbers of taps.
mod others {
    use super::{Fixed, Vectors, Work, vectorised};
    use std::marker::PhantomData;

    #[inline(never)]
    pub(super) fn run<'a, T: Vectors + Default + 'a>(work: impl Work<'a, T>) {
        vectorised(Fixed::<T, _, 0, 0, 0, 0>(work, PhantomData));
    }
}

/// For rows that pass through stages.
fn course<T: Element>(rows: Courses<'_, '_, '_, T>) {
    let known = rows.cascade.known;
    if rows.joined() {
        known::run(known, Kind::<_, true>(rows));
    } else {
        known::run(known, Kind::<_, false>(rows));
    }
}

/// For rows that pass through the stages of both axes, which are in a list.
fn weave<T: Element>(rows: Weave<'_, '_, '_, T>) {
    let list = rows.list();
    if rows.joined() {
        list.run(Kind::<_, true>(rows));
    } else {
        list.run(Kind::<_, false>(rows));
    }
}

macro_rules! summed {
    ($($type:ty),*; $($integer:ty),*) => {
        $(impl Summed for $type {
            fn along(rows: Along<'_, '_, Self>) {
                match (rows.cascade(), rows.joined()) {
                    (Some(cascade), true) => vectorised(Kind::<_, true>((rows, cascade))),
                    (Some(cascade), false) => vectorised(Kind::<_, false>((rows, cascade))),
                    (None, true) => fit(Kind::<_, true>(rows)),
                    (None, false) => fit(Kind::<_, false>(rows)),
                }
            }

            fn lines(rows: Lines<'_, '_, Self>) {
                if rows.joined() {
                    fit(Kind::<_, true>(rows))
                } else {
                    fit(Kind::<_, false>(rows))
                }
            }

            fn across(rows: Across<'_, '_, '_, Self>) {
                if rows.is_poured() {
                    fit_neighbours(Poured(rows));
                } else {
                    fit_neighbours(rows);
                }
            }

            fn squares(rows: Squares<'_, '_, '_, Self>) {
                vectorised(rows);
            }

            fn course(rows: Courses<'_, '_, '_, Self>) {
                course(rows);
            }

            fn fall(rows: Fall<'_, '_, Self>) {
                known::run(rows.cascade.known, rows);
            }

            fn weave(rows: Weave<'_, '_, '_, Self>) {
                weave(rows);
            }
        })*
        $(impl Summed for $integer {
            fn along(rows: Along<'_, '_, Self>) {
                if rows.joined() {
                    any(Kind::<_, true>(rows), Scalar);
                } else {
                    any(Kind::<_, false>(rows), Scalar);
                }
            }

            fn lines(rows: Lines<'_, '_, Self>) {
                if rows.joined() {
                    any(Kind::<_, true>(rows), Scalar);
                } else {
                    any(Kind::<_, false>(rows), Scalar);
                }
            }

            fn across(rows: Across<'_, '_, '_, Self>) {
                any(rows, Scalar);
            }

            fn squares(rows: Squares<'_, '_, '_, Self>) {
                rows.with_simd(Scalar);
            }

            // Other integers have no stages.
            fn course(rows: Courses<'_, '_, '_, Self>) {
                if const { Self::ROUNDS } {
                    course(rows);
                }
            }

            fn fall(rows: Fall<'_, '_, Self>) {
                if const { Self::ROUNDS } {
                    known::run(rows.cascade.known, rows);
                }
            }

            fn weave(rows: Weave<'_, '_, '_, Self>) {
                if const { Self::ROUNDS } {
                    weave(rows);
                }
            }
        })*
    };
}

summed!(f32, f64; i16, i32, i64);

#[cfg(test)]
mod tests {
    use super::has_loop;
    use crate::absorb::absorb_gains;
    use crate::filter::Filter;
    use waveloom_codegen::Element;
    use waveloom_codegen::kernel::{Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    #[test]
    fn taps_of_common_wavelets_have_loops() {
        let operations = [
            Operation::Forward,
            Operation::Inverse,
            Operation::AdjointForward,
            Operation::AdjointInverse,
        ];
        let of = |name: &str, operation: Operation| {
            let scheme = catalogue::wavelet(name).unwrap().scheme(SchemeKind::Convolution, 1);
            let kernel = lower(&scheme.unwrap(), operation, Element::F32, Exchange::Shared);
            Filter::<f32>::of(&absorb_gains(&kernel.unwrap())).unwrap()
        };
        for name in ["haar", "db2", "db3", "db4", "bior2.2", "rbio2.2", "bior4.4", "rbio4.4"] {
            for operation in operations {
                assert!(has_loop(&of(name, operation).taps), "{name} {operation:?}");
            }
        }
        assert!(!has_loop(&of("db8", Operation::Forward).taps));
    }
}
