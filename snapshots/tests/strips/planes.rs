//! Planes, a level at a time and as they are chosen.

use super::{backend, planned, verify, wavelet};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::conformance::Case;
use waveloom_snapshots::emulate::Order;
use waveloom_snapshots::unless_quick;
use waveloom_wavelets::{Mode, SchemeKind};

/// Images narrower and wider than a strip, walked in short bands.
#[test]
fn planes() {
    let narrow = vec!["bior4.4", "ccsds97m"];
    let mut wide = vec!["haar", "db4"];
    wide.extend(unless_quick("strips of planes", "wide ones of bior4.4", &["bior4.4"]));
    // Ends that go round, are nothing, copies and sums, for batches and volumes.
    let mut around = vec![Mode::Periodization, Mode::Zero, Mode::Symmetric, Mode::Smooth];
    around.extend(unless_quick(
        "strips of planes",
        "batches and volumes in other modes",
        &Mode::ALL,
    ));
    for (pairs, groups, rows, depth, names) in [(2, 1, 3, 2, narrow), (4, 1, 8, 3, wide)] {
        let strategy = Strategy {
            threads: Some(64),
            pairs: Some(pairs),
            groups: Some(groups),
            rows: Some(rows),
            depth: Some(depth),
            ..Strategy::STREAM
        };
        let mut cases = Vec::new();
        for name in names {
            let (wavelet, element) = wavelet(name);
            let element = if element == Element::F64 { Element::F32 } else { element };
            for mode in Mode::ALL {
                // Extrapolated lines grow beyond 32 bits.
                let element = match (element, mode) {
                    (Element::I32, Mode::Smooth) => Element::I64,
                    _ => element,
                };
                for shape in [[1, 7], [13, 296], [34, 512], [35, 613]] {
                    let case = Case::new(&wavelet, &shape, mode).element(element);
                    cases.push(case.scheme(Some(SchemeKind::SeparableLifting)));
                }
                if !around.contains(&mode) {
                    continue;
                }
                let batch = Case::new(&wavelet, &[2, 10, 2, 66], mode).element(element);
                let batch = batch.axes(&[1, 3]).levels(2);
                cases.push(batch.scheme(Some(SchemeKind::SeparableLifting)));
                let volume = Case::new(&wavelet, &[6, 10, 64], mode).element(element);
                cases.push(volume.scheme(Some(SchemeKind::SeparableLifting)));
            }
        }
        let order = Order::Shuffled { seed: 1 };
        verify(backend("strips of planes", order, strategy), cases);
    }
}

/// Images of many blocks, most of which lie inside and run apart from those at the ends: whole planes,
/// one axis with the columns as batch, and two levels in a walk.
#[test]
fn blocks_inside() {
    let small = |deep| Strategy { threads: Some(64), rows: Some(6), deep, ..Strategy::STREAM };
    let mut cases = Vec::new();
    let mut names = vec!["bior4.4", "rev53"];
    names.extend(unless_quick("blocks inside", "db8", &["db8"]));
    for name in names {
        let (wavelet, element) = wavelet(name);
        let element = if element == Element::F64 { Element::F32 } else { element };
        for mode in [Mode::Periodization, Mode::Symmetric, Mode::Smooth] {
            let element = match (element, mode) {
                (Element::I32, Mode::Smooth) => Element::I64,
                _ => element,
            };
            for shape in [[72, 1024], [67, 933]] {
                cases.push(Case::new(&wavelet, &shape, mode).element(element));
            }
            let columns = Case::new(&wavelet, &[90, 512], mode).element(element);
            cases.push(columns.axes(&[0]));
        }
    }
    verify(backend("blocks inside", Order::Reverse, small(None)), cases);
    let mut shapes = vec![(2, "bior4.4", [128, 2048]), (4, "db4", [64, 2048])];
    let more = [(4, "bior4.4", [128, 2048]), (2, "db4", [64, 2048])];
    shapes.extend(unless_quick(
        "two levels inside",
        "each wavelet with both numbers of pairs",
        &more,
    ));
    for (pairs, name, shape) in shapes {
        let strategy =
            Strategy { pairs: Some(pairs), groups: Some(1), rows: Some(16), ..small(Some(2)) };
        let (wavelet, _) = wavelet(name);
        let cases = [Mode::Periodization, Mode::Zero]
            .map(|mode| Case::new(&wavelet, &shape, mode).element(Element::F32).levels(2));
        verify(backend("two levels inside", Order::Forward, strategy), cases.to_vec());
    }
}

