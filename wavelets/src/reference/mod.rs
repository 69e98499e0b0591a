//! The slow reference transform, straight from the definition.
//!
//! Nothing here is clever: every level extends the signal (or the bands) by
//! [`Extension::weights`](crate::extension::Extension::weights) and evaluates the sums of the
//! crate's conventions one by one, axis after axis. Every other way of computing a transform is
//! compared with this one. Rounded liftings run their steps on the extended signal with integers
//! that cannot overflow silently.

mod array;
mod line;
mod rounded;

use crate::bank::FilterBank;
use crate::extension::Mode;
use crate::geometry::{AxisGeometry, Decomposition, Frame, GeometryError, Level};
use crate::lifting::Lifting;
use crate::verify::{LONGEST_FRAME, VerifyError};
use crate::wavelet::{AxisOrder, Wavelet};
use array::Array;

/// What is to be transformed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// Shape of the array, C order.
    pub shape: &'a [usize],
    /// The axes to transform, in the order of a key's letters; the others are a batch.
    pub axes: &'a [usize],
    /// Number of levels; 0 leaves the signal as its own approximation.
    pub levels: usize,
    /// What stands beyond the ends.
    pub mode: Mode,
    /// Coordinate of sample 0 per transformed axis (`jpeg2000` only); empty means all 0.
    pub origins: &'a [i64],
}

/// One band of a transformed array.
#[derive(Clone, Debug, PartialEq)]
pub struct Band<T> {
    /// One letter per transformed axis (`a` approximation, `d` detail), and for details the level,
    /// 1 being the finest: `aa`, `ad2`, `da2`, `dd2`, `ad1`, …
    pub key: String,
    /// Shape, C order, batch axes included.
    pub shape: Vec<usize>,
    /// The coefficients, C order.
    pub data: Vec<T>,
}

/// Why a reference transform cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// The mode does not allow the shape.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The bank is too long.
    #[error(transparent)]
    Bank(#[from] VerifyError),
    /// An axis that the array does not have.
    #[error("axis {axis} is out of range for a {dimensions}-D array")]
    Axis {
        /// What was given.
        axis: usize,
        /// What the array has.
        dimensions: usize,
    },
    /// An axis given twice.
    #[error("axis {axis} is given twice")]
    AxisTwice {
        /// Which.
        axis: usize,
    },
    /// Data that do not fill their shape.
    #[error("{what} has {got} values, its shape {shape:?} needs {expected}")]
    Length {
        /// `signal`, or the band's key.
        what: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The product of the shape.
        expected: usize,
        /// The length of the data.
        got: usize,
    },
    /// A band that the decomposition does not have.
    #[error("there is no band '{key}' in this decomposition; expected {}", expected.join(", "))]
    Key {
        /// What was given.
        key: String,
        /// The keys that exist.
        expected: Vec<String>,
    },
    /// A band whose shape is not the decomposition's.
    #[error("band '{key}' has the shape {got:?}, expected {expected:?}")]
    BandShape {
        /// Which band.
        key: String,
        /// What the decomposition has.
        expected: Vec<usize>,
        /// What was given.
        got: Vec<usize>,
    },
    /// Integers were given to a wavelet without rounding, or floats to one with it.
    #[error("this wavelet {}, the transform of {} is not defined",
        if *rounded { "rounds" } else { "does not round" },
        if *rounded { "floats" } else { "integers" })]
    Element {
        /// Whether the wavelet rounds.
        rounded: bool,
    },
    /// A lifting whose taps do not become integers by its shift, or whose gains are not 1.
    #[error("lifting step {step} has the tap {tap}, which is not an integer over 2^{shift}")]
    NotInteger {
        /// Position of the step; one past the last stands for the gains.
        step: usize,
        /// The tap or gain.
        tap: f64,
        /// The step's shift.
        shift: u32,
    },
    /// A value left the range of 64 bits.
    #[error("an intermediate value does not fit into 64 bits")]
    Overflow,
}

