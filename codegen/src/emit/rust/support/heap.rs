/// Memory that is allocated.
pub struct Heap;

impl Supply for Heap {
    type Memory = Vec<Sample>;
    fn take(&mut self, len: Option<usize>) -> Result<Vec<Sample>, Error> {
        zeros(len)
    }
}

/// That many zeros.
fn zeros(len: Option<usize>) -> Result<Vec<Sample>, Error> {
    let len = len.ok_or(Error::TooLarge)?;
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| Error::TooLarge)?;
    values.resize(len, ZERO);
    Ok(values)
}
