/// One operation on one axis: its code and how far it reads.
pub trait Kernel {
    /// Whether the input is extended beyond its ends (or zero there, and the output folded back).
    const EXTENDS: bool;
    /// Pairs before an output's that it depends on.
    const BEFORE: usize;
    /// Pairs after an output's that it depends on.
    const AFTER: usize;
    /// Passes vectors of neighbouring pairs through all stages; what comes out are the outputs of as
    /// many pairs, `AFTER` pairs before them. `behind` holds what the vectors before left behind.
    fn stages<V: Vectors<Sample>, const N: usize>(
        v: V,
        behind: &mut [V::Vector; DELAYS],
        even: [V::Vector; N],
        odd: [V::Vector; N],
    ) -> [[V::Vector; N]; 2];
}

/// Pairs that pass: places count from the first.
trait Pairs {
    /// Vectors of both planes from a place on.
    fn load<V: Vectors<Sample>, const N: usize>(&self, v: V, at: usize) -> [[V::Vector; N]; 2];
    /// Values of both planes from a place on.
    fn copy(&self, at: usize, even: &mut [Sample], odd: &mut [Sample]);
}

/// Places of outputs.
trait PairsMut {
    /// Number of pairs.
    fn len(&self) -> usize;
    /// Pairs before the first one from which on vectors do not cross lines of the cache.
    fn skew(&self) -> usize;
    /// Stores vectors of both outputs from a place on.
    fn store<V: Vectors<Sample>, const N: usize>(
        &mut self,
        v: V,
        at: usize,
        outputs: [[V::Vector; N]; 2],
    );
    /// Stores values of both outputs from a place on.
    fn copy(&mut self, at: usize, low: &[Sample], high: &[Sample]);
}

/// Both values of a pair after one another.
struct Joined<D>(D);

/// Both planes.
struct Apart<D>([D; 2]);

impl Pairs for Joined<&[Sample]> {
    #[inline(always)]
    fn load<V: Vectors<Sample>, const N: usize>(&self, v: V, at: usize) -> [[V::Vector; N]; 2] {
        let values = &v.load(&self.0[2 * at..][..2 * N * V::LANES])[..2 * N];
        let (mut even, mut odd) = ([values[0]; N], [values[0]; N]);
        for at in 0..N {
            [even[at], odd[at]] = v.split([values[2 * at], values[2 * at + 1]]);
        }
        [even, odd]
    }
    #[inline(always)]
    fn copy(&self, at: usize, even: &mut [Sample], odd: &mut [Sample]) {
        apart(&self.0[2 * at..][..2 * even.len()], even, odd);
    }
}

impl Pairs for Apart<&[Sample]> {
    #[inline(always)]
    fn load<V: Vectors<Sample>, const N: usize>(&self, v: V, at: usize) -> [[V::Vector; N]; 2] {
        let [even, odd] = self.0;
        let even = &v.load(&even[at..][..N * V::LANES])[..N];
        let odd = &v.load(&odd[at..][..N * V::LANES])[..N];
        let mut values = [[even[0]; N]; 2];
        for at in 0..N {
            [values[0][at], values[1][at]] = [even[at], odd[at]];
        }
        values
    }
    #[inline(always)]
    fn copy(&self, at: usize, even: &mut [Sample], odd: &mut [Sample]) {
        even.copy_from_slice(&self.0[0][at..][..even.len()]);
        odd.copy_from_slice(&self.0[1][at..][..odd.len()]);
    }
}

impl PairsMut for Joined<&mut [Sample]> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len() / 2
    }
    #[inline(always)]
    fn skew(&self) -> usize {
        let skew = self.0.as_ptr().align_offset(64);
        if skew % 2 == 0 { skew / 2 } else { 0 }
    }
    #[inline(always)]
    fn store<V: Vectors<Sample>, const N: usize>(
        &mut self,
        v: V,
        at: usize,
        [low, high]: [[V::Vector; N]; 2],
    ) {
        let places = &mut v.store(&mut self.0[2 * at..][..2 * N * V::LANES])[..2 * N];
        for at in 0..N {
            [places[2 * at], places[2 * at + 1]] = v.join([low[at], high[at]]);
        }
    }
    #[inline(always)]
    fn copy(&mut self, at: usize, low: &[Sample], high: &[Sample]) {
        together(low, high, &mut self.0[2 * at..][..2 * low.len()]);
    }
}

