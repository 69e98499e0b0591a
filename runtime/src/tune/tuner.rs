//! Measuring candidates.
//!
//! Candidates run in heats of a few, each heat in turn with a copy, so that memory holds the
//! coefficients of few at a time; the best of all heats meet in a final. Kernels of a heat are compiled
//! beforehand, on as many threads as there are.

use super::finding::Finding;
use super::key::TuningKey;
use crate::device::{DeviceError, DeviceTransform, Gpu};
use crate::element::Element;
use crate::error::PlanError;
use crate::measure::{Budget, Card, CardPlan, Spread, contest};
use crate::plan::{Plan, PlanBuilder};
use waveloom_codegen::gpu::Strategy;
use waveloom_codegen::kernel::Operation;

/// Candidates of a heat at most.
const HEAT: usize = 8;

/// Candidates of the final.
const FINALISTS: usize = 5;

/// How much worse than the best round trip another may be before it counts as wrong.
const WORSE: f64 = 1e3;

/// The operations that are measured.
const OPERATIONS: [Operation; 2] = [Operation::Forward, Operation::Inverse];

/// Why nothing could be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TuneError {
    /// The processor has no strategies.
    #[error(
        "strategies are those of a card's kernels; expected a plan on a CUDA device, got the CPU"
    )]
    NoCard,
    /// There is no such transform, or the card cannot run it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Arrays do not fit the card.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Nothing was measured.
    #[error("none of {count} strategies could be measured; the first: {reason}")]
    Nothing {
        /// How many were tried.
        count: usize,
        /// Why the first could not.
        reason: String,
    },
}

/// What a strategy takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Forward, as multiples of a copy of the signal in the same rounds.
    pub forward: Spread,
    /// Inverse, likewise.
    pub inverse: Spread,
    /// Largest number of registers of a thread.
    pub registers: u32,
    /// Launches of forward.
    pub launches: usize,
}

impl Score {
    /// The mean of both medians: what strategies are ranked by.
    pub fn mean(&self) -> f64 {
        (self.forward.median + self.inverse.median) / 2.0
    }
}

/// One strategy that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The strategy.
    pub strategy: Strategy,
    /// What it takes, or why it was not measured (to the end).
    pub outcome: Result<Score, String>,
}

/// All that tuning found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best, ready to be stored.
    pub finding: Finding,
    /// What a plan takes without tuning.
    pub untuned: Strategy,
    /// Everything that was tried, the best first, failures last.
    pub trials: Vec<Trial>,
}

/// A strategy with its plan.
struct Entrant<T: Element> {
    strategy: Strategy,
    plan: Plan<T>,
}

/// An entrant with its arrays.
struct Ready<'a, T: Element> {
    strategy: Strategy,
    transform: &'a DeviceTransform<T>,
    arrays: CardPlan<T>,
    /// Of forward and inverse.
    error: f64,
}

