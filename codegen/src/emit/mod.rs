//! Writers: from kernels and graphs to source text.
//!
//! Writers only write; every decision is made before. What all of them share lives here: one maker of
//! [`names`], one function that rounds [`literals`](literal), one [`header`]. Equal requests give
//! equal bytes.

pub mod cuda;
pub mod header;
pub mod literal;
pub mod names;
pub mod rust;
