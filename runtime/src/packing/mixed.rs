//! From the mixed-band layout to the conventional one and back, without a plan: in place, for any
//! shape. On an axis of `n` samples the low half has `⌈n/2⌉` elements.
//!
//! For lengths that are powers of two, one level moves index `i` to `i` with its bits rotated right
//! by one ([`rotate_right`]), the permutation of Quan and Jeong.

use super::{PackError, check_axes};
use ndarray::{ArrayViewMut, Axis, IxDyn, Slice};

/// After this many levels no axis has more than one element left.
const MOST_LEVELS: usize = usize::BITS as usize;

/// The last `bits` bits of an index rotated right by one: where one level's coefficient `index`
/// of the mixed layout stands in the conventional one, on an axis of `2^bits` samples.
///
/// ```
/// use waveloom::packing::mixed::rotate_right;
/// assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|i| rotate_right(i, 3)), [0, 4, 1, 5, 2, 6, 3, 7]);
/// ```
pub const fn rotate_right(index: usize, bits: u32) -> usize {
    match bits {
        0 => index,
        1..=usize::BITS => (index >> 1) | ((index & 1) << (bits - 1)),
        _ => index.rotate_right(1),
    }
}

/// The reverse of [`rotate_right`].
///
/// ```
/// use waveloom::packing::mixed::rotate_left;
/// assert_eq!([0, 4, 1, 5].map(|i| rotate_left(i, 3)), [0, 1, 2, 3]);
/// ```
pub const fn rotate_left(index: usize, bits: u32) -> usize {
    match bits {
        0 => index,
        1..usize::BITS => ((index << 1) & !(1 << bits)) | (index >> (bits - 1)),
        _ => index.rotate_left(1),
    }
}

/// Where the coefficient at `position` of the mixed layout stands in the conventional one.
/// `position` and `shape` have one entry per transformed axis, as many as the shorter one has.
///
/// ```
/// use waveloom::packing::mixed::mallat_position;
/// let mut position = [2, 6];
/// mallat_position(&mut position, &[5, 8], 2);
/// assert_eq!(position, [2, 3]); // of the approximation of level 1, a detail of level 2
/// ```
pub fn mallat_position(position: &mut [usize], shape: &[usize], levels: usize) {
    let mut low: Vec<usize> = shape.to_vec();
    for _ in 0..levels.min(MOST_LEVELS) {
        let approximation = position.iter().all(|index| index % 2 == 0);
        for (index, len) in position.iter_mut().zip(&mut low) {
            let half = len.div_ceil(2);
            *index = *index / 2 + if *index % 2 == 1 { half } else { 0 };
            *len = half;
        }
        if !approximation {
            return;
        }
    }
}

/// The reverse of [`mallat_position`].
pub fn mixed_position(position: &mut [usize], shape: &[usize], levels: usize) {
    let levels = levels.min(MOST_LEVELS);
    // The lengths of every level's region, finest first.
    let mut regions = vec![shape.to_vec()];
    for level in 0..levels {
        let next = regions[level].iter().map(|len| len.div_ceil(2)).collect();
        regions.push(next);
    }
    // Upwards from the coarsest region that holds the position.
    for level in (0..levels).rev() {
        let low = &regions[level + 1];
        let inside = position.iter().zip(&regions[level]).all(|(index, len)| index < len);
        if !inside {
            continue;
        }
        for (index, half) in position.iter_mut().zip(low) {
            *index = if *index < *half { 2 * *index } else { 2 * (*index - half) + 1 };
        }
    }
}

/// Turns a C-ordered array from the mixed layout into the conventional one, in place: each level
/// sorts the lines of what is left of the low corner, with one line of scratch memory.
///
/// `axes` are the transformed axes, in any order.
///
/// ```
/// use waveloom::packing::mixed;
/// let mut values = [0, 1, 2, 3, 4, 5, 6];
/// mixed::to_mallat(&mut values, &[7], &[0], 2)?;
/// assert_eq!(values, [0, 4, 2, 6, 1, 3, 5]);
/// mixed::from_mallat(&mut values, &[7], &[0], 2)?;
/// assert_eq!(values, [0, 1, 2, 3, 4, 5, 6]);
/// # Ok::<(), waveloom::packing::PackError>(())
/// ```
///
/// # Errors
/// A slice that does not have the shape, axes that it does not have.
pub fn to_mallat<T: Copy>(
    values: &mut [T],
    shape: &[usize],
    axes: &[usize],
    levels: usize,
) -> Result<(), PackError> {
    let all: Vec<usize> = (0..levels.min(MOST_LEVELS)).collect();
    sort_levels(values, shape, axes, &all, |lane, scratch| {
        scratch.clear();
        scratch.extend(lane.iter().step_by(2).chain(lane.iter().skip(1).step_by(2)).copied());
        lane.iter_mut().zip(scratch.iter()).for_each(|(to, from)| *to = *from);
    })
}

