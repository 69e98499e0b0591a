//! All bands in one array: the conventional (Mallat) layout, and the mixed-band layout of Quan and
//! Jeong, in which every coefficient stands where its sample was. Of a card's buffers also bands one after
//! the other with gaps between their rows.
//!
//! ```
//! use waveloom::packing::Layout;
//! use waveloom::wavelets::catalogue;
//! use waveloom::Plan;
//!
//! let haar = catalogue::wavelet("haar")?;
//! let plan = Plan::<f32>::builder(&haar, &[8]).levels(2).build()?;
//! let signal = ndarray::Array1::from_iter((0..8).map(|i| i as f32));
//! let coefficients = plan.forward_array(signal.view())?;
//!
//! // [a a | d2 d2 | d1 d1 d1 d1], and the same in place: a d1 d2 d1 a d1 d2 d1.
//! let mallat = coefficients.packed(Layout::Mallat)?;
//! let mixed = coefficients.packed(Layout::Mixed)?;
//! assert_eq!(mixed[[4]], mallat[[1]]);
//! assert_eq!(mixed[[2]], mallat[[2]]);
//! assert_eq!(mixed[[7]], mallat[[7]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod mixed;
mod plan;
mod rows;

pub use waveloom_codegen::gpu::BandRows;

use ndarray::{
    ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, IxDyn, ShapeBuilder, SliceInfoElem,
};
use waveloom_wavelets::geometry::{Band, Decomposition};

/// How the bands share one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layout {
    /// The approximation in the first corner, the details of every level around what is coarser.
    /// Exists for every transform; bands of unequal sizes (expansive modes) leave unused elements,
    /// as in PyWavelets' `coeffs_to_array`.
    Mallat,
    /// In place: on every axis, coefficients of level `l` stand on the samples that level `l` of
    /// the transform reads, details on its odd ones, approximations on its even ones (the other way
    /// round at an odd origin). The array has the signal's shape, whatever its lengths; the layout
    /// exists where every level has as many coefficients as samples.
    Mixed,
}

/// Why bands cannot be arranged, or an array is not what the arrangement expects.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PackError {
    /// No bands at all.
    #[error("there are no bands to arrange")]
    NoBands,
    /// Expansive levels have no mixed layout.
    #[error(
        "the mixed layout needs as many coefficients as samples on every axis: axis {axis} has {samples} samples at level {level}, and {low} + {high} coefficients"
    )]
    NotInPlace {
        /// Which axis of the array.
        axis: usize,
        /// Which level, 1 being the finest.
        level: usize,
        /// Samples that the level reads.
        samples: usize,
        /// Approximation coefficients.
        low: usize,
        /// Detail coefficients.
        high: usize,
    },
    /// An array of another shape.
    #[error("the packed array: expected shape {expected:?} for these bands, got {got:?}")]
    Shape {
        /// What the bands need.
        expected: Vec<usize>,
        /// What came.
        got: Vec<usize>,
    },
    /// A slice of another length.
    #[error("{what}: expected {expected} values, got {got}")]
    Length {
        /// Which argument.
        what: &'static str,
        /// What is needed.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// Rows that would overlap, or end beyond what memory has addresses for.
    #[error(
        "band {key} of shape {shape:?} does not fit rows {pitch} elements apart from element {offset} on"
    )]
    Rows {
        /// The band.
        key: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Where its first row was to begin.
        offset: usize,
        /// Elements from one row to the next.
        pitch: usize,
    },
    /// Rows of two bands in the same places.
    #[error("rows of bands {first} and {second} would stand in the same places")]
    Overlap {
        /// The band.
        first: String,
        /// The other one.
        second: String,
    },
    /// A gap so wide that places lie beyond what memory has addresses for.
    #[error("bands {gap} elements apart need more places than memory has addresses")]
    Gap {
        /// Elements between bands, along every axis.
        gap: usize,
    },
    /// Axes that the array does not have, or has twice.
    #[error("{axes:?} are no axes of a {dims}-D array")]
    Axes {
        /// What was given.
        axes: Vec<usize>,
        /// Dimensions of the array.
        dims: usize,
    },
}

