//! The emulator on kernels written by hand: right ones give the right results in every order, and
//! each kind of mistake is caught by the check that is meant for it.

use waveloom_snapshots::available;
use waveloom_snapshots::emulate::{
    Argument, Checks, EmulateError, Emulator, Fault, Launch, Order, Report, from_bytes, to_bytes,
};

/// Runs one kernel of `text` over f32 buffers.
fn run(
    emulator: &Emulator,
    text: &str,
    checks: Checks,
    launch: &Launch,
    buffers: &[Vec<f32>],
) -> Result<(Vec<Vec<f32>>, Report), EmulateError> {
    let mut program = emulator.compile(text, &[&launch.kernel], checks)?;
    let mut bytes: Vec<Vec<u8>> = buffers.iter().map(|buffer| to_bytes(buffer)).collect();
    let before = bytes.clone();
    match program.run(launch, &mut bytes) {
        Ok(report) => Ok((bytes.iter().map(|bytes| from_bytes(bytes)).collect(), report)),
        Err(error) => {
            assert_eq!(bytes, before, "a failed run must leave its buffers alone");
            Err(error)
        }
    }
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

/// Reverses each block's 64 values through shared memory.
fn reverse(shared: &str, barrier: &str) -> String {
    format!(
        r#"
extern "C" __global__ void __launch_bounds__(64)
reverse(const float* __restrict__ from, float* __restrict__ to)
{{
    {shared}
    const int t = threadIdx.x;
    const int start = blockIdx.x * 64;
    tile[t] = from[start + t];
    {barrier}
    to[start + t] = tile[63 - t];
}}
"#
    )
}

fn reversal(order: Order) -> Launch {
    Launch::new("reverse", [3, 1, 1], [64, 1, 1])
        .argument(Argument::buffer(0))
        .argument(Argument::buffer(1))
        .order(order)
}

#[test]
fn shared_memory_static_and_dynamic() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let input = ramp(192);
    let expected: Vec<f32> = (0..192).map(|i| (i / 64 * 64 + 63 - i % 64) as f32).collect();
    for (shared, bytes) in [
        ("__shared__ float tile[64];", 0),
        ("extern __shared__ float tile[];", 256),
        ("extern __shared__ __align__(16) float tile[];", 256),
    ] {
        let text = reverse(shared, "__syncthreads();");
        for checks in Checks::ALL {
            for order in Order::ALL {
                let launch = reversal(order).shared(bytes);
                let buffers = [input.clone(), vec![f32::NAN; 192]];
                let (results, report) = run(&emulator, &text, checks, &launch, &buffers).unwrap();
                assert_eq!(results[1], expected, "{shared} {checks:?} {order:?}");
                assert_eq!(report.barriers, 3);
                if checks == Checks::Races {
                    let traffic = [
                        report.global_read,
                        report.global_written,
                        report.shared_read,
                        report.shared_written,
                    ];
                    assert_eq!(traffic, [768; 4]);
                }
            }
        }
    }
}

#[test]
fn a_missing_barrier_shows() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = reverse("__shared__ float tile[64];", "");
    let buffers = [ramp(192), vec![0.0; 192]];
    for order in Order::ALL {
        // By the values: in no order do all threads find what they need.
        let (results, _) =
            run(&emulator, &text, Checks::Memory, &reversal(order), &buffers).unwrap();
        assert!(results[1].iter().any(|value| value.is_nan()), "{order:?}");
        // And by name, whatever the values.
        let error = run(&emulator, &text, Checks::Races, &reversal(order), &buffers).unwrap_err();
        let fault = error.fault().unwrap();
        assert!(matches!(fault, Fault::Uninitialised | Fault::Race), "{error}");
    }
}

