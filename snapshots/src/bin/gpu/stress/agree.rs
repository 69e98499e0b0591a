//! The card against the CPU.

use super::text;
use crate::options::Options;
use crate::table::{guarded, say};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use waveloom::device::Device;
use waveloom::{Element, Plan, PlanError};
use waveloom_codegen::gpu::{self, OperationsRequest, ProgramError, Strategy};
use waveloom_codegen::kernel::{Element as ElementKind, Operation, Side};
use waveloom_snapshots::conformance::{Case as SuiteCase, Stream};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue};

/// Everything that a comparison fixes but the strategies.
#[derive(Clone)]
struct Case {
    wavelet: Arc<Wavelet>,
    shape: Vec<usize>,
    axes: Vec<usize>,
    levels: usize,
    mode: Mode,
    scheme: Option<SchemeKind>,
    element: ElementKind,
    strategies: Vec<Strategy>,
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

impl Case {
    /// One level with all strategies.
    fn new(wavelet: &Arc<Wavelet>, shape: &[usize], axes: &[usize], mode: Mode) -> Self {
        let element = if wavelet.is_rounded() { ElementKind::I32 } else { ElementKind::F32 };
        Self {
            wavelet: Arc::clone(wavelet),
            shape: shape.to_vec(),
            axes: axes.to_vec(),
            levels: 1,
            mode,
            scheme: None,
            element,
            strategies: STRATEGIES.to_vec(),
        }
    }

    fn plan<T: Element>(
        &self,
        device: &Device,
        strategy: Option<Strategy>,
    ) -> Result<Plan<T>, PlanError> {
        let mut builder = Plan::<T>::builder(&self.wavelet, &self.shape)
            .axes(&self.axes)
            .levels(self.levels)
            .mode(self.mode)
            .device(device);
        if let Some(scheme) = self.scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(strategy) = strategy {
            builder = builder.strategy(strategy);
        }
        builder.build()
    }

    fn name(&self) -> String {
        format!(
            "{} {} {} {:?} axes {:?} levels {} {}",
            self.wavelet.name(),
            self.element.name(),
            self.mode,
            self.shape,
            self.axes,
            self.levels,
            self.scheme.map_or("default scheme", SchemeKind::name),
        )
    }

    /// The tile of a strategy's first kernel, in pairs; `None` if no block can run it.
    fn tile(&self, strategy: Strategy) -> Result<Option<[u32; 3]>, String> {
        let all = gpu::operations(&OperationsRequest {
            operations: &[],
            wavelet: &self.wavelet,
            kind: self.scheme.unwrap_or_else(|| self.wavelet.default_scheme(self.axes.len())),
            shape: &self.shape,
            axes: &self.axes,
            mode: self.mode,
            origins: &[],
            levels: self.levels,
            align_rows: None,
            element: self.element,
            strategy,
        });
        match all {
            Ok(all) => Ok(all.kernels.first().map(|proved| proved.mapping().tile)),
            Err(ProgramError::Proof(_)) => Ok(None),
            Err(error) => Err(format!("{}: {}", self.name(), text(error))),
        }
    }

    /// Runs all operations on the CPU and, with every strategy, on the card; the number of plans and
    /// the largest error relative to the largest value. Strategies that no block can run are left
    /// out.
    fn compare(&self, device: &Device) -> Result<(usize, f64), String> {
        match self.element {
            ElementKind::F32 => self.compared::<f32>(device, F32),
            ElementKind::F64 => self.compared::<f64>(device, 1e-13),
            ElementKind::I16 => self.compared::<i16>(device, 0.0),
            ElementKind::I32 => self.compared::<i32>(device, 0.0),
            ElementKind::I64 => self.compared::<i64>(device, 0.0),
        }
    }

