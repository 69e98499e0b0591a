//! One level along three axes in one launch of strips, where a block of rows fits a lane's registers and what stands
//! beyond the ends are copies of elements near by, or nothing.

use super::super::abi::Job;
use super::super::mapping::Mapping;
use super::super::proof::{ProofError, Proved, prove};
use super::super::strip::{LONGEST, SECTOR, Strip, WARP, cut};
use super::levels::repeats;
use super::worth::rounds;
use super::{Array, Builder, Launch, MappedKernel, ProgramError, with_alignment};
use crate::kernel::{Exchange, Kernel, Pipeline, Side};
use waveloom_wavelets::geometry::AxisGeometry;

/// Pairs of columns of a lane and pairs of rows of a block, in order of preference, as measured: without a halo,
/// forward, and inverse.
const PLAIN: [(u32, u32); 6] = [(2, 1), (2, 2), (1, 1), (1, 2), (2, 4), (1, 4)];
const HALOED: [[(u32, u32); 6]; 2] = [
    [(2, 2), (1, 4), (1, 2), (2, 4), (2, 1), (1, 1)],
    [(1, 4), (2, 2), (1, 2), (2, 4), (2, 1), (1, 1)],
];

/// The same where lines begin anew beyond their ends: blocks at ends are as fast as others.
const ROUND: [(u32, u32); 6] = [(2, 2), (2, 3), (1, 4), (1, 3), (2, 1), (1, 1)];

/// Warps of a block, in order of preference: where rows are read twice and blocks at ends are as fast as others, as many
/// as have room for their rows in one ring, and else.
const JOINT: [u32; 3] = [4, 2, 1];
const APART: [u32; 2] = [2, 1];

/// The fewest pairs of slices of a walk.
const LEAST_SLICES: i64 = 2;

/// Estimates of registers with which enough warps are resident, for values of up to four bytes and for others.
const COMFORTABLE: [usize; 2] = [150, 198];

/// Threads that shall fit a multiprocessor: three warps for each of its schedulers; where windows do not fit their
/// registers, two.
const RESIDENT: [u32; 2] = [384, 256];

/// Estimates of registers from which on they do not, for values of up to four bytes and for others.
const CROWDED: [usize; 2] = [128, 160];

/// Rows that are read may be so many times as many as are made, and where all rows are whole sectors of memory, so
/// that two passes are fast, so many more.
const WORTHWHILE: usize = 3;
const WORTHWHILE_IN_SECTORS: usize = 4;

/// Walks are so many times as long as their warm-up, up to so many pairs of slices.
const WALK: u32 = 4;
const WALK_ROUND: u32 = 8;
const MOST_SLICES: u32 = 64;

/// Pairs of slices in the ring, unless told: blocks of rows are many bytes.
const DEPTH: u32 = 2;

