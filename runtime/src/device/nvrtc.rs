//! CUDA text to machine code.

use super::error::{CompileError, DeviceError};
use crate::seam;
use std::ffi::CString;

/// What a text is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// PTX for a virtual architecture, as 90 for `compute_90`: runs there and on later cards, after
    /// the driver has compiled it.
    Ptx(u32),
    /// Machine code for exactly this architecture, as 90 for `sm_90`.
    Cubin(u32),
}

impl Target {
    /// The target's name among the compiler's options.
    pub fn architecture(self) -> String {
        match self {
            Target::Ptx(number) => format!("compute_{number}"),
            Target::Cubin(number) => format!("sm_{number}"),
        }
    }

    /// The options every text is compiled with. Contraction is off: the text says itself where it
    /// wants a fused multiply-add.
    pub fn options(self) -> Vec<String> {
        vec![
            format!("--gpu-architecture={}", self.architecture()),
            "--std=c++17".to_owned(),
            "--fmad=false".to_owned(),
        ]
    }
}

/// The two kinds of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// PTX, as text.
    Ptx,
    /// Machine code.
    Cubin,
}

/// Compiled code, ready to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Of which kind.
    pub kind: ImageKind,
    /// The code.
    pub bytes: Vec<u8>,
}

/// The run-time compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvrtc {
    version: (i32, i32),
    architectures: Vec<u32>,
}

impl Nvrtc {
    /// Loads the compiler's library.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoCompiler`] if it is not found.
    pub fn find() -> Result<Self, DeviceError> {
        let version = seam::nvrtc_version()?;
        Ok(Self { version, architectures: seam::nvrtc_architectures()? })
    }

    /// Its version, as (13, 0).
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// What it can compile for, rising, as 90 for compute capability 9.0.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// The best target for a card: its own machine code, or PTX of the newest architecture that it
    /// can run, for cards younger than the compiler.
    pub fn target(&self, capability: u32) -> Result<Target, DeviceError> {
        best_target(&self.architectures, capability)
            .ok_or(DeviceError::Architecture { capability, version: self.version })
    }

    /// Compiles `source`; `name` stands for a file name in messages.
    ///
    /// # Errors
    ///
    /// [`DeviceError::Compile`] with log, source and options if the text is refused.
    pub fn compile(&self, source: &str, name: &str, target: Target) -> Result<Image, DeviceError> {
        let options = target.options();
        let text = CString::new(source).map_err(|_| DeviceError::Nul)?;
        let name = CString::new(name).map_err(|_| DeviceError::Nul)?;
        let raw: Result<Vec<CString>, _> = options.iter().cloned().map(CString::new).collect();
        let raw = raw.map_err(|_| DeviceError::Nul)?;
        let cubin = matches!(target, Target::Cubin(_));
        let outcome = seam::nvrtc_compile(&text, &name, &raw, cubin)?;
        let kind = if cubin { ImageKind::Cubin } else { ImageKind::Ptx };
        match outcome.image {
            Some(bytes) => Ok(Image { kind, bytes }),
            None => Err(DeviceError::from(Box::new(CompileError {
                log: outcome.log,
                source: source.to_owned(),
                options,
            }))),
        }
    }
}

fn best_target(architectures: &[u32], capability: u32) -> Option<Target> {
    if architectures.contains(&capability) {
        return Some(Target::Cubin(capability));
    }
    architectures.iter().copied().filter(|known| *known < capability).max().map(Target::Ptx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let known = [75, 80, 90, 100];
        assert_eq!(best_target(&known, 90), Some(Target::Cubin(90)));
        assert_eq!(best_target(&known, 89), Some(Target::Ptx(80)));
        assert_eq!(best_target(&known, 130), Some(Target::Ptx(100)));
        assert_eq!(best_target(&known, 70), None);
    }

    #[test]
    fn contraction_is_off() {
        let options = Target::Cubin(90).options();
        assert_eq!(options, ["--gpu-architecture=sm_90", "--std=c++17", "--fmad=false"]);
        assert_eq!(Target::Ptx(75).options()[0], "--gpu-architecture=compute_75");
    }

    #[test]
    fn without_the_library_there_is_a_clear_error() {
        match Nvrtc::find() {
            Ok(nvrtc) => {
                assert!(nvrtc.version() >= (11, 0));
                let image = nvrtc
                    .compile(
                        "extern \"C\" __global__ void k(float* x) { *x = 1.0f; }",
                        "k.cu",
                        Target::Ptx(75),
                    )
                    .unwrap();
                assert!(String::from_utf8(image.bytes).unwrap().contains(".entry k("));
                let error = nvrtc.compile("what?", "what.cu", Target::Cubin(90)).unwrap_err();
                let DeviceError::Compile(error) = error else { panic!("{error}") };
                assert!(error.log.contains("what.cu(1)"), "{}", error.log);
                assert_eq!(error.source, "what?");
                assert!(error.to_string().contains("    1  what?"));
                assert_eq!(nvrtc.compile("\0", "nul", Target::Ptx(75)), Err(DeviceError::Nul));
            }
            Err(error) => {
                assert_eq!(error, DeviceError::NoCompiler);
                assert!(error.to_string().contains("libnvrtc"), "{error}");
            }
        }
    }
}
