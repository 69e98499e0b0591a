/// Lines of bands, joined along the axes behind.
struct JoinedLines<'a, 'b, K, M> {
    bands: BandLines<'a, &'b [Sample]>,
    channels: usize,
    inner: Inner<'a, K, M>,
}

impl<K: Across, M: Memory> Feed for JoinedLines<'_, '_, K, M> {
    const START: isize = 0;
    const MADE: bool = true;
    fn len(&self) -> usize {
        Feed::len(&self.bands)
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn part(&self, _: usize, _: usize) -> &[Sample] {
        &[]
    }
    fn make(&mut self, index: usize, line: &mut [Sample]) {
        let mut parts: [&[Sample]; CHANNELS] = [&[]; CHANNELS];
        for (at, part) in parts.iter_mut().enumerate().take(self.channels) {
            *part = self.bands.part(index, at);
        }
        self.inner.join(&mut parts[..self.channels], line);
    }
    fn runs(&self, lines: core::ops::Range<usize>) -> [&[Sample]; RUNS] {
        // Whole planes are asked for line by line.
        match self.inner.axis + 1 == AXES {
            true => self.bands.runs(lines),
            false => [&[]; RUNS],
        }
    }
}

/// Joins lines along the axes behind, then along one.
fn join_lines<K: Across, M: Memory>(
    ring: &mut M,
    inner: Inner<'_, K, M>,
    axis: &Axis,
    bands: &mut [&[Sample]],
    signal: &mut [Sample],
) {
    let (lines, channels) = band_lines(inner.axes, inner.axis - 1);
    let line = signal_line(inner.axes, inner.axis - 1);
    let bands = BandLines { bands, lines, axis: *axis };
    let mut feed = JoinedLines { bands, channels, inner };
    let mut drain = SignalLines { data: signal, line, len: axis.signal };
    sweep::<K, _, _>(ring, &[line], &mut feed, &mut drain, SIGNAL_FOLDS, None);
}
