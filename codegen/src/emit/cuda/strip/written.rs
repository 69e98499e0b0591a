//! Of what a walk at an end makes, what is written: iterations and columns, found once.

use super::super::writer::Writer;
use super::Emitter;
use super::output::Output;
use super::round::ROUND;

impl Emitter<'_> {
    /// Whether a walk knows what it writes: that of planes at any end, that of blocks where lines begin anew.
    fn knows_written(&self) -> bool {
        let some = self.strip.beside.is_none() || self.wraps();
        some && self.strip.parted() && !self.goes_up() && !self.outputs().is_empty()
    }

    /// Finds which iterations and columns of a level are written.
    pub(super) fn find_written(&self, writer: &mut Writer) {
        if !self.knows_written() {
            return;
        }
        let (outputs, written) = (self.outputs(), self.own("written"));
        let ends = if self.strip.beside.is_some() { ROUND } else { "ENDS" };
        writer.line(format!("Written {written};"));
        writer.line(format!("if ({ends}) {{"));
        for place in 0..2 {
            if let Some(output) = outputs.iter().find(|output| output.row == place) {
                let [begin, end] = self.iterations_of(output);
                writer.line(format!("{written}.begin[{place}] = kept({begin});"));
                writer.line(format!("{written}.end[{place}] = kept({end});"));
            }
            if let Some(output) = outputs.iter().find(|output| output.side == place) {
                let (from, to) = self.columns_of_job(output);
                writer.line(format!("{written}.from[{place}] = clamped({from});"));
                writer.line(format!("{written}.to[{place}] = clamped({to});"));
            }
        }
        writer.line("}");
    }

    /// Stores a row of an output if it is one that is written.
    pub(super) fn if_written(
        &self,
        writer: &mut Writer,
        output: &Output,
        n: &str,
        write: impl FnOnce(&mut Writer),
    ) {
        let (written, row) = (self.own("written"), output.row);
        writer.line(format!("if ({n} >= {written}.begin[{row}] && {n} < {written}.end[{row}]) {{"));
        write(writer);
        writer.line("}");
    }
}
