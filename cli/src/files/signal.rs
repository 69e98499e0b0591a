//! Signals: whatever a transform starts from, in any format.

use super::npz::Content;
use super::picture::Picture;
use super::sound::Sound;
use super::{Format, npy, npz, picture, sound};
use crate::error::{Failure, Outcome};
use crate::samples::{SampleType, Samples};
use ndarray::ArrayD;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a signal came from: enough to write the same kind of file again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A NumPy array.
    Array,
    /// An image.
    Picture(Picture),
    /// A sound.
    Sound(Sound),
}

impl Source {
    /// Whether a file of this kind can exist: a record may claim anything.
    pub fn is_possible(self) -> bool {
        match self {
            Self::Array => true,
            Self::Picture(picture) => {
                matches!(picture.bits, 8 | 16) && (1..=4).contains(&picture.channels)
            }
            Self::Sound(sound) => {
                let depths: &[u16] = if sound.float { &[32] } else { &[8, 16, 24, 32] };
                depths.contains(&sound.bits) && sound.channels > 0 && sound.rate > 0
            }
        }
    }

    /// How many trailing axes are transformed when nothing else is asked for: rows and columns of
    /// an image, the samples of a sound, every axis of an array.
    pub fn default_dims(self, axes: usize) -> usize {
        match self {
            Self::Array => axes,
            Self::Picture(_) => axes.min(2),
            Self::Sound(_) => axes.min(1),
        }
    }
}

/// An array and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The values, channels first.
    pub samples: Samples,
    /// What it was read from.
    pub source: Source,
}

/// The member name of a signal in an archive that we write.
pub const SIGNAL_MEMBER: &str = "signal";

impl Signal {
    /// Reads a signal of any format. An archive must hold exactly one array.
    pub fn read(path: &Path) -> Outcome<Self> {
        let format = Format::of(path)?;
        let (samples, source) = match format {
            Format::Npy => (npy::read(path)?, Source::Array),
            Format::Npz => (single_member(path)?, Source::Array),
            Format::Png | Format::Tiff => {
                let (samples, picture) = picture::read(path, format)?;
                (samples, Source::Picture(picture))
            }
            Format::Wav => {
                let (samples, sound) = sound::read(path)?;
                (samples, Source::Sound(sound))
            }
        };
        Ok(Self { samples, source })
    }
}

fn single_member(path: &Path) -> Outcome<Samples> {
    let mut members: Vec<(String, Content)> = npz::read(path)?.into_iter().collect();
    let names: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
    match (members.pop(), members.is_empty()) {
        (Some((_, Content::Samples(samples))), true) => Ok(samples),
        _ => {
            let message = format!("expected exactly one array, found [{}]", names.join(", "));
            Err(Failure::of_field(path, "members", message))
        }
    }
}

/// Writes an array as the file's name asks. Images and sounds get the depth, channels and rate of
/// `source`, to which floating-point values are rounded and clamped; `stored` is the element type of
/// the original signal where it is known.
///
/// # Errors
/// Values that are not numbers (NaN) have no pixel and no integer, and are refused with their count.
pub fn write(
    path: &Path,
    samples: &Samples,
    source: Source,
    stored: Option<SampleType>,
) -> Outcome<()> {
    let format = Format::of(path)?;
    match format {
        Format::Npy => super::atomic::write(path, |writer| npy::write_array(writer, samples)),
        Format::Npz => npz::write(path, [(SIGNAL_MEMBER, samples)]),
        Format::Png | Format::Tiff => {
            let bits = match (source, stored) {
                (Source::Picture(picture), _) => picture.bits,
                (_, Some(SampleType::U8)) => 8,
                (_, Some(SampleType::U16)) => 16,
                _ => return Err(unknown_depth(path, "an image of 8 or 16 bits")),
            };
            let pixels =
                quantised_pixels(samples, bits).map_err(|failure| failure.in_file(path))?;
            picture::write(path, format, &pixels)
        }
        Format::Wav => {
            let Source::Sound(target) = source else {
                return Err(unknown_depth(path, "a sound with a sample rate"));
            };
            let sound =
                quantised_sound(samples, target).map_err(|failure| failure.in_file(path))?;
            sound::write(path, &sound, target)
        }
    }
}

