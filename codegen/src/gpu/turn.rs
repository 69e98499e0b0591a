//! Tiles in registers that are turned: lanes exchange by shuffles along the rows, the tile changes
//! hands through shared memory, and lanes exchange along the columns (*hybrid* of Quan and Jeong; with
//! one pair a lane their *warp*). With a warp of its own for every tile (*full-register*) nothing
//! changes hands: a lane holds whole columns.
//!
//! A tile is as wide as a warp: 32 pairs, a pair a lane. Along the columns a lane holds a run of pairs
//! of one column, and the lanes of a column are neighbours of each other. What is halo on either axis
//! follows from the kernel's steps, pair by pair; see [`Across`].

use super::mapping::Mapping;
use super::program::MappedKernel;
use super::proof::{KernelInfo, Proved};
use super::refusal::ProofError;
use super::strip::{Across, StripError, WARP};
use crate::dag::Dag;
use crate::dag::build::HERE;
use crate::kernel::Exchange;

/// A tile in registers, turned between its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Turned {
    /// The transform of rows, over the lanes of a warp.
    pub across: Across,
    /// The transform of columns, over the lanes of a column.
    pub along: Across,
    /// Whether rows come first.
    pub across_first: bool,
    /// Whether the tile changes hands through shared memory.
    pub turned: bool,
    /// Warps of a block: of one tile if it is turned, else each with its own.
    pub warps: usize,
    /// Samples of a column, halo included.
    pub rows: usize,
    /// The first pair of a tile, counted from the halo's first, whose outputs are right; by axis.
    pub first: [usize; 2],
    /// How many are from there on.
    pub useful: [usize; 2],
}

impl Turned {
    /// Plans and proves the tiles of a mapped kernel.
    ///
    /// # Errors
    /// [`ProofError::Turn`] for shapes that no tile has, [`ProofError::Strip`] for kernels that reach
    /// too far.
    pub(super) fn new(mapped: &MappedKernel) -> Result<Self, ProofError> {
        let mapping = &mapped.mapping;
        let [before, after] = mapped.lines.as_slice() else {
            return Err(StripError::Lines { lines: mapped.lines.len() }.into());
        };
        let (across, along) = if mapping.across_first { (before, after) } else { (after, before) };
        let turned = mapping.exchange == Exchange::Transpose;
        let (warps, pairs) = ((mapping.threads / WARP) as usize, mapping.pairs as usize);
        let whole = mapping.threads.is_multiple_of(WARP) && (1..=16).contains(&pairs);
        let fits = warps.is_power_of_two() && warps <= 32 && (!turned || warps >= 2);
        if !whole || !fits {
            return Err(ProofError::Turn { threads: mapping.threads, pairs: mapping.pairs });
        }
        let (across, wide) = Across::over(across, WARP as usize, 1)?;
        let lanes = if turned { warps / 2 } else { 1 };
        let (along, high) = Across::over(along, lanes, pairs)?;
        Ok(Self {
            across,
            along,
            across_first: mapping.across_first,
            turned,
            warps,
            rows: 2 * lanes * pairs,
            first: [high[0], wide[0]],
            useful: [high[1], wide[1]],
        })
    }

    /// Rows of a thread while rows are transformed.
    pub fn rows_each(&self) -> usize {
        if self.turned { self.rows / self.warps } else { self.rows }
    }

    /// Columns of a warp while columns are transformed, side by side in its lanes.
    pub fn columns(&self) -> usize {
        if self.turned { 2 * WARP as usize / self.warps } else { WARP as usize }
    }

    /// Output pairs of a block.
    pub(super) fn tile(&self) -> [u32; 3] {
        let high = self.useful[0] * if self.turned { 1 } else { self.warps };
        [high as u32, self.useful[1] as u32, 1]
    }

    /// Values of a row of the tile in shared memory: one more than there are, so that columns begin in
    /// different banks.
    pub fn pitch(&self) -> usize {
        2 * WARP as usize + 1
    }
}

/// Threads and pairs of a column's lane, for so many samples of a thread.
pub(super) fn shape(mapping: Mapping, threads: Option<u32>, items: u32) -> Mapping {
    let (threads, each) = match mapping.exchange {
        Exchange::Transpose => (threads.unwrap_or(256), 2),
        _ => (threads.unwrap_or(128), 4),
    };
    Mapping { threads, pairs: items / each, contiguous: true, ..mapping }
}

/// Proves tiles in registers: between barriers, no two threads share a place of the tile.
pub(super) fn turning(mapped: &MappedKernel) -> Result<Proved, ProofError> {
    let turned = Turned::new(mapped)?;
    let mut mapped = mapped.clone();
    mapped.mapping.tile = turned.tile();
    let kernel = &mapped.kernel;
    let tiles = if turned.turned { 1 } else { turned.warps };
    let bytes = kernel.element.bytes();
    let info = KernelInfo {
        halo: kernel.halo,
        barriers: if turned.turned { 3 } else { 0 },
        shared_bytes: if turned.turned { turned.rows * turned.pitch() * bytes } else { 0 },
        operations: 2 * (turned.across.operations() + turned.along.operations()),
        registers: (2 * turned.rows_each() + 30) * bytes.div_ceil(4),
        loads: tiles * turned.rows * 2 * WARP as usize,
        stores: tiles * 4 * turned.useful[0] * turned.useful[1],
    };
    info.within_limits(&mapped.mapping)?;
    let store = Dag::outputs(kernel, kernel.segments.len(), &[HERE])?;
    Ok(Proved::turning(mapped, turned, store, info))
}

#[cfg(test)]
mod tests {
    use crate::gpu::{ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, SchemeKind, catalogue};

    fn useful(name: &str, operation: Operation, strategy: Strategy) -> ([usize; 2], usize) {
        let wavelet = catalogue::wavelet(name).unwrap();
        let made = program(&ProgramRequest {
            wavelet: &wavelet,
            kind: SchemeKind::SeparableLifting,
            shape: &[256, 256],
            axes: &[0, 1],
            mode: Mode::Symmetric,
            origins: &[],
            levels: 1,
            align_rows: None,
            element: Element::F32,
            operation,
            strategy,
        })
        .unwrap();
        let turned = made.kernels[0].turned().unwrap();
        (turned.useful, turned.rows)
    }

    /// The outputs of a tile of 64 x 32 samples as Quan and Jeong print them, section 4.3: 64 x 32 for
    /// Haar, 60 x 28 for 5/3 and 56 x 24 for 9/7.
    #[test]
    fn halos_are_those_that_are_published() {
        for strategy in [
            Strategy::HYBRID,
            Strategy::named("warp").unwrap(),
            Strategy { items: Some(64), ..Strategy::FULL_REGISTER },
        ] {
            for (name, expected) in [("haar", [16, 32]), ("bior2.2", [14, 30]), ("irr97", [12, 28])]
            {
                let (found, rows) = useful(name, Operation::Forward, strategy);
                assert_eq!((found, rows), (expected, 32), "{name} {strategy}");
                // Registers that drift cost a pair on either side, and save shuffles.
                let ([high, wide], _) = useful(name, Operation::Inverse, strategy);
                assert!(
                    high + 2 >= expected[0] && wide + 2 >= expected[1],
                    "{name} {strategy} {high} {wide}"
                );
            }
        }
    }
}
