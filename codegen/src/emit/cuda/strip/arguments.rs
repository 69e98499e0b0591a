//! What a walk is given.

use super::input::{Input, moved};
use super::output::Output;
use super::{Argument, Emitter};
use crate::kernel::Side;

impl Emitter<'_> {
    /// The jobs, their arrays, where the strip begins in each, and how far it goes.
    pub(super) fn walk_arguments(&self, upward: bool) -> Vec<Argument> {
        let mut all = Vec::new();
        self.levels().for_each(|level| level.level_arguments(&mut all, upward));
        let mut same = |kind: &str, name: &str| all.push(Argument::new(kind, name, name));
        if self.crossed().is_none() {
            same("const long long", "column");
        }
        if self.strip.beside.is_some() {
            same("const long long", "k1");
        }
        if self.strip.along.is_some() {
            same("const long long", "first0");
            same("const long long", "start");
            all.push(Argument::new("const int", "count", "count"));
        }
        if self.strip.descent().is_some() {
            all.push(Argument::new("const int", "rows", "(int)(end0 - first0)"));
        }
        all.push(Argument::new("value*", "ring", "rings[warp]"));
        all.push(Argument::new("work*", "desk", "desks[summing]"));
        all.push(Argument::new(&format!("{}&", self.ends_type()), "ends", "ends[own]"));
        all.push(Argument::new("const int", "lane", "lane"));
        all
    }

    /// Those of one level.
    fn level_arguments(&self, all: &mut Vec<Argument>, upward: bool) {
        let (axes, job) = (self.axes(), self.job());
        all.push(Argument::new(&format!("const Job{axes}&"), &job, job.clone()));
        for array in self.arrays() {
            all.push(Argument::new("const value* const", &array, array.clone()));
        }
        for input in self.inputs() {
            let at = match upward {
                false => self.input_place(&input),
                true => self.last_input_place(&input),
            };
            all.push(Argument::new("const value*", &format!("at_{}", input.name), at));
        }
        for output in self.outputs() {
            let at = match upward {
                false => self.output_place(&output),
                true => self.last_output_place(&output),
            };
            all.push(Argument::new("value*", &output.name, at));
        }
        let mut same = |name: String| {
            all.push(Argument::new("const long long", &name, name.clone()));
        };
        if let Some(axis) = self.crossed() {
            same(self.own(&format!("from{axis}")));
            same(self.own(&format!("k{axis}")));
        }
        if self.level > 1 && self.strip.along.is_some() {
            same(self.own(self.begins()));
        }
    }

    /// Where the strip's first row begins in an input.
    pub(super) fn input_place(&self, input: &Input) -> String {
        let row = self.input_row(input, &self.own("start"));
        let element = self.element(&input.array, &row, &self.input_column(input));
        self.on_line(element, &input.array, self.input_line(input))
    }

    /// Where it begins in an output.
    pub(super) fn output_place(&self, output: &Output) -> String {
        let (row, _) = self.output_row(output, &self.own("first0"));
        let element = self.element(&output.array, &row, &self.output_column(output).0);
        self.on_line(element, &output.array, self.output_line(output))
    }

    /// Where a walk that goes up begins in an input.
    fn last_input_place(&self, input: &Input) -> String {
        let lag = match &self.strip.upward {
            Some(upward) => i64::from(upward.pipeline.streams[input.row].lag),
            None => 0,
        };
        let row = self.row_of_pair(input, &moved("last", lag));
        let element = self.element(&input.array, &row, &self.input_column(input));
        self.on_line(element, &input.array, self.input_line(input))
    }

    /// Where it begins in an output.
    fn last_output_place(&self, output: &Output) -> String {
        let (row, _) = self.output_row(output, "(end0 - 1)");
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

    /// The first row of a level after the first: where its outputs or its inputs begin.
    pub(super) fn begins(&self) -> &'static str {
        match self.operation().output() {
            Side::Bands => "first0",
            Side::Signal => "start",
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
