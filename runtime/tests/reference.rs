//! Plans against the reference transform: all operations, modes, schemes, dimensions and element
//! types.

use waveloom::codegen::Operation;
use waveloom::wavelets::reference::{Band as ReferenceBand, Reference, Request};
use waveloom::wavelets::{Mode, SchemeKind, Wavelet, catalogue};
use waveloom::{Element, Plan};

/// Numbers between -1 and 1, the same in every run.
fn noise(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// What is compared, and how closely.
struct Case<'a> {
    wavelet: &'a Wavelet,
    shape: &'a [usize],
    axes: &'a [usize],
    levels: usize,
    mode: Mode,
    origins: &'a [i64],
    scheme: SchemeKind,
}

impl Case<'_> {
    fn plan<T: Element>(&self) -> Plan<T> {
        Plan::<T>::builder(self.wavelet, self.shape)
            .axes(self.axes)
            .levels(self.levels)
            .mode(self.mode)
            .origin(self.origins)
            .scheme(self.scheme)
            .build()
            .unwrap_or_else(|error| panic!("{}: {error}", self.name()))
    }

    fn reference(&self) -> Reference {
        let (shape, axes, origins) = (self.shape, self.axes, self.origins);
        let request = Request { shape, axes, levels: self.levels, mode: self.mode, origins };
        Reference::new(self.wavelet, &request).unwrap()
    }

    fn name(&self) -> String {
        format!(
            "{} {:?} axes {:?} levels {} {} origins {:?} {}",
            self.wavelet.name(),
            self.shape,
            self.axes,
            self.levels,
            self.mode,
            self.origins,
            self.scheme
        )
    }

    /// One plan and one reference do every operation.
    fn agrees<T: Element + Number>(&self, tolerance: f64) {
        let plan = self.plan::<T>();
        let reference = self.reference();
        let mut workspace = plan.workspace();
        let signal = noise(plan.signal_len(), 7);
        let coefficients = noise(plan.coefficient_len(), 9);
        let bands: Vec<ReferenceBand<f64>> = plan
            .bands()
            .iter()
            .map(|band| ReferenceBand {
                key: band.key.clone(),
                shape: band.shape.clone(),
                data: coefficients[band.offset..band.offset + band.len].to_vec(),
            })
            .collect();
        for operation in Operation::ALL {
            let (input, expected) = match operation {
                Operation::Forward => (&signal, flat(&plan, reference.forward(&signal).unwrap())),
                Operation::AdjointInverse => {
                    (&signal, flat(&plan, reference.adjoint_of_inverse(&signal).unwrap()))
                }
                Operation::Inverse => (&coefficients, reference.inverse(&bands).unwrap()),
                Operation::AdjointForward => (&coefficients, reference.adjoint(&bands).unwrap()),
            };
            let input: Vec<T> = input.iter().map(|value| T::of(*value)).collect();
            let scale = expected.iter().fold(1.0_f64, |m, value| m.max(value.abs()));
            // With memory of its own, and with such as others left something behind.
            for memory in [&mut plan.workspace(), &mut workspace] {
                let mut output = vec![T::of(f64::NAN); expected.len()];
                plan.execute(operation, &input, &mut output, memory).unwrap();
                for (i, (got, expected)) in output.into_iter().zip(&expected).enumerate() {
                    let got = got.to_f64();
                    // Written so that NaN fails.
                    let close = (got - expected).abs() <= tolerance * scale;
                    assert!(close, "{} {operation:?} [{i}]: {got} for {expected}", self.name());
                }
            }
        }
    }
}

fn flat<T: Element>(plan: &Plan<T>, bands: Vec<ReferenceBand<f64>>) -> Vec<f64> {
    let mut flat = vec![f64::NAN; plan.coefficient_len()];
    for band in plan.bands() {
        let found = bands.iter().find(|other| other.key == band.key).unwrap();
        assert_eq!(found.shape, band.shape, "{}", band.key);
        flat[band.offset..band.offset + band.len].copy_from_slice(&found.data);
    }
    flat
}