/// A transform of arrays of one shape.
#[derive(Clone, Debug)]
pub struct Reference {
    bank: FilterBank,
    lifting: Option<rounded::IntegerLifting>,
    axis_order: AxisOrder,
    shape: Vec<usize>,
    axes: Vec<usize>,
    levels: Vec<Level>,
}

impl Reference {
    /// The transform of `request` by `wavelet`.
    pub fn new(wavelet: &Wavelet, request: &Request) -> Result<Self, ReferenceError> {
        let plain = Self::plan(wavelet.bank(), &wavelet.frame(), request)?;
        match wavelet.lifting() {
            Some(lifting) if lifting.is_rounded() => plain.rounded(lifting, wavelet.axis_order()),
            _ => Ok(plain),
        }
    }

    /// The transform of `request` by a bank that need not be a wavelet at all.
    ///
    /// # Errors
    /// A bank longer than any wavelet may be, a request that is none.
    pub fn of_bank(bank: &FilterBank, request: &Request) -> Result<Self, ReferenceError> {
        let length = bank.length();
        if length > LONGEST_FRAME {
            return Err(VerifyError::TooLong { length }.into());
        }
        Self::plan(bank, &Frame::of(bank, false), request)
    }

    /// Replaces the sums by the steps of a rounded lifting in the same frame.
    pub fn rounded(self, lifting: &Lifting, order: AxisOrder) -> Result<Self, ReferenceError> {
        let lifting = Some(rounded::IntegerLifting::new(lifting)?);
        Ok(Self { lifting, axis_order: order, ..self })
    }

    fn plan(bank: &FilterBank, frame: &Frame, request: &Request) -> Result<Self, ReferenceError> {
        let dimensions = request.shape.len();
        let mut lengths = Vec::new();
        for (position, axis) in request.axes.iter().enumerate() {
            let length = request.shape.get(*axis);
            lengths.push(*length.ok_or(ReferenceError::Axis { axis: *axis, dimensions })?);
            if request.axes[..position].contains(axis) {
                return Err(ReferenceError::AxisTwice { axis: *axis });
            }
        }
        let decomposition =
            Decomposition::new(frame, request.mode, &lengths, request.origins, request.levels)?;
        Ok(Self {
            bank: bank.clone(),
            lifting: None,
            axis_order: AxisOrder::FirstToLast,
            shape: request.shape.to_vec(),
            axes: request.axes.to_vec(),
            levels: decomposition.levels().to_vec(),
        })
    }

    /// Keys and shapes of all bands, coarsest first.
    pub fn bands(&self) -> Vec<(String, Vec<usize>)> {
        let patterns = 1_usize << self.axes.len();
        let coarsest = match self.levels.last() {
            Some(level) => self.band_shape(level, 0),
            None => self.shape.clone(),
        };
        let mut all = vec![(self.letters(0), coarsest)];
        for (number, level) in self.levels.iter().enumerate().rev() {
            for pattern in 1..patterns {
                let key = format!("{}{}", self.letters(pattern), number + 1);
                all.push((key, self.band_shape(level, pattern)));
            }
        }
        all
    }

    /// The bands of `signal`.
    pub fn forward(&self, signal: &[f64]) -> Result<Vec<Band<f64>>, ReferenceError> {
        self.linear()?;
        let split = |axis: &AxisGeometry, line: &[f64]| Ok(line::forward(&self.bank, axis, line));
        self.analyse(signal, split)
    }

    /// The signal of `bands`; those that are absent are zero.
    pub fn inverse(&self, bands: &[Band<f64>]) -> Result<Vec<f64>, ReferenceError> {
        self.linear()?;
        let join =
            |axis: &AxisGeometry, bands: [&[f64]; 2]| Ok(line::inverse(&self.bank, axis, bands));
        self.synthesise(bands, join)
    }

