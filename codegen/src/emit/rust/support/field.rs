/// An array that a kernel reads line by line along the last axis.
trait Field {
    /// Its lines.
    type Line<'a>: Phases
    where
        Self: 'a;
    /// Number of positions along an axis.
    fn len(&self, axis: usize) -> usize;
    /// Frame position of index 0 along every axis.
    const START: isize;
    /// What stands at `index` along an axis, inside or not.
    fn extended(index: isize, len: isize) -> Terms;
    /// The line at an index of every outer axis.
    fn line(&self, outer: [usize; OUTER]) -> Self::Line<'_>;
}

/// An array that a kernel writes line by line along the last axis.
trait FieldMut {
    /// Its lines.
    type Line<'a>: Target
    where
        Self: 'a;
    /// Number of positions along an axis.
    fn len(&self, axis: usize) -> usize;
    /// Frame position of index 0 along every axis.
    const START: isize;
    /// What stands at `index` along an axis, inside or not.
    fn extended(index: isize, len: isize) -> Terms;
    /// The line at an index of every outer axis.
    fn line(&mut self, outer: [usize; OUTER]) -> Self::Line<'_>;
}

/// The signal of a level.
struct SignalField<'a, D> {
    data: D,
    axes: &'a [Axis; AXES],
}

/// The bands of a level.
struct BandField<'a, D> {
    bands: [D; CHANNELS],
    axes: &'a [Axis; AXES],
}

/// Number of a signal's line.
fn signal_line(axes: &[Axis; AXES], outer: [usize; OUTER]) -> usize {
    let mut line = 0;
    for (axis, index) in axes.iter().zip(outer) {
        line = line * axis.signal + index;
    }
    line
}

/// The first of the two channels that interleaved indices belong to, and the number of its line.
fn band_line(axes: &[Axis; AXES], outer: [usize; OUTER]) -> (usize, usize) {
    let (mut channel, mut line) = (0, 0);
    for (axis, index) in axes.iter().zip(outer) {
        let len = if index % 2 == 0 { axis.low } else { axis.high };
        channel = 2 * channel + index % 2;
        line = line * len + index / 2;
    }
    (2 * channel, line)
}

impl Field for SignalField<'_, &[Sample]> {
    type Line<'a>
        = Signal<&'a [Sample]>
    where
        Self: 'a;
    const START: isize = START;
    fn len(&self, axis: usize) -> usize {
        self.axes[axis].signal
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn line(&self, outer: [usize; OUTER]) -> Self::Line<'_> {
        let len = self.axes[OUTER].signal;
        let data = &self.data[signal_line(self.axes, outer) * len..][..len];
        Signal(data)
    }
}

impl FieldMut for SignalField<'_, &mut [Sample]> {
    type Line<'a>
        = Signal<&'a mut [Sample]>
    where
        Self: 'a;
    const START: isize = START;
    fn len(&self, axis: usize) -> usize {
        self.axes[axis].signal
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn line(&mut self, outer: [usize; OUTER]) -> Self::Line<'_> {
        let len = self.axes[OUTER].signal;
        let data = &mut self.data[signal_line(self.axes, outer) * len..][..len];
        Signal(data)
    }
}

impl Field for BandField<'_, &[Sample]> {
    type Line<'a>
        = Bands<&'a [Sample]>
    where
        Self: 'a;
    const START: isize = 0;
    fn len(&self, axis: usize) -> usize {
        self.axes[axis].low + self.axes[axis].high
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn line(&self, outer: [usize; OUTER]) -> Self::Line<'_> {
        let (channel, line) = band_line(self.axes, outer);
        let Axis { low, high, .. } = self.axes[OUTER];
        Bands {
            low: &self.bands[channel][line * low..][..low],
            high: &self.bands[channel + 1][line * high..][..high],
        }
    }
}

impl FieldMut for BandField<'_, &mut [Sample]> {
    type Line<'a>
        = Bands<&'a mut [Sample]>
    where
        Self: 'a;
    const START: isize = 0;
    fn len(&self, axis: usize) -> usize {
        self.axes[axis].low + self.axes[axis].high
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn line(&mut self, outer: [usize; OUTER]) -> Self::Line<'_> {
        let (channel, line) = band_line(self.axes, outer);
        let Axis { low, high, .. } = self.axes[OUTER];
        let (first, second) = self.bands.split_at_mut(channel + 1);
        Bands {
            low: &mut first[channel][line * low..][..low],
            high: &mut second[0][line * high..][..high],
        }
    }
}
