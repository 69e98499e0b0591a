//! Several levels of a plane in one strip.

use super::{backend, padded, planned, verify, wavelet};
use std::sync::Arc;
use waveloom_codegen::gpu::{Strategy, Strip};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::conformance::Case;
use waveloom_snapshots::emulate::Order;
use waveloom_snapshots::unless_quick;
use waveloom_wavelets::{Mode, catalogue};

/// Several levels in one strip: where arrays go on by themselves or not at all, and rows are aligned.
#[test]
fn deep_planes() {
    let strategy =
        |rows| Strategy { threads: Some(64), rows: Some(rows), deep: Some(2), ..Strategy::STREAM };
    for (rows, names) in [(16, &["bior4.4"][..]), (6, &["rev53"][..])] {
        let mut cases = Vec::new();
        for name in names {
            let (wavelet, element) = wavelet(name);
            let element = if element == Element::F64 { Element::F32 } else { element };
            for mode in [Mode::Periodization, Mode::Zero, Mode::Symmetric, Mode::Periodic] {
                for shape in [[8, 8], [16, 128], [96, 512], [72, 640]] {
                    cases.push(Case::new(&wavelet, &shape, mode).element(element).levels(2));
                }
                let batch = Case::new(&wavelet, &[2, 32, 3, 192], mode).element(element);
                cases.push(batch.axes(&[1, 3]).levels(3));
            }
        }
        verify(backend("several levels of planes", Order::Reverse, strategy(rows)), cases);
    }
}

/// Several levels in walks that look far ahead: up and down inside, at ends, beyond them, fewer rows than a ring has, frames
/// beside them, sums at their ends.
#[test]
fn far_walks() {
    let strategy = Strategy { rows: Some(16), deep: Some(2), ..Strategy::STREAM };
    let case = |name: &str, shape: &[usize], mode, element| {
        let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
        let case = Case::new(&wavelet, shape, mode).element(element).levels(2);
        let made = planned(&case, Operation::Forward, strategy, None);
        let mut strips = made.kernels.iter().filter_map(|kernel| kernel.strip());
        assert!(strips.any(Strip::looks_far), "{case}");
        case
    };
    use Element::{F32, F64, I32};
    let mut cases = vec![
        case("irr97", &[128, 1056], Mode::Periodization, F32),
        case("bior4.4", &[8, 1040], Mode::Periodization, F32),
        case("bior4.4", &[112, 1064], Mode::Jpeg2000, F32),
        case("rev53", &[68, 1056], Mode::Periodization, I32),
    ];
    cases.extend(unless_quick(
        "walks that look far ahead",
        "smooth, zero, f64",
        &[
            case("bior4.4", &[112, 1064], Mode::Smooth, F32),
            case("irr97", &[40, 1056], Mode::Zero, F32),
            case("db4", &[72, 1056], Mode::Periodization, F64),
        ],
    ));
    verify(backend("walks that look far ahead", Order::Reverse, strategy), cases);
}

/// Several levels in one strip whose walks go up and down in turn, in an odd number of tiles of which the last is
/// cut short; approximations and details that are aligned as lanes are, or by some pairs elsewhere.
#[test]
fn deep_walks_meet() {
    let planes = |name: &str, element: Element, zeros: usize| {
        let (wavelet, _) = wavelet(name);
        let case = |shape: &[usize], mode: Mode| Case::new(&wavelet, shape, mode).element(element);
        vec![
            case(&[208, 512], Mode::Periodization).levels(2),
            // Approximations as many as make rows that are aligned.
            case(&[208, zeros], Mode::Zero).levels(2),
            case(&[2, 96, 2, 512], Mode::Periodization).axes(&[1, 3]).levels(3),
        ]
    };
    let mut list =
        vec![("bior4.4", Element::F32, 512, 16, None), ("rev53", Element::I32, 512, 8, Some(4))];
    let more = [("db4", Element::F32, 512, 6, None)];
    list.extend(unless_quick("several levels up and down", "db4", &more));
    for (name, element, zeros, rows, pairs) in list {
        let strategy = Strategy { rows: Some(rows), pairs, deep: Some(2), ..Strategy::STREAM };
        let cases = planes(name, element, zeros);
        verify(backend("several levels up and down", Order::Reverse, strategy), cases);
    }
}

