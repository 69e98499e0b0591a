//! The conformance suite on generated CUDA, run by the emulator.

use std::sync::Arc;
use waveloom_codegen::gpu::{Arrival, Strategy};
use waveloom_codegen::kernel::{Element, Exchange};
use waveloom_snapshots::available;
use waveloom_snapshots::conformance::{Breadth, Case, EmulatedBackend, run_everywhere};
use waveloom_snapshots::emulate::{Checks, Emulator, Order};
use waveloom_wavelets::{Mode, SchemeKind, catalogue};

/// Small blocks, so that short lines have several.
const SMALL: Strategy = Strategy { threads: Some(16), lanes: Some(4), ..Strategy::SHARED };

fn backends() -> Vec<EmulatedBackend> {
    let Some(emulator) = available(Emulator::find()) else { return Vec::new() };
    let strategy = |own: Arrival, exchange: Exchange, split: bool| {
        let tile = match own {
            Arrival::Registers => None,
            Arrival::Memory => Some([6, 5, 3]),
        };
        Strategy { own, exchange, split, tile, ..SMALL }
    };
    let backend = |label: &str, order: Order, strategy: Strategy| {
        let backend =
            EmulatedBackend::new(emulator.clone(), Checks::Memory, order, label, strategy);
        backend.sparing(Breadth::from_environment().unwrap())
    };
    vec![
        backend("shared", Order::Reverse, strategy(Arrival::Memory, Exchange::Shared, false)),
        backend(
            "trapezoid",
            Order::Shuffled { seed: 1 },
            strategy(Arrival::Registers, Exchange::Shared, false),
        ),
        backend("global", Order::Forward, strategy(Arrival::Memory, Exchange::Global, false)),
    ]
}

fn line_cases(names: &[&str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in names {
        let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
        let element = if wavelet.is_rounded() { Element::I32 } else { Element::F64 };
        for scheme in wavelet.scheme_kinds(1) {
            for mode in Mode::ALL {
                for len in [1, 2, 3, 7, 16, 33, 40] {
                    let case = Case::new(&wavelet, &[len], mode).element(element);
                    cases.push(case.clone().scheme(Some(scheme)));
                    if len == 33 {
                        cases.push(case.levels(3).scheme(Some(scheme)));
                    }
                }
            }
        }
    }
    cases
}

#[test]
fn lines() {
    for backend in backends() {
        let report =
            run_everywhere(&backend, &line_cases(&["haar", "db4", "bior4.4", "bior1.3", "rev53"]));
        println!("{report}");
        report.verdict().unwrap();
    }
}

/// Lines around the ends of trapezoids, where positions drop out, with races looked for.
#[test]
fn ends_of_trapezoids() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let strategy = Strategy { threads: Some(16), ..Strategy::TRAPEZOID };
    let backend =
        EmulatedBackend::new(emulator, Checks::Races, Order::Forward, "trapezoid, races", strategy);
    let mut cases = Vec::new();
    for (name, scheme) in [("irr97", SchemeKind::Lifting), ("db4", SchemeKind::Lattice)] {
        let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
        for len in [108, 117, 118, 119, 120, 125, 250] {
            let case = Case::new(&wavelet, &[len], Mode::Symmetric);
            cases.push(case.scheme(Some(scheme)));
        }
    }
    let report = run_everywhere(&backend, &cases);
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn planes_and_volumes() {
    for backend in backends() {
        let mut cases = Vec::new();
        for name in ["haar", "bior2.2", "bior4.4", "ccsds97m"] {
            let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
            let element = if wavelet.is_rounded() { Element::I64 } else { Element::F32 };
            // Texts of long filters multiplied out take the host compiler minutes under sanitizers;
            // short filters go through the same writer.
            let long = |kind: SchemeKind| name == "bior4.4" && kind.is_nonseparable();
            let kinds = wavelet.scheme_kinds(2).into_iter().filter(|kind| {
                !long(*kind) || *kind == SchemeKind::NonseparableLifting && backend.is_tiled()
            });
            for scheme in kinds {
                for mode in [Mode::Symmetric, Mode::Periodization, Mode::Jpeg2000, Mode::Smooth] {
                    for shape in [[1, 7], [6, 8], [13, 18]] {
                        let case = Case::new(&wavelet, &shape, mode).element(element);
                        cases.push(case.levels(2).scheme(Some(scheme)));
                    }
                    let batch = Case::new(&wavelet, &[3, 10, 2, 6, 3], mode).element(element);
                    cases.push(batch.axes(&[1, 3]).scheme(Some(scheme)));
                }
            }
            for scheme in [SchemeKind::SeparableLifting, SchemeKind::NonseparableLifting] {
                if wavelet.scheme(scheme, 3).is_err() || long(scheme) {
                    continue;
                }
                let case = Case::new(&wavelet, &[6, 10, 8], Mode::Periodic).element(element);
                cases.push(case.scheme(Some(scheme)));
            }
        }
        let report = run_everywhere(&backend, &cases);
        println!("{report}");
        report.verdict().unwrap();
    }
}

/// Sums that are loops over tables.
#[test]
fn long_sums() {
    let wavelet = Arc::new(catalogue::wavelet("bior6.8").unwrap());
    for backend in backends() {
        let mut cases = Vec::new();
        for mode in [Mode::Symmetric, Mode::Smooth] {
            for shape in [[1, 7], [13, 18], [40, 34]] {
                let case = Case::new(&wavelet, &shape, mode);
                cases.push(case.scheme(Some(SchemeKind::NonseparableConvolution)));
            }
        }
        let report = run_everywhere(&backend, &cases);
        println!("{report}");
        report.verdict().unwrap();
        assert_eq!(report.run, 6, "{report}");
    }
}

/// Origins in the canvas, with levels deep enough that bands are empty and single samples stand at
/// odd positions.
#[test]
fn origins() {
    for backend in backends() {
        let mut cases = Vec::new();
        for (name, element) in
            [("bior2.2", Element::F64), ("irr97", Element::F64), ("rev53", Element::I32)]
        {
            let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
            for origin in [[0, 1], [1, 0], [1, 1], [2, 5]] {
                for shape in [[8, 6], [9, 14]] {
                    let case = Case::new(&wavelet, &shape, Mode::Jpeg2000).origin(&origin);
                    cases.push(case.element(element).levels(3));
                }
            }
        }
        let report = run_everywhere(&backend, &cases);
        println!("{report}");
        report.verdict().unwrap();
    }
}
