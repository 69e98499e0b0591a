//! What a run of the suite found.

use std::collections::BTreeMap;
use std::fmt;

/// The things that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Forward equals the reference.
    Forward,
    /// Inverse of arbitrary coefficients equals the reference.
    Inverse,
    /// The adjoint of forward equals the reference.
    AdjointForward,
    /// The adjoint of inverse equals the reference.
    AdjointInverse,
    /// Inverse after forward is the identity.
    RoundTrip,
    /// Forward after inverse is the identity, where there are as many coefficients as samples.
    ReverseRoundTrip,
    /// `W(ax + by) = a Wx + b Wy`.
    Linearity,
    /// The response to an impulse is the filters' taps.
    Impulse,
    /// Shifting a periodic signal shifts its bands.
    Shift,
    /// `⟨Wx, y⟩ = ⟨x, W*y⟩`.
    Pairing,
    /// `⟨W⁻¹y, x⟩ = ⟨y, (W⁻¹)*x⟩`.
    InversePairing,
    /// Orthogonal, periodic: energy is kept.
    Parseval,
    /// Integers up to the proved bound do not overflow, others are refused.
    Range,
    /// An illegal case is refused.
    Refusal,
    /// The result equals the stored one.
    Fixture,
}

/// A broken check.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The case, as text.
    pub case: String,
    /// What was checked.
    pub check: Check,
    /// What was wrong.
    pub message: String,
}

/// How often a check ran, and how close it came to its bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistic {
    /// Number of runs.
    pub runs: usize,
    /// Largest error as a fraction of what is allowed.
    pub worst: f64,
    /// The case that had it.
    pub worst_case: String,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The backend's name.
    pub backend: String,
    /// Number of cases that ran.
    pub run: usize,
    /// Number of skipped cases by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Statistics of every check.
    pub checks: BTreeMap<Check, Statistic>,
    /// Everything that failed.
    pub failures: Vec<Failure>,
}

impl Report {
    /// An empty report.
    pub fn new(backend: String) -> Self {
        Self { backend, ..Self::default() }
    }

    /// Records the outcome of one check.
    pub fn record(&mut self, case: &str, check: Check, outcome: Result<f64, String>) {
        let statistic = self.checks.entry(check).or_default();
        statistic.runs += 1;
        match outcome {
            Ok(fraction) => {
                if fraction > statistic.worst || statistic.worst_case.is_empty() {
                    statistic.worst = fraction;
                    statistic.worst_case = case.to_owned();
                }
            }
            Err(message) => {
                self.failures.push(Failure { case: case.to_owned(), check, message });
            }
        }
    }

    /// Records a case that was left out.
    pub fn skip(&mut self, reason: String) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Adds what another report found.
    pub fn merge(&mut self, other: Report) {
        self.run += other.run;
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        for (check, found) in other.checks {
            let statistic = self.checks.entry(check).or_default();
            statistic.runs += found.runs;
            let known = (statistic.worst, &statistic.worst_case);
            let worse =
                found.worst > known.0 || (found.worst == known.0 && found.worst_case < *known.1);
            if !found.worst_case.is_empty() && (worse || known.1.is_empty()) {
                statistic.worst = found.worst;
                statistic.worst_case = found.worst_case;
            }
        }
        self.failures.extend(other.failures);
        self.failures.sort_by(|a, b| (&a.case, a.check).cmp(&(&b.case, b.check)));
    }

    /// `Err` with the whole report if anything failed or nothing ran.
    pub fn verdict(&self) -> Result<(), String> {
        if self.failures.is_empty() && self.run > 0 { Ok(()) } else { Err(self.to_string()) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: usize = self.skipped.values().sum();
        let failed = self.failures.len();
        let runs: usize = self.checks.values().map(|statistic| statistic.runs).sum();
        writeln!(
            f,
            "{}: {} cases run with {runs} checks, {skipped} skipped, {failed} checks failed",
            self.backend, self.run
        )?;
        for (reason, count) in &self.skipped {
            writeln!(f, "  skipped {count}: {reason}")?;
        }
        for (check, Statistic { runs, worst, worst_case }) in &self.checks {
            writeln!(f, "  {check:?}: {runs}, worst {worst:.3} of its bound ({worst_case})")?;
        }
        for Failure { case, check, message } in self.failures.iter().take(30) {
            writeln!(f, "  FAILED {case}: {check:?}: {message}")?;
        }
        if failed > 30 {
            writeln!(f, "  and {} more", failed - 30)?;
        }
        Ok(())
    }
}
