//! The host executor against the reference, the laws and the stored data.

use waveloom_snapshots::conformance::{Backend, Breadth, HostBackend, lists, run, run_fixtures};
use waveloom_snapshots::fixtures::Fixtures;

#[test]
fn the_host_executor_conforms() {
    let breadth = Breadth::from_environment().unwrap();
    let report = run(&HostBackend, lists::cases(breadth, &HostBackend.tile_lengths()).unwrap());
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn every_wavelet_in_every_scheme_keeps_its_bounds() {
    let report = run(&HostBackend, lists::catalogue().unwrap());
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn the_host_executor_agrees_with_stored_data() {
    let report = run_fixtures(&HostBackend, &Fixtures::open().unwrap()).unwrap();
    println!("{report}");
    report.verdict().unwrap();
}
