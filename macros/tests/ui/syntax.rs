use waveloom_macros::dwt_kernel;

dwt_kernel! {
    pub enum A;
    wavelet: "db4",
}

dwt_kernel! {
    struct B
    wavelet: "db4",
}

dwt_kernel! {
    struct C;
    wavelet "db4",
}

dwt_kernel! {
    struct D;
    wavelet: "db4",
    levels: 3usize,
}

dwt_kernel! {
    #[derive(Clone)]
    struct E;
    wavelet: "db4",
}

fn main() {}