/// Refuses before any work is done what [`write`] would refuse afterwards.
pub fn check(path: &Path, source: Source, stored: Option<SampleType>) -> Outcome<()> {
    super::atomic::check_target(path)?;
    let mut possible = vec![Format::Npy, Format::Npz];
    match (source, stored) {
        (Source::Picture(_), _) | (_, Some(SampleType::U8 | SampleType::U16)) => {
            possible.extend(Format::IMAGES);
        }
        _ => {}
    }
    if matches!(source, Source::Sound(_)) {
        possible.push(Format::Wav);
    }
    match Format::expecting(path, &possible)? {
        format if possible.contains(&format) => Ok(()),
        Format::Wav => Err(unknown_depth(path, "a sound with a sample rate")),
        _ => Err(unknown_depth(path, "an image of 8 or 16 bits")),
    }
}

fn unknown_depth(path: &Path, wanted: &str) -> Failure {
    let message =
        format!("the input does not come from {wanted}; expected a name ending in .npy or .npz");
    Failure::of_field(path, "output", message)
}

fn rounded(samples: &Samples, low: f64, high: f64) -> Outcome<Vec<f64>> {
    let values = samples.values::<f64>()?;
    let undefined = values.iter().filter(|value| value.is_nan()).count();
    if undefined > 0 {
        let message = format!(
            "{undefined} of {} are no numbers (NaN), which only .npy, .npz and floating point .wav can hold",
            values.len()
        );
        return Err(Failure::of_option("values", message));
    }
    Ok(values.into_iter().map(|value| value.round().clamp(low, high)).collect())
}

fn quantised_pixels(samples: &Samples, bits: u8) -> Outcome<Samples> {
    let high = if bits == 8 { f64::from(u8::MAX) } else { f64::from(u16::MAX) };
    let values = rounded(samples, 0.0, high)?;
    // Everything is in range after clamping.
    Ok(if bits == 8 {
        Samples::U8(reshape(samples, values.into_iter().map(|value| value as u8).collect())?)
    } else {
        Samples::U16(reshape(samples, values.into_iter().map(|value| value as u16).collect())?)
    })
}

fn quantised_sound(samples: &Samples, sound: Sound) -> Outcome<Samples> {
    if sound.float {
        return Ok(Samples::F32(reshape(samples, samples.values()?)?));
    }
    let (low, high) = sound.range();
    let values = rounded(samples, low, high)?;
    Ok(Samples::I32(reshape(samples, values.into_iter().map(|value| value as i32).collect())?))
}

fn reshape<T>(like: &Samples, values: Vec<T>) -> Outcome<ArrayD<T>> {
    ArrayD::from_shape_vec(like.shape(), values).map_err(Failure::plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr2;

    #[test]
    fn pixels_are_rounded_and_clamped() {
        let values =
            Samples::F64(arr2(&[[-3.0, 0.49, 0.5], [254.6, 300.0, f64::INFINITY]]).into_dyn());
        let pixels = quantised_pixels(&values, 8).unwrap();
        assert_eq!(pixels, Samples::U8(arr2(&[[0, 0, 1], [255, 255, 255]]).into_dyn()));
    }

    #[test]
    fn what_is_no_number_is_no_pixel() {
        let values = Samples::F32(arr2(&[[1.0, f32::NAN], [f32::NAN, 2.0]]).into_dyn());
        let refusal = quantised_pixels(&values, 16).unwrap_err().to_string();
        assert!(refusal.starts_with("values: 2 of 4 are no numbers (NaN)"), "{refusal}");
        let sound = Sound { channels: 2, rate: 8000, bits: 16, float: false };
        assert!(quantised_sound(&values, sound).is_err());
        let sound = Sound { channels: 2, rate: 8000, bits: 32, float: true };
        assert!(quantised_sound(&values, sound).is_ok());
    }

    #[test]
    fn sound_values_are_clamped_to_their_depth() {
        let sound = Sound { channels: 1, rate: 8000, bits: 16, float: false };
        let values = Samples::F32(ndarray::arr1(&[-4e4, 4e4, 1.5]).into_dyn());
        let quantised = quantised_sound(&values, sound).unwrap();
        assert_eq!(quantised, Samples::I32(ndarray::arr1(&[-32768, 32767, 2]).into_dyn()));
    }

    #[test]
    fn an_image_cannot_be_made_of_unknown_depth() {
        let path = Path::new("x.png");
        assert!(check(path, Source::Array, Some(SampleType::F64)).is_err());
        assert!(check(path, Source::Array, Some(SampleType::U16)).is_ok());
        assert!(check(Path::new("x.wav"), Source::Array, None).is_err());
        let refusal = check(Path::new("x.txt"), Source::Array, None).unwrap_err().to_string();
        assert_eq!(refusal, "x.txt: name: '.txt' is no known ending; expected .npy or .npz");
    }
}
