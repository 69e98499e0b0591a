//! How plans are made.

use super::from_bands::{self, BandShape};
use super::limits::Limits;
use super::threads::{Team, Threads};
use super::{Plan, Shared};
use crate::device::{Device, DeviceTransform, Generated, Gpu};
use crate::element::Element;
use crate::error::PlanError;
use crate::tune::{Finding, TuningKey};
use std::marker::PhantomData;
use std::sync::Arc;
use waveloom_codegen::gpu::{OperationsRequest, Strategy};
use waveloom_codegen::kernel::{Exchange, Kernel, Operation, lower};
use waveloom_host::{Level, LevelBands, Levels, MOST_CHANNELS, Programs, far_bytes};
use waveloom_wavelets::algebra::MAX_AXES;
use waveloom_wavelets::geometry::{self, AxisGeometry, Band, Decomposition};
use waveloom_wavelets::lifting::Lifting;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// Error of stages in `f32`, relative to the largest sample, up to which they are chosen unasked:
/// hardly more than that of a convolution.
const STAGES_ERROR: f64 = 1e-6;

/// Taps from which on a lattice is faster than lifting on a card, as measured.
const LONG: usize = 16;

/// Collects what a [`Plan`] needs.
#[derive(Clone, Debug)]
pub struct PlanBuilder<'a, T> {
    wavelet: &'a Wavelet,
    /// Of the signal, or unknown: then the bands tell.
    shape: Vec<usize>,
    bands: Option<Vec<(String, Vec<usize>)>>,
    axes: Option<Vec<usize>>,
    levels: Option<usize>,
    /// Bytes of a signal and its coefficients from which on outputs go past the caches.
    far: usize,
    #[cfg(test)]
    weaves: Option<bool>,
    mode: Option<Mode>,
    origin: Vec<i64>,
    scheme: Option<SchemeKind>,
    threads: Threads,
    device: Device,
    strategy: Option<Strategy>,
    align_rows: Option<u32>,
    operations: Vec<Operation>,
    generated: Option<&'a Generated>,
    tuned: bool,
    element: PhantomData<T>,
}

impl<'a, T: Element> PlanBuilder<'a, T> {
    pub(super) fn new(wavelet: &'a Wavelet, shape: &[usize]) -> Self {
        Self {
            wavelet,
            shape: shape.to_vec(),
            bands: None,
            axes: None,
            levels: None,
            far: far_bytes(),
            #[cfg(test)]
            weaves: None,
            mode: None,
            origin: Vec::new(),
            scheme: None,
            threads: Threads::Auto,
            device: Device::cpu(),
            strategy: None,
            align_rows: None,
            operations: Vec::new(),
            generated: None,
            tuned: true,
            element: PhantomData,
        }
    }

    pub(super) fn for_bands(wavelet: &'a Wavelet, bands: &[(&str, &[usize])]) -> Self {
        let bands: Vec<(String, Vec<usize>)> =
            bands.iter().map(|(key, shape)| ((*key).to_owned(), shape.to_vec())).collect();
        let shape = bands.first().map(|(_, shape)| shape.clone()).unwrap_or_default();
        Self { bands: Some(bands), ..Self::new(wavelet, &shape) }
    }

    /// The axes to transform, in the order of the letters of band keys; all by default.
    pub fn axes(mut self, axes: &[usize]) -> Self {
        self.axes = Some(axes.to_vec());
        self
    }

    /// Number of levels; 0 is the identity. The default is 1, or what the bands say.
    pub fn levels(mut self, levels: usize) -> Self {
        self.levels = Some(levels);
        self
    }

    /// How ends are treated; the wavelet's default mode unless set.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Coordinates of sample 0, one per transformed axis (mode `jpeg2000` only).
    pub fn origin(mut self, origin: &[i64]) -> Self {
        self.origin = origin.to_vec();
        self
    }

    /// The algorithm. Unless set, convolution on the CPU (along one axis, a lattice or a lifting
    /// where it takes less work; over two, long rows alone may pass through one), the wavelet's
    /// default on a card and for integers.
    pub fn scheme(mut self, scheme: SchemeKind) -> Self {
        self.scheme = Some(scheme);
        self
    }

