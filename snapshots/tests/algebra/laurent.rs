use crate::generate::{coefficient, laurent};
use proptest::prelude::*;
use waveloom_wavelets::algebra::Laurent;

proptest! {
    #[test]
    fn addition_is_an_abelian_group(a in laurent(3), b in laurent(3), c in laurent(3)) {
        prop_assert_eq!(a.plus(&b), b.plus(&a));
        prop_assert_eq!(a.plus(&b).plus(&c), a.plus(&b.plus(&c)));
        prop_assert_eq!(a.plus(&Laurent::zero()), a.clone());
        prop_assert!(a.minus(&a).is_zero());
        prop_assert_eq!(a.minus(&b).plus(&b), a);
    }

    #[test]
    fn multiplication_is_a_commutative_monoid(a in laurent(3), b in laurent(3), c in laurent(3)) {
        prop_assert_eq!(a.times(&b), b.times(&a));
        prop_assert_eq!(a.times(&b).times(&c), a.times(&b.times(&c)));
        prop_assert_eq!(a.times(&Laurent::one()), a.clone());
        prop_assert!(a.times(&Laurent::zero()).is_zero());
    }

    #[test]
    fn multiplication_distributes(a in laurent(3), b in laurent(3), c in laurent(3)) {
        prop_assert_eq!(a.times(&b.plus(&c)), a.times(&b).plus(&a.times(&c)));
    }

    #[test]
    fn scaling_is_multiplication_by_a_constant(a in laurent(2), k in coefficient()) {
        prop_assert_eq!(a.scaled(&k), a.times(&Laurent::constant(k)));
    }

    #[test]
    fn shifting_is_multiplication_by_a_monomial(a in laurent(2), x in -3..=3, y in -3..=3) {
        let exponent = [x, y, 0];
        prop_assert_eq!(a.shifted(&exponent), a.times(&Laurent::monomial(exponent, 1.0)));
        prop_assert_eq!(a.shifted(&exponent).shifted(&[-x, -y, 0]), a);
    }

    #[test]
    fn time_reversal_is_an_involution_of_the_ring(a in laurent(3), b in laurent(3)) {
        prop_assert_eq!(a.time_reversed().time_reversed(), a.clone());
        prop_assert_eq!(a.times(&b).time_reversed(), a.time_reversed().times(&b.time_reversed()));
        prop_assert_eq!(a.plus(&b).time_reversed(), a.time_reversed().plus(&b.time_reversed()));
    }

    #[test]
    fn no_zero_coefficient_is_stored(a in laurent(3), b in laurent(3)) {
        for result in [a.plus(&b), a.minus(&b), a.times(&b)] {
            prop_assert!(result.terms().all(|(_, value)| *value != 0.0));
            prop_assert_eq!(result.len(), result.terms().count());
        }
    }

    #[test]
    fn ranges_add_under_multiplication(a in laurent(2), b in laurent(2)) {
        // Coefficients of the extreme exponents of one variable multiply without cancelling.
        for axis in 0..2 {
            if let (Some(a0), Some(b0)) = (a.range(axis), b.range(axis)) {
                let expected = Some((a0.0 + b0.0, a0.1 + b0.1));
                prop_assert_eq!(a.times(&b).range(axis), expected);
            }
        }
    }

    #[test]
    fn the_norm_bounds_the_product(a in laurent(2), b in laurent(2)) {
        prop_assert!(a.times(&b).l1_norm() <= a.l1_norm() * b.l1_norm());
        prop_assert!(a.magnitude() <= a.l1_norm());
    }

    #[test]
    fn a_polynomial_of_axis_0_moves_to_any_axis(a in laurent(1), b in laurent(1), axis in 0_usize..3) {
        prop_assert_eq!(a.times(&b).on_axis(axis), a.on_axis(axis).times(&b.on_axis(axis)));
        prop_assert_eq!(a.on_axis(axis).range(axis), a.range(0));
    }
}
