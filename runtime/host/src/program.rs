//! Kernels as lists of row operations on buffers.
//!
//! A kernel's step updates several planes at once: every term is read before any value is written.
//! Here each step becomes a sequence of operations that may run one after the other: an update
//! comes after all those that read what it overwrites, and where that is impossible (butterflies,
//! whole filter banks) it writes to a spare buffer that takes the plane's place.

use super::rows::{OwnRow, RowUpdate};
use crate::element::Element;
use waveloom_codegen::kernel::{Kernel, Margin, Operation, Step, Term, Update};
use waveloom_wavelets::algebra::{Exponent, MAX_AXES};

/// The most terms of one operation; longer sums are split.
pub(crate) const MOST_TERMS: usize = 16;

/// A position on each of three axis slots; fewer axes use the last slots.
pub(crate) type Slots = [i64; MAX_AXES];

/// A region around a tile `first..end`: `first + low .. end + high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) low: Slots,
    pub(crate) high: Slots,
}

impl Region {
    fn of(margin: &Margin, axes: usize) -> Self {
        Self { low: slots(&margin.before, axes).map(|b| -b), high: slots(&margin.after, axes) }
    }

    fn moved(&self, offset: &Slots) -> Self {
        Self {
            low: std::array::from_fn(|slot| self.low[slot] + offset[slot]),
            high: std::array::from_fn(|slot| self.high[slot] + offset[slot]),
        }
    }

    fn union(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|slot| self.low[slot].min(other.low[slot])),
            high: std::array::from_fn(|slot| self.high[slot].max(other.high[slot])),
        }
    }

    /// Pairs more than the tile on a slot.
    pub(crate) fn reach(&self, slot: usize) -> usize {
        (self.high[slot] - self.low[slot]).max(0) as usize
    }
}

/// A buffer and a place in it, relative to the position of the operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At {
    pub(crate) buffer: usize,
    pub(crate) offset: Slots,
}

/// What happens to the old value of what is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Own<T> {
    /// It is not read.
    Overwritten,
    /// It stands where the new value goes, and counts with this factor.
    Kept(T),
    /// It stands elsewhere, and counts with this factor.
    Moved(At, T),
}

/// Rounding in the element type: the sum plus `offset` is shifted right, then added or subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round<T> {
    /// Added before the shift.
    pub offset: T,
    /// Bits.
    pub shift: u32,
    /// Whether the result is subtracted.
    pub subtract: bool,
}

/// `write = own + Σ coefficient · at`, rounded if asked for, over a region.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operate<T> {
    pub(crate) region: Region,
    pub(crate) write: At,
    pub(crate) own: Own<T>,
    pub(crate) terms: Vec<(At, T)>,
    pub(crate) round: Option<Round<T>>,
}

impl<T: Element> Operate<T> {
    /// Computes a run of values; `read` gives the values at a place. The old values stand where the
    /// new ones go only if it is `in_place`. Whether integers fit, if they are `watched`.
    pub(crate) fn run<'a>(
        &self,
        write: &mut [T],
        in_place: bool,
        watched: bool,
        read: impl Fn(&At) -> &'a [T],
    ) -> bool {
        let mut terms = [(&[][..], T::default()); MOST_TERMS];
        for (term, (at, coefficient)) in terms.iter_mut().zip(&self.terms) {
            *term = (read(at), *coefficient);
        }
        let own = match &self.own {
            Own::Overwritten => OwnRow::Overwritten,
            Own::Kept(factor) if in_place => OwnRow::Kept(*factor),
            Own::Kept(factor) => OwnRow::Moved(read(&self.write), *factor),
            Own::Moved(at, factor) => OwnRow::Moved(read(at), *factor),
        };
        let terms = &terms[..self.terms.len()];
        let update = RowUpdate { write, own, terms, round: self.round };
        if watched {
            return T::update_checked(update);
        }
        T::update(update);
        true
    }
}

/// A kernel ready to be interpreted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Program<T> {
    pub(crate) operation: Operation,
    pub(crate) axes: usize,
    /// Buffers, the planes first.
    pub(crate) buffers: usize,
    /// Where planes are loaded.
    pub(crate) load: Region,
    /// Everything that is touched.
    pub(crate) extent: Region,
    /// Outputs of an adjoint around the extent of its input.
    pub(crate) spread: Region,
    pub(crate) operations: Vec<Operate<T>>,
    /// One per channel.
    pub(crate) outputs: Vec<At>,
    /// Of a one-dimensional program: the operation after which an output's buffer is neither read
    /// nor written, if it writes the output itself.
    pub(crate) last: [Option<usize>; 2],
}

impl<T: Element> Program<T> {
    /// Orders a kernel's updates.
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let axes = kernel.axes;
        let mut builder = Builder {
            axes,
            homes: (0..kernel.planes()).collect(),
            free: Vec::new(),
            buffers: kernel.planes(),
            operations: Vec::new(),
        };
        for step in kernel.steps() {
            builder.step(step);
        }
        let outputs: Vec<At> =
            kernel.outputs.iter().map(|out| builder.at(out.plane, &out.offset)).collect();
        let load = Region::of(&kernel.halo, axes);
        let tile = Region { low: [0; MAX_AXES], high: [0; MAX_AXES] };
        let mut extent = load.union(&tile);
        for output in &outputs {
            extent = extent.union(&tile.moved(&output.offset));
        }
        for operation in &builder.operations {
            let moved = match operation.own {
                Own::Moved(at, _) => Some(at),
                _ => None,
            };
            let places = operation.terms.iter().map(|(at, _)| *at).chain(moved);
            for at in places.chain([operation.write]) {
                extent = extent.union(&operation.region.moved(&at.offset));
            }
        }
        let operations = &builder.operations;
        let last = [0, 1].map(|channel| final_operation(operations, outputs.get(channel)?));
        Self {
            operation: kernel.operation,
            axes,
            last,
            buffers: builder.buffers,
            load,
            extent,
            spread: Region::of(&kernel.spread, axes),
            operations: builder.operations,
            outputs,
        }
    }
}