impl PairsMut for Apart<&mut [Sample]> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0[0].len().min(self.0[1].len())
    }
    #[inline(always)]
    fn skew(&self) -> usize {
        self.0[0].as_ptr().align_offset(64)
    }
    #[inline(always)]
    fn store<V: Vectors<Sample>, const N: usize>(
        &mut self,
        v: V,
        at: usize,
        outputs: [[V::Vector; N]; 2],
    ) {
        let [low, high] = &mut self.0;
        let low = &mut v.store(&mut low[at..][..N * V::LANES])[..N];
        let high = &mut v.store(&mut high[at..][..N * V::LANES])[..N];
        for at in 0..N {
            [low[at], high[at]] = [outputs[0][at], outputs[1][at]];
        }
    }
    #[inline(always)]
    fn copy(&mut self, at: usize, low: &[Sample], high: &[Sample]) {
        self.0[0][at..][..low.len()].copy_from_slice(low);
        self.0[1][at..][..high.len()].copy_from_slice(high);
    }
}

/// Vectors of each plane that pass together on machines with many registers, and on others.
const MANY: usize = 8;
const FEW: usize = 6;

/// Neighbouring outputs, from pairs of which the first is `BEFORE` pairs before the first output's.
struct Flow<K, I, O> {
    pairs: I,
    outputs: O,
    kernel: core::marker::PhantomData<K>,
}

impl<K: Kernel, I: Pairs, O: PairsMut> Pass<Sample> for Flow<K, I, O> {
    #[inline(always)]
    fn run<V: Vectors<Sample>>(mut self, v: V) {
        let mut behind = [v.splat(ZERO); DELAYS];
        let len = self.outputs.len();
        let mut at = self.outputs.skew();
        if at >= V::LANES || at > len {
            at = 0;
        }
        // What the first whole vectors depend on, and outputs before them.
        let before = K::BEFORE + K::AFTER + at;
        let first = before % V::LANES;
        if first > 0 {
            self.part(v, &mut behind, 0, first, at);
        }
        let mut passed = first;
        while passed < before {
            self.part(v, &mut behind, passed, V::LANES, at);
            passed += V::LANES;
        }
        while V::LANES == UNIT && at + MANY * V::LANES <= len {
            self.whole::<V, MANY>(v, &mut behind, at);
            at += MANY * V::LANES;
        }
        while V::LANES < UNIT && at + FEW * V::LANES <= len {
            self.whole::<V, FEW>(v, &mut behind, at);
            at += FEW * V::LANES;
        }
        while at + V::LANES <= len {
            self.whole::<V, 1>(v, &mut behind, at);
            at += V::LANES;
        }
        if at < len {
            let from = K::BEFORE + K::AFTER + at;
            self.last(v, &mut behind, from, len - at);
        }
    }
}

impl<K: Kernel, I: Pairs, O: PairsMut> Flow<K, I, O> {
    /// Outputs from a place on.
    #[inline(always)]
    fn whole<V: Vectors<Sample>, const N: usize>(
        &mut self,
        v: V,
        behind: &mut [V::Vector; DELAYS],
        at: usize,
    ) {
        let [even, odd] = self.pairs.load::<V, N>(v, at + K::BEFORE + K::AFTER);
        let outputs = K::stages::<V, N>(v, behind, even, odd);
        self.outputs.store::<V, N>(v, at, outputs);
    }

    /// A vector, or a part of one that stands at its end; of its outputs those before `end` are stored.
    #[inline(always)]
    fn part<V: Vectors<Sample>>(
        &mut self,
        v: V,
        behind: &mut [V::Vector; DELAYS],
        from: usize,
        pairs: usize,
        end: usize,
    ) {
        let mut planes = [[ZERO; UNIT]; 2];
        let [even, odd] = &mut planes;
        let lead = V::LANES - pairs;
        self.pairs.copy(from, &mut even[lead..V::LANES], &mut odd[lead..V::LANES]);
        let planes = self.vector(v, behind, planes);
        let first = (K::BEFORE + K::AFTER).saturating_sub(from);
        if first < pairs && end > 0 {
            let places = lead + first..V::LANES;
            let at = from + first - (K::BEFORE + K::AFTER);
            self.outputs.copy(at, &planes[0][places.clone()], &planes[1][places]);
        }
    }

    /// The last pairs, which are less than a vector.
    #[inline(always)]
    fn last<V: Vectors<Sample>>(
        &mut self,
        v: V,
        behind: &mut [V::Vector; DELAYS],
        from: usize,
        pairs: usize,
    ) {
        let mut planes = [[ZERO; UNIT]; 2];
        let [even, odd] = &mut planes;
        self.pairs.copy(from, &mut even[..pairs], &mut odd[..pairs]);
        let planes = self.vector(v, behind, planes);
        let at = from - (K::BEFORE + K::AFTER);
        self.outputs.copy(at, &planes[0][..pairs], &planes[1][..pairs]);
    }