/// Measures `strategies`, and the plan's own choice, for the transform that `builder` describes on its
/// card. `seconds` is for each heat; the final takes twice as long. `progress` is called after each
/// trial with the number of trials that will be made.
///
/// # Errors
/// A builder without a card, or of a transform that does not exist; too little memory for the arrays;
/// nothing that could be measured.
pub fn tune<T: Element>(
    builder: &PlanBuilder<'_, T>,
    strategies: &[Strategy],
    seconds: f64,
    mut progress: impl FnMut(&Trial, usize),
) -> Result<Outcome, TuneError> {
    let untuned = builder.clone().tuned(false).build()?;
    let transform = untuned.on_card().ok_or(TuneError::NoCard)?;
    let key = key(&untuned, transform.gpu());
    let untuned_strategy = *transform.strategy();
    let mut all = vec![untuned_strategy];
    all.extend(strategies.iter().filter(|strategy| **strategy != untuned_strategy));

    let mut tuner =
        Tuner { card: Card::new(transform.gpu(), untuned.signal_len())?, seen: Vec::new() };
    let heat = heat_of::<T>(transform)?;
    let mut trials: Vec<Trial> = Vec::with_capacity(all.len());
    for strategies in all.chunks(heat) {
        let budget = Budget { seconds, repetitions: 15, warm: 1, ..Budget::default() };
        for trial in tuner.heat(builder, strategies, &budget) {
            progress(&trial, all.len());
            trials.push(trial);
        }
    }
    rank(&mut trials);
    let finalists: Vec<Strategy> = trials
        .iter()
        .filter(|trial| trial.outcome.is_ok())
        .take(FINALISTS.min(heat))
        .map(|trial| trial.strategy)
        .collect();
    if finalists.len() > 1 {
        let budget = Budget { seconds: 2.0 * seconds, ..Budget::default() };
        tuner.seen.clear();
        let mut last = tuner.heat(builder, &finalists, &budget);
        rank(&mut last);
        trials.drain(..finalists.len());
        trials.splice(..0, last);
    }
    match trials.first() {
        Some(Trial { strategy, outcome: Ok(score) }) => {
            let copies = [score.forward.median, score.inverse.median];
            let finding = Finding { key, strategy: *strategy, copies };
            Ok(Outcome { finding, untuned: untuned_strategy, trials })
        }
        first => {
            let reason = first.and_then(|trial| trial.outcome.clone().err()).unwrap_or_default();
            Err(TuneError::Nothing { count: trials.len(), reason })
        }
    }
}

fn key<T: Element>(plan: &Plan<T>, gpu: &Gpu) -> TuningKey {
    let (shape, axes) = (plan.shape(), plan.axes());
    TuningKey::new(gpu.name(), plan.wavelet(), plan.scheme(), shape, axes, T::KIND)
}

/// How many candidates' coefficients and workspaces half of the free memory holds.
fn heat_of<T: Element>(transform: &DeviceTransform<T>) -> Result<usize, DeviceError> {
    let gpu = transform.gpu();
    let (free, _) = gpu.memory()?;
    let coefficients = transform.coefficient_len().saturating_mul(size_of::<T>());
    // Small arrays come in as many copies as the second-level cache does not hold.
    let rotated = coefficients.max(4 * gpu.limits().l2_bytes as usize);
    let each = rotated.saturating_add(transform.workspace_len().saturating_mul(size_of::<T>()));
    Ok((free / 2 / each.max(1)).clamp(1, HEAT))
}

/// The best first, failures last and in their order.
fn rank(trials: &mut [Trial]) {
    let time = |trial: &Trial| trial.outcome.as_ref().map_or(f64::INFINITY, Score::mean);
    trials.sort_by(|a, b| time(a).total_cmp(&time(b)));
}

struct Tuner<T: Element> {
    card: Card<T>,
    /// Kernels measured so far: different shapes may lead to the same ones.
    seen: Vec<(Strategy, String, String)>,
}

impl<T: Element> Tuner<T> {
    /// Trials of a few strategies, in their order.
    fn heat(
        &mut self,
        builder: &PlanBuilder<'_, T>,
        strategies: &[Strategy],
        budget: &Budget,
    ) -> Vec<Trial> {
        let (mut entrants, mut failures) = (Vec::new(), Vec::new());
        for (strategy, plan) in strategies.iter().zip(plans(builder, strategies)) {
            match plan.and_then(|plan| self.admit(*strategy, plan)) {
                Ok(entrant) => entrants.push(entrant),
                Err(reason) => failures.push(Trial { strategy: *strategy, outcome: Err(reason) }),
            }
        }
        let mut trials = self.measure(&entrants, budget);
        trials.extend(failures);
        let place = |trial: &Trial| strategies.iter().position(|one| *one == trial.strategy);
        trials.sort_by_key(place);
        trials
    }

