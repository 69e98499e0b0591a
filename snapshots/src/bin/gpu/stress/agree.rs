//! The card against the CPU.

use super::text;
use waveloom::device::Device;
use waveloom::{Element, Plan};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::{Operation, Side};
use waveloom_snapshots::conformance::Stream;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue};

/// Everything that a comparison fixes.
#[derive(Clone, Copy)]
struct Case<'a> {
    wavelet: &'a Wavelet,
    shape: &'a [usize],
    axes: &'a [usize],
    levels: usize,
    mode: Mode,
    scheme: Option<SchemeKind>,
    strategy: Option<Strategy>,
}

/// What is compared, and how.
trait Comparable: Element {
    fn value(stream: &mut Stream) -> Self;
    fn distance(self, other: Self) -> f64;
    fn size(self) -> f64;
}

macro_rules! comparable {
    (float $type:ty) => {
        impl Comparable for $type {
            fn value(stream: &mut Stream) -> Self {
                stream.real() as $type
            }
            fn distance(self, other: Self) -> f64 {
                f64::from((self - other).abs())
            }
            fn size(self) -> f64 {
                f64::from(self.abs())
            }
        }
    };
    (integer $type:ty, $limit:expr) => {
        impl Comparable for $type {
            fn value(stream: &mut Stream) -> Self {
                stream.integer($limit) as $type
            }
            fn distance(self, other: Self) -> f64 {
                if self == other { 0.0 } else { f64::INFINITY }
            }
            fn size(self) -> f64 {
                1.0
            }
        }
    };
}

comparable!(float f32);
comparable!(float f64);
comparable!(integer i16, 200);
comparable!(integer i32, 1 << 20);
comparable!(integer i64, 1 << 40);

impl Case<'_> {
    fn plan<T: Element>(&self, device: &Device) -> Result<Plan<T>, String> {
        let mut builder = Plan::<T>::builder(self.wavelet, self.shape)
            .axes(self.axes)
            .levels(self.levels)
            .mode(self.mode)
            .device(device);
        if let Some(scheme) = self.scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(strategy) = self.strategy {
            builder = builder.strategy(strategy);
        }
        builder.build().map_err(|error| format!("{}: {}", self.name(), text(error)))
    }

    fn name(&self) -> String {
        format!(
            "{} {} {:?} axes {:?} levels {} {:?} {:?}",
            self.wavelet.name(),
            self.mode,
            self.shape,
            self.axes,
            self.levels,
            self.scheme.map(SchemeKind::name),
            self.strategy.map(|strategy| (strategy.name(), strategy.tile, strategy.threads)),
        )
    }

    /// Runs all operations on both; the largest error relative to the largest value.
    fn compare<T: Comparable>(&self, device: &Device, allowed: f64) -> Result<f64, String> {
        let (host, card) = (self.plan::<T>(&Device::cpu())?, self.plan::<T>(device)?);
        let (mut on_host, mut on_card) = (host.workspace(), card.workspace());
        let operations: &[Operation] = match self.wavelet.is_rounded() {
            true => &[Operation::Forward, Operation::Inverse],
            false => &Operation::ALL,
        };
        let mut worst = 0.0_f64;
        for operation in operations {
            let (input, output) = match operation.input() {
                Side::Signal => (host.signal_len(), host.coefficient_len()),
                Side::Bands => (host.coefficient_len(), host.signal_len()),
            };
            let mut stream = Stream::for_text(&format!("{} {operation:?}", self.name()));
            let input: Vec<T> = (0..input).map(|_| T::value(&mut stream)).collect();
            let (mut expected, mut got) = (vec![T::default(); output], vec![T::default(); output]);
            let on = |error| format!("{} {operation:?}: {}", self.name(), text(error));
            host.execute(*operation, &input, &mut expected, &mut on_host).map_err(on)?;
            card.execute(*operation, &input, &mut got, &mut on_card).map_err(on)?;
            let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.size()));
            for (at, (e, g)) in expected.iter().zip(&got).enumerate() {
                let error = e.distance(*g) / scale;
                if error.is_nan() || error > allowed {
                    let name = self.name();
                    return Err(format!("{name} {operation:?}: value {at} is {g}, expected {e}"));
                }
                worst = worst.max(error);
            }
        }
        Ok(worst)
    }
}

