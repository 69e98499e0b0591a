use crate::generate::matrix;
use proptest::prelude::*;
use waveloom_wavelets::algebra::PolyphaseMatrix;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn multiplication_is_associative(a in matrix(2, 2), b in matrix(2, 2), c in matrix(2, 2)) {
        prop_assert_eq!(a.times(&b).times(&c), a.times(&b.times(&c)));
    }

    #[test]
    fn the_identity_is_neutral(a in matrix(4, 2)) {
        let identity = PolyphaseMatrix::identity(4);
        prop_assert_eq!(a.times(&identity), a.clone());
        prop_assert_eq!(identity.times(&a), a);
    }

    #[test]
    fn the_adjoint_reverses_products(a in matrix(2, 2), b in matrix(2, 2)) {
        prop_assert_eq!(a.times(&b).adjoint(), b.adjoint().times(&a.adjoint()));
        prop_assert_eq!(a.adjoint().adjoint(), a);
    }

    #[test]
    fn the_adjoint_transposes_and_reverses_time(a in matrix(2, 2)) {
        let adjoint = a.adjoint();
        for (row, column, entry) in a.entries() {
            prop_assert_eq!(&entry.time_reversed(), adjoint.entry(column, row));
        }
    }

    #[test]
    fn kronecker_products_multiply_factor_by_factor(
        a in matrix(2, 1), b in matrix(2, 1), c in matrix(2, 1), d in matrix(2, 1),
    ) {
        let axis1 = |m: &PolyphaseMatrix| m.map_entries(|entry| entry.on_axis(1));
        let left = a.kronecker(&axis1(&b)).times(&c.kronecker(&axis1(&d)));
        prop_assert_eq!(left, a.times(&c).kronecker(&axis1(&b.times(&d))));
    }

    #[test]
    fn the_determinant_is_multiplicative(a in matrix(2, 1), b in matrix(2, 1)) {
        prop_assert_eq!(a.times(&b).determinant(), a.determinant().times(&b.determinant()));
    }

    #[test]
    fn the_determinant_of_the_adjoint_is_reversed(a in matrix(2, 2)) {
        prop_assert_eq!(a.adjoint().determinant(), a.determinant().time_reversed());
    }

    #[test]
    fn the_reach_of_a_product_is_within_the_sum_of_reaches(a in matrix(2, 2), b in matrix(2, 2)) {
        for axis in 0..2 {
            let (pa, pb, p) = (a.range(axis), b.range(axis), a.times(&b).range(axis));
            prop_assert!(p.0 >= pa.0 + pb.0 && p.1 <= pa.1 + pb.1);
        }
    }
}
