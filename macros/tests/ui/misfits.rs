use waveloom_macros::dwt_kernel;

// Everything that does not go with everything else, at once.
dwt_kernel! {
    struct A;
    wavelet: "db4",
    levels: 99,
    mode: jpeg2000,
    element: i32,
}

dwt_kernel! {
    struct B;
    wavelet: "db4",
    dims: 2,
    scheme: lattice,
}

dwt_kernel! {
    struct C;
    wavelet: "dmey",
    scheme: lifting,
}

dwt_kernel! {
    struct D;
    wavelet: "rev53",
    dims: 4,
    element: f32,
}

dwt_kernel! {
    struct E;
    wavelet: "ccsds97m",
    dims: 3,
    levels: 8,
    mode: antireflect,
    element: i16,
}

dwt_kernel! {
    struct F;
    wavelet: "db38",
    dims: 3,
    scheme: nonseparable_convolution,
}

fn main() {}
