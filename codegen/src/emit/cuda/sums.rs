//! Sums that are too long to be written out: tables of offsets and weights, and loops over them.

use super::body::{Lanes, statements};
use super::tile::Emitter;
use super::value::literal;
use super::writer::Writer;
use crate::dag::Place;
use crate::gpu::{SumGroup, SumTerm, Sums, Taps};
use crate::kernel::{Element, Side};
use waveloom_wavelets::algebra::Exponent;

/// The table `{name}_reads`: pair offsets and channel of every place.
pub(super) fn offsets(writer: &mut Writer, axes: usize, name: &str, reads: &[Place]) {
    let row = |place: &Place| {
        let mut row: Vec<String> = place.offset[..axes].iter().map(i32::to_string).collect();
        row.push(place.plane.to_string());
        format!("{{{}}}", row.join(", "))
    };
    table(writer, "const int", &format!("{name}_reads"), axes + 1, reads.iter().map(row));
}

/// Pair indices of the `n`-th place of `{name}_reads`.
pub(super) fn moved(axes: usize, name: &str) -> Vec<String> {
    (0..axes).map(|axis| format!("k{axis} + {name}_reads[n][{axis}]")).collect()
}

fn table(
    writer: &mut Writer,
    kind: &str,
    name: &str,
    columns: usize,
    rows: impl Iterator<Item = String>,
) {
    let rows: Vec<String> = rows.collect();
    writer.line(format!("__device__ {kind} {name}[{}][{columns}] = {{", rows.len().max(1)));
    for four in rows.chunks(4) {
        writer.line(format!("{},", four.join(", ")));
    }
    writer.line("};");
}

/// The first place of a group, if all others follow it along the last axis.
fn run(group: &SumGroup, axes: usize) -> Option<Exponent> {
    let (first, _) = group.terms.first()?;
    let follows = |(index, (offset, _)): (usize, &SumTerm)| {
        let mut expected = *first;
        expected[axes - 1] += index as i32;
        *offset == expected
    };
    group.terms.iter().enumerate().all(follows).then_some(*first)
}

impl Emitter<'_> {
    /// The tables of a kernel whose last graph is looped, if it is.
    pub(super) fn sum_tables(&self, writer: &mut Writer, name: &str, storage: &[usize; 3]) {
        let Some(sums) = self.proved.sums() else { return };
        let terms =
            || sums.groups.iter().flat_map(|group| group.terms.iter().map(move |t| (group, t)));
        if self.proved.mapping().is_global() {
            let places: Vec<Place> = terms()
                .map(|(group, (offset, _))| Place { plane: group.plane, offset: *offset })
                .collect();
            offsets(writer, self.axes, name, &places);
        } else {
            let rows = terms().map(|(_, (o, _))| format!("{{{}}}", self.distance(o, storage)));
            table(writer, "const int", &format!("{name}_reads"), 1, rows);
        }
        let element = self.proved.kernel().element;
        let stores = self.proved.store().stores().len();
        let rows = terms().map(|(group, (_, weights))| {
            let mut row = vec![literal(element, 0.0); stores];
            for (slot, weight) in group.stores.iter().zip(weights) {
                row[*slot] = literal(element, *weight);
            }
            format!("{{{}}}", row.join(", "))
        });
        // Compilers put what they know to be constant into the code.
        let kind = match self.proved.mapping().taps {
            Taps::Memory => "value",
            Taps::Code => "const value",
        };
        table(writer, kind, &format!("{name}_weights"), stores, rows);
    }

    /// `out{channel}` of the last graph, as statements or as loops.
    pub(super) fn results(&self, writer: &mut Writer, name: &str, leaf: &dyn Fn(&Place) -> String) {
        let Some(sums) = self.proved.sums() else {
            let (lines, stores) = statements(self.proved.store(), Lanes::Needed, leaf);
            writer.lines(lines);
            for (place, value) in stores {
                writer.line(format!("const work out{} = {value};", place.plane));
            }
            return;
        };
        for channel in 0..self.planes() {
            writer.line(format!("work out{channel} = 0;"));
        }
        self.loops(writer, name, sums, &|writer, group, _| {
            writer
                .line(format!("const work x = planes[{}][at + {name}_reads[n][0]];", group.plane));
        });
    }

    /// The loops of a block whose reach lies inside the input.
    pub(super) fn interior_sums(&self, writer: &mut Writer, name: &str, sums: &Sums) {
        // Tables of taps: neighbouring samples have neighbouring taps, and no table of places.
        let tabled = self.proved.mapping().taps == Taps::Memory;
        self.loops(writer, name, sums, &|writer, group, first| {
            let run = if tabled { run(group, self.axes) } else { None };
            let here = Place { plane: group.plane, offset: [0; 3] };
            let (array, step) = match self.input() {
                Side::Signal => ("signal".to_owned(), 2),
                Side::Bands => (format!("band{}", group.plane), 1),
            };
            let reads: Vec<String> = (0..self.axes)
                .map(|axis| {
                    let moved = match run {
                        Some(place) if axis + 1 < self.axes => place[axis].to_string(),
                        Some(place) => format!("(n + {})", place[axis] - first as i32),
                        None => format!("{name}_reads[n][{axis}]"),
                    };
                    format!("{step} * {moved} * {}", self.stride(&array, axis))
                })
                .collect();
            let indices: Vec<String> = (0..self.axes).map(|axis| format!("k{axis}")).collect();
            let lane = format!("lane0 + lane + {}", reads.join(" + "));
            writer.line(format!("const work x = {};", self.plain(&here, &indices, &lane)));
        });
    }

    /// One loop over all terms, for a block at an end.
    pub(super) fn edge_sums(&self, writer: &mut Writer, name: &str, sums: &Sums) {
        let count: usize = sums.groups.iter().map(|group| group.terms.len()).sum();
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int n = 0; n < {count}; ++n) {{"));
        writer.line(format!("const int c = {name}_reads[n][{}];", self.axes));
        self.from(writer);
        let value = self.fetch("c", &moved(self.axes, name));
        writer.line(format!("const work x = {value};"));
        let multiply_add = self.multiply_add();
        for (slot, store) in self.proved.store().stores().iter().enumerate() {
            let (weight, out) = (format!("{name}_weights[n][{slot}]"), store.place.plane);
            writer.line(format!(
                "if ({weight} != 0) out{out} = {multiply_add}({weight}, x, out{out});"
            ));
        }
        writer.line("}");
    }

    fn multiply_add(&self) -> &'static str {
        match self.proved.kernel().element {
            Element::F64 => "fma",
            _ => "fmaf",
        }
    }

    /// One loop per group; `read` writes the line that reads `x`, the `n`-th value, the group's first
    /// being number `first`.
    fn loops(
        &self,
        writer: &mut Writer,
        name: &str,
        sums: &Sums,
        read: &dyn Fn(&mut Writer, &SumGroup, usize),
    ) {
        let multiply_add = self.multiply_add();
        // Many loops, many copies: compilers shall not take long.
        let pragma = if sums.groups.len() > 16 { "#pragma unroll 1" } else { "#pragma unroll 4" };
        let stores = self.proved.store().stores();
        let mut first = 0;
        for group in &sums.groups {
            let end = first + group.terms.len();
            writer.line(pragma);
            writer.line(format!("for (int n = {first}; n < {end}; ++n) {{"));
            read(writer, group, first);
            for slot in &group.stores {
                let out = stores[*slot].place.plane;
                writer.line(format!(
                    "out{out} = {multiply_add}({name}_weights[n][{slot}], x, out{out});"
                ));
            }
            writer.line("}");
            first = end;
        }
    }
}
