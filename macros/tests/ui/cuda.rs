use waveloom_macros::dwt_kernel;

dwt_kernel! {
    struct A;
    wavelet: "db4",
    target: cuda,
    mode: jpeg2000,
    views: true,
}

dwt_kernel! {
    struct B;
    wavelet: "db4",
    target: cuda,
    strategy: sharred,
}

dwt_kernel! {
    struct C;
    wavelet: "db4",
    strategy: shared,
}

dwt_kernel! {
    struct D;
    wavelet: "rev53",
    target: cuda,
    element: f32,
}

dwt_kernel! {
    struct E;
    wavelet: "db4",
    target: cuda,
    dims: 3,
    scheme: nonseparable_lifting,
}

dwt_kernel! {
    struct F;
    wavelet: "db4",
    target: opencl,
}

fn main() {}
