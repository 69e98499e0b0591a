/// Lines that are joined along the axes behind.
struct JoinedLines<'a, 'b, K, M> {
    signal: SignalLines<&'b mut [Sample]>,
    parts: [usize; CHANNELS],
    channels: usize,
    inner: Inner<'a, K, M>,
}

impl<K: Across, M: Memory> Drain for JoinedLines<'_, '_, K, M> {
    const START: isize = START;
    const TAKEN: bool = true;
    fn len(&self) -> usize {
        self.signal.len
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn parts(&mut self, _: isize, _: usize) -> [Option<&mut [Sample]>; 2] {
        [None, None]
    }
    fn rows(&mut self, _: isize, _: usize, _: usize) -> Option<Rows<'_>> {
        None
    }
    fn take(&mut self, index: usize, line: &[Sample]) {
        let mut rest = line;
        let mut bands: [&[Sample]; CHANNELS] = core::array::from_fn(|channel| {
            let len = if channel < self.channels { self.parts[channel] } else { 0 };
            let (part, others) = rest.split_at(len);
            rest = others;
            part
        });
        let len = self.signal.line;
        let line = &mut self.signal.data[index * len..][..len];
        self.inner.join(&mut bands[..self.channels], line);
    }
}

/// Joins lines along one axis, then along the axes behind.
fn join_lines<K: Across, M: Memory>(
    ring: &mut M,
    inner: Inner<'_, K, M>,
    axis: &Axis,
    bands: &mut [&[Sample]],
    signal: &mut [Sample],
) {
    let (parts, channels) = band_lines(inner.axes, inner.axis - 1);
    let line = signal_line(inner.axes, inner.axis - 1);
    let mut feed = BandLines { bands, lines: parts, axis: *axis };
    let signal = SignalLines { data: signal, line, len: axis.signal };
    let mut drain = JoinedLines { signal, parts, channels, inner };
    sweep::<K, _, _>(ring, &parts[..channels], &mut feed, &mut drain, SIGNAL_FOLDS, None);
}
