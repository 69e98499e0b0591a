//! Runs cases on a backend: every operation against the reference, then the laws.

use super::bounds::tolerance;
use super::compare::compare;
use super::{
    Backend, Case, Check, Layout, Prepared, ReferenceBackend, Report, Samples, Stream, Transform,
    laws,
};
use crate::skipped::content_byte;
use waveloom_codegen::kernel::{Element, Operation};

/// Runs `cases` on `backend`. Inputs follow from the text of each case, so that a case fails
/// alone as it fails in a list.
pub fn run(backend: &dyn Backend, cases: impl IntoIterator<Item = Case>) -> Report {
    let mut report = Report::new(backend.name());
    for case in cases {
        run_case(backend, &case, &mut report);
    }
    report
}

/// Runs one case and adds what was found to `report`.
pub fn run_case(backend: &dyn Backend, case: &Case, report: &mut Report) {
    let text = case.to_string();
    match (backend.prepare(case), case.legality()) {
        (Prepared::Skipped(reason), _) => report.skip(reason),
        (Prepared::Refused(_), Err(_)) => {
            report.run += 1;
            report.record(&text, Check::Refusal, Ok(0.0));
        }
        (Prepared::Refused(reason), Ok(())) => {
            report.record(
                &text,
                Check::Refusal,
                Err(format!("a legal case was refused: {reason}")),
            );
        }
        (Prepared::Ready(_), Err(reason)) => {
            let message = format!("an illegal case was accepted ({reason})");
            report.record(&text, Check::Refusal, Err(message));
        }
        (Prepared::Ready(subject), Ok(())) => {
            report.run += 1;
            match Trial::new(case, &text, subject) {
                Ok(trial) => {
                    let law = backend.spares_laws().then(|| content_byte(&text));
                    for (check, outcome) in trial.run(law) {
                        report.record(&text, check, outcome);
                    }
                }
                Err(message) => report.record(&text, Check::Refusal, Err(message)),
            }
        }
    }
}

/// A case on its way through the checks.
pub(super) struct Trial<'a> {
    pub(super) case: &'a Case,
    pub(super) layout: Layout,
    pub(super) stream: Stream,
    pub(super) subject: Box<dyn Transform + 'a>,
    oracle: Box<dyn Transform>,
    outcomes: Vec<(Check, Result<f64, String>)>,
}

impl<'a> Trial<'a> {
    fn new(case: &'a Case, text: &str, subject: Box<dyn Transform + 'a>) -> Result<Self, String> {
        let layout = Layout::of(case).map_err(|error| error.to_string())?;
        let Prepared::Ready(oracle) = ReferenceBackend.prepare(&widened(case)) else {
            return Err("the reference does not know this case".to_owned());
        };
        let stream = Stream::for_text(text);
        Ok(Self { case, layout, stream, subject, oracle, outcomes: Vec::new() })
    }

    fn run(mut self, law: Option<u8>) -> Vec<(Check, Result<f64, String>)> {
        for operation in self.subject.operations().to_vec() {
            let check = match operation {
                Operation::Forward => Check::Forward,
                Operation::Inverse => Check::Inverse,
                Operation::AdjointForward => Check::AdjointForward,
                Operation::AdjointInverse => Check::AdjointInverse,
            };
            let outcome = self.against_reference(operation);
            self.record(check, outcome);
        }
        laws::run(&mut self, law);
        self.outcomes
    }

    /// An arbitrary input of the operation.
    pub(super) fn arbitrary(&mut self, operation: Operation) -> Samples {
        let (len, most) = match operation {
            Operation::Forward => (self.case.signal_len(), self.subject.max_input()),
            Operation::AdjointInverse => (self.case.signal_len(), None),
            Operation::Inverse | Operation::AdjointForward => (self.layout.len, None),
        };
        self.stream.samples(self.case.element, len, most)
    }

    /// What the reference makes of an input, in the case's element type.
    pub(super) fn expected(
        &mut self,
        operation: Operation,
        input: &Samples,
    ) -> Result<Samples, String> {
        let wide = widened(self.case).element;
        let output = self.oracle.run(operation, &input.converted(wide))?;
        Ok(output.converted(self.case.element))
    }

    fn against_reference(&mut self, operation: Operation) -> Result<f64, String> {
        let input = self.arbitrary(operation);
        let expected = self.expected(operation, &input)?;
        let got = self.subject.run(operation, &input)?;
        compare(&expected, &got, tolerance(self.case, operation, &input, &expected))
    }

    pub(super) fn record(&mut self, check: Check, outcome: Result<f64, String>) {
        self.outcomes.push((check, outcome));
    }
}

/// The case in the element type in which the reference computes it.
fn widened(case: &Case) -> Case {
    let wide = if case.element.is_integer() { Element::I64 } else { Element::F64 };
    case.clone().element(wide)
}
