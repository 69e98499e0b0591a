//! Arrays of the host: copied in, transformed, copied out.

use super::{DeviceTransform, DeviceWorkspace};
use crate::device::buffer::DeviceBuffer;
use crate::device::error::DeviceError;
use crate::device::stream::Stream;
use crate::element::Element;
use waveloom_codegen::kernel::{Operation, Side};

/// A stream of its own and the device memory of both sides, for calls with slices of the host.
#[derive(Debug)]
pub struct HostTransfer<T: Element> {
    stream: Stream,
    signal: DeviceBuffer<T>,
    coefficients: DeviceBuffer<T>,
    workspace: DeviceWorkspace<T>,
}

impl<T: Element> DeviceTransform<T> {
    /// Allocates what calls with slices need.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn host_transfer(&self) -> Result<HostTransfer<T>, DeviceError> {
        let stream = self.gpu.new_stream()?;
        Ok(HostTransfer {
            signal: DeviceBuffer::zeros(&stream, self.signal_len)?,
            coefficients: DeviceBuffer::zeros(&stream, self.coefficient_len)?,
            workspace: self.workspace(&stream)?,
            stream,
        })
    }

    /// Copies `input` to the card, runs the operation, copies the result to `output`, and waits.
    /// Unless the last copy itself fails, an error leaves `output` as it was.
    ///
    /// # Errors
    /// Those of [`DeviceTransform::execute`].
    pub fn execute_on_host(
        &self,
        operation: Operation,
        input: &[T],
        output: &mut [T],
        transfer: &mut HostTransfer<T>,
    ) -> Result<(), DeviceError> {
        let HostTransfer { stream, signal, coefficients, workspace } = transfer;
        let (from, to) = match operation.input() {
            Side::Signal => (signal, coefficients),
            Side::Bands => (coefficients, signal),
        };
        if output.len() != to.len() {
            let (expected, given) = (to.len(), output.len());
            return Err(DeviceError::Length { what: "output", expected, given });
        }
        from.copy_from_host(stream, input)?;
        self.execute(operation, stream, from, to, workspace)?;
        // Errors of the kernels appear here, before the output is touched.
        stream.synchronize()?;
        to.copy_to_host(stream, output)
    }
}
