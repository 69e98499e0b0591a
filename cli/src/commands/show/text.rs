//! A wavelet in words and columns.

use super::json::{band_of, dense};
use super::schemes;
use crate::describe::{counted, symmetry};
use std::fmt::Write;
use waveloom::wavelets::lattice::LatticeKind;
use waveloom::wavelets::verify::digits;
use waveloom::wavelets::wavelet::Reconstruction;
use waveloom::wavelets::{Lattice, Lifting, Wavelet};

/// A few lines: what the wavelet is and what was measured.
pub fn short(wavelet: &Wavelet) -> String {
    let properties = wavelet.properties();
    let mut text = format!(
        "{}: {}, length {}, symmetry {}, vanishing moments {} (analysis) and {} (synthesis)\n",
        wavelet.name(),
        if properties.orthogonal { "orthogonal" } else { "biorthogonal" },
        wavelet.bank().length(),
        symmetry(properties.symmetry),
        properties.vanishing_moments_analysis,
        properties.vanishing_moments_synthesis,
    );
    let reconstruction = match properties.reconstruction {
        Reconstruction::Exact => "exact (proved)".to_owned(),
        Reconstruction::Perfect { defect } => format!("perfect (defect {defect:.1e})"),
        Reconstruction::Approximate { defect } => {
            format!("only approximate (defect {defect:.1e}): convolution only")
        }
    };
    put(&mut text, format_args!("reconstruction {reconstruction}"));
    if wavelet.is_rounded() {
        put(&mut text, format_args!("integer transform: lifting steps are rounded"));
    }
    put(
        &mut text,
        format_args!(
            "gain {} (low), {} (high)",
            number(properties.low_gain),
            number(properties.high_gain)
        ),
    );
    put(&mut text, format_args!("default mode {}", wavelet.default_mode()));
    if !wavelet.is_rounded() {
        let condition = properties.condition;
        let kept = [f64::EPSILON, f64::from(f32::EPSILON)].map(|e| digits(condition, e));
        put(
            &mut text,
            format_args!(
                "condition {}: a round trip of one level along one axis keeps {} in f64, {} in f32",
                match condition {
                    small if small < 1e4 => format!("{small:.0}"),
                    large => format!("{large:.1e}"),
                },
                counted(kept[0] as usize, "digit"),
                kept[1]
            ),
        );
    }
    for (name, residual, f32_error) in [
        ("lifting", properties.lifting_residual, properties.lifting_f32_error),
        ("lattice", properties.lattice_residual, properties.lattice_f32_error),
    ] {
        if let (Some(residual), Some(f32_error)) = (residual, f32_error) {
            put(
                &mut text,
                format_args!(
                    "{name}: factors multiply back {}; error in f32 {f32_error:.1e}",
                    match residual {
                        0.0 => "exactly".to_owned(),
                        residual => format!("within {residual:.1e}"),
                    }
                ),
            );
        }
    }
    for remark in &properties.remarks {
        put(&mut text, format_args!("note: {remark}"));
    }
    text
}

/// Everything.
pub fn long(wavelet: &Wavelet) -> String {
    let mut text = short(wavelet);
    taps(&mut text, wavelet);
    match wavelet.lifting() {
        Some(factors) => lifting(&mut text, factors),
        None => missing(&mut text, "lifting", wavelet.lifting_reason().map(ToString::to_string)),
    }
    match wavelet.lattice() {
        Some(factors) => lattice(&mut text, factors),
        None => missing(&mut text, "lattice", wavelet.lattice_reason().map(ToString::to_string)),
    }
    costs(&mut text, wavelet);
    text
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "  {line}");
}

/// A column of 21 characters: 17 decimals, or where most of these would be zeros, or where it does
/// not fit, 14 significant digits.
fn column(value: f64) -> String {
    let size = value.abs();
    match value {
        0.0 => format!("{:21.17}", 0.0),
        _ if (1e-8..1e3).contains(&size) => format!("{value:21.17}"),
        _ => format!("{value:21.13e}"),
    }
}

/// All digits, as a definition file takes them.
fn literal(value: f64) -> String {
    match value == 0.0 || (1e-8..1e16).contains(&value.abs()) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

/// All digits and no more; small and large ones with an exponent.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-8..1e16).contains(&value.abs()) {
        return format!("{value:e}");
    }
    format!("{value:.17}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn heading(text: &mut String, title: &str) {
    text.push('\n');
    text.push_str(title);
    text.push('\n');
}

fn missing(text: &mut String, what: &str, reason: Option<String>) {
    heading(text, &format!("{what}: none"));
    if let Some(reason) = reason {
        put(text, format_args!("{reason}"));
    }
}