    /// A vector of each plane.
    #[inline(always)]
    fn vector<V: Vectors<Sample>>(
        &mut self,
        v: V,
        behind: &mut [V::Vector; DELAYS],
        mut planes: [[Sample; UNIT]; 2],
    ) -> [[Sample; UNIT]; 2] {
        let (even, odd) = (v.load(&planes[0][..V::LANES])[0], v.load(&planes[1][..V::LANES])[0]);
        let [[low], [high]] = K::stages::<V, 1>(v, behind, [even], [odd]);
        v.store(&mut planes[0][..V::LANES])[0] = low;
        v.store(&mut planes[1][..V::LANES])[0] = high;
        planes
    }
}

/// Computes a block of a line.
fn compute<K: Kernel>(strip: Strip<'_, K>) {
    let Strip { split, planes, loaded: [even, odd], buffers: [], low, high, joined, .. } = strip;
    let (samples, at) = split;
    apart(samples, &mut even[at..], &mut odd[at..]);
    let (low, high) = (&mut *low, &mut *high);
    let pairs = Apart(planes.unwrap_or([even, odd]));
    let outputs = Apart([&mut *low, &mut *high]);
    pass(Flow { pairs, outputs, kernel: core::marker::PhantomData::<K> });
    let (samples, at) = joined;
    together(&low[at..], &high[at..], samples);
}

/// A line whose pairs can pass.
trait Flows: Blocks {
    /// Pairs of it.
    type Pairs<'a>: Pairs
    where
        Self: 'a;
    /// Neighbouring pairs that all exist.
    fn flow(&self, first: isize, pairs: usize) -> Self::Pairs<'_>;
}

/// A line of outputs that passed.
trait FlowsMut: BlocksMut {
    /// Pairs of it.
    type Pairs<'a>: PairsMut
    where
        Self: 'a;
    /// Neighbouring pairs that all exist.
    fn flow(&mut self, first: isize, pairs: usize) -> Self::Pairs<'_>;
}

impl Flows for Signal<&[Sample]> {
    type Pairs<'a>
        = Joined<&'a [Sample]>
    where
        Self: 'a;
    fn flow(&self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Joined(self.pairs(first, pairs))
    }
}

impl Flows for Bands<&[Sample]> {
    type Pairs<'a>
        = Apart<&'a [Sample]>
    where
        Self: 'a;
    fn flow(&self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Apart(self.planes(first, pairs).unwrap_or_default())
    }
}

impl FlowsMut for Signal<&mut [Sample]> {
    type Pairs<'a>
        = Joined<&'a mut [Sample]>
    where
        Self: 'a;
    fn flow(&mut self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Joined(self.pairs(first, pairs))
    }
}

impl FlowsMut for Bands<&mut [Sample]> {
    type Pairs<'a>
        = Apart<&'a mut [Sample]>
    where
        Self: 'a;
    fn flow(&mut self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Apart(self.planes(first, pairs).unwrap_or_default())
    }
}

/// Computes pairs of a line: those whose outputs have places and depend on pairs that exist in one go,
/// others block by block.
fn span<K: Kernel, S: Flows, T: FlowsMut>(
    memory: &mut [Sample],
    source: &S,
    target: &mut T,
    first: isize,
    end: isize,
) {
    let (whole_first, whole_end) = inner_pairs_of(S::START, source.len());
    let (placed_first, placed_end) = inner_pairs_of(T::START, target.len());
    let (before, after) = (K::BEFORE as isize, K::AFTER as isize);
    let inner_first = first.max(whole_first + before).max(placed_first).min(end);
    let inner_end = end.min(whole_end - after).min(placed_end).max(inner_first);
    for (first, end) in [(first, inner_first), (inner_end, end)] {
        blocks(first, end, |block, pairs| {
            strip::<K, S, T>(memory, source, target, block, pairs, false);
        });
    }
    let pairs = (inner_end - inner_first) as usize;
    if pairs > 0 {
        let outputs = target.flow(inner_first, pairs);
        let pairs = source.flow(inner_first - before, pairs + K::BEFORE + K::AFTER);
        pass(Flow { pairs, outputs, kernel: core::marker::PhantomData::<K> });
    }
}
