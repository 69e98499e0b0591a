/// Pairs that a level computes at a time. Blocks begin anew to read and to write memory, which costs more
/// than a stay in a nearer cache would gain.
const BLOCK: usize = (256 << 10) / size_of::<Sample>();
/// Samples between two levels: what a block reads and what a block makes, and what both share with others.
const WINDOW: usize = 3 * BLOCK + 512;
/// Samples of an approximation that are kept at each end.
const EDGE: usize = 1024;

/// A direction through levels.
trait Way {
    /// Whether anything stands beyond the ends of what is written, and is folded back.
    const FOLDS: bool;
    /// The level of a stage, of so many.
    fn level(stage: usize, stages: usize) -> usize;
    /// Samples that a level reads and writes, besides its details.
    fn lens(axis: &Axis) -> [usize; 2];
    /// All pairs of a level.
    fn all(axis: &Axis) -> (isize, isize);
    /// Pairs that read nothing but some samples, and whose outputs all have places.
    fn fed(axis: &Axis, from: usize, to: usize) -> (isize, isize);
    /// The first sample that a pair reads.
    fn read(pair: isize) -> usize;
    /// Samples that are made from one pair to the next.
    const MADE: usize;
    /// The first sample that a pair makes.
    fn made(pair: isize) -> usize;
}

/// Signals to bands, finest level first.
struct Analysis<K>(K);

/// Bands to signals, coarsest level first.
struct Synthesis<K>(K);

impl<K: Kernel> Way for Analysis<K> {
    const FOLDS: bool = !K::EXTENDS && BANDS_FOLD;
    fn level(stage: usize, _: usize) -> usize {
        stage
    }
    fn lens(axis: &Axis) -> [usize; 2] {
        [axis.signal, axis.low]
    }
    fn all(axis: &Axis) -> (isize, isize) {
        pairs_of(0, axis.low + axis.high)
    }
    fn fed(axis: &Axis, from: usize, to: usize) -> (isize, isize) {
        let (first, end) = inner_pairs_of(START + from as isize, to - from);
        let end = (end - K::AFTER as isize).min(axis.low.min(axis.high) as isize);
        ((first + K::BEFORE as isize).max(0), end)
    }
    fn read(pair: isize) -> usize {
        (2 * (pair - K::BEFORE as isize) - START).max(0) as usize
    }
    const MADE: usize = 1;
    fn made(pair: isize) -> usize {
        pair as usize
    }
}

impl<K: Kernel> Way for Synthesis<K> {
    const FOLDS: bool = !K::EXTENDS && SIGNAL_FOLDS;
    fn level(stage: usize, stages: usize) -> usize {
        stages - 1 - stage
    }
    fn lens(axis: &Axis) -> [usize; 2] {
        [axis.low, axis.signal]
    }
    fn all(axis: &Axis) -> (isize, isize) {
        pairs_of(START, axis.signal)
    }
    fn fed(axis: &Axis, from: usize, to: usize) -> (isize, isize) {
        let (first, end) = inner_pairs_of(START, axis.signal);
        let to = to.min(axis.high) as isize;
        (first.max((from + K::BEFORE) as isize), end.min(to - K::AFTER as isize))
    }
    fn read(pair: isize) -> usize {
        (pair - K::BEFORE as isize).max(0) as usize
    }
    const MADE: usize = 2;
    fn made(pair: isize) -> usize {
        (2 * pair - START).max(0) as usize
    }
}

/// The pairs of every stage that read what the stage before makes in one go, if so many levels are
/// worth a sweep together.
fn stages<K: Kernel, W: Way>(
    levels: &[[Axis; AXES]; LEVELS],
    count: usize,
) -> Option<[(isize, isize); LEVELS]> {
    if W::FOLDS || levels[1][0].signal < (count - 1) * (WINDOW + 2 * EDGE) {
        return None;
    }
    let reach = 2 * (K::BEFORE + K::AFTER + 1);
    let mut stages = [(0, 0); LEVELS];
    let mut made = (0, W::lens(&levels[W::level(0, count)][0])[0]);
    for (stage, pairs) in stages.iter_mut().enumerate().take(count) {
        let axis = &levels[W::level(stage, count)][0];
        let len = W::lens(axis)[0];
        *pairs = W::fed(axis, made.0, made.1);
        let edges =
            [W::read(pairs.0) + reach, len.saturating_sub(W::read(pairs.1)), made.0, len - made.1];
        let kept = stage == 0 || edges.iter().all(|edge| *edge <= EDGE);
        if !kept || reach > EDGE / 4 || pairs.1 - pairs.0 < BLOCK as isize {
            return None;
        }
        made = (W::made(pairs.0), W::made(pairs.1));
    }
    Some(stages)
}