/// Two levels in one strip everywhere, where the next level takes copies of approximations for those beyond the ends, and the
/// level before makes others: mirrored and repeated ones, tiles that end before an end and at it, odd extents, a batch.
#[test]
fn copies_between_levels() {
    let strategy = |rows| Strategy { threads: Some(64), rows, deep: Some(2), ..Strategy::STREAM };
    let meeting = |case: Case, rows: Option<u32>, meets: [bool; 2]| {
        for (operation, meets) in [Operation::Forward, Operation::Inverse].into_iter().zip(meets) {
            let made = planned(&case, operation, strategy(rows), None);
            let mut strips = made.kernels.iter().filter_map(|kernel| kernel.strip());
            let some = strips.any(|strip| strip.between > 0);
            assert_eq!(some, meets, "{case} {operation:?}");
        }
        case
    };
    let case = |name: &str, shape: &[usize], mode, meets: [bool; 2]| {
        let (wavelet, element) = wavelet(name);
        let element = if element == Element::F64 { Element::F32 } else { element };
        let axes: Vec<usize> = (shape.len() - 2..shape.len()).collect();
        let case = Case::new(&wavelet, shape, mode).axes(&axes).element(element).levels(2);
        meeting(case, Some(4), meets)
    };
    let mut cases = vec![
        case("rev53", &[97, 1032], Mode::Jpeg2000, [true; 2]),
        case("rev53", &[2, 98, 1024], Mode::Jpeg2000, [true; 2]),
        case("bior2.2", &[96, 1028], Mode::Reflect, [true, false]),
        case("bior4.4", &[131, 1024], Mode::Jpeg2000, [false, true]),
    ];
    cases.extend(unless_quick(
        "copies between levels",
        "constant, symmetric, irr97",
        &[
            case("bior2.2", &[96, 1024], Mode::Constant, [true, false]),
            case("bior2.2", &[97, 1024], Mode::Symmetric, [true, false]),
            case("irr97", &[130, 520], Mode::Jpeg2000, [false, true]),
        ],
    ));
    verify(backend("copies between levels", Order::Reverse, strategy(Some(4))), cases);
    // Signals that begin rows after the first walk has ended.
    let far = |zeros, mode, shape: &[usize]| {
        let case = Case::new(&padded(zeros), shape, mode).element(Element::F32).levels(2);
        meeting(case, None, [true, false])
    };
    let (rounded, element) = wavelet("rev53");
    let whole = Case::new(&rounded, &[132, 1024], Mode::Jpeg2000).element(element).levels(2);
    let cases = vec![
        meeting(whole, None, [true; 2]),
        far(4, Mode::Constant, &[96, 1024]),
        far(8, Mode::Symmetric, &[97, 1024]),
    ];
    verify(backend("copies between levels as chosen", Order::Reverse, strategy(None)), cases);
}

/// Two levels in one strip inside, and frames of one level each, where samples beyond the ends make approximations that
/// the next level does not take for its own; odd extents, bands that begin at odd places, a batch.
#[test]
fn framed_planes() {
    let strategy = Strategy { threads: Some(32), rows: Some(8), deep: Some(2), ..Strategy::STREAM };
    let mut cases = Vec::new();
    let framed = |case: Case, framed: [bool; 2]| {
        for (operation, framed) in [Operation::Forward, Operation::Inverse].into_iter().zip(framed)
        {
            let made = planned(&case, operation, strategy, None);
            let deep = made.kernels.iter().any(|kernel| kernel.mapping().levels == 2);
            assert_eq!(deep && made.launches.len() == 3, framed, "{case} {operation:?}");
        }
        case
    };
    {
        let (wavelet, _) = wavelet("bior4.4");
        let case =
            |shape: &[usize]| Case::new(&wavelet, shape, Mode::Jpeg2000).element(Element::F32);
        cases.push(framed(case(&[96, 1024]).levels(2), [true, false]));
        cases.push(case(&[97, 1032]).levels(3));
        cases.push(case(&[80, 1024]).levels(2).origin(&[1, 3]));
        // Tiles inside of an even and of an odd number: these are launched together.
        cases.push(framed(case(&[88, 1024]).levels(2), [true, false]));
    }
    let (rounded, element) = wavelet("rev53");
    for (shape, mode, both) in
        [([127, 1024], Mode::Periodization, true), ([97, 1032], Mode::Periodic, false)]
    {
        let case = Case::new(&rounded, &shape, mode).element(element).levels(2);
        cases.push(framed(case, [true, both]));
    }
    let odd = Case::new(&rounded, &[80, 1024], Mode::Jpeg2000).element(element).levels(2);
    cases.push(odd.origin(&[1, 3]));
    // Frames whose sides stand at odd places, of lines that would begin anew by whole accesses.
    for (name, element) in [("db2", Element::F32), ("db4", Element::F32), ("bior2.2", Element::F64)]
    {
        let (wavelet, _) = wavelet(name);
        let case =
            |shape: &[usize]| Case::new(&wavelet, shape, Mode::Periodization).element(element);
        cases.push(case(&[126, 1024]).levels(2));
        cases.push(case(&[127, 1024]).levels(2).axes(&[1, 0]));
    }
    // Nothing is read but what stands beyond ends.
    let (haar, _) = wavelet("haar");
    for mode in [Mode::Smooth, Mode::Periodic] {
        cases.push(Case::new(&haar, &[97, 1024], mode).element(Element::F32).levels(2));
        cases.push(Case::new(&haar, &[96, 1034], mode).element(Element::F32).levels(2));
    }
    for mode in [Mode::Smooth, Mode::Periodic] {
        cases.push(Case::new(&padded(6), &[97, 1024], mode).element(Element::F32).levels(2));
    }
    let (wavelet, _) = wavelet("bior2.2");
    let case = |shape: &[usize], mode| Case::new(&wavelet, shape, mode).element(Element::F32);
    cases.push(case(&[93, 1020], Mode::Symmetric).levels(2));
    cases.push(case(&[2, 64, 1024], Mode::Jpeg2000).axes(&[1, 2]).levels(2));
    let more =
        [case(&[96, 1024], Mode::Smooth).levels(2), case(&[96, 1024], Mode::Periodic).levels(2)];
    cases.extend(unless_quick("frames", "sums and periods", &more));
    verify(backend("frames of planes", Order::Reverse, strategy), cases);
    // Walks as long as they are chosen for frames.
    let strategy = Strategy { rows: None, ..strategy };
    let chosen = |name: &str, mode| {
        let (wavelet, element) = (Arc::new(catalogue::wavelet(name).unwrap()), Element::F32);
        Case::new(&wavelet, &[150, 1036], mode).element(element).levels(2)
    };
    let cases = vec![chosen("bior4.4", Mode::Jpeg2000), chosen("bior2.2", Mode::Symmetric)];
    verify(backend("frames of planes as chosen", Order::Reverse, strategy), cases);
}
