//! Transforms on a card: compiled and laid out up front, then only launched.

mod host;
mod launches;

pub use host::HostTransfer;
use launches::Ready;

use super::buffer::{DeviceBuffer, Plain};
use super::error::DeviceError;
use super::generated::Generated;
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::stream::Stream;
use crate::element::Element;
use crate::error::PlanError;
use crate::packing::Packing;
use std::marker::PhantomData;
use std::sync::Arc;
use waveloom_codegen::emit::cuda;
use waveloom_codegen::gpu::{
    Architecture, Mapping, Operations, OperationsRequest, ProgramError, Strategy, operations,
};
use waveloom_codegen::kernel::{Operation, Side};
use waveloom_wavelets::geometry::Decomposition;

/// A transform of arrays of one shape on one card.
///
/// It is immutable and may be used from any threads and streams at once, each with its own
/// [`DeviceWorkspace`]. The four operations append launches to a stream and return: they allocate
/// nothing, compile nothing and wait for nothing, so they may be captured into a graph.
///
/// Integers are not examined on the card: [`crate::Plan::max_input`] is the largest magnitude of a
/// sample for which `forward` is proved not to overflow.
#[derive(Debug)]
pub struct DeviceTransform<T: Element> {
    gpu: Arc<Gpu>,
    source: String,
    strategy: Strategy,
    mappings: Vec<Mapping>,
    kernels: Vec<Kernel>,
    operations: Vec<Ready>,
    rounded: bool,
    signal_len: usize,
    coefficient_len: usize,
    workspace_len: usize,
    packing: Option<Packing>,
    element: PhantomData<T>,
}

/// The intermediate memory of a [`DeviceTransform`]. It serves one stream at a time: whoever changes
/// streams orders them.
#[derive(Debug)]
pub struct DeviceWorkspace<T: Element> {
    buffer: DeviceBuffer<T>,
}

