//! Strips: a warp owns neighbouring columns, walks down the rows and reads every sample once.
//!
//! Along the contiguous axis a lane holds a few pairs in registers and takes its neighbours' values by
//! shuffles ([`Across`]); along the axis that is walked, every column is a pipeline whose window is
//! a few registers ([`Along`]). The lanes at both ends of a strip are halo, and so are the first
//! iterations of a walk. Rows arrive through a ring in shared memory that is the warp's own: strips need no
//! barrier. With three axes, warps whose blocks of rows overlap have one in common, and one barrier an iteration
//! ([`Strip::joint`]).
//!
//! Four shapes of kernel are strips: along both axes (two or more transformed axes), across only
//! (one contiguous axis; rows are the batch), along only (one axis that is not contiguous; columns
//! are the batch), and along three axes: a lane then holds a block of rows of every slice and transforms
//! it by itself ([`Beside`]).
//!
//! Strips that transform across can run several levels: see [`Strip::deeper`].

mod across;
mod along;
mod beside;
mod cut;
mod deeper;
mod interior;
mod joint;
mod round;
mod sectors;
mod way;

pub use across::{Across, AcrossStage, Shifted};
pub use along::{Along, AlongUpdate};
pub use beside::{Beside, Run};
pub(super) use cut::cut;
pub use deeper::{Descent, Rise};
pub use interior::{Ends, Inside, PART_FIELDS, Parts, part_fields, part_words};
pub(super) use interior::{ends_of, parts};
pub(super) use round::LONGEST;
pub use sectors::SECTOR;
pub use way::Way;

use super::mapping::{Alignment, Mapping};
use super::program::MappedKernel;
use crate::dag::DagError;
use crate::kernel::{Gains, Side};

/// Lanes of a warp.
pub const WARP: u32 = 32;

/// Operations of a sample that are little work.
const LIGHT_WORK: i32 = 8;

/// Pairs of rows in a ring of strips at ends between whose levels copies stand.
const ENDS_DEPTH: usize = 3;

/// Sizes of `struct Source` and `struct Target` in the text.
const SOURCE_BYTES: usize = 416;
const TARGET_BYTES: usize = 16;

/// Sizes of `struct Axis`, `struct Slice` and `struct Shelf` in the text, and of a place of a row.
const AXIS_BYTES: usize = 128;
const SLICE_BYTES: usize = 24;
const SHELF_BYTES: usize = 8;
const PLACE_BYTES: usize = 4;

/// Elements at the ends of a row that sums beyond them are made of: the first two and the last two, as in edges.cuh.
pub const EDGES: usize = 4;

/// Why a kernel cannot run in strips.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StripError {
    /// The graphs cannot be built.
    #[error(transparent)]
    Dag(#[from] DagError),
    /// The filter reaches too far for a strip's lanes.
    #[error(
        "a strip of {lanes} lanes has too few for a halo of {halo}; choose more groups of columns or exchange shared"
    )]
    Reach {
        /// Lanes of the strip, all groups.
        lanes: usize,
        /// Lanes that are halo.
        halo: usize,
    },
    /// A segment that leaves two values of one plane behind.
    #[error(
        "segment {segment} writes plane {plane} at several offsets, which registers cannot follow"
    )]
    Scattered {
        /// Which segment.
        segment: usize,
        /// Which plane.
        plane: usize,
    },
    /// Not a kernel of one line, or of two or three crossing ones.
    #[error("a strip runs one to three kernels along one axis each, got {lines}")]
    Lines {
        /// How many lines were given.
        lines: usize,
    },
    /// Warps and groups out of range.
    #[error(
        "a strip has 1 to 8 groups of columns (with three axes, pairs of rows), 1, 2 or 4 pairs a lane (halved with every further level), blocks of 32 to 1024 threads in whole warps and a ring of 2 to 16 pairs of rows, got {mapping}"
    )]
    Shape {
        /// The shape.
        mapping: Box<Mapping>,
    },
}

