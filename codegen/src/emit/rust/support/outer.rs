/// What a level needs of an operation.
use Across as Level;

/// Number of channels of the axes behind `axis`.
fn inner_channels(axis: usize) -> usize {
    1 << (AXES - 1 - axis)
}

/// Values of a line of the signal along `axis`.
fn signal_line(axes: &[Axis; AXES], axis: usize) -> usize {
    axes[axis + 1..].iter().map(|axis| axis.signal).product()
}

/// Values of a line of each channel along `axis`, and how many there are.
fn band_lines(axes: &[Axis; AXES], axis: usize) -> ([usize; CHANNELS], usize) {
    let inner = &axes[axis + 1..];
    let line = |channel: usize| {
        let last = inner.len().saturating_sub(1);
        let lens = inner.iter().enumerate();
        lens.map(|(at, axis)| axis.band((channel >> (last - at)) & 1 == 1)).product()
    };
    (core::array::from_fn(line), inner_channels(axis))
}

/// Lines of a signal.
struct SignalLines<D> {
    data: D,
    line: usize,
    len: usize,
}

/// Lines of bands: channels of the inner axes are parts, those of one phase after those of the other.
struct BandLines<'a, D> {
    bands: &'a mut [D],
    lines: [usize; CHANNELS],
    axis: Axis,
}

impl Feed for SignalLines<&[Sample]> {
    const START: isize = START;
    const MADE: bool = false;
    fn len(&self) -> usize {
        self.len
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn part(&self, index: usize, _: usize) -> &[Sample] {
        &self.data[index * self.line..][..self.line]
    }
    fn make(&mut self, _: usize, _: &mut [Sample]) {}
    fn samples(&self, index: usize) -> &[Sample] {
        self.part(index, 0)
    }
    fn runs(&self, lines: core::ops::Range<usize>) -> [&[Sample]; RUNS] {
        let values = &self.data[lines.start * self.line..lines.end * self.line];
        let mut runs = values.chunks(values.len().div_ceil(RUNS).max(1));
        core::array::from_fn(|_| runs.next().unwrap_or_default())
    }
}

impl Feed for BandLines<'_, &[Sample]> {
    const START: isize = 0;
    const MADE: bool = false;
    fn len(&self) -> usize {
        self.axis.low + self.axis.high
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn part(&self, index: usize, part: usize) -> &[Sample] {
        let (array, len) = (index % 2 * (self.bands.len() / 2) + part, self.lines[part]);
        &self.bands[array][index / 2 * len..][..len]
    }
    fn make(&mut self, _: usize, _: &mut [Sample]) {}
    fn runs(&self, lines: core::ops::Range<usize>) -> [&[Sample]; RUNS] {
        let (start, end) = (lines.start.div_ceil(2), lines.end / 2);
        core::array::from_fn(|array| {
            let band: &[Sample] = self.bands.get(array).map_or(&[], |band| band);
            let len = self.lines[array % (self.bands.len() / 2)];
            band.get(start * len..end * len).unwrap_or_default()
        })
    }
}

impl Drain for SignalLines<&mut [Sample]> {
    const START: isize = START;
    const TAKEN: bool = false;
    fn len(&self) -> usize {
        self.len
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn parts(&mut self, pair: isize, _: usize) -> [Option<&mut [Sample]>; 2] {
        let index = 2 * pair - START;
        let first = usize::try_from(index).ok().filter(|first| *first < self.len);
        let second = usize::try_from(index + 1).ok().filter(|second| *second < self.len);
        let from = first.or(second).unwrap_or(0) * self.line;
        let mut lines = self.data[from..].chunks_exact_mut(self.line.max(1));
        [first.and_then(|_| lines.next()), second.and_then(|_| lines.next())]
    }
    fn rows(&mut self, pair: isize, pairs: usize, _: usize) -> Option<Rows<'_>> {
        let first = usize::try_from(2 * pair - START).ok()?;
        let lines = self.data.get_mut(first * self.line..(first + 2 * pairs) * self.line)?;
        let mut rows = no_rows();
        for (at, line) in lines.chunks_exact_mut(self.line.max(1)).enumerate() {
            rows[at % 2][at / 2] = line;
        }
        Some(rows)
    }
    fn take(&mut self, _: usize, _: &[Sample]) {}
}

impl Drain for BandLines<'_, &mut [Sample]> {
    const START: isize = 0;
    const TAKEN: bool = false;
    fn len(&self) -> usize {
        self.axis.low + self.axis.high
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn parts(&mut self, pair: isize, part: usize) -> [Option<&mut [Sample]>; 2] {
        let len = self.lines[part];
        let Ok(pair) = usize::try_from(pair) else { return [None, None] };
        let (low, high) = self.bands.split_at_mut(self.bands.len() / 2);
        [&mut low[part], &mut high[part]].map(|band| band.get_mut(pair * len..(pair + 1) * len))
    }
    fn rows(&mut self, pair: isize, pairs: usize, part: usize) -> Option<Rows<'_>> {
        let len = self.lines[part];
        let first = usize::try_from(pair).ok()?;
        let (low, high) = self.bands.split_at_mut(self.bands.len() / 2);
        let mut rows = no_rows();
        for (rows, band) in rows.iter_mut().zip([&mut low[part], &mut high[part]]) {
            let lines = band.get_mut(first * len..(first + pairs) * len)?;
            for (row, line) in rows.iter_mut().zip(lines.chunks_exact_mut(len.max(1))) {
                *row = line;
            }
        }
        Some(rows)
    }
    fn take(&mut self, _: usize, _: &[Sample]) {}
}