impl<T: Element> DeviceTransform<T> {
    /// Plans, compiles (unless cached) and loads the kernels.
    ///
    /// With no `strategy`, kernels are mapped as the card's architecture suggests; where that does not
    /// fit, tiles lie in shared memory, or else every thread reads from global memory. A text that was
    /// `generated` before is used where it has all the kernels.
    ///
    /// # Errors
    /// What the strategy cannot run, a text that does not compile, more memory than is free.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        request: &OperationsRequest<'_>,
        strategy: Option<Strategy>,
        generated: Option<&Generated>,
    ) -> Result<Self, PlanError> {
        let with = |strategy: Strategy| {
            operations(&OperationsRequest { strategy, ..request.clone() })
                .map(|all| (all, strategy))
        };
        let (all, strategy) = match strategy {
            Some(strategy) => with(strategy)?,
            None => {
                // The fastest first; what does not fit a card tells why by a failed proof.
                let own = suggested(gpu.limits().capability, request);
                let all = [own, Strategy::SHARED, Strategy::GLOBAL];
                let mut outcome = with(all[0]);
                for strategy in &all[1..] {
                    match outcome {
                        Err(ProgramError::Proof(_)) => outcome = with(*strategy),
                        _ => break,
                    }
                }
                outcome?
            }
        };
        let generated = generated.map(|generated| generated.source(&all)).transpose()?.flatten();
        let sources = match generated {
            Some(source) => vec![source],
            None => cuda::kernel_sources(T::KIND, request.wavelet, &all),
        };
        let mut transform = Self::load(gpu, &all, sources, strategy)?;
        transform.rounded = request.wavelet.is_rounded();
        if all.in_place {
            let OperationsRequest { wavelet, shape, axes, mode, origins, levels, .. } = *request;
            let lengths: Vec<usize> = axes.iter().map(|axis| shape[*axis]).collect();
            let geometry = Decomposition::new(&wavelet.frame(), mode, &lengths, origins, levels)?;
            transform.packing = Some(Packing::mixed(&all.bands, axes, shape, origins, &geometry)?);
        }
        if let Some(rows) = &all.band_rows {
            transform.packing = Some(Packing::of_rows(&all.bands, rows)?);
        }
        transform.check_memory()?;
        Ok(transform)
    }

    fn load(
        gpu: &Arc<Gpu>,
        all: &Operations,
        sources: Vec<cuda::CudaSource>,
        strategy: Strategy,
    ) -> Result<Self, DeviceError> {
        let kernels = launches::kernels(gpu, all, &sources)?;
        let multiprocessors = gpu.limits().multiprocessors;
        let transforms = all.kernels.len();
        let operations =
            all.operations.iter().map(|one| Ready::new(one, transforms, multiprocessors));
        Ok(Self {
            gpu: Arc::clone(gpu),
            strategy,
            mappings: all.kernels.iter().map(|kernel| *kernel.mapping()).collect(),
            kernels,
            operations: operations.collect(),
            rounded: false,
            signal_len: all.signal_len,
            coefficient_len: all.coefficient_len,
            workspace_len: all.workspace_len(),
            packing: None,
            source: sources.into_iter().map(|source| source.text).collect::<Vec<_>>().join("\n"),
            element: PhantomData,
        })
    }

    /// The intermediate memory must be there; better known now than at the first workspace.
    fn check_memory(&self) -> Result<(), DeviceError> {
        let bytes = self.workspace_len as u128 * size_of::<T>() as u128;
        let (free, _) = self.gpu.memory()?;
        if bytes <= free as u128 {
            return Ok(());
        }
        // What was freed a moment ago counts once the card has come to it.
        self.gpu.default_stream().synchronize()?;
        let (free, total) = self.gpu.memory()?;
        if bytes <= free as u128 {
            return Ok(());
        }
        Err(DeviceError::OutOfMemory { bytes, free, total, ordinal: self.gpu.ordinal() })
    }

    /// The card.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Number of values of a signal.
    pub fn signal_len(&self) -> usize {
        self.signal_len
    }

    /// Number of elements of the card's coefficient buffer: of all coefficients, and of what is between
    /// the rows of bands if these are apart ([`crate::PlanBuilder::align_rows`]).
    pub fn coefficient_len(&self) -> usize {
        self.coefficient_len
    }

    /// Number of intermediate values.
    pub fn workspace_len(&self) -> usize {
        self.workspace_len
    }

    /// How kernels are mapped to blocks.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Where the bands stand in the card's coefficient buffer, if not one after the other: strategy
    /// `mixed` leaves every coefficient in the place of its sample, and with
    /// [`crate::PlanBuilder::align_rows`] rows begin at multiples of so many elements. A [`crate::Plan`]'s
    /// calls with slices of the host rearrange them.
    pub fn packing(&self) -> Option<&Packing> {
        self.packing.as_ref()
    }

    /// Shape of every kernel's blocks.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// The kernels, then the passes `fold` and `scale`.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The CUDA text: one for every kernel, one after the other, or the one that was generated before.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of launches of an operation; `None` if there is no such operation.
    pub fn launches(&self, operation: Operation) -> Option<usize> {
        self.ready(operation).ok().map(|ready| ready.launches.len())
    }

    /// Allocates intermediate memory.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn workspace(&self, stream: &Stream) -> Result<DeviceWorkspace<T>, DeviceError> {
        Ok(DeviceWorkspace { buffer: DeviceBuffer::zeros(stream, self.workspace_len)? })
    }

    /// Takes memory of the caller's for intermediate values; whatever it holds is overwritten.
    ///
    /// # Errors
    /// A buffer that has not [`Self::workspace_len`] elements.
    pub fn workspace_in(&self, buffer: DeviceBuffer<T>) -> Result<DeviceWorkspace<T>, DeviceError> {
        let (what, expected, given) = ("workspace", self.workspace_len, buffer.len());
        match expected == given {
            true => Ok(DeviceWorkspace { buffer }),
            false => Err(DeviceError::Length { what, expected, given }),
        }
    }

    /// Signal to coefficients.
    ///
    /// # Errors
    /// Buffers of the wrong length or of another card; a launch that the driver refuses.
    pub fn forward(
        &self,
        stream: &Stream,
        signal: &DeviceBuffer<T>,
        coefficients: &mut DeviceBuffer<T>,
        workspace: &mut DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        self.launch(Operation::Forward, stream, signal, coefficients, workspace)
    }

    /// Coefficients to signal.
    ///
    /// # Errors
    /// Those of [`Self::forward`].
    pub fn inverse(
        &self,
        stream: &Stream,
        coefficients: &DeviceBuffer<T>,
        signal: &mut DeviceBuffer<T>,
        workspace: &mut DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        self.launch(Operation::Inverse, stream, signal, coefficients, workspace)
    }

    /// The adjoint of [`Self::forward`]: coefficients to signal.
    ///
    /// # Errors
    /// Those of [`Self::forward`]; [`DeviceError::NoAdjoint`] for rounded transforms.
    pub fn adjoint(
        &self,
        stream: &Stream,
        coefficients: &DeviceBuffer<T>,
        signal: &mut DeviceBuffer<T>,
        workspace: &mut DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        self.launch(Operation::AdjointForward, stream, signal, coefficients, workspace)
    }

    /// The adjoint of [`Self::inverse`]: signal to coefficients.
    ///
    /// # Errors
    /// Those of [`Self::adjoint`].
    pub fn adjoint_of_inverse(
        &self,
        stream: &Stream,
        signal: &DeviceBuffer<T>,
        coefficients: &mut DeviceBuffer<T>,
        workspace: &mut DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        self.launch(Operation::AdjointInverse, stream, signal, coefficients, workspace)
    }

    /// Runs any of the four operations.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn execute(
        &self,
        operation: Operation,
        stream: &Stream,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        workspace: &mut DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        match operation.input() {
            Side::Signal => self.launch(operation, stream, input, output, workspace),
            Side::Bands => self.launch(operation, stream, output, input, workspace),
        }
    }

    fn ready(&self, operation: Operation) -> Result<&Ready, DeviceError> {
        let found = self.operations.iter().find(|ready| ready.operation == operation);
        found.ok_or_else(|| match (self.rounded, operation.is_adjoint()) {
            (true, true) => DeviceError::NoAdjoint,
            _ => {
                let planned = self.operations.iter().map(|ready| ready.operation).collect();
                DeviceError::NotPlanned { operation, planned }
            }
        })
    }

    fn launch(
        &self,
        operation: Operation,
        stream: &Stream,
        signal: &DeviceBuffer<T>,
        coefficients: &DeviceBuffer<T>,
        workspace: &DeviceWorkspace<T>,
    ) -> Result<(), DeviceError> {
        let check = |what, expected, given| match expected == given {
            true => Ok(()),
            false => Err(DeviceError::Length { what, expected, given }),
        };
        let ready = self.ready(operation)?;
        check("signal", self.signal_len, signal.len())?;
        check("coefficients", self.coefficient_len, coefficients.len())?;
        check("workspace", self.workspace_len, workspace.buffer.len())?;
        let expected = self.gpu.ordinal();
        if stream.ordinal() != expected {
            let given = stream.ordinal();
            return Err(DeviceError::OtherDevice { what: "a stream", expected, given });
        }
        let buffers = [
            signal.address(stream)?,
            coefficients.address(stream)?,
            workspace.buffer.address(stream)?,
        ];
        ready.launches.iter().try_for_each(|launch| {
            // Made with the list of kernels.
            let Some(kernel) = self.kernels.get(launch.kernel) else { return Ok(()) };
            let parts = launch.parts.as_ref();
            kernel.launch(stream, launch.blocks, &buffers, &launch.words, parts)
        })
    }
}