    /// Lets a plan in unless its kernels and launches were seen already.
    fn admit(&mut self, strategy: Strategy, plan: Plan<T>) -> Result<Entrant<T>, String> {
        let transform = plan.on_card().ok_or("the plan is not on a card")?;
        // Strips walk less far in small arrays unless told how far.
        let mut launches = format!("{}", strategy.rows.is_some());
        for mapping in transform.mappings() {
            launches += &format!(" {:?} {} {}", mapping.tile, mapping.lanes, mapping.threads);
        }
        // Comments tell of the strategy.
        let code = transform.source().lines().filter(|line| !line.starts_with("//"));
        let code: String = code.collect::<Vec<_>>().join("\n");
        let same = self.seen.iter().find(|(_, other, how)| *how == launches && *other == code);
        if let Some((same, ..)) = same {
            return Err(format!("the same kernels as {same}"));
        }
        self.seen.push((strategy, code, launches));
        Ok(Entrant { strategy, plan })
    }

    fn measure(&mut self, entrants: &[Entrant<T>], budget: &Budget) -> Vec<Trial> {
        let (mut ready, mut trials) = (Vec::new(), Vec::new());
        for Entrant { strategy, plan } in entrants {
            // Admitted because there is one.
            let Some(transform) = plan.on_card() else { continue };
            match self.ready(*strategy, transform) {
                Ok(one) => ready.push(one),
                Err(error) => {
                    trials.push(Trial { strategy: *strategy, outcome: Err(error.to_string()) });
                }
            }
        }
        let least = ready.iter().map(|one| one.error).fold(f64::INFINITY, f64::min);
        let (card, count) = (&mut self.card, OPERATIONS.len());
        let done = contest(1 + count * ready.len(), budget, |index, runs| {
            let Some(index) = index.checked_sub(1) else { return card.copy(runs) };
            match (ready.get_mut(index / count), OPERATIONS.get(index % count)) {
                (Some(one), Some(operation)) => {
                    card.run(one.transform, &mut one.arrays, *operation, runs)
                }
                _ => Ok(0.0),
            }
        });
        for (position, one) in ready.iter().enumerate() {
            let outcome = match &done {
                Err(error) => Err(error.to_string()),
                Ok(_) if !is_right::<T>(one.error, least) => {
                    let error = one.error;
                    Err(format!("forward and inverse lose {error:.1e}, others {least:.1e}"))
                }
                Ok(times) => {
                    let first = 1 + count * position;
                    Ok(Score {
                        forward: times.ratio(first, 0),
                        inverse: times.ratio(first + 1, 0),
                        registers: registers(one.transform),
                        launches: one.transform.launches(Operation::Forward).unwrap_or(0),
                    })
                }
            };
            trials.push(Trial { strategy: one.strategy, outcome });
        }
        trials
    }

    /// Arrays of an entrant, transformed there and back.
    fn ready<'a>(
        &mut self,
        strategy: Strategy,
        transform: &'a DeviceTransform<T>,
    ) -> Result<Ready<'a, T>, DeviceError> {
        let mut arrays = self.card.plan(transform)?;
        let error = self.card.round_trip(transform, &mut arrays)?;
        Ok(Ready { strategy, transform, arrays, error })
    }
}

/// Whether a round trip is as good as that of others, to rounding.
fn is_right<T: Element>(error: f64, least: f64) -> bool {
    match T::KIND.is_integer() {
        true => error <= least,
        // Samples are up to 128.
        false if T::KIND.bytes() < 8 => error <= WORSE * least.max(128.0 * f64::from(f32::EPSILON)),
        false => error <= WORSE * least.max(128.0 * f64::EPSILON),
    }
}

fn registers<T: Element>(transform: &DeviceTransform<T>) -> u32 {
    let kernels = transform.kernels().iter().take(transform.mappings().len());
    kernels.filter_map(|kernel| kernel.registers().ok()).max().unwrap_or(0)
}

