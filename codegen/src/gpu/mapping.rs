//! How a kernel's tile is shared out among the threads of a block.

use crate::kernel::{Exchange, Kernel, Side};
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

/// Where rows are aligned for wide accesses, seen from the pair with which lanes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Alignment {
    /// Samples by which the signal's rows are aligned later than the even sample of that pair.
    pub signal: i32,
    /// Pairs by which rows of approximations and of details are aligned later.
    pub bands: [i32; 2],
    /// The same for the next levels, where these run in the same strip.
    pub deeper: [[i32; 2]; 2],
}

impl Alignment {
    /// Pairs by which each plane of a side begins later: even and odd samples, or approximations and
    /// details.
    pub fn leads(&self, side: Side) -> [i32; 2] {
        match side {
            Side::Signal => [(self.signal + 1).div_euclid(2), self.signal.div_euclid(2)],
            Side::Bands => self.bands,
        }
    }

    /// What the next level in the same strip sees: its signal are the approximations.
    pub(super) fn next(&self) -> Self {
        let [bands, then] = self.deeper;
        Self { signal: self.bands[0], bands, deeper: [then, [0; 2]] }
    }

    /// Pairs or samples by which any rows are aligned later or earlier.
    pub(super) fn most(&self) -> i32 {
        let bands = self.bands.into_iter().chain(self.deeper.into_iter().flatten());
        bands.chain([self.signal]).map(i32::abs).max().unwrap_or(0)
    }
}

/// The most levels that walks along a line run.
pub const MOST_STRETCHED: usize = 5;

/// By how many pairs walks along a line are behind, level by level, finest first: such that everything is read and
/// written where it is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lags {
    /// With each plane of the input.
    pub read: [[i32; 2]; MOST_STRETCHED],
    /// With each channel of the output.
    pub written: [[i32; 2]; MOST_STRETCHED],
}

/// Where the coefficients of a linear combination stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taps {
    /// Constants in the code; tables only for sums that are too long to be written out.
    Code,
    /// Tables in memory, and loops over them.
    Memory,
}

/// What one launch transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One axis of a level, or two in strips; all axes of schemes that are not separable.
    Axis,
    /// All axes of a level.
    Level,
    /// All levels, every coefficient in the place of its sample.
    Levels,
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
    /// Groups of columns that a lane of a strip owns, 1 in walks along lines; 0 for tiles.
    pub groups: u32,
    /// Neighbouring pairs of a lane in a group, or of a chunk; 0 for tiles.
    pub pairs: u32,
    /// Pairs of rows that a lane of a strip along three axes holds beside each other; 0 for all others.
    pub beside: u32,
    /// Strips: where all rows are aligned, if they are.
    pub alignment: Option<Alignment>,
    /// Strips: whether lines begin anew beyond their ends, a whole number of accesses long, so that strips at
    /// ends differ from others by nothing but where they read.
    pub wraps: bool,
    /// Strips of several levels: rows of approximations that a walk at an end keeps, as others are copies of them; 0 where
    /// none are.
    pub between: u32,
    /// Strips of inverses: pairs by which sectors of the signal's rows begin later than lanes may begin, if rows are
    /// whole sectors. It moves strips, and what they compute stays the same.
    pub sectors: Option<u32>,
    /// Walks along a line, level after level: where these read and write. `None` for all other kernels.
    pub lags: Option<Lags>,
    /// Blocks that must fit a multiprocessor at once, at the cost of registers; 0 if that is open.
    pub resident: u32,
    /// Pairs of rows (or chunks of a line) in the ring in shared memory through which a walk's rows arrive, by
    /// asynchronous copies where the card has them; 0 for tiles.
    pub depth: u32,
    /// Strips along two axes: whether the lanes' axis is transformed before the walk's.
    pub across_first: bool,
    /// Where coefficients stand.
    pub taps: Taps,
    /// Exchange by launches: whether another launch goes on from the results, which then lie as the
    /// samples of a signal do.
    pub interleaved: bool,
    /// Levels that run in one launch: in place, in one strip, or in walks along a line; 0 for the one level of all other
    /// kernels.
    pub levels: u32,
}

impl Mapping {
    /// A block of one pair and one thread, from which shapes are made.
    pub const fn new(exchange: Exchange, own: Arrival) -> Self {
        Self {
            exchange,
            own,
            tile: [1; 3],
            lanes: 1,
            threads: 1,
            contiguous: false,
            groups: 0,
            pairs: 0,
            beside: 0,
            alignment: None,
            wraps: false,
            between: 0,
            sectors: None,
            lags: None,
            resident: 0,
            depth: 0,
            across_first: false,
            taps: Taps::Code,
            interleaved: false,
            levels: 0,
        }
    }