/// A kernel as strips.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The transform across the lanes, if there is one.
    pub across: Option<Across>,
    /// The transform along the walk, if there is one.
    pub along: Option<Along>,
    /// The transform within a lane, along the middle one of three axes.
    pub beside: Option<Beside>,
    /// Which way its walks go.
    pub way: Way,
    /// The same strip, all levels, for walks that go up, where walks alternate: two that begin at the same rows
    /// read them at the same time, so that the second one finds them in the cache; and so do two that end there.
    pub upward: Option<Box<Strip>>,
    /// Whether the lanes' transform comes first.
    pub across_first: bool,
    /// Along two or three axes: what all transforms would begin and end with, once for a channel; the walked axis
    /// first, the one across lanes last.
    pub gains: Gains,
    /// Groups of columns: a warp's loads of one group are contiguous.
    pub groups: usize,
    /// Neighbouring pairs of a lane in a group.
    pub pairs: usize,
    /// Where every row of every array is aligned, if they are. Otherwise rows are shifted into place,
    /// which costs a lane on either way.
    pub alignment: Option<Alignment>,
    /// Whether strips at ends are walked as others are, and only read elsewhere: lines begin anew beyond their ends.
    pub wraps: bool,
    /// Of several levels: rows of approximations of which others, beyond an end, are copies that the next level takes; 0
    /// where these go on by themselves, or not at all.
    pub between: usize,
    /// Strips write whole numbers of so many pairs, and begin there: of as many as a lane has, or as a
    /// sector of memory, of which the parts would be written at different times.
    pub unit: usize,
    /// Pairs by which strips write, and begin, later than where lanes may begin, or a whole number of units from there.
    pub onset: usize,
    /// The side that is written.
    pub output: Side,
    /// Warps of a block, side by side.
    pub warps: usize,
    /// Pairs of rows in the ring through which a walk's rows arrive; 0 without a walk.
    pub depth: usize,
    /// The next level, if it runs in the same strip: its signal is this level's approximation, which
    /// never leaves the lanes' registers.
    pub deeper: Option<Box<Strip>>,
}

impl Strip {
    /// Columns of a lane in a group: samples of its pairs, or lanes of the batch.
    pub fn columns(&self) -> usize {
        2 * self.pairs
    }

    /// Whether a kernel comes as several functions of which each takes its own strips: registers, and with
    /// them how many warps are resident, are then those of strips inside their arrays. Single rows
    /// have no registers to win.
    pub fn parted(&self) -> bool {
        self.along.is_some()
    }

    /// Whether one of these functions is for ends of copies, beside that for any ends. Along three axes there are no
    /// other ends, but where lines begin anew, there is one for these.
    pub fn has_copies(&self) -> bool {
        self.parted() && (self.beside.is_none() || self.wraps)
    }

    /// Whether one of them is for ends of sums: of signals of a single level, as bands go on as copies or as nothing.
    pub fn has_sums(&self) -> bool {
        let one = self.deeper.is_none() && self.beside.is_none();
        self.parted() && one && self.output == Side::Bands && !self.wraps
    }

    /// Whether rows may need a shift into place.
    pub fn shifted(&self) -> bool {
        self.across.is_some() && self.beside.is_none() && self.alignment.is_none()
    }

    /// Pairs by which strips begin at most before the first pair they are for: room to begin where a unit
    /// of the approximation does, and for outputs that are aligned later, by their leads or, where that
    /// differs from row to row, by up to a lane's pairs (or three samples).
    pub fn early(&self) -> usize {
        match (&self.across, self.shifted()) {
            (None, _) => 0,
            (_, true) => self.pairs - 1 + (self.pairs - 1).max(2),
            (_, false) => {
                let lead = self.leads().into_iter().max().unwrap_or(0);
                self.unit - 1 + lead.max(0).unsigned_abs() as usize
            }
        }
    }

    /// Pairs by which some outputs end before the strip's last pair.
    pub fn short(&self) -> usize {
        let lead = self.leads().into_iter().min().unwrap_or(0);
        (-lead).max(0).unsigned_abs() as usize
    }

    /// Pairs by which the outputs' planes begin later than the strip, all levels.
    pub(in crate::gpu) fn leads(&self) -> Vec<i32> {
        let mut leads = self.alignment.unwrap_or_default().leads(self.output).to_vec();
        if let (Some(deeper), Side::Bands) = (&self.deeper, self.output) {
            leads.extend(deeper.leads().into_iter().map(|lead| 2 * lead));
        }
        leads
    }

    /// Pairs (or columns, where nothing is transformed across) that a warp brings to an end.
    pub fn useful(&self) -> usize {
        let lanes = self.end_lane() - self.first_lane();
        lanes * if self.across.is_some() { self.pairs } else { self.columns() }
    }

