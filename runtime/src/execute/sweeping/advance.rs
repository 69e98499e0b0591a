//! Running the updates of a batch, and handing its outputs over.

use super::{Batch, Deliver, Exit, Located, MOST_SEGMENTS, STRIP_BYTES, SegmentStore};
use super::{Sink, Source, SweepStore, Sweeping};
use crate::element::Element;
use crate::execute::ends::Place;
use crate::execute::line::add_weighted;
use crate::execute::program::MOST_TERMS;
use crate::execute::rows::{OwnRow, RowUpdate};
use crate::execute::sweep::{OwnRead, PLANES};
use waveloom_codegen::kernel::Side;

/// The arrays that lines are read from.
struct Readable<'a, T> {
    input: [&'a [T]; 2],
    loads: &'a [T],
    from: usize,
    to: usize,
}

impl<'a, T> Readable<'a, T> {
    /// A strip of a line; nothing of places that are only written.
    fn strip(&self, place: Located, lines: &'a [Vec<T>]) -> &'a [T] {
        match place {
            Located::Input(array, start) => &self.input[array][start + self.from..start + self.to],
            Located::Load(start) => &self.loads[start + self.from..start + self.to],
            Located::Line(line) => &lines[line][self.from..self.to],
            Located::Output(..) | Located::Delivery(_) => &[],
        }
    }
}

impl<T: Element> Sweeping<'_, T> {
    /// Lanes that are computed together.
    fn strip(&self, lanes: usize) -> usize {
        let kept = self.sweep.lines + PLANES * (self.sweep.window + 1);
        let room = (STRIP_BYTES / T::KIND.bytes() / kept).max(64);
        let strips = lanes.div_ceil(room).max(1);
        lanes.div_ceil(strips).next_multiple_of(64)
    }

    /// Runs the updates of a batch, strip by strip; whether watched integers fit.
    pub(super) fn advance(
        &self,
        batch: &Batch,
        segment: usize,
        source: &Source<'_, T>,
        sink: &mut Sink<'_, '_, T>,
        store: &mut SweepStore<T>,
    ) -> bool {
        let lanes = self.lanes[segment];
        let SweepStore { segments, located, exits } = store;
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
        let mut fits = true;
        let strip = self.strip(lanes);
        for from in (0..lanes).step_by(strip) {
            let readable = Readable { input, loads, from, to: (from + strip).min(lanes) };
            let mut places = located.iter().copied();
            let mut leaving = exits.iter().peekable();
            for t in batch.iterations.clone() {
                for advance in self.sweep.advances.iter().filter(|a| t - batch.first >= a.start) {
                    let mut next = || places.next().unwrap_or(Located::Delivery(0));
                    let target = next();
                    // A line that is written is taken out, so that the others can be read.
                    let mut taken = match target {
                        Located::Line(line) => std::mem::take(&mut lines[line]),
                        _ => Vec::new(),
                    };
                    let own = match &advance.own {
                        OwnRead::None => OwnRow::Overwritten,
                        OwnRead::Kept(factor) => OwnRow::Kept(*factor),
                        OwnRead::Line(_, factor) => {
                            OwnRow::Moved(readable.strip(next(), lines), *factor)
                        }
                    };
                    let mut terms = [(&[][..], T::default()); MOST_TERMS];
                    for (term, (_, factor)) in terms.iter_mut().zip(&advance.terms) {
                        *term = (readable.strip(next(), lines), *factor);
                    }
                    let (from, to) = (readable.from, readable.to);
                    let update = RowUpdate {
                        write: match target {
                            Located::Output(array, start) => {
                                &mut output[array][start + from..start + to]
                            }
                            Located::Delivery(start) => &mut outputs[start + from..start + to],
                            _ => &mut taken[from..to],
                        },
                        own,
                        terms: &terms[..advance.terms.len()],
                        round: advance.round,
                    };
                    if self.watched {
                        fits &= T::update_checked(update);
                    } else {
                        T::update(update);
                    }
                    if let Located::Line(line) = target {
                        lines[line] = taken;
                    }
                }
                while let Some(exit) = leaving.next_if(|exit| exit.iteration == t) {
                    leave(exit, &readable, lines, output, outputs);
                }
            }
        }
        fits
    }

    /// Takes the outputs of a batch to the next stage.
    pub(super) fn hand_over(
        &self,
        batch: &Batch,
        deliver: &mut Deliver<'_, T>,
        store: &SweepStore<T>,
    ) {
        let side = self.axis.operation.output();
        let delay = self.sweep.delay;
        let due = batch.iterations.start - delay..batch.iterations.end - delay;
        let pairs = due.start.max(batch.pairs.start)..due.end.min(batch.pairs.end);
        let mut give = |bit: usize, first: usize, count: usize, row: usize, add: Option<i64>| {
            let mut lines: [&[T]; MOST_SEGMENTS] = [&[]; MOST_SEGMENTS];
            let segments = store.segments.iter().zip(self.lanes);
            for (line, (segment, lanes)) in lines.iter_mut().zip(segments) {
                *line = &segment.outputs[row * lanes..(row + count) * lanes];
            }
            deliver(bit, first, count, &lines[..self.lanes.len()], add);
        };
        if batch.beyond {
            for channel in 0..PLANES {
                for k in pairs.clone() {
                    let row = self.delivery_row(batch, channel, k);
                    for edge in self.axis.folds(channel, k) {
                        let Some(Place { bit, index, weight }) = edge.place else { continue };
                        let add = Some(weight * self.add.unwrap_or(1));
                        give(Self::array(side, bit), index, 1, row, add);
                    }
                }
            }
            return;
        }
        if pairs.is_empty() {
            return;
        }
        for bit in 0..if side == Side::Signal { 1 } else { PLANES } {
            let (lines, skipped) = self.run_of(side, bit, &pairs);
            if !lines.is_empty() {
                let row = self.delivery_row(batch, bit, pairs.start) + skipped;
                give(bit, lines.start, lines.len(), row, self.add);
            }
        }
    }
}

/// Copies (or adds) a strip of a line that leaves the window.
fn leave<T: Element>(
    exit: &Exit,
    readable: &Readable<'_, T>,
    lines: &[Vec<T>],
    output: &mut [&mut [T]; 2],
    outputs: &mut [T],
) {
    let (from, to) = (readable.from, readable.to);
    let values = readable.strip(exit.from, lines);
    let place = match exit.to {
        Located::Output(array, start) => &mut output[array][start + from..start + to],
        Located::Delivery(start) => &mut outputs[start + from..start + to],
        _ => return,
    };
    match exit.add {
        None => place.copy_from_slice(values),
        Some(weight) => add_weighted(place, values, weight),
    }
}
