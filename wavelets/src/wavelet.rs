//! A wavelet: its bank, the factorisations that exist, and what was measured of it.

use crate::bank::FilterBank;
use crate::extension::Mode;
use crate::factor::{self, FactorError};
use crate::geometry::Frame;
use crate::lattice::Lattice;
use crate::lifting::Lifting;
use crate::scheme::SchemeKind;
use crate::verify::{self, ExactBank, ExactLattice, ExactLifting, VerifyError};

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
    /// Proved with exact rational arithmetic, or by construction: the factors of a lifting or lattice
    /// have exact inverses, whatever rounding leaves of their product.
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
    /// Error of the lifting evaluated in `f32`, relative to the largest sample, measured on noise.
    pub lifting_f32_error: Option<f64>,
    /// The same of the lattice, in its pivoted form.
    pub lattice_f32_error: Option<f64>,
    /// By how much a round trip of one level along one axis enlarges the error of one rounding when
    /// it is computed by convolution; see [`Wavelet::condition`].
    pub condition: f64,
    /// Remarks for people: unnormalised gains, taps that look time-reversed, a factorisation that
    /// loses digits in `f32`.
    pub remarks: Vec<String>,
}

/// What a definition says besides numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The mode used when none is asked for; symmetric if the definition is silent.
    pub default_mode: Mode,
    /// Whether only signals of even length may be transformed.
    pub even_lengths: bool,
    /// The order of axes of a rounded transform.
    pub axis_order: AxisOrder,
    /// Whether a reconstruction defect of up to 1e-2 is meant.
    pub approximate: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            default_mode: Mode::Symmetric,
            even_lengths: false,
            axis_order: AxisOrder::FirstToLast,
            approximate: false,
        }
    }
}

/// A verified wavelet.
#[derive(Clone, Debug, PartialEq)]
pub struct Wavelet {
    pub(crate) name: String,
    pub(crate) bank: FilterBank,
    pub(crate) lifting: Result<Lifting, FactorError>,
    pub(crate) lattice: Result<Lattice, FactorError>,
    pub(crate) properties: Properties,
    pub(crate) options: Options,
}

/// The factorisations that a definition brings along.
#[derive(Default)]
struct Given {
    lifting: Option<Lifting>,
    lattice: Option<Lattice>,
    exact: bool,
}

impl Given {
    /// Whether the bank is a product of factors with inverses.
    fn is_factored(&self) -> bool {
        self.lifting.is_some() || self.lattice.is_some()
    }
}

impl Wavelet {
    /// Verifies a bank and factorises it: an orthogonal bank into rotations, any other by Euclid
    /// and into a general lattice. Where a factorisation does not exist, [`Wavelet::lifting_reason`]
    /// and [`Wavelet::lattice_reason`] tell why.
    ///
    /// # Errors
    /// Filters that are empty, too long or not finite, and banks that do not reconstruct.
    pub fn from_bank(name: &str, bank: FilterBank, options: &Options) -> Result<Self, VerifyError> {
        Self::verified(name, bank, Given::default(), options)
    }

    /// Verifies a bank of rational filters. If synthesis undoes analysis in exact arithmetic, the
    /// wavelet's reconstruction is [`Reconstruction::Exact`]; if not, it is judged like a bank of
    /// `f64` filters.
    ///
    /// # Errors
    /// As [`Wavelet::from_bank`].
    pub fn from_exact_bank(
        name: &str,
        bank: &ExactBank,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        bank.check()?;
        let rounded = bank.to_bank();
        verify::check_bank(&rounded)?;
        let exact = bank.reconstructs();
        let lifting = if exact { factor::exact_lifting(bank, &rounded) } else { None };
        Self::verified(name, rounded, Given { lifting, lattice: None, exact }, options)
    }

