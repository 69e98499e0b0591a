//! A wavelet: its bank, the factorisations that exist, and what was measured of it.

use crate::bank::FilterBank;
use crate::extension::Mode;
use crate::geometry::Frame;
use crate::lattice::Lattice;
use crate::lifting::Lifting;

/// The order in which a rounded transform visits its axes (rounding makes it visible).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AxisOrder {
    /// Axis 0 first in the forward transform (JPEG 2000: columns, then rows).
    FirstToLast,
    /// Last axis first in the forward transform (CCSDS 122: rows, then columns).
    LastToFirst,
}

/// How well synthesis undoes analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reconstruction {
    /// Proved with exact rational arithmetic, or by integer lifting.
    Exact,
    /// Largest tap of `synthesis · analysis - identity`; at most 1e-10.
    Perfect {
        /// The measured defect.
        defect: f64,
    },
    /// Between 1e-10 and 1e-2: convolution only.
    Approximate {
        /// The measured defect.
        defect: f64,
    },
}

impl Reconstruction {
    /// The measured defect (0 when exact).
    pub fn defect(&self) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Perfect { defect } | Self::Approximate { defect } => *defect,
        }
    }
}

/// Symmetry of the analysis filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// Both about a sample.
    WholeSample,
    /// Both about the middle between two samples (the high-pass may be antisymmetric).
    HalfSample,
    /// Neither.
    None,
}

/// What was measured of a bank when it was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// Reconstruction defect.
    pub reconstruction: Reconstruction,
    /// Whether synthesis is the transpose of analysis.
    pub orthogonal: bool,
    /// Symmetry of the analysis filters.
    pub symmetry: Symmetry,
    /// Vanishing moments of the analysis high-pass filter (zeros of the synthesis low-pass at -1).
    pub vanishing_moments_analysis: usize,
    /// Vanishing moments of the synthesis high-pass filter.
    pub vanishing_moments_synthesis: usize,
    /// `Σ lo[n]`: √2 when normalised.
    pub low_gain: f64,
    /// `|Σ (-1)^n hi[n]|`: √2 when normalised.
    pub high_gain: f64,
    /// Largest tap error of the product of the lifting factors, if there is a lifting.
    pub lifting_residual: Option<f64>,
    /// Largest tap error of the product of the lattice factors, if there is a lattice.
    pub lattice_residual: Option<f64>,
    /// Remarks for people: unnormalised gains, taps that look time-reversed, a factorisation that
    /// loses digits in `f32`.
    pub remarks: Vec<String>,
}

/// A verified wavelet.
#[derive(Clone, Debug, PartialEq)]
pub struct Wavelet {
    pub(crate) name: String,
    pub(crate) bank: FilterBank,
    pub(crate) lifting: Option<Lifting>,
    pub(crate) lattice: Option<Lattice>,
    pub(crate) properties: Properties,
    pub(crate) default_mode: Mode,
    pub(crate) even_lengths: bool,
    pub(crate) axis_order: AxisOrder,
}

impl Wavelet {
    /// Its name, as the catalogue or the definition gives it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its filters. For an integer wavelet these are the linear part: rounding left out.
    pub fn bank(&self) -> &FilterBank {
        &self.bank
    }

    /// The lifting factorisation, unless the bank is only approximately invertible.
    pub fn lifting(&self) -> Option<&Lifting> {
        self.lifting.as_ref()
    }

    /// The lattice factorisation, if one exists.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.lattice.as_ref()
    }

    /// What was measured.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Whether it is an integer transform with rounding.
    pub fn is_rounded(&self) -> bool {
        self.lifting.as_ref().is_some_and(Lifting::is_rounded)
    }

    /// The mode used when none is asked for.
    pub fn default_mode(&self) -> Mode {
        self.default_mode
    }

    /// The order of axes of a rounded transform.
    pub fn axis_order(&self) -> AxisOrder {
        self.axis_order
    }

    /// What a geometry needs to know.
    pub fn frame(&self) -> Frame {
        Frame::of(&self.bank, self.even_lengths)
    }
}
