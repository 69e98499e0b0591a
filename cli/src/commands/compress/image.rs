//! One image.

use super::Choice;
use super::report::Report;
use crate::args::TransformOptions;
use crate::error::{Failure, Outcome};
use crate::files::picture::Picture;
use crate::files::{Format, Signal, Source, signal};
use crate::notes;
use crate::samples::Number;
use crate::session::Session;
use crate::settings::Settings;
use crate::transform::Transform;
use crate::with_element;
use ndarray::ArrayD;
use std::path::Path;
use waveloom::codegen::kernel::Operation;
use waveloom::threshold::{Rule, Threshold, details};
use waveloom::{Coefficients, Element};

/// Reads an image, keeps some of its coefficients, and writes what they make. Colours are a batch;
/// transparency is copied.
pub fn compress(
    input: &Path,
    output: &Path,
    options: &TransformOptions,
    choice: Choice,
    session: &mut Session,
) -> Outcome<Report> {
    for path in [input, output] {
        let format = Format::expecting(path, &Format::IMAGES)?;
        if !format.is_image() {
            let message = format!("{format} is no image; expected .png or .tif");
            return Err(Failure::of_field(path, "name", message));
        }
    }
    let signal = Signal::read(input)?;
    let Source::Picture(picture) = signal.source else {
        return Err(Failure::of_file(input, "is no image; expected .png or .tif"));
    };
    signal::check(output, signal.source, None)?;
    let (shape, kind) = (signal.samples.shape().to_vec(), signal.samples.kind());
    let settings = Settings::of_signal(session, options, shape.len(), 2, kind)
        .map_err(|failure| failure.in_file(input))?;
    let work = Work { output, choice, shape: &shape, picture, signal: &signal };
    let found = with_element!(settings.element, T => work.run::<T>(session, &settings));
    let found = found.map_err(|failure| failure.in_file(input))?;
    Ok(Report {
        input: input.to_owned(),
        output: output.to_owned(),
        wavelet: settings.chosen.name.clone(),
        mode: settings.mode,
        levels: settings.levels,
        choice,
        bits: picture.bits,
        notes: notes::round_trip(&settings, &shape),
        shape,
        ..found
    })
}

struct Work<'a> {
    output: &'a Path,
    choice: Choice,
    shape: &'a [usize],
    picture: Picture,
    signal: &'a Signal,
}

impl Work<'_> {
    fn run<T: Number>(&self, session: &mut Session, settings: &Settings) -> Outcome<Report> {
        let all = self.signal.samples.values::<T>()?;
        // Alpha, the last of two or four channels, is no part of the picture's energy.
        let mut shape = self.shape.to_vec();
        let colours = match self.picture.channels {
            channels @ (2 | 4) => channels - 1,
            channels => channels,
        };
        if let [channels, _, _] = &mut shape[..] {
            *channels = colours;
        }
        let (colour, alpha) = all.split_at(shape.iter().product::<usize>().min(all.len()));
        let transform = Transform::<T>::new(session, settings, &shape)?;
        let values = transform.run(Operation::Forward, colour)?;
        let total = energy(&values);
        let mut coefficients =
            Coefficients::new(transform.plan(), values).map_err(Failure::plain)?;
        choose(&mut coefficients, self.choice)?;
        let values = coefficients.into_values();
        let (kept, of) =
            (values.iter().filter(|value| value.to_f64() != 0.0).count(), values.len());
        let energy_share = if total > 0.0 { energy(&values) / total } else { 1.0 };
        let back = transform.run(Operation::Inverse, &values)?;
        let peak = if self.picture.bits == 8 { f64::from(u8::MAX) } else { f64::from(u16::MAX) };
        let psnr = psnr(colour, &back, peak);
        let whole = back.iter().chain(alpha).copied().collect();
        let array = ArrayD::from_shape_vec(self.shape, whole).map_err(Failure::plain)?;
        signal::write(self.output, &T::samples(array), self.signal.source, None)?;
        Ok(Report { nonzero: kept, coefficients: of, energy_share, psnr, ..Report::default() })
    }
}

fn choose<T: Element>(coefficients: &mut Coefficients<T>, choice: Choice) -> Outcome<()> {
    match choice {
        Choice::Approximation => {
            let plan = coefficients.plan().clone();
            for band in plan.bands().iter().filter(|band| details(band)) {
                let range = band.offset..band.offset + band.len;
                coefficients.values_mut()[range].fill(T::default());
            }
        }
        Choice::Largest(share, rule) => {
            let kept = coefficients.keep_largest(share, |_| true);
            let kept = kept.map_err(|error| Failure::of_option("--keep", error))?;
            if rule != Rule::Hard {
                // What stays shrinks by the largest magnitude that went; approximations do not.
                let threshold = Threshold::new(rule, kept.largest_removed);
                let threshold =
                    threshold.map_err(|error| Failure::of_option("--threshold", error))?;
                coefficients.threshold(threshold, details);
            }
        }
    }
    Ok(())
}

fn energy<T: Number>(values: &[T]) -> f64 {
    values.iter().map(|value| value.to_f64().powi(2)).sum()
}

/// Peak signal to noise ratio in dB of the picture as it is written, rounded and clamped; infinite
/// if nothing changed.
fn psnr<T: Number>(original: &[T], back: &[T], peak: f64) -> f64 {
    let squares = original.iter().zip(back).map(|(original, back)| {
        (original.to_f64() - back.to_f64().round().clamp(0.0, peak)).powi(2)
    });
    let mean = squares.sum::<f64>() / original.len().max(1) as f64;
    10.0 * (peak * peak / mean).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psnr_of_one_gray_level_is_48_db() {
        let original = vec![100.0_f64; 64];
        let back = vec![101.2_f64; 64];
        assert!((psnr(&original, &back, 255.0) - 48.130_803).abs() < 1e-5);
        assert_eq!(psnr(&original, &original, 255.0), f64::INFINITY);
        // Clamped before it is compared.
        assert_eq!(psnr(&[255.0], &[300.0], 255.0), f64::INFINITY);
    }
}
