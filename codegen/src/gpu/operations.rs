//! All operations of one transform over one list of kernels: what a plan on a card runs, and what one
//! text holds.

use super::mapping::{Alignment, Strategy};
use super::program::{
    BandRows, Launch, LaunchKind, Program, ProgramError, ProgramRequest, program, with_alignment,
};
use super::proof::Proved;
use super::split::MOST_BLOCKS;
use crate::kernel::{Element, Operation};
use waveloom_wavelets::extension::Mode;
use waveloom_wavelets::geometry::Band;
use waveloom_wavelets::{SchemeKind, Wavelet};

/// A transform, whatever the operation. See [`ProgramRequest`] for the fields.
#[derive(Clone, Debug)]
pub struct OperationsRequest<'a> {
    /// The wavelet.
    pub wavelet: &'a Wavelet,
    /// The scheme.
    pub kind: SchemeKind,
    /// Extents of the array.
    pub shape: &'a [usize],
    /// Transformed axes, in the order of the bands' letters.
    pub axes: &'a [usize],
    /// Extension mode.
    pub mode: Mode,
    /// Coordinates of sample 0 per axis; empty for 0.
    pub origins: &'a [i64],
    /// Number of levels.
    pub levels: usize,
    /// Rows of bands along the array's last axis begin at multiples of so many elements of the coefficient buffer, for
    /// transforms along its last axis or its last two; one after the other if `None`. Multiples of 32 bytes, a sector of
    /// memory, are the fastest.
    pub align_rows: Option<u32>,
    /// Element type.
    pub element: Element,
    /// How kernels are mapped to blocks.
    pub strategy: Strategy,
    /// The operations wanted; empty for all that the wavelet has.
    pub operations: &'a [Operation],
}

/// The launches of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationLaunches {
    /// Which.
    pub operation: Operation,
    /// In order. Kernels are indices into [`Operations::kernels`]; no launch has more than
    /// [`MOST_BLOCKS`] blocks along its first dimension.
    pub launches: Vec<Launch>,
    /// Elements of intermediate memory.
    pub workspace_len: usize,
}

/// All operations of a transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Operations {
    /// Distinct kernels, proved.
    pub kernels: Vec<Proved>,
    /// Forward and inverse, and unless rounded their adjoints.
    pub operations: Vec<OperationLaunches>,
    /// The bands; see [`Program::bands`].
    pub bands: Vec<Band>,
    /// Elements of the array.
    pub signal_len: usize,
    /// Elements of the coefficient buffer.
    pub coefficient_len: usize,
    /// Where rows of bands stand if there are gaps between them; see [`Program::band_rows`].
    pub band_rows: Option<Vec<BandRows>>,
    /// Whether coefficients stand in the places of their samples; see [`Program::in_place`].
    pub in_place: bool,
}

impl Operations {
    /// Elements of intermediate memory that suffice for every operation.
    pub fn workspace_len(&self) -> usize {
        self.operations.iter().map(|operation| operation.workspace_len).max().unwrap_or(0)
    }

    /// With the kernels of strips for rows that are aligned and for rows that are not, whatever this
    /// transform's own rows are: what a text for arrays of any shape holds.
    ///
    /// # Errors
    /// [`ProgramError::Proof`] if one cannot run.
    pub fn for_any_rows(mut self) -> Result<Self, ProgramError> {
        for kernel in self.kernels.clone() {
            // Several levels in a strip need rows that are aligned.
            if kernel.strip().is_none_or(|strip| strip.across.is_none() || strip.deeper.is_some()) {
                continue;
            }
            let other = match kernel.mapping().alignment {
                Some(_) => None,
                None => Some(Alignment::default()),
            };
            let other = with_alignment(&kernel, other)?;
            if !self.kernels.contains(&other) {
                self.kernels.push(other);
            }
        }
        Ok(self)
    }

    /// The launches of an operation, if there is such a one.
    pub fn of(&self, operation: Operation) -> Option<&OperationLaunches> {
        self.operations.iter().find(|known| known.operation == operation)
    }
}

/// Plans the launches of all operations.
///
/// # Errors
/// Those of [`program`].
pub fn operations(request: &OperationsRequest<'_>) -> Result<Operations, ProgramError> {
    if !request.kind.exists_in(request.axes.len()) {
        // Kernels along one axis exist, but not under this name; the error tells the names.
        request.wavelet.scheme(request.kind, request.axes.len())?;
    }
    let wanted: &[Operation] = match request.wavelet.is_rounded() {
        true => &[Operation::Forward, Operation::Inverse],
        false => &Operation::ALL,
    };
    let mut all = Operations {
        kernels: Vec::new(),
        operations: Vec::new(),
        bands: Vec::new(),
        signal_len: 0,
        coefficient_len: 0,
        band_rows: None,
        in_place: false,
    };
    let chosen = |operation: &&Operation| {
        request.operations.is_empty() || request.operations.contains(*operation)
    };
    for operation in wanted.iter().filter(chosen) {
        let program = program(&ProgramRequest {
            wavelet: request.wavelet,
            kind: request.kind,
            shape: request.shape,
            axes: request.axes,
            mode: request.mode,
            origins: request.origins,
            levels: request.levels,
            align_rows: request.align_rows,
            element: request.element,
            operation: *operation,
            strategy: request.strategy,
        })?;
        all.add(*operation, program);
    }
    Ok(all)
}

impl Operations {
    fn add(&mut self, operation: Operation, program: Program) {
        let kernels: Vec<usize> = program
            .kernels
            .iter()
            .map(|kernel| {
                self.kernels.iter().position(|known| known == kernel).unwrap_or_else(|| {
                    self.kernels.push(kernel.clone());
                    self.kernels.len() - 1
                })
            })
            .collect();
        let mut launches = Vec::new();
        for launch in program.launches {
            let LaunchKind::Transform { kernel, jobs } = launch else {
                launches.push(launch);
                continue;
            };
            let kernel = kernels[kernel];
            let parts = jobs.iter().flat_map(|job| job.within(MOST_BLOCKS)).collect::<Vec<_>>();
            launches.extend(LaunchKind::transforms(kernel, &parts));
        }
        let workspace_len = program.workspace_len;
        self.operations.push(OperationLaunches { operation, launches, workspace_len });
        self.bands = program.bands;
        self.signal_len = program.signal_len;
        self.coefficient_len = program.coefficient_len;
        self.band_rows = program.band_rows;
        self.in_place = program.in_place;
    }
}
