//! A lifting or a lattice along one axis: stages through which both planes pass in registers.
//!
//! A stage reads its neighbours' values by delaying a plane: vectors are moved by one place, and the
//! one that enters comes from the vector before. Nothing goes through memory between the first stage
//! and the last, and a stage that multiplies twice a pair replaces taps that multiply four times.

use super::known::Stages;
use super::taps::PLANES;
use crate::element::Element;
use crate::machine::caches;
use crate::program::Round;
use crate::rows::registers_are_lines;
use waveloom_codegen::kernel::{Kernel, Step, Update, UpdateRounding};

/// Most stages, and most pairs that outputs depend on.
pub(super) const MOST_STAGES: usize = 64;
pub(super) const MOST_REACH: usize = 48;

/// What happens to both planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Each plane gets the other's old values times a factor.
    Turn,
    /// A plane gets the other's values times the first factor.
    Push { target: usize },
    /// A plane gets the other's values, and those of one pair before, times factors; the other may
    /// stay delayed.
    Lift { target: usize, delayed: bool },
    /// Nothing.
    Rest,
}

/// A stage, and the plane that is delayed by a pair behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage<T> {
    pub(super) kind: Kind,
    pub(super) factors: [T; 2],
    pub(super) delay: Option<usize>,
    /// Of the sum, for integers.
    pub(super) round: Option<Round<T>>,
    /// Whether the sum is that of two values as they are.
    pub(super) plain: bool,
}

/// All stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Cascade<T> {
    pub(super) stages: Vec<Stage<T>>,
    /// Where the outputs are, and their factors.
    pub(super) outputs: [usize; PLANES],
    pub(super) gains: [T; PLANES],
    /// The loop of their own that they have, if they have one.
    pub(super) known: Option<Stages>,
    /// Bytes of a signal and its coefficients up to which rows of two axes pass some columns at a time, where they can.
    pub(super) weaves: usize,
}

/// The share of the largest cache that a signal and its coefficients have at most where rows pass some columns at a time:
/// pieces of rows from afar are not what machines fetch ahead of their use.
const NEAR_SHARE: usize = 8;

/// That in bytes. Narrower registers leave so much else to do that pieces of rows are not worth it.
fn near() -> usize {
    match caches().largest {
        _ if !registers_are_lines() => 0,
        Some(bytes) => bytes / NEAR_SHARE,
        None => usize::MAX,
    }
}

/// A cascade and the window of pair `k`: `k + low ..= k + high`.
pub(super) struct Found<T> {
    pub(super) cascade: Cascade<T>,
    pub(super) low: i64,
    pub(super) high: i64,
}

/// A cascade that grows.
#[derive(Clone, Debug)]
struct Growing {
    stages: Vec<Stage<f64>>,
    /// Whether all stages round.
    rounds: bool,
    /// Per plane: where it is, what its values count, by how many pairs it is delayed.
    places: [usize; PLANES],
    factors: [f64; PLANES],
    lags: [i64; PLANES],
    /// Per place: how many pairs before the newest it depends on.
    reach: [usize; PLANES],
}

/// An update of one plane: its own values times `own`, and the other's.
struct Lifted {
    plane: usize,
    offset: i64,
    own: f64,
    /// Offsets and factors, ascending.
    terms: Vec<(i64, f64)>,
    rounding: Option<UpdateRounding>,
}