/// The last operation on an output's buffer, if it computes the output without help of an earlier
/// part of its sum and nobody reads its result.
fn final_operation<T>(operations: &[Operate<T>], output: &At) -> Option<usize> {
    let index = operations.iter().rposition(|operation| operation.write.buffer == output.buffer)?;
    let read = |operation: &Operate<T>| {
        let own = match operation.own {
            Own::Moved(at, _) => Some(at.buffer),
            _ => None,
        };
        let terms = operation.terms.iter().map(|(at, _)| at.buffer);
        terms.chain(own).any(|buffer| buffer == output.buffer)
    };
    (!operations[index + 1..].iter().any(read)).then_some(index)
}

struct Builder<T> {
    axes: usize,
    /// The buffer in which each plane lives.
    homes: Vec<usize>,
    free: Vec<usize>,
    buffers: usize,
    operations: Vec<Operate<T>>,
}

impl<T: Element> Builder<T> {
    fn at(&self, plane: usize, offset: &Exponent) -> At {
        At { buffer: self.homes[plane], offset: slots(offset, self.axes) }
    }

    fn spare(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.buffers += 1;
            self.buffers - 1
        })
    }

    fn step(&mut self, step: &Step) {
        let mut waiting: Vec<&Update> = step.updates.iter().collect();
        let mut moves: Vec<(usize, usize)> = Vec::new();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|update| {
                let others = waiting.iter().filter(|other| !std::ptr::eq(**other, *update));
                let read_later =
                    others.flat_map(|other| &other.terms).any(|term| term.plane == update.plane);
                let reads_itself = update
                    .terms
                    .iter()
                    .any(|term| term.plane == update.plane && term.offset != update.offset);
                !read_later && !reads_itself
            });
            let update = waiting.remove(ready.unwrap_or(0));
            let buffer = match ready {
                Some(_) => self.homes[update.plane],
                None => {
                    let spare = self.spare();
                    moves.push((update.plane, spare));
                    spare
                }
            };
            self.update(step, update, buffer);
        }
        for (plane, spare) in moves {
            self.free.push(std::mem::replace(&mut self.homes[plane], spare));
        }
    }

    /// Writes `update` to `buffer`.
    fn update(&mut self, step: &Step, update: &Update, buffer: usize) {
        let region = Region::of(&step.margin, self.axes);
        let home = self.at(update.plane, &update.offset);
        let write = At { buffer, offset: home.offset };
        let (own_terms, other_terms): (Vec<&Term>, Vec<&Term>) = update
            .terms
            .iter()
            .partition(|term| term.plane == update.plane && term.offset == update.offset);
        let scale = update.rounding.map_or(1.0, |r| 2.0_f64.powi(r.rounding.shift as i32));
        let mut terms: Vec<(At, T)> = other_terms
            .iter()
            .map(|term| {
                let coefficient = T::from_coefficient(term.coefficient * scale);
                (self.at(term.plane, &term.offset), coefficient)
            })
            .collect();
        let factor = own_terms.iter().map(|term| term.coefficient).sum::<f64>()
            + if update.increment { 1.0 } else { 0.0 };
        let used = update.increment || !own_terms.is_empty();
        let mut own = match used {
            false => Own::Overwritten,
            true if buffer == home.buffer => Own::Kept(T::from_coefficient(factor)),
            true => Own::Moved(home, T::from_coefficient(factor)),
        };
        let round = update.rounding.map(|r| Round {
            offset: T::from_coefficient(r.rounding.offset as f64),
            shift: r.rounding.shift,
            subtract: r.subtract,
        });
        let one = T::from_coefficient(1.0);
        if round.is_some() && terms.len() > MOST_TERMS {
            // The sum before the shift is collected on the side.
            let side = self.spare();
            let sum = At { buffer: side, offset: [0; MAX_AXES] };
            for (index, part) in terms.chunks(MOST_TERMS).enumerate() {
                let own = if index == 0 { Own::Overwritten } else { Own::Kept(one) };
                let terms = part.to_vec();
                self.operations.push(Operate { region, write: sum, own, terms, round: None });
            }
            self.operations.push(Operate { region, write, own, terms: vec![(sum, one)], round });
            self.free.push(side);
            return;
        }
        loop {
            let rest = terms.split_off(terms.len().min(MOST_TERMS));
            self.operations.push(Operate { region, write, own, terms, round });
            if rest.is_empty() {
                return;
            }
            own = Own::Kept(one);
            terms = rest;
        }
    }
}

/// An exponent on the last slots.
fn slots(exponent: &Exponent, axes: usize) -> Slots {
    let mut slots = [0; MAX_AXES];
    for axis in 0..axes {
        slots[MAX_AXES - axes + axis] = i64::from(exponent[axis]);
    }
    slots
}