/// How many of the finest levels are swept together.
fn swept<K: Kernel, W: Way>(levels: &[[Axis; AXES]; LEVELS]) -> usize {
    (2..=LEVELS).rev().find(|count| stages::<K, W>(levels, *count).is_some()).unwrap_or(0)
}

/// What waits between two stages.
struct Window<'a> {
    /// Number of samples in all.
    len: usize,
    values: &'a mut [Sample],
    /// The samples that are held.
    from: usize,
    to: usize,
    /// The first and the last samples.
    edges: [&'a mut [Sample]; 2],
}

impl Window<'_> {
    /// What is held, for pairs that read nothing else.
    fn part(&self) -> Part<'_> {
        Part::window(self.len, self.from, &self.values[..self.to - self.from])
    }

    /// What is kept, for pairs at the ends.
    fn kept(&self) -> Part<'_> {
        let [head, tail] = &self.edges;
        Part { len: self.len, runs: [(0, head), (self.len - EDGE, tail)] }
    }

    /// Forgets what is before a sample.
    fn forget(&mut self, needed: usize) {
        let dropped = needed.clamp(self.from, self.to) - self.from;
        self.values.copy_within(dropped..self.to - self.from, 0);
        self.from += dropped;
    }

    /// Places of the next samples.
    fn next(&mut self, count: usize) -> Made<'_> {
        let held = self.to - self.from;
        self.to += count;
        Made { len: self.len, from: self.to - count, values: &mut self.values[held..][..count] }
    }

    /// Keeps those of the last samples that are near the ends.
    fn keep(&mut self, count: usize) {
        let (first, end) = (self.to - count, self.to);
        for (edge, start) in self.edges.iter_mut().zip([0, self.len - EDGE]) {
            let (first, end) = (first.max(start), end.min(start + EDGE));
            if first < end {
                let values = &self.values[first - self.from..end - self.from];
                edge[first - start..end - start].copy_from_slice(values);
            }
        }
    }
}

/// Sweeps through levels with windows in some memory, for which half of a signal that is swept always
/// suffices: every stage takes what the one before made while it is in the cache. Pairs near
/// the ends, which may read what stands at the other end, come last. `step` computes pairs of a level.
fn sweep<K: Kernel, W: Way>(
    levels: &[[Axis; AXES]; LEVELS],
    count: usize,
    memory: &mut [Sample],
    input: &[Sample],
    output: &mut [Sample],
    mut step: impl FnMut(usize, Part<'_>, Made<'_>, isize, isize),
) {
    let Some(stages) = stages::<K, W>(levels, count) else { return };
    let axis = |stage: usize| &levels[W::level(stage, count)][0];
    let mut memory = memory;
    let mut cut = |len: usize| {
        let (values, rest) = core::mem::take(&mut memory).split_at_mut(len);
        memory = rest;
        values
    };
    let mut windows: [Window<'_>; LEVELS] = core::array::from_fn(|stage| {
        let (len, room, edge) = match stage + 1 < count {
            true => (W::lens(axis(stage))[1], WINDOW, EDGE),
            false => (EDGE, 0, 0),
        };
        let from = W::made(stages[stage].0);
        Window { len, values: cut(room), from, to: from, edges: [cut(edge), cut(edge)] }
    });
    let mut next = stages.map(|(first, _)| first);
    let whole = output.len();
    loop {
        // The deepest stage that has a block to read; at the end, whatever is left.
        let ready = |stage: usize| {
            let fed = match stage.checked_sub(1).map(|before| &windows[before]) {
                Some(window) => W::fed(axis(stage), window.from, window.to).1,
                None => stages[stage].1,
            };
            (fed.min(stages[stage].1) - next[stage]).clamp(0, BLOCK as isize)
        };
        let full = (0..count).rev().find(|stage| ready(*stage) == BLOCK as isize);
        let Some(stage) = full.or_else(|| (0..count).find(|stage| ready(*stage) > 0)) else {
            break;
        };
        let (first, pairs) = (next[stage], ready(stage));
        next[stage] += pairs;
        let (before, behind) = windows.split_at_mut(stage);
        let held = before.last().map_or(Part::whole(input), |window| window.part());
        let level = W::level(stage, count);
        if stage + 1 == count {
            let made = Made { len: whole, from: 0, values: &mut *output };
            step(level, held, made, first, first + pairs);
        } else {
            let (window, made) = (&mut behind[0], pairs as usize * W::MADE);
            window.forget(W::read(next[stage + 1]));
            step(level, held, window.next(made), first, first + pairs);
            window.keep(made);
        }
    }
    for stage in 0..count {
        let (ready, behind) = windows.split_at_mut(stage);
        let (all, inner) = (W::all(axis(stage)), stages[stage]);
        for (end, (first, last)) in [(all.0, inner.0), (inner.1, all.1)].into_iter().enumerate() {
            let kept = ready.last().map_or(Part::whole(input), |window| window.kept());
            let made = match behind.first_mut() {
                Some(window) if stage + 1 < count => {
                    let (len, from) = (window.len, [0, window.len - EDGE][end]);
                    Made { len, from, values: &mut *window.edges[end] }
                }
                _ => Made { len: whole, from: 0, values: &mut *output },
            };
            step(W::level(stage, count), kept, made, first, last);
        }
    }
}

