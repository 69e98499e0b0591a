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
    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Outcome<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "npz" => Ok(Self::Npz),
            "png" => Ok(Self::Png),
            "tif" | "tiff" => Ok(Self::Tiff),
            "wav" => Ok(Self::Wav),
            _ => Err(Failure::of_field(
                path,
                "name",
                format!("'.{ending}' is no known ending; expected .npy, .npz, .png, .tif or .wav"),
            )),
        }
    }

    /// Whether this is an image format.
    pub fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Tiff)
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
}
