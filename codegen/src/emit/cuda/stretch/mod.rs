//! A kernel of walks along lines as CUDA functions: every level's transform of a chunk, the walk, what is done at the ends,
//! and the kernel that finds each warp's stretch.

mod ends;
mod level;
mod walk;

pub(super) use ends::declare;

use super::value::work_type;
use super::writer::Writer;
use super::{INSIDE, job};
use crate::gpu::{Proved, Stretch, StretchLevel};
use crate::kernel::Side;

/// Writes the function and what it calls.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved, stretch: &Stretch) {
    let emitter = Emitter { proved, stretch, name };
    for level in 1..=stretch.levels.len() {
        emitter.level(writer, level);
        writer.line("");
    }
    emitter.walk(writer);
    writer.line("");
    emitter.kernel(writer);
}

struct Emitter<'a> {
    proved: &'a Proved,
    stretch: &'a Stretch,
    name: &'a str,
}

/// A name that every level has.
fn own(name: &str, level: usize) -> String {
    match level {
        1 => name.to_owned(),
        level => format!("{name}_{level}"),
    }
}

/// A band or the signal, seen from a walk.
struct Array {
    /// Its pointer, to the first chunk's elements.
    name: String,
    /// Where these stand, in the words of its job.
    place: String,
    /// Elements of a lane.
    items: usize,
    /// What a walk calls them.
    values: String,
}

