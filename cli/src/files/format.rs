//! File formats, recognised by the ending of a file's name.

use crate::error::{Failure, Outcome};
use std::fmt;
use std::path::Path;

/// A format that can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// One NumPy array.
    Npy,
    /// Named NumPy arrays in a zip file.
    Npz,
    /// PNG image.
    Png,
    /// TIFF image.
    Tiff,
    /// WAV sound.
    Wav,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Npy, Self::Npz, Self::Png, Self::Tiff, Self::Wav];

    /// The formats of images.
    pub const IMAGES: [Self; 2] = [Self::Png, Self::Tiff];

    /// The formats that can hold coefficients.
    pub const COEFFICIENTS: [Self; 2] = [Self::Npz, Self::Npy];

    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Outcome<Self> {
        Self::expecting(path, &Self::ALL)
    }

    /// The format that a file's name asks for, whichever it is, where only some of them can be used:
    /// the error of a name that asks for none tells these.
    pub fn expecting(path: &Path, possible: &[Self]) -> Outcome<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let what = match ending.to_ascii_lowercase().as_str() {
            "npy" => return Ok(Self::Npy),
            "npz" => return Ok(Self::Npz),
            "png" => return Ok(Self::Png),
            "tif" | "tiff" => return Ok(Self::Tiff),
            "wav" => return Ok(Self::Wav),
            _ if path.is_dir() => "is a folder".to_owned(),
            "" => "has no ending".to_owned(),
            _ => format!("'.{ending}' is no known ending"),
        };
        let message = format!("{what}; expected {}", listed(possible));
        Err(Failure::of_field(path, "name", message))
    }

    /// Whether this is an image format.
    pub fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Tiff)
    }
}

/// Endings as an alternative: `.npy, .npz or .wav`.
pub fn listed(formats: &[Format]) -> String {
    let endings: Vec<String> = formats.iter().map(Format::to_string).collect();
    match endings.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => endings.concat(),
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::Png => ".png",
            Self::Tiff => ".tif",
            Self::Wav => ".wav",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_decide() {
        assert_eq!(Format::of(Path::new("a/b.TIFF")), Ok(Format::Tiff));
        assert_eq!(Format::of(Path::new("x.npz")), Ok(Format::Npz));
        for bad in ["x", "x.jpg", ".npy", "x.npy/"] {
            let found = Format::of(Path::new(bad));
            assert_eq!(found.is_ok(), bad == "x.npy/", "{bad}");
        }
    }

    #[test]
    fn refusals_name_what_is_possible() {
        for (name, possible, message) in [
            (
                "x.txt",
                &Format::ALL[..],
                "'.txt' is no known ending; expected .npy, .npz, .png, .tif or .wav",
            ),
            ("x.jpg", &Format::IMAGES, "'.jpg' is no known ending; expected .png or .tif"),
            ("x", &[Format::Png], "has no ending; expected .png"),
            ("/", &[Format::Png], "is a folder; expected .png"),
        ] {
            let refusal = Format::expecting(Path::new(name), possible).unwrap_err();
            assert_eq!(refusal.to_string(), format!("{name}: name: {message}"));
        }
    }
}