    /// From how many bytes of a signal and its coefficients on outputs go past the caches.
    #[cfg(test)]
    pub(crate) fn far(mut self, bytes: usize) -> Self {
        self.far = bytes;
        self
    }

    /// Whether rows of planes pass some columns at a time wherever that is possible, or nowhere.
    #[cfg(test)]
    pub(crate) fn weaving(mut self, weaves: bool) -> Self {
        self.weaves = Some(weaves);
        self
    }

    /// How many threads a transform may use.
    pub fn threads(mut self, threads: impl Into<Threads>) -> Self {
        self.threads = threads.into();
        self
    }

    /// Where transforms run; the CPU unless set. On a card the plan compiles its kernels now, or
    /// finds them in the cache.
    pub fn device(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// How kernels are mapped to a card's blocks; chosen unless set. The CPU takes no notice.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// On a card, rows of bands begin at multiples of so many elements of its coefficient buffer; one
    /// after the other unless set. Multiples of 32 bytes, a sector of memory, are the fastest where a mode
    /// makes rows of any length, such as 4100 coefficients of 8192 samples: with multiples of eight,
    /// `symmetric` in `f32` at 8192 x 8192 takes 1.01 to 1.02 times as long as `periodization` on an H200,
    /// else 1.07 (`irr97`) and 1.13 (`db4`; inverse 1.01, else 1.08).
    ///
    /// [`DeviceTransform::packing`] then tells where bands stand; calls with slices of the host
    /// rearrange them. Transforms along an array's last axis, or its last two, can do that; others,
    /// multiples of 0 and strategy `mixed` are refused. The CPU takes no notice.
    ///
    /// ```
    /// use waveloom::{Plan, wavelets::catalogue};
    ///
    /// let wavelet = catalogue::wavelet("db4")?;
    /// let builder = Plan::<f32>::builder(&wavelet, &[480, 640]).levels(2);
    /// // Eight values of four bytes. This plan is for the CPU, where nothing changes.
    /// let plan = builder.align_rows(8).build()?;
    /// let mut coefficients = vec![0.0; plan.coefficient_len()];
    /// plan.forward(&vec![0.0; 480 * 640], &mut coefficients, &mut plan.workspace())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn align_rows(mut self, elements: u32) -> Self {
        self.align_rows = Some(elements);
        self
    }

    /// On a card, compile only what these operations need; all four unless set. The others are then
    /// refused ([`DeviceError::NotPlanned`](crate::device::DeviceError::NotPlanned)). The CPU takes no
    /// notice.
    pub fn operations(mut self, operations: &[Operation]) -> Self {
        self.operations = operations.to_vec();
        self
    }

    /// On a card, run the functions of this text where it has them.
    pub(crate) fn generated(mut self, generated: &'a Generated) -> Self {
        self.generated = Some(generated);
        self
    }

    /// Whether the strategy, unless it is given, is the one that [`crate::tune`] found for such arrays
    /// on the card, if it did. Yes unless set.
    pub fn tuned(mut self, tuned: bool) -> Self {
        self.tuned = tuned;
        self
    }

