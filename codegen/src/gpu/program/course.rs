//! Where walks along a line lie in the arrays of every level, and what they leave out.
//!
//! A level's outputs are a fixed number of pairs behind its inputs, so that the finest level's chunks tell where those of
//! all levels are. Left on either side are a level's outputs, and what the next level reads of its approximations there.

use super::super::abi::Job;
use super::super::mapping::Lags;
use super::super::stretch::{Rim, Stretch};
use super::super::strip::WARP;
use super::levels::{apart_from_ends, beyond, offset, span};
use crate::kernel::{Kernel, Pipeline, Side};
use waveloom_wavelets::geometry::Span;

/// Elements of an array that walks touch.
struct Touched {
    /// The first one of the first chunk that leaves outputs.
    first: i64,
    /// How many a chunk.
    each: i64,
    /// Those that exist.
    exist: Span,
    /// Whether a stretch touches them before it leaves outputs.
    early: bool,
}

/// Where walks of all levels begin, and by how much everything is behind.
pub(super) struct Course {
    pub(super) lags: Lags,
    /// For every level the pair with which the first chunk would begin, were nothing behind.
    first: Vec<i64>,
    touched: Vec<Touched>,
}

/// The levels of one launch.
struct Levels<'a> {
    kernel: &'a Kernel,
    jobs: &'a [Job],
    /// Pairs of a lane at the finest level.
    pairs: i64,
    /// Elements of an access that shall be aligned.
    elements: i64,
}

impl Levels<'_> {
    /// Pairs of a chunk.
    fn each(&self, level: usize) -> i64 {
        (self.pairs >> level) * i64::from(WARP)
    }

    fn band(&self, level: usize, channel: usize) -> Span {
        let axis = &self.jobs[level].axes[0];
        if channel == 0 { axis.low } else { axis.high }
    }

    /// By how many elements one of a band stands behind an aligned one.
    fn band_behind(&self, level: usize, channel: usize, element: i64) -> i64 {
        let unit = self.elements.min(self.pairs >> level).max(1);
        let offset = self.jobs[level].bands[channel].offset;
        (offset + element - self.band(level, channel).start).rem_euclid(unit)
    }

    fn signal_behind(&self, element: i64) -> i64 {
        let start = self.jobs[0].axes[0].signal.start;
        (self.jobs[0].signal.offset + element - start).rem_euclid(self.elements)
    }

    fn touched_band(&self, level: usize, channel: usize, first: i64, early: bool) -> Touched {
        let (each, exist) = (self.each(level), self.band(level, channel));
        Touched { first, each, exist, early }
    }

    fn touched_signal(&self, first: i64, early: bool) -> Touched {
        let (each, exist) = (2 * self.each(0), self.jobs[0].axes[0].signal);
        Touched { first, each, exist, early }
    }
}

impl Course {
    /// Such that all accesses are aligned; the first chunk begins where the arrays do. `None` for kernels that are not
    /// along one axis.
    pub(super) fn new(kernel: &Kernel, jobs: &[Job], pairs: i64, elements: i64) -> Option<Self> {
        let levels = Levels { kernel, jobs, pairs, elements };
        let (lags, first, touched) = (Lags::default(), vec![0; jobs.len()], Vec::new());
        let mut course = Self { lags, first, touched };
        match kernel.operation.output() {
            Side::Bands => course.down(&levels)?,
            Side::Signal => course.up(&levels)?,
        }
        Some(course)
    }

