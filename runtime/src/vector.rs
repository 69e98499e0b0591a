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

use crate::element::Element;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use waveloom_host::vectorised;

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

/// Vectors of the machine at hand, for values that pass through several steps in its registers.
pub trait Vectors<T>: Copy {
    /// A register of neighbouring values, at most 64 bytes.
    type Vector: Copy;

    /// Values of a register.
    const LANES: usize;

    /// All whole registers of a run.
    fn load(self, values: &[T]) -> &[Self::Vector];

    /// All whole registers of a run.
    fn store(self, values: &mut [T]) -> &mut [Self::Vector];

    /// The same value everywhere.
    fn splat(self, value: T) -> Self::Vector;

    /// `a · b`.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a · b + c`, at once where the machine does that.
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;

    /// Values one place later; the first is the last of those `before`.
    fn follow(self, before: Self::Vector, values: Self::Vector) -> Self::Vector;

    /// The values at even and those at odd places of two neighbours.
    fn split(self, values: [Self::Vector; 2]) -> [Self::Vector; 2];

    /// Two neighbours from values at even and at odd places.
    fn join(self, values: [Self::Vector; 2]) -> [Self::Vector; 2];
}

/// Work on values in registers.
///
/// ```
/// use waveloom::vector::{Pass, Vectors, pass};
///
/// /// Differences of whole registers of values and the values before them.
/// struct Differences<'a>(&'a [f64], &'a mut [f64]);
///
/// impl Pass<f64> for Differences<'_> {
///     #[inline(always)]
///     fn run<V: Vectors<f64>>(self, v: V) {
///         let mut before = v.splat(0.0);
///         for (x, y) in v.load(self.0).iter().zip(v.store(self.1)) {
///             *y = v.mul_add(v.follow(before, *x), v.splat(-1.0), *x);
///             before = *x;
///         }
///     }
/// }
///
/// let x: [f64; 16] = std::array::from_fn(|i| (i * i) as f64);
/// let mut y = [0.0; 16];
/// pass(Differences(&x, &mut y));
/// assert_eq!(y[..4], [0.0, 1.0, 3.0, 5.0]);
/// ```
pub trait Pass<T> {
    /// Does the work. Only what is inlined into it is compiled for the machine at hand.
    fn run<V: Vectors<T>>(self, vectors: V);
}

/// The vectors of an instruction set.
#[derive(Clone, Copy)]
struct Registers<S>(S);

struct Passed<P, T>(P, PhantomData<T>);

#[inline(always)]
fn follow<T: Element, S: Simd>(before: T::Vector<S>, values: T::Vector<S>) -> T::Vector<S> {
    T::follow::<S>(before, values)
}

#[inline(always)]
fn split<T: Element, S: Simd>(simd: S, values: [T::Vector<S>; 2]) -> [T::Vector<S>; 2] {
    T::split::<S>(simd, values)
}

#[inline(always)]
fn join<T: Element, S: Simd>(values: [T::Vector<S>; 2]) -> [T::Vector<S>; 2] {
    T::merge::<S>(values)
}

macro_rules! floats {
    ($($type:ident: $vector:ident $load:ident $store:ident $splat:ident $mul:ident $mul_add:ident;)*) => {
        $(
        impl<S: Simd> Vectors<$type> for Registers<S> {
            type Vector = S::$vector;

            const LANES: usize = size_of::<S::$vector>() / size_of::<$type>();

            #[inline(always)]
            fn load(self, values: &[$type]) -> &[S::$vector] {
                S::$load(values).0
            }

            #[inline(always)]
            fn store(self, values: &mut [$type]) -> &mut [S::$vector] {
                S::$store(values).0
            }

            #[inline(always)]
            fn splat(self, value: $type) -> S::$vector {
                self.0.$splat(value)
            }

            #[inline(always)]
            fn mul(self, a: S::$vector, b: S::$vector) -> S::$vector {
                self.0.$mul(a, b)
            }

            #[inline(always)]
            fn mul_add(self, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                self.0.$mul_add(a, b, c)
            }

            #[inline(always)]
            fn follow(self, before: S::$vector, values: S::$vector) -> S::$vector {
                follow::<$type, S>(before, values)
            }

            #[inline(always)]
            fn split(self, values: [S::$vector; 2]) -> [S::$vector; 2] {
                split::<$type, S>(self.0, values)
            }

            #[inline(always)]
            fn join(self, values: [S::$vector; 2]) -> [S::$vector; 2] {
                join::<$type, S>(values)
            }
        }

        impl<P: Pass<$type>> WithSimd for Passed<P, $type> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                self.0.run(Registers(simd));
            }
        }

        impl Passes for $type {
            #[inline]
            fn pass<P: Pass<Self>>(work: P) {
                vectorised(Passed(work, PhantomData));
            }
        }
        )*
    };
}

floats! {
    f32: f32s as_simd_f32s as_mut_simd_f32s splat_f32s mul_f32s mul_add_e_f32s;
    f64: f64s as_simd_f64s as_mut_simd_f64s splat_f64s mul_f64s mul_add_e_f64s;
}

/// Numbers that have vectors.
pub trait Passes: Sized {
    /// Does work with the best instruction set of this machine.
    fn pass<P: Pass<Self>>(work: P);
}

/// Does work on registers with the best instruction set of this machine.
#[inline]
pub fn pass<T: Passes>(work: impl Pass<T>) {
    T::pass(work);
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
