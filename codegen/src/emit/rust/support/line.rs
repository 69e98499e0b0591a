/// Samples that a kernel reads: a signal, or its interleaved bands.
trait Source {
    /// Frame position of sample 0.
    const START: isize;
    /// Number of samples.
    fn len(&self) -> usize;
    /// Sample `index`.
    fn at(&self, index: usize) -> Sample;
    /// What stands at `index`, inside or not, as weighted samples.
    fn extended(index: isize, len: isize) -> Terms;
}

/// Samples that a kernel writes.
trait Target {
    /// Frame position of sample 0.
    const START: isize;
    /// Number of samples.
    fn len(&self) -> usize;
    /// Sample `index`.
    fn at(&mut self, index: usize) -> &mut Sample;
    /// What stands at `index`, inside or not, as weighted samples.
    fn extended(index: isize, len: isize) -> Terms;
    /// Copies `plane` to the samples of one phase, from `index` on.
    fn copy(&mut self, index: usize, plane: &[Sample]);
}

/// A signal.
struct Signal<D>(D);

/// The two bands of a signal.
struct Bands<D> {
    low: D,
    high: D,
}

impl Source for Signal<&[Sample]> {
    const START: isize = START;
    fn len(&self) -> usize {
        self.0.len()
    }
    fn at(&self, index: usize) -> Sample {
        self.0[index]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
}

impl Source for Bands<&[Sample]> {
    const START: isize = 0;
    fn len(&self) -> usize {
        self.low.len() + self.high.len()
    }
    fn at(&self, index: usize) -> Sample {
        let band = if index % 2 == 0 { self.low } else { self.high };
        band[index / 2]
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
}

impl Target for Signal<&mut [Sample]> {
    const START: isize = START;
    fn len(&self) -> usize {
        self.0.len()
    }
    fn at(&mut self, index: usize) -> &mut Sample {
        &mut self.0[index]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn copy(&mut self, index: usize, plane: &[Sample]) {
        for (value, pair) in plane.iter().zip(self.0[index..].chunks_mut(2)) {
            pair[0] = *value;
        }
    }
}

impl Target for Bands<&mut [Sample]> {
    const START: isize = 0;
    fn len(&self) -> usize {
        self.low.len() + self.high.len()
    }
    fn at(&mut self, index: usize) -> &mut Sample {
        let band = if index % 2 == 0 { &mut *self.low } else { &mut *self.high };
        &mut band[index / 2]
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn copy(&mut self, index: usize, plane: &[Sample]) {
        let band = if index % 2 == 0 { &mut *self.low } else { &mut *self.high };
        band[index / 2..][..plane.len()].copy_from_slice(plane);
    }
}

/// The pairs `first..end` that hold the frame positions `start .. start + len`.
fn pairs_of(start: isize, len: usize) -> (isize, isize) {
    (start.div_euclid(2), (start + len as isize + 1).div_euclid(2))
}

/// The pairs `first..end` both of whose frame positions lie in `start .. start + len`.
fn inner_pairs_of(start: isize, len: usize) -> (isize, isize) {
    ((start + 1).div_euclid(2), (start + len as isize).div_euclid(2))
}

/// Of the positions `2k + phase` with `k` in `first .. first + count`, those in
/// `start .. start + len`: as a range of `k - first`.
fn inside(phase: isize, first: isize, count: usize, start: isize, len: usize) -> (usize, usize) {
    let clamp = |k: isize| (k - first).clamp(0, count as isize) as usize;
    let from = clamp((start - phase + 1).div_euclid(2));
    let to = clamp((start + len as isize - phase + 1).div_euclid(2));
    (from, to.max(from))
}

/// Adds `weight` times one plane to the samples that its positions `2k + phase`, `k` from `first` on,
/// are made of: the adjoint of extending. Positions inside are left out unless `all` is set.
fn fold<T: Target>(
    target: &mut T,
    plane: &[Sample],
    phase: isize,
    first: isize,
    weight: Sample,
    all: bool,
) {
    let len = target.len() as isize;
    for (t, value) in plane.iter().enumerate() {
        let index = 2 * (first + t as isize) + phase - T::START;
        if !all && (0..len).contains(&index) {
            continue;
        }
        for (place, factor) in T::extended(index, len) {
            if factor != ZERO {
                let sum = target.at(place);
                *sum = plus(*sum, times(times(factor, weight), *value));
            }
        }
    }
}
