//! Laws of packed arrays and of thresholding in any layout.

use proptest::prelude::*;
use waveloom::packing::{BandRows, Layout, PackError, Packing, mixed};
use waveloom::threshold::{Rule, Threshold, details};
use waveloom::wavelets::{Mode, catalogue};
use waveloom::{Coefficients, Element, Plan};

/// A plan, its coefficients (all different) and the number of levels.
fn numbered<T: Element>(
    name: &str,
    shape: &[usize],
    axes: &[usize],
    levels: usize,
    mode: Mode,
    origin: &[i64],
    number: impl Fn(usize) -> T,
) -> Coefficients<T> {
    let wavelet = catalogue::wavelet(name).unwrap();
    let mut builder = Plan::<T>::builder(&wavelet, shape).axes(axes).levels(levels).mode(mode);
    if !origin.is_empty() {
        builder = builder.origin(origin);
    }
    let plan = builder.build().unwrap();
    let values = (0..plan.coefficient_len()).map(number).collect();
    Coefficients::new(&plan, values).unwrap()
}

/// A shape of one to three axes and axes to transform.
fn shapes() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    let shape = prop::collection::vec(1_usize..14, 1..=3);
    shape.prop_flat_map(|shape| {
        let axes: Vec<usize> = (0..shape.len()).collect();
        let count = axes.len();
        (Just(shape), prop::sample::subsequence(axes, 1..=count).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn both_layouts_come_back_and_are_each_other_sorted(
        (shape, axes) in shapes(), levels in 0_usize..5,
    ) {
        // As many coefficients as samples at any length, in every element type.
        let coefficients = numbered("rev53", &shape, &axes, levels, Mode::Jpeg2000, &[], |i| i as i64);
        let plan = coefficients.plan();
        let mallat = coefficients.packed(Layout::Mallat).unwrap();
        let mixed_band = coefficients.packed(Layout::Mixed).unwrap();
        prop_assert_eq!(mallat.shape(), &shape[..]);
        prop_assert_eq!(mixed_band.shape(), &shape[..]);
        for (layout, packed) in [(Layout::Mallat, &mallat), (Layout::Mixed, &mixed_band)] {
            let back = Coefficients::from_packed(plan, layout, packed.view()).unwrap();
            prop_assert_eq!(back.values(), coefficients.values());
        }
        let mut sorted = mixed_band.clone();
        mixed::to_mallat(sorted.as_slice_mut().unwrap(), &shape, &axes, levels).unwrap();
        prop_assert_eq!(&sorted, &mallat);
        mixed::from_mallat(sorted.as_slice_mut().unwrap(), &shape, &axes, levels).unwrap();
        prop_assert_eq!(&sorted, &mixed_band);
    }

    #[test]
    fn origins_decide_which_samples_become_details(
        shape in prop::collection::vec(1_usize..12, 2), levels in 1_usize..4,
        origin in prop::collection::vec(-3_i64..4, 2),
    ) {
        let coefficients =
            numbered("irr97", &shape, &[0, 1], levels, Mode::Jpeg2000, &origin, |i| i as f64);
        let packed = coefficients.packed(Layout::Mixed).unwrap();
        let back = Coefficients::from_packed(coefficients.plan(), Layout::Mixed, packed.view());
        let back = back.unwrap();
        prop_assert_eq!(back.values(), coefficients.values());
        // Every coefficient has a place of its own.
        let mut all: Vec<f64> = packed.iter().copied().collect();
        all.sort_by(f64::total_cmp);
        prop_assert!(all.iter().enumerate().all(|(i, value)| *value == i as f64));
        for ((y, x), value) in packed.into_dimensionality::<ndarray::Ix2>().unwrap().indexed_iter() {
            let odd = |i: usize, axis: usize| (i as i64 + origin[axis]).rem_euclid(2) == 1;
            let band = coefficients.plan().bands().iter()
                .find(|band| (band.offset..band.offset + band.len).contains(&(*value as usize)))
                .unwrap();
            let finest = odd(y, 0) || odd(x, 1);
            prop_assert_eq!(finest, band.level == 1 && band.channel != 0);
        }
    }

    #[test]
    fn expansive_bands_come_back_from_the_conventional_layout(
        (shape, axes) in shapes(), levels in 0_usize..4, name in prop::sample::select(vec!["db2", "bior4.4"]),
    ) {
        let coefficients = numbered(name, &shape, &axes, levels, Mode::Symmetric, &[], |i| 1.0 + i as f32);
        let mut packed = coefficients.packed(Layout::Mallat).unwrap();
        let unused = packed.iter().filter(|value| **value == 0.0).count();
        prop_assert_eq!(unused + coefficients.values().len(), packed.len());
        // Unused elements do not matter.
        packed.mapv_inplace(|value| if value == 0.0 { f32::NAN } else { value });
        let back = Coefficients::from_packed(coefficients.plan(), Layout::Mallat, packed.view());
        let back = back.unwrap();
        prop_assert_eq!(back.values(), coefficients.values());
    }

    #[test]
    fn thresholding_commutes_with_packing(
        (shape, axes) in shapes(), levels in 0_usize..4, value in 0_i32..40,
        rule in prop::sample::select(Rule::ALL.to_vec()), only_details in any::<bool>(),
        fraction in 0.0_f64..=1.0,
    ) {
        let number = |i: usize| (i as i32 * 7919 + 13) % 101 - 50;
        let coefficients = numbered("rev53", &shape, &axes, levels, Mode::Jpeg2000, &[], number);
        let threshold = Threshold::new(rule, value).unwrap();
        let select = |band: &waveloom::Band| !only_details || details(band);
        let (mut shrunk, mut largest) = (coefficients.clone(), coefficients.clone());
        shrunk.threshold(threshold, select);
        let kept = largest.keep_largest(fraction, select).unwrap();
        for layout in [Layout::Mallat, Layout::Mixed] {
            let packing = coefficients.plan().packing(layout).unwrap();
            let mut packed = coefficients.packed(layout).unwrap();
            packing.threshold(packed.as_slice_mut().unwrap(), threshold, select).unwrap();
            prop_assert_eq!(packed, shrunk.packed(layout).unwrap());
            let mut packed = coefficients.packed(layout).unwrap();
            let same = packing.keep_largest(packed.as_slice_mut().unwrap(), fraction, select);
            prop_assert_eq!(same.unwrap(), kept);
            prop_assert_eq!(packed, largest.packed(layout).unwrap());
        }
        for (was, is) in coefficients.values().iter().zip(shrunk.values()) {
            prop_assert!(is.abs() <= was.abs() && is.signum() * was.signum() >= 0);
        }
    }

    #[test]
    fn shrunk_floats_stay_numbers(
        value in prop::num::f32::ANY, threshold in prop::num::f32::POSITIVE | prop::num::f32::ZERO,
    ) {
        for rule in Rule::ALL {
            let got = Threshold::new(rule, threshold.abs()).unwrap().of(value);
            prop_assert_eq!(got.is_nan(), value.is_nan(), "{:?} {} {} {}", rule, value, threshold, got);
            if !value.is_nan() {
                prop_assert!(got.abs() <= value.abs());
                prop_assert_eq!(got.is_sign_negative(), value.is_sign_negative());
            }
        }
    }
}

#[test]
fn the_mixed_haar_transform_is_in_place() {
    // Quan and Jeong's Figure 4: eight samples, three levels.
    let haar = catalogue::wavelet("haar").unwrap();
    let plan = Plan::<f64>::builder(&haar, &[8]).levels(3).build().unwrap();
    let signal = ndarray::Array1::from_vec(vec![4.0, 2.0, 7.0, 1.0, 0.0, 3.0, 5.0, 6.0]);
    let mixed_band = plan.forward_array(signal.view()).unwrap().packed(Layout::Mixed).unwrap();
    let mut expected = signal.to_vec();
    let mut step = 1;
    while step < 8 {
        for first in (0..8).step_by(2 * step) {
            let (x0, x1) = (expected[first], expected[first + step]);
            expected[first] = (x0 + x1) / 2.0_f64.sqrt();
            expected[first + step] = (x0 - x1) / 2.0_f64.sqrt();
        }
        step *= 2;
    }
    for (got, expected) in mixed_band.iter().zip(&expected) {
        assert!((got - expected).abs() < 1e-12);
    }
}

#[test]
fn layouts_that_do_not_exist_are_refused_with_the_numbers() {
    let refusal = |name: &str, len: usize, levels: usize, mode: Mode| {
        numbered(name, &[3, len], &[1], levels, mode, &[], |_| 0.0_f32)
            .packed(Layout::Mixed)
            .unwrap_err()
    };
    let expected = PackError::NotInPlace { axis: 1, level: 1, samples: 16, low: 11, high: 11 };
    assert_eq!(refusal("db4", 16, 1, Mode::Symmetric), expected);
    // Periodization repeats the last of an odd number of samples: here at level 3.
    let expected = PackError::NotInPlace { axis: 1, level: 3, samples: 3, low: 2, high: 2 };
    assert_eq!(refusal("db2", 12, 3, Mode::Periodization), expected);
    assert!(expected.to_string().contains("3 samples at level 3"));

    let plan = numbered("haar", &[4], &[0], 1, Mode::Symmetric, &[], |i| i as f64);
    let wrong = ndarray::Array1::<f64>::zeros(5).into_dyn();
    for layout in [Layout::Mallat, Layout::Mixed] {
        let error = Coefficients::from_packed(plan.plan(), layout, wrong.view()).unwrap_err();
        assert_eq!(error, PackError::Shape { expected: vec![4], got: vec![5] });
        let packing = plan.plan().packing(layout).unwrap();
        assert!(packing.pack(&[0.0; 4], &mut [0.0; 3]).is_err());
        assert!(packing.unpack(&[0.0; 4], &mut [0.0; 5]).is_err());
        assert!(packing.visit_mut(&mut [0.0; 3], |_, _| ()).is_err());
    }
}

#[test]
fn rows_of_bands_may_have_gaps() {
    let plan = numbered("db2", &[2, 5, 6], &[1, 2], 1, Mode::Symmetric, &[], |i| 1.0 + i as f64);
    let bands = plan.plan().bands().to_vec();
    assert_eq!(bands[0].shape, [2, 4, 4]);
    let rows: Vec<BandRows> =
        (0..4).map(|i| BandRows { offset: 3 + 60 * i, pitch: [4, 5, 6, 7][i] }).collect();
    let packing = Packing::of_rows(&bands, &rows).unwrap();
    // The last band ends with the gap of its last row.
    assert_eq!((packing.len(), packing.shape()), (183 + 8 * 7, &[239][..]));
    let values: Vec<f64> = (0..128).map(|i| 1.0 + f64::from(i)).collect();
    let mut packed = vec![f64::NAN; packing.len()];
    packing.pack(&values, &mut packed).unwrap();
    for (band, rows) in bands.iter().zip(&rows) {
        for i in 0..band.len {
            let (row, column) = (i / 4, i % 4);
            assert_eq!(packed[rows.offset + row * rows.pitch + column], values[band.offset + i]);
        }
    }
    // What is between holds nothing.
    assert_eq!(packed.iter().filter(|value| **value != 0.0).count(), values.len());
    let mut back = vec![0.0; values.len()];
    packing.unpack(&packed, &mut back).unwrap();
    assert_eq!(back, values);
    let mut visited = Vec::new();
    packing.visit_mut(&mut packed, |band, value| visited.push((band.offset, *value))).unwrap();
    assert_eq!(visited.iter().map(|(_, value)| *value).collect::<Vec<_>>(), values);
    assert_eq!(visited[127].0, bands[3].offset);

    let few = Packing::of_rows(&bands, &rows[..3]).unwrap_err();
    assert_eq!(few, PackError::Length { what: "rows of bands", expected: 4, got: 3 });
    assert_eq!(Packing::of_rows(&[], &[]).unwrap_err(), PackError::NoBands);
    for (offset, pitch) in [(0, 3), (usize::MAX, 4), (0, usize::MAX)] {
        let mut wrong = rows.clone();
        wrong[2] = BandRows { offset, pitch };
        let error = Packing::of_rows(&bands, &wrong).unwrap_err();
        assert!(matches!(error, PackError::Rows { .. }) && error.to_string().contains("band da1"));
    }
    assert!(packing.pack(&values, &mut vec![0.0; 238]).is_err());
}

#[test]
fn bands_too_far_apart_are_refused() {
    let plan = numbered("db2", &[5, 6], &[0, 1], 2, Mode::Symmetric, &[], |i| 1.0 + i as f64);
    let (bands, axes) = (plan.plan().bands(), plan.plan().axes());
    assert!(Packing::mallat(bands, axes, 1000).is_ok());
    for gap in [1 << 32, usize::MAX - 2, usize::MAX] {
        assert_eq!(Packing::mallat(bands, axes, gap).unwrap_err(), PackError::Gap { gap });
    }
}

/// Bands may stand between each other's rows, but not in the same places.
#[test]
fn rows_of_bands_do_not_overlap() {
    let plan = numbered("db2", &[2, 5, 6], &[1, 2], 1, Mode::Symmetric, &[], |i| 1.0 + i as f64);
    let bands = plan.plan().bands().to_vec();
    let rows = |places: [[usize; 2]; 4]| places.map(|[offset, pitch]| BandRows { offset, pitch });
    // Eight rows of four elements each.
    let beside = rows([[0, 16], [4, 16], [12, 16], [8, 16]]);
    let packing = Packing::of_rows(&bands, &beside).unwrap();
    let values: Vec<f64> = (0..128).map(f64::from).collect();
    let (mut packed, mut back) = (vec![f64::NAN; packing.len()], vec![0.0; values.len()]);
    packing.pack(&values, &mut packed).unwrap();
    packing.unpack(&packed, &mut back).unwrap();
    assert_eq!(back, values);
    let keys = ["aa", "ad", "da", "dd"];
    for (places, [first, second]) in [
        // The same places; one element in common, in the first row and only in later ones.
        (rows([[0, 4], [32, 4], [32, 4], [64, 4]]), [1, 2]),
        (rows([[0, 4], [32, 4], [63, 4], [95, 4]]), [1, 2]),
        (rows([[0, 16], [4, 16], [7, 16], [11, 16]]), [1, 2]),
        (rows([[0, 16], [13, 16], [200, 4], [300, 4]]), [0, 1]),
        // Differently far apart.
        (rows([[0, 16], [4, 24], [400, 4], [500, 4]]), [0, 1]),
    ] {
        let error = Packing::of_rows(&bands, &places).unwrap_err();
        let named = |index: usize| bands[index].key.clone();
        let expected = PackError::Overlap { first: named(first), second: named(second) };
        assert_eq!(error, expected);
        assert!(error.to_string().contains(keys[first]), "{error}");
    }
}
