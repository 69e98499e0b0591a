//! Batches of lines as planes: the axis of the batch is split into even and odd lines and not transformed, so that a
//! warp walks from line to line, finds once where its columns come from, and lines need not be long.

use super::super::proof::{ProofError, Proved};
use super::super::strip::LONGEST;
use super::levels::repeats;
use super::shapes::{BATCH_ROWS, stripes};
use super::widen::Sides;
use super::worth::mostly_useful;
use super::{Array, Builder, ProgramError};
use crate::kernel::{Exchange, Kernel, Margin, Output, Segment, lower};
use waveloom_wavelets::extension::{Extension, ExtensionKind};
use waveloom_wavelets::geometry::{AxisGeometry, Span};

/// The fewest lines that are walked, and the longest ones: of longer lines, few strips touch an end.
const LEAST_LINES: usize = 8;
const LONGEST_LINE: usize = 1 << 14;

impl Builder<'_> {
    /// Whether lines of such an array, the last axis of which is transformed alone, are a batch that strips walk.
    pub(super) fn is_batch(&self, array: &Array) -> bool {
        let strategy = self.request.strategy;
        let asked = strategy.groups.or(strategy.pairs).is_some();
        let line = array.shape.last().copied().unwrap_or(0);
        strategy.exchange == Exchange::Stream
            && !asked
            && (1..=LONGEST_LINE).contains(&line)
            && array.lines() >= LEAST_LINES
    }

    /// The kernel of a batch of lines, and how far a line's outputs reach; `None` if most of its lanes were halo.
    pub(super) fn batch(&mut self) -> Result<Option<(usize, Margin)>, ProgramError> {
        let line = self.lowered(self.request.kind.one_dimensional(), 1)?;
        let proved = match self.batch_strips(&line) {
            Ok(proved) => proved,
            // Filters that reach too far for narrow strips.
            Err(ProgramError::Proof(ProofError::Strip(_) | ProofError::Shared { .. })) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let worthwhile = proved.strip().is_some_and(mostly_useful);
        Ok(worthwhile.then(|| (self.index_of(proved), line.spread)))
    }

    fn batch_strips(&self, line: &Kernel) -> Result<Proved, ProgramError> {
        let request = self.request;
        let (kind, exchange) = (request.kind.one_dimensional(), request.strategy.exchange);
        let mut scheme = request.wavelet.scheme(kind, 1)?;
        scheme.axes = 2;
        scheme.factors = scheme.factors.iter().map(|factor| factor.on_axis(1, 2)).collect();
        let kernel = lower(&scheme, request.operation, request.element, exchange)?;
        let shape = request.strategy.strips(true, true);
        let rows = request.strategy.rows.or(Some(BATCH_ROWS));
        Ok(stripes(kernel, vec![line.clone(), split(line)], shape, rows, 0)?)
    }

    /// What a pass along lines reads and writes, as that of a plane.
    pub(super) fn stacked(&self, sides: Sides) -> Sides {
        let count = sides.whole.lines();
        let flat = |array: &Array| Array {
            shape: vec![count, array.shape.last().copied().unwrap_or(0)],
            ..array.clone()
        };
        // Every second line, from the first or from the second one on.
        let every_second = |array: &Array, odd: usize| {
            let line = array.shape.last().copied().unwrap_or(0);
            Array {
                buffer: array.buffer,
                offset: array.offset + odd * array.pitch,
                shape: vec![count.div_ceil(2), line],
                pitch: 2 * array.pitch,
            }
        };
        let bands =
            [0, 1].iter().flat_map(|odd| sides.bands.iter().map(|band| every_second(band, *odd)));
        let again = sides.geometry.iter().all(|axis| repeats(self.request.operation, axis));
        Sides {
            bands: bands.collect(),
            whole: flat(&sides.whole),
            geometry: std::iter::once(lines(count, again)).chain(sides.geometry).collect(),
            folds: sides.folds,
            area: None,
        }
    }
}

