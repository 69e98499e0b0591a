//! Arrays of any number of dimensions in C order, with just the two accesses that are needed.

use super::Band;

/// Data and their shape.
pub(super) struct Array<T> {
    shape: Vec<usize>,
    data: Vec<T>,
}

impl<T: Copy + Default> Array<T> {
    /// Wraps data that fill `shape`.
    pub(super) fn new(shape: Vec<usize>, data: Vec<T>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), data.len());
        Self { shape, data }
    }

    /// Zeros.
    pub(super) fn zeros(shape: Vec<usize>) -> Self {
        let data = vec![T::default(); shape.iter().product()];
        Self { shape, data }
    }

    /// The data alone.
    pub(super) fn into_data(self) -> Vec<T> {
        self.data
    }

    /// The array as a band.
    pub(super) fn into_band(self, key: String) -> Band<T> {
        Band { key, shape: self.shape, data: self.data }
    }

    /// Replaces every line along `axis` by `map(line)`, which has `length` values.
    pub(super) fn map_lines<E>(
        &self,
        axis: usize,
        length: usize,
        map: impl Fn(&[T]) -> Result<Vec<T>, E>,
    ) -> Result<Self, E> {
        let mut shape = self.shape.clone();
        shape[axis] = length;
        let mut mapped = Self::zeros(shape);
        let outer: usize = self.shape[..axis].iter().product();
        let inner: usize = self.shape[axis + 1..].iter().product();
        let old = self.shape[axis];
        for block in 0..outer {
            for offset in 0..inner {
                let at = |index: usize, len: usize| (block * len + index) * inner + offset;
                let line: Vec<T> = (0..old).map(|index| self.data[at(index, old)]).collect();
                for (index, value) in map(&line)?.into_iter().enumerate() {
                    mapped.data[at(index, length)] = value;
                }
            }
        }
        Ok(mapped)
    }

    /// The block of the given shape that starts at `start`.
    pub(super) fn block(&self, start: &[usize], shape: &[usize]) -> Self {
        let mut block = Self::zeros(shape.to_vec());
        for (index, value) in block.data.iter_mut().enumerate() {
            *value = self.data[place(index, shape, start, &self.shape)];
        }
        block
    }

    /// Writes `block` at `start`.
    pub(super) fn put(&mut self, start: &[usize], block: &Self) {
        for (index, value) in block.data.iter().enumerate() {
            self.data[place(index, &block.shape, start, &self.shape)] = *value;
        }
    }
}

/// The flat index, in an array of shape `outer`, of element `index` of the block of shape `inner`
/// that starts at `start`.
fn place(index: usize, inner: &[usize], start: &[usize], outer: &[usize]) -> usize {
    let (mut rest, mut flat, mut stride) = (index, 0, 1);
    for axis in (0..inner.len()).rev() {
        flat += (start[axis] + rest % inner[axis]) * stride;
        rest /= inner[axis];
        stride *= outer[axis];
    }
    flat
}
