//! `waveloom list`

use crate::console::Console;
use crate::describe::symmetry;
use crate::error::{End, Failure};
use waveloom::wavelets::wavelet::Reconstruction;
use waveloom::wavelets::{Wavelet, catalogue};

/// Prints the catalogue, one wavelet a line.
pub fn run(console: &mut Console<'_>) -> Result<(), End> {
    console.line(format!(
        "{:10} {:>6} {:>9} {:>10} {:12} {}",
        "name", "length", "moments", "orthogonal", "symmetry", "schemes (1-D)"
    ))?;
    for name in catalogue::names() {
        let wavelet = catalogue::wavelet(name).map_err(Failure::plain)?;
        console.line(row(&wavelet))?;
    }
    Ok(())
}

fn row(wavelet: &Wavelet) -> String {
    let properties = wavelet.properties();
    let moments = format!(
        "{} / {}",
        properties.vanishing_moments_analysis, properties.vanishing_moments_synthesis
    );
    let kinds: Vec<&str> = wavelet.scheme_kinds(1).into_iter().map(|kind| kind.name()).collect();
    let mut notes = String::new();
    if wavelet.is_rounded() {
        notes.push_str("  integers");
    }
    if let Reconstruction::Approximate { defect } = properties.reconstruction {
        notes.push_str(&format!("  approximate (defect {defect:.1e})"));
    }
    format!(
        "{:10} {:>6} {moments:>9} {:>10} {:12} {}{notes}",
        wavelet.name(),
        wavelet.bank().length(),
        if properties.orthogonal { "yes" } else { "no" },
        symmetry(properties.symmetry),
        kinds.join(" "),
    )
}
