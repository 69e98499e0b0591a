//! What a user should know of a transform that is done all the same: notes on standard error.

use crate::describe::counted;
use crate::samples::Number;
use crate::settings::Settings;
use crate::transform::Transform;
use waveloom::plan::max_levels;
use waveloom::wavelets::verify::digits;
use waveloom::wavelets::{Mode, Wavelet};

/// A round trip should keep so many decimal digits.
const FEWEST_DIGITS: u32 = 3;

/// At most so many bands are named in one note.
const MOST_BANDS: usize = 6;

/// Of more levels than make sense.
pub fn levels(settings: &Settings, shape: &[usize]) -> Option<String> {
    let lengths = settings.axes.iter().filter_map(|axis| Some((*axis, *shape.get(*axis)?)));
    let wavelet = &settings.chosen.wavelet;
    let sensible = |len: usize| match settings.mode {
        // Mirrored without surplus, a signal can be halved down to one sample.
        Mode::Jpeg2000 => len.max(1).next_power_of_two().ilog2() as usize,
        _ => max_levels(wavelet, len),
    };
    let per_axis = lengths.map(|(axis, len)| (sensible(len), axis, len));
    // Mirrored, further levels go on along the longest axis.
    let (most, axis, len) = match settings.mode {
        Mode::Jpeg2000 => per_axis.max()?,
        _ => per_axis.min()?,
    };
    // One level of a short signal is what was meant, whatever it sees beyond the ends.
    if settings.levels <= most.max(1) {
        return None;
    }
    let beyond = match settings.mode {
        // Of the one approximation that is left, a level makes its multiple.
        Mode::Jpeg2000 if (low_gain(wavelet) - 1.0).abs() < 1e-9 => "further ones change nothing",
        Mode::Jpeg2000 => {
            "further ones only multiply what is left by the gain of the low-pass filter"
        }
        mode if mode.is_expansive() => {
            "further ones see little but the extension, and their bands grow no smaller"
        }
        _ => "further ones see little but the extension",
    };
    let samples = counted(len, "sample");
    let name = &settings.chosen.name;
    Some(format!(
        "--levels {}: at most {most} make sense for {samples} (axis {axis}) with {name}; {beyond}",
        settings.levels
    ))
}

/// Of a transform and its inverse: what there is to note before samples are looked at.
pub fn round_trip(settings: &Settings, shape: &[usize]) -> Vec<String> {
    [levels(settings, shape), condition(settings)].into_iter().flatten().collect()
}

/// Of a wavelet that loses most digits of the element type by itself.
pub fn condition(settings: &Settings) -> Option<String> {
    let wavelet = &settings.chosen.wavelet;
    let epsilon = |bytes: usize| match bytes {
        4 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    if wavelet.is_rounded() || settings.element.is_integer() {
        return None;
    }
    let condition = wavelet.condition(settings.levels, settings.axes.len());
    let kept = digits(condition, epsilon(settings.element.bytes()));
    if kept >= FEWEST_DIGITS {
        return None;
    }
    let in_double = digits(condition, f64::EPSILON);
    let remedy = match in_double > kept {
        true => format!("--dtype f64 keeps {in_double}"),
        false if settings.levels > 1 => {
            "fewer levels lose less; 'waveloom show' says more".to_owned()
        }
        false => "'waveloom show' says more".to_owned(),
    };
    Some(format!(
        "{} is badly conditioned: a round trip of {} along {} keeps {} in {}; {remedy}",
        settings.chosen.name,
        counted(settings.levels, "level"),
        match settings.axes.len() {
            1 => "1 axis".to_owned(),
            axes => format!("{axes} axes"),
        },
        match kept {
            0 => "no digit".to_owned(),
            kept => counted(kept as usize, "digit"),
        },
        settings.element.name()
    ))
}

/// The sum of the taps of a wavelet's low-pass filter.
fn low_gain(wavelet: &Wavelet) -> f64 {
    wavelet.bank().analysis_low().taps().iter().sum()
}

/// Of values that are not finite.
pub fn samples<T: Number>(what: &str, values: &[T]) -> Option<String> {
    not_finite(what, values.len(), strange(values))
}

/// Of samples of a file: those `before` that were not finite there, and others that exceed the range of the element type.
pub fn inputs<T: Number>(values: &[T], before: usize) -> Vec<String> {
    let (what, beyond) = ("input value", strange(values).saturating_sub(before));
    let large = (beyond > 0).then(|| {
        let all = counted(values.len(), what);
        format!("{beyond} of {all} exceed the range of {} and become infinite", T::KIND.name())
    });
    not_finite(what, values.len(), before).into_iter().chain(large).collect()
}

fn not_finite(what: &str, all: usize, count: usize) -> Option<String> {
    let text = || format!("{count} of {} are not finite (NaN or infinite)", counted(all, what));
    (count > 0).then(text)
}

/// Of coefficients that are not finite, although all samples are.
pub fn coefficients<T: Number>(transform: &Transform<T>, coefficients: &[T]) -> Option<String> {
    let bands = transform.pieces().iter().filter_map(|piece| {
        let count = strange(piece.slice(coefficients).ok()?);
        (count > 0).then(|| format!("{count} of {} in {}", piece.len(), piece.key))
    });
    let mut bands: Vec<String> = bands.collect();
    if bands.is_empty() {
        return None;
    }
    let more = bands.len().saturating_sub(MOST_BANDS);
    bands.truncate(MOST_BANDS);
    if more > 0 {
        bands.push(format!("and {} more", counted(more, "band")));
    }
    Some(format!(
        "coefficients are not finite (NaN or infinite) because they exceed the range of {}: {}",
        T::KIND.name(),
        bands.join(", ")
    ))
}

fn strange<T: Number>(values: &[T]) -> usize {
    match T::KIND.is_integer() {
        true => 0,
        false => values.iter().filter(|value| !value.to_f64().is_finite()).count(),
    }
}
