//! Signal extension: what a sample beyond the ends of a signal is.
//!
//! An extension is an index map with small integer weights: `x_ext[i] = Σ w · x[j]`, at most four
//! terms, in closed form for every `i`, however short the signal and however many times it wraps.
//! It belongs to the input of a level. The factors of a scheme then run on the extended signal and
//! give exactly what the convolution gives, for every mode.

use std::fmt;
use std::str::FromStr;

/// How a level treats the ends of its axes. The first nine carry PyWavelets' names and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Zeros outside. Expansive: `floor((N+M-1)/2)` coefficients per band.
    Zero,
    /// The end samples repeat. Expansive.
    Constant,
    /// Mirrored at the edge between samples: `x1 x0 | x0 x1 …`. Expansive.
    Symmetric,
    /// Mirrored at the end sample: `x2 x1 | x0 x1 …`. Expansive; needs N > 1.
    Reflect,
    /// The signal repeats. Expansive.
    Periodic,
    /// The straight line through the two end samples goes on. Expansive.
    Smooth,
    /// Mirrored between samples with the sign changed. Expansive.
    Antisymmetric,
    /// Point-mirrored at the end sample: `2 x0 - x1 | x0 x1 …`. Expansive; needs N > 1.
    Antireflect,
    /// Periodic and non-expansive, `ceil(N/2)` coefficients; an odd N repeats its last sample.
    Periodization,
    /// Whole-sample symmetric and non-expansive: samples at even coordinates become low, at odd
    /// coordinates high. For wavelets whose filters are whole-sample symmetric; any N ≥ 1.
    Jpeg2000,
    /// Periodic and non-expansive; output k starts at sample 2k (Puchala and Stokfiszewski); N even.
    Circular,
}

impl Mode {
    /// Every mode, in the order of documentation.
    pub const ALL: [Mode; 11] = [
        Mode::Zero,
        Mode::Constant,
        Mode::Symmetric,
        Mode::Reflect,
        Mode::Periodic,
        Mode::Smooth,
        Mode::Antisymmetric,
        Mode::Antireflect,
        Mode::Periodization,
        Mode::Jpeg2000,
        Mode::Circular,
    ];

    /// The nine modes that PyWavelets knows.
    pub const PYWAVELETS: [Mode; 9] = [
        Mode::Zero,
        Mode::Constant,
        Mode::Symmetric,
        Mode::Reflect,
        Mode::Periodic,
        Mode::Smooth,
        Mode::Antisymmetric,
        Mode::Antireflect,
        Mode::Periodization,
    ];

    /// The name used on the command line, in files and in generated code.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Zero => "zero",
            Mode::Constant => "constant",
            Mode::Symmetric => "symmetric",
            Mode::Reflect => "reflect",
            Mode::Periodic => "periodic",
            Mode::Smooth => "smooth",
            Mode::Antisymmetric => "antisymmetric",
            Mode::Antireflect => "antireflect",
            Mode::Periodization => "periodization",
            Mode::Jpeg2000 => "jpeg2000",
            Mode::Circular => "circular",
        }
    }

    /// Whether the bands together hold more samples than the signal.
    pub fn is_expansive(self) -> bool {
        !matches!(self, Mode::Periodization | Mode::Jpeg2000 | Mode::Circular)
    }

    /// The smallest legal signal length.
    pub fn minimum_length(self) -> usize {
        match self {
            Mode::Reflect | Mode::Antireflect | Mode::Circular => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A mode name that does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("unknown mode '{name}'{}; expected one of {}", hint(nearest), Mode::ALL.map(Mode::name).join(", "))]
pub struct UnknownMode {
    /// What was given.
    pub name: String,
    /// A mode with a similar name.
    pub nearest: Option<Mode>,
}

fn hint(nearest: &Option<Mode>) -> String {
    nearest.map_or(String::new(), |mode| format!(" (did you mean '{mode}'?)"))
}

/// PyWavelets' short names.
const SHORT_NAMES: [(&str, Mode); 6] = [
    ("zpd", Mode::Zero),
    ("cpd", Mode::Constant),
    ("sym", Mode::Symmetric),
    ("ppd", Mode::Periodic),
    ("sp1", Mode::Smooth),
    ("per", Mode::Periodization),
];

impl FromStr for Mode {
    type Err = UnknownMode;

    /// Reads a mode's name, or PyWavelets' short form of it.
    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        let known = |name: &str| {
            let full = Mode::ALL.into_iter().map(|mode| (mode.name(), mode));
            full.chain(SHORT_NAMES).find(|(known, _)| *known == name).map(|(_, mode)| mode)
        };
        if let Some(mode) = known(name) {
            return Ok(mode);
        }
        let lower = name.to_lowercase();
        let close =
            Mode::ALL.into_iter().map(|mode| (strsim::jaro_winkler(&lower, mode.name()), mode));
        let nearest = close.max_by(|left, right| left.0.total_cmp(&right.0));
        let nearest = nearest.filter(|(score, _)| *score > 0.8).map(|(_, mode)| mode);
        Err(UnknownMode { name: name.to_owned(), nearest: known(&lower).or(nearest) })
    }
}

