//! Choosing a device.

use super::cache::DiskCache;
use super::error::DeviceError;
use super::gpu::{Gpu, Limits};
use super::nvrtc::Nvrtc;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Which device is wanted: `auto`, `cpu`, `cuda` (card 0) or `cuda:N`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The first card that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A card.
    Cuda(usize),
}

/// A device name that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown device '{given}'; expected auto, cpu, cuda or cuda:N")]
pub struct ParseSelectionError {
    /// What was given.
    pub given: String,
}

impl FromStr for Selection {
    type Err = ParseSelectionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseSelectionError { given: text.to_owned() };
        match text {
            "auto" => Ok(Selection::Auto),
            "cpu" => Ok(Selection::Cpu),
            "cuda" => Ok(Selection::Cuda(0)),
            _ => {
                let number = text.strip_prefix("cuda:").ok_or_else(error)?;
                let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let number = digits.then(|| number.parse().ok()).flatten();
                number.map(Selection::Cuda).ok_or_else(error)
            }
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::Auto => f.write_str("auto"),
            Selection::Cpu => f.write_str("cpu"),
            Selection::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// Where transforms run. Clones are the same device.
#[derive(Clone, Debug)]
pub struct Device {
    gpu: Option<Arc<Gpu>>,
}

impl Device {
    /// The CPU.
    pub fn cpu() -> Self {
        Self { gpu: None }
    }

    /// Card `ordinal`, with the kernel cache that the environment names.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`], [`DeviceError::NoCompiler`] or [`DeviceError::NoDevice`] say what
    /// is missing.
    pub fn cuda(ordinal: usize) -> Result<Self, DeviceError> {
        Self::cuda_with_cache(ordinal, DiskCache::from_environment())
    }

    /// Card `ordinal` with a given kernel cache.
    pub fn cuda_with_cache(ordinal: usize, cache: DiskCache) -> Result<Self, DeviceError> {
        let gpu = Gpu::open(ordinal, cache)?;
        // Without a compiler nothing can run: better known now than at the first plan.
        Nvrtc::find()?.target(gpu.limits().capability)?;
        Ok(Self { gpu: Some(Arc::new(gpu)) })
    }

    /// The device that is wanted. `Auto` never fails: why a card is not used is reported through
    /// `tracing`.
    pub fn select(selection: Selection) -> Result<Self, DeviceError> {
        match selection {
            Selection::Cpu => Ok(Self::cpu()),
            Selection::Cuda(ordinal) => Self::cuda(ordinal),
            Selection::Auto => Ok(Self::auto()),
        }
    }

    /// The first card that works, else the CPU.
    pub fn auto() -> Self {
        let count = Gpu::count().unwrap_or(0);
        for ordinal in 0..count {
            match Self::cuda(ordinal) {
                Ok(device) => return device,
                Err(error) => tracing::warn!(ordinal, %error, "a CUDA device is not used"),
            }
        }
        tracing::debug!("no CUDA device: using the CPU");
        Self::cpu()
    }

    /// Every device: the CPU first, then the cards. Cards that cannot be used say why.
    pub fn list() -> Vec<Description> {
        let mut all = vec![Description {
            selection: Selection::Cpu,
            name: cpu_name(),
            limits: None,
            unusable: None,
        }];
        match Gpu::count() {
            Ok(0) => {}
            Err(error) => all.push(Description::unusable(0, error)),
            Ok(count) => all.extend((0..count).map(|ordinal| match Self::cuda(ordinal) {
                Err(error) => Description::unusable(ordinal, error),
                Ok(device) => Description {
                    selection: Selection::Cuda(ordinal),
                    name: device.to_string(),
                    limits: device.gpu.map(|gpu| *gpu.limits()),
                    unusable: None,
                },
            })),
        }
        all
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.gpu.is_none()
    }

    /// The card, unless this is the CPU.
    pub fn cuda_context(&self) -> Option<&Arc<Gpu>> {
        self.gpu.as_ref()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.gpu {
            None => f.write_str("CPU"),
            Some(gpu) => f.write_str(gpu.name()),
        }
    }
}

/// One line of a list of devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// How to ask for it.
    pub selection: Selection,
    /// Its name; empty if it could not be asked.
    pub name: String,
    /// What a card can do.
    pub limits: Option<Limits>,
    /// Why it cannot be used.
    pub unusable: Option<DeviceError>,
}

impl Description {
    fn unusable(ordinal: usize, error: DeviceError) -> Self {
        Self {
            selection: Selection::Cuda(ordinal),
            name: String::new(),
            limits: None,
            unusable: Some(error),
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.selection)?;
        if !self.name.is_empty() {
            write!(f, "  {}", self.name)?;
        }
        if let Some(limits) = &self.limits {
            write!(
                f,
                ", compute capability {}.{}, {} multiprocessors, {:.1} GiB",
                limits.capability / 10,
                limits.capability % 10,
                limits.multiprocessors,
                limits.memory_bytes as f64 / (1_u64 << 30) as f64
            )?;
        }
        if let Some(error) = &self.unusable {
            write!(f, "  unusable: {error}")?;
        }
        Ok(())
    }
}

fn cpu_name() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    format!("{}, {threads} threads", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_parse_and_print() {
        for (text, selection) in [
            ("auto", Selection::Auto),
            ("cpu", Selection::Cpu),
            ("cuda", Selection::Cuda(0)),
            ("cuda:0", Selection::Cuda(0)),
            ("cuda:12", Selection::Cuda(12)),
        ] {
            assert_eq!(text.parse(), Ok(selection));
            assert_eq!(selection.to_string().parse(), Ok(selection));
        }
        for bad in ["", "gpu", "cuda:", "cuda:-1", "cuda:+1", "CUDA", "cuda:99999999999999999999"] {
            let error = bad.parse::<Selection>().unwrap_err();
            assert_eq!(error.given, bad);
            assert!(error.to_string().contains("expected auto, cpu, cuda or cuda:N"));
        }
    }

    /// On any machine: either a card works, or the error is typed and says what is missing.
    #[test]
    fn a_missing_driver_is_a_clear_error() {
        assert!(Device::cpu().is_cpu());
        let auto = Device::auto();
        match Device::cuda(0) {
            Ok(device) => {
                assert!(!device.is_cpu());
                assert!(!auto.is_cpu());
            }
            Err(error) => {
                assert!(auto.is_cpu());
                if error == DeviceError::NoDriver {
                    assert!(error.to_string().contains("libcuda"), "{error}");
                    let list = Device::list();
                    assert_eq!(list.len(), 2);
                    assert_eq!(list[1].unusable, Some(DeviceError::NoDriver));
                    assert!(list[1].to_string().contains("no CUDA driver"));
                }
            }
        }
        let beyond = Device::cuda(1000).unwrap_err();
        assert!(
            matches!(beyond, DeviceError::NoDriver | DeviceError::NoDevice { ordinal: 1000, .. }),
            "{beyond}"
        );
        let list = Device::list();
        assert_eq!(list[0].selection, Selection::Cpu);
        assert!(list[0].unusable.is_none());
    }
}
