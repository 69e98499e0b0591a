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

/// That many zeros.
fn zeros(len: Option<usize>) -> Result<Vec<Sample>, Error> {
    let len = len.ok_or(Error::TooLarge)?;
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| Error::TooLarge)?;
    values.resize(len, ZERO);
    Ok(values)
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

/// All levels, finest first: signal to coefficients.
fn analyse<K: Kernel>(
    work: &mut Work,
    approximations: &mut [Vec<Sample>; 2],
    levels: &[[Axis; AXES]; LEVELS],
    signal: &[Sample],
    coefficients: &mut [Sample],
) {
    let mut rest = coefficients;
    let [mut input, mut output] = approximations.each_mut();
    for (index, axes) in levels.iter().enumerate() {
        let (left, mut bands) = split_details(axes, core::mem::take(&mut rest));
        let len = band_shape(axes, 0).iter().product();
        let source = if index == 0 {
            signal
        } else {
            let len: usize = axes.iter().map(|axis| axis.signal).product();
            &input[..len]
        };
        if index + 1 == LEVELS {
            bands[0] = left;
        } else {
            bands[0] = &mut output[..len];
            rest = left;
        }
        analyse_level::<K>(work, axes, source, bands);
        core::mem::swap(&mut input, &mut output);
    }
    if LEVELS == 0 {
        rest.copy_from_slice(signal);
    }
}

/// All levels, coarsest first: coefficients to signal.
fn synthesise<K: Kernel>(
    work: &mut Work,
    approximations: &mut [Vec<Sample>; 2],
    levels: &[[Axis; AXES]; LEVELS],
    coefficients: &[Sample],
    signal: &mut [Sample],
) {
    let mut blocks = [[&coefficients[..0]; CHANNELS]; LEVELS];
    let mut rest = coefficients;
    for (block, axes) in blocks.iter_mut().zip(levels) {
        (rest, *block) = details(axes, rest);
    }
    let [mut input, mut output] = approximations.each_mut();
    for (index, (mut bands, axes)) in blocks.into_iter().zip(levels).enumerate().rev() {
        let low: usize = band_shape(axes, 0).iter().product();
        bands[0] = if index + 1 == LEVELS { rest } else { &input[..low] };
        if index == 0 {
            synthesise_level::<K>(work, axes, bands, signal);
        } else {
            let len: usize = axes.iter().map(|axis| axis.signal).product();
            synthesise_level::<K>(work, axes, bands, &mut output[..len]);
        }
        core::mem::swap(&mut input, &mut output);
    }
    if LEVELS == 0 {
        signal.copy_from_slice(rest);
    }
}
