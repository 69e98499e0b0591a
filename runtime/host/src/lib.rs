//! Runs kernels on the CPU: all levels of a transform, fused as far as that saves memory, with vectors
//! chosen when they run.
//!
//! This is what plans of the package `waveloom` run on, and no interface of its own: it is compiled once,
//! for every element type and instruction set, whatever is built on it.
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
//! | `operations` | the operations on them, for every element type |
//! | `element` | the element types |
//! | `machine` | what is known of the machine |
//! | `seam` | stores that go past the caches |

mod absorb;
mod ahead;
mod chained;
mod edges;
mod element;
mod ends;
mod filter;
mod level;
mod levels;
mod line;
mod machine;
mod nest;
mod operations;
mod passes;
mod program;
mod rows;
mod seam;
mod shuffle;
mod sweep;
mod sweeping;
mod tile;

pub use element::Element;
pub use filter::THREAD_BYTES;
pub use level::{Level, Programs};
pub use levels::{LevelBands, Levels, Prepared, Storage, far_bytes};
pub use rows::vectorised;

/// Channels of three axes.
pub const MOST_CHANNELS: usize = 8;