    fn compared<T: Comparable>(
        &self,
        device: &Device,
        allowed: f64,
    ) -> Result<(usize, f64), String> {
        let failed = |what: String| format!("{} {what}", self.name());
        let host = self.plan::<T>(&Device::cpu(), None).map_err(|e| failed(text(e)))?;
        let mut cards = Vec::new();
        for strategy in &self.strategies {
            match self.plan::<T>(device, Some(*strategy)) {
                Ok(plan) => {
                    let workspace = plan.workspace();
                    cards.push((strategy, plan, workspace));
                }
                Err(PlanError::Program(ProgramError::Proof(_))) => {}
                Err(error) => return Err(failed(format!("{}: {}", named(strategy), text(error)))),
            }
        }
        let mut on_host = host.workspace();
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
            let mut expected = vec![T::default(); output];
            let on_cpu = host.execute(*operation, &input, &mut expected, &mut on_host);
            on_cpu.map_err(|error| failed(format!("{operation:?} on the CPU: {}", text(error))))?;
            let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.size()));
            for (strategy, card, workspace) in &mut cards {
                let with =
                    |what: String| failed(format!("{operation:?} {}: {what}", named(strategy)));
                let mut got = vec![T::default(); output];
                let on_card = card.execute(*operation, &input, &mut got, workspace);
                on_card.map_err(|error| with(text(error)))?;
                for (at, (e, g)) in expected.iter().zip(&got).enumerate() {
                    let error = Comparable::distance(*e, *g) / scale;
                    if error.is_nan() || error > allowed {
                        return Err(with(format!("value {at} is {g}, expected {e}")));
                    }
                    worst = worst.max(error);
                }
            }
        }
        Ok((cards.len(), worst))
    }
}

fn named(strategy: &Strategy) -> String {
    let Strategy { tile, lanes, threads, .. } = strategy;
    match (tile, lanes, threads) {
        (None, None, None) => strategy.name().to_owned(),
        _ => format!("{} tile {tile:?} lanes {lanes:?} threads {threads:?}", strategy.name()),
    }
}

/// Collects outcomes: the first failures in full, the others counted.
#[derive(Default)]
struct Tally {
    cases: usize,
    plans: usize,
    worst: f64,
    failures: Vec<String>,
}

/// Compares all cases on several threads, until the time is over. Failures are printed when they are
/// found.
fn all(device: &Device, options: &Options, cases: &[Case]) -> Result<String, String> {
    let begin = Instant::now();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if options.late(begin) {
                        return;
                    }
                    let outcome = guarded(|| case.compare(device));
                    let Ok(mut tally) = tally.lock() else { return };
                    tally.cases += 1;
                    match outcome {
                        Ok((plans, error)) => {
                            tally.plans += plans;
                            tally.worst = tally.worst.max(error);
                        }
                        Err(message) => {
                            say(&format!("        {message}"));
                            tally.failures.push(message);
                        }
                    }
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_default();
    let (done, total) = (tally.cases, cases.len());
    match tally.failures.len() {
        0 if done == 0 => Err("nothing was compared".to_owned()),
        0 => {
            let worst = tally.worst;
            Ok(format!("{done} of {total} cases, {} plans, largest error {worst:.1e}", tally.plans))
        }
        count => Err(format!("{count} of {done} cases, the first: {}", tally.failures[0])),
    }
}

const STRATEGIES: [Strategy; 3] = [Strategy::SHARED, Strategy::TRAPEZOID, Strategy::GLOBAL];

const F32: f64 = 2e-5;

/// Every scheme of some wavelets.
fn each(
    names: &[&str],
    axes: usize,
    mut add: impl FnMut(&Arc<Wavelet>, SchemeKind) -> Result<(), String>,
) -> Result<(), String> {
    for name in names {
        let wavelet = Arc::new(catalogue::wavelet(name).map_err(text)?);
        for scheme in wavelet.scheme_kinds(axes) {
            add(&wavelet, scheme)?;
        }
    }
    Ok(())
}

/// Lines around one and two tiles.
pub fn tile_lines(device: &Device, options: &Options) -> Result<String, String> {
    let mut cases = Vec::new();
    each(&["haar", "bior4.4", "db4", "rev53"], 1, |wavelet, scheme| {
        for strategy in STRATEGIES {
            for mode in [wavelet.default_mode(), Mode::Periodization, Mode::Smooth] {
                let base = Case {
                    scheme: Some(scheme),
                    strategies: vec![strategy],
                    ..Case::new(wavelet, &[4096], &[0], mode)
                };
                let Some(tile) = base.tile(strategy)? else { continue };
                let tile = 2 * tile[0] as usize;
                for tiles in [tile, 2 * tile] {
                    for len in tiles - 2..=tiles + 2 {
                        cases.push(Case { shape: vec![len], ..base.clone() });
                    }
                }
            }
        }
        Ok(())
    })?;
    all(device, options, &cases)
}