    /// The wavelet of a lifting: its bank is the product of the factors, its synthesis their exact
    /// inverse. The lifting is kept, moved to the frame of its filters.
    ///
    /// # Errors
    /// Numbers that are not finite, bands that cannot be inverted, rounding that is not whole.
    pub fn from_lifting(
        name: &str,
        lifting: Lifting,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        verify::check_lifting(&lifting)?;
        let (bank, lifting) = factor::bank_of_lifting(&lifting);
        let (bank, lifting) = factor::widened(bank, lifting);
        let exact = lifting.is_rounded();
        Self::verified(name, bank, Given { lifting: Some(lifting), lattice: None, exact }, options)
    }

    /// The wavelet of a rational lifting; bank and synthesis are computed in exact arithmetic.
    ///
    /// # Errors
    /// As [`Wavelet::from_lifting`].
    pub fn from_exact_lifting(
        name: &str,
        lifting: &ExactLifting,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        let rounded = lifting.to_lifting();
        verify::check_lifting(&rounded)?;
        let Some((bank, pairs)) = factor::bank_of_exact(&lifting.polyphase()) else {
            return Self::from_lifting(name, rounded, options);
        };
        let (bank, lifting) = factor::widened(bank, factor::delayed_lifting(rounded, pairs));
        let given = Given { lifting: Some(lifting), lattice: None, exact: true };
        Self::verified(name, bank, given, options)
    }

    /// The wavelet of a lattice: its bank is the product of the factors, its synthesis their
    /// inverse. The lattice is kept, moved to the frame of its filters.
    ///
    /// # Errors
    /// No stage, a stage without an inverse, numbers that are not finite.
    pub fn from_lattice(
        name: &str,
        lattice: Lattice,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        verify::check_lattice(&lattice)?;
        let (bank, lattice) = factor::bank_of_lattice(&lattice);
        let given = Given { lifting: None, lattice: Some(lattice), exact: false };
        Self::verified(name, bank, given, options)
    }

    /// The wavelet of a rational lattice; bank and synthesis are computed in exact arithmetic.
    ///
    /// # Errors
    /// As [`Wavelet::from_lattice`].
    pub fn from_exact_lattice(
        name: &str,
        lattice: &ExactLattice,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        let rounded = lattice.to_lattice();
        verify::check_lattice(&rounded)?;
        let Some((bank, pairs)) = factor::bank_of_exact(&lattice.polyphase()) else {
            return Self::from_lattice(name, rounded, options);
        };
        let lattice = Some(factor::delayed_lattice(rounded, pairs));
        Self::verified(name, bank, Given { lifting: None, lattice, exact: true }, options)
    }

    fn verified(
        name: &str,
        bank: FilterBank,
        given: Given,
        options: &Options,
    ) -> Result<Self, VerifyError> {
        match given.is_factored() {
            true => verify::check_product(&bank)?,
            false => verify::check_bank(&bank)?,
        }
        let reconstruction = match given.exact {
            true => Reconstruction::Exact,
            false => match verify::judge(&bank, options.approximate) {
                Err(_) if given.is_factored() => Reconstruction::Exact,
                judged => judged?,
            },
        };
        let defect = verify::defect(&bank);
        let rounded = given.lifting.as_ref().is_some_and(Lifting::is_rounded);
        let lattice = match (given.lattice, reconstruction) {
            (Some(lattice), _) => Ok(lattice),
            (None, Reconstruction::Approximate { defect }) => {
                Err(FactorError::Approximate { defect })
            }
            (None, _) if rounded => Err(FactorError::Rounded),
            (None, _) => factor::lattice(&bank),
        };
        let lifting = match (given.lifting, reconstruction) {
            (Some(lifting), _) => Ok(lifting),
            (None, Reconstruction::Approximate { defect }) => {
                Err(FactorError::Approximate { defect })
            }
            (None, _) => factor::lifting(&bank, lattice.as_ref().ok()),
        };
        let polyphase = bank.analysis_polyphase();
        let moments = |filter| verify::vanishing_moments(filter, defect);
        let mut properties = Properties {
            reconstruction,
            orthogonal: verify::orthogonality_defect(&bank) <= verify::PERFECT_LIMIT
                && !matches!(reconstruction, Reconstruction::Approximate { .. }),
            symmetry: verify::symmetry(&bank),
            vanishing_moments_analysis: moments(bank.analysis_high()),
            vanishing_moments_synthesis: moments(bank.synthesis_high()),
            low_gain: verify::low_gain(&bank),
            high_gain: verify::high_gain(&bank),
            lifting_residual: lifting.as_ref().ok().map(|l| l.polyphase().distance(&polyphase)),
            lattice_residual: lattice.as_ref().ok().map(|l| l.polyphase().distance(&polyphase)),
            lifting_f32_error: lifting.as_ref().ok().map(|l| factor::lifting_f32_error(l, &bank)),
            lattice_f32_error: lattice.as_ref().ok().map(|l| factor::lattice_f32_error(l, &bank)),
            condition: verify::condition(&bank, 1, 1),
            remarks: Vec::new(),
        };
        properties.remarks = verify::remarks(name, &bank, rounded, &properties);
        let options = *options;
        Ok(Self { name: name.to_owned(), bank, lifting, lattice, properties, options })
    }