    /// Forward: a level's samples are the approximations of the one before.
    fn down(&mut self, levels: &Levels<'_>) -> Option<()> {
        let start = levels.jobs[0].axes[0].signal.start;
        let mut sample = start - levels.signal_behind(start);
        self.touched.push(levels.touched_signal(sample, true));
        for level in 0..levels.jobs.len() {
            // Samples that begin with an odd one: odd samples are a pair behind even ones.
            let odd = sample.rem_euclid(2);
            let pair = (sample + odd) / 2;
            let read = [0, odd as i32];
            let least = Pipeline::arriving(levels.kernel, read)?.least_delays(levels.kernel);
            let mut delays = least.map(i64::from);
            let last = level + 1 == levels.jobs.len();
            for channel in if last { 0..2 } else { 1..2 } {
                let first = pair - delays[channel];
                delays[channel] += levels.band_behind(level, channel, first);
                let first = pair - delays[channel];
                self.touched.push(levels.touched_band(level, channel, first, false));
            }
            self.settle(level, pair, read, delays);
            if !last {
                sample = pair - delays[0] - offset(levels.jobs, level + 1, 0);
            }
        }
        Some(())
    }

    /// Inverse: a level's approximations are the samples of the one before, which is coarser.
    fn up(&mut self, levels: &Levels<'_>) -> Option<()> {
        let coarsest = levels.jobs.len() - 1;
        let start = levels.band(coarsest, 0).start;
        let mut pair = start - levels.band_behind(coarsest, 0, start);
        self.touched.push(levels.touched_band(coarsest, 0, pair, true));
        for level in (0..=coarsest).rev() {
            let late = levels.band_behind(level, 1, pair);
            self.touched.push(levels.touched_band(level, 1, pair - late, true));
            let read = [0, late as i32];
            let least = Pipeline::arriving(levels.kernel, read)?.least_delays(levels.kernel);
            let [even, odd] = least.map(i64::from);
            // Samples begin with an even one, or with the odd one of the pair before.
            let mut sample = 2 * (pair - even.max(odd - 1)) - i64::from(odd > even);
            if level == 0 {
                sample -= levels.signal_behind(sample);
                self.touched.push(levels.touched_signal(sample, false));
            }
            let delays = [pair - (sample + 1).div_euclid(2), pair - sample.div_euclid(2)];
            self.settle(level, pair, read, delays);
            if level > 0 {
                pair = sample + offset(levels.jobs, level, 0);
            }
        }
        Some(())
    }

    fn settle(&mut self, level: usize, first: i64, read: [i32; 2], delays: [i64; 2]) {
        self.first[level] = first;
        (self.lags.read[level], self.lags.written[level]) =
            (read, delays.map(|delay| delay as i32));
    }

    /// Moves on to where everything that is touched exists, and tells how many chunks there do.
    pub(super) fn confine(&mut self, stretch: &Stretch, elements: i64) -> i64 {
        let (warm, chunk) = (stretch.warm as i64, stretch.chunk() as i64);
        // Moving by so many samples keeps what is aligned, and every level's pairs, as they are.
        let step = elements << self.first.len();
        let missing = |one: &Touched| {
            let begin = one.first - if one.early { warm * one.each } else { 0 };
            let chunks = ((one.exist.start - begin).max(0) + one.each - 1) / one.each;
            chunks * chunk
        };
        let samples = self.touched.iter().map(missing).max().unwrap_or(0);
        let by = (samples + step - 1) / step * step;
        self.touched.iter_mut().for_each(|one| one.first += by * one.each / chunk);
        for (level, first) in self.first.iter_mut().enumerate() {
            *first += by >> (level + 1);
        }
        let chunks = |one: &Touched| ((one.exist.end() - one.first) / one.each).max(0);
        self.touched.iter().map(chunks).min().unwrap_or(0)
    }

    /// The jobs of a launch of so many chunks, in stretches of `walk`.
    pub(super) fn placed(
        &self,
        kernel: &Kernel,
        stretch: &Stretch,
        mut jobs: Vec<Job>,
        chunks: i64,
        walk: i64,
    ) -> Vec<Job> {
        let rims = self.rims(kernel, stretch, &jobs, chunks);
        for (level, (job, rim)) in jobs.iter_mut().zip(rims).enumerate() {
            let each = each(stretch, level);
            let axis = &mut job.axes[0];
            axis.pairs = Span { start: self.first[level], len: (chunks * each) as usize };
            axis.tile = walk * each * stretch.warps as i64;
            axis.tiles = match level {
                0 => (axis.pairs.len as i64 + axis.tile - 1) / axis.tile,
                _ => 0,
            };
            (job.strips, job.rim) = (true, Some(rim));
        }
        jobs
    }

