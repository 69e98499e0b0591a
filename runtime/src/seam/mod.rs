//! What the compiler cannot check. All `unsafe` of the product is in this folder, every block with its
//! reason; the rest is safe code on top of these functions.
//!
//! | file | what |
//! |---|---|
//! | `launch` | CUDA's libraries, NVRTC's C interface, page-locked memory, launches |
//! | `past` | stores that go past the caches |
#![allow(unsafe_code)]

pub(crate) mod launch;
pub(crate) mod past;
