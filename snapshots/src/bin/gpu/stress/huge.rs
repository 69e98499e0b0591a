//! Arrays whose indices do not fit 32 bits. The host never holds one: they are written and looked at
//! in pieces, and expected values are known in closed form.

use super::text;
use waveloom::device::{Device, DeviceBuffer, DeviceTransform, Plain, Stream};
use waveloom::{Element, Plan};
use waveloom_codegen::gpu::Strategy;
use waveloom_snapshots::conformance::Stream as Random;
use waveloom_wavelets::{Mode, catalogue};

/// A bit more than 2^31, odd.
const BEYOND: usize = (1 << 31) + (1 << 20) + 3;

/// Elements moved at once.
const PIECE: usize = 1 << 24;

/// Values looked at at each place.
const WINDOW: usize = 4096;

/// Sample `i` of every array here: an integer in -100..=100.
fn sample(i: usize) -> i64 {
    ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i64 % 201 - 100
}

fn room(device: &Device, bytes: usize) -> Result<(), String> {
    let gpu = device.cuda_context().ok_or("the device is the CPU")?;
    gpu.default_stream().synchronize().map_err(text)?;
    let (free, _) = gpu.memory().map_err(text)?;
    match bytes <= free {
        true => Ok(()),
        false => Err(format!("needs {} GiB, {} are free", bytes >> 30, free >> 30)),
    }
}

fn filled<T: Plain + Default>(
    stream: &Stream,
    len: usize,
    convert: fn(i64) -> T,
) -> Result<DeviceBuffer<T>, String> {
    let mut buffer = DeviceBuffer::zeros(stream, len).map_err(text)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut piece: Vec<T> = std::iter::repeat_n(T::default(), PIECE).collect();
    for first in (0..len).step_by(PIECE) {
        let count = PIECE.min(len - first);
        let share = count.div_ceil(threads);
        std::thread::scope(|scope| {
            for (part, values) in piece[..count].chunks_mut(share).enumerate() {
                scope.spawn(move || {
                    for (i, value) in values.iter_mut().enumerate() {
                        *value = convert(sample(first + part * share + i));
                    }
                });
            }
        });
        buffer.copy_range_from_host(stream, first, &piece[..count]).map_err(text)?;
    }
    Ok(buffer)
}

/// Compares windows of a buffer, at both ends, around 2^30 and 2^31 values, and at random places,
/// with what they should be (`None`: not known there).
fn look<T: Plain + Default + PartialOrd + std::fmt::Display>(
    stream: &Stream,
    buffer: &DeviceBuffer<T>,
    what: &str,
    right: impl Fn(usize, T) -> Option<bool>,
) -> Result<usize, String> {
    let len = buffer.len();
    let last = len.saturating_sub(WINDOW);
    let mut places = vec![0, last, len / 2];
    places.extend([1 << 29, 1 << 30, 1 << 31, 1 << 32].map(|at: usize| at - WINDOW / 2));
    let mut random = Random::for_text(what);
    places.extend((0..100).map(|_| random.below(last + 1)));
    let mut values = vec![T::default(); WINDOW.min(len)];
    let mut seen = 0;
    for first in places.into_iter().filter(|first| *first <= last) {
        buffer.copy_range_to_host(stream, first, &mut values).map_err(text)?;
        for (i, value) in values.iter().enumerate() {
            match right(first + i, *value) {
                Some(true) => seen += 1,
                Some(false) => return Err(format!("{what} {} is {value}", first + i)),
                None => {}
            }
        }
    }
    Ok(seen)
}

fn on_card<T: Element>(plan: &Plan<T>) -> Result<&DeviceTransform<T>, String> {
    plan.on_card().ok_or_else(|| "the plan is not on a card".to_owned())
}

/// A line of f32, haar.
pub fn line(device: &Device) -> Result<String, String> {
    room(device, 3 * 4 * BEYOND)?;
    let wavelet = catalogue::wavelet("haar").map_err(text)?;
    let mut seen = 0;
    for strategy in [Strategy::SHARED, Strategy::GLOBAL, Strategy::TRAPEZOID] {
        let builder = Plan::<f32>::builder(&wavelet, &[BEYOND]).mode(Mode::Symmetric);
        let plan = builder.device(device).strategy(strategy).build().map_err(text)?;
        let card = on_card(&plan)?;
        let stream = card.gpu().new_stream().map_err(text)?;
        let mut signal = filled(&stream, BEYOND, |v| v as f32)?;
        let mut coefficients =
            DeviceBuffer::zeros(&stream, card.coefficient_len()).map_err(text)?;
        let mut workspace = card.workspace(&stream).map_err(text)?;
        card.forward(&stream, &signal, &mut coefficients, &mut workspace).map_err(text)?;
        let half = BEYOND.div_ceil(2);
        let close = |value: f32, expected: f64| (f64::from(value) - expected).abs() < 1e-3;
        let root = std::f64::consts::FRAC_1_SQRT_2;
        seen += look(&stream, &coefficients, "coefficient", |at, value| {
            let (k, sign) = if at < half { (at, 1.0) } else { (at - half, -1.0) };
            // The odd sample at the end stands twice.
            let (x0, x1) = (sample(2 * k) as f64, sample((2 * k + 1).min(BEYOND - 1)) as f64);
            Some(close(value, (x0 + sign * x1) * root))
        })?;
        signal.copy_range_from_host(&stream, 0, &[0.0; WINDOW]).map_err(text)?;
        card.inverse(&stream, &coefficients, &mut signal, &mut workspace).map_err(text)?;
        seen +=
            look(&stream, &signal, "sample", |at, value| Some(close(value, sample(at) as f64)))?;
    }
    Ok(format!("{BEYOND} samples, 3 strategies, {seen} values looked at"))
}

