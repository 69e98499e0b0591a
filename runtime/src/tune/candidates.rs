//! What is tried.

use waveloom_codegen::gpu::Strategy;

/// Threads of a block of strips.
const THREADS: [u32; 2] = [64, 128];
/// Groups of columns and pairs of a lane.
const LANES: [(u32, u32); 3] = [(4, 1), (2, 2), (2, 1)];
/// Pairs of rows on their way.
const DEPTHS: [u32; 3] = [2, 3, 4];
/// Pairs of rows that a strip walks.
const ROWS: [u32; 4] = [8, 16, 32, 64];

/// Pairs of a lane in walks along lines.
const STRETCHES: [u32; 2] = [8, 16];

/// Levels of a strip.
const DEEP: [u32; 2] = [1, 2];

/// The strategies that tuning tries for arrays of `dims` dimensions, transformed along `axes`: every
/// method without splits that may be fastest, with its own shapes, and strips in many shapes. (Levels in
/// place are left out: coefficients would stand elsewhere in the card's memory.) Strips walk along all axes but
/// the array's last, so only there depths and rows make a difference; where there are several levels, a
/// strip may run some of them, three axes may take two passes, and lines of the last axis may be walked along.
pub fn candidates(dims: usize, axes: &[usize], levels: usize) -> Vec<Strategy> {
    let mut all = vec![Strategy::STREAM, Strategy::SHARED, Strategy::TRAPEZOID, Strategy::GLOBAL];
    if axes.len() > 1 {
        all.extend([Strategy::JOINT, Strategy::HYBRID, Strategy::FULL_REGISTER]);
    }
    if levels > 1 {
        all.extend(DEEP.map(|deep| Strategy { deep: Some(deep), ..Strategy::STREAM }));
    }
    if axes.len() > 2 {
        all.push(Strategy { together: Some(2), ..Strategy::STREAM });
    }
    let walks = axes.iter().any(|axis| axis + 1 < dims);
    if !walks {
        all.extend(STRETCHES.map(|pairs| Strategy { stretch: Some(pairs), ..Strategy::STREAM }));
    }
    for threads in THREADS {
        for (groups, pairs) in LANES {
            let strips = Strategy {
                threads: Some(threads),
                groups: Some(groups),
                pairs: Some(pairs),
                ..Strategy::STREAM
            };
            if !walks {
                all.push(strips);
                continue;
            }
            for depth in DEPTHS {
                let depth = Some(depth);
                all.extend(ROWS.map(|rows| Strategy { depth, rows: Some(rows), ..strips }));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use waveloom_codegen::Element;
    use waveloom_codegen::gpu::{OperationsRequest, operations};
    use waveloom_wavelets::{Mode, catalogue};

    #[test]
    fn every_candidate_is_another_and_can_be_spelled() {
        assert_eq!(candidates(1, &[0], 1).len(), 12);
        assert_eq!(candidates(1, &[0], 3).len(), 14);
        assert_eq!(candidates(2, &[1], 1).len(), 12);
        let all = candidates(2, &[0], 1);
        let spelled: BTreeSet<String> = all.iter().map(Strategy::to_string).collect();
        assert_eq!((all.len(), spelled.len()), (76, 76));
        assert!(all.iter().all(|strategy| strategy.to_string().parse() == Ok(*strategy)));
    }

    /// Without a card: what is tried are kernels, and most are others.
    #[test]
    fn candidates_make_kernels() {
        for (name, shape) in [("bior4.4", &[512, 512][..]), ("db4", &[1 << 16]), ("haar", &[16; 3])]
        {
            let wavelet = catalogue::wavelet(name).unwrap();
            let axes: Vec<usize> = (0..shape.len()).collect();
            let made = candidates(axes.len(), &axes, 1).into_iter().map(|strategy| {
                let request = OperationsRequest {
                    operations: &[],
                    wavelet: &wavelet,
                    kind: wavelet.default_scheme(axes.len()),
                    shape,
                    axes: &axes,
                    mode: Mode::Symmetric,
                    origins: &[],
                    levels: 1,
                    align_rows: None,
                    element: Element::F32,
                    strategy,
                };
                let made = operations(&request).map_err(|error| format!("{strategy}: {error}"))?;
                let mappings = made.kernels.iter().map(|kernel| *kernel.mapping());
                Ok(format!("{:?}", mappings.collect::<Vec<_>>()))
            });
            let made: Vec<Result<String, String>> = made.collect();
            let failed: Vec<&String> = made.iter().filter_map(|one| one.as_ref().err()).collect();
            assert!(failed.is_empty(), "{name}: {} {failed:?}", failed.len());
            let shapes: BTreeSet<&String> = made.iter().flatten().collect();
            // One of the shapes is what strips have unless told.
            assert!(shapes.len() + 1 >= made.len(), "{name}: {} of {}", shapes.len(), made.len());
        }
    }
}
