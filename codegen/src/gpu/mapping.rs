//! How a kernel's tile is shared out among the threads of a block.

use crate::kernel::Exchange;
use std::fmt;

/// Where a position's values live between segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrival {
    /// All in shared memory.
    Memory,
    /// A position's own values stay in its thread's registers; only what neighbours read goes
    /// through shared memory (the trapezoid of Puchala and Stokfiszewski).
    Registers,
}

/// A block's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// How neighbours' values arrive.
    pub exchange: Exchange,
    /// Where own values live.
    pub own: Arrival,
    /// Output pairs of a block, per axis (1 for axes the kernel does not have).
    pub tile: [u32; 3],
    /// Lanes of a block: neighbouring lines side by side, for kernels along an axis that is not
    /// contiguous.
    pub lanes: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether neighbours along the kernel's last axis are neighbours in memory.
    pub contiguous: bool,
}

impl Mapping {
    /// A good shape for kernels along the contiguous axis (`lanes` 1) or another axis.
    pub fn default_for(exchange: Exchange, axes: usize, contiguous: bool) -> Self {
        let own = Arrival::Memory;
        let (tile, lanes, threads) = match (exchange, axes, contiguous) {
            (Exchange::Global, 1, true) => ([256, 1, 1], 1, 256),
            (Exchange::Global, 1, false) => ([8, 1, 1], 32, 256),
            (Exchange::Global, 2, _) => ([8, 32, 1], 1, 256),
            (Exchange::Global, _, _) => ([2, 4, 32], 1, 256),
            (_, 1, true) => ([512, 1, 1], 1, 256),
            (_, 1, false) => ([32, 1, 1], 32, 256),
            (_, 2, _) => ([16, 32, 1], 1, 256),
            (_, _, _) => ([4, 8, 16], 1, 256),
        };
        Self { exchange, own, tile, lanes, threads, contiguous }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.tile;
        write!(f, "tile {a} x {b} x {c} pairs, {} lanes, {} threads", self.lanes, self.threads)
    }
}
