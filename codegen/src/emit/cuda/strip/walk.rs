//! The walk of a strip, written once: where it lies inside every array nothing is extended or checked;
//! a strip that touches an end extends what it reads and stores what exists.

use super::super::writer::Writer;
use super::Emitter;
use super::output::Output;
use crate::gpu::EDGES;
use crate::kernel::Side;

impl Emitter<'_> {
    pub(super) fn walk(&self, writer: &mut Writer) {
        writer.line(match self.goes_up() {
            false => {
                "// A strip. ENDS: what ends it may meet; inside its arrays nothing is checked."
            }
            true => {
                "// The same inside all arrays, from the tile's last rows up to its first ones."
            }
        });
        self.opening(writer);
        self.fill_ends(writer);
        match self.strip.along.is_some() {
            true => self.rows_of_walk(writer),
            false => self.single_row(writer),
        }
        writer.line("}");
    }

    /// Without a walk: one row, all levels.
    fn single_row(&self, writer: &mut Writer) {
        self.levels().for_each(|level| level.registers(writer));
        writer.line("if (ENDS) {");
        self.rings(writer);
        self.levels().for_each(|level| level.load(writer, true, "0", ", 0"));
        writer.line("close_copies();");
        writer.line("await_copies<0>();");
        self.levels().for_each(|level| level.take(writer, true, "0", ", 0"));
        writer.line("} else {");
        self.levels().for_each(|level| level.arrivals(writer));
        self.levels().for_each(|level| level.load(writer, false, "0", ""));
        self.levels().for_each(|level| level.take(writer, false, "0", ""));
        writer.line("}");
        match self.input() {
            Side::Signal => self.down(writer),
            Side::Bands => self.up(writer),
        }
    }

    fn down(&self, writer: &mut Writer) {
        self.cross(writer);
        self.store(writer, "0");
        let Some(deeper) = self.deeper() else { return };
        self.confine(writer, "0");
        let ([even, odd], low) = (deeper.handed(0), self.plane(0, 0));
        writer.line(format!("hand_down<{}>({low}, {even}, {odd});", deeper.count()));
        deeper.down(writer);
    }

    fn up(&self, writer: &mut Writer) {
        if let Some(deeper) = self.deeper() {
            deeper.up(writer);
            let ([even, odd], low) = (deeper.handed(0), self.plane(0, 0));
            writer.line(format!("hand_up<{}>({even}, {odd}, {low});", deeper.count()));
            self.confine(writer, "0");
        }
        self.cross(writer);
        self.store(writer, "0");
    }

    fn rows_of_walk(&self, writer: &mut Writer) {
        let ahead = &self.ahead();
        self.declare_ahead(writer);
        self.rings(writer);
        self.levels().for_each(|level| level.declare_columns(writer));
        self.declare_between(writer);
        self.at_ends(writer, |writer| {
            self.levels().for_each(|level| level.find_columns(writer));
            self.find_between(writer);
            if self.strip.has_sums() {
                writer.line("if (ENDS == SUMS) edges.find<32>(ends.source[0].columns, ends.source[0].column, lane, weights + lane);");
            }
            writer.line("// Up to here no array was touched: earlier launches may still have run.");
            self.await_earlier(writer);
        });
        self.levels().for_each(|level| level.find_written(writer));
        self.levels().for_each(|level| level.declare_round(writer));
        self.if_round(writer, |writer| {
            self.levels().for_each(|level| level.prepare_round(writer));
            self.await_earlier(writer);
        });
        self.levels().for_each(|level| level.windows(writer));
        self.levels().for_each(|level| level.registers(writer));
        self.held(writer);
        self.declare_early(writer);
        self.begin_at_lanes(writer);
        self.reader(writer);
        self.arrive(writer, ahead);
        if self.strip.joint() {
            self.meet(writer);
        }
        self.finer(writer, ahead);
        match (self.strip.descent(), self.strip.rise()) {
            (Some(descent), _) => {
                self.hold(writer, &descent);
                self.descend(writer, &descent);
            }
            (_, Some(_)) => self.rise(writer),
            _ => {}
        }
        self.rows_between(writer);
        if !self.goes_up() {
            writer.line("// At ends a walk is one loop, whose text is read once.");
        }
        writer.line("// An iteration, and its slot of the rings.");
        writer.line(format!("int n = -{ahead}, slot = 1;"));
        self.if_inside(writer, |writer| {
            writer.line(format!("for (; n < 0; ++n, {}) arrive(n, slot);", self.next_slot()));
        });
        writer.line("while (n < count) {");
        match (self.strip.descent(), self.strip.rise()) {
            (Some(descent), _) => self.descending(writer, &descent),
            (_, Some(rise)) => self.rising(writer, &rise),
            _ => self.level_walk(writer),
        }
        writer.line("}");
    }

    /// The iterations of one level. Inside, only the first ones ask whether outputs are wanted.
    fn level_walk(&self, writer: &mut Writer) {
        let first = self.strip.first_output();
        self.unsteady(writer, &first.to_string());
        writer.line(format!("finer(n, slot, n >= {first});"));
        writer.line("}");
        self.steady(writer, 1, |writer, _, n| {
            if self.strip.joint() {
                writer.line("meet();");
            }
            writer.line(format!("arrive({n}, slot);"));
            writer.line(format!("finer({n}, slot, true);"));
        });
    }

    /// Inside, iterations that are alike: groups of so many, of which `write` writes each.
    pub(super) fn steady(
        &self,
        writer: &mut Writer,
        group: usize,
        write: impl Fn(&mut Writer, usize, &str),
    ) {
        let iteration = |i: usize| if i == 0 { "n".to_owned() } else { format!("n + {i}") };
        self.if_inside(writer, |writer| {
            let on = if group == 1 { "++n".to_owned() } else { format!("n += {group}") };
            writer.line(format!("for (; {} < count; {on}) {{", iteration(group - 1)));
            for i in 0..group {
                write(writer, i, &iteration(i));
                writer.line(format!("{};", self.next_slot()));
            }
            writer.line("}");
        });
    }

    /// The slot of the next iteration.
    pub(super) fn next_slot(&self) -> String {
        format!("slot = slot == {} ? 0 : slot + 1", self.ahead())
    }

    /// Opens the iterations that are not like others: up to the first of these, and after the last; at ends
    /// all.
    pub(super) fn unsteady(&self, writer: &mut Writer, steady: &str) {
        let ends = match self.goes_up() {
            true => String::new(),
            false => format!("{} || ", self.knows_ends()),
        };
        writer.line(format!(
            "const int until = {ends}n >= {steady} || count < {steady} ? count : {steady};"
        ));
        writer.line("#pragma unroll 1");
        writer.line(format!("for (; n < until; ++n, {}) {{", self.next_slot()));
        if self.strip.joint() {
            writer.line("if (n >= 0) meet();");
        }
        writer.line("arrive(n, slot);");
        if !self.goes_up() {
            writer.line(format!("if ({} && n < 0) continue;", self.knows_ends()));
        }
    }

    /// What is loaded in iteration `n`.
    fn arrive(&self, writer: &mut Writer, ahead: &str) {
        writer.line(format!(
            "// Loads what iteration n + {ahead} takes, to the slot before that of iteration n."
        ));
        writer.line("const auto arrive = [&](int n, int slot) {");
        writer.line(format!("const int free = slot == 0 ? {ahead} : slot - 1;"));
        writer.line(format!("if (n + {ahead} < {}) {{", self.last_iteration()));
        self.load_rise(writer, &format!("n + {ahead}"));
        // Before the next level leaves anything, its rows are all that is needed.
        let late = self.strip.rise().map(|rise| 2 * rise.warm).filter(|late| *late > 0);
        // Nor are others while rows are made beforehand.
        let early = self.extends_between() && self.strip.rise().is_some();
        let when = late.map(|late| format!("n + {ahead} >= {late}"));
        let when = early.then(|| "!early".to_owned()).into_iter().chain(when);
        let when = when.collect::<Vec<_>>().join(" && ");
        if !when.is_empty() {
            writer.line(format!("if ({when}) {{"));
        }
        self.load_either(writer, &format!("n + {ahead}"), ", free");
        if !when.is_empty() {
            writer.line("}");
        }
        self.follow(writer);
        writer.line("}");
        writer.line("close_copies();");
        writer.line("};");
    }

    /// Where warps have a ring in common, an iteration begins when all of them have loaded what it takes. They have
    /// then taken what the one before it took, too, whose slot is the next one to be loaded.
    fn meet(&self, writer: &mut Writer) {
        writer.line("// What the iteration takes has arrived, and the slot before it is free.");
        writer.line("const auto meet = [&]() {");
        writer.line(format!("await_copies<{}>();", self.strip.depth - 2));
        writer.line("__syncthreads();");
        writer.line("};");
    }

    /// An iteration of the first level.
    fn finer(&self, writer: &mut Writer, ahead: &str) {
        writer.line("// An iteration; its outputs may not be wanted.");
        writer.line("const auto finer = [&](int n, int slot, bool wanted) {");
        match self.strip.rise() {
            None if self.strip.joint() => {}
            None => {
                writer.line(format!("await_copies<{ahead}>();"));
                if self.strip.beside.is_some() {
                    // Lanes that copy nothing read what others copied.
                    writer.line("__syncwarp();");
                }
            }
            Some(_) => self.confine(writer, "n"),
        }
        match &self.strip.beside {
            Some(beside) => self.take_blocks(writer, beside),
            None => self.either(
                writer,
                |writer| self.take(writer, true, "n", ", slot"),
                |writer| self.take(writer, false, "", ", slot"),
            ),
        }
        match &self.strip.beside {
            Some(beside) => self.transform_blocks(writer, beside),
            None => self.transform(writer, "if (!wanted) return;"),
        }
        match self.strip.descent() {
            None => {
                self.store(writer, "n");
                self.advance_outputs(writer);
            }
            Some(_) => {
                let first = self.strip.first_output();
                let early = if self.extends_between() { "!early && " } else { "" };
                writer.line(format!("if ({early}n >= {first} && n < {first} + rows) {{"));
                self.store(writer, "n");
                self.advance_outputs(writer);
                writer.line("}");
                self.confine(writer, "n");
            }
        }
        writer.line("};");
    }

    /// Rows on their way to registers.
    fn arrivals(&self, writer: &mut Writer) {
        let (groups, loaded, shifted) = (self.groups(), self.loaded(), self.strip.shifted());
        for input in self.inputs() {
            writer.line(format!("Arrival<{groups}, {loaded}, {shifted}> {};", input.name));
        }
    }

    /// Rows on their way through a ring, all levels.
    fn rings(&self, writer: &mut Writer) {
        if let Some(beside) = &self.strip.beside {
            return self.rings_of_blocks(writer, beside);
        }
        let looks = if self.goes_up() { "false" } else { "ENDS == ANY" };
        let mut used = "0".to_owned();
        for level in self.levels() {
            let (groups, loaded, shifted) = (level.groups(), level.loaded(), level.strip.shifted());
            let depth = level.slots();
            for input in level.inputs() {
                let name = &input.name;
                writer.line(format!(
                    "Ring<{groups}, {loaded}, {shifted}, {depth}, {looks}> {name}(ring + {used}, at_{name}, {}{}, lane);",
                    level.sign(),
                    level.row_step(&input.array, level.input())
                ));
                used = level.after_ring(&used, level.strip.lanes() * loaded);
            }
        }
    }

    /// Where a walk's columns of a side come from.
    fn columns_read(&self, side: usize) -> String {
        self.own(&format!("columns{side}"))
    }

    /// For walks at an end: where columns come from, which rows of a pair have in common.
    fn declare_columns(&self, writer: &mut Writer) {
        if self.goes_up() || self.strip.beside.is_some() {
            return;
        }
        let (groups, loaded) = (self.groups(), self.loaded());
        for side in self.sides_read() {
            writer.line(format!("Columns<{groups}, {loaded}> {};", self.columns_read(side)));
        }
        if self.strip.has_sums() {
            writer.line(format!("Edges<{groups}, {loaded}> edges;"));
        }
    }

    fn find_columns(&self, writer: &mut Writer) {
        let inputs = self.inputs();
        if self.strip.beside.is_some() {
            for (index, input) in inputs.iter().enumerate() {
                writer.line(format!(
                    "{}.prepare(ends.source[{index}], ends.columns[{}], lane);",
                    input.name, input.side
                ));
            }
            return;
        }
        for side in self.sides_read() {
            let read = inputs.iter().enumerate().filter(|(_, input)| input.side == side);
            let sources: Vec<String> =
                read.map(|(index, _)| format!("&ends.source[{}]", self.sources + index)).collect();
            writer.line(format!(
                "const Source* const read_{}[] = {{{}}};",
                self.columns_read(side),
                sources.join(", ")
            ));
            writer.line(format!(
                "{0}.find(read_{0}, lane, {1});",
                self.columns_read(side),
                self.strip.shifted()
            ));
        }
    }

    /// The edges of the rows in a source's ring, where a walk sums up what stands beyond them.
    fn edges_of(&self, source: usize) -> Option<String> {
        let slots = source * self.strip.depth * EDGES;
        self.strip.has_sums().then(|| format!("brought + {slots}"))
    }

    /// Rows of an array from the first of a walk to iteration `t`.
    fn steps_to(&self, t: &str) -> String {
        match self.input() {
            Side::Signal if self.strip.parted() => format!("2 * {}", operand(t)),
            _ => t.to_owned(),
        }
    }

    /// Loads the rows of iteration `t` to a slot of a ring where there is one.
    pub(super) fn load_either(&self, writer: &mut Writer, t: &str, slot: &str) {
        self.one_of(
            writer,
            |writer| self.load(writer, true, t, slot),
            |writer| self.lanes_read(writer, "lanes", |writer| self.load_round(writer, slot)),
            |writer| {
                let lanes = self.strip.lanes_read().to_string();
                self.lanes_read(writer, &lanes, |writer| self.load(writer, false, t, slot));
            },
        );
    }

    fn load(&self, writer: &mut Writer, ends: bool, t: &str, slot: &str) {
        for (index, input) in self.inputs().iter().enumerate() {
            let (name, index) = (&input.name, self.sources + index);
            let load = match ends {
                true if self.strip.beside.is_some() => {
                    let row = self.input_row(input, &format!("({} + {t})", self.start()));
                    format!(
                        "{name}.load_ends(ends.source[{index}], ends.rows[{}], ends.place[{}], {row}, lane{slot});",
                        input.row, input.run
                    )
                }
                true if self.strip.parted() => {
                    let (columns, row) = (self.columns_read(input.side), self.steps_to(t));
                    let load = format!(
                        "{name}.load_ends(ends.source[{index}], {columns}, at_{name}, {row}{slot});"
                    );
                    let Some(edges) = self.edges_of(index) else {
                        writer.line(load);
                        continue;
                    };
                    writer.line(format!("const value* const row_{name} = {load}"));
                    format!("if (ENDS == SUMS) edges.load({edges}, row_{name}{slot});")
                }
                true => format!("{name}.look_up(ends.source[{index}], at_{name}, lane{slot});"),
                false if self.strip.along.is_none() => {
                    format!("{name}.load(at_{name}, lane);")
                }
                false if self.strip.beside.is_none() => {
                    format!("{name}.load(at_{name}{slot});")
                }
                false => format!("{name}.load(at_{name}, lane{slot});"),
            };
            writer.line(load);
        }
    }

    /// Rows into planes.
    pub(super) fn take(&self, writer: &mut Writer, ends: bool, t: &str, slot: &str) {
        for (index, input) in self.inputs().iter().enumerate() {
            let (name, index) = (&input.name, self.sources + index);
            let call = |x: &str| match ends {
                true if self.strip.parted() => {
                    let row = self.steps_to(t);
                    format!("{name}.take_ends(ends.source[{index}], {row}, lane{slot}, desk, {x});")
                }
                true => format!("{name}.take_row(ends.source[{index}], lane, desk, {x});"),
                false => format!("{name}.take(lane{slot}, {x});"),
            };
            let edges = self.edges_of(index).filter(|_| ends);
            self.place_planes(writer, input, &|x| match &edges {
                None => vec![call(x)],
                Some(edges) => {
                    let (columns, row) = (self.columns_read(input.side), self.steps_to(t));
                    let add = format!("if (ENDS == SUMS) edges.add(ends.source[{index}], {columns}, {edges}, {row}{slot}, {x});");
                    vec![call(x), add]
                }
            });
        }
    }

    /// Stores iteration `n`'s rows at the outputs' pointers; at the ends, what exists and is the job's.
    pub(super) fn store(&self, writer: &mut Writer, n: &str) {
        if let Some(beside) = &self.strip.beside {
            return self.store_blocks(writer, beside, n);
        }
        let (groups, items, shifted) = (self.groups(), self.stored(), self.strip.shifted());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        let sectors = self.strip.writes_sectors(self.proved.kernel().element.bytes());
        for (index, output) in self.outputs().iter().enumerate() {
            let (name, index) = (&output.name, self.targets + index);
            writer.line("{");
            let x = self.out_of_planes(writer, output);
            self.one_of(
                writer,
                |writer| self.store_ends(writer, output, (n, index), &x),
                |writer| {
                    self.store_round(writer, output, n, |writer, vectors, _| {
                        writer.line(format!(
                            "put_round<{groups}, {items}>({name}, {vectors}, {x});"
                        ));
                    });
                },
                |writer| {
                    let own = self.strip.along.is_some();
                    writer.line(format!(
                        "put<{groups}, {items}, {first}, {end}, {own}, {shifted}, {sectors}>({name}, lane, {x});"
                    ));
                },
            );
            writer.line("}");
        }
    }

    /// The same for a strip at an end: a walk knows what it writes, a single row is told.
    fn store_ends(&self, writer: &mut Writer, output: &Output, (n, index): (&str, usize), x: &str) {
        let (groups, items, shifted) = (self.groups(), self.stored(), self.strip.shifted());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        let put = |[from, to]: [String; 2]| {
            format!(
                "put_ends<{groups}, {items}, {first}, {end}, {shifted}>({}, {from}, {to}, lane, {x});",
                output.name
            )
        };
        if self.strip.parted() {
            let (written, side) = (self.own("written"), output.side);
            return self.if_written(writer, output, n, |writer| {
                writer.line(put(["from", "to"].map(|end| format!("{written}.{end}[{side}]"))));
            });
        }
        writer.line(put(["from", "to"].map(|end| format!("ends.target[{index}].{end}"))));
    }
}

/// A sum as one operand.
pub(super) fn operand(t: &str) -> String {
    let one = !t.contains(' ') || (t.starts_with('(') && t.find(')') == Some(t.len() - 1));
    if one { t.to_owned() } else { format!("({t})") }
}