    /// Whether every thread reads what it needs from global memory.
    pub fn is_global(&self) -> bool {
        matches!(self.exchange, Exchange::Global | Exchange::Launch)
    }
}

/// How all kernels of a program are mapped: an exchange, where own values live, and shapes where they
/// are not to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strategy {
    /// How neighbours' values arrive at every cut.
    pub exchange: Exchange,
    /// Where own values live.
    pub own: Arrival,
    /// Whether constant parts are split off the factors (Barina et al.).
    pub split: bool,
    /// Where coefficients stand.
    pub taps: Taps,
    /// What a launch transforms.
    pub scope: Scope,
    /// Whether the tile with its halo, not the tile, is what the threads of a block divide evenly.
    pub filled: bool,
    /// Samples of a thread, where that is what shapes a block; chosen if `None`.
    pub items: Option<u32>,
    /// Output pairs of a block per axis; chosen if `None`.
    pub tile: Option<[u32; 3]>,
    /// Lanes of a block across a contiguous axis; chosen if `None`.
    pub lanes: Option<u32>,
    /// Threads of a block; chosen if `None`.
    pub threads: Option<u32>,
    /// Row pairs that a strip walks, or chunks of a line; chosen if `None`.
    pub rows: Option<u32>,
    /// Groups of columns of a strip's lane, or along three axes pairs of rows; chosen if `None`.
    pub groups: Option<u32>,
    /// Neighbouring pairs of a strip's lane in a group; chosen if `None`.
    pub pairs: Option<u32>,
    /// Blocks of strips that must fit a multiprocessor at once; open if `None`.
    pub resident: Option<u32>,
    /// Pairs of rows in a strip's ring; chosen if `None`.
    pub depth: Option<u32>,
    /// Levels that a strip runs at most, the next ones on its own approximations; chosen if `None`.
    pub deep: Option<u32>,
    /// Axes that a strip transforms at most, 2 or 3; chosen if `None`.
    pub together: Option<u32>,
    /// Pairs of a lane where warps walk along a line through several levels, 2, 4, 8 or 16; 0 for no such walks; chosen if
    /// `None`.
    pub stretch: Option<u32>,
}

/// Pairs of rows ahead of a walk, unless told.
pub(super) const DEPTH: u32 = 3;

/// The same in strips of two levels and of long filters: their iterations take longer, and fewer warps are resident.
pub(super) const DEEP_DEPTH: u32 = 5;

/// Row pairs that a strip walks at most, unless told.
pub(super) const ROWS: u32 = 32;

/// Pairs of every thread of a trapezoid.
const ITEMS: u32 = 4;

impl Strategy {
    /// Tiles in shared memory.
    pub const SHARED: Self = Self::plain(Exchange::Shared, Arrival::Memory);

    /// Every thread reads its whole reach from global memory.
    pub const GLOBAL: Self = Self::plain(Exchange::Global, Arrival::Memory);

    /// Shared memory for what neighbours read, registers for the rest.
    pub const TRAPEZOID: Self = Self::plain(Exchange::Shared, Arrival::Registers);

    /// A warp walks down a strip of columns: shuffles across, registers along, no shared memory.
    pub const STREAM: Self = Self::plain(Exchange::Stream, Arrival::Registers);

    /// One launch for every step between two cuts, values through global memory in between.
    pub const LAUNCH: Self = Self::plain(Exchange::Launch, Arrival::Memory);

    /// Every thread reads its whole reach from global memory, and the taps from a table.
    pub const GLOBAL_TAPS: Self = Self { taps: Taps::Memory, ..Self::GLOBAL };

    /// All levels in one launch, for kernels that read no neighbours; on the card, coefficients then
    /// stand where their samples stood (the mixed-band layout).
    pub const MIXED: Self = Self { scope: Scope::Levels, ..Self::TRAPEZOID };

    /// All axes of a level in one tile in shared memory.
    pub const JOINT: Self = Self { scope: Scope::Level, ..Self::SHARED };

    /// The same with one exchange an axis: between, neighbours' values are computed again in registers
    /// (*reg* of Quan and Jeong).
    pub const REG: Self =
        Self { scope: Scope::Level, ..Self::plain(Exchange::Recompute, Arrival::Memory) };

    /// Tiles that fill the threads of their block, several samples each (*ilp* of Quan and Jeong).
    pub const ILP: Self = Self { filled: true, ..Self::JOINT };

    /// Tiles in registers: shuffles along the rows, turned through shared memory, shuffles between
    /// lanes that hold runs of a column (*hybrid* of Quan and Jeong).
    pub const HYBRID: Self = Self::plain(Exchange::Transpose, Arrival::Registers);

