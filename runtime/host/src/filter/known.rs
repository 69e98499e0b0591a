//! Stages that have loops of their own, as common numbers of taps have: what a stage does is a constant
//! there, and so are the rounding and the shift of integers. What floats are multiplied by is not.

use super::cascade::{Cascade, Kind, Stage};
use super::taps::PLANES;
use super::vectors::{Vectors, wide};
use crate::element::Element;
use crate::program::Round;
use crate::rows::vectorised;
use pulp::{NullaryFnOnce, Simd, WithSimd};
use std::marker::PhantomData;
use waveloom_codegen::kernel::Side;

/// A stage without factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fixed {
    pub(super) kind: Kind,
    pub(super) delay: Option<usize>,
    pub(super) round: Option<Round<i8>>,
}

/// Most stages of a list.
pub(super) const MOST_FIXED: usize = 5;

/// A list of stages, for compilers.
pub(super) trait Known {
    /// How many there are; none, if they are found in the cascade alone.
    const COUNT: usize;
    /// The stages, and behind them such that do nothing.
    const STAGES: [Fixed; MOST_FIXED];
    /// Whether they round, as those of integers do.
    const ROUNDS: bool;
    /// Whether the planes change places behind them.
    const CROSSED: bool;
    /// The side on which rows of integers come out of them.
    const OUTPUT: Option<Side>;
}

/// A stage that only delays, or does nothing.
const fn rest(delay: Option<usize>) -> Fixed {
    Fixed { kind: Kind::Rest, delay, round: None }
}

/// A stage that adds a sum.
const fn lift(target: usize, delayed: bool) -> Fixed {
    Fixed { kind: Kind::Lift { target, delayed }, delay: None, round: None }
}

/// A stage that turns both planes.
const fn turn(delay: Option<usize>) -> Fixed {
    Fixed { kind: Kind::Turn, delay, round: None }
}

/// A stage that adds a plain sum, rounded.
const fn round(target: usize, delayed: bool, offset: i8, shift: u32, subtract: bool) -> Fixed {
    let round = Some(Round { offset, shift, subtract });
    Fixed { kind: Kind::Lift { target, delayed }, delay: None, round }
}

/// What is done with a list of stages.
pub(super) trait Listed<T: Vectors>: Sized {
    /// The side on which rows come out, if it is known.
    const OUTPUT: Option<Side>;

    /// Does it.
    fn run<S: Simd, K: Known>(self, simd: S);
}

/// Work with a list.
struct Given<W, T, K>(W, PhantomData<(T, K)>);

impl<T: Vectors, W: Listed<T>, K: Known> WithSimd for Given<W, T, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Without vectors, a loop for every list would be code for nothing.
        if const { wide::<S, T>() } {
            self.0.run::<S, K>(simd);
        } else {
            any(self.0, simd);
        }
    }
}

/// The same within code for a machine.
struct Within<S, W, T, K>(S, W, PhantomData<(T, K)>);

impl<S: Simd, T: Vectors, W: Listed<T>, K: Known> NullaryFnOnce for Within<S, W, T, K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.run::<S, K>(self.0);
    }
}

/// One loop for all lists.
#[inline(never)]
fn any<T: Vectors, S: Simd>(work: impl Listed<T>, simd: S) {
    work.run::<S, Any>(simd);
}

/// Whether work is done with a list: integers have lists of their own, each for one side.
const fn serves<T: Vectors, W: Listed<T>, K: Known>() -> bool {
    let other = match (W::OUTPUT, K::OUTPUT) {
        (Some(of), Some(to)) => of as u8 != to as u8,
        _ => false,
    };
    K::ROUNDS == T::ROUNDS && !other
}

