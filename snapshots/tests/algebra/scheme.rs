use crate::generate::{laurent, lifting, narrow_lifting, unit_triangular};
use proptest::prelude::*;
use waveloom_wavelets::algebra::PolyphaseMatrix;
use waveloom_wavelets::scheme::{Factor, FactorKind, Scheme, SchemeKind};

fn fused_step(predict: bool, p: &waveloom_wavelets::algebra::Laurent, axes: usize) -> Factor {
    let line = unit_triangular(predict, p.clone());
    let scheme = Scheme { kind: SchemeKind::Lifting, axes: 1, factors: vec![line.clone()] };
    let axis_list: Vec<usize> = (0..axes).collect();
    let product = scheme.tensor(axes, &axis_list).matrix();
    Factor::new(line.kind, product)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_inverse_undoes_the_scheme(scheme in lifting()) {
        let inverse = scheme.invert().unwrap();
        let identity = PolyphaseMatrix::identity(2);
        prop_assert_eq!(inverse.matrix().times(&scheme.matrix()), identity.clone());
        prop_assert_eq!(scheme.matrix().times(&inverse.matrix()), identity);
        prop_assert_eq!(inverse.invert().unwrap().matrix(), scheme.matrix());
    }

    #[test]
    fn transposition_is_the_adjoint_of_the_product(scheme in lifting()) {
        let transposed = scheme.transpose().unwrap();
        prop_assert_eq!(transposed.matrix(), scheme.matrix().adjoint());
        prop_assert_eq!(transposed.transpose().unwrap(), scheme);
    }

    #[test]
    fn inversion_and_transposition_commute(scheme in lifting()) {
        let one = scheme.invert().unwrap().transpose().unwrap();
        let other = scheme.transpose().unwrap().invert().unwrap();
        prop_assert_eq!(one.matrix(), other.matrix());
    }

    #[test]
    fn fusing_keeps_the_product(scheme in lifting()) {
        let fused = scheme.fuse(FactorKind::Convolution).unwrap();
        prop_assert_eq!(fused.factors.len(), 1);
        prop_assert_eq!(fused.matrix(), scheme.matrix());
        prop_assert_eq!(fused.reach(), scheme.reach());
    }

    #[test]
    fn splitting_constants_keeps_the_product(scheme in lifting()) {
        let split = scheme.split_constant().unwrap();
        prop_assert_eq!(split.matrix(), scheme.matrix());
        prop_assert!(split.cuts() <= scheme.cuts());
    }

    #[test]
    fn splitting_a_fused_step_keeps_the_product(p in laurent(1), predict: bool, axes in 2_usize..=3) {
        let factors = vec![fused_step(predict, &p, axes)];
        let whole = Scheme { kind: SchemeKind::NonseparableLifting, axes, factors };
        let split = whole.split_constant().unwrap();
        prop_assert_eq!(split.matrix(), whole.matrix());
        let constants = split.factors.iter().filter(|f| f.kind == FactorKind::Constant);
        prop_assert!(constants.into_iter().all(|factor| factor.matrix.is_constant()));
    }

    #[test]
    fn the_tensor_is_the_kronecker_product(scheme in lifting()) {
        let line = scheme.matrix();
        let other = line.map_entries(|entry| entry.on_axis(1));
        prop_assert_eq!(scheme.tensor(2, &[0, 1]).matrix(), line.kronecker(&other));
        prop_assert_eq!(scheme.tensor(2, &[1, 0]).matrix(), line.kronecker(&other));
    }

    #[test]
    fn the_tensor_commutes_with_inversion(scheme in narrow_lifting()) {
        let plane = scheme.tensor(2, &[0, 1]);
        let identity = PolyphaseMatrix::identity(4);
        prop_assert_eq!(plane.invert().unwrap().matrix().times(&plane.matrix()), identity);
        let one = plane.invert().unwrap().matrix();
        prop_assert_eq!(one, scheme.invert().unwrap().tensor(2, &[0, 1]).matrix());
    }

    #[test]
    fn the_reach_of_a_tensor_is_the_line_s_on_every_axis(scheme in narrow_lifting()) {
        let line = scheme.reach().axes[0];
        let volume = scheme.tensor(3, &[0, 1, 2]).reach().axes;
        prop_assert_eq!(volume, [line; 3]);
    }
}
