//! Too little memory on the card.

use super::text;
use waveloom::device::{Device, DeviceBuffer, DeviceError, Stream};
use waveloom::{ExecuteError, Plan, PlanError};
use waveloom_wavelets::catalogue;

/// Takes memory until less than 64 MiB are left.
fn hoard(stream: &Stream) -> Result<Vec<DeviceBuffer<u8>>, String> {
    let mut taken = Vec::new();
    let mut chunk = 1_usize << 40;
    while chunk > 32 << 20 {
        match DeviceBuffer::zeros(stream, chunk) {
            Ok(buffer) => taken.push(buffer),
            Err(DeviceError::OutOfMemory { .. }) => chunk /= 2,
            Err(error) => return Err(text(error)),
        }
    }
    Ok(taken)
}

/// A call without room is a typed error and leaves its output alone; a plan without room for its
/// workspace is one, too; once there is room again, both work.
pub fn exhausted(device: &Device) -> Result<String, String> {
    let gpu = device.cuda_context().ok_or("the device is the CPU")?;
    let stream = gpu.new_stream().map_err(text)?;
    let wavelet = catalogue::wavelet("bior4.4").map_err(text)?;
    let build = || Plan::<f32>::builder(&wavelet, &[1 << 26]).device(device).build();
    let planned = || Plan::<f32>::builder(&wavelet, &[1 << 13, 1 << 13]).device(device).build();
    let plan = build().map_err(text)?;
    planned().map_err(text)?;
    let (signal, mut output) =
        (vec![1.0_f32; plan.signal_len()], vec![7.0; plan.coefficient_len()]);
    let mut workspace = plan.workspace();
    let hoarded = hoard(&stream)?;
    let (free, total) = gpu.memory().map_err(text)?;
    match plan.forward(&signal, &mut output, &mut workspace) {
        Err(ExecuteError::Device(DeviceError::OutOfMemory { .. })) => {}
        Ok(()) => return Err(format!("{free} of {total} bytes free, but a call found room")),
        Err(other) => return Err(format!("expected out of memory, got: {}", text(other))),
    }
    if output.iter().any(|value| *value != 7.0) {
        return Err("the output was touched".to_owned());
    }
    match planned() {
        Err(PlanError::Device(DeviceError::OutOfMemory { .. })) => {}
        Ok(_) => return Err(format!("{free} of {total} bytes free, but a plan found room")),
        Err(other) => return Err(format!("expected out of memory, got: {}", text(other))),
    }
    drop(hoarded);
    stream.synchronize().map_err(text)?;
    planned().map_err(text)?;
    plan.forward(&signal, &mut output, &mut workspace).map_err(text)?;
    if output.iter().all(|value| *value == 7.0) {
        return Err("the call after the shortage wrote nothing".to_owned());
    }
    Ok(format!("with {} MiB of {} free", free >> 20, total >> 20))
}
