//! What `dwt_kernel!` makes beside the host executor and a copy of the same bytes, in turn:
//!
//! ```text
//! cargo bench -p waveloom --bench generated            # every line
//! cargo bench -p waveloom --bench generated -- 2-D L4  # lines whose name has all these words
//! ```
//!
//! One thread. A row has the median times of forward and inverse as multiples of the copy in the same round, and the
//! median ratio of both ways with its quartiles; below 1 the generated code is faster.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use waveloom::codegen::kernel::Operation;
use waveloom::measure::{Budget, Spread, contest, sample};
use waveloom::wavelets::{Mode, catalogue};
use waveloom::{Element, Plan, Workspace};

/// Seconds a line may take.
const SECONDS: f64 = 2.0;
/// Differences that rounding makes, relative to the largest coefficient.
const ROUNDING: f64 = 1e-5;

/// A kernel that was generated for one wavelet, mode and number of levels.
trait Kernel<T>: Sized {
    fn new(shape: &[usize]) -> Result<Self, Box<dyn Error>>;
    fn run(&mut self, operation: Operation, input: &[T], output: &mut [T]) -> Outcome<()>;
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A line of the table.
struct Line {
    name: String,
    shape: Vec<usize>,
    wavelet: &'static str,
    mode: &'static str,
    levels: usize,
    race: fn(&Line) -> Outcome<Times>,
}

/// Multiples of a copy of the executor and of generated code, and their ratio.
type Times = [[Spread; 3]; 2];

/// Both ways on the same arrays.
struct Race<T: Element, K> {
    plan: Plan<T>,
    workspace: Workspace<T>,
    kernel: K,
    signal: Vec<T>,
    coefficients: Vec<T>,
    back: Vec<T>,
}

impl<T: Element, K: Kernel<T>> Race<T, K> {
    fn new(line: &Line) -> Outcome<Self> {
        let wavelet = catalogue::wavelet(line.wavelet)?;
        let builder = Plan::<T>::builder(&wavelet, &line.shape).levels(line.levels).threads(1);
        let plan = builder.mode(line.mode.parse::<Mode>()?).build()?;
        let signal: Vec<T> = (0..plan.signal_len()).map(sample).collect();
        let mut race = Self {
            workspace: plan.workspace(),
            kernel: K::new(&line.shape)?,
            coefficients: vec![T::default(); plan.coefficient_len()],
            back: signal.clone(),
            signal,
            plan,
        };
        race.compare()?;
        Ok(race)
    }

    /// Makes sure that both ways give the same.
    fn compare(&mut self) -> Outcome<()> {
        let mut coefficients = self.coefficients.clone();
        self.kernel.run(Operation::Forward, &self.signal, &mut coefficients)?;
        self.plan.forward(&self.signal, &mut self.coefficients, &mut self.workspace)?;
        let zero = T::default();
        let of =
            |a: &[T], b: &[T]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let size = self.coefficients.iter().map(|value| value.distance(zero)).fold(0.0, f64::max);
        let mut worst = of(&coefficients, &self.coefficients);
        self.kernel.run(Operation::Inverse, &coefficients, &mut self.back)?;
        worst = worst.max(of(&self.back, &self.signal));
        match worst <= ROUNDING * size {
            true => Ok(()),
            false => Err(format!("results differ by {worst} of {size}").into()),
        }
    }

