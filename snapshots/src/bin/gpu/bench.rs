//! Times as multiples of a device-to-device copy of the same bytes, measured in turn with it.

use crate::options::Options;
use crate::table::{Spread, guarded, say, spread};
use cudarc::driver::{CudaEvent, sys};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use wavelets::{SchemeKind, Wavelet, catalogue};
use waveloom::device::{Device, DeviceBuffer, DeviceError, DeviceTransform, Gpu, Stream};
use waveloom::{Plan, wavelets};
use waveloom_codegen::gpu::Strategy;

const WAVELETS: [&str; 4] = ["haar", "irr97", "db4", "db16"];

/// Array, its name, and the schemes with their strategies.
type Work = (&'static str, &'static [usize], &'static [(SchemeKind, &'static [&'static str])]);

const WORKS: [Work; 3] = [
    (
        "1-D 2^28",
        &[1 << 28],
        &[
            (SchemeKind::Convolution, &["global", "shared"]),
            (SchemeKind::Lifting, &["shared", "trapezoid"]),
            (SchemeKind::Lattice, &["shared", "trapezoid"]),
        ],
    ),
    (
        "2-D 8192^2",
        &[8192, 8192],
        &[
            (SchemeKind::SeparableConvolution, &["global", "shared"]),
            (SchemeKind::SeparableLifting, &["shared", "shared-split", "trapezoid"]),
            (SchemeKind::NonseparableLifting, &["shared", "shared-split", "trapezoid"]),
            (SchemeKind::NonseparableConvolution, &["global", "shared"]),
        ],
    ),
    (
        "3-D 512^3",
        &[512, 512, 512],
        &[
            (SchemeKind::SeparableConvolution, &["shared"]),
            (SchemeKind::SeparableLifting, &["shared", "trapezoid"]),
            (SchemeKind::NonseparableLifting, &["shared", "shared-split"]),
        ],
    ),
];

/// One line of the table.
#[derive(Clone, Debug)]
struct Row {
    work: &'static str,
    shape: &'static [usize],
    wavelet: &'static str,
    scheme: SchemeKind,
    strategy: &'static str,
}

impl Row {
    fn name(&self) -> String {
        format!("{} {} {} {}", self.work, self.wavelet, self.scheme, self.strategy)
    }
}

fn rows(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (work, shape, schemes) in WORKS {
        for wavelet in WAVELETS {
            for (scheme, strategies) in schemes {
                for strategy in *strategies {
                    rows.push(Row { work, shape, wavelet, scheme: *scheme, strategy });
                }
            }
        }
    }
    // What compiles longest comes last: a run that is cut short has the others.
    let long = |row: &Row| match (row.scheme, row.wavelet) {
        (SchemeKind::NonseparableConvolution, "db16") => 2,
        (SchemeKind::NonseparableConvolution, _) => 1,
        _ => 0,
    };
    rows.sort_by_key(long);
    rows.retain(|row| options.wants(&row.name()));
    rows
}

/// Prints the table, and writes it as JSON if asked.
pub fn run(device: &Device, options: &Options) -> Result<(), String> {
    let rows = rows(options);
    if options.list {
        rows.iter().for_each(|row| say(&row.name()));
        return Ok(());
    }
    let gpu = device.cuda_context().ok_or("the device is the CPU")?;
    say(&format!(
        "times as multiples of a copy of the same bytes: median of {} (quartiles)\n",
        options.reps
    ));
    say(
        "| array | wavelet | scheme | strategy | forward | inverse | copy, TB/s | launches | registers | local bytes | round trip |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|---|");
    let (next, (send, receive)) = (AtomicUsize::new(0), channel());
    let mut found = Vec::new();
    let mut failed = 0;
    std::thread::scope(|scope| {
        // Plans compile on other threads while those that are made are measured.
        for _ in 0..options.threads.clamp(1, 8) {
            let (send, next, rows) = (send.clone(), &next, &rows);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(index) else { return };
                    let plan = guarded(|| plan(device, row));
                    if send.send((row.clone(), plan)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (row, plan) in receive {
            let measured = match plan {
                Ok(None) => continue,
                Ok(Some(plan)) => guarded(|| measure(gpu, &plan, options.reps)),
                Err(message) => Err(message),
            };
            let head =
                format!("| {} | {} | {} | {} |", row.work, row.wavelet, row.scheme, row.strategy);
            match measured {
                Ok(result) => {
                    say(&format!("{head} {}", result.cells()));
                    found.push(result.json(&row));
                }
                Err(message) => {
                    failed += 1;
                    say(&format!("{head} {message} | | | | | | |"));
                    found.push(json!({ "name": row.name(), "error": message }));
                }
            }
        }
    });
    if let Some(path) = &options.json {
        let all = json!({ "card": device.to_string(), "reps": options.reps, "rows": found });
        let text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if failed == 0 { Ok(()) } else { Err(format!("bench: {failed} rows")) }
}

/// The plan of a row; `None` if the wavelet has no such scheme.
fn plan(device: &Device, row: &Row) -> Result<Option<Plan<f32>>, String> {
    let wavelet: Wavelet = catalogue::wavelet(row.wavelet).map_err(|error| error.to_string())?;
    if wavelet.scheme(row.scheme, row.shape.len()).is_err() {
        return Ok(None);
    }
    let strategy = Strategy::named(row.strategy).ok_or("no such strategy")?;
    let builder = Plan::<f32>::builder(&wavelet, row.shape).scheme(row.scheme);
    let plan = builder.device(device).strategy(strategy).build();
    plan.map(Some).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

struct Measured {
    forward: Spread,
    inverse: Spread,
    copy: f64,
    launches: [usize; 2],
    registers: u32,
    local_bytes: u32,
    round_trip: f64,
}

impl Measured {
    fn cells(&self) -> String {
        let cell = |s: Spread| format!("{:.2} ({:.2}-{:.2})", s.median, s.low, s.high);
        format!(
            "{} | {} | {:.2} | {}, {} | {} | {} | {:.1e} |",
            cell(self.forward),
            cell(self.inverse),
            self.copy / 1e12,
            self.launches[0],
            self.launches[1],
            self.registers,
            self.local_bytes,
            self.round_trip
        )
    }

    fn json(&self, row: &Row) -> Value {
        let spread = |s: Spread| json!({ "median": s.median, "low": s.low, "high": s.high });
        json!({
            "name": row.name(),
            "array": row.work,
            "wavelet": row.wavelet,
            "scheme": row.scheme.name(),
            "strategy": row.strategy,
            "forward": spread(self.forward),
            "inverse": spread(self.inverse),
            "copy_bytes_per_second": self.copy,
            "launches": self.launches,
            "registers": self.registers,
            "local_bytes": self.local_bytes,
            "round_trip": self.round_trip,
        })
    }
}

/// Signal, coefficients and what comes back.
struct Arrays {
    signal: DeviceBuffer<f32>,
    coefficients: DeviceBuffer<f32>,
    back: DeviceBuffer<f32>,
}

fn sample(i: usize) -> f32 {
    ((i.wrapping_mul(2_654_435_761) >> 13) & 1023) as f32 / 512.0 - 1.0
}

fn arrays(card: &DeviceTransform<f32>, stream: &Stream) -> Result<Arrays, DeviceError> {
    const CHUNK: usize = 1 << 22;
    let chunk: Vec<f32> = (0..CHUNK).map(sample).collect();
    let mut signal = DeviceBuffer::zeros(stream, card.signal_len())?;
    for first in (0..signal.len()).step_by(CHUNK) {
        let len = CHUNK.min(signal.len() - first);
        signal.copy_range_from_host(stream, first, &chunk[..len])?;
    }
    Ok(Arrays {
        coefficients: DeviceBuffer::zeros(stream, card.coefficient_len())?,
        back: DeviceBuffer::zeros(stream, signal.len())?,
        signal,
    })
}

fn measure(gpu: &Arc<Gpu>, plan: &Plan<f32>, reps: usize) -> Result<Measured, String> {
    let card = plan.on_card().ok_or("the plan is not on a card")?;
    let stream = gpu.new_stream().map_err(|error| error.to_string())?;
    timed(gpu, card, &stream, reps).map_err(|error| error.to_string())
}

fn timed(
    gpu: &Arc<Gpu>,
    card: &DeviceTransform<f32>,
    stream: &Stream,
    reps: usize,
) -> Result<Measured, DeviceError> {
    let bytes = card.signal_len() * size_of::<f32>();
    // No repetition finds in the cache what another left there.
    let sets = (3 * gpu.limits().l2_bytes as usize).div_ceil(bytes.max(1)).clamp(1, 64);
    let mut sets: Vec<Arrays> =
        (0..sets).map(|_| arrays(card, stream)).collect::<Result<_, _>>()?;
    let mut workspace = card.workspace(stream)?;
    let (mut copies, mut forwards, mut inverses) = (Vec::new(), Vec::new(), Vec::new());
    const WARM: usize = 3;
    for rep in 0..WARM + reps {
        let count = sets.len();
        let Some(Arrays { signal, coefficients, back }) = sets.get_mut(rep % count) else { break };
        let events = [event(stream)?, event(stream)?, event(stream)?, event(stream)?];
        record(&events[0], stream)?;
        back.copy_from(stream, signal)?;
        record(&events[1], stream)?;
        card.forward(stream, signal, coefficients, &mut workspace)?;
        record(&events[2], stream)?;
        card.inverse(stream, coefficients, back, &mut workspace)?;
        record(&events[3], stream)?;
        stream.synchronize()?;
        if rep >= WARM {
            let copy = elapsed(&events[0], &events[1])?;
            copies.push(copy);
            forwards.push(elapsed(&events[1], &events[2])? / copy);
            inverses.push(elapsed(&events[2], &events[3])? / copy);
        }
    }
    let mut round_trip = 0.0_f64;
    if let Some(Arrays { back, .. }) = sets.first() {
        let window = 4096.min(back.len());
        let mut values = vec![0.0; window];
        for first in [0, back.len() / 2 - window / 2, back.len() - window] {
            back.copy_range_to_host(stream, first, &mut values)?;
            for (i, value) in values.iter().enumerate() {
                let expected = sample((first + i) % (1 << 22));
                round_trip = round_trip.max(f64::from((value - expected).abs()));
            }
        }
    }
    let (mut registers, mut local_bytes) = (0, 0);
    for kernel in card.kernels().iter().take(card.mappings().len()) {
        registers = registers.max(kernel.registers()?);
        local_bytes = local_bytes.max(kernel.local_bytes()?);
    }
    use waveloom_codegen::Operation;
    let launches = |operation| card.launches(operation).unwrap_or(0);
    Ok(Measured {
        forward: spread(forwards),
        inverse: spread(inverses),
        copy: 2.0 * bytes as f64 / (spread(copies).median / 1e3),
        launches: [launches(Operation::Forward), launches(Operation::Inverse)],
        registers,
        local_bytes,
        round_trip,
    })
}

fn event(stream: &Stream) -> Result<CudaEvent, DeviceError> {
    let flags = sys::CUevent_flags::CU_EVENT_DEFAULT;
    let event = stream.cudarc().context().new_event(Some(flags));
    event.map_err(|error| told("creating an event", error))
}

fn record(event: &CudaEvent, stream: &Stream) -> Result<(), DeviceError> {
    event.record(stream.cudarc()).map_err(|error| told("recording an event", error))
}

fn elapsed(first: &CudaEvent, second: &CudaEvent) -> Result<f64, DeviceError> {
    let time = first.elapsed_ms(second).map_err(|error| told("reading an event", error))?;
    Ok(f64::from(time))
}

fn told(action: &'static str, error: cudarc::driver::DriverError) -> DeviceError {
    DeviceError::Driver { action, code: error.0 as u32, reason: format!("{:?}", error.0) }
}
