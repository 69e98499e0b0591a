//! Bands in one array: where each coefficient stands.

use super::Key;
use crate::error::{Failure, Outcome};
use crate::samples::Number;
use ndarray::{ArrayD, ArrayView, ArrayViewMut, IxDyn, SliceInfoElem};

/// A band of a plan: what [`Arrangement`]s need of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its name.
    pub key: Key,
    /// Its level.
    pub level: usize,
    /// Its shape, axes that are not transformed included.
    pub shape: Vec<usize>,
    /// Its first coefficient in the flat buffer.
    pub offset: usize,
}

impl Piece {
    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Its coefficients within a plan's flat buffer.
    pub fn slice<'a, T>(&self, coefficients: &'a [T]) -> Outcome<&'a [T]> {
        coefficients.get(self.offset..self.offset + self.len()).ok_or_else(|| self.outside())
    }

    /// The same, to write to.
    pub fn slice_mut<'a, T>(&self, coefficients: &'a mut [T]) -> Outcome<&'a mut [T]> {
        let (begin, end) = (self.offset, self.offset + self.len());
        coefficients.get_mut(begin..end).ok_or_else(|| self.outside())
    }

    /// Its coefficients as an array.
    pub fn array<T: Clone>(&self, coefficients: &[T]) -> Outcome<ArrayD<T>> {
        let values = self.slice(coefficients)?.to_vec();
        ArrayD::from_shape_vec(IxDyn(&self.shape), values).map_err(Failure::plain)
    }

    fn outside(&self) -> Failure {
        Failure::of_option(self.key.to_string(), "the band lies outside the coefficients")
    }
}

/// One array that holds every band, each in a box or on a grid of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrangement {
    shape: Vec<usize>,
    places: Vec<Vec<SliceInfoElem>>,
}

impl Arrangement {
    /// The conventional arrangement: the approximation in the first corner, the details of every
    /// level around what is coarser, `gap` elements between them. Bands of unequal sizes (expansive
    /// modes) leave unused elements, as in PyWavelets' `coeffs_to_array`.
    ///
    /// `pieces` are the bands of a plan, coarsest first; `axes` the transformed axes.
    pub fn mallat(pieces: &[Piece], axes: &[usize], gap: usize) -> Outcome<Self> {
        let Some(first) = pieces.first() else {
            return Err(Failure::plain("there are no bands to arrange"));
        };
        let mut corner = first.shape.clone();
        let mut places = vec![boxed(&vec![0; corner.len()], &first.shape)];
        let mut details = pieces[1..].iter().peekable();
        while let Some(level) = details.peek().map(|piece| piece.level) {
            let mut next = corner.clone();
            while let Some(piece) = details.next_if(|piece| piece.level == level) {
                let mut start = vec![0; corner.len()];
                for (axis, detail) in axes.iter().zip(&piece.key.details) {
                    if *detail {
                        start[*axis] = corner[*axis] + gap;
                    }
                    next[*axis] = next[*axis].max(start[*axis] + piece.shape[*axis]);
                }
                places.push(boxed(&start, &piece.shape));
            }
            corner = next;
        }
        Ok(Self { shape: corner, places })
    }

    /// In place: coefficients of level `l` on indices that are multiples of `2^(l-1)` along every
    /// axis, odd multiples for details and even ones for approximations.
    ///
    /// Needs bands of exactly `n / 2^l` coefficients on an axis of `n` samples.
    pub fn mixed(
        pieces: &[Piece],
        axes: &[usize],
        shape: &[usize],
        levels: usize,
    ) -> Outcome<Self> {
        let places = pieces.iter().map(|piece| {
            let mut place = boxed(&vec![0; shape.len()], shape);
            for (axis, detail) in axes.iter().zip(&piece.key.details) {
                let step = 1_usize.checked_shl(piece.level as u32).unwrap_or(0);
                let len = shape[*axis];
                if step == 0 || !len.is_multiple_of(step) || piece.shape[*axis] != len / step {
                    return Err(Failure::of_option(
                        "--layout",
                        format!(
                            "mixed needs lengths that are multiples of 2^levels and bands of half the length; axis {axis} has {} samples, {levels} levels, and {} coefficients in {}",
                            shape[*axis], piece.shape[*axis], piece.key
                        ),
                    ));
                }
                place[*axis] = SliceInfoElem::Slice {
                    start: if *detail { (step / 2) as isize } else { 0 },
                    end: None,
                    step: step as isize,
                };
            }
            Ok(place)
        });
        Ok(Self { shape: shape.to_vec(), places: places.collect::<Outcome<_>>()? })
    }

    /// The shape of the array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The places of the bands within the array, in the order of the bands.
    pub fn places(&self) -> &[Vec<SliceInfoElem>] {
        &self.places
    }

