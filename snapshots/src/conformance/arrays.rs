//! Index games on C-order arrays.

/// The flat indices that read an array rolled forward by `by` along `axis`:
/// `rolled[i] = values[rolled_indices[i]]`.
pub fn rolled(shape: &[usize], axis: usize, by: usize) -> Vec<usize> {
    let len = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let total: usize = shape.iter().product();
    let indices = 0..total;
    indices
        .map(|flat| {
            let at = flat / inner % len;
            let source = (at + len - by % len) % len;
            flat - at * inner + source * inner
        })
        .collect()
}

/// The multi-index of a flat index.
pub fn position(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut position = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        position[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_along_an_axis() {
        assert_eq!(rolled(&[2, 3], 1, 1), [2, 0, 1, 5, 3, 4]);
        assert_eq!(rolled(&[3, 2], 0, 2), [2, 3, 4, 5, 0, 1]);
    }

    #[test]
    fn finds_positions() {
        assert_eq!(position(17, &[2, 3, 4]), [1, 1, 1]);
    }
}
