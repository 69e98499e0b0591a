/// Values one place later; the place that is free gets what was left behind.
#[inline(always)]
fn later<V: Vectors<Sample>, const N: usize>(
    v: V,
    behind: &mut V::Vector,
    values: [V::Vector; N],
) -> [V::Vector; N] {
    let mut later = values;
    later[0] = v.follow(*behind, values[0]);
    for at in 1..N {
        later[at] = v.follow(values[at - 1], values[at]);
    }
    *behind = values[N - 1];
    later
}

/// `a · b`.
#[inline(always)]
fn products<V: Vectors<Sample>, const N: usize>(
    v: V,
    mut a: [V::Vector; N],
    b: Sample,
) -> [V::Vector; N] {
    let b = v.splat(b);
    for at in 0..N {
        a[at] = v.mul(a[at], b);
    }
    a
}

/// `a · b + c`.
#[inline(always)]
fn sums_of_products<V: Vectors<Sample>, const N: usize>(
    v: V,
    a: [V::Vector; N],
    b: Sample,
    mut c: [V::Vector; N],
) -> [V::Vector; N] {
    let b = v.splat(b);
    for at in 0..N {
        c[at] = v.mul_add(a[at], b, c[at]);
    }
    c
}
