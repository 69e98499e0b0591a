//! The mathematics of waveloom: what a wavelet is, how it factorises, and how its transform is a
//! product of polyphase matrices. Nothing here knows of threads, devices or files.
//!
//! # Conventions
//!
//! Stated once, used by every crate of the workspace.
//!
//! * **Frame.** A wavelet of (even) length `M` lives in a *frame*: sample positions `p` of a signal
//!   `x'` in which all four filters have their support in `0..M`. Where sample 0 of the user's
//!   signal sits in the frame is the *origin*; it depends on the extension mode (see
//!   [`geometry`]), never on the filters.
//! * **Analysis** is correlation: `a[k] = Σ_n lo[n] x'[2k+n]`, `d[k] = Σ_n hi[n] x'[2k+n]`.
//!   PyWavelets' `dec_lo`, `dec_hi` are these taps reversed.
//! * **Synthesis** is its transpose's shape: `x'[p] = Σ_k a[k] rec_lo[p-2k] + d[k] rec_hi[p-2k]`,
//!   with PyWavelets' `rec_lo`, `rec_hi` as they stand.
//! * **Polyphase.** Channel 0 (even phase) is `x'[2k]`, channel 1 (odd phase) is `x'[2k+1]`.
//!   After analysis, channel 0 is the approximation `a`, channel 1 the detail `d`.
//! * **z is an advance by one pair**: `(z·u)[k] = u[k+1]`. A term `c z^e` of a polyphase matrix at
//!   (row, column) contributes `c · column[k+e]` to `row[k]`.
//! * **Delays.** Factorisations carry whatever monomial they need, so that the product of the
//!   factors *is* the polyphase matrix of the bank in its frame and the inverse scheme is its exact
//!   inverse: forward, then inverse, has no delay.
//! * **Normalisation** is the definition's own. The catalogue's PyWavelets names have low-pass gain
//!   √2; `rev53`, `irr97`, `ccsds97m` have gain 1 (Nyquist gain 2), as in JPEG 2000 and CCSDS 122.
//!
//! # Example
//!
//! ```
//! use waveloom_wavelets::catalogue;
//!
//! let db2 = catalogue::wavelet("db2").unwrap();
//! assert_eq!(db2.bank().length(), 4);
//! assert!((db2.bank().analysis_low().taps()[0] - 0.48296291314453416).abs() < 1e-16);
//! ```

pub mod algebra;
pub mod bank;
pub mod catalogue;
pub mod definition;
pub mod error;
pub mod extension;
pub mod factor;
pub mod geometry;
pub mod lattice;
pub mod lifting;
pub mod reference;
pub mod scheme;
pub mod verify;
pub mod wavelet;

pub use bank::{Filter, FilterBank};
pub use extension::Mode;
pub use lattice::Lattice;
pub use lifting::Lifting;
pub use scheme::{Scheme, SchemeKind};
pub use wavelet::{Options, Wavelet};
