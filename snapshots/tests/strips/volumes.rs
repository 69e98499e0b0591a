//! Volumes, along all three axes in one strip.

use super::{backend, verify, wavelet};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::Element;
use waveloom_snapshots::conformance::Case;
use waveloom_snapshots::emulate::Order;
use waveloom_snapshots::unless_quick;
use waveloom_wavelets::Mode;

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
