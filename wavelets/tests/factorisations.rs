//! Factorisations of the catalogue: every product of factors is the taps, at the published cost.

use waveloom_wavelets::algebra::PolyphaseMatrix;
use waveloom_wavelets::catalogue::{self, wavelet};
use waveloom_wavelets::factor;
use waveloom_wavelets::lattice::LatticeKind;
use waveloom_wavelets::lifting::{Channel, Lifting};
use waveloom_wavelets::{SchemeKind, Wavelet};

/// The tap error that every factorisation must stay below.
const TAPS: f64 = 5e-15;

fn perfect_names() -> impl Iterator<Item = &'static str> {
    catalogue::names().take(105)
}

fn orthogonal(name: &str) -> bool {
    !name.contains("bio")
}

fn distance(wavelet: &Wavelet, product: &PolyphaseMatrix) -> f64 {
    product.distance(&wavelet.bank().analysis_polyphase())
}

fn multipliers(lifting: &Lifting) -> usize {
    lifting.steps.iter().map(|step| step.taps.len()).sum()
}

#[test]
fn lattices_multiply_back_to_the_taps() {
    for name in perfect_names().chain(["irr97"]) {
        let wavelet = wavelet(name).unwrap();
        let lattice = wavelet.lattice().unwrap();
        let error = distance(&wavelet, &lattice.polyphase());
        assert!(error < TAPS, "{name}: {error:e}");
        assert_eq!(wavelet.properties().lattice_residual, Some(error));
        let pivoted = distance(&wavelet, &lattice.pivoted().polyphase());
        assert!(pivoted < TAPS, "{name} pivoted: {pivoted:e}");
    }
}

#[test]
fn liftings_multiply_back_to_the_taps() {
    for name in perfect_names().chain(["rev53", "irr97", "ccsds97m"]) {
        let wavelet = wavelet(name).unwrap();
        let error = distance(&wavelet, &wavelet.lifting().unwrap().polyphase());
        assert!(error < TAPS, "{name}: {error:e}");
        assert_eq!(wavelet.properties().lifting_residual, Some(error));
    }
}

#[test]
fn orthogonal_lattices_are_rotations() {
    for name in perfect_names().filter(|name| orthogonal(name)) {
        let wavelet = wavelet(name).unwrap();
        let lattice = wavelet.lattice().unwrap();
        assert_eq!(lattice.kind, LatticeKind::Orthogonal, "{name}");
        assert_eq!(lattice.stages.len(), wavelet.bank().length() / 2, "{name}");
        let (last, others) = lattice.stages.split_last().unwrap();
        for [[c, s], low] in others {
            assert!((c.hypot(*s) - 1.0).abs() < 4e-16 && *low == [-s, *c], "{name}");
        }
        let sign = if lattice.stages.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        let [[a, b], high] = last;
        assert_eq!(*high, [-sign * b, sign * a], "{name}");
    }
}

#[test]
fn db4_has_the_published_lattice() {
    let db4 = wavelet("db4").unwrap();
    let lattice = db4.lattice().unwrap();
    let published = [-0.322_275_888_0, -1.233_150_015_5, -3.856_627_829_8];
    let mut scale = 1.0;
    for ([[c, s], _], t) in lattice.stages.iter().zip(published) {
        assert!((s / c - t).abs() < 5e-10, "{} {t}", s / c);
        scale *= c;
    }
    let [a, b] = lattice.stages[3][0];
    assert!((a * scale - 0.150_310_456_7).abs() < 5e-10);
    assert!((b * scale - 0.006_914_295_6).abs() < 5e-10);
}

#[test]
fn pivoted_stages_cost_two_multiplications_and_stay_small() {
    for name in perfect_names() {
        let wavelet = wavelet(name).unwrap();
        let pivoted = wavelet.lattice().unwrap().pivoted();
        let (last, others) = pivoted.stages.split_last().unwrap();
        for row in others.iter().flatten() {
            assert!(row.iter().any(|entry| entry.abs() == 1.0), "{name}: {row:?}");
            assert!(row.iter().all(|entry| entry.abs() <= 1.0), "{name}: {row:?}");
        }
        // The t-form's last stage would be 1e-79 for db38.
        let sizes = last.iter().map(|row| row[0].hypot(row[1]));
        for size in sizes {
            assert!((1e-3..10.0).contains(&size), "{name}: {size:e}");
        }
    }
}

