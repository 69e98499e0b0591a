//! Loops for the machine at hand, for code that [`dwt_kernel!`](crate::dwt_kernel) generates: compiled
//! for several instruction sets, of which the best one is chosen when they run.
//!
//! ```
//! use waveloom::vector::{Work, dispatch, mul_add};
//!
//! struct Axpy<'a>(f32, &'a [f32], &'a mut [f32]);
//!
//! impl Work for Axpy<'_> {
//!     #[inline(always)]
//!     fn run<const FUSED: bool>(self) {
//!         let Self(a, x, y) = self;
//!         for (y, x) in y.iter_mut().zip(x) {
//!             *y = if FUSED { mul_add(a, *x, *y) } else { a * *x + *y };
//!         }
//!     }
//! }
//!
//! let mut y = [1.0; 5];
//! dispatch(Axpy(2.0, &[1.0, 2.0, 3.0, 4.0, 5.0], &mut y));
//! assert_eq!(y, [3.0, 5.0, 7.0, 9.0, 11.0]);
//! ```

use crate::execute::vectorised;
use pulp::{Simd, WithSimd};

/// A loop with what it works on. Only what is inlined into `run` is compiled for the machine at hand.
pub trait Work: Sized {
    /// Does the work. `FUSED` tells whether the machine multiplies and adds at once.
    fn run<const FUSED: bool>(self);
}

struct Vectorised<W>(W);

impl<W: Work> WithSimd for Vectorised<W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Machines with vectors that are worth their own code have fused products.
        if const { S::F32_LANES > 1 && cfg!(not(target_family = "wasm")) } {
            self.0.run::<true>();
        } else {
            self.0.run::<false>();
        }
    }
}

/// Does work with the best instruction set of this machine.
#[inline]
pub fn dispatch<W: Work>(work: W) {
    vectorised(Vectorised(work));
}

/// Floating-point numbers.
pub trait Float: Copy {
    /// `self · b + c` with one rounding.
    fn mul_add(self, b: Self, c: Self) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Float for f64 {
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

/// `a · b + c` with one rounding: an instruction within [`Work::run`] where that is `FUSED`, a slow call
/// elsewhere.
#[inline(always)]
pub fn mul_add<T: Float>(a: T, b: T, c: T) -> T {
    a.mul_add(b, c)
}
