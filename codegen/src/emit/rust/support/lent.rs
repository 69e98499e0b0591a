/// Memory that is cut from a slice.
pub struct Lent<'w>(pub &'w mut [Sample]);

impl<'w> Supply for Lent<'w> {
    type Memory = &'w mut [Sample];
    fn take(&mut self, len: Option<usize>) -> Result<&'w mut [Sample], Error> {
        let len = len.ok_or(Error::TooLarge)?;
        let (expected, got) = (len, self.0.len());
        let rest = core::mem::take(&mut self.0);
        let (taken, rest) =
            rest.split_at_mut_checked(len).ok_or(Error::MemoryLength { expected, got })?;
        self.0 = rest;
        Ok(taken)
    }
}

/// No memory: how much would be needed.
pub struct Needed(pub usize);

impl Supply for Needed {
    type Memory = &'static mut [Sample];
    fn take(&mut self, len: Option<usize>) -> Result<&'static mut [Sample], Error> {
        let all = len.and_then(|len| self.0.checked_add(len));
        self.0 = all.ok_or(Error::TooLarge)?;
        Ok(&mut [])
    }
}
