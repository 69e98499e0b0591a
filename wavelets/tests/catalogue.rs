//! The catalogue: names, taps, and what is measured of them.

use num_bigint::BigInt;
use num_traits::Signed;
use waveloom_wavelets::algebra::{Rational, rational_from_f64, rational_to_f64};
use waveloom_wavelets::catalogue::{self, wavelet};
use waveloom_wavelets::wavelet::{AxisOrder, Reconstruction, Symmetry};
use waveloom_wavelets::{Mode, SchemeKind};

#[test]
fn there_are_a_hundred_and_ten_names() {
    let names: Vec<&str> = catalogue::names().collect();
    assert_eq!(names.len(), 110);
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), 110);
    let families = [("db", 38), ("sym", 19), ("coif", 17), ("bior", 15), ("rbio", 15)];
    for (family, count) in families {
        assert_eq!(names.iter().filter(|name| name.starts_with(family)).count(), count, "{family}");
    }
    for name in ["haar", "dmey", "rev53", "irr97", "ccsds97m", "cdf97"] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn every_name_gives_a_wavelet_of_that_name() {
    for name in catalogue::names() {
        assert_eq!(wavelet(name).unwrap().name(), name);
    }
}

#[test]
fn names_are_found_in_either_case_and_others_get_a_hint() {
    assert_eq!(wavelet("DB4").unwrap().name(), "db4");
    let hints = [
        ("db04", "db4"),
        ("db0", "db"),
        ("db39", "db3"),
        ("bior2.3", "bior"),
        ("sym1", "sym"),
        ("coif0", "coif"),
        (" db4", "db4"),
        ("harr", "haar"),
        ("cdf9/7", "cdf97"),
    ];
    for (name, hint) in hints {
        let error = wavelet(name).unwrap_err();
        assert_eq!(error.name, name);
        let nearest = error.nearest.as_deref().unwrap_or_default();
        assert!(nearest.starts_with(hint), "{name}: {nearest}");
        assert!(error.to_string().contains(&format!("did you mean '{nearest}'?")));
    }
    for name in ["", "symmetric wavelet of great length", "SYMMETRIC"] {
        assert_eq!(wavelet(name).unwrap_err().nearest, None, "{name}");
    }
}

#[test]
fn names_for_the_same_wavelet_have_the_same_taps() {
    let same =
        [("haar", "db1"), ("bior1.1", "db1"), ("rbio1.1", "db1"), ("sym2", "db2"), ("sym3", "db3")];
    for (one, other) in same {
        assert_eq!(wavelet(one).unwrap().bank(), wavelet(other).unwrap().bank(), "{one} {other}");
    }
}

#[test]
fn taps_are_those_of_their_closed_forms() {
    let root3 = 3.0_f64.sqrt();
    let db2 = wavelet("db2").unwrap();
    let expected = [1.0 + root3, 3.0 + root3, 3.0 - root3, 1.0 - root3];
    for (tap, numerator) in db2.bank().analysis_low().taps().iter().zip(expected) {
        assert!((tap - numerator / (4.0 * 2.0_f64.sqrt())).abs() < 4e-16);
    }
    let [dec_lo, dec_hi, rec_lo, rec_hi] = wavelet("bior2.2").unwrap().bank().to_pywavelets();
    let eighths = |taps: &[f64]| -> Vec<f64> {
        taps.iter().map(|tap| (tap * 8.0 / 2.0_f64.sqrt() * 1e9).round() / 1e9).collect()
    };
    assert_eq!(eighths(&dec_lo), [0.0, -1.0, 2.0, 6.0, 2.0, -1.0]);
    assert_eq!(eighths(&dec_hi), [0.0, 2.0, -4.0, 2.0, 0.0, 0.0]);
    assert_eq!(eighths(&rec_lo), [0.0, 2.0, 4.0, 2.0, 0.0, 0.0]);
    assert_eq!(eighths(&rec_hi), [0.0, 1.0, 2.0, -6.0, 2.0, 1.0]);
}