    /// Makes the plan.
    ///
    /// # Errors
    /// Axes that do not exist, shapes that the mode cannot transform, schemes that the wavelet does
    /// not have, element types that the wavelet is not made for; on a card also mappings that do not
    /// fit it, and too little memory.
    pub fn build(mut self) -> Result<Plan<T>, PlanError> {
        let axes = self.checked_axes()?;
        let mode = self.mode.unwrap_or(self.wavelet.default_mode());
        let given = match &self.bands {
            None => Vec::new(),
            Some(bands) => {
                let parsed = bands.iter().map(|(key, shape)| BandShape::parse(key, shape));
                parsed.collect::<Result<Vec<BandShape>, PlanError>>()?
            }
        };
        if self.bands.is_some() {
            let levels = self.levels.unwrap_or_else(|| from_bands::levels(&given));
            let frame = self.wavelet.frame();
            self.shape = from_bands::signal_shape(&given, &axes, levels, mode, &frame)?;
            self.levels = Some(levels);
        }
        let lengths: Vec<usize> = axes.iter().map(|axis| self.shape[*axis]).collect();
        let frame = self.wavelet.frame();
        let levels = self.levels.unwrap_or(1);
        let decomposition = Decomposition::new(&frame, mode, &lengths, &self.origin, levels)
            .map_err(|error| error.on_axes(&axes))?;
        self.check_size::<T>(&axes, &decomposition)?;
        let bands = geometry::bands(&self.shape, &axes, &decomposition);
        for band in &given {
            band.check(&bands, &axes)?;
        }

        let scheme = self.scheme.unwrap_or_else(|| self.default_scheme(axes.len()));
        let mut forward = self.programs(scheme, axes.len(), Operation::Forward)?;
        let mut inverse = self.programs(scheme, axes.len(), Operation::Inverse)?;
        if self.scheme.is_none() && axes.len() == 2 && !self.has_own_default() {
            for programs in [&mut forward, &mut inverse] {
                for kind in self.staged_schemes() {
                    programs.offer(&self.kernel(kind, 1, programs.operation)?);
                }
            }
        }
        #[cfg(test)]
        if let Some(weaves) = self.weaves {
            forward.set_weaving(weaves);
            inverse.set_weaving(weaves);
        }
        let adjoints = match self.wavelet.is_rounded() {
            true => None,
            false => Some([
                self.programs(scheme, axes.len(), Operation::AdjointForward)?,
                self.programs(scheme, axes.len(), Operation::AdjointInverse)?,
            ]),
        };
        let order = self.wavelet.axis_list(axes.len());
        let team = Team::new(self.threads)?;
        let mut levels = arrange(&self.shape, &axes, &order, &decomposition, &bands);
        levels.far = self.far;
        let rounded = self.wavelet.lifting().filter(|_| T::KIND.is_integer());
        if let Some(lifting) = rounded {
            check_coefficients::<T>(lifting)?;
        }
        let limits = rounded.map(|lifting| {
            let all: Vec<&[AxisGeometry]> =
                decomposition.levels().iter().map(|level| &level.axes[..]).collect();
            Limits::new(lifting, forward.halo(), mode, &all, T::LARGEST)
        });
        let card = match self.device.cuda_context() {
            None => None,
            Some(gpu) => {
                let request = OperationsRequest {
                    wavelet: self.wavelet,
                    kind: scheme,
                    shape: &self.shape,
                    axes: &axes,
                    mode,
                    origins: &self.origin,
                    levels: decomposition.levels().len(),
                    align_rows: self.align_rows,
                    element: T::KIND,
                    strategy: self.strategy.unwrap_or(Strategy::SHARED),
                    operations: &self.operations,
                };
                Some(self.on_card(gpu, &request)?)
            }
        };
        let origin = if self.origin.is_empty() { vec![0; axes.len()] } else { self.origin };
        let shared = Shared {
            wavelet: self.wavelet.clone(),
            shape: self.shape,
            axes,
            mode,
            origin,
            scheme,
            decomposition,
            bands,
            forward: levels.prepare(forward),
            inverse: levels.prepare(inverse),
            adjoints: adjoints.map(|both| both.map(|programs| levels.prepare(programs))),
            levels,
            team,
            limits,
            device: self.device,
            card,
        };
        Ok(Plan { shared: Arc::new(shared) })
    }

    /// The transform on a card, as tuning found it best if nothing else is said.
    fn on_card(
        &self,
        gpu: &Arc<Gpu>,
        request: &OperationsRequest<'_>,
    ) -> Result<DeviceTransform<T>, PlanError> {
        if self.strategy.is_none() && self.generated.is_none() && self.tuned {
            let OperationsRequest { wavelet, kind, shape, axes, element, .. } = *request;
            let key = TuningKey::new(gpu.name(), wavelet, kind, shape, axes, element);
            if let Some(found) = Finding::load(gpu.cache(), &key) {
                match DeviceTransform::new(gpu, request, Some(found.strategy), None) {
                    Ok(transform) => return Ok(transform),
                    Err(error) => {
                        let strategy = found.strategy;
                        tracing::warn!(%strategy, %error, "what tuning found cannot be used");
                    }
                }
            }
        }
        DeviceTransform::new(gpu, request, self.strategy, self.generated)
    }