    /// Arranges a plan's coefficients; unused elements are zero.
    pub fn pack<T: Number>(&self, pieces: &[Piece], coefficients: &[T]) -> Outcome<ArrayD<T>> {
        let mut array = ArrayD::from_elem(IxDyn(&self.shape), T::default());
        for (piece, place) in pieces.iter().zip(&self.places) {
            let band = ArrayView::from_shape(IxDyn(&piece.shape), piece.slice(coefficients)?);
            array.slice_mut(place.as_slice()).assign(&band.map_err(Failure::plain)?);
        }
        Ok(array)
    }

    /// The reverse of [`Arrangement::pack`].
    pub fn unpack<T: Number>(
        &self,
        pieces: &[Piece],
        array: &ArrayD<T>,
        coefficients: &mut [T],
    ) -> Outcome<()> {
        if array.shape() != self.shape {
            return Err(Failure::of_option(
                "shape",
                format!("expected {:?} for these bands, got {:?}", self.shape, array.shape()),
            ));
        }
        for (piece, place) in pieces.iter().zip(&self.places) {
            let target = piece.slice_mut(coefficients)?;
            let band = ArrayViewMut::from_shape(IxDyn(&piece.shape), target);
            band.map_err(Failure::plain)?.assign(&array.slice(place.as_slice()));
        }
        Ok(())
    }
}

fn boxed(start: &[usize], shape: &[usize]) -> Vec<SliceInfoElem> {
    let ranges = start.iter().zip(shape);
    ranges.map(|(start, len)| SliceInfoElem::from(*start..start + len)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{arr1, arr2};

    /// Pieces with consecutive offsets.
    fn pieces(bands: &[(&str, usize, &[usize])]) -> Vec<Piece> {
        let mut offset = 0;
        let with_offset = |(key, level, shape): &(&str, usize, &[usize])| {
            let piece =
                Piece { key: key.parse().unwrap(), level: *level, shape: shape.to_vec(), offset };
            offset += piece.len();
            piece
        };
        bands.iter().map(with_offset).collect()
    }

    #[test]
    fn uneven_bands_are_padded_as_pywavelets_pads_them() {
        // (10, 13) by db2, two levels.
        let pieces = pieces(&[
            ("aa", 2, &[4, 5]),
            ("ad2", 2, &[4, 5]),
            ("da2", 2, &[4, 5]),
            ("dd2", 2, &[4, 5]),
            ("ad1", 1, &[6, 8]),
            ("da1", 1, &[6, 8]),
            ("dd1", 1, &[6, 8]),
        ]);
        let arrangement = Arrangement::mallat(&pieces, &[0, 1], 0).unwrap();
        assert_eq!(arrangement.shape(), [14, 18]);
        let total: usize = pieces.iter().map(Piece::len).sum();
        let values: Vec<f64> = (0..total).map(|i| i as f64 + 1.0).collect();
        let packed = arrangement.pack(&pieces, &values).unwrap();
        let mut back = vec![0.0; total];
        arrangement.unpack(&pieces, &packed, &mut back).unwrap();
        assert_eq!(back, values);
        // dd1 begins behind the eight rows and ten columns of the coarser level.
        assert_eq!(packed[[8, 10]], pieces[6].offset as f64 + 1.0);
        assert!(arrangement.unpack(&pieces, &ArrayD::zeros(vec![14, 17]), &mut back).is_err());
    }

    #[test]
    fn tight_bands_fill_the_array() {
        let pieces = pieces(&[("a", 2, &[1]), ("d2", 2, &[1]), ("d1", 1, &[2])]);
        let arrangement = Arrangement::mallat(&pieces, &[0], 0).unwrap();
        let packed = arrangement.pack(&pieces, &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(packed, arr1(&[1.0, 2.0, 3.0, 4.0]).into_dyn());
    }

    #[test]
    fn mixed_coefficients_stand_where_their_samples_were() {
        let line = pieces(&[("a", 2, &[1]), ("d2", 2, &[1]), ("d1", 1, &[2])]);
        let arrangement = Arrangement::mixed(&line, &[0], &[4], 2).unwrap();
        let packed = arrangement.pack(&line, &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(packed, arr1(&[1.0, 3.0, 2.0, 4.0]).into_dyn());
        assert!(Arrangement::mixed(&line, &[0], &[5], 2).is_err());

        let image = pieces(&[
            ("aa", 1, &[1, 1]),
            ("ad1", 1, &[1, 1]),
            ("da1", 1, &[1, 1]),
            ("dd1", 1, &[1, 1]),
        ]);
        let arrangement = Arrangement::mixed(&image, &[0, 1], &[2, 2], 1).unwrap();
        let packed = arrangement.pack(&image, &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(packed, arr2(&[[1.0, 2.0], [3.0, 4.0]]).into_dyn());
    }

    #[test]
    fn axes_that_are_not_transformed_stay_whole() {
        let pieces = pieces(&[("a", 1, &[3, 2]), ("d1", 1, &[3, 2])]);
        let arrangement = Arrangement::mallat(&pieces, &[1], 1).unwrap();
        assert_eq!(arrangement.shape(), [3, 5]);
        let arrangement = Arrangement::mixed(&pieces, &[1], &[3, 4], 1).unwrap();
        assert_eq!(arrangement.shape(), [3, 4]);
    }
}
