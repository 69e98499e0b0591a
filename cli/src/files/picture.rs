//! PNG and TIFF images, 8 or 16 bits, gray or colour, with or without transparency.
//!
//! In memory a gray image is `(rows, columns)`; colour images are planar, `(channels, rows,
//! columns)`, so that the channels are a batch. Transparency is one more channel.

use super::{Format, atomic};
use crate::error::{Failure, Outcome};
use crate::samples::Samples;
use image::{DynamicImage, ImageBuffer, ImageFormat, ImageReader, Limits, Luma, LumaA, Rgb, Rgba};
use ndarray::{Array3, ArrayD, Axis};
use serde::{Deserialize, Serialize};
use std::io::{Cursor, Seek};
use std::path::Path;

/// What an image file held, so that the same can be written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// 1 gray, 2 gray and alpha, 3 colour, 4 colour and alpha.
    pub channels: usize,
    /// Bits per channel: 8 or 16.
    pub bits: u8,
}

/// Reads an image.
pub fn read(path: &Path, format: Format) -> Outcome<(Samples, Picture)> {
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, error))?;
    decode(&bytes, format).map_err(|problem| Failure::of_file(path, problem))
}

/// Decodes an image in memory.
pub fn decode(bytes: &[u8], format: Format) -> Result<(Samples, Picture), String> {
    let mut reader = ImageReader::new(Cursor::new(bytes));
    reader.set_format(image_format(format));
    // Deflate shrinks by a factor of 1032 at most, and a bit of a palette becomes three bytes: an honest file never
    // meets the limit.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some((bytes.len() as u64).saturating_mul(1 << 15).max(1 << 24));
    reader.limits(limits);
    let decoded =
        reader.decode().map_err(|error| format!("is not a readable {format} image: {error}"))?;
    planar(decoded)
}

/// Writes an image of 8- or 16-bit samples shaped as [`read`] shapes them.
pub fn write(path: &Path, format: Format, samples: &Samples) -> Outcome<()> {
    let decoded =
        interleaved(samples).map_err(|problem| Failure::of_field(path, "pixels", problem))?;
    if format == Format::Tiff && matches!(decoded.color().channel_count(), 2) {
        let message = "TIFF files of gray with transparency cannot be written; use .png";
        return Err(Failure::of_field(path, "pixels", message));
    }
    atomic::write(path, |writer| {
        writer.rewind().map_err(Failure::plain)?;
        decoded.write_to(writer, image_format(format)).map_err(Failure::plain)
    })
}

fn image_format(format: Format) -> ImageFormat {
    if format == Format::Tiff { ImageFormat::Tiff } else { ImageFormat::Png }
}

fn planar(decoded: DynamicImage) -> Result<(Samples, Picture), String> {
    let (width, height) = (decoded.width() as usize, decoded.height() as usize);
    let shape = |channels: usize| (height, width, channels);
    let eight = |pixels: Vec<u8>, channels| {
        let array =
            planes(Array3::from_shape_vec(shape(channels), pixels).map_err(|e| e.to_string())?);
        Ok((Samples::U8(array), Picture { channels, bits: 8 }))
    };
    let sixteen = |pixels: Vec<u16>, channels| {
        let array =
            planes(Array3::from_shape_vec(shape(channels), pixels).map_err(|e| e.to_string())?);
        Ok((Samples::U16(array), Picture { channels, bits: 16 }))
    };
    match decoded {
        DynamicImage::ImageLuma8(image) => eight(image.into_raw(), 1),
        DynamicImage::ImageLumaA8(image) => eight(image.into_raw(), 2),
        DynamicImage::ImageRgb8(image) => eight(image.into_raw(), 3),
        DynamicImage::ImageRgba8(image) => eight(image.into_raw(), 4),
        DynamicImage::ImageLuma16(image) => sixteen(image.into_raw(), 1),
        DynamicImage::ImageLumaA16(image) => sixteen(image.into_raw(), 2),
        DynamicImage::ImageRgb16(image) => sixteen(image.into_raw(), 3),
        DynamicImage::ImageRgba16(image) => sixteen(image.into_raw(), 4),
        other => {
            Err(format!("{:?} is not supported; expected 8 or 16 bits per channel", other.color()))
        }
    }
}

/// `(rows, columns, channels)` to `(channels, rows, columns)`, or `(rows, columns)` for gray.
fn planes<T: Clone>(pixels: Array3<T>) -> ArrayD<T> {
    let planar = pixels.permuted_axes([2, 0, 1]).as_standard_layout().into_owned();
    if planar.len_of(Axis(0)) == 1 {
        planar.index_axis_move(Axis(0), 0).into_dyn()
    } else {
        planar.into_dyn()
    }
}

