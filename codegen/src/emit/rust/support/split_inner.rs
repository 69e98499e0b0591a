/// Lines of a signal, split along the axes behind.
struct SplitLines<'a, K, M> {
    lines: SignalLines<&'a [Sample]>,
    parts: [usize; CHANNELS],
    channels: usize,
    inner: Inner<'a, K, M>,
}

impl<K: Across, M: Memory> Feed for SplitLines<'_, K, M> {
    const START: isize = START;
    const MADE: bool = true;
    fn len(&self) -> usize {
        self.lines.len
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn part(&self, _: usize, _: usize) -> &[Sample] {
        &[]
    }
    fn make(&mut self, index: usize, line: &mut [Sample]) {
        let mut rest = line;
        let mut bands: [&mut [Sample]; CHANNELS] = core::array::from_fn(|channel| {
            let len = if channel < self.channels { self.parts[channel] } else { 0 };
            let (part, others) = core::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            part
        });
        self.inner.split(self.lines.part(index, 0), &mut bands[..self.channels]);
    }
    fn samples(&self, index: usize) -> &[Sample] {
        self.lines.part(index, 0)
    }
    fn runs(&self, lines: core::ops::Range<usize>) -> [&[Sample]; RUNS] {
        // Whole planes are asked for line by line.
        match self.inner.axis + 1 == AXES {
            true => self.lines.runs(lines),
            false => [&[]; RUNS],
        }
    }
}

/// Splits lines along the axes behind, then along one.
fn split_lines<K: Across, M: Memory>(
    ring: &mut M,
    inner: Inner<'_, K, M>,
    axis: &Axis,
    signal: &[Sample],
    bands: &mut [&mut [Sample]],
    bound: Option<Sample>,
) -> bool {
    let (parts, channels) = band_lines(inner.axes, inner.axis - 1);
    let line = signal_line(inner.axes, inner.axis - 1);
    let lines = SignalLines { data: signal, line, len: axis.signal };
    let mut feed = SplitLines { lines, parts, channels, inner };
    let mut drain = BandLines { bands, lines: parts, axis: *axis };
    sweep::<K, _, _>(ring, &parts[..channels], &mut feed, &mut drain, BANDS_FOLD, bound)
}
