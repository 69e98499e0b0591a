//! One work: its plans, its arrays, its rounds.

use super::peer::Peer;
use super::report::{Findings, Line, Measured};
use super::work::{Method, Place, Work};
use crate::error::Failure;
use crate::samples::Number;
use crate::with_element;
use waveloom::codegen::gpu::Strategy;
use waveloom::codegen::kernel::Operation;
use waveloom::device::{Device, DeviceError};
use waveloom::measure::{Budget, Card, CardPlan, Host, Overlap, Times, contest};
use waveloom::wavelets::catalogue;
use waveloom::{Plan, PlanError};

/// Measures a work. What cannot be measured is a line that says why.
pub fn run(work: &Work, device: &Device, budget: &Budget, peers: &mut [Peer]) -> Findings {
    with_element!(work.element, T => Arena::<T>::new(work, device, peers).run(budget))
}

/// Compiles what a work needs on a card, so that it is there when its turn comes.
pub fn compile(work: &Work, device: &Device) {
    for method in work.methods.iter().filter(|method| method.place != Place::Host) {
        // Whatever goes wrong is told when the work is measured.
        let _ = with_element!(work.element, T => plan::<T>(work, method, device).map(|_| ()));
    }
}

/// The plan of a method.
fn plan<T: Number>(work: &Work, method: &Method, device: &Device) -> Result<Plan<T>, String> {
    let wavelet = catalogue::wavelet(work.wavelet).map_err(|error| error.to_string())?;
    let mode = method.mode.unwrap_or(work.mode);
    let (mut shape, mut axes) = (&work.shape[..], work.axes.clone());
    if method.place == Place::Overlapped {
        let pieces = shape.split_first().filter(|_| !axes.contains(&0));
        shape = pieces.ok_or_else(|| "the first axis does not count pieces".to_owned())?.1;
        axes.iter_mut().for_each(|axis| *axis -= 1);
    }
    let mut builder = Plan::<T>::builder(&wavelet, shape);
    let levels = method.levels.unwrap_or(work.levels);
    builder = builder.axes(&axes).levels(levels).mode(mode).threads(method.threads);
    // The inverse also tells whether what is fast is right.
    builder = builder.operations(&[Operation::Forward, Operation::Inverse]);
    if let Some(scheme) = method.scheme {
        builder = builder.scheme(scheme);
    }
    if method.place != Place::Host {
        if device.is_cpu() {
            return Err("needs a card (--device cuda)".to_owned());
        }
        builder = builder.device(device);
        if let Some(multiple) = method.align_rows {
            builder = builder.align_rows(multiple);
        }
        if let Some(name) = &method.strategy {
            let strategy = Strategy::named(name)
                .ok_or_else(|| format!("the generator has no strategy named '{name}'"))?;
            let tile = method.shape.tile.or(strategy.tile);
            let threads = method.shape.threads.or(strategy.threads);
            let items = method.shape.items.or(strategy.items);
            builder = builder.strategy(Strategy { tile, threads, items, ..strategy });
        }
    }
    builder.build().map_err(|error| match error {
        // The whole text is for those who write kernels.
        PlanError::Device(DeviceError::Compile(error)) => {
            let line = error.log.lines().find(|line| line.contains("error")).unwrap_or_default();
            format!("NVRTC refuses the kernels: {line}")
        }
        error => Failure::plain(error).to_string(),
    })
}

/// A method that can run.
enum Runner<T: Number> {
    Host(Box<Host<T>>),
    Card(Plan<T>, CardPlan<T>),
    Overlapped(Plan<T>, Box<Overlap<T>>),
    /// Index into the peers.
    Peer(usize),
}

struct Entrant {
    /// Index into the runners, or the copy of a place.
    runner: Option<usize>,
    place: Place,
    operation: Operation,
}

struct Arena<'a, T: Number> {
    work: &'a Work,
    peers: &'a mut [Peer],
    card: Option<Card<T>>,
    /// Name, place, what it is made of, how it runs.
    runners: Vec<(String, Place, String, Runner<T>)>,
    failed: Vec<(String, Place, String)>,
}