fn interleaved(samples: &Samples) -> Result<DynamicImage, String> {
    macro_rules! image_of {
        ($array:expr, $($channels:literal => $pixel:ident $variant:ident),*) => {{
            let (pixels, channels, width, height) = pixels_of($array)?;
            match channels {
                $($channels => ImageBuffer::<$pixel<_>, _>::from_raw(width, height, pixels)
                    .map(DynamicImage::$variant),)*
                _ => None,
            }
        }};
    }
    let image = match samples {
        Samples::U8(array) => {
            image_of!(array, 1 => Luma ImageLuma8, 2 => LumaA ImageLumaA8, 3 => Rgb ImageRgb8, 4 => Rgba ImageRgba8)
        }
        Samples::U16(array) => {
            image_of!(array, 1 => Luma ImageLuma16, 2 => LumaA ImageLumaA16, 3 => Rgb ImageRgb16, 4 => Rgba ImageRgba16)
        }
        other => return Err(format!("an image holds uint8 or uint16, not {}", other.kind())),
    };
    image.ok_or_else(|| {
        let shape = samples.shape();
        format!("shape {shape:?} is no image; expected (rows, columns) or (1 to 4 channels, rows, columns)")
    })
}

/// Interleaved pixels, channels, width, height.
fn pixels_of<T: Clone>(array: &ArrayD<T>) -> Result<(Vec<T>, usize, u32, u32), String> {
    let planar = match array.ndim() {
        2 => array.view().insert_axis(Axis(0)),
        3 => array.view(),
        _ => array.view().insert_axis(Axis(0)),
    };
    let shape = array.shape().to_vec();
    let planar = planar.into_dimensionality::<ndarray::Ix3>().map_err(|_| {
        format!("shape {shape:?} has {} axes; an image has 2, or 3 with channels", shape.len())
    })?;
    let (channels, height, width) = planar.dim();
    let side = |side: usize| {
        u32::try_from(side).map_err(|_| format!("shape {shape:?} is too large for an image"))
    };
    let (width, height) = (side(width)?, side(height)?);
    if width == 0 || height == 0 {
        return Err(format!("shape {shape:?} has no pixels"));
    }
    let pixels = planar.permuted_axes([1, 2, 0]).iter().cloned().collect();
    Ok((pixels, channels, width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(samples: &Samples, ending: &str, format: Format) -> (Samples, Picture) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(ending);
        write(&path, format, samples).unwrap();
        read(&path, format).unwrap()
    }

    fn ramp<T: Clone>(shape: &[usize], value: impl Fn(usize) -> T) -> ArrayD<T> {
        let count = shape.iter().product();
        ArrayD::from_shape_vec(shape, (0..count).map(value).collect()).unwrap()
    }

    #[test]
    fn every_kind_of_image_survives() {
        for (ending, format) in [("x.png", Format::Png), ("x.tif", Format::Tiff)] {
            for shape in [vec![5, 7], vec![3, 4, 6], vec![4, 3, 2], vec![2, 3, 5]] {
                if format == Format::Tiff && shape == [2, 3, 5] {
                    continue;
                }
                let eight = Samples::U8(ramp(&shape, |i| (i * 37) as u8));
                let sixteen = Samples::U16(ramp(&shape, |i| (i * 3701) as u16));
                let channels = if shape.len() == 2 { 1 } else { shape[0] };
                assert_eq!(
                    round_trip(&eight, ending, format),
                    (eight, Picture { channels, bits: 8 })
                );
                assert_eq!(
                    round_trip(&sixteen, ending, format),
                    (sixteen, Picture { channels, bits: 16 })
                );
            }
        }
    }

    #[test]
    fn what_is_no_image_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.png");
        for samples in [
            Samples::U8(ArrayD::zeros(vec![4])),
            Samples::U8(ArrayD::zeros(vec![5, 4, 4])),
            Samples::U8(ArrayD::zeros(vec![0, 4])),
            Samples::F32(ArrayD::zeros(vec![4, 4])),
        ] {
            assert!(write(&path, Format::Png, &samples).is_err(), "{:?}", samples.shape());
            assert!(!path.exists());
        }
        std::fs::write(&path, b"\x89PNG\r\n\x1a\nnonsense").unwrap();
        assert!(read(&path, Format::Png).unwrap_err().to_string().contains("x.png"));
    }
}
