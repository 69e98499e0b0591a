//! Pointers into rows: where lanes begin in them, and how they move on along a walk.

use super::super::writer::Writer;
use super::Emitter;
use super::round::ROUND;
use crate::kernel::Side;

impl Emitter<'_> {
    /// Elements between an array's rows of two pairs.
    pub(super) fn row_step(&self, array: &str, side: Side) -> String {
        if self.strip.along.is_none() {
            return "0".to_owned();
        }
        let twice = if side == Side::Signal { "2 * " } else { "" };
        if self.strip.beside.is_some() {
            return format!("{twice}{}", self.stride_of(array, 0));
        }
        format!("{twice}{}.{}_stride0", self.job(), self.field(array))
    }

    /// From here on, pointers into rows are those of a lane's first elements: where lines begin anew, only those of
    /// outputs, as inputs have places of their own.
    pub(super) fn begin_at_lanes(&self, writer: &mut Writer) {
        if self.strip.beside.is_some() {
            return;
        }
        let inputs = |writer: &mut Writer| {
            for level in self.levels() {
                for input in level.inputs() {
                    writer.line(format!("at_{} += lane * {};", input.name, level.loaded()));
                }
            }
        };
        let outputs = |writer: &mut Writer| {
            for level in self.levels() {
                for output in level.outputs() {
                    writer.line(format!("{} += lane * {};", output.name, level.stored()));
                }
            }
        };
        match self.wraps() {
            true => {
                self.only_inside(writer, inputs);
                self.if_inside(writer, outputs);
            }
            false => self.only_inside(writer, |writer| {
                inputs(writer);
                outputs(writer);
            }),
        }
    }

    /// Awaits what earlier launches write, and lets the next one begin. Pointers are made before: that takes no time
    /// while earlier launches run, and leaves registers free afterwards.
    pub(super) fn await_earlier(&self, writer: &mut Writer) {
        for level in self.levels() {
            let inputs = level.inputs().into_iter().map(|input| format!("at_{}", input.name));
            let outputs = level.outputs().into_iter().map(|output| output.name);
            for pointer in inputs.chain(outputs) {
                writer.line(format!("{pointer} = made({pointer});"));
            }
        }
        writer.line("await_previous();");
        writer.line("begin_next();");
    }

    /// Moves the inputs' pointers on to the next pair of rows.
    pub(super) fn follow(&self, writer: &mut Writer) {
        let on = |writer: &mut Writer| {
            for input in self.inputs() {
                let step = self.row_step(&input.array, self.input());
                writer.line(format!("at_{} += {}{step};", input.name, self.sign()));
            }
        };
        if !self.wraps() {
            return on(writer);
        }
        writer.line(format!("if ({ROUND}) {{"));
        self.turn(writer);
        writer.line("} else {");
        on(writer);
        writer.line("}");
    }

    /// Moves the outputs' pointers on to the next pair of rows.
    pub(super) fn advance_outputs(&self, writer: &mut Writer) {
        for output in self.outputs() {
            let step = self.row_step(&output.array, self.operation().output());
            writer.line(format!("{} += {}{step};", output.name, self.sign()));
        }
    }
}