    fn checked_axes(&self) -> Result<Vec<usize>, PlanError> {
        let dims = self.shape.len();
        let axes = self.axes.clone().unwrap_or_else(|| (0..dims).collect());
        if axes.is_empty() {
            return Err(PlanError::NoAxes { dims });
        }
        if let Some(axis) = axes.iter().copied().find(|axis| *axis >= dims) {
            return Err(PlanError::AxisOutOfRange { axis, dims });
        }
        let repeated = axes.iter().enumerate().find(|(i, axis)| axes[..*i].contains(axis));
        if let Some((_, axis)) = repeated {
            return Err(PlanError::DuplicateAxis { axis: *axis });
        }
        if axes.len() > MAX_AXES {
            return Err(PlanError::TooManyAxes { got: axes.len() });
        }
        Ok(axes)
    }

    /// Whether a plan that is not asked for a scheme takes the wavelet's: on cards, and where rounding
    /// defines the transform.
    fn has_own_default(&self) -> bool {
        self.wavelet.is_rounded() || self.device.cuda_context().is_some()
    }

    /// On the CPU, convolution: its sums need no values of neighbours and keep every digit, and
    /// memory is slower than its arithmetic. Along one axis, whatever keeps the digits and takes the
    /// least work: stages of a lattice or a lifting, which pass through registers, save operations.
    /// Over two axes long rows pass through stages where they save work, but other rows do not.
    fn default_scheme(&self, axes: usize) -> SchemeKind {
        if self.device.cuda_context().is_some() {
            return self.scheme_of_card(axes);
        }
        if self.wavelet.is_rounded() {
            return self.wavelet.default_scheme(axes);
        }
        if axes != 1 {
            return SchemeKind::SeparableConvolution;
        }
        let work = |scheme: SchemeKind| -> Option<usize> {
            let both = [Operation::Forward, Operation::Inverse];
            let work = |operation| Programs::<T>::work(&self.kernel(scheme, 1, operation).ok()?);
            both.into_iter().map(work).sum()
        };
        let schemes = std::iter::once(SchemeKind::Convolution).chain(self.staged_schemes());
        let known = schemes.filter_map(|scheme| Some((work(scheme)?, scheme)));
        known.min_by_key(|(work, _)| *work).map_or(SchemeKind::Convolution, |(_, scheme)| scheme)
    }

    /// Schemes of one axis whose stages keep the digits.
    fn staged_schemes(&self) -> impl Iterator<Item = SchemeKind> + use<T> {
        let properties = self.wavelet.properties();
        let stages = [
            (SchemeKind::Lattice, properties.lattice_f32_error),
            (SchemeKind::Lifting, properties.lifting_f32_error),
        ];
        // Extrapolated samples outgrow the others, and what stages lose is relative to the largest.
        let bounded = self.mode != Some(Mode::Smooth);
        let keeps = move |error: &Option<f64>| error.is_some_and(|error| error <= STAGES_ERROR);
        let stages = stages.into_iter().filter(move |(_, error)| bounded && keeps(error));
        stages.map(|(kind, _)| kind)
    }

    /// On a card, the wavelet's default; but long filters along one axis as a lattice, whose stages wait for one
    /// value of a neighbour each, if that keeps the digits.
    fn scheme_of_card(&self, axes: usize) -> SchemeKind {
        let lattice = self.wavelet.properties().lattice_f32_error;
        let keeps =
            lattice.is_some_and(|error| error <= STAGES_ERROR) && !self.wavelet.is_rounded();
        match axes == 1 && keeps && self.wavelet.bank().length() >= LONG {
            true => SchemeKind::Lattice,
            false => self.wavelet.default_scheme(axes),
        }
    }

