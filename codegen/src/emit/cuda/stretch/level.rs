//! A level's transform of a chunk: what is kept from one to the next, and the step that takes one.

use super::super::body::{Lanes, statements};
use super::super::writer::Writer;
use super::Emitter;
use crate::dag::Place;
use crate::gpu::Along;

impl Emitter<'_> {
    /// The structure of what a level keeps, and the step that takes a chunk.
    pub(super) fn level(&self, writer: &mut Writer, level: usize) {
        let (one, work) = (self.of(level), self.work());
        let (count, pipeline) = (one.pairs, &one.along.pipeline);
        let kept: Vec<usize> =
            (0..pipeline.streams.len()).filter(|stream| one.earlier(*stream) > 0).collect();
        writer.line("// A chunk's pairs, of which every lane reads what stands to the left.");
        writer.line(format!("struct {} {{", self.type_of(level)));
        for stream in &kept {
            writer.line(format!("Tail<{count}, {}> t{stream};", one.earlier(*stream)));
        }
        writer.line("");
        writer.line("__device__ inline void clear() {");
        for stream in &kept {
            writer.line(format!("t{stream}.clear();"));
        }
        writer.line("}");
        writer.line("");
        let [low, high] = one.delays;
        writer.line(match low == high {
            true => format!("// Leaves the outputs of the pairs {low} before."),
            false => format!("// Leaves the outputs of the pairs {low} and {high} before."),
        });
        writer.line(format!(
            "__device__ inline void step({work} (&n0)[{count}], {work} (&n1)[{count}], int lane) {{"
        ));
        let value = |stream: usize, age: usize| match one.earlier(stream) {
            0 => format!("n{stream}[i]"),
            earlier => format!("x{stream}[i + {}]", earlier - age),
        };
        let extend = |writer: &mut Writer, stream: usize| {
            let earlier = one.earlier(stream);
            if earlier > 0 {
                writer.line(format!("{work} x{stream}[{}];", earlier + count));
                writer.line(format!("t{stream}.extend(n{stream}, x{stream}, lane);"));
            }
        };
        extend(writer, 0);
        extend(writer, 1);
        for update in &one.along.updates {
            let stream = update.stream;
            let leaf = |place: &Place| {
                let (stream, age) = Along::read(place);
                value(stream, age)
            };
            let (lines, stores) = statements(&update.dag, Lanes::Any, &leaf);
            let result = stores.first().map_or("0", |(_, value)| value.as_str());
            writer.line(format!("{work} n{stream}[{count}];"));
            writer.line("#pragma unroll");
            writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
            writer.lines(lines);
            writer.line(format!("n{stream}[i] = {result};"));
            writer.line("}");
            extend(writer, stream);
        }
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        let outputs = pipeline.outputs.iter().map(|output| value(output.stream, output.age));
        for (channel, output) in outputs.enumerate() {
            writer.line(format!("const {work} y{channel} = {output};"));
        }
        for channel in 0..pipeline.outputs.len() {
            writer.line(format!("n{channel}[i] = y{channel};"));
        }
        writer.line("}");
        writer.line("}");
        writer.line("};");
    }
}