/// Coefficient `at` of the reversible 5/3 of `len` samples, whole-sample mirroring at both ends.
fn reversible(len: usize, at: usize) -> i64 {
    let half = len.div_ceil(2);
    let x = |i: i64| {
        let last = len as i64 - 1;
        let i = i.abs();
        sample(if i > last { 2 * last - i } else { i } as usize)
    };
    let detail = |k: i64| x(2 * k + 1) - (x(2 * k) + x(2 * k + 2)).div_euclid(2);
    if at >= half {
        return detail((at - half) as i64);
    }
    let k = at as i64;
    // Beyond its end a mirrored line has mirrored details, which the mirrored samples give.
    x(2 * k) + (detail(k - 1) + detail(k) + 2).div_euclid(4)
}

/// A line of i16, reversible 5/3.
pub fn integers(device: &Device) -> Result<String, String> {
    room(device, 3 * 2 * BEYOND)?;
    let wavelet = catalogue::wavelet("rev53").map_err(text)?;
    let plan = Plan::<i16>::builder(&wavelet, &[BEYOND]).mode(Mode::Jpeg2000).device(device);
    let plan = plan.build().map_err(text)?;
    let card = on_card(&plan)?;
    let stream = card.gpu().new_stream().map_err(text)?;
    let signal = filled(&stream, BEYOND, |v| v as i16)?;
    let mut coefficients = DeviceBuffer::zeros(&stream, card.coefficient_len()).map_err(text)?;
    let mut back = DeviceBuffer::zeros(&stream, BEYOND).map_err(text)?;
    let mut workspace = card.workspace(&stream).map_err(text)?;
    card.forward(&stream, &signal, &mut coefficients, &mut workspace).map_err(text)?;
    let seen = look(&stream, &coefficients, "coefficient", |at, value| {
        Some(i64::from(value) == reversible(BEYOND, at))
    })?;
    card.inverse(&stream, &coefficients, &mut back, &mut workspace).map_err(text)?;
    let more = look(&stream, &back, "sample", |at, value| Some(i64::from(value) == sample(at)))?;
    Ok(format!("{BEYOND} samples, {} values looked at", seen + more))
}

/// Three lines of 2^30 and some values, haar across them.
pub fn lanes(device: &Device) -> Result<String, String> {
    const LANES: usize = (1 << 30) + 5;
    room(device, (3 + 4) * 4 * LANES)?;
    let wavelet = catalogue::wavelet("haar").map_err(text)?;
    let builder = Plan::<f32>::builder(&wavelet, &[3, LANES]).axes(&[0]).mode(Mode::Symmetric);
    let plan = builder.device(device).build().map_err(text)?;
    let card = on_card(&plan)?;
    let stream = card.gpu().new_stream().map_err(text)?;
    let signal = filled(&stream, 3 * LANES, |v| v as f32)?;
    let mut coefficients = DeviceBuffer::zeros(&stream, card.coefficient_len()).map_err(text)?;
    let mut workspace = card.workspace(&stream).map_err(text)?;
    card.forward(&stream, &signal, &mut coefficients, &mut workspace).map_err(text)?;
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let seen = look(&stream, &coefficients, "coefficient", |at, value| {
        let (band, rest) = (at / (2 * LANES), at % (2 * LANES));
        let (k, lane) = (rest / LANES, rest % LANES);
        let x0 = sample(2 * k * LANES + lane) as f64;
        let x1 = sample((2 * k + 1).min(2) * LANES + lane) as f64;
        let expected = (if band == 0 { x0 + x1 } else { x0 - x1 }) * root;
        Some((f64::from(value) - expected).abs() < 1e-3)
    })?;
    Ok(format!("3 x {LANES}, {seen} values looked at"))
}

/// Blocks of one pair: more of them than one launch can have.
pub fn blocks(device: &Device) -> Result<String, String> {
    let len = 2 * ((1_usize << 31) + 5);
    room(device, 2 * 2 * len)?;
    let wavelet = catalogue::wavelet("rev53").map_err(text)?;
    let strategy = Strategy { tile: Some([1; 3]), threads: Some(32), ..Strategy::GLOBAL };
    let plan = Plan::<i16>::builder(&wavelet, &[len]).mode(Mode::Jpeg2000).device(device);
    let plan = plan.strategy(strategy).build().map_err(text)?;
    let card = on_card(&plan)?;
    let stream = card.gpu().new_stream().map_err(text)?;
    let signal = filled(&stream, len, |v| v as i16)?;
    let mut coefficients = DeviceBuffer::zeros(&stream, card.coefficient_len()).map_err(text)?;
    let mut workspace = card.workspace(&stream).map_err(text)?;
    card.forward(&stream, &signal, &mut coefficients, &mut workspace).map_err(text)?;
    let seen = look(&stream, &coefficients, "coefficient", |at, value| {
        Some(i64::from(value) == reversible(len, at))
    })?;
    Ok(format!("{len} samples in blocks of one pair, {seen} values looked at"))
}
