//! Where the lines of a batch stand.

use super::{Batch, Exit, Located, Sink, Source, SweepStore, Sweeping};
use crate::element::Element;
use crate::ends::Place;
use crate::sweep::{OwnRead, PLANES, Read, Stream};
use waveloom_codegen::kernel::Side;

impl<T: Element> Sweeping<'_, T> {
    fn line(&self, stream: &Stream, index: i64, lanes: usize) -> Located {
        let line = stream.first + index.rem_euclid(stream.window as i64) as usize;
        Located::Line(line * self.pitch(lanes))
    }

    /// Finds the lines of every read and write of a batch, in the order in which they are used, and
    /// what leaves the window.
    pub(super) fn locate(
        &self,
        batch: &Batch,
        segment: usize,
        source: &Source<'_, T>,
        sink: &Sink<'_, '_, T>,
        store: &mut SweepStore<T>,
    ) {
        let SweepStore { located, exits, .. } = store;
        located.clear();
        exits.clear();
        let lanes = self.lanes[segment];
        let ends = self.axis.input();
        let interior = [ends.interior(0), ends.interior(1)];
        let side = self.axis.operation.input();
        let direct = matches!(source, Source::Arrays(_));
        let find = |read: &Read, t: i64| {
            let stream = &self.sweep.streams[read.stream];
            let index = t - stream.lag - read.age as i64;
            match read.stream {
                bit if bit < PLANES && direct && interior[bit].contains(&index) => {
                    Located::Input(Self::array(side, bit), ends.index(bit, index) * lanes)
                }
                bit if bit < PLANES => Located::Load(self.load_row(bit, index) * lanes),
                _ => self.line(stream, index, lanes),
            }
        };
        for t in batch.iterations.clone() {
            for advance in &self.sweep.advances {
                if t - batch.first < advance.start {
                    continue;
                }
                let stream = &self.sweep.streams[advance.stream];
                let line = self.line(stream, t - stream.lag, lanes);
                let output = advance.output.and_then(|channel| {
                    // At iteration k + delay, the output of pair k has the age that the output says.
                    let pair = t + self.sweep.outputs[channel].age as i64 - self.sweep.delay;
                    let direct = self.is_direct(batch, channel, sink)
                        && self.is_inside(batch, channel, pair);
                    direct.then(|| self.place(batch, channel, pair, lanes, sink))
                });
                located.extend(match output {
                    Some(output) if advance.alone => [output, Located::Nowhere],
                    Some(output) => [line, output],
                    None => [line, Located::Nowhere],
                });
                if let OwnRead::Line(read, _) = &advance.own {
                    located.push(find(read, t));
                }
                located.extend(advance.terms.iter().map(|(read, _)| find(read, t)));
            }
            for channel in 0..PLANES {
                let from = (t, find(&self.sweep.outputs[channel], t));
                self.exit(batch, channel, from, lanes, sink, exits);
            }
        }
    }

    /// Whether a channel's update writes its output where it goes.
    fn is_direct(&self, batch: &Batch, channel: usize, sink: &Sink<'_, '_, T>) -> bool {
        let in_time = match sink {
            Sink::Arrays(_) => self.add.is_none(),
            // Outputs that are due later than they are computed may belong to another batch.
            Sink::Stage(_) => self.sweep.outputs[channel].age == 0,
        };
        let computed = self.sweep.advances.iter().any(|a| a.output == Some(channel));
        in_time && computed && !batch.beyond
    }

    /// Whether the output of a pair is an element of the run.
    fn is_inside(&self, batch: &Batch, channel: usize, pair: i64) -> bool {
        batch.pairs.contains(&pair) && self.axis.output().interior(channel).contains(&pair)
    }

    /// The place of an output inside.
    fn place(
        &self,
        batch: &Batch,
        channel: usize,
        pair: i64,
        lanes: usize,
        sink: &Sink<'_, '_, T>,
    ) -> Located {
        match sink {
            Sink::Arrays(_) => {
                let array = Self::array(self.axis.operation.output(), channel);
                Located::Output(array, self.axis.output().index(channel, pair) * lanes)
            }
            Sink::Stage(_) => Located::Delivery(self.delivery_row(batch, channel, pair) * lanes),
        }
    }

    /// Row of an output among those of its batch.
    pub(super) fn delivery_row(&self, batch: &Batch, channel: usize, pair: i64) -> usize {
        let slot = (pair + self.sweep.delay - batch.iterations.start) as usize;
        match self.axis.operation.output() {
            Side::Signal => PLANES * slot + channel,
            Side::Bands => channel * self.batch() + slot,
        }
    }

    /// What becomes of the output of an iteration, if its update did not write it to its place.
    fn exit(
        &self,
        batch: &Batch,
        channel: usize,
        from: (i64, Located),
        lanes: usize,
        sink: &Sink<'_, '_, T>,
        exits: &mut Vec<Exit>,
    ) {
        let (iteration, from) = from;
        let pair = iteration - self.sweep.delay;
        if batch.beyond && batch.pairs.contains(&pair) {
            let side = self.axis.operation.output();
            let folds = self.axis.folds(channel, pair);
            match sink {
                Sink::Arrays(_) => exits.extend(folds.iter().filter_map(|edge| {
                    let Place { bit, index, weight } = edge.place?;
                    let to = Located::Output(Self::array(side, bit), index * lanes);
                    let add = Some(weight * self.add.unwrap_or(1));
                    Some(Exit { iteration, from, to, add })
                })),
                Sink::Stage(_) if folds.is_empty() => {}
                Sink::Stage(_) => {
                    let row = self.delivery_row(batch, channel, pair);
                    let to = Located::Delivery(row * lanes);
                    exits.push(Exit { iteration, from, to, add: None });
                }
            }
        } else if self.is_inside(batch, channel, pair)
            && !batch.beyond
            && !self.is_direct(batch, channel, sink)
        {
            let to = self.place(batch, channel, pair, lanes, sink);
            let add = if matches!(sink, Sink::Arrays(_)) { self.add } else { None };
            exits.push(Exit { iteration, from, to, add });
        }
    }
}
