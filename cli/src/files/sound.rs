//! WAV sound, integer or floating point.
//!
//! In memory one channel is `(samples,)`; more are planar, `(channels, samples)`, so that the
//! channels are a batch.

use super::atomic;
use crate::error::{Failure, Outcome};
use crate::samples::Samples;
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use ndarray::{Array2, ArrayD, Axis, Ix2};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a sound file held, so that the same can be written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sound {
    /// Number of channels.
    pub channels: u16,
    /// Samples per second.
    pub rate: u32,
    /// Bits per sample: 8, 16, 24 or 32.
    pub bits: u16,
    /// Whether samples are floating point.
    pub float: bool,
}

impl Sound {
    /// Smallest and largest integer sample.
    pub fn range(self) -> (f64, f64) {
        let half = 2.0_f64.powi(i32::from(self.bits) - 1);
        (-half, half - 1.0)
    }
}

/// Reads a sound. 8 and 16 bits become `int8` and `int16`, more become `int32`.
pub fn read(path: &Path) -> Outcome<(Samples, Sound)> {
    let unreadable = |error: hound::Error| {
        Failure::of_file(path, format!("is not a readable .wav sound: {error}"))
    };
    let reader = WavReader::open(path).map_err(|error| match error {
        hound::Error::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            Failure::unreadable(path, error)
        }
        other => unreadable(other),
    })?;
    let spec = reader.spec();
    if spec.sample_rate == 0 {
        return Err(Failure::of_file(
            path,
            "has no samples per second; expected a rate of 1 or more",
        ));
    }
    let float = spec.sample_format == SampleFormat::Float;
    let sound = Sound {
        channels: spec.channels,
        rate: spec.sample_rate,
        bits: spec.bits_per_sample,
        float,
    };
    let samples = match (float, spec.bits_per_sample) {
        (true, _) => {
            Samples::F32(planar(path, collect::<f32>(reader).map_err(unreadable)?, sound)?)
        }
        (false, 0..=8) => {
            Samples::I8(planar(path, collect::<i8>(reader).map_err(unreadable)?, sound)?)
        }
        (false, 9..=16) => {
            Samples::I16(planar(path, collect::<i16>(reader).map_err(unreadable)?, sound)?)
        }
        _ => Samples::I32(planar(path, collect::<i32>(reader).map_err(unreadable)?, sound)?),
    };
    Ok((samples, sound))
}

/// Writes a sound with the rate, depth and channels of `sound`. Integer samples must already be in
/// its range.
pub fn write(path: &Path, samples: &Samples, sound: Sound) -> Outcome<()> {
    let moment = u32::from(sound.channels) * u32::from(sound.bits.div_ceil(8));
    if u16::try_from(moment).is_err() || moment.checked_mul(sound.rate).is_none() {
        let message = format!(
            "{} channels of {} bits at {} samples per second are more than a .wav file can tell",
            sound.channels, sound.bits, sound.rate
        );
        return Err(Failure::of_field(path, "sound", message));
    }
    let spec = WavSpec {
        channels: sound.channels,
        sample_rate: sound.rate,
        bits_per_sample: sound.bits,
        sample_format: if sound.float { SampleFormat::Float } else { SampleFormat::Int },
    };
    atomic::write(path, |writer| {
        let mut wav = WavWriter::new(writer, spec).map_err(Failure::plain)?;
        match samples {
            Samples::F32(array) => {
                for value in interleaved(path, array, sound)? {
                    wav.write_sample(value).map_err(Failure::plain)?;
                }
            }
            Samples::I32(array) => {
                for value in interleaved(path, array, sound)? {
                    wav.write_sample(value).map_err(Failure::plain)?;
                }
            }
            other => {
                let message =
                    format!("a sound is written from int32 or float32, not {}", other.kind());
                return Err(Failure::of_field(path, "samples", message));
            }
        }
        wav.finalize().map_err(Failure::plain)
    })
}

fn collect<T: hound::Sample>(
    reader: WavReader<impl std::io::Read>,
) -> Result<Vec<T>, hound::Error> {
    reader.into_samples::<T>().collect()
}

fn planar<T: Clone>(path: &Path, values: Vec<T>, sound: Sound) -> Outcome<ArrayD<T>> {
    let channels = usize::from(sound.channels).max(1);
    let frames = values.len() / channels;
    let array = Array2::from_shape_vec((frames, channels), values)
        .map_err(|error| Failure::of_field(path, "samples", error))?;
    let planar = array.reversed_axes().as_standard_layout().into_owned();
    Ok(if channels == 1 {
        planar.index_axis_move(Axis(0), 0).into_dyn()
    } else {
        planar.into_dyn()
    })
}

fn interleaved<T: Copy>(path: &Path, array: &ArrayD<T>, sound: Sound) -> Outcome<Vec<T>> {
    let shape = array.shape().to_vec();
    let wrong = || {
        let message = format!("shape {shape:?} is no sound of {} channels", sound.channels);
        Failure::of_field(path, "samples", message)
    };
    let planar = if array.ndim() == 1 { array.view().insert_axis(Axis(0)) } else { array.view() };
    let planar = planar.into_dimensionality::<Ix2>().map_err(|_| wrong())?;
    if planar.nrows() != usize::from(sound.channels) {
        return Err(wrong());
    }
    Ok(planar.t().iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::SampleType;

    #[test]
    fn sounds_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.wav");
        for (bits, kind) in [
            (8, SampleType::I8),
            (16, SampleType::I16),
            (24, SampleType::I32),
            (32, SampleType::I32),
        ] {
            let sound = Sound { channels: 2, rate: 8000, bits, float: false };
            let (low, high) = sound.range();
            let values = vec![low as i32, 0, 5, high as i32, -1, 1];
            let array = ArrayD::from_shape_vec(vec![2, 3], values.clone()).unwrap();
            write(&path, &Samples::I32(array), sound).unwrap();
            let (samples, found) = read(&path).unwrap();
            assert_eq!((found, samples.kind(), samples.shape()), (sound, kind, &[2, 3][..]));
            assert_eq!(samples.values::<i32>().unwrap(), values);
        }
        let sound = Sound { channels: 1, rate: 44100, bits: 32, float: true };
        let samples = Samples::F32(ArrayD::from_elem(vec![4], 0.25));
        write(&path, &samples, sound).unwrap();
        assert_eq!(read(&path).unwrap(), (samples, sound));
    }

    #[test]
    fn damaged_sounds_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.wav");
        let sound = Sound { channels: 1, rate: 8000, bits: 16, float: false };
        write(&path, &Samples::I32(ArrayD::zeros(vec![50])), sound).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 3, 20, 43, 60, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "cut at {cut}");
        }
        let wrong = Samples::I32(ArrayD::zeros(vec![3, 5]));
        assert!(write(&path, &wrong, sound).is_err());
    }
}
