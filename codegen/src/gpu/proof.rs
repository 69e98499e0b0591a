//! The proof that a mapped kernel is right, and what it costs: what a writer of text needs to know
//! and may rely on.
//!
//! Regions are found by a walk backwards over the segments' expression graphs: what the store reads,
//! then what each segment must have written, down to what must be loaded. The walk *is* the proof
//! that the halo covers the reach; what remains to be checked is that no two threads touch the same
//! place between two barriers unless both only read, and that the tile fits shared memory.

pub use super::refusal::ProofError;

use super::fused::{self, Fused};
use super::mapping::{Arrival, Mapping, Taps};
use super::program::MappedKernel;
use super::recompute::{along_axes, written};
use super::stretch::{self, RIM_WORDS, Stretch};
use super::strip::{Strip, part_words};
use super::sums::Sums;
use super::turn::{self, Turned};
use crate::dag::build::HERE;
use crate::dag::{Contraction, Dag, Place};
use crate::kernel::{Element, Exchange, Kernel, Margin};
use waveloom_wavelets::algebra::{Exponent, MAX_AXES};

/// Static shared memory that every card has.
pub const SHARED_LIMIT: usize = 48 * 1024;

/// Unrolled operations beyond this make no usable kernel.
pub const OPERATION_LIMIT: usize = 20_000;

/// A last graph that reads more values than this, or has more operations, becomes loops over tables:
/// written out, its values do not fit the registers, and compilers take long.
const MOST_READ: usize = 128;

/// See [`MOST_READ`].
const MOST_WRITTEN_OUT: usize = 1024;

/// One segment as the text will run it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvedSegment {
    /// What a position computes.
    pub dag: Dag,
    /// The positions that compute it.
    pub region: Margin,
    /// Whether results may be stored before all threads have read (then one barrier suffices).
    pub in_place: bool,
}

/// A mapped kernel together with its proof. Only [`prove`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Proved {
    mapped: MappedKernel,
    segments: Vec<ProvedSegment>,
    store: Dag,
    sums: Option<Sums>,
    storage: Margin,
    strip: Option<Strip>,
    stretch: Option<Stretch>,
    fused: Option<Fused>,
    turned: Option<Turned>,
    info: KernelInfo,
}

/// What a mapped kernel needs and moves.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelInfo {
    /// Region that is loaded around a tile.
    pub halo: Margin,
    /// Barriers of a block.
    pub barriers: usize,
    /// Bytes of shared memory.
    pub shared_bytes: usize,
    /// Arithmetic operations of one position, all segments.
    pub operations: usize,
    /// Values live at once in the largest graph, and own values kept: a lower estimate of registers.
    pub registers: usize,
    /// Values that a block loads from global memory (strips: per pair of rows).
    pub loads: usize,
    /// Values that a block stores to global memory (strips: per pair of rows).
    pub stores: usize,
}

impl KernelInfo {
    /// Refuses what no block can hold and what is too much to unroll.
    pub(super) fn within_limits(&self, mapping: &Mapping) -> Result<(), ProofError> {
        if self.shared_bytes > SHARED_LIMIT {
            let (needed, limit) = (self.shared_bytes, SHARED_LIMIT);
            return Err(ProofError::Shared { mapping: Box::new(*mapping), needed, limit });
        }
        if self.operations > OPERATION_LIMIT {
            let (operations, limit) = (self.operations, OPERATION_LIMIT);
            return Err(ProofError::Operations { operations, limit });
        }
        Ok(())
    }
}

impl Proved {
    /// A kernel without segments before its store.
    fn new(mapped: MappedKernel, store: Dag, storage: Margin, info: KernelInfo) -> Self {
        let (strip, stretch, fused, turned) = (None, None, None, None);
        let (segments, sums) = (Vec::new(), None);
        Self { mapped, segments, store, sums, storage, strip, stretch, fused, turned, info }
    }

    /// A kernel of levels in place.
    pub(super) fn in_place(mapped: MappedKernel, fused: Fused, info: KernelInfo) -> Self {
        let (cell, fused) = (fused.cell.clone(), Some(fused));
        Self { fused, ..Self::new(mapped, cell, Margin::default(), info) }
    }

    /// A kernel of walks along lines.
    pub(super) fn stretched(
        mapped: MappedKernel,
        stretch: Stretch,
        store: Dag,
        info: KernelInfo,
    ) -> Self {
        let (storage, stretch) = (mapped.kernel.halo, Some(stretch));
        Self { stretch, ..Self::new(mapped, store, storage, info) }
    }

