//! The inverse is not the adjoint.

use crate::plan;
use waveloom::Plan;
use waveloom::wavelets::Mode;
use waveloom_snapshots::fixtures::Fixtures;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// 64 samples, then as many coefficients as the plan has, from one row of normal deviates.
fn pair(plan: &Plan<f64>) -> (Vec<f64>, Vec<f64>) {
    let archive = Fixtures::open().unwrap().archive("normals").unwrap();
    let normals = archive.array("normals").unwrap().to_f64();
    let (x, rest) = normals.split_at(64);
    (x.to_vec(), rest[..plan.coefficient_len()].to_vec())
}

/// `⟨Wx, y⟩ - ⟨x, V y⟩` for V = inverse and V = adjoint.
fn defects(name: &str, mode: Mode) -> [f64; 2] {
    let plan = plan::<f64>(name, &[64], mode, 1);
    let (x, y) = pair(&plan);
    let mut workspace = plan.workspace();
    let mut wx = vec![0.0; plan.coefficient_len()];
    plan.forward(&x, &mut wx, &mut workspace).unwrap();
    let mut back = vec![0.0; 64];
    plan.inverse(&y, &mut back, &mut workspace).unwrap();
    let inverse = dot(&wx, &y) - dot(&x, &back);
    plan.adjoint(&y, &mut back, &mut workspace).unwrap();
    [inverse, dot(&wx, &y) - dot(&x, &back)]
}

#[test]
fn c71_the_adjoint_pairs_where_the_inverse_does_not() {
    for (name, mode, expected) in [
        ("db4", Mode::Symmetric, -0.3233),
        ("db4", Mode::Reflect, -1.7357),
        ("db4", Mode::Zero, 0.0),
        ("db4", Mode::Periodization, 0.0),
        ("bior4.4", Mode::Periodization, -1.4021),
    ] {
        let [inverse, _] = defects(name, mode);
        assert!((inverse - expected).abs() < 5e-5, "{name} {mode}: {inverse}");
    }
    for name in ["db4", "bior4.4", "rbio3.3"] {
        for mode in Mode::PYWAVELETS {
            let [_, adjoint] = defects(name, mode);
            // Extrapolating modes have weights up to the filter's length.
            assert!(adjoint.abs() <= 1e-13 * 10.0, "{name} {mode}: {adjoint:e}");
        }
    }
}
