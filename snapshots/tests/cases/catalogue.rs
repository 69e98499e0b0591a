//! Custom filters and the accuracy of taps.

use crate::{distance, forward, inverse, plan, wave, wavelet};
use waveloom::wavelets::wavelet::Reconstruction;
use waveloom::wavelets::{Mode, SchemeKind, catalogue, definition};

fn refused(taps: [&str; 4]) -> String {
    let [a, b, c, d] = taps;
    let text = format!("[taps]\ndec_lo = {a}\ndec_hi = {b}\nrec_lo = {c}\nrec_hi = {d}\n");
    definition::parse(&text, "x").unwrap_err().to_string()
}

#[test]
fn c74_what_is_no_wavelet_is_refused() {
    let message = refused(["[1.0, 2.0, 3.0]"; 4]);
    assert!(!message.is_empty());
    let message = refused(["[1.0, 2.0, 3.0, 4.0]"; 4]);
    assert!(message.contains("not a wavelet"), "{message}");
    assert!(message.contains("defect 3.200e1"), "the broken identity and its size: {message}");
    let nan = refused(["[nan, 1.0]", "[1.0, -1.0]", "[1.0, 1.0]", "[-1.0, 1.0]"]);
    assert!(nan.to_lowercase().contains("nan") || nan.contains("finite"), "{nan}");
    let unequal = refused(["[1.0, 1.0]", "[1.0, -1.0, 0.0, 0.0]", "[0.5, 0.5]", "[-0.5, 0.5]"]);
    assert!(unequal.contains('2') && unequal.contains('4'), "{unequal}");
    assert!(!refused(["[]", "[]", "[]", "[]"]).is_empty());
}

#[test]
fn c76_dmey_is_only_approximate() {
    let dmey = wavelet("dmey");
    let Reconstruction::Approximate { defect } = dmey.properties().reconstruction else {
        panic!("dmey does not reconstruct: {:?}", dmey.properties().reconstruction);
    };
    assert!((2e-3..6e-3).contains(&defect), "{defect:e}");
    for kind in [SchemeKind::Lifting, SchemeKind::Lattice] {
        let message = dmey.scheme(kind, 1).unwrap_err().to_string();
        assert!(message.starts_with(&format!("dmey has no {kind} scheme")), "{message}");
    }
    assert!(dmey.scheme(SchemeKind::Convolution, 1).is_ok());
}

#[test]
fn c77_the_last_tap_of_coif5() {
    let [dec_lo, ..] = wavelet("coif5").bank().to_pywavelets();
    assert_eq!(dec_lo.last(), Some(&-2.12081862067494e-4));
}

#[test]
fn c78_tables_are_correctly_rounded() {
    for name in catalogue::names() {
        let wavelet = wavelet(name);
        let properties = wavelet.properties();
        if properties.orthogonal {
            let defect = properties.reconstruction.defect();
            assert!(defect <= 1e-15, "{name}: {defect:e}");
        }
    }
    for order in [2, 3] {
        let pair = ["sym", "db"].map(|family| wavelet(&format!("{family}{order}")));
        let [sym, db] = pair.map(|wavelet| wavelet.bank().to_pywavelets()[0].clone());
        assert!(distance(&sym, &db) <= 1e-16, "sym{order} is db{order}");
    }
    for name in ["sym20", "db38", "sym18", "bior5.5"] {
        let plan = plan::<f64>(name, &[4096], Mode::Symmetric, 5);
        let signal = wave(4096);
        let error = distance(&inverse(&plan, &forward(&plan, &signal)), &signal);
        assert!(error <= 2e-13, "{name}: {error:e}");
    }
}

#[test]
fn c81_no_lifting_has_huge_coefficients() {
    for name in catalogue::names() {
        let wavelet = wavelet(name);
        if let Some(lifting) = wavelet.lifting() {
            let largest = lifting.largest_coefficient();
            assert!(largest < 10.0, "{name}: {largest}");
        }
        let chosen = wavelet.default_scheme(1);
        assert!(wavelet.scheme(chosen, 1).is_ok(), "{name} has no {chosen}");
        if !wavelet.is_rounded() && wavelet.bank().length() <= 60 {
            let signal: Vec<f32> = wave(200).iter().map(|value| *value as f32).collect();
            let single = plan::<f32>(name, &[200], Mode::Periodization, 1);
            let double = plan::<f64>(name, &[200], Mode::Periodization, 1);
            let expected = forward(&double, &wave(200));
            let got: Vec<f64> = forward(&single, &signal).into_iter().map(f64::from).collect();
            let error = distance(&got, &expected) / 1.5;
            assert!(error < 4e-6, "{name}: {error:e}");
        }
    }
}
