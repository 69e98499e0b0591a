//! Running the updates of a batch through registers.

use super::advance::Run;
use super::{Located, MOST_BATCH};
use crate::element::Element;
use crate::rows::{CHAIN_BLOCK, pair, vectorised};
use crate::sweep::{Chain, Link, OwnRead};
use pulp::{Simd, WithSimd};

/// Where an iteration reads and writes.
#[derive(Clone, Copy)]
struct Step {
    newest: Located,
    own: Located,
    results: [Located; 2],
}

/// A chain of `N` updates over a batch.
struct Chained<'r, 'a, 'b, T, const N: usize> {
    run: &'r mut Run<'a, 'b, T>,
    links: &'r [Link<T>; N],
    units: bool,
    steps: &'r [Step],
    /// What every update read in the iteration before.
    before: [Located; N],
    /// Where the results of every update but the last stay for the next batch.
    kept: [Located; N],
    /// Lanes.
    lanes: usize,
}

impl<T: Element> Run<'_, '_, T> {
    /// Runs as many lanes as there are whole blocks of, if every result of the batch goes somewhere;
    /// how many were run.
    pub(super) fn chained(&mut self, chain: &Chain<T>) -> usize {
        match chain.links.len() {
            2 => self.linked::<2>(chain),
            4 => self.linked::<4>(chain),
            _ => 0,
        }
    }

    fn linked<const N: usize>(&mut self, chain: &Chain<T>) -> usize {
        let lanes = self.lanes - self.lanes % CHAIN_BLOCK;
        let Some(links) = chain.links.first_chunk::<N>() else { return 0 };
        let advances = &self.sweeping.sweep.advances;
        let first = self.batch.iterations.start - self.batch.first;
        let settled = advances.iter().all(|advance| advance.start < first);
        if lanes == 0 || self.sweeping.watched || !settled || !self.exits.is_empty() {
            return 0;
        }
        let nowhere = Located::Nowhere;
        let mut steps = [Step { newest: nowhere, own: nowhere, results: [nowhere; 2] }; MOST_BATCH];
        let mut before = [nowhere; N];
        let mut kept = [nowhere; N];
        let iterations = self.batch.iterations.clone().count();
        let mut places = self.located;
        for (index, step) in steps.iter_mut().take(iterations).enumerate() {
            for (n, advance) in advances.iter().enumerate() {
                let own = usize::from(matches!(advance.own, OwnRead::Line(..)));
                let ([target, also, now @ ..], later) =
                    places.split_at(2 + own + advance.terms.len())
                else {
                    return 0;
                };
                places = later;
                let [old, a, b] = now else { return 0 };
                let (newer, older) = if links[n].newest_first { (a, b) } else { (b, a) };
                if n == 0 {
                    (step.newest, step.own) = (*newer, *old);
                }
                if index == 0 {
                    before[n] = *older;
                }
                if n + 2 >= N {
                    step.results[n + 2 - N] = if advance.alone { *target } else { *also };
                }
                kept[n] = if advance.alone { nowhere } else { *target };
            }
            if step.results.contains(&nowhere) {
                return 0;
            }
        }
        let steps = &steps[..iterations];
        let units = chain.units;
        vectorised(Chained { run: self, links, units, steps, before, kept, lanes });
        lanes
    }
}

impl<T: Element, const N: usize> WithSimd for Chained<'_, '_, '_, T, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Chained { run, links, units, steps, before, kept, lanes } = self;
        let mut held = [[T::default(); CHAIN_BLOCK]; N];
        let mut results = [[T::default(); CHAIN_BLOCK]; 2];
        for first in (0..lanes).step_by(CHAIN_BLOCK) {
            for n in 0..N {
                held[n] = *read(run, before[n], first);
            }
            for step in steps {
                pair::<S, T, N>(
                    links,
                    units,
                    read(run, step.newest, first),
                    read(run, step.own, first),
                    &mut held,
                    &mut results,
                );
                write(run, step.results[0], first, &results[0]);
                write(run, step.results[1], first, &results[1]);
            }
            // What an update read last is the newest result of the one before it.
            for (place, values) in kept.iter().zip(&held[1..]) {
                write(run, *place, first, values);
            }
        }
    }
}

/// The place of a block of lanes; an empty place is read as zeros.
#[inline(always)]
fn read<'r, T: Element>(
    run: &'r Run<'_, '_, T>,
    place: Located,
    first: usize,
) -> &'r [T; CHAIN_BLOCK] {
    let (array, start) = match place {
        Located::Input(array, start) => (run.input[array], start),
        Located::Load(start) => (run.loads, start),
        Located::Line(start) => (&*run.lines, start),
        Located::Output(..) | Located::Delivery(_) | Located::Nowhere => (&[][..], 0),
    };
    array[start + first..].first_chunk().expect("lanes are whole blocks")
}

#[inline(always)]
fn write<T: Element>(
    run: &mut Run<'_, '_, T>,
    place: Located,
    first: usize,
    values: &[T; CHAIN_BLOCK],
) {
    let (array, start) = match place {
        Located::Line(start) => (&mut *run.lines, start),
        Located::Output(array, start) => (&mut *run.output[array], start),
        Located::Delivery(start) => (&mut *run.outputs, start),
        Located::Input(..) | Located::Load(_) | Located::Nowhere => return,
    };
    if let Some(place) = array[start + first..].first_chunk_mut() {
        *place = *values;
    }
}