fn taps(text: &mut String, wavelet: &Wavelet) {
    heading(text, "taps");
    let filters = wavelet.bank().to_pywavelets();
    let names = ["dec_lo", "dec_hi", "rec_lo", "rec_hi"];
    put(text, format_args!("   {}", names.map(|name| format!("{name:>21}")).join(" ")));
    for index in 0..wavelet.bank().length() {
        let row: Vec<String> = filters
            .iter()
            .map(|filter| filter.get(index).map_or_else(String::new, |tap| column(*tap)))
            .collect();
        put(
            text,
            format_args!(
                "{index:3}{}",
                row.iter().map(|tap| format!(" {tap}")).collect::<String>()
            ),
        );
    }
    put(text, format_args!("with positions: y[k] = Σ taps[j] · x[2k + first + j]"));
    for (name, filter) in
        [("lo", wavelet.bank().analysis_low()), ("hi", wavelet.bank().analysis_high())]
    {
        let taps: Vec<String> = filter.taps().iter().map(|tap| literal(*tap)).collect();
        let first = filter.first();
        put(text, format_args!("{name} = {{ first = {first}, taps = [{}] }}", taps.join(", ")));
    }
}

fn lifting(text: &mut String, lifting: &Lifting) {
    heading(text, "lifting (k counts pairs; a starts as the even samples, d as the odd ones)");
    if lifting.low.channel != waveloom::wavelets::lifting::Channel::Even {
        put(text, format_args!("(here a starts as the odd samples, d as the even ones)"));
    }
    for step in &lifting.steps {
        let target = band_of(lifting, step.target);
        let other = if target == 'a' { 'd' } else { 'a' };
        let (first, taps) = dense(step);
        let terms: Vec<String> = (first..)
            .zip(&taps)
            .filter(|(_, tap)| **tap != 0.0)
            .map(|(exponent, tap)| format!("{} {other}[{}]", signed(*tap), shifted(exponent)))
            .collect();
        let sum = terms.join(" ");
        match step.rounding {
            None => put(text, format_args!("{target}[k] += {sum}")),
            Some(rounding) => {
                let half = rounding.offset as f64 / 2_f64.powi(rounding.shift as i32);
                put(text, format_args!("{target}[k] += floor({sum} + {})", number(half)));
            }
        }
    }
    for (name, band) in [('a', lifting.low), ('d', lifting.high)] {
        if band.gain != 1.0 || band.advance != 0 {
            let place = shifted(band.advance);
            let gain = if band.gain == 1.0 { String::new() } else { number(band.gain) + " " };
            put(text, format_args!("{name}[k] = {gain}{name}[{place}]"));
        }
    }
    let largest = lifting.largest_coefficient();
    let largest = match largest {
        0.0 => "0".to_owned(),
        largest if (1e-2..1e6).contains(&largest) => format!("{largest:.4}"),
        largest => format!("{largest:.4e}"),
    };
    put(text, format_args!("largest coefficient {largest}"));
}

fn signed(tap: f64) -> String {
    let sign = if tap < 0.0 { '-' } else { '+' };
    format!("{sign} {}", number(tap.abs()))
}

fn shifted(exponent: i32) -> String {
    match exponent {
        0 => "k".to_owned(),
        e if e > 0 => format!("k+{e}"),
        e => format!("k-{}", e.unsigned_abs()),
    }
}

fn lattice(text: &mut String, lattice: &Lattice) {
    let kind = match lattice.kind {
        LatticeKind::Orthogonal => "orthogonal",
        LatticeKind::General => "general",
    };
    let count = lattice.stages.len();
    heading(
        text,
        &format!(
            "lattice ({kind}, {count} stages; input side first, one arm advanced between stages)"
        ),
    );
    for (index, [[p, q], [r, s]]) in lattice.stages.iter().enumerate() {
        let [p, q, r, s] = [p, q, r, s].map(|entry| column(*entry));
        put(text, format_args!("{index:3} [{p} {q}] [{r} {s}]"));
    }
    if let Some((target, polynomial)) = &lattice.lead {
        let target = if *target == 0 { 'a' } else { 'd' };
        put(text, format_args!("then lifting of {target}: {polynomial}"));
    }
}

fn costs(text: &mut String, wavelet: &Wavelet) {
    heading(text, "schemes (terms: multiply-adds for one output pair, quad or octet)");
    put(
        text,
        format_args!(
            "{:26} {:>4} {:>5} {:>7} {:>11}  reach in pairs",
            "name", "dims", "cuts", "terms", "split terms"
        ),
    );
    for row in schemes::rows(wavelet) {
        // All axes of a scheme reach equally far.
        let reach = row.reach.first().copied().unwrap_or((0, 0));
        put(
            text,
            format_args!(
                "{:26} {:>4} {:>5} {:>7} {:>11}  {} to {}",
                row.name, row.dims, row.cuts, row.terms, row.terms_split, reach.0, reach.1
            ),
        );
    }
}
