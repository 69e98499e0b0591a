//! Several levels in one launch, in place: for kernels that read no neighbours.
//!
//! A kernel without reach makes the `2^d` coefficients of a position out of its `2^d` samples and of
//! nothing else. With every coefficient in the place of its sample (the mixed-band layout of Quan and
//! Jeong) level `l` works on the positions that are multiples of `2^(l-1)`, and tiles of `2^levels`
//! samples per axis have nothing to do with each other. A thread holds a box of such a tile in
//! registers and runs the first levels there; one value of every box remains, and the other levels
//! run on these in shared memory.

use super::mapping::Mapping;
use super::program::MappedKernel;
use super::proof::{KernelInfo, Proved, live_values};
use super::refusal::ProofError;
use crate::dag::build::HERE;
use crate::dag::{Contraction, Dag};
use crate::kernel::Margin;
use waveloom_wavelets::algebra::MAX_AXES;

/// A kernel of several levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// What one position does: leaves and stores are channels at the position.
    pub cell: Dag,
    /// All levels.
    pub levels: u32,
    /// Levels that a thread runs in its registers, on a box of `2^own` samples per axis.
    pub own: u32,
    /// Boxes of a block per axis.
    pub boxes: [usize; MAX_AXES],
}

impl Fused {
    /// Plans and proves: no leaf is another position's, blocks consist of whole tiles.
    ///
    /// # Errors
    /// [`ProofError::Reach`], [`ProofError::Levels`].
    pub(super) fn new(mapped: &MappedKernel) -> Result<Self, ProofError> {
        let (kernel, mapping) = (&mapped.kernel, &mapped.mapping);
        let contraction = match kernel.element.is_integer() {
            true => Contraction::Separate,
            false => Contraction::Fused,
        };
        let cell = Dag::outputs(kernel, 0, &[HERE])?.optimised(contraction);
        if let Some(place) = cell.leaves().find(|place| place.offset != HERE) {
            return Err(ProofError::Reach { offset: place.offset });
        }
        let Some(tile) = 1_u32.checked_shl(mapping.levels) else {
            return Err(ProofError::Shape { mapping: Box::new(*mapping) });
        };
        let own = own(kernel.axes, mapping.levels);
        let boxes: [usize; MAX_AXES] = std::array::from_fn(|axis| {
            if axis < kernel.axes { (2 * mapping.tile[axis] as usize) >> own } else { 1 }
        });
        let whole = |axis: usize| (2 * mapping.tile[axis]).is_multiple_of(tile);
        let threads = boxes.iter().product::<usize>() * mapping.lanes as usize;
        if !(0..kernel.axes).all(whole) || threads != mapping.threads as usize {
            return Err(ProofError::Shape { mapping: Box::new(*mapping) });
        }
        Ok(Self { cell, levels: mapping.levels, own, boxes })
    }

    /// Samples of a thread's box along an axis.
    pub fn edge(&self) -> usize {
        1 << self.own
    }

    /// Values of a block that stand in shared memory.
    pub(super) fn shared(&self, mapping: &Mapping) -> usize {
        if self.levels > self.own { mapping.threads as usize } else { 0 }
    }

    /// Barriers of a block.
    pub(super) fn barriers(&self) -> usize {
        if self.levels > self.own { (self.levels - self.own + 1) as usize } else { 0 }
    }
}

/// Levels in registers: a box then has 8, 16 or 64 samples.
fn own(axes: usize, levels: u32) -> u32 {
    levels.min(if axes == 1 { 3 } else { 2 })
}

/// Threads of a block, unless told or unless a tile needs more.
const THREADS: usize = 128;

/// Lanes beside each other, where these are what is contiguous.
const LANES: usize = 32;

/// The shape of a block of `levels` levels: whole tiles, as wide along the last axis as there are
/// threads.
///
/// # Errors
/// [`ProofError::Levels`] if no block has as many threads as a tile needs.
pub(super) fn shape(
    mapping: Mapping,
    axes: usize,
    levels: usize,
    element_bytes: usize,
    threads: Option<u32>,
) -> Result<Mapping, ProofError> {
    // A box of a volume takes so many registers that fewer threads have them.
    let most: usize = match (axes, element_bytes) {
        (3, 8) => 256,
        (3, _) => 512,
        _ => 1024,
    };
    let limit = (0..=16).rev().find(|levels: &u32| {
        let boxes = 1_usize << (levels - own(axes, *levels));
        boxes.checked_pow(axes as u32).is_some_and(|threads| threads <= most)
    });
    let limit = limit.unwrap_or(0) as usize;
    if levels > limit {
        return Err(ProofError::Levels { levels, limit, axes });
    }
    let levels = levels as u32;
    let own = own(axes, levels);
    let least = 1_usize << (levels - own);
    let wanted = threads.map_or(THREADS, |threads| threads as usize).min(most);
    let tile = least.pow(axes as u32);
    let lanes = if mapping.contiguous { 1 } else { (wanted / tile).clamp(1, LANES) };
    let across = if axes > 1 { tile / least } else { 1 } * lanes;
    let last = (wanted / across / least).max(1) * least;
    let boxes = |axis: usize| if axis + 1 == axes { last } else { least };
    let pairs = |axis: usize| (boxes(axis) << own) as u32 / 2;
    Ok(Mapping {
        tile: std::array::from_fn(|axis| if axis < axes { pairs(axis) } else { 1 }),
        lanes: lanes as u32,
        threads: (across * last) as u32,
        levels,
        ..mapping
    })
}

/// Proves levels in place: nobody reads what another thread of the same level writes.
pub(super) fn levels(mapped: &MappedKernel) -> Result<Proved, ProofError> {
    let fused = Fused::new(mapped)?;
    let (kernel, mapping) = (&mapped.kernel, &mapped.mapping);
    let values = fused.edge().pow(kernel.axes as u32);
    let all = values * mapping.threads as usize;
    let info = KernelInfo {
        halo: Margin::default(),
        barriers: fused.barriers(),
        shared_bytes: fused.shared(mapping) * kernel.element.bytes(),
        operations: fused.cell.counts().operations(),
        registers: (values + live_values(&fused.cell)) * kernel.element.bytes().div_ceil(4),
        loads: all,
        stores: all,
    };
    info.within_limits(mapping)?;
    Ok(Proved::in_place(mapped.clone(), fused, info))
}
