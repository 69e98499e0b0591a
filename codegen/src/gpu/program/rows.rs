//! Rows of bands that begin at multiples of so many elements.
//!
//! Where modes make more coefficients than samples, rows of bands end anywhere, and the next one begins in the
//! middle of a sector of memory; strips then share sectors, and lanes cannot read or write several elements at once.

use super::array::{Array, may_have_gaps};
use super::{Buffer, ProgramError, ProgramRequest};
use crate::gpu::mapping::Scope;
use waveloom_wavelets::geometry::Band;

/// Where a band's rows along its last axis stand in the coefficient buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BandRows {
    /// Element at which the first one begins.
    pub offset: usize,
    /// Elements from one to the next.
    pub pitch: usize,
}

/// Why rows of bands cannot be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unaligned {
    /// Nothing is a multiple of 0 but 0.
    #[error("a multiple of 0 is none")]
    Zero,
    /// Other axes than the last one or the last two are transformed.
    #[error("the transformed axes have to be an array's last one, or its last two")]
    Axes,
    /// Coefficients stand where their samples do.
    #[error("coefficients in the places of their samples have the array's rows")]
    InPlace,
}

impl Array {
    /// A band of the coefficient buffer.
    pub(super) fn band(rows: BandRows, shape: Vec<usize>) -> Self {
        let BandRows { offset, pitch } = rows;
        Self { buffer: Buffer::Coefficients, offset, shape, pitch }
    }
}

/// The rows of all bands, and how many elements these have, gaps included.
pub(super) fn rows_of(
    request: &ProgramRequest<'_>,
    bands: &[Band],
) -> Result<(Vec<BandRows>, usize), ProgramError> {
    if let Some(multiple) = request.align_rows {
        let why = if multiple == 0 {
            Some(Unaligned::Zero)
        } else if !may_have_gaps(request.shape.len(), request.axes) {
            Some(Unaligned::Axes)
        } else if request.strategy.scope == Scope::Levels {
            Some(Unaligned::InPlace)
        } else {
            None
        };
        if let Some(why) = why {
            return Err(ProgramError::AlignRows { multiple, why });
        }
    }
    let mut end: usize = 0;
    let mut all = Vec::with_capacity(bands.len());
    for band in bands {
        let last = band.shape.last().copied().unwrap_or(1);
        let pitch = match request.align_rows {
            Some(multiple) => last.checked_next_multiple_of(multiple as usize),
            None => Some(last),
        };
        let rows = band.shape.split_last().map_or(1, |(_, outer)| outer.iter().product());
        let next = pitch.and_then(|pitch| pitch.checked_mul(rows)?.checked_add(end));
        let (Some(pitch), Some(next)) = (pitch, next.filter(|next| *next < usize::MAX / 64)) else {
            return Err(ProgramError::TooLarge { shape: request.shape.to_vec() });
        };
        all.push(BandRows { offset: end, pitch });
        end = next;
    }
    Ok((all, end))
}

#[cfg(test)]
mod tests {
    use super::Unaligned;
    use crate::gpu::{
        Buffer, LaunchKind, Program, ProgramError, ProgramRequest, Strategy, program,
    };
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn made(
        shape: &[usize],
        axes: &[usize],
        levels: usize,
        operation: Operation,
        (align_rows, strategy): (Option<u32>, Strategy),
    ) -> Result<Program, ProgramError> {
        let wavelet = catalogue::wavelet("db4").unwrap();
        program(&ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes,
            mode: Mode::Symmetric,
            origins: &[],
            levels,
            align_rows,
            element: Element::F32,
            operation,
            strategy,
        })
    }

    #[test]
    fn rows_begin_at_multiples_and_do_not_meet() {
        let strategy = (Some(8), Strategy::STREAM);
        for (shape, axes) in [
            (&[101][..], &[0][..]),
            (&[60, 93], &[0, 1]),
            (&[60, 93], &[1, 0]),
            (&[3, 60, 93], &[1, 2]),
            (&[7, 93], &[1]),
            (&[2, 7, 93], &[2]),
        ] {
            for levels in [0, 1, 3] {
                let program = made(shape, axes, levels, Operation::Forward, strategy).unwrap();
                let mut end = 0;
                let rows = program.band_rows.unwrap();
                assert_eq!(rows.len(), program.bands.len());
                for (band, rows) in program.bands.iter().zip(&rows) {
                    let last = *band.shape.last().unwrap();
                    assert_eq!((rows.offset, rows.pitch), (end, last.next_multiple_of(8)));
                    end += band.len / last * rows.pitch;
                }
                assert_eq!(program.coefficient_len, end, "{shape:?} {axes:?} {levels}");
            }
        }
        // Not asked for, and asked for where rows are such multiples anyway.
        for multiple in [None, Some(1)] {
            let strategy = (multiple, Strategy::STREAM);
            let dense = made(&[60, 93], &[0, 1], 3, Operation::Forward, strategy).unwrap();
            let lens = dense.bands.iter().map(|band| band.len).sum::<usize>();
            assert_eq!((dense.band_rows, dense.coefficient_len), (None, lens));
        }
    }

    /// What else is read and written in such rows: those between levels and of what is folded.
    #[test]
    fn all_rows_but_the_signals_begin_with_a_sector() {
        let strategy = (Some(8), Strategy::STREAM);
        for operation in Operation::ALL {
            let program = made(&[60, 393], &[0, 1], 3, operation, strategy).unwrap();
            let transforms = program.launches.iter().filter_map(|launch| match launch {
                LaunchKind::Transform { jobs, .. } => Some(jobs),
                _ => None,
            });
            let jobs: Vec<_> = transforms.flatten().collect();
            assert!(jobs.len() >= 3, "{operation}");
            for job in jobs {
                let others = Some(&job.signal).filter(|view| view.buffer == Buffer::Workspace);
                for view in job.bands.iter().chain(others) {
                    assert_eq!((view.offset % 8, view.axes[0] % 8), (0, 0), "{operation} {view:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_aligned_is_refused_with_the_reason() {
        let aligned = |multiple, strategy| (Some(multiple), strategy);
        for (shape, axes, strategy, why) in [
            (&[60, 93][..], &[0, 1][..], aligned(0, Strategy::STREAM), Unaligned::Zero),
            (&[60, 93], &[0], aligned(8, Strategy::STREAM), Unaligned::Axes),
            (&[6, 60, 93], &[0, 1, 2], aligned(8, Strategy::STREAM), Unaligned::Axes),
            (&[6, 60, 93], &[0, 2], aligned(8, Strategy::STREAM), Unaligned::Axes),
            (&[64, 64], &[0, 1], aligned(8, Strategy::MIXED), Unaligned::InPlace),
        ] {
            let error = made(shape, axes, 1, Operation::Forward, strategy).unwrap_err();
            assert!(error.to_string().contains(&why.to_string()), "{error}");
            let ProgramError::AlignRows { why: found, .. } = error else { panic!("{error}") };
            assert_eq!(found, why);
        }
        let huge =
            made(&[60, 93], &[1], 1, Operation::Forward, aligned(u32::MAX, Strategy::STREAM));
        assert!(huge.is_ok_and(|program| program.coefficient_len == 120 * u32::MAX as usize));
    }
}
