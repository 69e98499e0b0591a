//! Every call whose soundness the compiler cannot check: loading CUDA's libraries, NVRTC's C
//! interface, page-locked memory, and the launch of a kernel. Each block names what makes it sound; the rest of the
//! runtime is safe code on top of these functions.
#![allow(unsafe_code)]

use crate::device::{DeviceError, Plain};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, PinnedHostSlice, result, sys as driver,
};
use cudarc::nvrtc::result as nvrtc_result;
use cudarc::nvrtc::sys as nvrtc;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, OnceLock};

/// Whether the driver's library can be loaded. Must be asked before any other call to the driver:
/// cudarc panics if the library is missing.
pub(crate) fn driver_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading the library runs its initialisers, which is what every user of CUDA does; no
    // symbol of it is used here.
    *PRESENT.get_or_init(|| unsafe { driver::is_culib_present() })
}

/// Whether NVRTC's library can be loaded; as [`driver_present`].
pub(crate) fn nvrtc_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: as in `driver_present`.
    *PRESENT.get_or_init(|| unsafe { nvrtc::is_culib_present() })
}

/// The driver's version, as 13000 for 13.0.
pub(crate) fn driver_version() -> Result<u32, DeviceError> {
    if !driver_present() {
        return Err(DeviceError::NoDriver);
    }
    let mut version: c_int = 0;
    // SAFETY: the library is present, and the pointer is valid for one int.
    unsafe { driver::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(DeviceError::driver("asking for the driver's version"))?;
    Ok(version.max(0) as u32)
}

/// The card's primary context, without cudarc's tracking of every use by events: recording and
/// awaiting events of earlier work is forbidden while a stream is captured into a graph.
pub(crate) fn context(ordinal: usize) -> Result<Arc<CudaContext>, DeviceError> {
    if !driver_present() {
        return Err(DeviceError::NoDriver);
    }
    let context = CudaContext::new(ordinal).map_err(DeviceError::driver("opening the device"))?;
    // SAFETY: what tracking would ensure is ensured otherwise. A `DeviceBuffer` remembers the
    // streams that use it and is freed after their work; work of different streams on the same
    // buffer is ordered by the caller, and without such order only the buffer's values suffer.
    unsafe { context.disable_event_tracking() };
    Ok(context)
}

/// Blocks along x and y, threads of a block, bytes of its dynamic shared memory, and whether the launch may
/// begin before the one before it on the stream ends, as soon as all blocks of that allow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub blocks: [u32; 2],
    pub threads: u32,
    pub shared_bytes: u32,
    pub beside: bool,
}

