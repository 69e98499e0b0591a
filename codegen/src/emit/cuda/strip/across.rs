//! The transform across the lanes as a function of two planes of registers.

use super::super::body::{Lanes, statements};
use super::super::writer::Writer;
use super::Emitter;
use crate::dag::Place;
use crate::gpu::{Across, AcrossStage, Shifted};

fn received(read: &Shifted) -> String {
    let side = if read.lanes < 0 { "l" } else { "r" };
    format!("p{}_{}_{side}{}", read.plane, read.pair, read.lanes.abs())
}

impl Emitter<'_> {
    pub(super) fn across(&self, writer: &mut Writer, across: &Across) {
        let (groups, work) = (self.groups_across(), self.work());
        let count = groups * across.pairs;
        writer.line("// Across the lanes: planes become bands, or bands planes, in place.");
        writer.line(format!(
            "__device__ inline void across_{}({work} (&p0)[{count}], {work} (&p1)[{count}], int lane) {{",
            self.name
        ));
        for stage in &across.stages {
            self.stage(writer, stage);
        }
        writer.line("}");
    }

    fn stage(&self, writer: &mut Writer, stage: &AcrossStage) {
        let (groups, work, pairs) = (self.groups_across(), self.work(), stage.pairs);
        let exchange = if self.strip.beside.is_some() { "of_lanes" } else { "neighbours" };
        writer.line("{");
        for read in stage.exchanged() {
            let name = received(&read);
            writer.line(format!("{work} {name}[{groups}];"));
            writer.line(format!(
                "{exchange}<{groups}, {pairs}, {}, {}>(p{}, lane, {name});",
                read.pair, read.lanes, read.plane
            ));
        }
        writer.line("#pragma unroll");
        writer.line(format!("for (int g = 0; g < {groups}; ++g) {{"));
        let leaf = |place: &Place| {
            let read = stage.register(place);
            match read.lanes {
                0 => format!("p{}[g * {pairs} + {}]", read.plane, read.pair),
                _ => format!("{}[g]", received(&read)),
            }
        };
        let (lines, stores) = statements(&stage.dag, Lanes::Any, &leaf);
        writer.lines(lines);
        for (place, value) in stores {
            let (plane, pair) = stage.target(&place);
            writer.line(format!("p{plane}[g * {pairs} + {pair}] = {value};"));
        }
        writer.line("}");
        writer.line("}");
    }
}
