//! Generated CUDA run on the CPU as a backend of the suite.

use super::backend::beyond;
use super::{Backend, Breadth, Case, Prepared, Samples, Transform};
use crate::emulate::{Argument, Checks, Emulator, Launch, Order, Program, Scalar};
use crate::emulate::{from_bytes, to_bytes};
use crate::skipped::{content_byte, sampled};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use waveloom::packing::Packing;
use waveloom_codegen::emit::cuda::{self, COPIES, INSIDE, SUMS};
use waveloom_codegen::gpu::{self, Ends, LaunchKind, ProgramRequest};
use waveloom_codegen::gpu::{Proved, Strategy};
use waveloom_codegen::kernel::{Exchange, Operation};
use waveloom_wavelets::SchemeKind;
use waveloom_wavelets::geometry::Decomposition;

/// Runs the emitted text of every case in the emulator. Texts are compiled once each.
pub struct EmulatedBackend {
    emulator: Emulator,
    checks: Checks,
    /// One of how many texts gets all checks, and one those of [`Checks::Bounds`]; the others those of [`Checks::Ends`].
    thorough: u8,
    /// Whether a case is held to one law alone.
    one_law: bool,
    order: Order,
    strategy: Strategy,
    align_rows: Option<u32>,
    label: String,
    compiled: Mutex<BTreeMap<String, Arc<Shared>>>,
}

/// One of how many texts gets all checks in quick runs.
const THOROUGH: u8 = 16;

/// What became of a text: a program that serves one thread at a time, or the compiler's complaint. Threads that
/// want a text while it is compiled wait for it.
type Shared = OnceLock<Result<Mutex<Program>, String>>;

/// A panic elsewhere leaves nothing half done here: a program's process either answers or is started anew.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EmulatedBackend {
    /// A backend with a block shape, an order of threads and a kind of checks.
    pub fn new(
        emulator: Emulator,
        checks: Checks,
        order: Order,
        label: &str,
        strategy: Strategy,
    ) -> Self {
        let label = label.to_owned();
        let compiled = Mutex::default();
        let (thorough, one_law, align_rows) = (1, false, None);
        Self { emulator, checks, thorough, one_law, order, strategy, align_rows, label, compiled }
    }

    /// With rows of bands that begin at multiples of so many elements, if any.
    #[must_use]
    pub fn align_rows(self, multiple: Option<u32>) -> Self {
        Self { align_rows: multiple, ..self }
    }

    /// In quick runs, looks in all texts for accesses beyond buffers; for all that is undefined in the first one and in one
    /// of sixteen, which a text's content chooses; and in another one of sixteen for what is out of any array's bounds: most of
    /// what may be is in parts that all texts have. And holds each case to one of the laws, since all operations are compared
    /// with the reference. Says so.
    #[must_use]
    pub fn sparing(self, breadth: Breadth) -> Self {
        if breadth != Breadth::Quick {
            return self;
        }
        sampled(breadth, &self.name(), "one law a case, besides what the reference says");
        if self.checks != Checks::Memory {
            return Self { one_law: true, ..self };
        }
        let part = "ends of buffers in all texts, bounds of all arrays in one more of sixteen, all that is undefined \
                    in the first and one of sixteen";
        sampled(breadth, &self.name(), part);
        Self { one_law: true, thorough: THOROUGH, ..self }
    }

    /// What a text is checked for, the first or another.
    fn checks(&self, text: &str, first: bool) -> Checks {
        match content_byte(text) % self.thorough {
            0 => self.checks,
            _ if first => self.checks,
            1 => Checks::Bounds,
            _ => Checks::Ends,
        }
    }

    /// Whether blocks work on tiles in shared memory.
    pub fn is_tiled(&self) -> bool {
        self.strategy.exchange == Exchange::Shared
    }

    fn compiled(&self, text: &str, names: &[&str]) -> Result<Arc<Shared>, String> {
        let (shared, first) = {
            let mut compiled = lock(&self.compiled);
            let first = compiled.is_empty();
            (Arc::clone(compiled.entry(text.to_owned()).or_default()), first)
        };
        let compile = || {
            let program = self.emulator.compile(text, names, self.checks(text, first));
            program.map(Mutex::new).map_err(|error| error.to_string())
        };
        match shared.get_or_init(compile) {
            Ok(_) => Ok(shared),
            Err(error) => Err(error.clone()),
        }
    }
}

impl Backend for EmulatedBackend {
    fn name(&self) -> String {
        format!("emulated CUDA ({})", self.label)
    }

    fn spares_laws(&self) -> bool {
        self.one_law
    }

