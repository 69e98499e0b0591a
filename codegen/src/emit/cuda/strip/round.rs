//! Strips at ends beyond which lines begin anew: walked as those inside their arrays are, with other places to read
//! from and a choice of what is written.

use super::super::writer::Writer;
use super::Emitter;
use super::input::Input;
use super::output::Output;
use crate::kernel::Side;

/// What holds of such a strip.
pub(super) const ROUND: &str = "ENDS == WRAPPED";

impl Emitter<'_> {
    /// Whether one of the functions is for these.
    pub(super) fn wraps(&self) -> bool {
        self.strip.wraps && !self.goes_up()
    }

    /// What holds of strips that may touch ends and must know what lies beyond.
    pub(super) fn knows_ends(&self) -> &'static str {
        if self.strip.wraps { "ENDS > WRAPPED" } else { "ENDS" }
    }

    /// What only a strip does beyond whose ends lines begin anew.
    pub(super) fn if_round(&self, writer: &mut Writer, write: impl FnOnce(&mut Writer)) {
        if !self.wraps() {
            return;
        }
        writer.line(format!("if ({ROUND}) {{"));
        write(writer);
        writer.line("}");
    }

    /// What a level knows of its rows and columns.
    pub(super) fn declare_round(&self, writer: &mut Writer) {
        if !self.wraps() {
            return;
        }
        if !self.outputs().is_empty() {
            writer.line(format!("Vectors {};", self.own("vectors")));
        }
        if self.inputs().is_empty() {
            return;
        }
        writer.line(format!("Round {};", self.own("round")));
        if self.keeps_back() {
            let back: Vec<String> =
                self.inputs().iter().map(|input| format!("back_{}", input.name)).collect();
            writer.line(format!("long long {};", back.join(", ")));
        }
        for side in self.sides_read() {
            let count = self.groups() * self.loaded() / self.access(self.loaded());
            writer.line(format!("int {}[{count}];", self.places(side)));
        }
        if self.strip.beside.is_some() {
            writer.line("int turn[2], lanes;");
            writer.line("bool straight;");
        }
    }

    /// Whether the way from the last row to the first one is kept for every input: blocks of three axes have no registers
    /// for that.
    fn keeps_back(&self) -> bool {
        self.strip.beside.is_none()
    }

    /// Finds where rows and columns are, and which are written.
    pub(super) fn prepare_round(&self, writer: &mut Writer) {
        for row in 0..self.rows() {
            self.begin_rows(writer, row);
        }
        for side in self.sides_read() {
            self.find_places(writer, side);
        }
        self.find_vectors(writer);
        self.find_lanes(writer);
        self.find_turns(writer);
    }

    /// With three axes: whether the first row follows on the last one nowhere in the warp's share.
    fn find_turns(&self, writer: &mut Writer) {
        let Some(beside) = &self.strip.beside else { return };
        let runs = beside.runs.iter().enumerate();
        let ends = runs
            .map(|(index, run)| format!("turn[{index}] == {}", self.strip.brought(beside, run)));
        writer.line(format!("straight = {};", ends.collect::<Vec<_>>().join(" && ")));
    }

    /// With three axes: the lanes on which outputs depend that are the job's.
    fn find_lanes(&self, writer: &mut Writer) {
        let (Some(_), Some(axis)) = (&self.strip.beside, self.crossed()) else { return };
        let (read, pairs, job) = (self.strip.lanes_read(), self.strip.pairs, self.job());
        let after = pairs * (read - self.strip.end_lane()) + self.strip.short();
        let last = format!("{job}.pairs_start{axis} + {job}.pairs_len{axis} - k{axis}");
        writer.line(format!(
            "lanes = (int)smaller(({last} + {}) / {pairs}, {read});",
            after + pairs - 1
        ));
    }

    /// Sides of which columns are read.
    pub(super) fn sides_read(&self) -> Vec<usize> {
        let mut sides: Vec<usize> = self.inputs().iter().map(|input| input.side).collect();
        sides.sort_unstable();
        sides.dedup();
        sides
    }

    /// Where a lane's vectors of a side come from.
    fn places(&self, side: usize) -> String {
        self.own(&format!("places{side}"))
    }

    /// Elements that are moved at once, of so many of a lane.
    fn access(&self, elements: usize) -> usize {
        match self.strip.beside {
            Some(_) => self.size_of(elements),
            None => elements.min(16 / self.proved.kernel().element.bytes()),
        }
    }

    /// Elements between an input's rows.
    fn row_stride(&self, input: &Input) -> String {
        match self.strip.beside {
            Some(_) => self.stride_of(&input.array, 0),
            None => format!("{}.{}_stride0", self.job(), self.field(&input.array)),
        }
    }

    /// The walk begins in rows that exist.
    fn begin_rows(&self, writer: &mut Writer, row: usize) {
        let inputs = self.inputs();
        let mut inputs = inputs.iter().filter(|input| input.row == row).peekable();
        let Some(first) = inputs.peek() else { return };
        let (at, count) = (self.input_row(first, &self.start()), self.span(0, row).1);
        let step = if self.input() == Side::Signal { 2 } else { 1 };
        writer.line("{");
        writer.line(format!("const long long row = {at}, first = wrapped(row, {count});"));
        writer.line(format!("{}.begin({row}, first, {count}, {step});", self.own("round")));
        for input in inputs {
            let stride = self.row_stride(input);
            let step = self.row_step(&input.array, self.input());
            writer.line(format!("at_{} += (first - row) * {stride};", input.name));
            if self.keeps_back() {
                let round = self.own("round");
                writer
                    .line(format!("back_{} = kept((1 - {round}.period) * ({step}));", input.name));
            }
            let Some(line) = self.input_line(input) else { continue };
            let (lines, most) = (self.span(1, input.run).1, self.most_read(input));
            writer.line("{");
            writer.line(format!("const long long line = {line}, first = wrapped(line, {lines});"));
            writer.line(format!(
                "at_{} += (first - line) * {};",
                input.name,
                self.stride_of(&input.array, 1)
            ));
            writer.line(format!("turn[{}] = (int)smaller({lines} - first, {most});", input.run));
            writer.line("}");
        }
        writer.line("}");
    }

    /// Rows of a slice of an input that a warp loads.
    fn most_read(&self, input: &Input) -> usize {
        let Some(beside) = &self.strip.beside else { return 0 };
        beside.runs.get(input.run).map_or(0, |run| self.strip.brought(beside, run))
    }

    fn find_places(&self, writer: &mut Writer, side: usize) {
        let inputs = self.inputs();
        let Some(input) = inputs.iter().find(|input| input.side == side) else { return };
        let columns = match self.crossed() {
            Some(axis) => self.span(axis, side).1,
            None => "job.lanes".to_owned(),
        };
        let (groups, loaded) = (self.groups(), self.loaded());
        writer.line(format!(
            "find_places<{groups}, {loaded}, {}>({}, {columns}, lane, {});",
            self.access(loaded),
            self.input_column(input),
            self.places(side)
        ));
        let places = self.places(side);
        for input in inputs.iter().filter(|input| input.side == side) {
            writer.line(format!("at_{} += {places}[0];", input.name));
        }
        writer.line(format!("from_first({places});"));
    }

    /// Which of a lane's vectors are written.
    fn find_vectors(&self, writer: &mut Writer) {
        let outputs = self.outputs();
        let (vectors, written) = (self.own("vectors"), self.own("written"));
        let (first, last) = (self.strip.first_lane(), self.strip.end_lane());
        let (groups, stored) = (self.groups(), self.stored());
        for place in 0..2 {
            if outputs.iter().any(|output| output.side == place) {
                writer.line(format!(
                    "{vectors}.vectors[{place}] = vectors_written<{groups}, {stored}, {}, {first}, {last}>({written}.from[{place}], {written}.to[{place}], lane);",
                    self.access(stored)
                ));
            }
            let blocks = self.strip.beside.is_some();
            if let Some(output) = outputs.iter().find(|output| blocks && output.run == place) {
                let [low, high] = self.rows_of_job(output);
                writer.line(format!(
                    "{vectors}.rows[{place}] = rows_written(clamped({low}), clamped({high}));"
                ));
            }
        }
    }

    /// Stores a row of an output if it is one that is written, of its vectors (and rows of a block) these.
    pub(super) fn store_round(
        &self,
        writer: &mut Writer,
        output: &Output,
        n: &str,
        write: impl FnOnce(&mut Writer, &str, &str),
    ) {
        let (vectors, Output { side, run, .. }) = (self.own("vectors"), output);
        self.if_written(writer, output, n, |writer| {
            write(writer, &format!("{vectors}.vectors[{side}]"), &format!("{vectors}.rows[{run}]"));
        });
    }

    /// Loads rows from where they are: with three axes in one go where no row of a warp's share is the first one again, as
    /// few of them are.
    pub(super) fn load_round(&self, writer: &mut Writer, slot: &str) {
        if self.strip.beside.is_none() {
            return self.load_places(writer, "load_round", slot, |_| String::new());
        }
        writer.line("if (straight) {");
        self.load_places(writer, "load_places", slot, |_| ", lane".to_owned());
        writer.line("} else {");
        self.load_places(writer, "load_round", slot, |input| {
            format!(", turn[{}], {}, lane", input.run, self.span(1, input.run).1)
        });
        writer.line("}");
    }

    fn load_places(
        &self,
        writer: &mut Writer,
        call: &str,
        slot: &str,
        more: impl Fn(&Input) -> String,
    ) {
        for input in self.inputs() {
            let (name, places, more) = (&input.name, self.places(input.side), more(&input));
            writer.line(format!("{name}.{call}(at_{name}, {places}{more}{slot});"));
        }
    }

    /// Moves the inputs' pointers on to the next pair of rows: after the last row the first one follows.
    pub(super) fn turn(&self, writer: &mut Writer) {
        let (inputs, round) = (self.inputs(), self.own("round"));
        for row in 0..self.rows() {
            let inputs = inputs.iter().filter(|input| input.row == row);
            let lines = inputs.flat_map(|input| {
                let (name, step) = (&input.name, self.row_step(&input.array, self.input()));
                match self.keeps_back() {
                    true => vec![format!("at_{name} += turns ? back_{name} : {step};")],
                    false => vec![
                        format!("at_{name} += {step};"),
                        format!("if (turns) at_{name} -= {round}.period * ({step});"),
                    ],
                }
            });
            let lines: Vec<String> = lines.collect();
            if !lines.is_empty() {
                writer.line("{");
                writer.line(format!("const bool turns = {round}.turns({row});"));
                writer.lines(lines);
                writer.line("}");
            }
        }
    }
}
