//! Running kernels on the CPU.
//!
//! | file | what |
//! |---|---|
//! | `program` | a kernel as a list of row operations on buffers |
//! | `rows` | the inner loops |
//! | `ends` | what stands behind a plane's position: an element, or an extension of several |
//! | `tile` | one pass over arrays: load, operate, store |
//! | `level` | one level: a pass per axis, or one over all axes |
//! | `levels` | all levels of an operation |

mod ends;
mod level;
mod levels;
mod program;
pub(crate) mod rows;
mod tile;

pub(crate) use level::{Level, Programs};
pub(crate) use levels::{LevelBands, Levels, Storage};

/// Channels of three axes.
pub(crate) const MOST_CHANNELS: usize = 8;
