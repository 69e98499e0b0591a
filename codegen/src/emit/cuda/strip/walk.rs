//! The walk of a strip, written once: where it lies inside every array nothing is extended or checked;
//! a strip that touches an end extends what it reads and stores what exists.

use super::super::writer::Writer;
use super::input::moved;
use super::{Argument, Emitter, Output};
use crate::kernel::Side;

impl Emitter<'_> {
    /// What a walk is given: the job, its arrays, where the strip begins in each, and how far it goes.
    pub(super) fn walk_arguments(&self) -> Vec<Argument> {
        let axes = self.axes();
        let walks = self.strip.along.is_some();
        let place = |array: &str, row: &str, column: &str| match walks {
            true => format!("{array} + ({row}) * job.{array}_stride0 + {column}"),
            false => format!("{array} + {column}"),
        };
        let mut all = vec![Argument::new(&format!("const Job{axes}&"), "job", "job")];
        for array in self.arrays() {
            all.push(Argument::new("const value* const", &array, array.clone()));
        }
        for input in self.inputs() {
            let row = self.input_row(&input, "start");
            let at = place(&input.array, &row, &self.input_column(&input));
            all.push(Argument::new("const value*", &format!("at_{}", input.name), at));
        }
        for output in self.outputs() {
            let (row, _) = self.output_row(&output, "first0");
            let at = place(&output.array, &row, &self.output_column(&output).0);
            all.push(Argument::new("value*", &output.name, at));
        }
        let mut same = |kind: &str, name: String| {
            all.push(Argument::new(kind, &name, name.clone()));
        };
        match self.crossed() {
            Some(axis) => {
                same("const long long", format!("from{axis}"));
                same("const long long", format!("k{axis}"));
            }
            None => same("const long long", "column".to_owned()),
        }
        if walks {
            same("const long long", "first0".to_owned());
            same("const long long", "start".to_owned());
            all.push(Argument::new("const int", "count", "(int)(stop - start)"));
        }
        all.push(Argument::new("value*", "ring", "rings[warp]"));
        all.push(Argument::new("work*", "desk", "desks[warp]"));
        all.push(Argument::new(&format!("{}&", self.ends_type()), "ends", "ends[warp]"));
        all.push(Argument::new("const int", "lane", "lane"));
        all
    }

    pub(super) fn walk(&self, writer: &mut Writer) {
        writer.line("// A strip. ENDS: it may read and write beyond the ends; otherwise nothing is checked.");
        self.opening(writer, self.walk_arguments());
        self.fill_ends(writer);
        let Some(along) = &self.strip.along else {
            self.registers(writer);
            writer.line("if (ENDS) {");
            self.rings(writer, 1);
            self.prepare(writer);
            self.load(writer, true, "0", ", 0");
            writer.line("close_copies();");
            writer.line("await_copies<0>();");
            self.take(writer, true, "0", ", 0");
            writer.line("} else {");
            self.arrivals(writer);
            self.load(writer, false, "0", "");
            self.take(writer, false, "0", "");
            writer.line("}");
            self.cross(writer);
            self.store(writer, "0");
            writer.line("}");
            return;
        };
        let ahead = self.strip.depth - 1;
        self.rings(writer, self.strip.depth);
        writer.line("if (ENDS) {");
        self.prepare(writer);
        writer.line("}");
        self.windows(writer);
        // The first rounds only load.
        writer.line("int slot = 0, free = 0;");
        writer.line(format!("for (int n = -{ahead}; n < count; ++n) {{"));
        writer.line(format!("if (n + {ahead} < count) {{"));
        self.load_either(writer, &format!("start + n + {ahead}"), ", free");
        self.follow(writer);
        writer.line("}");
        writer.line(format!("free = free == {ahead} ? 0 : free + 1;"));
        writer.line("close_copies();");
        writer.line("if (n < 0) continue;");
        writer.line(format!("await_copies<{ahead}>();"));
        self.registers(writer);
        writer.line("if (ENDS) {");
        self.take(writer, true, "start + n", ", slot");
        writer.line("} else {");
        self.take(writer, false, "", ", slot");
        writer.line("}");
        writer.line(format!("slot = slot == {ahead} ? 0 : slot + 1;"));
        self.transform(writer, &format!("if (n < {}) continue;", along.pipeline.warm()));
        self.store(writer, "n");
        for output in self.outputs() {
            let step = self.row_step(&output.array, self.operation().output());
            writer.line(format!("{} += {step};", output.name));
        }
        writer.line("}");
        writer.line("}");
    }

    /// Elements between an array's rows of two pairs.
    fn row_step(&self, array: &str, side: Side) -> String {
        if self.strip.along.is_none() {
            return "0".to_owned();
        }
        let twice = if side == Side::Signal { "2 * " } else { "" };
        format!("{twice}job.{array}_stride0")
    }

    /// Rows on their way to registers.
    fn arrivals(&self, writer: &mut Writer) {
        let (groups, loaded, shifted) = (self.groups(), self.loaded(), self.strip.shifted());
        for input in self.inputs() {
            writer.line(format!("Arrival<{groups}, {loaded}, {shifted}> {};", input.name));
        }
    }

    /// Rows on their way through a ring.
    fn rings(&self, writer: &mut Writer, depth: usize) {
        let (groups, loaded, shifted) = (self.groups(), self.loaded(), self.strip.shifted());
        let (walks, crosses) = (self.strip.along.is_some(), self.strip.across.is_some());
        for (index, input) in self.inputs().iter().enumerate() {
            let name = &input.name;
            writer.line(format!(
                "Ring<{groups}, {loaded}, {shifted}, {depth}, {walks}, {crosses}> {name}(ring + {}, at_{name}, {});",
                index * depth * self.strip.lanes() * loaded,
                self.row_step(&input.array, self.input())
            ));
        }
    }

    /// At an end: finds where columns come from.
    fn prepare(&self, writer: &mut Writer) {
        for (index, input) in self.inputs().iter().enumerate() {
            writer.line(format!("{}.prepare(ends.source[{index}], lane);", input.name));
        }
    }

    /// Loads the rows of pair `t` to a slot of a ring where there is one.
    fn load_either(&self, writer: &mut Writer, t: &str, slot: &str) {
        writer.line("if (ENDS) {");
        self.load(writer, true, t, slot);
        writer.line("} else {");
        self.load(writer, false, t, slot);
        writer.line("}");
    }

    fn load(&self, writer: &mut Writer, ends: bool, t: &str, slot: &str) {
        for (index, input) in self.inputs().iter().enumerate() {
            let name = &input.name;
            writer.line(match ends {
                true => {
                    let row = self.input_row(input, &operand(t));
                    format!("{name}.load_ends(ends.source[{index}], at_{name}, {row}, lane{slot});")
                }
                false => format!("{name}.load(at_{name}, lane{slot});"),
            });
        }
    }

    /// Moves the inputs' pointers on to the next pair of rows.
    fn follow(&self, writer: &mut Writer) {
        for input in self.inputs() {
            let step = self.row_step(&input.array, self.input());
            writer.line(format!("at_{} += {step};", input.name));
        }
    }

    /// Rows into planes.
    fn take(&self, writer: &mut Writer, ends: bool, t: &str, slot: &str) {
        for (index, input) in self.inputs().iter().enumerate() {
            let name = &input.name;
            let call = |x: &str| match ends {
                true => {
                    let row = self.input_row(input, &operand(t));
                    format!("{name}.take_ends(ends.source[{index}], {row}, lane{slot}, desk, {x});")
                }
                false => format!("{name}.take(lane{slot}, {x});"),
            };
            self.place_planes(writer, input, &call);
        }
    }

    /// The arrays that are read.
    fn arrays(&self) -> Vec<String> {
        let mut arrays: Vec<String> = self.inputs().into_iter().map(|input| input.array).collect();
        arrays.dedup();
        arrays
    }

    /// The structure of what a strip at an end knows of its arrays.
    pub(super) fn ends_type(&self) -> String {
        format!("Ends<{}, {}>", self.inputs().len(), self.outputs().len())
    }

    /// What a strip at an end finds out once, in shared memory: registers are for the walk.
    fn fill_ends(&self, writer: &mut Writer) {
        writer.line("if (ENDS) {");
        writer.line("if (lane == 0) {");
        for (index, input) in self.inputs().iter().enumerate() {
            let array = &input.array;
            writer.line(format!("Source& source{index} = ends.source[{index}];"));
            writer.line(format!("source{index}.array = {array};"));
            let stride = match self.strip.along {
                Some(_) => format!("job.{array}_stride0"),
                None => "0".to_owned(),
            };
            writer.line(format!("source{index}.stride = {stride};"));
            writer.line(format!("source{index}.column = {};", self.input_column(input)));
            let rows = match self.strip.along {
                Some(_) => format!(
                    "{}, {}, {}, {} + 1",
                    self.line(0, input.row),
                    self.span(0, input.row).1,
                    self.input_row(input, "start"),
                    self.input_row(input, "(start + count - 1)"),
                ),
                None => "0, 1, 1, 0, 1, 0, 1".to_owned(),
            };
            writer.line(format!("fill(&source{index}.rows, {rows});"));
            let columns = match self.crossed() {
                Some(axis) => {
                    let halo = self.proved.kernel().halo;
                    let first = format!("(job.pairs_start{axis} - {})", halo.before[axis]);
                    let end = format!(
                        "(job.pairs_start{axis} + job.pairs_len{axis} + {})",
                        halo.after[axis]
                    );
                    let index = |pair: &str| match self.input() {
                        Side::Signal => format!("2 * {pair} - job.signal_start{axis}"),
                        Side::Bands => format!("{pair} - {}", self.span(axis, input.side).0),
                    };
                    format!(
                        "{}, {}, {}, {}",
                        self.line(axis, input.side),
                        self.span(axis, input.side).1,
                        index(&first),
                        index(&end)
                    )
                }
                // Lanes go on to the last one; beyond, nothing is needed.
                None => "0, job.lanes, 1, 0, job.lanes, 0, job.lanes".to_owned(),
            };
            writer.line(format!("fill(&source{index}.columns, {columns});"));
        }
        for (index, output) in self.outputs().iter().enumerate() {
            let (from, to) = self.columns_of_job(output);
            let (begin, end) = match &self.strip.along {
                Some(along) => {
                    let (row, rows) = self.output_row(output, "first0");
                    // Iterations by which the first output comes after the first input.
                    let warm = along.pipeline.warm();
                    let step = if self.operation().output() == Side::Signal { 2 } else { 1 };
                    (
                        format!("{warm} + clamped(whole(-({row}), {step}))"),
                        format!("{warm} + clamped(whole({rows} - ({row}), {step}))"),
                    )
                }
                None => ("0".to_owned(), "1".to_owned()),
            };
            writer.line(format!(
                "ends.target[{index}] = Target{{{begin}, {end}, clamped({from}), clamped({to})}};"
            ));
        }
        writer.line("}");
        writer.line("__syncwarp();");
        writer.line("}");
    }

    /// Stores iteration `n`'s rows at the outputs' pointers; at the ends, what exists and is the job's.
    fn store(&self, writer: &mut Writer, n: &str) {
        let (groups, items, shifted) = (self.groups(), self.stored(), self.strip.shifted());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for (index, output) in self.outputs().iter().enumerate() {
            let name = &output.name;
            writer.line("{");
            let x = self.out_of_planes(writer, output);
            writer.line("if (ENDS) {");
            writer.line(format!("const Target& target = ends.target[{index}];"));
            writer.line(format!("if ({n} >= target.begin && {n} < target.end) {{"));
            writer.line(format!(
                "put_ends<{groups}, {items}, {first}, {end}, {shifted}>({name}, target.from, target.to, lane, {x});"
            ));
            writer.line("}");
            writer.line("} else {");
            writer.line(format!(
                "put<{groups}, {items}, {first}, {end}, {shifted}>({name}, lane, {x});"
            ));
            writer.line("}");
            writer.line("}");
        }
    }

    /// First and one past the last column of an output that exist and are the job's, counted from the
    /// strip's column 0.
    fn columns_of_job(&self, output: &Output) -> (String, String) {
        let (column, len) = self.output_column(output);
        let Some(axis) = self.crossed() else {
            return (format!("-({column})"), format!("{len} - ({column})"));
        };
        let lead = self.lead(self.operation().output(), output.side);
        let ends = |pair: &str| match self.operation().output() {
            Side::Signal => moved(&format!("2 * ({pair} - k{axis})"), -lead),
            Side::Bands => moved(&format!("{pair} - k{axis}"), -lead),
        };
        let first = ends(&format!("job.pairs_start{axis}"));
        let last = ends(&format!("(job.pairs_start{axis} + job.pairs_len{axis})"));
        (format!("larger(-({column}), {first})"), format!("smaller({len} - ({column}), {last})"))
    }

    /// Conditions under which the strip lies inside everything that it reads and writes.
    pub(super) fn inside(&self, writer: &mut Writer) {
        let mut all = Vec::new();
        let margin = if self.strip.shifted() { self.loaded() } else { 0 };
        for input in self.inputs() {
            if self.strip.along.is_some() {
                let rows = self.span(0, input.row).1;
                all.push(format!("exists({}, {rows})", self.input_row(&input, "start")));
                all.push(format!("exists({}, {rows})", self.input_row(&input, "(stop - 1)")));
            }
            let columns = match self.crossed() {
                Some(axis) => self.span(axis, input.side).1,
                None => "job.lanes".to_owned(),
            };
            let column = self.input_column(&input);
            let width = self.strip.lanes() * self.loaded();
            all.push(format!("{column} >= {margin}"));
            all.push(format!("{column} + {} <= {columns}", width + margin));
        }
        let margin = if self.strip.shifted() { self.stored() } else { 0 };
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for output in self.outputs() {
            if self.strip.along.is_some() {
                let (row, rows) = self.output_row(&output, "first0");
                all.push(format!("exists({row}, {rows})"));
                let (row, rows) = self.output_row(&output, "(end0 - 1)");
                all.push(format!("exists({row}, {rows})"));
            }
            let (from, to) = self.columns_of_job(&output);
            all.push(format!("{from} <= {}", first * self.stored()));
            all.push(format!("{to} >= {}", end * self.stored() + margin));
        }
        let mut known = Vec::new();
        writer.line("// Whether all that the strip reads and writes exists.");
        writer.line("bool inside = true;");
        for condition in all {
            if !known.contains(&condition) {
                writer.line(format!("inside &= {condition};"));
                known.push(condition);
            }
        }
    }
}

/// A sum as one operand.
fn operand(t: &str) -> String {
    if t.contains(' ') { format!("({t})") } else { t.to_owned() }
}
