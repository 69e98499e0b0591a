//! The walk: chunks arrive, pass through all levels, and are written.

use super::super::writer::Writer;
use super::{Array, Emitter, own};
use crate::gpu::SECTOR;
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
        writer.line(format!("value* const to = ring + slot * {chunk};"));
        self.fetch(writer, &inputs, "n", &[]);
        writer.line("}");
        writer.line("close_copies();");
        writer.line("};");
        let skipped: Vec<usize> = inputs.iter().map(|input| self.skipped(input)).collect();
        for ahead in 0..depth - 1 {
            if ahead == 0 && skipped.iter().any(|skipped| *skipped > 0) {
                writer.line("// Of the first chunk only what outputs are made of.");
                writer.line("{");
                writer.line("value* const to = ring;");
                self.fetch(writer, &inputs, &format!("-{warm}"), &skipped);
                writer.line("close_copies();");
                writer.line("}");
                continue;
            }
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

    /// A chunk's elements of every input, but for so many of each.
    fn fetch(&self, writer: &mut Writer, inputs: &[Array], chunk: &str, skipped: &[usize]) {
        let mut at = 0;
        for (index, Array { name, items, .. }) in inputs.iter().enumerate() {
            let (each, skipped) = (items * 32, skipped.get(index).unwrap_or(&0));
            writer.line(format!(
                "fetch<{items}, ALIGNED, {skipped}>({name} + (long long){chunk} * {each}, to + {at}, lane);"
            ));
            at += each;
        }
    }

    /// Elements of an input's first chunk of which no output is made, in whole sectors.
    fn skipped(&self, input: &Array) -> usize {
        let each = input.items * 32;
        let share = self.stretch.chunk() / each;
        let needed = self.stretch.samples_before().div_ceil(share) + 1;
        let unit = SECTOR / self.proved.kernel().element.bytes();
        (each * self.stretch.warm).saturating_sub(needed) / unit * unit
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