    /// The first lane (of all groups) whose outputs are right.
    pub fn first_lane(&self) -> usize {
        self.across.as_ref().map_or(0, |across| across.first_lane)
    }

    /// One past the last such lane that is also stored: with lanes that are exchanged, the next
    /// one's values may be needed to store at aligned addresses.
    pub fn end_lane(&self) -> usize {
        let all = self.groups * WARP as usize;
        let spare = usize::from(self.shifted());
        self.across.as_ref().map_or(all, |across| across.end_lane - spare)
    }

    /// Lanes whose inputs outputs are made of: strips that write whole sectors may leave out some of the last.
    pub fn lanes_read(&self) -> usize {
        let all = self.lanes();
        self.across.as_ref().map_or(all, |across| across.lanes_read(all, self.end_lane()))
    }

    /// Whether the parts of a launch, if it has parts, number their strips one by one, rather than blocks of them. Along
    /// three axes the warps of a block stand together, along the middle one; and where strips of several levels look for
    /// their place each for itself, that takes 4 % more.
    pub fn numbered(&self) -> bool {
        self.beside.is_none() && self.deeper.is_none()
    }

    /// Strips of a block that are numbered: all, or the block as one.
    pub fn abreast(&self) -> usize {
        if self.numbered() { self.warps } else { 1 }
    }

    /// The same of a block at an end: where copies stand between levels, walks there are so much slower than others that no
    /// strip shall be among them that touches no end.
    pub fn abreast_at_ends(&self) -> usize {
        if self.between > 0 { self.warps } else { self.abreast() }
    }

    /// Lanes of all groups.
    pub fn lanes(&self) -> usize {
        self.groups * WARP as usize
    }

    /// This level and those after it in the same strip, finest first.
    pub fn levels(&self) -> impl Iterator<Item = &Strip> {
        std::iter::successors(Some(self), |strip| strip.deeper.as_deref())
    }

    /// Plans the strips of a mapped kernel. Lanes' halo, walk's warm-up and every exchange follow from
    /// the kernel's own steps; nothing is assumed.
    ///
    /// # Errors
    /// [`StripError`].
    pub fn new(mapped: &MappedKernel) -> Result<Self, StripError> {
        let mapping = &mapped.mapping;
        let levels = mapping.levels.max(1);
        let least = mapping.pairs >> (levels - 1).min(31);
        // Asynchronous copies move at least 4 bytes, which a single short is not.
        let short = least == 1 && mapped.kernel.element.bytes() < 4;
        let deep = levels > 1 && (mapping.alignment.is_none() || mapped.lines.len() > 2);
        if short
            || deep
            || least == 0
            || !(1..=8).contains(&mapping.groups)
            || (mapped.lines.len() == 3) != (1..=8).contains(&mapping.beside)
            || (mapped.lines.len() == 3 && mapping.groups > 1)
            || ![1, 2, 4].contains(&mapping.pairs)
            || !mapping.threads.is_multiple_of(WARP)
            || !(1..=32).contains(&(mapping.threads / WARP))
        {
            return Err(StripError::Shape { mapping: Box::new(*mapping) });
        }
        let mut strip = Self::nested(mapped, Way::Down)?;
        strip.upward = strip.mirrored(mapped)?;
        if strip.along.is_some() && !(2..=16).contains(&strip.depth) {
            return Err(StripError::Shape { mapping: Box::new(*mapping) });
        }
        if strip.first_lane() + 1 > strip.end_lane() {
            let lanes = strip.lanes();
            let halo = lanes + strip.first_lane() - strip.end_lane();
            return Err(StripError::Reach { lanes, halo });
        }
        Ok(strip)
    }