    /// A kernel of tiles in registers; `store` leaves the outputs where they are.
    pub(super) fn turning(
        mapped: MappedKernel,
        turned: Turned,
        store: Dag,
        info: KernelInfo,
    ) -> Self {
        let (storage, turned) = (mapped.kernel.halo, Some(turned));
        Self { turned, ..Self::new(mapped, store, storage, info) }
    }

    /// What was proved.
    pub fn mapped(&self) -> &MappedKernel {
        &self.mapped
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.mapped.kernel
    }

    /// The shape.
    pub fn mapping(&self) -> &Mapping {
        &self.mapped.mapping
    }

    /// Segments before the store.
    pub fn segments(&self) -> &[ProvedSegment] {
        &self.segments
    }

    /// The last segment and the store in one: output channels at the position.
    pub fn store(&self) -> &Dag {
        &self.store
    }

    /// The plan of several levels in place, if they are.
    pub fn fused(&self) -> Option<&Fused> {
        self.fused.as_ref()
    }

    /// The plan of tiles in registers, if they are.
    pub fn turned(&self) -> Option<&Turned> {
        self.turned.as_ref()
    }

    /// The same as weighted sums, where they are too long to be written out.
    pub fn sums(&self) -> Option<&Sums> {
        self.sums.as_ref()
    }

    /// The region of planes that a block keeps.
    pub fn storage(&self) -> &Margin {
        &self.storage
    }

    /// The plan of strips, for kernels that run as such and not as tiles.
    pub fn strip(&self) -> Option<&Strip> {
        self.strip.as_ref()
    }

    /// The plan of walks along lines, for kernels that run as such.
    pub fn stretch(&self) -> Option<&Stretch> {
        self.stretch.as_ref()
    }

    /// Whether it comes as several functions: for blocks at ends, and for those inside their arrays.
    pub fn parted(&self) -> bool {
        self.strip().is_some_and(Strip::parted) || self.stretch.is_some()
    }

    /// Words that tell these functions which blocks are theirs.
    pub fn part_words(&self) -> usize {
        match (&self.strip, &self.stretch) {
            (Some(strip), _) if strip.parted() => part_words(self.kernel().axes),
            (_, Some(_)) => RIM_WORDS,
            _ => 0,
        }
    }

    /// Needs and transactions.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Extent of the storage region per axis.
    pub fn storage_extent(&self) -> [usize; MAX_AXES] {
        extent(&self.storage, self.mapping(), self.kernel().axes)
    }

    /// Extent of any region per axis.
    pub fn extent(&self, region: &Margin) -> [usize; MAX_AXES] {
        extent(region, self.mapping(), self.kernel().axes)
    }
}

fn extent(region: &Margin, mapping: &Mapping, axes: usize) -> [usize; MAX_AXES] {
    std::array::from_fn(|axis| {
        if axis >= axes {
            return 1;
        }
        let length = i64::from(mapping.tile[axis])
            + i64::from(region.before[axis])
            + i64::from(region.after[axis]);
        usize::try_from(length).unwrap_or(0)
    })
}

/// First and last offset of a plane that is needed, relative to positions of the tile.
type Need = Option<(Exponent, Exponent)>;

fn join(need: &mut Need, first: Exponent, last: Exponent) {
    *need = Some(match *need {
        None => (first, last),
        Some((f, l)) => (
            std::array::from_fn(|axis| f[axis].min(first[axis])),
            std::array::from_fn(|axis| l[axis].max(last[axis])),
        ),
    });
}

fn shift(by: &Exponent, offset: &Exponent, sign: i32) -> Exponent {
    std::array::from_fn(|axis| by[axis] + sign * offset[axis])
}

fn margin(first: &Exponent, last: &Exponent) -> Margin {
    Margin { before: first.map(|f| -f), after: *last }
}

