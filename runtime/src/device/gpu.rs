//! One CUDA card.

use super::cache::{CacheKey, DiskCache};
use super::error::DeviceError;
use super::kernel::{Kernel, LaunchShape};
use super::nvrtc::{Image, ImageKind, Nvrtc, Target};
use super::stream::Stream;
use crate::seam;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a card can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Compute capability, as 90 for 9.0.
    pub capability: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Shared memory of a block, in bytes, for kernels that ask for it.
    pub shared_bytes_per_block: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: u32,
    /// Second-level cache, in bytes.
    pub l2_bytes: u32,
    /// Device memory, in bytes.
    pub memory_bytes: usize,
    /// Whether a launch can begin beside the one before it on its stream, captured or not: cards since
    /// Hopper, drivers since 12.3.
    pub runs_beside: bool,
}

/// One card with its context and the texts loaded into it. Calls may come from any thread: the
/// context is bound to the calling thread whenever it is used.
#[derive(Debug)]
pub struct Gpu {
    context: Arc<CudaContext>,
    name: String,
    limits: Limits,
    driver: u32,
    cache: DiskCache,
    modules: Mutex<BTreeMap<String, Slot>>,
}

/// A text's module, once it is loaded; locked while it is being compiled.
type Slot = Arc<Mutex<Option<Arc<CudaModule>>>>;

impl Gpu {
    /// Opens card `ordinal`.
    pub(super) fn open(ordinal: usize, cache: DiskCache) -> Result<Self, DeviceError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(DeviceError::NoDevice { ordinal, count });
        }
        let driver = seam::driver_version()?;
        let context = seam::context(ordinal)?;
        let ask = DeviceError::driver("asking the device");
        let attribute = |attribute: Attribute| -> Result<u32, DeviceError> {
            Ok(context.attribute(attribute).map_err(&ask)?.max(0) as u32)
        };
        let (major, minor) = context.compute_capability().map_err(&ask)?;
        let capability = (major * 10 + minor).max(0) as u32;
        // A text that is compiled for an older card does not know how to await a launch.
        let awaits = seam::nvrtc_present()
            && seam::nvrtc_architectures()
                .is_ok_and(|known| known.iter().any(|known| (90..=capability).contains(known)));
        let limits = Limits {
            capability,
            runs_beside: awaits && driver >= 12_030,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared_bytes_per_block: attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?,
            shared_bytes_per_multiprocessor: attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
            l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
            memory_bytes: context.total_mem().map_err(&ask)?,
        };
        let name = context.name().map_err(&ask)?;
        Ok(Self { context, name, limits, driver, cache, modules: Mutex::default() })
    }

    /// Number of cards.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`] if there is no driver; a driver without cards counts none.
    pub(super) fn count() -> Result<usize, DeviceError> {
        use cudarc::driver::sys::cudaError_enum::CUDA_ERROR_NO_DEVICE;
        if !seam::driver_present() {
            return Err(DeviceError::NoDriver);
        }
        match CudaContext::device_count() {
            Ok(count) => Ok(count.max(0) as usize),
            Err(error) if error.0 == CUDA_ERROR_NO_DEVICE => Ok(0),
            Err(error) => Err(DeviceError::driver("counting devices")(error)),
        }
    }

    /// The card's number.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// The card's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it can do.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where compiled kernels and what tuning found are kept.
    pub fn cache(&self) -> &DiskCache {
        &self.cache
    }

    /// The driver's version, as 13000 for 13.0.
    pub fn driver_version(&self) -> u32 {
        self.driver
    }

    /// Free and total device memory, in bytes.
    pub fn memory(&self) -> Result<(usize, usize), DeviceError> {
        self.context.mem_get_info().map_err(DeviceError::driver("asking for memory"))
    }

    /// The stream that is ordered with all others of the card.
    pub fn default_stream(&self) -> Stream {
        Stream::from(self.context.default_stream())
    }

    /// A new stream.
    pub fn new_stream(&self) -> Result<Stream, DeviceError> {
        let stream = self.context.new_stream();
        Ok(Stream::from(stream.map_err(DeviceError::driver("creating a stream"))?))
    }

    /// cudarc's context, to share the card with other code that uses cudarc.
    pub fn cudarc(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Loads kernel `name` of a text, compiling the text unless it is loaded already or cached on
    /// disk.
    ///
    /// # Errors
    ///
    /// [`DeviceError::Compile`] with log, source and options if NVRTC refuses the text;
    /// [`DeviceError::Limit`] if the card cannot run such a block.
    pub fn kernel(
        &self,
        source: &str,
        name: &str,
        shape: LaunchShape,
    ) -> Result<Kernel, DeviceError> {
        let module = self.module(source, name)?;
        // Another thread may have loaded the module.
        self.context.bind_to_thread().map_err(DeviceError::driver("choosing the card"))?;
        Kernel::load(&module, name, shape, &self.limits, self.ordinal())
    }

    fn module(&self, source: &str, name: &str) -> Result<Arc<CudaModule>, DeviceError> {
        let slot = {
            let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            modules.entry(source.to_owned()).or_default().clone()
        };
        // One thread compiles a text, others that want the same wait for it.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*slot {
            return Ok(module.clone());
        }
        let nvrtc = Nvrtc::find()?;
        let target = nvrtc.target(self.limits.capability)?;
        let key = CacheKey { source, target, compiler: nvrtc.version(), driver: self.driver };
        let module = match self.load_cached(&key) {
            Some(module) => module,
            None => self.compile(&nvrtc, source, name, target, &key)?,
        };
        *slot = Some(module.clone());
        Ok(module)
    }

    fn load_cached(&self, key: &CacheKey<'_>) -> Option<Arc<CudaModule>> {
        let image = self.cache.load(key)?;
        match self.load(image) {
            Ok(module) => Some(module),
            Err(error) => {
                tracing::warn!(%error, "a kernel from the cache does not load: compiled anew");
                self.cache.remove(key);
                None
            }
        }
    }

    fn compile(
        &self,
        nvrtc: &Nvrtc,
        source: &str,
        name: &str,
        target: Target,
        key: &CacheKey<'_>,
    ) -> Result<Arc<CudaModule>, DeviceError> {
        let begin = std::time::Instant::now();
        let image = nvrtc.compile(source, &format!("{name}.cu"), target)?;
        tracing::debug!(
            kernel = name,
            target = target.architecture(),
            milliseconds = begin.elapsed().as_millis() as u64,
            "compiled"
        );
        self.cache.store(key, &image);
        self.load(image)
    }

    fn load(&self, image: Image) -> Result<Arc<CudaModule>, DeviceError> {
        let code = match image.kind {
            ImageKind::Cubin => Ptx::from_binary(image.bytes),
            ImageKind::Ptx => {
                let text = String::from_utf8(image.bytes).map_err(|_| DeviceError::Nul)?;
                if text.contains('\0') {
                    return Err(DeviceError::Nul);
                }
                Ptx::from_src(text)
            }
        };
        self.context.load_module(code).map_err(DeviceError::driver("loading compiled code"))
    }
}