/// A line's kernel without any step: even and odd lines pass.
fn split(line: &Kernel) -> Kernel {
    let exchange = line.segments.first().map_or(Exchange::Stream, |segment| segment.exchange);
    Kernel {
        segments: vec![Segment { exchange, steps: Vec::new() }],
        outputs: [0, 1].map(|plane| Output { plane, offset: [0; 3] }).to_vec(),
        halo: Default::default(),
        spread: Default::default(),
        ..line.clone()
    }
}

/// The axis of so many lines. Nothing beyond its ends is needed; where lines themselves begin anew there, it does, too,
/// if it can.
fn lines(count: usize, again: bool) -> AxisGeometry {
    let kind = match again && count.is_multiple_of(2) && count < LONGEST {
        true => ExtensionKind::Periodic,
        false => ExtensionKind::Zero,
    };
    let extension = Extension::new(kind, count);
    let span = |len| Span { start: 0, len };
    AxisGeometry {
        signal: span(count),
        signal_extension: extension,
        low: span(count.div_ceil(2)),
        high: span(count / 2),
        band_extension: extension,
        single: None,
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Launch, Program, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(name: &str, shape: &[usize], levels: usize, strategy: Strategy) -> Program {
        let wavelet = catalogue::wavelet(name).unwrap();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(1),
            shape,
            axes: &[shape.len() - 1],
            mode: Mode::Periodization,
            origins: &[],
            levels,
            align_rows: None,
            element: Element::F32,
            operation: Operation::Forward,
            strategy,
        })
        .unwrap()
    }

    /// Whether all kernels walk.
    fn walks(program: &Program) -> bool {
        program.kernels.iter().all(|kernel| kernel.strip().is_some_and(|strip| strip.parted()))
    }

    #[test]
    fn batches_of_short_lines_are_walked_and_others_are_not() {
        let stream = Strategy::STREAM;
        assert!(walks(&made("db4", &[64, 256], 1, stream)));
        assert!(walks(&made("db4", &[3, 5, 100], 1, stream)));
        assert!(!walks(&made("db4", &[7, 256], 1, stream)), "too few lines");
        assert!(!walks(&made("db4", &[64, 1 << 15], 1, stream)), "lines with few ends");
        let asked = Strategy { groups: Some(4), ..stream };
        assert!(!walks(&made("db4", &[64, 256], 1, asked)), "a shape that was asked for");
        // Three of four lanes of narrow strips would be halo.
        assert!(!walks(&made("db38", &[64, 256], 1, stream)));
    }

    #[test]
    fn levels_share_strips_until_lines_are_short() {
        let launches = |shape: &[usize]| made("haar", shape, 4, Strategy::STREAM).launches.len();
        // Levels of 2^16 and 2^15 samples in one, then those of 2^14 and 2^13.
        assert_eq!(launches(&[64, 1 << 16]), 3);
        assert_eq!(launches(&[64, 1 << 14]), 4);
        assert_eq!(launches(&[2, 1 << 14]), 2);
    }

    #[test]
    fn a_level_of_a_batch_is_a_launch_and_even_and_odd_lines_are_its_rows() {
        let program = made("bior4.4", &[64, 256], 3, Strategy::STREAM);
        assert_eq!(program.launches.len(), 3);
        let Launch::Transform { jobs, .. } = &program.launches[0] else { panic!("no transform") };
        let [job] = jobs.as_slice() else { panic!("one array, one job: {jobs:?}") };
        assert_eq!(job.axes[0].pairs.len, 32);
        assert_eq!(job.axes[1].pairs.len, 128);
        assert_eq!(job.signal.axes[..2], [256, 1]);
        // Approximations of even and of odd lines, in one array.
        let [even, odd] = [&job.bands[0], &job.bands[2]];
        assert_eq!(even.axes[..2], [2 * 128, 1]);
        assert_eq!((odd.buffer, odd.offset - even.offset), (even.buffer, 128));
        assert_eq!(job.bands[1].buffer, job.bands[3].buffer);
    }
}
