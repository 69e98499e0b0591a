//! The operations on levels, compiled in this package for every element type: what is built on it calls them and
//! compiles none of them again.

use super::level::Programs;
use super::levels::{Levels, Prepared, Storage};
use waveloom_codegen::kernel::Kernel;

/// The operations of an element type. What they do is said where they are called: at [`Programs`] and [`Levels`].
pub trait Operations: Sized {
    /// The programs of an operation.
    fn programs(line: &Kernel, joint: Option<&Kernel>) -> Programs<Self>;

    /// Offers other stages.
    fn offer(programs: &mut Programs<Self>, line: &Kernel);

    /// Operations on registers for a vector of pairs.
    fn work(line: &Kernel) -> Option<usize>;

    /// An operation on levels.
    fn prepare(levels: &Levels, programs: Programs<Self>) -> Prepared<Self>;

    /// Memory for operations.
    fn storage(levels: &Levels, parts: usize, operations: &[&Prepared<Self>]) -> Storage<Self>;

    /// Signal to coefficients.
    fn analyse(
        levels: &Levels,
        prepared: &Prepared<Self>,
        signal: &[Self],
        coefficients: &mut [Self],
        storage: &mut Storage<Self>,
    );

    /// Coefficients to signal.
    fn synthesise(
        levels: &Levels,
        prepared: &Prepared<Self>,
        coefficients: &[Self],
        signal: &mut [Self],
        storage: &mut Storage<Self>,
    );
}

macro_rules! operations {
    ($($type:ty),*) => {
        $(impl Operations for $type {
            fn programs(line: &Kernel, joint: Option<&Kernel>) -> Programs<Self> {
                Programs::of(line, joint)
            }

            fn offer(programs: &mut Programs<Self>, line: &Kernel) {
                programs.offered(line);
            }

            fn work(line: &Kernel) -> Option<usize> {
                Programs::<Self>::worked(line)
            }

            fn prepare(levels: &Levels, programs: Programs<Self>) -> Prepared<Self> {
                levels.prepared(programs)
            }

            fn storage(
                levels: &Levels,
                parts: usize,
                operations: &[&Prepared<Self>],
            ) -> Storage<Self> {
                levels.stored(parts, operations)
            }

            fn analyse(
                levels: &Levels,
                prepared: &Prepared<Self>,
                signal: &[Self],
                coefficients: &mut [Self],
                storage: &mut Storage<Self>,
            ) {
                levels.analysed(prepared, signal, coefficients, storage);
            }

            fn synthesise(
                levels: &Levels,
                prepared: &Prepared<Self>,
                coefficients: &[Self],
                signal: &mut [Self],
                storage: &mut Storage<Self>,
            ) {
                levels.synthesised(prepared, coefficients, signal, storage);
            }
        })*
    };
}

operations!(f32, f64, i16, i32, i64);
