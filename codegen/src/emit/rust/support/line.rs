/// A sequence of rows that a kernel reads: a bundle of signals, or of their interleaved bands.
trait Source {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Frame position of row 0.
    fn start(&self) -> isize;
    /// Row `index`, all lanes of it.
    fn row(&self, index: usize) -> &[Sample];
    /// What stands at `index`, inside or not, as weighted rows.
    fn extended(index: isize, len: isize) -> Terms;
    /// Copies the rows of one phase, from `index` on, to `plane`; for bundles of one lane.
    fn copy(&self, index: usize, plane: &mut [Sample]);
}

/// A sequence of rows that a kernel writes.
trait Target {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Frame position of row 0.
    fn start(&self) -> isize;
    /// Row `index`, all lanes of it.
    fn row(&mut self, index: usize) -> &mut [Sample];
    /// What stands at `index`, inside or not, as weighted rows.
    fn extended(index: isize, len: isize) -> Terms;
    /// Copies `plane` to the rows of one phase, from `index` on; for bundles of one lane.
    fn copy(&mut self, index: usize, plane: &[Sample]);
}

/// Signals side by side, `[sample][lane]`.
struct Signal<D> {
    data: D,
    len: usize,
    lanes: usize,
}

/// The bands of such signals, `[coefficient][lane]` each.
struct Bands<D> {
    low: D,
    high: D,
    len: usize,
    lanes: usize,
}

impl Source for Signal<&[Sample]> {
    fn len(&self) -> usize {
        self.len
    }
    fn start(&self) -> isize {
        START
    }
    fn row(&self, index: usize) -> &[Sample] {
        &self.data[index * self.lanes..][..self.lanes]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn copy(&self, index: usize, plane: &mut [Sample]) {
        // Whole pairs apart from a last half one, so that the loop is vectorised.
        let pairs = self.data[index..].chunks_exact(2);
        let half = pairs.remainder();
        let (whole, last) = plane.split_at_mut(pairs.len().min(plane.len()));
        for (value, pair) in whole.iter_mut().zip(pairs) {
            *value = pair[0];
        }
        for (value, sample) in last.iter_mut().zip(half) {
            *value = *sample;
        }
    }
}

impl Source for Bands<&[Sample]> {
    fn len(&self) -> usize {
        self.len
    }
    fn start(&self) -> isize {
        0
    }
    fn row(&self, index: usize) -> &[Sample] {
        let band = if index % 2 == 0 { self.low } else { self.high };
        &band[index / 2 * self.lanes..][..self.lanes]
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn copy(&self, index: usize, plane: &mut [Sample]) {
        let band = if index % 2 == 0 { self.low } else { self.high };
        plane.copy_from_slice(&band[index / 2..][..plane.len()]);
    }
}

impl Target for Signal<&mut [Sample]> {
    fn len(&self) -> usize {
        self.len
    }
    fn start(&self) -> isize {
        START
    }
    fn row(&mut self, index: usize) -> &mut [Sample] {
        &mut self.data[index * self.lanes..][..self.lanes]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn copy(&mut self, index: usize, plane: &[Sample]) {
        let mut pairs = self.data[index..].chunks_exact_mut(2);
        let (whole, last) = plane.split_at(pairs.len().min(plane.len()));
        for (value, pair) in whole.iter().zip(&mut pairs) {
            pair[0] = *value;
        }
        for (value, sample) in last.iter().zip(pairs.into_remainder()) {
            *sample = *value;
        }
    }
}

impl Target for Bands<&mut [Sample]> {
    fn len(&self) -> usize {
        self.len
    }
    fn start(&self) -> isize {
        0
    }
    fn row(&mut self, index: usize) -> &mut [Sample] {
        let band = if index % 2 == 0 { &mut *self.low } else { &mut *self.high };
        &mut band[index / 2 * self.lanes..][..self.lanes]
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

/// Fills one plane with `weight` times the rows at `2k + phase`, `k` from `first` on, lanes
/// `lane .. lane + width`; added to what is there, if `add` says so. Beyond the ends stand extended
/// rows, or zeros if `extend` is false.
#[allow(clippy::too_many_arguments)]
fn load<S: Source>(
    source: &S,
    plane: &mut [Sample],
    phase: isize,
    first: isize,
    lane: usize,
    width: usize,
    lanes: usize,
    extend: bool,
    weight: Sample,
    add: bool,
) {
    let rows = plane.len() / width;
    let (start, len) = (source.start(), source.len());
    let index = |t: usize| 2 * (first + t as isize) + phase - start;
    let (mut from, mut to) = inside(phase, first, rows, start, len);
    if !add && weight == ONE && from < to {
        if lanes == 1 {
            source.copy(index(from) as usize, &mut plane[from..to]);
        } else {
            for t in from..to {
                let row = &source.row(index(t) as usize)[lane..][..width];
                plane[t * width..][..width].copy_from_slice(row);
            }
        }
    } else {
        (from, to) = (0, 0);
    }
    for t in (0..from).chain(to..rows) {
        let row = &mut plane[t * width..][..width];
        if !add {
            row.fill(ZERO);
        }
        let index = index(t);
        if !extend && !(0..len as isize).contains(&index) {
            continue;
        }
        for (place, factor) in S::extended(index, len as isize) {
            if factor != ZERO {
                let factor = times(factor, weight);
                let values = &source.row(place)[lane..][..width];
                for (sum, value) in row.iter_mut().zip(values) {
                    *sum = plus(*sum, times(factor, *value));
                }
            }
        }
    }
}

/// Writes one plane to the rows at `2k + phase`, `k` from `first` on, that exist.
fn store<T: Target>(
    target: &mut T,
    plane: &[Sample],
    phase: isize,
    first: isize,
    lane: usize,
    width: usize,
    lanes: usize,
) {
    let (start, len) = (target.start(), target.len());
    let index = |t: usize| (2 * (first + t as isize) + phase - start) as usize;
    let (from, to) = inside(phase, first, plane.len() / width, start, len);
    if from == to {
        return;
    }
    if lanes == 1 {
        target.copy(index(from), &plane[from..to]);
        return;
    }
    for t in from..to {
        let row = &plane[t * width..][..width];
        target.row(index(t))[lane..][..width].copy_from_slice(row);
    }
}

/// Adds `weight` times one plane to the rows that its positions `2k + phase`, `k` from `first` on,
/// are made of: the adjoint of extending. Positions inside are left out unless `all` is set.
#[allow(clippy::too_many_arguments)]
fn fold<T: Target>(
    target: &mut T,
    plane: &[Sample],
    phase: isize,
    first: isize,
    lane: usize,
    width: usize,
    weight: Sample,
    all: bool,
) {
    let (start, len) = (target.start(), target.len());
    for (t, row) in plane.chunks_exact(width).enumerate() {
        let index = 2 * (first + t as isize) + phase - start;
        if !all && (0..len as isize).contains(&index) {
            continue;
        }
        for (place, factor) in T::extended(index, len as isize) {
            if factor != ZERO {
                let factor = times(factor, weight);
                let sums = &mut target.row(place)[lane..][..width];
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum = plus(*sum, times(factor, *value));
                }
            }
        }
    }
}