impl Emitter<'_> {
    fn work(&self) -> &'static str {
        work_type(self.proved.kernel().element)
    }

    fn of(&self, level: usize) -> &StretchLevel {
        &self.stretch.levels[level - 1]
    }

    fn count(&self) -> usize {
        self.stretch.levels.len()
    }

    fn type_of(&self, level: usize) -> String {
        own(&format!("level_{}", self.name), level)
    }

    /// The samples, which begin with an even or an odd one.
    fn signal(&self) -> Array {
        let (one, lags) = (self.of(1), self.proved.mapping().lags.unwrap_or_default());
        // Of the even sample of a pair, and the odd one.
        let [even, odd] = match self.stretch.output {
            Side::Bands => lags.read[0],
            Side::Signal => lags.written[0],
        };
        let first = (-2 * even).min(1 - 2 * odd);
        Array {
            name: "signal_at".to_owned(),
            place: format!("signal + 2 * from + {first} - job.signal_start0"),
            items: 2 * one.pairs,
            values: "x".to_owned(),
        }
    }

    fn band(&self, level: usize, channel: usize) -> Array {
        let lags = self.proved.mapping().lags.unwrap_or_default();
        let late = match self.stretch.output {
            Side::Bands => lags.written[level - 1][channel],
            Side::Signal => lags.read[level - 1][channel],
        };
        let start = ["low", "high"][channel];
        let (from, job) = (own("from", level), own("job", level));
        Array {
            name: format!("{}_at", own(&format!("band{channel}"), level)),
            place: format!(
                "{} + {from} - {late} - {job}.{start}_start0",
                own(&format!("band{channel}"), level)
            ),
            items: self.of(level).pairs,
            values: own(&format!("p{channel}"), level),
        }
    }

    /// All details, finest first, then the coarsest approximations.
    fn bands(&self) -> Vec<Array> {
        let details = (1..=self.count()).map(|level| self.band(level, 1));
        details.chain([self.band(self.count(), 0)]).collect()
    }

    fn inputs(&self) -> Vec<Array> {
        match self.stretch.output {
            Side::Bands => vec![self.signal()],
            Side::Signal => self.bands(),
        }
    }

    fn outputs(&self) -> Vec<Array> {
        match self.stretch.output {
            Side::Bands => self.bands(),
            Side::Signal => vec![self.signal()],
        }
    }

    /// Whether a level's samples begin with an odd one.
    fn begins_odd(&self, level: usize) -> bool {
        let lags = self.proved.mapping().lags.unwrap_or_default();
        let [even, odd] = match self.stretch.output {
            Side::Bands => lags.read[level - 1],
            Side::Signal => lags.written[level - 1],
        };
        odd > even
    }

    fn planes(&self, level: usize) -> [String; 2] {
        [0, 1].map(|plane| own(&format!("p{plane}"), level))
    }

    /// The planes in the order of samples.
    fn in_order(&self, level: usize) -> [String; 2] {
        let [even, odd] = self.planes(level);
        if self.begins_odd(level) { [odd, even] } else { [even, odd] }
    }

    /// Takes samples apart.
    fn split(&self, writer: &mut Writer, samples: &str, level: usize) {
        let (count, work) = (self.of(level).pairs, self.work());
        let [first, second] = self.in_order(level);
        let [even, odd] = self.planes(level);
        writer.line(format!("{work} {even}[{count}], {odd}[{count}];"));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        writer.line(format!("{first}[i] = {samples}[2 * i];"));
        writer.line(format!("{second}[i] = {samples}[2 * i + 1];"));
        writer.line("}");
    }

    /// Puts them together.
    fn join(&self, writer: &mut Writer, samples: &str, level: usize) {
        let (count, work) = (self.of(level).pairs, self.work());
        let [first, second] = self.in_order(level);
        writer.line(format!("{work} {samples}[{}];", 2 * count));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        writer.line(format!("{samples}[2 * i] = {first}[i];"));
        writer.line(format!("{samples}[2 * i + 1] = {second}[i];"));
        writer.line("}");
    }

    /// The functions that are launched: for the ends of lines, and for the walks.
    fn kernel(&self, writer: &mut Writer) {
        let (name, mapping) = (self.name, self.proved.mapping());
        let (warps, depth, chunk) = (self.stretch.warps, self.stretch.depth, self.stretch.chunk());
        let (threads, resident) = (mapping.threads, mapping.resident.max(1));
        let parameters = "value* b0, value* b1, value* b2, const __grid_constant__ Jobs1 jobs, const __grid_constant__ Rims rims";
        writer.line("// What walks leave out of every line, a block a line.");
        writer.line(format!("extern \"C\" __global__ void __launch_bounds__({threads}, 1)"));
        writer.line(format!("{name}({parameters}) {{"));
        writer.line(format!("alignas(16) __shared__ work desk[{}];", self.stretch.desk()));
        writer.line("await_previous();");
        writer.line("begin_next();");
        self.ends(writer);
        writer.line("}");
        writer.line("");
        writer.line("// The walks, which lie inside their lines: may run beside the others.");
        writer
            .line(format!("extern \"C\" __global__ void __launch_bounds__({threads}, {resident})"));
        writer.line(format!("{name}{INSIDE}({parameters}) {{"));
        writer.line(format!("alignas(16) __shared__ value rings[{warps}][{}];", depth * chunk));
        writer.line("begin_next();");
        writer.line("const int lane = threadIdx.x & 31;");
        writer.line(match warps {
            1 => "const int warp = 0;",
            _ => "const int warp = __shfl_sync(0xffffffffu, threadIdx.x >> 5, 0);",
        });
        writer.line("const Job1& job = jobs.job[0];");
        writer.line("// A block's stretches stand one behind the other; all are whole chunks.");
        writer.line("const unsigned tiles = (unsigned)job.tiles0;");
        writer.line(format!("const long long stretch = job.tile0 / {warps};"));
        writer.line("const long long before = blockIdx.x % tiles * job.tile0 + warp * stretch;");
        writer.line("const long long left = job.pairs_len0 - before;");
        writer.line(format!(
            "const int count = (int)((left < stretch ? left : stretch) / {});",
            chunk / 2
        ));
        job::batch(writer, "blockIdx.x / tiles");
        job::bases(writer, 1);
        for level in 2..=self.count() {
            job::deeper(writer, 1, level);
        }
        for level in 1..=self.count() {
            let (from, job) = (own("from", level), own("job", level));
            let before = match level {
                1 => "before".to_owned(),
                level => format!("(before >> {})", level - 1),
            };
            writer.line(format!("const long long {from} = {job}.pairs_start0 + {before};"));
        }
        let arrays = self.inputs().into_iter().chain(self.outputs());
        let mut arguments: Vec<String> = arrays.map(|array| array.place).collect();
        arguments.extend(["count", "rings[warp]", "lane"].map(str::to_owned));
        let arguments = arguments.join(", ");
        writer.line("const unsigned long long all = (unsigned long long)b0 | (unsigned long long)b1 | (unsigned long long)b2;");
        writer.line("if (left <= 0) {");
        writer.line("// The last block's last warps may have nothing to do.");
        writer.line("} else if (all % 16 == 0) {");
        writer.line(format!("walk_{name}<true>({arguments});"));
        writer.line("} else {");
        writer.line(format!("walk_{name}<false>({arguments});"));
        writer.line("}");
        writer.line("// What comes after this launch comes after the one beside it, too.");
        writer.line("if (blockIdx.x + 1 == gridDim.x) await_previous();");
        writer.line("}");
    }
}