/// The second of two barriers is missing: the tile is overwritten while others still read it.
#[test]
fn a_write_after_a_read_is_a_race() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = |barrier: &str| {
        format!(
            r#"
extern "C" __global__ void rotate(float* x)
{{
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    for (int turn = 0; turn < 4; ++turn) {{
        __syncthreads();
        const float next = tile[(t + 1) % 64];
        {barrier}
        tile[t] = next;
    }}
    x[t] = tile[t];
}}
"#
        )
    };
    let right = text("__syncthreads();");
    let wrong = text("");
    for order in Order::ALL {
        let launch =
            Launch::new("rotate", [1, 1, 1], [64, 1, 1]).argument(Argument::buffer(0)).order(order);
        for checks in Checks::ALL {
            let (results, _) = run(&emulator, &right, checks, &launch, &[ramp(64)]).unwrap();
            let expected: Vec<f32> = (0..64).map(|i| ((i + 4) % 64) as f32).collect();
            assert_eq!(results[0], expected);
        }
        let error = run(&emulator, &wrong, Checks::Races, &launch, &[ramp(64)]).unwrap_err();
        assert_eq!(error.fault(), Some(Fault::Race), "{error}");
    }
}

#[test]
fn threads_and_blocks_that_write_the_same_place_race() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
extern "C" __global__ void pile(float* x, int places)
{
    x[(blockIdx.x * blockDim.x + threadIdx.x) % places] = 1.0f;
}
"#;
    let launch = |grid, block, places: i32| {
        Launch::new("pile", [grid, 1, 1], [block, 1, 1])
            .argument(Argument::buffer(0))
            .argument(Argument::from(places))
    };
    let check = |grid, block, places| {
        run(&emulator, text, Checks::Races, &launch(grid, block, places), &[ramp(64)])
            .err()
            .map(|error| error.fault())
    };
    assert_eq!(check(4, 16, 64), None);
    assert_eq!(check(4, 16, 16), Some(Some(Fault::Race)), "blocks are never ordered");
    assert_eq!(check(1, 64, 63), Some(Some(Fault::Race)), "threads of one block");
}

#[test]
fn warp_barriers_order_a_warp_and_no_more() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = |partner: &str, barrier: &str| {
        format!(
            r#"
extern "C" __global__ void pass(float* x)
{{
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    {barrier}
    x[t] = tile[{partner}];
}}
"#
        )
    };
    let launch = Launch::new("pass", [1, 1, 1], [64, 1, 1]).argument(Argument::buffer(0));
    let check = |partner, barrier| {
        run(&emulator, &text(partner, barrier), Checks::Races, &launch, &[ramp(64)])
            .err()
            .and_then(|error| error.fault())
    };
    assert_eq!(check("t ^ 5", "__syncwarp();"), None);
    assert_eq!(check("t ^ 5", "__syncthreads();"), None);
    let fault = check("t ^ 37", "__syncwarp();");
    assert!(matches!(fault, Some(Fault::Race | Fault::Uninitialised)), "another warp: {fault:?}");
    let fault = check("t ^ 5", "__shfl_sync(0xffffffffu, 0, 0);");
    assert!(matches!(fault, Some(Fault::Race | Fault::Uninitialised)), "no order: {fault:?}");
}