    /// The pairs that walks make of every channel of the output, or of even and odd samples: a level that hands its
    /// approximations on writes only details, and one of an inverse nothing.
    fn walked(&self, stretch: &Stretch, level: usize, chunks: i64) -> [Option<[i64; 2]>; 2] {
        let len = chunks * each(stretch, level);
        let written = match stretch.output {
            Side::Bands => [level + 1 == self.first.len(), true],
            Side::Signal => [level == 0; 2],
        };
        [0, 1].map(|channel| {
            let first = self.first[level] - i64::from(self.lags.written[level][channel]);
            written[channel].then_some([first, first + len])
        })
    }

    /// What walks leave out of every level.
    fn rims(&self, kernel: &Kernel, stretch: &Stretch, jobs: &[Job], chunks: i64) -> Vec<Rim> {
        let all: Vec<Span> = jobs.iter().map(|job| job.axes[0].pairs).collect();
        let walked = |level: usize| self.walked(stretch, level, chunks);
        let holes = self.holes(kernel, stretch, jobs, &all, chunks);
        let rim = |(level, ([start, end], all)): (usize, ([i64; 2], &Span))| {
            let start = start.clamp(all.start, all.end());
            let hole = span(start, end.clamp(start, all.end()));
            let walked = walked(level)
                .map(|channel| channel.map_or(span(0, 0), |[start, end]| span(start, end)));
            Rim { all: *all, hole, walked }
        };
        holes.into_iter().zip(&all).enumerate().map(rim).collect()
    }

    /// First pair of a level of which nothing is left, and one past the last.
    fn holes(
        &self,
        kernel: &Kernel,
        stretch: &Stretch,
        jobs: &[Job],
        all: &[Span],
        chunks: i64,
    ) -> Vec<[i64; 2]> {
        let reach = [kernel.halo.before[0], kernel.halo.after[0]].map(i64::from);
        let [before, after] = reach;
        let made = |level: usize| {
            let own = self.walked(stretch, level, chunks).into_iter().flatten();
            own.reduce(|a, b| [a[0].max(b[0]), a[1].min(b[1])]).unwrap_or_default()
        };
        let whole = |level: usize, hole: [i64; 2]| {
            hole[0] <= all[level].start && hole[1] >= all[level].end()
        };
        let levels = jobs.len();
        let mut holes = vec![[0; 2]; levels];
        match stretch.output {
            Side::Bands => {
                for level in (0..levels).rev() {
                    holes[level] = made(level);
                    if level + 1 < levels && !whole(level + 1, holes[level + 1]) {
                        let late = offset(jobs, level + 1, 0);
                        let ([start, end], [first, last]) = (holes[level + 1], holes[level]);
                        let unread = [
                            first.max(2 * (start + after) + late),
                            last.min(2 * (end - before) + late),
                        ];
                        let input = jobs[level + 1].axes[0].signal;
                        let beyond = beyond(input, all[level + 1], reach);
                        holes[level] = apart_from_ends(unread, all[level], beyond);
                    }
                }
            }
            Side::Signal => {
                holes[0] = made(0);
                for level in 1..levels {
                    let [start, end] = holes[level - 1];
                    let late = offset(jobs, level, 0);
                    let (start, end) = (start + after - late, end - before - late);
                    let unread = [(start + 1).div_euclid(2), end.div_euclid(2)];
                    holes[level] = match whole(level - 1, holes[level - 1]) {
                        true => [all[level].start, all[level].end()],
                        false => {
                            let input = jobs[level - 1].axes[0].bands;
                            let beyond = beyond(input, all[level - 1], reach);
                            apart_from_ends(unread, all[level], beyond)
                        }
                    };
                }
            }
        }
        holes
    }
}

