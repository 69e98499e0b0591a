//! The threads of a plan.

use crate::error::PlanError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use waveloom_host::THREAD_BYTES;

/// How many threads a transform may use at most. Results do not depend on it: every output is the
/// same sum, whoever computes it. Convolutions are divided along their first axis, wherever a thread
/// gets a quarter of a megabyte; other schemes run on the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// One for small arrays, as many as the machine has for large ones: those of the rayon pool that
    /// the plan is made in.
    #[default]
    Auto,
    /// The calling thread alone.
    Single,
    /// This many, in a pool of the plan's own.
    Count(usize),
}

impl From<usize> for Threads {
    fn from(count: usize) -> Self {
        if count == 1 { Threads::Single } else { Threads::Count(count) }
    }
}

/// Parts per thread.
const PARTS: usize = 4;

/// Who does the work.
#[derive(Clone, Debug)]
pub(super) struct Team {
    threads: usize,
    /// A pool of its own, if so many threads were asked for.
    pool: Option<Arc<ThreadPool>>,
}

impl Team {
    /// # Errors
    /// No threads at all, and pools that the system refuses.
    pub(super) fn new(threads: Threads) -> Result<Self, PlanError> {
        let refused = |count: usize, reason: String| PlanError::Threads { count, reason };
        match threads {
            Threads::Auto => Ok(Self { threads: rayon::current_num_threads(), pool: None }),
            Threads::Single | Threads::Count(1) => Ok(Self { threads: 1, pool: None }),
            Threads::Count(0) => Err(refused(0, "a transform needs one".to_owned())),
            Threads::Count(count) => {
                let pool = ThreadPoolBuilder::new().num_threads(count).build();
                let pool = pool.map_err(|error| refused(count, error.to_string()))?;
                // A pool has fewer threads than were asked for, if those are too many for it.
                Ok(Self { threads: pool.current_num_threads(), pool: Some(Arc::new(pool)) })
            }
        }
    }

    /// Parts that large work is divided into: several for each thread, so that one that is held up
    /// does not hold up the others.
    pub(super) fn parts(&self) -> usize {
        if self.threads > 1 { self.threads.saturating_mul(PARTS) } else { 1 }
    }

    /// Does work on a signal of so many bytes among its threads.
    pub(super) fn run(&self, bytes: usize, work: impl FnOnce() + Send) {
        match &self.pool {
            Some(pool) if bytes >= 2 * THREAD_BYTES => pool.install(work),
            _ => work(),
        }
    }
}
