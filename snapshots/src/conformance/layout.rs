//! Where every band lies in the flat coefficient buffer.

use super::Case;
use waveloom_wavelets::reference::{Reference, ReferenceError, Request};

/// One band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BandPlace {
    /// `aa`, `ad2`, …: a letter per transformed axis, then the level (approximation: none).
    pub key: String,
    /// Shape, batch axes included.
    pub shape: Vec<usize>,
    /// First value in the buffer.
    pub offset: usize,
    /// Number of values.
    pub len: usize,
}

impl BandPlace {
    /// Level, 1 = finest; `None` for the approximation.
    pub fn level(&self) -> Option<usize> {
        self.key.trim_start_matches(['a', 'd']).parse().ok()
    }

    /// For every transformed axis, whether this is the detail.
    pub fn details(&self) -> impl Iterator<Item = bool> {
        self.key.chars().filter(char::is_ascii_alphabetic).map(|letter| letter == 'd')
    }
}

/// All bands, coarsest first: approximation, then the details of the last level in the order
/// `ad, da, dd`, …, then those of finer levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bands in the buffer's order.
    pub bands: Vec<BandPlace>,
    /// Length of the buffer.
    pub len: usize,
}

impl Layout {
    /// The layout of a case's coefficients.
    pub fn of(case: &Case) -> Result<Self, ReferenceError> {
        let mut layout = Self { bands: Vec::new(), len: 0 };
        for (key, shape) in Reference::new(&case.wavelet, &request(case))?.bands() {
            let len = shape.iter().product();
            layout.bands.push(BandPlace { key, shape, offset: layout.len, len });
            layout.len += len;
        }
        Ok(layout)
    }

    /// The band with a key.
    pub fn band(&self, key: &str) -> Option<&BandPlace> {
        self.bands.iter().find(|band| band.key == key)
    }
}

/// A case in the reference's words.
pub(super) fn request(case: &Case) -> Request<'_> {
    Request {
        shape: &case.shape,
        axes: &case.axes,
        levels: case.levels,
        mode: case.mode,
        origins: &case.origin,
    }
}
