impl Flows for Part<'_> {
    type Pairs<'a>
        = Joined<&'a [Sample]>
    where
        Self: 'a;
    fn flow(&self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Joined(self.pairs(first, pairs))
    }
}

impl Flows for Parts<'_> {
    type Pairs<'a>
        = Apart<&'a [Sample]>
    where
        Self: 'a;
    fn flow(&self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Apart(self.planes(first, pairs).unwrap_or_default())
    }
}

impl FlowsMut for Made<'_> {
    type Pairs<'a>
        = Joined<&'a mut [Sample]>
    where
        Self: 'a;
    fn flow(&mut self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Joined(self.pairs(first, pairs))
    }
}

impl FlowsMut for Split<'_> {
    type Pairs<'a>
        = Apart<&'a mut [Sample]>
    where
        Self: 'a;
    fn flow(&mut self, first: isize, pairs: usize) -> Self::Pairs<'_> {
        Apart(self.planes(first, pairs).unwrap_or_default())
    }
}
