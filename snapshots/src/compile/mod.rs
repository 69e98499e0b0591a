//! Has NVIDIA's compilers judge CUDA text, without a GPU: NVRTC to PTX for each architecture, then
//! `ptxas` to machine code, which reports registers and spills.

mod report;

use crate::Skipped;
use crate::conformance::Breadth;
use crate::skipped::{content_key, target_directory};
use report::parse;
use std::path::{Path, PathBuf};
use std::process::Command;
use waveloom::device::{DeviceError, Nvrtc, Target};

pub use report::Resources;

/// The compute capabilities that every emitted text must compile for, as 90 for 9.0.
pub const CAPABILITIES: [u32; 4] = [75, 80, 90, 100];

/// The compute capabilities that text `index` of a list is compiled for: all, or one in turn. The texts of one strategy
/// come at changing places of a list, so that every strategy meets every capability.
pub fn capabilities(breadth: Breadth, index: usize) -> &'static [u32] {
    match breadth {
        Breadth::Broad => &CAPABILITIES,
        Breadth::Quick => {
            let at = index % CAPABILITIES.len();
            &CAPABILITIES[at..=at]
        }
    }
}

/// Why a text does not pass.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// NVRTC refused it.
    #[error("for compute capability {}.{}: {error}", capability / 10, capability % 10)]
    Nvrtc {
        /// For which card.
        capability: u32,
        /// With log and source.
        error: DeviceError,
    },
    /// `ptxas` refused the PTX, or could not be run.
    #[error("ptxas for sm_{capability}: {log}")]
    Ptxas {
        /// For which card.
        capability: u32,
        /// What it said.
        log: String,
    },
    /// Registers were spilled to local memory.
    #[error("sm_{capability}: {resources} (spills)")]
    Spills {
        /// For which card.
        capability: u32,
        /// The kernel's report.
        resources: Resources,
    },
}

/// NVRTC and `ptxas`.
#[derive(Clone, Debug)]
pub struct Toolchain {
    nvrtc: Nvrtc,
    ptxas: PathBuf,
    version: String,
}

impl Toolchain {
    /// Loads NVRTC and looks for `ptxas`: `$PTXAS` if set, else on the search path.
    pub fn find() -> Result<Self, Skipped> {
        const CHECK: &str = "CUDA text compiled by NVRTC and ptxas";
        let skipped = |reason: String| Skipped::new(CHECK, reason);
        let nvrtc = Nvrtc::find().map_err(|error| skipped(error.to_string()))?;
        let missing: Vec<String> = CAPABILITIES
            .iter()
            .filter(|capability| !nvrtc.architectures().contains(capability))
            .map(u32::to_string)
            .collect();
        if !missing.is_empty() {
            let (major, minor) = nvrtc.version();
            let missing = missing.join(", ");
            return Err(skipped(format!("NVRTC {major}.{minor} does not know compute_{missing}")));
        }
        let ptxas = std::env::var_os("PTXAS").map_or_else(|| PathBuf::from("ptxas"), PathBuf::from);
        let output = Command::new(&ptxas).arg("--version").output();
        let output = output.map_err(|error| skipped(format!("{}: {error}", ptxas.display())))?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(skipped(format!("{} --version: {}", ptxas.display(), output.status)));
        }
        Ok(Self { nvrtc, ptxas, version })
    }

    /// Compiles a text for one card and reports what its kernels use, in the order of their names.
    /// Reports are kept in cargo's target directory, by content.
    ///
    /// # Errors
    ///
    /// What the compilers said, with the source.
    pub fn resources(
        &self,
        source: &str,
        name: &str,
        capability: u32,
    ) -> Result<Vec<Resources>, CheckError> {
        let target = Target::Ptx(capability);
        let (major, minor) = self.nvrtc.version();
        let options = target.options().join(" ");
        let key = content_key(&[source, &options, &format!("{major}.{minor}"), &self.version]);
        let place = target_directory().join("compile").join(key);
        if let Ok(report) = std::fs::read_to_string(&place) {
            return Ok(parse(&report));
        }
        let image = self
            .nvrtc
            .compile(source, &format!("{name}.cu"), target)
            .map_err(|error| CheckError::Nvrtc { capability, error })?;
        let report = self.assemble(&image.bytes, capability)?;
        // Only saves time: a failure to keep the report is none of the check.
        let _ = keep(&place, &report);
        Ok(parse(&report))
    }

    /// Compiles a text for each of some cards.
    ///
    /// # Errors
    ///
    /// Also if a kernel spills.
    pub fn check(
        &self,
        source: &str,
        name: &str,
        capabilities: &[u32],
    ) -> Result<Vec<(u32, Vec<Resources>)>, CheckError> {
        let mut all = Vec::new();
        for &capability in capabilities {
            let kernels = self.resources(source, name, capability)?;
            if let Some(spilling) = kernels.iter().find(|kernel| kernel.spills()) {
                return Err(CheckError::Spills { capability, resources: spilling.clone() });
            }
            all.push((capability, kernels));
        }
        Ok(all)
    }

    fn assemble(&self, ptx: &[u8], capability: u32) -> Result<String, CheckError> {
        let fail = |log: String| CheckError::Ptxas { capability, log };
        let directory = tempfile::tempdir().map_err(|error| fail(error.to_string()))?;
        let input = directory.path().join("kernel.ptx");
        std::fs::write(&input, ptx).map_err(|error| fail(error.to_string()))?;
        let output = Command::new(&self.ptxas)
            .arg("--verbose")
            .arg(format!("--gpu-name=sm_{capability}"))
            .arg("--output-file")
            .arg(directory.path().join("kernel.cubin"))
            .arg(&input)
            .output()
            .map_err(|error| fail(error.to_string()))?;
        let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
        log.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(log) } else { Err(fail(log)) }
    }
}

fn keep(place: &Path, report: &str) -> std::io::Result<()> {
    let directory = place.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let file = tempfile::NamedTempFile::new_in(directory)?;
    std::fs::write(file.path(), report)?;
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}
