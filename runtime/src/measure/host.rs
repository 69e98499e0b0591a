//! Arrays of the host and the clock of the host.

use super::{sample, worst};
use crate::element::Element;
use crate::error::ExecuteError;
use crate::plan::{Plan, Workspace};
use std::hint::black_box;
use std::time::Instant;
use waveloom_codegen::kernel::{Operation, Side};

/// A plan with arrays of its own. A plan on a card is measured with the transfers to it and back.
#[derive(Debug)]
pub struct Host<T: Element> {
    plan: Plan<T>,
    workspace: Workspace<T>,
    signal: Vec<T>,
    coefficients: Vec<T>,
    back: Vec<T>,
}

impl<T: Element> Host<T> {
    /// Arrays of random values, transformed once.
    ///
    /// # Errors
    /// Those of [`Plan::forward`].
    pub fn new(plan: &Plan<T>) -> Result<Self, ExecuteError> {
        let signal: Vec<T> = (0..plan.signal_len()).map(sample).collect();
        let mut host = Self {
            workspace: plan.workspace(),
            coefficients: vec![T::default(); plan.coefficient_len()],
            back: signal.clone(),
            signal,
            plan: plan.clone(),
        };
        host.run(Operation::Forward, 1)?;
        Ok(host)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan<T> {
        &self.plan
    }

    /// Seconds of copies of the signal, on the calling thread.
    pub fn copy(&mut self, runs: usize) -> f64 {
        let begin = Instant::now();
        for _ in 0..runs {
            black_box(&mut self.back[..]).copy_from_slice(black_box(&self.signal));
        }
        begin.elapsed().as_secs_f64()
    }

    /// Seconds of runs of an operation.
    ///
    /// # Errors
    /// Those of [`Plan::execute`].
    pub fn run(&mut self, operation: Operation, runs: usize) -> Result<f64, ExecuteError> {
        let (input, output) = match operation.input() {
            Side::Signal => (&self.signal, &mut self.coefficients),
            Side::Bands => (&self.coefficients, &mut self.back),
        };
        let begin = Instant::now();
        for _ in 0..runs {
            self.plan.execute(operation, black_box(input), output, &mut self.workspace)?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    /// The largest difference between the signal and what comes back of it.
    ///
    /// # Errors
    /// Those of [`Plan::execute`].
    pub fn round_trip(&mut self) -> Result<f64, ExecuteError> {
        self.run(Operation::Forward, 1)?;
        self.run(Operation::Inverse, 1)?;
        Ok(worst(&self.back, &self.signal))
    }
}
