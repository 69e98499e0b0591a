//! Plans: everything about a transform that does not depend on the data.

mod arrays;
mod builder;
#[cfg(test)]
mod far;
mod from_bands;
mod limits;
mod on_card;
mod threads;
#[cfg(test)]
mod woven;

pub use arrays::Coefficients;
pub use builder::PlanBuilder;
pub use threads::Threads;

use crate::device::{Device, DeviceTransform};
use crate::element::Element;
use crate::error::ExecuteError;
use limits::Limits;
use on_card::Transfer;
use std::sync::Arc;
use threads::Team;
use waveloom_codegen::kernel::Operation;
use waveloom_host::{Levels, Prepared, Storage};
use waveloom_wavelets::geometry::{Band, Decomposition};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// A transform of arrays of one shape: wavelet, axes, levels, mode and scheme are fixed.
///
/// Arrays are slices in C order. A plan is immutable and can be shared between threads, each with
/// its own [`Workspace`].
///
/// ```
/// use waveloom::Plan;
/// use waveloom::wavelets::{Mode, catalogue};
///
/// let wavelet = catalogue::wavelet("bior4.4")?;
/// let plan = Plan::<f32>::builder(&wavelet, &[5, 7]).levels(2).mode(Mode::Symmetric).build()?;
/// let mut workspace = plan.workspace();
///
/// let signal: Vec<f32> = (0..35).map(|i| i as f32).collect();
/// let mut coefficients = vec![0.0; plan.coefficient_len()];
/// plan.forward(&signal, &mut coefficients, &mut workspace)?;
///
/// let mut back = vec![0.0; plan.signal_len()];
/// plan.inverse(&coefficients, &mut back, &mut workspace)?;
/// assert!(signal.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan<T: Element> {
    shared: Arc<Shared<T>>,
}

#[derive(Debug)]
struct Shared<T: Element> {
    wavelet: Wavelet,
    shape: Vec<usize>,
    axes: Vec<usize>,
    mode: Mode,
    origin: Vec<i64>,
    scheme: SchemeKind,
    decomposition: Decomposition,
    bands: Vec<Band>,
    levels: Levels,
    team: Team,
    forward: Prepared<T>,
    inverse: Prepared<T>,
    /// Of forward and of inverse; `None` for rounded transforms.
    adjoints: Option<[Prepared<T>; 2]>,
    limits: Option<Limits>,
    device: Device,
    /// The transform on a card, unless the device is the CPU.
    card: Option<DeviceTransform<T>>,
}

/// Memory that a plan's transforms need; nothing is allocated while they run. On a card, the first
/// call allocates what slices of the host need there, and later ones use it.
#[derive(Clone, Debug)]
pub struct Workspace<T: Element> {
    /// For a card only where it falls back to the CPU.
    storage: Option<Storage<T>>,
    transfer: Transfer<T>,
    owner: Arc<Shared<T>>,
}

