//! The reference obeys the laws on which everything else is judged.

use waveloom_snapshots::conformance::{
    Breadth, ReferenceBackend, lists, run_everywhere, run_fixtures,
};
use waveloom_snapshots::fixtures::Fixtures;

#[test]
fn the_reference_obeys_the_laws() {
    let breadth = Breadth::from_environment().unwrap();
    let report = run_everywhere(&ReferenceBackend, &lists::cases(breadth, &[]).unwrap());
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn the_reference_agrees_with_stored_data() {
    let report = run_fixtures(&ReferenceBackend, &Fixtures::open().unwrap()).unwrap();
    println!("{report}");
    report.verdict().unwrap();
}