/// Proves a mapped kernel.
pub fn prove(mapped: &MappedKernel) -> Result<Proved, ProofError> {
    let (kernel, mapping) = (&mapped.kernel, &mapped.mapping);
    let shape_is_legal = (1..=1024).contains(&mapping.threads)
        && mapping.lanes >= 1
        && mapping.tile.iter().all(|extent| *extent >= 1);
    if !shape_is_legal {
        return Err(ProofError::Shape { mapping: Box::new(*mapping) });
    }
    if let Some(lags) = &mapping.lags {
        return stretch::stretches(mapped, lags);
    }
    if mapping.exchange == Exchange::Stream {
        return strips(mapped);
    }
    if matches!(mapping.exchange, Exchange::Transpose | Exchange::Shuffle) {
        return turn::turning(mapped);
    }
    if mapping.levels > 0 {
        return fused::levels(mapped);
    }
    let global = match mapping.exchange {
        Exchange::Launch if kernel.segments.len() > 1 => {
            return Err(ProofError::Segments { segments: kernel.segments.len() });
        }
        Exchange::Global | Exchange::Launch => true,
        Exchange::Shared | Exchange::Recompute => false,
        exchange => return Err(ProofError::Exchange { exchange }),
    };
    let mut runs = match mapping.exchange {
        Exchange::Recompute => along_axes(kernel),
        _ => (0..kernel.segments.len()).map(|index| index..=index).collect(),
    };
    let first_of_store = if global { 0 } else { runs.pop().map_or(0, |last| *last.start()) };
    let store = optimised(&Dag::outputs(kernel, first_of_store, &[HERE])?, kernel.element);
    let mut needs: Vec<Need> = vec![None; kernel.planes()];
    let mut all: Need = Some((HERE, HERE));
    for leaf in store.leaves() {
        join(&mut needs[leaf.plane], leaf.offset, leaf.offset);
        join(&mut all, leaf.offset, leaf.offset);
    }
    let mut segments = Vec::new();
    for run in runs.into_iter().rev().filter(|run| *run.end() < first_of_store) {
        let dag = match mapping.exchange {
            Exchange::Recompute => Dag::places(kernel, run.clone(), &written(kernel, run))?,
            _ => Dag::segment(kernel, *run.start(), &[HERE])?,
        };
        let dag = optimised(&dag, kernel.element);
        let mut region: Need = None;
        for store in dag.stores() {
            if let Some((first, last)) = needs[store.place.plane] {
                let offset = &store.place.offset;
                join(&mut region, shift(&first, offset, -1), shift(&last, offset, -1));
            }
        }
        let Some((first, last)) = region else { continue };
        // A thread that keeps its positions from segment to segment numbers them like places.
        join(&mut all, first, last);
        for store in dag.stores() {
            needs[store.place.plane] = None;
        }
        let stored: Vec<Place> = dag.stores().iter().map(|store| store.place).collect();
        for place in dag.leaves().chain(stored.iter().copied()) {
            let (first, last) = (shift(&first, &place.offset, 1), shift(&last, &place.offset, 1));
            join(&mut all, first, last);
        }
        for leaf in dag.leaves() {
            let (first, last) = (shift(&first, &leaf.offset, 1), shift(&last, &leaf.offset, 1));
            join(&mut needs[leaf.plane], first, last);
        }
        let in_place = dag.leaves().all(|leaf| {
            stored.iter().all(|place| place.plane != leaf.plane || place.offset == leaf.offset)
        });
        segments.push(ProvedSegment { dag, region: margin(&first, &last), in_place });
    }
    segments.reverse();
    let (first, last) = all.unwrap_or((HERE, HERE));
    let storage = margin(&first, &last);
    let info = info(mapped, &segments, &store, &storage, global);
    info.within_limits(mapping)?;
    let long = store.leaves().count() > MOST_READ || store.counts().operations() > MOST_WRITTEN_OUT;
    let tabled = mapping.taps == Taps::Memory;
    let sums = if long || tabled { Sums::of(&store) } else { None };
    if tabled && sums.is_none() {
        return Err(ProofError::Taps);
    }
    Ok(Proved { segments, sums, ..Proved::new(mapped.clone(), store, storage, info) })
}

