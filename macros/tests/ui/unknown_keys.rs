use waveloom_macros::dwt_kernel;

dwt_kernel! {
    pub struct A;
    wavelt: "db4",
    dims: 2,
    dims: 3,
    banana: 1,
}

dwt_kernel! {
    struct B;
    wavelet: "db4",
    file: "db4.toml",
}

fn main() {}
