//! The walk: chunks arrive, pass through all levels, and are written.

use super::super::writer::Writer;
use super::{Array, Emitter, own};
use crate::kernel::Side;

impl Emitter<'_> {
    pub(super) fn walk(&self, writer: &mut Writer) {
        let (work, chunk) = (self.work(), self.stretch.chunk());
        let (warm, depth) = (self.stretch.warm, self.stretch.depth);
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let all = inputs.iter().map(|array| format!("const value* {}", array.name));
        let all = all.chain(outputs.iter().map(|array| format!("value* {}", array.name)));
        let arguments: Vec<String> = all.collect();
        writer.line(format!("// A stretch of so many chunks, after {warm} that leave no outputs."));
        writer.line("template <bool ALIGNED>");
        writer.line(format!(
            "__device__ inline void walk_{}({}, const int count, value* ring, const int lane) {{",
            self.name,
            arguments.join(", ")
        ));
        for level in 1..=self.count() {
            let state = own("level", level);
            writer.line(format!("{} {state};", self.type_of(level)));
            writer.line(format!("{state}.clear();"));
        }
        writer.line("const auto load = [&](int n, int slot) {");
        writer.line("if (n < count) {");
        let to = if inputs.len() > 1 { "value*" } else { "value* const" };
        writer.line(format!("{to} to = ring + slot * {chunk};"));
        for (index, array) in inputs.iter().enumerate() {
            let (name, items) = (&array.name, array.items);
            let each = items * 32;
            if index > 0 {
                writer.line(format!("to += {};", inputs[index - 1].items * 32));
            }
            writer.line(format!(
                "fetch<{items}, ALIGNED>({name} + (long long)n * {each}, to, lane);"
            ));
        }
        writer.line("}");
        writer.line("close_copies();");
        writer.line("};");
        for ahead in 0..depth - 1 {
            writer.line(format!("load({}, {ahead});", ahead as i64 - warm as i64));
        }
        writer.line("int slot = 0;");
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int n = -{warm}; n < count; ++n) {{"));
        writer.line(format!("await_copies<{}>();", depth - 2));
        writer.line("__syncwarp();");
        writer.line(format!("value* const chunk = ring + slot * {chunk};"));
        writer.line(format!("load(n + {}, slot == 0 ? {} : slot - 1);", depth - 1, depth - 1));
        writer.line(format!("slot = slot == {} ? 0 : slot + 1;", depth - 1));
        match self.stretch.output {
            Side::Bands => self.down(writer, work),
            Side::Signal => self.up(writer, work),
        }
        writer.line("}");
        writer.line("}");
    }

    /// Forward: every level's approximations are the next one's samples.
    fn down(&self, writer: &mut Writer, work: &str) {
        let signal = self.signal();
        let items = signal.items;
        writer.line(format!("{work} x[{items}];"));
        writer.line(format!("fetched<{items}>(chunk, lane, x);"));
        writer.line("// The chunk becomes a desk.");
        writer.line("__syncwarp();");
        let mut samples = "x".to_owned();
        for level in 1..=self.count() {
            self.split(writer, &samples, level);
            let [low, high] = self.planes(level);
            writer.line(format!("{}.step({low}, {high}, lane);", own("level", level)));
            self.leave(writer, &self.band(level, 1));
            if level == self.count() {
                self.leave(writer, &self.band(level, 0));
            }
            samples = low;
        }
    }

    /// Inverse: every level's samples are the approximations of the one before.
    fn up(&self, writer: &mut Writer, work: &str) {
        let bands = self.bands();
        let mut at = 0;
        let mut take = Vec::new();
        for array in &bands {
            let (items, values) = (array.items, &array.values);
            take.push([
                format!("{work} {values}[{items}];"),
                format!("fetched<{items}>(chunk + {at}, lane, {values});"),
            ]);
            at += items * 32;
        }
        let mut details = take.into_iter();
        let low = details.next_back();
        let details: Vec<[String; 2]> = details.collect();
        writer.lines(low.into_iter().flatten());
        for level in (1..=self.count()).rev() {
            writer.lines(&details[level - 1]);
            let [low, high] = self.planes(level);
            writer.line(format!("{}.step({low}, {high}, lane);", own("level", level)));
            let samples = if level > 1 { own("p0", level - 1) } else { "x".to_owned() };
            self.join(writer, &samples, level);
        }
        writer.line("// The chunk becomes a desk.");
        writer.line("__syncwarp();");
        self.leave(writer, &self.signal());
    }

    fn leave(&self, writer: &mut Writer, array: &Array) {
        let Array { name, items, values, .. } = array;
        let each = items * 32;
        writer.line(format!(
            "if (n >= 0) leave<{items}, ALIGNED>({name} + (long long)n * {each}, chunk, lane, {values});"
        ));
    }
}