#[test]
fn the_last_tap_of_coif5_has_all_its_digits() {
    let [dec_lo, ..] = wavelet("coif5").unwrap().bank().to_pywavelets();
    // Old tables say -2.1208083980e-4.
    assert!((dec_lo[29] - -2.120_818_620_674_94e-4).abs() < 1e-18, "{:e}", dec_lo[29]);
}

/// The largest deviation of `Σ lo[n] rec_lo[n+2k]` from 1 or 0, in exact arithmetic on the taps.
fn exact_defect(name: &str) -> f64 {
    const BITS: u32 = 400;
    let bank = wavelet(name).unwrap().bank().clone();
    let exact = |taps: Vec<f64>| -> Vec<BigInt> {
        let fixed = |tap: f64| {
            let exact = rational_from_f64(tap).unwrap();
            (exact.numer() << BITS) / exact.denom()
        };
        taps.into_iter().map(fixed).collect()
    };
    let low = exact(bank.analysis_low().padded(bank.length()));
    let rec = exact(bank.synthesis_low().padded(bank.length()));
    let half = bank.length() / 2;
    let defects = (0..half).map(|k| {
        let sum: BigInt = low.iter().zip(&rec[2 * k..]).map(|(l, r)| l * r).sum();
        let expected = BigInt::from(u8::from(k == 0)) << (2 * BITS);
        rational_to_f64(&Rational::new((sum - expected).abs(), BigInt::from(1) << (2 * BITS)))
    });
    defects.fold(0.0, f64::max)
}

#[test]
fn taps_are_correctly_rounded() {
    // Published tables are off by up to 1.4e-11 (sym20), 4.8e-12 (sym3), 1e-12 (bior5.5).
    for name in catalogue::names().take(105) {
        let defect = exact_defect(name);
        assert!(defect < 6e-16, "{name}: {defect:e}");
    }
}

#[test]
fn every_wavelet_but_two_reconstructs() {
    for name in catalogue::names() {
        let wavelet = wavelet(name).unwrap();
        let reconstruction = wavelet.properties().reconstruction;
        match name {
            "dmey" => {
                let Reconstruction::Approximate { defect } = reconstruction else {
                    panic!("{reconstruction:?}")
                };
                assert!((2.2e-3..2.3e-3).contains(&defect), "{defect:e}");
            }
            "cdf97" => {
                let Reconstruction::Approximate { defect } = reconstruction else {
                    panic!("{reconstruction:?}")
                };
                assert!((1e-10..1e-8).contains(&defect), "{defect:e}");
            }
            "rev53" | "ccsds97m" => assert_eq!(reconstruction, Reconstruction::Exact),
            _ => {
                let Reconstruction::Perfect { defect } = reconstruction else {
                    panic!("{reconstruction:?}")
                };
                assert!(defect < 1e-15, "{name}: {defect:e}");
            }
        }
    }
}

#[test]
fn approximate_wavelets_are_convolution_only_and_say_so() {
    for name in ["dmey", "cdf97"] {
        let wavelet = wavelet(name).unwrap();
        assert!(wavelet.lifting().is_none() && wavelet.lattice().is_none());
        for reason in [wavelet.lifting_reason(), wavelet.lattice_reason()] {
            let reason = reason.unwrap().to_string();
            assert!(reason.contains("only approximately (defect"), "{reason}");
        }
        assert_eq!(wavelet.default_scheme(1), SchemeKind::Convolution);
        assert_eq!(wavelet.default_scheme(2), SchemeKind::SeparableConvolution);
        let remark = &wavelet.properties().remarks[0];
        assert!(remark.contains("reconstructs only approximately"), "{remark}");
    }
}

