//! Files in and out.

pub mod atomic;
mod format;
pub mod npy;
pub mod npz;
pub mod picture;
pub mod signal;
pub mod sound;

pub use format::Format;
pub use signal::{Signal, Source};