/// Pairs of a chunk.
fn each(stretch: &Stretch, level: usize) -> i64 {
    (stretch.levels[level].pairs * WARP as usize) as i64
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Job, LaunchKind, Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation, Side};
    use waveloom_wavelets::geometry::Span;
    use waveloom_wavelets::{Mode, catalogue, definition};

    fn made(name: &str, len: usize, mode: Mode, levels: usize, operation: Operation) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(1),
            shape: &[len],
            axes: &[0],
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element: if wavelet.is_rounded() { Element::I32 } else { Element::F32 },
            operation,
            strategy: Strategy { stretch: Some(8), ..Strategy::STREAM },
        })
        .unwrap()
    }

    /// The jobs of walks, finest level first.
    fn levels(program: &Program) -> &[Job] {
        let LaunchKind::Transform { jobs, .. } = &program.launches[0] else { panic!() };
        jobs
    }

    fn within(span: Span, k: i64) -> bool {
        (span.start..span.end()).contains(&k)
    }

    /// Every output that is in memory is written by walks or at the ends, and by one of both.
    #[test]
    fn ends_and_walks_are_the_whole() {
        for (name, mode) in [
            ("haar", Mode::Periodization),
            ("haar", Mode::Smooth),
            ("db4", Mode::Symmetric),
            ("bior4.4", Mode::Periodic),
            ("rev53", Mode::Jpeg2000),
            ("db16", Mode::Zero),
        ] {
            for len in [8192, 10_001] {
                for operation in [Operation::Forward, Operation::Inverse] {
                    let program = made(name, len, mode, 3, operation);
                    let kernel = &program.kernels[0];
                    let output = kernel.stretch().expect(name).output;
                    for (level, job) in levels(&program).iter().enumerate() {
                        let (rim, axis) = (job.rim.unwrap(), job.axes[0]);
                        let last = level + 1 == levels(&program).len();
                        for channel in 0..2 {
                            // Approximations that are handed on are made where the next level's ends read them.
                            let exists = match output {
                                Side::Signal => axis.signal,
                                Side::Bands if channel == 0 => axis.low,
                                Side::Bands => axis.high,
                            };
                            for k in exists.start..exists.end() {
                                let (pair, own) = match output {
                                    Side::Signal => (k.div_euclid(2), k.rem_euclid(2) as usize),
                                    Side::Bands => (k, channel),
                                };
                                let walked = within(rim.walked[own], pair);
                                let at_ends = within(rim.all, pair) && !within(rim.hole, pair);
                                let what = format!("{name} {mode} {len} {operation:?} {level} {k}");
                                let kept = match output {
                                    Side::Bands => last || channel == 1,
                                    Side::Signal => level == 0,
                                };
                                assert!(walked || at_ends || !kept, "{what}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// What stands beyond the ends of a level is made of approximations that are in memory, also where definitions are
    /// padded with zeros, so that signals begin far from where pairs do.
    #[test]
    fn what_is_read_beyond_ends_is_made() {
        let s = std::f64::consts::FRAC_1_SQRT_2;
        let (front, back) = ("0.0, ".repeat(6), ", 0.0".repeat(6));
        let text = format!(
            "[taps]\ndec_lo = [{front}{s}, {s}]\ndec_hi = [{front}{s}, -{s}]\nrec_lo = [{s}, {s}{back}]\nrec_hi = [-{s}, {s}{back}]\n"
        );
        let padded = definition::parse(&text, "padded").unwrap();
        for (wavelet, len) in [
            (&padded, 1 << 16),
            (&padded, (1 << 16) + 3),
            (&catalogue::wavelet("db4").unwrap(), 1 << 16),
        ] {
            let made = program(&ProgramRequest {
                wavelet,
                kind: wavelet.default_scheme(1),
                shape: &[len],
                axes: &[0],
                mode: Mode::Periodic,
                origins: &[],
                levels: 4,
                align_rows: None,
                element: Element::F32,
                operation: Operation::Forward,
                strategy: Strategy { stretch: Some(16), ..Strategy::STREAM },
            })
            .unwrap();
            let halo = made.kernels[0].kernel().halo;
            let jobs = levels(&made);
            assert_eq!(jobs.len(), 4);
            for pair in jobs.windows(2) {
                let (finer, rim) = (pair[0].rim.unwrap(), pair[1].rim.unwrap());
                let (signal, low) = (pair[1].axes[0].signal, pair[0].axes[0].low);
                let left = (rim.all.start..rim.all.end()).filter(|k| !within(rim.hole, *k));
                for k in left {
                    let first = 2 * (k - i64::from(halo.before[0]));
                    for position in first..2 * (k + i64::from(halo.after[0])) + 2 {
                        let index = (position - signal.start).rem_euclid(signal.len as i64);
                        let kept = low.start + index;
                        let in_memory = within(finer.all, kept) && !within(finer.hole, kept);
                        assert!(in_memory, "{} of {len}: {position} is {kept}", wavelet.name());
                    }
                }
            }
        }
    }

    /// Shapes that there are not are refused, whatever their size, and 0 is none.
    #[test]
    fn shapes_that_there_are_not_are_refused() {
        let haar = catalogue::wavelet("haar").unwrap();
        let asked = |stretch| {
            program(&ProgramRequest {
                wavelet: &haar,
                kind: haar.default_scheme(1),
                shape: &[4096],
                axes: &[0],
                mode: Mode::Periodization,
                origins: &[],
                levels: 2,
                align_rows: None,
                element: Element::F32,
                operation: Operation::Forward,
                strategy: Strategy { stretch: Some(stretch), ..Strategy::STREAM },
            })
        };
        assert!(asked(0).unwrap().kernels.iter().all(|kernel| kernel.stretch().is_none()));
        for stretch in [3, 32, u32::MAX] {
            let refused = asked(stretch).unwrap_err().to_string();
            assert!(refused.contains(&format!("{stretch} pairs")), "{refused}");
        }
    }

    /// Short lines, lines whose samples are apart, and adjoints have none.
    #[test]
    fn only_long_lines_are_walked() {
        let walked = |len, operation| {
            let program = made("db4", len, Mode::Symmetric, 2, operation);
            program.kernels.iter().any(|kernel| kernel.stretch().is_some())
        };
        assert!(walked(4096, Operation::Forward));
        assert!(!walked(512, Operation::Forward));
        assert!(!walked(4096, Operation::AdjointForward));
    }

    /// Unasked, lines are walked where that was measured to be faster.
    #[test]
    fn long_lines_are_walked_unasked() {
        let walked = |name: &str, len: usize, levels: usize, operation| {
            let wavelet = catalogue::wavelet(name).unwrap();
            let made = program(&ProgramRequest {
                wavelet: &wavelet,
                kind: wavelet.default_scheme(1),
                shape: &[len],
                axes: &[0],
                mode: Mode::Periodization,
                origins: &[],
                levels,
                align_rows: None,
                element: Element::F32,
                operation,
                strategy: Strategy::STREAM,
            });
            let made = made.unwrap();
            let of = made.kernels.iter().filter_map(|kernel| kernel.stretch());
            of.map(|stretch| stretch.levels.len()).max()
        };
        let long = 1 << 28;
        for name in ["haar", "db4", "db8", "db16", "bior4.4"] {
            for operation in [Operation::Forward, Operation::Inverse] {
                assert_eq!(walked(name, long, 5, operation), Some(5), "{name} {operation:?}");
                assert_eq!(walked(name, 1 << 20, 5, operation), None, "{name} {operation:?}");
            }
        }
        assert_eq!(walked("db4", long, 1, Operation::Inverse), None);
        assert_eq!(walked("db16", long, 1, Operation::Inverse), Some(1));
        assert_eq!(walked("db12", long, 1, Operation::Forward), None);
        assert_eq!(walked("db8", long, 2, Operation::Forward), Some(2));
        assert_eq!(walked("haar", long, 3, Operation::Forward), None);
        // As many levels as registers hold.
        assert_eq!(walked("db20", long, 5, Operation::Forward), Some(4));
    }
}