impl<'a, T: Number> Arena<'a, T> {
    fn new(work: &'a Work, device: &Device, peers: &'a mut [Peer]) -> Self {
        let mut arena = Self { work, peers, card: None, runners: Vec::new(), failed: Vec::new() };
        for method in &work.methods {
            let (name, place) = (method.name.clone(), method.place);
            match arena.runner(method, device) {
                Ok((how, runner)) => arena.runners.push((name, place, how, runner)),
                Err(reason) => arena.failed.push((name, place, reason)),
            }
        }
        if work.peers.is_some() && !arena.runners.is_empty() {
            for index in 0..arena.peers.len() {
                let (name, prepared) = {
                    let peer = &mut arena.peers[index];
                    let prepared = peer.prepare(work);
                    (peer.name().to_owned(), prepared.map(|()| peer.label()))
                };
                match prepared {
                    Ok(label) => {
                        arena.runners.push((name, Place::Host, label, Runner::Peer(index)));
                    }
                    Err(reason) => arena.failed.push((name, Place::Host, reason)),
                }
            }
        }
        arena
    }

    fn runner(&mut self, method: &Method, device: &Device) -> Result<(String, Runner<T>), String> {
        let plan = plan::<T>(self.work, method, device)?;
        let text = |error: &dyn std::fmt::Display| Failure::plain(error).to_string();
        let mut how = plan.scheme().to_string();
        if let Some(transform) = plan.on_card() {
            let launches = self.work.operations.first().and_then(|one| transform.launches(*one));
            let registers = transform.kernels().iter().take(transform.mappings().len());
            let registers = registers.filter_map(|kernel| kernel.registers().ok()).max();
            how += &format!(
                ", {}, {} launches, {} registers",
                transform.strategy(),
                launches.unwrap_or(0),
                registers.unwrap_or(0)
            );
        }
        if method.place == Place::Overlapped {
            let pieces = self.work.shape.first().copied().unwrap_or(1);
            let transform = plan.on_card().ok_or("the plan is not on a card")?;
            let overlap = Overlap::new(transform, pieces).map_err(|error| text(&error))?;
            return Ok((how, Runner::Overlapped(plan, Box::new(overlap))));
        }
        if method.place != Place::Card {
            let host = Host::new(&plan).map_err(|error| text(&error))?;
            return Ok((how, Runner::Host(Box::new(host))));
        }
        let Some(transform) = plan.on_card() else {
            return Err("the plan is not on a card".to_owned());
        };
        let card = match &mut self.card {
            Some(card) => card,
            empty => {
                let card = Card::new(transform.gpu(), plan.signal_len());
                empty.insert(card.map_err(|error| text(&error))?)
            }
        };
        let arrays = card.plan(transform).map_err(|error| text(&error))?;
        Ok((how, Runner::Card(plan, arrays)))
    }

