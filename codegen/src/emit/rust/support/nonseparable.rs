/// Axes other than the last.
const OUTER: usize = AXES - 1;

/// One operation on all axes at once: its code and how far it reads.
pub trait Kernel {
    /// Whether the input is extended beyond its ends (or zero there, and the output folded back).
    const EXTENDS: bool;
    /// Pairs held before a block, per axis.
    const BEFORE: [usize; AXES];
    /// Pairs held after a block, per axis.
    const AFTER: [usize; AXES];
    /// Plane of each output, and where its value of a block's first pair stands.
    const OUTPUTS: [(usize, [usize; AXES]); CHANNELS];
    /// Runs all segments on a block.
    fn run<const FUSED: bool>(planes: &mut Planes<impl Memory>, pairs: [usize; AXES]);
}

/// What a level needs of an operation.
use Kernel as Level;

/// The memory of one block: a buffer per plane, and where needed a second one.
pub struct Planes<M> {
    buffers: [M; BUFFERS],
}

impl<M: Memory> Planes<M> {
    fn new(supply: &mut impl Supply<Memory = M>) -> Result<Self, Error> {
        let mut buffers: [M; BUFFERS] = core::array::from_fn(|_| M::default());
        for buffer in &mut buffers {
            *buffer = supply.take(Some(BLOCK_VALUES))?;
        }
        Ok(Self { buffers })
    }
}

/// Calls `each` for every position of a box, last axis fastest.
fn positions<const N: usize>(extents: [usize; N], mut each: impl FnMut([usize; N])) {
    if extents.contains(&0) {
        return;
    }
    let mut at = [0; N];
    loop {
        each(at);
        let mut axis = N;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < extents[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

/// Calls `each` for every product of one term per outer axis.
fn products(terms: &[Terms; OUTER], mut each: impl FnMut([usize; OUTER], Sample)) {
    positions([TERMS; OUTER], |choice| {
        let mut weight = ONE;
        let mut outer = [0; OUTER];
        for axis in 0..OUTER {
            let (index, factor) = terms[axis][choice[axis]];
            outer[axis] = index;
            weight = times(weight, factor);
        }
        if weight != ZERO {
            each(outer, weight);
        }
    });
}

/// The phase that channel `channel` has on an axis.
fn phase(channel: usize, axis: usize) -> isize {
    ((channel >> (AXES - 1 - axis)) & 1) as isize
}

/// Number of the row at `at` within rows of the given extents.
fn row_at(at: [usize; OUTER], offset: [usize; AXES], extents: [usize; AXES]) -> usize {
    let mut row = 0;
    for axis in 0..OUTER {
        row = row * extents[axis] + offset[axis] + at[axis];
    }
    row
}

fn outer_extents(extents: [usize; AXES]) -> [usize; OUTER] {
    core::array::from_fn(|axis| extents[axis])
}

/// A block: its first pair and its size, per axis.
#[derive(Clone, Copy)]
struct Block {
    first: [isize; AXES],
    pairs: [usize; AXES],
}

/// The segments on a block.
struct Segments<'a, K, M> {
    planes: &'a mut Planes<M>,
    pairs: [usize; AXES],
    kernel: core::marker::PhantomData<K>,
}

impl<K: Kernel, M: Memory> Work for Segments<'_, K, M> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        K::run::<FUSED>(self.planes, self.pairs);
    }
}

/// Samples of which those of one phase can be copied.
trait Phases: Source {
    /// Copies the samples of one phase, from `index` on, to `plane`.
    fn copy(&self, index: usize, plane: &mut [Sample]);
}

impl Phases for Signal<&[Sample]> {
    fn copy(&self, index: usize, plane: &mut [Sample]) {
        for (value, pair) in plane.iter_mut().zip(self.0[index..].chunks(2)) {
            *value = pair[0];
        }
    }
}

impl Phases for Bands<&[Sample]> {
    fn copy(&self, index: usize, plane: &mut [Sample]) {
        let band = if index % 2 == 0 { self.low } else { self.high };
        plane.copy_from_slice(&band[index / 2..][..plane.len()]);
    }
}

