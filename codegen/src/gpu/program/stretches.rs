//! Several levels of a long line in one launch of walks along it: when, how many and in which shape.

use super::super::abi::Job;
use super::super::mapping::{Lags, MOST_STRETCHED};
use super::super::proof::{ProofError, Proved, prove};
use super::super::split::MOST_BLOCKS;
use super::super::stretch::{SPARING, Stretch, resident};
use super::super::strip::{SECTOR, WARP};
use super::course::Course;
use super::deep::{Deep, Tier};
use super::{Builder, MappedKernel, ProgramError};
use crate::kernel::Side;

/// Bytes of a lane's samples, and threads of a block, unless asked for.
const LANE_BYTES: u32 = 128;
const THREADS: u32 = 128;

/// Chunks of a ring, unless asked for.
const DEPTH: u32 = 3;

/// Chunks of a stretch, unless asked for, as measured: where at most half of one is computed twice, and where more is.
const CHUNKS: [i64; 2] = [8, 24];

/// Chunks of all lines for every warp that keeps a large card busy, at least: fewer are not known to be faster so.
const LEAST: i64 = 16;

/// Warps that keep a large card busy.
const WALKS: i64 = 1056;

/// Pairs that a level reads around its own, all in all, from which stretches of so many levels are faster than strips, as
/// measured: forward and inverse, of one level, two, three and more.
const FAR: [[i32; 4]; 2] = [[15, 5, 3, 0], [11, 5, 3, 0]];

impl Builder<'_> {
    /// As many levels of a long line as walks along it run, if they are worth it.
    pub(super) fn stretched(&mut self, tiers: &[Tier]) -> Result<Option<Deep>, ProgramError> {
        let strategy = self.request.strategy;
        let wanted = strategy.deep.map_or(MOST_STRETCHED, |deep| deep as usize);
        let strips = strategy.groups.or(strategy.pairs).is_some();
        if self.request.axes.len() != 1 || strips || self.request.operation.is_adjoint() {
            return Ok(None);
        }
        // Nothing needs to be planned of lines that are known to be short.
        let samples: usize = self.request.shape.iter().product();
        let bytes = self.request.element.bytes() as u32;
        let pairs = strategy.stretch.unwrap_or((LANE_BYTES / bytes / 2).clamp(2, 16));
        let few = (samples as i64) < WALKS * LEAST * 2 * i64::from(WARP) * i64::from(pairs);
        if strategy.stretch == Some(0) || (strategy.stretch.is_none() && few) {
            return Ok(None);
        }
        let long = tiers.iter().take_while(|tier| self.is_stretch(tier)).count();
        let lanes = (pairs.max(1).ilog2() + 1) as usize;
        let mut refused = None;
        for levels in (1..=long.min(wanted).min(lanes).min(MOST_STRETCHED)).rev() {
            match self.stretched_levels(&tiers[..levels], pairs) {
                Ok(None) => {}
                // What reaches too far, or holds too much, may be fewer levels, or is left to other launches.
                Err(ProgramError::Proof(
                    error @ (ProofError::Stretch(_)
                    | ProofError::Shared { .. }
                    | ProofError::Operations { .. }),
                )) => refused = Some(error),
                other => return other,
            }
        }
        match refused {
            Some(error) if strategy.stretch.is_some() => Err(error.into()),
            _ => Ok(None),
        }
    }

    /// Whether a level is one of contiguous lines with an inside, which are no batch of short ones.
    fn is_stretch(&self, tier: &Tier) -> bool {
        let axis = self.request.axes[0];
        let contiguous =
            tier.bands.iter().chain([&tier.signal]).all(|array| array.stride(axis) == 1);
        contiguous
            && axis + 1 == self.request.shape.len()
            && tier.geometry[0].single.is_none()
            && tier.geometry[0].signal.len > 0
            && !self.is_batch(&tier.signal)
    }

    fn stretched_levels(
        &mut self,
        tiers: &[Tier],
        pairs: u32,
    ) -> Result<Option<Deep>, ProgramError> {
        let base = self.kernel(1, true)?;
        let jobs = self.jobs_of_levels(base, tiers, &[0], false);
        // Lines of a batch must all be aligned alike: whole sectors are read and written.
        let elements = (SECTOR / self.request.element.bytes()) as i64;
        if !jobs.iter().all(|job| lines_agree(job, elements)) {
            return Ok(None);
        }
        let kernel = self.kernels[base].kernel().clone();
        let Some(mut course) = Course::new(&kernel, &jobs, i64::from(pairs), elements) else {
            return Ok(None);
        };
        let proved = self.proved_stretch(base, jobs.len(), pairs, course.lags)?;
        let Some(stretch) = proved.stretch() else { return Ok(None) };
        let chunks = course.confine(stretch, elements);
        let walk = self.walk_of(stretch, chunks);
        let lines: i64 = jobs[0].outer.iter().product();
        let far = FAR[usize::from(stretch.output == Side::Signal)];
        let reach = kernel.halo.before[0] + kernel.halo.after[0];
        let worthwhile = reach >= far[(jobs.len() - 1).min(far.len() - 1)]
            && chunks * lines >= WALKS * LEAST
            && proved.info().registers <= SPARING;
        if chunks == 0 || (self.request.strategy.stretch.is_none() && !worthwhile) {
            return Ok(None);
        }
        let jobs = course.placed(&kernel, stretch, jobs, chunks, walk);
        if !(1..=MOST_BLOCKS).contains(&jobs[0].blocks()) {
            return Ok(None);
        }
        let kernel = self.index_of(proved);
        let levels = tiers.len();
        Ok(Some(Deep { levels, kernel, jobs, frame: None }))
    }

    fn proved_stretch(
        &self,
        base: usize,
        levels: usize,
        pairs: u32,
        lags: Lags,
    ) -> Result<Proved, ProofError> {
        let strategy = self.request.strategy;
        let mut mapped = MappedKernel { lines: Vec::new(), ..self.kernels[base].mapped().clone() };
        let mapping = &mut mapped.mapping;
        (mapping.lags, mapping.levels, mapping.pairs, mapping.groups) =
            (Some(lags), levels as u32, pairs, 1);
        (mapping.alignment, mapping.wraps, mapping.sectors) = (None, false, None);
        (mapping.tile, mapping.lanes) = ([1; 3], 1);
        mapping.threads = strategy.threads.unwrap_or(THREADS);
        mapping.resident = strategy.resident.unwrap_or(0);
        mapping.depth = strategy.depth.unwrap_or(DEPTH);
        let proved = prove(&mapped)?;
        if strategy.resident.is_some() {
            return Ok(proved);
        }
        mapped.mapping.resident = resident(&proved);
        prove(&mapped)
    }

    /// Chunks of a stretch, of so many in a line.
    fn walk_of(&self, stretch: &Stretch, chunks: i64) -> i64 {
        let asked = self.request.strategy.rows.map(i64::from);
        let chosen = CHUNKS[usize::from(2 * stretch.samples_before() > stretch.chunk())];
        asked.unwrap_or(chosen).clamp(1, chunks.max(1))
    }
}

/// Whether every line of a batch begins where the first one does, as far as accesses of so many elements go.
fn lines_agree(job: &Job, elements: i64) -> bool {
    let views = job.bands.iter().chain([&job.signal]);
    let mut steps = views.flat_map(|view| job.outer.iter().zip(view.outer));
    steps.all(|(extent, step)| *extent == 1 || step % elements == 0)
}
