/// Lines that are split along the axes behind.
struct SplitLines<'a, 'b, K, M> {
    bands: BandLines<'a, &'b mut [Sample]>,
    inner: Inner<'a, K, M>,
}

impl<K: Across, M: Memory> Drain for SplitLines<'_, '_, K, M> {
    const START: isize = 0;
    const TAKEN: bool = true;
    fn len(&self) -> usize {
        Drain::len(&self.bands)
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn parts(&mut self, _: isize, _: usize) -> [Option<&mut [Sample]>; 2] {
        [None, None]
    }
    fn rows(&mut self, _: isize, _: usize, _: usize) -> Option<Rows<'_>> {
        None
    }
    fn take(&mut self, index: usize, line: &[Sample]) {
        let channels = self.bands.bands.len() / 2;
        let mut parts: [&mut [Sample]; CHANNELS] = core::array::from_fn(|_| -> &mut [Sample] { &mut [] });
        let bands = self.bands.bands[index % 2 * channels..].iter_mut().take(channels);
        for ((part, band), len) in parts.iter_mut().zip(bands).zip(self.bands.lines) {
            *part = &mut band[index / 2 * len..][..len];
        }
        self.inner.split(line, &mut parts[..channels]);
    }
}

/// Splits lines along one axis, then along the axes behind.
fn split_lines<K: Across, M: Memory>(
    ring: &mut M,
    inner: Inner<'_, K, M>,
    axis: &Axis,
    signal: &[Sample],
    bands: &mut [&mut [Sample]],
    bound: Option<Sample>,
) -> bool {
    let (lines, _) = band_lines(inner.axes, inner.axis - 1);
    let line = signal_line(inner.axes, inner.axis - 1);
    let mut feed = SignalLines { data: signal, line, len: axis.signal };
    let mut drain = SplitLines { bands: BandLines { bands, lines, axis: *axis }, inner };
    sweep::<K, _, _>(ring, &[line], &mut feed, &mut drain, BANDS_FOLD, bound)
}
