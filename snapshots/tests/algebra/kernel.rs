//! Lowering loses nothing: run on polynomials instead of numbers, a kernel gives back the matrix of
//! the scheme it came from.

use crate::generate::lifting;
use proptest::prelude::*;
use waveloom_codegen::kernel::{Element, Exchange, Kernel, Operation, lower};
use waveloom_wavelets::algebra::{Exponent, Laurent, PolyphaseMatrix};
use waveloom_wavelets::scheme::Scheme;
use waveloom_wavelets::{SchemeKind, catalogue};

/// `plane[k] = Σ_c row[c](z) input_c[k]` for every plane, advanced through the kernel's steps.
pub fn matrix_of(kernel: &Kernel) -> PolyphaseMatrix {
    let size = kernel.planes();
    let mut planes: Vec<Vec<Laurent>> = (0..size)
        .map(|plane| {
            (0..size).map(|c| if c == plane { Laurent::one() } else { Laurent::zero() }).collect()
        })
        .collect();
    for step in kernel.steps() {
        let old = planes.clone();
        for update in &step.updates {
            let back = update.offset.map(|component| -component);
            for channel in 0..size {
                let start = match update.increment {
                    true => old[update.plane][channel].clone(),
                    false => Laurent::zero(),
                };
                planes[update.plane][channel] = update.terms.iter().fold(start, |sum, term| {
                    let offset: Exponent =
                        std::array::from_fn(|axis| term.offset[axis] + back[axis]);
                    sum.plus(&old[term.plane][channel].shifted(&offset).scaled(&term.coefficient))
                });
            }
        }
    }
    PolyphaseMatrix::from_fn(size, |row, column| {
        let output = &kernel.outputs[row];
        planes[output.plane][column].shifted(&output.offset)
    })
}

/// The matrix that a kernel of `operation` must have.
fn expected(scheme: &Scheme, operation: Operation) -> PolyphaseMatrix {
    match operation {
        Operation::Forward => scheme.matrix(),
        Operation::Inverse => scheme.invert().unwrap().matrix(),
        Operation::AdjointForward => scheme.matrix().adjoint(),
        Operation::AdjointInverse => scheme.invert().unwrap().matrix().adjoint(),
    }
}

fn lowered(scheme: &Scheme, operation: Operation) -> Kernel {
    lower(scheme, operation, Element::F64, Exchange::Shared).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_line_kernel_is_its_scheme(scheme in lifting()) {
        for operation in Operation::ALL {
            let kernel = lowered(&scheme, operation);
            prop_assert_eq!(matrix_of(&kernel), expected(&scheme, operation), "{}", kernel);
        }
    }

    #[test]
    fn a_plane_kernel_is_its_scheme(scheme in lifting()) {
        let plane = scheme.tensor(2, &[0, 1]);
        for operation in [Operation::Forward, Operation::AdjointInverse] {
            let kernel = lowered(&plane, operation);
            prop_assert_eq!(matrix_of(&kernel), expected(&plane, operation), "{}", kernel);
        }
    }

    #[test]
    fn the_halo_holds_everything_that_is_read(scheme in lifting()) {
        for operation in Operation::ALL {
            let kernel = lowered(&scheme, operation);
            if let Some((first, last)) = reach(&matrix_of(&kernel)) {
                prop_assert!(kernel.halo.before[0] >= -first && kernel.halo.after[0] >= last);
                prop_assert_eq!(kernel.spread.before, kernel.halo.after);
                prop_assert_eq!(kernel.spread.after, kernel.halo.before);
            }
        }
    }
}

/// Smallest and largest exponent of any entry.
fn reach(matrix: &PolyphaseMatrix) -> Option<(i32, i32)> {
    let ranges = matrix.entries().filter_map(|(_, _, entry)| entry.range(0));
    ranges.reduce(|all, range| (all.0.min(range.0), all.1.max(range.1)))
}

#[test]
fn kernels_of_the_catalogue_are_their_schemes() {
    for name in [
        "haar", "db3", "db10", "sym5", "coif2", "bior1.3", "bior4.4", "bior5.5", "rbio3.3", "irr97",
    ] {
        let wavelet = catalogue::wavelet(name).unwrap();
        for axes in 1..=2 {
            for kind in SchemeKind::ALL {
                let Ok(scheme) = wavelet.scheme(kind, axes) else { continue };
                for operation in Operation::ALL {
                    let kernel = lowered(&scheme, operation);
                    let distance = matrix_of(&kernel).distance(&expected(&scheme, operation));
                    assert!(distance < 1e-12, "{name} {kind} {operation}: {distance:e}");
                }
            }
        }
    }
}

#[test]
fn every_scheme_of_the_catalogue_is_its_bank() {
    for name in catalogue::names() {
        let wavelet = catalogue::wavelet(name).unwrap();
        let bank = wavelet.bank().analysis_polyphase();
        for kind in SchemeKind::ALL {
            if let Ok(scheme) = wavelet.scheme(kind, 1) {
                let distance = scheme.matrix().distance(&bank);
                assert!(distance <= 5e-15, "{name} {kind}: {distance:e}");
            }
        }
    }
}
