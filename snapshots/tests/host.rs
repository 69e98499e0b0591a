//! The host executor against the reference, the laws and the stored data.

use std::sync::Arc;
use waveloom_snapshots::conformance::{
    Backend, Breadth, HostBackend, lists, run_everywhere, run_fixtures,
};
use waveloom_snapshots::fixtures::Fixtures;
use waveloom_snapshots::stages::curated;
use waveloom_wavelets::{Wavelet, catalogue};

#[test]
fn the_host_executor_conforms() {
    let breadth = Breadth::from_environment().unwrap();
    let cases = lists::cases(breadth, &HostBackend.tile_lengths()).unwrap();
    let report = run_everywhere(&HostBackend, &cases);
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn every_wavelet_in_every_scheme_keeps_its_bounds() {
    let report = run_everywhere(&HostBackend, &lists::catalogue().unwrap());
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn wavelets_from_definition_files_conform() {
    let all = curated().unwrap().into_iter();
    let custom: Vec<Arc<Wavelet>> = all
        .filter(|case| catalogue::wavelet(&case.name).is_err())
        .map(|case| Arc::new(case.wavelet))
        .collect();
    assert_eq!(custom.len(), 3, "a lattice, a lifting and a bank");
    let report = run_everywhere(&HostBackend, &lists::custom(&custom));
    println!("{report}");
    report.verdict().unwrap();
}

#[test]
fn the_host_executor_agrees_with_stored_data() {
    let report = run_fixtures(&HostBackend, &Fixtures::open().unwrap()).unwrap();
    println!("{report}");
    report.verdict().unwrap();
}
