//! The launches of a whole multi-level transform of one array, with all their parameters.

mod array;
mod batch;
mod between;
mod course;
mod deep;
mod far;
mod framed;
mod fused;
mod inside;
mod jobs;
mod levels;
mod passes;
mod rows;
mod shapes;
mod stages;
mod stretches;
mod variants;
mod volume;
mod widen;
mod worth;

pub use rows::{BandRows, Unaligned};
pub(super) use variants::with_alignment;

use super::abi::Job;
use super::mapping::{Mapping, Scope, Strategy};
use super::pass::{Fold, Scale};
use super::proof::{ProofError, Proved};
use super::split::MOST_BLOCKS;
use super::stretch::rims;
use super::strip::{Parts, parts};
use crate::kernel::{Element, Kernel, LowerError, Operation, Side};
use array::Array;
use deep::{Deep, Tier};
use rows::rows_of;
use waveloom_wavelets::extension::Mode;
use waveloom_wavelets::geometry::{Band, Decomposition, GeometryError, bands};
use waveloom_wavelets::scheme::SchemeError;
use waveloom_wavelets::{SchemeKind, Wavelet};

/// A buffer of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// The array itself.
    Signal,
    /// All bands, as [`waveloom_wavelets::geometry::bands`] lays them out unless [`Program::band_rows`] or
    /// [`Program::in_place`] say otherwise.
    Coefficients,
    /// Intermediate values.
    Workspace,
}

impl Buffer {
    /// Its place among a launch's parameters, from 0.
    pub fn code(self) -> i64 {
        match self {
            Buffer::Signal => 0,
            Buffer::Coefficients => 1,
            Buffer::Workspace => 2,
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct ProgramRequest<'a> {
    /// The wavelet.
    pub wavelet: &'a Wavelet,
    /// The scheme; 1-D kinds and separable kinds run axis by axis, non-separable ones on all axes.
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
    /// Operation.
    pub operation: Operation,
    /// How kernels are mapped to blocks.
    pub strategy: Strategy,
}

/// One kernel of a program and the shape it is mapped with.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedKernel {
    /// What each tile computes.
    pub kernel: Kernel,
    /// For strips: the same as one kernel per axis, in the order in which they run. Empty for tiles.
    pub lines: Vec<Kernel>,
    /// Who computes it.
    pub mapping: Mapping,
}

/// What a launch runs.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchKind {
    /// A mapped kernel (index into [`Program::kernels`]) on a few jobs at once.
    Transform {
        /// Which kernel.
        kernel: usize,
        /// Its jobs.
        jobs: Vec<Job>,
    },
    /// Folding of a margin.
    Fold(Fold),
    /// A single sample.
    Scale(Scale),
}

/// One launch.
pub type Launch = LaunchKind;

/// Most jobs of one launch along so many axes: as many as parameters have room for.
pub const fn jobs(axes: usize) -> usize {
    if axes < 3 { 5 } else { 3 }
}

impl LaunchKind {
    /// Launches of one kernel for any number of jobs.
    pub(super) fn transforms(kernel: usize, all: &[Job]) -> Vec<Self> {
        let mut launches: Vec<Self> = Vec::new();
        let mut open: Vec<Job> = Vec::new();
        for job in all {
            // Strips number the blocks of all jobs one after the other.
            let blocks: i64 = open.iter().map(Job::blocks).sum();
            let full = open.len() == jobs(job.axes.len())
                || (job.strips && blocks + job.blocks() > MOST_BLOCKS);
            if full && !open.is_empty() {
                launches.push(Self::Transform { kernel, jobs: std::mem::take(&mut open) });
            }
            open.push(job.clone());
        }
        if !open.is_empty() {
            launches.push(Self::Transform { kernel, jobs: open });
        }
        launches
    }

    /// Blocks of a transform's grid: the largest job's for each job; or for strips, those of all jobs
    /// in a row. `None` for the small passes, which take any grid.
    pub fn grid(&self) -> Option<[i64; 2]> {
        let LaunchKind::Transform { jobs, .. } = self else { return None };
        let blocks = jobs.iter().map(Job::blocks);
        Some(match jobs.iter().any(|job| job.strips) {
            true => [blocks.sum(), 1],
            false => [blocks.max().unwrap_or(0), jobs.len() as i64],
        })
    }

