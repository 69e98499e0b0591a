use waveloom_macros::dwt_kernel;

dwt_kernel! {
    struct A;
    file: "wavelets/nowhere.toml",
}

fn main() {}
