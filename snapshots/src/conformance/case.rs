//! One transform to be tried: a wavelet, an array and everything that a plan is built from.

use super::layout::request;
use std::fmt;
use std::sync::Arc;
use waveloom_codegen::kernel::Element;
use waveloom_wavelets::geometry::{Decomposition, GeometryError};
use waveloom_wavelets::reference::Reference;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// A transform to be tried.
#[derive(Clone, Debug)]
pub struct Case {
    /// The wavelet.
    pub wavelet: Arc<Wavelet>,
    /// The array's shape, C order.
    pub shape: Vec<usize>,
    /// The transformed axes; letters of band keys follow this list. The others are a batch.
    pub axes: Vec<usize>,
    /// Number of levels.
    pub levels: usize,
    /// Extension.
    pub mode: Mode,
    /// Coordinate of sample 0 per transformed axis; empty means all 0.
    pub origin: Vec<i64>,
    /// Element type.
    pub element: Element,
    /// The scheme asked for; `None` leaves the choice to the backend.
    pub scheme: Option<SchemeKind>,
}

impl Case {
    /// A one-level transform of all axes in `f64` with the backend's choice of scheme.
    pub fn new(wavelet: &Arc<Wavelet>, shape: &[usize], mode: Mode) -> Self {
        Self {
            wavelet: Arc::clone(wavelet),
            shape: shape.to_vec(),
            axes: (0..shape.len()).collect(),
            levels: 1,
            mode,
            origin: Vec::new(),
            element: Element::F64,
            scheme: None,
        }
    }

    /// The same case over these axes.
    pub fn axes(mut self, axes: &[usize]) -> Self {
        self.axes = axes.to_vec();
        self
    }

    /// The same case with this many levels.
    pub fn levels(mut self, levels: usize) -> Self {
        self.levels = levels;
        self
    }

    /// The same case with an origin.
    pub fn origin(mut self, origin: &[i64]) -> Self {
        self.origin = origin.to_vec();
        self
    }

    /// The same case in another element type.
    pub fn element(mut self, element: Element) -> Self {
        self.element = element;
        self
    }

    /// The same case with a scheme.
    pub fn scheme(mut self, scheme: Option<SchemeKind>) -> Self {
        self.scheme = scheme;
        self
    }

    /// Number of samples.
    pub fn signal_len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Lengths of the transformed axes.
    pub fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| self.shape[*axis]).collect()
    }

    /// The geometry of all levels; an error if the mode is not defined for this shape.
    pub fn decomposition(&self) -> Result<Decomposition, GeometryError> {
        let frame = self.wavelet.frame();
        Decomposition::new(&frame, self.mode, &self.lengths(), &self.origin, self.levels)
    }

    /// Whether the case is legal; `Err` says what is wrong with it.
    pub fn legality(&self) -> Result<(), String> {
        Reference::new(&self.wavelet, &request(self)).map_err(|error| error.to_string())?;
        let rounded = self.wavelet.is_rounded();
        if self.element.is_integer() != rounded {
            let name = self.element.name();
            return Err(format!("{name} elements do not go with {}", self.wavelet.name()));
        }
        match self.scheme {
            Some(kind) => match self.wavelet.scheme(kind, self.axes.len()) {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            None => Ok(()),
        }
    }

    /// Whether every level has an even length on every axis, so that the non-expansive modes lose
    /// and invent nothing.
    pub fn is_even(&self) -> bool {
        let lengths = self.lengths();
        lengths.iter().all(|len| len % (1 << self.levels) == 0)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &mut dyn Iterator<Item = String>, separator: &str| {
            values.collect::<Vec<_>>().join(separator)
        };
        let shape = list(&mut self.shape.iter().map(usize::to_string), "x");
        write!(f, "{} {} {} {shape}", self.wavelet.name(), self.element.name(), self.mode)?;
        if self.axes.len() != self.shape.len() || !self.axes.is_sorted() {
            write!(f, " axes {}", list(&mut self.axes.iter().map(usize::to_string), ","))?;
        }
        if self.levels != 1 {
            write!(f, " levels {}", self.levels)?;
        }
        if !self.origin.is_empty() {
            write!(f, " origin {}", list(&mut self.origin.iter().map(i64::to_string), ","))?;
        }
        match self.scheme {
            Some(kind) => write!(f, " {kind}"),
            None => Ok(()),
        }
    }
}
