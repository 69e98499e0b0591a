//! Operation counts, cuts and reach.

/// How far a scheme reads around an output pair, per axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Smallest and largest exponent per axis.
    pub axes: [(i32, i32); crate::algebra::MAX_AXES],
}

/// Arithmetic of a scheme per output pair (quad, octet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Terms by the rule of Barina et al.
    pub terms: usize,
    /// Additions.
    pub additions: usize,
    /// Multiplications.
    pub multiplications: usize,
}
