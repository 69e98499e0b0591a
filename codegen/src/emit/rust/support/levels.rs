impl<M: Memory> Transform<M> {
    /// All levels, finest first: signal to coefficients. Whether a sample is larger than `bound`, which
    /// makes the coefficients worthless.
    pub fn analyse<K: Level>(
        &mut self,
        signal: &[Sample],
        coefficients: &mut [Sample],
        bound: Option<Sample>,
    ) -> Result<bool, Error> {
        self.check(signal.len(), coefficients.len())?;
        let mut large = false;
        let mut rest = coefficients;
        let [mut input, mut output] = self.approximations.each_mut();
        for (index, axes) in self.levels.iter().enumerate() {
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
            let bound = if index == 0 { bound } else { None };
            large |= analyse_level::<K>(&mut self.work, axes, source, bands, bound);
            core::mem::swap(&mut input, &mut output);
        }
        if LEVELS == 0 {
            rest.copy_from_slice(signal);
            large = beyond(signal, bound);
        }
        Ok(large)
    }

    /// All levels, coarsest first: coefficients to signal.
    pub fn synthesise<K: Level>(
        &mut self,
        coefficients: &[Sample],
        signal: &mut [Sample],
    ) -> Result<(), Error> {
        self.check(signal.len(), coefficients.len())?;
        let mut blocks = [[&coefficients[..0]; CHANNELS]; LEVELS];
        let mut rest = coefficients;
        for (block, axes) in blocks.iter_mut().zip(&self.levels) {
            (rest, *block) = details(axes, rest);
        }
        let [mut input, mut output] = self.approximations.each_mut();
        for (index, (mut bands, axes)) in blocks.into_iter().zip(&self.levels).enumerate().rev() {
            let low: usize = band_shape(axes, 0).iter().product();
            bands[0] = if index + 1 == LEVELS { rest } else { &input[..low] };
            if index == 0 {
                synthesise_level::<K>(&mut self.work, axes, bands, signal);
            } else {
                let len: usize = axes.iter().map(|axis| axis.signal).product();
                synthesise_level::<K>(&mut self.work, axes, bands, &mut output[..len]);
            }
            core::mem::swap(&mut input, &mut output);
        }
        if LEVELS == 0 {
            signal.copy_from_slice(rest);
        }
        Ok(())
    }
}