/// The lists: whether they round, whether the planes change places behind them, on which side rows come out if
/// that is fixed, and the stages. Each is a module, as compilers work on modules side by side.
macro_rules! lists {
    ($($(#[$about:meta])* $name:ident $module:ident $rounds:literal $crossed:literal $output:expr,
     [$($stage:expr),*])*) => {
        /// A list of stages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Stages {
            $($(#[$about])* $name,)*
        }

        $(mod $module {
            use super::*;

            $(#[$about])*
            pub(super) struct List;

            impl Known for List {
                const COUNT: usize = [$($stage),*].len();
                const STAGES: [Fixed; MOST_FIXED] = padded(&[$($stage),*]);
                const ROUNDS: bool = $rounds;
                const CROSSED: bool = $crossed;
                const OUTPUT: Option<Side> = $output;
            }

            #[inline(never)]
            pub(super) fn run<T: Vectors, W: Listed<T>>(work: W) {
                if const { serves::<T, W, List>() } {
                    vectorised(Given::<_, T, List>(work, PhantomData));
                }
            }

            #[inline(always)]
            pub(super) fn run_in<S: Simd, T: Vectors, W: Listed<T>>(simd: S, work: W) -> bool {
                let serves = const { serves::<T, W, List>() && wide::<S, T>() };
                if serves {
                    simd.vectorize(Within::<S, _, T, List>(simd, work, PhantomData));
                }
                serves
            }
        })*

        impl Stages {
            /// The list that a cascade's stages are, where rows come out on that side.
            pub(super) fn find<T: Element>(cascade: &Cascade<T>, output: Side) -> Option<Self> {
                $(if is::<T, $module::List>(cascade, output) {
                    return Some(Self::$name);
                })*
                None
            }

            /// Does something with the list, in code for the machine at hand.
            pub(super) fn run<T: Vectors>(self, work: impl Listed<T>) {
                match self {
                    $(Self::$name => $module::run(work),)*
                }
            }

            /// The same within code for that machine, in a function of its own; whether it was done, which it is not
            /// without vectors.
            #[inline(always)]
            pub(super) fn run_in<S: Simd, T: Vectors>(self, simd: S, work: impl Listed<T>) -> bool {
                match self {
                    $(Self::$name => $module::run_in(simd, work),)*
                }
            }
        }
    };
}

lists! {
    /// The halved sum of two even samples is subtracted from the odd one between, a quarter of that of
    /// two odd ones added to the even one.
    Analysis analysis true false Some(Side::Bands),
        [rest(Some(1)), round(1, true, 0, 1, true), round(0, false, 2, 2, false)]
    /// The same back.
    Synthesis synthesis true false Some(Side::Signal),
        [round(0, true, 2, 2, true), round(1, true, 0, 1, false)]
    /// Two updates, the odd samples first.
    OddEven odd_even false false None, [rest(Some(1)), lift(1, true), lift(0, false)]
    /// Two updates, the even samples first.
    EvenOdd even_odd false false None, [lift(0, true), lift(1, true)]
    /// Four updates, the odd samples first.
    OddEvenTwice odd_even_twice false false None,
        [rest(Some(1)), lift(1, true), lift(0, true), lift(1, true), lift(0, false)]
    /// Four updates, the even samples first.
    EvenOddTwice even_odd_twice false false None,
        [lift(0, true), lift(1, true), lift(0, true), lift(1, true)]
    /// Four rotations, as those of lattices of eight taps.
    Turns turns false true None, [turn(Some(1)), turn(Some(1)), turn(Some(1)), turn(None)]
}

/// Does something with a list, or with what the cascade alone says, in code for the machine at hand.
pub(super) fn run<T: Vectors>(list: Option<Stages>, work: impl Listed<T>) {
    match list {
        Some(list) => list.run(work),
        None => others::run(work),
    }
}

/// Stages of no list.
mod others {
    use super::{Any, Given, Listed, Vectors, vectorised};
    use std::marker::PhantomData;

    #[inline(never)]
    pub(super) fn run<T: Vectors>(work: impl Listed<T>) {
        vectorised(Given::<_, T, Any>(work, PhantomData));
    }
}

/// A list, and stages that do nothing.
const fn padded(stages: &[Fixed]) -> [Fixed; MOST_FIXED] {
    let mut all = [rest(None); MOST_FIXED];
    let mut at = 0;
    while at < stages.len() {
        all[at] = stages[at];
        at += 1;
    }
    all
}

/// All others.
pub(super) struct Any;

impl Known for Any {
    const COUNT: usize = 0;
    const STAGES: [Fixed; MOST_FIXED] = [rest(None); MOST_FIXED];
    const ROUNDS: bool = false;
    const CROSSED: bool = false;
    const OUTPUT: Option<Side> = None;
}

/// Whether a cascade consists of the stages of a list.
fn is<T: Element, K: Known>(cascade: &Cascade<T>, output: Side) -> bool {
    let stages = &cascade.stages;
    K::ROUNDS == T::ROUNDS
        && K::OUTPUT.is_none_or(|side| side == output)
        && cascade.outputs == if K::CROSSED { [1, 0] } else { [0, 1] }
        && stages.len() == K::COUNT
        && stages.iter().zip(&K::STAGES).all(|(stage, fixed)| fixed.is(stage))
}

impl Fixed {
    /// Whether a stage is this one, whatever its factors are if it does not round.
    fn is<T: Element>(&self, stage: &Stage<T>) -> bool {
        let alike = stage.kind == self.kind && stage.delay == self.delay;
        let plain = stage.plain || !matches!(self.kind, Kind::Lift { .. });
        alike && stage.round == self.rounding() && (!T::ROUNDS || plain)
    }

    /// Whether a plane is lifted.
    pub(super) const fn lifts(&self, plane: usize) -> bool {
        matches!(self.kind, Kind::Lift { target, .. } if target == plane)
    }

    /// Whether both planes are turned.
    pub(super) const fn turns(&self) -> bool {
        matches!(self.kind, Kind::Turn)
    }

    /// Whether the plane that is read stays delayed.
    pub(super) const fn lags(&self) -> bool {
        matches!(self.kind, Kind::Lift { delayed: true, .. })
    }

    /// Whether a plane is delayed behind the stage.
    pub(super) const fn delays(&self, plane: usize) -> bool {
        matches!(self.delay, Some(delayed) if delayed == plane)
    }

    /// Whether the sum is subtracted.
    pub(super) const fn subtracts(&self) -> bool {
        matches!(self.round, Some(Round { subtract: true, .. }))
    }

    /// How the sum is rounded.
    #[inline(always)]
    pub(super) fn rounding<T: From<i8>>(&self) -> Option<Round<T>> {
        self.round.map(|Round { offset, shift, subtract }| Round {
            offset: T::from(offset),
            shift,
            subtract,
        })
    }
}

/// What a cascade multiplies by, in registers, as far as its stages are a list.
// As `Aligned`.
#[repr(align(64))]
pub(super) struct Factors<S: Simd, T: Vectors> {
    pub(super) stages: [[T::Vector<S>; PLANES]; MOST_FIXED],
    pub(super) gains: [T::Vector<S>; PLANES],
}

impl<S: Simd, T: Vectors> Clone for Factors<S, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd, T: Vectors> Copy for Factors<S, T> {}

impl<S: Simd, T: Vectors + Default> Factors<S, T> {
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    pub(super) fn new<K: Known>(simd: S, cascade: &Cascade<T>) -> Self {
        let zero = T::splat(simd, T::default());
        let mut factors = Self { stages: [[zero; PLANES]; MOST_FIXED], gains: [zero; PLANES] };
        if const { K::COUNT > 0 && !T::ROUNDS } {
            let stages = &cascade.stages[..K::COUNT];
            for at in 0..K::COUNT {
                for plane in 0..PLANES {
                    factors.stages[at][plane] = T::splat(simd, stages[at].factors[plane]);
                }
            }
            for plane in 0..PLANES {
                factors.gains[plane] = T::splat(simd, cascade.gains[plane]);
            }
        }
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use waveloom_codegen::kernel::{Exchange, Kernel, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn kernel<T: Element>(name: &str, scheme: SchemeKind, operation: Operation) -> Kernel {
        let scheme = catalogue::wavelet(name).unwrap().scheme(scheme, 1).unwrap();
        lower(&scheme, operation, T::TYPE, Exchange::Shared).unwrap()
    }

    fn found<T: Element>(name: &str, scheme: SchemeKind, operation: Operation) -> Option<Stages> {
        let filter = Filter::<T>::staged(&kernel::<T>(name, scheme, operation)).unwrap();
        filter.cascade.unwrap().known
    }

    #[test]
    fn stages_of_common_wavelets_are_in_a_list() {
        use Operation::{Forward, Inverse};
        use Stages::{Analysis, EvenOdd, EvenOddTwice, OddEven, OddEvenTwice, Synthesis, Turns};
        for (name, scheme, lists) in [
            ("bior2.2", SchemeKind::Lifting, [OddEven, EvenOdd]),
            ("rbio2.2", SchemeKind::Lifting, [EvenOdd, OddEven]),
            ("bior4.4", SchemeKind::Lifting, [OddEvenTwice, EvenOddTwice]),
            ("irr97", SchemeKind::Lifting, [OddEvenTwice, EvenOddTwice]),
            ("rbio4.4", SchemeKind::Lifting, [EvenOddTwice, OddEvenTwice]),
            ("db4", SchemeKind::Lattice, [Turns, Turns]),
        ] {
            for (operation, list) in [Forward, Inverse].into_iter().zip(lists) {
                assert_eq!(found::<f32>(name, scheme, operation), Some(list), "{name}");
                assert_eq!(found::<f64>(name, scheme, operation), Some(list), "{name}");
            }
        }
        assert_eq!(found::<i32>("rev53", SchemeKind::Lifting, Forward), Some(Analysis));
        assert_eq!(found::<i32>("rev53", SchemeKind::Lifting, Inverse), Some(Synthesis));
        assert_eq!(found::<f32>("db6", SchemeKind::Lattice, Forward), None);
    }

    /// Integers have no loop for the side on which a list's rows never come out.
    #[test]
    fn lists_of_integers_serve_one_side() {
        for (operation, other) in
            [(Operation::Forward, Side::Signal), (Operation::Inverse, Side::Bands)]
        {
            let filter =
                Filter::<i32>::staged(&kernel::<i32>("rev53", SchemeKind::Lifting, operation));
            let cascade = filter.unwrap().cascade.unwrap();
            assert!(Stages::find(&cascade, operation.output()).is_some());
            assert_eq!(Stages::find(&cascade, other), None);
        }
    }
}
