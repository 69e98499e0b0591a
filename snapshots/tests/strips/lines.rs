//! Lines, batches of them, several of their levels, and walks along them.

use super::{backend, padded, verify, wavelet};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::Element;
use waveloom_snapshots::conformance::Case;
use waveloom_snapshots::emulate::Order;
use waveloom_snapshots::unless_quick;
use waveloom_wavelets::Mode;

/// Lines shorter than a strip, as long, and longer; every mode; every scheme.
#[test]
fn lines() {
    let strategy =
        Strategy { threads: Some(64), pairs: Some(2), groups: Some(1), ..Strategy::STREAM };
    let mut cases = Vec::new();
    let mut names = vec!["db4", "rev53"];
    names.extend(unless_quick("strips of lines", "bior4.4", &["bior4.4"]));
    for name in names {
        let (wavelet, element) = wavelet(name);
        for scheme in wavelet.scheme_kinds(1) {
            for mode in Mode::ALL {
                for len in [1, 2, 7, 40, 119, 250] {
                    let case = Case::new(&wavelet, &[len], mode).element(element);
                    cases.push(case.scheme(Some(scheme)));
                }
                let batch = Case::new(&wavelet, &[3, 131], mode).element(element).levels(2);
                cases.push(batch.axes(&[1]).scheme(Some(scheme)));
                let across = Case::new(&wavelet, &[2, 21, 5], mode).element(element);
                cases.push(across.axes(&[1]).scheme(Some(scheme)));
            }
        }
    }
    verify(backend("strips of lines", Order::Reverse, strategy), cases);
}

/// Batches of lines, which are walked as planes are: an even and an odd number of them, lines shorter and longer than
/// a strip; every mode.
#[test]
fn batches() {
    let strategy = Strategy { rows: Some(4), ..Strategy::STREAM };
    let mut cases = Vec::new();
    let mut names = vec!["db4", "rev53"];
    names.extend(unless_quick("batches of lines", "bior4.4", &["bior4.4"]));
    for name in names {
        let (wavelet, element) = wavelet(name);
        for mode in Mode::ALL {
            let element = match (element, mode) {
                (Element::I32, Mode::Smooth) => Element::I64,
                _ => element,
            };
            for shape in [[8, 1], [9, 61], [16, 128]] {
                cases.push(Case::new(&wavelet, &shape, mode).element(element).axes(&[1]));
            }
            let batch = Case::new(&wavelet, &[3, 4, 33], mode).element(element).levels(2);
            cases.push(batch.axes(&[2]));
        }
    }
    verify(backend("batches of lines", Order::Reverse, strategy), cases);
}

/// The same along the contiguous axis.
#[test]
fn deep_lines() {
    let strategy = Strategy { threads: Some(64), ..Strategy::STREAM };
    let mut cases = Vec::new();
    for name in ["db4"] {
        let (wavelet, element) = wavelet(name);
        for mode in [Mode::Periodization, Mode::Zero, Mode::Symmetric] {
            for len in [8, 64, 512, 4096, 8192 + 32] {
                cases.push(Case::new(&wavelet, &[len], mode).element(element).levels(5));
            }
            let batch = Case::new(&wavelet, &[3, 2048], mode).element(element);
            cases.push(batch.axes(&[1]).levels(2));
        }
    }
    verify(backend("several levels of lines", Order::Shuffled { seed: 3 }, strategy), cases);
}

/// Walks along lines: every mode, lines of any length, batches, filters that reach far and integers; forward and inverse,
/// while adjoints take their levels one by one.
#[test]
fn stretches() {
    let strategy = |pairs, rows| Strategy {
        threads: Some(64),
        rows: Some(rows),
        stretch: Some(pairs),
        ..Strategy::STREAM
    };
    let order = Order::Shuffled { seed: 5 };
    let mut cases = Vec::new();
    for name in ["db4", "rev53", "bior4.4"] {
        let (wavelet, element) = wavelet(name);
        for mode in Mode::ALL {
            for len in [2048, 3077] {
                cases.push(Case::new(&wavelet, &[len], mode).element(element).levels(3));
            }
        }
        let batch = Case::new(&wavelet, &[2, 2, 2048], Mode::Symmetric).element(element);
        cases.push(batch.axes(&[2]).levels(2));
        let late = Case::new(&wavelet, &[2051], Mode::Periodic).element(element);
        cases.push(late.origin(&[-3]).levels(4));
    }
    for mode in [Mode::Periodic, Mode::Symmetric, Mode::Smooth] {
        cases.push(Case::new(&padded(6), &[4099], mode).element(Element::F64).levels(3));
    }
    verify(backend("stretches of lines", order, strategy(4, 2)), cases);

    let mut cases = Vec::new();
    let (db16, _) = wavelet("db16");
    let (haar, _) = wavelet("haar");
    let (rev53, _) = wavelet("rev53");
    for wavelet in [&db16, &haar] {
        cases.push(Case::new(wavelet, &[12_290], Mode::Smooth).element(Element::F32).levels(5));
    }
    cases.push(Case::new(&haar, &[8193], Mode::Periodic).element(Element::F32).levels(4));
    cases.push(Case::new(&rev53, &[9001], Mode::Jpeg2000).element(Element::I16).levels(5));
    verify(backend("long stretches of lines", order, strategy(16, 3)), cases);
}