    fn prepare(&self, case: &Case) -> Prepared<'_> {
        let axes = case.axes.len();
        let kind = case.scheme.unwrap_or(match (case.wavelet.lifting().is_some(), axes) {
            (true, 1) => SchemeKind::Lifting,
            (true, _) => SchemeKind::SeparableLifting,
            (false, 1) => SchemeKind::Convolution,
            (false, _) => SchemeKind::SeparableConvolution,
        });
        let operations: &[Operation] = match case.element.is_integer() {
            true => &[Operation::Forward, Operation::Inverse],
            false => &Operation::ALL,
        };
        let mut proved: Vec<Proved> = Vec::new();
        let mut programs = Vec::new();
        let mut packing = None;
        for operation in operations {
            let request = ProgramRequest {
                wavelet: &case.wavelet,
                kind,
                shape: &case.shape,
                axes: &case.axes,
                mode: case.mode,
                origins: &case.origin,
                levels: case.levels,
                align_rows: self.align_rows,
                element: case.element,
                operation: *operation,
                strategy: self.strategy,
            };
            let program = match gpu::program(&request) {
                Ok(program) => program,
                Err(error) if beyond(Some(self.strategy), &error) => {
                    return Prepared::Skipped(error.to_string());
                }
                Err(error) => return Prepared::Refused(error.to_string()),
            };
            if program.in_place && packing.is_none() {
                match mixed(case, &program) {
                    Ok(found) => packing = Some(found),
                    Err(message) => return Prepared::Refused(message),
                }
            }
            if let (Some(rows), None) = (&program.band_rows, &packing) {
                match Packing::of_rows(&program.bands, rows) {
                    Ok(found) => packing = Some(found),
                    Err(error) => return Prepared::Refused(error.to_string()),
                }
            }
            let indices = program.kernels.iter().map(|kernel| {
                proved.iter().position(|known| known == kernel).unwrap_or_else(|| {
                    proved.push(kernel.clone());
                    proved.len() - 1
                })
            });
            let indices: Vec<usize> = indices.collect();
            programs.push((*operation, program, indices));
        }
        let source = cuda::source(case.element, &proved, &[]);
        let more: Vec<String> = (source.functions.iter().zip(&proved))
            .flat_map(|(name, proved)| {
                let inside = proved.parted().then_some(INSIDE);
                let ends = own(proved).into_iter().map(|(_, ending)| ending);
                ends.chain(inside).map(move |ending| format!("{name}{ending}"))
            })
            .collect();
        let functions = source.functions.iter().chain(&more);
        let mut names: Vec<&str> = functions.map(String::as_str).collect();
        names.extend([cuda::FOLD, cuda::SCALE]);
        let executable = match self.compiled(&source.text, &names) {
            Ok(executable) => executable,
            Err(error) => return Prepared::Refused(error),
        };
        Prepared::Ready(Box::new(EmulatedTransform {
            executable,
            programs,
            packing,
            operations: operations.to_vec(),
            functions: source.functions,
            threads: proved.iter().map(|proved| proved.mapping().threads).collect(),
            own: proved.iter().map(own).collect(),
            order: self.order,
        }))
    }

    fn tile_lengths(&self) -> Vec<usize> {
        self.strategy.tile.iter().map(|tile| 2 * tile[0] as usize).collect()
    }
}

/// The layout of a program that leaves coefficients in the places of their samples.
fn mixed(case: &Case, program: &gpu::Program) -> Result<Packing, String> {
    let lengths: Vec<usize> = case.axes.iter().map(|axis| case.shape[*axis]).collect();
    let frame = case.wavelet.frame();
    let decomposition = Decomposition::new(&frame, case.mode, &lengths, &case.origin, case.levels)
        .map_err(|error| error.to_string())?;
    Packing::mixed(&program.bands, &case.axes, &case.shape, &case.origin, &decomposition)
        .map_err(|error| error.to_string())
}

/// A packed array of `unused` elements with a plan's coefficients in their places.
pub(super) fn placed<T: Copy>(
    packing: &Packing,
    coefficients: &[T],
    mut unused: Vec<T>,
) -> Result<Vec<T>, String> {
    let mut values = coefficients.iter();
    let visited = packing.visit_mut(&mut unused, |_, place| {
        if let Some(value) = values.next() {
            *place = *value;
        }
    });
    visited.map_err(|error| error.to_string())?;
    match values.len() {
        0 => Ok(unused),
        left => Err(format!("{left} coefficients have no place")),
    }
}

/// What stands between the bands was not written.
fn untouched<T: Scalar + Default>(packing: &Packing, results: &[T]) -> Result<(), String> {
    let poison: Vec<T> = from_bytes(&[POISON].repeat(T::BYTES));
    let mut others = results.to_vec();
    let emptied = packing.visit_mut(&mut others, |_, value| *value = poison[0]);
    emptied.map_err(|error| error.to_string())?;
    let written = to_bytes(&others).iter().filter(|byte| **byte != POISON).count();
    match written {
        0 => Ok(()),
        _ => Err(format!("{written} bytes between the bands were written")),
    }
}

/// What the functions of a kernel for some ends are for.
fn own(proved: &Proved) -> Vec<(Ends, &'static str)> {
    let copies = proved.strip().filter(|strip| strip.has_copies());
    let sums = proved.strip().filter(|strip| strip.has_sums());
    let copies = copies.map(|_| (Ends::Copies, COPIES));
    copies.into_iter().chain(sums.map(|_| (Ends::Sums, SUMS))).collect()
}