/// What a card of some capability takes unasked. Where the last axis alone is transformed, strips walk
/// along nothing, and the strategy has no depth either: it is told as what shapes its kernels.
fn suggested(capability: u32, request: &OperationsRequest<'_>) -> Strategy {
    let walked = request.axes.iter().any(|axis| axis + 1 < request.shape.len());
    let own = Architecture::of(capability).strategy(request.element);
    Strategy { depth: own.depth.filter(|_| walked), ..own }
}

/// All that is shared between threads may be.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    const fn each<T: Element + Plain>() {
        shared::<DeviceTransform<T>>();
        shared::<DeviceWorkspace<T>>();
        shared::<HostTransfer<T>>();
    }
    each::<f32>();
};

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_wavelets::{Mode, SchemeKind, catalogue};

    #[test]
    fn depths_are_for_walks() {
        let wavelet = catalogue::wavelet("db2").unwrap();
        for (shape, axes, depth) in [
            (&[64][..], &[0][..], None),
            (&[8, 64], &[1], None),
            (&[8, 64], &[0], Some(3)),
            (&[8, 64], &[0, 1], Some(3)),
        ] {
            let request = OperationsRequest {
                wavelet: &wavelet,
                kind: SchemeKind::SeparableLifting,
                shape,
                axes,
                mode: Mode::Symmetric,
                origins: &[],
                levels: 1,
                align_rows: None,
                element: waveloom_codegen::Element::F32,
                strategy: Strategy::SHARED,
                operations: &[],
            };
            // A card with room for any ring leaves it to the strips.
            for (capability, depth) in [(86, depth), (90, None)] {
                let own = suggested(capability, &request);
                assert_eq!(own, Strategy { depth, ..Strategy::STREAM }, "{shape:?} {axes:?}");
            }
        }
    }
}
