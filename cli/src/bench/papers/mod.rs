//! The suite `papers`: every published method as a configuration, on the papers' own sizes, beside
//! the figures that they print. One file for each paper; a method that the generator does not make
//! stays in the table and is reported as not available.

mod barina;
mod littlejohn;
mod maniya;
mod puchala;
mod quan;

pub use puchala::overtaking;

use super::work::Work;

/// All works, paper by paper.
pub fn works() -> Vec<Work> {
    [puchala::works(), barina::works(), littlejohn::works(), quan::works(), maniya::works()]
        .concat()
}