impl<T: Element> Cascade<T> {
    /// The stages of a kernel of one axis; `None` if it reads more than two neighbours at a time, or is
    /// too long. Those of integers are sums that are rounded and added (where the type has such vectors),
    /// those of floats are not.
    pub(super) fn of(kernel: &Kernel) -> Option<Found<T>> {
        if T::TYPE.is_integer() && !T::ROUNDS {
            return None;
        }
        if kernel.axes != 1 || kernel.planes() != PLANES || kernel.outputs.len() != PLANES {
            return None;
        }
        let mut growing = Growing {
            stages: Vec::new(),
            rounds: T::TYPE.is_integer(),
            places: [0, 1],
            factors: [1.0; PLANES],
            lags: [0; PLANES],
            reach: [0; PLANES],
        };
        for step in kernel.steps() {
            growing.step(step)?;
        }
        let behind = |growing: &Growing, channel: usize| {
            let output = &kernel.outputs[channel];
            growing.lags[output.plane] + i64::from(output.offset[0])
        };
        let apart = behind(&growing, 0) - behind(&growing, 1);
        let late = usize::from(apart > 0);
        growing.delay(kernel.outputs[late].plane, apart.unsigned_abs())?;
        let high = behind(&growing, 0);
        let reach = growing.reach[0].max(growing.reach[1]);
        let count = growing.stages.len();
        if count == 0 || count > MOST_STAGES || reach > MOST_REACH {
            return None;
        }
        let planes = [kernel.outputs[0].plane, kernel.outputs[1].plane];
        if planes[0] == planes[1] {
            return None;
        }
        let usable = |factor: &f64| *factor == 0.0 || (1e-30..1e30).contains(&factor.abs());
        let factors = growing.stages.iter().flat_map(|stage| &stage.factors);
        if !factors.chain(&growing.factors).all(usable) {
            return None;
        }
        let stage = |stage: &Stage<f64>| Stage {
            kind: stage.kind,
            factors: stage.factors.map(T::from_coefficient),
            delay: stage.delay,
            plain: stage.plain,
            round: stage.round.map(|round| Round {
                offset: T::from_coefficient(round.offset),
                shift: round.shift,
                subtract: round.subtract,
            }),
        };
        let mut cascade = Self {
            known: None,
            weaves: near(),
            stages: growing.stages.iter().map(stage).collect(),
            outputs: planes.map(|plane| growing.places[plane]),
            gains: planes.map(|plane| T::from_coefficient(growing.factors[plane])),
        };
        cascade.known = Stages::find(&cascade, kernel.operation.output());
        Some(Found { cascade, low: high - reach as i64, high })
    }
}

impl<T> Cascade<T> {
    /// Whether stages round.
    pub(super) fn rounds(&self) -> bool {
        self.stages.iter().any(|stage| stage.round.is_some())
    }

    /// Operations on registers for a vector of pairs.
    pub(super) fn work(&self) -> usize {
        let work = |stage: &Stage<T>| {
            let sums = match stage.kind {
                Kind::Turn => 2,
                Kind::Push { .. } => 1,
                Kind::Lift { .. } => 3,
                Kind::Rest => 0,
            };
            sums + usize::from(stage.delay.is_some())
        };
        PLANES + self.stages.iter().map(work).sum::<usize>()
    }
}

impl Growing {
    fn step(&mut self, step: &Step) -> Option<()> {
        let updates: Vec<Lifted> = step.updates.iter().map(lifted).collect::<Option<_>>()?;
        if updates.iter().any(|update| update.rounding.is_some() != self.rounds) {
            return None;
        }
        if updates.iter().all(|update| update.terms.is_empty()) {
            for update in &updates {
                self.factors[update.plane] *= update.own;
            }
            return Some(());
        }
        match &updates[..] {
            [update] => self.lift(update),
            [first, second] if first.plane == 0 && second.plane == 1 => self.turn(first, second),
            [second, first] if first.plane == 0 && second.plane == 1 => self.turn(first, second),
            _ => None,
        }
    }

    /// Delays a plane, as part of the stage before where that is possible; `None` if by too much.
    fn delay(&mut self, plane: usize, pairs: u64) -> Option<()> {
        if pairs > MOST_REACH as u64 || self.stages.len() > MOST_STAGES {
            return None;
        }
        let place = self.places[plane];
        for _ in 0..pairs {
            self.lags[plane] += 1;
            self.reach[place] += 1;
            match self.stages.last_mut() {
                Some(Stage { kind: Kind::Lift { target, delayed: delayed @ false }, .. })
                    if *target != place =>
                {
                    *delayed = true;
                }
                Some(Stage {
                    kind: Kind::Turn | Kind::Push { .. }, delay: delay @ None, ..
                }) => {
                    *delay = Some(place);
                }
                _ => {
                    self.push(Kind::Rest, [0.0; 2]);
                    if let Some(stage) = self.stages.last_mut() {
                        stage.delay = Some(place);
                    }
                }
            }
        }
        Some(())
    }

    fn push(&mut self, kind: Kind, factors: [f64; 2]) {
        self.stages.push(Stage { kind, factors, delay: None, round: None, plain: false });
    }

