//! Scalar graphs: built graphs compute what their steps say, and passes keep values.

use proptest::prelude::*;
use std::collections::BTreeMap;
use waveloom_codegen::dag::build::{DagError, HERE};
use waveloom_codegen::dag::{Contraction, Dag, Node, Place, contract, factor, schedule, simplify};
use waveloom_codegen::kernel::{
    Element, Exchange, Kernel, Margin, Operation, Output, Segment, Step, Term, Update,
    UpdateRounding,
};
use waveloom_wavelets::scheme::{FactorKind, Rounding};

fn value(plane: usize, k: i64) -> f64 {
    let mixed = (k * 2_654_435_761 + plane as i64 * 40_503).rem_euclid(2001);
    (mixed - 1000) as f64 / 64.0
}

fn integer(plane: usize, k: i64) -> f64 {
    (value(plane, k) * 8.0).floor()
}

/// The direct meaning of steps: plane values after `steps[..after]`, at one index.
fn meaning(
    steps: &[&Step],
    after: usize,
    plane: usize,
    k: i64,
    start: &dyn Fn(usize, i64) -> f64,
) -> f64 {
    let Some(step) = after.checked_sub(1).map(|last| steps[last]) else { return start(plane, k) };
    let before = |plane, k| meaning(steps, after - 1, plane, k, start);
    let Some(update) = step.updates.iter().find(|update| update.plane == plane) else {
        return before(plane, k);
    };
    let position = k - i64::from(update.offset[0]);
    let sum: f64 = update
        .terms
        .iter()
        .map(|t| t.coefficient * before(t.plane, position + i64::from(t.offset[0])))
        .sum();
    match update.rounding {
        Some(rounded) => {
            let unit = 2.0_f64.powi(rounded.rounding.shift as i32);
            let floor = ((sum * unit + rounded.rounding.offset as f64) / unit).floor();
            before(plane, k) + if rounded.subtract { -floor } else { floor }
        }
        None if update.increment => before(plane, k) + sum,
        None => sum,
    }
}

fn kernel(steps: Vec<Step>, outputs: Vec<Output>, element: Element) -> Kernel {
    Kernel {
        operation: Operation::Forward,
        element,
        axes: 1,
        segments: vec![Segment { exchange: Exchange::Shared, steps }],
        outputs,
        halo: Margin::default(),
        spread: Margin::default(),
    }
}

fn step(updates: Vec<Update>) -> Step {
    Step { kind: FactorKind::Predict, updates, margin: Margin::default(), in_place: false }
}

/// A two-plane update of plane `plane`.
fn update(
    plane: usize,
    offset: i32,
    terms: &[(usize, i32, f64)],
    increment: bool,
    rounding: Option<(i64, u32, bool)>,
) -> Update {
    let terms = terms
        .iter()
        .map(|(plane, e, coefficient)| Term {
            plane: *plane,
            offset: [*e, 0, 0],
            coefficient: *coefficient,
        })
        .collect();
    let rounding = rounding.map(|(offset, shift, subtract)| UpdateRounding {
        rounding: Rounding { offset, shift },
        subtract,
    });
    Update { plane, offset: [offset, 0, 0], terms, increment, rounding }
}

fn coefficient() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1.0, -1.0, 0.5, -0.5, 0.5, 2.0, 0.3, -0.3, 0.3, -1.25, 0.0])
}

fn terms() -> impl Strategy<Value = Vec<(usize, i32, f64)>> {
    prop::collection::vec((0..2_usize, -2..3_i32, coefficient()), 0..7)
}

fn linear_steps() -> impl Strategy<Value = Vec<Step>> {
    let one = (terms(), terms(), -1..2_i32, any::<[bool; 3]>()).prop_map(|(t0, t1, e, flags)| {
        let [both, first, second] = flags;
        let mut updates = vec![update(1, e, &t1, second, None)];
        if both {
            updates.push(update(0, 0, &t0, first, None));
        }
        step(updates)
    });
    prop::collection::vec(one, 1..4)
}

