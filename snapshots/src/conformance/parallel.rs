//! The suite on several threads, for backends that may be shared.

use super::{Backend, Case, Check, Failure, Report, run_case};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is known while cases run.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Cases begun so far, this one included.
    pub begun: usize,
    /// All cases.
    pub total: usize,
    /// The case that was just done.
    pub case: &'a Case,
    /// What failed of it.
    pub failures: &'a [Failure],
}

/// Runs cases on `threads` threads. After each, `go_on` is told and decides whether more are begun.
/// A panic is a failure of its case.
pub fn run_parallel<B: Backend + Sync>(
    backend: &B,
    cases: &[Case],
    threads: usize,
    go_on: impl Fn(Progress<'_>) -> bool + Sync,
) -> Report {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut report = Report::new(backend.name());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { return report };
            let mut own = Report::new(String::new());
            let run = catch_unwind(AssertUnwindSafe(|| run_case(backend, case, &mut own)));
            if run.is_err() {
                own.record(&case.to_string(), Check::Refusal, Err("panicked".to_owned()));
            }
            let (begun, total) = (index + 1, cases.len());
            let go_on = go_on(Progress { begun, total, case, failures: &own.failures });
            report.merge(own);
            if !go_on {
                next.store(cases.len(), Ordering::Relaxed);
            }
        }
    };
    let mut whole = Report::new(backend.name());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            // Panics were caught above.
            if let Ok(report) = worker.join() {
                whole.merge(report);
            }
        }
    });
    whole.failures.sort_by(|a, b| (&a.case, a.check).cmp(&(&b.case, b.check)));
    whole
}

/// Runs cases on all processors.
pub fn run_everywhere<B: Backend + Sync>(backend: &B, cases: &[Case]) -> Report {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run_parallel(backend, cases, threads, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{HostBackend, run};
    use std::sync::Arc;
    use waveloom_wavelets::{Mode, catalogue};

    #[test]
    fn threads_find_what_one_finds() {
        let wavelet = Arc::new(catalogue::wavelet("db2").unwrap());
        let cases: Vec<Case> =
            (1..20).map(|len| Case::new(&wavelet, &[len], Mode::Symmetric)).collect();
        let one = run(&HostBackend, cases.clone());
        let many = run_parallel(&HostBackend, &cases, 3, |progress| progress.begun <= 19);
        assert_eq!((one.run, &one.failures), (many.run, &many.failures));
        for (check, found) in &one.checks {
            let other = &many.checks[check];
            assert_eq!((found.runs, found.worst), (other.runs, other.worst), "{check:?}");
        }
        let stopped = run_parallel(&HostBackend, &cases, 1, |progress| progress.begun < 4);
        assert_eq!(stopped.run, 4);
    }
}