struct EmulatedTransform {
    executable: Arc<Shared>,
    programs: Vec<(Operation, gpu::Program, Vec<usize>)>,
    /// Where coefficients stand, unless band after band.
    packing: Option<Packing>,
    operations: Vec<Operation>,
    functions: Vec<String>,
    threads: Vec<u32>,
    /// What each kernel's functions of their own for ends are for, and how their names end.
    own: Vec<Vec<(Ends, &'static str)>>,
    order: Order,
}

impl Transform for EmulatedTransform {
    fn operations(&self) -> &[Operation] {
        &self.operations
    }

    fn run(&mut self, operation: Operation, input: &Samples) -> Result<Samples, String> {
        match input {
            Samples::F32(values) => self.launch(operation, values).map(Samples::F32),
            Samples::F64(values) => self.launch(operation, values).map(Samples::F64),
            Samples::I16(values) => self.launch(operation, values).map(Samples::I16),
            Samples::I32(values) => self.launch(operation, values).map(Samples::I32),
            Samples::I64(values) => self.launch(operation, values).map(Samples::I64),
        }
    }
}

/// What uninitialised device memory is filled with: NaN in floats.
const POISON: u8 = 0xff;

impl EmulatedTransform {
    fn launch<T: Scalar + Default>(
        &self,
        operation: Operation,
        input: &[T],
    ) -> Result<Vec<T>, String> {
        let found = self.programs.iter().find(|(known, _, _)| *known == operation);
        let (_, program, indices) = found.ok_or("the operation was not prepared")?;
        let poisoned = |len: usize| vec![POISON; len * T::BYTES];
        let from_signal = operation.input() == waveloom_codegen::kernel::Side::Signal;
        let packed = match (&self.packing, from_signal) {
            (Some(packing), false) => placed(packing, input, from_bytes(&poisoned(packing.len())))?,
            _ => input.to_vec(),
        };
        let mut buffers = match from_signal {
            true => [to_bytes(input), poisoned(program.coefficient_len)],
            false => [poisoned(program.signal_len), to_bytes(&packed)],
        }
        .to_vec();
        buffers.push(poisoned(program.workspace_len));
        for launch in &program.launches {
            let own = match launch {
                LaunchKind::Transform { kernel, .. } => self.own[indices[*kernel]].as_slice(),
                _ => &[],
            };
            let (name, grid, threads, words) = match launch {
                LaunchKind::Transform { kernel, .. } => {
                    let kernel = indices[*kernel];
                    let [x, y] = launch.grid().unwrap_or([0, 1]);
                    let grid = [x as u32, y as u32, 1];
                    (self.functions[kernel].as_str(), grid, self.threads[kernel], launch.words())
                }
                LaunchKind::Fold(_) => (cuda::FOLD, [2, 1, 1], 32, launch.words()),
                LaunchKind::Scale(_) => (cuda::SCALE, [2, 1, 1], 32, launch.words()),
            };
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            // Kernels of several functions run now together, now apart; at ends of copies and sums now the
            // function for these, now that for any.
            let parts = launch.parts(grid[0] % 2 == 0);
            let mut launch = Launch::new(name, grid, [threads, 1, 1]).order(self.order);
            for buffer in 0..3 {
                launch = launch.argument(Argument::buffer(buffer));
            }
            launch.arguments.push(Argument::Value(bytes));
            let mut run = |launch: &Launch| {
                let Some(Ok(program)) = self.executable.get() else {
                    return Err("the text was not compiled".to_owned());
                };
                let run = lock(program).run(launch, &mut buffers);
                run.map(|_| ()).map_err(|error| error.to_string())
            };
            let Some(parts) = parts else {
                run(&launch)?;
                continue;
            };
            let more = parts.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            launch.arguments.push(Argument::Value(more));
            let own = own.iter().find(|(ends, _)| *ends == parts.ends && grid[0] % 3 != 0);
            let at_ends = format!("{name}{}", own.map_or("", |(_, ending)| ending));
            let names = [at_ends, format!("{name}{INSIDE}")];
            for (name, blocks) in names.into_iter().zip(parts.blocks) {
                launch.kernel = name;
                launch.grid[0] = blocks as u32;
                if blocks > 0 {
                    run(&launch)?;
                }
            }
        }
        let results: Vec<T> = from_bytes(if from_signal { &buffers[1] } else { &buffers[0] });
        match (&self.packing, from_signal) {
            (Some(packing), true) => {
                let len = program.bands.iter().map(|band| band.len).sum();
                let mut coefficients = vec![T::default(); len];
                let unpacked = packing.unpack(&results, &mut coefficients);
                unpacked.map_err(|error| error.to_string())?;
                untouched(packing, &results)?;
                Ok(coefficients)
            }
            _ => Ok(results),
        }
    }
}