    /// One level, of so many pairs a lane, whose inputs are right in some lanes.
    fn level(
        mapped: &MappedKernel,
        pairs: usize,
        alignment: Option<Alignment>,
        inputs: (usize, usize),
        way: Way,
    ) -> Result<Self, StripError> {
        let mapping = &mapped.mapping;
        let groups = mapping.groups as usize;
        let (along, across, across_first) = match mapped.lines.as_slice() {
            // The same line along all three.
            [first, second, _] => {
                let (across, along) =
                    if mapping.across_first { (first, second) } else { (second, first) };
                (Some(along), Some(across), mapping.across_first)
            }
            [line] if mapping.contiguous => (None, Some(line), true),
            [line] => (Some(line), None, false),
            [first, second] if mapping.across_first => (Some(second), Some(first), true),
            [first, second] => (Some(first), Some(second), false),
            lines => return Err(StripError::Lines { lines: lines.len() }),
        };
        // Sums commute; what is rounded keeps its order, which has this axis in the middle.
        let first = !mapped.kernel.element.is_integer();
        let middle = match mapped.lines.as_slice() {
            [_, _, line] => Some(line.without_gains()),
            _ => None,
        };
        let beside = match &middle {
            Some((line, _)) => Some(Beside::new(line, mapping.beside as usize, first)?),
            None => None,
        };
        // Blocks whose rows are not aligned move single elements, and shift nothing.
        let seen = alignment.or(beside.as_ref().map(|_| Alignment::default()));
        let (mut across, mut along) = (across.cloned(), along.cloned());
        let mut gains = Gains::none(4);
        if let (Some(across), Some(along)) = (&mut across, &mut along) {
            let (taken, walked) = (across.without_gains(), along.without_gains());
            gains = match &middle {
                Some((_, middle)) => walked.1.with(&middle.with(&taken.1)),
                None => walked.1.with(&taken.1),
            };
            (*across, *along) = (taken.0, walked.0);
        }
        let across =
            across.map(|kernel| Across::new(&kernel, groups, pairs, seen, inputs)).transpose()?;
        let along = match way {
            Way::Down => along.map(|kernel| Along::new(&kernel)),
            Way::Up => along.map(|kernel| Along::new(&kernel.backwards())),
        };
        let along = along.transpose()?;
        // Without a walk there is nothing ahead.
        let depth = if along.is_some() { mapping.depth as usize } else { 0 };
        Ok(Self {
            across,
            along,
            beside,
            way,
            upward: None,
            across_first,
            gains,
            groups,
            pairs,
            alignment,
            wraps: mapping.wraps,
            between: mapping.between as usize,
            unit: pairs,
            onset: 0,
            output: mapped.kernel.operation.output(),
            warps: (mapping.threads / WARP) as usize,
            depth,
            deeper: None,
        })
    }

    /// Elements of rows that are at work together, of all strips of a ring: a pair, or without a walk a single row.
    pub fn rows(&self) -> usize {
        let rows = if self.along.is_some() { 2 } else { 1 };
        let held = |beside: &Beside| beside.runs.iter().map(|run| self.held(beside, run)).sum();
        let block = self.beside.as_ref().map_or(1, held);
        rows * block * self.lanes() * self.columns()
    }

    /// Elements of a ring: pairs of rows of its strips. Without a walk nothing is ahead, and a
    /// strip at an end uses its one slot to find its columns.
    pub fn ring(&self) -> usize {
        self.rings_of_levels(|level| level.depth)
    }

    /// The same for strips at ends.
    pub fn ring_at_ends(&self) -> usize {
        self.rings_of_levels(Self::depth_at_ends)
    }

    fn rings_of_levels(&self, depth: impl Fn(&Self) -> usize) -> usize {
        // Forward, the signals of next levels come from registers.
        let read = if self.output == Side::Bands { 1 } else { usize::MAX };
        self.levels().take(read).map(|level| level.own_ring(depth(level))).sum()
    }

    /// Pairs of rows in a ring of strips at ends. Where copies stand between levels, these have fewer: while they run,
    /// others shall, too.
    pub fn depth_at_ends(&self) -> usize {
        if self.between > 0 { self.depth.min(ENDS_DEPTH) } else { self.depth }
    }

    /// What one level reads of its own arrays, as often as its ring has slots; `depth` of them.
    fn own_ring(&self, depth: usize) -> usize {
        let handed = match (&self.deeper, self.output) {
            // The next level leaves the approximations.
            (Some(_), Side::Signal) => self.lanes() * self.pairs,
            _ => 0,
        };
        depth.max(1) * (self.rows() - handed)
    }

    /// Elements of one warp's desk, where a strip at an end looks up a row of which columns beyond it are sums or far away.
    pub fn desk(&self) -> usize {
        if self.beside.is_some() { 1 } else { self.lanes() * self.columns() }
    }

    /// Elements of the rows that a warp at an end keeps between two levels, and of one more.
    pub fn kept_between(&self) -> usize {
        if self.between > 0 { (self.between + 1) * self.lanes() * self.pairs } else { 0 }
    }

    /// Elements at the ends of its ring's rows that a warp at ends of sums brings.
    pub fn edges(&self) -> usize {
        EDGES * self.depth * if self.along.is_some() { 2 } else { 1 }
    }

