//! Running kernels on the CPU.
//!
//! | file | what |
//! |---|---|
//! | `ahead` | memory that will be needed |
//! | `absorb` | gains moved into the coefficients around them |
//! | `program` | a kernel as a list of row operations on buffers |
//! | `sweep` | a one-dimensional kernel as a rolling window of lines |
//! | `rows`, `shuffle` | the inner loops |
//! | `ends`, `edges` | what stands behind a plane's position: an element, or an extension |
//! | `chained` | the middle of such lines, through a chain of updates |
//! | `line` | lines along an axis whose neighbours are adjacent in memory |
//! | `sweeping` | an axis with many lanes |
//! | `nest` | all axes of a level in one go |
//! | `passes` | one axis after the other |
//! | `tile` | a kernel of several axes, tile by tile |
//! | `level`, `levels` | one level, all levels |

mod absorb;
mod ahead;
mod chained;
mod edges;
mod ends;
pub(crate) mod filter;
mod level;
mod levels;
mod line;
mod nest;
mod passes;
mod program;
pub(crate) mod rows;
mod shuffle;
mod sweep;
mod sweeping;
mod tile;

pub(crate) use filter::THREAD_BYTES;
pub(crate) use level::{Level, Programs};
pub(crate) use levels::{FAR_BYTES, LevelBands, Levels, Prepared, Storage};
pub(crate) use rows::vectorised;

/// Channels of three axes.
pub(crate) const MOST_CHANNELS: usize = 8;
