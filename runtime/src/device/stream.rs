//! Streams: the order of work on a card.

use super::error::DeviceError;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// An ordered queue of work on one card. Clones are the same queue.
///
/// Work of different streams runs concurrently; a program that hands a buffer from one stream to
/// another orders them with [`Stream::wait_for`] or [`Stream::synchronize`]. Launches only append
/// to the queue, so they may be captured into a graph
/// ([`Stream::cudarc`]`().begin_capture(..)`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    inner: Arc<CudaStream>,
}

impl Stream {
    /// The card's number.
    pub fn ordinal(&self) -> usize {
        self.inner.context().ordinal()
    }

    /// Waits until all work so far is done.
    ///
    /// # Errors
    ///
    /// Also errors of that work: kernels run after their launch has returned.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let context = self.inner.context();
        context.bind_to_thread().map_err(DeviceError::driver("binding the context"))?;
        self.inner.synchronize().map_err(DeviceError::driver("waiting for a stream"))
    }

    /// Lets later work of this stream wait for the present work of `other`.
    pub fn wait_for(&self, other: &Stream) -> Result<(), DeviceError> {
        self.inner.join(&other.inner).map_err(DeviceError::driver("ordering two streams"))
    }

    /// cudarc's stream, to share it with other code that uses cudarc.
    pub fn cudarc(&self) -> &Arc<CudaStream> {
        &self.inner
    }
}

impl From<Arc<CudaStream>> for Stream {
    fn from(inner: Arc<CudaStream>) -> Self {
        Self { inner }
    }
}
