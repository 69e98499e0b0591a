//! Tiles whose own values stay in registers: the trapezoid of Puchala and Stokfiszewski, for any
//! scheme.
//!
//! A thread keeps the same positions from the load to the store. What it wrote itself it reads from
//! registers; a plane goes through shared memory only while some neighbour will read it. Positions
//! drop out as the regions shrink from segment to segment.

use super::body::{Lanes, statements};
use super::store;
use super::tile::Emitter;
use super::value::{pair_type, work_type};
use super::writer::Writer;
use crate::dag::{Dag, Place};
use crate::kernel::{Margin, Side};
use waveloom_wavelets::algebra::Exponent;

impl Emitter<'_> {
    /// The whole function.
    pub(super) fn trapezoid(&self, writer: &mut Writer, name: &str) {
        let mapping = *self.proved.mapping();
        let storage = self.proved.storage_extent();
        let size = storage.iter().product::<usize>() * mapping.lanes as usize;
        let items = size.div_ceil(mapping.threads as usize);
        let work = work_type(self.proved.kernel().element);
        self.sum_tables(writer, name, &storage);
        self.signature(writer, name);
        writer.line(format!("__shared__ value planes[{}][{size}];", self.planes()));
        for plane in 0..self.planes() {
            writer.line(format!("{work} own{plane}[{items}];"));
        }
        self.interior(writer);
        let stages = Stages::new(self);
        let mut own: Vec<Exponent> = vec![[0; 3]; self.planes()];
        writer.line("");
        writer.line("if (!interior) {");
        self.edge_load(writer, &storage);
        writer.line("}");
        writer.line("// Every thread loads its own pairs; neighbours' go through shared memory.");
        self.items(writer, items, size, &storage, true);
        let indices = self.load_indices(writer);
        self.load_own(writer, &indices);
        for (plane, place) in own.iter().enumerate() {
            if stages.foreign(0, plane, place) {
                writer.line(format!("planes[{plane}][i] = own{plane}[item];"));
            }
        }
        writer.line("}");
        writer.line("}");
        for (index, segment) in self.proved.segments().iter().enumerate() {
            writer.line("__syncthreads();");
            writer.line("");
            writer.line(format!("// Segment {}.", index + 1));
            let shared: Vec<Place> = segment
                .dag
                .stores()
                .iter()
                .map(|store| store.place)
                .filter(|place| stages.foreign(index + 1, place.plane, &place.offset))
                .collect();
            let later = !segment.in_place && !shared.is_empty();
            self.items(writer, items, size, &storage, true);
            self.within(writer, &segment.region, &storage);
            writer.line("const int at = i;");
            let (lines, stores) =
                statements(&segment.dag, Lanes::Needed, &|place| self.read(place, &own, &storage));
            writer.lines(lines);
            for (place, value) in &stores {
                writer.line(format!("own{}[item] = {value};", place.plane));
                if !later && shared.contains(place) {
                    writer.line(format!("{} = {value};", self.plane(place, &storage)));
                }
            }
            writer.line("}");
            writer.line("}");
            if later {
                writer.line("__syncthreads();");
                self.items(writer, items, size, &storage, true);
                self.within(writer, &segment.region, &storage);
                writer.line("const int at = i;");
                for place in &shared {
                    let to = self.plane(place, &storage);
                    writer.line(format!("{to} = own{}[item];", place.plane));
                }
                writer.line("}");
                writer.line("}");
            }
            for store in segment.dag.stores() {
                own[store.place.plane] = store.place.offset;
            }
        }
        writer.line("__syncthreads();");
        writer.line("");
        writer.line("// Last segment, straight to global memory.");
        // Loops over tables read planes only: nothing of theirs is in registers.
        self.items(writer, items, size, &storage, self.proved.sums().is_none());
        self.within(writer, &Margin::default(), &storage);
        writer.line("if (lane0 + lane >= job.lanes) continue;");
        writer.line("const int at = i;");
        self.results(writer, name, &|place| self.read(place, &own, &storage));
        for axis in 0..self.axes {
            let before = self.proved.storage().before[axis];
            writer.line(format!("const long long k{axis} = first{axis} - {before} + p{axis};"));
        }
        store::store(writer, self.proved, "lane0 + lane");
        writer.line("}");
        writer.line("}");
        writer.line("}");
    }

    /// Opens the loop over a thread's items and splits `i` over the storage region. Two blocks are
    /// left open.
    fn items(
        &self,
        writer: &mut Writer,
        items: usize,
        size: usize,
        storage: &[usize; 3],
        unrolled: bool,
    ) {
        let threads = self.proved.mapping().threads;
        writer.line(if unrolled { "#pragma unroll" } else { "#pragma unroll 1" });
        writer.line(format!("for (int item = 0; item < {items}; ++item) {{"));
        writer.line(format!("const int i = threadIdx.x + item * {threads};"));
        writer.line(format!("if (i < {size}) {{"));
        self.split(writer, storage);
    }

    /// Skips positions outside a region.
    fn within(&self, writer: &mut Writer, region: &Margin, storage: &[usize; 3]) {
        let extent = self.proved.extent(region);
        for axis in 0..self.axes {
            let first = self.proved.storage().before[axis] - region.before[axis];
            let end = i64::from(first) + extent[axis] as i64;
            if first > 0 || end < storage[axis] as i64 {
                writer.line(format!("if (p{axis} < {first} || p{axis} >= {end}) continue;"));
            }
        }
    }

    fn read(&self, place: &Place, own: &[Exponent], storage: &[usize; 3]) -> String {
        if own[place.plane] == place.offset {
            format!("own{}[item]", place.plane)
        } else {
            self.plane(place, storage)
        }
    }

    fn load_own(&self, writer: &mut Writer, indices: &[String]) {
        let paired = self.axes == 1 && self.proved.mapping().contiguous;
        writer.line("if (interior) {");
        let here = |plane: usize| Place { plane, offset: [0; 3] };
        if paired && self.input() == Side::Signal {
            // Two neighbouring samples in one access, where they are aligned.
            let pair = pair_type(self.proved.kernel().element);
            writer.line("const value* const two = signal + 2 * k0 - job.signal_start0;");
            writer.line(format!("if ((unsigned long long)two % sizeof({pair}) == 0) {{"));
            writer.line(format!("const {pair} both = *(const {pair}*)two;"));
            writer.line("own0[item] = both.x;");
            writer.line("own1[item] = both.y;");
            writer.line("} else {");
            writer.line("own0[item] = two[0];");
            writer.line("own1[item] = two[1];");
            writer.line("}");
        } else {
            for plane in 0..self.planes() {
                let value = self.plain(&here(plane), indices, "lane0 + lane");
                writer.line(format!("own{plane}[item] = {value};"));
            }
        }
        writer.line("} else {");
        for plane in 0..self.planes() {
            writer.line(format!("own{plane}[item] = planes[{plane}][i];"));
        }
        writer.line("}");
    }
}

/// The graphs in the order in which they run, the store last.
struct Stages<'a> {
    dags: Vec<&'a Dag>,
    looped: bool,
}

impl<'a> Stages<'a> {
    fn new(emitter: &Emitter<'a>) -> Self {
        let segments = emitter.proved.segments().iter().map(|segment| &segment.dag);
        let looped = emitter.proved.sums().is_some();
        Self { dags: segments.chain([emitter.proved.store()]).collect(), looped }
    }

    /// Whether `plane`, as it stands before stage `first` with own values at `own`, is read at
    /// another place before it is overwritten.
    fn foreign(&self, first: usize, plane: usize, own: &Exponent) -> bool {
        let last = self.dags.len().saturating_sub(1);
        for (index, dag) in self.dags.iter().enumerate().skip(first) {
            let looped = self.looped && index == last;
            let elsewhere = |leaf: Place| looped || leaf.offset != *own;
            if dag.leaves().any(|leaf| leaf.plane == plane && elsewhere(leaf)) {
                return true;
            }
            // The store's places are channels, not planes.
            if index < last && dag.stores().iter().any(|store| store.place.plane == plane) {
                return false;
            }
        }
        false
    }
}
