//! Generated code from a `build.rs`: the same text as the macro's.
//!
//! This crate reads and writes no files; a build script does that itself:
//!
//! ```no_run
//! use waveloom_codegen::build::Kernel;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! println!("cargo::rerun-if-changed=wavelets/mine.toml");
//! let text = Kernel::new("Mine", &std::fs::read_to_string("wavelets/mine.toml")?)?
//!     .dims(2)
//!     .levels(3)
//!     .text()?;
//! std::fs::write(std::path::Path::new(&std::env::var("OUT_DIR")?).join("mine.rs"), text)?;
//! # Ok(())
//! # }
//! ```
//!
//! and the crate takes it in with `mod mine { include!(concat!(env!("OUT_DIR"), "/mine.rs")); }`.

use crate::emit::cuda::{CudaRequest, Definition, ItemsError, ItemsRequest, items_text};
use crate::emit::rust::{EmitError, Request, module, vectorised_scheme};
use crate::gpu::Strategy;
use crate::kernel::Element;
use waveloom_wavelets::catalogue::{self, UnknownWavelet};
use waveloom_wavelets::definition::{self, DefinitionErrors};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// A generated transform, option by option. What is not set follows [`Request::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    wavelet: Wavelet,
    name: String,
    definition: Definition,
    strategy: Strategy,
    source: Option<String>,
    dims: usize,
    levels: Option<usize>,
    mode: Option<Mode>,
    element: Option<Element>,
    scheme: Option<SchemeKind>,
    docs: Vec<String>,
    ndarray: Option<String>,
    library: Option<String>,
}

impl Kernel {
    /// A type called `name` for the wavelet that a definition file's text describes.
    ///
    /// # Errors
    /// Every problem of the definition, with its line.
    pub fn new(name: &str, definition: &str) -> Result<Self, DefinitionErrors> {
        let kernel = Self::of(name, definition::parse(definition, name)?);
        Ok(Self { definition: Definition::Text(definition.to_owned()), ..kernel })
    }

    /// A type called `name` for a wavelet of the catalogue.
    ///
    /// # Errors
    /// There is no such wavelet.
    pub fn named(name: &str, wavelet: &str) -> Result<Self, UnknownWavelet> {
        let kernel = Self::of(name, catalogue::wavelet(wavelet)?);
        Ok(Self { definition: Definition::Catalogue, ..kernel })
    }

    /// A type called `name` for a wavelet.
    pub fn of(name: &str, wavelet: Wavelet) -> Self {
        Self {
            wavelet,
            name: name.to_owned(),
            definition: Definition::Written,
            strategy: Strategy::SHARED,
            source: None,
            dims: 1,
            levels: None,
            mode: None,
            element: None,
            scheme: None,
            docs: Vec::new(),
            ndarray: None,
            library: None,
        }
    }

    /// How the header's command names the wavelet: the definition file. By default its name.
    #[must_use]
    pub fn source(self, source: &str) -> Self {
        Self { source: Some(source.to_owned()), ..self }
    }

    /// Number of axes, 1 to 3. By default 1.
    #[must_use]
    pub fn dims(self, dims: usize) -> Self {
        Self { dims, ..self }
    }

    /// Number of levels.
    #[must_use]
    pub fn levels(self, levels: usize) -> Self {
        Self { levels: Some(levels), ..self }
    }

    /// Extension mode.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// Element type.
    #[must_use]
    pub fn element(self, element: Element) -> Self {
        Self { element: Some(element), ..self }
    }

    /// Algorithm.
    #[must_use]
    pub fn scheme(self, scheme: SchemeKind) -> Self {
        Self { scheme: Some(scheme), ..self }
    }

    /// How CUDA kernels are mapped to blocks ([`Self::cuda`]); tiles in shared memory by default.
    #[must_use]
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Documentation of the type, before the generated one.
    #[must_use]
    pub fn docs(self, text: &str) -> Self {
        Self { docs: text.lines().map(|line| format!(" {line}")).collect(), ..self }
    }

    /// Adds methods on views of the ndarray crate at a path, such as `::ndarray`.
    #[must_use]
    pub fn ndarray(self, path: &str) -> Self {
        Self { ndarray: Some(path.to_owned()), ..self }
    }

    /// Has inner loops compiled for several machines and chosen when they run, by the `waveloom` crate at a
    /// path, such as `::waveloom`.
    #[must_use]
    pub fn library(self, path: &str) -> Self {
        Self { library: Some(path.to_owned()), ..self }
    }

    /// The request that all this amounts to.
    pub fn request(self) -> Request {
        let defaults = Request::new(self.wavelet, self.dims);
        let mode = self.mode.unwrap_or(defaults.mode);
        let scheme = match self.library {
            Some(_) => vectorised_scheme(&defaults.wavelet, self.dims, mode),
            None => defaults.scheme,
        };
        Request {
            source: self.source.unwrap_or(defaults.source),
            levels: self.levels.unwrap_or(defaults.levels),
            mode,
            element: self.element.unwrap_or(defaults.element),
            scheme: self.scheme.unwrap_or(scheme),
            name: self.name,
            docs: self.docs,
            ndarray: self.ndarray,
            library: self.library,
            ..defaults
        }
    }

    /// The text of a type that carries CUDA kernels and plans transforms with them, for crates that
    /// depend on `waveloom`; to be written where `include!` finds it. Mode and levels are those that
    /// its plans begin with.
    ///
    /// # Errors
    /// The options do not fit together or do not fit the wavelet.
    pub fn cuda(self) -> Result<String, ItemsError> {
        let defaults = CudaRequest::new(&self.wavelet, self.dims);
        let cuda = CudaRequest {
            source: self.source.as_deref().unwrap_or(defaults.source),
            scheme: self.scheme.unwrap_or(defaults.scheme),
            element: self.element.unwrap_or(defaults.element),
            levels: self.levels.unwrap_or(1),
            strategy: self.strategy,
            options: format!("--strategy {}", self.strategy.name()),
            ..defaults
        };
        items_text(&ItemsRequest {
            cuda,
            definition: self.definition.clone(),
            mode: self.mode.unwrap_or(self.wavelet.default_mode()),
            levels: self.levels.unwrap_or(1),
            name: self.name.clone(),
            docs: self.docs.clone(),
            visibility: "pub".to_owned(),
        })
    }

    /// The source text: the items of a module, to be written where `include!` finds it.
    ///
    /// # Errors
    /// The options do not fit together or do not fit the wavelet.
    pub fn text(self) -> Result<String, EmitError> {
        module(&self.request())?.text()
    }
}
