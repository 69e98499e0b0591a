//! Plans that live at once, and launches that are replayed.

use super::text;
use cudarc::driver::sys;
use waveloom::Plan;
use waveloom::device::{Device, DeviceBuffer, DeviceError, DeviceTransform, Stream};
use waveloom_wavelets::{Mode, Wavelet, catalogue};

fn plan(
    device: &Device,
    wavelet: &Wavelet,
    shape: &[usize],
    levels: usize,
) -> Result<Plan<f32>, String> {
    let builder = Plan::<f32>::builder(wavelet, shape).levels(levels).mode(Mode::Symmetric);
    builder.device(device).build().map_err(text)
}

fn signal(len: usize, seed: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 37 + seed * 11) % 251) as f32 / 251.0).collect()
}

fn far(expected: &[f32], got: &[f32]) -> Option<usize> {
    let close = |(e, g): (&f32, &f32)| (e - g).abs() <= 1e-4 * e.abs().max(1.0);
    (0..expected.len().max(got.len()))
        .find(|i| !expected.get(*i).zip(got.get(*i)).is_some_and(close))
}

/// Four threads, each with its own stream, two of them with the same plan.
pub fn two_plans(device: &Device) -> Result<String, String> {
    let shape = [500, 700];
    let first = catalogue::wavelet("db4").map_err(text)?;
    let second = catalogue::wavelet("bior4.4").map_err(text)?;
    let plans = [plan(device, &first, &shape, 3)?, plan(device, &second, &shape, 3)?];
    let hosts =
        [plan(&Device::cpu(), &first, &shape, 3)?, plan(&Device::cpu(), &second, &shape, 3)?];
    const ROUNDS: usize = 50;
    let outcomes: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|index| {
                let (plan, host) = (&plans[index % 2], &hosts[index % 2]);
                scope.spawn(move || {
                    let signal = signal(plan.signal_len(), index);
                    let mut expected = vec![0.0; host.coefficient_len()];
                    host.forward(&signal, &mut expected, &mut host.workspace()).map_err(text)?;
                    let card = plan.on_card().ok_or("the plan is not on a card")?;
                    let stream = card.gpu().new_stream().map_err(text)?;
                    for round in 0..ROUNDS {
                        let (got, back) = there_and_back(card, &stream, &signal).map_err(text)?;
                        if let Some(at) = far(&expected, &got).or(far(&signal, &back)) {
                            return Err(format!("thread {index}, round {round}: value {at}"));
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|done| done.unwrap_or_else(|_| Err("a thread panicked".to_owned()))).collect()
    });
    outcomes.into_iter().collect::<Result<Vec<()>, String>>()?;
    Ok(format!("4 threads and streams, 2 plans, {ROUNDS} rounds each"))
}

fn there_and_back(
    card: &DeviceTransform<f32>,
    stream: &Stream,
    signal: &[f32],
) -> Result<(Vec<f32>, Vec<f32>), DeviceError> {
    let input = DeviceBuffer::from_host(stream, signal)?;
    let mut coefficients = DeviceBuffer::zeros(stream, card.coefficient_len())?;
    let mut back = DeviceBuffer::zeros(stream, card.signal_len())?;
    let mut workspace = card.workspace(stream)?;
    card.forward(stream, &input, &mut coefficients, &mut workspace)?;
    card.inverse(stream, &coefficients, &mut back, &mut workspace)?;
    Ok((coefficients.to_host(stream)?, back.to_host(stream)?))
}

/// A graph of forward and adjoint, replayed on new data, equals the direct run bit for bit.
pub fn capture(device: &Device) -> Result<String, String> {
    let wavelet = catalogue::wavelet("bior4.4").map_err(text)?;
    let plan = plan(device, &wavelet, &[333, 257], 3)?;
    let card = plan.on_card().ok_or("the plan is not on a card")?;
    let stream = card.gpu().new_stream().map_err(text)?;
    let direct = |data: &[f32]| -> Result<Vec<f32>, DeviceError> {
        let input = DeviceBuffer::from_host(&stream, data)?;
        let mut coefficients = DeviceBuffer::zeros(&stream, card.coefficient_len())?;
        let mut out = DeviceBuffer::zeros(&stream, card.signal_len())?;
        let mut workspace = card.workspace(&stream)?;
        card.forward(&stream, &input, &mut coefficients, &mut workspace)?;
        card.adjoint(&stream, &coefficients, &mut out, &mut workspace)?;
        out.to_host(&stream)
    };
    let driver = |error: cudarc::driver::DriverError| format!("{:?}", error.0);
    let mut input = DeviceBuffer::zeros(&stream, card.signal_len()).map_err(text)?;
    let mut coefficients = DeviceBuffer::zeros(&stream, card.coefficient_len()).map_err(text)?;
    let mut out = DeviceBuffer::zeros(&stream, card.signal_len()).map_err(text)?;
    let mut workspace = card.workspace(&stream).map_err(text)?;
    stream.synchronize().map_err(text)?;
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    stream.cudarc().begin_capture(mode).map_err(driver)?;
    let launched = card
        .forward(&stream, &input, &mut coefficients, &mut workspace)
        .and_then(|()| card.adjoint(&stream, &coefficients, &mut out, &mut workspace));
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.cudarc().end_capture(flags).map_err(driver)?.ok_or("no graph")?;
    launched.map_err(text)?;
    const REPLAYS: usize = 20;
    for replay in 0..REPLAYS {
        let data = signal(card.signal_len(), replay);
        input.copy_from_host(&stream, &data).map_err(text)?;
        graph.launch().map_err(driver)?;
        let got = out.to_host(&stream).map_err(text)?;
        let expected = direct(&data).map_err(text)?;
        if let Some(at) = (0..got.len()).find(|i| got[*i].to_bits() != expected[*i].to_bits()) {
            return Err(format!(
                "replay {replay}: value {at} is {}, not {}",
                got[at], expected[at]
            ));
        }
    }
    let launches = card.launches(waveloom_codegen::Operation::Forward).unwrap_or(0);
    Ok(format!("{REPLAYS} replays; forward has {launches} launches"))
}
