/// A view's extents.
fn shape_of(view: &View<'_>) -> [usize; AXES] {
    core::array::from_fn(|axis| view.len_of(ndarray::Axis(axis)))
}

/// An array of a shape; its values are as many as the shape says.
fn array(shape: [usize; AXES], values: Vec<Sample>) -> Result<Array, Error> {
    Array::from_shape_vec(shape, values).map_err(|_| Error::TooLarge)
}

impl Transform<Vec<Sample>> {
    pub fn empty_signal(&self) -> Result<Vec<Sample>, Error> {
        zeros(Some(self.signal_len))
    }

    pub fn empty_coefficients(&self) -> Result<Vec<Sample>, Error> {
        zeros(Some(self.coefficient_len))
    }

    /// A view's values in C order.
    pub fn signal_of(&self, view: &View<'_>) -> Result<Vec<Sample>, Error> {
        let got = shape_of(view);
        if got != self.shape {
            return Err(Error::SignalShape { expected: self.shape, got });
        }
        Ok(view.iter().copied().collect())
    }

    /// The values of all bands, one after the other.
    pub fn coefficients_of(&self, views: &[View<'_>]) -> Result<Vec<Sample>, Error> {
        if views.len() != BANDS {
            return Err(Error::BandCount { expected: BANDS, got: views.len() });
        }
        for (band, view) in self.bands.iter().zip(views) {
            let got = shape_of(view);
            if got != band.shape {
                let (key, expected) = (band.key, band.shape);
                return Err(Error::BandShape { key, expected, got });
            }
        }
        Ok(views.iter().flat_map(|view| view.iter().copied()).collect())
    }

    pub fn array_of(&self, signal: Vec<Sample>) -> Result<Array, Error> {
        array(self.shape, signal)
    }

    /// One array per band.
    pub fn arrays_of(&self, coefficients: &[Sample]) -> Result<Vec<Array>, Error> {
        let bands = self.bands.iter();
        bands.map(|b| array(b.shape, coefficients[b.offset..][..b.len].to_vec())).collect()
    }
}
