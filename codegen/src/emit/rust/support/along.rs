/// Values of a line of the cache.
const UNIT: usize = 64 / size_of::<Sample>();

/// As many values from the first that begins a line of the cache, in memory with a line more.
fn aligned(memory: &mut [Sample], len: usize) -> &mut [Sample] {
    let skew = memory.as_ptr().align_offset(64).min(memory.len().saturating_sub(len));
    &mut memory[skew..][..len]
}

/// A line that is read a block at a time.
trait Blocks: Source {
    /// Whether planes lie in memory as such.
    const LIES: bool;
    /// The planes of neighbouring pairs that all exist, if they lie in memory as such.
    fn planes(&self, first: isize, pairs: usize) -> Option<[&[Sample]; 2]>;
    /// The samples of neighbouring pairs that all exist, if they lie in memory one after the other.
    fn pairs(&self, first: isize, pairs: usize) -> &[Sample];
}

/// A line that is written a block at a time.
trait BlocksMut: Target {
    /// Places of the planes of neighbouring pairs that all exist, if they lie in memory as such.
    fn planes(&mut self, first: isize, pairs: usize) -> Option<[&mut [Sample]; 2]>;
    /// Places of neighbouring pairs that all exist, if they lie in memory one after the other.
    fn pairs(&mut self, first: isize, pairs: usize) -> &mut [Sample];
}

impl Blocks for Signal<&[Sample]> {
    const LIES: bool = false;
    fn planes(&self, _: isize, _: usize) -> Option<[&[Sample]; 2]> {
        None
    }
    fn pairs(&self, first: isize, pairs: usize) -> &[Sample] {
        &self.0[(2 * first - START) as usize..][..2 * pairs]
    }
}

impl Blocks for Bands<&[Sample]> {
    const LIES: bool = true;
    fn planes(&self, first: isize, pairs: usize) -> Option<[&[Sample]; 2]> {
        let first = first as usize;
        Some([&self.low[first..][..pairs], &self.high[first..][..pairs]])
    }
    fn pairs(&self, _: isize, _: usize) -> &[Sample] {
        &[]
    }
}

impl BlocksMut for Signal<&mut [Sample]> {
    fn planes(&mut self, _: isize, _: usize) -> Option<[&mut [Sample]; 2]> {
        None
    }
    fn pairs(&mut self, first: isize, pairs: usize) -> &mut [Sample] {
        &mut self.0[(2 * first - START) as usize..][..2 * pairs]
    }
}

impl BlocksMut for Bands<&mut [Sample]> {
    fn planes(&mut self, first: isize, pairs: usize) -> Option<[&mut [Sample]; 2]> {
        let first = first as usize;
        Some([&mut self.low[first..][..pairs], &mut self.high[first..][..pairs]])
    }
    fn pairs(&mut self, _: isize, _: usize) -> &mut [Sample] {
        &mut []
    }
}

/// Memory of a block: planes as loaded, outputs, and buffers.
const BLOCK_MEMORY: usize = (4 + BUFFERS) * BLOCK_VALUES + UNIT;

