//! The compile checks: on texts written by hand, on every text of the snapshots, and on those that
//! need most registers.

use std::sync::Mutex;
use std::time::Instant;
use waveloom_codegen::emit::cuda::{self, CudaRequest};
use waveloom_codegen::gpu::{OperationsRequest, Strategy, operations};
use waveloom_codegen::kernel::{Element, Operation};
use waveloom_snapshots::compile::{CAPABILITIES, CheckError, Toolchain, capabilities};
use waveloom_snapshots::conformance::Breadth;
use waveloom_snapshots::stages::{cuda_texts, curated};
use waveloom_snapshots::{available, sampled, taken, unless_quick};
use waveloom_wavelets::{Mode, SchemeKind, catalogue};

/// Checks texts on all processors, the longest first; panics with every text that a compiler refuses or that spills.
fn check_all(what: &str, texts: Vec<(String, String)>) {
    let numbered = texts.into_iter().enumerate().map(|(index, (title, text))| (index, title, text));
    check_numbered(what, numbered.collect());
}

/// The same with the number that chooses each text's card.
fn check_numbered(what: &str, texts: Vec<(usize, String, String)>) {
    let Some(toolchain) = available(Toolchain::find()) else { return };
    assert!(!texts.is_empty());
    let breadth = Breadth::from_environment().unwrap();
    let cards = CAPABILITIES.len();
    sampled(
        breadth,
        what,
        &format!("{} texts, each for one of {cards} cards in turn", texts.len()),
    );
    let mut left: Vec<_> = texts
        .into_iter()
        .flat_map(|(index, title, text)| {
            let each = capabilities(breadth, index).iter();
            each.map(move |capability| (title.clone(), text.clone(), *capability))
        })
        .collect();
    left.sort_by_key(|(_, text, _)| text.len());
    let (left, failed) = (Mutex::new(left), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().pop();
                    let Some((title, text, capability)) = next else { return };
                    let begin = Instant::now();
                    if let Err(error) = toolchain.check(&text, "text", &[capability]) {
                        let error: String = error.to_string().chars().take(500).collect();
                        failed.lock().unwrap().push(format!("{title}: {error}"));
                    }
                    let took = begin.elapsed().as_secs_f64();
                    println!("{took:6.1} s, {} bytes, sm_{capability}: {title}", text.len());
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn texts_of_snapshots_compile_without_spills() {
    let mut texts = Vec::new();
    // What one wavelet has for one card, the next has for another.
    for (number, case) in curated().unwrap().into_iter().enumerate() {
        let own = cuda_texts(&case).into_iter().enumerate();
        texts.extend(own.map(|(index, (title, text))| {
            (number + index, format!("{}, {title}", case.name), text)
        }));
    }
    let breadth = Breadth::from_environment().unwrap();
    sampled(breadth, "texts of snapshots", &format!("one in four of {}", texts.len()));
    texts.retain(|(_, _, text)| taken(breadth, text));
    check_numbered("texts of snapshots", texts);
}

#[test]
fn long_filters_and_many_planes_compile_without_spills() {
    let (shared, trapezoid, global) = (Strategy::SHARED, Strategy::TRAPEZOID, Strategy::GLOBAL);
    let (stream, launch, taps) = (Strategy::STREAM, Strategy::LAUNCH, Strategy::GLOBAL_TAPS);
    let mut list = vec![
        ("haar", 3, SchemeKind::NonseparableLifting, Element::F64, shared),
        ("haar", 3, SchemeKind::NonseparableLifting, Element::F32, trapezoid),
        ("haar", 3, SchemeKind::NonseparableConvolution, Element::F64, global),
        ("db16", 1, SchemeKind::Convolution, Element::F32, global),
        ("db16", 1, SchemeKind::Lattice, Element::F64, trapezoid),
        ("db16", 2, SchemeKind::SeparableLifting, Element::F32, shared),
        ("db16", 2, SchemeKind::NonseparableConvolution, Element::F32, shared),
        ("irr97", 2, SchemeKind::NonseparableLifting, Element::F64, trapezoid),
        ("bior4.4", 3, SchemeKind::NonseparableLifting, Element::F32, shared),
        ("ccsds97m", 1, SchemeKind::Lifting, Element::I64, global),
        ("irr97", 2, SchemeKind::SeparableLifting, Element::F64, stream),
        ("ccsds97m", 2, SchemeKind::SeparableLifting, Element::I16, stream),
        ("db16", 1, SchemeKind::Lattice, Element::F32, stream),
        ("ccsds97m", 2, SchemeKind::SeparableLifting, Element::I16, launch),
        ("bior4.4", 2, SchemeKind::NonseparableLifting, Element::F64, launch),
        ("db16", 1, SchemeKind::Convolution, Element::F32, taps),
        ("bior4.4", 2, SchemeKind::NonseparableConvolution, Element::F64, taps),
    ];
    // The longest: texts of hundreds of kilobytes, with every operation in every kind of mode.
    let longest = [
        ("db2", 3, SchemeKind::SeparableConvolution, Element::F32, stream),
        ("bior4.4", 2, SchemeKind::SeparableLifting, Element::F32, stream),
        ("db16", 1, SchemeKind::Lattice, Element::F32, launch),
    ];
    let part = "db2 in 3-D and bior4.4 in 2-D as strips, db16 with a launch a step";
    list.extend(unless_quick("long filters and many planes", part, &longest));
    let mut texts = Vec::new();
    for (name, dims, scheme, element, strategy) in list {
        let wavelet = catalogue::wavelet(name).unwrap();
        let request = CudaRequest { scheme, element, strategy, ..CudaRequest::new(&wavelet, dims) };
        let title = format!("{name} {dims}-D {scheme} {} {}", element.name(), strategy.name());
        texts.push((title, cuda::module(&request).unwrap().text));
    }
    check_all("long filters and many planes", texts);
}

#[test]
fn tiles_of_all_axes_compile_without_spills() {
    let warp = Strategy::named("warp").unwrap();
    let mut texts = Vec::new();
    for (name, element, strategy) in [
        ("irr97", Element::F32, Strategy::JOINT),
        ("irr97", Element::F64, Strategy::REG),
        ("ccsds97m", Element::I16, Strategy::REG),
        ("irr97", Element::F32, Strategy::ILP),
        ("irr97", Element::F32, Strategy::HYBRID),
        ("ccsds97m", Element::I16, Strategy::HYBRID),
        ("irr97", Element::F32, warp),
        ("irr97", Element::F64, Strategy::FULL_REGISTER),
        ("db4", Element::F32, Strategy::FULL_REGISTER),
        ("ccsds97m", Element::I64, Strategy::FULL_REGISTER),
    ] {
        let wavelet = catalogue::wavelet(name).unwrap();
        let scheme = SchemeKind::SeparableLifting;
        let request = CudaRequest { scheme, element, strategy, ..CudaRequest::new(&wavelet, 2) };
        let title = format!("{name} {} {strategy}", element.name());
        texts.push((title, cuda::module(&request).unwrap().text));
    }
    check_all("tiles of all axes", texts);
}

/// Levels in place: the boxes of volumes hold most registers.
#[test]
fn levels_in_place_compile_without_spills() {
    let haar = catalogue::wavelet("haar").unwrap();
    let mut texts = Vec::new();
    for (shape, levels) in [(vec![1 << 14], 10), (vec![256, 256], 4), (vec![64, 64, 64], 4)] {
        for element in [Element::F32, Element::F64] {
            let axes: Vec<usize> = (0..shape.len()).collect();
            let kernels = operations(&OperationsRequest {
                operations: &[],
                wavelet: &haar,
                kind: haar.default_scheme(axes.len()),
                shape: &shape,
                axes: &axes,
                mode: Mode::Periodization,
                origins: &[],
                levels,
                align_rows: None,
                element,
                strategy: Strategy::MIXED,
            });
            let text = cuda::plan_source(element, &haar, &kernels.unwrap()).text;
            texts.push((format!("{levels} levels of {shape:?} {}", element.name()), text));
        }
    }
    check_all("levels in place", texts);
}

/// Two levels of a plane in one strip, as they are made unasked: both ways of a walk in one function.
#[test]
fn levels_in_one_strip_compile_without_spills() {
    use Mode::{Jpeg2000, Periodization};
    let mut list = vec![
        ("irr97", Element::F32, Periodization),
        ("rev53", Element::I16, Periodization),
        ("rev53", Element::I32, Jpeg2000),
    ];
    let more = [("db4", Element::F64, Periodization)];
    list.extend(unless_quick("levels in one strip", "db4 in f64", &more));
    let mut texts = Vec::new();
    for (name, element, mode) in list {
        let wavelet = catalogue::wavelet(name).unwrap();
        let all = operations(&OperationsRequest {
            operations: &[Operation::Forward, Operation::Inverse],
            wavelet: &wavelet,
            kind: wavelet.default_scheme(2),
            shape: &[8192, 8192],
            axes: &[0, 1],
            mode,
            origins: &[],
            levels: 2,
            align_rows: None,
            element,
            strategy: Strategy::STREAM,
        })
        .unwrap();
        // A single short is too narrow for the inverse of a second level.
        let deep = all.kernels.iter().filter(|kernel| kernel.mapping().levels == 2).count();
        assert_eq!(deep, if element == Element::I16 { 1 } else { 2 }, "{name}");
        let text = cuda::plan_source(element, &wavelet, &all).text;
        texts.push((format!("two levels of {name} {} {mode}", element.name()), text));
    }
    check_all("levels in one strip", texts);
}

/// Strips: no block has more shared memory than the proof says, which is what decides whether a shape fits.
/// (That of single rows and of several levels has the largest share of what is known of ends.)
#[test]
fn shared_memory_of_strips_is_counted() {
    let Some(toolchain) = available(Toolchain::find()) else { return };
    let strategy = Strategy::STREAM;
    let mut list = vec![
        ("dmey", &[1 << 16][..], 3, Element::F64, Mode::Periodization),
        ("bior4.4", &[256, 1024], 1, Element::F32, Mode::Periodization),
        ("rev53", &[8192, 8192], 2, Element::I32, Mode::Jpeg2000),
        ("rev53", &[96, 40, 128], 1, Element::I16, Mode::Periodization),
        ("db2", &[96, 40, 128], 1, Element::F32, Mode::Periodization),
    ];
    let more = [
        ("bior4.4", &[1 << 16][..], 3, Element::F64, Mode::Periodization),
        ("haar", &[256, 1024], 2, Element::F64, Mode::Periodization),
        ("rev53", &[96, 40, 128], 1, Element::I32, Mode::Periodization),
        ("irr97", &[96, 40, 128], 1, Element::F64, Mode::Periodization),
    ];
    let part = "levels of bior4.4 along a line and of haar's planes, volumes of rev53 in i32 and of irr97 in f64";
    list.extend(unless_quick("shared memory of strips", part, &more));
    for (name, shape, levels, element, mode) in list {
        let wavelet = catalogue::wavelet(name).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let all = operations(&OperationsRequest {
            operations: &[Operation::Forward, Operation::Inverse],
            wavelet: &wavelet,
            kind: wavelet.default_scheme(axes.len()),
            shape,
            axes: &axes,
            mode,
            origins: &[],
            levels,
            align_rows: None,
            element,
            strategy,
        })
        .unwrap();
        let sources = cuda::kernel_sources(element, &wavelet, &all);
        for (proved, source) in all.kernels.iter().zip(&sources) {
            let counted = proved.info().shared_bytes as u32;
            for kernel in toolchain.resources(&source.text, name, 80).unwrap() {
                assert!(kernel.shared_bytes <= counted, "{name} {shape:?}: {counted}, {kernel}");
            }
        }
    }
}

#[test]
fn a_good_text_passes_everywhere() {
    let Some(toolchain) = available(Toolchain::find()) else { return };
    let text = r#"
extern "C" __global__ void __launch_bounds__(64) reverse(const float* __restrict__ x, float* y)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = fmaf(tile[63 - threadIdx.x], 2.0f, 1.0f);
}
"#;
    for (capability, kernels) in toolchain.check(text, "reverse", &CAPABILITIES).unwrap() {
        assert!(CAPABILITIES.contains(&capability));
        assert_eq!(kernels.len(), 1);
        assert_eq!(kernels[0].kernel, "reverse");
        assert!((4..=64).contains(&kernels[0].registers), "{}", kernels[0]);
        // Compute capability 9.0 and up reserve 1 KiB that not every version counts.
        assert!(matches!(kernels[0].shared_bytes, 256 | 1280), "{}", kernels[0]);
    }
}

#[test]
fn refused_text_comes_with_log_and_source() {
    let Some(toolchain) = available(Toolchain::find()) else { return };
    let error = toolchain
        .check("extern \"C\" __global__ void k() { int x = y; }", "k", &CAPABILITIES)
        .unwrap_err();
    let CheckError::Nvrtc { capability: 75, .. } = &error else { panic!("{error}") };
    let message = error.to_string();
    assert!(message.contains("k.cu(1)") && message.contains("int x = y;"), "{message}");
}

/// 100 values kept alive over a barrier in a kernel held to 32 registers.
#[test]
fn spills_fail() {
    let Some(toolchain) = available(Toolchain::find()) else { return };
    let text = r#"
extern "C" __global__ void __launch_bounds__(1024, 2) crowd(const float* x, float* y, int n)
{
    float v[100];
    #pragma unroll
    for (int i = 0; i < 100; ++i) v[i] = x[i * n + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 100; ++i) y[i * n + threadIdx.x] = v[i] * v[(i * 37 + 11) % 100];
}
"#;
    let error = toolchain.check(text, "crowd", &CAPABILITIES).unwrap_err();
    assert!(matches!(error, CheckError::Spills { .. }), "{error}");
}
