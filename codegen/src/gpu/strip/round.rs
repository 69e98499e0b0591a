//! Lines that begin anew beyond their ends, as the input's rule may have them: a strip at an end then reads its
//! columns and rows from elsewhere, but is walked as one inside its arrays is.

use super::Strip;
use crate::gpu::abi::{Job, JobAxis};
use crate::kernel::Side;
use waveloom_wavelets::extension::ExtensionKind;

/// The longest line: places in it are numbers of 32 bits.
pub(in crate::gpu) const LONGEST: usize = 1 << 30;

/// Registers that a walk is known to need at least, up to which it is a light one, and how many warps of these a
/// multiprocessor shall have registers for.
const LIGHT: usize = 80;
const ROUND_WARPS: u32 = 20;

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
            _ => {
                (0..LONGEST as i64).contains(&job.lanes)
                    && self.aligned(job, bytes)
                    && whole(job.lanes.max(0) as usize, samples)
            }
        }
    }

    /// Blocks of the function for lines that begin anew that shall fit a multiprocessor, where `resident` of others
    /// shall: as measured, more of walks of one level that need few registers, of values of so many bytes.
    pub fn resident_round(&self, resident: u32, bytes: usize) -> u32 {
        let light = self.deeper.is_none() && self.beside.is_none() && self.registers() <= LIGHT;
        match light && bytes <= 4 {
            true => resident.max(ROUND_WARPS / self.warps.max(1) as u32),
            false => resident,
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

    /// With three axes: whether no warp loads more rows than there are.
    fn block_fits(&self, job: &Job) -> bool {
        let (Some(beside), [_, axis, _]) = (&self.beside, job.axes.as_slice()) else { return true };
        let rows = match self.output {
            Side::Bands => axis.signal.len,
            Side::Signal => axis.low.len,
        };
        beside.runs.iter().all(|run| self.brought(beside, run) <= rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(
        name: &str,
        shape: &[usize],
        mode: Mode,
        operation: Operation,
        levels: usize,
    ) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element: Element::F32,
            operation,
            strategy: Strategy { deep: Some(2), ..Strategy::STREAM },
        })
        .unwrap()
    }

    /// Whether the kernels make use of it, and launches know.
    fn goes_round(program: &Program) -> Vec<bool> {
        let launches = program.launches.iter();
        let told: Vec<bool> =
            launches.filter_map(|launch| Some(launch.parts(true)?.wraps)).collect();
        let all = program.kernels.iter().map(|kernel| kernel.mapping().wraps);
        let known: Vec<bool> = all.collect();
        assert!(told.iter().all(|told| known.contains(told)), "{told:?} {known:?}");
        told
    }

    #[test]
    fn lines_of_whole_accesses_go_round_in_periodic_modes() {
        use Operation::{AdjointForward, Forward, Inverse};
        let plane = |mode, shape: [usize; 2], operation| {
            goes_round(&made("bior4.4", &shape, mode, operation, 1))
        };
        for operation in [Forward, Inverse] {
            for mode in [Mode::Periodization, Mode::Circular] {
                assert_eq!(plane(mode, [64, 64], operation), [true], "{mode} {operation:?}");
                // The last axis has no whole number of accesses.
                assert_eq!(plane(mode, [64, 62], operation), [false], "{mode} {operation:?}");
            }
            assert_eq!(plane(Mode::Symmetric, [64, 64], operation), [false], "{operation:?}");
            assert_eq!(plane(Mode::Periodization, [63, 64], Forward), [false]);
        }
        // Bands of a periodic signal end; what an adjoint reads does so, too.
        assert_eq!(plane(Mode::Periodic, [64, 64], Inverse), [false]);
        assert!(!plane(Mode::Periodization, [64, 64], AdjointForward).contains(&true));
    }

    #[test]
    fn all_levels_of_a_strip_go_round_or_none() {
        for operation in [Operation::Forward, Operation::Inverse] {
            let two = made("bior4.4", &[256, 256], Mode::Periodization, operation, 2);
            assert_eq!(goes_round(&two), [true], "{operation:?}");
            // Columns are no whole number of accesses.
            let none = made("bior4.4", &[256, 262], Mode::Periodization, operation, 2);
            assert!(!goes_round(&none).contains(&true), "{operation:?}");
        }
    }

    /// No block of a volume is of another part than others.
    #[test]
    fn volumes_that_go_round_are_one_part() {
        let volume = made("bior2.2", &[32, 64, 64], Mode::Periodization, Operation::Forward, 1);
        assert_eq!(goes_round(&volume), [true]);
        let parts = volume.launches[0].parts(true).unwrap();
        assert_eq!(parts.blocks, [volume.launches[0].grid().unwrap()[0], 0]);
    }
}