/// What the axes behind one need.
struct Inner<'a, K, M> {
    axis: usize,
    axes: &'a [Axis; AXES],
    block: &'a mut [Sample],
    rings: &'a mut [M],
    kernel: core::marker::PhantomData<K>,
}

impl<K: Across, M: Memory> Inner<'_, K, M> {
    fn split(&mut self, signal: &[Sample], bands: &mut [&mut [Sample]]) {
        split::<K, M>(self.axis, self.axes, self.block, self.rings, signal, bands, None);
    }

    fn join(&mut self, bands: &mut [&[Sample]], signal: &mut [Sample]) {
        join::<K, M>(self.axis, self.axes, self.block, self.rings, bands, signal);
    }
}

/// One level: splits a signal, or a line of one, along `axis` and those behind it. Whether a sample is
/// larger than `bound`, unless `axis` is the last.
fn split<K: Across, M: Memory>(
    axis: usize,
    axes: &[Axis; AXES],
    block: &mut [Sample],
    rings: &mut [M],
    signal: &[Sample],
    bands: &mut [&mut [Sample]],
    bound: Option<Sample>,
) -> bool {
    let (Some((ring, rings)), false) = (rings.split_first_mut(), axis + 1 == AXES) else {
        if let [low, high] = bands {
            let mut target = Bands { low: &mut **low, high: &mut **high };
            along::<K, _, _>(block, &Signal(signal), &mut target, BANDS_FOLD);
        }
        return false;
    };
    let inner = Inner { axis: axis + 1, axes, block, rings, kernel: core::marker::PhantomData };
    split_lines::<K, M>(ring, inner, &axes[axis], signal, bands, bound)
}

/// One level: joins a signal, or a line of one, along `axis` and those behind it.
fn join<K: Across, M: Memory>(
    axis: usize,
    axes: &[Axis; AXES],
    block: &mut [Sample],
    rings: &mut [M],
    bands: &mut [&[Sample]],
    signal: &mut [Sample],
) {
    let (Some((ring, rings)), false) = (rings.split_first_mut(), axis + 1 == AXES) else {
        if let [low, high] = *bands {
            along::<K, _, _>(block, &Bands { low, high }, &mut Signal(signal), SIGNAL_FOLDS);
        }
        return;
    };
    let inner = Inner { axis: axis + 1, axes, block, rings, kernel: core::marker::PhantomData };
    join_lines::<K, M>(ring, inner, &axes[axis], bands, signal);
}

/// Splits the signal of a level into its bands. Whether a sample is larger than `bound`.
fn analyse_level<K: Across>(
    work: &mut Memories<impl Memory>,
    axes: &[Axis; AXES],
    signal: &[Sample],
    mut bands: [&mut [Sample]; CHANNELS],
    bound: Option<Sample>,
) -> bool {
    split::<K, _>(0, axes, &mut work.block, &mut work.rings, signal, &mut bands, bound)
}

/// Joins the bands of a level.
fn synthesise_level<K: Across>(
    work: &mut Memories<impl Memory>,
    axes: &[Axis; AXES],
    mut bands: [&[Sample]; CHANNELS],
    signal: &mut [Sample],
) {
    join::<K, _>(0, axes, &mut work.block, &mut work.rings, &mut bands, signal);
}

/// Memory of a transform.
struct Memories<M> {
    block: M,
    /// One per axis but the last.
    rings: [M; AXES - 1],
}

impl<M: Memory> Memories<M> {
    fn new(
        levels: &[[Axis; AXES]; LEVELS],
        supply: &mut impl Supply<Memory = M>,
    ) -> Result<Self, Error> {
        let mut rings: [M; AXES - 1] = core::array::from_fn(|_| M::default());
        for (axis, ring) in rings.iter_mut().enumerate() {
            let mut longest = 0;
            for axes in levels {
                // Lines of the signal, and of all bands together, which may be longer.
                let longer = |axis: &Axis| axis.signal.max(axis.low + axis.high);
                let lengths = axes[axis + 1..].iter().map(longer);
                let memory = product(lengths).and_then(ring_memory);
                longest = longest.max(memory.ok_or(Error::TooLarge)?);
            }
            *ring = supply.take(Some(longest))?;
        }
        Ok(Self { block: supply.take(Some(BLOCK_MEMORY))?, rings })
    }
}
