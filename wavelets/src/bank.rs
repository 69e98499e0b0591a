//! Two-channel filter banks.

use crate::algebra::{Laurent, PolyphaseMatrix};

/// A finite filter: `taps[j]` at position `first + j`.
///
/// For analysis, `y[k] = Σ_j taps[j] · x[2k + first + j]`; for synthesis,
/// `x[2k + first + j] += taps[j] · y[k]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    first: i32,
    taps: Vec<f64>,
}

impl Filter {
    /// A filter whose `taps[0]` stands at `first`. Zeros at the ends are removed.
    pub fn new(first: i32, taps: &[f64]) -> Self {
        let Some(begin) = taps.iter().position(|tap| *tap != 0.0) else {
            return Self { first: 0, taps: Vec::new() };
        };
        let end = taps.iter().rposition(|tap| *tap != 0.0).map_or(begin, |last| last + 1);
        Self { first: first.saturating_add(begin as i32), taps: taps[begin..end].to_vec() }
    }

    /// The filter whose taps at even and odd positions have these phase polynomials (of axis 0).
    pub fn from_phases(phases: [&Laurent; 2]) -> Self {
        let mut taps = std::collections::BTreeMap::new();
        for (phase, polynomial) in phases.into_iter().enumerate() {
            for (exponent, tap) in polynomial.terms() {
                taps.insert(exponent[0].saturating_mul(2).saturating_add(phase as i32), *tap);
            }
        }
        let (Some((first, _)), Some((last, _))) = (taps.first_key_value(), taps.last_key_value())
        else {
            return Self::new(0, &[]);
        };
        let dense: Vec<f64> =
            (*first..=*last).map(|p| taps.get(&p).copied().unwrap_or(0.0)).collect();
        Self::new(*first, &dense)
    }

    /// Position of the first tap.
    pub fn first(&self) -> i32 {
        self.first
    }

    /// Position of the last tap.
    pub fn last(&self) -> i32 {
        self.first.saturating_add(self.taps.len() as i32 - 1)
    }

    /// The taps, without zeros at either end.
    pub fn taps(&self) -> &[f64] {
        &self.taps
    }

    /// The tap at a position (zero outside).
    pub fn at(&self, position: i32) -> f64 {
        let index = i64::from(position) - i64::from(self.first);
        usize::try_from(index).ok().and_then(|i| self.taps.get(i)).copied().unwrap_or(0.0)
    }

    /// The same filter, `distance` positions later.
    pub fn delayed(&self, distance: i32) -> Self {
        Self { first: self.first.saturating_add(distance), taps: self.taps.clone() }
    }

    /// The taps at positions `0..length`, zeros included.
    pub fn padded(&self, length: usize) -> Vec<f64> {
        (0..length as i32).map(|position| self.at(position)).collect()
    }

    /// The phase polynomial of taps at even (`0`) or odd (`1`) positions: position `2e + phase`
    /// becomes exponent `e`.
    pub fn phase(&self, phase: i32) -> Laurent {
        let positions = self.first..=self.last();
        Laurent::from_terms(
            positions
                .filter(|position| position.rem_euclid(2) == phase)
                .map(|position| ([position.div_euclid(2), 0, 0], self.at(position))),
        )
    }
}

/// Analysis and synthesis filters of one wavelet, in its frame: all supports lie in `0..length`.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterBank {
    length: usize,
    analysis_low: Filter,
    analysis_high: Filter,
    synthesis_low: Filter,
    synthesis_high: Filter,
}

impl FilterBank {
    /// Places four filters with a common position in the smallest frame of even length that holds
    /// them all, moving them by an even number of samples (which only renumbers the coefficients).
    pub fn new(low: Filter, high: Filter, rec_low: Filter, rec_high: Filter) -> Self {
        let filters = [&low, &high, &rec_low, &rec_high];
        let used = || filters.iter().filter(|filter| !filter.taps.is_empty());
        let first = used().map(|filter| filter.first).min().unwrap_or(0);
        let last = used().map(|filter| filter.last()).max().unwrap_or(1);
        let start = first.saturating_sub(first.rem_euclid(2)).max(-i32::MAX);
        let length = (i64::from(last) - i64::from(start) + 1) as usize;
        Self::in_frame(
            length + length % 2,
            low.delayed(-start),
            high.delayed(-start),
            rec_low.delayed(-start),
            rec_high.delayed(-start),
        )
    }