const STRATEGIES: [Strategy; 3] = [Strategy::SHARED, Strategy::TRAPEZOID, Strategy::GLOBAL];

/// Collects outcomes: the first failures in full, the others counted.
#[derive(Default)]
struct Tally {
    runs: usize,
    worst: f64,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, outcome: Result<f64, String>) {
        self.runs += 1;
        match outcome {
            Ok(error) => self.worst = self.worst.max(error),
            Err(message) => self.failures.push(message),
        }
    }

    fn done(self) -> Result<String, String> {
        match self.failures.len() {
            0 => Ok(format!("{} plans, largest error {:.1e}", self.runs, self.worst)),
            count => {
                let some =
                    self.failures.into_iter().take(5).collect::<Vec<_>>().join("\n          ");
                Err(format!("{count} of {}:\n          {some}", self.runs))
            }
        }
    }
}

const F32: f64 = 2e-5;

fn each(
    names: &[&str],
    axes: usize,
    tally: &mut Tally,
    mut work: impl FnMut(&Wavelet, SchemeKind, Strategy, &mut Tally) -> Result<(), String>,
) -> Result<(), String> {
    for name in names {
        let wavelet = catalogue::wavelet(name).map_err(text)?;
        for scheme in wavelet.scheme_kinds(axes) {
            for strategy in STRATEGIES {
                let worked = work(&wavelet, scheme, strategy, tally);
                if let Err(message) = worked {
                    tally.add(Err(message));
                }
            }
        }
    }
    Ok(())
}

fn compared(case: &Case<'_>, device: &Device) -> Result<f64, String> {
    match case.wavelet.is_rounded() {
        true => case.compare::<i32>(device, 0.0),
        false => case.compare::<f32>(device, F32),
    }
}

/// The tile of the strategy's first kernel, in pairs.
fn tile(case: &Case<'_>, device: &Device) -> Result<[u32; 3], String> {
    let tile = |card: Option<&[waveloom_codegen::gpu::Mapping]>| {
        card.and_then(|mappings| mappings.first()).map(|mapping| mapping.tile)
    };
    let found = match case.wavelet.is_rounded() {
        true => tile(case.plan::<i32>(device)?.on_card().map(|card| card.mappings())),
        false => tile(case.plan::<f32>(device)?.on_card().map(|card| card.mappings())),
    };
    found.ok_or_else(|| format!("{}: no kernels", case.name()))
}

/// Lines around one and two tiles.
pub fn tile_lines(device: &Device) -> Result<String, String> {
    let mut tally = Tally::default();
    each(
        &["haar", "bior4.4", "db4", "rev53"],
        1,
        &mut tally,
        |wavelet, scheme, strategy, tally| {
            for mode in [wavelet.default_mode(), Mode::Periodization, Mode::Smooth] {
                let base = Case {
                    wavelet,
                    shape: &[4096],
                    axes: &[0],
                    levels: 1,
                    mode,
                    scheme: Some(scheme),
                    strategy: Some(strategy),
                };
                let tile = 2 * tile(&base, device)?[0] as usize;
                for tiles in [tile, 2 * tile] {
                    for len in [tiles - 2, tiles - 1, tiles, tiles + 1, tiles + 2] {
                        tally.add(compared(&Case { shape: &[len], ..base }, device));
                    }
                }
            }
            Ok(())
        },
    )?;
    tally.done()
}