/// Puts one launch on the stream. The kernel takes the addresses of three buffers and one or two
/// structures of 64-bit words by value.
pub(crate) fn launch(
    function: &CudaFunction,
    stream: &CudaStream,
    configuration: Configuration,
    buffers: &[u64; 3],
    words: [&[i64]; 2],
) -> Result<(), DeviceError> {
    let context = stream.context();
    context.bind_to_thread().map_err(DeviceError::driver("binding the context"))?;
    let pointer = |buffer: &u64| ptr::from_ref(buffer).cast_mut().cast::<c_void>();
    let [first, second, third] = buffers;
    let [words, more] = words.map(|words| words.as_ptr().cast_mut().cast::<c_void>());
    let Configuration { blocks: [x, y], threads, shared_bytes, beside } = configuration;
    let mut arguments = [pointer(first), pointer(second), pointer(third), words, more];
    if beside {
        let mut attribute = driver::CUlaunchAttribute {
            id: driver::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: driver::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let configuration = driver::CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: shared_bytes,
            hStream: stream.cu_stream(),
            attrs: &mut attribute,
            numAttrs: 1,
        };
        // SAFETY: as below; the configuration and its one attribute live until the call returns. Only functions of
        // strips and of walks along lines are launched so. Those for blocks at an end await the end of all earlier launches before they
        // touch an array, and let the next launch begin only after that. That for blocks inside is launched right
        // after the one for the same kernel's ends: it reads and writes nothing that this one writes, writes nothing
        // that this one reads, and does not end before it.
        return unsafe {
            driver::cuLaunchKernelEx(
                &configuration,
                function.cu_function(),
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
        .result()
        .map_err(DeviceError::driver("launching a kernel"));
    }
    // SAFETY: the function belongs to a loaded module, which `function` keeps alive, and the stream
    // to the same card (`Kernel::launch` checks it). The driver copies the parameters during the
    // call and reads exactly their declared sizes: three addresses, and as many words as the slices
    // hold (`Kernel::launch` checks that against the sizes that the text was written with; a kernel
    // with one structure has no fifth parameter that could be read). The
    // addresses lie in buffers that the caller borrows and that are freed only after this stream's
    // work. What the kernel accesses is bounded by the spans among the words: text is only emitted
    // for kernels whose halo and tiles are proved.
    unsafe {
        result::launch_kernel(
            function.cu_function(),
            (x, y, 1),
            (threads, 1, 1),
            shared_bytes,
            stream.cu_stream(),
            &mut arguments,
        )
    }
    .map_err(DeviceError::driver("launching a kernel"))
}

/// Page-locked memory of the host: `len` zeros.
pub(crate) fn pinned<T: Plain>(
    context: &Arc<CudaContext>,
    len: usize,
) -> Result<PinnedHostSlice<T>, DeviceError> {
    let refused = DeviceError::driver("allocating page-locked memory");
    // SAFETY: the memory is written whole before anybody sees it, see below.
    let mut slice = unsafe { context.alloc_pinned_with_flags::<T>(len, 0) }.map_err(&refused)?;
    let first = slice.as_mut_ptr().map_err(&refused)?;
    // SAFETY: the allocation holds `len` elements of `T`, for which zero bytes are a value
    // (`Plain` asks for `ValidAsZeroBits`), and nobody else has its address yet.
    unsafe { ptr::write_bytes(first, 0, len) };
    Ok(slice)
}

/// NVRTC's version.
pub(crate) fn nvrtc_version() -> Result<(i32, i32), DeviceError> {
    require_nvrtc()?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: the library is present, and both pointers are valid for one int.
    let status = unsafe { nvrtc::nvrtcVersion(&mut major, &mut minor) };
    checked("asking for its version", status)?;
    Ok((major, minor))
}

/// The architectures NVRTC can compile for, rising, as 90 for compute capability 9.0.
pub(crate) fn nvrtc_architectures() -> Result<Vec<u32>, DeviceError> {
    require_nvrtc()?;
    let mut count: c_int = 0;
    // SAFETY: the library is present, and the pointer is valid for one int.
    checked("counting architectures", unsafe { nvrtc::nvrtcGetNumSupportedArchs(&mut count) })?;
    let mut architectures = vec![0 as c_int; count.max(0) as usize];
    if !architectures.is_empty() {
        // SAFETY: the vector holds as many ints as the call before promised to write.
        let status = unsafe { nvrtc::nvrtcGetSupportedArchs(architectures.as_mut_ptr()) };
        checked("listing architectures", status)?;
    }
    let mut architectures: Vec<u32> =
        architectures.into_iter().filter_map(|arch| u32::try_from(arch).ok()).collect();
    architectures.sort_unstable();
    Ok(architectures)
}

/// What [`nvrtc_compile`] made of a text.
pub(crate) struct Outcome {
    /// The image (PTX without its final NUL, or a cubin), unless the text was refused.
    pub image: Option<Vec<u8>>,
    /// The compiler's log.
    pub log: String,
}

/// Compiles `source`, called `name` in messages, to PTX or a cubin.
pub(crate) fn nvrtc_compile(
    source: &CStr,
    name: &CStr,
    options: &[CString],
    cubin: bool,
) -> Result<Outcome, DeviceError> {
    require_nvrtc()?;
    let handle = nvrtc_result::create_program(source, Some(name))
        .map_err(|error| failure("creating a program", error.0))?;
    let program = Program(handle);
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program was created above and is destroyed when `program` drops; the options are
    // NUL-terminated and outlive the call.
    let status =
        unsafe { nvrtc::nvrtcCompileProgram(program.0, options.len() as c_int, options.as_ptr()) };
    // SAFETY: the program is alive.
    let log = unsafe { nvrtc_result::get_program_log(program.0) }
        .map_err(|error| failure("reading the log", error.0))?;
    let log: Vec<u8> = log.into_iter().map(|c| c as u8).take_while(|byte| *byte != 0).collect();
    let log = String::from_utf8_lossy(&log).into_owned();
    if status == nvrtc::nvrtcResult::NVRTC_ERROR_COMPILATION {
        return Ok(Outcome { image: None, log });
    }
    checked("compiling", status)?;
    let image = if cubin { program.cubin()? } else { program.ptx()? };
    Ok(Outcome { image: Some(image), log })
}

/// An NVRTC program, destroyed when dropped.
struct Program(nvrtc::nvrtcProgram);

impl Program {
    fn ptx(&self) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: the program is alive and was compiled.
        let text = unsafe { nvrtc_result::get_ptx(self.0) }
            .map_err(|error| failure("reading PTX", error.0))?;
        Ok(text.into_iter().map(|c| c as u8).take_while(|byte| *byte != 0).collect())
    }

    fn cubin(&self) -> Result<Vec<u8>, DeviceError> {
        let mut size = 0;
        // SAFETY: the program is alive and was compiled for a real architecture; the pointer is
        // valid for one size.
        let status = unsafe { nvrtc::nvrtcGetCUBINSize(self.0, &mut size) };
        checked("measuring the cubin", status)?;
        let mut cubin = vec![0_u8; size];
        // SAFETY: the vector holds as many bytes as the call before promised to write.
        let status = unsafe { nvrtc::nvrtcGetCUBIN(self.0, cubin.as_mut_ptr().cast()) };
        checked("reading the cubin", status)?;
        Ok(cubin)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created by NVRTC, destroyed once. A failure leaves nothing to be done.
            let _ = unsafe { nvrtc_result::destroy_program(self.0) };
        }
    }
}

fn require_nvrtc() -> Result<(), DeviceError> {
    if nvrtc_present() { Ok(()) } else { Err(DeviceError::NoCompiler) }
}

fn checked(action: &'static str, status: nvrtc::nvrtcResult) -> Result<(), DeviceError> {
    if status == nvrtc::nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(failure(action, status)) }
}

fn failure(action: &'static str, status: nvrtc::nvrtcResult) -> DeviceError {
    DeviceError::Nvrtc { action, reason: format!("{status:?}") }
}