/// The reverse of [`to_mallat`].
///
/// # Errors
/// Those of [`to_mallat`].
pub fn from_mallat<T: Copy>(
    values: &mut [T],
    shape: &[usize],
    axes: &[usize],
    levels: usize,
) -> Result<(), PackError> {
    let all: Vec<usize> = (0..levels.min(MOST_LEVELS)).rev().collect();
    sort_levels(values, shape, axes, &all, |lane, scratch| {
        scratch.clear();
        scratch.extend(lane.iter().copied());
        let half = scratch.len().div_ceil(2);
        let (low, high) = scratch.split_at(half);
        lane.iter_mut().step_by(2).zip(low).for_each(|(to, from)| *to = *from);
        lane.iter_mut().skip(1).step_by(2).zip(high).for_each(|(to, from)| *to = *from);
    })
}

/// Applies `sort` to every line of every axis of each level's region; level 0 is the whole array.
fn sort_levels<T: Copy>(
    values: &mut [T],
    shape: &[usize],
    axes: &[usize],
    levels: &[usize],
    mut sort: impl FnMut(&mut ndarray::ArrayViewMut1<'_, T>, &mut Vec<T>),
) -> Result<(), PackError> {
    check_axes(axes, shape.len())?;
    let got = values.len();
    let mut array = ArrayViewMut::from_shape(IxDyn(shape), values).map_err(|_| {
        let expected = shape.iter().fold(1, |all: usize, len| all.saturating_mul(*len));
        PackError::Length { what: "packed array", expected, got }
    })?;
    let mut scratch = Vec::new();
    for level in levels {
        let region = |axis: usize| (0..*level).fold(shape[axis], |len, _| len.div_ceil(2));
        // Regions of one element per axis do not change any more.
        if axes.iter().all(|axis| region(*axis) <= 1) {
            continue;
        }
        let mut corner = array.view_mut();
        for axis in axes {
            corner.slice_axis_inplace(Axis(*axis), Slice::from(..region(*axis) as isize));
        }
        for axis in axes {
            for mut lane in corner.lanes_mut(Axis(*axis)) {
                sort(&mut lane, &mut scratch);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_rotate_bits() {
        for bits in 0..=6_u32 {
            let len = 1_usize << bits;
            for levels in 0..=bits {
                for index in 0..len {
                    // Level l rotates the low bits - l bits, as long as the index is in the low half.
                    let mut rotated = index;
                    for level in 0..levels {
                        let detail = rotated % 2 == 1;
                        rotated = rotate_right(rotated, bits - level);
                        if detail {
                            break;
                        }
                    }
                    let mut position = [index];
                    mallat_position(&mut position, &[len], levels as usize);
                    assert_eq!(position[0], rotated, "{len} {levels} {index}");
                    assert_eq!(rotate_left(rotate_right(index, bits), bits), index);
                }
            }
        }
    }

    #[test]
    fn positions_and_arrays_agree_on_any_shape() {
        for shape in [[1, 1, 1], [2, 3, 5], [7, 1, 6], [8, 4, 16], [5, 9, 3]] {
            for levels in 0..5 {
                let count: usize = shape.iter().product();
                let mixed: Vec<usize> = (0..count).collect();
                let mut mallat = mixed.clone();
                to_mallat(&mut mallat, &shape, &[0, 1, 2], levels).unwrap();
                for (index, value) in mallat.iter().enumerate() {
                    let of = |i: usize| {
                        [i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]]
                    };
                    let mut position = of(*value);
                    mallat_position(&mut position, &shape, levels);
                    assert_eq!(position, of(index), "{shape:?} {levels}");
                    mixed_position(&mut position, &shape, levels);
                    assert_eq!(position, of(*value), "{shape:?} {levels}");
                }
                from_mallat(&mut mallat, &shape, &[0, 1, 2], levels).unwrap();
                assert_eq!(mallat, mixed);
            }
        }
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let mut values = [1, 2, 3];
        assert!(to_mallat(&mut values, &[4], &[0], 1).is_err());
        assert!(to_mallat(&mut values, &[3], &[1], 1).is_err());
        assert!(from_mallat(&mut values, &[3, 1], &[0, 0], 1).is_err());
        to_mallat(&mut values, &[3, 1], &[1], usize::BITS as usize + 9).unwrap();
        // More elements than there are addresses, or none of a long axis.
        assert!(to_mallat(&mut values, &[1 << 40, 1 << 40], &[0], 1).is_err());
        to_mallat::<u8>(&mut [], &[0, 1 << 62], &[1], 1).unwrap();
        from_mallat::<u8>(&mut [], &[0, 1 << 50], &[1], 1).unwrap();
        for bits in [64, 65, u32::MAX] {
            assert_eq!(rotate_right(5, bits), 5_usize.rotate_right(1));
            assert_eq!(rotate_left(rotate_right(5, bits), bits), 5);
        }
        assert_eq!(values, [1, 2, 3]);
    }
}