/// Proves strips: lanes and walks are checked as they are planned; no two warps share memory
/// but those of a joint ring, whose slots are written and read on either side of a barrier.
fn strips(mapped: &MappedKernel) -> Result<Proved, ProofError> {
    let strip = Strip::new(mapped)?;
    let mut mapped = mapped.clone();
    // With three axes, a block's warps stand beside each other along the middle one.
    let (wide, high) = match &strip.beside {
        Some(beside) => (1, beside.pairs * strip.warps),
        None => (strip.warps, 1),
    };
    let across = (strip.useful() * wide) as u32;
    let rows = if strip.along.is_some() { mapped.mapping.tile[0] } else { 1 };
    mapped.mapping.depth = strip.depth as u32;
    match (&strip.along, &strip.across) {
        (Some(_), Some(_)) if strip.beside.is_some() => {
            mapped.mapping.tile = [rows, high as u32, across];
        }
        (Some(_), Some(_)) => mapped.mapping.tile = [rows, across, 1],
        (None, _) => mapped.mapping.tile = [across, 1, 1],
        (Some(_), None) => {
            mapped.mapping.tile = [rows, 1, 1];
            mapped.mapping.lanes = across;
        }
    }
    let kernel = &mapped.kernel;
    let pair_rows = if strip.along.is_some() { 2 } else { 1 };
    let loads = strip.rows() * strip.rings();
    let desk = strip.desk() * kernel.element.bytes().max(4);
    let beyond = desk.max(strip.sums_bytes(kernel.element.bytes()))
        + strip.kept_between() * kernel.element.bytes().max(4);
    let ring = |elements: usize| elements * kernel.element.bytes();
    let ends = strip.rings() * (ring(strip.ring_at_ends()) + strip.ends_bytes());
    let (at_ends, inside) = (ends + strip.warps * beyond, strip.rings() * ring(strip.ring()));
    let block = strip.beside.as_ref().map_or(1, |beside| beside.made());
    let stored = strip.useful() * if strip.across.is_some() { 2 } else { 1 } * strip.warps * block;
    let info = KernelInfo {
        halo: kernel.halo,
        // One an iteration, where warps have a ring in common.
        barriers: usize::from(strip.joint()),
        shared_bytes: at_ends.max(inside),
        operations: strip.operations(),
        registers: strip.registers() * kernel.element.bytes().div_ceil(4),
        loads,
        stores: stored * pair_rows,
    };
    info.within_limits(&mapped.mapping)?;
    let storage = kernel.halo;
    let store = Dag::outputs(kernel, kernel.segments.len(), &[HERE])?;
    let strip = Some(strip);
    Ok(Proved { strip, ..Proved::new(mapped, store, storage, info) })
}

/// CUDA text says `fmaf` where it means it; integers multiply and add.
pub(super) fn optimised(dag: &Dag, element: Element) -> Dag {
    let contraction = if element.is_integer() { Contraction::Separate } else { Contraction::Fused };
    dag.optimised(contraction)
}

fn info(
    mapped: &MappedKernel,
    segments: &[ProvedSegment],
    store: &Dag,
    storage: &Margin,
    global: bool,
) -> KernelInfo {
    let (kernel, mapping) = (&mapped.kernel, &mapped.mapping);
    let lanes = mapping.lanes as usize;
    // Tiles may be asked for that no card has memory for: their counts must not begin anew at 0.
    let volume = |extent: [usize; MAX_AXES]| extent.into_iter().fold(lanes, usize::saturating_mul);
    let stored = volume(extent(storage, mapping, kernel.axes)).saturating_mul(kernel.planes());
    let tile = volume(extent(&Margin::default(), mapping, kernel.axes));
    let operations = segments.iter().map(|segment| &segment.dag).chain([store]);
    let operations = operations.map(|dag| dag.counts().operations()).sum();
    let live = segments.iter().map(|segment| &segment.dag).chain([store]).map(live_values);
    let own = match mapping.own {
        Arrival::Registers => {
            let own = (stored / kernel.planes()).div_ceil(mapping.threads.max(1) as usize);
            own.saturating_mul(kernel.planes())
        }
        Arrival::Memory => 0,
    };
    let barriers = segments.iter().map(|segment| if segment.in_place { 1 } else { 2 });
    KernelInfo {
        halo: *storage,
        barriers: if global { 0 } else { 1 + barriers.sum::<usize>() },
        shared_bytes: if global { 0 } else { stored.saturating_mul(kernel.element.bytes()) },
        operations,
        registers: live.max().unwrap_or(0).saturating_add(own),
        loads: if global { tile.saturating_mul(store.leaves().count()) } else { stored },
        stores: tile.saturating_mul(kernel.planes()),
    }
}

/// The most values alive at once when the nodes run in order.
pub(super) fn live_values(dag: &Dag) -> usize {
    let mut last_use = vec![0; dag.nodes().len()];
    for (id, node) in dag.program() {
        for operand in node.operands() {
            last_use[operand.index()] = id.index();
        }
    }
    for store in dag.stores() {
        last_use[store.value.index()] = dag.nodes().len();
    }
    let mut ends = vec![0_usize; dag.nodes().len() + 1];
    let (mut live, mut most) = (0_usize, 0);
    for (id, _) in dag.program() {
        live += 1;
        most = most.max(live);
        ends[last_use[id.index()].max(id.index())] += 1;
        live -= ends[id.index()].min(live);
    }
    most
}
