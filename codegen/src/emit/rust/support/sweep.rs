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
    /// Both outputs of an iteration. `loads` are the newest lines of each phase, the newest first.
    fn across<const FUSED: bool>(
        at: usize,
        loads: &[[&[Sample]; WINDOW]; 2],
        carried: &mut [Sample],
        part: Part,
        low: &mut [Sample],
        high: &mut [Sample],
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
    /// Calls `each` with all runs of memory that a line is made of, if they are read only once.
    fn runs(&self, index: usize, each: impl FnMut(&[Sample]));
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
    /// Takes a line.
    fn take(&mut self, index: usize, line: &[Sample]);
}

/// Columns that are computed at once: between them, memory is asked for.
const COLUMNS: usize = 2048 / size_of::<Sample>();
/// Pairs of lines between the one that is computed and the one whose memory is asked for.
const AHEAD: isize = 2;

/// Where a line is.
#[derive(Clone, Copy)]
enum Place {
    /// Among the lines that were made: its first value.
    Made(usize),
    /// In memory: its index.
    Lies(usize),
}

/// One of so many equal shares of some values.
fn share(values: &[Sample], step: usize, steps: usize) -> &[Sample] {
    let end = |step: usize| values.len() * step / steps;
    &values[end(step)..end(step + 1)]
}

/// One iteration on a part of all lines.
struct Columns<'a, K> {
    at: usize,
    loads: [[&'a [Sample]; WINDOW]; 2],
    carried: &'a mut [Sample],
    part: Part,
    low: &'a mut [Sample],
    high: &'a mut [Sample],
    kernel: core::marker::PhantomData<K>,
}

impl<K: Across> Work for Columns<'_, K> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        K::across::<FUSED>(self.at, &self.loads, self.carried, self.part, self.low, self.high);
    }
}

/// Values from one line to the next: an odd number of lines of the cache, so that lines do not compete
/// for the same places.
fn pitch_of(len: usize) -> Option<usize> {
    (len.div_ceil(UNIT) | 1).checked_mul(UNIT)
}

/// Lines of a ring: those that were made, those that are carried, two outputs, and one on its way.
const RING_LINES: usize = 2 * WINDOW + CARRIED + 3;

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
    outputs: [&'a mut [Sample]; 2],
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
    let (made, memory) = memory.split_at_mut(2 * WINDOW * pitch);
    let (carried, memory) = memory.split_at_mut(CARRIED * pitch);
    let (low, memory) = memory.split_at_mut(pitch);
    let (high, spare) = memory.split_at_mut(pitch);
    let (outputs, kernel) = ([&mut low[..len], &mut high[..len]], core::marker::PhantomData::<K>);
    let spare = &mut spare[..len];
    let large = false;
    let mut sweep =
        Sweep { pitch, parts, made, carried, outputs, spare, bound, large, kernel };
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
        let mut places = [[Place::Made(0); WINDOW]; 2];
        let begin = first + K::DELAY as isize - K::WARM as isize;
        for t in begin..end + K::DELAY as isize {
            let at = (t - begin) as usize;
            for (phase, places) in places.iter_mut().enumerate() {
                places.rotate_right(1);
                let slot = 2 * (at % WINDOW) + phase;
                places[0] = self.load(feed, 2 * t + phase as isize - I::START, slot * self.pitch);
            }
            let pair = t - K::DELAY as isize;
            self.columns(at, &places, feed, drain, pair, beyond || pair < first);
            if pair >= first {
                self.settle(drain, pair, beyond);
            }
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

    /// Computes an iteration, aside or where its outputs belong.
    fn columns<I: Feed, O: Drain>(
        &mut self,
        at: usize,
        places: &[[Place; WINDOW]; 2],
        feed: &I,
        drain: &mut O,
        pair: isize,
        aside: bool,
    ) {
        let steps = self.parts.iter().map(|len| len.div_ceil(COLUMNS)).sum();
        let later = 2 * (pair + K::DELAY as isize + AHEAD) - I::START;
        let (mut from, mut step) = (0, 0);
        for (part, len) in self.parts.iter().enumerate() {
            let found = match aside || O::TAKEN {
                true => [None, None],
                false => drain.parts(pair, part),
            };
            let outputs = self.outputs.each_mut().map(|output| &mut output[from..][..*len]);
            let [low, high] = outputs;
            let [found_low, found_high] = found;
            let low = found_low.unwrap_or(low).chunks_mut(COLUMNS);
            let high = found_high.unwrap_or(high).chunks_mut(COLUMNS);
            for (first, (low, high)) in (0..).step_by(COLUMNS).zip(low.zip(high)) {
                for index in later..later + 2 {
                    if (0..feed.len() as isize).contains(&index) {
                        feed.runs(index as usize, |run| fetch(share(run, step, steps)));
                    }
                }
                step += 1;
                let len = low.len();
                let loads = places.map(|places| {
                    places.map(|place| match place {
                        Place::Made(start) => &self.made[start + from + first..][..len],
                        Place::Lies(index) => &feed.part(index, part)[first..][..len],
                    })
                });
                dispatch(Columns {
                    at,
                    loads,
                    carried: &mut *self.carried,
                    part: Part { pitch: self.pitch, from: from + first, len },
                    low,
                    high,
                    kernel: self.kernel,
                });
            }
            from += len;
        }
    }

    /// Brings the outputs of a pair that were computed aside to where they belong.
    fn settle<O: Drain>(&mut self, drain: &mut O, pair: isize, beyond: bool) {
        if !beyond && !O::TAKEN {
            return;
        }
        let len = drain.len() as isize;
        for (phase, output) in self.outputs.iter().enumerate() {
            let index = 2 * pair + phase as isize - O::START;
            let exists = (0..len).contains(&index);
            if !beyond {
                if exists {
                    drain.take(index as usize, output);
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
