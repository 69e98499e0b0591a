//! Laws that hold for the reference transform whatever the wavelet, mode and length.

use waveloom_wavelets::geometry::GeometryError;
use waveloom_wavelets::reference::{Band, Reference, ReferenceError, Request};
use waveloom_wavelets::{Mode, Wavelet, catalogue, definition};

/// Short and long, orthogonal and not, of every symmetry.
const WAVELETS: [&str; 14] = [
    "haar", "db2", "db5", "db13", "sym4", "coif2", "bior1.3", "bior2.2", "bior3.5", "bior4.4",
    "rbio5.5", "bior6.8", "rbio2.8", "irr97",
];

fn wavelet(name: &str) -> Wavelet {
    catalogue::wavelet(name).unwrap()
}

/// A fixed sequence of values in -1..1 that differ from seed to seed.
fn noise(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E3779B97F4A7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Every reference that exists for one axis, with origins of both parities where they count.
fn references(wavelet: &Wavelet, n: usize, levels: usize) -> Vec<(String, Reference)> {
    let mut all = Vec::new();
    for mode in Mode::ALL {
        for origin in [0, 1, -3] {
            if origin != 0 && mode != Mode::Jpeg2000 {
                continue;
            }
            let (shape, origins) = ([n], [origin]);
            let request = Request { shape: &shape, axes: &[0], levels, mode, origins: &origins };
            let name = format!("{} {mode} n={n} origin={origin}", wavelet.name());
            match Reference::new(wavelet, &request) {
                Ok(reference) => all.push((name, reference)),
                Err(ReferenceError::Geometry(error)) => {
                    let cause = match &error {
                        GeometryError::AtLevel { reason, .. } => reason,
                        cause => cause,
                    };
                    let allowed = match cause {
                        GeometryError::TooShort { .. } => mode.minimum_length() > 1,
                        GeometryError::OddLength { .. } => {
                            mode == Mode::Circular || wavelet.options().even_lengths
                        }
                        GeometryError::NotWholeSample => wavelet.frame().symmetry.is_none(),
                        _ => false,
                    };
                    assert!(allowed, "{name}: {error}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    all
}

fn random_bands(reference: &Reference, seed: u64) -> Vec<Band<f64>> {
    let bands = reference.bands().into_iter().zip(seed..);
    let band = |((key, shape), seed): ((String, Vec<usize>), u64)| {
        let data = noise(shape.iter().product(), seed);
        Band { key, shape, data }
    };
    bands.map(band).collect()
}

fn dot(left: &[Band<f64>], right: &[Band<f64>]) -> f64 {
    let pairs = left.iter().zip(right).flat_map(|(l, r)| l.data.iter().zip(&r.data));
    pairs.map(|(l, r)| l * r).sum()
}

fn largest<'v>(values: impl IntoIterator<Item = &'v f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[test]
fn inverse_undoes_forward() {
    for name in WAVELETS {
        let wavelet = wavelet(name);
        for n in 1..=40 {
            for levels in [1, 3] {
                for (case, reference) in references(&wavelet, n, levels) {
                    let x = noise(n, n as u64);
                    let bands = reference.forward(&x).unwrap();
                    let back = reference.inverse(&bands).unwrap();
                    let size = largest(bands.iter().flat_map(|band| &band.data)).max(1.0);
                    let defects: Vec<f64> = back.iter().zip(&x).map(|(b, x)| b - x).collect();
                    assert!(largest(&defects) <= 1e-12 * size, "{case} levels={levels}");
                }
            }
        }
    }
}

#[test]
fn adjoints_are_adjoint() {
    for name in WAVELETS {
        let wavelet = wavelet(name);
        for n in [1, 2, 3, 8, 13, 64] {
            for (case, reference) in references(&wavelet, n, 2) {
                let (x, y) = (noise(n, 3), random_bands(&reference, 100));
                let forward = reference.forward(&x).unwrap();
                let left = dot(&forward, &y);
                let adjoint = reference.adjoint(&y).unwrap();
                let right: f64 = x.iter().zip(&adjoint).map(|(x, a)| x * a).sum();
                let size = largest(forward.iter().flat_map(|band| &band.data)) * n as f64;
                assert!((left - right).abs() <= 1e-13 * size.max(1.0), "{case}: {left} {right}");
                let inverse = reference.inverse(&y).unwrap();
                let left: f64 = inverse.iter().zip(&x).map(|(i, x)| i * x).sum();
                let right = dot(&reference.adjoint_of_inverse(&x).unwrap(), &y);
                let size = largest(&inverse) * n as f64;
                assert!((left - right).abs() <= 1e-13 * size.max(1.0), "{case}: {left} {right}");
            }
        }
    }
}

#[test]
fn the_inverse_is_no_adjoint_beyond_orthogonal_circular_ones() {
    let defect = |name, mode, n: usize| {
        let shape = [n];
        let request = Request { shape: &shape, axes: &[0], levels: 1, mode, origins: &[] };
        let reference = Reference::new(&wavelet(name), &request).unwrap();
        let (x, y) = (noise(n, 1), random_bands(&reference, 2));
        let inverse = reference.inverse(&y).unwrap();
        let right: f64 = x.iter().zip(&inverse).map(|(x, i)| x * i).sum();
        (dot(&reference.forward(&x).unwrap(), &y) - right).abs()
    };
    assert!(defect("db4", Mode::Periodization, 64) < 1e-13);
    assert!(defect("db4", Mode::Zero, 64) < 1e-13);
    assert!(defect("db4", Mode::Symmetric, 64) > 1e-3);
    assert!(defect("bior4.4", Mode::Periodization, 64) > 1e-3);
}

#[test]
fn forward_is_linear() {
    for name in WAVELETS {
        for (case, reference) in references(&wavelet(name), 13, 2) {
            let (x, y) = (noise(13, 5), noise(13, 6));
            let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 * x - 3.0 * y).collect();
            let [fx, fy, fsum] = [&x, &y, &sum].map(|v| reference.forward(v).unwrap());
            for ((x, y), sum) in fx.iter().zip(&fy).zip(&fsum) {
                for ((x, y), sum) in x.data.iter().zip(&y.data).zip(&sum.data) {
                    let size = x.abs() + y.abs() + 1.0;
                    assert!((2.0 * x - 3.0 * y - sum).abs() <= 1e-11 * size, "{case}");
                }
            }
        }
    }
}

#[test]
fn impulses_answer_with_the_taps() {
    let wavelet = wavelet("bior4.4");
    let shape = [40];
    for mode in Mode::ALL {
        let request = Request { shape: &shape, axes: &[0], levels: 1, mode, origins: &[] };
        let reference = Reference::new(&wavelet, &request).unwrap();
        let impulse = |at: usize| {
            let mut x = vec![0.0; 40];
            x[at] = 1.0;
            reference.forward(&x).unwrap()
        };
        // Far from the ends, an even and an odd position together see every tap once.
        let [even, odd] = [20, 21].map(impulse);
        for (band, filter) in
            [wavelet.bank().analysis_low(), wavelet.bank().analysis_high()].into_iter().enumerate()
        {
            let answers = even[band].data.iter().chain(&odd[band].data);
            let mut got: Vec<f64> = answers.copied().filter(|value| *value != 0.0).collect();
            let mut taps = filter.taps().to_vec();
            got.sort_by(f64::total_cmp);
            taps.sort_by(f64::total_cmp);
            assert_eq!(got, taps, "{mode}");
        }
    }
}

#[test]
fn circular_transforms_follow_an_even_shift() {
    for name in WAVELETS {
        for mode in [Mode::Periodization, Mode::Circular, Mode::Periodic] {
            let shape = [12];
            let request = Request { shape: &shape, axes: &[0], levels: 1, mode, origins: &[] };
            let reference = Reference::new(&wavelet(name), &request).unwrap();
            let x = noise(12, 8);
            let mut shifted = x.clone();
            shifted.rotate_left(2);
            let (before, after) =
                (reference.forward(&x).unwrap(), reference.forward(&shifted).unwrap());
            for (before, after) in before.iter().zip(&after) {
                // All coefficients of one period; the periodic mode gives a few more.
                let count = if mode == Mode::Periodic { before.data.len() - 1 } else { 5 };
                assert_eq!(before.data[1..=count], after.data[..count], "{name} {mode}");
            }
        }
    }
}

#[test]
fn orthogonal_circular_transforms_keep_energy() {
    for name in ["haar", "db2", "db5", "db13", "sym4", "coif2"] {
        for mode in [Mode::Periodization, Mode::Circular] {
            let shape = [8, 16];
            let request = Request { shape: &shape, axes: &[0, 1], levels: 3, mode, origins: &[] };
            let reference = Reference::new(&wavelet(name), &request).unwrap();
            let x = noise(128, 9);
            let bands = reference.forward(&x).unwrap();
            let energy: f64 = x.iter().map(|x| x * x).sum();
            assert!((dot(&bands, &bands) - energy).abs() <= 1e-13 * energy, "{name} {mode}");
        }
    }
}

#[test]
fn axes_may_be_taken_one_after_the_other() {
    let bior = wavelet("bior2.2");
    let shape = [6, 5, 7];
    fn request<'a>(axes: &'a [usize], shape: &'a [usize]) -> Request<'a> {
        Request { shape, axes, levels: 1, mode: Mode::Reflect, origins: &[] }
    }
    let x = noise(6 * 5 * 7, 10);
    let both = Reference::new(&bior, &request(&[2, 0], &shape)).unwrap();
    let last = Reference::new(&bior, &request(&[2], &shape)).unwrap();
    let both = both.forward(&x).unwrap();
    for band in last.forward(&x).unwrap() {
        let first = Reference::new(&bior, &request(&[0], &band.shape)).unwrap();
        for inner in first.forward(&band.data).unwrap() {
            // Letters follow the list of axes: the one of axis 2 comes first.
            let letters = format!("{}{}", &band.key[..1], &inner.key[..1]);
            let level = if letters == "aa" { "" } else { "1" };
            let same = both.iter().find(|b| b.key == format!("{letters}{level}")).unwrap();
            assert_eq!(same.shape, inner.shape);
            for (left, right) in same.data.iter().zip(&inner.data) {
                assert!((left - right).abs() <= 1e-14);
            }
        }
    }
}

/// Liftings whose steps round, with asymmetric steps, long reaches and exchanged channels.
const ROUNDED: [&str; 5] = [
    "[lifting]
    steps = [
        { target = 'odd', first = -1, taps = ['1/16', '-9/16', '-9/16', '1/16'], offset = 8, shift = 4 },
        { target = 'even', first = -2, taps = ['-1/32', '9/32', '9/32', '-1/32'], offset = 16, shift = 5 },
    ]",
    "[lifting]
    swap = true
    advances = [1, -1]
    steps = [
        { target = 'even', first = -3, taps = ['3/8', 0, 0, '-5/8'], shift = 3 },
        { target = 'odd', first = 1, taps = ['7/4'], offset = -1, shift = 2 },
        { target = 'even', taps = [2] },
    ]",
    "[lifting]
    steps = [
        { target = 'odd', taps = [-1] },
        { target = 'even', taps = ['1/2'], shift = 1 },
        { target = 'odd', first = -1, taps = ['1/4', 0, '-1/4'], offset = 2, shift = 2 },
    ]",
    "[lifting]
    steps = [
        { target = 'odd', first = 2, taps = ['1/2'], shift = 1 },
        { target = 'even', first = -1, taps = ['1/4', '1/4'], shift = 2 },
        { target = 'odd', first = 2, taps = ['-1/2'], shift = 1 },
        { target = 'even', first = -1, taps = ['-1/4', '-1/4'], shift = 2 },
    ]",
    // Without rounding the steps would cancel.
    "[lifting]
    steps = [
        { target = 'odd', first = 3, taps = ['1/2'], shift = 1 },
        { target = 'odd', first = 3, taps = ['-1/2'], shift = 1 },
    ]",
];

#[test]
fn rounded_liftings_come_back_exactly() {
    let own = ROUNDED.iter().map(|text| definition::parse(text, "rounded").unwrap());
    let known = ["rev53", "ccsds97m"].map(wavelet);
    for wavelet in own.chain(known) {
        for n in 1..=40 {
            for levels in [1, 3] {
                for (case, reference) in references(&wavelet, n, levels) {
                    let x: Vec<i64> =
                        noise(n, n as u64).iter().map(|x| (x * 1000.0) as i64).collect();
                    let bands = reference.forward_integer(&x).unwrap();
                    assert_eq!(reference.inverse_integer(&bands).unwrap(), x, "{case}");
                }
            }
        }
    }
}
