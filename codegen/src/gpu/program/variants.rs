//! The same strips for other arrays: those whose rows are all aligned, whose lines begin anew beyond their ends, or that
//! are narrow.

use super::super::abi::Job;
use super::super::mapping::Alignment;
use super::super::proof::{ProofError, Proved, prove};
use super::super::strip::{Strip, WARP};
use super::shapes::walked;
use super::worth::NARROW;
use super::{Builder, ProgramError};

impl Builder<'_> {
    /// The same strips for arrays whose rows are all aligned, if these are.
    pub(super) fn aligned(
        &mut self,
        kernel: usize,
        jobs: &[Job],
    ) -> Result<Option<usize>, ProgramError> {
        let proved = &self.kernels[kernel];
        let pairs = i64::from(proved.mapping().pairs);
        let crosses = proved.strip().is_some_and(|strip| strip.across.is_some());
        let Some(first) = jobs.first().filter(|_| crosses) else { return Ok(None) };
        let elements = 16 / self.request.element.bytes() as i64;
        let alignment = first.alignment(pairs, elements);
        if alignment.is_none() || jobs.iter().any(|job| job.alignment(pairs, elements) != alignment)
        {
            return Ok(None);
        }
        let mut aligned = with_alignment(proved, alignment)?;
        if let Some(whole) = whole_sectors(&aligned, jobs) {
            aligned = whole;
        }
        let warm = |strip: &Strip| strip.along.as_ref().map_or(0, |along| along.pipeline.warm());
        let warm = aligned.strip().filter(|strip| strip.beside.is_none()).map_or(0, warm);
        let rows = aligned.mapping().tile[0].min(walked(warm, true));
        if self.request.strategy.rows.is_none() && warm > 0 && rows < aligned.mapping().tile[0] {
            let mut mapped = aligned.mapped().clone();
            mapped.mapping.tile[0] = rows;
            aligned = prove(&mapped)?;
        }
        Ok(Some(self.index_of(aligned)))
    }

    /// The same strips for arrays whose lines begin anew beyond their ends, if these do.
    pub(super) fn wrapped(
        &mut self,
        kernel: usize,
        jobs: &[Job],
    ) -> Result<Option<usize>, ProgramError> {
        let proved = &self.kernels[kernel];
        let bytes = proved.kernel().element.bytes();
        let round = |job: &Job| proved.strip().is_some_and(|strip| strip.goes_round(job, bytes));
        if jobs.is_empty() || !jobs.iter().all(round) {
            return Ok(None);
        }
        let mut mapped = proved.mapped().clone();
        mapped.mapping.wraps = true;
        // Where that does not fit, strips at ends are as others'.
        let wrapped = prove(&mapped).ok();
        Ok(wrapped.map(|wrapped| self.index_of(wrapped)))
    }

    /// The same strips in blocks of one warp each, for arrays so narrow that of wider blocks most would touch
    /// an end.
    pub(super) fn narrow(
        &mut self,
        kernel: usize,
        jobs: &[Job],
    ) -> Result<Option<usize>, ProgramError> {
        let proved = &self.kernels[kernel];
        let planes = proved.strip().is_some_and(|strip| strip.across.is_some() && strip.parted());
        let wide = |job: &Job| job.axes.last().is_some_and(|axis| axis.pairs.len > NARROW);
        if !planes || self.request.strategy.threads.is_some() || jobs.iter().any(wide) {
            return Ok(None);
        }
        let mut mapped = proved.mapped().clone();
        let blocks = mapped.mapping.resident.saturating_mul(mapped.mapping.threads / WARP);
        mapped.mapping.resident = blocks.min(MOST_RESIDENT);
        mapped.mapping.threads = WARP;
        // Where that does not fit, blocks stay as wide as they are.
        let narrow = prove(&mapped).ok();
        Ok(narrow.map(|narrow| self.index_of(narrow)))
    }

    /// Where a kernel stands in the list, to which it is added if it is not there.
    pub(super) fn index_of(&mut self, proved: Proved) -> usize {
        let known = self.kernels.iter().position(|known| *known == proved);
        known.unwrap_or_else(|| {
            self.kernels.push(proved);
            self.kernels.len() - 1
        })
    }
}

/// The same kernel for arrays whose rows are all aligned, and where, or are not.
///
/// # Errors
/// Those of [`prove`].
pub(in super::super) fn with_alignment(
    proved: &Proved,
    alignment: Option<Alignment>,
) -> Result<Proved, ProofError> {
    let mut mapped = proved.mapped().clone();
    mapped.mapping.alignment = alignment;
    (mapped.mapping.wraps, mapped.mapping.sectors) = (false, None);
    prove(&mapped)
}

/// The same strips, writing whole sectors of signals, where rows of all jobs of this level are such.
fn whole_sectors(proved: &Proved, jobs: &[Job]) -> Option<Proved> {
    let strip = proved.strip()?;
    let bytes = proved.kernel().element.bytes();
    let late = |job: &Job| strip.sectors_of(job, job.axes.last()?.low.start, bytes);
    let sectors = late(jobs.first()?);
    if sectors.is_none() || jobs.iter().any(|job| late(job) != sectors) {
        return None;
    }
    let mut mapped = proved.mapped().clone();
    mapped.mapping.sectors = sectors;
    // Where that does not fit, or lanes do not make whole sectors, strips share them.
    prove(&mapped).ok().filter(|proved| proved.strip().is_some_and(Strip::in_sectors))
}

/// The most blocks that a multiprocessor holds.
const MOST_RESIDENT: u32 = 32;
