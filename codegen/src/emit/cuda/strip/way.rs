//! The two ways of a walk. One that goes down may meet ends; one that goes up lies inside all its arrays,
//! is a function of its own, and is given nothing but where it begins.

use super::super::writer::Writer;
use super::Emitter;
use super::input::moved;
use super::round::ROUND;
use crate::gpu::Way;

impl<'a> Emitter<'a> {
    /// The same strip, walked up.
    pub(super) fn upward(&self) -> Option<Emitter<'a>> {
        let strip = self.strip.upward.as_deref()?;
        Some(Emitter { strip, ..self.clone() })
    }

    pub(super) fn goes_up(&self) -> bool {
        self.strip.way == Way::Up
    }

    /// The function of its walk.
    pub(super) fn walk_name(&self) -> String {
        let way = if self.goes_up() { "_up" } else { "" };
        format!("walk{way}_{}", self.name)
    }

    /// The structure of its windows.
    pub(super) fn along_name(&self) -> String {
        let way = if self.goes_up() { "Upward" } else { "Along" };
        format!("{way}_{}", self.name)
    }

    /// A pair of rows, so many further on its way.
    pub(super) fn onward(&self, pair: &str, by: i32) -> String {
        let by = i64::from(by);
        moved(pair, if self.goes_up() { -by } else { by })
    }

    /// The sign of steps along the walk.
    pub(super) fn sign(&self) -> &'static str {
        if self.goes_up() { "-" } else { "" }
    }

    /// The pair of rows with which the walk begins, lags aside.
    pub(super) fn start(&self) -> String {
        self.own(if self.goes_up() { "below" } else { "start" })
    }

    /// The pair of rows that is the first of its outputs.
    pub(super) fn first_row(&self) -> String {
        self.own(if self.goes_up() { "bottom0" } else { "first0" })
    }

    /// Inside, every second tile is walked from its last rows up to its first ones.
    pub(super) fn walk_up(&self, writer: &mut Writer) {
        let Some(upward) = self.upward() else { return };
        let Some(along) = &upward.strip.along else { return };
        writer.line("// Every second tile is walked up, so that two walks begin at the same rows.");
        writer.line("if constexpr (ENDS == INSIDE) {");
        writer.line("if ((down & 1) == 0) {");
        writer.line(format!("const long long {} = end0 - 1;", upward.first_row()));
        let early = along.pipeline.delay - upward.strip.first_output() as i32;
        let (start, first) = (upward.start(), upward.first_row());
        writer.line(format!("const long long {start} = {};", upward.onward(&first, early)));
        upward.range_deeper(writer);
        let beyond = upward.strip.beyond() as i64;
        writer.line(format!("const int count = {};", moved("(int)(end0 - first0)", beyond)));
        writer.line(format!("{}({});", upward.walk_name(), upward.walk_call()));
        writer.line("return;");
        writer.line("}");
        writer.line("}");
    }

    /// What only a strip that may touch ends does.
    pub(super) fn at_ends(&self, writer: &mut Writer, write: impl FnOnce(&mut Writer)) {
        if self.goes_up() {
            return;
        }
        writer.line(format!("if ({}) {{", self.knows_ends()));
        write(writer);
        writer.line("}");
    }

    /// What only a strip inside all its arrays does.
    pub(super) fn if_inside(&self, writer: &mut Writer, write: impl FnOnce(&mut Writer)) {
        if self.goes_up() {
            return write(writer);
        }
        writer.line(if self.strip.wraps { "if (ENDS <= WRAPPED) {" } else { "if (!ENDS) {" });
        write(writer);
        writer.line("}");
    }

    /// The same where lines that begin anew have a way of their own.
    pub(super) fn only_inside(&self, writer: &mut Writer, write: impl FnOnce(&mut Writer)) {
        if self.goes_up() {
            return write(writer);
        }
        writer.line("if (!ENDS) {");
        write(writer);
        writer.line("}");
    }

    /// What a strip that may touch ends does, and what one inside does instead.
    pub(super) fn either(
        &self,
        writer: &mut Writer,
        ends: impl FnOnce(&mut Writer),
        inside: impl FnOnce(&mut Writer),
    ) {
        if self.goes_up() {
            return inside(writer);
        }
        writer.line(format!("if ({}) {{", self.knows_ends()));
        ends(writer);
        writer.line("} else {");
        inside(writer);
        writer.line("}");
    }

    /// The same with something else where lines begin anew.
    pub(super) fn one_of(
        &self,
        writer: &mut Writer,
        ends: impl FnOnce(&mut Writer),
        round: impl FnOnce(&mut Writer),
        inside: impl FnOnce(&mut Writer),
    ) {
        self.either(writer, ends, |writer| {
            if !self.wraps() {
                return inside(writer);
            }
            writer.line(format!("if ({ROUND}) {{"));
            round(writer);
            writer.line("} else {");
            inside(writer);
            writer.line("}");
        });
    }
}