    /// Seconds of runs of an entrant: the copy, the executor's operations, those of generated code.
    fn run(&mut self, entrant: usize, runs: usize) -> Outcome<f64> {
        let begin = Instant::now();
        for _ in 0..runs {
            let operation = [Operation::Inverse, Operation::Forward][entrant % 2];
            let (input, output) = match entrant % 2 {
                1 => (&self.signal, &mut self.coefficients),
                _ => (&self.coefficients, &mut self.back),
            };
            match entrant {
                0 => black_box(&mut self.back[..]).copy_from_slice(black_box(&self.signal)),
                1 | 2 => {
                    self.plan.execute(operation, black_box(input), output, &mut self.workspace)?
                }
                _ => self.kernel.run(operation, black_box(input), output)?,
            }
        }
        Ok(begin.elapsed().as_secs_f64())
    }
}

/// Measures a line.
fn race<T: Element, K: Kernel<T>>(line: &Line) -> Outcome<Times> {
    let mut race = Race::<T, K>::new(line)?;
    let budget = Budget { seconds: SECONDS, ..Budget::default() };
    let times = contest(5, &budget, |entrant, runs| race.run(entrant, runs))?;
    Ok([1, 2].map(|way| [times.ratio(way, 0), times.ratio(way + 2, 0), times.ratio(way + 2, way)]))
}

/// `lines!(wavelet, axes, levels, element, modes, shapes)`: the kernels, and a list of their lines.
macro_rules! lines {
    ($($name:ident: $wavelet:tt $dims:tt-D L $levels:tt $element:ident [$($mode:ident)*] $shapes:expr;)*) => {
        $(mod $name {
            $(pub mod $mode {
                waveloom::dwt_kernel! {
                    pub struct Generated;
                    wavelet: $wavelet,
                    dims: $dims,
                    levels: $levels,
                    mode: $mode,
                    element: $element,
                    views: false,
                }

                impl crate::Kernel<$element> for Generated {
                    fn new(shape: &[usize]) -> crate::Outcome<Self> {
                        Ok(Self::new(shape.try_into()?)?)
                    }
                    fn run(
                        &mut self,
                        operation: crate::Operation,
                        input: &[$element],
                        output: &mut [$element],
                    ) -> crate::Outcome<()> {
                        Ok(match operation {
                            crate::Operation::Forward => self.forward(input, output)?,
                            _ => self.inverse(input, output)?,
                        })
                    }
                }
            })*
        })*

        fn lines() -> Vec<Line> {
            let mut lines = Vec::new();
            $($(for shape in $shapes {
                let shape: [usize; $dims] = shape;
                let (dims, element, mode) = ($dims, stringify!($element), stringify!($mode));
                let array = match shape.len() {
                    1 => format!("2^{}", shape[0].ilog2()),
                    _ => format!("{}^{dims}", shape[0]),
                };
                lines.push(Line {
                    name: format!("{dims}-D {array} {} {mode} L{} {element}", $wavelet, $levels),
                    shape: shape.to_vec(),
                    wavelet: $wavelet,
                    mode,
                    levels: $levels,
                    race: race::<$element, $name::$mode::Generated>,
                });
            })*)*
            lines
        }
    };
}

const LINE: [[usize; 1]; 1] = [[1 << 24]];
const PLANES: [[usize; 2]; 2] = [[2048; 2], [4096; 2]];
const VOLUME: [[usize; 3]; 1] = [[256; 3]];

lines! {
    line_haar: "haar" 1-D L 1 f32 [periodization symmetric] LINE;
    line_db4: "db4" 1-D L 1 f32 [periodization symmetric] LINE;
    line_bior44: "bior4.4" 1-D L 1 f32 [periodization symmetric] LINE;
    line_irr97: "irr97" 1-D L 1 f32 [periodization symmetric] LINE;
    line_db16: "db16" 1-D L 1 f32 [periodization symmetric] LINE;
    double_haar: "haar" 1-D L 1 f64 [periodization symmetric] LINE;
    double_db4: "db4" 1-D L 1 f64 [periodization symmetric] LINE;
    double_bior44: "bior4.4" 1-D L 1 f64 [periodization symmetric] LINE;
    double_irr97: "irr97" 1-D L 1 f64 [periodization symmetric] LINE;
    double_db16: "db16" 1-D L 1 f64 [periodization symmetric] LINE;
    deep_line_haar: "haar" 1-D L 5 f32 [periodization symmetric] LINE;
    deep_line_db4: "db4" 1-D L 5 f32 [periodization symmetric] LINE;
    deep_line_bior44: "bior4.4" 1-D L 5 f32 [periodization symmetric] LINE;
    deep_double_haar: "haar" 1-D L 5 f64 [periodization symmetric] LINE;
    deep_double_db4: "db4" 1-D L 5 f64 [periodization symmetric] LINE;
    deep_double_bior44: "bior4.4" 1-D L 5 f64 [periodization symmetric] LINE;
    plane_haar: "haar" 2-D L 1 f32 [periodization symmetric] PLANES;
    plane_db4: "db4" 2-D L 1 f32 [periodization symmetric] PLANES;
    plane_bior44: "bior4.4" 2-D L 1 f32 [periodization symmetric] PLANES;
    plane_irr97: "irr97" 2-D L 1 f32 [periodization symmetric] PLANES;
    deep_plane_haar: "haar" 2-D L 4 f32 [periodization symmetric] PLANES;
    deep_plane_db4: "db4" 2-D L 4 f32 [periodization symmetric] PLANES;
    deep_plane_bior44: "bior4.4" 2-D L 4 f32 [periodization symmetric] [[512; 2], [2048; 2], [4096; 2]];
    deep_plane_irr97: "irr97" 2-D L 4 f32 [periodization symmetric] PLANES;
    plane_rev53: "rev53" 2-D L 1 i32 [jpeg2000] [[2048; 2]];
    deep_plane_rev53: "rev53" 2-D L 4 i32 [jpeg2000] [[2048; 2]];
    volume_haar: "haar" 3-D L 1 f32 [periodization symmetric] VOLUME;
    volume_bior22: "bior2.2" 3-D L 1 f32 [periodization symmetric] VOLUME;
}

fn main() {
    // Cargo adds options of its own.
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    println!("| work | | copies: executor | generated | generated / executor (quartiles) |");
    println!("|---|---|---|---|---|");
    for line in lines() {
        if !words.iter().all(|word| line.name.contains(word)) {
            continue;
        }
        match (line.race)(&line) {
            Ok(times) => {
                for (way, [executor, generated, ratio]) in ["forward", "inverse"].iter().zip(times)
                {
                    println!(
                        "| {} | {way} | {:.2} | {:.2} | {:.2} ({:.2}-{:.2}) |",
                        line.name,
                        executor.median,
                        generated.median,
                        ratio.median,
                        ratio.low,
                        ratio.high
                    );
                }
            }
            Err(reason) => println!("| {} | not measured: {reason} |", line.name),
        }
    }
}
