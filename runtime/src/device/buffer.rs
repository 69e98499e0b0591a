//! Arrays in a card's memory.

use super::error::DeviceError;
use super::pinned::PinnedBuffer;
use super::stream::Stream;
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, ValidAsZeroBits};
use std::sync::{Mutex, PoisonError};

/// Element types that may lie in device memory: plain numbers.
pub trait Plain: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static {}

impl<T: DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + 'static> Plain for T {}

/// An array of `len` elements on a card.
///
/// It is freed when dropped, after the work of every stream that used it. Cloning is explicit: copy
/// through the host or with cudarc.
#[derive(Debug)]
pub struct DeviceBuffer<T: Plain> {
    // `None` only while it is taken apart.
    slice: Option<CudaSlice<T>>,
    len: usize,
    users: Mutex<Vec<Stream>>,
}

impl<T: Plain> DeviceBuffer<T> {
    /// `len` zeros, on the stream's card.
    ///
    /// # Errors
    ///
    /// [`DeviceError::OutOfMemory`] if the card has not that much free.
    pub fn zeros(stream: &Stream, len: usize) -> Result<Self, DeviceError> {
        // The driver refuses allocations of nothing.
        let bytes = size_of::<T>() as u128 * len.max(1) as u128;
        let context = stream.cudarc().context();
        let memory = || context.mem_get_info().map_err(DeviceError::driver("asking for memory"));
        let out_of_memory = |(free, total)| DeviceError::OutOfMemory {
            bytes,
            free,
            total,
            ordinal: context.ordinal(),
        };
        if bytes > isize::MAX as u128 {
            return Err(out_of_memory(memory()?));
        }
        let slice = match stream.cudarc().alloc_zeros::<T>(len.max(1)) {
            Ok(slice) => slice,
            Err(error) if DeviceError::is_out_of_memory(&error) => {
                return Err(out_of_memory(memory()?));
            }
            Err(error) => return Err(DeviceError::driver("allocating")(error)),
        };
        Ok(Self { slice: Some(slice), len, users: Mutex::new(Vec::new()) })
    }

    /// A copy of `values`.
    pub fn from_host(stream: &Stream, values: &[T]) -> Result<Self, DeviceError> {
        let mut buffer = Self::zeros(stream, values.len())?;
        buffer.copy_from_host(stream, values)?;
        Ok(buffer)
    }

    /// Takes over memory that cudarc's user allocated, without copying.
    pub fn from_cudarc(slice: CudaSlice<T>) -> Self {
        Self { len: slice.len(), slice: Some(slice), users: Mutex::new(Vec::new()) }
    }

