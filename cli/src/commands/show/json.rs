//! A wavelet as one JSON object.

use super::schemes::{self, Row};
use serde::Serialize;
use std::collections::BTreeMap;
use waveloom::wavelets::lattice::{Butterfly, LatticeKind};
use waveloom::wavelets::lifting::{BandOutput, Channel, Lifting, LiftingStep};
use waveloom::wavelets::wavelet::Symmetry;
use waveloom::wavelets::{Lattice, Wavelet};

/// See the command's documentation; the fields are its contract.
#[derive(Serialize)]
pub struct Shown {
    name: String,
    length: usize,
    orthogonal: bool,
    symmetric: bool,
    vanishing_moments: Moments,
    taps: Taps,
    residual: Residual,
    condition: f64,
    lifting: Option<LiftingShown>,
    lattice: Option<LatticeShown>,
    schemes: Vec<Row>,
    rounded: bool,
    default_mode: &'static str,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Moments {
    analysis: usize,
    synthesis: usize,
}

/// PyWavelets' order and orientation.
#[derive(Serialize)]
struct Taps {
    dec_lo: Vec<f64>,
    dec_hi: Vec<f64>,
    rec_lo: Vec<f64>,
    rec_hi: Vec<f64>,
}

#[derive(Serialize)]
struct Residual {
    reconstruction: f64,
    lifting: Option<f64>,
    lattice: Option<f64>,
}

#[derive(Serialize)]
struct LiftingShown {
    steps: Vec<StepShown>,
    gains: Gains,
    advance: Gains<i32>,
}

/// One number per band.
#[derive(Serialize)]
struct Gains<T = f64> {
    a: T,
    d: T,
}

#[derive(Serialize)]
struct StepShown {
    target: char,
    first: i32,
    taps: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shift: Option<u32>,
}

#[derive(Serialize)]
struct LatticeShown {
    kind: &'static str,
    stages: Vec<Butterfly>,
    lead: Option<LeadShown>,
    advance: Gains<i32>,
}

#[derive(Serialize)]
struct LeadShown {
    target: char,
    taps: BTreeMap<i32, f64>,
}

impl Shown {
    /// Everything that is known of a wavelet.
    pub fn of(wavelet: &Wavelet) -> Self {
        let properties = wavelet.properties();
        let [dec_lo, dec_hi, rec_lo, rec_hi] = wavelet.bank().to_pywavelets();
        Self {
            name: wavelet.name().to_owned(),
            length: wavelet.bank().length(),
            orthogonal: properties.orthogonal,
            symmetric: properties.symmetry != Symmetry::None,
            vanishing_moments: Moments {
                analysis: properties.vanishing_moments_analysis,
                synthesis: properties.vanishing_moments_synthesis,
            },
            taps: Taps { dec_lo, dec_hi, rec_lo, rec_hi },
            residual: Residual {
                reconstruction: properties.reconstruction.defect(),
                lifting: properties.lifting_residual,
                lattice: properties.lattice_residual,
            },
            condition: properties.condition,
            lifting: wavelet.lifting().map(lifting),
            lattice: wavelet.lattice().map(lattice),
            schemes: schemes::rows(wavelet),
            rounded: wavelet.is_rounded(),
            default_mode: wavelet.default_mode().name(),
            remarks: properties.remarks.clone(),
        }
    }
}

/// The band that a channel becomes after the last step.
pub fn band_of(lifting: &Lifting, channel: Channel) -> char {
    if lifting.low.channel == channel { 'a' } else { 'd' }
}

/// Coefficients from the first exponent on, zeros included.
pub fn dense(step: &LiftingStep) -> (i32, Vec<f64>) {
    match (step.taps.first_key_value(), step.taps.last_key_value()) {
        (Some((first, _)), Some((last, _))) => {
            let taps = (*first..=*last).map(|e| step.taps.get(&e).copied().unwrap_or(0.0));
            (*first, taps.collect())
        }
        _ => (0, Vec::new()),
    }
}

fn lifting(lifting: &Lifting) -> LiftingShown {
    let steps = lifting.steps.iter().map(|step| {
        let (first, taps) = dense(step);
        StepShown {
            target: band_of(lifting, step.target),
            first,
            taps,
            offset: step.rounding.map(|rounding| rounding.offset),
            shift: step.rounding.map(|rounding| rounding.shift),
        }
    });
    let of = |read: fn(&BandOutput) -> f64| Gains { a: read(&lifting.low), d: read(&lifting.high) };
    LiftingShown {
        steps: steps.collect(),
        gains: of(|band| band.gain),
        advance: Gains { a: lifting.low.advance, d: lifting.high.advance },
    }
}

fn lattice(lattice: &Lattice) -> LatticeShown {
    LatticeShown {
        kind: match lattice.kind {
            LatticeKind::Orthogonal => "orthogonal",
            LatticeKind::General => "general",
        },
        stages: lattice.stages.clone(),
        lead: lattice.lead.as_ref().map(|(target, polynomial)| LeadShown {
            target: if *target == 0 { 'a' } else { 'd' },
            taps: polynomial.terms().map(|(exponent, value)| (exponent[0], *value)).collect(),
        }),
        advance: Gains { a: lattice.advance[0], d: lattice.advance[1] },
    }
}
