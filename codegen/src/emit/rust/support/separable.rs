/// One operation on one axis: its code and how far it reads.
pub trait Kernel {
    /// Whether the input is extended beyond its ends (or zero there, and the output folded back).
    const EXTENDS: bool;
    /// Pairs held before a block.
    const BEFORE: usize;
    /// Pairs held after a block.
    const AFTER: usize;
    /// Plane of each output, and where its value of a block's first pair stands.
    const OUTPUTS: [(usize, usize); 2];
    /// Runs all segments on a block.
    fn run(planes: &mut Planes<impl Memory>, pairs: usize, lanes: usize);
}

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

/// Transforms a bundle of lines along one axis, block by block. `folds` tells whether anything stands
/// beyond the target's ends, so that an adjoint must fold it back.
fn transform<K: Kernel, S: Source, T: Target>(
    planes: &mut Planes<impl Memory>,
    source: &S,
    target: &mut T,
    lanes: usize,
    folds: bool,
) {
    if source.len() == 0 || target.len() == 0 {
        return;
    }
    let (first, end) = pairs_of(target.start(), target.len());
    let (input_first, input_end) = pairs_of(source.start(), source.len());
    let (inner_first, inner_end) = inner_pairs_of(target.start(), target.len());
    let (reach_first, reach_end) =
        (input_first - K::AFTER as isize, input_end + K::BEFORE as isize);
    let mut lane = 0;
    while lane < lanes {
        let width = LANES.min(lanes - lane);
        let longest = if lanes == 1 { LINE_PAIRS } else { BUNDLE_PAIRS };
        blocks(first, end, longest, |block, pairs| {
            run::<K, S>(planes, source, block, pairs, lane, width, lanes);
            for (phase, (plane, at)) in K::OUTPUTS.into_iter().enumerate() {
                let values = &planes.buffers[plane][at * width..][..pairs * width];
                store(target, values, phase as isize, block, lane, width, lanes);
            }
        });
        if !K::EXTENDS && folds {
            let outside = if inner_first < inner_end {
                [(reach_first, inner_first.min(reach_end)), (inner_end.max(reach_first), reach_end)]
            } else {
                [(reach_first, reach_end), (0, 0)]
            };
            for (first, end) in outside {
                blocks(first, end, longest, |block, pairs| {
                    run::<K, S>(planes, source, block, pairs, lane, width, lanes);
                    for (phase, (plane, at)) in K::OUTPUTS.into_iter().enumerate() {
                        let values = &planes.buffers[plane][at * width..][..pairs * width];
                        fold(target, values, phase as isize, block, lane, width, ONE, false);
                    }
                });
            }
        }
        lane += width;
    }
}

/// Cuts `first..end` into blocks of at most `longest` pairs.
fn blocks(first: isize, end: isize, longest: usize, mut each: impl FnMut(isize, usize)) {
    let mut block = first;
    while block < end {
        let pairs = longest.min((end - block) as usize);
        each(block, pairs);
        block += pairs as isize;
    }
}

/// Loads a block with its surroundings and runs the kernel.
fn run<K: Kernel, S: Source>(
    planes: &mut Planes<impl Memory>,
    source: &S,
    block: isize,
    pairs: usize,
    lane: usize,
    width: usize,
    lanes: usize,
) {
    let rows = pairs + K::BEFORE + K::AFTER;
    for phase in 0..2 {
        let plane = &mut planes.buffers[phase][..rows * width];
        let first = block - K::BEFORE as isize;
        load(source, plane, phase as isize, first, lane, width, lanes, K::EXTENDS, ONE, false);
    }
    K::run(planes, pairs, width);
}

/// Splits `outer` bundles of lines into their bands along one axis.
fn analyse_axis<K: Kernel>(
    planes: &mut Planes<impl Memory>,
    axis: &Axis,
    outer: usize,
    lanes: usize,
    signal: &[Sample],
    low: &mut [Sample],
    high: &mut [Sample],
) {
    for index in 0..outer {
        let source = Signal {
            data: &signal[index * axis.signal * lanes..][..axis.signal * lanes],
            len: axis.signal,
            lanes,
        };
        let mut target = Bands {
            low: &mut low[index * axis.low * lanes..][..axis.low * lanes],
            high: &mut high[index * axis.high * lanes..][..axis.high * lanes],
            len: axis.low + axis.high,
            lanes,
        };
        transform::<K, _, _>(planes, &source, &mut target, lanes, BANDS_FOLD);
    }
}

/// Joins the bands of `outer` bundles of lines along one axis.
fn synthesise_axis<K: Kernel>(
    planes: &mut Planes<impl Memory>,
    axis: &Axis,
    outer: usize,
    lanes: usize,
    low: &[Sample],
    high: &[Sample],
    signal: &mut [Sample],
) {
    for index in 0..outer {
        let source = Bands {
            low: &low[index * axis.low * lanes..][..axis.low * lanes],
            high: &high[index * axis.high * lanes..][..axis.high * lanes],
            len: axis.low + axis.high,
            lanes,
        };
        let mut target = Signal {
            data: &mut signal[index * axis.signal * lanes..][..axis.signal * lanes],
            len: axis.signal,
            lanes,
        };
        transform::<K, _, _>(planes, &source, &mut target, lanes, SIGNAL_FOLDS);
    }
}

/// Memory of a transform.
struct Work<M> {
    planes: Planes<M>,
    /// The two halves of a level after each axis but the last one visited.
    stages: [[M; 2]; STAGES],
}

impl<M: Memory> Work<M> {
    fn new(
        levels: &[[Axis; AXES]; LEVELS],
        supply: &mut impl Supply<Memory = M>,
    ) -> Result<Self, Error> {
        let mut stages: [[M; 2]; STAGES] =
            core::array::from_fn(|_| core::array::from_fn(|_| M::default()));
        for (depth, halves) in stages.iter_mut().enumerate() {
            let mut longest = 0;
            for axes in levels {
                let lengths = (0..AXES).map(|visit| {
                    let axis = axes[ORDER[visit]];
                    if visit <= depth { axis.low } else { axis.signal }
                });
                longest = longest.max(product(lengths).ok_or(Error::TooLarge)?);
            }
            for half in halves {
                *half = supply.take(Some(longest))?;
            }
        }
        Ok(Self { planes: Planes::new(supply)?, stages })
    }
}
