/// Lengths of one axis at one level: the signal's and its bands'.
#[derive(Clone, Copy, Debug)]
struct Axis {
    signal: usize,
    low: usize,
    high: usize,
}

impl Axis {
    /// No samples.
    const EMPTY: Self = Self { signal: 0, low: 0, high: 0 };

    /// The length of the band with the given letter (`d` if `high`).
    fn band(&self, high: bool) -> usize {
        if high { self.high } else { self.low }
    }
}

/// `Π lengths`, unless it overflows.
fn product(lengths: impl IntoIterator<Item = usize>) -> Option<usize> {
    lengths.into_iter().try_fold(1_usize, usize::checked_mul)
}

/// Shape of a channel of a level.
fn band_shape(axes: &[Axis; AXES], channel: usize) -> [usize; AXES] {
    core::array::from_fn(|axis| axes[axis].band((channel >> (AXES - 1 - axis)) & 1 == 1))
}

/// Memory for samples.
pub trait Memory: Default + core::ops::DerefMut<Target = [Sample]> {}

impl<M: Default + core::ops::DerefMut<Target = [Sample]>> Memory for M {}

/// Where memory comes from.
pub trait Supply {
    /// What it gives.
    type Memory: Memory;
    /// Memory for that many samples, unless the number overflowed.
    fn take(&mut self, len: Option<usize>) -> Result<Self::Memory, Error>;
}

/// The geometry of all levels, finest first.
fn geometry(shape: [usize; AXES]) -> Result<[[Axis; AXES]; LEVELS], Error> {
    let mut levels = [[Axis::EMPTY; AXES]; LEVELS];
    let mut current = shape;
    for (index, axes) in levels.iter_mut().enumerate() {
        for (axis, len) in current.iter_mut().enumerate() {
            axes[axis] = axis_of(*len).map_err(|reason| Error::Axis {
                axis,
                level: index + 1,
                len: *len,
                reason,
            })?;
            *len = axes[axis].low;
        }
    }
    Ok(levels)
}

/// Cuts the details of one level out of the end of the coefficients: what is left, and one slice per
/// channel but the first.
fn split_details<'a>(
    axes: &[Axis; AXES],
    coefficients: &'a mut [Sample],
) -> (&'a mut [Sample], [&'a mut [Sample]; CHANNELS]) {
    let lens: [usize; CHANNELS] =
        core::array::from_fn(|channel| band_shape(axes, channel).iter().product());
    let details: usize = lens[1..].iter().sum();
    let (rest, mut tail) = coefficients.split_at_mut(coefficients.len() - details);
    let bands = core::array::from_fn(|channel| {
        let len = if channel == 0 { 0 } else { lens[channel] };
        let (band, others) = core::mem::take(&mut tail).split_at_mut(len);
        tail = others;
        band
    });
    (rest, bands)
}

/// The same for coefficients that are read.
fn details<'a>(
    axes: &[Axis; AXES],
    coefficients: &'a [Sample],
) -> (&'a [Sample], [&'a [Sample]; CHANNELS]) {
    let lens: [usize; CHANNELS] =
        core::array::from_fn(|channel| band_shape(axes, channel).iter().product());
    let details: usize = lens[1..].iter().sum();
    let (rest, mut tail) = coefficients.split_at(coefficients.len() - details);
    let bands = core::array::from_fn(|channel| {
        let len = if channel == 0 { 0 } else { lens[channel] };
        let (band, others) = tail.split_at(len);
        tail = others;
        band
    });
    (rest, bands)
}

/// All bands and their length together.
fn bands_of(
    shape: [usize; AXES],
    levels: &[[Axis; AXES]; LEVELS],
) -> Result<([Band; BANDS], usize), Error> {
    let mut bands = [Band { key: "", level: 0, shape: [0; AXES], offset: 0, len: 0 }; BANDS];
    let mut offset = 0_usize;
    for (band, (key, level, channel)) in bands.iter_mut().zip(KEYS) {
        let shape = match level.checked_sub(1).and_then(|index| levels.get(index)) {
            Some(axes) => band_shape(axes, channel),
            None => shape,
        };
        let len = product(shape).ok_or(Error::TooLarge)?;
        *band = Band { key, level, shape, offset, len };
        offset = offset.checked_add(len).ok_or(Error::TooLarge)?;
    }
    Ok((bands, offset))
}

/// Whether any of some samples is larger than a bound, if there is one.
fn beyond(samples: &[Sample], bound: Option<Sample>) -> bool {
    // All of them, by vectors.
    let any = |bound: Sample| {
        samples.iter().fold(false, |any, x| any | !(-bound..=bound).contains(x))
    };
    bound.is_some_and(any)
}

/// A transform of arrays of one shape, with all its memory.
pub struct Transform<M> {
    pub shape: [usize; AXES],
    pub bands: [Band; BANDS],
    pub signal_len: usize,
    pub coefficient_len: usize,
    levels: [[Axis; AXES]; LEVELS],
    approximations: [M; 2],
    work: Memories<M>,
}

impl<M> core::fmt::Debug for Transform<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Transform").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl<M: Memory> Transform<M> {
    pub fn new(
        shape: [usize; AXES],
        supply: &mut impl Supply<Memory = M>,
    ) -> Result<Self, Error> {
        let signal_len = product(shape).ok_or(Error::TooLarge)?;
        let levels = geometry(shape)?;
        let (bands, coefficient_len) = bands_of(shape, &levels)?;
        let mut longest = 0;
        for axes in levels.get(1..).unwrap_or(&[]) {
            let len = product(axes.iter().map(|axis| axis.signal));
            longest = longest.max(len.ok_or(Error::TooLarge)?);
        }
        let approximations = [supply.take(Some(longest))?, supply.take(Some(longest))?];
        let work = Memories::new(&levels, supply)?;
        Ok(Self { shape, bands, signal_len, coefficient_len, levels, approximations, work })
    }

    fn check(&self, signal: usize, coefficients: usize) -> Result<(), Error> {
        if signal != self.signal_len {
            return Err(Error::SignalLength { expected: self.signal_len, got: signal });
        }
        if coefficients != self.coefficient_len {
            let expected = self.coefficient_len;
            return Err(Error::CoefficientLength { expected, got: coefficients });
        }
        Ok(())
    }
}