/// Where every band of a transform stands in one array: a box of it (Mallat), a grid on it
/// (mixed), or rows of it that are so many elements apart. Made by [`crate::Plan::packing`], and for
/// what a card's kernels write by [`crate::device::DeviceTransform::packing`].
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    shape: Vec<usize>,
    coefficients: usize,
    places: Vec<Place>,
}

/// A band's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The band.
    pub band: Band,
    /// The part of the packed array that is the band, for `ndarray`'s slicing. Of rows with gaps it is
    /// their range, gaps included: [`Self::offset`] and [`Self::strides`] tell more.
    pub slice: Vec<SliceInfoElem>,
    /// Element of the packed array, counted in C order, that is the band's first one.
    pub offset: usize,
    /// Elements of the packed array from one index of each of the band's axes to the next.
    pub strides: Vec<usize>,
}

impl Packing {
    /// The conventional layout of `bands` (coarsest first), `gap` elements between a level's bands;
    /// `axes` are the transformed axes in the order of the bands' letters.
    ///
    /// # Errors
    /// [`PackError::NoBands`], [`PackError::Axes`], [`PackError::Gap`].
    pub fn mallat(bands: &[Band], axes: &[usize], gap: usize) -> Result<Self, PackError> {
        let (first, details) = bands.split_first().ok_or(PackError::NoBands)?;
        check_axes(axes, first.shape.len())?;
        let mut corner = first.shape.clone();
        let mut places = vec![boxed(first, &vec![0; corner.len()])];
        let mut details = details.iter().peekable();
        while let Some(level) = details.peek().map(|band| band.level) {
            let mut next = corner.clone();
            while let Some(band) = details.next_if(|band| band.level == level) {
                let mut start = vec![0; corner.len()];
                for (i, axis) in axes.iter().enumerate() {
                    if is_detail(band, axes.len(), i) {
                        let beyond = corner[*axis].checked_add(gap);
                        start[*axis] = beyond.ok_or(PackError::Gap { gap })?;
                    }
                    let end = start[*axis].checked_add(band.shape[*axis]);
                    next[*axis] = next[*axis].max(end.ok_or(PackError::Gap { gap })?);
                }
                places.push(boxed(band, &start));
            }
            corner = next;
        }
        let mut extents = corner.iter().map(|extent| (*extent).max(1));
        let all = extents.try_fold(1_usize, usize::checked_mul);
        match all {
            Some(all) if all <= isize::MAX as usize => Ok(Self::of(corner, places)),
            _ => Err(PackError::Gap { gap }),
        }
    }

    /// The mixed layout of `bands` for a signal of the given shape. `origin` holds the coordinate
    /// of sample 0 per transformed axis (empty: all 0).
    ///
    /// # Errors
    /// [`PackError::NotInPlace`], [`PackError::NoBands`], [`PackError::Axes`].
    pub fn mixed(
        bands: &[Band],
        axes: &[usize],
        shape: &[usize],
        origin: &[i64],
        decomposition: &Decomposition,
    ) -> Result<Self, PackError> {
        if bands.is_empty() {
            return Err(PackError::NoBands);
        }
        check_axes(axes, shape.len())?;
        // Per level and axis: first index and stride of approximations and details.
        let mut grids: Vec<Vec<[Grid; 2]>> = Vec::new();
        let mut current: Vec<Grid> = axes
            .iter()
            .enumerate()
            .map(|(i, axis)| Grid {
                start: 0,
                step: 1,
                len: shape[*axis],
                origin: origin.get(i).copied().unwrap_or(0),
            })
            .collect();
        for (index, level) in decomposition.levels().iter().enumerate() {
            let mut halves = Vec::with_capacity(axes.len());
            for ((grid, geometry), axis) in current.iter_mut().zip(&level.axes).zip(axes) {
                let (low, high) = (geometry.low.len, geometry.high.len);
                let (even, odd) = grid.halves();
                if (even.len, odd.len) != (low, high) {
                    let (samples, level) = (grid.len, index + 1);
                    return Err(PackError::NotInPlace { axis: *axis, level, samples, low, high });
                }
                halves.push([even, odd]);
                *grid = even;
            }
            grids.push(halves);
        }
        let places = bands.iter().map(|band| {
            let whole = |len: usize| Grid { start: 0, step: 1, len, origin: 0 };
            let mut slice: Vec<SliceInfoElem> =
                shape.iter().map(|len| whole(*len).elements()).collect();
            let halves = band.level.checked_sub(1).and_then(|level| grids.get(level));
            for (i, (axis, halves)) in axes.iter().zip(halves.into_iter().flatten()).enumerate() {
                slice[*axis] = halves[usize::from(is_detail(band, axes.len(), i))].elements();
            }
            (band.clone(), slice)
        });
        Ok(Self::of(shape.to_vec(), places.collect()))
    }