#[test]
fn shuffles() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
#define FULL 0xffffffffu
extern "C" __global__ void shuffle(const float* x, float* y)
{
    const int t = threadIdx.x;
    const float v = x[t];
    y[t] = __shfl_down_sync(FULL, v, 1);
    y[64 + t] = __shfl_up_sync(FULL, v, 2, 8);
    y[128 + t] = __shfl_xor_sync(FULL, v, 3);
    y[192 + t] = __shfl_sync(FULL, v, 9, 8);
    y[256 + t] = (float)__shfl_down_sync(FULL, (double)v, 4, 16);
    y[320 + t] = t < 8 ? 0.0f : 1.0f;
    if (t < 8) y[320 + t] = __shfl_xor_sync(0xffu, v, 1);
}
"#;
    let x = ramp(64);
    let (mut y, lanes) = (vec![0.0; 384], 64usize);
    for t in 0..lanes {
        let (warp, lane) = (t / 32 * 32, t % 32);
        y[t] = if lane + 1 < 32 { t + 1 } else { t } as f32;
        y[64 + t] = if lane % 8 >= 2 { t - 2 } else { t } as f32;
        y[128 + t] = (t ^ 3) as f32;
        y[192 + t] = (warp + lane / 8 * 8 + 1) as f32;
        y[256 + t] = if lane % 16 + 4 < 16 { t + 4 } else { t } as f32;
        y[320 + t] = if t < 8 { (t ^ 1) as f32 } else { 1.0 };
    }
    for checks in Checks::ALL {
        for order in Order::ALL {
            let launch = Launch::new("shuffle", [1, 1, 1], [64, 1, 1])
                .argument(Argument::buffer(0))
                .argument(Argument::buffer(1))
                .order(order);
            let buffers = [x.clone(), vec![f32::NAN; 384]];
            let (results, report) = run(&emulator, text, checks, &launch, &buffers).unwrap();
            assert_eq!(results[1], y, "{checks:?} {order:?}");
            assert_eq!(report.shuffles, 11);
        }
    }
}

#[test]
fn divergence_is_found_in_every_form() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let bodies = [
        ("a barrier in half a block", "if (t < 32) __syncthreads();"),
        ("a return before a barrier", "if (t == 5) return; __syncthreads();"),
        ("two barriers in two branches", "if (t < 32)\n__syncthreads();\nelse\n__syncthreads();"),
        ("a shuffle in half a warp", "if (t & 1) x[t] = __shfl_down_sync(~0u, x[t], 1);"),
        ("a lane outside its mask", "x[t] = __shfl_down_sync(0xffu, x[t], 1);"),
        ("a warp barrier in half a warp", "if (t & 1) __syncwarp();"),
        ("a barrier against a shuffle", "if (t & 1) __syncwarp(); else __shfl_sync(~0u, t, 0);"),
    ];
    for (what, body) in bodies {
        let text = format!(
            "extern \"C\" __global__ void diverge(float* x)\n{{\nconst int t = threadIdx.x;\n{body}\n}}\n"
        );
        for checks in Checks::ALL {
            let launch =
                Launch::new("diverge", [1, 1, 1], [64, 1, 1]).argument(Argument::buffer(0));
            let error = run(&emulator, &text, checks, &launch, &[ramp(64)]).unwrap_err();
            assert_eq!(error.fault(), Some(Fault::Divergence), "{what}: {error}");
            let message = error.to_string();
            assert!(message.contains("line"), "{what}: no line in {message}");
        }
    }
}

#[test]
fn memory_faults() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
extern "C" __global__ void reach(float* x, int at, int what)
{
    extern __shared__ float dynamic[];
    __shared__ float plane[4][8];
    switch (what) {
    case 0: x[at] = 1.0f; break;
    case 1: dynamic[at] = 1.0f; x[0] = dynamic[at]; break;
    case 2: plane[1][at] = 1.0f; x[0] = plane[1][at]; break;
    case 3: x[0] = reinterpret_cast<float4*>(x + at)->x; break;
    case 4: x[0] = (float)((at << 20) * 4096); break;
    }
}
"#;
    for checks in [Checks::Memory, Checks::Bounds] {
        let mut program = emulator.compile(text, &["reach"], checks).unwrap();
        let mut check = |at: i32, what: i32| {
            let launch = Launch::new("reach", [1, 1, 1], [1, 1, 1])
                .argument(Argument::buffer(0))
                .argument(at)
                .argument(what)
                .shared(64);
            program.run(&launch, &mut [to_bytes(&ramp(10))]).err().map(|error| error.fault())
        };
        assert_eq!(check(9, 0), None);
        assert_eq!(check(10, 0), Some(Some(Fault::Memory)), "one past the end");
        assert_eq!(check(-1, 0), Some(Some(Fault::Memory)), "one before the beginning");
        assert_eq!(check(15, 1), None);
        assert_eq!(check(16, 1), Some(Some(Fault::Memory)), "past the dynamic shared memory");
        assert_eq!(check(7, 2), None);
        assert_eq!(check(8, 2), Some(Some(Fault::Undefined)), "into the next row of a plane");
        assert_eq!(check(4, 3), None);
        if checks == Checks::Memory {
            assert_eq!(check(2, 3), Some(Some(Fault::Undefined)), "a misaligned vector");
            assert_eq!(check(1, 4), Some(Some(Fault::Undefined)), "integer overflow");
        }
    }
}