/// The weighted samples that stand for one extended sample: at most four.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Weights {
    terms: [(usize, i64); 4],
    len: usize,
}

impl Weights {
    fn none() -> Self {
        Self::default()
    }

    fn one(index: usize) -> Self {
        Self::default().and(index, 1)
    }

    /// Adds a term. Terms that cancel are dropped: a weight of zero would still spread the NaN or
    /// infinity of a sample that the definition does not read.
    fn and(mut self, index: usize, weight: i64) -> Self {
        let known = self.terms[..self.len].iter().position(|(j, _)| *j == index);
        let slot = known.unwrap_or(self.len);
        if known.is_none() {
            self.terms[slot] = (index, 0);
            self.len += 1;
        }
        self.terms[slot].1 = self.terms[slot].1.saturating_add(weight);
        if self.terms[slot].1 == 0 {
            self.len -= 1;
            self.terms[slot] = self.terms[self.len];
            self.terms[self.len] = (0, 0);
        }
        self
    }

    /// The (index, weight) pairs; empty means zero.
    pub fn terms(&self) -> &[(usize, i64)] {
        &self.terms[..self.len]
    }
}

/// The rule by which one axis is extended: the kinds that [`Mode`]s need for signals and for bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtensionKind {
    /// Zero outside.
    Zero,
    /// End samples repeat.
    Constant,
    /// Half-sample mirror.
    Symmetric,
    /// Whole-sample mirror.
    Reflect,
    /// Repeats with period N.
    Periodic,
    /// Linear extrapolation.
    Smooth,
    /// Half-sample mirror with sign change.
    Antisymmetric,
    /// Whole-sample point mirror.
    Antireflect,
    /// Repeats with period N + N mod 2, the last sample standing in for the missing one.
    PeriodicEven,
}

/// An extension rule for a signal of a given length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extension {
    kind: ExtensionKind,
    len: usize,
}

impl Extension {
    /// The rule `kind` for `len` samples. An empty signal extends to zeros.
    pub fn new(kind: ExtensionKind, len: usize) -> Self {
        Self { kind, len }
    }

    /// The rule's kind.
    pub fn kind(&self) -> ExtensionKind {
        self.kind
    }

    /// Whether every sample beyond the ends is a sample of the signal as it is: no sums, no negatives,
    /// no zeros.
    pub fn copies(&self) -> bool {
        match self.kind {
            ExtensionKind::Constant
            | ExtensionKind::Symmetric
            | ExtensionKind::Reflect
            | ExtensionKind::Periodic
            | ExtensionKind::PeriodicEven => true,
            ExtensionKind::Zero
            | ExtensionKind::Smooth
            | ExtensionKind::Antisymmetric
            | ExtensionKind::Antireflect => false,
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// `x_ext[i]` as weighted samples. Inside the signal this is sample `i` itself.
    pub fn weights(&self, i: i64) -> Weights {
        // No array is as long; twice the length must be a number.
        let n = self.len.min(1 << 61) as i64;
        if n == 0 {
            return Weights::none();
        }
        if (0..n).contains(&i) {
            return Weights::one(i as usize);
        }
        let last = self.len - 1;
        match self.kind {
            ExtensionKind::Zero => Weights::none(),
            ExtensionKind::Constant => Weights::one(if i < 0 { 0 } else { last }),
            ExtensionKind::Periodic => Weights::one(i.rem_euclid(n) as usize),
            ExtensionKind::PeriodicEven => {
                Weights::one((i.rem_euclid(n + n % 2) as usize).min(last))
            }
            ExtensionKind::Symmetric => Weights::one(half_sample(i, n).0),
            ExtensionKind::Antisymmetric => {
                let (index, sign) = half_sample(i, n);
                Weights::none().and(index, sign)
            }
            ExtensionKind::Reflect => Weights::one(whole_sample(i, n)),
            ExtensionKind::Smooth => {
                let (end, inner, distance) = if i < 0 {
                    (0, 1.min(last), i.saturating_neg())
                } else {
                    (last, last.saturating_sub(1), i - (n - 1))
                };
                Weights::none().and(end, distance.saturating_add(1)).and(inner, -distance)
            }
            ExtensionKind::Antireflect => {
                if n == 1 {
                    return Weights::one(0);
                }
                let period = 2 * (n - 1);
                let (turns, rest) = (i.div_euclid(period), i.rem_euclid(period));
                let base = if rest < n {
                    Weights::one(rest as usize)
                } else {
                    Weights::none().and(last, 2).and((period - rest) as usize, -1)
                };
                let twice = turns.saturating_mul(2);
                base.and(last, twice).and(0, twice.saturating_neg())
            }
        }
    }
}

/// Half-sample mirror: the index, and the sign that an antisymmetric extension gives it.
fn half_sample(i: i64, n: i64) -> (usize, i64) {
    let rest = i.rem_euclid(2 * n);
    if rest < n { (rest as usize, 1) } else { ((2 * n - 1 - rest) as usize, -1) }
}

fn whole_sample(i: i64, n: i64) -> usize {
    if n == 1 {
        return 0;
    }
    let period = 2 * (n - 1);
    let rest = i.rem_euclid(period);
    rest.min(period - rest) as usize
}

#[cfg(test)]
mod tests;
