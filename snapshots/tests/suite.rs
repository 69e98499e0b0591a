//! The suite finds what is wrong: backends with one fault each.

use std::collections::BTreeSet;
use std::sync::Arc;
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::conformance::{
    Backend, Case, Check, Prepared, ReferenceBackend, Report, Samples, Transform, run,
};
use waveloom_wavelets::{Mode, catalogue};

/// What is wrong with a backend.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// One value of a result is off by this.
    Off(f64),
    /// The inverse is passed off as the adjoint.
    InverseAsAdjoint,
    /// The signal is extended by zeros, whatever the mode.
    ZeroExtension,
    /// A result has one value more than it should.
    Longer,
    /// Everything is refused.
    Refuses,
    /// Nothing is refused.
    Accepts,
    /// Everything is skipped.
    Skips,
}

/// The reference with a fault.
struct Faulty(Fault);

impl Backend for Faulty {
    fn name(&self) -> String {
        format!("{:?}", self.0)
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        let computed = match self.0 {
            Fault::Refuses => return Prepared::Refused("no".to_owned()),
            Fault::Skips => return Prepared::Skipped("not today".to_owned()),
            Fault::ZeroExtension | Fault::Accepts => Case { mode: Mode::Zero, ..case.clone() },
            _ => case.clone(),
        };
        match ReferenceBackend.prepare(&computed) {
            Prepared::Ready(_) => {
                Prepared::Ready(Box::new(FaultyTransform { case: computed, fault: self.0 }))
            }
            Prepared::Refused(reason) => Prepared::Refused(reason),
            Prepared::Skipped(reason) => Prepared::Skipped(reason),
        }
    }
}

struct FaultyTransform {
    case: Case,
    fault: Fault,
}

impl Transform for FaultyTransform {
    fn operations(&self) -> &[Operation] {
        if self.case.element.is_integer() { &Operation::ALL[..2] } else { &Operation::ALL }
    }

    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        let operation = match (self.fault, operation) {
            (Fault::InverseAsAdjoint, Operation::AdjointForward) => Operation::Inverse,
            (Fault::InverseAsAdjoint, Operation::AdjointInverse) => Operation::Forward,
            (_, operation) => operation,
        };
        let Prepared::Ready(mut reference) = ReferenceBackend.prepare(&self.case) else {
            return Err("the reference refuses".to_owned());
        };
        let output = reference.run(operation, input)?;
        let mut values = output.to_f64();
        match self.fault {
            Fault::Off(by) => {
                if let Some(value) = values.last_mut() {
                    *value += by;
                }
            }
            Fault::Longer => values.push(0.0),
            _ => return Ok(output),
        }
        Ok(Samples::from_f64(output.element(), &values))
    }
}

fn found(fault: Fault, wavelet: &str, mode: Mode) -> (BTreeSet<Check>, Report) {
    let wavelet = Arc::new(catalogue::wavelet(wavelet).unwrap());
    let report = run(&Faulty(fault), [Case::new(&wavelet, &[16], mode)]);
    (report.failures.iter().map(|failure| failure.check).collect(), report)
}

#[test]
fn a_wrong_value_is_found_in_every_operation() {
    let (checks, report) = found(Fault::Off(1e-9), "db4", Mode::Symmetric);
    for check in [
        Check::Forward,
        Check::Inverse,
        Check::AdjointForward,
        Check::AdjointInverse,
        Check::RoundTrip,
        Check::Linearity,
        Check::Impulse,
        Check::Pairing,
        Check::InversePairing,
    ] {
        assert!(checks.contains(&check), "{check:?} in {report}");
    }
    let (checks, _) = found(Fault::Off(1e-9), "db4", Mode::Periodization);
    for check in [Check::Shift, Check::Parseval, Check::ReverseRoundTrip] {
        assert!(checks.contains(&check), "{check:?}");
    }
    let (checks, _) = found(Fault::Off(1e-15), "db4", Mode::Symmetric);
    assert!(checks.is_empty(), "rounding is no fault: {checks:?}");
}

#[test]
fn an_integer_that_is_off_by_one_is_found() {
    let wavelet = Arc::new(catalogue::wavelet("rev53").unwrap());
    let case = Case::new(&wavelet, &[16], Mode::Jpeg2000).element(Element::I32);
    let report = run(&Faulty(Fault::Off(1.0)), [case]);
    let checks: BTreeSet<Check> = report.failures.iter().map(|failure| failure.check).collect();
    assert!(checks.contains(&Check::Forward) && checks.contains(&Check::RoundTrip), "{report}");
}

#[test]
fn the_inverse_is_no_adjoint() {
    let (checks, _) = found(Fault::InverseAsAdjoint, "bior4.4", Mode::Periodization);
    let expected =
        [Check::AdjointForward, Check::AdjointInverse, Check::Pairing, Check::InversePairing];
    assert_eq!(checks, BTreeSet::from(expected));
    let (checks, _) = found(Fault::InverseAsAdjoint, "db4", Mode::Periodization);
    assert!(checks.is_empty(), "for an orthogonal wavelet it is one: {checks:?}");
}

#[test]
fn a_wrong_extension_is_found() {
    let (checks, _) = found(Fault::ZeroExtension, "db4", Mode::Symmetric);
    let expected = [Check::Forward, Check::AdjointForward];
    assert!(expected.iter().all(|check| checks.contains(check)), "{checks:?}");
}

#[test]
fn wrong_lengths_are_found() {
    let (checks, _) = found(Fault::Longer, "haar", Mode::Zero);
    assert!(checks.contains(&Check::Forward) && checks.contains(&Check::Inverse), "{checks:?}");
}

#[test]
fn refusals_are_judged() {
    let (checks, _) = found(Fault::Refuses, "haar", Mode::Symmetric);
    assert_eq!(checks, BTreeSet::from([Check::Refusal]));
    let haar = Arc::new(catalogue::wavelet("haar").unwrap());
    let illegal = Case::new(&haar, &[1], Mode::Reflect);
    let report = run(&Faulty(Fault::Refuses), [illegal.clone()]);
    assert!(report.verdict().is_ok(), "{report}");
    let report = run(&Faulty(Fault::Accepts), [illegal]);
    assert_eq!(report.failures.len(), 1, "{report}");
    assert_eq!(report.failures[0].check, Check::Refusal);
}

#[test]
fn skips_are_counted_and_skipping_everything_is_a_failure() {
    let (checks, report) = found(Fault::Skips, "haar", Mode::Symmetric);
    assert!(checks.is_empty());
    assert_eq!(report.skipped.get("not today"), Some(&1));
    assert!(report.verdict().is_err());
    assert!(report.to_string().contains("skipped 1: not today"), "{report}");
}
