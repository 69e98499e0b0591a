//! Large arrays: many strips and parts, and any number of threads, give the same values.

use waveloom::codegen::Operation;
use waveloom::wavelets::{Mode, SchemeKind, Wavelet, catalogue};
use waveloom::{Element, ExecuteError, Plan, PlanBuilder, PlanError, Threads};

fn wavelet(name: &str) -> Wavelet {
    catalogue::wavelet(name).unwrap()
}

/// Numbers without a pattern, the same every time.
fn numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7919 + i / 13) % 1009) as f32 / 1009.0 - 0.5).collect()
}

fn outcome(plan: &Plan<f32>, operation: Operation) -> Vec<f32> {
    let lens = [plan.signal_len(), plan.coefficient_len()];
    let [from, to] = match operation {
        Operation::Forward | Operation::AdjointInverse => lens,
        Operation::Inverse | Operation::AdjointForward => [lens[1], lens[0]],
    };
    let mut output = vec![f32::NAN; to];
    plan.execute(operation, &numbers(from), &mut output, &mut plan.workspace()).unwrap();
    output
}

#[test]
fn threads_and_schemes_agree() {
    let shapes: [&[usize]; 6] =
        [&[300_001], &[130, 2600], &[601, 333], &[344, 1536], &[3, 100, 700], &[30, 66, 97]];
    for shape in shapes {
        for (name, axes) in [("haar", 1), ("db4", 2), ("bior4.4", 3), ("bior2.2", 2)] {
            let wavelet = wavelet(name);
            let axes: Vec<usize> = (shape.len().saturating_sub(axes)..shape.len()).collect();
            for mode in [Mode::Periodization, Mode::Symmetric, Mode::Smooth] {
                for operation in Operation::ALL {
                    let builder = Plan::<f32>::builder(&wavelet, shape).mode(mode).axes(&axes);
                    let single = builder.clone().threads(1).build().unwrap();
                    let expected = outcome(&single, operation);
                    for threads in [2, 3] {
                        let plan = builder.clone().threads(threads).build().unwrap();
                        let got = outcome(&plan, operation);
                        assert!(got == expected, "{name} {shape:?} {mode} {operation:?} {threads}");
                    }
                    let lifting = match axes.len() {
                        1 => SchemeKind::Lifting,
                        _ => SchemeKind::SeparableLifting,
                    };
                    let other = outcome(&builder.scheme(lifting).build().unwrap(), operation);
                    let errors = other.iter().zip(&expected).map(|(a, b)| (a - b).abs());
                    let worst = errors.fold(0.0, f32::max);
                    let largest = expected.iter().fold(1.0, |largest: f32, x| largest.max(x.abs()));
                    assert!(
                        worst < 1e-5 * largest,
                        "{name} {shape:?} {mode} {operation:?}: {worst:e}"
                    );
                }
            }
        }
    }
}

/// The largest difference between a plan's default and sums, relative to the largest value.
fn apart<T: Element + Into<f64>>(
    builder: &PlanBuilder<'_, T>,
    operation: Operation,
    of: impl Fn(f32) -> T,
) -> f64 {
    let [found, expected] = [None, Some(SchemeKind::SeparableConvolution)].map(|scheme| {
        let builder = builder.clone();
        let builder = match scheme {
            Some(scheme) => builder.scheme(scheme),
            None => builder,
        };
        let plan = builder.build().unwrap();
        let lens = [plan.signal_len(), plan.coefficient_len()];
        let [from, to] = if operation == Operation::Forward { lens } else { [lens[1], lens[0]] };
        let input: Vec<T> = numbers(from).into_iter().map(&of).collect();
        let mut output = vec![of(f32::NAN); to];
        plan.execute(operation, &input, &mut output, &mut plan.workspace()).unwrap();
        output.into_iter().map(Into::into).collect::<Vec<f64>>()
    });
    let largest = expected.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
    let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    // NaN is further apart than anything.
    let worst = differences.fold(0.0, |worst, next| if next <= worst { worst } else { next });
    worst / largest
}

