//! A picture of an image's bands, side by side as they nest.

use crate::error::{Failure, Outcome};
use crate::samples::{Number, Samples};
use ndarray::{ArrayD, ArrayView, Axis, IxDyn};
use waveloom::Band;
use waveloom::packing::Packing;
use waveloom::threshold::details;

/// Pixels between bands.
const GAP: usize = 2;
/// Their value.
const SEPARATOR: u8 = 255;
/// The value of a zero detail.
const MIDDLE: f64 = 128.0;
/// Details up to this share of all are drawn without clipping.
const SHARE: f64 = 0.998;

/// Draws the coefficients of a 2-D transform: the approximation from black (its smallest value) to
/// white (its largest), details around mid-gray, each band with its own scale. A batch of one, three
/// or four arrays along a leading axis is drawn as gray, colour, or colour with alpha left out.
pub fn draw<T: Number>(bands: &[Band], axes: &[usize], coefficients: &[T]) -> Outcome<Samples> {
    let [rows, columns] = *axes else {
        let message = format!("shows the bands of two transformed axes, not of {}", axes.len());
        return Err(Failure::of_option("--picture", message));
    };
    let packing = Packing::mallat(bands, axes, GAP).map_err(Failure::plain)?;
    let channels = channels_of(packing.shape(), rows, columns)?;
    let mut canvas = ArrayD::from_elem(IxDyn(packing.shape()), SEPARATOR);
    for place in packing.places() {
        let band = &place.band;
        let values = coefficients.get(band.offset..band.offset + band.len).unwrap_or_default();
        let values: Vec<f64> = values.iter().map(|value| value.to_f64()).collect();
        let scale = Scale::of(&values, details(band));
        let pixels: Vec<u8> = values.iter().map(|value| scale.pixel(*value)).collect();
        let band = ArrayView::from_shape(IxDyn(&band.shape), &pixels).map_err(Failure::plain)?;
        canvas.slice_mut(place.slice.as_slice()).assign(&band);
    }
    if canvas.ndim() == 3 {
        canvas = canvas.select(Axis(0), &(0..channels).collect::<Vec<usize>>());
        if channels == 1 {
            canvas = canvas.index_axis_move(Axis(0), 0);
        }
    }
    Ok(Samples::U8(canvas))
}

/// How many channels to draw.
fn channels_of(shape: &[usize], rows: usize, columns: usize) -> Outcome<usize> {
    match (shape, (rows, columns)) {
        ([_, _], (0, 1)) => Ok(1),
        // Alpha, the last of two or four, is left out.
        ([1 | 2, _, _], (1, 2)) => Ok(1),
        ([3 | 4, _, _], (1, 2)) => Ok(3),
        _ => {
            let message = format!(
                "shows one image, gray or colour (rows, columns last); this is {shape:?} with axes {rows} and {columns} transformed"
            );
            Err(Failure::of_option("--picture", message))
        }
    }
}

/// From coefficients to pixels.
struct Scale {
    zero: f64,
    factor: f64,
}

impl Scale {
    fn of(values: &[f64], details: bool) -> Self {
        let mut finite: Vec<f64> =
            values.iter().copied().filter(|value| value.is_finite()).collect();
        if details {
            for value in &mut finite {
                *value = value.abs();
            }
            finite.sort_by(f64::total_cmp);
            let position = ((finite.len() as f64 - 1.0) * SHARE).round().max(0.0) as usize;
            // Where nearly everything is zero, the largest value sets the scale.
            let typical = finite.get(position).copied().filter(|value| *value > 0.0);
            let largest = typical.or_else(|| finite.last().copied()).unwrap_or(0.0);
            let factor = if largest > 0.0 { 127.0 / largest } else { 0.0 };
            return Self { zero: MIDDLE, factor };
        }
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high > low {
            let factor = 255.0 / (high - low);
            Self { zero: -low * factor, factor }
        } else {
            Self { zero: MIDDLE, factor: 0.0 }
        }
    }

    fn pixel(&self, value: f64) -> u8 {
        let scaled = if self.factor == 0.0 { self.zero } else { self.zero + value * self.factor };
        // NaN casts to 0.
        scaled.round().clamp(0.0, 255.0) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bands(lead: &[usize]) -> Vec<Band> {
        let shape = [lead, &[2, 2]].concat();
        let len: usize = shape.iter().product();
        let named = ["aa", "ad1", "da1", "dd1"].into_iter().enumerate();
        named
            .map(|(channel, key)| Band {
                key: key.to_owned(),
                level: 1,
                channel,
                shape: shape.clone(),
                offset: channel * len,
                len,
            })
            .collect()
    }

    #[test]
    fn approximations_span_the_range_and_zero_details_are_gray() {
        let mut values = vec![0.0_f32; 16];
        values[..4].copy_from_slice(&[-1.0, 0.0, 1.0, 3.0]);
        values[4] = -5.0;
        values[5] = f32::NAN;
        let Samples::U8(picture) = draw(&bands(&[]), &[0, 1], &values).unwrap() else {
            panic!("not 8 bits");
        };
        assert_eq!(picture.shape(), [6, 6]);
        assert_eq!((picture[[0, 0]], picture[[1, 1]]), (0, 255));
        assert_eq!((picture[[0, 4]], picture[[0, 5]], picture[[1, 4]]), (1, 0, 128));
        assert_eq!((picture[[2, 0]], picture[[5, 5]]), (SEPARATOR, 128));
    }

    #[test]
    fn channels_become_colours_without_alpha() {
        for (lead, shape) in
            [(3, vec![3, 6, 6]), (4, vec![3, 6, 6]), (2, vec![6, 6]), (1, vec![6, 6])]
        {
            let values = vec![1_i32; 16 * lead];
            assert_eq!(draw(&bands(&[lead]), &[1, 2], &values).unwrap().shape(), shape);
        }
    }

    #[test]
    fn what_is_no_image_is_refused() {
        assert!(draw(&bands(&[5]), &[1, 2], &[0_i32; 80]).is_err());
        assert!(draw(&bands(&[]), &[0], &[0_i32; 16]).is_err());
        assert!(draw(&bands(&[]), &[1, 0], &[0_i32; 16]).is_err());
    }
}
