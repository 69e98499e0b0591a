//! Generated CUDA on a card as a backend of the suite.

use super::backend::beyond;
use super::emulated::placed;
use super::host::{ROUNDED, Sampled, builder, check_layout};
use super::{Backend, Case, Prepared, Samples, Transform};
use waveloom::device::{Device, DeviceBuffer, DeviceError, DeviceTransform, Stream};
use waveloom::{Plan, PlanError};
use waveloom_codegen::emit::cuda;
use waveloom_codegen::gpu::{self, OperationsRequest, Strategy};
use waveloom_codegen::kernel::{Element as ElementKind, Operation, Side};

/// Plans on a card, run on device buffers. Output and intermediate memory hold poison before every
/// run, so that a value that is not written shows.
#[derive(Clone, Debug)]
pub struct DeviceBackend {
    device: Device,
    strategy: Option<Strategy>,
    align_rows: Option<u32>,
    label: String,
}

impl DeviceBackend {
    /// A backend on a card with a way of mapping kernels to blocks; `None` leaves the choice to the
    /// plan.
    pub fn new(device: &Device, strategy: Option<Strategy>, label: &str) -> Self {
        Self { device: device.clone(), strategy, align_rows: None, label: label.to_owned() }
    }

    /// With rows of bands that begin at multiples of so many elements, if any.
    #[must_use]
    pub fn align_rows(self, multiple: Option<u32>) -> Self {
        Self { align_rows: multiple, ..self }
    }

    /// Why the card can no longer be used, if so: an error of a kernel ends its context.
    pub fn lost(&self) -> Option<DeviceError> {
        self.device.cuda_context()?.default_stream().synchronize().err()
    }
}

/// The CUDA text that a case needs under a strategy; `None` if there is none, because the case is
/// illegal or does not fit. Cases that differ in mode or lengths mostly share a text.
pub fn device_text(case: &Case, strategy: Strategy) -> Option<String> {
    let all = gpu::operations(&OperationsRequest {
        operations: &[],
        wavelet: &case.wavelet,
        kind: case.scheme.unwrap_or_else(|| case.wavelet.default_scheme(case.axes.len())),
        shape: &case.shape,
        axes: &case.axes,
        mode: case.mode,
        origins: &case.origin,
        levels: case.levels,
        align_rows: None,
        element: case.element,
        strategy,
    });
    Some(cuda::plan_source(case.element, &case.wavelet, &all.ok()?).text)
}

impl Backend for DeviceBackend {
    fn name(&self) -> String {
        format!("CUDA on {} ({})", self.device, self.label)
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        match case.element {
            ElementKind::F32 => self.planned::<f32>(case),
            ElementKind::F64 => self.planned::<f64>(case),
            ElementKind::I16 => self.planned::<i16>(case),
            ElementKind::I32 => self.planned::<i32>(case),
            ElementKind::I64 => self.planned::<i64>(case),
        }
    }

    fn tile_lengths(&self) -> Vec<usize> {
        match (self.strategy, self.strategy.and_then(|strategy| strategy.tile)) {
            (_, Some(tile)) => vec![2 * tile[0] as usize],
            // The shapes that strategies choose themselves.
            _ => vec![512, 1024, 2048],
        }
    }
}

impl DeviceBackend {
    fn planned<T: Sampled>(&self, case: &Case) -> Prepared<'static> {
        let mut builder = builder::<T>(case).device(&self.device);
        if let Some(strategy) = self.strategy {
            builder = builder.strategy(strategy);
        }
        if let Some(multiple) = self.align_rows {
            builder = builder.align_rows(multiple);
        }
        let plan = match builder.build() {
            Ok(plan) => plan,
            Err(PlanError::Program(error)) if beyond(self.strategy, &error) => {
                return Prepared::Skipped(error.to_string());
            }
            Err(error) => return Prepared::Refused(error.to_string()),
        };
        if let Err(message) = check_layout(case, &plan) {
            return Prepared::Refused(message);
        }
        let Some(card) = self.device.cuda_context() else {
            return Prepared::Skipped("the device is the CPU".to_owned());
        };
        match card.new_stream() {
            Ok(stream) => Prepared::Ready(Box::new(OnCard { plan, stream })),
            Err(error) => Prepared::Refused(error.to_string()),
        }
    }
}

struct OnCard<T: Sampled> {
    plan: Plan<T>,
    stream: Stream,
}

impl<T: Sampled> Transform for OnCard<T> {
    fn operations(&self) -> &[Operation] {
        if self.plan.wavelet().is_rounded() { &ROUNDED } else { &Operation::ALL }
    }

    fn max_input(&self) -> Option<i64> {
        self.plan.max_input()
    }

    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        let values = T::view(input).ok_or("the input is of another element type")?;
        let card = self.plan.on_card().ok_or("the plan is not on a card")?;
        let packing = card.packing();
        let packed = match packing.filter(|_| operation.input() == Side::Bands) {
            Some(packing) => placed(packing, values, vec![T::poison(); packing.len()])?,
            None => values.to_vec(),
        };
        let output = launch(card, &self.stream, operation, &packed);
        let output = output.map_err(|error| error.to_string())?;
        let Some(packing) = packing.filter(|_| operation.input() == Side::Signal) else {
            return Ok(T::samples(output));
        };
        let mut coefficients = vec![T::poison(); self.plan.coefficient_len()];
        packing.unpack(&output, &mut coefficients).map_err(|error| error.to_string())?;
        Ok(T::samples(coefficients))
    }

    /// Values in a card's memory are not examined; those of the host are before they are copied.
    fn run_examined(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        let values = T::view(input).ok_or("the input is of another element type")?;
        let len = match operation {
            Operation::Forward | Operation::AdjointInverse => self.plan.coefficient_len(),
            Operation::Inverse | Operation::AdjointForward => self.plan.signal_len(),
        };
        let mut output = vec![T::poison(); len];
        let outcome = self.plan.execute(operation, values, &mut output, &mut self.plan.workspace());
        outcome.map_err(|error| error.to_string())?;
        Ok(T::samples(output))
    }
}

fn launch<T: Sampled>(
    card: &DeviceTransform<T>,
    stream: &Stream,
    operation: Operation,
    values: &[T],
) -> Result<Vec<T>, DeviceError> {
    let poisoned = |len: usize| DeviceBuffer::from_host(stream, &vec![T::poison(); len]);
    let len = match operation {
        Operation::Forward | Operation::AdjointInverse => card.coefficient_len(),
        Operation::Inverse | Operation::AdjointForward => card.signal_len(),
    };
    let input = DeviceBuffer::from_host(stream, values)?;
    let mut output = poisoned(len)?;
    let mut workspace = card.workspace_in(poisoned(card.workspace_len())?)?;
    card.execute(operation, stream, &input, &mut output, &mut workspace)?;
    output.to_host(stream)
}
