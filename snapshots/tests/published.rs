//! The conformance suite on the strategies of published methods, run by the emulator.

use std::sync::Arc;
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::Element;
use waveloom_snapshots::available;
use waveloom_snapshots::conformance::{Breadth, Case, EmulatedBackend, Report, run_everywhere};
use waveloom_snapshots::emulate::{Checks, Emulator, Order};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue};

fn wavelet(name: &str) -> (Arc<Wavelet>, Element) {
    let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
    let element = if wavelet.is_rounded() { Element::I64 } else { Element::F64 };
    (wavelet, element)
}

/// Small blocks, so that short lines have several.
fn small(strategy: Strategy) -> Strategy {
    Strategy { threads: Some(16), lanes: Some(4), tile: Some([6, 5, 3]), ..strategy }
}

fn verified(strategy: Strategy, cases: Vec<Case>) -> Option<Report> {
    let emulator = available(Emulator::find())?;
    let (label, order) = (strategy.name(), Order::Shuffled { seed: 1 });
    let backend = EmulatedBackend::new(emulator, Checks::Memory, order, label, strategy);
    let backend = backend.sparing(Breadth::from_environment().unwrap());
    let report = run_everywhere(&backend, &cases);
    println!("{report}");
    report.verdict().unwrap();
    Some(report)
}

/// Every scheme in every mode, on lines as short as one sample.
fn lines(names: &[&str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in names {
        let (wavelet, element) = wavelet(name);
        for scheme in wavelet.scheme_kinds(1) {
            for mode in Mode::ALL {
                for len in [1, 2, 7, 16, 33] {
                    let case = Case::new(&wavelet, &[len], mode).element(element);
                    cases.push(case.levels(1 + len / 16).scheme(Some(scheme)));
                }
                let across = Case::new(&wavelet, &[2, 21, 5], mode).element(element);
                cases.push(across.axes(&[1]).scheme(Some(scheme)));
            }
        }
    }
    cases
}

/// Images and volumes, separable and not.
fn planes(names: &[&str], kinds: &[SchemeKind]) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in names {
        let (wavelet, element) = wavelet(name);
        for scheme in kinds {
            if wavelet.scheme(*scheme, 2).is_err() {
                continue;
            }
            for mode in [Mode::Symmetric, Mode::Periodization, Mode::Jpeg2000, Mode::Antireflect] {
                for shape in [[1, 7], [6, 8], [13, 18]] {
                    let case = Case::new(&wavelet, &shape, mode).element(element);
                    cases.push(case.levels(2).scheme(Some(*scheme)));
                }
                let batch = Case::new(&wavelet, &[3, 10, 2, 6, 3], mode).element(element);
                cases.push(batch.axes(&[1, 3]).scheme(Some(*scheme)));
            }
            let case = Case::new(&wavelet, &[6, 10, 8], Mode::Periodic).element(element);
            cases.push(case.scheme(Some(*scheme)));
        }
    }
    cases
}

#[test]
fn a_launch_for_every_step() {
    let strategy = small(Strategy::LAUNCH);
    verified(strategy, lines(&["db4", "ccsds97m"]));
    let kinds = [SchemeKind::SeparableLifting, SchemeKind::NonseparableLifting];
    verified(strategy, planes(&["bior2.2", "ccsds97m"], &kinds));
}

#[test]
fn taps_in_memory() {
    let strategy = small(Strategy::GLOBAL_TAPS);
    verified(strategy, lines(&["db4", "bior1.3"]));
    let kinds = [SchemeKind::SeparableConvolution, SchemeKind::NonseparableConvolution];
    verified(strategy, planes(&["db2"], &kinds));
}

/// The integer Haar transform: a difference, and a mean that is rounded.
const MEANS: &str = r#"
name = "means"
[lifting]
steps = [
    { target = "d", first = 0, taps = [-1.0], offset = 0, shift = 0 },
    { target = "a", first = 0, taps = [0.5], offset = 0, shift = 1 },
]
"#;

