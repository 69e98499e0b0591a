/// Adds `weight` times some values to others.
fn add(sums: &mut [Sample], values: &[Sample], weight: Sample) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = plus(*sum, times(weight, *value));
    }
}

/// One operation across lines: its code and how far it reads.
pub trait Across: Kernel {
    /// Iterations after a pair of lines was loaded until its outputs are there.
    const DELAY: usize;
    /// Iterations after the first load until outputs are right.
    const WARM: usize;
    /// Both outputs of iterations from `at` on: one, or `PAIRS`. `loads` are the newest lines of each
    /// phase, the newest first.
    fn across<const FUSED: bool>(
        at: usize,
        loads: &[[&[Sample]; LINES]; 2],
        carried: &mut [Sample],
        part: Part,
        ahead: Ahead<'_>,
        low: &mut [&mut [Sample]],
        high: &mut [&mut [Sample]],
    );
}

/// A part of all lines.
#[derive(Clone, Copy)]
pub struct Part {
    /// Values from one carried line to the next.
    pitch: usize,
    /// Its first value.
    from: usize,
    /// Number of its values.
    len: usize,
}

/// Parts of carried lines.
#[inline(always)]
fn lines<const N: usize>(carried: &mut [Sample], part: Part) -> [&mut [Sample]; N] {
    let mut lines = carried.chunks_exact_mut(part.pitch);
    core::array::from_fn(|_| match lines.next() {
        Some(line) => &mut line[part.from..][..part.len],
        None => &mut [],
    })
}

/// Lines that are read along an axis that is not the last.
trait Feed {
    /// Frame position of line 0.
    const START: isize;
    /// Whether lines are made, rather than lie in memory.
    const MADE: bool;
    /// Number of lines.
    fn len(&self) -> usize;
    /// What stands at `index`, inside or not, as weighted lines.
    fn extended(index: isize, len: isize) -> Terms;
    /// Part of a line in memory.
    fn part(&self, index: usize, part: usize) -> &[Sample];
    /// Makes a line.
    fn make(&mut self, index: usize, line: &mut [Sample]);
    /// The samples that a line is made of, if it is a signal's.
    fn samples(&self, _: usize) -> &[Sample] {
        &[]
    }
    /// Runs of memory that some neighbouring lines are made of, if they are read only once.
    fn runs(&self, lines: core::ops::Range<usize>) -> [&[Sample]; RUNS];
}

/// Lines that are written along an axis that is not the last.
trait Drain {
    /// Frame position of line 0.
    const START: isize;
    /// Whether lines are taken, rather than lie in memory.
    const TAKEN: bool;
    /// Number of lines.
    fn len(&self) -> usize;
    /// What stands at `index`, inside or not, as weighted lines.
    fn extended(index: isize, len: isize) -> Terms;
    /// The same part of both lines of a pair in memory, as far as they exist.
    fn parts(&mut self, pair: isize, part: usize) -> [Option<&mut [Sample]>; 2];
    /// The same part of both lines of so many pairs in memory, if all of them exist.
    fn rows(&mut self, pair: isize, pairs: usize, part: usize) -> Option<Rows<'_>>;
    /// Takes a line.
    fn take(&mut self, index: usize, line: &[Sample]);
}

/// Parts of lines of each phase of some pairs.
type Rows<'a> = [[&'a mut [Sample]; PAIRS]; 2];

/// No lines.
fn no_rows<'a>() -> Rows<'a> {
    core::array::from_fn(|_| core::array::from_fn(|_| -> &mut [Sample] { &mut [] }))
}

/// A part of those of some pairs.
fn some_rows<'a>(rows: &'a mut Rows<'_>, from: usize, len: usize, pairs: usize) -> Rows<'a> {
    let mut parts = no_rows();
    for (parts, rows) in parts.iter_mut().zip(rows) {
        for (part, row) in parts.iter_mut().zip(rows).take(pairs) {
            *part = &mut row[from..][..len];
        }
    }
    parts
}

/// Lines of each phase that `PAIRS` pairs read.
const LINES: usize = WINDOW + PAIRS - 1;
/// Columns that are computed before memory is asked for again.
const COLUMNS: usize = 256 / size_of::<Sample>();
/// Pairs of lines between the last one that is computed and the first whose memory is asked for.
const AHEAD: isize = if PAIRS > 1 { 0 } else { 1 };
/// Runs of memory that are asked for in turn: they come sooner than one.
const RUNS: usize = 4;

/// Memory that is read soon.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    runs: [&'a [Sample]; RUNS],
    /// Values of every run that are asked for at a time.
    step: usize,
}

impl Ahead<'_> {
    /// Asks for the next values.
    #[inline(always)]
    fn next(&mut self) {
        for run in &mut self.runs {
            if !run.is_empty() {
                let (next, rest) = run.split_at(self.step.min(run.len()));
                fetch(next);
                *run = rest;
            }
        }
    }

    /// What is left after some steps.
    fn behind(mut self, steps: usize) -> Self {
        for run in &mut self.runs {
            *run = run.get(steps * self.step..).unwrap_or_default();
        }
        self
    }
}

