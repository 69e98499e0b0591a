//! `dwt_kernel!`: a wavelet transform fixed at compile time.
//!
//! The macro knows no mathematics and writes no code of its own: it reads tokens, asks
//! `waveloom-wavelets` for the wavelet and `waveloom-codegen` for the module, and points every error
//! at the token that is to blame. Use it as `waveloom::dwt_kernel!`.

mod definition;
mod expand;
mod input;
mod options;
mod report;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Generates a type with a wavelet transform that is fixed at compile time: wavelet, algorithm,
/// number of axes, levels, extension mode and element type.
///
/// ```ignore
/// waveloom::dwt_kernel! {
///     /// Three levels of the CDF 9/7 wavelet on images.
///     pub struct Denoise;
///     wavelet: "bior4.4",
///     dims: 2,
///     levels: 3,
///     mode: symmetric,
///     element: f32,
///     scheme: separable_lifting,
/// }
///
/// let mut transform = Denoise::new([480, 640])?;
/// let mut coefficients = vec![0.0; transform.coefficient_len()];
/// transform.forward(&image, &mut coefficients)?;
/// ```
///
/// | key | value | default |
/// |---|---|---|
/// | `wavelet` | a name of the catalogue, `"db4"` | one of these three |
/// | `file` | a definition file, relative to `CARGO_MANIFEST_DIR` | is needed |
/// | `definition` | `{ … }` with a definition file's keys, or its text as a string | |
/// | `target` | `rust`; `cuda` for a type that carries CUDA and plans with it | `rust` |
/// | `dims` | `1`, `2` or `3` | `1` |
/// | `levels` | `0` to `64` | `1` |
/// | `mode` | `symmetric`, `periodization`, … | the wavelet's own |
/// | `element` | `f32`, `f64`; `i16`, `i32`, `i64` for integer wavelets | `f32` or `i32` |
/// | `scheme` | `lifting`, `separable_lifting`, … | convolution where it is fastest, else the wavelet's best |
/// | `views` | `rust` only: whether to write methods on ndarray views | `true` |
/// | `alloc` | `rust` only: `false` for code that allocates nothing, for `no_std` | `true` |
/// | `strategy` | `cuda` only: `shared`, `global`, `trapezoid`, … | `shared` |
///
/// The type has `new`, `shape`, `signal_len`, `coefficient_len`, `bands`, `forward`, `inverse`, and,
/// unless the wavelet rounds, `adjoint` and `adjoint_of_inverse`; with views, also `forward_view` and
/// so on. Its bands are called `DenoiseBand`, its errors `DenoiseError`.
///
/// With `alloc: false` the type borrows a slice to work in, `new` takes it after the shape, and
/// `memory_len(shape)` says how long it must be: the code then needs `core` alone.
///
/// With `target: cuda` the type has the text as `SOURCE`, and `plan(&shape)`, which starts a plan that
/// runs it on a card: `Denoise::plan(&[480, 640])?.device(&card).build()?`.
///
/// A definition in place has the keys of a definition file, written `key: value`; numbers are floats,
/// integers, fractions (`-1/16`) or exact strings:
///
/// ```ignore
/// waveloom::dwt_kernel! {
///     struct Mine;
///     definition: {
///         lifting: {
///             steps: [
///                 { target: "odd", first: 0, taps: [-1/2, -1/2] },
///                 { target: "even", first: -1, taps: [1/4, 1/4] },
///             ],
///         },
///     },
/// }
/// ```
#[proc_macro]
pub fn dwt_kernel(input: TokenStream) -> TokenStream {
    expand::expand(input.into()).into()
}
