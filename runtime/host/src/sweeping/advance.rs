//! Running the updates of a batch.

use super::{BLOCK_BYTES, BLOCK_UNIT, Batch, Exit, Located, Rolling, SegmentStore, Sink, Source};
use super::{SweepStore, Sweeping};
use crate::ahead;
use crate::element::Element;
use crate::line::add_weighted;
use crate::program::MOST_TERMS;
use crate::rows::{OwnRow, RowUpdate};
use crate::sweep::{Advance, OwnRead, PLANES};

/// The updates of a batch on one segment of lanes.
pub(super) struct Run<'a, 'b, T> {
    pub(super) sweeping: &'a Sweeping<'a, T>,
    pub(super) batch: &'a Batch,
    pub(super) located: &'a [Located],
    pub(super) exits: &'a [Exit],
    pub(super) input: [&'a [T]; 2],
    pub(super) loads: &'a [T],
    /// Lines computed, `pitch` elements apart.
    pub(super) lines: &'a mut [T],
    pub(super) pitch: usize,
    pub(super) outputs: &'a mut [T],
    pub(super) output: &'a mut [&'b mut [T]; 2],
    pub(super) lanes: usize,
}

/// Neighbouring lanes.
#[derive(Clone, Copy)]
struct Block {
    first: usize,
    len: usize,
}

impl<T: Element> Sweeping<'_, T> {
    /// Lanes that are computed together.
    fn block(&self, lanes: usize) -> usize {
        let blocks = lanes.div_ceil(BLOCK_BYTES / T::TYPE.bytes()).max(1);
        lanes.div_ceil(blocks).next_multiple_of(BLOCK_UNIT).max(BLOCK_UNIT)
    }

    /// Runs the updates of a batch, block by block; whether watched integers fit.
    pub(super) fn advance(
        &self,
        batch: &Batch,
        segment: usize,
        source: &Source<'_, T>,
        sink: &mut Sink<'_, '_, T>,
        store: &mut SweepStore<T>,
    ) -> bool {
        let lanes = self.lanes[segment];
        let SweepStore { segments, located, exits, .. } = store;
        let SegmentStore { loads, lines, outputs, .. } = &mut segments[segment];
        let input: [&[T]; 2] = match source {
            Source::Arrays(arrays) => arrays[segment],
            Source::Stage(_) => [&[]; 2],
        };
        let mut nothing: [&mut [T]; 2] = Default::default();
        let output: &mut [&mut [T]; 2] = match sink {
            Sink::Arrays(arrays) => &mut arrays[segment],
            Sink::Stage(_) => &mut nothing,
        };
        let Rolling { pitch, skew } = self.rolling(lanes, lines);
        let lines = &mut lines[skew..skew + self.sweep.lines * pitch];
        let (sweeping, exits) = (self, &exits[..]);
        let mut run = Run {
            sweeping,
            batch,
            located,
            exits,
            input,
            loads,
            lines,
            pitch,
            outputs,
            output,
            lanes,
        };
        let mut fits = true;
        let done = self.sweep.chain.as_ref().map_or(0, |chain| run.chained(chain));
        let block = self.block(lanes - done);
        for first in (done..lanes).step_by(block) {
            fits &= run.block(Block { first, len: block.min(lanes - first) });
        }
        fits
    }
}

/// The lines that were computed, without one that is written.
#[derive(Clone, Copy)]
struct Others<'a, T> {
    before: &'a [T],
    behind: &'a [T],
    /// Elements up to the first line behind.
    skipped: usize,
}

/// Everything that lines are read from.
#[derive(Clone, Copy)]
struct Readable<'a, T> {
    input: [&'a [T]; 2],
    loads: &'a [T],
    others: Others<'a, T>,
    block: Block,
}

impl<'a, T> Readable<'a, T> {
    /// The block's part of a line; nothing of places that are only written.
    fn run(&self, place: Located) -> &'a [T] {
        let (array, start) = match place {
            Located::Input(array, start) => (self.input[array], start),
            Located::Load(start) => (self.loads, start),
            Located::Line(start) if start < self.others.skipped => (self.others.before, start),
            Located::Line(start) => (self.others.behind, start - self.others.skipped),
            Located::Output(..) | Located::Delivery(_) | Located::Nowhere => return &[],
        };
        &array[start + self.block.first..][..self.block.len]
    }
}

