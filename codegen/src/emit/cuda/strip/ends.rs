//! What a strip knows of the ends of its arrays: whether it touches any, and if so, what lies there.

use super::super::writer::Writer;
use super::input::{Input, moved};
use super::{Emitter, Output};
use crate::kernel::Side;

/// Bounds that leave everything.
const UNBOUNDED: [&str; 2] = ["-(1 << 20)", "1 << 20"];

impl Emitter<'_> {
    /// The structure of what a strip at an end knows of its arrays.
    pub(super) fn ends_type(&self) -> String {
        if let Some(beside) = &self.strip.beside {
            return self.blocks_type(beside);
        }
        let sources = self.all_sources();
        let targets: usize = self.levels().map(|level| level.targets_of_level()).sum();
        // An inverse level may read from registers alone, but never all do.
        format!("Ends<{sources}, {targets}>")
    }

    /// Outputs of a single row (walks know theirs), and what is handed over to or from the next level.
    pub(super) fn targets_of_level(&self) -> usize {
        let told = self.strip.deeper.is_some() && !self.extends_between();
        self.targets_written() + usize::from(told)
    }

    fn targets_written(&self) -> usize {
        let told = self.strip.beside.is_some() || !self.strip.parted();
        if told { self.outputs().len() } else { 0 }
    }

    /// What is handed over among the targets.
    pub(super) fn handed_target(&self) -> usize {
        self.targets + self.targets_written()
    }

    /// What a strip at an end finds out once, in shared memory: registers are for the walk.
    pub(super) fn fill_ends(&self, writer: &mut Writer) {
        if self.goes_up() {
            return;
        }
        if let Some(beside) = &self.strip.beside {
            return self.fill_blocks(writer, beside);
        }
        let sources = self.all_sources();
        writer.line(format!("if ({}) {{", self.knows_ends()));
        writer.line("// Lane 2 s + d finds how source s goes on in direction d, later ones what the targets hold.");
        writer.line(
            "long long kind = 0, len = 1, step = 1, offset = 0, elements = 1, first = 0, end = 1;",
        );
        writer.line("switch (lane) {");
        for level in self.levels() {
            level.fill_sources(writer);
        }
        self.fill_between(writer);
        for level in self.levels() {
            level.fill_targets(writer, 2 * sources);
        }
        writer.line("}");
        writer.line(format!("if (lane < {}) {{", 2 * sources));
        writer.line("Source& source = ends.source[lane >> 1];");
        writer.line("fill(lane & 1 ? &source.columns : &source.rows, kind, len, step, offset, elements, first, end);");
        writer.line("}");
        writer.line("__syncwarp();");
        writer.line(format!("if (lane < {sources}) ends.source[lane].count();"));
        self.all_rows_between(writer);
        writer.line("__syncwarp();");
        writer.line("}");
    }

    fn fill_sources(&self, writer: &mut Writer) {
        let job = self.job();
        for (index, input) in self.inputs().iter().enumerate() {
            let (array, index) = (&input.array, self.sources + index);
            let stride = match self.strip.along {
                Some(_) => format!("{job}.{}_stride0", self.field(array)),
                None => "0".to_owned(),
            };
            let rows = self.strip.along.as_ref().map(|_| self.rows_of(input));
            let columns = match self.crossed() {
                Some(axis) => self.line_of_job(axis, input.side),
                // Lanes go on to the last one; beyond, nothing is needed.
                None => ["0", "job.lanes", "1", "0", "job.lanes", "0", "job.lanes"]
                    .map(str::to_owned)
                    .to_vec(),
            };
            writer.line(format!("case {}:", 2 * index));
            writer.line(format!("ends.source[{index}].array = {array};"));
            writer.line(format!("ends.source[{index}].stride = {stride};"));
            let row = self.input_row(input, &self.start());
            writer.line(format!("ends.source[{index}].row = {row};"));
            writer.line(format!("ends.source[{index}].column = {};", self.input_column(input)));
            if let Some(rows) = rows {
                line_of(writer, &rows);
            }
            writer.line("break;");
            writer.line(format!("case {}:", 2 * index + 1));
            line_of(writer, &columns);
            writer.line("break;");
        }
    }

    /// What a source's rows are, along the walk.
    pub(super) fn rows_of(&self, input: &Input) -> Vec<String> {
        let last = match self.level {
            1 => "(start + count - 1)".to_owned(),
            _ => format!("({} + (count - 1) / 2)", self.start()),
        };
        let mut known = self.line(0, input.row);
        known.extend([
            self.span(0, input.row).1,
            self.input_row(input, &self.start()),
            format!("{} + 1", self.input_row(input, &last)),
        ]);
        known
    }

    /// What a side's line along another axis is, of which the job needs a part.
    pub(super) fn line_of_job(&self, axis: usize, side: usize) -> Vec<String> {
        let (job, [before, after]) = (self.job(), self.reach(axis));
        let first = format!("({job}.pairs_start{axis} - {before})");
        let end = format!("({job}.pairs_start{axis} + {job}.pairs_len{axis} + {after})");
        let index = |pair: &str| match self.input() {
            Side::Signal => format!("2 * {pair} - {job}.signal_start{axis}"),
            Side::Bands => format!("{pair} - {}", self.span(axis, side).0),
        };
        let mut known = self.line(axis, side);
        known.extend([self.span(axis, side).1, index(&first), index(&end)]);
        known
    }

    /// Pairs beyond a level's outputs from which these, and those of the next levels, are made.
    fn reach(&self, axis: usize) -> [i32; 2] {
        let halo = self.proved.kernel().halo;
        let mut reach = [halo.before[axis], halo.after[axis]];
        if self.input() == Side::Signal
            && let Some(deeper) = self.deeper()
        {
            let next = deeper.reach(axis);
            let shift = deeper.strip.across.as_ref().map_or(0, |across| across.shift.abs());
            reach = [0, 1].map(|side| reach[side] + 2 * (next[side] + shift));
        }
        reach
    }

    fn fill_targets(&self, writer: &mut Writer, lanes: usize) {
        let mut write = |index: usize, rows: [String; 2], columns: [String; 2]| {
            let ([begin, end], [from, to]) = (rows, columns);
            writer.line(format!("case {}:", lanes + index));
            writer.line(format!("ends.target[{index}] = Target{{{begin}, {end}, {from}, {to}}};"));
            writer.line("break;");
        };
        let outputs = self.outputs();
        for (index, output) in outputs.iter().enumerate().take(self.targets_written()) {
            let (from, to) = self.columns_of_job(output);
            let columns = [format!("clamped({from})"), format!("clamped({to})")];
            write(self.targets + index, ["0", "1"].map(str::to_owned), columns);
        }
        let Some(deeper) = self.deeper().filter(|_| !self.extends_between()) else { return };
        // What goes on beyond its ends by itself is left as it is.
        let bounded = |axis: usize, [first, end]: [String; 2]| {
            let condition = format!("{}.extension{axis} == 0", deeper.job());
            let [least, most] = UNBOUNDED;
            [format!("{condition} ? {first} : {least}"), format!("{condition} ? {end} : {most}")]
        };
        let rows = match self.handed_row() {
            Some((iteration, row)) => bounded(0, self.bounds(0, &row, iteration)),
            None => ["0", "1"].map(str::to_owned),
        };
        let columns = match self.crossed() {
            Some(axis) => bounded(axis, self.bounds(axis, &self.handed_column(axis), 0)),
            None => UNBOUNDED.map(str::to_owned),
        };
        write(self.handed_target(), rows, columns);
    }

    /// The iterations in which an output's rows exist.
    pub(super) fn iterations_of(&self, output: &Output) -> [String; 2] {
        let (row, rows) = self.output_row(output, &self.first_row());
        let warm = self.strip.first_output();
        let step = if self.operation().output() == Side::Signal { 2 } else { 1 };
        [
            format!("{warm} + clamped(whole(-({row}), {step}))"),
            format!("{warm} + clamped(whole({rows} - ({row}), {step}))"),
        ]
    }

    /// Where approximations begin and end, counted from `pair`, which counts as `base`.
    fn bounds(&self, axis: usize, pair: &str, base: usize) -> [String; 2] {
        let job = self.job();
        let first = format!("{job}.low_start{axis} - {pair}");
        let end = format!("{job}.low_start{axis} + {job}.low_len{axis} - {pair}");
        match base {
            0 => [format!("clamped({first})"), format!("clamped({end})")],
            base => [format!("{base} + clamped({first})"), format!("{base} + clamped({end})")],
        }
    }

    /// First and one past the last column of an output that exist and are the job's, counted from the
    /// strip's column 0.
    pub(super) fn columns_of_job(&self, output: &Output) -> (String, String) {
        let (column, len) = self.output_column(output);
        let Some(axis) = self.crossed() else {
            return (format!("-({column})"), format!("{len} - ({column})"));
        };
        let lead = self.lead(self.operation().output(), output.side);
        let (job, k) = (self.job(), self.own(&format!("k{axis}")));
        let ends = |pair: &str| match self.operation().output() {
            Side::Signal => moved(&format!("2 * ({pair} - {k})"), -lead),
            Side::Bands => moved(&format!("{pair} - {k}"), -lead),
        };
        let first = ends(&format!("{job}.pairs_start{axis}"));
        let last = ends(&format!("({job}.pairs_start{axis} + {job}.pairs_len{axis})"));
        (format!("larger(-({column}), {first})"), format!("smaller({len} - ({column}), {last})"))
    }

    /// Without a walk: whether the strip lies inside everything that it reads and writes, and whether arrays
    /// that shall be aligned are (a caller's buffers may begin anywhere).
    pub(super) fn inside(&self, writer: &mut Writer) {
        let mut known: Vec<String> = Vec::new();
        writer.line("// Whether all columns that the strip reads and writes exist.");
        writer.line("bool inside = true;");
        for level in self.levels() {
            let mut all = Vec::new();
            level.inputs_inside(&mut all);
            level.outputs_inside(&mut all);
            level.handed_inside(&mut all);
            for condition in all {
                if !known.contains(&condition) {
                    writer.line(format!("inside &= {condition};"));
                    known.push(condition);
                }
            }
        }
    }

    fn inputs_inside(&self, all: &mut Vec<String>) {
        let margin = if self.strip.shifted() { self.loaded() } else { 0 };
        for input in self.inputs() {
            let columns = match self.crossed() {
                Some(axis) => self.span(axis, input.side).1,
                None => "job.lanes".to_owned(),
            };
            if !self.strip.shifted() {
                let (loaded, at) = (self.loaded(), self.input_place(&input));
                all.push(format!("misaligned<{loaded}>({at}) == 0"));
                if self.crossed().is_none() {
                    let step = self.row_step(&input.array, self.input());
                    all.push(format!("misaligned<{loaded}>((const value*)0 + {step}) == 0"));
                }
            }
            let column = self.input_column(&input);
            let width = self.strip.lanes() * self.loaded();
            all.push(format!("{column} >= {margin}"));
            all.push(format!("{column} + {} <= {columns}", width + margin));
        }
    }

    fn outputs_inside(&self, all: &mut Vec<String>) {
        let margin = if self.strip.shifted() { self.stored() } else { 0 };
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for output in self.outputs() {
            if !self.strip.shifted() {
                let (stored, at) = (self.stored(), self.output_place(&output));
                all.push(format!("misaligned<{stored}>({at}) == 0"));
                if self.crossed().is_none() {
                    let step = self.row_step(&output.array, self.operation().output());
                    all.push(format!("misaligned<{stored}>((const value*)0 + {step}) == 0"));
                }
            }
            let (from, to) = self.columns_of_job(&output);
            all.push(format!("{from} <= {}", first * self.stored()));
            all.push(format!("{to} >= {}", end * self.stored() + margin));
        }
    }

    /// Approximations that are handed over, all of them exist.
    fn handed_inside(&self, all: &mut Vec<String>) {
        let Some(axis) = self.crossed().filter(|_| self.strip.deeper.is_some()) else { return };
        let (job, first) = (self.job(), self.handed_column(axis));
        let count = self.strip.lanes() * self.items();
        all.push(format!("{first} >= {job}.low_start{axis}"));
        all.push(format!("{first} + {count} <= {job}.low_start{axis} + {job}.low_len{axis}"));
    }
}

/// Sets what a lane finds out of a line.
pub(super) fn line_of(writer: &mut Writer, values: &[String]) {
    let names = ["kind", "len", "step", "offset", "elements", "first", "end"];
    for (name, value) in names.iter().zip(values) {
        writer.line(format!("{name} = {value};"));
    }
}