    fn lift(&mut self, update: &Lifted) -> Option<()> {
        let (target, source) = (update.plane, 1 - update.plane);
        let (newest, older) = match update.terms[..] {
            [newest] => (newest, 0.0),
            [older, newest] if older.0 + 1 == newest.0 => (newest, older.1),
            _ => return None,
        };
        let behind = self.lags[target] - self.lags[source] + update.offset - newest.0;
        self.delay(if behind < 0 { target } else { source }, behind.unsigned_abs())?;
        let scale = self.factors[source] / (update.own * self.factors[target]);
        self.factors[target] *= update.own;
        let (to, from) = (self.places[target], self.places[source]);
        let reach = self.reach[from] + usize::from(older != 0.0);
        self.reach[to] = self.reach[to].max(reach);
        let lift = Kind::Lift { target: to, delayed: false };
        let kind = if older == 0.0 { Kind::Push { target: to } } else { lift };
        let Some(UpdateRounding { rounding, subtract }) = update.rounding else {
            self.push(kind, [newest.1 * scale, older * scale]);
            return Some(());
        };
        if update.own != 1.0 {
            return None;
        }
        let (offset, shift) = (rounding.offset as f64, rounding.shift);
        let whole = 2.0_f64.powi(shift as i32);
        self.push(kind, [newest.1 * whole, older * whole]);
        if let Some(stage) = self.stages.last_mut() {
            stage.round = Some(Round { offset, shift, subtract });
            // floor(-x / 2^s) is -floor((x + 2^s - 1) / 2^s). The offset grows by no more than the range
            // of inputs leaves.
            let turned = whole - 1.0 - offset;
            if stage.factors == [-1.0; 2] && turned.abs() <= offset.abs() + 2.0 {
                stage.factors = [1.0; 2];
                stage.round = Some(Round { offset: turned, shift, subtract: !subtract });
            }
            stage.plain = stage.factors == [1.0; 2];
        }
        Some(())
    }

    /// Both planes from both at one place. Factors are divided by one of each row, so that it needs
    /// no multiplication; which ones is chosen so that the others stay small.
    fn turn(&mut self, first: &Lifted, second: &Lifted) -> Option<()> {
        if self.rounds {
            return None;
        }
        let [(offset, upper)] = first.terms[..] else { return None };
        let [(other, lower)] = second.terms[..] else { return None };
        if offset != second.offset || other != first.offset {
            return None;
        }
        let apart = first.offset - second.offset - (self.lags[1] - self.lags[0]);
        self.delay(usize::from(apart > 0), apart.unsigned_abs())?;
        let [f0, f1] = self.factors;
        let rows = [[first.own * f0, upper * f1], [lower * f0, second.own * f1]];
        let straight = [rows[0][1] / rows[0][0], rows[1][0] / rows[1][1]];
        let crossed = [rows[1][1] / rows[1][0], rows[0][0] / rows[0][1]];
        let size = |factors: &[f64; 2]| {
            let size = factors[0].abs().max(factors[1].abs());
            if factors.iter().all(|factor| factor.is_finite()) { size } else { f64::INFINITY }
        };
        let straightly = size(&straight) <= size(&crossed);
        let factors = if straightly { straight } else { crossed };
        if !size(&factors).is_finite() {
            return None;
        }
        // Factor of the other plane that the plane at place 0 gets, then that of the one at place 1.
        let at = if self.places == [0, 1] { factors } else { [factors[1], factors[0]] };
        // What is multiplied by zero may be infinite.
        match at.map(|factor| factor != 0.0) {
            [true, true] => self.push(Kind::Turn, at),
            [true, false] => self.push(Kind::Push { target: 0 }, [at[0], 0.0]),
            [false, true] => self.push(Kind::Push { target: 1 }, [at[1], 0.0]),
            [false, false] => {}
        }
        if straightly {
            self.factors = [rows[0][0], rows[1][1]];
        } else {
            self.factors = [rows[0][1], rows[1][0]];
            self.places.swap(0, 1);
        }
        let reach = self.reach[0].max(self.reach[1]);
        self.reach = [reach; PLANES];
        Some(())
    }
}