    /// Tiles in the registers of one warp: shuffles along the rows, columns within a lane
    /// (*full-register* of Quan and Jeong).
    pub const FULL_REGISTER: Self = Self::plain(Exchange::Shuffle, Arrival::Registers);

    /// Every method with its name: those of `--strategy`.
    pub const NAMED: [(&str, Self); 18] = [
        ("stream", Self::STREAM),
        ("stream-split", Self { split: true, ..Self::STREAM }),
        ("shared", Self::SHARED),
        ("shared-split", Self { split: true, ..Self::SHARED }),
        ("global", Self::GLOBAL),
        ("global-split", Self { split: true, ..Self::GLOBAL }),
        ("trapezoid", Self::TRAPEZOID),
        ("trapezoid-split", Self { split: true, ..Self::TRAPEZOID }),
        ("launch", Self::LAUNCH),
        ("launch-split", Self { split: true, ..Self::LAUNCH }),
        ("global-taps", Self::GLOBAL_TAPS),
        ("joint", Self::JOINT),
        ("joint-split", Self { split: true, ..Self::JOINT }),
        ("reg", Self::REG),
        ("ilp", Self::ILP),
        ("hybrid", Self::HYBRID),
        ("full-register", Self::FULL_REGISTER),
        ("mixed", Self::MIXED),
    ];

    /// Published names of methods that another name, and perhaps a shape, stands for.
    pub const ALIASES: [(&str, Self); 5] = [
        ("gmem", Self::GLOBAL),
        // Blocks of 32 x 16 threads, one for every sample of an output.
        ("smem", Self { tile: Some([8, 16, 1]), threads: Some(512), ..Self::JOINT }),
        // Blocks of 32 x 32 threads with a pair each.
        ("warp", Self { threads: Some(1024), items: Some(2), ..Self::HYBRID }),
        // Blocks of 32 x 32 threads for 32 x 32 samples, and with half of them.
        ("one-pixel", Self { tile: Some([16, 16, 1]), threads: Some(1024), ..Self::JOINT }),
        ("two-pixels", Self { tile: Some([16, 16, 1]), threads: Some(512), ..Self::JOINT }),
    ];

