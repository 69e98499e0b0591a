//! Levels of long lines, which are swept together, give what one level after the other gives, to the last
//! bit.

use crate::backend::Value;
use std::fmt::{Debug, Display};
use waveloom_codegen::kernel::Operation;

/// A kernel of several levels, and one of one level.
trait Levels {
    type Value: Value + PartialEq + Debug;

    /// Runs an operation of a kernel for a signal of a length: of all levels, or of one.
    fn run(deep: bool, len: usize, operation: Operation, input: &[Self::Value])
    -> Vec<Self::Value>;

    /// Sample `index`.
    fn sample(index: usize) -> Self::Value;
}

fn run<T: Value, E: Display>(
    len: usize,
    operation: impl FnOnce(&mut [T]) -> Result<(), E>,
) -> Vec<T> {
    let mut output = vec![T::default(); len];
    operation(&mut output).unwrap_or_else(|error| panic!("{error}"));
    output
}

macro_rules! levels {
    ($($name:ident: $wavelet:tt $levels:tt $mode:ident $element:ident $scheme:ident;)*) => {
        $(mod $name {
            use super::*;

            waveloom::dwt_kernel! {
                pub struct Deep;
                wavelet: $wavelet,
                dims: 1,
                levels: $levels,
                mode: $mode,
                element: $element,
                scheme: $scheme,
                views: false,
            }

            waveloom::dwt_kernel! {
                pub struct Single;
                wavelet: $wavelet,
                dims: 1,
                mode: $mode,
                element: $element,
                scheme: $scheme,
                views: false,
            }

            pub struct Both;

            impl Levels for Both {
                type Value = $element;

                fn run(
                    deep: bool,
                    len: usize,
                    operation: Operation,
                    input: &[$element],
                ) -> Vec<$element> {
                    let mut all = Deep::new([len]).unwrap();
                    let mut one = Single::new([len]).unwrap();
                    match (deep, operation) {
                        (true, Operation::Forward) => {
                            run(all.coefficient_len(), |output| all.forward(input, output))
                        }
                        (true, _) => run(len, |output| all.inverse(input, output)),
                        (false, Operation::Forward) => {
                            run(one.coefficient_len(), |output| one.forward(input, output))
                        }
                        (false, _) => run(len, |output| one.inverse(input, output)),
                    }
                }

                fn sample(index: usize) -> $element {
                    ((index * index / 7 + 13 * index) % 1009) as $element - 504 as $element
                }
            }
        })*

        $(#[test]
        fn $name() {
            check::<$name::Both>($levels);
        })*
    };
}

levels! {
    lattices: "db4" 5 periodization f64 lattice;
    liftings: "bior4.4" 3 symmetric f32 lifting;
    sums: "bior2.2" 4 antireflect f64 convolution;
    integers: "rev53" 3 jpeg2000 i32 lifting;
}

fn check<L: Levels>(levels: usize) {
    for len in [1 << 21, (1 << 21) - 77_777, 1 << 16] {
        let signal: Vec<L::Value> = (0..len).map(L::sample).collect();
        let mut approximation = signal.clone();
        let (mut details, mut lens) = (Vec::new(), Vec::new());
        for _ in 0..levels {
            let len = approximation.len();
            let bands = L::run(false, len, Operation::Forward, &approximation);
            let low = bands.len().div_ceil(2);
            approximation = bands[..low].to_vec();
            details.push(bands[low..].to_vec());
            lens.push(len);
        }
        let mut coefficients = approximation.clone();
        details.iter().rev().for_each(|details| coefficients.extend(details));
        let swept = L::run(true, len, Operation::Forward, &signal);
        assert!(swept == coefficients, "{len} samples forward");
        for (details, len) in details.iter().zip(lens).rev() {
            let bands = [approximation, details.clone()].concat();
            approximation = L::run(false, len, Operation::Inverse, &bands);
        }
        let swept = L::run(true, len, Operation::Inverse, &coefficients);
        assert!(swept == approximation, "{len} samples inverse");
    }
}