/// Levels in place: within a thread, across a block, over several blocks; other axes beside and
/// inside the transformed ones.
fn levels_in_place(wavelet: &Arc<Wavelet>, element: Element) -> Vec<Case> {
    let mut cases = Vec::new();
    for levels in [1, 2, 3, 4, 6] {
        let step = 1 << levels;
        let case = |shape: &[usize], axes: &[usize]| {
            let case = Case::new(wavelet, shape, Mode::Periodization).element(element);
            case.axes(axes).levels(levels)
        };
        cases.push(case(&[step], &[0]));
        cases.push(case(&[5 * step], &[0]));
        cases.push(case(&[3, 64 * step], &[1]));
        cases.push(case(&[2, 3 * step, 5], &[1]));
        if levels <= 4 {
            cases.push(case(&[step, 3 * step], &[0, 1]));
            cases.push(case(&[2, 2 * step, 3, step, 3], &[1, 3]));
        }
        if levels <= 3 {
            cases.push(case(&[step, step, 2 * step], &[0, 1, 2]));
        }
    }
    cases
}

#[test]
fn levels_of_haar_in_place() {
    let (haar, _) = wavelet("haar");
    let means = Arc::new(waveloom_wavelets::definition::parse(MEANS, "means").unwrap());
    let mut cases = Vec::new();
    for (wavelet, elements) in [
        (&haar, &[Element::F32, Element::F64][..]),
        (&means, &[Element::I16, Element::I32, Element::I64]),
    ] {
        for element in elements {
            cases.extend(levels_in_place(wavelet, *element));
        }
    }
    for kind in haar.scheme_kinds(2) {
        let case = Case::new(&haar, &[16, 24], Mode::Symmetric).element(Element::F32);
        cases.push(case.levels(3).scheme(Some(kind)));
    }
    let count = cases.len();
    let Some(report) = verified(Strategy::MIXED, cases) else { return };
    assert_eq!(report.run, count, "{report}");
}

/// A tile with all axes of a level: with an exchange a step, with one an axis, and filled.
#[test]
fn all_axes_in_a_tile() {
    let kinds = [SchemeKind::SeparableLifting, SchemeKind::SeparableConvolution];
    for strategy in [Strategy::JOINT, Strategy::REG] {
        let strategy = Strategy { tile: Some([6, 5, 3]), threads: Some(32), ..strategy };
        verified(strategy, planes(&["bior4.4", "ccsds97m"], &kinds));
        verified(strategy, lines(&["bior2.2"]));
    }
    let strategy = Strategy { threads: Some(64), items: Some(16), ..Strategy::ILP };
    verified(strategy, planes(&["bior2.2", "haar"], &kinds));
    let verified = verified(
        Strategy::ILP,
        vec![
            Case::new(&wavelet("irr97").0, &[57, 131], Mode::Jpeg2000),
            Case::new(&wavelet("irr97").0, &[12, 14, 40], Mode::Jpeg2000),
        ],
    );
    assert!(verified.is_none_or(|report| report.run == 2));
}

/// Tiles in registers: shapes from one warp to many, narrower and wider than the arrays.
#[test]
fn tiles_in_registers() {
    let hybrid = |threads: u32, items: u32| Strategy {
        threads: Some(threads),
        items: Some(items),
        ..Strategy::HYBRID
    };
    let strategies = [
        Strategy::HYBRID,
        Strategy::FULL_REGISTER,
        Strategy::named("warp").unwrap(),
        hybrid(64, 16),
        hybrid(128, 8),
        Strategy { threads: Some(32), items: Some(32), ..Strategy::FULL_REGISTER },
    ];
    for (index, strategy) in strategies.into_iter().enumerate() {
        let mut cases = Vec::new();
        let names: &[&str] = match index {
            0 => &["haar", "bior4.4", "ccsds97m", "db2"],
            _ => &["bior4.4", "ccsds97m"],
        };
        for name in names {
            let (wavelet, element) = wavelet(name);
            let modes = match index {
                0 => &Mode::ALL[..],
                _ => &[Mode::Symmetric, Mode::Jpeg2000, Mode::Periodization],
            };
            for mode in modes {
                for shape in [[1, 7], [13, 70], [50, 130]] {
                    let case = Case::new(&wavelet, &shape, *mode).element(element);
                    cases.push(case.scheme(Some(SchemeKind::SeparableLifting)));
                }
                let batch = Case::new(&wavelet, &[2, 10, 2, 66], *mode).element(element);
                let batch = batch.axes(&[1, 3]).levels(2);
                cases.push(batch.scheme(Some(SchemeKind::SeparableLifting)));
            }
            let volume = Case::new(&wavelet, &[6, 10, 64], Mode::Symmetric).element(element);
            cases.push(volume.scheme(Some(SchemeKind::SeparableLifting)));
            let line = Case::new(&wavelet, &[150], Mode::Symmetric).element(element);
            cases.push(line.scheme(Some(SchemeKind::Lifting)));
        }
        verified(strategy, cases);
    }
}