/// The plans of strategies, compiled side by side.
fn plans<T: Element>(
    builder: &PlanBuilder<'_, T>,
    strategies: &[Strategy],
) -> Vec<Result<Plan<T>, String>> {
    let build = |strategy: Strategy| {
        builder.clone().strategy(strategy).build().map_err(|error| match error {
            // The whole text is for those who write kernels.
            PlanError::Device(DeviceError::Compile(error)) => {
                let line = error.log.lines().find(|line| line.contains("error"));
                format!("NVRTC refuses the kernels: {}", line.unwrap_or_default())
            }
            error => error.to_string(),
        })
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut plans = Vec::with_capacity(strategies.len());
    for strategies in strategies.chunks(cores) {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                strategies.iter().map(|strategy| scope.spawn(|| build(*strategy))).collect();
            plans.extend(threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err("the compiling thread ended".to_owned()))
            }));
        });
    }
    plans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Device, DiskCache};
    use crate::tune::candidates;
    use std::io::Write as _;
    use waveloom_wavelets::catalogue;

    fn trial(mean: Option<f64>) -> Trial {
        let spread = |median: f64| Spread { low: median, median, high: median };
        let score = |mean: f64| Score {
            forward: spread(mean + 0.5),
            inverse: spread(mean - 0.5),
            registers: 32,
            launches: 1,
        };
        Trial {
            strategy: Strategy::SHARED,
            outcome: mean.map(score).ok_or_else(|| "no".to_owned()),
        }
    }

    #[test]
    fn the_best_comes_first_and_failures_last() {
        let mut trials = [None, Some(3.0), Some(1.25), None, Some(2.0)].map(trial);
        rank(&mut trials);
        let means = trials.map(|trial| trial.outcome.ok().map(|score| score.mean()));
        assert_eq!(means, [Some(1.25), Some(2.0), Some(3.0), None, None]);
    }

    #[test]
    fn what_loses_more_than_rounding_is_wrong() {
        assert!(is_right::<f32>(3e-5, 1e-5) && !is_right::<f32>(0.5, 1e-5));
        assert!(!is_right::<f32>(f64::NAN, 1e-5));
        assert!(is_right::<i32>(0.0, 0.0) && !is_right::<i32>(1.0, 0.0));
    }

    #[test]
    fn the_processor_has_nothing_to_tune() {
        let wavelet = catalogue::wavelet("bior4.4").unwrap();
        let builder = Plan::<f32>::builder(&wavelet, &[64, 64]);
        let error = tune(&builder, &candidates(2, &[0, 1], 1), 0.1, |_, _| {}).unwrap_err();
        assert_eq!(error, TuneError::NoCard);
        assert!(error.to_string().contains("CUDA device"), "{error}");
        let error =
            tune(&builder.axes(&[2]), &candidates(2, &[0, 1], 1), 0.1, |_, _| {}).unwrap_err();
        assert!(matches!(error, TuneError::Plan(PlanError::AxisOutOfRange { .. })), "{error}");
    }

    #[test]
    fn what_a_card_finds_is_what_plans_take() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path());
        let card = match Device::cuda_with_cache(0, cache.clone()) {
            Ok(card) => card,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "skipped: tuning on a card: {error}");
                return;
            }
        };
        let wavelet = catalogue::wavelet("haar").unwrap();
        let builder = || Plan::<f32>::builder(&wavelet, &[256, 256]).device(&card);
        let tried = [Strategy::SHARED, Strategy::GLOBAL, Strategy::TRAPEZOID];
        let mut seen = 0;
        let outcome = tune(&builder(), &tried, 0.01, |_, _| seen += 1).unwrap();
        assert_eq!(seen, outcome.trials.len());
        assert!(outcome.trials.len() >= 3);
        let strategy = |plan: &Plan<f32>| *plan.on_card().unwrap().strategy();
        assert_eq!(strategy(&builder().build().unwrap()), outcome.untuned, "nothing is kept yet");
        // Another than the plan's own choice, whatever was measured.
        let other = tried.into_iter().find(|strategy| *strategy != outcome.untuned).unwrap();
        Finding { strategy: other, ..outcome.finding }.store(&cache).unwrap();
        assert_eq!(strategy(&builder().build().unwrap()), other);
        let plain = builder().tuned(false).build().unwrap();
        assert_eq!(strategy(&plain), outcome.untuned);
        let given = builder().strategy(Strategy::TRAPEZOID).build().unwrap();
        assert_eq!(strategy(&given), Strategy::TRAPEZOID);
    }
}
