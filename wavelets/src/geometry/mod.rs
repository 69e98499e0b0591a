//! Where signals and bands sit in a wavelet's frame, per axis and level.
//!
//! Analysis and synthesis are the same picture read in two directions. On one axis there is a
//! *signal* at consecutive frame positions and there are *bands*, seen as one interleaved sequence:
//! `low[k]` at frame position `2k`, `high[k]` at `2k+1`. Each side has an extension rule that says
//! what stands beyond its ends. A level's forward transform extends the signal and computes the
//! bands; its inverse extends the bands and computes the signal; the adjoints put zeros beyond the
//! ends and fold what falls there back by the other side's rule.

mod decomposition;
mod layout;
#[cfg(test)]
mod tests;

pub use decomposition::{Decomposition, GeometryError, Level};
pub use layout::{Band, bands};

use crate::bank::FilterBank;
use crate::extension::{Extension, ExtensionKind, Mode};

/// Consecutive integers `start .. start + len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first.
    pub start: i64,
    /// How many.
    pub len: usize,
}

impl Span {
    /// One past the last.
    pub fn end(&self) -> i64 {
        self.start + self.len as i64
    }
}

/// What a mode needs to know of a wavelet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Frame length `M`.
    pub length: usize,
    /// For whole-sample symmetric banks: the frame position of the low-pass filter's centre (the
    /// high-pass filter's is one more), and the gains of a constant through the low-pass filter and
    /// of an alternating signal through the high-pass filter.
    pub symmetry: Option<WholeSample>,
    /// Whether only even lengths are defined (CCSDS 122).
    pub even_lengths: bool,
}

/// The centres and gains of a whole-sample symmetric bank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeSample {
    /// Frame position about which the low-pass filter is symmetric.
    pub centre: i32,
    /// `Σ lo[n]`.
    pub low_gain: f64,
    /// `Σ (-1)^(n - centre - 1) hi[n]`: the high-pass filter's own centre counts as it is.
    pub high_gain: f64,
}

impl Frame {
    /// Measures a bank.
    pub fn of(bank: &FilterBank, even_lengths: bool) -> Self {
        Self { length: bank.length(), symmetry: WholeSample::of(bank), even_lengths }
    }
}

impl WholeSample {
    /// `None` unless both filters are whole-sample symmetric about neighbouring positions.
    pub fn of(bank: &FilterBank) -> Option<Self> {
        let centre = |filter: &crate::bank::Filter| {
            let taps = filter.taps();
            let largest = taps.iter().fold(0.0_f64, |m, tap| m.max(tap.abs()));
            let pairs = taps.iter().zip(taps.iter().rev());
            let symmetric = pairs.into_iter().all(|(l, r)| (l - r).abs() <= 1e-12 * largest);
            (symmetric && taps.len() % 2 == 1).then(|| filter.first().midpoint(filter.last()))
        };
        let (low, high) = (centre(bank.analysis_low())?, centre(bank.analysis_high())?);
        if low.checked_add(1) != Some(high) {
            return None;
        }
        let alternating = bank.analysis_high().taps().iter().enumerate().map(|(j, tap)| {
            let position = bank.analysis_high().first().saturating_add(j as i32);
            if (i64::from(position) - i64::from(high)) % 2 == 0 { *tap } else { -tap }
        });
        Some(Self {
            centre: low,
            low_gain: bank.analysis_low().taps().iter().sum(),
            high_gain: alternating.sum(),
        })
    }
}

/// One axis of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisGeometry {
    /// Frame positions of the signal's samples.
    pub signal: Span,
    /// How the signal goes on (index 0 is the first sample).
    pub signal_extension: Extension,
    /// Indices `k` of the approximation.
    pub low: Span,
    /// Indices `k` of the detail.
    pub high: Span,
    /// How the interleaved bands go on (index 0 is at frame position `bands().start`).
    pub band_extension: Extension,
    /// `jpeg2000` with a single sample: no filtering, the sample times this gain becomes the one
    /// coefficient (low at an even origin, high at an odd one).
    pub single: Option<f64>,
}

impl AxisGeometry {
    /// The longest axis and the farthest origin: positions and their doubles stay far from the
    /// limits of 64 bits.
    pub const LONGEST: i64 = 1 << 48;

    /// The frame positions that the interleaved bands cover.
    pub fn bands(&self) -> Span {
        let spans = [(self.low, 0), (self.high, 1)];
        let used = || spans.iter().filter(|(span, _)| span.len > 0);
        let start = used().map(|(span, phase)| 2 * span.start + phase).min().unwrap_or(0);
        let last = used().map(|(span, phase)| 2 * (span.end() - 1) + phase).max();
        Span { start, len: last.map_or(0, |last| (last - start + 1) as usize) }
    }