    fn of(shape: Vec<usize>, bands: Vec<(Band, Vec<SliceInfoElem>)>) -> Self {
        let steps = c_order(&shape);
        let places = bands.into_iter().map(|(band, slice)| {
            let (mut offset, mut strides) = (0, Vec::with_capacity(slice.len()));
            for ((part, stride), extent) in slice.iter().zip(&steps).zip(&band.shape) {
                if let SliceInfoElem::Slice { start, step, .. } = part {
                    // Of empty bands and along single elements, steps may lead beyond all memory.
                    offset = start.unsigned_abs().wrapping_mul(*stride).wrapping_add(offset);
                    let step = if *extent > 1 { step.unsigned_abs() } else { 0 };
                    strides.push(step.wrapping_mul(*stride));
                }
            }
            Place { band, slice, offset, strides }
        });
        let places: Vec<Place> = places.collect();
        Self { shape, coefficients: coefficients(&places), places }
    }

    /// Shape of the packed array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of elements of the packed array.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the bands, coarsest first.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Arranges a plan's coefficients (band after band) in a C-ordered array. Unused elements
    /// become zero.
    ///
    /// # Errors
    /// Slices of the wrong length.
    pub fn pack<T: Copy + Default>(
        &self,
        coefficients: &[T],
        packed: &mut [T],
    ) -> Result<(), PackError> {
        self.check(coefficients.len(), packed.len())?;
        if self.coefficients < packed.len() {
            packed.fill(T::default());
        }
        for place in &self.places {
            let values = &coefficients[place.band.offset..place.band.offset + place.band.len];
            let band = ArrayView::from_shape(IxDyn(&place.band.shape), values);
            if let (Ok(band), Some(mut part)) = (band, place.part_mut(packed)) {
                part.assign(&band);
            }
        }
        Ok(())
    }

    /// The reverse of [`Packing::pack`].
    ///
    /// # Errors
    /// Slices of the wrong length.
    pub fn unpack<T: Copy>(&self, packed: &[T], coefficients: &mut [T]) -> Result<(), PackError> {
        self.check(coefficients.len(), packed.len())?;
        for place in &self.places {
            let range = place.band.offset..place.band.offset + place.band.len;
            let band = ArrayViewMut::from_shape(IxDyn(&place.band.shape), &mut coefficients[range]);
            if let (Ok(mut band), Some(part)) = (band, place.part(packed)) {
                band.assign(&part);
            }
        }
        Ok(())
    }

    /// Visits every coefficient of a packed array with its band, in the order of the bands; unused
    /// elements are left out.
    ///
    /// # Errors
    /// A slice of the wrong length.
    pub fn visit_mut<T>(
        &self,
        packed: &mut [T],
        mut visit: impl FnMut(&Band, &mut T),
    ) -> Result<(), PackError> {
        if packed.len() != self.len() {
            return Err(self.length("packed array", packed.len()));
        }
        for place in &self.places {
            if let Some(mut part) = place.part_mut(packed) {
                part.iter_mut().for_each(|value| visit(&place.band, value));
            }
        }
        Ok(())
    }

