//! Bands of which each row begins so many elements after the one before.

use super::{BandRows, PackError, Packing, Place, c_order, coefficients};
use ndarray::SliceInfoElem;
use waveloom_wavelets::geometry::Band;

/// Elements of a packed array that belong to rows of a band.
struct Rows<'a> {
    key: &'a str,
    first: usize,
    pitch: usize,
    lines: usize,
    len: usize,
}

impl<'a> Rows<'a> {
    /// Nothing, if the band has no elements.
    fn of(band: &'a Band, &BandRows { offset, pitch }: &BandRows) -> Option<Self> {
        let len = *band.shape.last()?;
        let lines = band.len.checked_div(len).filter(|lines| *lines > 0)?;
        Some(Self { key: &band.key, first: offset, pitch, lines, len })
    }

    /// One past the last element.
    fn end(&self) -> usize {
        self.first + (self.lines - 1) * self.pitch + self.len
    }

    /// Whether any element belongs to both. Of rows that are differently far apart what lies between the first
    /// element and the last one counts.
    fn meets(&self, other: &Self) -> bool {
        if self.end() <= other.first || other.end() <= self.first {
            return false;
        }
        // A single row may be taken to be as far from the next one as the other's are.
        let pitch = match (self.lines, other.lines) {
            (1, 1) => return true,
            (1, _) => other.pitch,
            (_, 1) => self.pitch,
            _ if self.pitch == other.pitch => self.pitch,
            _ => return true,
        };
        let (first, second) = if self.first <= other.first { (self, other) } else { (other, self) };
        let after = (second.first - first.first) % pitch;
        after < first.len || pitch - after < second.len
    }
}

impl Packing {
    /// Bands whose rows along their last axis begin `rows[i].pitch` elements apart, the first one at
    /// `rows[i].offset`; what is between is unused.
    ///
    /// # Errors
    /// [`PackError::NoBands`], [`PackError::Rows`], [`PackError::Overlap`]; [`PackError::Length`] if there are not as
    /// many `rows` as bands.
    pub fn of_rows(bands: &[Band], rows: &[BandRows]) -> Result<Self, PackError> {
        if bands.len() != rows.len() {
            let (what, expected, got) = ("rows of bands", bands.len(), rows.len());
            return Err(PackError::Length { what, expected, got });
        }
        let mut len = 0;
        let places = bands.iter().zip(rows).map(|(band, BandRows { offset, pitch })| {
            let (last, outer) = band.shape.split_last().ok_or(PackError::NoBands)?;
            let lines = outer.iter().try_fold(1_usize, |lines, n| lines.checked_mul(*n));
            let end = lines.and_then(|lines| lines.checked_mul(*pitch)?.checked_add(*offset));
            let Some(end) = end.filter(|end| pitch >= last && *end <= isize::MAX as usize) else {
                let (key, shape) = (band.key.clone(), band.shape.clone());
                return Err(PackError::Rows { key, shape, offset: *offset, pitch: *pitch });
            };
            len = len.max(end);
            let apart: Vec<usize> = outer.iter().chain([pitch]).copied().collect();
            let (band, slice) = (band.clone(), vec![SliceInfoElem::from(*offset..end)]);
            Ok(Place { band, slice, offset: *offset, strides: c_order(&apart) })
        });
        let places = places.collect::<Result<Vec<_>, PackError>>()?;
        let taken: Vec<Rows> = bands.iter().zip(rows).filter_map(|(b, r)| Rows::of(b, r)).collect();
        for (index, first) in taken.iter().enumerate() {
            if let Some(second) = taken[index + 1..].iter().find(|second| first.meets(second)) {
                let [first, second] = [first, second].map(|rows| rows.key.to_owned());
                return Err(PackError::Overlap { first, second });
            }
        }
        match places.is_empty() {
            true => Err(PackError::NoBands),
            false => Ok(Self { shape: vec![len], coefficients: coefficients(&places), places }),
        }
    }
}