    /// Signal and coefficients must be addressable.
    fn check_size<E: Element>(
        &self,
        axes: &[usize],
        decomposition: &Decomposition,
    ) -> Result<(), PlanError> {
        let too_large = || PlanError::TooLarge { shape: self.shape.clone() };
        let limit = isize::MAX as u128 / E::KIND.bytes() as u128;
        let product = |lengths: &dyn Fn(usize) -> usize| {
            // Extents of 0 make the array empty, but do not allow the others more than arrays have.
            let mut extents = (0..self.shape.len()).map(|dim| lengths(dim).max(1) as u128);
            extents.try_fold(1_u128, u128::checked_mul)
        };
        let mut total = product(&|dim| self.shape[dim]).ok_or_else(too_large)?;
        for level in decomposition.levels() {
            let split = product(&|dim| match axes.iter().position(|axis| *axis == dim) {
                Some(i) => level.axes[i].low.len + level.axes[i].high.len,
                None => self.shape[dim],
            });
            total = total.checked_add(split.ok_or_else(too_large)?).ok_or_else(too_large)?;
        }
        if total > limit { Err(too_large()) } else { Ok(()) }
    }

    fn kernel(
        &self,
        scheme: SchemeKind,
        axes: usize,
        operation: Operation,
    ) -> Result<Kernel, PlanError> {
        let scheme = self.wavelet.scheme(scheme, axes)?;
        Ok(lower(&scheme, operation, T::KIND, Exchange::Shared)?)
    }

    fn programs(
        &self,
        scheme: SchemeKind,
        axes: usize,
        operation: Operation,
    ) -> Result<Programs<T>, PlanError> {
        if !scheme.exists_in(axes) {
            // Names the kinds that do.
            self.wavelet.scheme(scheme, axes)?;
        }
        let line = self.kernel(scheme.one_dimensional(), 1, operation)?;
        let joint = match scheme.is_nonseparable() {
            true => Some(self.kernel(scheme, axes, operation)?),
            false => None,
        };
        Ok(Programs::new(&line, joint.as_ref()))
    }
}

/// The integers that a rounded lifting multiplies by must fit the element type.
fn check_coefficients<T: Element>(lifting: &Lifting) -> Result<(), PlanError> {
    let numbers = lifting.steps.iter().flat_map(|step| {
        let unit = step.rounding.map_or(1.0, |r| 2.0_f64.powi(r.shift as i32));
        let offset = step.rounding.map_or(0.0, |r| r.offset as f64);
        step.taps.values().map(move |tap| tap * unit).chain([offset, unit])
    });
    let largest = numbers.fold(0.0_f64, |largest, number| largest.max(number.abs()));
    let element = T::KIND.name();
    match largest <= T::LARGEST as f64 / 2.0 {
        true => Ok(()),
        false => Err(PlanError::Coefficients { largest, element }),
    }
}

/// The levels in the order of memory: axes ascending, channels and the order of passes renamed
/// accordingly.
fn arrange(
    shape: &[usize],
    axes: &[usize],
    order: &[usize],
    decomposition: &Decomposition,
    bands: &[Band],
) -> Levels {
    let count = axes.len();
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|axis| axes[*axis]);
    let rank = |axis: usize| sorted.iter().position(|other| *other == axis).unwrap_or(axis);
    let dims: Vec<usize> = sorted.iter().map(|axis| axes[*axis]).collect();
    let order: Vec<usize> = order.iter().map(|axis| rank(*axis)).collect();
    let channel = |channel: usize| -> usize {
        let bit = |axis: usize| (channel >> (count - 1 - axis)) & 1;
        (0..count).map(|axis| bit(axis) << (count - 1 - rank(axis))).sum()
    };
    let mut shape = shape.to_vec();
    let mut levels = Vec::with_capacity(decomposition.levels().len());
    for (index, level) in decomposition.levels().iter().enumerate() {
        let mut ranges: [_; MOST_CHANNELS] = std::array::from_fn(|_| 0..0);
        for band in bands.iter().filter(|band| band.level == index + 1) {
            ranges[channel(band.channel)] = band.offset..band.offset + band.len;
        }
        let signal = shape.clone();
        for (axis, geometry) in level.axes.iter().enumerate() {
            shape[axes[axis]] = geometry.low.len;
        }
        let layout =
            LevelBands { ranges, channels: 1 << count, approximation: shape.iter().product() };
        let axes = sorted.iter().map(|axis| level.axes[*axis]).collect();
        let level = Level { shape: signal, dims: dims.clone(), axes, order: order.clone() };
        levels.push((level, layout));
    }
    Levels { levels, far: far_bytes() }
}