/// An update of one plane by the other; `None` if it reads other values of its own.
fn lifted(update: &Update) -> Option<Lifted> {
    let (plane, offset) = (update.plane, i64::from(update.offset[0]));
    let mut own = if update.increment { 1.0 } else { 0.0 };
    let mut terms = Vec::new();
    for term in update.terms.iter().filter(|term| term.coefficient != 0.0) {
        let at = i64::from(term.offset[0]);
        match (term.plane == plane, at == offset) {
            (true, true) => own += term.coefficient,
            (true, false) => return None,
            (false, _) => terms.push((at, term.coefficient)),
        }
    }
    terms.sort_by_key(|(offset, _)| *offset);
    Some(Lifted { plane, offset, own, terms, rounding: update.rounding })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_codegen::kernel::{Element, Exchange, Operation, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn found(name: &str, scheme: SchemeKind, operation: Operation) -> Option<Found<f64>> {
        let scheme = catalogue::wavelet(name).unwrap().scheme(scheme, 1).unwrap();
        Cascade::of(&lower(&scheme, operation, Element::F64, Exchange::Shared).unwrap())
    }

    #[test]
    fn a_rotation_is_two_multiplications_and_a_delay() {
        for operation in Operation::ALL {
            for (name, rotations) in
                [("haar", 1), ("db2", 2), ("db4", 4), ("coif2", 6), ("db16", 16)]
            {
                let found = found(name, SchemeKind::Lattice, operation).unwrap();
                let stages = &found.cascade.stages;
                assert_eq!(stages.len(), rotations, "{name} {operation}");
                assert!(stages.iter().all(|stage| stage.kind == Kind::Turn));
                let largest = stages.iter().flat_map(|stage| stage.factors).map(f64::abs);
                assert!(largest.fold(0.0, f64::max) <= 1.0, "{name} {operation}");
                assert_eq!(found.high - found.low, rotations as i64 - 1, "{name} {operation}");
                assert_eq!(found.cascade.work(), 3 * rotations + 1, "{name} {operation}");
            }
        }
    }

    #[test]
    fn liftings_delay_no_more_than_they_read() {
        for operation in Operation::ALL {
            let Found { cascade, low, high } =
                found("bior4.4", SchemeKind::Lifting, operation).unwrap();
            let lifts = |stage: &&Stage<f64>| matches!(stage.kind, Kind::Lift { .. });
            assert_eq!(cascade.stages.iter().filter(lifts).count(), 4, "{operation}");
            assert!(cascade.stages.len() <= 6, "{operation} {:?}", cascade.stages);
            assert_eq!(high - low, 4, "{operation}");
        }
    }

    #[test]
    fn common_stages_have_a_loop_of_their_own() {
        let scheme =
            |name: &str| catalogue::wavelet(name).unwrap().scheme(SchemeKind::Lifting, 1).unwrap();
        for (operation, [rounded, two, four]) in [
            (Operation::Forward, [Stages::Analysis, Stages::OddEven, Stages::OddEvenTwice]),
            (Operation::Inverse, [Stages::Synthesis, Stages::EvenOdd, Stages::EvenOddTwice]),
        ] {
            let kernel =
                lower(&scheme("rev53"), operation, Element::I32, Exchange::Shared).unwrap();
            let cascade = Cascade::<i32>::of(&kernel).unwrap().cascade;
            assert_eq!(cascade.known, Some(rounded));
            let known =
                |name: &str, kind: SchemeKind| found(name, kind, operation).unwrap().cascade.known;
            assert_eq!(known("bior2.2", SchemeKind::Lifting), Some(two));
            assert_eq!(known("bior4.4", SchemeKind::Lifting), Some(four));
            assert_eq!(known("irr97", SchemeKind::Lifting), Some(four));
            assert_eq!(known("db4", SchemeKind::Lattice), Some(Stages::Turns));
            assert_eq!(known("db16", SchemeKind::Lattice), None);
        }
    }

    #[test]
    fn delays_have_a_limit() {
        let kernel = |advance: i32| {
            let scheme = catalogue::wavelet("db2").unwrap().scheme(SchemeKind::Lattice, 1).unwrap();
            let mut kernel =
                lower(&scheme, Operation::Forward, Element::F64, Exchange::Shared).unwrap();
            kernel.outputs[1].offset[0] += advance;
            kernel
        };
        let found = Cascade::<f64>::of(&kernel(5)).unwrap();
        assert_eq!(found.high - found.low, 1 + 5);
        assert!(Cascade::<f64>::of(&kernel(i32::MAX - 8)).is_none());
    }

    #[test]
    fn what_reads_more_than_two_neighbours_is_no_cascade() {
        assert!(found("bior4.4", SchemeKind::Convolution, Operation::Forward).is_none());
        assert!(found("rbio3.9", SchemeKind::Lifting, Operation::Forward).is_none());
    }
}
