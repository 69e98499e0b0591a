//! Strips that write whole sectors: where two share one, it is written twice.

use super::Strip;
use crate::gpu::abi::Job;
use crate::gpu::program::MappedKernel;
use crate::kernel::Side;

/// Bytes of a sector, the smallest piece of memory that is written at once.
pub const SECTOR: usize = 32;

/// The share of lanes that must be left when strips write whole sectors.
const SPARED: (usize, usize) = (7, 8);

/// Rows that a walk of several levels carries along up to which memory is what it waits for. With more it waits for
/// its arithmetic, and no lane that is right is left out.
const LIGHT: usize = 3;

/// The share of lanes that must be left along three axes, where a lane's few columns are many rows.
const SPARED_OF_BLOCKS: (usize, usize) = (3, 4);

impl Strip {
    /// Leaves out as many of the last lanes that are right as make strips of a walk write whole sectors, if that are few.
    /// The unit of what strips write, in pairs.
    pub(super) fn whole_sectors(&self, mapped: &MappedKernel, right: &mut (usize, usize)) -> usize {
        let walks = self.across.is_some() && self.along.is_some();
        let bytes = mapped.kernel.element.bytes();
        let sector = match (self.output, mapped.mapping.sectors) {
            // A sector of the last level's bands is several of the first one's.
            (Side::Bands, _) => (SECTOR / bytes) << (mapped.mapping.levels.max(1) - 1),
            (Side::Signal, Some(_)) => SECTOR / bytes / 2,
            (Side::Signal, None) => 0,
        };
        if !walks || self.alignment.is_none() || sector <= self.pairs {
            return self.pairs;
        }
        let lanes = right.1.saturating_sub(right.0);
        let left = lanes - lanes % (sector / self.pairs);
        let carried = self.along.as_ref().map_or(0, |along| along.pipeline.carried());
        let spared = match (&self.beside, mapped.mapping.levels) {
            // Of signals no lane is left out: what is won by it is within what runs differ.
            _ if self.output == Side::Signal => (1, 1),
            (Some(_), _) => SPARED_OF_BLOCKS,
            (None, levels) if levels > 1 && carried > LIGHT => (1, 1),
            _ => SPARED,
        };
        if left * spared.1 < lanes * spared.0 || left == 0 {
            return self.pairs;
        }
        right.1 = right.0 + left;
        sector
    }

    /// Whether strips write whole sectors of several lanes each.
    pub(in crate::gpu) fn in_sectors(&self) -> bool {
        self.unit > self.pairs
    }

    /// Pairs by which sectors of the signal's rows begin later than lanes may begin, which is at `anchor` or a whole
    /// number of their pairs from it, if a walk writes rows that are whole sectors.
    pub(in crate::gpu) fn sectors_of(&self, job: &Job, anchor: i64, bytes: usize) -> Option<u32> {
        let alignment = self.alignment.filter(|_| self.along.is_some())?;
        let last = job.axes.last().filter(|_| self.output == Side::Signal)?;
        let (sector, view) = ((SECTOR / bytes) as i64, &job.signal);
        let outers = job.outer.iter().zip(view.outer);
        let mut steps = outers.filter(|(extent, _)| **extent > 1).map(|(_, stride)| stride);
        let rows = &view.axes[..job.axes.len() - 1];
        let whole = view.offset % sector == 0
            && rows.iter().all(|stride| stride % sector == 0)
            && steps.all(|stride| stride % sector == 0);
        let begin = last.signal.start - i64::from(alignment.signal) - 2 * anchor;
        let late = begin.rem_euclid(sector);
        (whole && late % (2 * self.pairs as i64) == 0).then_some((late / 2) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::SECTOR;
    use crate::gpu::{LaunchKind, Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn inverse(name: &str, shape: &[usize], levels: usize, element: Element) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let mode = if wavelet.is_rounded() { Mode::Jpeg2000 } else { Mode::Periodization };
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element,
            operation: Operation::Inverse,
            strategy: Strategy { deep: Some(2), ..Strategy::STREAM },
        })
        .unwrap()
    }

    /// Where strips begin to write in a row, in samples of a sector, and how far one is from the next; of every launch.
    fn begins(program: &Program, bytes: i64) -> Vec<[i64; 2]> {
        let sector = SECTOR as i64 / bytes;
        let launches = program.launches.iter().filter_map(|launch| {
            let LaunchKind::Transform { kernel, jobs } = launch else { return None };
            let strip = program.kernels[*kernel].strip()?;
            let axis = jobs[0].axes[1];
            let anchor = match strip.levels().count() {
                1 => axis.low.start,
                _ => 2 * jobs[1].axes[1].low.start + axis.low.start - jobs[1].axes[1].signal.start,
            };
            let first = axis.pairs.start - strip.early() as i64;
            let first = first + strip.late(anchor, axis.pairs.start);
            let lead = i64::from(strip.alignment?.signal);
            let sample = 2 * first + lead - axis.signal.start;
            Some([sample.rem_euclid(sector), 2 * strip.useful() as i64 % sector])
        });
        launches.collect()
    }

    #[test]
    fn inverses_write_whole_sectors_where_rows_are_such() {
        for name in ["db4", "db2", "irr97", "haar", "rev53"] {
            let element = if name == "rev53" { Element::I32 } else { Element::F32 };
            for levels in [1, 2] {
                let program = inverse(name, &[512, 2048], levels, element);
                let begins = begins(&program, 4);
                assert!(!begins.is_empty(), "{name} {levels}");
                assert!(begins.iter().all(|begin| *begin == [0; 2]), "{name} {levels} {begins:?}");
            }
        }
    }

    #[test]
    fn rows_that_are_no_whole_sectors_are_written_as_they_are() {
        for (shape, whole) in [([64, 1024], true), ([64, 1028], false)] {
            let program = inverse("db4", &shape, 1, Element::F32);
            let mut sectors = program.kernels.iter().map(|kernel| kernel.mapping().sectors);
            assert_eq!(sectors.any(|sectors| sectors.is_some()), whole, "{shape:?}");
        }
    }
}
