//! Littlejohn and Yao, *Accelerated discrete wavelet transforms* (a course report): CDF 9/7 by
//! convolution with zeros beyond the ends, Tesla K40.

use crate::bench::work::{Claim, FORWARD, Method, Place, Work};
use waveloom::wavelets::{Mode, SchemeKind};

/// Figures 7 to 10 (square and rectangular arrays), images in colour, and host transfers.
pub fn works() -> Vec<Work> {
    let mut works: Vec<Work> =
        [[1000, 1000], [2000, 2000], [5000, 5000], [2000, 1000], [5000, 2500]]
            .iter()
            .map(|shape| work("littlejohn", shape))
            .collect();
    let images = work("littlejohn", &[3, 1000, 1000]);
    works.push(Work { axes: vec![1, 2], array: "2-D 1000^2 in 3 colours".to_owned(), ..images });
    works.push(transfers());
    works
}

fn methods() -> [Method; 4] {
    [
        Method::on_card("naive separable", SchemeKind::SeparableConvolution, "global"),
        Method::on_card("non-separable", SchemeKind::NonseparableConvolution, "global"),
        Method::on_card("tiled separable", SchemeKind::SeparableConvolution, "shared"),
        Method::on_card("tiled non-separable", SchemeKind::NonseparableConvolution, "shared"),
    ]
}

fn work(section: &'static str, shape: &[usize]) -> Work {
    let claims = [
        Claim::new("non-separable", "naive separable", (5.0, 10.0), "section 3.2, Tesla K40"),
        Claim::new("naive separable", "tiled separable", (1.0, 2.0), "Figs. 7 to 10, Tesla K40"),
        Claim::new(
            "tiled separable",
            "tiled non-separable",
            (f64::NAN, f64::NAN),
            "left as future work",
        ),
    ];
    let work = Work::new(section, shape, "cdf97", Mode::Zero).methods(methods()).claims(claims);
    Work { operations: FORWARD, ..work }
}

/// Kernels alone, and with the copies that the report found to be most of its time (16 s for 40 GB
/// in, 1.5 s for 11 GB out). Twelve colour images in one call.
fn transfers() -> Work {
    let with = |method: Method| Method {
        name: format!("{}, with copies", method.name),
        place: Place::Transfers,
        ..method
    };
    let [naive, _, tiled, _] = methods();
    let overlapped = Method {
        name: "tiled separable, copies overlapped".to_owned(),
        place: Place::Overlapped,
        ..tiled.clone()
    };
    let methods = [tiled.clone(), with(tiled), overlapped, naive.clone(), with(naive)];
    let claims = [
        Claim::new(
            "tiled separable, with copies",
            "tiled separable",
            (1.0, f64::INFINITY),
            "section 5, Tesla K40: copies take most of the time",
        ),
        Claim::new(
            "tiled separable, with copies",
            "tiled separable, copies overlapped",
            (f64::NAN, f64::NAN),
            "left as future work",
        ),
    ];
    let work = Work::new("littlejohn transfers", &[12, 3, 1000, 1000], "cdf97", Mode::Zero)
        .methods(methods)
        .claims(claims);
    let array = "12 images of 1000^2 in 3 colours".to_owned();
    Work { axes: vec![2, 3], array, operations: FORWARD, ..work }
}