fn integer_steps() -> impl Strategy<Value = Vec<Step>> {
    let quarter = prop::sample::select(vec![0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 0.75]);
    let one = (
        0..2_usize,
        prop::collection::vec((-2..3_i32, quarter), 0..5),
        -3..4_i64,
        any::<bool>(),
        2..4_u32,
    );
    let one = one.prop_map(|(plane, taps, offset, subtract, shift)| {
        let terms: Vec<_> = taps.iter().map(|(e, c)| (1 - plane, *e, *c)).collect();
        step(vec![update(plane, 0, &terms, true, Some((offset, shift, subtract)))])
    });
    prop::collection::vec(one, 1..4)
}

fn outputs() -> Vec<Output> {
    vec![Output { plane: 1, offset: [1, 0, 0] }, Output { plane: 0, offset: [-1, 0, 0] }]
}

fn read(values: fn(usize, i64) -> f64) -> impl Fn(&Place) -> f64 {
    move |place| values(place.plane, i64::from(place.offset[0]))
}

fn close(left: &[f64], right: &[f64]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(l, r)| (l - r).abs() <= 1e-9 * (1.0 + r.abs()))
}

/// Every pass keeps values, repeats itself without effect, and makes nothing worse.
fn check_passes(dag: &Dag, values: fn(usize, i64) -> f64) -> Result<(), TestCaseError> {
    let expected = dag.evaluate(read(values));
    let simple = simplify(dag);
    let factored = factor(&simple);
    let separate = contract(&factored, Contraction::Separate);
    let fused = contract(&factored, Contraction::Fused);
    let scheduled = schedule(&fused);
    for (name, one) in [
        ("simplify", &simple),
        ("factor", &factored),
        ("separate", &separate),
        ("fused", &fused),
        ("schedule", &scheduled),
    ] {
        let got = one.evaluate(read(values));
        prop_assert!(close(&got, &expected), "{name}: {got:?} for {expected:?}\n{dag}\n{one}");
        let places = |dag: &Dag| dag.stores().iter().map(|s| s.place).collect::<Vec<_>>();
        prop_assert_eq!(places(one), places(dag));
    }
    prop_assert_eq!(&simplify(&simple), &simple);
    prop_assert_eq!(&factor(&factored), &factored);
    prop_assert_eq!(&contract(&fused, Contraction::Fused), &fused);
    prop_assert_eq!(&schedule(&scheduled), &scheduled);
    let (built, simple, factored, fused) =
        (dag.counts(), simple.counts(), factored.counts(), fused.counts());
    prop_assert!(simple.operations() <= built.operations());
    prop_assert!(factored.multiplications <= simple.multiplications);
    prop_assert!(factored.additions <= simple.additions);
    prop_assert!(fused.operations() <= factored.operations());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn linear_networks_mean_what_their_steps_say(steps in linear_steps(), at in -2..3_i32) {
        let kernel = kernel(steps, outputs(), Element::F64);
        let dag = Dag::outputs(&kernel, 0, &[HERE, [at, 0, 0]]).unwrap();
        let steps: Vec<&Step> = kernel.steps().collect();
        let expected: Vec<f64> = dag
            .stores()
            .iter()
            .map(|store| {
                let output = kernel.outputs[store.place.plane];
                let k = i64::from(output.offset[0]) + i64::from(store.place.offset[0]);
                meaning(&steps, steps.len(), output.plane, k, &value)
            })
            .collect();
        prop_assert!(close(&dag.evaluate(read(value)), &expected));
        check_passes(&dag, value)?;
    }

    #[test]
    fn rounded_networks_are_exact(steps in integer_steps()) {
        let kernel = kernel(steps, outputs(), Element::I32);
        let dag = Dag::outputs(&kernel, 0, &[HERE]).unwrap();
        let steps: Vec<&Step> = kernel.steps().collect();
        let expected: Vec<f64> = dag
            .stores()
            .iter()
            .map(|store| {
                let output = kernel.outputs[store.place.plane];
                let k = i64::from(output.offset[0]);
                meaning(&steps, steps.len(), output.plane, k, &integer)
            })
            .collect();
        prop_assert_eq!(dag.evaluate(read(integer)), expected.clone());
        let whole = dag.optimised(Contraction::Separate);
        prop_assert_eq!(whole.evaluate(read(integer)), expected);
        check_passes(&dag, integer)?;
    }
}

