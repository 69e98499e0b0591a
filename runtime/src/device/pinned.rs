//! Page-locked memory of the host: what a card can copy from and to while the host goes on.

use super::buffer::Plain;
use super::error::DeviceError;
use super::gpu::Gpu;
use crate::seam;
use cudarc::driver::PinnedHostSlice;

/// An array of `len` elements in page-locked memory. Access from the host waits for the copies that
/// use it.
#[derive(Debug)]
pub struct PinnedBuffer<T: Plain> {
    slice: PinnedHostSlice<T>,
    len: usize,
}

impl<T: Plain> PinnedBuffer<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// More than there is memory for.
    pub fn zeros(gpu: &Gpu, len: usize) -> Result<Self, DeviceError> {
        let bytes = size_of::<T>() as u128 * len as u128;
        if bytes >= isize::MAX as u128 {
            let (free, total) = gpu.memory()?;
            return Err(DeviceError::OutOfMemory { bytes, free, total, ordinal: gpu.ordinal() });
        }
        // The driver refuses allocations of nothing.
        Ok(Self { slice: seam::pinned(gpu.cudarc(), len.max(1))?, len })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, after the copies that write them.
    ///
    /// # Errors
    /// Those of the copies.
    pub fn as_slice(&self) -> Result<&[T], DeviceError> {
        let all = self.slice.as_slice().map_err(DeviceError::driver("waiting for a copy"))?;
        Ok(&all[..self.len])
    }

    /// The elements to write, after the copies that use them.
    ///
    /// # Errors
    /// Those of the copies.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], DeviceError> {
        let all = self.slice.as_mut_slice().map_err(DeviceError::driver("waiting for a copy"))?;
        Ok(&mut all[..self.len])
    }

    pub(super) fn cudarc(&self) -> &PinnedHostSlice<T> {
        &self.slice
    }

    pub(super) fn cudarc_mut(&mut self) -> &mut PinnedHostSlice<T> {
        &mut self.slice
    }
}
