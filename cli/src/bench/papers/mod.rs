//! The suite `papers`: every published method as a configuration, on the papers' own sizes, beside
//! the figures that they print. One file for each paper.

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

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom::codegen::gpu::{OperationsRequest, Strategy, operations};
    use waveloom::wavelets::catalogue;

    /// Every method of every paper has kernels for its work: whatever a card then says, the generator
    /// makes them. Sizes do not matter for that, but for lengths that levels divide.
    #[test]
    fn every_method_is_made() {
        let mut seen = std::collections::BTreeSet::new();
        for work in works() {
            for method in work.methods.iter().filter(|method| method.strategy.is_some()) {
                let name = method.strategy.as_deref().unwrap();
                let strategy = Strategy::named(name).unwrap_or_else(|| panic!("{name}"));
                let levels = method.levels.unwrap_or(work.levels);
                let known = (work.section, work.wavelet, work.axes.len(), name, levels);
                let known = (known, method.scheme, method.shape.threads, method.shape.items);
                if !seen.insert(format!("{known:?} {:?}", work.element)) {
                    continue;
                }
                let wavelet = catalogue::wavelet(work.wavelet).unwrap();
                let kind = method.scheme.unwrap_or(wavelet.default_scheme(work.axes.len()));
                let made = operations(&OperationsRequest {
                    operations: &[],
                    wavelet: &wavelet,
                    kind,
                    shape: &work.shape,
                    axes: &work.axes,
                    mode: method.mode.unwrap_or(work.mode),
                    origins: &[],
                    levels,
                    align_rows: None,
                    element: work.element,
                    strategy: Strategy {
                        tile: method.shape.tile.or(strategy.tile),
                        threads: method.shape.threads.or(strategy.threads),
                        items: method.shape.items.or(strategy.items),
                        ..strategy
                    },
                });
                assert!(made.is_ok(), "{}: {:?}", work.name_of(method), made.err());
            }
        }
    }
}