/// Planes around one tile on both axes.
pub fn tile_planes(device: &Device) -> Result<String, String> {
    let mut tally = Tally::default();
    each(&["haar", "bior4.4", "rev53"], 2, &mut tally, |wavelet, scheme, strategy, tally| {
        let mode = wavelet.default_mode();
        let base = Case {
            wavelet,
            shape: &[256, 256],
            axes: &[0, 1],
            levels: 2,
            mode,
            scheme: Some(scheme),
            strategy: Some(strategy),
        };
        let tile = tile(&base, device)?.map(|extent| 2 * extent.max(16) as usize);
        for rows in [tile[0] - 1, tile[0], tile[0] + 1] {
            for columns in [tile[1] - 1, tile[1], tile[1] + 1] {
                tally.add(compared(&Case { shape: &[rows, columns], ..base }, device));
            }
        }
        Ok(())
    })?;
    tally.done()
}

/// Arrays that are thin in one direction.
pub fn thin(device: &Device) -> Result<String, String> {
    let mut tally = Tally::default();
    each(
        &["haar", "bior4.4", "db4", "rev53"],
        2,
        &mut tally,
        |wavelet, scheme, strategy, tally| {
            for mode in [wavelet.default_mode(), Mode::Periodization] {
                for shape in [[1, 100_003], [100_003, 1], [2, 65_537], [65_537, 3], [1, 1], [1, 2]]
                {
                    let strategy = Some(strategy);
                    let (axes, scheme) = (&[0, 1], Some(scheme));
                    let case =
                        Case { wavelet, shape: &shape, axes, levels: 1, mode, scheme, strategy };
                    tally.add(compared(&case, device));
                }
            }
            Ok(())
        },
    )?;
    tally.done()
}

/// Many lines, columns, planes at once.
pub fn batches(device: &Device) -> Result<String, String> {
    let mut tally = Tally::default();
    let choices: [(&[usize], &[usize]); 6] = [
        (&[70_000, 64], &[1]),
        (&[70_000, 33], &[1]),
        (&[64, 70_000], &[0]),
        (&[300, 12, 240], &[1]),
        (&[70_000, 6, 10], &[1, 2]),
        (&[6, 70_000, 10], &[0, 2]),
    ];
    for (shape, axes) in choices {
        each(&["haar", "bior4.4", "rev53"], axes.len(), &mut tally, |wavelet, kind, s, tally| {
            let (scheme, strategy) = (Some(kind), Some(s));
            let mode = wavelet.default_mode();
            let case = Case { wavelet, shape, axes, levels: 1, mode, scheme, strategy };
            tally.add(compared(&case, device));
            Ok(())
        })?;
    }
    tally.done()
}

/// Integers under many block shapes, bit for bit.
pub fn integers(device: &Device) -> Result<String, String> {
    let mut tally = Tally::default();
    let mut stream = Stream::for_text("block shapes");
    for name in ["rev53", "ccsds97m"] {
        let wavelet = catalogue::wavelet(name).map_err(text)?;
        for round in 0..24 {
            // CCSDS 122 is defined for even lengths, at every level.
            let unit = if name == "ccsds97m" { 8 } else { 1 };
            let most = 150 / unit;
            let shape = [unit * (1 + stream.below(most)), unit * (1 + stream.below(most))];
            let extent = |stream: &mut Stream, most: usize| 1 + stream.below(most) as u32;
            let base = STRATEGIES[round % STRATEGIES.len()];
            let chosen = Strategy {
                tile: Some([extent(&mut stream, 12), extent(&mut stream, 12), 1]),
                lanes: Some(extent(&mut stream, 24)),
                threads: Some(32 * extent(&mut stream, 12)),
                ..base
            };
            for strategy in [base, chosen] {
                let case = Case {
                    wavelet: &wavelet,
                    shape: &shape,
                    axes: &[0, 1],
                    levels: 1 + round % 3,
                    mode: Mode::Jpeg2000,
                    scheme: None,
                    strategy: Some(strategy),
                };
                tally.add(match round % 3 {
                    0 => case.compare::<i16>(device, 0.0),
                    1 => case.compare::<i32>(device, 0.0),
                    _ => case.compare::<i64>(device, 0.0),
                });
            }
        }
    }
    tally.done()
}