/// Fills one plane with `weight` times the samples at `2k + phase`, `k` from `first` on; added to what
/// is there, if `add` says so. Beyond the ends stand extended samples, or zeros if `extend` is false.
fn load<S: Phases>(
    source: &S,
    plane: &mut [Sample],
    phase: isize,
    first: isize,
    extend: bool,
    weight: Sample,
    add: bool,
) {
    let len = source.len();
    let index = |t: usize| 2 * (first + t as isize) + phase - S::START;
    let (mut from, mut to) = inside(phase, first, plane.len(), S::START, len);
    if !add && weight == ONE && from < to {
        source.copy(index(from) as usize, &mut plane[from..to]);
    } else {
        (from, to) = (0, 0);
    }
    for t in (0..from).chain(to..plane.len()) {
        let mut sum = if add { plane[t] } else { ZERO };
        let index = index(t);
        if extend || (0..len as isize).contains(&index) {
            for (place, factor) in S::extended(index, len as isize) {
                if factor != ZERO {
                    sum = plus(sum, times(times(factor, weight), source.at(place)));
                }
            }
        }
        plane[t] = sum;
    }
}

/// Writes one plane to the samples at `2k + phase`, `k` from `first` on, that exist.
fn store<T: Target>(target: &mut T, plane: &[Sample], phase: isize, first: isize) {
    let (from, to) = inside(phase, first, plane.len(), T::START, target.len());
    if from < to {
        let index = 2 * (first + from as isize) + phase - T::START;
        target.copy(index as usize, &plane[from..to]);
    }
}

/// Loads a block with its surroundings and runs the kernel.
fn run<K: Kernel, S: Field>(planes: &mut Planes<impl Memory>, source: &S, block: Block) {
    let extents: [usize; AXES] =
        core::array::from_fn(|axis| block.pairs[axis] + K::BEFORE[axis] + K::AFTER[axis]);
    let first: [isize; AXES] =
        core::array::from_fn(|axis| block.first[axis] - K::BEFORE[axis] as isize);
    for channel in 0..CHANNELS {
        let plane = &mut planes.buffers[channel];
        positions(outer_extents(extents), |at| {
            let start = row_at(at, [0; AXES], extents) * extents[OUTER];
            let row = &mut plane[start..][..extents[OUTER]];
            let index = |axis: usize| {
                2 * (first[axis] + at[axis] as isize) + phase(channel, axis) - S::START
            };
            let inside = |axis: usize| (0..source.len(axis) as isize).contains(&index(axis));
            let mut add = false;
            if K::EXTENDS || (0..OUTER).all(inside) {
                let terms: [Terms; OUTER] = core::array::from_fn(|axis| {
                    S::extended(index(axis), source.len(axis) as isize)
                });
                products(&terms, |outer, weight| {
                    let (line, last) = (source.line(outer), phase(channel, OUTER));
                    load(&line, row, last, first[OUTER], K::EXTENDS, weight, add);
                    add = true;
                });
            }
            if !add {
                row.fill(ZERO);
            }
        });
    }
    let (pairs, kernel) = (block.pairs, core::marker::PhantomData::<K>);
    dispatch(Segments { planes, pairs, kernel });
}

/// Calls `each` with every output row of a block: its channel, its pairs along the outer axes and
/// its values.
fn outputs<K: Kernel>(
    planes: &Planes<impl Memory>,
    block: Block,
    mut each: impl FnMut(usize, [isize; OUTER], &[Sample]),
) {
    let extents: [usize; AXES] =
        core::array::from_fn(|axis| block.pairs[axis] + K::BEFORE[axis] + K::AFTER[axis]);
    for (channel, (plane, offset)) in K::OUTPUTS.into_iter().enumerate() {
        positions(outer_extents(block.pairs), |at| {
            let start = row_at(at, offset, extents) * extents[OUTER] + offset[OUTER];
            let row = &planes.buffers[plane][start..][..block.pairs[OUTER]];
            each(channel, core::array::from_fn(|axis| block.first[axis] + at[axis] as isize), row);
        });
    }
}

