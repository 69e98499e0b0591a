//! A level's outputs, divided among threads.

use super::Filtering;
use super::store::Store;
use super::taps::PLANES;
use crate::MOST_CHANNELS;
use crate::element::Element;
use crate::ends::Ends;
use std::ops::Range;
use waveloom_codegen::kernel::Side;

/// Bytes of output that are worth a part of their own.
pub const THREAD_BYTES: usize = 256 << 10;

/// Arrays that are written, from certain places of their first axis on.
pub(super) struct Target<'a, 'b, T> {
    /// One signal, or the bands: one bit per axis, the first axis' first.
    pub(super) arrays: &'a mut [&'b mut [T]],
    /// The first index on the first axis, per phase (of a signal, the first counts).
    pub(super) first: [usize; PLANES],
}

impl<T: Element> Filtering<'_, T> {
    /// Into how many parts a block of the output is worth dividing.
    pub(super) fn worth(&self, parts: usize) -> usize {
        let elements = self.size(Side::Signal, 0);
        (elements * T::TYPE.bytes() / THREAD_BYTES).clamp(1, parts.max(1))
    }

    /// Where on the first axis the outputs of a pair begin, per phase.
    fn begin(&self, k: i64) -> [usize; PLANES] {
        let output = self.axes[0].output();
        match output {
            Ends::Signal(geometry) => {
                let len = geometry.signal.len as i64;
                [(2 * k - geometry.signal.start).clamp(0, len) as usize; PLANES]
            }
            _ => [0, 1].map(|phase| {
                let interior = output.interior(phase);
                (k.clamp(interior.start, interior.end.max(interior.start)) - interior.start)
                    as usize
            }),
        }
    }

    /// Filters pairs of the first axis, in as many parts as there are stores. Every output is the
    /// same sum whoever computes it.
    pub(super) fn divide(
        &self,
        pairs: Range<i64>,
        input: &[&[T]],
        target: &mut Target<'_, '_, T>,
        stores: &mut [Store<T>],
    ) {
        let count = pairs.end - pairs.start;
        if stores.len() < 2 || count < 2 {
            if let Some(store) = stores.first_mut() {
                self.part(&pairs, false, input, target, store);
            }
            return;
        }
        let half = stores.len() / 2;
        let middle = pairs.start + (count * half as i64 / stores.len() as i64).max(1);
        let (here, there) = stores.split_at_mut(half);
        let begin = self.begin(middle);
        let channels = target.arrays.len();
        let side = self.axes[0].operation.output();
        let mut before: [&mut [T]; MOST_CHANNELS] = Default::default();
        let mut behind: [&mut [T]; MOST_CHANNELS] = Default::default();
        for (channel, array) in target.arrays.iter_mut().enumerate() {
            let phase = usize::from(channel >= channels.div_ceil(2));
            let at = (begin[phase] - target.first[phase]) * self.unit(side, channel);
            (before[channel], behind[channel]) = array.split_at_mut(at);
        }
        let (head, tail) = (pairs.start..middle, middle..pairs.end);
        let first = target.first;
        rayon::join(
            || {
                let mut target = Target { arrays: &mut before[..channels], first };
                self.divide(head, input, &mut target, here);
            },
            || {
                let mut target = Target { arrays: &mut behind[..channels], first: begin };
                self.divide(tail, input, &mut target, there);
            },
        );
    }
}