    /// Gives the memory to cudarc's user, without copying. An empty buffer has one element there.
    pub fn into_cudarc(mut self) -> Option<CudaSlice<T>> {
        self.settle();
        self.slice.take()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Overwrites the elements from the host.
    pub fn copy_from_host(&mut self, stream: &Stream, values: &[T]) -> Result<(), DeviceError> {
        self.check_len("copy to the device", values.len())?;
        self.used_by(stream)?;
        match &mut self.slice {
            Some(slice) if !values.is_empty() => stream
                .cudarc()
                .memcpy_htod(values, slice)
                .map_err(DeviceError::driver("copying to the device")),
            _ => Ok(()),
        }
    }

    /// Copies the elements to the host, after the stream's work so far.
    pub fn copy_to_host(&self, stream: &Stream, values: &mut [T]) -> Result<(), DeviceError> {
        self.check_len("copy to the host", values.len())?;
        self.used_by(stream)?;
        if let Some(slice) = &self.slice
            && !values.is_empty()
        {
            stream
                .cudarc()
                .memcpy_dtoh(&slice.slice(..self.len), values)
                .map_err(DeviceError::driver("copying to the host"))?;
        }
        stream.synchronize()
    }

    /// Overwrites the elements from `first` on.
    pub fn copy_range_from_host(
        &mut self,
        stream: &Stream,
        first: usize,
        values: &[T],
    ) -> Result<(), DeviceError> {
        let range = self.range("copy of a range to the device", first, values.len())?;
        self.used_by(stream)?;
        match self.slice.as_mut().and_then(|slice| slice.try_slice_mut(range)) {
            Some(mut part) if !values.is_empty() => stream
                .cudarc()
                .memcpy_htod(values, &mut part)
                .map_err(DeviceError::driver("copying to the device")),
            _ => Ok(()),
        }
    }

    /// Copies the elements from `first` on to the host, after the stream's work so far.
    pub fn copy_range_to_host(
        &self,
        stream: &Stream,
        first: usize,
        values: &mut [T],
    ) -> Result<(), DeviceError> {
        let range = self.range("copy of a range to the host", first, values.len())?;
        self.used_by(stream)?;
        if let Some(part) = self.slice.as_ref().and_then(|slice| slice.try_slice(range))
            && !values.is_empty()
        {
            stream
                .cudarc()
                .memcpy_dtoh(&part, values)
                .map_err(DeviceError::driver("copying to the host"))?;
        }
        stream.synchronize()
    }

    /// Overwrites the elements from page-locked memory, in the stream's order; the caller does not
    /// wait.
    pub fn copy_from_pinned(
        &mut self,
        stream: &Stream,
        values: &PinnedBuffer<T>,
    ) -> Result<(), DeviceError> {
        self.check_len("copy to the device", values.len())?;
        self.used_by(stream)?;
        match &mut self.slice {
            Some(slice) if self.len > 0 => stream
                .cudarc()
                .memcpy_htod(values.cudarc(), slice)
                .map_err(DeviceError::driver("copying to the device")),
            _ => Ok(()),
        }
    }

    /// Copies the elements to page-locked memory, in the stream's order; the caller does not wait.
    pub fn copy_to_pinned(
        &self,
        stream: &Stream,
        values: &mut PinnedBuffer<T>,
    ) -> Result<(), DeviceError> {
        self.check_len("copy to the host", values.len())?;
        self.used_by(stream)?;
        match &self.slice {
            Some(slice) if self.len > 0 => stream
                .cudarc()
                .memcpy_dtoh(&slice.slice(..self.len), values.cudarc_mut())
                .map_err(DeviceError::driver("copying to the host")),
            _ => Ok(()),
        }
    }

    /// Copies all elements of another buffer of the card, in the stream's order.
    pub fn copy_from(&mut self, stream: &Stream, other: &Self) -> Result<(), DeviceError> {
        self.check_len("copy between buffers", other.len)?;
        self.used_by(stream)?;
        other.used_by(stream)?;
        match (&mut self.slice, &other.slice) {
            (Some(to), Some(from)) => stream
                .cudarc()
                .memcpy_dtod(from, to)
                .map_err(DeviceError::driver("copying on the device")),
            _ => Ok(()),
        }
    }

    fn range(
        &self,
        what: &'static str,
        first: usize,
        given: usize,
    ) -> Result<std::ops::Range<usize>, DeviceError> {
        let expected = self.len.saturating_sub(first);
        match given <= expected {
            true => Ok(first..first + given),
            false => Err(DeviceError::Length { what, expected, given }),
        }
    }

    /// The elements, after the stream's work so far.
    pub fn to_host(&self, stream: &Stream) -> Result<Vec<T>, DeviceError>
    where
        T: Default,
    {
        let mut values = vec![T::default(); self.len];
        self.copy_to_host(stream, &mut values)?;
        Ok(values)
    }

    /// The address of the first element, for a launch on `stream`. The buffer will outlive the
    /// stream's work up to its own end.
    pub(crate) fn address(&self, stream: &Stream) -> Result<u64, DeviceError> {
        self.used_by(stream)?;
        Ok(self.slice.as_ref().map_or(0, |slice| slice.device_ptr(stream.cudarc()).0))
    }

    fn check_len(&self, what: &'static str, given: usize) -> Result<(), DeviceError> {
        if given == self.len {
            return Ok(());
        }
        Err(DeviceError::Length { what, expected: self.len, given })
    }

    /// Remembers a stream other than the buffer's own.
    fn used_by(&self, stream: &Stream) -> Result<(), DeviceError> {
        let Some(slice) = &self.slice else { return Ok(()) };
        if slice.ordinal() != stream.ordinal() {
            return Err(DeviceError::OtherDevice {
                what: "a buffer",
                expected: stream.ordinal(),
                given: slice.ordinal(),
            });
        }
        if slice.stream() != stream.cudarc() {
            let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
            if !users.contains(stream) {
                users.push(stream.clone());
            }
        }
        Ok(())
    }

    /// Lets the buffer's own stream, on which it is freed, wait for all others.
    fn settle(&mut self) {
        let users = self.users.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(slice) = &self.slice else { return };
        for user in users.drain(..) {
            if let Err(error) = slice.stream().join(user.cudarc()) {
                tracing::warn!(%error, "cannot order the end of a device buffer");
            }
        }
    }
}

impl<T: Plain> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        self.settle();
    }
}
