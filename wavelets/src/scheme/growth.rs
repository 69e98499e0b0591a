//! Proved growth of integer transforms.

/// A proved bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {}