impl<T: Element> Plan<T> {
    /// Starts a plan for arrays of the given shape.
    pub fn builder<'a>(wavelet: &'a Wavelet, shape: &[usize]) -> PlanBuilder<'a, T> {
        PlanBuilder::new(wavelet, shape)
    }

    /// Starts a plan for coefficients whose signal's shape is not known: it follows from the keys
    /// and shapes of the bands, as in PyWavelets. Absent bands, and in most modes those without
    /// elements, count as zeros. The approximation may be one sample longer than the details beside
    /// it; [`Coefficients::from_bands`] drops that sample.
    pub fn builder_for_bands<'a>(
        wavelet: &'a Wavelet,
        bands: &[(&str, &[usize])],
    ) -> PlanBuilder<'a, T> {
        PlanBuilder::for_bands(wavelet, bands)
    }

    /// Shape of the signal.
    pub fn shape(&self) -> &[usize] {
        &self.shared.shape
    }

    /// Transformed axes, in the order of the letters of band keys.
    pub fn axes(&self) -> &[usize] {
        &self.shared.axes
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.shared.decomposition.levels().len()
    }

    /// How ends are treated.
    pub fn mode(&self) -> Mode {
        self.shared.mode
    }

    /// Coordinates of sample 0, one per axis; all 0 but for mode `jpeg2000`.
    pub fn origin(&self) -> &[i64] {
        &self.shared.origin
    }

    /// The algorithm, as chosen or as asked for. Where it was not asked for, long rows of two axes may
    /// pass through the stages of a lifting or a lattice on the CPU, which is the same to rounding.
    pub fn scheme(&self) -> SchemeKind {
        self.shared.scheme
    }

    /// The wavelet.
    pub fn wavelet(&self) -> &Wavelet {
        &self.shared.wavelet
    }

    /// Where every level's signal and bands sit in the wavelet's frame.
    pub fn geometry(&self) -> &Decomposition {
        &self.shared.decomposition
    }

    /// Number of values of a signal.
    pub fn signal_len(&self) -> usize {
        self.shared.shape.iter().product()
    }

    /// Number of coefficients: the length of a slice of them. A card's buffer may have more elements
    /// ([`DeviceTransform::coefficient_len`]).
    pub fn coefficient_len(&self) -> usize {
        self.shared.bands.last().map_or(0, |band| band.offset + band.len)
    }

    /// The bands, coarsest first, each contiguous in C order in a slice of coefficients. Of a card's
    /// buffer, [`DeviceTransform::packing`] tells where they stand if not there.
    pub fn bands(&self) -> &[Band] {
        &self.shared.bands
    }

    /// The band of a key.
    pub fn band(&self, key: &str) -> Option<&Band> {
        self.shared.bands.iter().find(|band| band.key == key)
    }

    /// For integers: the largest magnitude of a sample for which no intermediate value can overflow
    /// the element type. `None` for floats.
    pub fn max_input(&self) -> Option<i64> {
        self.shared.limits.map(|limits| limits.forward)
    }

    /// Where transforms run.
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// The transform on the plan's card, for arrays that are there already; `None` on the CPU.
    pub fn on_card(&self) -> Option<&DeviceTransform<T>> {
        self.shared.card.as_ref()
    }

    /// Memory for this plan's transforms. One workspace serves one call at a time.
    pub fn workspace(&self) -> Workspace<T> {
        let shared = &self.shared;
        let storage = shared.card.is_none().then(|| shared.storage());
        Workspace { storage, transfer: Transfer::default(), owner: Arc::clone(shared) }
    }

    /// Signal to coefficients.
    ///
    /// # Errors
    /// Slices of the wrong length; integers that could overflow (`coefficients` then hold nothing
    /// meaningful).
    pub fn forward(
        &self,
        signal: &[T],
        coefficients: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<(), ExecuteError> {
        self.check(signal.len(), coefficients.len(), workspace)?;
        let refuse = |largest: u64| match &self.shared.limits {
            Some(limits) if largest > limits.forward.unsigned_abs() => {
                let (bound, element) = (limits.forward, T::KIND.name());
                let (mode, levels) = (self.mode(), self.levels());
                Err(ExecuteError::CouldOverflow { largest, bound, element, mode, levels })
            }
            _ => Ok(()),
        };
        let limited = self.shared.limits.is_some();
        // The processor examines what it reads on the way; what wraps around is never given out.
        if limited && (self.shared.card.is_some() || self.levels() == 0) {
            refuse(T::largest(signal))?;
        }
        if let Some(card) = &self.shared.card {
            return workspace.transfer.run(card, Operation::Forward, signal, coefficients);
        }
        workspace.storage().watch(false);
        let examines = limited && self.levels() > 0;
        if examines {
            workspace.storage().examine();
        }
        self.analyse(&self.shared.forward, signal, coefficients, workspace);
        if !examines || refuse(workspace.storage().largest()).is_ok() {
            return Ok(());
        }
        // That is a bound.
        refuse(T::largest(signal))
    }

    /// Coefficients to signal.
    ///
    /// # Errors
    /// Slices of the wrong length; integers whose reconstruction overflows (`signal` then holds
    /// nothing meaningful).
    pub fn inverse(
        &self,
        coefficients: &[T],
        signal: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<(), ExecuteError> {
        self.check(signal.len(), coefficients.len(), workspace)?;
        let limit = self.shared.limits.as_ref().map(|limits| limits.inverse.unsigned_abs());
        let exceeds = |largest: u64| limit.is_some_and(|limit| largest > limit);
        let inverse = &self.shared.inverse;
        let (card, examines) = (&self.shared.card, limit.is_some() && self.levels() > 0);
        // A card does not watch for overflow: what could overflow runs on the CPU.
        let mut watched = limit.is_some() && (card.is_some() || !examines);
        watched = watched && exceeds(T::largest(coefficients));
        if let (Some(card), false) = (card, watched) {
            return workspace.transfer.run(card, Operation::Inverse, coefficients, signal);
        }
        if examines && !watched {
            // The processor examines what it reads on the way, and begins anew if it must watch.
            workspace.storage().watch(false);
            workspace.storage().examine();
            self.synthesise(inverse, coefficients, signal, workspace);
            // That is a bound.
            watched = exceeds(workspace.storage().largest()) && exceeds(T::largest(coefficients));
            if !watched {
                return Ok(());
            }
        }
        workspace.storage().watch(watched);
        self.synthesise(inverse, coefficients, signal, workspace);
        if workspace.storage().overflowed() {
            return Err(ExecuteError::Overflow { element: T::KIND.name() });
        }
        Ok(())
    }

    /// The adjoint of [`Plan::forward`]: coefficients to signal.
    ///
    /// # Errors
    /// Slices of the wrong length; integer transforms.
    pub fn adjoint(
        &self,
        coefficients: &[T],
        signal: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<(), ExecuteError> {
        self.check(signal.len(), coefficients.len(), workspace)?;
        let [of_forward, _] = self.shared.adjoints.as_ref().ok_or(ExecuteError::NoAdjoint)?;
        if let Some(card) = &self.shared.card {
            return workspace.transfer.run(card, Operation::AdjointForward, coefficients, signal);
        }
        self.synthesise(of_forward, coefficients, signal, workspace);
        Ok(())
    }

    /// The adjoint of [`Plan::inverse`]: signal to coefficients.
    ///
    /// # Errors
    /// Slices of the wrong length; integer transforms.
    pub fn adjoint_of_inverse(
        &self,
        signal: &[T],
        coefficients: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<(), ExecuteError> {
        self.check(signal.len(), coefficients.len(), workspace)?;
        let [_, of_inverse] = self.shared.adjoints.as_ref().ok_or(ExecuteError::NoAdjoint)?;
        if let Some(card) = &self.shared.card {
            return workspace.transfer.run(card, Operation::AdjointInverse, signal, coefficients);
        }
        self.analyse(of_inverse, signal, coefficients, workspace);
        Ok(())
    }

    /// Runs any of the four operations; `input` and `output` are signal or coefficients as the
    /// operation says.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn execute(
        &self,
        operation: Operation,
        input: &[T],
        output: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<(), ExecuteError> {
        match operation {
            Operation::Forward => self.forward(input, output, workspace),
            Operation::Inverse => self.inverse(input, output, workspace),
            Operation::AdjointForward => self.adjoint(input, output, workspace),
            Operation::AdjointInverse => self.adjoint_of_inverse(input, output, workspace),
        }
    }

    fn check(
        &self,
        signal: usize,
        coefficients: usize,
        workspace: &Workspace<T>,
    ) -> Result<(), ExecuteError> {
        let length = |what, expected, got| match expected == got {
            true => Ok(()),
            false => Err(ExecuteError::Length { what, expected, got }),
        };
        length("signal", self.signal_len(), signal)?;
        length("coefficients", self.coefficient_len(), coefficients)?;
        match Arc::ptr_eq(&self.shared, &workspace.owner) {
            true => Ok(()),
            false => Err(ExecuteError::ForeignWorkspace),
        }
    }

    fn analyse(
        &self,
        prepared: &Prepared<T>,
        signal: &[T],
        coefficients: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        match self.levels() {
            0 => coefficients.copy_from_slice(signal),
            _ => {
                let storage = workspace.storage();
                let levels = &self.shared.levels;
                let bytes = self.signal_len() * T::KIND.bytes();
                self.shared
                    .team
                    .run(bytes, || levels.analyse(prepared, signal, coefficients, storage));
            }
        }
    }

    fn synthesise(
        &self,
        prepared: &Prepared<T>,
        coefficients: &[T],
        signal: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        match self.levels() {
            0 => signal.copy_from_slice(coefficients),
            _ => {
                let storage = workspace.storage();
                let levels = &self.shared.levels;
                let bytes = self.signal_len() * T::KIND.bytes();
                self.shared
                    .team
                    .run(bytes, || levels.synthesise(prepared, coefficients, signal, storage));
            }
        }
    }
}

/// The number of levels after which another would see nothing but extension, by PyWavelets' formula
/// `floor(log2(len / (M - 1)))` with the frame length `M`, never negative. Nothing forbids more:
/// expansive modes go on for ever (and following the real band lengths gives other numbers).
///
/// ```
/// use waveloom::{plan::max_levels, wavelets::catalogue};
///
/// let db2 = catalogue::wavelet("db2")?;
/// assert_eq!([23, 13, 2].map(|len| max_levels(&db2, len)), [2, 2, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn max_levels(wavelet: &Wavelet, len: usize) -> usize {
    let shortest = wavelet.bank().length().saturating_sub(1).max(1);
    (len / shortest).checked_ilog2().map_or(0, |levels| levels as usize)
}