    /// Of kernels of several functions: which blocks are inside their arrays; of strips, none unless these are to be a
    /// launch of their own.
    pub fn parts(&self, apart: bool) -> Option<Parts> {
        match self {
            LaunchKind::Transform { jobs, .. } if jobs.iter().any(|job| job.inside.is_some()) => {
                Some(parts(jobs, apart))
            }
            LaunchKind::Transform { jobs, .. } if jobs.iter().any(|job| job.rim.is_some()) => {
                Some(rims(jobs))
            }
            _ => None,
        }
    }

    /// The words that follow the buffers' addresses among the launch's parameters.
    pub fn words(&self) -> Vec<i64> {
        match self {
            LaunchKind::Transform { jobs, .. } => {
                let mut words: Vec<i64> = jobs.iter().flat_map(Job::words).collect();
                let each = words.len() / jobs.len().max(1);
                let axes = jobs.first().map_or(1, |job| job.axes.len());
                words.resize(self::jobs(axes) * each, 0);
                words
            }
            LaunchKind::Fold(fold) => fold.words(),
            LaunchKind::Scale(scale) => scale.words(),
        }
    }
}

/// A transform as a list of launches.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Distinct kernels, proved.
    pub kernels: Vec<Proved>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// The bands, where they stand one after the other; in the coefficient buffer they stand there unless
    /// [`Self::band_rows`] or [`Self::in_place`] say otherwise.
    pub bands: Vec<Band>,
    /// Elements of the array.
    pub signal_len: usize,
    /// Elements of the coefficient buffer.
    pub coefficient_len: usize,
    /// Where the bands' rows stand in it, for those of [`Self::bands`] in order, if there are gaps between them.
    pub band_rows: Option<Vec<BandRows>>,
    /// Elements of intermediate memory.
    pub workspace_len: usize,
    /// Whether the coefficient buffer has the array's shape and every coefficient stands in the place
    /// of its sample, instead of band after band.
    pub in_place: bool,
}

/// Why a program cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramError {
    /// The shape does not fit.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// No such scheme.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scheme does not fit the element type or the operation.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// No block shape fits.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Axes out of range, twice, none or too many.
    #[error("axes {axes:?} of an array with {dims} dimensions: expected 1 to 3 different axes")]
    Axes {
        /// What was given.
        axes: Vec<usize>,
        /// Dimensions of the array.
        dims: usize,
    },
    /// Rows cannot be aligned.
    #[error("rows that begin at multiples of {multiple} elements: {why}")]
    AlignRows {
        /// What was asked for.
        multiple: u32,
        /// What stands against it.
        why: Unaligned,
    },
    /// Sizes beyond 64 bits.
    #[error("an array of shape {shape:?} has more elements than memory has addresses")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
}