    /// Its name, as the catalogue or the definition gives it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its filters. For an integer wavelet these are the linear part: rounding left out.
    pub fn bank(&self) -> &FilterBank {
        &self.bank
    }

    /// The lifting factorisation, unless there is none; see [`Wavelet::lifting_reason`].
    pub fn lifting(&self) -> Option<&Lifting> {
        self.lifting.as_ref().ok()
    }

    /// Why there is no lifting.
    pub fn lifting_reason(&self) -> Option<&FactorError> {
        self.lifting.as_ref().err()
    }

    /// The lattice factorisation, if one exists; see [`Wavelet::lattice_reason`].
    pub fn lattice(&self) -> Option<&Lattice> {
        self.lattice.as_ref().ok()
    }

    /// Why there is no lattice.
    pub fn lattice_reason(&self) -> Option<&FactorError> {
        self.lattice.as_ref().err()
    }

    /// What was measured.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// By how much a round trip of `levels` levels along `axes` axes enlarges the error of one
    /// rounding, computed by convolution: measured on noise, at least 1. Its error, relative to the
    /// largest sample, is the condition times half the element type's epsilon. No scheme keeps many more
    /// digits where the bank itself is badly conditioned. Says nothing of rounded transforms, which
    /// lose nothing.
    pub fn condition(&self, levels: usize, axes: usize) -> f64 {
        verify::condition(&self.bank, levels, axes)
    }

    /// Whether it is an integer transform with rounding.
    pub fn is_rounded(&self) -> bool {
        self.lifting().is_some_and(Lifting::is_rounded)
    }

    /// The mode used when none is asked for.
    pub fn default_mode(&self) -> Mode {
        self.options.default_mode
    }

    /// The order of axes of a rounded transform.
    pub fn axis_order(&self) -> AxisOrder {
        self.options.axis_order
    }

    /// What the definition said besides numbers.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The scheme used for `axes` axes when none is asked for. Lifting does the least arithmetic,
    /// so it is chosen wherever it exists and keeps its digits in `f32`; then the lattice (on one
    /// axis); else convolution. A rounded transform is only defined as lifting.
    pub fn default_scheme(&self, axes: usize) -> SchemeKind {
        let keeps_digits = |error: Option<f64>| error.is_some_and(|e| e <= factor::F32_LIMIT);
        let one_axis = axes <= 1;
        if self.is_rounded() || keeps_digits(self.properties.lifting_f32_error) {
            if one_axis { SchemeKind::Lifting } else { SchemeKind::SeparableLifting }
        } else if one_axis && keeps_digits(self.properties.lattice_f32_error) {
            SchemeKind::Lattice
        } else if one_axis {
            SchemeKind::Convolution
        } else {
            SchemeKind::SeparableConvolution
        }
    }

    /// What a geometry needs to know.
    pub fn frame(&self) -> Frame {
        let frame = Frame::of(&self.bank, self.options.even_lengths);
        match self.lifting() {
            // Its filters may be symmetric all the same, but rounding would not be.
            Some(lifting) if lifting.is_rounded() && !lifting.is_mirrored() => {
                Frame { symmetry: None, ..frame }
            }
            _ => frame,
        }
    }
}
