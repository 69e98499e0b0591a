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

/// Asks for the memory of values that are read soon, into the second-level cache: the first may be full of
/// what is being worked on. Rows of an array are pages apart, and the machine's own prefetching begins
/// anew at each. Does nothing where that is not known how.
#[inline(always)]
pub fn fetch<T>(values: &[T]) {
    let step = (LINE_BYTES / size_of::<T>().max(1)).max(1);
    for value in values.iter().step_by(step) {
        line(value);
    }
}

/// Bytes of a line of the cache.
const LINE_BYTES: usize = 64;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn line<T>(value: &T) {
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        const SECOND: i32 = std::arch::x86_64::_MM_HINT_T1;
        sse._mm_prefetch::<SECOND>(std::ptr::from_ref(value).cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn line<T>(_value: &T) {}

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