/// Without sanitizers: what is left of a buffer's last page, and the pages around, find accesses beyond its ends.
#[test]
fn ends_of_buffers() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
extern "C" __global__ void reach(float* x, int at, int write)
{
    if (write) x[at] = 1.0f;
    else x[0] = x[at];
}
"#;
    let mut program = emulator.compile(text, &["reach"], Checks::Ends).unwrap();
    let mut check = |len: usize, at: i32, write: i32| {
        let launch = Launch::new("reach", [1, 1, 1], [1, 1, 1])
            .argument(Argument::buffer(0))
            .argument(at)
            .argument(write);
        let mut buffers = [to_bytes(&ramp(len))];
        let fault = program.run(&launch, &mut buffers).err().map(|error| error.fault());
        (fault, from_bytes::<f32>(&buffers[0])[0])
    };
    // Of whole sectors of the alignment, and not.
    for len in [10, 64, 1024, 1030] {
        let end = len as i32;
        assert_eq!(check(len, end - 1, 1).0, None, "{len}");
        assert_eq!(check(len, end - 1, 0), (None, (len - 1) as f32), "{len}");
        let beyond = check(len, end, 1).0;
        assert!(matches!(beyond, Some(Some(Fault::Memory | Fault::Crash))), "{len} {beyond:?}");
        let before = check(len, -1, 1).0;
        assert!(matches!(before, Some(Some(Fault::Memory | Fault::Crash))), "{len} {before:?}");
        let far = (end + 63) / 64 * 64;
        for write in [0, 1] {
            assert_eq!(check(len, far, write).0, Some(Some(Fault::Crash)), "{len} {write}");
        }
        if len % 64 > 0 {
            let (fault, read) = check(len, end, 0);
            assert!(fault.is_none() && read.is_nan(), "{len} {fault:?} {read}");
        }
    }
}

#[test]
fn uninitialised_shared_memory() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
extern "C" __global__ void stale(float* x, int* y)
{
    __shared__ float tile[64];
    __shared__ int counts[32];
    if (blockIdx.x == 0) { tile[threadIdx.x] = 1.0f; counts[threadIdx.x] = 1; }
    x[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
    y[blockIdx.x * 32 + threadIdx.x] = counts[threadIdx.x];
}
"#;
    let launch = Launch::new("stale", [2, 1, 1], [32, 1, 1])
        .argument(Argument::buffer(0))
        .argument(Argument::buffer(1));
    let buffers = [ramp(64), ramp(64)];
    let (results, _) = run(&emulator, text, Checks::Memory, &launch, &buffers).unwrap();
    assert!(results[0][..32].iter().all(|&value| value == 1.0));
    assert!(results[0][32..].iter().all(|value| value.is_nan()), "the first block's values leak");
    let error = run(&emulator, text, Checks::Races, &launch, &buffers).unwrap_err();
    assert_eq!(error.fault(), Some(Fault::Uninitialised), "{error}");
    assert!(error.to_string().contains("block 1"), "{error}");
}

#[test]
fn indices_vectors_structures_and_constants() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = r#"
struct Axis { long long stride; int length; int mode; };
__constant__ float taps[2] = {0.5f, 2.0f};
static __device__ __forceinline__ float mix(float a, float b) { return fmaf(a, taps[0], b * taps[1]); }

