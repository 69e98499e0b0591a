//! Maniya and Panchal, *Efficient parallelization of inverse DWT using GPGPU*: the integer 9/7 of
//! CCSDS 122, inverse, three levels, Tesla K40. The paper shows its times in a chart only; the order
//! is four kernels, shared memory, two pixels a thread.

use crate::bench::work::{Claim, Method, Work};
use waveloom::codegen::Element;
use waveloom::wavelets::{Mode, SchemeKind};

/// Images of 8, 12 and 16 bits.
pub fn works() -> Vec<Work> {
    let mut works = Vec::new();
    for (bits, element) in [(8, Element::I16), (12, Element::I32), (16, Element::I32)] {
        for side in [512, 1024, 2048, 4096] {
            works.push(work(bits, element, side));
        }
    }
    works
}

fn work(bits: usize, element: Element, side: usize) -> Work {
    let scheme = SchemeKind::SeparableLifting;
    let methods = [
        Method::on_card("four kernels", scheme, "launch"),
        Method::on_card("shared tile", scheme, "one-pixel"),
        Method::on_card("two pixels a thread", scheme, "two-pixels"),
    ];
    let claims = [
        Claim::new("four kernels", "shared tile", (1.0, f64::INFINITY), "Fig. 7, Tesla K40"),
        Claim::new("shared tile", "two pixels a thread", (1.0, f64::INFINITY), "Fig. 7, Tesla K40"),
    ];
    let work = Work::new("maniya", &[side, side], "ccsds97m", Mode::Jpeg2000)
        .levels(3)
        .methods(methods)
        .claims(claims);
    let array = format!("{} of {bits} bits", work.array);
    Work { element, array, ..work }
}
