//! The compile checks on texts written by hand.

use waveloom_snapshots::available;
use waveloom_snapshots::compile::{CAPABILITIES, CheckError, Toolchain};

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
    for (capability, kernels) in toolchain.check(text, "reverse").unwrap() {
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
    let error =
        toolchain.check("extern \"C\" __global__ void k() { int x = y; }", "k").unwrap_err();
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
    let error = toolchain.check(text, "crowd").unwrap_err();
    assert!(matches!(error, CheckError::Spills { .. }), "{error}");
}
