//! What a walk is given.

use super::input::Input;
use super::output::Output;
use super::{Argument, Emitter};
use crate::kernel::Side;

impl Emitter<'_> {
    /// The jobs, their arrays, where the strip begins in each, and how far it goes; of walks that go up,
    /// only what the inside of arrays needs.
    pub(super) fn walk_arguments(&self) -> Vec<Argument> {
        let mut all = Vec::new();
        self.levels().for_each(|level| level.level_arguments(&mut all));
        let mut same = |kind: &str, name: &str| all.push(Argument::new(kind, name, name));
        if self.crossed().is_none() && !self.goes_up() {
            same("const long long", "column");
        }
        if self.strip.beside.is_some() && !self.goes_up() {
            same("const long long", "k1");
        }
        if self.strip.along.is_some() {
            if !self.goes_up() {
                same("const long long", "first0");
                same("const long long", "start");
            }
            same("const int", "count");
        }
        if self.strip.descent().is_some() {
            all.push(Argument::new("const int", "rows", "(int)(end0 - first0)"));
        }
        all.push(Argument::new("value*", "ring", format!("rings[{}]", self.number_of_ring())));
        if !self.goes_up() {
            if self.strip.has_sums() {
                let weights = format!("Weights<{}>*", self.loaded());
                all.push(Argument::new("value*", "brought", "edges[summing]"));
                all.push(Argument::new(&weights, "weights", "weights[summing]"));
            }
            all.push(Argument::new("work*", "desk", "desks[looking]"));
            if self.extends_between() {
                all.push(Argument::new("work*", "kept_rows", "kept_rows[own]"));
            }
            all.push(Argument::new(&format!("{}&", self.ends_type()), "ends", "ends[own]"));
        }
        all.push(Argument::new("const int", "lane", "lane"));
        if self.strip.joint() {
            all.push(Argument::new("const int", "warp", "warp"));
        }
        all
    }

    /// The warp's ring among those of its block.
    pub(super) fn number_of_ring(&self) -> &'static str {
        if self.strip.joint() { "0" } else { "warp" }
    }

    /// Those of one level.
    fn level_arguments(&self, all: &mut Vec<Argument>) {
        let (axes, job) = (self.axes(), self.job());
        all.push(Argument::new(&format!("const Job{axes}&"), &job, job.clone()));
        if !self.goes_up() {
            for array in self.arrays() {
                all.push(Argument::new("const value* const", &array, array.clone()));
            }
        }
        for input in self.inputs() {
            let at = self.input_place(&input);
            all.push(Argument::new("const value*", &format!("at_{}", input.name), at));
        }
        for output in self.outputs() {
            let at = self.output_place(&output);
            all.push(Argument::new("value*", &output.name, at));
        }
        if self.goes_up() {
            return;
        }
        let mut same = |name: String| {
            all.push(Argument::new("const long long", &name, name.clone()));
        };
        if let Some(axis) = self.crossed() {
            same(self.own(&format!("from{axis}")));
            same(self.own(&format!("k{axis}")));
        }
        if self.level > 1 && self.strip.along.is_some() {
            same(match self.operation().output() {
                Side::Bands => self.first_row(),
                Side::Signal => self.start(),
            });
        }
    }

    /// Where the strip's first row begins in an input.
    pub(super) fn input_place(&self, input: &Input) -> String {
        let row = self.input_row(input, &self.start());
        let element = self.element(&input.array, &row, &self.input_column(input));
        self.on_line(element, &input.array, self.input_line(input))
    }

    /// Where it begins in an output.
    pub(super) fn output_place(&self, output: &Output) -> String {
        let (row, _) = self.output_row(output, &self.first_row());
        let element = self.element(&output.array, &row, &self.output_column(output).0);
        self.on_line(element, &output.array, self.output_line(output))
    }

    fn element(&self, array: &str, row: &str, column: &str) -> String {
        let job = self.job();
        match self.strip.along.is_some() {
            true => format!("{array} + ({row}) * {job}.{}_stride0 + {column}", self.field(array)),
            false => format!("{array} + {column}"),
        }
    }

    /// The arrays that are read.
    fn arrays(&self) -> Vec<String> {
        let mut arrays: Vec<String> = self.inputs().into_iter().map(|input| input.array).collect();
        arrays.dedup();
        arrays
    }

    /// An array's name among the words of its job.
    pub(super) fn field<'b>(&self, array: &'b str) -> &'b str {
        array.split('_').next().unwrap_or(array)
    }
}