#[test]
fn biorthogonal_lattices_have_the_known_cores_and_leads() {
    let known = [
        ("1.3", 1, 2),
        ("1.5", 1, 4),
        ("2.2", 3, 0),
        ("2.4", 3, 2),
        ("2.6", 3, 4),
        ("2.8", 3, 6),
        ("3.1", 2, 0),
        ("3.3", 2, 2),
        ("3.5", 2, 4),
        ("3.7", 2, 6),
        ("3.9", 2, 8),
        ("4.4", 5, 0),
        ("5.5", 6, 0),
        ("6.8", 7, 2),
    ];
    for (order, stages, terms) in known {
        for family in ["bior", "rbio"] {
            let wavelet = wavelet(&format!("{family}{order}")).unwrap();
            let lattice = wavelet.lattice().unwrap();
            let lead = lattice.lead.as_ref().map_or(0, |(_, q)| q.len());
            assert_eq!((lattice.stages.len(), lead), (stages, terms), "{family}{order}");
            assert_eq!(lattice.kind, LatticeKind::General);
        }
    }
}

#[test]
fn orthogonal_liftings_cost_half_of_convolution() {
    for name in perfect_names().filter(|name| orthogonal(name)) {
        let wavelet = wavelet(name).unwrap();
        let lifting = wavelet.lifting().unwrap();
        let length = wavelet.bank().length();
        assert_eq!(lifting.steps.len(), length / 2 + 1, "{name}");
        assert_eq!(multipliers(lifting), length, "{name}");
        let alternate = lifting.steps.windows(2).all(|pair| pair[0].target != pair[1].target);
        assert!(alternate, "{name}");
    }
}

#[test]
fn orthogonal_liftings_have_small_coefficients() {
    for name in perfect_names().filter(|name| orthogonal(name)) {
        let wavelet = wavelet(name).unwrap();
        let lifting = wavelet.lifting().unwrap();
        let limit = match name {
            "haar" | "db1" => 1.0,
            "sym17" => 9.1,
            "sym18" => 5.3,
            _ if name.starts_with("sym") => 2.06,
            _ if name.starts_with("coif") => 1.53,
            _ => 0.88,
        };
        let largest = lifting.largest_coefficient();
        assert!(largest <= limit, "{name}: {largest}");
        let gain = lifting.low.gain.abs();
        assert!((0.23..4.3).contains(&gain) || name == "haar", "{name}: {gain}");
        assert!((lifting.low.gain * lifting.high.gain).abs() - 1.0 < 1e-13, "{name}");
    }
    // What other libraries ship for these has coefficients up to 2.6e7.
    for (name, shipped) in [("db37", 2.6e7), ("db33", 9.3e6), ("sym13", 4.9e6), ("coif9", 3.1e5)] {
        let largest = wavelet(name).unwrap().lifting().unwrap().largest_coefficient();
        assert!(largest < shipped / 1e5, "{name}: {largest}");
    }
}

#[test]
fn biorthogonal_liftings_have_the_known_costs() {
    let known = [
        ("1.1", 2, 2, 1.0),
        ("1.3", 2, 4, 1.0),
        ("1.5", 2, 6, 1.0),
        ("2.2", 2, 4, 0.5),
        ("2.4", 2, 6, 0.5),
        ("2.6", 2, 8, 0.5),
        ("2.8", 2, 10, 0.5),
        ("3.1", 3, 4, 1.125),
        ("3.3", 3, 6, 1.125),
        ("3.5", 3, 8, 1.125),
        ("3.7", 3, 10, 1.125),
        ("3.9", 3, 12, 1.125),
        ("4.4", 4, 8, 1.586_134_342),
        ("5.5", 5, 10, 5.585_786_200),
        ("6.8", 6, 14, 0.997_150_691),
    ];
    for (order, steps, multiplications, largest) in known {
        for family in ["bior", "rbio"] {
            let wavelet = wavelet(&format!("{family}{order}")).unwrap();
            let lifting = wavelet.lifting().unwrap();
            assert_eq!(lifting.steps.len(), steps, "{family}{order}");
            assert_eq!(multipliers(lifting), multiplications, "{family}{order}");
            let found = lifting.largest_coefficient();
            assert!((found - largest).abs() < 1e-9, "{family}{order}: {found}");
        }
    }
}

