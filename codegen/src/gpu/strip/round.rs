//! Lines that begin anew beyond their ends, as the input's rule may have them: a strip at an end then reads its
//! columns and rows from elsewhere, but is walked as one inside its arrays is.

use super::Strip;
use crate::gpu::abi::{Job, JobAxis};
use crate::kernel::Side;
use waveloom_wavelets::extension::ExtensionKind;

/// The longest line: places in it are numbers of 32 bits.
const LONGEST: usize = 1 << 30;

impl Strip {
    /// Whether all lines of a job begin anew beyond their ends, and columns do so by whole accesses of this strip.
    pub(in crate::gpu) fn goes_round(&self, job: &Job, bytes: usize) -> bool {
        if !self.parted() || self.shifted() || !job.axes.iter().all(|axis| self.repeats(axis)) {
            return false;
        }
        let whole =
            |len: usize, most: usize| len.is_multiple_of(most.min(16 / bytes.max(1)).max(1));
        let (samples, pairs) = (self.columns(), self.pairs);
        match (&self.across, job.axes.last()) {
            (Some(_), Some(axis)) => {
                whole(axis.signal.len, samples)
                    && whole(axis.low.len, pairs)
                    && whole(axis.high.len, pairs)
                    && self.block_fits(job)
            }
            _ => self.aligned(job, bytes) && whole(job.lanes.max(0) as usize, samples),
        }
    }

    /// Whether an axis of the input has a period of its own whole pairs.
    fn repeats(&self, axis: &JobAxis) -> bool {
        let periodic =
            matches!(axis.extension, ExtensionKind::Periodic | ExtensionKind::PeriodicEven);
        let [signal, low, high, bands] =
            [axis.signal, axis.low, axis.high, axis.bands].map(|span| span.len);
        let pairs = match self.output {
            Side::Bands => signal.is_multiple_of(2),
            Side::Signal => low == high && bands == 2 * low,
        };
        let most = signal.max(bands);
        periodic && pairs && (1..LONGEST).contains(&most) && low.min(high) > 0 && signal > 0
    }

    /// With three axes: whether no block has more rows than there are.
    fn block_fits(&self, job: &Job) -> bool {
        let (Some(beside), [_, axis, _]) = (&self.beside, job.axes.as_slice()) else { return true };
        let rows = match self.output {
            Side::Bands => axis.signal.len,
            Side::Signal => axis.low.len,
        };
        self.most_rows(beside) <= rows
    }
}
