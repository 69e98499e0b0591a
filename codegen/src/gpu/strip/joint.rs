//! Rings that the warps of a block have in common: with three axes their blocks of rows stand beside each other, and
//! what a filter reads beyond one of them is rows of the next. Every row then arrives once for all of them.

use super::{Beside, Run, Strip};
use crate::kernel::Side;

impl Beside {
    /// Rows of a run from one block to the next.
    pub fn step(&self) -> usize {
        match self.input {
            Side::Signal => 2 * self.pairs,
            Side::Bands => self.pairs,
        }
    }

    /// Whether neighbouring blocks read the same rows.
    fn overlaps(&self) -> bool {
        self.runs.iter().any(|run| run.count > self.step())
    }
}

impl Strip {
    /// Whether the warps of a block take their rows from one ring, whoever loaded them: an iteration then begins when
    /// all of them are done with the one before it.
    pub fn joint(&self) -> bool {
        self.warps > 1 && self.beside.as_ref().is_some_and(Beside::overlaps)
    }

    /// Rings of a block, with what their warps know of ends.
    pub fn rings(&self) -> usize {
        if self.joint() { 1 } else { self.warps }
    }

    /// Warps of a ring.
    pub fn sharers(&self) -> usize {
        self.warps / self.rings()
    }

    /// Rows of a run in a slot of a ring: those of the blocks of all its warps.
    pub fn held(&self, beside: &Beside, run: &Run) -> usize {
        run.count + (self.sharers() - 1) * beside.step()
    }

    /// How many of them a warp loads, the last one fewer, if any.
    pub fn brought(&self, beside: &Beside, run: &Run) -> usize {
        self.held(beside, run).div_ceil(self.sharers())
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(name: &str, operation: Operation, threads: u32) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(3),
            shape: &[64, 64, 64],
            axes: &[0, 1, 2],
            mode: Mode::Periodization,
            origins: &[],
            levels: 1,
            align_rows: None,
            element: Element::F32,
            operation,
            strategy: Strategy {
                threads: Some(threads),
                pairs: Some(2),
                groups: Some(2),
                ..Strategy::STREAM
            },
        })
        .unwrap()
    }

    /// All rows arrive, and none twice: those of all blocks and the reach of one.
    #[test]
    fn rows_of_neighbours_arrive_once() {
        for (name, halo) in [("irr97", 7), ("bior2.2", 3)] {
            for operation in [Operation::Forward, Operation::Inverse] {
                for warps in [1, 2, 4] {
                    let program = made(name, operation, 32 * warps as u32);
                    let strip = program.kernels[0].strip().unwrap();
                    let beside = strip.beside.as_ref().unwrap();
                    assert_eq!(strip.joint(), warps > 1, "{name}");
                    let held: usize = beside.runs.iter().map(|run| strip.held(beside, run)).sum();
                    assert_eq!(held, 4 * warps + halo, "{name} {operation:?} {warps}");
                    for run in &beside.runs {
                        let (held, share) = (strip.held(beside, run), strip.brought(beside, run));
                        assert!(held <= warps * share, "{name}");
                        // The last block's rows are the last ones.
                        assert_eq!((warps - 1) * beside.step() + run.count, held, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_that_read_nothing_twice_stay_apart() {
        let program = made("haar", Operation::Forward, 64);
        let strip = program.kernels[0].strip().unwrap();
        assert!(!strip.joint());
        assert_eq!(strip.rings(), 2);
    }

    /// Lanes that are left out for whole sectors need not be read.
    #[test]
    fn lanes_on_which_nothing_depends_are_not_read() {
        let program = made("irr97", Operation::Forward, 64);
        let strip = program.kernels[0].strip().unwrap();
        assert_eq!((strip.first_lane(), strip.end_lane(), strip.lanes_read()), (1, 29, 30));
    }
}