/// Transforms a level block by block. `folds` tells whether anything stands beyond the target's ends,
/// so that an adjoint must fold it back.
fn transform<K: Kernel, S: Field, T: FieldMut>(
    planes: &mut Planes<impl Memory>,
    source: &S,
    target: &mut T,
    folds: bool,
) {
    if (0..AXES).any(|axis| source.len(axis) == 0 || target.len(axis) == 0) {
        return;
    }
    let ranges: [_; AXES] = core::array::from_fn(|axis| pairs_of(T::START, target.len(axis)));
    blocks(ranges, |block| {
        run::<K, S>(planes, source, block);
        outputs::<K>(planes, block, |channel, pair, row| {
            let index =
                |axis: usize| 2 * pair[axis] + phase(channel, axis) - T::START;
            if (0..OUTER).all(|axis| (0..target.len(axis) as isize).contains(&index(axis))) {
                let outer = core::array::from_fn(|axis| index(axis) as usize);
                let mut line = target.line(outer);
                store(&mut line, row, phase(channel, OUTER), block.first[OUTER]);
            }
        });
    });
    if K::EXTENDS || !folds {
        return;
    }
    let inner: [_; AXES] = core::array::from_fn(|axis| inner_pairs_of(T::START, target.len(axis)));
    let reach: [_; AXES] = core::array::from_fn(|axis| {
        let (first, end) = pairs_of(S::START, source.len(axis));
        (first - K::AFTER[axis] as isize, end + K::BEFORE[axis] as isize)
    });
    blocks(reach, |block| {
        let end = |axis: usize| block.first[axis] + block.pairs[axis] as isize;
        if (0..AXES).all(|axis| block.first[axis] >= inner[axis].0 && end(axis) <= inner[axis].1) {
            return;
        }
        run::<K, S>(planes, source, block);
        outputs::<K>(planes, block, |channel, pair, row| {
            let index =
                |axis: usize| 2 * pair[axis] + phase(channel, axis) - T::START;
            let inside =
                (0..OUTER).all(|axis| (0..target.len(axis) as isize).contains(&index(axis)));
            let terms: [Terms; OUTER] = core::array::from_fn(|axis| {
                T::extended(index(axis), target.len(axis) as isize)
            });
            products(&terms, |outer, weight| {
                let (mut line, last) = (target.line(outer), phase(channel, OUTER));
                fold(&mut line, row, last, block.first[OUTER], weight, !inside);
            });
        });
    });
}

/// Cuts a box of pairs `first..end` per axis into blocks.
fn blocks(ranges: [(isize, isize); AXES], mut each: impl FnMut(Block)) {
    let counts: [usize; AXES] = core::array::from_fn(|axis| {
        let (first, end) = ranges[axis];
        ((end - first).max(0) as usize).div_ceil(BLOCK_PAIRS[axis])
    });
    positions(counts, |at| {
        let first: [isize; AXES] = core::array::from_fn(|axis| {
            ranges[axis].0 + (at[axis] * BLOCK_PAIRS[axis]) as isize
        });
        let pairs = core::array::from_fn(|axis| {
            BLOCK_PAIRS[axis].min((ranges[axis].1 - first[axis]) as usize)
        });
        each(Block { first, pairs });
    });
}

/// Splits the signal of a level into its bands. Whether a sample is larger than `bound`.
fn analyse_level<K: Kernel>(
    work: &mut Memories<impl Memory>,
    axes: &[Axis; AXES],
    signal: &[Sample],
    bands: [&mut [Sample]; CHANNELS],
    bound: Option<Sample>,
) -> bool {
    let large = beyond(signal, bound);
    let (source, mut target) = (SignalField { data: signal, axes }, BandField { bands, axes });
    transform::<K, _, _>(&mut work.planes, &source, &mut target, BANDS_FOLD);
    large
}

/// Joins the bands of a level.
fn synthesise_level<K: Kernel>(
    work: &mut Memories<impl Memory>,
    axes: &[Axis; AXES],
    bands: [&[Sample]; CHANNELS],
    signal: &mut [Sample],
) {
    let (source, mut target) = (BandField { bands, axes }, SignalField { data: signal, axes });
    transform::<K, _, _>(&mut work.planes, &source, &mut target, SIGNAL_FOLDS);
}

/// Memory of a transform.
struct Memories<M> {
    planes: Planes<M>,
}

impl<M: Memory> Memories<M> {
    fn new(
        _: &[[Axis; AXES]; LEVELS],
        supply: &mut impl Supply<Memory = M>,
    ) -> Result<Self, Error> {
        Ok(Self { planes: Planes::new(supply)? })
    }
}