    fn length(&self, what: &'static str, got: usize) -> PackError {
        PackError::Length { what, expected: self.len(), got }
    }

    fn check(&self, coefficients: usize, packed: usize) -> Result<(), PackError> {
        if coefficients != self.coefficients {
            let (what, expected) = ("coefficients", self.coefficients);
            return Err(PackError::Length { what, expected, got: coefficients });
        }
        match packed == self.len() {
            true => Ok(()),
            false => Err(self.length("packed array", packed)),
        }
    }
}

impl Place {
    /// The band in a packed array; `None` of one without elements.
    fn part<'a, T>(&self, packed: &'a [T]) -> Option<ArrayViewD<'a, T>> {
        let shape = IxDyn(&self.band.shape).strides(IxDyn(&self.strides));
        let values = packed.get(self.offset..).filter(|_| self.band.len > 0)?;
        ArrayView::from_shape(shape, values).ok()
    }

    fn part_mut<'a, T>(&self, packed: &'a mut [T]) -> Option<ArrayViewMutD<'a, T>> {
        let shape = IxDyn(&self.band.shape).strides(IxDyn(&self.strides));
        let values = packed.get_mut(self.offset..).filter(|_| self.band.len > 0)?;
        ArrayViewMut::from_shape(shape, values).ok()
    }
}

/// A plan's coefficients, band after band.
fn coefficients(places: &[Place]) -> usize {
    places.iter().map(|place| place.band.offset + place.band.len).max().unwrap_or(0)
}

/// Elements of an array from one index of each axis to the next.
fn c_order(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis]);
    }
    strides
}

/// Every `step`-th index of an axis from `start` on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    start: usize,
    step: usize,
    len: usize,
    /// Coordinate of the first: its parity says which half is the approximation.
    origin: i64,
}

impl Grid {
    /// Even coordinates, then odd ones.
    fn halves(self) -> (Self, Self) {
        let odd_first = self.origin.rem_euclid(2) == 1;
        let half = |second: bool| Self {
            start: self.start + if second { self.step } else { 0 },
            step: self.step.saturating_mul(2),
            len: if second { self.len / 2 } else { self.len.div_ceil(2) },
            origin: self.origin.div_euclid(2) + i64::from(odd_first),
        };
        (half(odd_first), half(!odd_first))
    }

    fn elements(self) -> SliceInfoElem {
        // An empty grid's start may lie beyond the axis.
        match self.len {
            0 => SliceInfoElem::Slice { start: 0, end: Some(0), step: 1 },
            len => SliceInfoElem::Slice {
                start: self.start as isize,
                end: Some((self.start + (len - 1) * self.step + 1) as isize),
                step: self.step as isize,
            },
        }
    }
}

/// Whether the band's letter of transformed axis `i` of `axes` is `d`.
fn is_detail(band: &Band, axes: usize, i: usize) -> bool {
    (band.channel >> (axes - 1 - i)) & 1 == 1
}

fn boxed(band: &Band, start: &[usize]) -> (Band, Vec<SliceInfoElem>) {
    let ranges = start.iter().zip(&band.shape);
    let slice = ranges.map(|(start, len)| SliceInfoElem::from(*start..start + len)).collect();
    (band.clone(), slice)
}

fn check_axes(axes: &[usize], dims: usize) -> Result<(), PackError> {
    let doubled = axes.iter().enumerate().any(|(i, axis)| axes[..i].contains(axis));
    match doubled || axes.iter().any(|axis| *axis >= dims) {
        true => Err(PackError::Axes { axes: axes.to_vec(), dims }),
        false => Ok(()),
    }
}
