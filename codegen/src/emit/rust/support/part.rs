/// Runs of an approximation, or of the signal: the index of their first sample, and the samples.
#[derive(Clone, Copy)]
struct Part<'a> {
    len: usize,
    runs: [(usize, &'a [Sample]); 2],
}

impl<'a> Part<'a> {
    fn whole(values: &'a [Sample]) -> Self {
        Self::window(values.len(), 0, values)
    }

    fn window(len: usize, from: usize, values: &'a [Sample]) -> Self {
        Self { len, runs: [(from, values), (len, &[])] }
    }

    fn get(&self, index: usize, count: usize) -> &'a [Sample] {
        let (from, values) = self.runs[(index >= self.runs[1].0) as usize];
        &values[index - from..][..count]
    }
}

impl Source for Part<'_> {
    const START: isize = START;
    fn len(&self) -> usize {
        self.len
    }
    fn at(&self, index: usize) -> Sample {
        self.get(index, 1)[0]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
}

impl Blocks for Part<'_> {
    const LIES: bool = false;
    fn planes(&self, _: isize, _: usize) -> Option<[&[Sample]; 2]> {
        None
    }
    fn pairs(&self, first: isize, pairs: usize) -> &[Sample] {
        self.get((2 * first - START) as usize, 2 * pairs)
    }
}

/// An approximation and details that are read.
struct Parts<'a> {
    low: Part<'a>,
    high: &'a [Sample],
}

impl Source for Parts<'_> {
    const START: isize = 0;
    fn len(&self) -> usize {
        self.low.len + self.high.len()
    }
    fn at(&self, index: usize) -> Sample {
        if index % 2 == 0 { self.low.at(index / 2) } else { self.high[index / 2] }
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
}

impl Blocks for Parts<'_> {
    const LIES: bool = true;
    fn planes(&self, first: isize, pairs: usize) -> Option<[&[Sample]; 2]> {
        let first = first as usize;
        Some([self.low.get(first, pairs), &self.high[first..][..pairs]])
    }
    fn pairs(&self, _: isize, _: usize) -> &[Sample] {
        &[]
    }
}

/// A part of an approximation, or of the signal, that is written.
struct Made<'a> {
    len: usize,
    from: usize,
    values: &'a mut [Sample],
}

impl Target for Made<'_> {
    const START: isize = START;
    fn len(&self) -> usize {
        self.len
    }
    fn at(&mut self, index: usize) -> &mut Sample {
        &mut self.values[index - self.from]
    }
    fn extended(index: isize, len: isize) -> Terms {
        signal_extension(index, len)
    }
    fn copy(&mut self, index: usize, plane: &[Sample]) {
        Signal(&mut *self.values).copy(index - self.from, plane);
    }
}

impl BlocksMut for Made<'_> {
    fn planes(&mut self, _: isize, _: usize) -> Option<[&mut [Sample]; 2]> {
        None
    }
    fn pairs(&mut self, first: isize, pairs: usize) -> &mut [Sample] {
        &mut self.values[(2 * first - START) as usize - self.from..][..2 * pairs]
    }
}

/// A part of an approximation and details that are written.
struct Split<'a> {
    low: Made<'a>,
    high: &'a mut [Sample],
}

impl Target for Split<'_> {
    const START: isize = 0;
    fn len(&self) -> usize {
        self.low.len + self.high.len()
    }
    fn at(&mut self, index: usize) -> &mut Sample {
        if index % 2 == 0 { self.low.at(index / 2) } else { &mut self.high[index / 2] }
    }
    fn extended(index: isize, len: isize) -> Terms {
        band_extension(index, len)
    }
    fn copy(&mut self, index: usize, plane: &[Sample]) {
        let (band, from) = match index % 2 {
            0 => (&mut *self.low.values, index / 2 - self.low.from),
            _ => (&mut *self.high, index / 2),
        };
        band[from..][..plane.len()].copy_from_slice(plane);
    }
}

impl BlocksMut for Split<'_> {
    fn planes(&mut self, first: isize, pairs: usize) -> Option<[&mut [Sample]; 2]> {
        let first = first as usize;
        let low = &mut self.low.values[first - self.low.from..][..pairs];
        Some([low, &mut self.high[first..][..pairs]])
    }
    fn pairs(&mut self, _: isize, _: usize) -> &mut [Sample] {
        &mut []
    }
}