    /// The adjoint of [`Reference::forward`]: `⟨forward(x), y⟩ = ⟨x, adjoint(y)⟩`.
    pub fn adjoint(&self, bands: &[Band<f64>]) -> Result<Vec<f64>, ReferenceError> {
        self.linear()?;
        let join = |axis: &AxisGeometry, bands: [&[f64]; 2]| {
            Ok(line::adjoint_of_forward(&self.bank, axis, bands))
        };
        self.synthesise(bands, join)
    }

    /// The adjoint of [`Reference::inverse`]: `⟨inverse(y), x⟩ = ⟨y, adjoint_of_inverse(x)⟩`.
    pub fn adjoint_of_inverse(&self, signal: &[f64]) -> Result<Vec<Band<f64>>, ReferenceError> {
        self.linear()?;
        let split = |axis: &AxisGeometry, line: &[f64]| {
            Ok(line::adjoint_of_inverse(&self.bank, axis, line))
        };
        self.analyse(signal, split)
    }

    /// The bands of an integer signal under a rounded lifting.
    pub fn forward_integer(&self, signal: &[i64]) -> Result<Vec<Band<i64>>, ReferenceError> {
        let lifting = self.lifting.as_ref().ok_or(ReferenceError::Element { rounded: false })?;
        self.analyse(signal, |axis, line| lifting.forward(axis, line))
    }

    /// The integer signal of `bands` under a rounded lifting; bands that are absent are zero.
    pub fn inverse_integer(&self, bands: &[Band<i64>]) -> Result<Vec<i64>, ReferenceError> {
        let lifting = self.lifting.as_ref().ok_or(ReferenceError::Element { rounded: false })?;
        self.synthesise(bands, |axis, bands| lifting.inverse(axis, bands))
    }

    fn linear(&self) -> Result<(), ReferenceError> {
        match self.lifting {
            Some(_) => Err(ReferenceError::Element { rounded: true }),
            None => Ok(()),
        }
    }

    /// Positions within `axes`, in the order in which a forward transform visits them.
    fn visits(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        if self.axis_order == AxisOrder::LastToFirst {
            order.reverse();
        }
        order
    }

    /// Bit `axes.len() - 1 - position` of a pattern says that the axis is a detail.
    fn is_detail(&self, pattern: usize, position: usize) -> bool {
        (pattern >> (self.axes.len() - 1 - position)) & 1 == 1
    }

    fn letters(&self, pattern: usize) -> String {
        let positions = 0..self.axes.len();
        positions.map(|p| if self.is_detail(pattern, p) { 'd' } else { 'a' }).collect()
    }

    fn band_shape(&self, level: &Level, pattern: usize) -> Vec<usize> {
        let mut shape = self.shape.clone();
        for (position, (axis, geometry)) in self.axes.iter().zip(&level.axes).enumerate() {
            let span = if self.is_detail(pattern, position) { geometry.high } else { geometry.low };
            shape[*axis] = span.len;
        }
        shape
    }

    /// Runs `split` along every axis of every level; a line becomes its low band followed by its
    /// high band, and the bands are cut apart when all axes of the level are done.
    fn analyse<T: Copy + Default>(
        &self,
        signal: &[T],
        split: impl Fn(&AxisGeometry, &[T]) -> Result<[Vec<T>; 2], ReferenceError>,
    ) -> Result<Vec<Band<T>>, ReferenceError> {
        check_length("signal", &self.shape, signal.len())?;
        let mut details: Vec<Vec<Band<T>>> = Vec::new();
        let mut current = Array::new(self.shape.clone(), signal.to_vec());
        for (number, level) in self.levels.iter().enumerate() {
            for position in self.visits() {
                let geometry = &level.axes[position];
                let length = geometry.low.len + geometry.high.len;
                current = current.map_lines(self.axes[position], length, |line| {
                    Ok::<_, ReferenceError>(split(geometry, line)?.concat())
                })?;
            }
            let bands = (0..1_usize << self.axes.len()).map(|pattern| {
                let start = self.band_start(level, pattern);
                let band = current.block(&start, &self.band_shape(level, pattern));
                (format!("{}{}", self.letters(pattern), number + 1), band)
            });
            let mut bands: Vec<(String, Array<T>)> = bands.collect();
            current = bands.remove(0).1;
            details.push(bands.into_iter().map(|(key, band)| band.into_band(key)).collect());
        }
        let mut all = vec![current.into_band(self.letters(0))];
        all.extend(details.into_iter().rev().flatten());
        Ok(all)
    }