extern "C" __global__ void __launch_bounds__(24) grid(const float2* __restrict__ x, float* y, Axis axis, double scale)
{
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int i = b * 24 + t;
    if (i >= axis.length) return;
    const float2 pair = __ldg(x + i);
    #pragma unroll
    for (int k = 0; k < 1; ++k)
        y[i * axis.stride] = mix(pair.x, pair.y) * (float)scale + (float)axis.mode;
}
"#;
    let mut axis = Vec::new();
    axis.extend_from_slice(&2i64.to_ne_bytes());
    axis.extend_from_slice(&140i32.to_ne_bytes());
    axis.extend_from_slice(&7i32.to_ne_bytes());
    let launch = Launch::new("grid", [3, 2, 1], [2, 3, 4])
        .argument(Argument::buffer(0))
        .argument(Argument::buffer(1))
        .argument(Argument::Value(axis))
        .argument(3.0f64);
    for checks in Checks::ALL {
        let buffers = [ramp(280), vec![-1.0; 280]];
        let (results, _) = run(&emulator, text, checks, &launch, &buffers).unwrap();
        for i in 0..140 {
            let (a, b) = ((2 * i) as f32, (2 * i + 1) as f32);
            assert_eq!(results[1][2 * i], a.mul_add(0.5, b * 2.0) * 3.0 + 7.0);
            assert_eq!(results[1][2 * i + 1], -1.0);
        }
    }
}

#[test]
fn complaints_about_text_and_launch() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let error = emulator.compile("int x = ;", &[], Checks::Memory).unwrap_err();
    assert!(error.to_string().contains("kernel.cu:1"), "{error}");
    let two = "extern __shared__ float a[];\nextern __shared__ int b[];\n";
    let error = emulator.compile(two, &[], Checks::Memory).unwrap_err();
    assert!(matches!(error, EmulateError::SharedDeclaration { line: 2, .. }), "{error}");

    let text = "extern \"C\" __global__ void one(float* x) { for (;;) x[0] += 1.0f; }";
    let launch = |kernel: &str| Launch::new(kernel, [1, 1, 1], [1, 1, 1]);
    let go = |launch: &Launch| {
        let mut program = emulator.compile(text, &["one"], Checks::Memory).unwrap();
        program.run(launch, &mut [vec![0; 4]]).unwrap_err()
    };
    assert!(matches!(go(&launch("two")), EmulateError::UnknownKernel { .. }));
    assert!(matches!(go(&launch("one")), EmulateError::BadLaunch(_)), "no argument");
    assert!(matches!(go(&launch("one").argument(1i32)), EmulateError::BadLaunch(_)), "4 bytes");
    let there = Argument::buffer(1);
    assert!(matches!(go(&launch("one").argument(there)), EmulateError::BadLaunch(_)), "no buffer");
    let mut huge = launch("one").argument(Argument::buffer(0));
    huge.block = [1024, 2, 1];
    assert!(matches!(go(&huge), EmulateError::BadLaunch(_)), "too many threads");
    let mut endless = launch("one").argument(Argument::buffer(0));
    endless.timeout_seconds = 1;
    assert_eq!(go(&endless).fault(), Some(Fault::Timeout));
}

/// After a fault the same program serves again.
#[test]
fn a_program_survives_faults() {
    let Some(emulator) = available(Emulator::find()) else { return };
    let text = "extern \"C\" __global__ void put(float* x, int at) { x[at] = 1.0f; }";
    let mut program = emulator.compile(text, &["put"], Checks::Memory).unwrap();
    let launch = |at: i32| {
        Launch::new("put", [1, 1, 1], [1, 1, 1]).argument(Argument::buffer(0)).argument(at)
    };
    for turn in 0..3 {
        let mut buffers = [to_bytes(&[0.0f32; 4])];
        program.run(&launch(turn), &mut buffers).unwrap();
        assert_eq!(from_bytes::<f32>(&buffers[0])[turn as usize], 1.0);
        assert_eq!(program.run(&launch(4), &mut buffers).unwrap_err().fault(), Some(Fault::Memory));
    }
}