/// Details of all levels, finest first, and the last approximation.
fn cut_details<'a>(
    levels: &[[Axis; AXES]; LEVELS],
    coefficients: &'a mut [Sample],
) -> ([&'a mut [Sample]; LEVELS], &'a mut [Sample]) {
    let mut rest = coefficients;
    let details = core::array::from_fn(|level| {
        let (left, [_, high]) = split_details(&levels[level], core::mem::take(&mut rest));
        rest = left;
        high
    });
    (details, rest)
}

impl<M: Memory> Transform<M> {
    /// All levels, finest first: signal to coefficients. Whether a sample is larger than `bound`, which
    /// makes the coefficients worthless.
    pub fn analyse<K: Level>(
        &mut self,
        signal: &[Sample],
        coefficients: &mut [Sample],
        bound: Option<Sample>,
    ) -> Result<bool, Error> {
        self.check(signal.len(), coefficients.len())?;
        let large = beyond(signal, bound);
        let (mut details, approximation) = cut_details(&self.levels, coefficients);
        let (block, levels) = (&mut self.work.block, &self.levels);
        let [first, second] = &mut self.approximations;
        let (mut input, mut output): (&mut [Sample], &mut [Sample]) = (first, second);
        let count = swept::<K, Analysis<K>>(levels);
        if count > 0 {
            let target = match count == LEVELS {
                true => &mut *approximation,
                false => &mut output[..levels[count - 1][0].low],
            };
            let step = |level: usize, low: Part<'_>, made: Made<'_>, first, end| {
                let mut target = Split { low: made, high: &mut *details[level] };
                span::<K, _, _>(block, &low, &mut target, first, end);
            };
            sweep::<K, Analysis<K>>(levels, count, input, signal, target, step);
            core::mem::swap(&mut input, &mut output);
        }
        for (level, axes) in levels.iter().enumerate().skip(count) {
            let source = if level == 0 { signal } else { &input[..axes[0].signal] };
            let low = match level + 1 == LEVELS {
                true => &mut *approximation,
                false => &mut output[..axes[0].low],
            };
            let bands = [low, &mut *details[level]];
            analyse_level::<K>(&mut self.work, axes, source, bands, None);
            core::mem::swap(&mut input, &mut output);
        }
        Ok(large)
    }

    /// All levels, coarsest first: coefficients to signal.
    pub fn synthesise<K: Level>(
        &mut self,
        coefficients: &[Sample],
        signal: &mut [Sample],
    ) -> Result<(), Error> {
        self.check(signal.len(), coefficients.len())?;
        let mut blocks = [[&coefficients[..0]; CHANNELS]; LEVELS];
        let mut rest = coefficients;
        for (block, axes) in blocks.iter_mut().zip(&self.levels) {
            (rest, *block) = details(axes, rest);
        }
        let levels = &self.levels;
        let [first, second] = &mut self.approximations;
        let (mut input, mut output): (&mut [Sample], &mut [Sample]) = (first, second);
        let count = swept::<K, Synthesis<K>>(levels);
        for (level, axes) in levels.iter().enumerate().skip(count).rev() {
            let low = if level + 1 == LEVELS { rest } else { &input[..axes[0].low] };
            let target = match level {
                0 => &mut *signal,
                _ => &mut output[..axes[0].signal],
            };
            synthesise_level::<K>(&mut self.work, axes, [low, blocks[level][1]], target);
            core::mem::swap(&mut input, &mut output);
        }
        if count > 0 {
            let low = match count == LEVELS {
                true => rest,
                false => &input[..levels[count - 1][0].low],
            };
            let block = &mut self.work.block;
            let step = |level: usize, low: Part<'_>, mut made: Made<'_>, first, end| {
                let source = Parts { low, high: blocks[level][1] };
                span::<K, _, _>(block, &source, &mut made, first, end);
            };
            sweep::<K, Synthesis<K>>(levels, count, output, low, signal, step);
        }
        Ok(())
    }
}