/// A block of a line.
struct Strip<'a, K> {
    /// Samples that are split into the loaded planes, and from which pair on.
    split: (&'a [Sample], usize),
    /// The planes, if they lie in memory; or else they are loaded.
    planes: Option<[&'a [Sample]; 2]>,
    loaded: [&'a mut [Sample]; 2],
    buffers: [&'a mut [Sample]; BUFFERS],
    low: &'a mut [Sample],
    high: &'a mut [Sample],
    /// Where the outputs are joined, and from which pair on.
    joined: (&'a mut [Sample], usize),
    kernel: core::marker::PhantomData<K>,
}

/// Splits samples into planes.
#[inline(always)]
fn apart(samples: &[Sample], even: &mut [Sample], odd: &mut [Sample]) {
    let pairs = samples.as_chunks::<2>().0;
    let (even, odd) = (&mut even[..pairs.len()], &mut odd[..pairs.len()]);
    for k in 0..pairs.len() {
        [even[k], odd[k]] = pairs[k];
    }
}

/// Joins planes.
#[inline(always)]
fn together(even: &[Sample], odd: &[Sample], samples: &mut [Sample]) {
    let pairs = samples.as_chunks_mut::<2>().0;
    let (even, odd) = (&even[..pairs.len()], &odd[..pairs.len()]);
    for k in 0..pairs.len() {
        pairs[k] = [even[k], odd[k]];
    }
}

/// Transforms a line. `folds` tells whether anything stands beyond the target's ends, so that an adjoint
/// must fold it back.
fn along<K: Kernel, S: Flows, T: FlowsMut>(
    memory: &mut [Sample],
    source: &S,
    target: &mut T,
    folds: bool,
) {
    if source.len() == 0 || target.len() == 0 {
        return;
    }
    let (first, end) = pairs_of(T::START, target.len());
    span::<K, S, T>(memory, source, target, first, end);
    if K::EXTENDS || !folds {
        return;
    }
    for (first, end) in outside::<K>(S::START, source.len(), T::START, target.len()) {
        blocks(first, end, |block, pairs| {
            strip::<K, S, T>(memory, source, target, block, pairs, true);
        });
    }
}

/// The pairs around a target, some of whose positions lie beyond its ends, that have outputs.
fn outside<K: Kernel>(
    source_start: isize,
    source_len: usize,
    target_start: isize,
    target_len: usize,
) -> [(isize, isize); 2] {
    let (first, end) = pairs_of(source_start, source_len);
    let (first, end) = (first - K::AFTER as isize, end + K::BEFORE as isize);
    let (inner_first, inner_end) = inner_pairs_of(target_start, target_len);
    if inner_first < inner_end {
        [(first, inner_first.min(end)), (inner_end.max(first), end)]
    } else {
        [(first, end), (0, 0)]
    }
}

/// Cuts `first..end` into blocks.
fn blocks(first: isize, end: isize, mut each: impl FnMut(isize, usize)) {
    let mut block = first;
    while block < end {
        let pairs = LINE_PAIRS.min((end - block) as usize);
        each(block, pairs);
        block += pairs as isize;
    }
}

/// Transforms a block; outputs beyond the ends are folded back, and no others stored, if `beyond` says
/// so.
fn strip<K: Kernel, S: Blocks, T: BlocksMut>(
    memory: &mut [Sample],
    source: &S,
    target: &mut T,
    block: isize,
    pairs: usize,
    beyond: bool,
) {
    let memory = aligned(memory, (4 + BUFFERS) * BLOCK_VALUES);
    let mut parts = memory.chunks_exact_mut(BLOCK_VALUES);
    let mut part = || parts.next().unwrap_or_default();
    let rows = pairs + K::BEFORE + K::AFTER;
    let mut loaded: [&mut [Sample]; 2] = core::array::from_fn(|_| &mut part()[..rows]);
    let mut outputs: [&mut [Sample]; 2] = core::array::from_fn(|_| &mut part()[..pairs]);
    let buffers: [&mut [Sample]; BUFFERS] = core::array::from_fn(|_| part());

    let first = block - K::BEFORE as isize;
    let (start, len) = (S::START, source.len());
    let ranges: [_; 2] = core::array::from_fn(|phase| inside(phase as isize, first, rows, start, len));
    let (from, to) = (ranges[0].0.max(ranges[1].0), ranges[0].1.min(ranges[1].1));
    let to = to.max(from);
    let whole = S::LIES && (from, to) == (0, rows);
    let planes = if whole { source.planes(first, rows) } else { None };
    let mut split: (&[Sample], usize) = (&[], 0);
    if planes.is_none() {
        if from < to {
            match source.planes(first + from as isize, to - from) {
                Some(planes) => {
                    for (plane, values) in loaded.iter_mut().zip(planes) {
                        plane[from..to].copy_from_slice(values);
                    }
                }
                None => split = (source.pairs(first + from as isize, to - from), from),
            }
        }
        for (phase, plane) in loaded.iter_mut().enumerate() {
            for t in (0..from).chain(to..rows) {
                let index = 2 * (first + t as isize) + phase as isize - start;
                plane[t] = extended::<K, S>(source, index);
            }
        }
    }

    let (start, len) = (T::START, target.len());
    let ranges: [_; 2] = core::array::from_fn(|phase| inside(phase as isize, block, pairs, start, len));
    let (from, to) = (ranges[0].0.max(ranges[1].0), ranges[0].1.min(ranges[1].1));
    let whole = !beyond && (from, to) == (0, pairs);
    let kernel = core::marker::PhantomData::<K>;
    let places = if whole { target.planes(block, pairs) } else { None };
    if let Some([low, high]) = places {
        let joined: (&mut [Sample], usize) = (&mut [], 0);
        compute(Strip { split, planes, loaded, buffers, low, high, joined, kernel });
        return;
    }
    let joined: (&mut [Sample], usize) = match !beyond && from < to {
        true => (target.pairs(block + from as isize, to - from), from),
        false => (&mut [], 0),
    };
    let is_joined = !joined.0.is_empty();
    let [low, high] = outputs.each_mut().map(|output| &mut **output);
    compute(Strip { split, planes, loaded, buffers, low, high, joined, kernel });
    for (phase, (output, range)) in outputs.iter().zip(ranges).enumerate() {
        if beyond {
            fold(target, output, phase as isize, block, ONE, false);
            continue;
        }
        let index = |t: usize| (2 * (block + t as isize) + phase as isize - start) as usize;
        if !is_joined {
            if range.0 < range.1 {
                target.copy(index(range.0), &output[range.0..range.1]);
            }
            continue;
        }
        for t in (range.0..from).chain(to..range.1) {
            *target.at(index(t)) = output[t];
        }
    }
}

/// What stands at an index of a line, inside or not.
fn extended<K: Kernel, S: Source>(source: &S, index: isize) -> Sample {
    let len = source.len() as isize;
    if (0..len).contains(&index) {
        return source.at(index as usize);
    }
    let mut sum = ZERO;
    if K::EXTENDS {
        for (place, factor) in S::extended(index, len) {
            if factor != ZERO {
                sum = plus(sum, times(factor, source.at(place)));
            }
        }
    }
    sum
}