/// Where a line is.
#[derive(Clone, Copy)]
enum Place {
    /// Among the lines that were made: its first value.
    Made(usize),
    /// In memory: its index.
    Lies(usize),
}

/// Iterations on a part of all lines.
struct Columns<'a, K> {
    at: usize,
    loads: [[&'a [Sample]; LINES]; 2],
    carried: &'a mut [Sample],
    part: Part,
    ahead: Ahead<'a>,
    outputs: Rows<'a>,
    /// How many of them.
    pairs: usize,
    kernel: core::marker::PhantomData<K>,
}

impl<K: Across> Work for Columns<'_, K> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { at, loads, carried, part, ahead, outputs: [mut low, mut high], pairs, .. } =
            self;
        let (low, high) = (&mut low[..pairs], &mut high[..pairs]);
        K::across::<FUSED>(at, &loads, carried, part, ahead, low, high);
    }
}

/// Values from one line to the next: an odd number of lines of the cache, so that lines do not compete
/// for the same places.
fn pitch_of(len: usize) -> Option<usize> {
    (len.div_ceil(UNIT) | 1).checked_mul(UNIT)
}

/// Lines of a ring: those that were made, those that are carried, outputs, and one on its way.
const RING_LINES: usize = 2 * LINES + CARRIED + 2 * PAIRS + 1;

/// Memory for a ring of lines of a length.
fn ring_memory(len: usize) -> Option<usize> {
    pitch_of(len)?.checked_mul(RING_LINES)?.checked_add(UNIT)
}

/// A sweep along an axis that is not the last: pairs of lines arrive one after the other.
struct Sweep<'a, K> {
    pitch: usize,
    /// The parts of lines.
    parts: &'a [usize],
    /// Lines that were made: as many as are read at once.
    made: &'a mut [Sample],
    carried: &'a mut [Sample],
    /// Outputs that do not go to memory at once.
    outputs: Rows<'a>,
    /// A line on its way to a sum.
    spare: &'a mut [Sample],
    /// The largest sample allowed, if any, and whether one was larger.
    bound: Option<Sample>,
    large: bool,
    kernel: core::marker::PhantomData<K>,
}

/// Transforms lines along an axis that is not the last. `folds` tells whether anything stands beyond the
/// target's ends, so that an adjoint must fold it back. Whether a sample is larger than `bound`.
fn sweep<K: Across, I: Feed, O: Drain>(
    memory: &mut [Sample],
    parts: &[usize],
    feed: &mut I,
    drain: &mut O,
    folds: bool,
    bound: Option<Sample>,
) -> bool {
    let len: usize = parts.iter().sum();
    let Some(pitch) = pitch_of(len) else { return false };
    if len == 0 || feed.len() == 0 || drain.len() == 0 {
        return false;
    }
    let memory = aligned(memory, RING_LINES * pitch);
    let (made, memory) = memory.split_at_mut(2 * LINES * pitch);
    let (carried, memory) = memory.split_at_mut(CARRIED * pitch);
    let mut lines = memory.chunks_exact_mut(pitch).map(|line| &mut line[..len]);
    let mut outputs = no_rows();
    for (output, line) in outputs.iter_mut().flatten().zip(&mut lines) {
        *output = line;
    }
    let spare = lines.next().unwrap_or_default();
    let kernel = core::marker::PhantomData::<K>;
    let large = false;
    let mut sweep = Sweep { pitch, parts, made, carried, outputs, spare, bound, large, kernel };
    let (first, end) = pairs_of(O::START, drain.len());
    sweep.pairs(first, end, feed, drain, false);
    if !K::EXTENDS && folds {
        for (first, end) in outside::<K>(I::START, feed.len(), O::START, drain.len()) {
            sweep.pairs(first, end, feed, drain, true);
        }
    }
    sweep.large
}

