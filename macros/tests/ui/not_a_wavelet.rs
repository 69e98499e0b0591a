use waveloom_macros::dwt_kernel;

dwt_kernel! {
    struct A;
    definition: {
        taps: {
            dec_lo: [1, 2, 3, 4],
            dec_hi: [1, 2, 3, 4],
            rec_lo: [1, 2, 3, 4],
            rec_hi: [1, 2, 3, 4],
        },
    },
}

dwt_kernel! {
    struct B;
    definition: r#"
        [lattice]
        stages = [{ t = 0.5 }]
    "#,
}

dwt_kernel! {
    struct C;
    definition: 5,
}

fn main() {}
