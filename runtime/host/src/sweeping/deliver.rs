//! Handing the outputs of a batch over to the next stage.

use super::{Batch, Deliver, MOST_SEGMENTS, SweepStore, Sweeping};
use crate::element::Element;
use crate::ends::Place;
use crate::sweep::PLANES;
use waveloom_codegen::kernel::Side;

impl<T: Element> Sweeping<'_, T> {
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
