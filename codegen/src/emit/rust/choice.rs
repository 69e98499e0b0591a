//! The scheme where none is asked for.

use super::flow::flow;
use super::problem::operations;
use super::request::Request;
use super::schedule::Schedule;
use crate::kernel::Operation;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// Error of stages in `f32`, relative to the largest sample, up to which they are chosen unasked: hardly
/// more than that of a convolution.
const STAGES_ERROR: f64 = 1e-6;

/// The scheme that is fastest where inner loops are compiled for the machine's vectors and fused
/// products. Of several axes the convolution: its sums need no values of neighbours and keep every digit,
/// and memory is slower than their arithmetic. Along one axis, whatever keeps the digits and takes the
/// least work: stages of a lattice or a lifting, which pass through registers, save operations. (Not where
/// samples are extrapolated: they outgrow the others, and what stages lose is relative to the largest.) A
/// rounded transform is only defined as lifting.
pub fn vectorised_scheme(wavelet: &Wavelet, dims: usize, mode: Mode) -> SchemeKind {
    match (wavelet.is_rounded(), dims) {
        (true, _) => return wavelet.default_scheme(dims),
        (false, 1) if mode != Mode::Smooth => {}
        (false, 1) => return SchemeKind::Convolution,
        (false, _) => return SchemeKind::SeparableConvolution,
    }
    let properties = wavelet.properties();
    let stages = [
        (SchemeKind::Lattice, properties.lattice_f32_error),
        (SchemeKind::Lifting, properties.lifting_f32_error),
    ];
    let keeps = |error: &Option<f64>| error.is_some_and(|error| error <= STAGES_ERROR);
    let stages = stages.into_iter().filter(|(_, error)| keeps(error)).map(|(kind, _)| kind);
    let schemes = std::iter::once(SchemeKind::Convolution).chain(stages);
    let known = schemes.filter_map(|scheme| Some((work(wavelet, scheme)?, scheme)));
    known.min_by_key(|(work, _)| *work).map_or(SchemeKind::Convolution, |(_, scheme)| scheme)
}

/// Operations on registers for a vector of pairs of both directions together.
fn work(wavelet: &Wavelet, scheme: SchemeKind) -> Option<usize> {
    let library = Some("::waveloom".to_owned());
    let request = Request { scheme, library, ..Request::new(wavelet.clone(), 1) };
    let both = operations(&request).ok()?;
    let directions = [Operation::Forward, Operation::Inverse];
    let both = both.iter().filter(|one| directions.contains(&one.kernel.operation));
    let work = |one: &crate::pipeline::Prepared| match scheme {
        SchemeKind::Convolution => Some(one.counts().operations()),
        _ => Some(flow(&Schedule::new(one))?.work),
    };
    both.map(work).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_wavelets::catalogue;

    #[test]
    fn stages_are_chosen_where_they_save_work_and_keep_digits() {
        let of = |name: &str, dims, mode| {
            vectorised_scheme(&catalogue::wavelet(name).unwrap(), dims, mode)
        };
        let known = [
            ("haar", 1, Mode::Symmetric, SchemeKind::Convolution),
            ("db4", 1, Mode::Symmetric, SchemeKind::Lattice),
            ("db16", 1, Mode::Periodization, SchemeKind::Lattice),
            ("db16", 1, Mode::Smooth, SchemeKind::Convolution),
            ("bior4.4", 1, Mode::Symmetric, SchemeKind::Lifting),
            ("bior4.4", 2, Mode::Symmetric, SchemeKind::SeparableConvolution),
            ("rev53", 1, Mode::Jpeg2000, SchemeKind::Lifting),
        ];
        for (name, dims, mode, scheme) in known {
            assert_eq!(of(name, dims, mode), scheme, "{name} {dims} {mode}");
        }
    }
}
