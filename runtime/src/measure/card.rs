//! Arrays on a card and its own clock.

use super::{larger, sample, worst};
use crate::device::{DeviceBuffer, DeviceError, DeviceTransform, DeviceWorkspace, Gpu, Stream};
use crate::element::Element;
use cudarc::driver::{CudaEvent, sys};
use std::sync::Arc;
use waveloom_codegen::kernel::{Operation, Side};

/// Two events of a stream: the time between them as the card tells it.
#[derive(Debug)]
pub struct Stopwatch {
    begin: CudaEvent,
    end: CudaEvent,
}

impl Stopwatch {
    /// For the streams of a card.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let event = || {
            let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
            gpu.cudarc().new_event(flags).map_err(DeviceError::driver("creating an event"))
        };
        Ok(Self { begin: event()?, end: event()? })
    }

    /// Seconds that the work takes which `work` puts on the stream, without what stood there before.
    ///
    /// # Errors
    /// Those of the work, and what the driver refuses.
    pub fn time(
        &self,
        stream: &Stream,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<f64, DeviceError> {
        let record = |event: &CudaEvent| {
            event.record(stream.cudarc()).map_err(DeviceError::driver("recording an event"))
        };
        record(&self.begin)?;
        work()?;
        record(&self.end)?;
        stream.synchronize()?;
        let elapsed = self.begin.elapsed_ms(&self.end);
        let milliseconds = elapsed.map_err(DeviceError::driver("reading an event"))?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

/// Signals on a card, and where they come back, as many as the second-level cache cannot hold: no
/// run finds there what another left.
#[derive(Debug)]
pub struct Card<T: Element> {
    gpu: Arc<Gpu>,
    stream: Stream,
    stopwatch: Stopwatch,
    sets: Vec<[DeviceBuffer<T>; 2]>,
    turn: usize,
}

/// A transform's coefficients, one array for every signal of a [`Card`], and its workspace.
#[derive(Debug)]
pub struct CardPlan<T: Element> {
    coefficients: Vec<DeviceBuffer<T>>,
    workspace: DeviceWorkspace<T>,
}

impl<T: Element> Card<T> {
    /// Arrays of `len` random values.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], and what the driver refuses.
    pub fn new(gpu: &Arc<Gpu>, len: usize) -> Result<Self, DeviceError> {
        const CHUNK: usize = 1 << 22;
        /// Beyond this, rotating costs more memory than it tells.
        const MOST: usize = 64;
        let stream = gpu.new_stream()?;
        let bytes = len.max(1) * size_of::<T>();
        let count = (3 * gpu.limits().l2_bytes as usize).div_ceil(bytes).clamp(1, MOST);
        let chunk: Vec<T> = (0..CHUNK.min(len)).map(sample).collect();
        let set = || {
            let mut signal = DeviceBuffer::zeros(&stream, len)?;
            for first in (0..len).step_by(CHUNK) {
                let part = chunk.get(..CHUNK.min(len - first)).unwrap_or_default();
                signal.copy_range_from_host(&stream, first, part)?;
            }
            Ok([signal, DeviceBuffer::zeros(&stream, len)?])
        };
        let sets = (0..count).map(|_| set()).collect::<Result<Vec<_>, DeviceError>>()?;
        let stopwatch = Stopwatch::new(gpu)?;
        Ok(Self { gpu: Arc::clone(gpu), stream, stopwatch, sets, turn: 0 })
    }

    /// The card.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Coefficients and workspace of a transform of these signals, the coefficients computed.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::Length`].
    pub fn plan(&mut self, transform: &DeviceTransform<T>) -> Result<CardPlan<T>, DeviceError> {
        let buffers = self
            .sets
            .iter()
            .map(|_| DeviceBuffer::zeros(&self.stream, transform.coefficient_len()));
        let coefficients = buffers.collect::<Result<Vec<_>, DeviceError>>()?;
        let workspace = transform.workspace(&self.stream)?;
        let mut plan = CardPlan { coefficients, workspace };
        for _ in 0..self.sets.len() {
            self.run(transform, &mut plan, Operation::Forward, 1)?;
        }
        Ok(plan)
    }

    /// Seconds of copies of the signal on the card.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn copy(&mut self, runs: usize) -> Result<f64, DeviceError> {
        let Self { stream, stopwatch, sets, turn, .. } = self;
        let count = sets.len();
        stopwatch.time(stream, || {
            for _ in 0..runs {
                *turn += 1;
                let [signal, back] = &mut sets[*turn % count];
                back.copy_from(stream, signal)?;
            }
            Ok(())
        })
    }

    /// Seconds of runs of an operation.
    ///
    /// # Errors
    /// Those of [`DeviceTransform::execute`].
    pub fn run(
        &mut self,
        transform: &DeviceTransform<T>,
        plan: &mut CardPlan<T>,
        operation: Operation,
        runs: usize,
    ) -> Result<f64, DeviceError> {
        let Self { stream, stopwatch, sets, turn, .. } = self;
        let count = sets.len();
        stopwatch.time(stream, || {
            for _ in 0..runs {
                *turn += 1;
                let [signal, back] = &mut sets[*turn % count];
                // One array per set, made with the plan.
                let Some(coefficients) = plan.coefficients.get_mut(*turn % count) else { continue };
                let (from, to) = match operation.input() {
                    Side::Signal => (&*signal, coefficients),
                    Side::Bands => (&*coefficients, back),
                };
                transform.execute(operation, stream, from, to, &mut plan.workspace)?;
            }
            Ok(())
        })
    }

    /// The largest difference between a signal and what comes back of it, at its ends and in its
    /// middle.
    ///
    /// # Errors
    /// Those of [`DeviceTransform::execute`].
    pub fn round_trip(
        &mut self,
        transform: &DeviceTransform<T>,
        plan: &mut CardPlan<T>,
    ) -> Result<f64, DeviceError> {
        let operations = [Operation::Forward, Operation::Inverse];
        for operation in operations {
            // The same set twice.
            self.turn = 0;
            self.run(transform, plan, operation, 1)?;
        }
        let [signal, back] = &self.sets[1 % self.sets.len()];
        let window = 4096.min(back.len());
        let (mut was, mut is) = (vec![T::default(); window], vec![T::default(); window]);
        let mut error = 0.0;
        for first in [0, back.len() / 2 - window / 2, back.len() - window] {
            signal.copy_range_to_host(&self.stream, first, &mut was)?;
            back.copy_range_to_host(&self.stream, first, &mut is)?;
            error = larger(error, worst(&is, &was));
        }
        Ok(error)
    }
}
