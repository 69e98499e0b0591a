//! On a real card; without one, each test says so and passes.

use super::*;
use cudarc::driver::sys;
use std::io::Write as _;

const TEXT: &str = r#"
struct Words { long long len; long long add; };
extern "C" __global__ void __launch_bounds__(128)
shift(const float* from, float* to, float*, const __grid_constant__ Words words)
{
    const long long i = blockIdx.x * 128ll + threadIdx.x;
    if (blockIdx.y == 0 && i < words.len) to[i] = from[i] + static_cast<float>(words.add);
}
extern "C" __global__ void __launch_bounds__(256)
reverse(const float* from, float* to, float*, const __grid_constant__ Words words)
{
    extern __shared__ __align__(16) float tile[];
    for (int i = threadIdx.x; i < words.len; i += 256) tile[i] = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < words.len; i += 256) to[i] = tile[words.len - 1 - i];
}
"#;

const SHIFT: LaunchShape = LaunchShape {
    threads: 128,
    resident: 0,
    shared_bytes: 0,
    parameter_words: 2,
    part_words: 0,
    copies: false,
    sums: false,
};

fn card(cache: DiskCache) -> Option<std::sync::Arc<Gpu>> {
    match Device::cuda_with_cache(0, cache) {
        Ok(device) => device.cuda_context().cloned(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "skipped: launches on a card: {error}");
            None
        }
    }
}

/// Launches over enough blocks of 128 threads.
fn launch(
    kernel: &Kernel,
    stream: &Stream,
    from: &DeviceBuffer<f32>,
    to: &DeviceBuffer<f32>,
    add: i64,
) -> Result<(), DeviceError> {
    let buffers = [from.address(stream)?, to.address(stream)?, 0];
    let blocks = [from.len().div_ceil(128) as u64, 1];
    kernel.launch(stream, blocks, &buffers, &[from.len() as i64, add], None)
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32).collect()
}

#[test]
fn the_text_of_these_tests_compiles() -> Result<(), DeviceError> {
    match Nvrtc::find() {
        Ok(nvrtc) => nvrtc.compile(TEXT, "tests.cu", Target::Cubin(90)).map(drop),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "skipped: compilation by NVRTC: {error}");
            Ok(())
        }
    }
}

#[test]
fn buffers_streams_and_launches() -> Result<(), DeviceError> {
    let Some(gpu) = card(DiskCache::off()) else { return Ok(()) };
    let shift = gpu.kernel(TEXT, "shift", SHIFT)?;
    let (one, two) = (gpu.new_stream()?, gpu.default_stream());
    let from = DeviceBuffer::from_host(&one, &ramp(1000))?;
    let middle = DeviceBuffer::zeros(&one, 1000)?;
    let to = DeviceBuffer::zeros(&two, 1000)?;
    launch(&shift, &one, &from, &middle, 5)?;
    two.wait_for(&one)?;
    launch(&shift, &two, &middle, &to, 7)?;
    drop((from, middle));
    let expected: Vec<f32> = (0..1000).map(|i| (i + 12) as f32).collect();
    assert_eq!(to.to_host(&two)?, expected);
    assert!(shift.registers()? > 0);
    assert_eq!(shift.local_bytes()?, 0);
    assert!(shift.blocks_per_multiprocessor()? > 0);

    let empty = DeviceBuffer::<f32>::from_host(&two, &[])?;
    assert!(empty.is_empty() && empty.to_host(&two)?.is_empty());
    launch(&shift, &two, &empty, &empty, 0)?;

    let slice = to.into_cudarc().unwrap();
    assert_eq!(DeviceBuffer::from_cudarc(slice).to_host(&two)?, expected);
    Ok(())
}

#[test]
fn more_than_48_kib_of_shared_memory() -> Result<(), DeviceError> {
    let Some(gpu) = card(DiskCache::off()) else { return Ok(()) };
    let bytes = gpu.limits().shared_bytes_per_block;
    let shape = LaunchShape {
        threads: 256,
        resident: 0,
        shared_bytes: bytes,
        parameter_words: 2,
        part_words: 0,
        copies: false,
        sums: false,
    };
    let reverse = gpu.kernel(TEXT, "reverse", shape)?;
    let stream = gpu.new_stream()?;
    let from = DeviceBuffer::from_host(&stream, &ramp(bytes as usize / 4))?;
    let to = DeviceBuffer::<f32>::zeros(&stream, from.len())?;
    let buffers = [from.address(&stream)?, to.address(&stream)?, 0];
    reverse.launch(&stream, [1, 1], &buffers, &[from.len() as i64, 0], None)?;
    let mut expected = ramp(from.len());
    expected.reverse();
    assert_eq!(to.to_host(&stream)?, expected);

    let shape = LaunchShape { shared_bytes: bytes + 1, ..shape };
    let error = gpu.kernel(TEXT, "reverse", shape).unwrap_err();
    assert!(matches!(error, DeviceError::Limit { .. }), "{error}");
    Ok(())
}

