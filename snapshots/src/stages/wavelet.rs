//! A wavelet as text.

use super::Curated;
use std::fmt::Write;
use waveloom_wavelets::Wavelet;
use waveloom_wavelets::lattice::{Lattice, LatticeKind};
use waveloom_wavelets::lifting::{Channel, Lifting};
use waveloom_wavelets::wavelet::Reconstruction;

pub(super) fn render(case: &Curated) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, &case.wavelet);
    text
}

fn write(text: &mut String, wavelet: &Wavelet) -> std::fmt::Result {
    let (bank, properties) = (wavelet.bank(), wavelet.properties());
    writeln!(text, "{}, length {}", wavelet.name(), bank.length())?;
    let reconstruction = match properties.reconstruction {
        Reconstruction::Exact => "exact".to_owned(),
        // The last digits of a measured defect depend on the order of sums.
        Reconstruction::Perfect { defect } => format!("perfect, defect below {}", rough(defect)),
        Reconstruction::Approximate { defect } => format!("approximate, defect {defect:.3e}"),
    };
    writeln!(text, "reconstruction {reconstruction}")?;
    writeln!(text, "orthogonal {}, symmetry {:?}", properties.orthogonal, properties.symmetry)?;
    let (analysis, synthesis) =
        (properties.vanishing_moments_analysis, properties.vanishing_moments_synthesis);
    writeln!(text, "vanishing moments {analysis} analysis, {synthesis} synthesis")?;
    writeln!(text, "gains {:.12} low, {:.12} high", properties.low_gain, properties.high_gain)?;
    writeln!(text, "default mode {}", wavelet.default_mode())?;
    for axes in 1..=3 {
        writeln!(text, "default scheme on {axes} axes {}", wavelet.default_scheme(axes))?;
    }
    for remark in &properties.remarks {
        writeln!(text, "remark: {remark}")?;
    }
    let names = ["dec_lo", "dec_hi", "rec_lo", "rec_hi"];
    for (name, taps) in names.iter().zip(bank.to_pywavelets()) {
        writeln!(text, "\n{name}")?;
        for tap in taps {
            writeln!(text, "  {tap:?}")?;
        }
    }
    match (wavelet.lifting(), wavelet.lifting_reason()) {
        (Some(lifting), _) => write_lifting(text, lifting, properties.lifting_residual)?,
        (None, Some(reason)) => writeln!(text, "\nno lifting: {reason}")?,
        (None, None) => writeln!(text, "\nno lifting")?,
    }
    match (wavelet.lattice(), wavelet.lattice_reason()) {
        (Some(lattice), _) => write_lattice(text, lattice, properties.lattice_residual)?,
        (None, Some(reason)) => writeln!(text, "\nno lattice: {reason}")?,
        (None, None) => writeln!(text, "\nno lattice")?,
    }
    Ok(())
}

fn write_lifting(text: &mut String, lifting: &Lifting, residual: Option<f64>) -> std::fmt::Result {
    let name = |channel: Channel| match channel {
        Channel::Even => "even",
        Channel::Odd => "odd",
    };
    writeln!(text, "\nlifting, residual below {}", rough(residual.unwrap_or(0.0)))?;
    for step in &lifting.steps {
        let (target, source) = (name(step.target), name(step.target.other()));
        write!(text, "  {target} +=")?;
        for (exponent, tap) in &step.taps {
            write!(text, " {tap:?} {source}[{exponent:+}]")?;
        }
        match step.rounding {
            Some(r) => writeln!(text, " rounded: offset {}, shift {}", r.offset, r.shift)?,
            None => writeln!(text)?,
        }
    }
    for (band, output) in [("low", lifting.low), ("high", lifting.high)] {
        let (channel, advance) = (name(output.channel), output.advance);
        writeln!(text, "  {band} = {:?} {channel}[{advance:+}]", output.gain)?;
    }
    Ok(())
}

fn write_lattice(text: &mut String, lattice: &Lattice, residual: Option<f64>) -> std::fmt::Result {
    let kind = match lattice.kind {
        LatticeKind::Orthogonal => "orthogonal",
        LatticeKind::General => "general",
    };
    writeln!(text, "\n{kind} lattice, residual below {}", rough(residual.unwrap_or(0.0)))?;
    for [first, second] in &lattice.stages {
        writeln!(text, "  {first:?} {second:?}")?;
    }
    if let Some((target, q)) = &lattice.lead {
        writeln!(text, "  lead: row {target} += {q} of the other")?;
    }
    writeln!(text, "  advance {:?}", lattice.advance)
}

/// The next power of ten.
fn rough(value: f64) -> String {
    if value == 0.0 {
        return "1e-16".to_owned();
    }
    let power = value.abs().log10().ceil().max(-16.0);
    format!("1e{power}")
}
