//! Devices: the CPU and CUDA cards behind one type.
//!
//! CUDA is loaded at run time. Nothing here needs it to build, and without a driver every CUDA
//! entry point returns a [`DeviceError`] that says what is missing; nothing panics.
//!
//! ```
//! use waveloom::device::{Device, Selection};
//!
//! let device = Device::select(Selection::Auto)?; // the first usable card, else the CPU
//! assert!(device.is_cpu() || device.cuda_context().is_some());
//! # Ok::<(), waveloom::device::DeviceError>(())
//! ```
//!
//! The pieces, from below: the seam holds every call that the compiler cannot check,
//! [`Nvrtc`] turns CUDA text into an [`Image`] for an architecture, [`DiskCache`] keeps images
//! between runs, [`Gpu`] is one card with its loaded kernels, [`Stream`] orders work,
//! [`DeviceBuffer`] holds an array on the card, [`Kernel`] is launched, [`DeviceTransform`] is a whole
//! transform as launches. A [`crate::Plan`] runs on either kind of device.

mod buffer;
mod cache;
mod error;
mod generated;
mod gpu;
mod kernel;
mod nvrtc;
mod pinned;
mod select;
mod stream;
#[cfg(test)]
mod tests;
mod transform;

pub use buffer::{DeviceBuffer, Plain};
pub(crate) use cache::hexadecimal;
pub use cache::{CACHE_DIRECTORY, CacheKey, DiskCache};
pub use error::{CompileError, DeviceError};
pub use generated::{Generated, GeneratedParts};
pub use gpu::{Gpu, Limits};
pub use kernel::{Kernel, LaunchShape};
pub use nvrtc::{Image, ImageKind, Nvrtc, Target};
pub use pinned::PinnedBuffer;
pub use select::{Description, Device, ParseSelectionError, Selection};
pub use stream::Stream;
pub use transform::{DeviceTransform, DeviceWorkspace, HostTransfer};