#[test]
fn a_launch_can_be_captured_and_replayed() -> Result<(), DeviceError> {
    let Some(gpu) = card(DiskCache::off()) else { return Ok(()) };
    let shift = gpu.kernel(TEXT, "shift", SHIFT)?;
    let (stream, other) = (gpu.new_stream()?, gpu.new_stream()?);
    // Allocated on, and used before by, another stream.
    let a = DeviceBuffer::from_host(&other, &ramp(300))?;
    let b = DeviceBuffer::zeros(&other, 300)?;
    launch(&shift, &other, &a, &b, 0)?;
    other.synchronize()?;
    let driver = |action| DeviceError::driver(action);
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    stream.cudarc().begin_capture(mode).map_err(driver("begin"))?;
    launch(&shift, &stream, &a, &b, 1)?;
    launch(&shift, &stream, &b, &a, 1)?;
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.cudarc().end_capture(flags).map_err(driver("end"))?.unwrap();
    for _ in 0..10 {
        graph.launch().map_err(driver("replay"))?;
    }
    let expected: Vec<f32> = (0..300).map(|i| (i + 20) as f32).collect();
    assert_eq!(a.to_host(&stream)?, expected);
    Ok(())
}

#[test]
fn mistakes_are_typed() -> Result<(), DeviceError> {
    let Some(gpu) = card(DiskCache::off()) else { return Ok(()) };
    let stream = gpu.default_stream();
    let shift = gpu.kernel(TEXT, "shift", SHIFT)?;
    let error = shift.launch(&stream, [1, 1], &[0; 3], &[0; 3], None).unwrap_err();
    assert!(matches!(error, DeviceError::Parameters { expected: 2, given: 3, .. }), "{error}");
    for blocks in [[1 << 31, 1], [1, 1 << 16], [1 << 60, 1]] {
        let error = shift.launch(&stream, blocks, &[0; 3], &[0; 2], None).unwrap_err();
        assert!(matches!(error, DeviceError::Limit { what: "blocks", .. }), "{error}");
    }
    let error = gpu.kernel(TEXT, "missing", SHIFT).unwrap_err();
    assert!(matches!(error, DeviceError::Driver { .. }), "{error}");
    let error = gpu.kernel("what?", "shift", SHIFT).unwrap_err();
    assert!(matches!(error, DeviceError::Compile(_)), "{error}");
    for len in [1_usize << 45, usize::MAX / 2, usize::MAX] {
        let error = DeviceBuffer::<f32>::zeros(&stream, len).unwrap_err();
        assert!(matches!(error, DeviceError::OutOfMemory { .. }), "{error}");
    }
    let mut buffer = DeviceBuffer::from_host(&stream, &ramp(4))?;
    let error = buffer.copy_from_host(&stream, &ramp(5)).unwrap_err();
    assert!(matches!(error, DeviceError::Length { expected: 4, given: 5, .. }), "{error}");
    assert_eq!(buffer.to_host(&stream)?, ramp(4), "a failed copy changes nothing");
    Ok(())
}

/// Threads compile the same and different texts at once; the second opening finds them on disk, and
/// a file that is sound but no code is replaced.
#[test]
fn kernels_come_from_the_cache() -> Result<(), DeviceError> {
    let directory = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(directory.path());
    let Some(gpu) = card(cache.clone()) else { return Ok(()) };
    let other = format!("{TEXT}\n// another\n");
    std::thread::scope(|scope| {
        let load = |text: &'_ str| gpu.kernel(text, "shift", SHIFT).map(drop);
        let tasks: Vec<_> =
            [TEXT, &other, TEXT, &other].map(|text| scope.spawn(move || load(text))).into();
        tasks.into_iter().try_for_each(|task| task.join().unwrap())
    })?;
    let files = || std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(files(), 2);

    let nvrtc = Nvrtc::find()?;
    let target = nvrtc.target(gpu.limits().capability)?;
    let driver = gpu.driver_version();
    let key = CacheKey { source: TEXT, target, compiler: nvrtc.version(), driver };
    let image = cache.load(&key).unwrap();
    let nonsense = Image { kind: image.kind, bytes: b"no code".to_vec() };
    cache.store(&key, &nonsense);
    let again = card(cache.clone()).unwrap();
    again.kernel(TEXT, "shift", SHIFT)?;
    assert_eq!(cache.load(&key), Some(image));
    assert_eq!(files(), 2);
    Ok(())
}

#[test]
fn page_locked_memory_goes_to_the_card_and_back() {
    let Some(gpu) = &card(DiskCache::off()) else { return };
    let stream = gpu.new_stream().unwrap();
    let mut there = PinnedBuffer::<f32>::zeros(gpu, 1000).unwrap();
    assert_eq!(there.as_slice().unwrap(), [0.0; 1000]);
    let values = there.as_mut_slice().unwrap().iter_mut().enumerate();
    values.for_each(|(i, value)| *value = i as f32);
    let mut buffer = DeviceBuffer::zeros(&stream, 1000).unwrap();
    let mut back = PinnedBuffer::<f32>::zeros(gpu, 1000).unwrap();
    buffer.copy_from_pinned(&stream, &there).unwrap();
    buffer.copy_to_pinned(&stream, &mut back).unwrap();
    assert_eq!(back.as_slice().unwrap(), there.as_slice().unwrap());
    let short = PinnedBuffer::<f32>::zeros(gpu, 999).unwrap();
    assert!(buffer.copy_from_pinned(&stream, &short).is_err());
}
