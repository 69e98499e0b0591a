//! Halos and overlaps of Quan and Jeong, "A fast discrete wavelet transform using hybrid parallelism
//! on GPUs", from our own kernels.

use waveloom_codegen::gpu::{OperationsRequest, Strategy, operations};
use waveloom_codegen::kernel::{Element, Exchange, Operation, lower};
use waveloom_wavelets::{Mode, SchemeKind, catalogue};

/// Samples of halo before and after a tile along each axis, as the 2-D lifting kernel loads them.
fn halo(wavelet: &str) -> [[i64; 2]; 2] {
    let wavelet = catalogue::wavelet(wavelet).unwrap();
    let scheme = wavelet.scheme(SchemeKind::NonseparableLifting, 2).unwrap();
    let kernel = lower(&scheme, Operation::Forward, Element::F32, Exchange::Shared).unwrap();
    let pairs = |axis: usize| [kernel.halo.before[axis], kernel.halo.after[axis]];
    [0, 1].map(|axis| pairs(axis).map(|pairs| 2 * i64::from(pairs)))
}

/// What is left of a tile of columns by rows.
fn output(tile: [i64; 2], wavelet: &str) -> [i64; 2] {
    let [rows, columns] = halo(wavelet).map(|[before, after]| before + after);
    [tile[0] - columns, tile[1] - rows]
}

#[test]
fn tiles_of_the_ilp_strategy() {
    // Section 4.3: of 64 x 32, 60 x 28 for CDF 5/3 and 56 x 24 for CDF 9/7; nothing is lost for Haar.
    assert_eq!(output([64, 32], "bior2.2"), [60, 28]);
    assert_eq!(output([64, 32], "irr97"), [56, 24]);
    assert_eq!(output([64, 32], "haar"), [64, 32]);
}

#[test]
fn overlaps_of_section_5_4() {
    let covered = 64 * 96;
    // Shuffles work on tiles of a block, registers alone on tiles of a warp; the ratios that are
    // printed divide by the covered area, and those of the tiles' own output are larger.
    for (tile, tiles, printed, of_output) in
        [([64, 32], 4, 0.4583, 0.524), ([64, 16], 12, 1.125, 1.286)]
    {
        let [columns, rows] = output(tile, "irr97");
        let (loaded, written) = (tiles * tile[0] * tile[1], tiles * columns * rows);
        assert_eq!(written, 5376);
        let overlap = (loaded - written) as f64;
        assert!((overlap / f64::from(covered) - printed).abs() < 5e-5, "{tile:?}");
        assert!((overlap / written as f64 - of_output).abs() < 5e-4, "{tile:?}");
    }
}

#[test]
fn the_tile_of_the_shared_memory_strategy() {
    // Section 4.1: a block of 32 x 16 needs 35 x 19 for CDF 5/3 sample by sample: two before, one
    // after. The 512 threads load it in two steps, the second with 153 of them.
    let wavelet = catalogue::wavelet("bior2.2").unwrap();
    let bank = wavelet.bank();
    // The low-pass filter is centred on an even sample, the high-pass filter on the odd one behind.
    let reach = |taps: &[f64]| (taps.iter().filter(|tap| **tap != 0.0).count() / 2) as i64;
    let (low, high) = (reach(bank.analysis_low().taps()), reach(bank.analysis_high().taps()));
    let (before, after) = (low.max(high - 1), (low - 1).max(high));
    assert_eq!((before, after), (2, 1));
    let tile = (32 + before + after) * (16 + before + after);
    assert_eq!((tile, tile - 32 * 16), (35 * 19, 153));
}

#[test]
fn the_register_strategy_exchanges_once_an_axis() {
    // Section 4.2: a thread computes its neighbours' intermediate values again instead of waiting.
    let barriers = |name: &str, strategy: Strategy, operation: Operation| {
        let wavelet = catalogue::wavelet(name).unwrap();
        let all = operations(&OperationsRequest {
            operations: &[operation],
            wavelet: &wavelet,
            kind: SchemeKind::SeparableLifting,
            shape: &[4096, 4096],
            axes: &[0, 1],
            mode: Mode::Jpeg2000,
            origins: &[],
            levels: 1,
            align_rows: None,
            element: Element::F32,
            strategy,
        })
        .unwrap();
        all.kernels.iter().map(|proved| proved.info().barriers).collect::<Vec<_>>()
    };
    for operation in [Operation::Forward, Operation::Inverse] {
        // One behind the load, two about what the first axis stores; the second axis is the store's.
        assert_eq!(barriers("irr97", Strategy::REG, operation), [3], "{operation:?}");
        assert_eq!(barriers("bior2.2", Strategy::REG, operation), [3], "{operation:?}");
        assert!(barriers("irr97", Strategy::JOINT, operation) >= [8].to_vec(), "{operation:?}");
    }
}
