//! All levels in one launch, every coefficient in the place of its sample.

use super::super::abi::Job;
use super::super::fused;
use super::super::mapping::Mapping;
use super::super::proof::{ProofError, prove};
use super::{Array, Buffer, Builder, Launch, MappedKernel, ProgramError};
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::{AxisGeometry, Decomposition};

impl Builder<'_> {
    /// The whole transform.
    pub(super) fn fused(&mut self, decomposition: &Decomposition) -> Result<(), ProgramError> {
        let request = self.request;
        let axes = request.axes;
        let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending && request.wavelet.is_rounded() {
            // The order of the axes is part of what a rounded transform is.
            return Err(ProofError::Order { axes: axes.to_vec() }.into());
        }
        let levels = decomposition.levels();
        let Some(first) = levels.first() else {
            return Ok(());
        };
        let mut array_axes = axes.to_vec();
        array_axes.sort_unstable();
        let sorted = array_axes.iter().map(|axis| {
            let i = axes.iter().position(|other| other == axis).unwrap_or(0);
            first.axes[i]
        });
        let geometry: Vec<AxisGeometry> = sorted.collect();
        let kernel = self.lowered(request.kind, axes.len())?;
        let inner = array_axes.last().map_or(0, |last| last + 1);
        let contiguous = request.shape[inner..].iter().all(|n| *n == 1);
        let strategy = request.strategy;
        let plain = Mapping { contiguous, ..Mapping::new(strategy.exchange, strategy.own) };
        let (bytes, threads) = (request.element.bytes(), strategy.threads);
        let mapping = fused::shape(plain, axes.len(), levels.len(), bytes, threads)?;
        self.kernels.push(prove(&MappedKernel { kernel, lines: Vec::new(), mapping })?);
        for (index, level) in levels.iter().enumerate() {
            let expansive = level.axes.iter().position(|axis| !in_place(axis));
            if let Some(i) = expansive {
                let (axis, samples) = (axes[i], level.axes[i].signal.len);
                let level = index + 1;
                return Err(ProofError::InPlace { axis, level, samples }.into());
            }
        }
        let array = |buffer| Array::dense(buffer, 0, request.shape.to_vec());
        let (signal, coefficients) = (array(Buffer::Signal), array(Buffer::Coefficients));
        let bands = vec![coefficients; 1 << axes.len()];
        let mut job: Job = self.job(0, &geometry, &array_axes, &signal, &bands);
        job.axes.iter_mut().for_each(|axis| axis.extension = ExtensionKind::Zero);
        if job.blocks() > 0 {
            self.launches.push(Launch::Transform { kernel: 0, jobs: vec![job] });
        }
        Ok(())
    }
}

/// Whether pairs of samples become pairs of coefficients.
fn in_place(axis: &AxisGeometry) -> bool {
    let even = axis.signal.start.rem_euclid(2) == 0 && axis.signal.len.is_multiple_of(2);
    let pairs = axis.signal.start.div_euclid(2);
    let stands = |start: i64, len: usize| start == pairs && 2 * len == axis.signal.len;
    let (low, high) = (axis.low, axis.high);
    axis.single.is_none() && even && stands(low.start, low.len) && stands(high.start, high.len)
}

#[cfg(test)]
mod tests {
    use crate::gpu::{ProgramError, ProgramRequest, ProofError, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, SchemeKind, catalogue};

    fn refusal(name: &str, shape: &[usize], mode: Mode, levels: usize) -> ProofError {
        let wavelet = catalogue::wavelet(name).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let kind = match axes.len() {
            1 => SchemeKind::Convolution,
            _ => SchemeKind::SeparableConvolution,
        };
        let request = ProgramRequest {
            wavelet: &wavelet,
            kind,
            shape,
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element: Element::F32,
            operation: Operation::Forward,
            strategy: Strategy::MIXED,
        };
        match program(&request) {
            Err(ProgramError::Proof(error)) => error,
            other => panic!("{name} {shape:?} was not refused by the proof: {other:?}"),
        }
    }

    #[test]
    fn what_levels_in_place_cannot_do_is_refused_with_the_reason() {
        let error = refusal("db2", &[16], Mode::Periodization, 1);
        assert!(matches!(error, ProofError::Reach { .. }), "{error}");
        let error = refusal("haar", &[12], Mode::Periodization, 3);
        assert_eq!(error, ProofError::InPlace { axis: 0, level: 3, samples: 3 });
        let error = refusal("haar", &[4, 7], Mode::Symmetric, 1);
        assert_eq!(error, ProofError::InPlace { axis: 1, level: 1, samples: 7 });
        let error = refusal("haar", &[1 << 12, 1 << 12], Mode::Periodization, 12);
        assert_eq!(error, ProofError::Levels { levels: 12, limit: 7, axes: 2 });
    }

    /// Four levels of an image and of a volume in one launch without intermediate memory, every
    /// value read and written once.
    #[test]
    fn four_levels_are_one_launch() {
        let haar = catalogue::wavelet("haar").unwrap();
        for (shape, axes) in [(vec![256, 512], vec![0, 1]), (vec![32, 64, 64], vec![0, 1, 2])] {
            for operation in Operation::ALL {
                let made = program(&ProgramRequest {
                    wavelet: &haar,
                    kind: haar.default_scheme(axes.len()),
                    shape: &shape,
                    axes: &axes,
                    mode: Mode::Periodization,
                    origins: &[],
                    levels: 4,
                    align_rows: None,
                    element: Element::F32,
                    operation,
                    strategy: Strategy::MIXED,
                })
                .unwrap();
                assert!(made.in_place);
                assert_eq!((made.launches.len(), made.workspace_len), (1, 0));
                let [kernel] = made.kernels.as_slice() else { panic!("one kernel") };
                let blocks = made.launches[0].grid().unwrap()[0] as usize;
                let len: usize = shape.iter().product();
                assert_eq!(blocks * kernel.info().loads, len);
                assert_eq!(blocks * kernel.info().stores, len);
                assert!(kernel.info().shared_bytes <= 1024, "{:?}", kernel.info());
            }
        }
    }
}
