//! Quan and Jeong, *A fast discrete wavelet transform using hybrid parallelism on GPUs*: six ways to
//! use a Kepler GPU (Tesla K40), and fused levels of Haar in the mixed-band layout.

use crate::bench::work::{Claim, Method, Place, Shape, Work};
use waveloom::wavelets::{Mode, SchemeKind};

/// Sizes of Tables 2 and 6, rows by columns.
const SIZES: [[usize; 2]; 5] = [[512, 512], [1024, 1024], [1080, 1920], [2048, 2048], [4096, 4096]];

/// The strategies by the paper's names, and what makes the same kernels here.
const STRATEGIES: [(&str, &str); 8] = [
    ("gmem", "gmem"),
    ("smem", "smem"),
    ("reg", "reg"),
    ("ilp", "ilp"),
    ("warp", "warp"),
    ("hybrid", "hybrid"),
    ("full-register", "full-register"),
    ("streaming (ours)", "stream"),
];

/// Table 2: milliseconds of gmem, smem, reg, ilp, warp, hybrid, CDF 9/7.
const TABLE_2: [[f64; 6]; 5] = [
    [0.2572, 0.2119, 0.1751, 0.0484, 0.0329, 0.0201],
    [0.9219, 0.8072, 0.6667, 0.1612, 0.1081, 0.0580],
    [1.8157, 1.6061, 1.3269, 0.3065, 0.2052, 0.1069],
    [3.5802, 3.2048, 2.6476, 0.6046, 0.4049, 0.2076],
    [14.1514, 12.7280, 10.5169, 2.3916, 1.5946, 0.8066],
];

/// Table 6: the same with the copies from the host and back.
const TABLE_6: [[f64; 6]; 5] = [
    [0.539, 0.501, 0.491, 0.372, 0.380, 0.356],
    [2.222, 2.172, 2.085, 1.589, 1.566, 1.539],
    [4.632, 4.345, 4.308, 3.325, 3.310, 3.195],
    [9.051, 8.846, 8.531, 6.614, 6.416, 6.389],
    [35.222, 34.090, 33.311, 25.779, 24.961, 24.776],
];

/// Table 4 (1024 x 1024) and Table 5 (1920 x 1080): milliseconds of *hybrid* by rows of 32 threads
/// and items of a thread; 0 where there is none.
const GRID_ROWS: [usize; 5] = [1, 4, 8, 16, 32];
const GRID_ITEMS: [usize; 5] = [1, 4, 8, 16, 32];
const TABLE_4: [[f64; 5]; 5] = [
    [0.0, 0.0, 0.0, 0.08728, 0.23954],
    [0.0, 0.0, 0.08594, 0.06403, 0.11589],
    [0.0, 0.09809, 0.06033, 0.08215, 0.14014],
    [0.14144, 0.06940, 0.07224, 0.12643, 0.0],
    [0.11320, 0.07807, 0.10729, 0.0, 0.0],
];
const TABLE_5: [[f64; 5]; 5] = [
    [0.0, 0.0, 0.0, 0.16205, 0.45436],
    [0.0, 0.0, 0.16094, 0.11829, 0.21642],
    [0.0, 0.18526, 0.11145, 0.15333, 0.26044],
    [0.27010, 0.12919, 0.13411, 0.23910, 0.0],
    [0.21490, 0.14499, 0.20212, 0.0, 0.0],
];

/// Table 8: milliseconds of *hybrid*, CDF 9/7, forward and inverse, one to four levels.
const TABLE_8: [(usize, [f64; 4]); 4] = [
    (512, [0.0204, 0.0407, 0.0544, 0.0670]),
    (1024, [0.0594, 0.1015, 0.1197, 0.1334]),
    (2048, [0.2227, 0.3505, 0.3878, 0.4057]),
    (4096, [0.8678, 1.3525, 1.4717, 1.5086]),
];

/// Table 9: Haar, level by level (*hybrid*) and fused (*mb-hybrid*), one to four levels.
const TABLE_9: [(usize, [f64; 4], [f64; 4]); 4] = [
    (512, [0.0150, 0.0298, 0.0414, 0.0524], [0.0129, 0.0152, 0.0182, 0.0192]),
    (1024, [0.0458, 0.0753, 0.0901, 0.1016], [0.0333, 0.0417, 0.0522, 0.0560]),
    (2048, [0.1810, 0.2810, 0.3106, 0.3251], [0.1139, 0.1472, 0.1888, 0.2039]),
    (4096, [0.7162, 1.1165, 1.2181, 1.2479], [0.4470, 0.5690, 0.7336, 0.7934]),
];

/// Everything, in the order of the tables.
pub fn works() -> Vec<Work> {
    let mut works = Vec::new();
    for (wavelet, times) in [("haar", None), ("bior2.2", None), ("irr97", Some(TABLE_2))] {
        for (row, size) in SIZES.iter().enumerate() {
            let times = times.map(|table| table[row]);
            works.push(strategies("quan", wavelet, size, times, Place::Card));
        }
    }
    for (table, size, name) in
        [(TABLE_4, [1024, 1024], "Table 4"), (TABLE_5, [1080, 1920], "Table 5")]
    {
        works.push(grid(table, &size, name));
    }
    for (size, times) in SIZES.iter().zip(TABLE_6) {
        works.push(strategies("quan transfers", "irr97", size, Some(times), Place::Transfers));
    }
    works.extend(TABLE_8.iter().map(|(side, times)| levels(*side, times)));
    works.extend(TABLE_9.iter().map(|(side, apart, fused)| mixed(*side, apart, fused)));
    for volume in [[128, 128, 128], [256, 256, 256], [512, 512, 512]] {
        let methods = [
            Method::on_card("level by level", SchemeKind::SeparableLifting, "hybrid"),
            Method::on_card("mixed-band, fused", SchemeKind::SeparableLifting, "mixed"),
            Method::on_card("streaming (ours)", SchemeKind::SeparableLifting, "stream"),
        ];
        let work = Work::new("quan mixed-band", &volume, "haar", Mode::Periodization);
        works.push(work.levels(4).methods(methods));
    }
    works
}