    /// A bank whose filters already stand in a frame of the given even length.
    pub fn in_frame(
        length: usize,
        analysis_low: Filter,
        analysis_high: Filter,
        synthesis_low: Filter,
        synthesis_high: Filter,
    ) -> Self {
        Self { length, analysis_low, analysis_high, synthesis_low, synthesis_high }
    }

    /// The bank of four equally long filters in PyWavelets' order and orientation. Zeros at the
    /// ends count: they belong to the frame. An odd length gets, as in PyWavelets, one zero more
    /// at the end of each filter.
    pub fn from_pywavelets(dec_lo: &[f64], dec_hi: &[f64], rec_lo: &[f64], rec_hi: &[f64]) -> Self {
        let reversed = |taps: &[f64]| taps.iter().rev().copied().collect::<Vec<f64>>();
        let extra = dec_lo.len() % 2;
        Self::in_frame(
            dec_lo.len() + extra,
            Filter::new(extra as i32, &reversed(dec_lo)),
            Filter::new(extra as i32, &reversed(dec_hi)),
            Filter::new(0, rec_lo),
            Filter::new(0, rec_hi),
        )
    }

    /// The bank of an analysis and a synthesis polyphase matrix (of axis 0), in the smallest frame,
    /// and the number of pairs by which its coefficients come later than the matrices': rows of the
    /// given analysis matrix times `z^(-pairs)` are the bank's.
    pub fn from_polyphase(analysis: &PolyphaseMatrix, synthesis: &PolyphaseMatrix) -> (Self, i32) {
        let band = |row: usize| Filter::from_phases([0, 1].map(|phase| analysis.entry(row, phase)));
        let rec = |column: usize| {
            let phases = [0, 1].map(|phase| synthesis.entry(phase, column).time_reversed());
            Filter::from_phases([&phases[0], &phases[1]])
        };
        let low = band(0);
        let first = low.first;
        let bank = Self::new(low, band(1), rec(0), rec(1));
        let pairs = (first - bank.analysis_low.first) / 2;
        (bank, pairs)
    }

    /// Frame length `M`, even. The expansive modes give `floor((N+M-1)/2)` coefficients.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The analysis low-pass filter `lo`.
    pub fn analysis_low(&self) -> &Filter {
        &self.analysis_low
    }

    /// The analysis high-pass filter `hi`.
    pub fn analysis_high(&self) -> &Filter {
        &self.analysis_high
    }

    /// The synthesis low-pass filter.
    pub fn synthesis_low(&self) -> &Filter {
        &self.synthesis_low
    }

    /// The synthesis high-pass filter.
    pub fn synthesis_high(&self) -> &Filter {
        &self.synthesis_high
    }

    /// PyWavelets' `dec_lo, dec_hi, rec_lo, rec_hi`, each of length [`FilterBank::length`].
    pub fn to_pywavelets(&self) -> [Vec<f64>; 4] {
        let reversed = |filter: &Filter| {
            let mut taps = filter.padded(self.length);
            taps.reverse();
            taps
        };
        [
            reversed(&self.analysis_low),
            reversed(&self.analysis_high),
            self.synthesis_low.padded(self.length),
            self.synthesis_high.padded(self.length),
        ]
    }

    /// The analysis polyphase matrix: `(x[2k], x[2k+1])` to `(a[k], d[k])`.
    pub fn analysis_polyphase(&self) -> PolyphaseMatrix {
        PolyphaseMatrix::two_by_two(
            [&self.analysis_low, &self.analysis_high].map(|f| [f.phase(0), f.phase(1)]),
        )
    }

    /// The synthesis polyphase matrix: `(a[k], d[k])` to `(x[2k], x[2k+1])`.
    pub fn synthesis_polyphase(&self) -> PolyphaseMatrix {
        let columns = [&self.synthesis_low, &self.synthesis_high];
        PolyphaseMatrix::from_fn(2, |row, column| columns[column].phase(row as i32).time_reversed())
    }

    /// Largest absolute tap of `synthesis · analysis - identity`: 0 for perfect reconstruction.
    pub fn reconstruction_defect(&self) -> f64 {
        let product = self.synthesis_polyphase().times(&self.analysis_polyphase());
        product.distance(&PolyphaseMatrix::identity(2))
    }
}