/// Plans the launches.
pub fn program(request: &ProgramRequest<'_>) -> Result<Program, ProgramError> {
    let dims = request.shape.len();
    let mut sorted = request.axes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let legal = !sorted.is_empty() && sorted.len() <= 3 && sorted.iter().all(|axis| *axis < dims);
    if !legal || sorted.len() != request.axes.len() {
        return Err(ProgramError::Axes { axes: request.axes.to_vec(), dims });
    }
    let fits = request.shape.iter().try_fold(1_usize, |product, n| product.checked_mul(*n));
    if fits.is_none_or(|len| len >= usize::MAX / 64) {
        return Err(ProgramError::TooLarge { shape: request.shape.to_vec() });
    }
    let lengths: Vec<usize> = request.axes.iter().map(|axis| request.shape[*axis]).collect();
    let decomposition = Decomposition::new(
        &request.wavelet.frame(),
        request.mode,
        &lengths,
        request.origins,
        request.levels,
    )?;
    let layout = bands(request.shape, request.axes, &decomposition);
    let (rows, coefficient_len) = rows_of(request, &layout)?;
    let dense: usize = layout.iter().map(|band| band.len).sum();
    let mut builder = Builder {
        request,
        kernels: Vec::new(),
        launches: Vec::new(),
        temporary: 0,
        workspace_len: 0,
    };
    let signal = Array::dense(Buffer::Signal, 0, request.shape.to_vec());
    let mut approximations = vec![signal];
    let mut end = 0;
    for (index, _) in decomposition.levels().iter().enumerate() {
        let last = index + 1 == decomposition.levels().len();
        let mut shape = request.shape.to_vec();
        for (i, axis) in request.axes.iter().enumerate() {
            shape[*axis] = decomposition.levels()[index].axes[i].low.len;
        }
        if last {
            // A layout's first band is the coarsest approximation.
            approximations.push(Array::band(rows[0], shape));
        } else {
            let array = builder.internal(end, shape);
            end += aligned(array.len());
            approximations.push(array);
        }
    }
    builder.workspace_len = end;
    let forward = request.operation.input() == Side::Signal;
    let in_place = request.strategy.scope == Scope::Levels;
    let count = decomposition.levels().len();
    if in_place {
        builder.workspace_len = 0;
        builder.fused(&decomposition)?;
    }
    let mut tiers = Vec::new();
    for (index, level) in decomposition.levels().iter().enumerate().filter(|_| !in_place) {
        let level_bands: Vec<Array> = (0..1 << request.axes.len())
            .map(|channel| {
                if channel == 0 {
                    return approximations[index + 1].clone();
                }
                let mut all = layout.iter().zip(&rows);
                let found = all.find(|(b, _)| b.level == index + 1 && b.channel == channel);
                // The layout lists every channel of every level.
                let (rows, shape) =
                    found.map_or_else(Default::default, |(band, rows)| (*rows, band.shape.clone()));
                Array::band(rows, shape)
            })
            .collect();
        tiers.push(Tier::new(level, &approximations[index], level_bands));
    }
    builder.temporary = end;
    builder.tiers(&tiers, forward)?;
    if count == 0 {
        builder.copy(forward, rows[0]);
    }
    builder.keep_used();
    Ok(Program {
        kernels: builder.kernels,
        launches: builder.launches,
        bands: layout,
        band_rows: (coefficient_len > dense).then_some(rows),
        signal_len: request.shape.iter().product(),
        coefficient_len,
        workspace_len: builder.workspace_len,
        in_place,
    })
}

/// Arrays begin at multiples of 128 elements, so that every one is aligned for wide accesses.
fn aligned(len: usize) -> usize {
    len.next_multiple_of(128)
}

impl Builder<'_> {
    /// All levels, finest first; several in one launch where that can be.
    fn tiers(&mut self, tiers: &[Tier], forward: bool) -> Result<(), ProgramError> {
        let mut parts = Vec::new();
        let mut next = 0;
        while next < tiers.len() {
            let deep = self.deep(&tiers[next..])?;
            let levels = deep.as_ref().map_or(1, |deep| deep.levels);
            parts.push((next, deep));
            next += levels;
        }
        if !forward {
            parts.reverse();
        }
        let first = self.temporary;
        for (index, deep) in parts {
            self.temporary = first;
            let tier = &tiers[index];
            match deep {
                Some(Deep { frame, kernel, jobs, .. }) => {
                    if let Some(frame) = &frame {
                        self.launch_frame(frame, &tiers[index..])?;
                    }
                    self.launches.extend(Launch::transforms(kernel, &jobs));
                }
                None => self.level(&tier.geometry, &tier.signal, &tier.bands)?,
            }
        }
        Ok(())
    }

    /// Forgets kernels that no launch runs: nobody should compile them.
    fn keep_used(&mut self) {
        let mut places = vec![None; self.kernels.len()];
        let mut used = Vec::new();
        for launch in &mut self.launches {
            let LaunchKind::Transform { kernel, .. } = launch else { continue };
            let place = places[*kernel].get_or_insert_with(|| {
                used.push(self.kernels[*kernel].clone());
                used.len() - 1
            });
            *kernel = *place;
        }
        self.kernels = used;
    }
}

/// Collects kernels and launches.
struct Builder<'a> {
    request: &'a ProgramRequest<'a>,
    kernels: Vec<Proved>,
    launches: Vec<Launch>,
    temporary: usize,
    workspace_len: usize,
}