impl<T: Element> Run<'_, '_, T> {
    /// Runs all updates on some lanes.
    fn block(&mut self, block: Block) -> bool {
        let (batch, sweep) = (self.batch, self.sweeping.sweep);
        let mut fits = true;
        let mut places = self.located;
        let mut leaving = self.exits;
        for t in batch.iterations.clone() {
            self.ask(t, block);
            for advance in sweep.advances.iter().filter(|a| t - batch.first >= a.start) {
                let own = usize::from(matches!(advance.own, OwnRead::Line(..)));
                let (now, later) = places.split_at(2 + own + advance.terms.len());
                places = later;
                fits &= self.update(advance, now, block);
            }
            while let Some((exit, others)) = leaving.split_first() {
                if exit.iteration != t {
                    break;
                }
                leaving = others;
                self.leave(exit.from, exit.to, exit.add, block);
            }
        }
        fits
    }

    /// Asks for what the next batch will write.
    fn ask(&self, t: i64, block: Block) {
        let axis = self.sweeping.axis;
        let ends = axis.output();
        let later = t + self.sweeping.batch() as i64 - self.sweeping.sweep.delay;
        for bit in 0..PLANES {
            let array = &self.output[Sweeping::<T>::array(axis.operation.output(), bit)];
            if !array.is_empty() && ends.interior(bit).contains(&later) {
                let start = ends.index(bit, later) * self.lanes + block.first;
                ahead::fetch(&array[start..start + block.len]);
            }
        }
    }

    /// Copies (or adds) a part of a line.
    fn leave(&mut self, from: Located, to: Located, add: Option<i64>, block: Block) {
        let others = Others { before: self.lines, behind: &[], skipped: usize::MAX };
        let readable = Readable { input: self.input, loads: self.loads, others, block };
        let values = readable.run(from);
        let (array, start) = match to {
            Located::Output(array, start) => (&mut *self.output[array], start),
            Located::Delivery(start) => (&mut *self.outputs, start),
            _ => return,
        };
        let place = &mut array[start + block.first..][..block.len];
        match add {
            None => place.copy_from_slice(values),
            Some(weight) => add_weighted(place, values, weight),
        }
    }

    /// Runs an update on some lanes.
    fn update(&mut self, advance: &Advance<T>, places: &[Located], block: Block) -> bool {
        let [target, also, places @ ..] = places else { return true };
        let (lines, behind, skipped) = match *target {
            Located::Line(start) => {
                let (before, rest) = self.lines.split_at_mut(start);
                let (line, behind) = rest.split_at_mut(self.pitch);
                ((before, line), &*behind, start + self.pitch)
            }
            _ => ((&mut *self.lines, &mut [][..]), &[][..], usize::MAX),
        };
        let others = Others { before: lines.0, behind, skipped };
        let (array, start) = match *target {
            Located::Line(_) => (lines.1, 0),
            Located::Output(array, start) => (&mut *self.output[array], start),
            Located::Delivery(start) => (&mut *self.outputs, start),
            Located::Input(..) | Located::Load(_) | Located::Nowhere => return true,
        };
        let write = &mut array[start + block.first..][..block.len];
        let readable = Readable { input: self.input, loads: self.loads, others, block };
        let (own, places) = match &advance.own {
            OwnRead::None => (OwnRow::Overwritten, places),
            OwnRead::Kept(factor) => (OwnRow::Kept(*factor), places),
            OwnRead::Line(_, factor) => {
                let Some((old, places)) = places.split_first() else { return true };
                (OwnRow::Moved(readable.run(*old), *factor), places)
            }
        };
        let mut terms = [(&[][..], T::default()); MOST_TERMS];
        for ((term, place), (_, factor)) in terms.iter_mut().zip(places).zip(&advance.terms) {
            *term = (readable.run(*place), *factor);
        }
        let terms = &terms[..advance.terms.len()];
        let update = RowUpdate { write, own, terms, round: advance.round };
        let fits = if self.sweeping.watched {
            T::update_checked(update)
        } else {
            T::update(update);
            true
        };
        if *also != Located::Nowhere {
            self.leave(*target, *also, None, block);
        }
        fits
    }
}
