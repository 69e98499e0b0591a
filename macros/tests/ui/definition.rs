use waveloom_macros::dwt_kernel;

// The spans lie inside the definition.
dwt_kernel! {
    struct A;
    definition: {
        default_mode: "symetric",
        lifting: {
            steps: [
                { target: "odd", first: 0, taps: [-1/2, "half"] },
                { target: "evn", taps: [1/4, 1/4] },
                { target: "odd", tabs: [0.5] },
            ],
            gain: [1, 1],
        },
    },
}

fn main() {}