/// The strategies side by side; each must be slower than the next.
fn strategies(
    section: &'static str,
    wavelet: &'static str,
    size: &[usize],
    times: Option<[f64; 6]>,
    place: Place,
) -> Work {
    let methods = STRATEGIES.iter().map(|(name, strategy)| Method {
        place,
        ..Method::on_card(name, SchemeKind::SeparableLifting, strategy)
    });
    let source = match place {
        Place::Transfers => "Table 6, Tesla K40, with copies",
        _ => "Table 2, Tesla K40",
    };
    let pairs = times.iter().flat_map(|times| {
        let ratios = times.iter().zip(times.iter().skip(1)).map(|(slow, fast)| slow / fast);
        ratios
            .zip(STRATEGIES.windows(2))
            .map(|(ratio, pair)| Claim::new(pair[0].0, pair[1].0, (ratio, ratio), source))
    });
    let ends = times.map(|times| Claim::new("gmem", "hybrid", ends_of(&times), source));
    let claims: Vec<Claim> = pairs.chain(ends).collect();
    // Haar is not whole-sample symmetric, and needs nothing beyond the ends.
    let mode = if wavelet == "haar" { Mode::Periodization } else { Mode::Jpeg2000 };
    Work::new(section, size, wavelet, mode).methods(methods).claims(claims)
}

fn ends_of(times: &[f64; 6]) -> (f64, f64) {
    let ratio = times[0] / times[5];
    (ratio, ratio)
}

/// Threads by items, against 32 x 8 threads with 8 items, the paper's best.
fn grid(table: [[f64; 5]; 5], size: &[usize], name: &'static str) -> Work {
    let named = |rows: usize, items: usize| format!("hybrid 32x{rows}, {items} items");
    let best = table[2][2];
    let (mut methods, mut claims) = (Vec::new(), Vec::new());
    for (rows, times) in GRID_ROWS.iter().zip(table) {
        for (items, time) in GRID_ITEMS.iter().zip(times) {
            if time == 0.0 {
                continue;
            }
            let shape = Shape {
                tile: None,
                threads: Some(32 * *rows as u32),
                items: Some(samples(*rows, *items)),
            };
            // A single warp has whole columns.
            let strategy = if *rows == 1 { "full-register" } else { "hybrid" };
            let method =
                Method::on_card(&named(*rows, *items), SchemeKind::SeparableLifting, strategy);
            methods.push(Method { shape, ..method });
            if (*rows, *items) != (8, 8) {
                let ratio = (time / best, time / best);
                claims.push(Claim::new(named(*rows, *items), named(8, 8), ratio, name));
            }
        }
    }
    Work::new("quan grid", size, "irr97", Mode::Jpeg2000).methods(methods).claims(claims)
}

/// Samples of a thread, after the tiles of Table 3: a warp alone has so many rows of 64, more warps so
/// many samples each, and at least a pair.
fn samples(rows: usize, items: usize) -> u32 {
    if rows == 1 { 2 * items as u32 } else { items.max(2) as u32 }
}

/// CDF 9/7 over one to four levels.
fn levels(side: usize, times: &[f64; 4]) -> Work {
    let named = |level: usize| format!("{level} levels");
    let methods = (1..=4).map(|level| Method {
        levels: Some(level),
        ..Method::on_card(&named(level), SchemeKind::SeparableLifting, "hybrid")
    });
    let claims = times.iter().enumerate().skip(1).map(|(index, time)| {
        let ratio = time / times[0];
        Claim::new(named(index + 1), named(1), (ratio, ratio), "Table 8, Tesla K40")
    });
    Work::new("quan levels", &[side, side], "irr97", Mode::Jpeg2000)
        .levels(4)
        .methods(methods)
        .claims(claims)
}

/// Haar level by level and fused.
fn mixed(side: usize, apart: &[f64; 4], fused: &[f64; 4]) -> Work {
    let (mut methods, mut claims) = (Vec::new(), Vec::new());
    for (index, (slow, fast)) in apart.iter().zip(fused).enumerate() {
        let level = index + 1;
        let (over, under) = (format!("level by level, {level}"), format!("mixed-band, {level}"));
        let method = |name: &str, strategy: &str| Method {
            levels: Some(level),
            ..Method::on_card(name, SchemeKind::SeparableLifting, strategy)
        };
        methods.push(method(&over, "hybrid"));
        methods.push(method(&under, "mixed"));
        methods.push(method(&format!("streaming (ours), {level}"), "stream"));
        claims.push(Claim::new(over, under, (slow / fast, slow / fast), "Table 9, Tesla K40"));
    }
    Work::new("quan mixed-band", &[side, side], "haar", Mode::Periodization)
        .levels(4)
        .methods(methods)
        .claims(claims)
}
