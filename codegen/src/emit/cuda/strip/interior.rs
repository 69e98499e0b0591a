//! The walk of the interior.

use super::super::writer::Writer;
use super::{Argument, Emitter};
use crate::kernel::Side;

impl Emitter<'_> {
    /// Where the strip's rows begin: first input rows, first output rows; how many pairs.
    pub(super) fn interior_arguments(&self) -> Vec<Argument> {
        let axes = self.axes();
        let walks = self.strip.along.is_some();
        let place = |array: &str, row: &str, column: &str| match walks {
            true => format!("{array} + ({row}) * job.{array}_stride0 + {column}"),
            false => format!("{array} + {column}"),
        };
        let mut all = vec![Argument::new(&format!("const Job{axes}&"), "job", "job")];
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
        if let (true, Some(axis)) = (self.strip.shifted(), self.crossed()) {
            // The first and the last strip leave to the frames what is theirs.
            all.push(Argument::new(
                "const int",
                "from",
                format!("(int)(job.pairs_start{axis} - k{axis})"),
            ));
            let end = self.strip.end_lane() * self.items() + self.strip.slack();
            all.push(Argument::new(
                "const int",
                "to",
                format!("last{axis} - k{axis} < {0} ? (int)(last{axis} - k{axis}) : {0}", end + 1),
            ));
        }
        if walks {
            all.push(Argument::new("const int", "count", "(int)(stop - start)"));
            all.push(Argument::new("value*", "ring", "rings[warp]"));
        }
        all.push(Argument::new("const int", "lane", "lane"));
        all
    }

    pub(super) fn interior(&self, writer: &mut Writer) {
        writer.line("// A strip of the interior: nothing is extended, everything exists.");
        self.opening(writer, "inline void interior_", self.interior_arguments());
        if self.strip.shifted() {
            let first = self.strip.first_lane() * self.items();
            let end = self.strip.end_lane() * self.items() + self.strip.slack();
            writer.line(format!("const bool bounded = from > {first} || to <= {end};"));
        }
        let Some(along) = &self.strip.along else {
            self.arrivals(writer);
            self.load(writer, "");
            self.registers(writer);
            self.take(writer, "");
            self.cross(writer);
            self.store(writer);
            writer.line("}");
            return;
        };
        let ahead = self.strip.depth - 1;
        self.arrivals(writer);
        writer.line(format!("for (int n = 0; n < {ahead}; ++n) {{"));
        writer.line("if (n < count) {");
        self.load(writer, ", n");
        self.follow(writer);
        writer.line("}");
        writer.line("close_copies();");
        writer.line("}");
        self.windows(writer);
        writer.line("int slot = 0;");
        writer.line("for (int n = 0; n < count; ++n) {");
        writer.line(format!("const int free = slot == 0 ? {ahead} : slot - 1;"));
        writer.line(format!("if (n + {ahead} < count) {{"));
        self.load(writer, ", free");
        self.follow(writer);
        writer.line("}");
        writer.line("close_copies();");
        writer.line(format!("await_copies<{ahead}>();"));
        self.registers(writer);
        self.take(writer, ", slot");
        writer.line(format!("slot = slot == {ahead} ? 0 : slot + 1;"));
        self.transform(writer, &format!("if (n < {}) continue;", along.pipeline.warm()));
        self.store(writer);
        for output in self.outputs() {
            let step = self.row_step(&output.array, self.operation().output());
            writer.line(format!("{} += {step};", output.name));
        }
        writer.line("}");
        writer.line("}");
    }

    /// Elements between an array's rows of two pairs.
    fn row_step(&self, array: &str, side: Side) -> String {
        let twice = if side == Side::Signal { "2 * " } else { "" };
        format!("{twice}job.{array}_stride0")
    }

    /// Rows on their way: to registers, or through a ring.
    fn arrivals(&self, writer: &mut Writer) {
        let (groups, loaded, shifted) = (self.groups(), self.loaded(), self.strip.shifted());
        let depth = self.strip.depth;
        for (index, input) in self.inputs().iter().enumerate() {
            let name = &input.name;
            writer.line(match depth {
                0 => format!("Arrival<{groups}, {loaded}, {shifted}> {name};"),
                _ => format!(
                    "Ring<{groups}, {loaded}, {shifted}, {depth}> {name}(ring + {}, at_{name}, {});",
                    index * depth * self.strip.lanes() * loaded,
                    self.row_step(&input.array, self.input())
                ),
            });
        }
    }

    /// Loads the rows at the inputs' pointers, to a slot of a ring where there is one.
    fn load(&self, writer: &mut Writer, slot: &str) {
        for input in self.inputs() {
            let name = &input.name;
            writer.line(format!("{name}.load(at_{name}, lane{slot});"));
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
    fn take(&self, writer: &mut Writer, slot: &str) {
        for input in self.inputs() {
            let call = |x: &str| format!("{}.take(lane{slot}, {x});", input.name);
            self.place_planes(writer, &input, &call);
        }
    }

    /// Stores a pair of rows at the outputs' pointers.
    fn store(&self, writer: &mut Writer) {
        let (groups, items, shifted) = (self.groups(), self.stored(), self.strip.shifted());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for output in self.outputs() {
            writer.line("{");
            let x = self.out_of_planes(writer, &output);
            let name = &output.name;
            if shifted {
                let twice = if self.operation().output() == Side::Signal { "2 * " } else { "" };
                writer.line("if (bounded) {");
                // Others shift their stores: one lane more overlaps the right neighbour's.
                writer.line(format!(
                    "put_between<{groups}, {items}, {first}, {}>({name}, {twice}from, {twice}to, lane, {x});",
                    end + 1
                ));
                writer.line("} else {");
            }
            writer.line(format!(
                "put<{groups}, {items}, {first}, {end}, {shifted}>({name}, lane, {x});"
            ));
            if shifted {
                writer.line("}");
            }
            writer.line("}");
        }
    }
}