impl<K: Across> Sweep<'_, K> {
    /// All pairs `first..end`; outputs beyond the ends are folded back, and no others stored, if
    /// `beyond` says so.
    fn pairs<I: Feed, O: Drain>(
        &mut self,
        first: isize,
        end: isize,
        feed: &mut I,
        drain: &mut O,
        beyond: bool,
    ) {
        if first >= end {
            return;
        }
        let mut places = [[Place::Made(0); LINES]; 2];
        let begin = first + K::DELAY as isize - K::WARM as isize;
        let mut t = begin;
        while t < end + K::DELAY as isize {
            let pair = t - K::DELAY as isize;
            let many = !beyond && pair >= first && pair + PAIRS as isize <= end;
            let pairs = if many { PAIRS } else { 1 };
            let at = (t - begin) as usize;
            for at in at..at + pairs {
                let t = begin + at as isize;
                for (phase, places) in places.iter_mut().enumerate() {
                    places.rotate_right(1);
                    let slot = 2 * (at % LINES) + phase;
                    places[0] =
                        self.load(feed, 2 * t + phase as isize - I::START, slot * self.pitch);
                }
            }
            let stays = self.columns(at, &places, feed, drain, pair, pairs, beyond || pair < first);
            if pair >= first && stays {
                for at in 0..pairs {
                    self.settle(drain, pair + at as isize, at, beyond);
                }
            }
            t += pairs as isize;
        }
    }

    /// Finds or makes the line at an index.
    fn load<I: Feed>(&mut self, feed: &mut I, index: isize, start: usize) -> Place {
        let line = start..start + self.spare.len();
        let len = feed.len() as isize;
        let mut terms = [(0, ZERO); TERMS];
        if (0..len).contains(&index) {
            self.large |= beyond(feed.samples(index as usize), self.bound);
            terms[0] = (index as usize, ONE);
        } else if K::EXTENDS {
            terms = I::extended(index, len);
        }
        let mut weighted = terms.into_iter().filter(|(_, weight)| *weight != ZERO);
        match (weighted.next(), weighted.next()) {
            (Some((index, ONE)), None) if I::MADE => {
                feed.make(index, &mut self.made[line]);
                return Place::Made(start);
            }
            (Some((index, ONE)), None) => return Place::Lies(index),
            _ => {}
        }
        self.made[line.clone()].fill(ZERO);
        for (index, weight) in terms {
            if weight == ZERO {
                continue;
            }
            if I::MADE {
                feed.make(index, self.spare);
            } else {
                let mut from = 0;
                for (part, len) in self.parts.iter().enumerate() {
                    self.spare[from..][..*len].copy_from_slice(feed.part(index, part));
                    from += len;
                }
            }
            add(&mut self.made[line.clone()], self.spare, weight);
        }
        Place::Made(start)
    }

    /// Computes iterations, aside or where their outputs belong. Whether outputs wait aside.
    fn columns<I: Feed, O: Drain>(
        &mut self,
        at: usize,
        places: &[[Place; LINES]; 2],
        feed: &I,
        drain: &mut O,
        pair: isize,
        pairs: usize,
        aside: bool,
    ) -> bool {
        let later = pair + K::DELAY as isize + pairs as isize + AHEAD;
        let place = |pair: isize| (2 * pair - I::START).clamp(0, feed.len() as isize) as usize;
        let runs = feed.runs(place(later)..place(later + pairs as isize));
        let steps: usize = self.parts.iter().map(|len| len.div_ceil(COLUMNS)).sum();
        let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
        let mut ahead = Ahead { runs, step: longest.div_ceil(steps).next_multiple_of(UNIT) };
        let mut from = 0;
        let mut stays = false;
        for (part, len) in self.parts.iter().enumerate() {
            let found = if aside || O::TAKEN { None } else { drain.rows(pair, pairs, part) };
            stays |= found.is_none();
            let outputs = match found {
                Some(rows) => rows,
                None => some_rows(&mut self.outputs, from, *len, pairs),
            };
            let mut loads: [[&[Sample]; LINES]; 2] = [[&[]; LINES]; 2];
            for (load, place) in loads.iter_mut().flatten().zip(places.iter().flatten()) {
                *load = match *place {
                    Place::Made(start) => &self.made[start + from..][..*len],
                    Place::Lies(index) => feed.part(index, part),
                };
            }
            dispatch(Columns {
                at,
                loads,
                carried: &mut *self.carried,
                part: Part { pitch: self.pitch, from, len: *len },
                ahead,
                outputs,
                pairs,
                kernel: self.kernel,
            });
            ahead = ahead.behind(len.div_ceil(COLUMNS));
            from += len;
        }
        stays
    }

    /// Brings the outputs of a pair that were computed aside to where they belong.
    fn settle<O: Drain>(&mut self, drain: &mut O, pair: isize, at: usize, beyond: bool) {
        let len = drain.len() as isize;
        for phase in 0..2 {
            let output = &self.outputs[phase][at];
            let index = 2 * pair + phase as isize - O::START;
            let exists = (0..len).contains(&index);
            if !beyond {
                let mut from = 0;
                if exists && O::TAKEN {
                    drain.take(index as usize, output);
                } else if exists {
                    for (part, len) in self.parts.iter().enumerate() {
                        if let Some(row) = &mut drain.parts(pair, part)[phase] {
                            row.copy_from_slice(&output[from..][..*len]);
                        }
                        from += len;
                    }
                }
                continue;
            }
            if exists {
                continue;
            }
            for (place, weight) in O::extended(index, len) {
                if weight == ZERO {
                    continue;
                }
                let (mut from, pair) = (0, (place as isize + O::START).div_euclid(2));
                let second = (place as isize + O::START).rem_euclid(2) as usize;
                for (part, len) in self.parts.iter().enumerate() {
                    if let Some(sums) = &mut drain.parts(pair, part)[second] {
                        add(sums, &output[from..][..*len], weight);
                    }
                    from += len;
                }
            }
        }
    }
}