#[test]
fn long_rows_agree_with_sums() {
    // Rows of whole vectors pass both axes some columns at a time.
    let shapes: [&[usize]; 7] =
        [&[1, 512], &[6, 513], &[37, 514], &[3, 18, 1031], &[300, 2049], &[37, 1536], &[2, 9, 800]];
    for shape in shapes {
        let axes = [shape.len() - 2, shape.len() - 1];
        for name in ["db4", "bior4.4", "irr97"] {
            let wavelet = wavelet(name);
            for mode in Mode::ALL {
                for operation in [Operation::Forward, Operation::Inverse] {
                    let narrow = Plan::<f32>::builder(&wavelet, shape).mode(mode).axes(&axes);
                    // Not every mode has every length.
                    if narrow.clone().build().is_err() {
                        continue;
                    }
                    let error = apart(&narrow, operation, |x| x);
                    assert!(error < 2e-6, "{name} {shape:?} {mode} {operation:?}: {error:e}");
                    let wide = Plan::<f64>::builder(&wavelet, shape).mode(mode).axes(&axes);
                    let error = apart(&wide, operation, f64::from);
                    assert!(error < 1e-13, "{name} {shape:?} {mode} {operation:?}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn levels_shrink_to_one_thread() {
    let db2 = wavelet("db2");
    let plan = Plan::<f32>::builder(&db2, &[700, 701]).levels(5).threads(Threads::Auto);
    let [auto, single] = [plan.clone(), plan.threads(Threads::Single)];
    for operation in Operation::ALL {
        let outcomes =
            [&auto, &single].map(|plan| outcome(&plan.clone().build().unwrap(), operation));
        assert!(outcomes[0] == outcomes[1], "{operation:?}");
    }
}

#[test]
fn no_threads_are_refused() {
    let refused = Plan::<f32>::builder(&wavelet("haar"), &[8]).threads(0).build();
    assert!(matches!(refused, Err(PlanError::Threads { count: 0, .. })));
}

/// One thread sweeps through the levels of a line together, several go level by level.
#[test]
fn levels_of_lines_agree() {
    let stages = [SchemeKind::Lattice, SchemeKind::Lifting];
    for (len, levels) in [(800_003, 7), (300_000, 2)] {
        for name in ["haar", "db4", "bior4.4", "rbio3.5", "db16"] {
            for mode in Mode::ALL {
                let wavelet = wavelet(name);
                let mut builder = Plan::<f32>::builder(&wavelet, &[len]).mode(mode).levels(levels);
                if let (Some(scheme), 2) = (stages.get(mode as usize % 3), levels) {
                    builder = builder.scheme(*scheme);
                }
                let Ok(single) = builder.clone().threads(1).build() else { continue };
                let several = builder.threads(2).build().unwrap();
                for operation in Operation::ALL {
                    let [one, two] = [&single, &several].map(|plan| outcome(plan, operation));
                    assert!(one == two, "{name} {len} {mode} {operation:?}");
                }
            }
        }
    }
}

/// A 32-bit plan of 1, 2 and 3 threads, and a plan of 64 bits, which goes another way.
fn widths_agree(plan: &PlanBuilder<'_, i32>, wide: PlanBuilder<'_, i64>, of: impl Fn(i64) -> i64) {
    let wide = wide.threads(1).build().unwrap();
    let about = format!("{:?} {:?} {} {:?}", wide.shape(), wide.axes(), wide.mode(), wide.origin());
    let signal: Vec<i64> = (0..wide.signal_len() as i64).map(of).collect();
    let mut expected = vec![0; wide.coefficient_len()];
    wide.forward(&signal, &mut expected, &mut wide.workspace()).unwrap();
    let narrow: Vec<i32> = signal.iter().map(|value| *value as i32).collect();
    for threads in [1, 2, 3] {
        let plan = plan.clone().threads(threads).build().unwrap();
        let mut got = vec![0; plan.coefficient_len()];
        plan.forward(&narrow, &mut got, &mut plan.workspace()).unwrap();
        let same = got.iter().zip(&expected).all(|(a, b)| i64::from(*a) == *b);
        assert!(same, "{about} {threads}");
        let mut back = vec![0; plan.signal_len()];
        plan.inverse(&got, &mut back, &mut plan.workspace()).unwrap();
        assert!(back == narrow, "{about} {threads}: inverse");
    }
}

/// Numbers of both signs, without a pattern.
fn integer(i: i64) -> i64 {
    (i * 7919 + i / 13) % 1009 - 504
}

#[test]
fn integers_of_all_widths_agree() {
    let shapes: [&[usize]; 8] = [
        &[700, 523],
        &[130, 2600],
        &[1, 40],
        &[37, 1],
        &[2, 3],
        &[3, 66, 301],
        &[5, 1031],
        &[39, 1536],
    ];
    let rev53 = wavelet("rev53");
    for shape in shapes {
        for order in [[0, 1], [1, 0]] {
            let axes = order.map(|axis| shape.len() - 2 + axis);
            for mode in Mode::ALL {
                let wide = Plan::<i64>::builder(&rev53, shape).mode(mode).axes(&axes);
                if wide.clone().build().is_err() {
                    // No widths agree on what the mode cannot transform.
                    assert!(
                        Plan::<i32>::builder(&rev53, shape).mode(mode).axes(&axes).build().is_err()
                    );
                    continue;
                }
                let plan = Plan::<i32>::builder(&rev53, shape).mode(mode).axes(&axes);
                widths_agree(&plan, wide, integer);
            }
        }
    }
}

#[test]
fn integers_agree_from_any_origin() {
    let rev53 = wavelet("rev53");
    for shape in [[67, 131], [66, 1030], [2, 5]] {
        for origin in [[0, 1], [1, 0], [-7, 3], [12, -4]] {
            let wide = Plan::<i64>::builder(&rev53, &shape).mode(Mode::Jpeg2000).origin(&origin);
            let plan = Plan::<i32>::builder(&rev53, &shape).mode(Mode::Jpeg2000).origin(&origin);
            widths_agree(&plan.levels(3), wide.levels(3), integer);
        }
    }
}

/// The largest values that a plan takes, of both signs, and one more anywhere.
#[test]
fn integers_agree_up_to_the_bound() {
    let rev53 = wavelet("rev53");
    for mode in [Mode::Jpeg2000, Mode::Periodization, Mode::Symmetric, Mode::Smooth] {
        let shape = [37, 75];
        let plan = Plan::<i32>::builder(&rev53, &shape).mode(mode).levels(2);
        let wide = Plan::<i64>::builder(&rev53, &shape).mode(mode).levels(2);
        let single = plan.clone().build().unwrap();
        let bound = single.max_input().unwrap();
        let signs = |i: i64| if integer(i) < 0 { -bound } else { bound };
        widths_agree(&plan, wide, signs);
        let signal: Vec<i32> = (0..single.signal_len() as i64).map(|i| signs(i) as i32).collect();
        let mut coefficients = vec![0; single.coefficient_len()];
        for at in 0..signal.len() {
            for value in [bound + 1, -bound - 1] {
                let mut beyond = signal.clone();
                beyond[at] = value as i32;
                let refused = single.forward(&beyond, &mut coefficients, &mut single.workspace());
                let largest = (bound + 1) as u64;
                assert!(
                    matches!(refused, Err(ExecuteError::CouldOverflow { largest: l, .. }) if l == largest),
                    "{mode} {at}: {refused:?}"
                );
            }
        }
        // What is forgotten of the values before.
        single.forward(&signal, &mut coefficients, &mut single.workspace()).unwrap();
    }
}
