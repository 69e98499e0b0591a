//! Scratch: sweeps shapes of strips.
use cudarc::driver::{CudaEvent, sys};
use std::sync::atomic::{AtomicUsize, Ordering};
use waveloom::device::{Device, DeviceBuffer, DeviceTransform, Stream};
use waveloom::{Plan, wavelets};
use waveloom_codegen::gpu::Strategy;
use wavelets::{Mode, SchemeKind, catalogue};

struct Config {
    what: String,
    wavelet: String,
    kind: SchemeKind,
    shape: Vec<usize>,
    mode: Mode,
    levels: usize,
    strategy: Strategy,
}

fn event(stream: &Stream) -> CudaEvent {
    stream.cudarc().context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap()
}
fn median(mut v: Vec<f32>) -> f32 {
    v.sort_by(f32::total_cmp);
    v[v.len() / 2]
}

fn time(gpu_stream: &Stream, card: &DeviceTransform<f32>, l2: usize, reps: usize) -> (f32, f32, f32, f64) {
    let stream = gpu_stream;
    let bytes = card.signal_len() * 4;
    let sets = (3 * l2).div_ceil(bytes).clamp(1, 64);
    let chunk: Vec<f32> = (0..1 << 20).map(|i: usize| ((i.wrapping_mul(2654435761) >> 13) & 1023) as f32 / 512.0 - 1.0).collect();
    let mut all: Vec<_> = (0..sets)
        .map(|_| {
            let mut s = DeviceBuffer::<f32>::zeros(stream, card.signal_len()).unwrap();
            for f in (0..s.len()).step_by(chunk.len()) {
                let n = chunk.len().min(s.len() - f);
                s.copy_range_from_host(stream, f, &chunk[..n]).unwrap();
            }
            let c = DeviceBuffer::<f32>::zeros(stream, card.coefficient_len()).unwrap();
            let b = DeviceBuffer::<f32>::zeros(stream, card.signal_len()).unwrap();
            (s, c, b)
        })
        .collect();
    let mut ws = card.workspace(stream).unwrap();
    let (mut tc, mut tf, mut ti) = (vec![], vec![], vec![]);
    for rep in 0..reps + 3 {
        let n = all.len();
        let (s, c, b) = &mut all[rep % n];
        let e: Vec<_> = (0..4).map(|_| event(stream)).collect();
        e[0].record(stream.cudarc()).unwrap();
        b.copy_from(stream, s).unwrap();
        e[1].record(stream.cudarc()).unwrap();
        card.forward(stream, s, c, &mut ws).unwrap();
        e[2].record(stream.cudarc()).unwrap();
        card.inverse(stream, c, b, &mut ws).unwrap();
        e[3].record(stream.cudarc()).unwrap();
        stream.synchronize().unwrap();
        if rep >= 3 {
            tc.push(e[0].elapsed_ms(&e[1]).unwrap());
            tf.push(e[1].elapsed_ms(&e[2]).unwrap());
            ti.push(e[2].elapsed_ms(&e[3]).unwrap());
        }
    }
    let mut worst = 0.0_f64;
    let (_, _, b) = &all[0];
    let w = 4096.min(b.len());
    let mut v = vec![0.0; w];
    for f in [0, b.len() / 2 - w / 2, b.len() - w] {
        b.copy_range_to_host(stream, f, &mut v).unwrap();
        for (i, x) in v.iter().enumerate() {
            worst = worst.max(f64::from((x - chunk[(f + i) % chunk.len()]).abs()));
        }
    }
    (median(tc), median(tf), median(ti), worst)
}

fn main() {
    let list = std::env::args().nth(1).unwrap_or_default();
    let reps: usize = std::env::args().nth(2).and_then(|r| r.parse().ok()).unwrap_or(9);
    let device = Device::select("cuda".parse().unwrap()).unwrap();
    println!("{device}");
    let mut configs = vec![];
    for line in std::fs::read_to_string(&list).unwrap().lines() {
        // wavelet kind shape mode levels threads groups rows resident
        let w: Vec<&str> = line.split_whitespace().collect();
        if w.len() < 9 || line.starts_with('#') {
            continue;
        }
        let opt = |s: &str| s.parse::<u32>().ok().filter(|v| *v > 0);
        let base = Strategy::named(w.get(9).unwrap_or(&"stream")).unwrap();
        configs.push(Config {
            what: line.to_owned(),
            wavelet: w[0].into(),
            kind: *SchemeKind::ALL.iter().find(|k| k.name() == w[1]).unwrap(),
            shape: w[2].split('x').map(|n| n.parse().unwrap()).collect(),
            mode: w[3].parse().unwrap(),
            levels: w[4].parse().unwrap(),
            strategy: Strategy { threads: opt(w[5]), groups: opt(w[6]), rows: opt(w[7]), resident: opt(w[8]), depth: w.get(10).and_then(|d| d.parse().ok()), pairs: w.get(11).and_then(|d| d.parse().ok()), ..base },
        });
    }
    let next = AtomicUsize::new(0);
    let plans: Vec<std::sync::Mutex<Option<Result<Plan<f32>, String>>>> =
        configs.iter().map(|_| std::sync::Mutex::new(None)).collect();
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..14 {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(c) = configs.get(i) else { break };
                let wavelet = catalogue::wavelet(&c.wavelet).unwrap();
                let axes: Vec<usize> = if c.shape.len() == 3 && c.what.contains("batch") { vec![1, 2] } else { (0..c.shape.len()).collect() };
                let plan = Plan::<f32>::builder(&wavelet, &c.shape)
                    .axes(&axes)
                    .scheme(c.kind)
                    .mode(c.mode)
                    .levels(c.levels)
                    .device(&device)
                    .strategy(c.strategy)
                    .build()
                    .map_err(|e| e.to_string());
                *plans[i].lock().unwrap() = Some(plan);
            });
        }
    });
    println!("compiled {} in {:.1} s", configs.len(), start.elapsed().as_secs_f32());
    let Some(gpu) = device.cuda_context() else { return };
    let stream = gpu.new_stream().unwrap();
    for (c, plan) in configs.iter().zip(&plans) {
        let plan = plan.lock().unwrap().take().unwrap();
        match plan {
            Err(e) => println!("{}: {}", c.what, e.lines().next().unwrap_or("")),
            Ok(plan) => {
                let card = plan.on_card().unwrap();
                let (tc, tf, ti, worst) = time(&stream, card, gpu.limits().l2_bytes as usize, reps);
                let (mut r, mut l) = (vec![], vec![]);
                for k in card.kernels().iter().take(card.mappings().len()) {
                    r.push(k.registers().unwrap());
                    l.push(k.local_bytes().unwrap());
                }
                println!("{}: copy {:.0} GB/s fwd {:.3} inv {:.3} err {:.1e} regs {:?} local {:?}", c.what, 8e-6 * card.signal_len() as f32 / tc, tf / tc, ti / tc, worst, r, l);
            }
        }
    }
}
