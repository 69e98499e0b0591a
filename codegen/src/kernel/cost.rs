//! What a kernel costs on a line of N samples, by enumeration over its steps and margins.

use super::{Exchange, Kernel, Segment, Step};

/// Arithmetic and transactions of one transform of a line, in values (not bytes).
///
/// For lattices and convolutions these are the quantities of Puchala and Stokfiszewski, eq. (1) to
/// (7): `L_ADD`, `L_MUL`, `L_MEM` (there: global) and `L_SMEM`, `L_SEQ` and `L_KER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Cost {
    /// Additions.
    pub additions: u64,
    /// Multiplications by anything but ±1.
    pub multiplications: u64,
    /// Values read from or written to global memory.
    pub global: u64,
    /// Values read from or written to shared memory.
    pub shared: u64,
    /// Arithmetic operations of one position, all positions working at once.
    pub sequential: u64,
    /// Kernel launches.
    pub launches: u64,
}

/// Operations of one position.
fn arithmetic(step: &Step) -> (u64, u64) {
    let mut additions = 0;
    let mut multiplications = 0;
    for update in &step.updates {
        let terms = update.terms.len() as u64;
        additions += if update.increment { terms } else { terms.saturating_sub(1) };
        multiplications +=
            update.terms.iter().filter(|term| term.coefficient.abs() != 1.0).count() as u64;
    }
    (additions, multiplications)
}

/// Distinct (plane, offset) values that one position reads.
fn reads(segment: &Segment) -> u64 {
    let updates = segment.steps.iter().flat_map(|step| &step.updates);
    let mut all: Vec<(usize, [i32; 3])> = updates
        .flat_map(|update| {
            let own = update.increment.then_some((update.plane, update.offset));
            update.terms.iter().map(|term| (term.plane, term.offset)).chain(own)
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}

impl Kernel {
    /// Cost of a 1-D kernel over `pairs` output pairs in blocks of `tile` pairs each. `Launch`
    /// passes every segment through global memory; `Global` reads the whole reach per position;
    /// every other exchange reads a tile with its halo once and hands values over at the cuts, where
    /// a position's own values stay in registers and every value that a neighbour reads is written
    /// to shared memory once and read once.
    ///
    /// `pairs` must be a multiple of `tile`; the remainder is not counted.
    pub fn cost(&self, pairs: u64, tile: u64) -> Cost {
        let blocks = pairs / tile.max(1);
        let mut cost = Cost { launches: 1, ..Cost::default() };
        let exchange = self.segments.first().map_or(Exchange::Global, |segment| segment.exchange);
        let per_launch = matches!(exchange, Exchange::Launch | Exchange::Global);
        let extent = |step: &Step| {
            let margin = i64::from(step.margin.before[0]) + i64::from(step.margin.after[0]);
            if per_launch { tile } else { tile.saturating_add_signed(margin) }
        };
        for segment in &self.segments {
            for step in &segment.steps {
                let (additions, multiplications) = arithmetic(step);
                let samples = blocks.saturating_mul(extent(step));
                let add = |sum: u64, each: u64| sum.saturating_add(samples.saturating_mul(each));
                cost.additions = add(cost.additions, additions);
                cost.multiplications = add(cost.multiplications, multiplications);
                cost.sequential += additions + multiplications;
            }
        }
        let planes = self.planes() as u64;
        if per_launch {
            cost.launches = self.segments.len() as u64;
            for segment in &self.segments {
                let values = pairs.saturating_mul(reads(segment) + planes);
                cost.global = cost.global.saturating_add(values);
            }
        } else {
            let halo = i64::from(self.halo.before[0]) + i64::from(self.halo.after[0]);
            let values = tile.saturating_add_signed(halo).saturating_add(tile);
            cost.global = blocks.saturating_mul(planes).saturating_mul(values);
            cost.shared = blocks.saturating_mul(self.exchanged(&extent));
        }
        cost
    }

    /// Values written to and read from shared memory at the cuts of one block.
    fn exchanged(&self, extent: &impl Fn(&Step) -> u64) -> u64 {
        let mut values = 0;
        for pair in self.segments.windows(2) {
            let (Some(before), Some(after)) = (pair[0].steps.last(), pair[1].steps.first()) else {
                continue;
            };
            let written = pair[0].steps.iter().flat_map(|step| &step.updates);
            let owned: Vec<(usize, [i32; 3])> =
                written.map(|update| (update.plane, update.offset)).collect();
            let mut foreign: Vec<(usize, [i32; 3])> = after
                .updates
                .iter()
                .flat_map(|update| update.terms.iter().map(|term| (term.plane, term.offset)))
                .filter(|place| owned.iter().all(|own| own.0 != place.0 || own.1 != place.1))
                .collect();
            foreign.sort_unstable();
            foreign.dedup();
            let mut planes: Vec<usize> = foreign.iter().map(|place| place.0).collect();
            planes.dedup();
            values += extent(before) * planes.len() as u64 + extent(after) * foreign.len() as u64;
        }
        values
    }
}