    /// Runs `join` along every axis of every level, in the reverse order of `analyse`.
    fn synthesise<T: Copy + Default>(
        &self,
        bands: &[Band<T>],
        join: impl Fn(&AxisGeometry, [&[T]; 2]) -> Result<Vec<T>, ReferenceError>,
    ) -> Result<Vec<T>, ReferenceError> {
        let mut given = self.sorted(bands)?.into_iter();
        let mut current = given.next().unwrap_or_else(|| Array::zeros(self.shape.clone()));
        for level in self.levels.iter().rev() {
            let mut shape = self.shape.clone();
            for (axis, geometry) in self.axes.iter().zip(&level.axes) {
                shape[*axis] = geometry.low.len + geometry.high.len;
            }
            let mut whole = Array::zeros(shape);
            whole.put(&vec![0; self.shape.len()], &current);
            for pattern in 1..1_usize << self.axes.len() {
                if let Some(band) = given.next() {
                    whole.put(&self.band_start(level, pattern), &band);
                }
            }
            for position in self.visits().into_iter().rev() {
                let geometry = &level.axes[position];
                whole = whole.map_lines(self.axes[position], geometry.signal.len, |line| {
                    let (low, high) = line.split_at(geometry.low.len);
                    join(geometry, [low, high])
                })?;
            }
            current = whole;
        }
        Ok(current.into_data())
    }

    /// Where a band starts when the bands of a level stand side by side.
    fn band_start(&self, level: &Level, pattern: usize) -> Vec<usize> {
        let mut start = vec![0; self.shape.len()];
        for (position, (axis, geometry)) in self.axes.iter().zip(&level.axes).enumerate() {
            if self.is_detail(pattern, position) {
                start[*axis] = geometry.low.len;
            }
        }
        start
    }

    /// The given bands in the order of [`Reference::bands`], zeros for those that are absent.
    fn sorted<T: Copy + Default>(
        &self,
        bands: &[Band<T>],
    ) -> Result<Vec<Array<T>>, ReferenceError> {
        let expected = self.bands();
        for band in bands {
            let Some((_, shape)) = expected.iter().find(|(key, _)| *key == band.key) else {
                let expected = expected.into_iter().map(|(key, _)| key).collect();
                return Err(ReferenceError::Key { key: band.key.clone(), expected });
            };
            if *shape != band.shape {
                let (expected, got) = (shape.clone(), band.shape.clone());
                return Err(ReferenceError::BandShape { key: band.key.clone(), expected, got });
            }
            check_length(&band.key, shape, band.data.len())?;
        }
        let sorted = expected.into_iter().map(|(key, shape)| {
            match bands.iter().find(|band| band.key == key) {
                Some(band) => Array::new(shape, band.data.clone()),
                None => Array::zeros(shape),
            }
        });
        Ok(sorted.collect())
    }
}

fn check_length(what: &str, shape: &[usize], got: usize) -> Result<(), ReferenceError> {
    let expected = shape.iter().try_fold(1_usize, |product, len| product.checked_mul(*len));
    if expected == Some(got) {
        return Ok(());
    }
    Err(ReferenceError::Length {
        what: what.to_owned(),
        shape: shape.to_vec(),
        expected: expected.unwrap_or(usize::MAX),
        got,
    })
}