impl Builder<'_> {
    /// Adds the launches of a level along three axes, if strips can do all of them at once.
    pub(super) fn volume(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
    ) -> Result<bool, ProgramError> {
        let request = self.request;
        let axes = request.axes.to_vec();
        let wanted = request.strategy.together.is_none_or(|together| together >= 3);
        let [_, _, last] = axes.as_slice() else { return Ok(false) };
        let contiguous = signal.shape[last + 1..].iter().all(|n| *n == 1);
        if !wanted
            || request.strategy.exchange != Exchange::Stream
            || !contiguous
            || geometry.iter().any(|axis| axis.signal.len >= LONGEST)
            || !self.commutes(geometry)
        {
            return Ok(false);
        }
        let round = geometry.iter().all(|axis| repeats(request.operation, axis));
        Ok((round && self.volume_in(geometry, signal, bands, true)?)
            || self.volume_in(geometry, signal, bands, false)?)
    }

    /// The same in the shape for lines that begin anew beyond their ends, where they do, or in that for others.
    fn volume_in(
        &mut self,
        geometry: &[AxisGeometry],
        signal: &Array,
        bands: &[Array],
        round: bool,
    ) -> Result<bool, ProgramError> {
        let request = self.request;
        let axes = request.axes.to_vec();
        let kernel = self.lowered(request.kind, 3)?;
        let line = self.lowered(request.kind.one_dimensional(), 1)?;
        let middle = geometry[1].signal.len.div_ceil(2) as u32;
        let Some(proved) = self.block(kernel, &line, round, middle)? else { return Ok(false) };
        let known = self.kernels.len();
        let (temporary, workspace) = (self.temporary, self.workspace_len);
        let mut kernel = self.index_of(proved);
        let sides = self.extended(self.spread(kernel), geometry, &axes, signal, bands);
        let mut job = self.job(kernel, &sides.geometry, &axes, &sides.whole, &sides.bands);
        let proved = &self.kernels[kernel];
        let elements = 16 / request.element.bytes() as i64;
        let alignment = job.alignment(i64::from(proved.mapping().pairs), elements);
        let asked = request.strategy.together.is_some() || request.strategy.groups.is_some();
        let near = asked || !in_sectors(&job, request.element.bytes()) || is_near(proved);
        let mut wraps = false;
        if let Some(alignment) = alignment {
            let aligned = with_alignment(proved, Some(alignment))?;
            kernel = self.index_of(aligned);
        }
        if let Some(wrapped) = self.wrapped(kernel, std::slice::from_ref(&job))? {
            kernel = wrapped;
            wraps = true;
        }
        let proved = &self.kernels[kernel];
        let worth = wraps || (near && !round);
        let fits = worth
            && proved.strip().is_some_and(|strip| {
                let anchor = job.axes.last().map_or(0, |axis| axis.low.start);
                let walk = |pairs, blocks| match strip.joint() && wraps {
                    true => self.whole_rounds(proved, strip, pairs, blocks),
                    false => self.rows(kernel, pairs, blocks),
                };
                job = cut(strip, &job, anchor, &walk);
                job.inside = strip.inside_of(
                    std::slice::from_ref(&job),
                    anchor,
                    proved.kernel().element.bytes(),
                );
                // Buffers that are not aligned leave all blocks to the function for copies.
                job.copies(&strip.needed(&proved.kernel().halo)) && regular(&job)
            });
        if !fits {
            self.kernels.truncate(known);
            (self.temporary, self.workspace_len) = (temporary, workspace);
            return Ok(false);
        }
        if job.blocks() > 0 {
            self.launches.extend(Launch::transforms(kernel, &[job]));
        }
        self.launches.extend(sides.folds);
        Ok(true)
    }

    /// Pairs of slices of a walk through so many, with so many blocks beside each other: what takes the fewest slices, warm-up
    /// included, in as many rounds of resident blocks as it needs.
    fn whole_rounds(&self, proved: &Proved, strip: &Strip, pairs: i64, blocks: i64) -> i64 {
        if let Some(rows) = self.request.strategy.rows {
            return i64::from(rows);
        }
        let resident = i64::from(proved.mapping().resident);
        let warm = strip.first_output() as i64;
        let walks = (LEAST_SLICES..=i64::from(MOST_SLICES)).rev();
        let slices = |walk: &i64| rounds(pairs, *walk, blocks, resident) * (walk + warm);
        walks.min_by_key(slices).unwrap_or(LEAST_SLICES)
    }

    /// The kernel of strips along three axes, in the first shape that fits so many pairs of rows.
    fn block(
        &self,
        kernel: Kernel,
        line: &Kernel,
        round: bool,
        middle: u32,
    ) -> Result<Option<Proved>, ProgramError> {
        let strategy = self.request.strategy;
        let forward = self.request.operation.input() == Side::Signal;
        // Sums commute, with the walk last or, where lanes' outputs are not wanted before it is warm, before them.
        let across_first = match self.request.wavelet.is_rounded() {
            true => (self.order().first() == Some(&2)) == forward,
            false => forward,
        };
        let mut shape = strategy.strips(true, across_first);
        if strategy.rows.is_none() {
            let warm = Pipeline::leanest(line).map_or(0, |pipeline| pipeline.warm()) as u32;
            let times = if round { WALK_ROUND } else { WALK };
            shape.tile[0] = (times * warm).next_multiple_of(8).clamp(8, MOST_SLICES);
        }
        // Who tells the block tells the ring, too.
        let told = strategy.groups.is_some();
        let depth = strategy.depth.filter(|_| told).unwrap_or(DEPTH);
        let reach = line.halo.before[0] + line.halo.after[0];
        let warps: &[u32] = if round && reach > 0 { &JOINT } else { &APART };
        let preferred = match reach {
            0 => PLAIN,
            _ if round => ROUND,
            _ => HALOED[usize::from(!forward)],
        };
        let shapes = match (strategy.pairs, strategy.groups) {
            (Some(pairs), Some(rows)) => vec![(pairs, rows)],
            (pairs, rows) => preferred
                .into_iter()
                .filter(|(p, r)| {
                    pairs.is_none_or(|pairs| pairs == *p) && rows.is_none_or(|rows| rows == *r)
                })
                .collect(),
        };
        for (pairs, rows) in shapes {
            let mapping = Mapping { groups: 1, pairs, beside: rows, depth, ..shape };
            let threads: Vec<u32> = match strategy.threads {
                Some(threads) => vec![threads],
                // No more warps than have rows, and what they hold and know of ends may be too much for a block.
                None => {
                    let fits = |warps: &u32| *warps <= APART[0] || warps * rows <= middle;
                    warps.iter().copied().filter(fits).map(|warps| warps * WARP).collect()
                }
            };
            match self.fitting_block(&kernel, line, mapping, &threads) {
                Ok(proved) if told || worthwhile(&proved) => {
                    return Ok(Some(proved));
                }
                // What reaches too far, or holds too much, is left to two launches.
                Ok(_)
                | Err(
                    ProofError::Strip(_)
                    | ProofError::Shared { .. }
                    | ProofError::Operations { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Proves blocks of so many threads, as many as fit shared memory.
    fn fitting_block(
        &self,
        kernel: &Kernel,
        line: &Kernel,
        mapping: Mapping,
        threads: &[u32],
    ) -> Result<Proved, ProofError> {
        let mut mapped =
            MappedKernel { kernel: kernel.clone(), lines: vec![line.clone(); 3], mapping };
        let mut outcome = prove(&mapped);
        for threads in threads {
            mapped.mapping = Mapping { threads: *threads, ..mapping };
            outcome = prove(&mapped);
            if let (0, Ok(proved)) = (mapping.resident, &outcome) {
                mapped.mapping.resident = resident(proved);
                outcome = prove(&mapped);
            }
            if !matches!(outcome, Err(ProofError::Shared { .. })) {
                break;
            }
        }
        outcome
    }
}

/// Blocks of strips that shall fit a multiprocessor. Those of a forward transform that have a ring in common do without
/// some registers for more warps; as measured, others do not gain by it.
fn resident(proved: &Proved) -> u32 {
    let wide = usize::from(proved.kernel().element.bytes() > 4);
    let joint = proved.strip().is_some_and(Strip::joint);
    let wanted = joint && proved.kernel().operation.output() == Side::Bands;
    let crowded = usize::from(proved.info().registers > CROWDED[wide] && !wanted);
    RESIDENT[crowded] / proved.mapping().threads.max(1)
}

/// Whether bands that are as long along the axes behind an axis have the same stride along it.
fn regular(job: &Job) -> bool {
    let all = job.bands.iter().enumerate();
    all.into_iter().all(|(channel, band)| {
        band.axes[0] == job.bands[channel & 3].axes[0]
            && band.axes[1] == job.bands[channel & 1].axes[1]
    })
}

/// Whether a strip needs no more registers than leave enough warps, and reads not too much twice.
fn worthwhile(proved: &Proved) -> bool {
    let block = proved.strip().and_then(|strip| strip.beside.as_ref());
    let rows = block.is_some_and(|beside| beside.read() <= WORTHWHILE * beside.made());
    let wide = usize::from(proved.kernel().element.bytes() > 4);
    rows && proved.info().registers <= COMFORTABLE[wide]
}

/// Whether a strip reads few rows beyond those it makes.
fn is_near(proved: &Proved) -> bool {
    let block = proved.strip().and_then(|strip| strip.beside.as_ref());
    block.is_some_and(|beside| beside.read() <= WORTHWHILE_IN_SECTORS + beside.made())
}

/// Whether all rows of a job begin at a sector, if the first one does.
fn in_sectors(job: &Job, bytes: usize) -> bool {
    let whole = |stride: &i64| (stride * bytes as i64) % SECTOR as i64 == 0;
    let mut views = job.bands.iter().chain([&job.signal]);
    views.all(|view| view.axes.iter().take(2).all(whole))
}

#[cfg(test)]
mod tests {
    use super::super::{LaunchKind, Program, ProgramRequest, program};
    use crate::gpu::Strategy;
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(
        name: &str,
        shape: &[usize],
        axes: &[usize],
        mode: Mode,
        operation: Operation,
        strategy: Strategy,
    ) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes,
            mode,
            origins: &[],
            levels: 1,
            align_rows: None,
            element: if wavelet.is_rounded() { Element::I32 } else { Element::F32 },
            operation,
            strategy,
        })
        .unwrap()
    }

    /// How many axes the kernels of forward have.
    fn axes_of(name: &str, shape: &[usize], axes: &[usize], mode: Mode) -> Vec<usize> {
        let made = made(name, shape, axes, mode, Operation::Forward, Strategy::STREAM);
        made.kernels.iter().map(|kernel| kernel.kernel().axes).collect()
    }

    #[test]
    fn volumes_take_one_pass_where_ends_are_copies_and_windows_fit() {
        let all = [0, 1, 2];
        let cube = [64, 64, 64];
        for name in ["haar", "bior2.2", "irr97", "db2", "db4", "rev53"] {
            assert_eq!(axes_of(name, &cube, &all, Mode::Periodic), [3], "{name}");
        }
        // Where lines begin anew, blocks at ends are as fast as others.
        for name in ["haar", "bior2.2", "irr97", "db4"] {
            assert_eq!(axes_of(name, &cube, &all, Mode::Periodization), [3], "{name}");
        }
        // Where all rows are whole sectors and lines do not, two passes are faster for those that reach further.
        for (name, expected) in
            [("haar", &[3_usize][..]), ("bior2.2", &[3]), ("irr97", &[2, 1]), ("db4", &[2, 1])]
        {
            assert_eq!(axes_of(name, &[64, 63, 64], &all, Mode::Periodization), expected, "{name}");
        }
        for mode in Mode::ALL {
            let sums = matches!(mode, Mode::Smooth | Mode::Antisymmetric | Mode::Antireflect);
            let expected: &[usize] = if sums { &[2, 1] } else { &[3] };
            assert_eq!(axes_of("bior2.2", &cube, &all, mode), expected, "{mode}");
        }
        // Filters that reach far, other orders of axes, lines behind the last one, and short ones.
        assert_eq!(axes_of("db16", &cube, &all, Mode::Periodic).len(), 2);
        assert_eq!(axes_of("irr97", &cube, &[2, 0, 1], Mode::Periodic).len(), 2);
        assert!(!axes_of("irr97", &[64, 64, 64, 3], &all, Mode::Periodic).contains(&3));
        assert!(!axes_of("irr97", &[3, 5, 7], &all, Mode::Periodic).contains(&3));
        assert_eq!(axes_of("bior2.2", &[2, 64, 3, 64, 2, 64], &[1, 3, 5], Mode::Periodic), [3]);
    }

    #[test]
    fn two_passes_on_request() {
        for together in [1, 2, 3] {
            let strategy = Strategy { together: Some(together), ..Strategy::STREAM };
            for operation in Operation::ALL {
                let made = made("irr97", &[64; 3], &[0, 1, 2], Mode::Zero, operation, strategy);
                let three = made.kernels.iter().any(|kernel| kernel.kernel().axes == 3);
                assert_eq!(three, together == 3);
            }
        }
    }

    #[test]
    fn blocks_are_of_the_shape_that_is_told() {
        let strategy =
            Strategy { pairs: Some(2), groups: Some(3), depth: Some(3), ..Strategy::STREAM };
        let made = made("haar", &[64; 3], &[0, 1, 2], Mode::Zero, Operation::Forward, strategy);
        let strip = made.kernels[0].strip().unwrap();
        assert_eq!((strip.pairs, strip.depth), (2, 3));
        assert_eq!(strip.beside.as_ref().unwrap().pairs, 3);
    }

    /// Every block is of one part, and most of a large volume's are inside.
    #[test]
    fn parts_are_the_whole() {
        for (name, shape) in
            [("irr97", [512, 512, 512]), ("haar", [64, 30, 200]), ("rev53", [33, 45, 71])]
        {
            let strategy = Strategy { together: Some(3), ..Strategy::STREAM };
            for operation in [Operation::Forward, Operation::Inverse] {
                let made = made(name, &shape, &[0, 1, 2], Mode::Symmetric, operation, strategy);
                for launch in made.launches {
                    let LaunchKind::Transform { jobs, .. } = &launch else { continue };
                    assert_eq!(jobs[0].axes.len(), 3);
                    let [all, _] = launch.grid().unwrap();
                    assert_eq!(launch.parts(false).unwrap().blocks, [all, 0]);
                    let [ends, inside] = launch.parts(true).unwrap().blocks;
                    assert!(ends + inside >= all, "{name} {operation:?} {ends} {inside} {all}");
                    assert!(
                        shape[0] < 512 || inside > ends,
                        "{name} {operation:?} {ends} {inside}"
                    );
                }
            }
        }
    }

    /// The parameters of a launch: buffers, jobs and parts.
    #[test]
    fn parameters_have_four_kilobytes() {
        use crate::gpu::{job_fields, jobs, part_words};
        for axes in 1..=3 {
            let words = jobs(axes) * job_fields(axes).len() + part_words(axes);
            assert!(24 + 8 * words <= 4096, "{axes} {words}");
        }
    }
}
