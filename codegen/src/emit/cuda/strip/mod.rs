//! A strip kernel as CUDA functions: the transforms across the lanes and along the walk, the walk itself,
//! and the kernel that finds each warp's strip.

mod across;
mod along;
mod arguments;
mod beside;
mod between;
mod deeper;
mod ends;
mod functions;
mod input;
mod output;
mod pointers;
mod round;
mod walk;
mod way;
mod written;

use super::job;
use super::value::{literal, work_type};
use super::writer::Writer;
use crate::gpu::{Proved, Strip};
use crate::kernel::{Operation, Side};
use input::moved;
use output::Output;

/// Writes the function and what it calls.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved, strip: &Strip) {
    let emitter =
        Emitter { proved, strip, name: name.to_owned(), level: 1, sources: 0, targets: 0 };
    emitter.levels().for_each(|level| level.transforms(writer));
    emitter.walk(writer);
    if let Some(upward) = emitter.upward() {
        writer.line("");
        writer.line("// Walks that go up take their rows backwards.");
        upward.levels().for_each(|level| level.windows_of_walk(writer));
        upward.walk(writer);
    }
    writer.line("");
    emitter.kernel(writer);
}

/// One level of a strip. What belongs to a level after the first has its number in its names.
#[derive(Clone)]
struct Emitter<'a> {
    proved: &'a Proved,
    strip: &'a Strip,
    name: String,
    level: usize,
    /// Its first input among those of all levels.
    sources: usize,
    /// Its first output among those of all levels, with what levels hand over.
    targets: usize,
}

/// Type, name and value of something that a function is given.
struct Argument {
    kind: String,
    name: String,
    value: String,
}

impl Argument {
    fn new(kind: &str, name: &str, value: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), name: name.to_owned(), value: value.into() }
    }
}

