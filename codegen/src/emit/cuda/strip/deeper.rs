//! Levels after the first: where they lie, and how approximations come and go.

use super::super::writer::Writer;
use super::Emitter;
use super::input::moved;
use super::walk::operand;
use crate::gpu::{Descent, Rise};
use crate::kernel::Side;

impl Emitter<'_> {
    /// Where lanes begin, or a whole number of their pairs from it.
    pub(super) fn anchor(&self, axis: usize) -> String {
        let low = format!("{}.low_start{axis}", self.job());
        match self.deeper() {
            None => low,
            Some(deeper) => {
                let next = deeper.anchor(axis);
                format!("(2 * {next} + {low} - {}.signal_start{axis})", deeper.job())
            }
        }
    }

    /// A pair of this level, given as an expression that stands in whole pairs, as one of the next.
    fn halved(&self, pair: &str, axis: usize) -> String {
        let next = self.level + 1;
        format!("({pair} - {}.low_start{axis} + job_{next}.signal_start{axis}) >> 1", self.job())
    }

    /// Where the strip begins at the next levels.
    pub(super) fn place_deeper(&self, writer: &mut Writer, axis: usize) {
        let Some(deeper) = self.deeper() else { return };
        let shift = deeper.strip.across.as_ref().map_or(0, |across| across.shift);
        let name = |level: &Self, name: &str| level.own(&format!("{name}{axis}"));
        let (k, from) = (name(&deeper, "k"), name(&deeper, "from"));
        match self.input() {
            Side::Signal => {
                let at = self.halved(&name(self, "k"), axis);
                writer.line(format!("const long long {from} = {at};"));
                writer.line(format!("const long long {k} = {from} + {shift};"));
            }
            Side::Bands => {
                let at = self.halved(&name(self, "from"), axis);
                writer.line(format!("const long long {k} = {at};"));
                writer.line(format!("const long long {from} = {k} - {shift};"));
            }
        }
        deeper.place_deeper(writer, axis);
    }

    /// Where the next level's rows begin.
    pub(super) fn range_deeper(&self, writer: &mut Writer) {
        let Some(deeper) = self.deeper() else { return };
        let (Some(own), Some(next)) = (&self.strip.along, &deeper.strip.along) else { return };
        match self.input() {
            Side::Signal => {
                let (at, first) = (self.halved(&self.first_row(), 0), deeper.first_row());
                writer.line(format!("const long long {first} = {at};"));
            }
            Side::Bands => {
                let lag = own.pipeline.streams[0].lag;
                let at = self.halved(&self.onward(&self.start(), -lag), 0);
                let start = self.onward(&format!("({at})"), next.pipeline.delay);
                writer.line(format!("const long long {} = {start};", deeper.start()));
            }
        }
    }

    /// The iteration in which a row pair of approximations is handed over, and which one that is.
    pub(super) fn handed_row(&self) -> Option<(usize, String)> {
        let along = self.strip.along.as_ref()?;
        match self.strip.descent() {
            Some(_) => Some((self.strip.first_output(), "first0".to_owned())),
            None => {
                let lag = along.pipeline.streams[0].lag;
                Some((0, if lag == 0 { "start".to_owned() } else { format!("(start - {lag})") }))
            }
        }
    }

    /// The pair of approximations in the first lane's first register when they are handed over.
    pub(super) fn handed_column(&self, axis: usize) -> String {
        let lane = match self.input() {
            Side::Signal => self.own(&format!("k{axis}")),
            Side::Bands => self.own(&format!("from{axis}")),
        };
        operand(&moved(&lane, self.lead(Side::Bands, 0)))
    }

    /// The planes of a row of this level's signal, the one of the first approximation first.
    pub(super) fn handed(&self, r: usize) -> [String; 2] {
        [0, 1].map(|element| self.plane(r, self.parity(element)))
    }

    /// Registers of a plane.
    pub(super) fn count(&self) -> usize {
        self.groups() * self.items()
    }

    /// At an end: approximations that do not exist are copies of others, or zero where the next level wants that.
    pub(super) fn confine(&self, writer: &mut Writer, iteration: &str) {
        if self.extends_between() {
            return self.take_between(writer);
        }
        let (groups, items, low) = (self.groups(), self.items(), self.plane(0, 0));
        self.at_ends(writer, |writer| {
            writer.line(format!("const Target& target = ends.target[{}];", self.handed_target()));
            writer.line(format!(
                "const bool row = {iteration} >= target.begin && {iteration} < target.end;"
            ));
            writer.line(format!(
                "confine<{groups}, {items}>({low}, row, target.from, target.to, lane);"
            ));
        });
    }

    /// The row that waits for the one after it.
    pub(super) fn held(&self, writer: &mut Writer) {
        let count = self.count();
        if let Some(descent) = self.strip.descent() {
            let rows = (descent.distance + 1) / 2;
            writer.line(format!("{} held[{rows}][{count}];", self.work()));
        }
        if self.strip.rise().is_some() {
            writer.line(format!("{} held[{count}];", self.work()));
            writer.line("int slot_2 = 0, free_2 = 0;");
        }
    }

    /// The first iteration whose approximations the next level reads.
    fn first_handed(&self, descent: &Descent) -> i64 {
        (self.strip.first_output() - descent.before) as i64 + i64::from(descent.first)
    }

    /// Forward: keeps the row that waits for another.
    pub(super) fn hold(&self, writer: &mut Writer, descent: &Descent) {
        let (count, low) = (self.count(), self.plane(0, 0));
        writer.line("const auto hold = [&]() {");
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
        for row in (1..(descent.distance + 1) / 2).rev() {
            writer.line(format!("held[{row}][i] = held[{}][i];", row - 1));
        }
        writer.line(format!("held[0][i] = {low}[i];"));
        writer.line("}");
        writer.line("};");
    }

    /// Forward: a step of the next level with the rows of iteration `n` and of an earlier one.
    pub(super) fn descend(&self, writer: &mut Writer, descent: &Descent) {
        let Some(deeper) = self.deeper() else { return };
        let first = self.first_handed(descent) + i64::from(descent.distance);
        let low = self.plane(0, 0);
        writer.line("// A step of the next level, at every second iteration.");
        writer.line("const auto deeper = [&](int n, bool wanted) {");
        writer.line(format!("const int j = (n - {first}) / 2;"));
        let earlier = format!("held[{}]", (descent.distance + 1) / 2 - 1);
        let (even, odd) = match descent.even_last {
            true => (low, earlier),
            false => (earlier, low),
        };
        let half = deeper.count();
        for (r, row) in [even, odd].into_iter().enumerate() {
            let [a, b] = deeper.handed(r);
            writer.line(format!("hand_down<{half}>({row}, {a}, {b});"));
        }
        deeper.transform(writer, "if (!wanted) return;");
        deeper.store(writer, "j");
        deeper.advance_outputs(writer);
        writer.line("};");
    }

    /// Forward: the iterations. From the next level's first outputs on they go by twos.
    pub(super) fn descending(&self, writer: &mut Writer, descent: &Descent) {
        let handed = self.first_handed(descent);
        let warm = self.strip.first_output() - descent.before;
        let step = handed + i64::from(descent.distance);
        let wanted = step + 2 * descent.warm as i64;
        self.unsteady(writer, &(wanted - 1).to_string());
        writer.line(format!("finer(n, slot, n >= {warm});"));
        writer.line(format!("if (((n - {handed}) & 1) == 0) {{"));
        writer.line("hold();");
        writer.line(format!("}} else if (n >= {step}) {{"));
        writer.line(format!("deeper(n, n >= {wanted});"));
        writer.line("}");
        writer.line("}");
        self.steady(writer, 2, |writer, i, n| {
            writer.line(format!("arrive({n}, slot);"));
            writer.line(format!("finer({n}, slot, true);"));
            writer.line(match i {
                0 => "hold();".to_owned(),
                _ => format!("deeper({n}, true);"),
            });
        });
    }

    /// Inverse: loads the rows of the next level that iteration `x` will read.
    pub(super) fn load_rise(&self, writer: &mut Writer, x: &str) {
        let Some(deeper) = self.deeper().filter(|_| self.strip.rise().is_some()) else { return };
        writer.line(format!("if ((({x}) & 1) == 0) {{"));
        deeper.load_either(writer, &format!("({x}) / 2"), ", free_2");
        deeper.follow(writer);
        let last = deeper.ahead();
        writer.line(format!("free_2 = free_2 == {last} ? 0 : free_2 + 1;"));
        writer.line("}");
    }

    /// Inverse: a step of the next level, which leaves the rows of iterations `n` and `n + 1`.
    pub(super) fn rise(&self, writer: &mut Writer) {
        let Some(deeper) = self.deeper() else { return };
        let half = deeper.count();
        let row = |r: usize, to: &str| {
            let [a, b] = deeper.handed(r);
            format!("hand_up<{half}>({a}, {b}, {to});")
        };
        writer.line("// A step of the next level, at every second iteration: the rows of this and the next one.");
        writer.line("const auto deeper = [&](int n, bool wanted) {");
        self.either(
            writer,
            |writer| deeper.take(writer, true, "n / 2", ", slot_2"),
            |writer| deeper.take(writer, false, "", ", slot_2"),
        );
        let last = deeper.ahead();
        writer.line(format!("slot_2 = slot_2 == {last} ? 0 : slot_2 + 1;"));
        deeper.transform(writer, "if (!wanted) return;");
        let (first, second) = if self.goes_up() { (1, 0) } else { (0, 1) };
        writer.line(row(first, &self.plane(0, 0)));
        writer.line(row(second, "held"));
        writer.line("};");
        writer.line("// Of these, the second.");
        writer.line("const auto second = [&]() {");
        writer.line("#pragma unroll");
        let (count, low) = (self.count(), self.plane(0, 0));
        writer.line(format!("for (int i = 0; i < {count}; ++i) {low}[i] = held[i];"));
        writer.line("};");
    }

    /// Inverse: what the next level leaves for iteration `n`, of which rows are wanted from iteration `late` on.
    pub(super) fn rows_of_rise(&self, writer: &mut Writer, late: &str) {
        writer.line(format!("await_copies<{}>();", self.ahead()));
        writer.line("if ((n & 1) == 0) {");
        writer.line(format!("deeper(n, n >= {late});"));
        writer.line("} else {");
        writer.line("second();");
        writer.line("}");
    }

    /// Inverse: the iterations. From the first outputs on they go by twos.
    pub(super) fn rising(&self, writer: &mut Writer, rise: &Rise) {
        let (ahead, first) = (self.ahead(), self.strip.first_output());
        let late = 2 * rise.warm;
        self.unsteady(writer, &(first + first % 2).to_string());
        self.rows_of_rise(writer, &late.to_string());
        writer.line(format!("if (n >= {late}) {{"));
        writer.line(format!("finer(n, slot, n >= {first});"));
        writer.line("}");
        writer.line("}");
        self.steady(writer, 2, |writer, i, n| {
            writer.line(format!("arrive({n}, slot);"));
            writer.line(format!("await_copies<{ahead}>();"));
            writer.line(match i {
                0 => format!("deeper({n}, true);"),
                _ => "second();".to_owned(),
            });
            writer.line(format!("finer({n}, slot, true);"));
        });
    }
}