    /// Bytes of these, of so many each, and of the weights of all lanes' elements.
    pub(super) fn sums_bytes(&self, bytes: usize) -> usize {
        let weights = (2 * self.columns() * bytes.max(4)).next_multiple_of(16);
        if self.has_sums() { self.edges() * bytes + self.lanes() * weights } else { 0 }
    }

    /// Bytes of what the warps of a ring at an end know of their arrays: of every input how it goes on, of every output
    /// which rows and columns exist.
    pub fn ends_bytes(&self) -> usize {
        let rows = if self.along.is_some() { 2 } else { 1 };
        let planes = if self.across.is_some() { 2 * rows } else { rows };
        if let Some(beside) = &self.beside {
            let (signal, bands) = (rows, 2 * planes);
            let (sources, targets) = match self.output {
                Side::Bands => (signal, bands),
                Side::Signal => (bands, signal),
            };
            let (sides, runs) = (sources / rows / beside.runs.len(), beside.runs.len());
            let lines = runs * (8 + PLACE_BYTES * self.most_rows(beside).next_multiple_of(2));
            return (rows + sides + runs) * AXIS_BYTES
                + lines
                + sources * SLICE_BYTES
                + targets * (TARGET_BYTES + SHELF_BYTES);
        }
        let levels = self.levels().enumerate().map(|(level, strip)| {
            let next = strip.deeper.is_some();
            let (told, copied) = (next && self.between == 0, next && self.between > 0);
            let handed = usize::from(next);
            let signal = if level == 0 { rows } else { 0 };
            let (sources, targets) = match self.output {
                Side::Bands => (signal, planes - handed),
                Side::Signal => (planes - handed, signal),
            };
            let told = usize::from(told);
            (sources + usize::from(copied), if self.parted() { told } else { targets + told })
        });
        let (sources, targets) =
            levels.fold((0, 0), |all, level| (all.0 + level.0, all.1 + level.1));
        sources * SOURCE_BYTES + targets.max(1) * TARGET_BYTES
    }

    /// Rows of the longest run in a ring.
    pub fn most_rows(&self, beside: &Beside) -> usize {
        beside.runs.iter().map(|run| self.held(beside, run)).max().unwrap_or(0)
    }

    /// Whether lanes exchange parts of what they write, so that every access writes whole sectors, of values of so
    /// many bytes: worth its shuffles where samples, over all levels, take little work otherwise, and, as measured, in
    /// single rows that are aligned.
    pub fn writes_sectors(&self, bytes: usize) -> bool {
        if self.along.is_none() && self.deeper.is_none() && !self.shifted() && bytes <= 4 {
            return true;
        }
        let channels = if self.across.is_some() && self.along.is_some() { 4 } else { 2 };
        let shares = std::iter::successors(Some(1.0), |share| Some(share / f64::from(channels)));
        let work =
            self.levels().zip(shares).map(|(strip, share)| strip.operations() as f64 * share);
        work.sum::<f64>() <= f64::from(LIGHT_WORK * channels)
    }

    /// Arithmetic operations per position, both directions.
    pub(super) fn operations(&self) -> usize {
        let across = self.across.as_ref().map_or(0, Across::operations);
        let along = self.along.as_ref().map_or(0, Along::operations);
        if let Some(beside) = &self.beside {
            return 4 * (across + along + beside.operations()) + self.gains.products();
        }
        match (&self.across, &self.along) {
            (Some(_), Some(_)) => 2 * (across + along) + self.gains.products(),
            _ => across + along,
        }
    }

    /// An estimate of registers: rows in flight, rows at work, windows, and the walk's own.
    pub(super) fn registers(&self) -> usize {
        let columns = self.groups * self.columns();
        let rows = if self.along.is_some() { 2 } else { 1 };
        let carried = self.along.as_ref().map_or(0, |along| along.pipeline.carried());
        if let Some(beside) = &self.beside {
            // Slices become blocks one after the other; a walk that comes first carries whole ones.
            let walked = match beside.first || self.across_first {
                true => beside.made(),
                false => beside.read(),
            };
            return (rows * beside.made() + carried * walked) * columns + 48;
        }
        let own = rows * columns + carried * columns + 40;
        // Levels share what is neither window nor handed over.
        let deeper = self.deeper.as_ref().map_or(0, |deeper| deeper.registers() - 40);
        own + deeper
    }
}