/// Inverses whose strips begin later so that they write whole sectors: rows that are whole sectors or not, values of two bytes, two levels, a batch.
#[test]
fn whole_sectors() {
    let strategy = |deep| Strategy { threads: Some(64), rows: Some(6), deep, ..Strategy::STREAM };
    let plane = |name: &str, shape: &[usize], element: Element| {
        let (wavelet, _) = wavelet(name);
        let mode = if wavelet.is_rounded() { Mode::Jpeg2000 } else { Mode::Periodization };
        Case::new(&wavelet, shape, mode).element(element)
    };
    let mut cases = vec![
        plane("db4", &[40, 1024], Element::F32),
        plane("db4", &[40, 1028], Element::F32),
        plane("rev53", &[40, 1024], Element::I16),
        plane("db4", &[2, 24, 3, 512], Element::F32).axes(&[1, 3]),
    ];
    let more = [plane("db8", &[60, 1024], Element::F32), plane("db4", &[37, 1016], Element::F32)];
    cases.extend(unless_quick("whole sectors", "long filters", &more));
    verify(backend("whole sectors", Order::Reverse, strategy(None)), cases);
    let cases = vec![plane("db2", &[96, 1024], Element::F32).levels(2)];
    verify(backend("whole sectors at two levels", Order::Reverse, strategy(Some(2))), cases);
}

/// As they are chosen: small images of several levels, two of which share a launch, in walks of few rows.
#[test]
fn chosen_planes() {
    let plane = |name: &str, shape: &[usize]| {
        let (wavelet, element) = wavelet(name);
        let element = if element == Element::F64 { Element::F32 } else { element };
        Case::new(&wavelet, shape, Mode::Periodization).element(element)
    };
    let mut cases = vec![plane("db4", &[64, 256]).levels(4)];
    cases.push(plane("rev53", &[3, 64, 128]).axes(&[1, 2]).levels(3));
    cases.extend(unless_quick(
        "planes as chosen",
        "irr97",
        &[plane("irr97", &[96, 512]).levels(2)],
    ));
    verify(backend("planes as chosen", Order::Shuffled { seed: 4 }, Strategy::STREAM), cases);
}

/// Rows of bands that begin at multiples of so many elements, by strips and by what else writes them, and of several
/// levels, whose frames and insides are written by different launches. Nothing is written between rows, and nothing
/// depends on what is there.
#[test]
fn aligned_rows() {
    let order = Order::Shuffled { seed: 3 };
    let backend = |label: &str, multiple, strategy| {
        backend(label, order, strategy).map(|backend| backend.align_rows(Some(multiple)))
    };
    let strips = Strategy { threads: Some(32), rows: Some(8), deep: Some(2), ..Strategy::STREAM };
    let (filters, _) = wavelet("db4");
    let case = |mode, shape: &[usize], axes: &[usize], levels| {
        Case::new(&filters, shape, mode).element(Element::F32).axes(axes).levels(levels)
    };
    // Whole lines and rows of whole vectors, so that strips inside read and write these, and rows that end within one.
    let mut cases = vec![
        case(Mode::Symmetric, &[40, 1012], &[0, 1], 2),
        case(Mode::Smooth, &[40, 1013], &[1, 0], 1),
    ];
    for mode in [Mode::Symmetric, Mode::Smooth] {
        cases.push(case(mode, &[61], &[0], 2));
        cases.push(case(mode, &[9, 61], &[1], 2));
        cases.push(case(mode, &[35, 150], &[0, 1], 0));
        cases.push(case(mode, &[2, 13, 129], &[1, 2], 3));
        // Rows of a few elements.
        cases.push(case(mode, &[64, 4], &[0, 1], 3));
    }
    verify(backend("strips, aligned rows", 8, strips), cases);
    let (rounded, element) = wavelet("rev53");
    let whole = |shape: &[usize], mode, levels| {
        Case::new(&rounded, shape, mode).element(element).levels(levels)
    };
    let levels =
        [whole(&[96, 1012], Mode::Jpeg2000, 2), whole(&[126, 1012], Mode::Periodization, 2)];
    for (case, framed) in levels.iter().zip([false, true]) {
        let mut strips = planned(case, Operation::Forward, strips, Some(8)).kernels;
        strips.retain(|kernel| kernel.mapping().levels == 2);
        let between = strips[0].strip().map_or(0, |strip| strip.between);
        assert_eq!(between == 0, framed, "{case}");
    }
    // Parts of the last three are only copied, or scaled.
    let single = [(&[13, 1], 1), (&[1, 29], 2), (&[29, 1], 2)];
    let single = single.map(|(shape, levels)| whole(shape, Mode::Jpeg2000, levels));
    let cases = levels.into_iter().chain(single).collect();
    verify(backend("copies and frames, aligned rows", 8, strips), cases);
    for strategy in [Strategy::SHARED, Strategy::TRAPEZOID, Strategy::LAUNCH] {
        let label = format!("{}, aligned rows", strategy.name());
        let cases = vec![
            case(Mode::Antireflect, &[35, 150], &[0, 1], 2),
            case(Mode::Antireflect, &[2, 13, 29], &[2, 1], 1),
            case(Mode::Periodization, &[64, 4], &[0, 1], 3),
            case(Mode::Periodization, &[7, 1], &[0, 1], 2),
        ];
        // A multiple that is no whole sector.
        verify(backend(&label, 7, strategy), cases);
    }
}
