//! Many pieces through a card: while one is transformed, the next comes in and the last goes out.

use super::sample;
use crate::device::{
    DeviceBuffer, DeviceError, DeviceTransform, DeviceWorkspace, PinnedBuffer, Stream,
};
use crate::element::Element;
use std::time::Instant;

/// Pieces that are on their way at the same time.
const SLOTS: usize = 4;

/// A row of pieces in page-locked memory, transformed forward by a few streams in turn.
#[derive(Debug)]
pub struct Overlap<T: Element> {
    slots: Vec<Slot<T>>,
    pieces: usize,
}

#[derive(Debug)]
struct Slot<T: Element> {
    stream: Stream,
    input: PinnedBuffer<T>,
    signal: DeviceBuffer<T>,
    coefficients: DeviceBuffer<T>,
    workspace: DeviceWorkspace<T>,
    output: PinnedBuffer<T>,
}

impl<T: Element> Overlap<T> {
    /// For `pieces` signals of a transform.
    ///
    /// # Errors
    /// Memory of the card or page-locked memory that is not there.
    pub fn new(transform: &DeviceTransform<T>, pieces: usize) -> Result<Self, DeviceError> {
        let gpu = transform.gpu();
        let slot = |_| {
            let stream = gpu.new_stream()?;
            let mut input = PinnedBuffer::zeros(gpu, transform.signal_len())?;
            let values = input.as_mut_slice()?.iter_mut().enumerate();
            values.for_each(|(index, value)| *value = sample(index));
            Ok(Slot {
                input,
                signal: DeviceBuffer::zeros(&stream, transform.signal_len())?,
                coefficients: DeviceBuffer::zeros(&stream, transform.coefficient_len())?,
                workspace: transform.workspace(&stream)?,
                output: PinnedBuffer::zeros(gpu, transform.coefficient_len())?,
                stream,
            })
        };
        let slots = (0..SLOTS.min(pieces.max(1))).map(slot).collect::<Result<_, DeviceError>>()?;
        Ok(Self { slots, pieces })
    }

    /// Seconds, by the host's clock, until all pieces have come in, are transformed and are back;
    /// `runs` times.
    ///
    /// # Errors
    /// Those of the copies and of [`DeviceTransform::forward`].
    pub fn forward(
        &mut self,
        transform: &DeviceTransform<T>,
        runs: usize,
    ) -> Result<f64, DeviceError> {
        let begin = Instant::now();
        let count = self.slots.len();
        for piece in 0..self.pieces * runs {
            let Slot { stream, input, signal, coefficients, workspace, output } =
                &mut self.slots[piece % count];
            signal.copy_from_pinned(stream, input)?;
            transform.forward(stream, signal, coefficients, workspace)?;
            coefficients.copy_to_pinned(stream, output)?;
        }
        self.slots.iter().try_for_each(|slot| slot.stream.synchronize())?;
        Ok(begin.elapsed().as_secs_f64())
    }
}