    fn run(mut self, budget: &Budget) -> Findings {
        let mut entrants = Vec::new();
        // The copies come first, one for every kind of memory.
        for place in [Place::Host, Place::Card] {
            let measured = |(_, at, _, runner): &(String, Place, String, Runner<T>)| {
                matches!(runner, Runner::Host(_) | Runner::Card(..))
                    && (*at == Place::Card) == (place == Place::Card)
            };
            if self.runners.iter().any(measured) {
                entrants.push(Entrant { runner: None, place, operation: Operation::Forward });
            }
        }
        for (index, (_, place, _, _)) in self.runners.iter().enumerate() {
            for operation in self.work.operations {
                let (runner, place, operation) = (Some(index), *place, *operation);
                entrants.push(Entrant { runner, place, operation });
            }
        }
        let done = match entrants.is_empty() {
            true => Ok(Times::default()),
            false => contest(entrants.len(), budget, |index, runs| {
                entrants.get(index).map_or(Ok(0.0), |entrant| self.measure(entrant, runs))
            }),
        };
        let mut findings = Findings::of(self.work.clone());
        for (position, entrant) in entrants.iter().enumerate() {
            let Some((name, place, how, _)) =
                entrant.runner.and_then(|index| self.runners.get(index))
            else {
                continue;
            };
            let copy = entrants.iter().position(|other| {
                other.runner.is_none()
                    && (other.place == Place::Card) == (entrant.place == Place::Card)
            });
            let outcome = match (&done, copy) {
                (Ok(times), Some(copy)) => Ok(Measured {
                    seconds: times.seconds(position),
                    copies: times.ratio(position, copy),
                    copy_seconds: times.seconds(copy),
                    rounds: times.rounds(),
                }),
                (Ok(_), None) => {
                    Err("needs a method with copies beside it, for the yardstick".to_owned())
                }
                (Err(reason), _) => Err(reason.clone()),
            };
            findings.lines.push(Line {
                method: name.clone(),
                place: *place,
                how: how.clone(),
                operation: entrant.operation,
                outcome,
            });
        }
        for (method, place, reason) in &self.failed {
            for operation in self.work.operations {
                findings.lines.push(Line {
                    method: method.clone(),
                    place: *place,
                    how: String::new(),
                    operation: *operation,
                    outcome: Err(reason.clone()),
                });
            }
        }
        if let Ok(times) = &done {
            let position = |name: &str, operation: Operation| {
                let same = |entrant: &Entrant| {
                    let runner = entrant.runner.and_then(|index| self.runners.get(index));
                    entrant.operation == operation && runner.is_some_and(|(own, ..)| own == name)
                };
                entrants.iter().position(same)
            };
            findings.compare(|over, under, operation| {
                Some(times.ratio(position(over, operation)?, position(under, operation)?))
            });
        }
        findings.round_trip = self.round_trip();
        findings
    }

    fn measure(&mut self, entrant: &Entrant, runs: usize) -> Result<f64, String> {
        let Self { card, runners, peers, .. } = self;
        let text = |error: &dyn std::fmt::Display| Failure::plain(error).to_string();
        let Some(index) = entrant.runner else {
            if entrant.place == Place::Card {
                let card = card.as_mut().ok_or("no arrays are on the card")?;
                return card.copy(runs).map_err(|error| text(&error));
            }
            let host = runners.iter_mut().find_map(|(_, _, _, runner)| match runner {
                Runner::Host(host) => Some(host),
                _ => None,
            });
            return host.map(|host| host.copy(runs)).ok_or_else(|| "no arrays".to_owned());
        };
        match runners.get_mut(index) {
            Some((_, _, _, Runner::Host(host))) => {
                host.run(entrant.operation, runs).map_err(|error| text(&error))
            }
            Some((_, _, _, Runner::Card(plan, arrays))) => match (card.as_mut(), plan.on_card()) {
                (Some(card), Some(transform)) => card
                    .run(transform, arrays, entrant.operation, runs)
                    .map_err(|error| text(&error)),
                _ => Err("no arrays are on the card".to_owned()),
            },
            Some((_, _, _, Runner::Overlapped(plan, overlap))) => match plan.on_card() {
                Some(transform) if entrant.operation == Operation::Forward => {
                    overlap.forward(transform, runs).map_err(|error| text(&error))
                }
                _ => Err("only forward transforms are overlapped".to_owned()),
            },
            Some((_, _, _, Runner::Peer(peer))) => match peers.get_mut(*peer) {
                Some(peer) => peer.run(entrant.operation, runs),
                None => Err("the library is gone".to_owned()),
            },
            None => Err("no such method".to_owned()),
        }
    }

    /// The largest error of forward and inverse over all methods, so that what is fast is also
    /// right; `None` if it could not be found out.
    fn round_trip(&mut self) -> Option<f64> {
        let mut worst: Option<f64> = None;
        for (_, _, _, runner) in &mut self.runners {
            let found = match runner {
                Runner::Host(host) => host.round_trip().ok(),
                Runner::Card(plan, arrays) => match (self.card.as_mut(), plan.on_card()) {
                    (Some(card), Some(transform)) => card.round_trip(transform, arrays).ok(),
                    _ => None,
                },
                Runner::Peer(_) | Runner::Overlapped(..) => None,
            };
            worst = match (worst, found) {
                // NaN is the largest error of all.
                (Some(worst), Some(found)) if worst > found || f64::is_nan(worst) => Some(worst),
                (worst, found) => found.or(worst),
            };
        }
        worst
    }
}
