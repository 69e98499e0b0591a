//! `fuse`, `split_constant`, `invert`, `transpose`, `tensor`.
