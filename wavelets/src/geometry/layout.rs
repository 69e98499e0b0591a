//! Where each band lies in a flat coefficient buffer.

use super::Decomposition;

/// One band of a decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// One letter per transformed axis, then the level: `aa`, `ad2`, `dd1`.
    pub key: String,
    /// 1 is the finest.
    pub level: usize,
    /// Channel: bit `d-1-i` is the letter of axis `i`, `d` being 1.
    pub channel: usize,
    /// Extents of the whole array, batch dimensions included.
    pub shape: Vec<usize>,
    /// First element in the buffer.
    pub offset: usize,
    /// Number of elements.
    pub len: usize,
}

/// The bands of an array with the given shape, coarsest first (`aa, adL, daL, ddL, …, dd1`), each
/// contiguous in C order. `axes` are the transformed axes, in the order of the keys' letters.
pub fn bands(shape: &[usize], axes: &[usize], decomposition: &Decomposition) -> Vec<Band> {
    let channels = 1 << axes.len();
    let letters = |channel: usize| -> String {
        let bit = |i: usize| (channel >> (axes.len() - 1 - i)) & 1;
        (0..axes.len()).map(|i| if bit(i) == 0 { 'a' } else { 'd' }).collect()
    };
    let levels = decomposition.levels();
    let mut all = Vec::new();
    let mut offset = 0;
    let mut push = |key: String, level: usize, channel: usize, shape: Vec<usize>| {
        let len = shape.iter().product();
        all.push(Band { key, level, channel, shape, offset, len });
        offset += len;
    };
    if levels.is_empty() {
        push(letters(0), 0, 0, shape.to_vec());
    }
    for (index, level) in levels.iter().enumerate().rev() {
        let number = index + 1;
        for channel in 0..channels {
            if channel == 0 && number != levels.len() {
                continue;
            }
            let mut extents = shape.to_vec();
            for (i, axis) in axes.iter().enumerate() {
                let geometry = &level.axes[i];
                let high = (channel >> (axes.len() - 1 - i)) & 1 == 1;
                extents[*axis] = if high { geometry.high.len } else { geometry.low.len };
            }
            let key = match channel {
                0 => letters(0),
                _ => format!("{}{number}", letters(channel)),
            };
            push(key, number, channel, extents);
        }
    }
    all
}