trait Number {
    fn of(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Number for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn to_f64(self) -> f64 {
        self
    }
}

fn usable(wavelet: &Wavelet, mode: Mode, len: usize) -> bool {
    let whole = wavelet.frame().symmetry.is_some();
    (mode != Mode::Jpeg2000 || whole)
        && len >= mode.minimum_length()
        && (mode != Mode::Circular || len.is_multiple_of(2))
}

const LINES: [SchemeKind; 3] = [SchemeKind::Convolution, SchemeKind::Lifting, SchemeKind::Lattice];

#[test]
fn every_length_mode_operation_and_scheme_on_one_axis() {
    for name in ["haar", "db2", "db3", "db5", "bior2.2", "bior4.4", "bior1.3", "rbio3.1", "irr97"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        for scheme in LINES.into_iter().filter(|scheme| wavelet.scheme(*scheme, 1).is_ok()) {
            for mode in Mode::ALL {
                for len in (1..=40).filter(|len| usable(&wavelet, mode, *len)) {
                    let (shape, axes, origins) = (&[len][..], &[0][..], &[][..]);
                    for levels in [1, 3] {
                        if mode == Mode::Circular && len % 8 != 0 && levels > 1 {
                            continue;
                        }
                        let case =
                            Case { wavelet: &wavelet, shape, axes, levels, mode, origins, scheme };
                        if levels > 1
                            && matches!(mode, Mode::Reflect | Mode::Antireflect)
                            && len < 8
                        {
                            continue;
                        }
                        case.agrees::<f64>(1e-12);
                    }
                }
            }
        }
    }
}

#[test]
fn several_axes_with_batches_before_between_and_behind() {
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[9, 12], &[0, 1]),
        (&[9, 12], &[1, 0]),
        (&[2, 7, 10], &[1, 2]),
        (&[7, 2, 10], &[0, 2]),
        (&[7, 10, 3], &[1, 0]),
        (&[2, 11, 3], &[1]),
        (&[5, 6, 7], &[0, 1, 2]),
        (&[5, 6, 7], &[2, 0, 1]),
        (&[2, 5, 2, 6, 2, 7, 3], &[1, 3, 5]),
    ];
    let kinds = [
        SchemeKind::SeparableConvolution,
        SchemeKind::SeparableLifting,
        SchemeKind::NonseparableConvolution,
        SchemeKind::NonseparableLifting,
    ];
    let modes = [Mode::Symmetric, Mode::Smooth, Mode::Periodization, Mode::Zero, Mode::Jpeg2000];
    for (shape, axes) in shapes {
        for name in ["haar", "db2", "bior2.2", "bior4.4"] {
            let wavelet = catalogue::wavelet(name).unwrap();
            let kinds = if axes.len() == 1 { &LINES[..] } else { &kinds[..] };
            for scheme in kinds.iter().copied() {
                if wavelet.scheme(scheme, axes.len()).is_err() {
                    continue;
                }
                for mode in modes.into_iter().filter(|mode| usable(&wavelet, *mode, 4)) {
                    // Unfused three-axis kernels of long filters take long.
                    let slow = axes.len() == 3 && name == "bior4.4" && scheme.is_nonseparable();
                    for levels in if slow { 1..=1 } else { 1..=2 } {
                        let origins = &[][..];
                        let case =
                            Case { wavelet: &wavelet, shape, axes, levels, mode, origins, scheme };
                        case.agrees::<f64>(1e-12);
                    }
                }
            }
        }
    }
}