impl<'a> Emitter<'a> {
    /// The next level in the same strip.
    fn deeper(&self) -> Option<Emitter<'a>> {
        let (proved, level) = (self.proved, self.level + 1);
        let strip = self.strip.deeper.as_deref()?;
        let name = match self.level {
            1 => format!("{}_{level}", self.name),
            _ => self.name.replace(&format!("_{}", self.level), &format!("_{level}")),
        };
        let sources = self.sources + self.inputs().len();
        let targets = self.targets + self.targets_of_level();
        Some(Emitter { proved, strip, name, level, sources, targets })
    }

    /// This level and those after it.
    fn levels(&self) -> impl Iterator<Item = Emitter<'a>> {
        std::iter::successors(Some(self.clone()), Emitter::deeper)
    }

    /// A name that every level has.
    fn own(&self, name: &str) -> String {
        match self.level {
            1 => name.to_owned(),
            level => format!("{name}_{level}"),
        }
    }

    fn job(&self) -> String {
        self.own("job")
    }

    fn operation(&self) -> Operation {
        self.proved.kernel().operation
    }

    fn input(&self) -> Side {
        self.operation().input()
    }

    fn axes(&self) -> usize {
        self.proved.kernel().axes
    }

    fn groups(&self) -> usize {
        self.strip.groups
    }

    /// Groups of a plane while it is transformed across the lanes: with three axes, rows.
    fn groups_across(&self) -> usize {
        match &self.strip.beside {
            Some(beside) if beside.first || !self.strip.across_first => beside.made(),
            Some(beside) => beside.read(),
            None => self.groups(),
        }
    }

    /// The same along the walk.
    fn groups_along(&self) -> usize {
        match &self.strip.beside {
            Some(beside) if beside.first || self.strip.across_first => beside.made(),
            Some(beside) => beside.read(),
            None => self.groups(),
        }
    }

    fn work(&self) -> &'static str {
        work_type(self.proved.kernel().element)
    }

    /// The axis that the strip crosses.
    fn crossed(&self) -> Option<usize> {
        self.strip.across.as_ref().map(|_| self.axes() - 1)
    }

    /// Rows of a pair: two along a walk.
    fn rows(&self) -> usize {
        if self.strip.along.is_some() { 2 } else { 1 }
    }

    /// Elements by which the columns of a side's rows begin later than the strip.
    fn lead(&self, array: Side, side: usize) -> i64 {
        let alignment = self.strip.alignment.unwrap_or_default();
        i64::from(match (array, side) {
            (Side::Signal, _) => alignment.signal,
            (Side::Bands, side) => alignment.bands[side.min(1)],
        })
    }

    /// Which of two neighbouring elements of a signal's row belongs to plane `c`: the rows may begin at
    /// an odd sample.
    fn parity(&self, c: usize) -> usize {
        let odd = self.lead(Side::Signal, 0).rem_euclid(2) as usize;
        if self.sides() == 2 { c ^ odd } else { c }
    }

    /// Planes that lie side by side in a row: two across lanes.
    fn sides(&self) -> usize {
        if self.strip.across.is_some() { 2 } else { 1 }
    }

    /// Values of a lane in one group and plane.
    fn items(&self) -> usize {
        self.strip.columns() / self.sides()
    }

    /// The channel of row `r` and side `c`.
    fn channel(&self, r: usize, c: usize) -> usize {
        r * self.sides() + c
    }

    fn plane(&self, r: usize, c: usize) -> String {
        self.own(&format!("p{r}{c}"))
    }

    fn planes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let sides = self.sides();
        (0..self.rows()).flat_map(move |r| (0..sides).map(move |c| (r, c)))
    }

    /// The functions of both directions.
    fn transforms(&self, writer: &mut Writer) {
        if let Some(across) = &self.strip.across {
            self.across(writer, across);
            writer.line("");
        }
        if let Some(beside) = &self.strip.beside {
            self.beside(writer, beside);
            writer.line("");
        }
        self.windows_of_walk(writer);
    }

    /// The structure of a walk's windows.
    fn windows_of_walk(&self, writer: &mut Writer) {
        if let Some(along) = &self.strip.along {
            self.along(writer, along);
            writer.line("");
        }
    }

    /// Finds where the warp's strip begins.
    fn begin(&self, writer: &mut Writer) {
        for level in self.levels().skip(1) {
            job::deeper(writer, self.axes(), level.level);
        }
        if !self.strip.numbered() {
            self.lane_and_warp(writer);
        }
        self.place(writer);
        self.range(writer);
    }

    /// The lane and the warp before a place is looked for, where strips are numbered: the warp finds its own. Where blocks
    /// are, they come behind it: compilers otherwise make another walk of the same text, which took 4 % more at two
    /// levels.
    fn warp_first(&self, writer: &mut Writer) {
        if self.strip.numbered() {
            self.lane_and_warp(writer);
        }
    }

    fn lane_and_warp(&self, writer: &mut Writer) {
        writer.line("const int lane = threadIdx.x & 31;");
        writer.line(self.number_of_warp());
    }

    /// Which of the block's warps this is. For walks the compiler is told that all lanes agree, so that it writes no
    /// other way for lanes that part; single rows are slower so.
    fn number_of_warp(&self) -> &'static str {
        match (self.strip.warps, &self.strip.along) {
            (1, _) => "const int warp = 0;",
            (_, Some(_)) => "const int warp = __shfl_sync(0xffffffffu, threadIdx.x >> 5, 0);",
            (_, None) => "const int warp = threadIdx.x >> 5;",
        }
    }

    fn walk_call(&self) -> String {
        let arguments: Vec<String> =
            self.walk_arguments().into_iter().map(|one| one.value).collect();
        arguments.join(", ")
    }

    /// Where the warp's strip begins.
    fn place(&self, writer: &mut Writer) {
        // Kernels of one function find their block, those of several their strip where strips are numbered.
        let found = self.strip.parted() && self.strip.numbered();
        let aside = match found || self.strip.beside.is_some() {
            true => String::new(),
            false if self.strip.abreast_at_ends() > self.strip.abreast() => {
                format!(" + (ENDS ? 0 : warp * {})", self.strip.useful())
            }
            false => format!(" + warp * {}", self.strip.useful()),
        };
        let Some(axis) = self.crossed() else {
            writer.line(format!("const long long column = lane0{aside};"));
            writer.line("if (column >= job.lanes) return;");
            return;
        };
        if self.strip.abreast_at_ends() > self.strip.abreast() {
            writer.line("// The last block inside may have more warps than there are strips.");
            writer.line(
                "if (!ENDS && beside + warp >= (unsigned)(part.first1 + part.tiles1)) return;",
            );
        }
        let (first, unit) = (self.strip.first_lane() * self.items(), self.strip.unit);
        if let Some(beside) = &self.strip.beside {
            self.place_block(writer, beside);
        }
        writer.line(format!(
            "long long k{axis} = first{axis}{aside} - {};",
            first + self.strip.early()
        ));
        writer.line(format!(
            "const long long last{axis} = job.pairs_start{axis} + job.pairs_len{axis};"
        ));
        if unit > 1 {
            writer.line("// Outputs begin where approximations are aligned, if their rows are.");
            let anchor = self.anchor(axis);
            let begin = moved(&anchor, self.strip.onset as i64 - first as i64);
            writer.line(format!("k{axis} += ({begin} - k{axis}) & {};", unit - 1));
        }
        let first = first as i64 - self.strip.short() as i64;
        writer.line(format!("if (k{axis} + {first} >= last{axis}) return;"));
        let shift = self.strip.across.as_ref().map_or(0, |across| across.shift);
        writer.line(format!("const long long from{axis} = k{axis} - {shift};"));
        self.place_deeper(writer, axis);
    }

    /// Which iterations the walk makes.
    fn range(&self, writer: &mut Writer) {
        let Some(along) = &self.strip.along else { return };
        let pipeline = &along.pipeline;
        writer.line("// Outputs are rows of pairs first0 .. end0; the walk begins earlier.");
        writer.line("const long long last0 = job.pairs_start0 + job.pairs_len0;");
        writer.line("const long long end0 = first0 + walk < last0 ? first0 + walk : last0;");
        let early = i64::from(pipeline.delay) - self.strip.first_output() as i64;
        writer.line(format!("const long long start = first0 + {early};"));
        let late = i64::from(pipeline.delay) + self.strip.around()[1] as i64;
        writer.line(format!("const long long stop = end0 + {late};"));
        self.range_deeper(writer);
    }

    fn opening(&self, writer: &mut Writer) {
        let arguments: Vec<String> = self
            .walk_arguments()
            .into_iter()
            .map(|one| format!("{} {}", one.kind, one.name))
            .collect();
        if !self.goes_up() {
            writer.line("template <int ENDS>");
        }
        writer.line(format!(
            "__device__ inline void {}({}) {{",
            self.walk_name(),
            arguments.join(", ")
        ));
    }

    fn registers(&self, writer: &mut Writer) {
        if let Some(beside) = &self.strip.beside {
            return self.registers_of_blocks(writer, beside);
        }
        let count = self.groups() * self.items();
        let all: Vec<String> =
            self.planes().map(|(r, c)| format!("{}[{count}]", self.plane(r, c))).collect();
        writer.line(format!("{} {};", self.work(), all.join(", ")));
    }

    fn windows(&self, writer: &mut Writer) {
        for c in 0..self.sides() {
            let along = self.own(&format!("along{c}"));
            writer.line(format!("{} {along};", self.along_name()));
            writer.line(format!("{along}.clear();"));
        }
    }

    /// Both directions; `skip` leaves an iteration whose outputs are not wanted.
    fn transform(&self, writer: &mut Writer, skip: &str) {
        self.scale(writer, &self.strip.gains.before);
        if self.strip.across_first {
            self.cross(writer);
        }
        if self.strip.along.is_some() {
            for c in 0..self.sides() {
                let (low, high) = (self.plane(0, c), self.plane(1, c));
                writer.line(format!("{}.step({low}, {high});", self.own(&format!("along{c}"))));
            }
            // Shuffles may follow: the whole warp goes on or leaves out.
            writer.line(skip);
        }
        if !self.strip.across_first {
            self.cross(writer);
        }
        self.scale(writer, &self.strip.gains.after);
    }

    /// The gains of the planes.
    fn scale(&self, writer: &mut Writer, gains: &[f64]) {
        let element = self.proved.kernel().element;
        let factors = self.planes().map(|(r, c)| (self.plane(r, c), gains[self.channel(r, c)]));
        let factors: Vec<(String, f64)> = factors.filter(|(_, gain)| *gain != 1.0).collect();
        if factors.is_empty() {
            return;
        }
        let count = self.groups() * self.items();
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        for (plane, gain) in factors {
            writer.line(format!("{plane}[i] *= {};", literal(element, gain)));
        }
        writer.line("}");
    }

    /// The transform across the lanes, row by row.
    fn cross(&self, writer: &mut Writer) {
        if self.strip.across.is_none() {
            return;
        }
        for r in 0..self.rows() {
            let (even, odd) = (self.plane(r, 0), self.plane(r, 1));
            writer.line(format!("across_{}({even}, {odd}, lane);", self.name));
        }
    }
}