fn lifting_step() -> Kernel {
    let predict = update(1, 0, &[(0, 0, -0.5), (0, 1, -0.5)], true, None);
    kernel(vec![step(vec![predict])], outputs(), Element::F32)
}

#[test]
fn symmetric_taps_share_one_multiplication() {
    let dag = Dag::segment(&lifting_step(), 0, &[HERE]).unwrap();
    assert_eq!((dag.counts().multiplications, dag.counts().additions), (1 + 1, 2));
    let text = dag.optimised(Contraction::Separate).to_string();
    let expected = "\
v0 = plane0[k]
v1 = plane0[k+1]
v2 = v0 + v1
v3 = 0.5 * v2
v4 = plane1[k]
v5 = v4 - v3
plane1[k] <- v5
";
    assert_eq!(text, expected);
    let fused = dag.optimised(Contraction::Fused);
    assert!(
        fused
            .nodes()
            .iter()
            .any(|node| matches!(node, Node::MulAdd { factor, .. } if factor.0 == -0.5))
    );
    assert_eq!(fused.counts().operations(), 2);
}

#[test]
fn several_positions_share_what_they_have_in_common() {
    let positions = [HERE, [1, 0, 0], [2, 0, 0]];
    let dag = Dag::segment(&lifting_step(), 0, &positions).unwrap();
    assert_eq!(dag.stores().len(), 3);
    let leaves: Vec<Place> = dag.leaves().collect();
    assert_eq!(leaves.iter().filter(|place| place.plane == 0).count(), 4);
    assert_eq!(leaves.iter().filter(|place| place.plane == 1).count(), 3);
}

#[test]
fn a_long_sum_does_not_exhaust_the_stack() {
    let terms: Vec<(usize, i32, f64)> =
        (0..20_000).map(|e| (0, e, 0.25 + f64::from(e % 700))).collect();
    let long = kernel(vec![step(vec![update(1, 0, &terms, false, None)])], outputs(), Element::F64);
    let dag = Dag::segment(&long, 0, &[HERE]).unwrap();
    let best = dag.optimised(Contraction::Separate);
    assert_eq!(best.counts().multiplications, 700);
    assert!(close(&best.evaluate(read(value)), &dag.evaluate(read(value))));
}

#[test]
fn integer_kernels_refuse_what_they_cannot_hold() {
    let build = |coefficient: f64, rounding, element| {
        let one = update(1, 0, &[(0, 0, coefficient)], true, rounding);
        Dag::segment(&kernel(vec![step(vec![one])], outputs(), element), 0, &[HERE])
    };
    let message = |result: Result<Dag, DagError>| result.map(|_| ()).unwrap_err().to_string();
    let not_integer = build(0.3, Some((0, 2, false)), Element::I32);
    let expected = "integer arithmetic needs coefficients that are multiples of 1/4, got 0.3";
    assert_eq!(message(not_integer), expected);
    let too_large = build(40_000.0, Some((0, 0, false)), Element::I16);
    assert_eq!(message(too_large), "the constant 40000 does not fit i16");
    assert!(build(40_000.0, Some((0, 0, false)), Element::I32).is_ok());
    assert_eq!(
        message(build(1e300, None, Element::F32)),
        format!("the constant {} does not fit f32", 1e300)
    );
    let missing = Dag::segment(&lifting_step(), 4, &[HERE]);
    assert_eq!(message(missing), "the kernel has 1 segments, but segment 4 was asked for");
}

#[test]
fn equal_expressions_are_one_node() {
    let dag = Dag::segment(&lifting_step(), 0, &[HERE]).unwrap();
    let mut seen = BTreeMap::new();
    for (id, node) in dag.program() {
        assert!(seen.insert(node, id).is_none(), "{id} occurs twice");
    }
}