/// Planes around one tile on both axes.
pub fn tile_planes(device: &Device, options: &Options) -> Result<String, String> {
    let mut cases = Vec::new();
    each(&["haar", "bior4.4", "rev53"], 2, |wavelet, scheme| {
        for strategy in STRATEGIES {
            let base = Case {
                scheme: Some(scheme),
                levels: 2,
                strategies: vec![strategy],
                ..Case::new(wavelet, &[256, 256], &[0, 1], wavelet.default_mode())
            };
            let Some(tile) = base.tile(strategy)? else { continue };
            let tile = tile.map(|extent| 2 * extent.max(16) as usize);
            for rows in tile[0] - 1..=tile[0] + 1 {
                for columns in tile[1] - 1..=tile[1] + 1 {
                    cases.push(Case { shape: vec![rows, columns], ..base.clone() });
                }
            }
        }
        Ok(())
    })?;
    all(device, options, &cases)
}

/// Arrays that are thin in one direction.
pub fn thin(device: &Device, options: &Options) -> Result<String, String> {
    let mut cases = Vec::new();
    each(&["haar", "bior4.4", "db4", "rev53"], 2, |wavelet, scheme| {
        for mode in [wavelet.default_mode(), Mode::Periodization] {
            for shape in [[1, 100_003], [100_003, 1], [2, 65_537], [65_537, 3], [1, 1], [1, 2]] {
                let case = Case::new(wavelet, &shape, &[0, 1], mode);
                cases.push(Case { scheme: Some(scheme), ..case });
            }
        }
        Ok(())
    })?;
    all(device, options, &cases)
}

/// Many lines, columns, planes at once.
pub fn batches(device: &Device, options: &Options) -> Result<String, String> {
    let mut cases = Vec::new();
    let choices: [(&[usize], &[usize]); 6] = [
        (&[70_000, 32], &[1]),
        (&[70_000, 17], &[1]),
        (&[32, 70_000], &[0]),
        (&[300, 12, 240], &[1]),
        (&[70_000, 6, 10], &[1, 2]),
        (&[6, 70_000, 10], &[0, 2]),
    ];
    for (shape, axes) in choices {
        each(&["haar", "bior4.4", "rev53"], axes.len(), |wavelet, scheme| {
            let case = Case::new(wavelet, shape, axes, wavelet.default_mode());
            cases.push(Case { scheme: Some(scheme), ..case });
            Ok(())
        })?;
    }
    all(device, options, &cases)
}

/// Integers under many block shapes, bit for bit.
pub fn integers(device: &Device, options: &Options) -> Result<String, String> {
    let mut cases = Vec::new();
    let mut stream = Stream::for_text("block shapes");
    for name in ["rev53", "ccsds97m"] {
        let wavelet = Arc::new(catalogue::wavelet(name).map_err(text)?);
        for round in 0..24 {
            let extent = |stream: &mut Stream, most: usize| 1 + stream.below(most) as u32;
            let base = STRATEGIES[round % STRATEGIES.len()];
            let chosen = Strategy {
                tile: Some([extent(&mut stream, 12), extent(&mut stream, 12), 1]),
                lanes: Some(extent(&mut stream, 24)),
                threads: Some(32 * extent(&mut stream, 12)),
                ..base
            };
            let element = [ElementKind::I16, ElementKind::I32, ElementKind::I64][round % 3];
            cases.push(Case {
                levels: 1 + round % 3,
                element,
                strategies: vec![base, chosen],
                ..legal(&wavelet, 1 + round % 3, &mut stream)?
            });
        }
    }
    all(device, options, &cases)
}

/// A plane of some shape that the wavelet's default mode has: CCSDS 122 is not defined for all.
fn legal(wavelet: &Arc<Wavelet>, levels: usize, stream: &mut Stream) -> Result<Case, String> {
    for _ in 0..1000 {
        let shape = [1 + stream.below(150), 1 + stream.below(150)];
        let case = Case::new(wavelet, &shape, &[0, 1], wavelet.default_mode());
        let suite = SuiteCase::new(wavelet, &shape, case.mode).levels(levels);
        if suite.element(ElementKind::I32).legality().is_ok() {
            return Ok(case);
        }
    }
    Err(format!("{}: no legal shape among a thousand", wavelet.name()))
}