#[test]
fn moments_symmetry_and_orthogonality_are_the_families() {
    let number = |text: &str| text.parse::<usize>().unwrap();
    for name in catalogue::names().take(105) {
        let wavelet = wavelet(name).unwrap();
        let properties = wavelet.properties();
        let moments =
            (properties.vanishing_moments_analysis, properties.vanishing_moments_synthesis);
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let order = name.strip_prefix(family).unwrap();
        let (expected, symmetry) = match family {
            "haar" => ((1, 1), Symmetry::HalfSample),
            "db" if order == "1" => ((1, 1), Symmetry::HalfSample),
            "db" | "sym" => ((number(order), number(order)), Symmetry::None),
            "coif" => ((2 * number(order), 2 * number(order)), Symmetry::None),
            _ => {
                let (rec, dec) = order.split_once('.').unwrap();
                let spline = match (rec, dec) {
                    // Named after their filters, not their moments.
                    ("5", "5") => (6, 4),
                    _ => (number(rec), number(dec)),
                };
                let odd = number(rec) % 2 == 1 && rec != "5";
                let symmetry = if odd { Symmetry::HalfSample } else { Symmetry::WholeSample };
                (if family == "bior" { spline } else { (spline.1, spline.0) }, symmetry)
            }
        };
        assert_eq!(moments, expected, "{name}");
        assert_eq!(properties.symmetry, symmetry, "{name}");
        let orthogonal = !name.contains("bio") && family != "rbio" || order == "1.1";
        assert_eq!(properties.orthogonal, orthogonal, "{name}");
        assert!((properties.low_gain - 2.0_f64.sqrt()).abs() < 1e-14, "{name}");
        assert!((properties.high_gain - 2.0_f64.sqrt()).abs() < 1e-14, "{name}");
        assert!(properties.remarks.is_empty(), "{name}: {:?}", properties.remarks);
    }
}

#[test]
fn standards_are_scaled_biorthogonal_wavelets() {
    for (name, relative, tolerance) in
        [("rev53", "bior2.2", 1e-15), ("irr97", "bior4.4", 1e-14), ("cdf97", "bior4.4", 5e-9)]
    {
        let (scaled, plain) = (wavelet(name).unwrap(), wavelet(relative).unwrap());
        let root = 2.0_f64.sqrt();
        for position in 0..plain.bank().length() as i32 {
            let at = |wavelet: &waveloom_wavelets::Wavelet| {
                let bank = wavelet.bank();
                [
                    bank.analysis_low().at(position),
                    bank.analysis_high().at(position),
                    bank.synthesis_low().at(position),
                    bank.synthesis_high().at(position),
                ]
            };
            let factors = [1.0 / root, -root, root, -1.0 / root];
            let expected = at(&plain).into_iter().zip(factors).map(|(tap, factor)| tap * factor);
            for (tap, expected) in at(&scaled).into_iter().zip(expected) {
                assert!((tap - expected).abs() < tolerance, "{name} {position} {tap} {expected}");
            }
        }
    }
}

#[test]
fn modes_orders_and_lengths_are_the_standards() {
    for name in catalogue::names() {
        let wavelet = wavelet(name).unwrap();
        let jpeg2000 = ["rev53", "irr97", "ccsds97m"].contains(&name);
        let mode = if jpeg2000 { Mode::Jpeg2000 } else { Mode::Symmetric };
        assert_eq!(wavelet.default_mode(), mode, "{name}");
        let ccsds = name == "ccsds97m";
        assert_eq!(wavelet.frame().even_lengths, ccsds, "{name}");
        let order = if ccsds { AxisOrder::LastToFirst } else { AxisOrder::FirstToLast };
        assert_eq!(wavelet.axis_order(), order, "{name}");
        assert_eq!(wavelet.is_rounded(), ["rev53", "ccsds97m"].contains(&name), "{name}");
    }
}

#[test]
fn gains_of_unnormalised_wavelets_are_remarked() {
    let remarks = &wavelet("rev53").unwrap().properties().remarks.clone();
    assert_eq!(
        remarks[..],
        ["not normalised: low-pass gain 1, high-pass gain 2 (normalised: 1.41421 and 1.41421)"]
    );
}