/// Lines long enough to be swept along, in every nesting of axes.
#[test]
fn wide_arrays_are_nested() {
    let shapes: [(&[usize], &[usize]); 8] = [
        (&[9, 40], &[0, 1]),
        (&[9, 40], &[1, 0]),
        (&[3, 8, 20], &[1, 2]),
        (&[7, 3, 34], &[0, 2]),
        (&[21, 6, 20], &[0, 1]),
        (&[5, 6, 40], &[0, 1, 2]),
        (&[4, 2, 5, 2, 18], &[0, 2, 4]),
        (&[1, 33, 64], &[1, 2]),
    ];
    for (shape, axes) in shapes {
        for name in ["haar", "db3", "bior4.4", "bior2.2"] {
            let wavelet = catalogue::wavelet(name).unwrap();
            let line = axes.len() == 1;
            for kind in [SchemeKind::SeparableConvolution, SchemeKind::SeparableLifting] {
                let scheme = if line { kind.one_dimensional() } else { kind };
                for mode in Mode::ALL {
                    let fits = axes.iter().all(|axis| usable(&wavelet, mode, shape[*axis]));
                    for levels in 1..=if mode == Mode::Circular { 1 } else { 2 } {
                        let case = Case {
                            wavelet: &wavelet,
                            shape,
                            axes,
                            levels,
                            mode,
                            origins: &[],
                            scheme,
                        };
                        if fits {
                            case.agrees::<f64>(1e-12);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn origins_and_single_samples() {
    for name in ["bior2.2", "irr97"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        for len in 1..=9 {
            for other in [1, 2, 5] {
                for origins in [[0, 0], [1, 0], [0, 1], [3, -1]] {
                    for scheme in [SchemeKind::SeparableLifting, SchemeKind::NonseparableLifting] {
                        let (shape, axes, mode) = (&[len, other][..], &[0, 1][..], Mode::Jpeg2000);
                        let case = Case {
                            wavelet: &wavelet,
                            shape,
                            axes,
                            levels: 3,
                            mode,
                            origins: &origins,
                            scheme,
                        };
                        case.agrees::<f64>(1e-12);
                    }
                }
            }
        }
    }
}

#[test]
fn long_lines_cross_tiles() {
    for name in ["db2", "bior4.4", "db20"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        for (shape, axes) in [(&[6011][..], &[0][..]), (&[1500, 7], &[0]), (&[300, 150], &[0])] {
            for scheme in LINES.into_iter().filter(|scheme| wavelet.scheme(*scheme, 1).is_ok()) {
                for mode in [Mode::Symmetric, Mode::Periodization] {
                    let case = Case {
                        wavelet: &wavelet,
                        shape,
                        axes,
                        levels: 2,
                        mode,
                        origins: &[],
                        scheme,
                    };
                    case.agrees::<f64>(1e-12);
                    case.agrees::<f32>(2e-5);
                }
            }
        }
    }
}

#[test]
/// Rows and lanes of many blocks, with something left at their ends.
fn chains_of_updates_cross_blocks() {
    for name in ["bior2.2", "bior4.4", "irr97"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        let shapes: [(&[usize], &[usize], SchemeKind); 5] = [
            (&[23, 901], &[0, 1], SchemeKind::SeparableLifting),
            (&[40, 200], &[0, 1], SchemeKind::SeparableLifting),
            (&[40, 200], &[1, 0], SchemeKind::SeparableLifting),
            (&[2, 18, 67], &[1], SchemeKind::Lifting),
            (&[3, 1703], &[1], SchemeKind::Lifting),
        ];
        let modes =
            [Mode::Symmetric, Mode::Periodization, Mode::Antisymmetric, Mode::Zero, Mode::Jpeg2000];
        for (shape, axes, scheme) in shapes {
            for mode in modes {
                let origins = &[][..];
                let case =
                    Case { wavelet: &wavelet, shape, axes, levels: 2, mode, origins, scheme };
                case.agrees::<f64>(1e-12);
                case.agrees::<f32>(2e-5);
            }
        }
    }
}

#[test]
fn integers_are_equal() {
    for name in ["rev53", "ccsds97m"] {
        let wavelet = catalogue::wavelet(name).unwrap();
        let shapes: [(&[usize], &[usize]); 13] = [
            (&[11, 901], &[0, 1]),
            (&[30, 200], &[0, 1]),
            (&[1703], &[0]),
            (&[14, 70], &[0, 1]),
            (&[14, 70], &[1, 0]),
            (&[8, 6, 36], &[0, 1, 2]),
            (&[8, 6, 36], &[2, 1, 0]),
            (&[1], &[0]),
            (&[22], &[0]),
            (&[4000], &[0]),
            (&[16, 20], &[0, 1]),
            (&[16, 20], &[1, 0]),
            (&[2, 8, 16, 4], &[1, 2, 3]),
        ];
        for (shape, axes) in shapes {
            for mode in [Mode::Jpeg2000, Mode::Symmetric, Mode::Periodization, Mode::Antireflect] {
                for levels in [1, 2] {
                    let builder = Plan::<i32>::builder(&wavelet, shape).axes(axes).mode(mode);
                    let Ok(plan) = builder.levels(levels).build() else { continue };
                    let request = Request { shape, axes, levels, mode, origins: &[] };
                    let reference = Reference::new(&wavelet, &request).unwrap();
                    let signal: Vec<i64> = noise(plan.signal_len(), 3)
                        .into_iter()
                        .map(|value| (value * 2000.0).floor() as i64)
                        .collect();
                    let expected = reference.forward_integer(&signal).unwrap();
                    let mut workspace = plan.workspace();
                    let narrow: Vec<i32> = signal.iter().map(|value| *value as i32).collect();
                    let mut got = vec![0; plan.coefficient_len()];
                    let done = plan.forward(&narrow, &mut got, &mut workspace);
                    let bound = plan.max_input().unwrap();
                    if bound < 2000 {
                        // Point-mirroring very short lines may multiply values by hundreds.
                        assert!(mode == Mode::Antireflect && done.is_err(), "{name} {bound}");
                        continue;
                    }
                    done.unwrap();
                    for band in plan.bands() {
                        let found = expected.iter().find(|other| other.key == band.key).unwrap();
                        let got = &got[band.offset..band.offset + band.len];
                        let got: Vec<i64> = got.iter().map(|value| i64::from(*value)).collect();
                        assert_eq!(got, found.data, "{name} {shape:?} {mode} {}", band.key);
                    }
                    let mut back = vec![0; plan.signal_len()];
                    plan.inverse(&got, &mut back, &mut workspace).unwrap();
                    assert_eq!(back, narrow, "{name} {shape:?} {mode}");
                }
            }
        }
    }
}