#[test]
fn haar_predicts_first() {
    let haar = wavelet("haar").unwrap();
    let lifting = haar.lifting().unwrap();
    assert_eq!(lifting.steps[0].target, Channel::Odd);
    assert_eq!(lifting.steps[0].taps.get(&0), Some(&-1.0));
    assert_eq!(lifting.steps[1].target, Channel::Even);
    assert!((lifting.steps[1].taps[&0] - 0.5).abs() < 1e-15);
    assert!((lifting.low.gain - 2.0_f64.sqrt()).abs() < 1e-15);
    assert!((lifting.high.gain + 0.5_f64.sqrt()).abs() < 1e-15);
}

#[test]
fn cdf97_lifting_has_the_coefficients_of_daubechies_and_sweldens() {
    let wavelet = wavelet("bior4.4").unwrap();
    let lifting = wavelet.lifting().unwrap();
    let known = [-1.586_134_342_059_924, -0.052_980_118_572_961, 0.882_911_075_530_934];
    for (step, known) in lifting.steps.iter().zip(known.into_iter().chain([0.443_506_852_043_971]))
    {
        assert_eq!(step.taps.len(), 2);
        assert!(step.taps.values().all(|tap| (tap - known).abs() < 2e-15), "{step:?}");
    }
    assert!((lifting.low.gain - 1.149_604_398_860_241).abs() < 2e-15);
    assert!((lifting.high.gain + 0.869_864_451_624_781).abs() < 2e-15);
    assert_eq!((lifting.low.advance, lifting.high.advance), (2, 2));
}

#[test]
fn factors_keep_their_digits_in_f32() {
    for name in perfect_names().chain(["rev53", "irr97", "ccsds97m"]) {
        let wavelet = wavelet(name).unwrap();
        let properties = wavelet.properties();
        // Forward and round trip.
        let limit = if name.ends_with("bio5.5") || name == "bior5.5" { 6e-6 } else { 3e-6 };
        let lifting = properties.lifting_f32_error.unwrap();
        assert!(lifting < limit, "{name}: {lifting:e}");
        if let Some(lattice) = properties.lattice_f32_error {
            assert!(lattice < 2e-6, "{name}: {lattice:e}");
        }
        assert_eq!(wavelet.default_scheme(1), SchemeKind::Lifting, "{name}");
        assert_eq!(wavelet.default_scheme(3), SchemeKind::SeparableLifting, "{name}");
    }
}

#[test]
fn both_factorisations_become_taps_again() {
    for name in perfect_names() {
        let wavelet = wavelet(name).unwrap();
        let bank = wavelet.bank();
        let (from_lifting, _) = factor::bank_of_lifting(wavelet.lifting().unwrap());
        let (from_lattice, _) = factor::bank_of_lattice(wavelet.lattice().unwrap());
        for (what, rebuilt) in [("lifting", from_lifting), ("lattice", from_lattice)] {
            // The smallest frame may be smaller than the published one, by pairs at the front.
            let shift = bank.analysis_low().first() - rebuilt.analysis_low().first();
            assert_eq!(shift % 2, 0, "{name}");
            let originals = [
                (bank.analysis_low(), rebuilt.analysis_low()),
                (bank.analysis_high(), rebuilt.analysis_high()),
                (bank.synthesis_low(), rebuilt.synthesis_low()),
                (bank.synthesis_high(), rebuilt.synthesis_high()),
            ];
            for (original, rebuilt) in originals {
                for position in 0..bank.length() as i32 {
                    let error = (original.at(position) - rebuilt.at(position - shift)).abs();
                    assert!(error < TAPS, "{name} {what} {position}: {error:e}");
                }
            }
        }
    }
}