    /// Which coefficient the interleaved sequence of the bands has at `index`: its phase (0 low,
    /// 1 high) and its number within the band.
    pub fn band_sample(&self, index: usize) -> Option<(usize, usize)> {
        let position = self.bands().start + index as i64;
        let phase = position.rem_euclid(2);
        let span = if phase == 0 { self.low } else { self.high };
        let number = usize::try_from(position.div_euclid(2) - span.start).ok()?;
        (number < span.len).then_some((phase as usize, number))
    }

    /// [`AxisGeometry::single`] for rounded transforms: the nearest integer that is not 0.
    pub fn integer_single(&self) -> Option<i64> {
        self.single.map(|gain| match gain.round() as i64 {
            0 => 1,
            whole => whole,
        })
    }

    /// No samples, no coefficients.
    pub fn empty(origin: i64) -> Self {
        let nothing = Extension::new(ExtensionKind::Zero, 0);
        let (signal, half) = (Span { start: origin, len: 0 }, origin.div_euclid(2));
        let band = Span { start: half, len: 0 };
        Self {
            signal,
            signal_extension: nothing,
            low: band,
            high: band,
            band_extension: nothing,
            single: None,
        }
    }

    /// The geometry of `len` samples under `mode`; `origin` is the coordinate of sample 0, which
    /// only `jpeg2000` looks at.
    pub fn new(frame: &Frame, mode: Mode, len: usize, origin: i64) -> Result<Self, GeometryError> {
        let m = frame.length as i64;
        if len == 0 {
            return Err(GeometryError::Empty);
        }
        let n = match i64::try_from(len) {
            Ok(n) if n <= Self::LONGEST => n,
            _ => return Err(GeometryError::TooLong { len }),
        };
        if origin.unsigned_abs() > Self::LONGEST.unsigned_abs() {
            return Err(GeometryError::OriginTooFar { origin });
        }
        if mode.minimum_length() > len {
            return Err(GeometryError::TooShort { mode, len, minimum: mode.minimum_length() });
        }
        if (mode == Mode::Circular || frame.even_lengths) && len % 2 == 1 {
            return Err(GeometryError::OddLength { mode, len });
        }
        if mode != Mode::Jpeg2000 && origin != 0 {
            return Err(GeometryError::OriginNeedsJpeg2000 { mode });
        }
        let both = |start: i64, kind: ExtensionKind, count: i64, bands: ExtensionKind| {
            let span = Span { start: 0, len: count as usize };
            Self {
                signal: Span { start, len },
                signal_extension: Extension::new(kind, len),
                low: span,
                high: span,
                band_extension: Extension::new(bands, 2 * count as usize),
                single: None,
            }
        };
        let expansive = |kind| both(m - 2, kind, (n + m - 1).div_euclid(2), ExtensionKind::Zero);
        Ok(match mode {
            Mode::Zero => expansive(ExtensionKind::Zero),
            Mode::Constant => expansive(ExtensionKind::Constant),
            Mode::Symmetric => expansive(ExtensionKind::Symmetric),
            Mode::Reflect => expansive(ExtensionKind::Reflect),
            Mode::Periodic => expansive(ExtensionKind::Periodic),
            Mode::Smooth => expansive(ExtensionKind::Smooth),
            Mode::Antisymmetric => expansive(ExtensionKind::Antisymmetric),
            Mode::Antireflect => expansive(ExtensionKind::Antireflect),
            Mode::Periodization => {
                both(m / 2 - 1, ExtensionKind::PeriodicEven, (n + 1) / 2, ExtensionKind::Periodic)
            }
            Mode::Circular => both(0, ExtensionKind::Periodic, n / 2, ExtensionKind::Periodic),
            Mode::Jpeg2000 => {
                let symmetry = frame.symmetry.ok_or(GeometryError::NotWholeSample)?;
                let end = origin + n;
                let half = |i: i64| i.div_euclid(2);
                let single = (len == 1).then(|| {
                    if origin.rem_euclid(2) == 0 { symmetry.low_gain } else { symmetry.high_gain }
                });
                Self {
                    signal: Span { start: origin + i64::from(symmetry.centre), len },
                    signal_extension: Extension::new(ExtensionKind::Reflect, len),
                    low: Span {
                        start: half(origin + 1),
                        len: (half(end + 1) - half(origin + 1)) as usize,
                    },
                    high: Span { start: half(origin), len: (half(end) - half(origin)) as usize },
                    band_extension: Extension::new(ExtensionKind::Reflect, len),
                    single,
                }
            }
        })
    }
}
