use waveloom_macros::dwt_kernel;

dwt_kernel! {
    struct A;
    wavelet: "bior4.5",
    dims: two,
    levels: -1,
    mode: symetric,
    element: f16,
    scheme: seperable_lifting,
    views: maybe,
}

dwt_kernel! {
    struct B;
    wavelet: haar,
    mode: 3,
}

fn main() {}
