//! The transform along the walk: a structure of windows and the step that moves them on.

use super::super::body::{Lanes, statements};
use super::super::writer::Writer;
use super::Emitter;
use crate::dag::Place;
use crate::gpu::Along;

impl Emitter<'_> {
    /// The structure of a walk's windows.
    pub(super) fn along(&self, writer: &mut Writer, along: &Along) {
        let (name, work) = (self.along_name(), self.work());
        let count = self.groups_along() * self.items();
        let streams = &along.pipeline.streams;
        let window = |stream: usize| streams[stream].window;
        let kept: Vec<usize> = (0..streams.len()).filter(|s| window(*s) > 1).collect();
        writer.line("// Along a walk: the last values of every column, newest first.");
        writer.line(format!("struct {name} {{"));
        for stream in &kept {
            writer.line(format!("{work} s{stream}[{}][{count}];", window(*stream) - 1));
        }
        writer.line("");
        writer.line("__device__ inline void clear() {");
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        for stream in &kept {
            for age in 0..window(*stream) - 1 {
                writer.line(format!("s{stream}[{age}][i] = 0;"));
            }
        }
        writer.line("}");
        writer.line("}");
        writer.line("");
        writer.line(format!(
            "// Takes a pair of rows, leaves the outputs of the pair {} before it.",
            along.pipeline.delay
        ));
        writer.line(format!(
            "__device__ inline void step({work} (&p0)[{count}], {work} (&p1)[{count}]) {{"
        ));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        let value = |stream: usize, age: usize| match age {
            0 => format!("n{stream}"),
            age => format!("s{stream}[{}][i]", age - 1),
        };
        for plane in 0..2 {
            writer.line(format!("const {work} n{plane} = p{plane}[i];"));
        }
        for update in &along.updates {
            let leaf = |place: &Place| {
                let (stream, age) = Along::read(place);
                value(stream, age)
            };
            let (lines, stores) = statements(&update.dag, Lanes::Any, &leaf);
            let result = stores.first().map_or("0", |(_, value)| value.as_str());
            writer.line(format!("{work} n{};", update.stream));
            writer.line("{");
            writer.lines(lines);
            writer.line(format!("n{} = {result};", update.stream));
            writer.line("}");
        }
        for (channel, output) in along.pipeline.outputs.iter().enumerate() {
            writer.line(format!("p{channel}[i] = {};", value(output.stream, output.age)));
        }
        for stream in &kept {
            for age in (0..window(*stream) - 1).rev() {
                let newer = value(*stream, age);
                writer.line(format!("s{stream}[{age}][i] = {newer};"));
            }
        }
        writer.line("}");
        writer.line("}");
        writer.line("};");
    }
}
