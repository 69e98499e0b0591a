//! What a compression kept and lost.

use super::Choice;
use crate::describe;
use serde_json::{Value, json};
use std::path::PathBuf;
use waveloom::wavelets::Mode;

/// Of one image.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Where it came from.
    pub input: PathBuf,
    /// Where it went.
    pub output: PathBuf,
    /// Its shape, channels first.
    pub shape: Vec<usize>,
    /// Bits per channel.
    pub bits: u8,
    /// The wavelet's name.
    pub wavelet: String,
    /// Treatment of the ends.
    pub mode: Mode,
    /// Number of levels.
    pub levels: usize,
    /// Which coefficients stayed.
    pub choice: Choice,
    /// Number of coefficients of all colours.
    pub coefficients: usize,
    /// How many of them are not zero.
    pub nonzero: usize,
    /// Their share of the sum of squares.
    pub energy_share: f64,
    /// Peak signal to noise ratio of all colours in dB; infinite if no pixel changed.
    pub psnr: f64,
    /// What a user should know of it.
    pub notes: Vec<String>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            input: PathBuf::new(),
            output: PathBuf::new(),
            shape: Vec::new(),
            bits: 8,
            wavelet: String::new(),
            mode: Mode::Symmetric,
            levels: 0,
            choice: Choice::Approximation,
            coefficients: 0,
            nonzero: 0,
            energy_share: 0.0,
            psnr: 0.0,
            notes: Vec::new(),
        }
    }
}

impl Report {
    fn nonzero_share(&self) -> f64 {
        self.nonzero as f64 / self.coefficients.max(1) as f64
    }

    /// One line.
    pub fn text(&self) -> String {
        let plural = if self.levels == 1 { "" } else { "s" };
        let kept = match self.choice {
            Choice::Approximation => "approximation only".to_owned(),
            Choice::Largest(share, rule) => {
                format!("largest {}, {}", percent(share), rule.name())
            }
        };
        format!(
            "{} -> {}: {} {} bits, {} {}, {} level{plural}, {kept}: {} nonzero, energy {}, PSNR {}",
            self.input.display(),
            self.output.display(),
            describe::size(&self.shape),
            self.bits,
            self.wavelet,
            self.mode,
            self.levels,
            percent(self.nonzero_share()),
            percent(self.energy_share),
            decibels(self.psnr)
        )
    }

    /// The same as an object.
    pub fn json(&self) -> Value {
        let (keep, threshold) = match self.choice {
            Choice::Approximation => (json!("approximation"), Value::Null),
            Choice::Largest(share, rule) => (json!(share), json!(rule.name())),
        };
        json!({
            "input": self.input.to_string_lossy(),
            "output": self.output.to_string_lossy(),
            "shape": self.shape,
            "bits": self.bits,
            "wavelet": self.wavelet,
            "mode": self.mode.to_string(),
            "levels": self.levels,
            "keep": keep,
            "threshold": threshold,
            "coefficients": self.coefficients,
            "nonzero": self.nonzero,
            "nonzero_share": self.nonzero_share(),
            "energy_share": self.energy_share,
            // JSON has no infinity: null says that no pixel changed.
            "psnr_db": if self.psnr.is_finite() { json!(self.psnr) } else { Value::Null },
        })
    }
}

/// One line for all images of a folder.
pub fn summary(reports: &[Report]) -> String {
    let worst = reports.iter().map(|report| report.psnr).fold(f64::INFINITY, f64::min);
    let best = reports.iter().map(|report| report.psnr).fold(0.0, f64::max);
    let psnr = match worst == best {
        true => decibels(worst),
        false => format!("{} to {}", decibels(worst), decibels(best)),
    };
    let nonzero: usize = reports.iter().map(|report| report.nonzero).sum();
    let all: usize = reports.iter().map(|report| report.coefficients).sum();
    format!(
        "{}: {} of the coefficients nonzero, PSNR {psnr}",
        describe::counted(reports.len(), "image"),
        percent(nonzero as f64 / all.max(1) as f64)
    )
}

fn percent(share: f64) -> String {
    // As many digits as tell the share from 100 %.
    let digits = if share > 0.9995 && share < 1.0 { 4 } else { 2 };
    format!("{:.digits$} %", share * 100.0)
}

fn decibels(value: f64) -> String {
    if value.is_finite() { format!("{value:.2} dB") } else { "∞ (no pixel changed)".to_owned() }
}
