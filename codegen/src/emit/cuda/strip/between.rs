//! Approximations between two levels at the ends of a plane, where the next level takes copies of others for those
//! beyond: columns come from other lanes, rows of which others are copies are made first and kept.

use super::super::writer::Writer;
use super::Emitter;
use super::walk::operand;
use crate::kernel::Side;

impl Emitter<'_> {
    /// Whether walks at ends extend what one level hands to another.
    pub(super) fn extends_between(&self) -> bool {
        self.strip.between > 0 && self.strip.deeper.is_some() && !self.goes_up()
    }

    /// Whether walks at ends have rings of their own.
    fn has_short_rings(&self) -> bool {
        self.strip.between > 0 && !self.goes_up()
    }

    /// Pairs of rows that are on their way when an iteration begins.
    pub(super) fn ahead(&self) -> String {
        match self.has_short_rings() {
            true => self.own("AHEAD"),
            false => self.strip.depth.saturating_sub(1).to_string(),
        }
    }

    /// Slots of a ring.
    pub(super) fn slots(&self) -> String {
        match self.has_short_rings() {
            true => format!("{} + 1", self.ahead()),
            false => self.strip.depth.max(1).to_string(),
        }
    }

    /// Where the next ring begins after one of this level that begins at `from`, of so many elements a slot.
    pub(super) fn after_ring(&self, from: &str, elements: usize) -> String {
        match (self.has_short_rings(), from.parse::<usize>()) {
            (false, Ok(from)) => (from + self.strip.depth.max(1) * elements).to_string(),
            (_, Ok(0)) => format!("({}) * {elements}", self.slots()),
            _ => format!("{from} + ({}) * {elements}", self.slots()),
        }
    }

    /// How far ahead walks at ends look, and others.
    pub(super) fn declare_ahead(&self, writer: &mut Writer) {
        if !self.has_short_rings() {
            return;
        }
        for level in self.levels().filter(|level| !level.inputs().is_empty()) {
            let (ends, depth) = (level.strip.depth_at_ends(), level.strip.depth);
            let ends = format!("{} ? {} : {}", self.knows_ends(), ends - 1, depth - 1);
            writer.line(format!("constexpr int {} = {ends};", level.ahead()));
        }
    }

    /// What is known of these approximations among the sources of all levels.
    fn source_between(&self) -> usize {
        self.levels().map(|level| level.inputs().len()).sum()
    }

    /// Sources of all levels, with what is handed over.
    pub(super) fn all_sources(&self) -> usize {
        self.source_between() + usize::from(self.extends_between())
    }

    /// The type of what a walk knows of them.
    fn between_type(&self) -> String {
        format!("Between<{}, {}, {}>", self.groups(), self.items(), self.strip.between)
    }

    /// Rows that are kept, in shared memory.
    pub(super) fn shared_between(&self, writer: &mut Writer, only: &dyn Fn(usize) -> String) {
        if self.extends_between() {
            let (warps, elements) = (only(self.strip.warps), only(self.strip.kept_between()));
            writer.line(format!("__shared__ work kept_rows[{warps}][{elements}];"));
        }
    }

    /// How the approximations go on.
    pub(super) fn fill_between(&self, writer: &mut Writer) {
        let Some((iteration, row)) = self.handed_row().filter(|_| self.extends_between()) else {
            return;
        };
        let (Some(deeper), Some(axis)) = (self.deeper(), self.crossed()) else { return };
        let reader = match self.input() {
            Side::Signal => &deeper,
            Side::Bands => self,
        };
        let (index, job) = (self.source_between(), self.job());
        let low = |axis: usize| (format!("{job}.low_start{axis}"), format!("{job}.low_len{axis}"));
        let mut write = |case: usize, axis: usize, place: &[String], count: String| {
            let first = place[0].clone();
            let mut known = reader.line(axis, 0);
            known.extend([low(axis).1, first.clone(), format!("{first} + {count}")]);
            writer.line(format!("case {case}:"));
            writer.lines(place[1..].to_vec());
            super::ends::line_of(writer, &known);
            writer.line("break;");
        };
        let first = format!("({} - {} - {iteration})", operand(&row), low(0).0);
        let column = format!("({} - {})", self.handed_column(axis), low(axis).0);
        let source = format!("ends.source[{index}]");
        let about = vec![
            first.clone(),
            format!("{source}.array = nullptr;"),
            format!("{source}.stride = 0;"),
            format!("{source}.row = {first};"),
            format!("{source}.column = {column};"),
        ];
        write(2 * index, 0, &about, "count".to_owned());
        let width = self.strip.lanes() * self.items();
        write(2 * index + 1, axis, &[column], width.to_string());
    }

    /// Rows that are made before others may be made of any row of the arrays, or beyond their ends.
    pub(super) fn all_rows_between(&self, writer: &mut Writer) {
        if !self.extends_between() {
            return;
        }
        writer.line(format!(
            "if (lane < {}) ends.source[lane].down.need_all();",
            self.source_between()
        ));
    }

    /// What a walk knows before it touches an array.
    pub(super) fn find_between(&self, writer: &mut Writer) {
        if self.extends_between() {
            let source = self.source_between();
            writer.line(format!("between.find(ends.source[{source}], lane);"));
        }
    }

    /// Variables of a walk.
    pub(super) fn declare_between(&self, writer: &mut Writer) {
        if self.extends_between() {
            writer.line(format!("{} between;", self.between_type()));
        }
    }

    /// Which iterations there are: another stretch of them may come first.
    pub(super) fn declare_early(&self, writer: &mut Writer) {
        if self.extends_between() {
            writer.line(
                "// The walk's iterations; early ones only make rows of which others are copies.",
            );
            writer.line("int last = count;");
            writer.line("bool early = false;");
        }
    }

    /// One past the last iteration that loads.
    pub(super) fn last_iteration(&self) -> &'static str {
        if self.extends_between() { "last" } else { "count" }
    }

    /// At an end, the approximations of iteration `n` as the other level takes them, or kept for others.
    pub(super) fn take_between(&self, writer: &mut Writer) {
        let (source, low) = (self.source_between(), self.plane(0, 0));
        let take = format!("between.take(ends.source[{source}], n, kept_rows, lane, {low});");
        self.at_ends(writer, |writer| {
            // An inverse keeps what its next level leaves, before this.
            if self.input() == Side::Bands {
                return writer.line(take);
            }
            writer.line("if (early) {");
            writer.line(format!("between.keep(n, kept_rows, lane, {low});"));
            writer.line("} else {");
            writer.line(take);
            writer.line("}");
        });
    }

    /// At an end, before all iterations: rows of which others beyond it are copies.
    pub(super) fn rows_between(&self, writer: &mut Writer) {
        if !self.extends_between() {
            return;
        }
        let (ahead, source) = (self.ahead(), self.source_between());
        // Iterations after which rows are right, and the first whose row is handed over.
        let (warm, low) = match (self.strip.descent(), self.strip.rise()) {
            (Some(descent), _) => {
                let warm = self.strip.first_output() - descent.before;
                (warm, warm as i64 + i64::from(descent.first))
            }
            (_, Some(rise)) => (2 * rise.warm, 2 * rise.warm as i64),
            _ => return,
        };
        let forward = self.input() == Side::Signal;
        self.at_ends(writer, |writer| {
            writer.line("#pragma unroll 1");
            writer.line("for (int after = 0; after < 2; ++after) {");
            writer.line("int begin, end;");
            writer.line(format!(
                "if (!between.needs(ends.source[{source}], after, {low}, count, begin, end)) continue;"
            ));
            writer.line("// The iteration with which these begin, and where it reads.");
            let from = match forward {
                true => format!("begin - {warm}"),
                false => format!("(begin - {warm}) & ~1"),
            };
            writer.line(format!("const int from = {from};"));
            let pointers = |writer: &mut Writer, write: &dyn Fn(&Self, &str, &str) -> String| {
                for level in self.levels() {
                    for input in level.inputs() {
                        let step = level.row_step(&input.array, level.input());
                        writer.line(write(&level, &input.name, &step));
                    }
                }
            };
            pointers(writer, &|_, name, _| {
                format!("const value* const first_{name} = at_{name};")
            });
            pointers(writer, &|level, name, step| {
                let rows = if level.level == 1 { "from" } else { "(from / 2)" };
                format!("at_{name} += {rows} * ({step});")
            });
            writer.line("early = true;");
            writer.line("last = end;");
            writer.line("int slot = 1;");
            writer.line("#pragma unroll 1");
            writer.line(format!(
                "for (int n = from - {ahead}; n < end; ++n, {}) {{",
                self.next_slot()
            ));
            writer.line("arrive(n, slot);");
            writer.line("if (n < from) continue;");
            if forward {
                writer.line("finer(n, slot, n >= begin);");
            } else {
                self.rows_of_rise(writer, &format!("from + {warm}"));
                let low = self.plane(0, 0);
                writer.line(format!(
                    "if (n >= begin) between.keep(n, kept_rows, lane, {low});"
                ));
            }
            writer.line("}");
            writer.line("early = false;");
            writer.line("last = count;");
            pointers(writer, &|_, name, _| format!("at_{name} = first_{name};"));
            for level in self.levels() {
                for c in 0..level.sides() {
                    writer.line(format!("{}.clear();", level.own(&format!("along{c}"))));
                }
            }
            if !forward {
                writer.line("slot_2 = free_2 = 0;");
            }
            writer.line("}");
        });
    }
}
