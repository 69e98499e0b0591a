//! The conformance suite on strips: shuffles across, a walk along, run by the emulator.

use std::sync::Arc;
use waveloom_codegen::gpu::{ProgramRequest, Strategy, Strip, program};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::conformance::{Breadth, Case, EmulatedBackend, run_everywhere};
use waveloom_snapshots::emulate::{Checks, Emulator, Order};
use waveloom_snapshots::{available, unless_quick};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue, definition};

fn backend(label: &str, order: Order, strategy: Strategy) -> Option<EmulatedBackend> {
    let emulator = available(Emulator::find())?;
    let backend = EmulatedBackend::new(emulator, Checks::Memory, order, label, strategy);
    Some(backend.sparing(Breadth::from_environment().unwrap()))
}

fn wavelet(name: &str) -> (Arc<Wavelet>, Element) {
    let wavelet = Arc::new(catalogue::wavelet(name).unwrap());
    let element = if wavelet.is_rounded() { Element::I32 } else { Element::F64 };
    (wavelet, element)
}

fn verify(backend: Option<EmulatedBackend>, cases: Vec<Case>) {
    let Some(backend) = backend else { return };
    let report = run_everywhere(&backend, &cases);
    println!("{report}");
    report.verdict().unwrap();
}

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

/// Images narrower and wider than a strip, walked in short bands.
#[test]
fn planes() {
    let narrow = vec!["bior4.4", "ccsds97m"];
    let mut wide = vec!["haar", "db4"];
    wide.extend(unless_quick("strips of planes", "wide ones of bior4.4", &["bior4.4"]));
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
        let request = ProgramRequest {
            wavelet: &wavelet,
            kind: wavelet.default_scheme(2),
            shape,
            axes: &[0, 1],
            mode,
            origins: &[],
            levels: 2,
            align_rows: None,
            element,
            operation: Operation::Forward,
            strategy,
        };
        let made = program(&request).unwrap();
        let mut strips = made.kernels.iter().filter_map(|kernel| kernel.strip());
        assert!(strips.any(Strip::looks_far), "{name} {shape:?} {mode}");
        Case::new(&wavelet, shape, mode).element(element).levels(2)
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

/// Two levels in one strip inside, and frames of one level each, where samples beyond the ends make approximations that
/// the next level does not take for its own; odd extents, bands that begin at odd places, a batch.
#[test]
fn framed_planes() {
    let strategy = Strategy { threads: Some(32), rows: Some(8), deep: Some(2), ..Strategy::STREAM };
    let mut cases = Vec::new();
    for name in ["rev53", "bior4.4"] {
        let (wavelet, element) = wavelet(name);
        let element = if element == Element::F64 { Element::F32 } else { element };
        let case = |shape: &[usize], mode| Case::new(&wavelet, shape, mode).element(element);
        cases.push(case(&[96, 1024], Mode::Jpeg2000).levels(2));
        cases.push(case(&[97, 1032], Mode::Jpeg2000).levels(3));
        cases.push(case(&[80, 1024], Mode::Jpeg2000).levels(2).origin(&[1, 3]));
        // Tiles inside of an even and of an odd number: these are launched together.
        cases.push(case(&[88, 1024], Mode::Jpeg2000).levels(2));
    }
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
        cases.push(Case::new(&padded(), &[97, 1024], mode).element(Element::F32).levels(2));
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

/// Haar's taps behind six zeros, as definition files may have them: signals begin far from where pairs do.
fn padded() -> Arc<Wavelet> {
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let (front, back) = ("0.0, ".repeat(6), ", 0.0".repeat(6));
    let text = format!(
        "[taps]\ndec_lo = [{front}{s}, {s}]\ndec_hi = [{front}{s}, -{s}]\nrec_lo = [{s}, {s}{back}]\nrec_hi = [-{s}, {s}{back}]\n"
    );
    Arc::new(definition::parse(&text, "padded").unwrap())
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
        cases.push(Case::new(&padded(), &[4099], mode).element(Element::F64).levels(3));
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

/// Three axes in one pass: every mode, volumes with blocks inside, narrow ones, other shapes of blocks, and volumes
/// that take two passes. Rounded wavelets keep the order of their axes. (Texts of volumes take a host compiler long, so
/// only a kernel without reach goes through everything.)
#[test]
fn volumes() {
    let all: &[Mode] = &Mode::ALL;
    let some: &[Mode] = &[Mode::Periodization, Mode::Symmetric, Mode::Zero, Mode::Jpeg2000];
    let few: &[Mode] = &[Mode::Periodization, Mode::Reflect];
    let shapes: [&[usize]; 6] =
        [&[17, 23, 70], &[20, 22, 75], &[40, 72, 200], &[12, 16, 64], &[3, 5, 7], &[1, 8, 32]];
    for (name, pairs, rows, slices, modes, count) in
        [("haar", 2, 4, 6, all, 6), ("bior4.4", 1, 4, 5, few, 3), ("rev53", 1, 3, 8, some, 3)]
    {
        let strategy = Strategy {
            threads: Some(64),
            pairs: Some(pairs),
            groups: Some(rows),
            rows: Some(slices),
            ..Strategy::STREAM
        };
        let (wavelet, element) = wavelet(name);
        let element = if element == Element::F64 { Element::F32 } else { element };
        let mut cases = Vec::new();
        for mode in modes {
            for shape in &shapes[..count] {
                // One mode of each kind suffices for the large one.
                let large = shape.iter().product::<usize>() > 100_000;
                if large && ![Mode::Periodization, Mode::Symmetric, Mode::Jpeg2000].contains(mode) {
                    continue;
                }
                cases.push(Case::new(&wavelet, shape, *mode).element(element));
            }
        }
        verify(backend("volumes", Order::Reverse, strategy), cases);
    }
}

/// As they are chosen: in several levels, with batches before and between the axes, and along axes in another order.
#[test]
fn chosen_volumes() {
    let mut cases = Vec::new();
    let (batch, turned): (&[usize], &[usize]) = (&[2, 16, 3, 18, 2, 40], &[16, 18, 40]);
    let mut list = vec![
        ("irr97", Mode::Jpeg2000, batch, [1, 3, 5]),
        ("db4", Mode::Periodic, turned, [2, 0, 1]),
        // Four warps of a block with one ring, some of them beyond the last row.
        ("irr97", Mode::Periodization, &[10, 40, 72], [0, 1, 2]),
    ];
    let more =
        [("irr97", Mode::Jpeg2000, turned, [2, 0, 1]), ("db4", Mode::Periodic, batch, [1, 3, 5])];
    list.extend(unless_quick("volumes as chosen", "each wavelet with both shapes", &more));
    for (name, mode, shape, axes) in list {
        let (wavelet, _) = wavelet(name);
        let case = Case::new(&wavelet, shape, mode).element(Element::F32);
        cases.push(case.axes(&axes));
    }
    let (wavelet, element) = wavelet("rev53");
    cases.push(Case::new(&wavelet, &[48, 40, 96], Mode::Jpeg2000).element(element).levels(2));
    verify(backend("volumes as chosen", Order::Shuffled { seed: 2 }, Strategy::STREAM), cases);
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
    let whole = |shape: &[usize], levels| {
        Case::new(&rounded, shape, Mode::Jpeg2000).element(element).levels(levels)
    };
    // Parts of the last three are only copied, or scaled.
    let cases =
        vec![whole(&[96, 1012], 2), whole(&[13, 1], 1), whole(&[1, 29], 2), whole(&[29, 1], 2)];
    verify(backend("frames, aligned rows", 8, strips), cases);
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