    /// The method of a name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMED.iter().chain(&Self::ALIASES);
        all.find(|(known, _)| *known == name).map(|(_, strategy)| *strategy)
    }

    /// Whether the samples of a thread are part of the method.
    pub fn has_items(&self) -> bool {
        self.filled || self.turns()
    }

    /// Whether tiles lie in registers, as those of `hybrid` and `full-register`.
    pub fn turns(&self) -> bool {
        matches!(self.exchange, Exchange::Transpose | Exchange::Shuffle)
    }

    /// The name of the method, whatever the shapes.
    pub fn name(&self) -> &'static str {
        let Self { split, taps, scope, filled, .. } = *self;
        let plain = Self { split, taps, scope, filled, ..Self::plain(self.exchange, self.own) };
        let known = Self::NAMED.iter().find(|(_, strategy)| *strategy == plain);
        known.map_or("unnamed", |(name, _)| name)
    }

    const fn plain(exchange: Exchange, own: Arrival) -> Self {
        Self {
            exchange,
            own,
            split: false,
            taps: Taps::Code,
            scope: Scope::Axis,
            filled: false,
            items: None,
            tile: None,
            lanes: None,
            threads: None,
            rows: None,
            groups: None,
            pairs: None,
            resident: None,
            depth: None,
            deep: None,
            together: None,
            stretch: None,
        }
    }

    /// The shape of strips for a kernel along both axes, or along one that is contiguous or not. The
    /// tile's extent across follows from the lanes that are not halo, see
    /// [`Strip::useful`](super::Strip::useful).
    pub fn strips(&self, contiguous: bool, across_first: bool) -> Mapping {
        Mapping {
            tile: [self.rows.unwrap_or(ROWS), 1, 1],
            threads: self.threads.unwrap_or(64),
            contiguous,
            groups: self.groups.unwrap_or(0),
            pairs: self.pairs.unwrap_or(0),
            resident: self.resident.unwrap_or(0),
            depth: self.depth.unwrap_or(DEPTH),
            across_first,
            ..Mapping::new(self.exchange, self.own)
        }
    }

    /// The shape for a kernel whose last axis is contiguous, or is not.
    pub fn mapping(&self, kernel: &Kernel, contiguous: bool) -> Mapping {
        let (tile, lanes, threads) = match (self.exchange, kernel.axes, contiguous) {
            (Exchange::Global | Exchange::Launch, 1, true) => ([256, 1, 1], 1, 256),
            (Exchange::Global | Exchange::Launch, 1, false) => ([8, 1, 1], 32, 256),
            (Exchange::Global | Exchange::Launch, 2, _) => ([8, 32, 1], 1, 256),
            (Exchange::Global | Exchange::Launch, _, _) => ([2, 4, 32], 1, 256),
            (_, 1, true) => ([512, 1, 1], 1, 256),
            (_, 1, false) => ([32, 1, 1], 32, 256),
            (_, 2, _) => ([16, 32, 1], 1, 256),
            (_, _, _) => ([4, 8, 16], 1, 256),
        };
        let (tile, threads) = match self.filled && kernel.axes > 1 {
            true => self.filling(kernel),
            false => (tile, threads),
        };
        let threads = self.threads.unwrap_or(threads);
        let lanes = if contiguous { 1 } else { self.lanes.unwrap_or(lanes) };
        let tile = self.tile.unwrap_or_else(|| {
            let halo = (kernel.halo.before[0] + kernel.halo.after[0]).max(0).unsigned_abs();
            // A trapezoid's block is full at its base: the halo comes out of the tile.
            match self.own {
                Arrival::Registers
                    if kernel.axes == 1 && contiguous && threads.saturating_mul(ITEMS) > halo =>
                {
                    [threads.saturating_mul(ITEMS) - halo, 1, 1]
                }
                _ => tile,
            }
        });
        Mapping {
            tile,
            lanes,
            threads,
            contiguous,
            taps: self.taps,
            ..Mapping::new(self.exchange, self.own)
        }
    }

    /// Tile and threads of a block: the tile with its halo has so many samples a thread.
    fn filling(&self, kernel: &Kernel) -> ([u32; 3], u32) {
        let threads = self.threads.unwrap_or(512).max(1);
        let corner = 1 << kernel.axes;
        let items = (self.items.unwrap_or(if kernel.axes == 2 { 4 } else { 16 }) / corner).max(1);
        // 32 pairs side by side, or 16 and 8: the halo of volumes is what costs.
        let [b, c] = if kernel.axes == 2 { [32, 1] } else { [8, 16] };
        let filled = [(threads.saturating_mul(items) / (b * c)).max(1), b, c];
        let tile = std::array::from_fn(|axis| {
            let halo = kernel.halo.before[axis] + kernel.halo.after[axis];
            let left = filled[axis].saturating_sub(halo.max(0).unsigned_abs());
            if axis < kernel.axes { left.max(1) } else { 1 }
        });
        (tile, threads)
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lags.is_some() {
            let (levels, pairs, threads, depth) =
                (self.levels, self.pairs, self.threads, self.depth);
            return write!(
                f,
                "{levels} level{} in stretches of 32 lanes of {pairs} pairs, blocks of {threads} threads, a ring of {depth} chunks",
                if levels == 1 { "" } else { "s" }
            );
        }
        if self.groups > 0 {
            let (groups, pairs, threads) = (self.groups, self.pairs, self.threads);
            let aligned = match self.alignment {
                None => String::new(),
                Some(Alignment { signal: 0, bands: [0, 0], .. }) => "aligned ".to_owned(),
                Some(Alignment { signal, bands: [0, details], .. }) => {
                    format!("aligned (signal by {signal}, details by {details}) ")
                }
                Some(Alignment { signal, bands: [approximations, details], .. }) => format!(
                    "aligned (signal by {signal}, approximations by {approximations}, details by {details}) "
                ),
            };
            if self.levels > 1 {
                write!(f, "{} levels in ", self.levels)?;
            }
            match self.beside {
                0 => write!(f, "{aligned}strips of {groups} x 32 lanes of {pairs} pairs")?,
                rows => write!(
                    f,
                    "{aligned}strips of {rows} pairs of rows x 32 lanes of {pairs} pairs"
                )?,
            }
            write!(f, ", blocks of {threads} threads")?;
            if self.wraps {
                write!(f, ", lines that begin anew")?;
            }
            if self.between > 0 {
                write!(f, ", {} rows of copies between levels", self.between)?;
            }
            return match self.depth {
                0 => Ok(()),
                depth if self.beside > 0 => write!(f, ", a ring of {depth} pairs of slices"),
                depth => write!(f, ", a ring of {depth} pairs of rows"),
            };
        }
        let [a, b, c] = self.tile;
        if self.levels > 0 {
            write!(f, "{} levels in place, ", self.levels)?;
        }
        write!(f, "tile {a} x {b} x {c} pairs, {} lanes, {} threads", self.lanes, self.threads)
    }
}
